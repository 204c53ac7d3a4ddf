"""The package as users install it: wheels, source archives, editable, in virtual environments, without a network."""
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
import spc_wheel


def clean(tmp_path, **more):
    """The environment of a user who has set nothing."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPC", "PYTHON"))}
    return {**kept, "HOME": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "LC_ALL": "C",
            **more}


@pytest.fixture
def environment(tmp_path):
    venv.create(tmp_path / "venv", system_site_packages=True, with_pip=True)
    return tmp_path / "venv" / "bin" / "python"


def test_a_clean_environment(tmp_path, environment):
    """Install, and three lines."""
    user = clean(tmp_path, SPC_BUILD=os.environ["SPC_BUILD"])
    done = subprocess.run([environment, "-m", "pip", "install", "--no-deps", ROOT / "python"], env=user, cwd=tmp_path,
                          capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    said = subprocess.run([environment, "-c", SDDMM], env=clean(tmp_path), cwd=tmp_path, capture_output=True, text=True,
                          check=False, timeout=60)
    assert said.returncode == 0, said.stderr
    assert all(path.startswith(str(tmp_path / "venv")) for path in said.stdout.split()), said.stdout
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
    names = [spc_wheel.build_wheel(tmp_path) for _ in range(2)]
    assert re.fullmatch(r"spc-[\d.]+-py3-none-linux_\w+\.whl", names[0])
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
        assert b"Root-Is-Purelib: false" in wheel.read(next(name for name in files if name.endswith("WHEEL")))
        said = wheel.read(next(name for name in files if name.endswith("METADATA"))).decode()
        assert "Requires-Dist: numpy\n" in said and "Requires-Dist: torch; extra == 'torch'" in said
    monkeypatch.setenv("SPC_BUILD", str(tmp_path / "none"))
    assert spc_wheel.build_wheel(tmp_path).endswith("-py3-none-any.whl")


def test_source_archives(tmp_path, monkeypatch):
    name = spc_wheel.build_sdist(tmp_path)
    with tarfile.open(tmp_path / name) as archive:
        archive.extractall(tmp_path)
    tree = tmp_path / name[:-len(".tar.gz")]
    assert (tree / "PKG-INFO").is_file() and (tree / "spc" / "kernel.py").is_file()
    said = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tree / 'backend')!r}); import "
                           "spc_wheel; print(spc_wheel.build_wheel('.'))"], cwd=tmp_path, env=clean(tmp_path),
                          capture_output=True, text=True, check=True)
    assert said.stdout.strip() == f"spc-{spc_wheel.version()}-py3-none-any.whl"
