"""Results of calls as objects of the library that the operands came from."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import math
import sys
from typing import Any, Callable, Dict, FrozenSet, Optional

import numpy as np

from ..sources.named import NAMED
from ..storage import dtypes
from ..storage.describe import contents_of, name_of
from ..storage.dtypes import Array, DType
from ..storage.signature import TensorArgument
from ..storage.view import Place, View, block_of
from . import threads
from .expand import expanded, is_padded

_BINSPARSE = {storage: name for name, storage in reversed(NAMED.items()) if not storage.is_dense}


class Style:
    """How the results of a call are made.

    family: the library whose objects they are.
    index: of results in an operand's pattern, whose index arrays they have: "own", copies; "fixed", copies that are
    read-only, as the call writes to the same result again; "shared", the operand's, read-only where a library can say so.
    named: the outputs whose format somebody has said, which they keep where the library lacks it.
    """

    __slots__ = ("family", "index", "named")

    def __init__(self, family: str, index: str = "own", named: FrozenSet[str] = frozenset()):
        self.family, self.index, self.named = family, index, named


class _Block:
    """An array of the pool's memory, which goes back with the last NumPy array that views it."""

    __slots__ = ("__array_interface__", "_address", "_release")

    def __init__(self, address: int, count: int, dtype: DType):
        self._address, self._release = address, threads.helper().spc_contexts_release
        self.__array_interface__ = {"version": 3, "data": (address, False), "shape": (count,), "typestr": dtype.str}

    def __del__(self) -> None:
        self._release(self._address)


def take(address: int, count: int, type_: str) -> Array:
    """An array of what a kernel assembled, which then belongs to it; address: 0 of none."""
    dtype = dtypes.NUMPY[type_]
    if not address:
        return np.empty(0, dtype)
    return np.asarray(_Block(address, count, dtype))


#: Bytes: the system clears new memory of more, page by page, at each call.
LARGE = 1 << 20


def empty(shape: Any, dtype: DType) -> Array:
    """A new array without its numbers. Raises MemoryError."""
    count = math.prod(shape)
    if count * dtype.itemsize < LARGE:
        return np.empty(shape, dtype)
    address = threads.helper().spc_contexts_allocate(count * dtype.itemsize)
    if not address:
        raise MemoryError(f"no memory for an array of shape {tuple(shape)}")
    return np.asarray(_Block(address, count, dtype)).reshape(shape)


def copied(array: Array) -> Array:
    """A copy of an array without gaps."""
    if array.nbytes < LARGE:
        return array.copy()
    made = empty(array.shape, array.dtype)
    made[...] = array
    return made


def assembled(argument: TensorArgument, words: Any) -> View:
    """The view of an assembled output, by the struct that the call has filled: its arrays belong to the view."""
    numbers: Dict[Place, int] = {}
    places: Dict[Place, int] = {}
    shape = [0] * len(argument.shape)
    stored = 0
    for k, field in enumerate(argument.fields):
        if field.holds == "size":
            shape[field.dim] = words[k]
        elif field.holds == "stored":
            stored = words[k]
        elif field.holds in ("count", "width"):
            numbers[field.holds, field.level] = words[k]
        else:
            places[field.holds, field.level] = words[k]
    view = View(tuple(shape), argument.type, argument.storage, {}, "", None, pointers=argument.pointers,
                indices=argument.indices, stored=stored, numbers=numbers)
    lengths = lengths_of(view)
    view.stored = lengths["values", 0]  # which some structs have no number for
    for (holds, level), address in places.items():
        type_ = argument.type if holds == "values" else \
            argument.pointers if holds in ("pointers", "lengths") else argument.indices
        view.arrays[holds, level] = take(address, lengths[holds, level], type_)
    return view


def lengths_of(view: View) -> Dict[Place, int]:
    """How many elements each array of a tensor has, by its numbers alone (docs/abi.md, Structs)."""
    levels = view.storage.levels
    below = [1] * (len(levels) + 1)  # values below each entry of a level, where the format says how many
    for k in range(len(levels) - 1, -1, -1):
        level = levels[k]
        is_full = level.storage == "dense" and not level.extent.startswith("ragged")
        size = level.by if level.op == "%" else view.shape[level.dim] if is_full else 0
        below[k] = below[k + 1] * (size if is_full else int(level.width or 0))
    lengths: Dict[Place, int] = {}
    parents = 1
    for k, level in enumerate(levels):
        if level.storage == "dense" and not level.extent.startswith("ragged"):
            parents *= level.size(view.shape)
            continue
        lengths["pointers", k], lengths["lengths", k] = parents + 1, parents
        if level.extent == "fixed":
            parents *= int(level.width or view.numbers["width", k])
        elif ("count", k) in view.numbers:
            parents = view.numbers["count", k]
        else:
            parents = view.stored // below[k + 1] if below[k + 1] else 0
        lengths["indices", k] = parents
    lengths["values", 0] = parents
    lengths["entries", 0] = parents * view.storage.order
    return lengths


