"""Compiled kernels on disk: one shared library for each kernel, with its formats, types, processor and compiler."""
# SPDX-License-Identifier: Apache-2.0

import atexit
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import warnings
from typing import Any, Dict, Iterator, List, Mapping, Tuple

from . import folders, toolchain
from .compiled import Functions, functions
from .errors import CompilerError, SpcWarning
from .formats import Format, embedded
from .signature import ABI_VERSION, Signature, parse

_LIMIT = 256 << 20  # bytes, where SPC_CACHE_SIZE does not say it
_BUILD = ".build-"   # begins the names of folders where kernels are compiled
_STAMP = 2          # of the layout of the cache


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
    return _process_folder(os.getpid())


@functools.lru_cache(maxsize=None)
def _process_folder(process: int) -> pathlib.Path:
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
def _locked(path: pathlib.Path) -> Iterator[None]:
    """Holds a lock against other processes, and other threads of this one."""
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Closing it does not suffice where a process was forked meanwhile, which has it open, too.
            fcntl.flock(file, fcntl.LOCK_UN)


@contextlib.contextmanager
def _held(folder: str) -> Iterator[bool]:
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


def _digest(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _compiler_hash(cache: pathlib.Path) -> str:
    """The hash of the compiler's file, which is read again only where its time or size is another one."""
    path = toolchain.compiler()
    state = path.stat()
    key = f"{path} {state.st_size} {state.st_mtime_ns} {state.st_ino}"
    note = cache / f"compiler-{_hash(str(path))[:16]}"
    try:
        known, _, digest = note.read_text(encoding="utf-8").rpartition("\n")
        if known == key and len(digest) == 64:
            return digest
    except (OSError, UnicodeDecodeError):
        pass
    digest = _digest(path)
    _write(note, f"{key}\n{digest}".encode())
    return digest


def _write(path: pathlib.Path, content: bytes) -> None:
    """Writes a file as a whole, or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


class Request:
    """What is to be compiled.

    text: the kernel. name: its function's. formats: by tensor, the name of a format or the contents of a format file;
    "" is for all that the text declares sparse. types, indices: by tensor, or "" for the default. options: more of the
    compiler's. files: by name, the text of those that formats refer to. Formats that other files say are read here.
    """

    def __init__(self, text: str, name: str, formats: Mapping[str, Format], types: Mapping[str, str],
                 indices: Mapping[str, str], options: Tuple[str, ...] = (), files: Mapping[str, str] = {}):
        self.text, self.name, self.options = text, name, tuple(options)
        self.files, self.types, self.indices = dict(files), dict(types), dict(indices)
        self.formats = {tensor: embedded(form, self.files) for tensor, form in formats.items()}

    def changed(self, **changes: Any) -> "Request":
        """The same with other formats, types or indices."""
        mine: Dict[str, Any] = {"formats": self.formats, "types": self.types, "indices": self.indices}
        return Request(self.text, self.name, options=self.options, files=self.files, **{**mine, **changes})

    def key(self, *more: str) -> str:
        """All that the request's outcome depends on, as text; more: what lies outside of it. The names of files stand for
        what they hold."""
        forms = sorted((tensor, form if isinstance(form, str) else json.dumps(form, sort_keys=True))
                       for tensor, form in self.formats.items())
        return json.dumps([_STAMP, ABI_VERSION, self.text, self.name, self.options, sorted(self.types.items()),
                           sorted(self.indices.items()), forms, sorted(self.files), *more])

    def write(self, place: pathlib.Path) -> List[str]:
        """Writes the kernel and its format files into a folder; returns the command line for them, from there."""
        (place / "kernel.tex").write_text(self.text, encoding="utf-8")
        arguments = ["kernel.tex", "--name", self.name, "--color", "never"]
        for name, contents in self.files.items():
            (place / name).write_text(contents, encoding="utf-8")
        for number, (tensor, form) in enumerate(sorted(self.formats.items())):
            if not isinstance(form, str):
                file = place / f"format{number}.json"
                named = form if "tensors" in form else {"name": f"format{number}", **form}
                file.write_text(json.dumps(named), encoding="utf-8")
                form = file.name
            arguments += ["--format", f"{tensor}={form}" if tensor else form]
        for option, choices in (("--type", self.types), ("--index", self.indices)):
            for tensor, choice in sorted(choices.items()):
                arguments += [option, f"{tensor}={choice}" if tensor else choice]
        return arguments + list(self.options)


@functools.lru_cache(maxsize=256)
def _signature(key: str, request: Request) -> Signature:
    with tempfile.TemporaryDirectory(prefix="spc-") as name:
        place = pathlib.Path(name)
        text = toolchain.run(["compile", *request.write(place), "--emit=signature", "-q"], place).stdout
    try:
        return parse(text)
    except ValueError:
        raise CompilerError(f"{toolchain.compiler()} is no compiler of this package: it prints {text[:80]!r}, and no "
                            "signature") from None


def signature_of(request: Request) -> Signature:
    """The signature that a kernel would have. Raises CompileError as compiling it would."""
    return _signature(request.key(), request)


def _build(request: Request, place: pathlib.Path) -> Tuple[pathlib.Path, str]:
    """Compiles and links in a folder. Returns the library, and the compiler's warnings."""
    processor = [] if any(option.startswith(("--mcpu", "-mcpu")) for option in request.options) else ["--mcpu=native"]
    done = toolchain.run(["compile", *request.write(place), *processor, "-q", "-o", "kernel.o"], place)
    toolchain.run(["library", "kernel.o", "-o", "library.so"], place)
    return place / "library.so", done.stderr.strip()


def load(request: Request, is_quiet: bool = False) -> Functions:
    """The functions of a kernel: from the cache, where it holds the library for this very key, else compiled into it.

    One process compiles a kernel while others that want it wait. Where the cache cannot be used, as its disk is full or has
    no programs, it is compiled for this process alone. Warnings of spc become Python's unless is_quiet, whether it is
    compiled now or was before. Raises CompileError where the request is wrong, CompilerError where nothing helps.
    """
    cache = folder()
    try:
        loaded, said = _load_from(cache, request)
    except (OSError, CompilerError) as error:
        own = _process_folder(os.getpid())
        try:
            if cache == own:
                raise
            loaded, said = _load_from(own, request)
        except OSError:
            raise CompilerError(f"the kernel cannot be loaded: {error}") from error
    if said and not is_quiet:
        warnings.warn(said, SpcWarning, stacklevel=_callers_level())
    return loaded


def _callers_level() -> int:
    """How far up the stack of who asks for it a kernel is called: beyond this package, and PyTorch, which calls operators."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in (__package__, "torch"):
        level, frame = level + 1, frame.f_back
    return level


def _load_from(cache: pathlib.Path, request: Request) -> Tuple[Functions, str]:
    """The functions of a kernel, and warnings of it. Raises OSError, or CompilerError, where the folder cannot be used."""
    key = request.key(toolchain.processor(), _compiler_hash(cache))
    stem = _hash(key)
    path, note = cache / f"{stem}.so", cache / f"{stem}.json"
    with _locked(cache / f"lock-{stem[:2]}"):
        if not _is_kept(path, note, key):
            with tempfile.TemporaryDirectory(dir=cache, prefix=_BUILD) as name, _held(name):
                built, said = _build(request, pathlib.Path(name))
                built.chmod(0o700)
                digest = _digest(built)
                os.replace(built, path)
                _write(note, json.dumps({"key": key, "sha256": digest, "warnings": said}).encode())
        os.utime(path)
        said = json.loads(note.read_text(encoding="utf-8"))["warnings"]
        loaded = next(iter(functions(path).values()))
    _make_room(cache, path)
    return loaded, said


def _is_kept(path: pathlib.Path, note: pathlib.Path, key: str) -> bool:
    """Whether the library is there, was made for the key, and is what was written, and nobody else has."""
    try:
        if not (folders.is_own_file(path) and folders.is_own_file(note)):
            return False
        known: Dict[str, str] = json.loads(note.read_text(encoding="utf-8"))
        return known["key"] == key and known["sha256"] == _digest(path) and isinstance(known["warnings"], str)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _make_room(cache: pathlib.Path, newest: pathlib.Path) -> None:
    """Removes the libraries that were used least lately, until the rest is within the limit. What another process has
    loaded stays in its memory; what it is about to load, it finds missing and makes anew."""
    _remove_leftovers(cache)
    files = []
    for path in cache.glob("*.so"):
        with contextlib.suppress(FileNotFoundError):
            state = path.stat()
            files.append((state.st_mtime_ns, state.st_size, path))
    total = 0
    for _, size, path in sorted(files, reverse=True):
        total += size
        if total > limit() and path != newest:
            with _locked(cache / f"lock-{path.name[:2]}"):
                _remove(path)
                _remove(path.with_suffix(".json"))


def clear() -> None:
    """Empties the cache. Kernels that are loaded stay so."""
    cache = folder()
    _remove_leftovers(cache)
    for path in cache.iterdir():
        if path.suffix in (".so", ".json"):
            with _locked(cache / f"lock-{path.name[:2]}"):
                _remove(path)
        elif path.name.startswith("compiler-"):
            _remove(path)


def _remove(path: pathlib.Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _remove_leftovers(cache: pathlib.Path) -> None:
    """Removes what processes were compiling that were ended meanwhile."""
    for path in cache.glob(f"{_BUILD}*"):
        with contextlib.suppress(OSError), _held(str(path)) as is_left:
            if is_left:
                _remove(path)


__all__ = ["CompilerError", "Format", "Request", "clear", "folder", "limit", "load", "signature_of"]
