"""The cache of compiled kernels: what is loaded from it, and what never is."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from support import Place, matrix

import spc
from spc.compiler import cache, toolchain

SPMV = "y(i) = A(i,j) * x(j)"


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_kernels_are_compiled_once(place):
    processes = [place.start(SLEEP="0.5") for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert place.compiled == 1
    assert len(place.files("*.so")) == 1 and not place.files(".*")
    assert place.folder.stat().st_mode & 0o777 == 0o700


def truncate(library, note):
    library.write_bytes(library.read_bytes()[:1000])


def flip(library, note):
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 1
    library.write_bytes(content)


def exchange(library, note):
    shutil.copy(toolchain.helper_library(), library)


def empty(library, note):
    library.write_bytes(b"")


def remove(library, note):
    library.unlink()


def spoil_note(library, note):
    note.write_text("{")


def other_key(library, note):
    note.write_text(json.dumps({**json.loads(note.read_text()), "key": "another"}))


def list_note(library, note):
    note.write_text("[]")


@pytest.mark.parametrize("damage", [truncate, flip, exchange, empty, remove, spoil_note, other_key, list_note])
def test_what_is_damaged_is_not_loaded(place, damage):
    place.call()
    damage(*place.files("*.so"), *place.files("*.json"))
    place.call()
    assert place.compiled == 2


def test_what_kernels_are_told_apart_by(place):
    count = 0
    for arguments in ({}, {"kind": "csc"}, {"dtype": "f4"}, {"text": "y(i) = A(i,j) * x(j) * 1"}, {"options": ["-O1"]}):
        place.call(**arguments)
        count += 1
        assert place.compiled == count, arguments
    place.write_compiler("# another one\n")
    place.call()
    assert place.compiled == count + 1


def test_the_processor_is_part_of_the_key(monkeypatch):
    request = cache.Request(SPMV, "k", {}, {}, {})
    before = request.key(toolchain.processor(), "hash")
    monkeypatch.setattr(toolchain, "processor", lambda: "another one")
    assert request.key(toolchain.processor(), "hash") != before


def test_limit(place):
    for kind in ("csr", "csc", "coo"):
        place.call(kind=kind, SPC_CACHE_SIZE="1")
        assert len(place.files("*.so")) == len(place.files("*.json")) == 1
    for kind in ("csr", "csc"):
        place.call(kind=kind, SPC_CACHE_SIZE="")
    assert len(place.files("*.so")) == 3


def test_folders_that_others_may_write(tmp_path, monkeypatch):
    monkeypatch.setenv("SPC_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o777)
    with pytest.raises(spc.CompilerError, match="others may write to it"):
        spc.kernel("y(i) = A(i,j) * x(j) * 5")(matrix(3, 3), np.ones(3))
    tmp_path.chmod(0o755)
    spc.kernel("y(i) = A(i,j) * x(j) * 5")(matrix(3, 3), np.ones(3))
    assert list(tmp_path.glob("*.so"))
    spc.clear_cache()
    assert not list(tmp_path.glob("*.so")) and not list(tmp_path.glob("compiler-*"))


def test_folders_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPC_CACHE_DIR", str(tmp_path / "file" / "cache"))
    spc.kernel("y(i) = A(i,j) * x(j) * 6")(matrix(3, 3), np.ones(3))
    assert pathlib.Path(cache.folder()).is_dir() and cache.folder() != tmp_path / "file" / "cache"


def test_where_the_cache_is(tmp_path, monkeypatch):
    monkeypatch.delenv("SPC_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "spc"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.folder() == tmp_path / "home" / ".cache" / "spc"


def test_errors_leave_nothing_behind(place):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(place.folder))
        with pytest.raises(spc.CompileError):
            spc.kernel("y(i) = ")
        with pytest.raises(spc.CompileError, match="unknown processor 'none'"):
            spc.kernel("y(i) = A(i,j) * x(j)", options=["--mcpu=none"])(matrix(3, 3), np.ones(3))
    assert not place.files("*.so") and not place.files(".build*")


@pytest.mark.parametrize("pattern", ["*.so", "*.json", "lock-*", "compiler-*"])
def test_folders_in_the_place_of_files(place, pattern):
    """Kernels are compiled for the process alone."""
    place.call()
    for path in place.files(pattern):
        path.unlink()
        path.mkdir()
    place.call()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(place.folder))
        if pattern != "lock-*":
            spc.clear_cache()
            assert not place.files(pattern)


def test_disks_that_are_full(place):
    """Of which the compiler says that it cannot write."""
    place.write_compiler(f'case "$PWD" in {place.folder}*) echo "kernel.o: error: cannot write the file: No space left on '
                         'device [cannot-write]" >&2; exit 1;; esac\n')
    place.call()
    assert place.compiled == 1 and not place.files("*.so")


def test_libraries_that_cannot_be_loaded(place, monkeypatch):
    monkeypatch.setenv("SPC_CACHE_DIR", str(place.folder))
    refused = []

    def functions(path):
        refused.append(path.parent)
        raise OSError("failed to map segment from shared object")

    monkeypatch.setattr(cache, "functions", functions)
    with pytest.raises(spc.CompilerError, match="the kernel cannot be loaded: failed to map segment"):
        spc.kernel("y(i) = A(i,j) * x(j) * 8")(matrix(3, 3), np.ones(3))
    assert len(set(refused)) == 2


def test_no_folder_for_temporary_files(place):
    place.call(TMPDIR="/nowhere")


def test_compilations_that_were_ended(place):
    process = place.start(SLEEP="60")
    while not place.files(".build-*"):
        time.sleep(0.02)
    time.sleep(0.3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(place.folder))
        spc.clear_cache()
        assert place.files(".build-*")
        process.kill()
        process.wait()
        for _ in range(100):
            spc.clear_cache()
            if not place.files(".build-*"):
                break
            time.sleep(0.1)
        assert not place.files(".build-*")


def test_sizes_of_the_cache(monkeypatch):
    for said, size in (("", 256 << 20), ("1000", 1000), ("64M", 64 << 20), ("1g", 1 << 30), (" 2K ", 2048)):
        monkeypatch.setenv("SPC_CACHE_SIZE", said)
        assert cache.limit() == size
    for said in ("1.5G", "many", "-1"):
        monkeypatch.setenv("SPC_CACHE_SIZE", said)
        with pytest.raises(spc.CompilerError, match="and no number of bytes"):
            cache.limit()


def test_folders_that_others_may_put_another_in_place_of(tmp_path, monkeypatch):
    monkeypatch.setenv("SPC_CACHE_DIR", str(tmp_path / "open" / "cache"))
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(spc.CompilerError, match="lies in .*open, to which others may write"):
        cache.folder()
    (tmp_path / "open").chmod(0o1777)
    assert cache.folder() == tmp_path / "open" / "cache"


def test_processes_of_pools_leave_no_folders(tmp_path):
    (tmp_path / "file").write_text("")
    code = ("import multiprocessing, numpy, spc\ndef work(k):\n    return spc.kernel('y(i) = 2 * x(i)')(numpy.ones(3)).sum()\n"
            "if __name__ == '__main__':\n    with multiprocessing.get_context('fork').Pool(1) as pool:\n"
            "        assert pool.map(work, [1]) == [6]\n        pool.close()\n        pool.join()")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60,
                   env={**os.environ, "SPC_CACHE_DIR": str(tmp_path / "file"), "TMPDIR": str(tmp_path)})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
