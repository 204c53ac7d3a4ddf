"""Folders from which code is loaded: nobody else may write to them, or put others in their place."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
from typing import Iterator, Optional, Tuple

from ..errors import CompilerError

_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40  # as many as the system follows


def make(path: pathlib.Path) -> None:
    """Makes a folder that is missing, and those that it lies in, for this user alone, whatever the umask grants to groups.
    Raises OSError."""
    path = pathlib.Path.cwd() / path
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def temporary(place: Optional[pathlib.Path] = None, prefix: str = "spc-") -> Iterator[pathlib.Path]:
    """A folder, in another one or where temporary files are, that is gone in the end. Raises OSError."""
    import tempfile  # which takes long beside the rest of `import spc`
    with tempfile.TemporaryDirectory(dir=place, prefix=prefix) as name:
        yield pathlib.Path(name)


def check(path: pathlib.Path, advice: str) -> pathlib.Path:
    """The folder itself, behind all links. Raises CompilerError where the folder is another user's, or others may write to
    it, or may put another one in its place: by a folder or a link on the way to it that is another user's or that they may
    write to. Root's are nobody else's, and so are folders such as /tmp, where each may remove only what is his own. OSError
    where it is not there."""
    for folder, entry in _steps(path):
        _check_parent(path, folder, advice)
        if entry.is_symlink() and _is_foreign(entry.lstat()):
            raise CompilerError(f"{path} is reached by {entry}, a link of somebody else: kernels are not loaded from there; "
                                f"{advice}")
    found = path.resolve()
    state = found.stat()
    if state.st_uid != os.geteuid() or state.st_mode & _OTHERS:
        raise CompilerError(f"{path} belongs to somebody else, or others may write to it: kernels are not loaded from there; "
                            f"'chmod go-w' or {advice}")
    return found


def _steps(path: pathlib.Path) -> Iterator[Tuple[pathlib.Path, pathlib.Path]]:
    """The folders that are passed on the way, and what is looked for in each; the last one is no link."""
    place = pathlib.Path("/")
    rest = list(reversed((pathlib.Path.cwd() / path).parts[1:]))
    links = 0
    while rest:
        name = rest.pop()
        if name == "..":
            place = place.parent
            continue
        entry = place / name
        yield place, entry
        if not entry.is_symlink():
            place = entry
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(f"too many links on the way to {path}")
        target = pathlib.Path(os.readlink(entry))
        place = pathlib.Path("/") if target.is_absolute() else place
        rest += reversed([part for part in target.parts if part != "/"])


def _check_parent(path: pathlib.Path, folder: pathlib.Path, advice: str) -> None:
    state = folder.stat()
    if state.st_mode & _OTHERS and not state.st_mode & stat.S_ISVTX:
        raise CompilerError(f"{path} lies in {folder}, to which others may write: kernels are not loaded from there; "
                            f"'chmod go-w' or {advice}")
    if _is_foreign(state) and folder != pathlib.Path("/"):  # whose owner has all programs
        raise CompilerError(f"{path} lies in {folder}, which belongs to somebody else: kernels are not loaded from there; "
                            f"{advice}")


def _is_foreign(state: os.stat_result) -> bool:
    return state.st_uid not in (0, os.geteuid())


def is_own_file(path: pathlib.Path) -> bool:
    """Whether a file is this user's, and nobody else may write to it. Raises OSError where it is not there."""
    state = path.lstat()
    return stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & _OTHERS


__all__ = ["check", "is_own_file", "make"]
