"""Results in storage that a library lacks, as coordinates, which each has."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Dict, List, Optional, Union

import numpy as np

from ..storage.dtypes import Array, DType
from ..storage.signature import Level
from ..storage.view import View, coo_storage


def expanded(view: View) -> Optional[View]:
    """A result with a coordinate of each dimension for each entry, in the order in which entries are stored, which share
    the result's values unless some are padding; None of storage that keeps no coordinate of each entry, as triangles do.

    Such a view is sorted by rows, and says so, where the result is.
    """
    coordinates = _coordinates(view)
    if coordinates is None:
        return None
    values = view.arrays["values", 0].reshape(-1)
    shape = view.shape
    if is_padded(view):
        inside = np.logical_and.reduce([(array >= 0) & (array < size) for array, size in zip(coordinates, shape)])
        coordinates, values = [array[inside] for array in coordinates], values[inside]
    arrays = {("indices", dim): array for dim, array in enumerate(coordinates)}
    return View(shape, view.type, coo_storage(len(shape), _is_in_order(view)), {**arrays, ("values", 0): values},
                view.family, None, pointers=view.indices, indices=view.indices, stored=values.size)


def is_padded(view: View) -> bool:
    """Whether some values have no place in the shape: diagonals and blocks reach beyond it."""
    return any(level.op == "-" or level.op == "/" and view.shape[level.dim] % level.by for level in view.storage.levels)


def _coordinates(view: View) -> Optional[List[Array]]:
    """The coordinates of all that is stored, by dimension; of padding, they are outside of the shape."""
    known: Dict[int, Array] = {}  # by dimension, and those of diagonals at -1
    parents = 1
    levels = view.storage.levels
    for k, level in enumerate(levels):
        if (repeats := _repeats(view, k, level)) is None:
            return None
        own = view.arrays.get(("indices", k))
        if own is None:
            own = np.tile(np.arange(level.size(view.shape), dtype=_index_type(view)), parents)
        known = {dim: _repeated(array, repeats) for dim, array in known.items()}
        if level.op == "-":
            known[-1] = own
        else:
            mine = own * own.dtype.type(level.by) if level.op == "/" else own
            known[level.dim] = known[level.dim] + mine if level.dim in known else mine
        parents = own.size
    for level in levels:
        if level.op == "-":  # dim - by is the number of the diagonal
            missing, sign = (level.dim, 1) if level.by in known else (level.by, -1)
            known[missing] = known[level.by + level.dim - missing] + sign * known[-1]
    return [known[dim] for dim in range(len(view.shape))]


def _repeats(view: View, k: int, level: Level) -> Optional[Union[Array, int]]:
    """How many entries of a level lie below each of the one above it: one number, or one for each; None of levels that
    have no coordinate of their own for each entry."""
    if view.storage.symmetric or view.storage.layout:
        return None
    if level.storage == "dense":
        return level.size(view.shape) if level.extent == "full" else None
    if (pointers := view.arrays.get(("pointers", k))) is not None:
        return np.diff(pointers)
    if (lengths := view.arrays.get(("lengths", k))) is not None:
        return lengths
    if level.extent == "fixed":
        return int(level.width or view.numbers["width", k])
    return 1 if k == 0 else None


def _repeated(array: Array, repeats: Union[Array, int]) -> Array:
    return array if isinstance(repeats, int) and repeats == 1 else np.repeat(array, repeats)


def _index_type(view: View) -> DType:
    return next(array.dtype for (holds, _), array in view.arrays.items() if holds == "indices")


def _is_in_order(view: View) -> bool:
    """Whether entries come in the order of their rows, and none twice."""
    levels = view.storage.levels
    last = levels[-1]
    return [level.dim for level in levels] == list(range(len(view.shape))) and all(not level.op for level in levels) and \
        last.ordered and last.unique and all(level.ordered for level in levels)
