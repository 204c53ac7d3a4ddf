"""Compiled kernels on disk: one shared library for each kernel, with its formats, types, processor and compiler."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
import os
import pathlib
import sys
import warnings
from typing import Callable, Dict, Optional, Sequence, Tuple

from ..errors import CompileError, CompilerError, SpcWarning
from ..storage.signature import Signature, parse
from . import answers, folders, toolchain
from .compiled import Functions, functions
from .formats import Format
from .request import Request
from .hashes import digest, hash_of
from .store import BUILD, clear, compiler_hash, folder, held, limit, locked, make_room, process_folder, write
from .words import in_python


@functools.lru_cache(maxsize=256)
def _signature(request: Request, compiler: str) -> Signature:
    text = answers.answer(request.key("signature"), lambda: answers.printed(request, "--emit=signature"))
    try:
        return parse(text)
    except ValueError:
        raise CompilerError(f"{toolchain.compiler()} is no compiler of this package: it prints {text[:80]!r}, and no "
                            "signature") from None


def signature_of(request: Request) -> Signature:
    """The signature that a kernel would have. Raises CompileError as compiling it would."""
    return _signature(request, compiler_hash())


def _build(request: Request, place: pathlib.Path, more: Sequence[str]) -> Tuple[pathlib.Path, str]:
    """Compiles and links in a folder. more: options that change no code. Returns the library, and the compiler's warnings."""
    processor = [] if any(option.startswith(("--mcpu", "-mcpu")) for option in request.options) else ["--mcpu=native"]
    done = toolchain.run(["compile", *request.write(place), *processor, *more, "-q", "--emit=shared", "-o", "library.so"],
                         place)
    request.check_constants()
    return place / "library.so", done.stderr.strip()


def load(request: Request, is_quiet: bool = False) -> Functions:
    """The functions of a kernel: from the cache, where it holds the library for this very key, else compiled into it.

    One process compiles a kernel while others that want it wait. Where the cache cannot be used, as its disk is full or has
    no programs, it is compiled for this process alone. Warnings of spc become Python's unless is_quiet, whether it is
    compiled now or was before. Raises CompileError where the request is wrong, CompilerError where nothing helps.
    """
    loaded, said = _load(request)
    if not is_quiet:
        _warn(said)
    return loaded


def load_unless_densified(request: Request, fits: Callable[[Signature], bool]) -> Optional[Functions]:
    """What load() returns, in one start of the compiler; None where that warns that a result is dense (`densify`), or has said
    the signature before, so that asking for it starts nothing, or where the signature does not fit."""
    if answers.is_kept(request.key("signature")):
        return None
    try:
        loaded, said = _load(request, ("-Werror=densify",))
    except CompileError as error:
        if "[-Werror=densify]" in str(error):
            return None
        raise
    if not fits(loaded.signature):
        return None
    _warn(said)
    return loaded


def _load(request: Request, more: Sequence[str] = ()) -> Tuple[Functions, str]:
    """The functions of a kernel, and warnings of it. more: see _build()."""
    cache = folder()
    try:
        return _load_from(cache, request, more)
    except (OSError, CompilerError) as error:
        own = process_folder(os.getpid())
        try:
            if cache == own:
                raise
            return _load_from(own, request, more)
        except OSError:
            raise CompilerError(f"the kernel cannot be loaded: {error}") from error


def _warn(said: str) -> None:
    if said:
        warnings.warn(in_python(said), SpcWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """How far up the stack of who asks for it a kernel is called: beyond this package, and PyTorch, which calls operators."""
    passed, level, frame = (__name__.partition(".")[0], "torch"), 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in passed:
        level, frame = level + 1, frame.f_back
    return level


def _load_from(cache: pathlib.Path, request: Request, more: Sequence[str]) -> Tuple[Functions, str]:
    """The functions of a kernel, and warnings of it. Raises OSError, or CompilerError, where the folder cannot be used."""
    key = request.key(toolchain.processor(), compiler_hash())
    stem = hash_of(key)
    path, note = cache / f"{stem}.so", cache / f"{stem}.json"
    with locked(cache / f"lock-{stem[:2]}"):
        if is_new := not _is_kept(path, note, key):
            with folders.temporary(cache, BUILD) as place, held(place):
                built, said = _build(request, place, more)
                built.chmod(0o700)
                hashed = digest(built)
                os.replace(built, path)
                write(note, json.dumps({"key": key, "sha256": hashed, "warnings": said}).encode())
        os.utime(path)
        said = json.loads(note.read_text(encoding="utf-8"))["warnings"]
        loaded = next(iter(functions(path).values()))
    if is_new:
        make_room(cache, path)
    return loaded, said


def _is_kept(path: pathlib.Path, note: pathlib.Path, key: str) -> bool:
    """Whether the library is there, was made for the key, and is what was written, and nobody else has."""
    try:
        if not (folders.is_own_file(path) and folders.is_own_file(note)):
            return False
        known: Dict[str, str] = json.loads(note.read_text(encoding="utf-8"))
        return known["key"] == key and known["sha256"] == digest(path) and isinstance(known["warnings"], str)
    except (OSError, ValueError, KeyError, TypeError):
        return False


__all__ = ["CompilerError", "Format", "Request", "clear", "folder", "limit", "load", "load_unless_densified",
           "signature_of"]
