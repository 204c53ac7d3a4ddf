"""Operands as kernels see them: shapes, types, storage, and the arrays where they lie."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import functools
from dataclasses import replace
from typing import Any, Callable, ClassVar, Dict, List, Optional, Tuple, Union

import numpy as np

from . import dtypes
from .dtypes import Array
from .signature import Level, Storage

#: Which array: ("pointers", level), ("lengths", level), ("indices", level), ("entries", 0) or ("values", 0).
Place = Tuple[str, int]


class View:
    """What a kernel needs of a tensor. No array is copied: the view keeps those alive that it points to.

    shape: extents by dimension.
    type: spc's name of the value type; pointers, indices: of the index types, "" where there are none.
    storage: how it is stored.
    loose: the storage that it has where its entries turn out to be out of order or to repeat; None where it cannot be
    used then, and `mend` says what would put it in order.
    claimed: whether its owner says that entries are in order, which counts where nothing is validated.
    arrays: flat arrays by their place; values of blocks may have more dimensions. A dense operand's has its strides.
    strides: in elements, of dense operands. stored: how many values there are. numbers: the entries of a level,
    ("count", 0), and the entries under each parent, ("width", 1).
    family: which library's object it was, so that results are of the same. owner: that object.
    witness: what tells whether index arrays are those that were validated before: arrays, or numbers.
    """

    __slots__ = ("shape", "type", "storage", "loose", "mend", "claimed", "pointers", "indices", "arrays", "strides",
                 "numbers", "stored", "family", "owner", "witness", "__weakref__")

    def __init__(self, shape: Tuple[int, ...], type_: str, storage: Storage, arrays: Dict[Place, Array],
                 family: str, owner: Any, *, pointers: str = "", indices: str = "", strides: Tuple[int, ...] = (),
                 stored: int = 0, numbers: Optional[Dict[Place, int]] = None, loose: Optional[Storage] = None,
                 mend: str = "", claimed: bool = True, witness: Tuple[Any, ...] = ()):
        self.shape, self.type, self.storage, self.arrays = shape, type_, storage, arrays
        self.loose, self.mend, self.claimed, self.witness = loose, mend, claimed, witness
        self.pointers, self.indices, self.strides, self.stored = pointers, indices, strides, stored
        self.numbers = numbers or {}
        self.family, self.owner = family, owner

    @property
    def spec(self) -> Tuple[Storage, str, str, str]:
        """What a kernel is compiled for: two operands of one spec go to one kernel."""
        return self.storage, self.type, self.pointers, self.indices


class NumberView:
    """What a kernel needs of a number.

    type: spc's name of its type. family: which library's object it was. owner: that object.
    data: the array of order 0 in which it lies, which is read at each call and may be written; None of Python's and NumPy's
    numbers, which do not change.
    """

    __slots__ = ("type", "family", "owner", "data", "__weakref__")

    shape: ClassVar[Tuple[int, ...]] = ()

    def __init__(self, type_: str, family: str, owner: Any, data: Optional[Array] = None):
        self.type, self.family, self.owner, self.data = type_, family, owner, data

    @property
    def number(self) -> Any:
        """Python's or NumPy's number: of an array or a tensor the one that lies there now."""
        if self.data is None:
            return self.owner
        return dtypes.from_bf16(self.data.reshape(1))[0] if self.type == "bf16" else self.data[()]

    @property
    def spec(self) -> Tuple[None, str, str, str]:
        """What a kernel is compiled for."""
        return None, self.type, "", ""


#: What a kernel needs of one operand.
Operand = Union[View, NumberView]


#: Tells, of an object that was an operand, whether it still has the arrays that were bound; if so returns what keeps
#: them alive during a call, else None.
Guard = Callable[[Any], Optional[Any]]


def address(array: Array) -> int:
    """Where an array begins; 0 of one without elements."""
    if not array.size:
        return 0
    try:
        return ctypes.addressof(_memory(array))
    except (BufferError, TypeError, ValueError):  # of arrays that are read-only, or not contiguous
        return int(array.ctypes.data)


_memory: Any = ctypes.c_char.from_buffer  # which takes half of the time of an array's attribute `ctypes`


@functools.lru_cache(maxsize=None)
def dense_storage(order: int, modes: Optional[Tuple[int, ...]] = None) -> Storage:
    """An array with strides, the last of `modes` innermost."""
    return Storage(order, tuple(Level(dim) for dim in (modes or range(order))))


_ragged: Dict[str, Any] = {"storage": "compressed", "extent": "ragged"}


@functools.lru_cache(maxsize=None)
def csr_storage(by_columns: bool = False, canonical: bool = True) -> Storage:
    """Compressed rows, or columns; sorted and without repeats if `canonical`."""
    outer, inner = (1, 0) if by_columns else (0, 1)
    return Storage(2, (Level(outer), Level(inner, **_ragged, ordered=canonical, unique=canonical)))


@functools.lru_cache(maxsize=None)
def batched_csr_storage(by_columns: bool = False, canonical: bool = True) -> Storage:
    """A batch of matrices in compressed rows, or columns, with one run of pointers through all."""
    outer, inner = (2, 1) if by_columns else (1, 2)
    return Storage(3, (Level(0), Level(outer), Level(inner, **_ragged, ordered=canonical, unique=canonical)))


@functools.lru_cache(maxsize=None)
def doubly_compressed_storage(by_columns: bool = False) -> Storage:
    """Compressed rows, or columns, of which only those are listed that hold entries."""
    outer, inner = (1, 0) if by_columns else (0, 1)
    return Storage(2, (Level(outer, **_ragged), Level(inner, **_ragged)))


@functools.lru_cache(maxsize=None)
def coo_storage(order: int, canonical: bool = True, by_columns: bool = False) -> Storage:
    """Coordinates in an array for each dimension. Entries differ in the last one at the latest."""
    dims = range(order)[::-1] if by_columns else range(order)
    levels: List[Level] = [Level(dims[0], **_ragged, unique=order == 1 and canonical, ordered=canonical)]
    for dim in dims[1:]:
        levels.append(Level(dim, storage="compressed", extent="fixed", width="1", ordered=canonical,
                            unique=canonical and dim == dims[-1]))
    return Storage(order, tuple(levels))


@functools.lru_cache(maxsize=None)
def csf_storage(modes: Tuple[int, ...]) -> Storage:
    """Compressed fibers, the last of `modes` innermost."""
    return Storage(len(modes), tuple(Level(dim, **_ragged) for dim in modes))


@functools.lru_cache(maxsize=None)
def bsr_storage(rows: int, columns: int, by_columns: bool = False, canonical: bool = True) -> Storage:
    """Dense blocks, row-major inside, in compressed rows or columns of blocks. A dimension that blocks have once is whole, as
    the compiler has it; of one element they are none."""
    outer, inner = (1, 0) if by_columns else (0, 1)
    size = (rows, columns)
    outermost, listed = [Level(dim, "/", size[dim]) if size[dim] > 1 else Level(dim) for dim in (outer, inner)]
    blocks = replace(listed, **_ragged, ordered=canonical, unique=canonical)
    return Storage(2, (outermost, blocks, *(Level(dim, "%", size[dim]) for dim in (0, 1) if size[dim] > 1)))


def block_of(storage: Storage) -> Tuple[int, int]:
    """The rows and columns of the blocks of a `bsr_storage`."""
    size = {level.dim: level.by for level in storage.levels if level.op == "%"}
    return size.get(0, 1), size.get(1, 1)


@functools.lru_cache(maxsize=None)
def dia_storage(ordered: bool = True) -> Storage:
    """Diagonals j - i, in each the columns: SciPy's."""
    return Storage(2, (Level(1, "-", 0, **_ragged, ordered=ordered), Level(1)))
