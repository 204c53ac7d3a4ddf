"""A kernel that is compiled for certain storage and types: calls of it."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, NoReturn, Optional, Tuple

import numpy as np

from ..compiler.compiled import Functions
from ..errors import ArgumentError, KernelError, StructureError
from ..storage import dtypes
from ..storage.dtypes import Array
from ..storage.signature import Argument, TensorArgument
from ..storage.view import NumberView, Operand, View, address
from . import binding, gradients, results, threads
from .outputs import Assembled, Output, check_pattern, output_of, tensor_of
from .results import Style
from .validate import settle_again

#: Gives the view of a copy of an operand as an argument reads it. Raises ArgumentError where there is none.
Converter = Callable[[Operand, Argument], View]

_ANYWHERE = 1 << 64
_MOST_WORK: Any = 10000  # to find out whether arrays overlap
_PATTERN = 4
_MEMORY = 6
_STRUCTURE = (8, 9, 10, 11)
_ARGUMENT = (1, 2, 3, 4, 5)
_INDEX_TYPE = 12


def in_parts(argument: Argument) -> ArgumentError:
    """The error of calls with a tensor that is a sum of parts."""
    return ArgumentError(f"{argument.part_of} is stored as a sum of parts, which calls from Python do not pass: bind another "
                         "format")


class Variant:
    """The functions of one compiled kernel."""

    def __init__(self, functions: Functions, named: FrozenSet[str] = frozenset(), is_operator: bool = False):
        """named: the outputs whose format somebody has said. is_operator: sparse results are a Matrix, whatever of
        torch's the operands are."""
        self.functions, self.named, self._is_operator = functions, named, is_operator
        self.signature = functions.signature
        self.arguments = self.signature.arguments
        self.numbers = [(k, argument) for k, argument in enumerate(self.arguments)
                        if not isinstance(argument, TensorArgument) and not argument.is_output]
        for argument in self.arguments:
            if argument.part_of:
                raise in_parts(argument)

    def prepare(self, views: Dict[str, Operand], out: Mapping[str, Any], sizes: Mapping[str, int],
                convert: Optional[Converter] = None, index: str = "own") -> "Call":
        """All that one call passes.

        views: the operands by name. out: outputs that the caller brings. sizes: of extents that no operand has. convert:
        what makes of operands that do not fit copies that do; None where they are refused. index: of results, see Style.
        Raises ArgumentError where an operand or an output does not fit.
        """
        for argument in self.signature.inputs:
            view = views[argument.name]
            if not isinstance(argument, TensorArgument):
                binding.check(view, argument)
            elif argument.passed == "values":
                views[argument.name] = values_of(view, argument, tensor_of(views, argument.pattern_of))
            elif isinstance(view, NumberView) or view.storage is not argument.storage or view.type != argument.type or \
                    view.indices != argument.indices or view.pointers != argument.pointers:
                views[argument.name] = _fitting(view, argument, convert)
        extents = binding.extents_of(views, self.signature, sizes)
        family = family_of(views)
        style = Style("spc.torch" if self._is_operator and family == "torch" else family, index, self.named)
        passed: List[Any] = []
        outputs: List[Output] = []
        for argument in self.arguments:
            if argument.is_output:
                outputs.append(output_of(argument, views, out.get(argument.name), extents, style))
                passed.append(outputs[-1].passed)
                continue
            passed.append(_passed(views[argument.name], argument))
        _check_overlaps(views, outputs)
        return Call(self, views, passed, outputs)

    def fail(self, status: int) -> NoReturn:
        """Raises what stands for a status."""
        text = threads.message(status) or f"{self.signature.name}: {self.signature.statuses.get(status, 'unknown status')}"
        if status == _MEMORY:
            raise MemoryError(text)
        if status == _INDEX_TYPE:
            text += "".join(map(_limits, self.signature.outputs))
        if status in _STRUCTURE:
            raise StructureError(text)
        if status in _ARGUMENT:
            raise ArgumentError(text)
        raise KernelError(text, status)


def _limits(argument: Argument) -> str:
    """How far the indices count of an output that is assembled, in words; nothing of others."""
    types = [type_ for type_ in dict.fromkeys((argument.pointers, argument.indices)) if type_ and argument.is_assembled]
    said = " and ".join(f"{type_}, which counts to {np.iinfo(dtypes.NUMPY[type_]).max}" for type_ in types)
    return f"; {argument.name} has indices of type {said}" if said else ""


def _fitting(view: Operand, argument: TensorArgument, convert: Optional[Converter]) -> Operand:
    """The view, or that of a copy that fits."""
    try:
        binding.check(view, argument)
    except ArgumentError:
        if convert is None or argument.is_output:
            raise
        return convert(view, argument)
    return view


