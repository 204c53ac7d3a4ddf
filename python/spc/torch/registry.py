"""Operators as PyTorch's dispatcher knows them: of plain tensors. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from ..call import binding, results
from ..call.outputs import shape_of
from ..sources import torch as sources_torch, torch_private, view_of
from ..sources.arrays import origin
from ..storage import dtypes
from ..storage.signature import Argument, Storage, TensorArgument
from ..storage.view import NumberView, Operand, Place, View, dense_storage
from .backward import Backward, remember, remembered
from .matrix import Matrix
from .protocol import Operator

try:
    from torch import library
    _library: Any = library.Library("spc", "DEF")
except ImportError:  # a torch without it: who traces or maps sees no operators, and all else works
    _library = None


class Slot:
    """One operand among an operator's flat arguments: a number, a dense tensor, or a structure with its values.

    storage: of a structure, else None. places: of its index arrays. first: where its arguments begin.
    """

    def __init__(self, name: str, value: Any, first: int):
        self.name, self.first = name, first
        self.storage: Optional[Storage] = value.pattern.storage if isinstance(value, Matrix) else None
        self.places: List[Place] = _places(value.pattern) if isinstance(value, Matrix) else []
        kind = "Tensor" if isinstance(value, (Matrix, torch.Tensor)) else "Scalar"
        if self.storage is None:
            self.declared = [f"{kind} {name}"]
        else:
            self.declared = [f"Tensor {name}_{holds}_{level}" for holds, level in self.places]
            self.declared += [f"int[] {name}_shape", f"Tensor {name}_values"]
        self.values_at = first + len(self.declared) - 1

    def flat(self, value: Any) -> List[Any]:
        """The arguments for an operand."""
        if self.storage is None:
            return [value]
        return [*_structure(value), list(value.shape), value.values]

    def value(self, arguments: Sequence[Any]) -> Any:
        """The operand of the operator's arguments."""
        if self.storage is None:
            value = arguments[self.first]
            return sources_torch.resolved(value) if isinstance(value, torch.Tensor) else value
        count = len(self.places)
        return _matrix(self.storage, self.places, arguments[self.first:self.first + count],
                       tuple(arguments[self.first + count]), arguments[self.values_at])

    def outline(self, arguments: Sequence[Any]) -> Operand:
        """The outline of the operand of the operator's arguments."""
        if self.storage is None:
            return _outline(arguments[self.first])
        index = {holds: sources_torch.type_of(torch, arguments[self.first + k].dtype)
                 for k, (holds, _) in enumerate(self.places)}
        return View(tuple(arguments[self.values_at - 1]), sources_torch.type_of(torch, arguments[self.values_at].dtype),
                    self.storage, {}, "spc.torch", None, pointers=index.get("pointers", index["indices"]),
                    indices=index["indices"])


def _outline(value: Any) -> Operand:
    """What can be told of an operand without its memory, which traced and mapped ones have not: storage and types."""
    if isinstance(value, Matrix):
        pattern = value.pattern
        return View(pattern.shape, sources_torch.type_of(torch, value.values.dtype), pattern.storage, {}, "spc.torch", None,
                    pointers=pattern.pointers, indices=pattern.indices)
    if not isinstance(value, torch.Tensor):
        return view_of(value, "")
    type_ = sources_torch.type_of(torch, value.dtype)
    return _shaped(tuple(value.shape), type_)


def _shaped(shape: Tuple[int, ...], type_: str) -> Operand:
    """The outline of a dense tensor; of one without dimensions, of a number."""
    return View(shape, type_, dense_storage(len(shape)), {}, "torch", None) if shape else NumberView(type_, "torch", None)


def _places(pattern: View) -> List[Place]:
    return sorted(place for place in pattern.arrays if place[0] != "values")


