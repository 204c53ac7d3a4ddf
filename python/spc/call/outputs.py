"""Outputs of calls: the memory that they are written to, and how they become objects afterwards."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any, Dict, Mapping, Optional, Tuple

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from ..sources import view_of
from ..storage import dtypes
from ..storage.describe import name_of
from ..storage.dtypes import Array
from ..storage.signature import Argument, TensorArgument
from ..storage.view import NumberView, Operand, View, address
from . import binding, results
from .results import Style
from .validate import settle


class Output:
    """One output of a call.

    style: how its result is made. passed: what the call's pointer points to, or a pointer itself where the array alone is
    passed.
    given: whether the caller brought it. view: of the caller's, None of those that are made.
    """

    #: Whether each repetition of a bound call makes another one.
    is_always_new = False

    def __init__(self, argument: Argument, style: Style, passed: Any, view: Optional[Operand] = None):
        self.argument, self.style, self.passed, self.view = argument, style, passed, view
        self.result: Any = None
        if view is not None:
            self.result = view.owner

    @property
    def given(self) -> bool:
        """Whether the caller brought it."""
        return self.view is not None

    @property
    def written(self) -> Optional[Array]:
        """The caller's array of the values that are written; None of an output that is made."""
        view = self.view
        if view is None:
            return None
        return view.data if isinstance(view, NumberView) else view.arrays["values", 0]

    def renew(self) -> None:
        """Makes memory for another result."""

    def finish(self) -> Any:
        """The result of the call that has been made."""
        return self.result


class Number(Output):
    """An output of order 0. One that is read, too, begins with the operand at each call, and is written to it where it is
    an array or a tensor.

    out: an array without dimensions, or None.
    """

    is_always_new = True

    def __init__(self, argument: Argument, style: Style, operand: Optional[NumberView], out: Any):
        self.operand = operand
        view: Optional[Operand] = operand if operand is not None and operand.data is not None else None
        if out is not None:
            view = view_of(out, argument.name)
        self._place = None if view is None else _place_of(argument, view)
        super().__init__(argument, style, binding.number_of(0 if operand is None else operand.number, argument), view)

    def renew(self) -> None:
        if self.operand is not None:
            binding.renew_number(self.passed, self.operand, self.argument)

    def finish(self) -> Any:
        if self._place is None:
            return results.wrap_number(binding.number_in(self.passed, self.argument), self.argument.type, self.style.family)
        self._place[...] = np.frombuffer(self.passed, dtypes.NUMPY[self.argument.type])[0]
        return self.result


def _place_of(argument: Argument, view: Operand) -> Array:
    """The array of order 0 that the caller brought, to which a number can be written. Raises ArgumentError."""
    if isinstance(view, View) or view.data is None:
        raise ArgumentError(f"{argument.name}: out is to be an array without dimensions, as the result is a number")
    if view.type != argument.type:
        raise ArgumentError(f"{argument.name}: out has type {view.type}, and the result {argument.type}")
    if not view.data.flags.writeable:
        raise ArgumentError(f"{argument.name}: out cannot be written")
    return view.data


class Dense(Output):
    """An array with strides: the caller's, or a new one for each call."""

    def __init__(self, argument: TensorArgument, style: Style, shape: Tuple[int, ...], given: Optional[View]):
        self.shape, self.dtype = shape, dtypes.NUMPY[argument.type]
        self.modes = tuple(level.dim for level in argument.storage.levels)
        self.place = len(argument.fields) - 1
        self.is_row_major = self.modes == tuple(range(len(shape)))
        #: Whether it is a small array of NumPy's, of which there is an address, in the order that it is made in.
        self.is_plain = self.is_row_major and style.family not in ("torch", "spc.torch") and \
            0 < math.prod(shape) * self.dtype.itemsize < results.LARGE
        if given is None:
            bound = View(shape, argument.type, argument.storage, {("values", 0): _NONE}, style.family, None,
                         strides=_strides(shape, self.modes))
        else:
            bound = given
            _check_given(argument, given)
        super().__init__(argument, style, binding.struct_of(bound, argument), given)

    def _empty(self) -> Array:
        if self.is_row_major:
            return np.empty(self.shape, self.dtype)
        return np.empty([self.shape[dim] for dim in self.modes], self.dtype).transpose(np.argsort(self.modes))

    def renew(self) -> None:
        if self.is_plain:
            self.result = array = np.empty(self.shape, self.dtype)
            self.passed[self.place] = address(array)
            return
        try:
            array = self._empty()
        except ValueError:  # more elements than there are addresses
            raise MemoryError(f"{self.argument.name}: no memory holds an array of shape {self.shape}") from None
        self.passed[self.place] = address(array)
        self.result = results.wrap_dense(array, self.argument.type, self.style.family)


