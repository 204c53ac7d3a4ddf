"""Threads and memory of calls: a context of the calling convention, and what is in it."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import functools
import os
import threading
import weakref
from typing import Any, Optional

from ..compiler import toolchain
from ..errors import CompilerError
from ..storage.signature import ABI_VERSION

_MOST = 2**31 - 1


@functools.lru_cache(maxsize=None)
def helper() -> ctypes.CDLL:
    """The library that holds the context. Raises CompilerError where it is missing, or of another version."""
    path = toolchain.helper_library()
    if path is None:
        raise CompilerError(f"libspc_contexts.so is not beside {toolchain.compiler()}: build its target spc_contexts")
    try:
        library = ctypes.CDLL(str(path))
        version = library.spc_contexts_version()
    except (OSError, AttributeError) as error:
        raise CompilerError(f"{path} cannot be used: {error}") from None
    if version != ABI_VERSION:
        raise CompilerError(f"{path} follows version {version} of the calling convention, and this package version "
                            f"{ABI_VERSION}")
    library.spc_contexts_context.restype = ctypes.c_void_p
    library.spc_contexts_allocate.argtypes = [ctypes.c_int64]
    library.spc_contexts_allocate.restype = ctypes.c_void_p
    library.spc_contexts_release.argtypes = [ctypes.c_void_p]
    library.spc_contexts_release.restype = None
    library.spc_contexts_set_threads.argtypes = [ctypes.c_int]
    library.spc_contexts_set_threads.restype = None
    library.spc_contexts_use_openmp.argtypes = [ctypes.c_void_p] * 4
    library.spc_contexts_use_openmp.restype = None
    library.spc_contexts_trim.argtypes = [ctypes.c_int64]
    library.spc_contexts_trim.restype = None
    library.spc_contexts_held.restype = ctypes.c_int64
    library.spc_contexts_message.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.c_int]
    library.spc_contexts_message.restype = ctypes.c_int64
    library.spc_contexts_validate.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_void_p]
    if (count := _wanted()) is not None:
        library.spc_contexts_set_threads(count)
    return library


def _wanted() -> Optional[int]:
    """What the environment says of threads beside SPC_NUM_THREADS, which the pool reads: programs that start several
    processes say to OpenMP how many threads each may have."""
    said = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if os.environ.get("SPC_NUM_THREADS") or not said.isdigit() or int(said) < 1:
        return None
    return min(int(said), _MOST)


@functools.lru_cache(maxsize=None)
def context() -> ctypes.c_void_p:
    """The context of all calls: a pool of threads, and one of memory."""
    return ctypes.c_void_p(helper().spc_contexts_context())


def message(status: int) -> str:
    """What this thread's last call found wrong that returned a status, as a sentence; nothing where no more is known."""
    buffer = ctypes.create_string_buffer(1024)
    return buffer.value.decode() if helper().spc_contexts_message(buffer, len(buffer), status) else ""


_owners: "weakref.WeakSet[Any]" = weakref.WeakSet()


def give_lock(owner: Any) -> None:
    """Gives an object a lock `_lock`, which a forked process finds free: the thread that held it may not be there."""
    owner._lock = threading.Lock()
    _owners.add(owner)


def _free_locks() -> None:
    for owner in _owners:
        owner._lock = threading.Lock()


os.register_at_fork(after_in_child=_free_locks)


def share_openmp() -> bool:
    """Has loops that the calling thread divides run on the threads of the OpenMP runtime that another library of the
    process has loaded; False where there is none. Its threads spin between loops, beside which others find no processor."""
    runtimes = ("libgomp", "libomp", "libiomp5")
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            paths = {fields[5].rstrip("\n") for fields in (line.split(maxsplit=5) for line in maps) if len(fields) == 6}
    except OSError:
        return False
    found = sorted(path for path in paths if os.path.basename(path).startswith(runtimes))
    if len(found) != 1:  # of two, nobody knows whose threads do the work
        return False
    try:
        runtime = ctypes.CDLL(found[0])
        functions = [ctypes.cast(getattr(runtime, name), ctypes.c_void_p)
                     for name in ("GOMP_parallel", "omp_in_parallel", "omp_get_max_threads", "omp_get_thread_num")]
        helper().spc_contexts_use_openmp(*functions)
    except (OSError, AttributeError, CompilerError):
        return False
    return True


def set_threads(count: Optional[int] = None) -> None:
    """How many threads kernels compute with, the calling one included; None for as many as the process may use.

    Raises ValueError of numbers below 1, TypeError of what is no integer. Waits for the threads that are there to end; no kernel may run meanwhile.
    """
    if count is not None and not hasattr(count, "__index__"):
        raise TypeError(f"{count!r} is no number of threads")
    if count is not None and count < 1:
        raise ValueError(f"{count} threads: at least 1 is needed")
    helper().spc_contexts_set_threads(min(count or 0, _MOST))


def get_threads() -> int:
    """How many threads kernels compute with, the calling one included."""
    return int(helper().spc_contexts_threads())


def trim_memory(keep: int = 0) -> None:
    """Gives memory that no result uses back to the system, and keeps at most `keep` bytes for later calls. Raises TypeError of
    what is no integer."""
    if not hasattr(keep, "__index__"):
        raise TypeError(f"{keep!r} is no number of bytes")
    helper().spc_contexts_trim(keep)


def held_memory() -> int:
    """Bytes that the pool has from the system, those of results included."""
    return int(helper().spc_contexts_held())
