"""Views of numbers and of dense arrays, and what all readers ask of arrays."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from ..storage import dtypes
from ..storage.dtypes import Array
from ..storage.view import NumberView, Operand, View, dense_storage


def dense_modes(array: Array) -> Optional[Tuple[int, ...]]:
    """The dimensions from the outermost to the innermost, whose elements have to lie side by side, but in vectors; None
    where no dimension's do. Row-major order where that is possible."""
    order, strides, shape = array.ndim, array.strides, array.shape
    last = order - 1
    if strides[last] == array.itemsize or shape[last] <= 1 or array.size == 0:
        return tuple(range(order))
    if order == 1 and strides[0]:  # a vector's stride is free
        return (0,)
    inner = [dim for dim in range(order) if shape[dim] > 1 and strides[dim] == array.itemsize]
    if not inner:
        return None
    outer = sorted((dim for dim in range(order) if dim != inner[-1]), key=lambda dim: (-abs(strides[dim]), dim))
    return (*outer, inner[-1])


def number(value: Any) -> Optional[NumberView]:
    """Python's and NumPy's numbers, and arrays of order 0, which the view has so that they can be read again and written."""
    if isinstance(value, (bool, int, float, complex)):
        type_ = "bool" if isinstance(value, bool) else "i64" if isinstance(value, int) else \
            "f64" if isinstance(value, float) else "cf64"
        return NumberView(type_, "number", value)
    if isinstance(value, np.generic):
        return NumberView(dtypes.name_of(value.dtype), "number", value)
    if isinstance(value, np.ndarray) and not value.ndim and not isinstance(value, np.ma.MaskedArray):
        return without_dimensions(value, dtypes.name_of(value.dtype), value)
    return None


def without_dimensions(data: Array, type_: str, owner: Any, family: str = "number") -> NumberView:
    """A view of the number that lies in an array of order 0."""
    return NumberView(type_, family, owner, data)


def array(value: Any) -> Optional[View]:
    """NumPy's arrays. A subclass that changes what elements are (masked arrays) is refused."""
    if not isinstance(value, np.ndarray):
        return None
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentTypeError("masked arrays have no format: .filled(0) makes a plain one")
    if not value.ndim:
        return None
    return dense(value, dtypes.name_of(value.dtype), "numpy", value)


def dense(data: Array, type_: str, family: str, owner: Any) -> View:
    """A view of an array with strides; shape: any of order 1 or more. Raises ArgumentError of strides that no format
    says."""
    size = data.itemsize
    strides = tuple([stride // size for stride in data.strides])
    if data.flags.c_contiguous:
        storage = dense_storage(data.ndim)
        if not data.size:
            strides = (1,) * data.ndim
    else:
        modes = dense_modes(data)
        if modes is None or any(stride % size for stride in data.strides):
            raise ArgumentError(f"an array of shape {data.shape} with strides of {data.strides} bytes has no dimension "
                                f"whose elements of {size} bytes lie side by side: np.ascontiguousarray() copies")
        storage = dense_storage(data.ndim, modes)
    return View(data.shape, type_, storage, {("values", 0): data}, family, owner, strides=strides)


def flat(name: str, data: Array) -> Array:
    """The array, which has to be contiguous. Raises ArgumentError."""
    if not data.flags.c_contiguous:
        raise ArgumentError(f"its array {name} is not contiguous: .copy() of the matrix makes it so")
    return data


def gathered(array: Array) -> Array:
    """The array, or a copy of one whose elements lie apart, as coordinates do that `np.nonzero` gives: index arrays have no
    strides in kernels."""
    return np.ascontiguousarray(array)


def origin(array: Array) -> Array:
    """Of a view of a whole array, such as a result shares with an operand and SciPy's transposes have, that array; else the
    array itself."""
    base = array.base
    if base is None or not isinstance(base, np.ndarray) or base.shape != array.shape or base.dtype != array.dtype or \
            base.strides != array.strides:
        return array
    return base


def exported(value: Any) -> Optional[Operand]:
    """What exports its memory, see `exported_array`."""
    if (data := exported_array(value)) is None:
        return None
    if not data.ndim:
        return without_dimensions(data, dtypes.name_of(data.dtype), value)
    return dense(data, dtypes.name_of(data.dtype), "numpy", value)


def exported_array(value: Any) -> Optional[Array]:
    """The memory of what exports it by DLPack, as the array API has it, or by NumPy's interface; None of what does not.
    Raises ArgumentTypeError where it is not in the host's memory."""
    try:
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        return np.asarray(value) if hasattr(value, "__array_interface__") else None
    except (TypeError, BufferError, RuntimeError, ValueError) as error:
        raise ArgumentTypeError(f"its memory cannot be read: {error}") from None
