"""Kernels in place of SciPy's loops: when one is called, and with what."""
# SPDX-License-Identifier: Apache-2.0

import functools
from typing import Any, Dict, Iterable, Optional, Tuple

import numpy as np
from scipy.sparse._sparsetools import csr_has_canonical_format

from ..api import kernel as kernel_of
from ..call import threads
from ..errors import Error
from ..kernel import Kernel

#: The least work, by operation, that is given to kernels: entries of the sparse operands, times the columns of a dense one; of
#: elements by their places, how many there are. Below, SciPy's own code runs. bench/python/operators.py shows where it is
#: overtaken.
THRESHOLDS: Dict[str, int] = {
    "A @ x": 500_000, "COO @ x": 100_000, "BSR @ x": 20_000, "A @ X": 200_000, "A @ B": 100_000,
    "A + B": 500_000, "A.multiply(B)": 500_000, "A + B of one pattern": 20_000, "A.multiply(X)": 500_000,
    "A.sum(axis)": 5_000, "A.mean(axis)": 2_000, "A.max(axis)": 10_000, "A[a:b]": 5_000, "A[i, j]": 100_000, "hstack": 200_000}

QUIET = ("-Wno-reorder", "-Wno-precision", "-Wno-asymptotic")  # nobody has written these kernels

RESULTS = frozenset("bBhHiIlLqQfdFD")  # types, as NumPy's characters
FLOATS = frozenset("fdFD")
#: Types whose values kernels pass on as they are: of complex numbers with infinite parts, the other parts become NaN.
MOVED = RESULTS - frozenset("FD")
_TAKEN = RESULTS | {"?"}

#: Formats whose entries may be in any order and repeat, by SciPy's names.
LOOSE = {"csr": "csr-unsorted", "csc": "csr-unsorted:1,0", "coo": "coo-unsorted"}


@functools.lru_cache(maxsize=None)
def kernel(text: str, formats: Tuple[Tuple[str, str], ...], options: Tuple[str, ...] = (), share: bool = False,
           types: Tuple[Tuple[str, str], ...] = ()) -> Kernel:
    """The kernel of a text with these formats. Index arrays are trusted as SciPy trusts them: reading them would take as long
    as a product with a vector."""
    return kernel_of(text, formats=dict(formats), types=dict(types), options=(*QUIET, *options), name="scipy_operator",
                     validate="never", share=share)


@functools.lru_cache(maxsize=None)
def blocks(text: str, formats: Tuple[Tuple[str, str], ...]) -> Kernel:
    """The kernel of a matrix A of blocks, whose size is that of the operand. Their structure is read when it is new."""
    return kernel_of(text, formats=dict(formats), options=QUIET, name="scipy_operator", validate="first")


def run(kernel: Kernel, *operands: Any, **sizes: int) -> Any:
    """What a kernel returns; None where it refuses the operands, whose faults SciPy then tells of in its own words."""
    try:
        return kernel(*operands, sizes=sizes) if sizes else kernel(*operands)
    except Error:
        return None


def has_threads() -> bool:
    """Whether kernels run on more threads than one."""
    return threads.get_threads() > 1


def is_worth(operation: str, work: int, matrix: Any) -> bool:
    """Whether an operation on a matrix is one for a kernel."""
    return work >= THRESHOLDS[operation] and matrix.ndim == 2 and matrix.dtype.isnative and 0 not in matrix.shape


def common_type(operation: str, work: int, one: Any, other: Any) -> Optional[Any]:
    """The type of a result; None where SciPy is to compute it."""
    if work < THRESHOLDS[operation] or one.ndim != 2:
        return None
    if one.dtype == other.dtype:
        return one.dtype if one.dtype.char in RESULTS and one.dtype.isnative else None
    if not (one.dtype.char in _TAKEN and other.dtype.char in _TAKEN and one.dtype.isnative and other.dtype.isnative):
        return None
    common = np.result_type(one.dtype, other.dtype)
    return common if common.char in RESULTS else None


def of_type(matrix: Any, dtype: Any) -> Any:
    """A matrix with values of a type, which shares its structure."""
    if matrix.dtype == dtype:
        return matrix
    data = matrix.data.astype(dtype)
    parts = (data, (matrix.row, matrix.col)) if matrix.format == "coo" else (data, matrix.indices, matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)


def is_compressed(matrix: Any) -> bool:
    """Whether a matrix is CSR or CSC."""
    return matrix.format in ("csr", "csc")


def is_canonical(*matrices: Any) -> bool:
    """Whether the entries of CSR and CSC matrices are in order, each once. Index arrays are read: what SciPy has noted of them
    is old where somebody has written to them, and noting it would have `sum_duplicates` do nothing afterwards."""
    return all([bool(csr_has_canonical_format(len(matrix.indptr) - 1, matrix.indptr, matrix.indices))
                for matrix in matrices])


def widest(matrices: Iterable[Any]) -> Any:
    """The type of indices that holds those of all matrices."""
    wide = any(array.dtype.itemsize > 4 for matrix in matrices for array in (matrix.indices, matrix.indptr))
    return np.dtype(np.int64 if wide else np.int32)


def canonical(class_: Any, found: Any, index: Any) -> Any:
    """A matrix of a class, with indices of a type, of a kernel's result."""
    result = class_((found.data, found.indices.astype(index, copy=False), found.indptr.astype(index, copy=False)),
                    shape=found.shape)
    result.has_canonical_format = True
    return result
