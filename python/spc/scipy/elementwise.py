"""Sums, differences and products of the elements of two matrices."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any

import numpy as np

from . import kernels
from .kernels import LOOSE, common_type, of_type

#: What SciPy calls the operations of two sparse matrices: the threshold, and the kernel.
_OPERATIONS = {"_plus_": ("A + B", "C(i,j) = A(i,j) + B(i,j)"), "_minus_": ("A + B", "C(i,j) = A(i,j) - B(i,j)"),
               "_elmul_": ("A.multiply(B)", "C(i,j) = A(i,j) * B(i,j)")}


def of_two(one: Any, other: Any, operation: str) -> Any:
    """`A + B`, `A - B` and `A.multiply(B)` of sparse matrices, in the class and format of the first.

    SciPy leaves zeros out. They are few, and looked for afterwards: a branch for each element takes longer.
    """
    if operation not in _OPERATIONS or not kernels.is_compressed(one) or one.shape != other.shape:
        return None
    name, text = _OPERATIONS[operation]
    if (dtype := common_type(name, one.nnz + other.nnz, one, other)) is None:
        return None
    form, other = one.format, other.asformat(one.format)
    if not kernels.is_canonical(one, other) or operation == "_elmul_" and not (_is_finite(one) and _is_finite(other)):
        return None
    found = kernels.run(kernels.kernel(text, (("A", form), ("B", form), ("C", form))), of_type(one, dtype),
                        of_type(other, dtype))
    if found is None:
        return None
    result = kernels.canonical(type(one), found, kernels.widest((one, other)))
    if np.count_nonzero(result.data) != result.data.size:
        result.eliminate_zeros()
    return result


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
        if X.dtype != dtype:  # all of it would be converted
            return None
        term, factor = "X(i,j)", X
    elif X.shape in ((columns,), (1, columns)):
        term, factor = "X(j)", np.ascontiguousarray(X, dtype).ravel()
    elif X.shape == (rows, 1):
        term, factor = "X(i)", np.ascontiguousarray(X, dtype).ravel()
    else:
        return None
    found = kernels.run(kernels.kernel(f"D(i,j) = A(i,j) * {term}", (("A", LOOSE[matrix.format]),), (), True),
                        of_type(matrix, dtype), factor)
    if found is None:
        return None
    result = matrix.tocoo(copy=False)
    result.data = found.data
    if matrix.format == "csr":
        result.col = result.col.copy()
    else:
        result.row = result.row.copy()
    return result
