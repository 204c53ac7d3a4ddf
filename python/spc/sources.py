"""From the objects of other libraries to views. Nothing here copies or converts."""
# SPDX-License-Identifier: Apache-2.0

import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import dtypes
from .errors import ArgumentError, ArgumentTypeError
from .view import View, dense_storage

Reader = Callable[[Any], Optional[View]]

#: Each takes an object, and gives its view, or None where the object is none of its own.
READERS: List[Reader] = []

#: Readers by class, of objects that they have read before.
_by_class: Dict[type, Reader] = {}


def reader(function: Reader) -> Reader:
    """Registers a reader; those that were registered first are asked first."""
    READERS.append(function)
    return function


def view_of(value: Any, name: str) -> View:
    """The view of an operand. Raises ArgumentTypeError of objects that nothing is known of, ArgumentError of arrays that
    lie in a way no format says; `name` is the tensor's, for the text."""
    try:
        if (known := _by_class.get(type(value))) is not None and (view := known(value)) is not None:
            return view
        for function in READERS:
            if (view := function(value)) is not None:
                _by_class[type(value)] = function
                return view
    except ArgumentError as error:
        raise type(error)(f"{name}: {error}") from None
    advice = ": np.array() makes an array of it" if isinstance(value, (list, tuple, range)) else ""
    raise ArgumentTypeError(f"{name}: {type(value).__module__}.{type(value).__qualname__} is no array, sparse matrix or "
                            f"number that is understood{advice}")


def dense_modes(array: np.ndarray) -> Optional[Tuple[int, ...]]:
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


@reader
def number(value: Any) -> Optional[View]:
    """Python's and NumPy's numbers, and arrays of order 0, which the view has so that they can be read again and written."""
    if isinstance(value, (bool, int, float, complex)):
        type_ = "bool" if isinstance(value, bool) else "i64" if isinstance(value, int) else \
            "f64" if isinstance(value, float) else "cf64"
        return View((), type_, None, {}, "number", value)
    if isinstance(value, np.generic):
        return View((), dtypes.name_of(value.dtype), None, {}, "number", value)
    if isinstance(value, np.ndarray) and not value.ndim and not isinstance(value, np.ma.MaskedArray):
        return without_dimensions(value, dtypes.name_of(value.dtype), value)
    return None


def without_dimensions(data: np.ndarray, type_: str, owner: Any, family: str = "number") -> View:
    """A view of an array of order 0, whose number is `View.number`."""
    return View((), type_, None, {("values", 0): data}, family, owner)


@reader
def array(value: Any) -> Optional[View]:
    """NumPy's arrays. A subclass that changes what elements are (masked arrays) is refused."""
    if not isinstance(value, np.ndarray):
        return None
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentTypeError("masked arrays have no format: .filled(0) makes a plain one")
    if not value.ndim:
        return None
    return dense(value, dtypes.name_of(value.dtype), "numpy", value)


def dense(data: np.ndarray, type_: str, family: str, owner: Any) -> View:
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


def flat(name: str, data: np.ndarray) -> np.ndarray:
    """The array, which has to be contiguous. Raises ArgumentError."""
    if not data.flags.c_contiguous:
        raise ArgumentError(f"its array {name} is not contiguous: .copy() of the matrix makes it so")
    return data


def origin(array: np.ndarray) -> np.ndarray:
    """Of an array that a result shares, which is read-only there, the operand's; else the array itself."""
    base = array.base
    if array.flags.writeable or not isinstance(base, np.ndarray) or base.shape != array.shape or base.dtype != array.dtype:
        return array
    return base


@reader
def torch(value: Any) -> Optional[View]:
    """PyTorch's tensors in the host's memory."""
    module = sys.modules.get("torch")
    if module is None or not isinstance(value, module.Tensor):
        return None
    from . import sources_torch  # not before there is a tensor: torch takes a second to import
    return sources_torch.read(module, value)


@reader
def scipy(value: Any) -> Optional[View]:
    """SciPy's sparse arrays and matrices."""
    module = sys.modules.get("scipy.sparse")
    if module is None or not module.issparse(value):
        return None
    from . import sources_scipy
    return sources_scipy.read(value)


@reader
def binsparse(value: Any) -> Optional[View]:
    """Dictionaries of arrays in Binsparse's names."""
    if not isinstance(value, dict):
        return None
    from . import sources_binsparse
    return sources_binsparse.read(value)


@reader
def pydata(value: Any) -> Optional[View]:
    """COO and GCXS of pydata/sparse."""
    module = sys.modules.get("sparse")
    kinds = tuple(kind for kind in (getattr(module, name, None) for name in ("COO", "GCXS")) if kind is not None)
    if not kinds or not isinstance(value, kinds):
        return None
    from . import sources_pydata
    return sources_pydata.read(value)


@reader
def exported(value: Any) -> Optional[View]:
    """What exports its memory by DLPack, as the array API has it, or by NumPy's interface, in the host's memory."""
    try:
        if hasattr(value, "__dlpack__"):
            data = np.from_dlpack(value)
        elif hasattr(value, "__array_interface__"):
            data = np.asarray(value)
        else:
            return None
    except (TypeError, BufferError, RuntimeError, ValueError) as error:
        raise ArgumentTypeError(f"its memory cannot be read: {error}") from None
    if not data.ndim:
        return without_dimensions(data, dtypes.name_of(data.dtype), value)
    return dense(data, dtypes.name_of(data.dtype), "numpy", value)
