"""Compiled kernels on disk: one shared library for each kernel, with its formats, types, processor and compiler."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import warnings
from typing import Dict, Mapping, Tuple, Union

from . import toolchain
from .errors import CompilerError, SpcWarning

_LIMIT = 256 << 20  # bytes, where SPC_CACHE_SIZE does not say it
_STAMP = 1          # of the layout of the cache

Format = Union[str, Mapping]


def folder() -> pathlib.Path:
    """Where kernels are kept: SPC_CACHE_DIR, or spc/ in XDG_CACHE_HOME or ~/.cache. Made where it is missing."""
    own = os.environ.get("SPC_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = pathlib.Path(own) if own else pathlib.Path(base) / "spc"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def limit() -> int:
    """How many bytes of kernels are kept, the latest used: SPC_CACHE_SIZE, else 256 MiB."""
    try:
        return int(os.environ["SPC_CACHE_SIZE"])
    except (KeyError, ValueError):
        return _LIMIT


@contextlib.contextmanager
def _locked(path: pathlib.Path):
    """Holds the cache's lock against other processes."""
    with open(path / "lock", "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _compiler_hash(cache: pathlib.Path) -> str:
    """The hash of the compiler's file, which is read again only where its time or size is another one."""
    path = toolchain.compiler()
    state = path.stat()
    key = f"{path} {state.st_size} {state.st_mtime_ns}"
    note = cache / ("compiler-" + hashlib.sha256(str(path).encode()).hexdigest()[:16])
    try:
        known, _, digest = note.read_text(encoding="utf-8").rpartition("\n")
        if known == key and len(digest) == 64:
            return digest
    except OSError:
        pass
    digest = _digest(path)
    _write(note, f"{key}\n{digest}".encode())
    return digest


def _write(path: pathlib.Path, content: bytes):
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
    "" is for all that the text declares sparse. types, indices: by tensor, or "" for the default.
    """

    def __init__(self, text: str, name: str, formats: Mapping[str, Format], types: Mapping[str, str],
                 indices: Mapping[str, str], options: Tuple[str, ...] = ()):
        self.text, self.name, self.options = text, name, tuple(options)
        self.formats, self.types, self.indices = dict(formats), dict(types), dict(indices)

    def key(self, compiler_hash: str) -> str:
        """All that the library depends on, as text."""
        return json.dumps([_STAMP, self.text, self.name, sorted(self.options), sorted(self.types.items()),
                           sorted(self.indices.items()),
                           sorted((k, v if isinstance(v, str) else dict(v)) for k, v in self.formats.items()),
                           toolchain.processor(), compiler_hash], sort_keys=True)

    def write(self, place: pathlib.Path) -> list:
        """Writes the kernel and its format files into a folder; returns the command line for them, from there."""
        (place / "kernel.tex").write_text(self.text, encoding="utf-8")
        arguments = ["kernel.tex", "--name", self.name, "--color", "never"]
        for number, (tensor, form) in enumerate(sorted(self.formats.items())):
            if not isinstance(form, str):
                file = place / f"format{number}.json"
                file.write_text(json.dumps({"name": f"format{number}", **form}), encoding="utf-8")
                form = file.name
            arguments += ["--format", f"{tensor}={form}" if tensor else form]
        for option, choices in (("--type", self.types), ("--index", self.indices)):
            for tensor, choice in sorted(choices.items()):
                arguments += [option, f"{tensor}={choice}" if tensor else choice]
        return arguments + list(self.options)


def signature_of(request: Request) -> str:
    """The signature that a kernel would have, as JSON. Raises CompileError as compiling it would."""
    with tempfile.TemporaryDirectory(prefix="spc-") as name:
        place = pathlib.Path(name)
        return toolchain.run(["compile", *request.write(place), "--emit=signature", "-q"], place).stdout


def _build(request: Request, place: pathlib.Path) -> pathlib.Path:
    """Compiles and links in a folder; warnings of spc become Python's."""
    done = toolchain.run(["compile", *request.write(place), "--mcpu=native", "-q", "-o", "kernel.o"], place)
    if done.stderr.strip():
        warnings.warn(done.stderr.strip(), SpcWarning, stacklevel=5)
    toolchain.run(["library", "kernel.o", "-o", "library.so"], place)
    return place / "library.so"


def library(request: Request) -> pathlib.Path:
    """The shared library of a kernel: from the cache, where it holds it for this very key, else compiled into it."""
    cache = folder()
    key = request.key(_compiler_hash(cache))
    stem = hashlib.sha256(key.encode()).hexdigest()
    path, note = cache / f"{stem}.so", cache / f"{stem}.json"
    with _locked(cache):
        if _is_kept(path, note, key):
            os.utime(path)
            return path
    with tempfile.TemporaryDirectory(dir=cache, prefix=".build-") as name:
        built = _build(request, pathlib.Path(name))
        digest = _digest(built)
        with _locked(cache):
            os.replace(built, path)
            _write(note, json.dumps({"key": key, "sha256": digest}).encode())
            _make_room(cache, path)
    return path


def _is_kept(path: pathlib.Path, note: pathlib.Path, key: str) -> bool:
    """Whether the library is there, was made for the key, and is what was written."""
    try:
        known: Dict[str, str] = json.loads(note.read_text(encoding="utf-8"))
        return known["key"] == key and known["sha256"] == _digest(path)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _make_room(cache: pathlib.Path, newest: pathlib.Path):
    """Removes the libraries that were used least lately, until the rest is within the limit."""
    files = sorted(((path.stat().st_mtime_ns, path) for path in cache.glob("*.so")), reverse=True)
    total = 0
    for _, path in files:
        total += path.stat().st_size
        if total > limit() and path != newest:
            path.unlink(missing_ok=True)
            path.with_suffix(".json").unlink(missing_ok=True)


def clear():
    """Empties the cache."""
    cache = folder()
    with _locked(cache):
        for path in cache.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != "lock":
                path.unlink(missing_ok=True)


__all__ = ["CompilerError", "Request", "clear", "folder", "library", "limit", "signature_of"]
