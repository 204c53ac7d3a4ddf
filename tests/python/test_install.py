"""The package as users install it: wheels, source archives, editable, in virtual environments, without a network. What takes
one is in wheel.py."""
# SPDX-License-Identifier: Apache-2.0

import csv
import hashlib
import base64
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import venv
import zipfile

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SDDMM = """
import numpy as np, scipy.sparse as sp
s, a, b = sp.random(50, 40, 0.1, "csr"), np.random.rand(50, 8), np.random.rand(40, 8)
import spc
sddmm = spc.kernel("D(i,j) = S(i,j) * A(i,l) * B(j,l)", S="csr")
d = sddmm(S=s, A=a, B=b)
assert abs(d.toarray() - s.toarray() * (a @ b.T)).max() < 1e-12 and type(d) is type(s)
from spc.compiler import toolchain
print(spc.__file__, toolchain.compiler(), toolchain.helper_library())
"""

sys.path.insert(0, str(ROOT / "python" / "backend"))
import spc_elf
import spc_wheel


def clean(tmp_path, **more):
    """The environment of a user who has set nothing."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPC", "PYTHON"))}
    return {**kept, "HOME": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "LC_ALL": "C",
            **more}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The interpreter of an environment that sees NumPy and SciPy of the one that runs this, which may be an environment, too."""
    place = tmp_path_factory.mktemp("venv")
    venv.create(place, system_site_packages=True, with_pip=True)
    python = place / "bin" / "python"
    own = subprocess.check_output([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True).strip()
    pathlib.Path(own, "libraries.pth").write_text(f"{pathlib.Path(np.__file__).parent.parent}\n", encoding="utf-8")
    return python


def test_a_clean_environment(tmp_path, environment):
    """Install, and three lines."""
    user = clean(tmp_path, SPC_BUILD=os.environ["SPC_BUILD"])
    done = subprocess.run([environment, "-m", "pip", "install", "--no-deps", ROOT / "python"], env=user, cwd=tmp_path,
                          capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    said = subprocess.run([environment, "-c", SDDMM], env=clean(tmp_path), cwd=tmp_path, capture_output=True, text=True,
                          check=False, timeout=60)
    assert said.returncode == 0, said.stderr
    assert all(path.startswith(str(environment.parent.parent)) for path in said.stdout.split()), said.stdout
    assert not [path for path in (ROOT / "python").rglob("*.egg-info")] and not (ROOT / "python" / "build").exists()


def test_editable_installations(tmp_path, environment):
    user = clean(tmp_path)
    subprocess.run([environment, "-m", "pip", "install", "-q", "--no-deps", "-e", ROOT / "python"], env=user, cwd=tmp_path,
                   check=True, timeout=200)
    said = subprocess.run([environment, "-c", SDDMM], cwd=tmp_path, capture_output=True, text=True, check=False,
                          timeout=60, env={**user, "SPC_COMPILER": os.environ["SPC_COMPILER"]})
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith(str(ROOT / "python" / "spc"))


def test_what_a_wheel_holds(tmp_path, monkeypatch):
    """With binaries in the place of the compiler's, which takes long to pack."""
    for name in ("bin/spc", "lib/libspc_contexts.so"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(pathlib.Path("/bin/true").read_bytes())
    monkeypatch.setenv("SPC_BUILD", str(tmp_path))
    names = [spc_wheel.build_wheel(tmp_path, {"compression": level}) for level in "90"]
    assert re.fullmatch(r"spc-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl", names[0]) and names[0] == names[1]
    with zipfile.ZipFile(tmp_path / names[0]) as wheel:
        listed = list(csv.reader(io.StringIO(wheel.read(next(n for n in wheel.namelist() if n.endswith("RECORD"))).decode())))
        assert sorted(row[0] for row in listed) == sorted(wheel.namelist())
        for name, digest, size in listed[:-1]:
            content = wheel.read(name)
            assert int(size) == len(content)
            made = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert digest == f"sha256={made}"
        files = {info.filename: info.external_attr >> 16 & 0o777 for info in wheel.infolist()}
        assert files["spc/bin/spc"] == 0o755 and "spc/py.typed" in files and "spc/sources/torch.py" in files
        assert "libstdc++" in wheel.read(next(name for name in files if name.endswith("licenses/copyright"))).decode()
        assert b"Root-Is-Purelib: false" in wheel.read(next(name for name in files if name.endswith("WHEEL")))
        said = wheel.read(next(name for name in files if name.endswith("METADATA"))).decode()
        assert "Requires-Dist: numpy\n" in said and "Requires-Dist: torch; extra == 'torch'" in said
    with pytest.raises(ValueError, match="level of deflate, 0 to 9, not high"):
        spc_wheel.build_wheel(tmp_path, {"compression": "high"})
    monkeypatch.setenv("SPC_BUILD", str(tmp_path / "none"))
    assert spc_wheel.build_wheel(tmp_path).endswith("-py3-none-any.whl")


def test_what_a_wheel_needs():
    """The compiler's own needs are those that another reader finds, and fit systems older than this one."""
    program = os.environ["SPC_COMPILER"]
    found = spc_elf.needs(pathlib.Path(program).read_bytes())
    said = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", program], capture_output=True, text=True,
                          check=True, env=clean(pathlib.Path("/"))).stdout
    assert found.libraries == re.findall(r"\(NEEDED\).*\[(.*)\]", said)
    assert sorted(found.versions) == sorted(re.findall(r"  Name: (\S+)  Flags: ", said))
    assert found.machine == os.uname().machine
    assert re.fullmatch(r"manylinux_2_(2\d|3[0-4])_\w+", spc_elf.manylinux([found])), found


def test_systems_for_wheels():
    c_library = spc_elf.Needs("x86_64", ["libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"], ["GLIBC_2.4", "GLIBC_2.28"])
    newer = c_library._replace(versions=["GLIBC_2.9", "GLIBC_2.31", "GCC_4.2.0"])
    assert spc_elf.manylinux([c_library]) == "manylinux_2_28_x86_64"
    assert spc_elf.manylinux([c_library, newer]) == "manylinux_2_31_x86_64"
    for library in ("libstdc++.so.6", "libLLVM.so.22.1", "libzstd.so.1", "libc.musl-x86_64.so.1"):
        assert not spc_elf.manylinux([c_library, newer._replace(libraries=[library])])
    with pytest.raises(ValueError, match="not a program"):
        spc_elf.needs(b"#!/bin/sh\nexit 0\n")


def test_wheels_for_another_processor(tmp_path, monkeypatch):
    """The name is by the programs that the build folder holds, not by the machine that makes the wheel."""
    def link(output, *words):
        subprocess.run(["clang-22", "--target=aarch64-linux-gnu", "-nostdlib", "-shared", "-fuse-ld=lld-22", *words, "-o", output],
                       cwd=tmp_path, check=True)
    for name, text in (("bin/spc", ""), ("lib/libspc_contexts.so", ""), ("libc.map", "GLIBC_2.17 { }; GLIBC_2.36 { puts; };\n"),
                       ("libc.c", "int puts(const char *text) { return *text; }\n"),
                       ("spc.c", "int puts(const char *); int say(void) { return puts(\"\"); }\n")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    link("libc.so.6", "libc.c", "-Wl,--version-script=libc.map", "-Wl,-soname,libc.so.6")
    for program in ("bin/spc", "lib/libspc_contexts.so"):
        link(program, "spc.c", "libc.so.6")
    monkeypatch.setenv("SPC_BUILD", str(tmp_path))
    assert spc_wheel.build_wheel(tmp_path) == f"spc-{spc_wheel.version()}-py3-none-manylinux_2_36_aarch64.whl"
    assert spc_elf.needs(spc_wheel.stripped(tmp_path / "bin" / "spc")) == spc_elf.Needs("aarch64", ["libc.so.6"], ["GLIBC_2.36"])


def test_source_archives(tmp_path, monkeypatch):
    name = spc_wheel.build_sdist(tmp_path)
    with tarfile.open(tmp_path / name) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # older Pythons have none
        archive.extractall(tmp_path)
    tree = tmp_path / name[:-len(".tar.gz")]
    assert (tree / "PKG-INFO").is_file() and (tree / "spc" / "kernel.py").is_file()
    said = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tree / 'backend')!r}); import "
                           "spc_wheel; print(spc_wheel.build_wheel('.'))"], cwd=tmp_path, env=clean(tmp_path),
                          capture_output=True, text=True, check=True)
    assert said.stdout.strip() == f"spc-{spc_wheel.version()}-py3-none-any.whl"
