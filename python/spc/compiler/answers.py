"""What the compiler has said of kernels and formats, kept on disk beside compiled kernels: a process that calls kernels which the
cache holds does not start the compiler."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import functools
import json
import os
import pathlib
from typing import Any, Callable, Dict, Optional

from ..errors import CompileError, CompilerError
from . import folders, toolchain
from .request import Request
from .hashes import hash_of
from .store import ANSWER, compiler_hash, folder, make_room, write


def answer(question: str, ask: Callable[[], str]) -> str:
    """What `ask` returns, or the CompileError that it raises: from the cache, where that holds what this compiler answered,
    else asked, and kept.

    question: all that the answer depends on besides the compiler. Files that are damaged, and those to which others may
    write, are not read. Raises CompilerError where the cache's folder is refused, or `ask` does.
    """
    key = json.dumps([question, compiler_hash()])
    place = folder()
    path = place / f"{hash_of(key)}{ANSWER}"
    if (known := _kept(path, key)) is None:
        known = {"key": key, "text": "", "error": ""}
        try:
            known["text"] = ask()
        except CompileError as error:
            known["error"] = str(error)
        known["sha256"] = hash_of(known["text"] + known["error"])
        with contextlib.suppress(OSError):  # disks may be full
            write(path, json.dumps(known).encode())
            make_room(place, path)
    if known["error"]:
        raise CompileError(known["error"])
    return known["text"]


def is_kept(question: str) -> bool:
    """Whether the cache holds what this compiler answered. Raises CompilerError as answer() does."""
    key = json.dumps([question, compiler_hash()])
    return (folder() / f"{hash_of(key)}{ANSWER}").exists()


def _kept(path: pathlib.Path, key: str) -> Optional[Dict[str, str]]:
    """What a file holds; None where it is not there, is of another question, not what was written, or not this user's."""
    try:
        if not folders.is_own_file(path):
            return None
        known: Any = json.loads(path.read_text(encoding="utf-8"))
        if known["key"] != key or known["sha256"] != hash_of(known["text"] + known["error"]):
            return None
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {name: known[name] for name in ("key", "text", "error")}


def printed(request: Request, *options: str) -> str:
    """What the compiler prints of a kernel. Raises CompileError where the request is wrong."""
    with folders.temporary() as place:
        return toolchain.run(["compile", *request.write(place), *options, "-q"], place).stdout


def shipped_format(name: str) -> Dict[str, Any]:
    """The contents of a format that comes with the compiler. Raises CompileError where there is none of that name."""
    return _shipped_format(name, compiler_hash())


@functools.lru_cache(maxsize=None)
def _shipped_format(name: str, compiler: str) -> Dict[str, Any]:
    contents: Dict[str, Any] = json.loads(answer(
        json.dumps(["format", name]), lambda: toolchain.run(["formats", name, "--json"]).stdout))
    return contents


__all__ = ["CompilerError", "answer", "printed", "shipped_format"]
