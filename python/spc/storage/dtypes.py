"""Value and index types: spc's names, and NumPy's types for them."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

import numpy as np

from ..errors import ArgumentTypeError

if TYPE_CHECKING:  # NumPy has had parameters of its types since version 1.22
    Array = np.ndarray[Any, np.dtype[Any]]
    DType = np.dtype[Any]
else:
    Array, DType = np.ndarray, np.dtype

#: NumPy's type by spc's name. bf16 has none: arrays of it are carried as their bits.
NUMPY: Dict[str, DType] = {
    "f16": np.dtype(np.float16), "bf16": np.dtype(np.uint16), "f32": np.dtype(np.float32), "f64": np.dtype(np.float64),
    "i8": np.dtype(np.int8), "i16": np.dtype(np.int16), "i32": np.dtype(np.int32), "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8), "u16": np.dtype(np.uint16), "u32": np.dtype(np.uint32), "u64": np.dtype(np.uint64),
    "bool": np.dtype(np.bool_), "cf32": np.dtype(np.complex64), "cf64": np.dtype(np.complex128),
}
_NAMES = {dtype: name for name, dtype in NUMPY.items() if name != "bf16"}
INDICES = ("i32", "i64", "u8", "u16")


def name_of(dtype: Any) -> str:
    """spc's name of a NumPy type. Raises ArgumentTypeError where spc has none."""
    try:
        return _NAMES[dtype]
    except KeyError:
        pass
    dtype = np.dtype(dtype)
    if dtype.newbyteorder("=") in _NAMES:
        raise ArgumentTypeError(f"{dtype.str} has the other byte order than this machine: "
                                f".astype({dtype.newbyteorder('=').name!r}) converts")
    raise ArgumentTypeError(f"there are no kernels for values of type {dtype.name}")


def index_name_of(dtype: Any) -> str:
    """spc's name of the type of pointers or indices."""
    name = name_of(dtype)
    if name not in INDICES:
        raise ArgumentTypeError(f"indices of type {name} are none of {', '.join(INDICES)}: .astype('int64') converts")
    return name


def to_bf16(array: Array) -> Array:
    """float32 numbers as the bits of the nearest bf16 ones, to even between two; shape and order stay."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def from_bf16(bits: Array) -> Array:
    """The numbers that bits of bf16 stand for, as float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
