"""Finds the compiler, and runs it."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import os
import pathlib
import re
from typing import TYPE_CHECKING, Iterator, List, Optional, Sequence

from ..errors import CompileError, CompilerError
from .words import in_python

if TYPE_CHECKING:
    import subprocess

# Errors that neither the input nor an option makes.
_OF_THE_SYSTEM = re.compile(r"\[(cannot-write|link-failed)\]$", re.MULTILINE)
_PACKAGE = pathlib.Path(__file__).resolve().parent.parent


def _candidates() -> Iterator[pathlib.Path]:
    if named := os.environ.get("SPC_COMPILER"):
        yield pathlib.Path(named)
        return
    yield _PACKAGE / "bin" / "spc"                          # a wheel's
    yield _PACKAGE.parent.parent / "build" / "bin" / "spc"  # the source tree's
    import shutil
    if found := shutil.which("spc"):
        yield pathlib.Path(found)


@functools.lru_cache(maxsize=None)
def compiler() -> pathlib.Path:
    """The compiler: what SPC_COMPILER names, else the package's own, the source tree's, or the first in PATH.

    Raises CompilerError where there is none.
    """
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return path.resolve()
    named = os.environ.get("SPC_COMPILER")
    raise CompilerError(f"SPC_COMPILER names no program: {named}" if named else
                        "there is no spc in the package, in build/bin of the source tree, or in PATH; SPC_COMPILER may "
                        "name one")


def helper_library() -> Optional[pathlib.Path]:
    """The shared library of threads and memory that is built along with the compiler; None where it is missing."""
    folder = compiler().parent
    for path in (_PACKAGE / "lib" / "libspc_contexts.so", folder.parent / "lib" / "libspc_contexts.so",
                 folder.parent / "lib" / "spc" / "libspc_contexts.so"):
        if path.is_file():
            return path
    return None


def run(arguments: Sequence[str], folder: Optional[pathlib.Path] = None) -> "subprocess.CompletedProcess[str]":
    """Runs the compiler in a folder.

    Raises CompileError with its diagnostics where the input or an option is wrong, and CompilerError where it fails
    otherwise.
    """
    import subprocess  # which takes long beside the rest of `import spc`
    command: List[str] = [str(compiler()), *arguments]
    environment = {**os.environ, "SPC_FORMAT_PATH": ""}  # formats that are found there are passed as their contents
    if folder is not None:
        environment["TMPDIR"] = str(folder)  # where files can be written
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, env=environment, encoding="utf-8", errors="replace")
    except OSError as error:
        raise CompilerError(f"{command[0]} does not run: {error.strerror}") from error
    said = done.stderr.strip()
    if done.returncode in (1, 2) and ": error: " in said and not _OF_THE_SYSTEM.search(said):
        raise CompileError(in_python(said))
    if done.returncode:
        raise CompilerError(f"{' '.join(command)}\nended with status {done.returncode}\n{said}")
    return done


@functools.lru_cache(maxsize=None)
def version() -> str:
    """What `spc --version` prints first."""
    return run(["--version"]).stdout.split("\n", 1)[0]


@functools.lru_cache(maxsize=None)
def processor() -> str:
    """This machine's processor, as far as it decides on code: its architecture, model and features."""
    parts = [os.uname().machine]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() in ("model name", "cpu family", "model", "stepping", "flags", "Features", "CPU part"):
                    parts.append(f"{name.strip()}={value.strip()}")
                if not line.strip():
                    break
    except OSError:
        pass
    return "; ".join(parts)
