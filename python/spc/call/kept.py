"""Calls that are repeated with the same operands: what was bound for them is kept, without keeping the operands."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..sources import tensor_view_of
from ..storage.dtypes import Array
from ..storage.signature import TensorArgument
from ..storage.view import Guard, NumberView, Operand, View
from . import kinds, threads
from .gradients import is_tracked, note_written, tensors_of
from .outputs import Dense, Output, Sampled
from .variant import Call

#: What `Kept.repeat` returns where an operand is another one than it was.
STALE = object()

_FLOATS = (float, int, np.float64, np.float32)


def _guard_of(view: Operand) -> Optional[Guard]:
    """The guard of an operand; None of objects whose arrays cannot be told by looking at them.

    Arrays that have weak references do not move: `resize` refuses.
    """
    owner = view.owner
    if isinstance(view, NumberView):
        if isinstance(owner, np.ndarray) or view.family == "torch.number":
            return _array_number_guard(owner)
        return _number_guard if type(owner) in _FLOATS else None
    if view.family == "numpy" and owner is view.arrays["values", 0]:
        return _array_guard(owner)
    if view.family.startswith("scipy"):
        if owner.format == "coo":
            return _coordinates_guard(owner)
        return _members_guard(owner, ("data", *kinds.MEMBERS[owner.format]))
    if view.family == "torch" and view.storage.is_dense:
        return _tensor_guard(owner)
    return None


def _writable(guard: Guard, array: Array) -> Guard:
    """The guard of an operand or an output that is written to NumPy's `array`, which may be made read-only."""
    reference = weakref.ref(array)

    def writable(value: Any) -> Any:
        kept, array = guard(value), reference()
        return kept if kept is not None and array is not None and array.flags.writeable else None

    return writable


def _number_guard(value: Any) -> Any:
    return True if type(value) in _FLOATS else None


def _array_number_guard(array: Any) -> Guard:
    """The guard of arrays and tensors without dimensions, which are read again at each call."""
    class_, dtype = type(array), array.dtype

    def guard(value: Any) -> Any:
        return True if type(value) is class_ and not value.ndim and value.dtype == dtype and not is_tracked(value) else None

    return guard


def _array_guard(array: Array) -> Guard:
    reference, shape, strides, dtype = weakref.ref(array), array.shape, array.strides, array.dtype

    def guard(value: Any) -> Any:
        alive: Any = reference()
        same = alive is value and value.shape == shape and value.strides == strides and value.dtype is dtype
        return True if same else None

    return guard


def _members_guard(owner: Any, names: Tuple[str, str, str]) -> Guard:
    reference, shape, (first, second, third) = weakref.ref(owner), owner.shape, names
    ref_first, ref_second, ref_third = [weakref.ref(getattr(owner, name)) for name in names]

    def guard(value: Any) -> Any:
        alive: Any = reference()
        if alive is not value or value.shape != shape:
            return None
        one, two, three = getattr(value, first), getattr(value, second), getattr(value, third)
        if ref_first() is one and ref_second() is two and ref_third() is three:
            return one, two, three
        return None

    return guard


def _coordinates(owner: Any) -> Tuple[Array, ...]:
    """The arrays of a list of coordinates, of any number of dimensions where SciPy has such."""
    places = owner.coords if hasattr(owner, "coords") else (owner.row, owner.col)
    return owner.data, *places


def _coordinates_guard(owner: Any) -> Optional[Guard]:
    reference, shape, arrays = weakref.ref(owner), owner.shape, _coordinates(owner)
    if not all(array.flags.c_contiguous for array in arrays):
        return None  # the call has read a copy
    references = [weakref.ref(array) for array in arrays]

    def guard(value: Any) -> Any:
        alive: Any = reference()
        if alive is not value or value.shape != shape:
            return None
        now = _coordinates(value)
        return now if len(now) == len(references) and all([one() is other for one, other in zip(references, now)]) else None

    return guard


