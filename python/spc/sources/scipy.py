"""Views of SciPy's sparse arrays and matrices. Imported where SciPy is."""
# SPDX-License-Identifier: Apache-2.0

import functools
from typing import Any

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError, StructureError
from ..storage import dtypes
from ..storage.view import View, bsr_storage, coo_storage, csr_storage, dia_storage
from .arrays import flat, gathered, origin


def read(value: Any) -> View:
    """The view of a matrix of kind csr, csc, coo, bsr or dia. Raises ArgumentTypeError of the others."""
    reader = _KINDS.get(value.format)
    if reader is None:
        raise ArgumentTypeError(f"SciPy's {value.format} format has no arrays that a kernel could read: .tocsr() "
                                "converts")
    return reader(value)


def family_of(value: Any) -> str:
    """Whether results are to be arrays or matrices."""
    class_: Any = type(value)
    return _family_of_class(class_)


@functools.lru_cache(maxsize=256)
def _family_of_class(class_: type) -> str:
    # The classes have no common one that all versions of SciPy name alike.
    return "scipy" if any(base.__name__.endswith("_array") for base in class_.__mro__) else "scipy.matrix"


_FLAGS = ("_has_canonical_format", "_has_sorted_indices")


def noted_of(value: Any) -> int:
    """What SciPy has noted of the order of entries, as a number: its properties would read index arrays, which may be
    wrong. The notes change where a matrix is sorted in place."""
    first, second = (value.__dict__.get(name) for name in _FLAGS)
    return _NOTES[first] * 3 + _NOTES[second]


_NOTES = {None: 0, True: 1, False: 2}


def _claims(noted: int) -> bool:
    """Whether entries are in order, by what is noted."""
    return noted // 3 == 1 or (noted // 3 == 0 and noted % 3 != 2)


def _compressed(value: Any) -> View:
    noted = noted_of(value)
    pointers, indices, values = flat("indptr", value.indptr), flat("indices", value.indices), flat("data", value.data)
    by_columns = value.format == "csc"
    return View(value.shape, dtypes.name_of(values.dtype), csr_storage(by_columns),
                {("pointers", 1): pointers, ("indices", 1): indices, ("values", 0): values}, family_of(value), value,
                loose=csr_storage(by_columns, False), claimed=_claims(noted),
                witness=(origin(indices), origin(pointers), noted),
                pointers=dtypes.index_name_of(pointers.dtype), indices=dtypes.index_name_of(indices.dtype))


def _coo(value: Any) -> View:
    order = len(value.shape)
    places = [value.row, value.col] if order == 2 else list(value.coords)
    values = flat("data", value.data)
    names = [dtypes.index_name_of(array.dtype) for array in places]
    if len(set(names)) > 1:
        raise ArgumentTypeError(f"its rows are of type {names[0]}, and its columns {names[1]}" if order == 2 else
                                f"its coordinates are of types {', '.join(names)}")
    arrays = {("indices", k): gathered(array) for k, array in enumerate(places)}
    # What SciPy calls canonical has no repeats, but is sorted by columns.
    return View(value.shape, dtypes.name_of(values.dtype), coo_storage(order), {**arrays, ("values", 0): values},
                family_of(value), value, loose=coo_storage(order, False), claimed=False,
                witness=tuple([origin(array) for array in places]), pointers=names[0], indices=names[0])


def _vector(value: Any) -> View:
    """A CSR array of one dimension: the coordinates of its entries."""
    noted = noted_of(value)
    indices, values = flat("indices", value.indices), flat("data", value.data)
    name = dtypes.index_name_of(indices.dtype)
    return View(value.shape, dtypes.name_of(values.dtype), coo_storage(1),
                {("indices", 0): indices, ("values", 0): values}, family_of(value), value, loose=coo_storage(1, False),
                claimed=_claims(noted), witness=(origin(indices), noted), pointers=name, indices=name)


def _bsr(value: Any) -> View:
    noted = noted_of(value)
    pointers, indices, values = flat("indptr", value.indptr), flat("indices", value.indices), flat("data", value.data)
    rows, columns = value.blocksize
    if value.shape[0] % rows or value.shape[1] % columns:
        raise ArgumentError(f"blocks of {rows} x {columns} do not divide its shape {value.shape}")
    if (rows, columns) == (1, 1):
        values = values.reshape(-1)
    # SciPy itself makes matrices whose blocks are not sorted.
    strict, loose = [bsr_storage(rows, columns, False, canonical) for canonical in (True, False)]
    return View(value.shape, dtypes.name_of(values.dtype), strict,
                {("pointers", 1): pointers, ("indices", 1): indices, ("values", 0): values}, family_of(value), value,
                loose=loose, claimed=_claims(noted), witness=(origin(indices), origin(pointers), noted),
                pointers=dtypes.index_name_of(pointers.dtype), indices=dtypes.index_name_of(indices.dtype))


def _dia(value: Any) -> View:
    offsets, values = flat("offsets", value.offsets), flat("data", value.data)
    if values.shape[:1] != offsets.shape:
        raise StructureError(f"{values.shape[0]} diagonals have values, and {offsets.size} have offsets")
    if offsets.size and values.shape[1] != value.shape[1]:
        raise ArgumentError(f"its data has {values.shape[1]} columns and the matrix {value.shape[1]}: np.pad() or a "
                            "copied slice make them as many, or copy=True of the kernel")
    # There are so few diagonals that they are looked at whatever is validated.
    if (outside := (offsets <= -value.shape[0]) | (offsets >= value.shape[1])).any():
        place = int(outside.argmax())
        raise StructureError(f"coordinates of level 0: {offsets[place]} at {place} is not from {1 - value.shape[0]} to "
                             f"{value.shape[1] - 1}: .tocsr() leaves such diagonals out, or copy=True of the kernel")
    ordered = bool(np.all(offsets[1:] > offsets[:-1]))
    name = dtypes.index_name_of(offsets.dtype)
    return View(value.shape, dtypes.name_of(values.dtype), dia_storage(ordered),
                {("indices", 0): offsets, ("values", 0): values}, family_of(value), value,
                numbers={("count", 0): offsets.size}, witness=(origin(offsets),), pointers=name, indices=name)


def _csr(value: Any) -> View:
    return _vector(value) if len(value.shape) == 1 else _compressed(value)


_KINDS = {"csr": _csr, "csc": _compressed, "coo": _coo, "bsr": _bsr, "dia": _dia}
