"""Operands that lie in memory as those of an earlier call did, elsewhere: a call that is kept is pointed to them."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import numpy as np

from ..sources.arrays import origin
from ..storage.dtypes import Array
from ..storage.view import Guard, Operand, View, address

#: The index arrays of SciPy's matrices, by format.
MEMBERS = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "bsr": ("indices", "indptr"), "dia": ("offsets", "offsets")}

#: The word of a struct, or the element of a call's vector, that has the address of an operand's values.
Place = Tuple[Any, int]


def _array_kind(array: Array) -> Any:
    return array.dtype, array.shape, array.strides


_KINDS: Dict[type, Callable[[Any], Any]] = {np.ndarray: _array_kind}


def key_of(values: Sequence[Any]) -> Tuple[Any, ...]:
    """What calls with equal keys may share: of arrays and sparse matrices all but where their values lie, of others who they
    are. Objects may have gone by the time, and others be in their place: guards look."""
    return tuple([id(value) if (kind := _KINDS.get(type(value))) is None else kind(value) for value in values])


def _matrix_kind(format_: str) -> Callable[[Any], Any]:
    """The kind of matrices of one of SciPy's classes."""
    _, pointers = MEMBERS[format_]

    def kind(matrix: Any) -> Any:
        data = matrix.data
        return type(matrix), matrix.shape, id(origin(getattr(matrix, pointers))), data.dtype, data.shape

    return kind


def learn(view: Operand) -> None:
    """From now on `key_of` knows the kind of operands of this one's class."""
    if _is_matrix(view):
        _KINDS.setdefault(type(view.owner), _matrix_kind(view.owner.format))


def guard_of(view: Operand, place: Optional[Place]) -> Optional[Guard]:
    """The guard of operands of one kind, which writes where their values lie to a place; None of objects that have no
    kind."""
    owner = view.owner
    if place is None or not isinstance(view, View):
        return None
    if type(owner) is np.ndarray and owner is view.arrays["values", 0]:
        return _array_guard(place, owner)
    return _matrix_guard(owner, place) if _is_matrix(view) and type(owner) in _KINDS else None


def _is_matrix(view: Operand) -> bool:
    """Whether an operand is a matrix of SciPy's whose index arrays tell its structure."""
    return view.owner is not None and view.family.startswith("scipy") and view.owner.format in MEMBERS


def _array_guard(place: Place, array: Array) -> Guard:
    words, k = place
    has_values, last = bool(array.size), weakref.ref(array)

    def guard(value: Any) -> Any:
        nonlocal last
        if last() is not value:
            if has_values:
                words[k] = address(value)
            last = weakref.ref(value)
        return value

    return guard


def _matrix_guard(owner: Any, place: Place) -> Guard:
    words, k = place
    first, second = MEMBERS[owner.format]
    ref_first, ref_second = [weakref.ref(origin(getattr(owner, name))) for name in (first, second)]
    last = weakref.ref(owner.data)
    from ..sources.scipy import noted_of  # where there is no SciPy, nothing imports it
    noted = noted_of(owner)

    def guard(value: Any) -> Any:
        nonlocal last
        one, two, data = getattr(value, first), getattr(value, second), value.data
        if ref_first() is not one and ref_first() is not origin(one) or ref_second() is not two and \
                ref_second() is not origin(two) or noted_of(value) != noted:
            return None
        if last() is not data:
            if not data.flags.c_contiguous:
                return None
            words[k] = address(data)
            last = weakref.ref(data)
        return one, two, data

    return guard