_NONE = np.empty(0)


def _strides(shape: Tuple[int, ...], modes: Tuple[int, ...]) -> Tuple[int, ...]:
    """Those of an array without gaps, the last of `modes` innermost."""
    strides, step = [1] * len(shape), 1
    for dim in reversed(modes):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def _check_given(argument: Argument, given: View) -> None:
    """Whether the caller's array can be written. Raises ArgumentError."""
    array = given.arrays["values", 0]
    if not array.flags.writeable:
        raise ArgumentError(f"{argument.name}: out cannot be written")
    if not array.flags.c_contiguous and _repeats(given.shape, given.strides):
        raise ArgumentError(f"{argument.name}: elements of out share their places")


def _repeats(shape: Tuple[int, ...], strides: Tuple[int, ...]) -> bool:
    """Whether two elements of an array lie in one place. Each step is longer than all shorter ones together, as a rule; where
    it is not, the places are counted."""
    reach = 0
    for stride, size in sorted((abs(stride), size) for size, stride in zip(shape, strides) if size > 1):
        if stride <= reach:
            break
        reach += stride * (size - 1)
    else:
        return False
    places = functools.reduce(np.add.outer, [np.arange(size) * stride for size, stride in zip(shape, strides)])
    return bool(np.unique(places).size < places.size)


class Sampled(Output):
    """An output in an operand's pattern, perhaps with its dimensions in another order: an object of that one's library."""

    def __init__(self, argument: TensorArgument, style: Style, pattern: View, given: Optional[View],
                 shape: Tuple[int, ...]):
        self.pattern, self.shape, self._stored_as = pattern, shape, argument
        if given is not None:
            check_pattern(argument, given, self._view(_NONE))
            _check_given(argument, given)
        # Blocks have values of more dimensions than one.
        values = pattern.arrays["values", 0]
        self.values_shape = values.shape if values.size == pattern.stored else (pattern.stored,)
        self.is_values = argument.passed == "values"
        written = _NONE if given is None else given.arrays["values", 0]
        passed = ctypes.c_void_p(address(written)) if self.is_values else \
            binding.struct_of(self._view(written), argument)
        super().__init__(argument, style, passed, given)
        self.family, self.is_named = pattern.family, argument.name in style.named
        self.is_copied = given is None and not self.is_values and results.is_copied(self._view(_NONE))
        self.place = len(argument.fields) - 1

    def _view(self, values: Array) -> View:
        pattern, argument = self.pattern, self._stored_as
        return View(self.shape, argument.type, argument.storage, {**pattern.arrays, ("values", 0): values}, pattern.family, pattern.owner, pointers=pattern.pointers,
                    indices=pattern.indices, stored=pattern.stored, numbers=pattern.numbers)

    def renew(self) -> None:
        values = results.empty(self.values_shape, dtypes.NUMPY[self.argument.type])
        if self.is_values:
            self.passed.value = address(values)
            self.result = results.wrap_dense(values, self.argument.type, self.family)
            return
        self.passed[self.place] = address(values)
        view = results.patterned(self._view(values), self.style.index)
        self.result = view if self.is_copied else results.wrap(view, self.family, self.is_named)

    def finish(self) -> Any:
        return results.wrap(self.result, self.family, self.is_named) if self.is_copied else self.result


def check_pattern(argument: TensorArgument, given: View, pattern: View) -> None:
    """Whether the caller's matrix has the pattern that it is to have. Raises ArgumentError."""
    strict = given.storage
    settle(given, argument.name, "never")
    if given.storage.is_coordinates and pattern.storage.is_coordinates and given.storage.order == pattern.storage.order:
        given.arrays = {("values", 0): given.arrays["values", 0],
                        **{("indices", k): given.arrays["indices", _level_of(given, level.dim)]
                           for k, level in enumerate(pattern.storage.levels)}}
        given.storage = pattern.storage
    if pattern.storage in (strict, given.loose):
        given.storage = pattern.storage  # its entries are in the same order, if it is the pattern
    binding.check(given, argument)
    same = given.shape == pattern.shape and given.stored == pattern.stored and all(
        _are_equal(array, pattern.arrays[place])
        for place, array in given.arrays.items() if place[0] != "values")
    if not same:
        raise ArgumentError(f"{argument.name}: {given.stored} entries in shape {given.shape} are not those of "
                            f"{argument.pattern_of}")


def _level_of(view: View, dim: int) -> int:
    return [level.dim for level in view.storage.levels].index(dim)