_MAY_BE_READ_ONLY = ("scipy", "scipy.matrix", "binsparse")


def patterned(view: View, index: str) -> View:
    """The view of a result that has index arrays of another tensor's, which are copied unless they are to be shared; the
    structures of spc.torch.Matrix never change. index: see Style.

    Where they are to stay as they are, and the library knows arrays that are read-only, they are: methods which change a
    matrix in place raise an error.
    """
    if view.family == "spc.torch":
        return view
    is_fixed = index != "own" and view.family in _MAY_BE_READ_ONLY
    if index != "shared":
        view.owner = None
        if view.family.startswith(("torch", "pydata")) and name_of(view.storage) in _STACKED:
            return view
    elif not is_fixed:
        return view
    for place, array in view.arrays.items():
        if place[0] != "values":
            view.arrays[place] = array = array.view() if index == "shared" else copied(array)
            if is_fixed:
                array.setflags(write=False)
    return view


_STACKED = ("coo", "coo-unsorted", "coo:1,0", "sparse-vector")  # whose coordinates both libraries have in one array


def wrap_dense(array: Array, type_: str, family: str) -> Any:
    """A dense result: a tensor where the operands are torch's, else the array."""
    if family not in ("torch", "spc.torch"):
        return array
    from ..sources import torch as sources_torch
    return sources_torch.tensor(sys.modules["torch"], array, type_)


def wrap_number(value: np.generic, type_: str, family: str) -> Any:
    """A result of order 0: a tensor without dimensions where the operands are torch's, else NumPy's number."""
    if family not in ("torch", "spc.torch"):
        return value
    torch = sys.modules["torch"]
    return torch.tensor(value.item(), dtype=getattr(torch, "bfloat16" if type_ == "bf16" else value.dtype.name))


def wrap(view: View, family: str, is_named: bool = False) -> Any:
    """A sparse result as an object of the family's, which shares the view's arrays; where the family has none for its
    storage, SciPy's; where SciPy has none, coordinates of entries in the family's class, or, if its format is_named, a
    dictionary in Binsparse's names, which may be an operand."""
    if family == "binsparse":
        return _dictionary(view)
    if (make := _makers.get(family)) is not None:
        return make(view)
    if family == "pydata" and not is_named and name_of(view.storage) in ("csr", "csc"):  # of COO, whose result is COO
        view = expanded(view) or view
    made = _wrapped(view, family) if _is_divided(view) else None
    if made is None and not is_named and family != "numpy" and (coordinates := expanded(view)) is not None:
        made = _wrapped(coordinates, family)
    return _dictionary(view) if made is None else made


def maker(family: str, make: Callable[[View], Any]) -> None:
    """From now on, sparse results of a family are what `make` gives for their views, whatever their storage is."""
    _makers[family] = make


#: What makes the results of families that have objects for every storage.
_makers: Dict[str, Callable[[View], Any]] = {}


def is_copied(view: View) -> bool:
    """Whether objects of a view may have other values than the view, which have to be there before."""
    if view.family.startswith("pydata") and name_of(view.storage) not in ("coo", "csr", "csc", "sparse-vector"):
        return True  # as COO sorts what is not in order
    return any(level.op for level in view.storage.levels) and name_of(view.storage) != "dia-cols" and is_padded(view)


def _wrapped(view: View, family: str) -> Optional[Any]:
    """A sparse result as an object of the family's, or SciPy's; None where neither has its storage."""
    if family == "torch":
        from ..sources import torch as sources_torch
        if (made := sources_torch.wrap(sys.modules["torch"], view)) is not None:
            return made
    if family.startswith("pydata") and (made := _pydata(view)) is not None:
        return made
    return _scipy(view, "matrix" if family == "scipy.matrix" else "array")


def _is_divided(view: View) -> bool:
    """Whether blocks divide the shape, as they have to in other libraries."""
    return not any(level.op == "/" and view.shape[level.dim] % level.by for level in view.storage.levels)


