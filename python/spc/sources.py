"""From the objects of other libraries to views. Nothing here copies or converts."""
# SPDX-License-Identifier: Apache-2.0

import sys
from typing import Any, Callable, List, Optional

import numpy as np

from . import dtypes
from .errors import ArgumentError, ArgumentTypeError
from .view import View, bsr_storage, coo_storage, csr_storage, dense_storage, dia_storage

#: Each takes an object, and gives its view, or None where the object is none of its own.
READERS: List[Callable[[Any], Optional[View]]] = []


def _reader(function):
    READERS.append(function)
    return function


def view_of(value: Any, name: str) -> View:
    """The view of an operand. Raises ArgumentTypeError of objects that nothing is known of, ArgumentError of arrays that
    lie in a way no format says; `name` is the tensor's, for the text."""
    try:
        for reader in READERS:
            if (view := reader(value)) is not None:
                return view
    except ArgumentError as error:
        raise type(error)(f"{name}: {error}") from None
    raise ArgumentTypeError(f"{name}: {type(value).__module__}.{type(value).__qualname__} is no array, sparse matrix or "
                            "number that is understood")


def dense_modes(array: np.ndarray):
    """The dimensions from the outermost to the innermost, whose elements have to lie side by side; None where no
    dimension's do. Row-major order where that is possible."""
    order = array.ndim
    wide = [dim for dim in range(order) if array.shape[dim] > 1]
    last = order - 1
    if array.size == 0 or not wide or array.shape[last] <= 1 or array.strides[last] == array.itemsize:
        return tuple(range(order))
    inner = [dim for dim in wide if array.strides[dim] == array.itemsize]
    if not inner:
        return None
    outer = sorted((dim for dim in range(order) if dim != inner[-1]), key=lambda dim: (-abs(array.strides[dim]), dim))
    return (*outer, inner[-1])


@_reader
def number(value) -> Optional[View]:
    """Python's and NumPy's numbers, and arrays of order 0."""
    if isinstance(value, (bool, int, float, complex)):
        type_ = "bool" if isinstance(value, bool) else "i64" if isinstance(value, int) else \
            "f64" if isinstance(value, float) else "cf64"
        return View((), type_, None, {}, "number", value)
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return View((), dtypes.name_of(value.dtype), None, {}, "number", value[()])
    return None


@_reader
def array(value) -> Optional[View]:
    """NumPy's arrays. A subclass that changes what elements are (masked arrays) is refused."""
    if not isinstance(value, np.ndarray):
        return None
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentTypeError("masked arrays have no format: .filled(0) makes a plain one")
    return dense(value, dtypes.name_of(value.dtype), "numpy", value)


