"""Shared libraries of kernels, loaded."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Dict, Union

from ..errors import CompilerError
from ..storage.signature import Signature, parse

_CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)


class _Entry(ctypes.Structure):
    """spc_kernel_entry."""

    _fields_ = [("name", ctypes.c_char_p), ("signature", ctypes.c_char_p), ("call", ctypes.c_void_p),
                ("symbolic", ctypes.c_void_p), ("numeric", ctypes.c_void_p), ("release", ctypes.c_void_p)]


class Functions:
    """One kernel of a loaded library: its signature, and its functions of a context and an array of arguments, each of
    which returns a status. The interpreter's lock is released while they run."""

    __slots__ = ("signature", "call", "symbolic", "numeric", "_handle")

    def __init__(self, entry: _Entry, library: ctypes.CDLL):
        self.signature: Signature = parse(entry.signature.decode())
        self.call = _CALL(entry.call)
        self.symbolic = _CALL(entry.symbolic) if entry.symbolic else None
        self.numeric = _CALL(entry.numeric) if entry.numeric else None
        self._handle = library  # kept loaded


def functions(path: Union[str, "os.PathLike[str]"]) -> Dict[str, Functions]:
    """The kernels of a shared library, by name.

    Raises OSError where it cannot be loaded, CompilerError where it holds no table of kernels.
    """
    library = ctypes.CDLL(os.fspath(pathlib.Path(path).resolve()), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    try:
        table = (_Entry * 1).in_dll(library, "spc_kernels")
    except ValueError:
        raise CompilerError(f"{path} has no table of kernels: spc library -o lib.so makes one of objects") from None
    found: Dict[str, Functions] = {}
    entry: _Entry = table[0]
    place = ctypes.addressof(table)
    while entry.name:
        found[entry.name.decode()] = Functions(entry, library)
        place += ctypes.sizeof(_Entry)
        entry = _Entry.from_address(place)
    return found
