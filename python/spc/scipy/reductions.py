"""Sums, means and extremes of the rows or columns of a matrix."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Optional

import numpy as np
import scipy.sparse as sp

from ..sources.scipy import family_of
from . import kernels
from .kernels import LOOSE, of_type

_EXTREMES = {np.maximum: ("max", "-inf"), np.minimum: ("min", "inf")}

#: Matrices of one dimension are results of arrays where SciPy has a class for all of these.
_HAS_VECTORS = hasattr(sp, "sparray")


def _reduced(axis: Any) -> Optional[int]:
    """The dimension over which a result runs, of an axis of a matrix; None of what is no number of Python's: whether others
    are an axis depends on SciPy's version."""
    return axis % 2 if type(axis) is int and -2 <= axis < 2 else None


def _contained(matrix: Any, values: Any, axis: int) -> Any:
    """Sums over an axis as SciPy gives them: an array, or a matrix of one row or column."""
    if family_of(matrix) == "scipy":
        return values
    return values.reshape((1, -1) if axis == 0 else (-1, 1)).view(np.matrix)


def summed(matrix: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`A.sum(axis)` of CSR, CSC and COO matrices of floats."""
    axis = _reduced(axis)
    if matrix.format not in LOOSE or axis is None or dtype is not None or out is not None:
        return None
    if not kernels.is_worth("A.sum(axis)", matrix.nnz, matrix) or matrix.dtype.char not in kernels.FLOATS:
        return None
    found = kernels.run(kernels.kernel(f"y({'ji'[axis]}) = A(i,j)", (("A", LOOSE[matrix.format]),)), matrix)
    return None if found is None else _contained(matrix, found, axis)


def averaged(matrix: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`A.mean(axis)` of CSR, CSC and COO matrices, of integers in float64. SciPy divides each term, and kernels may divide
    sums: SciPy computes where those are too large."""
    axis = _reduced(axis)
    if matrix.format not in LOOSE or axis is None or dtype is not None or out is not None:
        return None
    if not kernels.is_worth("A.mean(axis)", matrix.nnz, matrix):
        return None
    if matrix.dtype.char not in kernels.FLOATS:
        if matrix.dtype.kind not in "biu":
            return None
        matrix = of_type(matrix, np.dtype(np.float64))
    found = kernels.run(kernels.kernel(f"y({'ji'[axis]}) = A(i,j) * c", (("A", LOOSE[matrix.format]),)), matrix,
                        1.0 / matrix.shape[axis])
    return None if found is None or not np.isfinite(found).all() else _contained(matrix, found, axis)


def extreme(matrix: Any, axis: int, ufunc: Any, explicit: bool = False) -> Any:
    """`A.max(axis)` and `A.min(axis)` of real floats in CSR and CSC, as COO. `ufunc` is NumPy's maximum or minimum; those that
    leave NaNs out, fmax and fmin, are SciPy's."""
    if explicit or ufunc not in _EXTREMES or matrix.dtype.char not in "fd" or not kernels.is_compressed(matrix):
        return None
    if not kernels.is_worth("A.max(axis)", matrix.nnz, matrix) or not kernels.is_canonical(matrix):
        return None
    word, none = _EXTREMES[ufunc]
    kept, gone = "ji"[axis], "ij"[axis]
    text = f"m({kept}) = {word}({gone}, select(pattern(A(i,j)), A(i,j), {none}))"
    values = kernels.run(kernels.kernel(text, (("A", matrix.format),)), matrix)
    if values is None:
        return None
    _take_in_zeros(values, matrix, axis, word)
    places = np.flatnonzero(values).astype(np.int32)
    return _row_or_column(matrix, values[places], places, axis)


def _take_in_zeros(values: Any, matrix: Any, axis: int, word: str) -> None:
    """Has extremes of stored entries be those of all elements."""
    worse = values < 0 if word == "max" else values > 0
    if not worse.any():
        return
    is_major = (axis == 1) == (matrix.format == "csr")
    counts = np.diff(matrix.indptr) if is_major else np.bincount(matrix.indices, minlength=values.size)
    values[worse & (counts < matrix.shape[axis])] = 0


def _row_or_column(matrix: Any, values: Any, places: Any, axis: int) -> Any:
    """SciPy's COO of values at places along what an axis leaves: of one dimension, or of a row or column."""
    size = matrix.shape[1 - axis]
    is_array = family_of(matrix) == "scipy"
    if is_array and _HAS_VECTORS:
        return sp.coo_array((values, (places,)), shape=(size,), dtype=matrix.dtype)
    zeros = np.zeros_like(places)
    coordinates, shape = ((zeros, places), (1, size)) if axis == 0 else ((places, zeros), (size, 1))
    class_ = sp.coo_array if is_array else sp.coo_matrix
    return class_((values, coordinates), shape=shape, dtype=matrix.dtype)