def _dictionary(view: View) -> Dict[str, Any]:
    names = {"pointers": "pointers_to_{}", "indices": "indices_{}", "lengths": "lengths_{}"}
    name = _BINSPARSE.get(view.storage) or name_of(view.storage)
    result: Dict[str, Any] = {"format": contents_of(view.storage) if " " in name else name, "shape": view.shape}
    for (holds, level), array in sorted(view.arrays.items()):
        result[names[holds].format(level) if holds in names else holds] = array
    return result


def _pydata(view: View) -> Optional[Any]:
    sparse, arrays, name = sys.modules["sparse"], view.arrays, name_of(view.storage)
    if name in ("csr", "csc"):
        return sparse.GCXS((arrays["values", 0], arrays["indices", 1], arrays["pointers", 1]), shape=view.shape,
                           compressed_axes=(0,) if name == "csr" else (1,))
    if name in ("coo", "coo-unsorted", "sparse-vector"):
        places, in_order = np.stack([arrays["indices", k] for k in range(len(view.shape))]), name != "coo-unsorted"
        return sparse.COO(places, arrays["values", 0], shape=view.shape, has_duplicates=not in_order, sorted=in_order)
    return None


def _scipy(view: View, kind: str) -> Optional[Any]:
    """SciPy's array or matrix of a result, whose arrays are the view's; None where it has none."""
    if view.type in ("f16", "bf16") or view.indices not in ("i32", "i64"):
        return None
    try:
        from scipy import sparse
    except ImportError:
        return None
    name, arrays = name_of(view.storage), view.arrays
    if len(view.shape) != 2:
        return _coordinates(sparse, view) if kind == "array" and name in _LISTED else None
    values = arrays["values", 0]
    if name in ("coo", "coo-unsorted"):
        parts = (values, (arrays["indices", 0], arrays["indices", 1]))
        made = getattr(sparse, f"coo_{kind}")(parts, shape=view.shape, copy=False)
        made.row, made.col = parts[1]
        return made
    if name == "dia-cols":
        values = values.reshape(-1, view.shape[1])
        made = getattr(sparse, f"dia_{kind}")((values, arrays["indices", 0]), shape=view.shape, copy=False)
        made.offsets = arrays["indices", 0]
        return made
    form = {"csr": "csr", "csr-unsorted": "csr", "csc": "csc", "csr-unsorted:1,0": "csc"}.get(name)
    if name.startswith("bsr "):
        form, values = "bsr", values.reshape(-1, *block_of(view.storage))
    if form is None or view.pointers != view.indices:
        return None
    made = _compressed(getattr(sparse, f"{form}_{kind}"), view.shape, values, arrays["indices", 1], arrays["pointers", 1])
    if "unsorted" not in name:
        made.has_sorted_indices = made.has_canonical_format = True
    return made


def _coordinates(sparse: Any, view: View) -> Optional[Any]:
    """SciPy's array of coordinates of a result that is no matrix; None where its version has none."""
    if not _has_order(sparse, len(view.shape)):
        return None
    places = tuple([view.arrays["indices", k] for k in range(len(view.shape))])
    made = sparse.coo_array((view.arrays["values", 0], places), shape=view.shape, copy=False)
    made.coords = places
    return made


@functools.lru_cache(maxsize=None)
def _has_order(sparse: Any, order: int) -> bool:
    """Whether SciPy has sparse arrays of so many dimensions."""
    try:
        return order > 0 and bool(sparse.coo_array((1,) * order).ndim == order)
    except (TypeError, ValueError):
        return False


_LISTED = ("coo", "coo-unsorted", "sparse-vector")  # with an array of coordinates for each dimension, in their order

_EMPTY: Dict[type, Dict[str, Any]] = {}  # what a matrix has besides its arrays, by its class


def _compressed(class_: Any, shape: Any, values: Array, indices: Array, pointers: Array) -> Any:
    """A matrix of SciPy's that has these arrays. Its constructor looks through the structure, which the kernel has made,
    in 25 microseconds, and would convert 64-bit indices to 32 bits where these suffice."""
    if class_ not in _EMPTY:
        parts = vars(class_((values, indices, pointers), shape=shape, copy=False))
        _EMPTY[class_] = {name: part for name, part in parts.items()
                          if name not in ("data", "indices", "indptr") and not name.startswith("_has")}
    if "_shape" in _EMPTY[class_]:
        made = class_.__new__(class_)
        vars(made).update(_EMPTY[class_], _shape=shape)
    else:  # a SciPy that keeps shapes elsewhere
        made = class_((values, indices, pointers), shape=shape, copy=False)
    made.data, made.indices, made.indptr = values, indices, pointers
    return made
