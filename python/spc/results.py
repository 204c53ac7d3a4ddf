"""Outputs of calls: memory for them, and objects of the library that the operands came from."""
# SPDX-License-Identifier: Apache-2.0

import ctypes
import sys
import weakref
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import dtypes, threads
from .describe import name_of
from .errors import ArgumentError
from .signature import Argument
from .view import View


def take(address: int, count: int, type_: str) -> np.ndarray:
    """An array of what a kernel assembled; the memory goes back to the pool when nothing refers to it any more."""
    dtype = dtypes.NUMPY[type_]
    if not address:
        return np.empty(0, dtype)
    block = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    weakref.finalize(block, threads.release, address).atexit = False
    return np.frombuffer(block, dtype, count)


def assembled(argument: Argument, words) -> View:
    """The view of an assembled output, by the struct that the call has filled."""
    numbers, places = {}, {}
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
            places[field.holds, 0 if field.holds in ("values", "entries") else field.level] = words[k]
    view = View(tuple(shape), argument.type, argument.storage, {}, "", None, pointers=argument.pointers,
                indices=argument.indices, stored=stored, numbers=numbers)
    lengths = lengths_of(view)
    for (holds, level), address in places.items():
        type_ = argument.type if holds == "values" else \
            argument.pointers if holds in ("pointers", "lengths") else argument.indices
        view.arrays[holds, level] = take(address or 0, lengths[holds, level], type_)
    return view


def lengths_of(view: View) -> Dict[Tuple[str, int], int]:
    """How many elements each array of a tensor has, by its numbers alone (docs/abi.md, Structs)."""
    lengths = {("values", 0): view.stored}
    levels = view.storage.levels
    below = [1] * (len(levels) + 1)  # stored values for each entry of a level, where the format says it
    for k in range(len(levels) - 1, -1, -1):
        level = levels[k]
        size = level.by if level.op == "%" else view.shape[level.dim] if level.storage == "dense" else 0
        fixed = size if level.storage == "dense" else int(level.width or 0)
        below[k] = below[k + 1] * fixed
    parents = 1
    for k, level in enumerate(levels):
        if level.storage == "dense":
            size = view.shape[level.dim]
            parents *= -(-size // level.by) if level.op == "/" else level.by if level.op == "%" else size
            continue
        lengths["pointers", k] = parents + 1
        lengths["lengths", k] = parents
        if level.width:
            parents *= int(level.width)
        elif ("count", k) in view.numbers:
            parents = view.numbers["count", k]
        else:
            parents = view.stored // below[k + 1] if below[k + 1] else 0
        lengths["indices", k] = parents
    if ("values", 0) in lengths and not view.stored and all(level.storage == "dense" for level in levels):
        lengths["values", 0] = parents
    return lengths


def wrap(view: View, family: str) -> Any:
    """An object for a sparse result: SciPy's where there is one and the operands were not of another library, else a
    dictionary of arrays in Binsparse's names."""
    if family == "torch":
        from . import sources_torch
        if (made := sources_torch.wrap(sys.modules["torch"], view)) is not None:
            return made
    if family in ("scipy", "torch") and (made := _scipy(view)) is not None:
        return made
    names = {"pointers": "pointers_to_{}", "indices": "indices_{}", "lengths": "lengths_{}"}
    result = {"format": name_of(view.storage), "shape": view.shape}
    for (holds, level), array in sorted(view.arrays.items()):
        result[names[holds].format(level) if holds in names else holds] = array
    return result


def _scipy(view: View) -> Optional[Any]:
    sparse = sys.modules.get("scipy.sparse")
    if sparse is None or len(view.shape) != 2:
        return None
    name = name_of(view.storage)
    arrays = view.arrays
    kind = {"csr": "csr", "csr-unsorted": "csr", "csc": "csc", "csr-unsorted:1,0": "csc"}.get(name)
    if kind:
        make = getattr(sparse, f"{kind}_array", None) or getattr(sparse, f"{kind}_matrix")
        made = make((arrays["values", 0], arrays["indices", 1], arrays["pointers", 1]), shape=view.shape, copy=False)
        if "unsorted" not in name:
            made.has_sorted_indices = made.has_canonical_format = True
        return made
    if name in ("coo", "coo-unsorted"):
        make = getattr(sparse, "coo_array", None) or sparse.coo_matrix
        return make((arrays["values", 0], (arrays["indices", 0], arrays["indices", 1])), shape=view.shape, copy=False)
    if name.startswith("bsr"):
        make = getattr(sparse, "bsr_array", None) or sparse.bsr_matrix
        rows, columns = (level.by for level in view.storage.levels[2:])
        return make((arrays["values", 0].reshape(-1, rows, columns), arrays["indices", 1], arrays["pointers", 1]),
                    shape=view.shape, copy=False)
    return None


def dense_output(argument: Argument, shape: Tuple[int, ...], given: Optional[np.ndarray]) -> np.ndarray:
    """The array that a dense output is written to: a new one, or the caller's, which has to fit as it is."""
    dtype = dtypes.NUMPY[argument.type]
    modes = tuple(level.dim for level in argument.storage.levels)
    if given is None:
        if modes == tuple(range(len(shape))):
            return np.empty(shape, dtype)
        return np.empty(tuple(shape[dim] for dim in modes), dtype).transpose(np.argsort(modes))
    if not isinstance(given, np.ndarray):
        raise ArgumentError(f"{argument.name}: out is to be a NumPy array, not {type(given).__qualname__}")
    if given.shape != shape or given.dtype != dtype:
        raise ArgumentError(f"{argument.name}: out has shape {given.shape} and type {given.dtype.name}, and the result "
                            f"{shape} and {dtype.name}")
    if not given.flags.writeable:
        raise ArgumentError(f"{argument.name}: out cannot be written")
    return given
