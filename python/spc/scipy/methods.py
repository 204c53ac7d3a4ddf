"""Which of SciPy's methods are replaced, and when."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import functools
import importlib
from typing import Any, Callable, Dict, Iterator, List, Tuple

import scipy
import scipy.sparse as sp

from ..nesting import Nesting
from .elementwise import of_two, times_elements
from .products import spmv, times_dense, times_sparse, times_vector
from .reductions import averaged, extreme, summed
from .selections import at_places, beside, part

Method = Callable[..., Any]

#: What versions of SciPy call differently: the products with vectors, dense and sparse matrices, and of elements.
_NAMES: Dict[str, Tuple[str, str, str, str]] = {
    "1.10": ("_mul_vector", "_mul_multivector", "_mul_sparse_matrix", "multiply"),
    "1.17": ("_matmul_vector", "_matmul_multivector", "_matmul_sparse", "_multiply_2d_with_broadcasting"),
    "1.18": ("_matmul_vector", "_matmul_multivector", "_matmul_sparse", "_multiply_2d_with_broadcasting"),
}

#: What is replaced: the class or module, the name, what it had.
_replaced: List[Tuple[Any, str, Any]] = []


def enable() -> None:
    """Has SciPy's CSR, CSC, COO and BSR arrays and matrices compute by spc's kernels, in all threads of the process: products
    with vectors, dense and sparse matrices, from either side; sums, differences and products of elements; sums, means and
    extremes by axis; slices, elements at places, `hstack`.

    What kernels do not take, and what THRESHOLDS has as too small, SciPy computes itself. Calls nest: each is taken back
    by one of `disable`. Raises ImportError where SciPy is of a version that is not known, CompilerError where the compiler is
    missing.
    """
    if _version() not in _NAMES:
        raise ImportError(f"spc.scipy replaces private methods of SciPy {', '.join(_NAMES)}, and this is "
                          f"{scipy.__version__}: kernels of spc.kernel take its matrices in any version")
    spmv("csr")
    _calls.enter()


def disable() -> None:
    """Takes back one call of `enable`; the last one gives SciPy its methods again. Raises RuntimeError where none is left."""
    _calls.leave()


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
    return _calls.is_on


def _version() -> str:
    """SciPy's, as _NAMES has it."""
    return ".".join(scipy.__version__.split(".")[:2])


def _replace() -> None:
    vector, dense, sparse, elements = _NAMES[_version()]
    compressed: Dict[str, Method] = {
        sparse: times_sparse, elements: times_elements, "_binopt": of_two, "sum": summed, "mean": averaged,
        "_min_or_max_axis": extreme, "_get_submatrix": part, "_get_arrayXarray": at_places}
    for class_ in (sp.csr_matrix, sp.bsr_matrix, sp.coo_matrix):
        functions: Dict[str, Method] = {vector: times_vector, dense: times_dense}
        if class_ is sp.csr_matrix:  # whose base is that of csc_matrix, too
            functions.update(compressed)
        elif class_ is sp.coo_matrix:
            functions["sum"] = summed
        for name, function in functions.items():
            owner = next(base for base in class_.__mro__ if name in vars(base))
            _set(owner, name, function)
    _set(importlib.import_module("scipy.sparse._construct"), "_stack_along_minor_axis", beside)


def _give_back() -> None:
    for owner, name, method in _replaced:
        setattr(owner, name, method)
    _replaced.clear()


_calls = Nesting("spc.scipy", _replace, _give_back)


def _set(owner: Any, name: str, function: Method) -> None:
    original = vars(owner)[name]
    _replaced.append((owner, name, original))
    setattr(owner, name, _method(original, function))


def _method(original: Method, function: Method) -> Method:
    """A method that computes by `function`, or by the original one where that returns None."""

    @functools.wraps(original)
    def method(*operands: Any, **named: Any) -> Any:
        result = function(*operands, **named)
        return original(*operands, **named) if result is None else result

    return method
