"""From views to the structs of the calling convention, and back."""
# SPDX-License-Identifier: Apache-2.0

import ctypes
from typing import Dict, Optional

import numpy as np

from . import dtypes
from .describe import name_of
from .errors import ArgumentError, ArgumentTypeError
from .signature import Argument
from .view import View, address

_NUMBERS = {
    "f32": ctypes.c_float, "f64": ctypes.c_double, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
    "i64": ctypes.c_int64, "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64, "bool": ctypes.c_bool,
}


def struct_of(view: View, argument: Argument):
    """The struct that an argument is to point to: as many words of 8 bytes as it has fields.

    Requires that the view fits (`check`). The arrays must outlive the struct, and the struct the call.
    """
    words = (ctypes.c_int64 * len(argument.fields))()
    for k, field in enumerate(argument.fields):
        words[k] = _word(view, field)
    return words


def _word(view: View, field) -> int:
    if field.holds == "size":
        return view.shape[field.dim]
    if field.holds == "stride":
        return view.strides[field.dim]
    if field.holds == "stored":
        return view.stored
    if field.holds in ("count", "width"):
        return view.numbers[field.holds, field.level]
    level = 0 if field.holds in ("values", "entries") else field.level
    return address(view.arrays[field.holds, level])


def number_of(value, argument: Argument):
    """A number as the call reads it: in memory of its own, of the argument's type."""
    try:
        if argument.type in _NUMBERS:
            return _NUMBERS[argument.type](value)
        data = np.array(value, dtypes.NUMPY[argument.type])
    except (TypeError, OverflowError, ValueError) as error:
        raise ArgumentTypeError(f"{argument.name}: {value!r} is no {argument.type}: {error}") from None
    return (ctypes.c_char * data.nbytes).from_buffer_copy(data.tobytes())


def check(view: View, argument: Argument):
    """Whether a view is what the argument is compiled for. Raises ArgumentError or ArgumentTypeError that say what would
    help."""
    if view.storage is None or argument.storage is None:
        if view.storage is argument.storage:
            return
        wanted = "a number" if argument.storage is None else f"a tensor of order {len(argument.shape)}"
        raise ArgumentTypeError(f"{argument.name}: {wanted} is needed, not {_kind(view)}")
    if len(view.shape) != len(argument.shape):
        raise ArgumentError(f"{argument.name}: order {len(argument.shape)} is needed, and it has {len(view.shape)} "
                            "dimensions")
    if view.storage != argument.storage:
        raise ArgumentError(f"{argument.name}: stored as {name_of(view.storage)}, and the kernel reads "
                            f"{name_of(argument.storage)}{_advice(view, argument)}")
    if view.type != argument.type:
        raise ArgumentTypeError(f"{argument.name}: values of type {view.type}, and the kernel reads {argument.type}: "
                                f".astype({dtypes.NUMPY[argument.type].name!r}) converts")
    for kind in ("pointers", "indices"):
        if getattr(argument, kind) and getattr(view, kind) != getattr(argument, kind):
            raise ArgumentTypeError(f"{argument.name}: {kind} of type {getattr(view, kind)}, and the kernel reads "
                                    f"{getattr(argument, kind)}")


def _kind(view: View) -> str:
    return "a number" if view.storage is None else f"a tensor of order {len(view.shape)}"


def _advice(view: View, argument: Argument) -> str:
    """The conversion that would help, as far as there is one call for it."""
    name = name_of(argument.storage)
    if name == "csr" and name_of(view.storage) == "csr-unsorted":
        return ": .sum_duplicates() sorts it, or bind csr-unsorted"
    if argument.storage.is_dense:
        return f": bind it, as {argument.name}={name_of(view.storage).split(' ')[0]!r}, or .toarray()" \
            if not view.storage.is_dense else ": np.ascontiguousarray() copies"
    simple = {"csr": ".tocsr()", "csc": ".tocsc()", "coo-unsorted": ".tocoo()", "dia-cols": ".todia()"}
    return f": {simple[name]} converts" if name in simple and view.family == "scipy" else ""


def extents_of(views: Dict[str, Optional[View]], arguments) -> Dict[str, int]:
    """The sizes that operands give the extents. Raises ArgumentError where two do not agree, or a declared number."""
    sizes: Dict[str, int] = {}
    said: Dict[str, str] = {}
    for argument in arguments:
        view = views.get(argument.name)
        if view is None or view.storage is None:
            continue
        for dim, (extent, size) in enumerate(zip(argument.shape, view.shape)):
            if isinstance(extent, int):
                if extent != size:
                    raise ArgumentError(f"{argument.name}: dimension {dim} has {size} elements, and the kernel says "
                                        f"{extent}")
            elif sizes.setdefault(extent, size) != size:
                raise ArgumentError(f"{argument.name}: dimension {dim} ({extent}) has {size} elements, and {said[extent]} "
                                    f"has {sizes[extent]}")
            else:
                said.setdefault(extent, f"dimension {dim} of {argument.name}")
    return sizes
