"""SciPy's own operators on spc's kernels, on all cores (docs/python.md).

    import spc.scipy
    with spc.scipy.enabled():
        C = A @ B
"""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import functools
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np
import scipy
import scipy.sparse as sp

from .api import Format
from .api import kernel as kernel_of
from .errors import Error
from .kernel import Kernel

#: The least work, by operation, that is given to kernels: entries of the sparse operands, times the columns of a dense one.
#: Below, SciPy's own code runs. bench/python/operators.py shows where it is overtaken.
THRESHOLDS: Dict[str, int] = {"A @ x": 500_000, "COO @ x": 100_000, "BSR @ x": 20_000, "A @ X": 200_000, "A @ B": 100_000}

#: Versions of SciPy, and what they call the methods behind the products with vectors, dense and sparse matrices.
_PRODUCTS: Dict[str, Tuple[str, str, str]] = {
    "1.10": ("_mul_vector", "_mul_multivector", "_mul_sparse_matrix"),
    "1.17": ("_matmul_vector", "_matmul_multivector", "_matmul_sparse"),
    "1.18": ("_matmul_vector", "_matmul_multivector", "_matmul_sparse"),
}
_SPMV, _SPMM = "y(i) = A(i,j) * x(j)", "C(i,k) = A(i,j) * B(j,k)"

_LOOSE = {"csr": "csr-unsorted", "csc": "csr-unsorted:1,0", "coo": "coo-unsorted"}
_QUIET = ("-Wno-reorder", "-Wno-precision")  # nobody has written these kernels
_NAME = "scipy_operator"

_RESULTS = frozenset("bBhHiIlLqQfdFD")  # types, as NumPy's characters
_TAKEN = _RESULTS | {"?"}

Method = Callable[..., Any]

_lock = threading.Lock()
_depth = 0
#: The methods that are replaced: the class, the name, what it had.
_replaced: List[Tuple[Any, str, Any]] = []


def enable() -> None:
    """Has SciPy's CSR, CSC, COO and BSR arrays and matrices compute by spc's kernels, in all threads of the process: products
    with vectors, dense and sparse matrices, from either side.

    What kernels do not take, and what THRESHOLDS has as too small, SciPy computes itself. Calls nest: each is taken back
    by one of `disable`. Raises ImportError where SciPy is of a version that is not known, CompilerError where the compiler is
    missing.
    """
    global _depth
    version = ".".join(scipy.__version__.split(".")[:2])
    if version not in _PRODUCTS:
        raise ImportError(f"spc.scipy replaces private methods of SciPy {', '.join(_PRODUCTS)}, and this is "
                          f"{scipy.__version__}: kernels of spc.kernel take its matrices in any version")
    _product(_SPMV, "csr")
    with _lock:
        if not _depth:
            _replace(version)
        _depth += 1


def disable() -> None:
    """Takes back one call of `enable`; the last one gives SciPy its methods again. Raises RuntimeError where none is left."""
    global _depth
    with _lock:
        if not _depth:
            raise RuntimeError("spc.scipy is not enabled")
        _depth -= 1
        if not _depth:
            for class_, name, method in _replaced:
                setattr(class_, name, method)
            _replaced.clear()


@contextlib.contextmanager
def enabled() -> Iterator[None]:
    """`enable` for the time of a `with` statement."""
    enable()
    try:
        yield
    finally:
        disable()


def is_enabled() -> bool:
    """Whether SciPy's operators are spc's now."""
    return _depth > 0


def _replace(version: str) -> None:
    vector, dense, sparse = _PRODUCTS[version]
    for class_ in (sp.csr_matrix, sp.bsr_matrix, sp.coo_matrix):
        methods: List[Tuple[str, Method]] = [(vector, _times_vector), (dense, _times_dense)]
        if class_ is sp.csr_matrix:  # whose base is that of csc_matrix, too
            methods.append((sparse, _times_sparse))
        for name, function in methods:
            owner = next(base for base in class_.__mro__ if name in vars(base))
            original = vars(owner)[name]
            _replaced.append((owner, name, original))
            setattr(owner, name, _method(original, function))