def _passed(view: Operand, argument: Argument) -> Any:
    """What a call's pointer to an operand points to, or a pointer itself where the array alone is passed."""
    if isinstance(view, NumberView):
        return binding.number_of(view.number, argument)
    if argument.passed == "values":
        return ctypes.c_void_p(address(view.arrays["values", 0]))
    return binding.struct_of(view, argument)


def values_of(view: Operand, argument: TensorArgument, pattern: View) -> View:
    """The operand of an argument that is declared to have another one's structure: the array of its values in that one's
    order, or a matrix whose pattern is the same. Raises ArgumentError."""
    if isinstance(view, NumberView):
        raise binding.of_another_order(view, argument)
    if view.type != argument.type:
        binding.check(view, argument)
    values = view.arrays["values", 0]
    if not view.storage.is_dense:
        check_pattern(argument, view, pattern)
    elif values.size != pattern.stored or not values.flags.c_contiguous:
        raise ArgumentError(f"{argument.name}: {pattern.stored} values one after the other are needed, as many as "
                            f"{argument.pattern_of} stores")
    return View(pattern.shape, view.type, argument.storage, {("values", 0): values}, view.family, view.owner,
                stored=pattern.stored)


def family_of(views: Mapping[str, Operand]) -> str:
    """The family of results: Matrix where an operand is one, else that of the first one that is not NumPy's or a number;
    else PyTorch's if a number is."""
    families = [view.family for view in views.values()]
    if "spc.torch" in families:
        return "spc.torch"
    found = next((family for family in families if family not in ("number", "numpy", "torch.number")), "numpy")
    return "torch" if found == "numpy" and "torch.number" in families else found


def _check_overlaps(views: Mapping[str, Operand], outputs: List[Output]) -> None:
    """Kernels are compiled for memory that is written by nobody else: raises ArgumentError where the caller's outputs
    share some with another argument."""
    given = [(output, *_span(written)) for output in outputs if (written := output.written) is not None]
    if not given:
        return
    # Numbers are read before the kernel runs.
    arrays: List[Tuple[str, Optional[Operand], Array, int, int]] = [
        (name, view, *_span(array)) for name, view in views.items() if isinstance(view, View)
        for array in view.arrays.values()]
    arrays += [(output.argument.name, output.view, written, begin, end) for output, written, begin, end in given]
    for output, written, begin, end in given:
        for name, view, array, first, last in arrays:
            if first < end and begin < last and view is not output.view and _share(written, array):
                raise ArgumentError(f"{output.argument.name} is written where {name} lies: give it memory of its own")


def _span(array: Array) -> Tuple[Array, int, int]:
    """An array, and the addresses from and to which it lies: to both ends of memory, where it has gaps."""
    if array.flags.c_contiguous:
        begin = array.ctypes.data
        return array, begin, begin + array.nbytes
    return array, 0, _ANYWHERE


def _share(one: Array, other: Array) -> bool:
    """Whether two arrays have elements in common; where that takes long to find out, they are taken to."""
    try:
        return np.shares_memory(one, other, max_work=_MOST_WORK)
    except RuntimeError:  # of a class whose place depends on NumPy's version
        return True


