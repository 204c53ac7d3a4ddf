"""Whether the index arrays of a sparse operand are what its format says: kernels trust them."""
# SPDX-License-Identifier: Apache-2.0

from typing import Tuple

import numpy as np

from .errors import StructureError
from .signature import Level
from .view import View


def validate(view: View, name: str):
    """Reads each index array once. Raises StructureError with the first place that is wrong; `name` is for its text."""
    if view.storage is None or view.storage.is_dense:
        return
    parents = 1
    for k, level in enumerate(view.storage.levels):
        low, high = _range(level, view.shape)
        if level.storage == "dense":
            parents *= high - low
            continue
        indices = view.arrays["indices", k]
        if ("pointers", k) in view.arrays:
            pointers = view.arrays["pointers", k]
            _check_pointers(pointers, parents, indices.size, f"{name}: pointers of level {k}")
            starts = pointers
        else:
            starts = None
            if level.width and indices.size != parents * int(level.width):
                raise StructureError(f"{name}: {indices.size} coordinates at level {k}, and {parents} entries above it")
        _check_coordinates(indices, low, high, f"{name}: coordinates of level {k}")
        if level.ordered and level.width != "1":
            _check_order(indices, starts, level.unique, f"{name}: coordinates of level {k}")
        parents = indices.size
    if _is_sorted_coo(view):
        _check_lexicographic(view, name)
    if view.arrays["values", 0].size < view.stored:
        raise StructureError(f"{name}: {view.arrays['values', 0].size} values, and {view.stored} entries")


def _range(level: Level, shape: Tuple[int, ...]) -> Tuple[int, int]:
    """The least coordinate of a level, and the one behind the greatest."""
    size = shape[level.dim]
    if level.op == "/":
        return 0, -(-size // level.by)
    if level.op == "%":
        return 0, level.by
    if level.op == "-":
        return 1 - shape[level.by], size
    return 0, size


def _check_pointers(pointers: np.ndarray, parents: int, entries: int, what: str):
    if pointers.size != parents + 1:
        raise StructureError(f"{what}: {pointers.size} numbers, and {parents + 1} are needed")
    if pointers[0] != 0:
        raise StructureError(f"{what} begin at {pointers[0]}, not at 0")
    descents = pointers[1:] < pointers[:-1]
    if descents.any():
        place = int(descents.argmax())
        raise StructureError(f"{what} descend at {place + 1}, from {pointers[place]} to {pointers[place + 1]}")
    if pointers[-1] > entries:
        raise StructureError(f"{what} end at {pointers[-1]}, and there are {entries} entries")


def _check_coordinates(indices: np.ndarray, low: int, high: int, what: str):
    if indices.size == 0:
        return
    least, most = indices.min(), indices.max()
    if least < low or most >= high:
        wrong = (indices < low) | (indices >= high)
        place = int(wrong.argmax())
        raise StructureError(f"{what}: {indices[place]} at {place} is not from {low} to {high - 1}")


def _check_order(indices: np.ndarray, starts, unique: bool, what: str):
    """Whether coordinates ascend within each segment."""
    if indices.size < 2:
        return
    wrong = indices[1:] <= indices[:-1] if unique else indices[1:] < indices[:-1]
    if starts is not None:
        borders = starts[1:-1]
        borders = borders[(borders > 0) & (borders < indices.size)]
        wrong[borders - 1] = False
    if wrong.any():
        place = int(wrong.argmax())
        raise StructureError(f"{what} do not ascend at {place + 1}: {indices[place]}, then {indices[place + 1]}")


def _is_sorted_coo(view: View) -> bool:
    levels = view.storage.levels
    return len(levels) > 1 and levels[0].storage == "compressed" and \
        all(level.width == "1" and level.ordered for level in levels[1:])


def _check_lexicographic(view: View, name: str):
    """Whether entries of sorted coordinates ascend, level by level, and none occurs twice."""
    arrays = [view.arrays["indices", k] for k in range(len(view.storage.levels))]
    if arrays[0].size < 2:
        return
    equal = np.ones(arrays[0].size - 1, dtype=bool)
    for array in arrays:
        wrong = equal & (array[1:] < array[:-1])
        if wrong.any():
            raise StructureError(f"{name}: entries are not sorted at {int(wrong.argmax()) + 1}")
        equal &= array[1:] == array[:-1]
    if view.storage.levels[-1].unique and equal.any():
        raise StructureError(f"{name}: entry {int(equal.argmax()) + 1} occurs twice")
