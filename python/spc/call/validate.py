"""Whether the index arrays of a sparse operand are what its format says: kernels trust them."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ..errors import StructureError
from ..storage.signature import Level
from ..storage.view import NumberView, Operand, View, address
from . import threads

POLICIES = ("first", "always", "never")

_RANGE, _UNSORTED, _DUPLICATE, _POINTERS = 9, 10, 11, 8
_TEXTS = {5: "the number of entries does not fit the structure", 12: "an extent or a count overflows the index type"}
_REMEMBERED = 4096  # structures

#: Structures that were validated, by the first and the last thing that tell them: all of these, shape and storage, and the
#: outcome.
_seen: Dict[Tuple[int, Any], Tuple[Tuple[Any, ...], Any, bool]] = {}


class _Level(ctypes.Structure):
    """spc_detail_level of spc/levels.h."""

    _fields_ = [("kind", ctypes.c_int), ("properties", ctypes.c_int), ("low", ctypes.c_int64),
                ("high", ctypes.c_int64), ("count", ctypes.c_int64), ("pointers", ctypes.c_void_p),
                ("pointer_bits", ctypes.c_int), ("indices", ctypes.c_void_p), ("index_bits", ctypes.c_int),
                ("index_stride", ctypes.c_int64), ("index_offset", ctypes.c_int64), ("parent_size", ctypes.c_int64),
                ("length", ctypes.c_int64 * 3), ("start", ctypes.c_int64 * 3), ("weight", ctypes.c_int64)]


_DENSE, _ROOT, _COMPRESSED, _LENGTHS, _FIXED = range(5)
_UNIQUE, _ORDERED, _CONTINUES = 1, 2, 4


def settle(view: Operand, name: str, policy: str) -> None:
    """Finds out whether a sparse operand is in order, and makes its storage the loose one where it is not.

    policy: "first" reads the index arrays unless they were read before, "always" reads them, "never" believes what the
    operand's owner says, and looks at lengths alone. Raises StructureError with the first place that is wrong; `name` is
    for its text.
    """
    if isinstance(view, NumberView) or view.storage.is_dense:
        return
    _check_lengths(view, name)
    if policy == "never":
        in_order = view.claimed or view.loose is None
    elif policy == "always" or (known := _recall(view)) is None:
        in_order = _examine(view, name)
        _remember(view, in_order)
    else:
        in_order = known
    if not in_order and view.loose is not None:
        view.storage = view.loose


def settle_again(view: View, name: str) -> None:
    """Reads the index arrays of an operand once more that is bound to a call. Raises StructureError where they are wrong
    by now, or no longer in the order or of the number for which the call was made."""
    now = View(view.shape, view.type, view.storage, dict(view.arrays), view.family, None, numbers=dict(view.numbers),
               loose=view.loose, mend=view.mend)
    _check_lengths(now, name)
    if now.stored != view.stored:
        raise StructureError(f"{name}: {now.stored} entries, and {view.stored} were bound")
    if not _examine(now, name):
        raise StructureError(f"{name}: entries are not in order any more, or repeat: bind it anew")


def _key(witness: Tuple[Any, ...]) -> Tuple[int, Any]:
    """Results share index arrays with operands of which other things are noted, a number at the end."""
    return id(witness[0]), witness[-1] if isinstance(witness[-1], int) else None


def _recall(view: View) -> Optional[bool]:
    """What was found of these very arrays before; None where they are new."""
    if not view.witness or (kept := _seen.get(_key(view.witness))) is None:
        return None
    witness, facts, in_order = kept
    for one, other in zip(witness, view.witness):
        if (one() is not other) if isinstance(one, weakref.ref) else one != other:
            return None
    return in_order if facts == (view.shape, view.storage, view.stored) else None


def _remember(view: View, in_order: bool) -> None:
    if not view.witness:
        return
    witness = tuple(item if isinstance(item, int) else weakref.ref(item) for item in view.witness)
    if len(_seen) >= _REMEMBERED:
        _seen.clear()
    _seen[_key(view.witness)] = (witness, (view.shape, view.storage, view.stored), in_order)


def note_right(view: View) -> None:
    """Has the index arrays of a sparse operand count as read: they were copied from some that were."""
    _remember(view, True)


def _range(level: Level, shape: Tuple[int, ...]) -> Tuple[int, int]:
    """The least coordinate of a level, and the one behind the greatest."""
    return 1 - shape[level.by] if level.op == "-" else 0, level.size(shape)


def _check_lengths(view: View, name: str) -> None:
    """Whether each array is as long as the other ones say, as views of longer ones then are. Nothing is read but the last of
    each array of pointers."""
    parents, entries = 1, 0
    for k, level in enumerate(view.storage.levels):
        if level.storage == "dense":
            parents *= level.size(view.shape)
            continue
        indices = view.arrays["indices", k]
        if (pointers := view.arrays.get(("pointers", k))) is not None:
            if pointers.size != parents + 1:
                raise StructureError(f"{name}: pointers of level {k}: {pointers.size} numbers, and {parents + 1} are "
                                     "needed")
            parents = int(pointers[-1])
            if not 0 <= parents <= indices.size:
                raise StructureError(f"{name}: pointers of level {k} end at {parents}, and there are {indices.size} "
                                     "entries")
            if parents < indices.size:  # there is room for more
                view.arrays["indices", k] = indices[:parents]
                if ("count", k) in view.numbers:
                    view.numbers["count", k] = parents
            entries = parents
            continue
        if (lengths := view.arrays.get(("lengths", k))) is not None:
            if lengths.size != parents:
                raise StructureError(f"{name}: lengths of level {k}: {lengths.size} numbers, and {parents} are needed")
            parents = int(lengths.sum(dtype=np.int64))
        elif level.extent == "fixed":
            parents *= int(level.width or view.numbers["width", k])
        else:
            parents = view.numbers.get(("count", k), indices.size)
        if parents != indices.size:
            raise StructureError(f"{name}: {indices.size} coordinates at level {k}, and {parents} are needed")
        entries = parents
    values = view.arrays["values", 0]
    if values.size < parents:
        raise StructureError(f"{name}: {values.size} values, and {parents} entries")
    if values.size > parents:  # blocks have values of more dimensions
        view.arrays["values", 0] = values[:entries] if values.ndim > 1 else values[:parents]
    view.stored = parents


def _levels(view: View) -> "ctypes.Array[_Level]":
    """The levels as the checks of the calling convention take them."""
    levels: "ctypes.Array[_Level]" = (_Level * len(view.storage.levels))()
    for k, (level, said) in enumerate(zip(levels, view.storage.levels)):
        level.low, level.high = _range(said, view.shape)
        level.index_stride = 1
        if said.storage == "dense":
            level.kind = _DENSE
            continue
        level.properties = _UNIQUE * said.unique | _ORDERED * said.ordered
        indices = view.arrays["indices", k]
        level.indices, level.index_bits = address(indices), 8 * indices.itemsize
        starts = view.arrays.get(("pointers", k), view.arrays.get(("lengths", k)))
        if starts is not None:
            level.kind = _COMPRESSED if ("pointers", k) in view.arrays else _LENGTHS
            level.pointers, level.pointer_bits = address(starts), 8 * starts.itemsize
        elif said.extent == "fixed":
            level.kind, level.count = _FIXED, int(said.width or view.numbers["width", k])
            if level.count == 1 and k and view.storage.levels[k - 1].storage == "compressed":
                level.properties |= _CONTINUES
        else:
            level.kind, level.count = _ROOT, indices.size
    return levels


def _examine(view: View, name: str) -> bool:
    """Reads each index array once. Returns whether entries are in order, and none occurs twice."""
    levels = _levels(view)
    status = threads.helper().spc_contexts_validate(ctypes.addressof(levels), len(levels), view.stored,
                                                    address(view.arrays["values", 0]))
    if status == 0:
        return True
    if status in (_UNSORTED, _DUPLICATE) and view.loose is not None:
        return False
    raise StructureError(f"{name}: {_explain(view, status)}{': ' + view.mend if view.mend else ''}")


def _explain(view: View, status: int) -> str:
    """What is wrong, and where: structures that a check has refused are read once more."""
    for k, level in enumerate(view.storage.levels):
        pointers = view.arrays.get(("pointers", k))
        if status == _POINTERS and pointers is not None:
            if pointers[0] != 0:
                return f"pointers of level {k} begin at {pointers[0]}, not at 0"
            if (descents := pointers[1:] < pointers[:-1]).any():
                place = int(descents.argmax())
                return f"pointers of level {k} descend at {place + 1}, from {pointers[place]} to {pointers[place + 1]}"
        indices = view.arrays.get(("indices", k))
        if status == _RANGE and indices is not None:
            low, high = _range(level, view.shape)
            if (wrong := (indices < low) | (indices >= high)).any():
                place = int(wrong.argmax())
                return f"coordinates of level {k}: {indices[place]} at {place} is not from {low} to {high - 1}"
    if status in (_UNSORTED, _DUPLICATE):
        return "entries are not sorted" if status == _UNSORTED else "an entry occurs twice"
    return _TEXTS.get(status, "the structure is not what its format says")