def _tensor_guard(tensor: Any) -> Guard:
    reference, shape, strides = weakref.ref(tensor), tensor.shape, tensor.stride()
    dtype, place = tensor.dtype, tensor.data_ptr()

    def guard(value: Any) -> Any:
        alive: Any = reference()
        same = alive is value and value.data_ptr() == place and value.shape == shape and \
            value.stride() == strides and value.dtype is dtype
        return True if same and not is_tracked(value) else None

    return guard


class Kept:
    """What one call has bound. One thread uses it at a time: who repeats it takes it out of where it is kept."""

    __slots__ = ("_guards", "_numbers", "_vector", "_passed", "_outputs", "_given", "_sampled", "_is_simple", "_new", "_tensors",
                 "_call", "_context", "_fail")

    def __init__(self, call: Call, names: Sequence[str], guards: List[Guard], given: List[Tuple[Output, int]],
                 tensors: List[int]):
        """names: of operands, in the order that calls have them. given: the outputs that the caller brings, and their
        places among operands and, behind these, what `out` has. tensors: the places of those that are PyTorch's."""
        self._vector, self._passed, self._outputs, self._guards = call.vector, call.passed, call.outputs, guards
        self._given = given
        self._sampled: List[Tuple[Sampled, int, View]] = []
        for output in call.outputs:
            output.view = output.result = None
        brought = [output for output, _ in given]
        for output in call.outputs:
            if isinstance(output, Sampled):
                output.pattern = _outline(output.pattern)
                if output not in brought:
                    self._sampled.append((output, names.index(output.argument.pattern_of), output.pattern))
        self._numbers = [(passed, names.index(argument.name)) for passed, argument in
                         zip(call.passed, call.variant.arguments) if not argument.is_output and argument.passed == "number"]
        self._is_simple = len(given) == len(call.outputs) == 1
        #: The output of calls that have one, which is a new array each time.
        self._new = call.outputs[0] if len(call.outputs) == 1 and not given and isinstance(call.outputs[0], Dense) else None
        self._tensors = tensors
        self._call, self._context, self._fail = call.variant.functions.call, threads.context(), call.variant.fail

    def repeat(self, values: Tuple[Any, ...]) -> Any:
        """Runs the kernel, if operands and outputs are what they were, else returns STALE. values: operands, then the
        outputs that the caller brings."""
        alive = []  # what guards return holds the arrays until the call is over
        for guard, value in zip(self._guards, values):
            if (kept := guard(value)) is None:
                return STALE
            alive.append(kept)
        if self._numbers:
            try:
                for place, k in self._numbers:
                    place.value = values[k]
            except OverflowError:  # of an integer, of which a call that is made anew says more
                return STALE
        if self._new is not None:
            self._new.renew()
            result, self._new.result = self._new.result, None
            if status := self._call(self._context, self._vector):
                self._fail(status)
            return result
        if self._is_simple:
            if status := self._call(self._context, self._vector):
                self._fail(status)
            for place in self._tensors:
                note_written(values[place])
            return values[self._given[0][1]]
        return self._repeat_with_results(values)

    def _repeat_with_results(self, values: Tuple[Any, ...]) -> Any:
        for output, place in self._given:
            output.result = values[place]
        for output, place, outline in self._sampled:
            output.pattern = tensor_view_of(values[place], output.argument.pattern_of)
            output.pattern.storage, output.pattern.stored = outline.storage, outline.stored
        brought = [output for output, _ in self._given]
        for k, output in enumerate(self._outputs):
            if output not in brought:
                output.renew()
                if output.argument.passed == "values":
                    self._vector[[item is output.passed for item in self._passed].index(True)] = output.passed.value
        try:
            if status := self._call(self._context, self._vector):
                self._fail(status)
            for place in self._tensors:
                note_written(values[place])
            made = [output.finish() for output in self._outputs]
        finally:
            for output in self._outputs:
                output.result = None
            for output, _, outline in self._sampled:
                output.pattern = outline
        return made[0] if len(made) == 1 else tuple(made)