def _structure(matrix: Matrix) -> List[torch.Tensor]:
    """The index arrays of a matrix as tensors: the same ones each time, so that they are known to be validated."""
    pattern = matrix.pattern
    if not isinstance(pattern.owner, list):
        tensors = [sources_torch.tensor(torch, origin(pattern.arrays[place]), "") for place in _places(pattern)]
        matrix.pattern = View(pattern.shape, pattern.type, pattern.storage, pattern.arrays, "spc.torch", tensors,
                              pointers=pattern.pointers, indices=pattern.indices, stored=pattern.stored,
                              numbers=pattern.numbers, witness=pattern.witness)
    arrays: List[torch.Tensor] = matrix.pattern.owner
    return arrays


def _matrix(storage: Storage, places: Sequence[Place], structure: Sequence[torch.Tensor], shape: Tuple[int, ...],
            values: torch.Tensor) -> Matrix:
    """The matrix of index arrays and values, of which copies are made where their elements lie apart."""
    structure, values = [tensor.contiguous() for tensor in structure], sources_torch.resolved(values).contiguous()
    arrays = {place: tensor.numpy() for place, tensor in zip(places, structure)}
    arrays["values", 0], type_ = sources_torch.numbers(torch, values)
    index = {holds: dtypes.index_name_of(array.dtype) for (holds, _), array in arrays.items() if holds != "values"}
    indices = index.get("indices", "")
    pattern = View(shape, type_, storage, arrays, "spc.torch", structure, stored=values.numel(),
                   numbers=_numbers(storage, arrays, shape, values.numel()), indices=indices,
                   pointers=index.get("pointers", index.get("lengths", indices)), witness=tuple(structure))
    return Matrix(values, pattern)


