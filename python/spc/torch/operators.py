"""Operators: kernels of tensors, of their batches, and of what lies apart."""
# SPDX-License-Identifier: Apache-2.0

import itertools
import json
import os
import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np
import torch

from .. import api
from ..call import threads
from ..call.gradients import is_tracked, tensors_of
from ..compiler import cache
from ..compiler.derivative import gradient, reading, tangent
from ..errors import ArgumentError, ArgumentTypeError
from ..kernel import Kernel
from ..sources import torch as sources_torch, torch_private, view_of
from ..storage.view import Operand
from . import tracing
from .autocast import cast
from .convert import fitting, viewable
from .direct import WATCHED, Direct
from .matrix import Matrix, standing_for
from .registry import Registered
from .together import Together, together

_numbers = itertools.count()
#: Held while an operator gets its name, which PyTorch takes once.
_registering = threading.RLock()


def _unlock() -> None:
    """Gives a process that is forked a lock of its own: another thread may have held this one."""
    global _registering
    _registering = threading.RLock()


os.register_at_fork(after_in_child=_unlock)
threads.share_openmp()


def op(text: Union[str, "os.PathLike[str]"], *, name: Optional[str] = None,
       backward: Optional[Mapping[str, cache.Format]] = None, autocast: Optional[torch.dtype] = None, **options: Any) -> "Op":
    """An operator of PyTorch that computes a kernel.

    Takes what `spc.kernel` takes. name: of the operator, `torch.ops.spc.<name>`; a number is appended where there is one.
    backward: formats in which gradients read sparse operands, which are converted once, and again where torch has written
    to their values: "csc" of what the kernel reads as "csr" and the gradient transposed. An operand whose own gradient is
    wanted is read as it is. autocast: the type in which operands are read within torch.autocast of the CPU, floats but for
    float64; else they are read as they come there, too. Raises CompileError with spc's diagnostics where the text is wrong,
    ArgumentTypeError of names that no operand has.
    """
    return Op(api.kernel(text, name=name, **options), backward, autocast=autocast)


