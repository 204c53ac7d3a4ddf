"""Operands as kernels see them: shapes, types, storage, and the arrays where they lie."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .signature import Level, Storage


class View:
    """What a kernel needs of one operand. No array is copied: the view keeps those alive that it points to.

    storage: how it is stored; None of a plain number.
    type: spc's name of the value type; pointers, indices: of the index types, "" where there are none.
    arrays: by what they hold and the level, as in a signature's fields: ("indices", 1), ("values", 0).
    strides: in elements, of dense operands. counts: entries of a level, ("count", 0); widths likewise.
    family: which library's object it was, so that results are of the same.
    """

    __slots__ = ("shape", "type", "storage", "pointers", "indices", "arrays", "strides", "numbers", "stored", "family",
                 "owner")

    def __init__(self, shape: Tuple[int, ...], type_: str, storage: Optional[Storage],
                 arrays: Dict[Tuple[str, int], np.ndarray], family: str, owner: Any, *, pointers: str = "",
                 indices: str = "", strides: Tuple[int, ...] = (), stored: int = 0,
                 numbers: Optional[Dict[Tuple[str, int], int]] = None):
        self.shape, self.type, self.storage, self.arrays = shape, type_, storage, arrays
        self.pointers, self.indices, self.strides, self.stored = pointers, indices, strides, stored
        self.numbers = numbers or {}
        self.family, self.owner = family, owner

    @property
    def spec(self):
        """What a kernel is compiled for: two operands of one spec go to one kernel."""
        return self.storage, self.type, self.pointers, self.indices


def address(array: np.ndarray) -> int:
    """Where an array begins; 0 of one without elements."""
    return array.__array_interface__["data"][0] if array.size else 0


def dense_storage(order: int, modes: Optional[Tuple[int, ...]] = None) -> Storage:
    """An array with strides, the last of `modes` innermost."""
    return Storage(order, tuple(Level(dim) for dim in (modes or range(order))))


_ragged = dict(storage="compressed", extent="ragged")


def csr_storage(by_columns: bool = False, canonical: bool = True) -> Storage:
    """Compressed rows, or columns; sorted and without repeats if `canonical`."""
    outer, inner = (1, 0) if by_columns else (0, 1)
    return Storage(2, (Level(outer), Level(inner, **_ragged, ordered=canonical, unique=canonical)))


def coo_storage(order: int, canonical: bool = True) -> Storage:
    """Coordinates in an array for each dimension."""
    levels: List[Level] = [Level(0, **_ragged, unique=order == 1 and canonical, ordered=canonical)]
    for dim in range(1, order):
        levels.append(Level(dim, storage="compressed", extent="fixed", width="1", ordered=canonical,
                            unique=canonical))
    return Storage(order, tuple(levels))


def bsr_storage(rows: int, columns: int, by_columns: bool = False) -> Storage:
    """Dense blocks, row-major inside."""
    outer, inner = (1, 0) if by_columns else (0, 1)
    size = (rows, columns)
    return Storage(2, (Level(outer, "/", size[outer]), Level(inner, "/", size[inner], **_ragged),
                       Level(0, "%", rows), Level(1, "%", columns)))


def dia_storage(ordered: bool) -> Storage:
    """Diagonals j - i, in each the columns: SciPy's."""
    return Storage(2, (Level(1, "-", 0, **_ragged, ordered=ordered), Level(1)))
