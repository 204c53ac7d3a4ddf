"""Sums, differences and products of the elements of two matrices."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, Tuple

import numpy as np

from . import kernels
from .kernels import LOOSE, THRESHOLDS, common_type, of_type

#: What SciPy calls the operations of two sparse matrices: the threshold, the kernel, and NumPy's function.
_OPERATIONS: Dict[str, Tuple[str, str, Any]] = {
    "_plus_": ("A + B", "C(i,j) = A(i,j) + B(i,j)", np.add),
    "_minus_": ("A + B", "C(i,j) = A(i,j) - B(i,j)", np.subtract),
    "_elmul_": ("A.multiply(B)", "C(i,j) = A(i,j) * B(i,j)", np.multiply)}
_ALIKE = "A + B of one pattern"


def of_two(one: Any, other: Any, operation: str) -> Any:
    """`A + B`, `A - B` and `A.multiply(B)` of sparse matrices, in the class and format of the first.

    Where both have one pattern, NumPy computes the values. Else kernels merge on several threads: on one, SciPy is as fast.
    SciPy leaves zeros out. They are few, and looked for afterwards: a branch for each element takes longer.
    """
    if operation not in _OPERATIONS or not kernels.is_compressed(one) or one.shape != other.shape:
        return None
    name, text, ufunc = _OPERATIONS[operation]
    work = one.nnz + other.nnz
    may_be_alike = other.format == one.format and other.nnz == one.nnz
    if (dtype := common_type(_ALIKE if may_be_alike else name, work, one, other)) is None:
        return None
    other = other.asformat(one.format)
    if not kernels.is_canonical(one, other):
        return None
    if may_be_alike and _are_alike(one, other):
        with np.errstate(all="ignore"):
            data = ufunc(one.data, other.data, dtype=dtype)
        result = type(one)((data, one.indices.copy(), one.indptr.copy()), shape=one.shape)
        result.has_canonical_format = True
    else:
        if work < THRESHOLDS[name] or not kernels.has_threads():
            return None
        if operation == "_elmul_" and not (_is_finite(one) and _is_finite(other)):
            return None
        form = one.format
        found = kernels.run(kernels.kernel(text, (("A", form), ("B", form), ("C", form))), of_type(one, dtype),
                            of_type(other, dtype))
        if found is None:
            return None
        result = kernels.canonical(type(one), found, kernels.widest((one, other)))
    if not result.data.all():
        result.eliminate_zeros()
    return result


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two matrices of one format have entries at the same places, and a value for each."""
    return len(one.data) == len(other.data) == one.nnz and all([mine is its or mine.dtype == its.dtype and np.array_equal(mine, its)
                for mine, its in ((one.indptr, other.indptr), (one.indices, other.indices))])


def _is_finite(matrix: Any) -> bool:
    """Whether no entry is infinite or NaN, whose products with what is missing are NaN for SciPy. Entries whose sum is too
    large count as infinite."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.sum(matrix.data)))


def times_elements(matrix: Any, X: Any) -> Any:
    """`A.multiply(X)` of a dense X: a matrix of A's shape, a row or a column. The result is COO, as SciPy's is."""
    if type(X) is not np.ndarray or X.ndim not in (1, 2) or not kernels.is_compressed(matrix) or 1 in matrix.shape:
        return None
    if (dtype := common_type("A.multiply(X)", matrix.nnz, matrix, X)) is None:
        return None
    rows, columns = matrix.shape
    if X.shape == (rows, columns):
        term = "X(i,j)"
    elif X.shape in ((columns,), (1, columns)):
        term = "X(j)"
    elif X.shape == (rows, 1):
        term = "X(i)"
    else:
        return None
    if term != "X(i,j)":
        X = np.ascontiguousarray(X, dtype) if X.ndim == 1 else np.ascontiguousarray(X, dtype).ravel()
    elif X.dtype != dtype:  # all of it would be converted
        return None
    found = kernels.run(kernels.kernel(f"D(i,j) = A(i,j) * {term}", (("A", LOOSE[matrix.format]),), (), True),
                        of_type(matrix, dtype), X)
    if found is None:
        return None
    result = matrix.tocoo(copy=False)
    result.data = found.data
    if matrix.format == "csr":
        result.col = result.col.copy()
    else:
        result.row = result.row.copy()
    return result