def _method(original: Method, function: Method) -> Method:
    """A method that computes by `function`, or by the original one where that returns None."""

    @functools.wraps(original)
    def method(self: Any, other: Any) -> Any:
        result = function(self, other)
        return original(self, other) if result is None else result

    return method


@functools.lru_cache(maxsize=None)
def _product(text: str, form: str) -> Kernel:
    """The kernel of a product of a matrix in one of SciPy's formats and something dense. The order of entries does not matter,
    and index arrays are trusted as SciPy trusts them: reading them would take as long as a product with a vector."""
    formats: Dict[str, Format] = {text[0]: "dense"}
    if form in _LOOSE:
        formats["A"] = _LOOSE[form]
    return kernel_of(text, formats=formats, options=_QUIET, name=_NAME, validate="never" if form in _LOOSE else "first")


@functools.lru_cache(maxsize=None)
def _sparse_product(form: str) -> Kernel:
    """The kernel of a product of two matrices in a format, whose entries are in order. SciPy leaves zeros out, too."""
    return kernel_of(_SPMM, formats={"A": form, "B": form, "C": form}, options=[*_QUIET, "--drop-zeros"], name=_NAME,
                     validate="never")


def _common_type(operation: str, work: int, one: Any, other: Any) -> Optional[Any]:
    """The type of a result; None where SciPy is to compute it."""
    if work < THRESHOLDS[operation] or one.ndim != 2:
        return None
    if one.dtype == other.dtype:
        return one.dtype if one.dtype.char in _RESULTS and one.dtype.isnative else None
    if not (one.dtype.char in _TAKEN and other.dtype.char in _TAKEN and one.dtype.isnative and other.dtype.isnative):
        return None
    common = np.result_type(one.dtype, other.dtype)
    return common if common.char in _RESULTS else None


def _run(kernel: Kernel, *operands: Any) -> Any:
    """What a kernel returns; None where it refuses the operands, whose faults SciPy then tells of in its own words."""
    try:
        return kernel(*operands)
    except Error:
        return None


def _of_type(matrix: Any, dtype: Any) -> Any:
    """A matrix with values of a type, which shares its structure."""
    if matrix.dtype == dtype:
        return matrix
    data = matrix.data.astype(dtype)
    parts = (data, (matrix.row, matrix.col)) if matrix.format == "coo" else (data, matrix.indices, matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)


def _times_vector(matrix: Any, x: Any) -> Any:
    form = matrix.format
    operation = "A @ x" if form in ("csr", "csc") else f"{form.upper()} @ x"
    if type(x) is not np.ndarray or x.ndim != 1 or (dtype := _common_type(operation, matrix.nnz, matrix, x)) is None:
        return None
    if form == "coo" and matrix.shape[0] == 1:  # where SciPy's result is a number for arrays of some versions
        return None
    return _run(_product(_SPMV, form), _of_type(matrix, dtype), np.ascontiguousarray(x, dtype))


def _times_dense(matrix: Any, X: Any) -> Any:
    if type(X) is not np.ndarray or X.ndim != 2:
        return None
    if (dtype := _common_type("A @ X", matrix.nnz * X.shape[1], matrix, X)) is None:
        return None
    return _run(_product(_SPMM, matrix.format), _of_type(matrix, dtype), np.ascontiguousarray(X, dtype))


def _times_sparse(one: Any, other: Any) -> Any:
    """A product in the class and format of the first operand."""
    if one.format not in ("csr", "csc") or other.ndim != 2:
        return None
    if (dtype := _common_type("A @ B", one.nnz + other.nnz, one, other)) is None:
        return None
    other = other.asformat(one.format)
    if not (one.has_canonical_format and other.has_canonical_format):
        return None
    found = _run(_sparse_product(one.format), _of_type(one, dtype), _of_type(other, dtype))
    if found is None:
        return None
    wide = any(array.dtype.itemsize > 4 for array in (one.indices, one.indptr, other.indices, other.indptr))
    index = np.dtype(np.int64 if wide else np.int32)
    result = type(one)((found.data, found.indices.astype(index, copy=False), found.indptr.astype(index, copy=False)),
                       shape=found.shape)
    result.has_canonical_format = True
    return result
