"""Operators as PyTorch's dispatcher knows them: of plain tensors. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import hashlib
import itertools
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from ..call import binding, results
from ..call.outputs import shape_of
from ..sources import torch as sources_torch, torch_private
from ..storage.signature import Argument, TensorArgument
from ..storage.view import Operand, Place
from .backward import Backward, is_differentiable, remember, remembered
from .forward import Forward, check_tangents
from .matrix import STORED, Matrix, places_of
from .protocol import Operator
from .slots import Slot, matrix_of, outline_of, shaped

try:
    from torch import library
    _library: Any = library.Library("spc", "DEF")
except ImportError:  # a torch without it: who traces or maps sees no operators, and all else works
    _library = None


#: The form of operators: another one where they take or return something else for the same kernel.
_FORM = 1

#: By the names that say what is computed: what was registered last, whose kernel runs, so that an operator's warnings are given
#: though another one of its text was there before.
_latest: Dict[str, "Registered"] = {}


def _computing(name: str) -> Callable[..., Any]:
    """What runs a kernel of a name."""
    def compute(*arguments: Any) -> Any:
        return _latest[name].compute(*arguments)
    return compute


class Registered:
    """An operator for operands of certain kinds and storage: `torch.ops.spc.<name>`."""

    def __init__(self, op: Operator, values: Sequence[Any], name: str):
        """name: under which users find it. Graphs that PyTorch keeps on disk have one that says what is computed, so that it is
        the same in all processes, and another one of another kernel."""
        self.op = op
        self._backwards: Dict[Tuple[Any, ...], Backward] = {}
        self._forwards: Dict[Tuple[Any, ...], Forward] = {}
        self.slots: List[Slot] = []
        first = 0
        for operand, value in zip(op.inputs, values):
            self.slots.append(Slot(operand, value, first))
            first += len(self.slots[-1].declared)
        self.signature = op.kernel.specialised_signature(
            {slot.name: outline_of(value) for slot, value in zip(self.slots, values)})
        self.results: List[Argument] = self.signature.outputs
        #: Where the values of results are among the tensors that are returned.
        self._places = [last - 1 for last in itertools.accumulate(map(self._width, self.results))]
        returned = ", ".join("Tensor" for argument in self.results for _ in range(self._width(argument)))
        single = returned == "Tensor"
        said = binding.extents_said(self.signature)
        #: Extents that no operand says: arguments behind those of operands.
        self.extents = list(dict.fromkeys(extent for argument in self.results if not argument.pattern_of
                                          for extent in argument.shape if isinstance(extent, str) and extent not in said))
        self.extents_at = first
        declared = ", ".join([*[part for slot in self.slots for part in slot.declared],
                              *[f"int {extent}_size" for extent in self.extents]])
        self.is_single = single
        self.outlines = [self._outline(argument) for argument in self.results]
        told = [_FORM, op.identity, *[value.pattern.storage if isinstance(value, Matrix) else type(value) for value in values]]
        self.name = f"{op.kernel.name}_{hashlib.sha256(repr(told).encode()).hexdigest()[:16]}"
        if _library is None:
            self.overload = self._with_gradients
            return
        _latest[self.name] = self
        inputs, declared = declared, f"({declared}) -> {returned if single else f'({returned})'}"
        if not hasattr(torch.ops.spc, self.name):
            _library.define(self.name + declared)
            _library.impl(self.name, _computing(self.name), "CPU")
            _library.impl(self.name, self._with_gradients, "Autograd")
            torch_private.give_shapes(_library, self.name, self._shapes)
        self._define_backward(inputs)
        self.overload = getattr(torch.ops.spc, self.name).default
        _library.define(name + declared)
        _library.impl(name, self.run_flat, "CompositeImplicitAutograd")

    def __call__(self, values: Sequence[Any], sizes: Mapping[str, int]) -> Any:
        """The results for operands of the kinds that the operator is for. sizes: of extents that no operand has."""
        if sizes or self.extents:
            self.op.kernel.check_sizes(sizes)
            extents = self._extents(values, sizes)
            for argument in self.results:
                shape_of(argument, extents)
        returned = self.run([argument for slot, value in zip(self.slots, values) for argument in slot.flat(value)] +
                            [sizes[extent] for extent in self.extents])
        made = self._made(values, sizes, [returned] if self.is_single else list(returned))
        return made[0] if len(made) == 1 else tuple(made)

    def _outline(self, argument: Argument) -> Tuple[int, Optional[int], int, Tuple[Any, ...]]:
        """Of a result: how many tensors it is, the operand whose pattern it has, the number of a sparse one's storage, else -1,
        and its extents: numbers, or an operand and its dimension."""
        if not isinstance(argument, TensorArgument) or argument.passed == "values" or \
                not (argument.is_assembled or argument.pattern_of):
            return 1, None, -1, ()
        inputs = self.signature.inputs
        places = sorted((field.holds, field.level) for field in argument.fields
                        if field.holds in ("pointers", "indices", "lengths"))
        STORED.setdefault(argument.storage.number, (argument.storage, places))
        found = {extent: (k, dim) for k, one in enumerate(inputs) if one.passed != "values" for dim, extent in enumerate(one.shape)}
        pattern_of = [one.name for one in inputs].index(argument.pattern_of) if argument.pattern_of else None
        return (self._width(argument), pattern_of, argument.storage.number,
                tuple(extent if isinstance(extent, int) else found.get(extent, 0) for extent in argument.shape))

    def run(self, arguments: Sequence[Any]) -> Any:
        """What the operator returns, in whatever way PyTorch is to follow it."""
        if torch_private.is_transformed():
            returned = Transformed.apply(self, *arguments)
            return returned[0] if self.is_single else returned
        return self.overload(*arguments)

    def _define_backward(self, declared: str) -> None:
        """Defines the operator of its gradient, so that graphs that PyTorch keeps on disk find it where the operator is."""
        name = f"{self.name}_backward"
        if not hasattr(torch.ops.spc, name):
            ahead = f"{declared}, " if declared else ""
            _library.define(f"{name}({ahead}Tensor[] results_, Tensor?[] incoming_, bool[] needed_) -> Tensor[]")
            _library.impl(name, self._backward, "CPU")
            torch_private.give_shapes(_library, name, self._backward_shapes)
        self._backward_overload = getattr(torch.ops.spc, name).default

    @torch.no_grad()
    def _backward(self, *given: Any) -> List[torch.Tensor]:
        """Computes the gradients that are needed."""
        *arguments, results, incoming, needed = given
        found = self.gradients(arguments, results, incoming, needed)
        return [torch.zeros_like(argument) if gradient is None else gradient.contiguous()
                for argument, gradient, is_needed in zip(arguments, found, needed) if is_needed]

    def _backward_shapes(self, *given: Any) -> List[torch.Tensor]:
        *arguments, _, _, needed = given
        return [torch.empty(argument.shape, dtype=argument.dtype, device=argument.device)
                for argument, is_needed in zip(arguments, needed) if is_needed]

    def _by_backward(self, arguments: Sequence[Any], returned: Sequence[torch.Tensor], incoming: Sequence[Any],
                     needed: Sequence[bool]) -> List[Any]:
        """The gradients by the operator of them."""
        needed = [is_needed and isinstance(argument, torch.Tensor) for argument, is_needed in zip(arguments, needed)]
        made = iter(self._backward_overload(*arguments, list(returned), list(incoming), needed))
        return [next(made) if is_needed else None for is_needed in needed]

    def run_flat(self, *arguments: Any) -> Any:
        """`run` of arguments one by one."""
        return self.run(arguments)

    @staticmethod
    def _width(argument: Argument) -> int:
        """How many tensors a result is."""
        return 1 + sum(field.holds in ("pointers", "indices", "lengths") for field in argument.fields) \
            if argument.is_assembled else 1

    def _values(self, arguments: Sequence[Any]) -> List[Any]:
        return [slot.value(arguments) for slot in self.slots]

    def mapped(self, count: int, in_dims: Sequence[Any], arguments: Sequence[Any]) -> Optional[Tuple[Any, ...]]:
        """What the operator returns for batches of so many elements, each stacked, by one kernel; None where it has to be called
        for each element. in_dims: of each argument, the dimension that a batch has it in, else None, or a list of such."""
        dims = [dim if isinstance(dim, int) else None for dim in in_dims]
        is_batch = [dims[slot.values_at] is not None for slot in self.slots]
        if sum(dim is not None for dim in dims) != sum(is_batch):  # structures or sizes differ
            return None
        first = [argument.movedim(dim, 0) if dim is not None else argument for argument, dim in zip(arguments, dims)]
        elements = [argument[0] if dim is not None else argument for argument, dim in zip(first, dims)]
        values = [slot.of_batch(first, elements) if one else slot.value(elements) for slot, one in zip(self.slots, is_batch)]
        results = self.op.together(values, is_batch, count, self._sizes(arguments))
        return None if results is None else tuple([one.values if isinstance(one, Matrix) else one for one in results])

    def _sizes(self, arguments: Sequence[Any]) -> Dict[str, int]:
        """The sizes of extents that no operand says."""
        return dict(zip(self.extents, arguments[self.extents_at:]))

    def compute(self, *arguments: Any) -> Any:
        """Runs the kernel."""
        made = self.op.computed(self._values(arguments), self._sizes(arguments))
        flat: List[torch.Tensor] = []
        for argument, result in zip(self.results, made if isinstance(made, tuple) else (made,)):
            if isinstance(result, Matrix):
                flat += [*result.structure(), result.values] if argument.is_assembled else [result.values]
                continue
            if not isinstance(result, torch.Tensor):  # kernels make arrays where all operands are numbers
                wrap: Any = results.wrap_dense if isinstance(argument, TensorArgument) else results.wrap_number
                result = wrap(result, argument.type, "torch")
            flat.append(result)
        return flat[0] if self.is_single else tuple(flat)

    def _made(self, values: Sequence[Any], sizes: Mapping[str, int], flat: List[torch.Tensor]) -> List[Any]:
        """The results of an operator's tensors."""
        by_name = {slot.name: value for slot, value in zip(self.slots, values)}
        made: List[Any] = []
        for argument in self.results:
            parts, flat = flat[:self._width(argument)], flat[self._width(argument):]
            if isinstance(argument, TensorArgument) and argument.is_assembled:
                places = sorted((field.holds, field.level) for field in argument.fields
                                if field.holds in ("pointers", "indices", "lengths"))
                extents = self._extents(values, sizes)
                shape = tuple(extent if isinstance(extent, int) else extents[extent] for extent in argument.shape)
                made.append(matrix_of(argument.storage, places, parts[:-1], shape, parts[-1]))
            elif isinstance(argument, TensorArgument) and argument.pattern_of and argument.passed != "values":
                made.append(self._sampled(argument, by_name[argument.pattern_of], parts[0]))
            else:
                made.append(parts[0])
        return made

    @staticmethod
    def _sampled(argument: TensorArgument, operand: Matrix, values: torch.Tensor) -> Matrix:
        """A result in an operand's pattern, perhaps with its dimensions exchanged."""
        pattern = operand.pattern
        if pattern.storage is argument.storage or binding.fits(pattern, argument.storage):
            return operand.with_values(values)
        order = [pattern.storage.levels[k].dim for k in range(len(pattern.storage.levels))]
        mine = [level.dim for level in argument.storage.levels]
        shape = list(pattern.shape)
        for dim, other in zip(mine, order):
            shape[dim] = pattern.shape[other]
        return matrix_of(argument.storage, places_of(pattern), operand.structure(), tuple(shape), values)

    def _extents(self, values: Sequence[Any], sizes: Mapping[str, int]) -> Dict[str, int]:
        """What the shapes of operands say of extents. values: operands, or lists of what shapes they have."""
        signature = self.op.kernel.signature
        views: Dict[str, Operand] = {}
        for argument, value in zip(signature.inputs, values):
            if argument.passed != "values":
                shape = tuple(value) if isinstance(value, (list, tuple)) else tuple(getattr(value, "shape", ()))
                views[argument.name] = shaped(shape, "")
        return binding.extents_of(views, signature, sizes)

    def _shapes(self, *arguments: Any) -> Any:
        """Empty results of the right shapes, for tracing."""
        extents = self._extents([arguments[slot.first] if slot.storage is None else arguments[slot.values_at - 1]
                                 for slot in self.slots], self._sizes(arguments))
        flat: List[torch.Tensor] = []
        outlines = {slot.name: slot.outline(arguments) for slot in self.slots}
        device = next((argument.device for argument in arguments if isinstance(argument, torch.Tensor)), torch.device("cpu"))
        for argument in self.op.kernel.specialised_signature(outlines).outputs:
            dtype = sources_torch.dtype_of(torch, argument.type)
            if argument.pattern_of:
                slot = next(slot for slot in self.slots if slot.name == argument.pattern_of)
                shape = tuple(arguments[slot.values_at].shape)
            else:
                shape = tuple(extent if isinstance(extent, int) else extents[extent] for extent in argument.shape)
            if isinstance(argument, TensorArgument) and argument.is_assembled:
                flat += _assembled(argument, shape, device)
            else:
                flat.append(torch.empty(shape, dtype=dtype, device=device))
        return flat[0] if self.is_single else tuple(flat)

    def _with_gradients(self, *arguments: Any) -> Any:
        if _library is not None and not torch_private.is_forward() and not (torch.is_grad_enabled() and any(
                isinstance(argument, torch.Tensor) and argument.requires_grad for argument in arguments)):
            with torch_private.below_autograd():
                return self.overload(*arguments)
        returned = _Function.apply(self, *arguments)
        return returned[0] if self.is_single else returned

    def gradients(self, arguments: Sequence[Any], returned: Sequence[torch.Tensor], incoming: Sequence[Any],
                  needed: Sequence[bool]) -> List[Any]:
        """The gradients for an operator's arguments, by those of what it has returned; None where there is none."""
        is_traced = not all(torch_private.has_memory(tensor) for tensor in (*arguments, *returned, *incoming)
                            if isinstance(tensor, torch.Tensor))
        if is_traced and _library is not None and torch_private.is_recorded():
            return self._by_backward(arguments, returned, incoming, needed)
        values = self._values(arguments)
        wrt = [k for k, slot in enumerate(self.slots) if needed[slot.values_at]]
        by_result = [incoming[place] for place in self._places]
        given = [k for k, gradient in enumerate(by_result) if gradient is not None]
        found: List[Any] = [None] * len(arguments)
        if not given or not wrt:
            return found
        # Conversions to other formats have no tangents.
        as_stored = is_traced or any(torch_private.is_dual(one) for one in arguments if isinstance(one, torch.Tensor))
        key = (tuple(given), tuple(wrt), as_stored, *[one.dtype for one in arguments if isinstance(one, torch.Tensor)])
        backward = self._backwards.get(key)
        if backward is None:
            request = self.op.request_for({slot.name: slot.outline(arguments) for slot in self.slots})
            backward = self._backwards[key] = Backward(self.op, self.signature, request, given, wrt, as_stored)
        for slot, gradient in zip(self.slots, backward(values, self._made(values, self._sizes(arguments), list(returned)),
                                                  by_result)):
            found[slot.values_at] = gradient
        return found

    def tangents(self, arguments: Sequence[Any], returned: Sequence[torch.Tensor], tangents: Sequence[Any]) -> Tuple[Any, ...]:
        """The tangents of what an operator has returned, by those of its arguments; None where there is none."""
        wrt = [k for k, slot in enumerate(self.slots) if tangents[slot.values_at] is not None]
        of = [k for k, place in enumerate(self._places) if is_differentiable(returned[place])]
        found: List[Any] = [None] * len(returned)
        check_tangents(self.op.name, len(of), len(returned))
        if not of or not wrt:
            return tuple(found)
        key = (tuple(wrt), *[one.dtype for one in arguments if isinstance(one, torch.Tensor)])
        forward = self._forwards.get(key)
        if forward is None:
            request = self.op.request_for({slot.name: slot.outline(arguments) for slot in self.slots})
            forward = self._forwards[key] = Forward(self.op, self.signature, request, of, wrt)
        values = self._values(arguments)
        results = self._made(values, self._sizes(arguments), list(returned))
        for place, tangent in zip(self._places, forward(values, results, [tangents[slot.values_at] for slot in self.slots])):
            found[place] = tangent
        return tuple(found)


