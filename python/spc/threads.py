"""Threads and memory of calls: a context of the calling convention, and what is in it."""
# SPDX-License-Identifier: Apache-2.0

import ctypes
import functools
from typing import Optional

from . import toolchain
from .errors import CompilerError


@functools.lru_cache(maxsize=None)
def _helper() -> ctypes.CDLL:
    path = toolchain.helper_library()
    if path is None:
        raise CompilerError(f"libspc_contexts.so is not beside {toolchain.compiler()}: build its target spc_contexts")
    library = ctypes.CDLL(str(path))
    library.spc_contexts_context.restype = ctypes.c_void_p
    library.spc_contexts_release.argtypes = [ctypes.c_void_p]
    library.spc_contexts_release.restype = None
    library.spc_contexts_trim.argtypes = [ctypes.c_int64]
    library.spc_contexts_held.restype = ctypes.c_int64
    return library


@functools.lru_cache(maxsize=None)
def context() -> ctypes.c_void_p:
    """The context of all calls: a pool of threads, and one of memory."""
    return ctypes.c_void_p(_helper().spc_contexts_context())


def release(address: int):
    """Gives an array that a kernel assembled back to the pool."""
    _helper().spc_contexts_release(address)


def set_threads(count: Optional[int] = None):
    """How many threads kernels compute with, the calling one included; None for as many as the process may use.

    Raises ValueError of numbers below 1. Waits for the threads that are there to end; no kernel may run meanwhile.
    """
    if count is not None and count < 1:
        raise ValueError(f"{count} threads: at least 1 is needed")
    _helper().spc_contexts_set_threads(ctypes.c_int(count or 0))


def get_threads() -> int:
    """How many threads kernels compute with, the calling one included."""
    return _helper().spc_contexts_threads()


def trim_memory(keep: int = 0):
    """Gives memory that no result uses back to the system, and keeps at most `keep` bytes for later calls."""
    _helper().spc_contexts_trim(keep)


def held_memory() -> int:
    """Bytes that the pool has from the system, those of results included."""
    return _helper().spc_contexts_held()
