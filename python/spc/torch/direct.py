"""Calls of operators past PyTorch's dispatcher, which takes longer than small kernels do. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import ctypes
import functools
import os
import threading
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from ..call import threads
from ..call.outputs import Dense, Number, Sampled
from ..call.variant import Call
from ..errors import ArgumentError
from ..sources import torch as sources_torch, torch_private
from ..storage.signature import Argument, TensorArgument
from ..storage.view import View
from .backward import Backward, is_differentiable, remember, remembered
from .forward import Forward, check_tangents
from .matrix import Matrix
from .protocol import Operator

#: What a call returns that has to go through the dispatcher.
WATCHED = object()

_MOST_STEPS = 64  # of one operator
_NUMBERS = {"f32": torch.float32, "f64": torch.float64}


class Direct:
    """The calls of an operator: those whose operands lie as they did before need no more than addresses."""

    def __init__(self, op: Operator):
        self._op = op
        self._steps: Dict[Tuple[Any, ...], Optional[Step]] = {}

    def __call__(self, values: Sequence[Any], sizes: Optional[Mapping[str, int]]) -> Any:
        """The results for operands in the kernel's order; WATCHED where the dispatcher has to be asked. sizes: of extents that
        no operand has."""
        if torch_private.is_watched():
            return WATCHED
        key: List[Any] = []
        tensors: List[Any] = []
        patterns: List[Optional[View]] = []
        is_differentiated, is_forward = False, torch_private.is_forward()
        for value in values:
            pattern = None
            if type(value) is Matrix:
                pattern, value = value.pattern, value.values
                key.append(id(pattern))
            kind = type(value)
            if kind is torch.Tensor or kind is torch.nn.Parameter:
                if value.layout is not torch.strided or not value.is_cpu or value.is_neg() or value.is_conj():
                    return WATCHED
                is_differentiated = is_differentiated or value.requires_grad or is_forward and torch_private.is_dual(value)
                key += (value.dtype, value.shape, value.stride())
            elif kind is float or kind is int:
                key.append(kind)
            else:
                return WATCHED
            tensors.append(value)
            patterns.append(pattern)
        if sizes:
            key.append(repr(sizes))
        try:
            step = self._step(tuple(key), values, patterns, sizes)
            if step is None:
                return WATCHED
            if is_differentiated and (is_forward or torch.is_grad_enabled()):
                made = step.wrapped(_Function.apply(step, patterns, *tensors), patterns)
            else:
                made = step.wrapped(step.run(tensors), patterns)
        except RuntimeError:
            if all(not isinstance(tensor, torch.Tensor) or torch_private.has_storage(tensor) for tensor in tensors):
                raise
            return WATCHED  # of vmap
        except ArgumentError:
            if not any(isinstance(tensor, torch.Tensor) and torch_private.is_zero(tensor) for tensor in tensors):
                raise
            return WATCHED  # it has no memory
        return made[0] if len(made) == 1 else tuple(made)

    def _step(self, key: Tuple[Any, ...], values: Sequence[Any], patterns: Sequence[Optional[View]],
              sizes: Optional[Mapping[str, int]]) -> "Optional[Step]":
        step = self._steps.get(key)
        if step is None and key not in self._steps:
            if len(self._steps) >= _MOST_STEPS:
                self._steps.clear()
            step = self._steps[key] = _step_of(self._op, values, sizes)
            for pattern in patterns:  # another one may be at its address later
                if pattern is not None:
                    weakref.finalize(pattern, functools.partial(self._steps.pop, key, None)).atexit = False
        return step


def _step_of(op: Operator, values: Sequence[Any], sizes: Optional[Mapping[str, int]]) -> "Optional[Step]":
    """The step for operands; None where there is none: the call makes its results' memory, operands are batches, or are to be
    converted."""
    if op.batches(values):
        return None
    apart = [k for k, value in enumerate(values) if op.has_to_be_contiguous(k, value)]
    values = [value.contiguous() if k in apart else value for k, value in enumerate(values)]
    try:
        call = op.kernel.bind(*values, sizes=sizes)
    except ArgumentError:
        if op.copies:
            return None
        raise
    op.registered(values)
    arguments = call.variant.arguments
    for output in call.outputs:
        if not (isinstance(output, (Sampled, Number)) or isinstance(output, Dense) and output.is_row_major):
            return None
    if any(not isinstance(argument, TensorArgument) and argument.type not in _NUMBERS for argument in arguments):
        return None
    return Step(op, call, values, apart)


#: Those that are alive, whose locks a process that is forked has to have anew: another thread may have held one.
_all: "weakref.WeakSet[Step]" = weakref.WeakSet()


def _unlock_all() -> None:
    for step in list(_all):
        step.lock = threading.Lock()


os.register_at_fork(after_in_child=_unlock_all)


class Step:
    """A call for operands of certain layouts and structures, of which all but the addresses of values is bound.

    Threads that share one wait for each other.
    """

    def __init__(self, op: Operator, call: Call, values: Sequence[Any], apart: Sequence[int]):
        """apart: which operands' values lie apart, and are copied at each call."""
        self._apart = apart
        self._op, self._signature = op, call.variant.signature
        self._request = op.request(values)
        self._backwards: Dict[Tuple[Any, ...], Backward] = {}
        self._forwards: Dict[Tuple[int, ...], Forward] = {}
        self.lock = threading.Lock()
        _all.add(self)
        self._run, self._fail, self._context = call.variant.functions.call, call.variant.fail, threads.context()
        self._passed, self._vector = call.passed, call.vector
        self._read: List[Tuple[Any, int, int]] = []  # what holds an address, at which place, and of which operand
        self._numbers: List[Tuple[Any, int]] = []    # where a number lies, and of which operand
        self._written: List[Tuple[Any, int, Any, Any]] = []  # what holds an address, the place, and shape and type behind
        self._made: List[Tuple[Any, int]] = []       # numbers: where one lies, and of which result
        self._patterns: List[Any] = []               # of each result: None, the number of an operand, or a view
        operands, outputs = 0, iter(call.outputs)
        for k, argument in enumerate(call.variant.arguments):
            if argument.is_output:
                self._bind_output(k, argument, next(outputs), values)
            else:
                self._bind_operand(k, argument, operands)
                operands += 1

    def _holder(self, k: int, argument: Argument) -> Tuple[Any, int]:
        """Where the address of an argument's values is written."""
        if isinstance(self._passed[k], ctypes.c_void_p):
            return self._vector, k
        return self._passed[k], [field.holds for field in argument.fields].index("values")

    def _bind_operand(self, k: int, argument: Argument, operand: int) -> None:
        if argument.passed == "number":
            self._numbers.append((self._passed[k], operand))
        else:
            self._read.append((*self._holder(k, argument), operand))

    def _bind_output(self, k: int, argument: Argument, output: Any, values: Sequence[Any]) -> None:
        pattern = None
        if isinstance(output, Number):
            self._made.append((self._passed[k], len(self._written)))
            self._written.append((None, 0, (), _NUMBERS[argument.type]))
        else:
            result = output.result
            if isinstance(result, Matrix):
                operand = self._op.inputs.index(argument.pattern_of)
                is_same = values[operand].pattern.storage is result.pattern.storage
                pattern, result = operand if is_same else result.pattern, result.values
            self._written.append((*self._holder(k, argument), tuple(result.shape),
                                  sources_torch.dtype_of(torch, argument.type)))
        self._patterns.append(pattern)

    def run(self, tensors: Sequence[Any]) -> List[torch.Tensor]:
        """Runs the kernel. tensors: of dense operands, of the values of sparse ones, and numbers. Returns those of results.
        Raises KernelError, or MemoryError, where it fails."""
        results = [torch.empty(shape, dtype=dtype) for _, _, shape, dtype in self._written]
        if self._apart:
            tensors = [tensor.contiguous() if k in self._apart else tensor for k, tensor in enumerate(tensors)]
        with self.lock:
            for holder, place, operand in self._read:
                holder[place] = tensors[operand].data_ptr()
            for number, operand in self._numbers:
                number.value = float(tensors[operand])
            for (holder, place, _, _), result in zip(self._written, results):
                if holder is not None:
                    holder[place] = result.data_ptr()
            if status := self._run(self._context, self._vector):
                self._fail(status)
            for number, k in self._made:
                results[k].fill_(number.value)
        return results

    def wrapped(self, results: Sequence[torch.Tensor], patterns: Sequence[Optional[View]]) -> List[Any]:
        """The results of tensors, matrices where they are such. patterns: of operands."""
        mine = [patterns[pattern] if isinstance(pattern, int) else pattern for pattern in self._patterns]
        return [result if pattern is None else Matrix(result, pattern) for result, pattern in zip(results, mine)]

    def gradients(self, tensors: Sequence[Any], results: Sequence[torch.Tensor], patterns: Sequence[Optional[View]],
                  incoming: Sequence[Any], needed: Sequence[bool]) -> List[Any]:
        """The gradients of operands' tensors; None of those that are not needed, or on which nothing depends."""
        as_stored = any(isinstance(tensor, torch.Tensor) and torch_private.is_dual(tensor) for tensor in tensors)
        key = (as_stored, *needed, *[gradient is None for gradient in incoming])
        backward = self._backwards.get(key)
        if backward is None:
            given = [k for k, gradient in enumerate(incoming) if gradient is not None]
            wrt = [k for k, is_needed in enumerate(needed) if is_needed]
            if not given or not wrt:
                return [None] * len(tensors)
            backward = self._backwards[key] = Backward(self._op, self._signature, self._request, given, wrt, as_stored)
        return backward(_values(tensors, patterns), self.wrapped(results, patterns), incoming)

    def tangents(self, tensors: Sequence[Any], results: Sequence[torch.Tensor], patterns: Sequence[Optional[View]],
                 incoming: Sequence[Any]) -> List[Any]:
        """The tangents of results, by those of operands' tensors; None where there is none."""
        wrt = tuple([k for k, tangent in enumerate(incoming) if tangent is not None])
        of = [k for k, result in enumerate(results) if is_differentiable(result)]
        check_tangents(self._op.name, len(of), len(results))
        if not wrt or not of:
            return [None] * len(results)
        forward = self._forwards.get(wrt)
        if forward is None:
            forward = self._forwards[wrt] = Forward(self._op, self._signature, self._request, of, wrt)
        return forward(_values(tensors, patterns), self.wrapped(results, patterns), incoming)


def _values(tensors: Sequence[Any], patterns: Sequence[Optional[View]]) -> List[Any]:
    """The operands of tensors, matrices where they have patterns."""
    return [tensor if pattern is None else Matrix(tensor, pattern) for tensor, pattern in zip(tensors, patterns)]


class _Function(torch.autograd.Function):
    """The derivatives of a step."""

    @staticmethod
    def forward(ctx: Any, step: Step, patterns: Sequence[Optional[View]], *tensors: Any) -> Any:
        returned = tuple(step.run(tensors))
        ctx.step, ctx.patterns = step, patterns
        remember(ctx, tensors, returned)
        return returned

    @staticmethod
    def backward(ctx: Any, *incoming: Any) -> Any:
        tensors, returned = remembered(ctx)
        found = ctx.step.gradients(tensors, returned, ctx.patterns, incoming, ctx.needs_input_grad[2:])
        return (None, None, *found)

    @staticmethod
    def jvp(ctx: Any, _: Any, __: Any, *incoming: Any) -> Any:
        tensors, returned = remembered(ctx)
        return tuple(ctx.step.tangents(tensors, returned, ctx.patterns, incoming))
