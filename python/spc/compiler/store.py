"""The folder of the cache: where it is, who may write there, and how much it holds."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import os
import pathlib
import re
import sys
from typing import Dict, Iterator, List, Tuple

from ..errors import CompilerError
from . import folders, toolchain
from .build_id import build_id
from .hashes import digest, hash_of

#: Begins the names of folders where kernels are compiled.
BUILD = ".build-"
#: Ends the names of files that hold what the compiler has answered.
ANSWER = ".answer"

_LIMIT = 256 << 20  # bytes, where SPC_CACHE_SIZE does not say it


def folder() -> pathlib.Path:
    """Where kernels are kept: SPC_CACHE_DIR, or spc/ in XDG_CACHE_HOME or ~/.cache. Made where it is missing; where that
    cannot be, one for this process alone.

    Raises CompilerError where others may write to it, or put another one in its place (folders.check), since what lies
    there is loaded.
    """
    own = os.environ.get("SPC_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = pathlib.Path(own) if own else pathlib.Path(base) / "spc"
    try:
        folders.make(path)
        if os.access(path, os.W_OK | os.X_OK):
            return folders.check(path, "another SPC_CACHE_DIR helps")
    except OSError:
        pass
    return process_folder(os.getpid())


@functools.lru_cache(maxsize=None)
def process_folder(process: int) -> pathlib.Path:
    """A folder for one process alone, which is gone when it ends. Raises CompilerError where others may write to it."""
    import shutil  # loaded when it ends, it might be too late
    import tempfile
    path = tempfile.mkdtemp(prefix="spc-")
    try:
        folders.check(pathlib.Path(path), "another TMPDIR helps")
    except CompilerError:
        os.rmdir(path)
        raise

    def remove() -> None:
        if os.getpid() == process:
            shutil.rmtree(path, ignore_errors=True)

    atexit.register(remove)
    if "multiprocessing.util" in sys.modules:  # whose processes end without what atexit knows
        sys.modules["multiprocessing.util"].Finalize(None, remove, exitpriority=0)
    return pathlib.Path(path)


def limit() -> int:
    """How many bytes of kernels are kept, the latest used: SPC_CACHE_SIZE, such as 100000 or 64M, else 256 MiB. Raises
    CompilerError where it is no such number."""
    if not (said := os.environ.get("SPC_CACHE_SIZE", "").strip()):
        return _LIMIT
    if not (match := re.fullmatch(r"(\d+)([KMG]?)", said, re.IGNORECASE | re.ASCII)):
        raise CompilerError(f"SPC_CACHE_SIZE is {said!r}, and no number of bytes, such as 100000 or 64M")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2].upper()]


@contextlib.contextmanager
def locked(path: pathlib.Path) -> Iterator[None]:
    """Holds a lock against other processes, and other threads of this one."""
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Closing it does not suffice where a process was forked meanwhile, which has it open, too.
            fcntl.flock(file, fcntl.LOCK_UN)


@contextlib.contextmanager
def held(folder: pathlib.Path) -> Iterator[bool]:
    """Holds a folder, as long as this process lives at most; False where another one does."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


#: Marks or hashes of compilers' files, by what tells whether a file was changed.
_hashes: Dict[str, str] = {}


def compiler_hash() -> str:
    """What tells the compiler from others: its linker's mark, else the hash of its file. It is read again only where the file's
    path, size, times or place on the disk are others than those that this process knows, or a note in the cache, where the
    file is read whole. Raises CompilerError where it cannot be read."""
    path = toolchain.compiler()
    try:
        state = path.stat()
        key = f"{path} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino}"
        if key not in _hashes:
            _hashes[key] = build_id(path) or _noted_hash(path, key)
        return _hashes[key]
    except OSError as error:
        raise CompilerError(f"{path} cannot be read: {error.strerror}") from error


def _noted_hash(path: pathlib.Path, key: str) -> str:
    """The hash of a file that a note in the cache has for a key; else the file is read, and the note written."""
    note = folder() / f"compiler-{hash_of(str(path))[:16]}"
    try:
        if folders.is_own_file(note):
            known, _, found = note.read_text(encoding="utf-8").rpartition("\n")
            if known == key and len(found) == 64:
                return found
    except (OSError, UnicodeDecodeError):
        pass
    found = digest(path)
    with contextlib.suppress(OSError):
        write(note, f"{key}\n{found}".encode())
    return found


def write(path: pathlib.Path, content: bytes) -> None:
    """Writes a file as a whole, or not at all."""
    import tempfile
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


#: By folder, the bytes that this process has added since it has last read the folder.
_added: Dict[pathlib.Path, int] = {}


def make_room(cache: pathlib.Path, newest: pathlib.Path) -> None:
    """Removes files of the cache where they are more than its limit, but not `newest`, which was added just now. Thousands of
    files are read for that: when a process adds its first one, and whenever what it has added is a 64th of the limit. Raises
    OSError."""
    try:
        added = _added.get(cache, limit()) + newest.stat().st_size
    except FileNotFoundError:  # another process has made room of it already
        return
    if added * 64 > limit():
        _remove_oldest(cache, newest)
    else:
        _added[cache] = added


def _remove_oldest(cache: pathlib.Path, newest: pathlib.Path) -> None:
    """Removes the files that were used least lately, until the rest is within the limit. What another process has loaded
    stays in its memory; what it is about to load, it finds missing and makes anew."""
    files: List[Tuple[int, int, str]] = []
    # One reading of the folder, and no object for each path: there are thousands.
    with contextlib.suppress(FileNotFoundError, PermissionError), os.scandir(cache) as entries:
        for entry in entries:
            if entry.name.startswith(BUILD):
                _remove_leftover(pathlib.Path(entry.path))
            elif entry.name.endswith((".so", ANSWER)):
                with contextlib.suppress(FileNotFoundError):
                    state = entry.stat()
                    files.append((state.st_mtime_ns, state.st_size, entry.path))
    total, most = sum(size for _, size, _ in files), limit()
    for _, size, path in sorted(files) if total > most else ():
        if total > most and path != str(newest):
            _forget(cache, pathlib.Path(path))
        total -= size
    _added[cache] = 0


def _forget(cache: pathlib.Path, path: pathlib.Path) -> None:
    """Removes a kernel, or an answer."""
    if path.suffix == ANSWER:
        _remove(path)
        return
    with locked(cache / f"lock-{path.name[:2]}"):
        _remove(path.with_suffix(".so"))
        _remove(path.with_suffix(".json"))


def clear() -> None:
    """Empties the cache. Kernels that are loaded stay so."""
    cache = folder()
    _remove_leftovers(cache)
    for path in cache.iterdir():
        if path.suffix in (".so", ".json", ANSWER):
            _forget(cache, path)
        elif path.name.startswith("compiler-"):
            _remove(path)


def _remove(path: pathlib.Path) -> None:
    if path.is_dir() and not path.is_symlink():
        import shutil
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _remove_leftovers(cache: pathlib.Path) -> None:
    """Removes what processes were compiling that were ended meanwhile."""
    for path in cache.glob(f"{BUILD}*"):
        _remove_leftover(path)


def _remove_leftover(path: pathlib.Path) -> None:
    """Removes the folder of a process that compiles, where that was ended meanwhile."""
    with contextlib.suppress(OSError), held(path) as is_left:
        if is_left:
            _remove(path)
