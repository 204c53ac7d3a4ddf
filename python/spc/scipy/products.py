"""Products of a sparse matrix with vectors, dense and sparse matrices."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any

import numpy as np

from ..kernel import Kernel
from . import kernels
from .kernels import LOOSE, common_type, of_type

_SPMV, _SPMM = "y(i) = A(i,j) * x(j)", "C(i,k) = A(i,j) * B(j,k)"


def product(text: str, form: str) -> Kernel:
    """The kernel of a product of a matrix in one of SciPy's formats and something dense. The order of entries does not
    matter."""
    if form in LOOSE:
        return kernels.kernel(text, ((text[0], "dense"), ("A", LOOSE[form])))
    return kernels.blocks(text, ((text[0], "dense"),))


def spmv(form: str) -> Kernel:
    """The kernel of a product with a vector."""
    return product(_SPMV, form)


def times_vector(matrix: Any, x: Any) -> Any:
    """`A @ x`."""
    form = matrix.format
    operation = "A @ x" if form in ("csr", "csc") else f"{form.upper()} @ x"
    if type(x) is not np.ndarray or x.ndim != 1 or (dtype := common_type(operation, matrix.nnz, matrix, x)) is None:
        return None
    if form == "coo" and matrix.shape[0] == 1:  # where SciPy's result is a number for arrays of some versions
        return None
    return kernels.run(spmv(form), of_type(matrix, dtype), np.ascontiguousarray(x, dtype))


def times_dense(matrix: Any, X: Any) -> Any:
    """`A @ X`."""
    if type(X) is not np.ndarray or X.ndim != 2:
        return None
    if (dtype := common_type("A @ X", matrix.nnz * X.shape[1], matrix, X)) is None:
        return None
    return kernels.run(product(_SPMM, matrix.format), of_type(matrix, dtype), np.ascontiguousarray(X, dtype))


def times_sparse(one: Any, other: Any) -> Any:
    """`A @ B`, in the class and format of the first operand. SciPy leaves zeros out, too."""
    if not kernels.is_compressed(one) or other.ndim != 2:
        return None
    if (dtype := common_type("A @ B", one.nnz + other.nnz, one, other)) is None:
        return None
    form, other = one.format, other.asformat(one.format)
    if not kernels.is_canonical(one, other):
        return None
    found = kernels.run(kernels.kernel(_SPMM, (("A", form), ("B", form), ("C", form)), ("--drop-zeros",)),
                        of_type(one, dtype), of_type(other, dtype))
    return None if found is None else kernels.canonical(type(one), found, kernels.widest((one, other)))