def dense(data: np.ndarray, type_: str, family: str, owner) -> View:
    """A view of an array with strides."""
    if any(stride % data.itemsize for stride in data.strides):
        raise ArgumentError(f"strides of {data.strides} bytes are no multiples of an element's {data.itemsize}: "
                            "np.ascontiguousarray() copies")
    modes = dense_modes(data)
    if modes is None:
        raise ArgumentError(f"an array of shape {data.shape} with strides {data.strides} has no dimension whose elements "
                            "lie side by side: np.ascontiguousarray() copies")
    return View(data.shape, type_, dense_storage(data.ndim, modes), {("values", 0): data}, family, owner,
                strides=tuple(stride // data.itemsize for stride in data.strides))


def _flat(name: str, data: np.ndarray) -> np.ndarray:
    if not data.flags.c_contiguous:
        raise ArgumentError(f"its array {name} is not contiguous: .copy() of the matrix makes it so")
    return data


def _index_types(pointers: np.ndarray, indices: np.ndarray):
    return dict(pointers=dtypes.index_name_of(pointers.dtype), indices=dtypes.index_name_of(indices.dtype))


@_reader
def torch(value) -> Optional[View]:
    """PyTorch's tensors in the host's memory."""
    module = sys.modules.get("torch")
    if module is None or not isinstance(value, module.Tensor):
        return None
    from . import sources_torch  # not before there is a tensor: torch takes a second to import
    return sources_torch.read(module, value)


@_reader
def scipy(value) -> Optional[View]:
    """SciPy's sparse arrays and matrices."""
    module = sys.modules.get("scipy.sparse")
    if module is None or not module.issparse(value):
        return None
    reader = _SCIPY.get(value.format)
    if reader is None:
        raise ArgumentTypeError(f"SciPy's {value.format} format has no arrays that a kernel could read: .tocsr() "
                                "converts")
    return reader(value)


def _scipy_compressed(value) -> View:
    pointers, indices, values = value.indptr, value.indices, value.data
    storage = csr_storage(value.format == "csc", value.has_canonical_format)
    arrays = {("pointers", 1): _flat("indptr", pointers), ("indices", 1): _flat("indices", indices),
              ("values", 0): _flat("data", values)}
    return View(value.shape, dtypes.name_of(values.dtype), storage, arrays, "scipy", value,
                stored=int(pointers[-1]) if pointers.size else 0, **_index_types(pointers, indices))


def _scipy_coo(value) -> View:
    rows, columns, values = value.row, value.col, value.data
    # SciPy's flag says that there are no repeats, and of the order that sum_duplicates() leaves: by columns.
    arrays = {("indices", 0): _flat("row", rows), ("indices", 1): _flat("col", columns),
              ("values", 0): _flat("data", values)}
    name = dtypes.index_name_of(rows.dtype)
    return View(value.shape, dtypes.name_of(values.dtype), coo_storage(2, False), arrays, "scipy", value,
                stored=values.size, pointers=name, indices=name)


def _scipy_bsr(value) -> View:
    pointers, indices, values = value.indptr, value.indices, value.data
    if not value.has_canonical_format:
        raise ArgumentError("its blocks are not sorted, or repeat: .sum_duplicates() and .sort_indices() mend it")
    arrays = {("pointers", 1): _flat("indptr", pointers), ("indices", 1): _flat("indices", indices),
              ("values", 0): _flat("data", values)}
    # Blocks of one element are none.
    storage = csr_storage() if value.blocksize == (1, 1) else bsr_storage(*value.blocksize)
    return View(value.shape, dtypes.name_of(values.dtype), storage, arrays, "scipy", value,
                stored=values.size, **_index_types(pointers, indices))


def _scipy_dia(value) -> View:
    offsets, values = value.offsets, value.data
    if values.shape[1] != value.shape[1]:
        raise ArgumentError(f"its data has {values.shape[1]} columns and the matrix {value.shape[1]}: pad or cut it to as "
                            "many")
    ordered = bool(np.all(offsets[1:] > offsets[:-1]))
    arrays = {("indices", 0): _flat("offsets", offsets), ("values", 0): _flat("data", values)}
    name = dtypes.index_name_of(offsets.dtype)
    return View(value.shape, dtypes.name_of(values.dtype), dia_storage(ordered), arrays, "scipy", value,
                stored=values.size, numbers={("count", 0): offsets.size}, pointers=name, indices=name)


_SCIPY = {"csr": _scipy_compressed, "csc": _scipy_compressed, "coo": _scipy_coo, "bsr": _scipy_bsr, "dia": _scipy_dia}


@_reader
def binsparse(value) -> Optional[View]:
    """Dictionaries of arrays in Binsparse's names: format, shape, values, and pointers_to_k and indices_k of levels."""
    if not isinstance(value, dict) or "format" not in value:
        return None
    known = {"CSR": csr_storage(), "CSC": csr_storage(by_columns=True), "COO": coo_storage(2), "COOR": coo_storage(2)}
    storage = known.get(str(value["format"]).upper())
    if storage is None:
        raise ArgumentTypeError(f"Binsparse's format {value['format']!r} is none of {', '.join(known)}")
    arrays = {("values", 0): _flat("values", np.asarray(value["values"]))}
    for holds, name in (("pointers", "pointers_to_{}"), ("indices", "indices_{}")):
        for level in range(2):
            if name.format(level) in value:
                arrays[holds, level] = _flat(name.format(level), np.asarray(value[name.format(level)]))
    pointers = arrays.get(("pointers", 1), arrays["indices", 1])
    return View(tuple(value["shape"]), dtypes.name_of(arrays["values", 0].dtype), storage, arrays, "binsparse", value,
                stored=arrays["values", 0].size, **_index_types(pointers, arrays["indices", 1]))


@_reader
def pydata(value) -> Optional[View]:
    """COO and GCXS of pydata/sparse."""
    module = sys.modules.get("sparse")
    if module is None or not isinstance(value, (module.COO, module.GCXS)):
        return None
    if value.fill_value != 0:
        raise ArgumentError(f"missing entries are {value.fill_value}, and kernels take them for 0")
    if isinstance(value, module.COO):
        # Its coordinates are sorted, and do not repeat.
        arrays = {("indices", k): _flat("coords", value.coords[k]) for k in range(value.ndim)}
        arrays["values", 0] = _flat("data", value.data)
        name = dtypes.index_name_of(value.coords.dtype)
        return View(value.shape, dtypes.name_of(value.data.dtype), coo_storage(value.ndim), arrays, "pydata", value,
                    stored=value.data.size, pointers=name, indices=name)
    if value.ndim != 2:
        raise ArgumentError(f"GCXS of {value.ndim} dimensions has no format: .tocoo() converts")
    arrays = {("pointers", 1): _flat("indptr", value.indptr), ("indices", 1): _flat("indices", value.indices),
              ("values", 0): _flat("data", value.data)}
    return View(value.shape, dtypes.name_of(value.data.dtype), csr_storage(value.compressed_axes == (1,)), arrays,
                "pydata", value, stored=value.data.size, **_index_types(value.indptr, value.indices))


@_reader
def exported(value) -> Optional[View]:
    """What exports its memory by DLPack, in the host's memory."""
    if not hasattr(value, "__dlpack__"):
        return None
    try:
        data = np.from_dlpack(value)
    except (TypeError, BufferError, RuntimeError, ValueError) as error:
        raise ArgumentTypeError(f"its memory cannot be read: {error}") from None
    return dense(data, dtypes.name_of(data.dtype), "numpy", value)