class Op:
    """A kernel of tensors, through which gradients flow.

    Operands are dense tensors, numbers (tensors without dimensions), and sparse ones: Matrix, or torch's sparse tensors,
    which may not require gradients. Dense results are tensors, sparse ones Matrix. Gradients of sparse operands are
    those of their values: a matrix's gradient has its pattern. They are computed by the kernels that `spc grad` writes
    (docs/grad.md), which are compiled when they are needed first.
    """

    def __init__(self, kernel: Kernel, backward: Optional[Mapping[str, cache.Format]] = None,
                 formats: Optional[Mapping[str, cache.Format]] = None, autocast: Optional[torch.dtype] = None):
        """backward: formats in which gradients read operands. formats: of operands that this one, a gradient, reads so.
        autocast: the type in which operands are read within torch.autocast."""
        # Copies are made here, where gradients flow through them.
        self._given, self.kernel, self.copies = kernel, kernel.inner(), kernel.is_copying
        self.formats = formats or {}
        if backward is not None and not isinstance(backward, Mapping):
            raise ArgumentTypeError(f"backward is to be a dictionary of formats by operand, not {backward!r}")
        parameters = {argument.tensor: argument.name for argument in kernel.signature.inputs}
        self._backward = {parameters.get(name, name): form for name, form in (backward or {}).items()}
        if autocast is not None and not (isinstance(autocast, torch.dtype) and autocast.is_floating_point):
            raise ArgumentTypeError(f"autocast={autocast!r} is no type of floats, such as torch.bfloat16")
        self.autocast = autocast
        self._inputs = [argument.name for argument in kernel.signature.inputs]
        # Of those that are passed as values alone, batches cannot be told from blocks.
        self.orders = [len(argument.shape) if argument.passed != "values" else -2 for argument in kernel.signature.inputs]
        self._outputs = [argument.name for argument in kernel.signature.outputs]
        if any(argument.is_read for argument in kernel.signature.outputs):
            raise ArgumentError(f"{kernel.name} updates an operand in place, which has no gradient: write '=' and an operand "
                                "for what was there")
        for operand in self._backward:
            if operand not in self._inputs:
                raise ArgumentTypeError(f"{kernel.name} has no operand {operand!r}: there are {', '.join(self._inputs)}")
            if not isinstance(self._backward[operand], (str, Mapping)):
                raise ArgumentTypeError(f"{operand}: a format is a name or a file's contents, not {self._backward[operand]!r}")
        self._gradients: Dict[Tuple[str, Tuple[str, ...], Tuple[str, ...], bool], "Op"] = {}
        self._tangents: Dict[Tuple[str, Tuple[str, ...], Tuple[str, ...]], "Op"] = {}
        self._registered: Dict[Tuple[Any, ...], Registered] = {}
        self._together: Dict[Tuple[Any, ...], Optional[Together]] = {}
        self.name, self.number = kernel.name, next(_numbers)
        tracing.note(self, self.number)
        # What is validated at each call is bound at each call.
        self._direct = None if kernel.validation == "always" else Direct(self)

    def __repr__(self) -> str:
        return f"<spc.torch.Op {self.kernel.name}({', '.join(self._inputs)}) -> {', '.join(self._outputs)}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (self._given, self._backward, self.formats, self.autocast)

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Op":
        return self  # it has no state but what is found again

    def __call__(self, *operands: Any, sizes: Optional[Mapping[str, int]] = None, **named: Any) -> Any:
        """Computes the results, or a tuple of several. sizes: of extents that no operand has.

        A dense operand with one dimension more than the kernel's, and a matrix whose values have one more, are batches, and so
        are the results: one kernel computes them, or one is called for each element (docs/torch.md). Raises ArgumentError as kernels do, and
        CompileError where a gradient is wanted that does not exist.
        """
        if torch_private.is_compiling():
            return tracing.call(self, operands, named, sizes)
        operands = self.kernel.in_order(operands, named)
        values: Sequence[Any] = operands
        if self.autocast is not None and torch_private.is_autocast():
            values = [cast(self._plain(k, value), self.autocast) for k, value in enumerate(values)]
            return self._owned(self._computed(values, sizes), operands)
        if self._direct is not None and (results := self._direct(values, sizes)) is not WATCHED:
            return results
        values = [self._plain(k, value) for k, value in enumerate(values)]
        if self.copies:
            return self._owned(self._computed(values, sizes), operands)
        return self._owned(self._batched(values, sizes), operands)

    def _computed(self, values: Sequence[Any], sizes: Optional[Mapping[str, int]]) -> Any:
        """The results for operands that no longer are as they were given."""
        if self.copies:
            values = self._fitting(values)
        if self._direct is not None and (results := self._direct(values, sizes)) is not WATCHED:
            return results
        return self._batched(values, sizes)

    @torch.no_grad()
    def computed(self, values: Sequence[Any], sizes: Mapping[str, int]) -> Any:
        """What the kernel computes of operands without batches, none of which is followed."""
        if self._direct is not None and (results := self._direct(values, sizes or None)) is not WATCHED:
            return results
        return self.kernel(*values, sizes=sizes or None)

    def _owned(self, results: Any, operands: Sequence[Any]) -> Any:
        """The results, with index arrays of their own where they have an operand's that is no Matrix."""
        if self._given.is_sharing or not any(_may_change(value) for value in operands):
            return results
        owned = [result.owning() if isinstance(result, Matrix) else result
                 for result in (results if isinstance(results, tuple) else (results,))]
        return tuple(owned) if isinstance(results, tuple) else owned[0]

    def _batched(self, values: Sequence[Any], sizes: Optional[Mapping[str, int]]) -> Any:
        """Computes the results of operands that may be batches."""
        counts = self.batches(values)
        if not counts:
            return self._call(values, sizes)
        if len(counts) > 1:
            raise ArgumentError(f"{self.kernel.name}: batches of {' and '.join(map(str, sorted(counts)))} elements")
        count = counts.pop()
        if (results := self.together(values, [_batch_of(value, order) is not None for value, order in zip(values, self.orders)],
                                     count, sizes)) is not None:
            return results[0] if len(results) == 1 else tuple(results)
        # One element says what those of a batch without any would be like.
        steps = [self._call([_element(value, order, k) for value, order in zip(values, self.orders)], sizes)
                 for k in range(max(count, 1))]
        made = [_stacked(list(results), count) for results in (zip(*steps) if len(self._outputs) > 1 else (steps,))]
        return made[0] if len(made) == 1 else tuple(made)

    def together(self, values: Sequence[Any], is_batch: Sequence[bool], count: int,
                 sizes: Optional[Mapping[str, int]]) -> Optional[List[Any]]:
        """The results for operands of which some are batches of so many elements, by one kernel; None where it has to be called
        for each element."""
        if count < 2:
            return None
        key = tuple([(one, value.pattern.storage, value.values.dtype) if isinstance(value, Matrix) else
                     (one, value.dtype) if isinstance(value, torch.Tensor) else type(value)
                     for value, one in zip(values, is_batch)])
        if key not in self._together:
            elements = [_element(value, order, 0) if one else value for value, order, one in zip(values, self.orders, is_batch)]
            self._together[key] = together(self, elements, is_batch, self._backward, Op)
        made = self._together[key]
        try:
            return None if made is None else made(values, is_batch, count, sizes)
        except ArgumentError:  # of which a call for one element says more
            return None

    def _plain(self, k: int, value: Any) -> Any:
        """Operand number k: sparse tensors as matrices, values that lie apart as a copy. Raises ArgumentError of objects of
        other libraries that are not sparse, and of sparse tensors that require gradients."""
        if isinstance(value, np.generic):
            value = value.item()
        elif isinstance(value, (np.ndarray, list, tuple)):
            raise ArgumentTypeError(f"{self._inputs[k]}: operators take tensors, and it is of class "
                                    f"{type(value).__qualname__}: torch.as_tensor() makes one of it")
        if isinstance(value, torch.Tensor) and value.layout is torch.strided:
            value = sources_torch.resolved(value)
        elif not isinstance(value, (Matrix, bool, int, float, complex)):
            if any(is_tracked(tensor) for tensor in tensors_of(value)):
                name = self._inputs[k]
                raise ArgumentError(f"{name}: it requires gradients, and operators give none to torch's sparse tensors: "
                                    f"{name} = spc.torch.Matrix.of({name}.detach()) and {name}.values.requires_grad_() have "
                                    "some; .detach() says that none are wanted")
            value = Matrix.of(value, copies=self.copies, share=True)
            if len(value.shape) == self.orders[k] + 1:
                raise ArgumentError(f"{self._inputs[k]}: a batch of matrices with structures of their own is a tensor of "
                                    f"{len(value.shape)} dimensions: a kernel that has an index of the batch, as C(b,i,k) = "
                                    "A(b,i,j) * B(b,j,k) has, takes it at once")
        return value.contiguous() if self.has_to_be_contiguous(k, value) else value

    def has_to_be_contiguous(self, k: int, value: Any) -> bool:
        """Whether operand number k is, or has, values alone, for whose strides a kernel has no place, and they lie apart."""
        values = value.values if isinstance(value, Matrix) else value if self.orders[k] < 0 else None
        return isinstance(values, torch.Tensor) and not (values.is_contiguous() and values is sources_torch.resolved(values))

    def _fitting(self, values: Sequence[Any]) -> List[Any]:
        """The operands in the storage and types that the kernel reads."""
        values = [viewable(value) for value in values]
        first = [_element(value, order, 0) for value, order in zip(values, self.orders)]
        views = {name: view_of(standing_for(value), name) for name, value in zip(self._inputs, first)}
        arguments = self.kernel.specialised_signature(views).inputs
        return [fitting(value, argument, one) for value, argument, one in zip(values, arguments, first)]

    def _call(self, values: Sequence[Any], sizes: Optional[Mapping[str, int]]) -> Any:
        """Computes the results of operands without batches."""
        return self.registered(values)(values, sizes or {})

    def registered(self, values: Sequence[Any]) -> Registered:
        """The operator that PyTorch's dispatcher knows, for operands of such kinds and storage."""
        key = tuple([value.pattern.storage if isinstance(value, Matrix) else
                     None if isinstance(value, torch.Tensor) else type(value) for value in values])
        known = self._registered.get(key)
        if known is None:
            with _registering:
                known = self._registered.get(key)
                if known is None:
                    known = Registered(self, values, f"{self.kernel.name}_{next(_numbers)}" if self._registered or
                                       hasattr(torch.ops.spc, self.kernel.name) else self.kernel.name)
                    self._registered[key] = known
        return known

    def batches(self, values: Sequence[Any]) -> Set[int]:
        """The sizes of batches among operands."""
        return {size for value, order in zip(values, self.orders) if (size := _batch_of(value, order)) is not None}

    @torch.no_grad()
    def request(self, values: Sequence[Any]) -> cache.Request:
        """What `spc grad` is asked about."""
        return self.request_for({name: view_of(value, name) for name, value in zip(self._inputs, values)})

    def request_for(self, views: Dict[str, Operand]) -> cache.Request:
        """The same by outlines of operands: formats of sparse tensors alone, as dense ones may lie in any order."""
        request = self.kernel.specialised(views)
        return request.changed(formats={name: form for name, form in request.formats.items()
                                        if not str(form).startswith("dense")})

    def gradient(self, request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...], as_stored: bool = False) -> "Op":
        """The operator of a vector-Jacobian product, for operands of the storage and types that a request says. as_stored:
        whether it reads all operands in the format that the kernel reads."""
        key = (request.key(), of, wrt, as_stored)
        if key not in self._gradients:
            asked = gradient(request, self._tensors(of), self._tensors(wrt))
            made, formats = reading(asked, {} if as_stored else self._backward)
            self._gradients[key] = Op(Kernel(made, validate="never", copy=False), formats=formats)
        return self._gradients[key]

    def tangent(self, request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...]) -> "Op":
        """The operator of a Jacobian-vector product, for operands of the storage and types that a request says."""
        key = (request.key(), of, wrt)
        if key not in self._tangents:
            made = tangent(request, self._tensors(of), self._tensors(wrt))
            self._tangents[key] = Op(Kernel(made, validate="never", copy=False))
        return self._tangents[key]

    def _tensors(self, names: Tuple[str, ...]) -> Tuple[str, ...]:
        """The names that arguments have in the text, which may be such as C has for functions: y0 and y1."""
        named = {argument.name: argument.tensor for argument in self.kernel.signature.arguments}
        return tuple([named[name] for name in names])

    @property
    def identity(self) -> str:
        """What tells the operator from all others, in all processes."""
        return json.dumps([self.kernel.identity, self.copies, sorted(self._backward.items(), key=str), sorted(self.formats.items(), key=str)])

    @property
    def inputs(self) -> List[str]:
        """The operands' names, in order."""
        return self._inputs

    @property
    def outputs(self) -> List[str]:
        """The results' names, in order."""
        return self._outputs


