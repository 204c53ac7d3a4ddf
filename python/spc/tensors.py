"""Tensors that no other library has: of coordinates in any number of dimensions, and in any format."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import json
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from . import api
from .call.copies import readable
from .errors import ArgumentError, ArgumentTypeError
from .kernel import Kernel
from .storage import dtypes
from .storage.dtypes import Array
from .storage.shape import checked_shape
from .storage.view import NumberView


def coo(coordinates: Union[Sequence[Any], Array], values: Any, shape: Optional[Sequence[int]] = None) -> Dict[str, Any]:
    """A tensor of coordinates and values, of any order: an operand of kernels, as a dictionary of its arrays (docs/python.md).

    coordinates: an array of integers for each dimension, counted from 0, or one array of shape (order, entries). Entries may
    come in any sequence; those that repeat add up. Arrays of one type that kernels take as indices (int32, int64) are taken
    as they are, without a copy; others are copied.
    values: as many numbers, which are taken as they are unless they lie apart, or one for all entries.
    shape: an extent for each dimension; else one more than the largest coordinate.
    Raises ArgumentError where lengths do not agree, a coordinate is out of range, or no kernel has such a shape,
    ArgumentTypeError of coordinates that are no integers, and of what is no array of them.
    """
    arrays = _coordinates(coordinates)
    count = arrays[0].size
    try:
        numbers = np.asarray(values)
    except (TypeError, ValueError) as error:  # of lists that differ in length
        raise ArgumentTypeError(f"values are no array of numbers: {error}") from None
    if not numbers.ndim:
        numbers = np.full(count, numbers)
    if numbers.shape != (count,):
        raise ArgumentError(f"values of shape {numbers.shape}, and there are coordinates of {count} entries")
    dtypes.name_of(numbers.dtype)
    if shape is None:
        if not count:
            raise ArgumentError("without entries, the shape has to be said")
        shape = [int(array.max()) + 1 for array in arrays]
    extents = checked_shape(shape)
    if len(extents) != len(arrays):
        raise ArgumentError(f"shape {extents} is of order {len(extents)}, and there are coordinates of {len(arrays)} dimensions")
    for dim, (array, size) in enumerate(zip(arrays, extents)):
        if (wrong := (array < 0) | (array >= size)).any():
            place = int(wrong.argmax())
            raise ArgumentError(f"coordinate {array[place]} of dimension {dim}, at {place}, is not from 0 to {size - 1}")
    return {"format": "coo", "shape": extents, **{f"indices_{dim}": array for dim, array in enumerate(arrays)},
            "values": np.ascontiguousarray(numbers)}


def _coordinates(coordinates: Union[Sequence[Any], Array]) -> List[Array]:
    """Coordinates as arrays of one type, without gaps. Raises ArgumentTypeError of other numbers and of what is no array,
    ArgumentError of arrays that differ in length."""
    if isinstance(coordinates, np.ndarray) and coordinates.ndim == 1 and coordinates.size:
        raise ArgumentError(f"coordinates are one flat array of {coordinates.size} numbers, and one for each dimension is needed: "
                            "coo((rows, columns), values); values come after them, and a vector's coordinates are coo([rows], values)")
    try:
        arrays = [np.asarray(array) for array in coordinates]
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"coordinates are an array of integers for each dimension: {error}") from None
    if not arrays:
        raise ArgumentError("there is no dimension: coordinates are one array for each")
    if any(array.ndim != 1 or array.size != arrays[0].size for array in arrays):
        shapes = ", ".join(str(array.shape) for array in arrays[:8]) + (", ..." if len(arrays) > 8 else "")
        raise ArgumentError(f"coordinates of shapes {shapes}: one flat array for each dimension is needed, all of one length")
    if any(array.dtype.kind not in "iu" and array.size for array in arrays):
        raise ArgumentTypeError(f"coordinates of type {', '.join(array.dtype.name for array in arrays)} are no integers: "
                                ".astype('int64') makes some of whole numbers")
    wanted = arrays[0].dtype
    if wanted.name not in ("int32", "int64") or any(array.dtype != wanted for array in arrays):
        most = max((int(array.max()) for array in arrays if array.size), default=0)
        wanted = np.dtype(np.int32 if most < 1 << 31 else np.int64)
    return [np.ascontiguousarray(array, wanted) for array in arrays]


def convert(tensor: Any, format: api.Format, *, indices: Optional[str] = None) -> Any:
    """A tensor in another format, as a copy: of the operand's library where that has the format, else SciPy's, else a
    dictionary, as results of kernels are (docs/python.md).

    tensor: what kernels take, and what they take with copy=True: lists, lil and dok matrices. Its zeros become no entries
    where it is dense, or has blocks or diagonals; others do. Entries that repeat are added up, unless the format has them.
    format: a name ("csf", "csc", "csf:2,0,1"), the contents of a format file, or its path.
    indices: the type of pointers and indices, "i32" or "i64"; else the operand's, of dense ones "i32".
    Raises ArgumentError where the tensor is none, CompileError where it has no such format, or none that kernels assemble.
    """
    view = readable(tensor, "tensor")
    if isinstance(view, NumberView):
        raise ArgumentTypeError("a number has no format")
    has_zeros = any(level.op for level in view.storage.levels) or view.storage.is_dense
    return _converter(len(view.shape), json.dumps(api.plain_format("B", format), sort_keys=True), indices, has_zeros)(tensor)


@functools.lru_cache(maxsize=256)
def _converter(order: int, form: str, indices: Optional[str], drops: bool) -> Kernel:
    places = ", ".join(f"d{dim}" for dim in range(order))
    options = [*_QUIET, *["--drop-zeros"] * (drops and json.loads(form) != "dense")]
    return api.kernel(f"B({places}) = A({places})\n", name="convert", formats={"B": json.loads(form)},
                      indices={"B": indices} if indices else None, options=options, copy=True)


#: What is copied once need not be told that it is, and some formats cannot leave zeros out.
_QUIET = ("-Wno-reorder", "-Wno-unused-option")

__all__ = ["coo", "convert"]
