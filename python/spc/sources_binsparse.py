"""Views of dictionaries of arrays: Binsparse's names, and the storage of any format file."""
# SPDX-License-Identifier: Apache-2.0

import operator
import sys
from typing import Any, Dict, Mapping, Tuple

import numpy as np

from . import dtypes
from .errors import ArgumentError, ArgumentTypeError, CompilerError
from .signature import Level, Storage, parse_storage
from .sources import flat
from .view import Place, View, coo_storage, csr_storage, dense_storage, doubly_compressed_storage

#: Binsparse's formats of two dimensions and one; those of coordinates are for any order.
NAMED: Dict[str, Storage] = {
    "CSR": csr_storage(), "CSC": csr_storage(by_columns=True), "DCSR": doubly_compressed_storage(),
    "DCSC": doubly_compressed_storage(by_columns=True), "COO": coo_storage(2), "COOR": coo_storage(2),
    "COOC": coo_storage(2, by_columns=True), "CVEC": coo_storage(1), "DVEC": dense_storage(1),
    "DMAT": dense_storage(2), "DMATR": dense_storage(2), "DMATC": dense_storage(2, (1, 0)),
}
_LOOSE = {csr_storage(): csr_storage(False, False), csr_storage(True): csr_storage(True, False),
          coo_storage(2): coo_storage(2, False)}


def read(value: Mapping[str, Any]) -> View:
    """The view of a dictionary with `format`, `shape`, `values`, and, of each level that has them, `pointers_to_1`,
    `lengths_1`, `indices_1`.

    The format is a name of Binsparse's, or the contents of a format file. What a descriptor says may as well stand in a
    dictionary under "binsparse". Raises ArgumentTypeError of other dictionaries, ArgumentError where an array is missing.
    """
    descriptor = value.get("binsparse", value)
    if not isinstance(descriptor, Mapping):
        raise ArgumentTypeError("what a dictionary has under 'binsparse' is to be one, too")
    if "format" not in descriptor or "shape" not in descriptor or "values" not in value:
        raise ArgumentTypeError("a dictionary needs 'format', 'shape' and 'values', in Binsparse's names")
    storage = _storage(descriptor["format"])
    for said in (descriptor, value):
        _check_meaning(said, value)
    shape = _shape(descriptor["shape"])
    if len(shape) != storage.order:
        raise ArgumentError(f"shape {shape} is of order {len(shape)}, and the format of order {storage.order}")
    values, type_ = _values(value["values"])
    if storage.is_dense:
        return _dense(value, values, type_, shape, storage)
    arrays: Dict[Place, np.ndarray] = {("values", 0): flat("values", values)}
    for level, said in enumerate(storage.levels):
        if said.storage == "dense":
            continue
        _read_level(value, level, said, arrays)
    pointers = {array.dtype for (holds, _), array in arrays.items() if holds in ("pointers", "lengths")}
    indices = {array.dtype for (holds, _), array in arrays.items() if holds == "indices"}
    if len(pointers) > 1 or len(indices) != 1:
        raise ArgumentTypeError("all arrays of indices have to be of one type, and so have those of pointers")
    index = dtypes.index_name_of(indices.pop())
    return View(shape, type_, storage, arrays, "binsparse", value, loose=_LOOSE.get(storage),
                pointers=dtypes.index_name_of(pointers.pop()) if pointers else index, indices=index,
                numbers=_numbers(storage, shape, arrays),
                witness=tuple(arrays[place] for place in sorted(arrays) if place[0] != "values"))


def _shape(said: Any) -> Tuple[int, ...]:
    try:
        return tuple([operator.index(size) for size in said])
    except TypeError:
        raise ArgumentTypeError(f"shape {said!r} is no list of integers") from None


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


def _storage(said: Any) -> Storage:
    if isinstance(said, str):
        if (storage := NAMED.get(said.upper())) is not None:
            return storage
        raise ArgumentTypeError(f"Binsparse's format {said!r} is none of {', '.join(NAMED)}")
    try:
        storage = parse_storage(said)
    except (KeyError, TypeError, ValueError, CompilerError) as error:
        raise ArgumentTypeError(f"its format is no format file's contents: {error!r}") from None
    if storage.layout or storage.symmetric or any(
            level.extent not in ("full", "ragged", "ragged-lengths", "fixed") or
            (level.storage == "dense" and level.extent != "full") for level in storage.levels):
        raise ArgumentTypeError("formats of triangles, ragged dense rows and interleaved coordinates are not passed from "
                                "Python")
    return storage


def _values(said: Any) -> Tuple[np.ndarray, str]:
    """Values as an array, and their type: they may be a tensor."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(said, torch.Tensor):
        from . import sources_torch
        return sources_torch.numbers(torch, said)
    values = np.asarray(said)
    return values, dtypes.name_of(values.dtype)


def _dense(value: Mapping[str, Any], values: np.ndarray, type_: str, shape: Tuple[int, ...], storage: Storage) -> View:
    """Dense formats have their values one after the other."""
    count = int(np.prod(shape, dtype=np.int64))
    if values.size != count:
        raise ArgumentError(f"{values.size} values, and shape {shape} has {count}")
    modes = [level.dim for level in storage.levels]
    data = flat("values", values).reshape([shape[dim] for dim in modes]).transpose(np.argsort(modes))
    strides = tuple(stride // data.itemsize for stride in data.strides)
    return View(shape, type_, storage, {("values", 0): data}, "numpy", value, strides=strides)


def _read_level(value: Mapping[str, Any], level: int, said: Level, arrays: Dict[Place, np.ndarray]) -> None:
    """Takes the arrays of one level: pointers where it has segments that differ, and indices."""
    wanted = [("indices", "indices_{}")]
    if said.extent == "ragged" and level:
        wanted.append(("pointers", "pointers_to_{}"))
    if said.extent == "ragged-lengths":
        wanted.append(("lengths", "lengths_{}"))
    for holds, name in wanted:
        if name.format(level) not in value:
            raise ArgumentError(f"{name.format(level)!r} is missing")
        array = np.asarray(value[name.format(level)])
        arrays[holds, level] = flat(name.format(level), array)


def _numbers(storage: Storage, shape: Tuple[int, ...], arrays: Dict[Place, np.ndarray]) -> Dict[Place, int]:
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
