"""A kernel that is compiled for certain storage and types: calls of it."""
# SPDX-License-Identifier: Apache-2.0

import ctypes
from typing import Any, Dict, List, Tuple

import numpy as np

from . import binding, results, threads
from .errors import ArgumentError, KernelError, StructureError
from .library import Functions
from .signature import Argument
from .sources import view_of
from .view import View

_MEMORY = 6
_STRUCTURE = (8, 9, 10, 11)
_ARGUMENT = (1, 2, 3, 4, 5)


class Output:
    """One output of a call: what is passed, and how it becomes a Python object afterwards."""

    __slots__ = ("argument", "passed", "finish", "keep")

    def __init__(self, argument: Argument, passed, finish, keep=None):
        self.argument, self.passed, self.finish, self.keep = argument, passed, finish, keep


class Variant:
    """The functions of one compiled kernel."""

    def __init__(self, functions: Functions):
        self.functions = functions
        self.signature = functions.signature
        self.arguments = self.signature.arguments
        for argument in self.arguments:
            if argument.part_of:
                raise ArgumentError(f"{argument.part_of} is stored as a sum of parts, which calls from Python do not "
                                    "pass: bind another format")

    def check(self, views: Dict[str, View]):
        """Whether the views fit the arguments, one by one and their sizes with each other."""
        for argument in self.signature.inputs:
            if argument.name in views:
                binding.check(views[argument.name], argument)
        return binding.extents_of(views, self.arguments)

    def prepare(self, views: Dict[str, View], values: Dict[str, Any], out: Dict[str, Any],
                sizes: Dict[str, int]) -> "Call":
        """All that one call passes. `values` are the numbers; `out` the outputs that the caller brings."""
        extents = {**sizes, **self.check(views)}
        passed: List[Any] = []
        outputs: List[Output] = []
        for argument in self.arguments:
            if argument.is_output:
                outputs.append(self._output(argument, views, out.get(argument.name), extents))
                passed.append(outputs[-1].passed)
            elif argument.passed == "number" or argument.storage is None:
                passed.append(binding.number_of(values[argument.name], argument))
            elif argument.passed == "values":
                passed.append(ctypes.c_void_p(binding.address(views[argument.name].arrays["values", 0])))
            else:
                passed.append(binding.struct_of(views[argument.name], argument))
        return Call(self, passed, outputs, views)

    def _shape(self, argument: Argument, extents: Dict[str, int]) -> Tuple[int, ...]:
        missing = [extent for extent in argument.shape if isinstance(extent, str) and extent not in extents]
        if missing:
            raise ArgumentError(f"{argument.name}: no operand says how large {missing[0]} is: "
                                f"sizes={{{missing[0]!r}: ...}} does")
        return tuple(extent if isinstance(extent, int) else extents[extent] for extent in argument.shape)

    def _output(self, argument: Argument, views, given, extents) -> Output:
        if argument.storage is None:
            return self._number(argument, given)
        if argument.is_assembled:
            return self._assembled(argument, given, extents)
        if argument.pattern_of:
            return self._sampled(argument, views[argument.pattern_of], given)
        if argument.storage.is_dense:
            return self._dense(argument, given, self._shape(argument, extents))
        if given is None:
            raise ArgumentError(f"{argument.name}: an output in this storage needs a matrix to write to: "
                                f"out={{{argument.name!r}: ...}}")
        view = view_of(given, argument.name)
        binding.check(view, argument)
        return Output(argument, binding.struct_of(view, argument), lambda words: given, view)

    @staticmethod
    def _number(argument: Argument, given) -> Output:
        place = binding.number_of(given if given is not None else 0, argument)
        return Output(argument, place, lambda words: getattr(words, "value", None))

    @staticmethod
    def _dense(argument: Argument, given, shape) -> Output:
        if given is None and argument.is_read:
            raise ArgumentError(f"{argument.name} is read and written: give it as an operand")
        array = results.dense_output(argument, shape, given)
        view = view_of(array, argument.name)
        if view.storage != argument.storage and array.size:
            raise ArgumentError(f"{argument.name}: the strides of out {array.strides} are not those of "
                                f"{binding.name_of(argument.storage)}")
        view.strides = tuple(stride // array.itemsize for stride in array.strides)
        return Output(argument, binding.struct_of(view, argument), lambda words: array, view)

    @staticmethod
    def _sampled(argument: Argument, pattern: View, given) -> Output:
        """An output in an operand's pattern shares its index arrays."""
        if given is not None:
            own = view_of(given, argument.name)
            binding.check(own, argument)
            arrays = {**pattern.arrays, ("values", 0): own.arrays["values", 0]}
            if own.stored != pattern.stored or own.shape != pattern.shape:
                raise ArgumentError(f"{argument.name}: out has {own.stored} entries and shape {own.shape}, and the pattern "
                                    f"of {argument.pattern_of} {pattern.stored} and {pattern.shape}")
        else:
            values = np.empty(pattern.arrays["values", 0].shape, results.dtypes.NUMPY[argument.type])
            arrays = {**pattern.arrays, ("values", 0): values}
        view = View(pattern.shape, argument.type, pattern.storage, arrays, pattern.family, None,
                    pointers=pattern.pointers, indices=pattern.indices, stored=pattern.stored, numbers=pattern.numbers)
        if argument.passed == "values":
            passed: Any = ctypes.c_void_p(binding.address(arrays["values", 0]))
            return Output(argument, passed, lambda words: given if given is not None else arrays["values", 0], view)
        return Output(argument, binding.struct_of(view, argument),
                      lambda words: given if given is not None else results.wrap(view, pattern.family), view)

    def _assembled(self, argument: Argument, given, extents) -> Output:
        if given is not None or argument.is_read:
            raise ArgumentError(f"{argument.name} is assembled by the call, which allocates it: it cannot be given")
        words = (ctypes.c_int64 * len(argument.fields))()
        for k, field in enumerate(argument.fields):
            if field.holds == "size":
                extent = argument.shape[field.dim]
                words[k] = extent if isinstance(extent, int) else extents.get(extent, 0)
        return Output(argument, words, lambda filled: results.assembled(argument, filled))

    def fail(self, status: int, name: str):
        """Raises what stands for a status."""
        text = f"{name}: {self.signature.statuses.get(status, 'unknown status')}"
        if status == _MEMORY:
            raise MemoryError(text)
        if status in _STRUCTURE:
            raise StructureError(text)
        if status in _ARGUMENT:
            raise ArgumentError(text)
        raise KernelError(text, status)


class Call:
    """A call with its arguments bound: it may be repeated, and reads what lies in its operands' arrays by then.

    Dense outputs, and the values of sampled ones, are written in place, the same ones each time.
    """

    def __init__(self, variant: Variant, passed: List[Any], outputs: List[Output], keep: Any):
        self._variant, self._outputs, self._keep = variant, outputs, (passed, keep)
        self._vector = (ctypes.c_void_p * len(passed))(*[
            item.value if isinstance(item, ctypes.c_void_p) else ctypes.addressof(item) for item in passed])
        self._call = variant.functions.call
        self._context = threads.context()
        self._family = next((view.family for view in (keep or {}).values() if view.family not in ("number", "numpy")),
                            "scipy")

    def __call__(self) -> Any:
        """Runs the kernel. Returns its output, or a tuple of them in the kernel's order."""
        status = self._call(self._context, self._vector)
        if status:
            self._variant.fail(status, self._variant.signature.name)
        made = [self._finish(output) for output in self._outputs]
        return made[0] if len(made) == 1 else tuple(made)

    def _finish(self, output: Output) -> Any:
        result = output.finish(output.passed)
        return results.wrap(result, self._family) if isinstance(result, View) else result


def numbers_in(values: Dict[str, Any], views: Dict[str, View]) -> Dict[str, Any]:
    """The values of the operands without dimensions."""
    return {name: view.owner for name, view in views.items() if view.storage is None and name in values}


