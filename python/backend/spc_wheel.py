"""Makes wheels and source archives of the package, with nothing but the standard library (PEP 517 and PEP 660).

A wheel holds the compiler and the library of contexts, where `build/` or the folder that SPC_BUILD names has them. It is then
for the systems whose C library has what these need, as its name says (PEP 600); where they need a library that not each system
has, for systems like this one, and `auditwheel repair` makes one for others of it. Else it is the Python code alone, which
looks for a compiler when it runs. `--config-settings compression=9` makes it smaller by a tenth, and takes longer.
"""
# SPDX-License-Identifier: Apache-2.0

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile

import spc_elf

HERE = pathlib.Path(__file__).resolve().parent.parent
TREE = HERE.parent
LEVEL = 1  # of compression: the higher ones take several times as long for a tenth less


def project():
    """The `[project]` table of pyproject.toml, as far as this needs it: Python 3.9 has no reader of its own."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    table = re.search(r"^\[project\]\n(.*?)^\[", text, re.MULTILINE | re.DOTALL).group(1)
    extras = re.search(r"^\[project\.optional-dependencies\]\n(.*?)(?:^\[|\Z)", text, re.MULTILINE | re.DOTALL).group(1)
    return (dict(re.findall(r'^([\w-]+) = "(.*)"$', table, re.MULTILINE)),
            re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]$", table, re.MULTILINE).group(1)),
            re.findall(r'^([\w-]+) = \["([^"]+)"\]$', extras, re.MULTILINE))


def version():
    """The version that CMakeLists.txt has; in a source archive, PKG-INFO."""
    info = HERE / "PKG-INFO"
    if info.is_file():
        return re.search(r"^Version: (\S+)$", info.read_text(encoding="utf-8"), re.MULTILINE).group(1)
    text = (TREE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(\s*\w+\s+VERSION\s+([\d.]+)", text).group(1)


def metadata():
    """What METADATA and PKG-INFO say."""
    fields, needed, extras = project()
    lines = ["Metadata-Version: 2.1", "Name: spc", f"Version: {version()}", f"Summary: {fields['description']}",
             "License: Apache-2.0", f"Requires-Python: {fields['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in needed]
    for extra, name in extras:
        lines += [f"Provides-Extra: {extra}", f"Requires-Dist: {name}; extra == '{extra}'"]
    return "\n".join(lines) + "\n"


def binaries():
    """What goes into the wheel besides Python code: pairs of a file and its place; empty where nothing was built."""
    build = pathlib.Path(os.environ.get("SPC_BUILD", TREE / "build"))
    found = [(build / place, f"spc/{place}") for place in ("bin/spc", "lib/libspc_contexts.so")]
    return found if all(path.is_file() for path, _ in found) else []


def platform(contents):
    """The platform of a wheel with these programs, which are contents of files."""
    programs = [spc_elf.needs(content) for content in contents]
    return spc_elf.manylinux(programs) or f"linux_{programs[0].machine}"


def stripped(path):
    """A program's content without symbols for debuggers, where there is a tool that leaves them out: LLVM's does so for other
    machines' programs, too."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        for tool in filter(None, map(shutil.which, ("strip", "llvm-strip", "llvm-strip-22"))):
            if subprocess.run([tool, "--strip-unneeded", "-o", str(copy), str(path)], stderr=subprocess.DEVNULL,
                              check=False).returncode == 0:
                return copy.read_bytes()
    return path.read_bytes()


class Wheel:
    """A wheel that is being written, with the list of its files."""

    def __init__(self, folder, tag, level=LEVEL):
        self.level = level
        self.name = f"spc-{version()}-{tag}.whl"
        self.info = f"spc-{version()}.dist-info"
        self.file = zipfile.ZipFile(pathlib.Path(folder) / self.name, "w")
        self.records = []

    def write(self, place, content, mode=0o644):
        """Writes a file, of the same time in all wheels."""
        entry = zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        self.file.writestr(entry, content, zipfile.ZIP_DEFLATED, self.level)

    def add(self, place, content, mode=0o644):
        """Writes a file, and lists it."""
        self.write(place, content, mode)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.records.append(f"{place},sha256={digest},{len(content)}")

    def finish(self, tag, is_pure):
        """Adds what says what the wheel is; returns its name."""
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: spc_wheel\nRoot-Is-Purelib: "
                                        f"{str(is_pure).lower()}\nTag: {tag}\n").encode())
        self.add(f"{self.info}/top_level.txt", b"spc\n")
        self.records.append(f"{self.info}/RECORD,,")
        self.write(f"{self.info}/RECORD", ("\n".join(self.records) + "\n").encode())
        self.file.close()
        return self.name


def sources():
    """The files of the package."""
    return sorted([*(HERE / "spc").rglob("*.py"), *(HERE / "spc").rglob("py.typed")])


def licenses():
    """The files that say under which terms the package and what its compiler is linked with are; none in a source archive."""
    return [] if (HERE / "PKG-INFO").is_file() else [TREE / "LICENSE", TREE / "cmake" / "package" / "copyright"]


def compression(config_settings):
    """The level that the setting names. Raises ValueError where that is none."""
    named = (config_settings or {}).get("compression", str(LEVEL))
    if not re.fullmatch("[0-9]", named):
        raise ValueError(f"compression is a level of deflate, 0 to 9, not {named}")
    return int(named)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    programs = [(place, stripped(path)) for path, place in binaries()]
    tag = f"py3-none-{platform([content for _, content in programs]) if programs else 'any'}"
    wheel = Wheel(wheel_directory, tag, compression(config_settings))
    for path in sources():
        wheel.add(path.relative_to(HERE).as_posix(), path.read_bytes())
    for place, content in programs:
        wheel.add(place, content, 0o755)
    for path in licenses():
        wheel.add(f"{wheel.info}/licenses/{path.name}", path.read_bytes())
    return wheel.finish(tag, not programs)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: the package stays where it is, beside the tree's build folder."""
    wheel = Wheel(wheel_directory, "py3-none-any")
    wheel.add("spc.pth", f"{HERE}\n".encode())
    return wheel.finish("py3-none-any", True)


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: the Python code, which needs a compiler that is installed already."""
    name = f"spc-{version()}"
    with tempfile.TemporaryDirectory() as folder, \
            tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in [*sources(), *sorted((HERE / "backend").glob("*.py")), HERE / "pyproject.toml"]:
            archive.add(path, f"{name}/{path.relative_to(HERE).as_posix()}")
        info = pathlib.Path(folder) / "PKG-INFO"
        info.write_text(metadata(), encoding="utf-8")
        archive.add(info, f"{name}/PKG-INFO")
    return f"{name}.tar.gz"