def _are_equal(one: Array, other: Array) -> bool:
    """Whether two arrays of indices are, which often are one."""
    is_one = one.size == other.size and one.dtype == other.dtype and address(one) == address(other)
    return is_one or np.array_equal(one, other)


class Assembled(Output):
    """A sparse output that the call allocates."""

    is_always_new = True

    def __init__(self, argument: TensorArgument, style: Style, extents: Dict[str, int]):
        shape = shape_of(argument, extents)
        self.template = [shape[field.dim] if field.holds == "size" else 0 for field in argument.fields]
        self._stored_as = argument
        super().__init__(argument, style, argument.words(*self.template))

    def renew(self) -> None:
        self.passed[:] = self.template

    def finish(self) -> Any:
        return results.wrap(self.finish_view(), self.style.family, self.argument.name in self.style.named)

    def finish_view(self) -> View:
        """The arrays that the call has filled in, which then belong to the view."""
        view = results.assembled(self._stored_as, self.passed)
        self.passed[:] = self.template
        return view


class Stored(Output):
    """A matrix of the caller's in the argument's storage, whose values are written."""

    def __init__(self, argument: TensorArgument, style: Style, given: View):
        settle(given, argument.name, "first")
        binding.check(given, argument)
        _check_given(argument, given)
        super().__init__(argument, style, binding.struct_of(given, argument), given)


def output_of(argument: Argument, views: Mapping[str, Operand], given: Any, extents: Dict[str, int], style: Style) -> Output:
    """The output for one argument of a call. given: the caller's object, or None. Raises ArgumentError."""
    if not isinstance(argument, TensorArgument):
        operand = views[argument.name] if argument.is_read else None
        return Number(argument, style, operand if isinstance(operand, NumberView) else None, given)
    if argument.is_assembled:
        if argument.is_read:
            raise ArgumentError(f"{argument.name} is assembled and read, too, and an operand's own arrays cannot be replaced: "
                                f"the kernel is to write to another tensor; or, where {argument.name} has a place for each "
                                f"entry that is added, {argument.name}={{\"format\": \"csr\", \"structure\": \"kept\"}} adds "
                                "to its values where they are")
        if given is not None:
            raise ArgumentError(f"{argument.name} is assembled by the call, which allocates it: it cannot be given")
        return Assembled(argument, style, extents)
    view = views[argument.name] if argument.is_read else None if given is None else view_of(given, argument.name)
    if argument.storage.is_dense and not argument.pattern_of:
        return Dense(argument, style, *_checked_dense(argument, view, extents))
    if isinstance(view, NumberView):
        raise binding.of_another_order(view, argument)
    if argument.pattern_of:
        return Sampled(argument, style, tensor_of(views, argument.pattern_of), view, shape_of(argument, extents))
    if view is None:
        raise ArgumentError(f"{argument.name}: an output in this storage needs a matrix to write to: "
                            f"out={{{argument.name!r}: ...}}")
    return Stored(argument, style, view)


def tensor_of(views: Mapping[str, Operand], name: str) -> View:
    """The operand of a name. Raises ArgumentTypeError of a number."""
    view = views[name]
    if isinstance(view, NumberView):
        raise ArgumentTypeError(f"{name}: a tensor is needed, not a number")
    return view


def shape_of(argument: Argument, extents: Dict[str, int]) -> Tuple[int, ...]:
    """The extents of an output. Raises ArgumentError where one of them is not known."""
    for extent in argument.shape:
        if isinstance(extent, str) and extent not in extents:
            raise ArgumentError(f"{argument.name}: no operand says how large {extent} is: sizes={{{extent!r}: ...}} does")
    return tuple([extent if isinstance(extent, int) else extents[extent] for extent in argument.shape])


def _checked_dense(argument: TensorArgument, given: Optional[Operand],
                   extents: Dict[str, int]) -> Tuple[Tuple[int, ...], Optional[View]]:
    """The shape of a dense output, and the caller's array where it fits."""
    shape = shape_of(argument, extents)
    if given is None:
        return shape, None
    if isinstance(given, NumberView) or not given.storage.is_dense:
        raise ArgumentError(f"{argument.name}: out is to be an array, as the result is dense")
    if given.shape != shape or given.type != argument.type:
        raise ArgumentError(f"{argument.name}: out has shape {tuple(given.shape)} and type {given.type}, and the result "
                            f"{shape} and {argument.type}")
    if not binding.fits(given, argument.storage):
        raise ArgumentError(f"{argument.name}: the strides of out are those of {name_of(given.storage)}, and the result "
                            f"is {name_of(argument.storage)}")
    return shape, given


__all__ = ["Assembled", "Dense", "Number", "Output", "Sampled", "Stored", "output_of", "shape_of", "tensor_of"]
