"""Calls of operators that torch.compile and torch.export follow: plain steps down to the dispatcher. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch

from ..errors import ArgumentError, ArgumentTypeError
from ..sources import torch as sources_torch, torch_private
from ..storage.signature import Storage
from ..storage.view import Place, View
from .autocast import cast
from .matrix import STORED, Matrix

#: What torch.compile knows of an operand before it is there: of a matrix the number of its storage, and types.
Kind = Tuple[Any, ...]

_as_constant: Callable[..., Any] = getattr(getattr(torch, "compiler", None), "assume_constant_result", lambda function: function)
_operators: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
_NOTHING = np.empty(0)


def note(operator: Any, number: int) -> None:
    """Has an operator be found by its number."""
    _operators[number] = operator


def call(operator: Any, operands: Sequence[Any], named: Mapping[str, Any], sizes: Optional[Mapping[str, int]]) -> Any:
    """The results for operands, or a tuple of several. Raises ArgumentError of sparse tensors of PyTorch's, which it does not
    trace, and of what is no operand."""
    values = list(operands)
    for name in operator.inputs[len(values):]:
        if name not in named:
            raise ArgumentTypeError(f"{operator.name} needs {name} as well")
        values.append(named[name])
    if len(values) != len(operands) + len(named) or len(values) != len(operator.inputs):
        raise ArgumentTypeError(f"{len(operands) + len(named)} operands, and {operator.name} has {len(operator.inputs)}")
    if operator.copies:
        raise ArgumentError(f"{operator.name} was made with copy=True, and conversions are not traced: convert operands before")
    if operator.autocast is not None and torch_private.is_autocast():
        values = [cast(value, operator.autocast) for value in values]
    count = _batch_of(operator, values)
    if count is None:
        made = _one(operator, values, sizes)
    else:
        steps = [_one(operator, [_element(value, order, k) for value, order in zip(values, operator.orders)], sizes)
                 for k in range(count)]
        made = [_stacked([step[k] for step in steps]) for k in range(len(steps[0]))]
    return made[0] if len(made) == 1 else tuple(made)


def _one(operator: Any, values: Sequence[Any], sizes: Optional[Mapping[str, int]]) -> List[Any]:
    """The results for operands that are no batches."""
    kinds: List[Kind] = []
    flat: List[Any] = []
    for value in values:
        if isinstance(value, Matrix):
            pattern = value.pattern
            kinds.append((pattern.storage.number, str(value.values.dtype), pattern.pointers, pattern.indices))
            flat.extend(value.structure())
            flat.append(list(pattern.shape))
            flat.append(value.values)
        elif isinstance(value, torch.Tensor):
            if value.layout is not torch.strided:
                raise ArgumentError("torch.compile does not trace PyTorch's sparse tensors: spc.torch.Matrix.of(tensor), made "
                                    "before, is traced")
            kinds.append((value.dim(), str(value.dtype)))
            flat.append(value)
        else:
            kinds.append(("float" if isinstance(value, float) else "int" if isinstance(value, int) else type(value).__name__,))
            flat.append(value)
    name, is_single, extents, outlines = _planned(operator.number, tuple(kinds))
    for extent in extents:
        if sizes is None or extent not in sizes:
            raise ArgumentError(f"{operator.name}: no operand says how large {extent} is: sizes={{{extent!r}: ...}} does")
        flat.append(sizes[extent])
    returned = getattr(torch.ops.spc, name).default(*flat)
    parts = [returned] if is_single else list(returned)
    made: List[Any] = []
    for width, pattern_of, number, shape in outlines:
        mine, parts = parts[:width], parts[width:]
        if number < 0:
            made.append(mine[0])
        elif width == 1 and values[pattern_of].pattern.storage.number == number:
            made.append(Matrix(mine[0], values[pattern_of].pattern))
        else:
            storage, places = STORED[number]
            structure = values[pattern_of].structure() if width == 1 else mine[:-1]
            sides = [side if isinstance(side, int) else values[side[0]].shape[side[1]] for side in shape]
            made.append(traced_matrix(storage, places, structure, tuple(sides), mine[-1]))
    return made


def traced_matrix(storage: Storage, places: Sequence[Place], structure: Sequence[torch.Tensor], shape: Tuple[int, ...],
                  values: torch.Tensor) -> Matrix:
    """The matrix of tensors that stand for others: it can be an operand of operators, of which it says what is passed."""
    pointers = indices = ""
    arrays: Dict[Place, Any] = {}
    for place, tensor in zip(places, structure):
        arrays[place] = _NOTHING
        if place[0] == "indices":
            indices = index_name(tensor)
        else:
            pointers = index_name(tensor)
    arrays["values", 0] = _NOTHING if values.dim() == 1 else np.empty((0,) * values.dim())
    pattern = View(shape, sources_torch.type_of(torch, values.dtype), storage, arrays, "spc.torch", list(structure),
                   stored=values.numel(), indices=indices, pointers=pointers or indices)
    return Matrix(values, pattern)


def index_name(tensor: torch.Tensor) -> str:
    """spc's name of the type of an index array."""
    return sources_torch.type_of(torch, tensor.dtype)


@_as_constant
def _planned(number: int, kinds: Tuple[Kind, ...]) -> Any:
    """Of the registered operator for operands of kinds: its name, whether it has one result, the extents that it is told, and
    the outlines of results."""
    plan = _operators[number].registered([_sample(kind) for kind in kinds])
    return plan.name, plan.is_single, tuple(plan.extents), tuple(plan.outlines)


def _sample(kind: Kind) -> Any:
    """An operand of a kind, without elements."""
    if len(kind) == 1:
        return {"float": 0.0, "int": 0}.get(kind[0], kind[0])
    if len(kind) == 2:
        return torch.empty((0,) * kind[0], dtype=getattr(torch, kind[1][len("torch."):]))
    storage, places = STORED[kind[0]]
    dtype = {holds: sources_torch.dtype_of(torch, kind[3] if holds == "indices" else kind[2]) for holds, _ in places}
    structure = [torch.empty(0, dtype=dtype[holds]) for holds, _ in places]
    values = torch.empty(0, dtype=getattr(torch, kind[1][len("torch."):]))
    return traced_matrix(storage, places, structure, (0,) * storage.order, values)


def _batch_of(operator: Any, values: Sequence[Any]) -> Optional[int]:
    """How many elements batches among operands have; None where none is one. Raises ArgumentError where two differ."""
    count = None
    for value, order in zip(values, operator.orders):
        if isinstance(value, Matrix):
            size = value.values.shape[0] if value.is_batch else None
        else:
            size = value.shape[0] if isinstance(value, torch.Tensor) and value.dim() == order + 1 else None
        if size is not None:
            if count is not None and count != size:
                raise ArgumentError(f"{operator.name}: batches of {count} and {size} elements")
            count = size
    return count


def _element(value: Any, order: int, k: int) -> Any:
    """One element of a batch, or what all of them share."""
    if isinstance(value, Matrix):
        return value.with_values(value.values[k]) if value.is_batch else value
    return value[k] if isinstance(value, torch.Tensor) and value.dim() == order + 1 else value


def _stacked(results: Sequence[Any]) -> Any:
    if isinstance(results[0], Matrix):
        return results[0].with_values(torch.stack([result.values for result in results]))
    return torch.stack(list(results))