def _is_exact(pattern: View) -> bool:
    """Whether a pattern's arrays are those of its owner as a whole, which results then share: there is no room in them for
    more entries."""
    arrays = tensor_view_of(pattern.owner, "").arrays
    return all(place[0] == "values" or array.size == arrays[place].size for place, array in pattern.arrays.items())


def _outline(view: View) -> View:
    """A view without its arrays and its owner."""
    return View(view.shape, view.type, view.storage, {}, view.family, None, stored=view.stored)


def _place_of(call: Call, name: str) -> Optional[kinds.Place]:
    """Where a call has the address of an operand's values; None of numbers."""
    k = next(k for k, argument in enumerate(call.variant.arguments) if argument.name == name)
    argument = call.variant.arguments[k]
    if not isinstance(argument, TensorArgument):
        return None
    if argument.passed == "values":
        return call.vector, k
    holds = [field.holds for field in argument.fields]
    return (call.passed[k], holds.index("values")) if "values" in holds else None


def keep(call: Call, names: Sequence[str], values: Tuple[Any, ...], outs: Sequence[str], moves: bool) -> Optional[Kept]:
    """What is kept of a call; None where an operand cannot be told by looking at it. Spends the call.

    names: of operands, in the order that calls have them, which `values` begins with; outs: of the outputs behind them;
    moves: whether the call is known by the kinds of its operands (`kinds.key_of`), and else by who they are.
    """
    guards: List[Guard] = []
    given: List[Tuple[Output, int]] = []
    by_name = {output.argument.name: output for output in call.outputs if output.given}
    order = [*names, *outs]
    for k, name in enumerate(order):
        view = by_name[name].view if name in by_name else call.views.get(name)
        if view is None or view.owner is not values[k] and isinstance(view, View):
            return None  # a copy was made
        guard = kinds.guard_of(view, _place_of(call, name)) if moves else None
        guard = guard or _guard_of(view)
        if guard is None:
            return None
        if name in by_name:
            given.append((by_name[name], k))
            written = by_name[name].written
            if written is not None and view.family != "torch":
                guard = _writable(guard, written)
        guards.append(guard)
    for output in call.outputs:
        if isinstance(output, Sampled) and not output.given and not _is_exact(output.pattern):
            return None
    if any(not isinstance(argument, TensorArgument) and (argument.type not in ("f32", "f64") or argument.is_output)
           for argument in call.variant.arguments):
        return None
    return Kept(call, names, guards, given, [place for _, place in given if tensors_of(values[place])])


_MOST_KEPT = 64  # kinds of calls of one kernel
_MOST_ALIKE = 16  # calls of one kind, made by as many threads at once


class KeptCalls:
    """The calls of one kernel that are kept, by what their operands are told by: several where threads make such at once."""

    def __init__(self) -> None:
        self._by_key: Dict[Tuple[Any, ...], List[Kept]] = {}

    def __len__(self) -> int:
        return sum(len(like) for like in self._by_key.values())

    def take(self, key: Tuple[Any, ...]) -> Optional[Kept]:
        """One that nobody else has; None where there is none."""
        if like := self._by_key.get(key):
            try:
                return like.pop()
            except IndexError:  # another thread was there as well
                pass
        return None

    def give(self, key: Tuple[Any, ...], kept: Kept) -> None:
        """Puts back what was taken."""
        self._by_key.setdefault(key, []).append(kept)

    def note(self, key: Tuple[Any, ...], call: Call, names: Sequence[str], values: Tuple[Any, ...], outs: Sequence[str],
             moves: bool) -> None:
        """Keeps a call that is made for the second time, see `keep`; of the first one that there was such."""
        like = self._by_key.get(key)
        if like is not None:
            if len(like) < _MOST_ALIKE and (kept := keep(call, names, values, outs, moves)) is not None:
                like.append(kept)
            return
        while len(self._by_key) >= _MOST_KEPT:
            try:
                self._by_key.pop(next(iter(self._by_key)), None)
            except (StopIteration, RuntimeError):  # another thread was there as well
                break
        self._by_key[key] = []
        for view in call.views.values():
            kinds.learn(view)