def _assembled(argument: TensorArgument, shape: Sequence[int], device: torch.device) -> List[torch.Tensor]:
    """Empty arrays of a result whose sizes are not known before. Raises NotImplementedError where they cannot be named."""
    dtypes_of = {"pointers": argument.pointers, "lengths": argument.pointers, "indices": argument.indices}
    arrays: Dict[Place, torch.Tensor] = {}
    parents: Any = 1
    for k, level in enumerate(argument.storage.levels):
        entries = torch_private.unknown_size(argument.name) if level.storage == "compressed" and level.extent != "fixed" else None
        for holds in ("pointers", "lengths", "indices"):
            if any(field.holds == holds and field.level == k for field in argument.fields):
                size = (parents + 1 if holds == "pointers" else parents) if holds != "indices" else \
                    parents if entries is None else entries
                arrays[holds, k] = torch.empty((size,), dtype=sources_torch.dtype_of(torch, dtypes_of[holds]), device=device)
        parents = parents * level.size(shape) if level.storage == "dense" else parents if entries is None else entries
    values = torch.empty((parents,), dtype=sources_torch.dtype_of(torch, argument.type), device=device)
    return [*[arrays[place] for place in sorted(arrays)], values]


class _Function(torch.autograd.Function):
    """The derivatives of an operator, for the dispatcher."""

    @staticmethod
    def forward(ctx: Any, registered: Registered, *arguments: Any) -> Any:
        if _library is None:
            returned = registered.compute(*arguments)
        else:
            with torch_private.below_autograd():
                returned = registered.overload(*arguments)
        returned = (returned,) if registered.is_single else tuple(returned)
        ctx.registered = registered
        remember(ctx, arguments, returned)
        return returned

    @staticmethod
    def backward(ctx: Any, *incoming: Any) -> Any:
        arguments, returned = remembered(ctx)
        return (None, *ctx.registered.gradients(arguments, returned, incoming, ctx.needs_input_grad[1:]))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        return ctx.registered.tangents(*remembered(ctx), tangents)


