"""Makes wheels and source archives of the package, with nothing but the standard library (PEP 517 and PEP 660).

A wheel holds the compiler, the library of threads and memory, and libLLVM, where `build/` or SPC_BUILD has them, and is
then for one platform; else it is the Python code alone, which looks for a compiler when it runs.
"""
# SPDX-License-Identifier: Apache-2.0

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent
TREE = HERE.parent
SUMMARY = "Sparse tensor kernels in index notation, compiled ahead of time"


def version():
    """The version that CMakeLists.txt has."""
    said = re.search(r"project\(\s*\w+\s+VERSION\s+([\d.]+)", (TREE / "CMakeLists.txt").read_text(encoding="utf-8"))
    return said.group(1)


def metadata():
    return (f"Metadata-Version: 2.1\nName: spc\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\nProvides-Extra: scipy\nRequires-Dist: scipy; extra == 'scipy'\n"
            "Provides-Extra: torch\nRequires-Dist: torch; extra == 'torch'\n")


def binaries():
    """What goes into the wheel besides Python code: pairs of a file and its place; empty where nothing was built."""
    build = pathlib.Path(os.environ.get("SPC_BUILD", TREE / "build"))
    compiler, helper = build / "bin" / "spc", build / "lib" / "libspc_contexts.so"
    if not compiler.is_file() or not helper.is_file():
        return []
    found = [(compiler, "spc/bin/spc"), (helper, "spc/lib/libspc_contexts.so")]
    for line in subprocess.run(["ldd", compiler], capture_output=True, text=True, check=False).stdout.splitlines():
        name, _, path = line.strip().partition(" => ")
        if name.startswith("libLLVM"):
            found.append((pathlib.Path(path.split(" ")[0]), f"spc/lib/{name}"))
    return found


class Wheel:
    """A wheel that is being written, with the list of its files."""

    def __init__(self, folder, tag):
        self.name = f"spc-{version()}-{tag}.whl"
        self.info = f"spc-{version()}.dist-info"
        self.file = zipfile.ZipFile(pathlib.Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)
        self.records = []

    def add(self, place, content, mode=0o644):
        entry = zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.records.append(f"{place},sha256={digest},{len(content)}")

    def finish(self, tag, pure):
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: spc_wheel\nRoot-Is-Purelib: {str(pure).lower()}\n"
                                        f"Tag: {tag}\n").encode())
        self.add(f"{self.info}/top_level.txt", b"spc\n")
        self.records.append(f"{self.info}/RECORD,,")
        self.file.writestr(f"{self.info}/RECORD", "\n".join(self.records) + "\n")
        self.file.close()
        return self.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    extra = binaries()
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"py3-none-{platform if extra else 'any'}"
    wheel = Wheel(wheel_directory, tag)
    for path in sorted((HERE / "spc").rglob("*.py")) + sorted((HERE / "spc").rglob("py.typed")):
        wheel.add(path.relative_to(HERE).as_posix(), path.read_bytes())
    for path, place in extra:
        wheel.add(place, path.read_bytes(), 0o755)
    return wheel.finish(tag, not extra)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    wheel = Wheel(wheel_directory, "py3-none-any")
    wheel.add("spc.pth", f"{HERE}\n".encode())
    return wheel.finish("py3-none-any", True)


def build_sdist(sdist_directory, config_settings=None):
    name = f"spc-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in ("spc", "backend", "pyproject.toml"):
            archive.add(HERE / path, f"{name}/{path}")
        archive.add(TREE / "CMakeLists.txt", "CMakeLists.txt")
    return f"{name}.tar.gz"
