"""Which folders kernels are loaded from: never from those in whose place somebody else may put another."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import stat
import subprocess
import sys

import numpy as np
import pytest

import spc
from spc.compiler import cache, folders

SOMEBODY = 12345
LEVELS = ("one", "two", "three", "cache")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A cache three folders below one of this user's."""
    path = tmp_path.joinpath(*LEVELS)
    path.mkdir(parents=True)
    for folder in (path, *path.parents[:3]):
        folder.chmod(0o755)
    monkeypatch.setenv("SPC_CACHE_DIR", str(path))
    return path


def test_who_may_write_to_each_parent(place):
    """All permissions of all folders on the way."""
    assert cache.folder() == place
    for depth, folder in enumerate((place, *place.parents[:3])):
        for sticky in (0, stat.S_ISVTX, stat.S_ISGID, stat.S_ISGID | stat.S_ISVTX):
            for others in range(0o100):
                folder.chmod(0o700 | others | sticky)
                is_open = bool(others & 0o22)
                if is_open and (depth == 0 or not sticky & stat.S_ISVTX):
                    text = "others may write to it" if depth == 0 else f"lies in {folder}, to which others may write"
                    with pytest.raises(spc.CompilerError, match=text):
                        cache.folder()
                else:
                    assert cache.folder() == place
        folder.chmod(0o755)


@as_root
def test_whose_each_parent_is(place):
    for depth, folder in enumerate((place, *place.parents[:3])):
        for mode in (0o700, 0o755, 0o1777):
            folder.chmod(mode)
            os.chown(folder, SOMEBODY, -1)
            text = "belongs to somebody else" if depth == 0 else f"lies in {folder}, which belongs to somebody else"
            with pytest.raises(spc.CompilerError, match=text):
                cache.folder()
            os.chown(folder, 0, -1)
        folder.chmod(0o755)
    assert cache.folder() == place


@as_root
def test_users_below_folders_of_root(place, monkeypatch):
    """Root's folders are nobody else's, but those of other users are."""
    monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)
    with pytest.raises(spc.CompilerError, match="belongs to somebody else"):
        cache.folder()
    os.chown(place, SOMEBODY, -1)
    assert cache.folder() == place
    os.chown(place.parent, SOMEBODY, -1)
    assert cache.folder() == place
    os.chown(place.parent, SOMEBODY + 1, -1)
    with pytest.raises(spc.CompilerError, match="which belongs to somebody else"):
        cache.folder()


def test_links(place, tmp_path, monkeypatch):
    """The folders in which links lie count, as those do to which they lead."""
    links = tmp_path / "links"
    links.mkdir()
    (links / "first").symlink_to(pathlib.Path("..") / "links" / "second")
    (links / "second").symlink_to(place.parent)
    monkeypatch.setenv("SPC_CACHE_DIR", str(links / "first" / "cache"))
    assert cache.folder() == place
    for folder in (links, place.parent, place.parent.parent):
        folder.chmod(0o775)
        with pytest.raises(spc.CompilerError, match=f"lies in {folder}, to which others may write"):
            cache.folder()
        folder.chmod(0o755)
    monkeypatch.setenv("SPC_CACHE_DIR", str(links / "first" / ".." / "three" / "cache"))
    assert cache.folder() == place
    (links / "round").symlink_to("round")
    monkeypatch.setenv("SPC_CACHE_DIR", str(links / "round" / "cache"))
    assert cache.folder() == cache.process_folder(os.getpid())


@as_root
def test_links_of_others(place, tmp_path, monkeypatch):
    links = tmp_path / "links"
    links.mkdir()
    links.chmod(0o1777)
    (links / "link").symlink_to(place)
    monkeypatch.setenv("SPC_CACHE_DIR", str(links / "link"))
    assert cache.folder() == place
    os.chown(links / "link", SOMEBODY, -1, follow_symlinks=False)
    with pytest.raises(spc.CompilerError, match="is reached by .*link, a link of somebody else"):
        cache.folder()


def test_folders_that_are_made(tmp_path, monkeypatch):
    """A umask that grants groups to write makes none of them open."""
    monkeypatch.delenv("SPC_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    old = os.umask(0o002)
    try:
        made = cache.folder()
    finally:
        os.umask(old)
    assert made == tmp_path / "home" / ".cache" / "spc"
    for folder in (made, made.parent, made.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPC_CACHE_DIR", "near/cache")
    assert cache.folder() == tmp_path / "near" / "cache"


def test_folders_for_a_process(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    code = "import numpy, spc\nspc.kernel('y(i) = 2 * x(i)')(numpy.ones(3))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "SPC_CACHE_DIR": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "open")})
    assert "open, to which others may write" in done.stderr and "another TMPDIR helps" in done.stderr
    assert not list((tmp_path / "open").iterdir())


@pytest.mark.parametrize("change", [lambda path: path.chmod(0o775), lambda path: os.chown(path, SOMEBODY, -1)])
@pytest.mark.parametrize("pattern", ["*.so", "*.json"])
def test_files_of_others(place, pattern, change):
    """Which may have come there before the folder was closed."""
    if change.__code__.co_names[0] == "os" and os.geteuid() != 0:
        pytest.skip("only root gives files to others")
    text = "y(i) = 2 * x(i) + 41"
    spc.kernel(text)(np.ones(3))
    library, = place.glob("*.so")
    before = library.stat().st_mtime_ns, library.stat().st_ino
    assert not library.stat().st_mode & 0o077
    spc.kernel(text)(np.ones(3))
    path, = place.glob(pattern)
    assert library.stat().st_ino == before[1]
    change(path)
    assert spc.kernel(text)(np.ones(3)).tolist() == [43] * 3
    assert library.stat().st_ino != before[1] and folders.is_own_file(path)