def _restored(kernel: Kernel, backward: Mapping[str, cache.Format], formats: Mapping[str, cache.Format],
              autocast: Optional[torch.dtype]) -> Op:
    return Op(kernel, backward, formats, autocast)


def _may_change(value: Any) -> bool:
    """Whether an operand has a structure that its owner may change in place: that of a Matrix does not change."""
    if isinstance(value, torch.Tensor):
        return value.layout is not torch.strided
    return not isinstance(value, (Matrix, bool, int, float, complex))


def _batch_of(value: Any, order: int) -> Optional[int]:
    """How many elements a batch has; None of what is none."""
    if isinstance(value, Matrix):
        return value.values.shape[0] if value.is_batch else None
    return value.shape[0] if isinstance(value, torch.Tensor) and value.dim() == order + 1 else None


def _element(value: Any, order: int, k: int) -> Any:
    """One element of a batch, of one without any zeros, or what all of them share."""
    count = _batch_of(value, order)
    if count is None:
        return value
    if isinstance(value, Matrix):
        return value.with_values(_element(value.values, value.values.dim() - 1, k))
    return value[k] if count else value.sum(0, dtype=value.dtype)


def _stacked(results: List[Any], count: int) -> Any:
    """The results of a batch of so many elements, by those of each; by one like them where it has none."""
    if isinstance(results[0], Matrix):
        return results[0].with_values(_stacked([result.values for result in results], count))
    stacked = torch.stack(results)
    return stacked if count else stacked[:0]
