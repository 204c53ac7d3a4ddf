"""The arguments of operators as PyTorch's dispatcher passes them, and matrices that are made of these. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from ..sources import torch as sources_torch, torch_private, view_of
from ..storage import dtypes
from ..storage.signature import Storage
from ..storage.view import NumberView, Operand, Place, View, dense_storage
from .matrix import Matrix, places_of
from .tracing import traced_matrix


class Slot:
    """One operand among an operator's flat arguments: a number, a dense tensor, or a structure with its values.

    storage: of a structure, else None. places: of its index arrays. first: where its arguments begin.
    """

    def __init__(self, name: str, value: Any, first: int):
        self.name, self.first = name, first
        self.storage: Optional[Storage] = value.pattern.storage if isinstance(value, Matrix) else None
        self.places: List[Place] = places_of(value.pattern) if isinstance(value, Matrix) else []
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
        return [*value.structure(), list(value.shape), value.values]

    def value(self, arguments: Sequence[Any]) -> Any:
        """The operand of the operator's arguments."""
        if self.storage is None:
            value = arguments[self.first]
            return sources_torch.resolved(value) if isinstance(value, torch.Tensor) else value
        count = len(self.places)
        return matrix_of(self.storage, self.places, arguments[self.first:self.first + count],
                       tuple(arguments[self.first + count]), arguments[self.values_at])

    def of_batch(self, arguments: Sequence[Any], elements: Sequence[Any]) -> Any:
        """The operand of arguments of which some are batches; elements: those of one element."""
        if self.storage is None:
            return arguments[self.first]
        return self.value(elements).with_values(arguments[self.values_at])

    def outline(self, arguments: Sequence[Any]) -> Operand:
        """The outline of the operand of the operator's arguments."""
        if self.storage is None:
            return outline_of(arguments[self.first])
        index = {holds: sources_torch.type_of(torch, arguments[self.first + k].dtype)
                 for k, (holds, _) in enumerate(self.places)}
        return View(tuple(arguments[self.values_at - 1]), sources_torch.type_of(torch, arguments[self.values_at].dtype),
                    self.storage, {}, "spc.torch", None, pointers=index.get("pointers", index["indices"]),
                    indices=index["indices"])


def outline_of(value: Any) -> Operand:
    """What can be told of an operand without its memory, which traced and mapped ones have not: storage and types."""
    if isinstance(value, Matrix):
        pattern = value.pattern
        return View(pattern.shape, sources_torch.type_of(torch, value.values.dtype), pattern.storage, {}, "spc.torch", None,
                    pointers=pattern.pointers, indices=pattern.indices)
    if not isinstance(value, torch.Tensor):
        return view_of(value, "")
    type_ = sources_torch.type_of(torch, value.dtype)
    return shaped(tuple(value.shape), type_)


def shaped(shape: Tuple[int, ...], type_: str) -> Operand:
    """The outline of a dense tensor; of one without dimensions, of a number."""
    return View(shape, type_, dense_storage(len(shape)), {}, "torch", None) if shape else NumberView(type_, "torch", None)


def matrix_of(storage: Storage, places: Sequence[Place], structure: Sequence[torch.Tensor], shape: Tuple[int, ...],
            values: torch.Tensor) -> Matrix:
    """The matrix of index arrays and values, of which copies are made where their elements lie apart. Those that have no memory
    of their own, as they are traced or mapped, are taken as they are."""
    if not (torch_private.has_memory(values) and all(torch_private.has_memory(tensor) for tensor in structure)):
        return traced_matrix(storage, places, structure, shape, values)
    values = sources_torch.resolved(values).contiguous()
    # What was made of the same tensors before lives as long as the first of them.
    key = (storage, shape, values.shape, values.dtype, *map(id, structure))
    kept: Dict[Tuple[Any, ...], View] = structure[0].__dict__.setdefault("_spc_patterns", {}) if structure else {}
    if (known := kept.get(key)) is not None:
        return Matrix(values, known)
    given, structure = structure, [tensor.contiguous() for tensor in structure]
    arrays = {place: tensor.numpy() for place, tensor in zip(places, structure)}
    arrays["values", 0], type_ = sources_torch.numbers(torch, values)
    index = {holds: dtypes.index_name_of(array.dtype) for (holds, _), array in arrays.items() if holds != "values"}
    indices = index.get("indices", "")
    pattern = View(shape, type_, storage, arrays, "spc.torch", structure, stored=values.numel(),
                   numbers=_numbers(storage, arrays, shape, values.numel()), indices=indices,
                   pointers=index.get("pointers", index.get("lengths", indices)), witness=tuple(structure))
    if all(one is other for one, other in zip(given, structure)):
        kept[key] = pattern
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