class Transformed(torch.autograd.Function):
    """The derivatives of an operator, for torch.func and torch.vmap of PyTorch 2."""

    @staticmethod
    def forward(registered: Registered, *arguments: Any) -> Any:
        returned = registered.run(arguments)
        return (returned,) if registered.is_single else tuple(returned)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.registered, *arguments = inputs
        remember(ctx, arguments, output)

    @staticmethod
    def backward(ctx: Any, *incoming: Any) -> Any:
        arguments, returned = remembered(ctx)
        return (None, *ctx.registered.gradients(arguments, returned, incoming, ctx.needs_input_grad[1:]))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        return ctx.registered.tangents(*remembered(ctx), tangents)

    @staticmethod
    def vmap(info: Any, in_dims: Any, registered: Registered, *arguments: Any) -> Any:
        """Computes for a batch: by one kernel where there is one, else for each element."""
        if (at_once := registered.mapped(info.batch_size, in_dims[1:], arguments)) is not None:
            return at_once, (0,) * len(at_once)
        steps = []
        for k in range(info.batch_size):
            returned = registered.run([
                argument.select(dim, k) if isinstance(dim, int) and isinstance(argument, torch.Tensor) else argument
                for argument, dim in zip(arguments, in_dims[1:])])
            steps.append((returned,) if registered.is_single else returned)
        made = tuple(torch.stack(list(results)) for results in zip(*steps))
        return made, (0,) * len(made)
