"""Views of dictionaries of arrays: Binsparse's names, and the storage of any format file."""
# SPDX-License-Identifier: Apache-2.0

import math
import sys
from typing import Any, Dict, Mapping, Tuple

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from ..storage import dtypes
from ..storage.dtypes import Array
from ..storage.shape import checked_shape
from ..storage.signature import Level, Storage
from ..storage.view import Place, View
from .arrays import flat
from .named import loose_of, storage_of


def read(value: Mapping[str, Any]) -> View:
    """The view of a dictionary with `format`, `shape`, `values`, and, of each level that has them, `pointers_to_1`,
    `lengths_1`, `indices_1`.

    The format is a name, Binsparse's or spc's, or the contents of a format file. What a descriptor says may as well stand in a
    dictionary under "binsparse". Raises ArgumentTypeError of other dictionaries, ArgumentError where an array is missing.
    """
    descriptor = value.get("binsparse", value)
    if not isinstance(descriptor, Mapping):
        raise ArgumentTypeError("what a dictionary has under 'binsparse' is to be one, too")
    if "format" not in descriptor or "shape" not in descriptor or "values" not in value:
        raise ArgumentTypeError("a dictionary needs 'format', 'shape' and 'values', in Binsparse's names")
    shape = checked_shape(descriptor["shape"])
    storage = storage_of(descriptor["format"], len(shape))
    for said in (descriptor, value):
        _check_meaning(said, value)
    values, type_ = _values(value["values"])
    if storage.is_dense:
        return _dense(value, values, type_, shape, storage)
    arrays: Dict[Place, Array] = {("values", 0): flat("values", values)}
    for k, level in enumerate(storage.levels):
        if level.storage != "dense":
            _read_level(value, k, level, arrays)
    pointers = {array.dtype for (holds, _), array in arrays.items() if holds in ("pointers", "lengths")}
    indices = {array.dtype for (holds, _), array in arrays.items() if holds == "indices"}
    if len(pointers) > 1 or len(indices) != 1:
        raise ArgumentTypeError("all arrays of indices have to be of one type, and so have those of pointers")
    index = dtypes.index_name_of(indices.pop())
    return View(shape, type_, storage, arrays, "binsparse", value, loose=loose_of(storage),
                pointers=dtypes.index_name_of(pointers.pop()) if pointers else index, indices=index,
                numbers=_numbers(storage, shape, arrays),
                witness=tuple(arrays[place] for place in sorted(arrays) if place[0] != "values"))


def _check_meaning(said: Mapping[str, Any], value: Mapping[str, Any]) -> None:
    """Refuses what would make of the arrays another tensor than they hold: mirror images, other values for what is missing,
    values in another shape."""
    if (structure := said.get("structure", "general")) not in ("general", None):
        raise ArgumentError(f"its structure is {structure!r}, and half of its entries are not stored: a dictionary with all "
                            "of them, and without 'structure', is read")
    fill = np.asarray(value.get("fill_value", said.get("fill_value", 0)))
    if said.get("fill") and np.any(fill != 0):
        raise ArgumentError(f"its missing entries are {fill.ravel()[0]}, and kernels take them for 0")
    types = said.get("data_types", {})
    kind = str(types.get("values", "")) if isinstance(types, Mapping) else ""
    if kind.startswith("iso") or kind.startswith("complex[") and _values(value["values"])[0].dtype.kind != "c":
        advice = "np.full() makes an array of it" if kind.startswith("iso") else ".view() makes one array of complex numbers"
        raise ArgumentError(f"its values are of type {kind!r}: {advice}, beside which it is to say another type or none")


def _values(said: Any) -> Tuple[Array, str]:
    """Values as an array, and their type: they may be a tensor."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(said, torch.Tensor):
        from . import torch as sources_torch
        return sources_torch.numbers(torch, said)
    values = _array("values", said)
    return values, dtypes.name_of(values.dtype)


def _array(name: str, said: Any) -> Array:
    """Raises ArgumentTypeError of lists that differ in length."""
    try:
        return np.asarray(said)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{name!r} is no array: {error}") from None


def _dense(value: Mapping[str, Any], values: Array, type_: str, shape: Tuple[int, ...], storage: Storage) -> View:
    """Dense formats have their values one after the other."""
    count = math.prod(shape)
    if values.size != count:
        raise ArgumentError(f"{values.size} values, and shape {shape} has {count}")
    modes = [level.dim for level in storage.levels]
    data = flat("values", values).reshape([shape[dim] for dim in modes]).transpose(np.argsort(modes))
    strides = tuple(stride // data.itemsize for stride in data.strides)
    return View(shape, type_, storage, {("values", 0): data}, "numpy", value, strides=strides)


def _read_level(value: Mapping[str, Any], level: int, said: Level, arrays: Dict[Place, Array]) -> None:
    """Takes the arrays of one level: pointers where it has segments that differ, and indices."""
    wanted = [("indices", "indices_{}")]
    if said.extent == "ragged" and level:
        wanted.append(("pointers", "pointers_to_{}"))
    if said.extent == "ragged-lengths":
        wanted.append(("lengths", "lengths_{}"))
    for holds, name in wanted:
        if name.format(level) not in value:
            raise ArgumentError(f"{name.format(level)!r} is missing")
        arrays[holds, level] = flat(name.format(level), _array(name.format(level), value[name.format(level)]))


def _numbers(storage: Storage, shape: Tuple[int, ...], arrays: Dict[Place, Array]) -> Dict[Place, int]:
    """Counts and widths, which follow from how long the arrays are."""
    numbers: Dict[Place, int] = {}
    parents = 1
    for k, level in enumerate(storage.levels):
        if level.storage == "dense":
            parents *= level.size(shape)
            continue
        count = arrays["indices", k].size
        numbers["count", k] = count
        numbers["width", k] = int(level.width) if level.width else count // parents if parents else 0
        parents = count
    return numbers