def _numbers(storage: Storage, arrays: Mapping[Place, Any], shape: Sequence[int], stored: int) -> Dict[Place, int]:
    """The entries of levels and the widths of rows, by the sizes of arrays."""
    numbers: Dict[Place, int] = {}
    parents = 1
    for k, level in enumerate(storage.levels):
        entries = arrays["indices", k].size if ("indices", k) in arrays else stored
        if level.extent == "fixed":
            numbers["width", k] = int(level.width or (entries // parents if parents else 0))
            parents *= numbers["width", k]
        elif level.storage == "dense" and not level.extent.startswith("ragged"):
            parents *= level.size(shape)
        else:
            numbers["count", k] = parents = entries
    return numbers


class Registered:
    """An operator for operands of certain kinds and storage: `torch.ops.spc.<name>`."""

    def __init__(self, op: Operator, values: Sequence[Any], name: str):
        self.op, self.slots = op, []
        first = 0
        for operand, value in zip(op.inputs, values):
            self.slots.append(Slot(operand, value, first))
            first += len(self.slots[-1].declared)
        self.signature = op.kernel.specialised_signature(
            {slot.name: _outline(value) for slot, value in zip(self.slots, values)})
        self.results: List[Argument] = self.signature.outputs
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
        if _library is None:
            self.overload = self._with_gradients
            return
        _library.define(f"{name}({declared}) -> {returned if single else f'({returned})'}")
        _library.impl(name, self.compute, "CPU")
        _library.impl(name, self._with_gradients, "Autograd")
        _library.impl(name, self._shapes, "Meta")
        self.overload = getattr(torch.ops.spc, name).default

    def __call__(self, values: Sequence[Any], sizes: Mapping[str, int]) -> Any:
        """The results for operands of the kinds that the operator is for. sizes: of extents that no operand has."""
        if sizes or self.extents:
            self.op.kernel.check_sizes(sizes)
            extents = self._extents(values, sizes)
            for argument in self.results:
                shape_of(argument, extents)
        returned = self.overload(*[argument for slot, value in zip(self.slots, values) for argument in slot.flat(value)],
                                 *[sizes[extent] for extent in self.extents])
        made = self._made(values, sizes, [returned] if self.is_single else list(returned))
        return made[0] if len(made) == 1 else tuple(made)

    @staticmethod
    def _width(argument: Argument) -> int:
        """How many tensors a result is."""
        return 1 + sum(field.holds in ("pointers", "indices", "lengths") for field in argument.fields) \
            if argument.is_assembled else 1

    def _values(self, arguments: Sequence[Any]) -> List[Any]:
        return [slot.value(arguments) for slot in self.slots]

    def _sizes(self, arguments: Sequence[Any]) -> Dict[str, int]:
        """The sizes of extents that no operand says."""
        return dict(zip(self.extents, arguments[self.extents_at:]))

    def compute(self, *arguments: Any) -> Any:
        """Runs the kernel."""
        made = self.op.kernel(*self._values(arguments), sizes=self._sizes(arguments) or None)
        flat: List[torch.Tensor] = []
        for argument, result in zip(self.results, made if isinstance(made, tuple) else (made,)):
            if isinstance(result, Matrix):
                flat += [*_structure(result), result.values] if argument.is_assembled else [result.values]
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
                made.append(_matrix(argument.storage, places, parts[:-1], shape, parts[-1]))
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
        return _matrix(argument.storage, _places(pattern), _structure(operand), tuple(shape), values)

    def _extents(self, values: Sequence[Any], sizes: Mapping[str, int]) -> Dict[str, int]:
        """What the shapes of operands say of extents. values: operands, or lists of what shapes they have."""
        signature = self.op.kernel.signature
        views: Dict[str, Operand] = {}
        for argument, value in zip(signature.inputs, values):
            if argument.passed != "values":
                shape = tuple(value) if isinstance(value, (list, tuple)) else tuple(getattr(value, "shape", ()))
                views[argument.name] = _shaped(shape, "")
        return binding.extents_of(views, signature, sizes)

    def _shapes(self, *arguments: Any) -> Any:
        """Empty results of the right shapes, for tracing."""
        extents = self._extents([arguments[slot.first] if slot.storage is None else arguments[slot.values_at - 1]
                                 for slot in self.slots], self._sizes(arguments))
        flat: List[torch.Tensor] = []
        outlines = {slot.name: slot.outline(arguments) for slot in self.slots}
        for argument in self.op.kernel.specialised_signature(outlines).outputs:
            if argument.is_assembled:
                raise NotImplementedError(f"{argument.name} is assembled: how many entries it has is not known before")
            dtype = sources_torch.dtype_of(torch, argument.type)
            if argument.pattern_of:
                slot = next(slot for slot in self.slots if slot.name == argument.pattern_of)
                shape = tuple(arguments[slot.values_at].shape)
            else:
                shape = tuple(extent if isinstance(extent, int) else extents[extent] for extent in argument.shape)
            flat.append(torch.empty(shape, dtype=dtype, device="meta"))
        return flat[0] if self.is_single else tuple(flat)

    def _with_gradients(self, *arguments: Any) -> Any:
        returned = _Function.apply(self, *arguments)
        return returned[0] if self.is_single else returned

    def gradients(self, arguments: Sequence[Any], returned: Sequence[torch.Tensor], incoming: Sequence[Any],
                  needed: Sequence[bool]) -> List[Any]:
        """The gradients for an operator's arguments, by those of what it has returned; None where there is none."""
        values = self._values(arguments)
        wrt = [k for k, slot in enumerate(self.slots) if needed[slot.values_at]]
        by_result: List[Any] = []
        place = -1
        for argument in self.results:
            place += self._width(argument)
            by_result.append(incoming[place])
        given = [k for k, gradient in enumerate(by_result) if gradient is not None]
        found: List[Any] = [None] * len(arguments)
        if not given or not wrt:
            return found
        backward = Backward(self.op, self.signature, self.op.request(values), given, wrt)
        for slot, gradient in zip(self.slots, backward(values, self._made(values, self._sizes(arguments), list(returned)),
                                                  by_result)):
            found[slot.values_at] = gradient
        return found


class _Function(torch.autograd.Function):
    """The gradient of an operator."""

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
