"""How results would be stored if the entries of all operands were in order: their class does not depend on it."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Collection, Dict, Mapping, Optional, Union

from ..storage.describe import contents_of, name_of
from ..storage.signature import Signature, Storage, TensorArgument
from ..storage.view import Operand, View, doubly_compressed_storage


@functools.lru_cache(maxsize=None)
def canonical(storage: Storage) -> Storage:
    """The storage whose entries are in order and do not repeat."""
    below = [*storage.levels[1:], None]
    levels = [dataclasses.replace(level, ordered=True, unique=level.storage == "dense" or not (
        under is not None and under.extent == "fixed" and under.width == "1"))
        for level, under in zip(storage.levels, below)]
    return Storage(storage.order, tuple(levels), storage.symmetric, storage.layout)


def in_order(views: Mapping[str, Operand]) -> Optional[Dict[str, Operand]]:
    """What operands would be if their entries were in order; None where they are."""
    made: Dict[str, Operand] = {}
    is_changed = False
    for name, view in views.items():
        if isinstance(view, View) and (storage := canonical(view.storage)) is not view.storage:
            view = View(view.shape, view.type, storage, {}, view.family, view.owner, pointers=view.pointers,
                        indices=view.indices)
            is_changed = True
        made[name] = view
    return made if is_changed else None


def formats_of(mine: Signature, ordered: Signature) -> Dict[str, Union[str, Dict[str, Any]]]:
    """The formats of results that a kernel assembles and would store in another class of its operands' libraries if entries
    were in order, by tensor. Lists of rows become coordinates without it, which takes less time than to assemble these."""
    found: Dict[str, Union[str, Dict[str, Any]]] = {}
    for one, other in zip(mine.outputs, ordered.outputs):
        if not isinstance(one, TensorArgument) or not isinstance(other, TensorArgument) or not one.is_assembled or \
                other.storage is one.storage or \
                other.storage.is_coordinates and one.storage is doubly_compressed_storage():
            continue
        name = name_of(other.storage)
        found[one.tensor] = name if " " not in name else {**contents_of(other.storage), "index": {
            "pointers": other.pointers or other.indices, "indices": other.indices}}
    return found


def could_be(signature: Signature, given: Mapping[str, Any]) -> Dict[str, str]:
    """The formats of results that are dense only because nothing says how they are stored, by tensor. given: what the caller
    brings, which is written as it is."""
    return {one.tensor: one.could_be for one in signature.outputs if one.could_be and one.name not in given}


def lacks_zeros_alone(signature: Signature, tensors: Collection[str]) -> bool:
    """Whether what these results do not store are zeros, which is what classes of sparse arrays take it for. In a semiring
    it may be infinities."""
    return all(one.fill == "0" for one in signature.outputs if one.tensor in tensors)