class Call:
    """A call with its arguments bound: it may be repeated, and reads what lies in its operands' arrays by then.

    Dense outputs, and the values of sampled ones, are written in place, the same ones each time; assembled ones and
    numbers are new. Threads that share one wait for each other.
    """

    _lock: "threading.Lock"

    def __init__(self, variant: Variant, views: Dict[str, Operand], passed: List[Any], outputs: List[Output]):
        self.variant, self.views, self.passed, self.outputs = variant, views, passed, outputs
        self.vector = vector_of(passed)
        for output in outputs:
            if not output.given:
                output.renew()
        self._repoint()
        self._call = variant.functions.call
        self._context = threads.context()
        self._renewed = [output for output in outputs if output.is_always_new]
        self._numbers = [(passed[k], view, argument) for k, argument in variant.numbers
                         if isinstance(view := views[argument.name], NumberView) and view.data is not None]
        self._watched: List[Tuple[str, View]] = []
        self._tensors: List[Tuple[str, Any]] = []
        self._written = [tensor for output in outputs if output.given for tensor in gradients.tensors_of(output.result)] \
            if gradients.are_possible() else []
        self._is_looking = bool(self._numbers)
        threads.give_lock(self)

    def watch(self) -> None:
        """From now on, looks at the index arrays of operands whenever it is called."""
        self._watched = [(name, view) for name, view in self.views.items() if isinstance(view, View) and view.indices]
        self._is_looking = True

    def refuse_gradients(self) -> None:
        """From now on, refuses operands and outputs whose gradients would be lost, as they may come to require some."""
        owners = {**{name: view.owner for name, view in self.views.items()},
                  **{output.argument.name: output.result for output in self.outputs if output.given}}
        self._tensors = [(name, owner) for name, owner in owners.items() if gradients.tensors_of(owner)]
        self._is_looking = self._is_looking or bool(self._tensors)

    def look(self) -> None:
        """Reads the numbers that arrays hold again. Raises StructureError where watched index arrays are wrong, ArgumentError
        where gradients would be lost."""
        for name, owner in self._tensors:
            gradients.refuse(owner, name)
        for name, view in self._watched:
            settle_again(view, name)
        for place, number, argument in self._numbers:
            binding.renew_number(place, number, argument)

    def _repoint(self) -> None:
        """Points to arrays that are passed alone, as they are another one for each result."""
        for k, item in enumerate(self.passed):
            if isinstance(item, ctypes.c_void_p):
                self.vector[k] = item.value

    def __call__(self) -> Any:
        """Runs the kernel. Returns its output, or a tuple of them in the kernel's order. Raises KernelError, or MemoryError,
        where it fails."""
        with self._lock:
            if self._is_looking:
                self.look()
            for output in self._renewed:
                output.renew()
            if status := self._call(self._context, self.vector):
                self.variant.fail(status)
            for tensor in self._written:
                gradients.note_written(tensor)
            made = [output.finish() for output in self.outputs]
        return made[0] if len(made) == 1 else tuple(made)


def vector_of(passed: List[Any]) -> "ctypes.Array[ctypes.c_void_p]":
    """The array of pointers that a call takes."""
    return (ctypes.c_void_p * len(passed))(*[
        item.value if isinstance(item, ctypes.c_void_p) else ctypes.addressof(item) for item in passed])


class _CPlan(ctypes.Structure):
    """spc_plan of the calling convention."""

    _fields_ = [("memory", ctypes.c_void_p), ("bytes", ctypes.c_int64)]


def _release(plan: _CPlan) -> None:
    if plan.memory:
        threads.helper().spc_contexts_release(plan.memory)


class Plan:
    """An assembled result whose pattern is computed once, for operands whose values change and whose patterns do not."""

    _lock: "threading.Lock"

    def __init__(self, call: Call):
        functions = call.variant.functions
        if functions.symbolic is None or functions.numeric is None or len(call.outputs) != 1 or \
                not isinstance(call.outputs[0], Assembled):
            raise ArgumentError(f"{call.variant.signature.name} has no phases: those of one statement have that assemble "
                                "their result, unless they leave out the entries of an operand with padding")
        self._call, self._output, self._numeric = call, call.outputs[0], functions.numeric
        self._context = threads.context()
        threads.give_lock(self)
        plan = self._plan = _CPlan()
        self._vector = vector_of([*call.passed, plan])
        if status := functions.symbolic(self._context, self._vector):
            call.variant.fail(status)
        weakref.finalize(self, _release, plan).atexit = False
        self._words = list(self._output.passed)
        self._pattern = self._output.finish_view()

    @property
    def nbytes(self) -> int:
        """The memory that the plan takes beside the result's pattern."""
        return int(self._plan.bytes)

    def __call__(self) -> Any:
        """Computes the values anew, of what lies in the operands' arrays by then. Returns the result, whose index arrays are
        its own unless the kernel is to share them. Raises StructureError where index arrays
        have changed."""
        pattern, output = self._pattern, self._output
        values = results.empty((pattern.stored,), pattern.arrays["values", 0].dtype)
        with self._lock:
            self._call.look()
            output.passed[:] = self._words
            output.passed[len(self._words) - 1] = address(values)
            status = self._numeric(self._context, self._vector)
        if status == _PATTERN:
            raise StructureError(f"{self._call.variant.signature.name}: index arrays of the operands, or of the plan's results "
                                 "that share them, have changed since the plan was made")
        if status:
            self._call.variant.fail(status)
        style = output.style
        view = View(pattern.shape, pattern.type, pattern.storage, {**pattern.arrays, ("values", 0): values}, style.family,
                    None, pointers=pattern.pointers, indices=pattern.indices, stored=pattern.stored, numbers=pattern.numbers)
        index = "shared" if style.index == "shared" else "own"
        return results.wrap(results.patterned(view, index), style.family, output.argument.name in style.named)
