"""Batches of values in one structure, and of dense operands, by one kernel that has an index of the batch. Imported where torch
is."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import re
from typing import Any, Collection, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
import torch

from ..compiler import cache
from ..compiler.request import is_module
from ..errors import ArgumentError, CompileError
from ..kernel import Kernel
from ..sources import torch_private
from ..sources.named import storage_of
from ..storage.describe import contents_of
from ..storage.signature import Argument, Level, Signature, Storage, TensorArgument
from ..storage.view import View
from .matrix import Matrix, places_of
from .protocol import Operator
from .slots import outline_of

#: How long index arrays may be in which the structure of a matrix stands once for each element of a batch; more elements are
#: computed in several parts, and those of larger structures one by one: their kernels take much longer than their calls.
MOST_ENTRIES = 1 << 20

_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(\s*\()?")
_TARGET = re.compile(r"(?:^|;)\s*(?:let\s+)?([A-Za-z_]\w*)\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*(?:\+|min|max|or)?=(?!=)",
                     re.MULTILINE)
#: What has a meaning of its own at an index more, or names files, or that is written in another way than tensors at indices.
_LEFT = re.compile(r"\bpadded\b|\bconst\b|^\s*kernel\s+\w|[\"\\]", re.MULTILINE)
#: The names of a kernel and of its arguments, where it says them.
_HEADER = re.compile(r"^\s*kernel\s+\w+\s*\([^()]*\)\s*->\s*(?:\([^()]*\)|\w+)", re.MULTILINE)


def batched_text(text: str, batched: Collection[str], orders: Mapping[str, int]) -> Optional[str]:
    """The statements for batches: tensors that are batches have one more index, ahead of the others, and so has all that is
    made of them. None of those for which that is not known to be the same.

    batched: the operands that are batches. orders: of operands and outputs, how many indices they have in the text.
    """
    text = re.sub(r"#[^\n]*", "", text)
    header = _HEADER.search(text)
    text = _HEADER.sub("", text, 1)
    if is_module(text) or _LEFT.search(text):
        return None
    names, index = _made_of(text, batched), "batch"
    while re.search(rf"\b{index}\b", text):
        index += "_"

    def with_index(found: "re.Match[str]") -> str:
        name, is_open = found[1], found[2] is not None
        if name not in names:
            return found[0]
        return f"{name}({index}, " if is_open else f"{name}({index})" if orders.get(name, 0) == 0 else name

    return (header[0] if header else "") + _NAME.sub(with_index, text)


def _made_of(text: str, batched: Collection[str]) -> Set[str]:
    """The tensors that are batches, and those that statements make of them."""
    names, found = set(batched), list(_TARGET.finditer(text))
    statements = [(one[1], set(re.findall(r"\w+", text[one.end():end]))) for one, end in
                  zip(found, [*[other.start() for other in found[1:]], len(text)])]
    while more := {target for target, read in statements if target not in names and names & read}:
        names |= more
    return names


def batched_storage(storage: Storage) -> Optional[Storage]:
    """The storage of a batch of tensors, whose arrays go on through the batch; None where there is none."""
    if storage.symmetric or storage.layout or any(
            level.op == "-" or level.start or level.extent not in ("full", "ragged", "fixed") for level in storage.levels):
        return None
    levels = [dataclasses.replace(level, dim=level.dim + 1) for level in storage.levels]
    return Storage(storage.order + 1, (Level(0), *levels))


def replicated(matrix: Matrix, count: int) -> Optional[View]:
    """A matrix's structure for each of so many elements, one behind the other: the same one for the same structure. None where
    it has no memory, or no such storage."""
    storage, structure = batched_storage(matrix.pattern.storage), matrix.structure()
    if storage is None or not structure or not all(torch_private.has_memory(tensor) for tensor in structure):
        return None
    kept: Dict[Tuple[Any, ...], View] = structure[0].__dict__.setdefault("_spc_batches", {})
    key = (storage, matrix.shape, count, matrix.pattern.type, *map(id, structure))
    known = kept.get(key)
    if known is None:
        if len(kept) >= 4:
            kept.clear()
        known = kept[key] = _replicas(matrix, storage, [tensor.numpy() for tensor in structure], count)
    return known


def _replicas(matrix: Matrix, storage: Storage, structure: Sequence[Any], count: int) -> View:
    old = matrix.pattern
    arrays: Dict[Tuple[str, int], Any] = {}
    numbers = {(holds, level + 1): number if holds == "width" else count * number for (holds, level), number in old.numbers.items()}
    for (holds, level), array in zip(places_of(old), structure):
        if holds == "pointers":
            arrays[holds, level + 1] = _running(array, count)
        else:
            arrays[holds, level + 1] = np.tile(array, count)
            if level == 0 and storage.levels[1].extent == "ragged":
                arrays["pointers", 1] = np.arange(count + 1, dtype=array.dtype) * array.size
    values = old.arrays["values", 0]
    arrays["values", 0] = np.broadcast_to(np.empty((), values.dtype), (0, *values.shape[1:]))
    made = View((count, *old.shape), old.type, storage, arrays, "spc.torch", None, pointers=old.pointers or old.indices,
                indices=old.indices, stored=count * old.stored, numbers=numbers,
                witness=tuple([array for place, array in arrays.items() if place[0] != "values"]))
    made.owner = [torch.from_numpy(arrays[place]) for place in places_of(made)]
    return made


def _running(pointers: Any, count: int) -> Any:
    """Pointers that go on through so many elements."""
    steps = np.arange(count, dtype=pointers.dtype) * pointers[-1]
    return np.append((pointers[:-1] + steps[:, None]).reshape(-1), pointers.dtype.type(count * pointers[-1]))


class Together:
    """What computes the results of batches of one kind at once.

    takes: of each operand whether it is a batch for the kernel, which those are as well whose structure a result has.
    """

    def __init__(self, operator: Any, takes: Sequence[bool], patterns: Sequence[Optional[int]]):
        """operator: the kernel of batches, as one. patterns: of each result, the operand whose structure it has."""
        self._operator, self._takes, self._patterns = operator, takes, patterns

    def __call__(self, values: Sequence[Any], is_batch: Sequence[bool], count: int, sizes: Optional[Mapping[str, int]]) -> Any:
        """The results, a list, for operands of which some are batches of so many elements; None where structures cannot be
        repeated."""
        largest = max([tensor.numel() for value, takes in zip(values, self._takes) if takes and isinstance(value, Matrix)
                       for tensor in value.structure()], default=1)
        step = min(count, max(MOST_ENTRIES // max(largest, 1), 1))
        if count < 2 or step < 2:
            return None
        parts = []
        for first in range(0, count, step):
            size = min(step, count - first)
            passed = [_part(value, one, first, size, count) if takes else value
                      for value, one, takes in zip(values, is_batch, self._takes)]
            if any(value is None for value in passed):
                return None
            made = self._operator(*passed, sizes=sizes)
            parts.append([self._result(result, values, is_batch, pattern, size) for result, pattern in
                          zip(made if isinstance(made, tuple) else (made,), self._patterns)])
        if len(parts) == 1:
            return parts[0]
        return [_joined(results) for results in zip(*parts)]

    @staticmethod
    def _result(result: Any, values: Sequence[Any], is_batch: Sequence[bool], pattern: Optional[int], size: int) -> Any:
        if pattern is None:
            return result
        shape = size, *values[pattern].values.shape[is_batch[pattern]:]
        if isinstance(result, Matrix):
            return values[pattern].with_values(result.values.reshape(shape))
        return result.reshape(shape)


def _joined(results: Sequence[Any]) -> Any:
    if isinstance(results[0], Matrix):
        return results[0].with_values(torch.cat([result.values for result in results]))
    return torch.cat(list(results))


def _part(value: Any, is_batch: bool, first: int, size: int, count: int) -> Any:
    """So many elements of an operand, from one on: of a matrix, a matrix in the structures of all of them, None where there is
    none."""
    if not isinstance(value, Matrix):
        value = value if size == count else value[first:first + size]
        # Of vectors any stride will do, and of a batch of them none that leaves out elements.
        return value if value.is_contiguous() or 1 in value.stride() else value.contiguous()
    pattern = replicated(value, size)
    if pattern is None:
        return None
    values = value.values
    if not is_batch:
        values = values.expand(size, *values.shape)
    elif size < count:
        values = values[first:first + size]
    return Matrix(values.flatten(0, 1), pattern)


def together(operator: Operator, values: Sequence[Any], is_batch: Sequence[bool], backward: Mapping[str, cache.Format],
             make: Any) -> Optional[Together]:
    """What computes the results for operands of such kinds and storage, some of which are batches; None where the kernel has to
    be called for each element.

    values: one element of each operand. backward: formats in which gradients read operands. make: makes an operator of a kernel
    and such formats.
    """
    kernel = operator.kernel
    if kernel.validation == "always" or any(
            argument.passed == "values" for argument in kernel.signature.inputs):  # of which batches cannot be told from blocks
        return None
    names = [argument.name for argument in kernel.signature.inputs]
    try:
        mine = kernel.specialised_signature({name: outline_of(value) for name, value in zip(names, values)})
        patterns = _patterns(mine, values)
        if patterns is None:
            return None
        takes = [one or k in patterns for k, one in enumerate(is_batch)]
        request = _request(kernel.request, mine, values, takes)
        if request is None:
            return None
        made = Kernel(request, validate=kernel.validation, copy=False)
        views = {name: _outline(value) if one else outline_of(value) for name, value, one in zip(names, values, takes)}
        if not _is_same(mine, made.specialised_signature(views), takes):
            return None
        return Together(make(made, {name: _format(form, len(mine.inputs[names.index(name)].shape), takes[names.index(name)])
                                    for name, form in backward.items()}), takes, patterns)
    except (CompileError, ArgumentError):  # of batches, which those of elements need not have
        return None


def _outline(value: Any) -> Any:
    """The outline of a batch of such operands."""
    outline = outline_of(value)
    if isinstance(value, Matrix):
        storage = batched_storage(outline.storage)  # type: ignore[union-attr]
        if storage is None:
            raise ArgumentError("there is no storage for a batch of it")
        return View((1, *outline.shape), outline.type, storage, {}, "spc.torch", None,
                    pointers=outline.pointers or outline.indices, indices=outline.indices)  # type: ignore[union-attr]
    return outline_of(torch.empty((0, *value.shape), dtype=value.dtype))


def _patterns(signature: Signature, values: Sequence[Any]) -> Optional[List[Optional[int]]]:
    """Of each result, the operand whose structure it has as it is; None where results are stored in another way."""
    found: List[Optional[int]] = []
    names = [argument.name for argument in signature.inputs]
    for argument in signature.outputs:
        if not argument.pattern_of:
            if isinstance(argument, TensorArgument) and not argument.storage.is_dense:
                return None
            found.append(None)
            continue
        k = names.index(argument.pattern_of)
        if not isinstance(argument, TensorArgument) or not isinstance(values[k], Matrix) or \
                argument.storage is not values[k].pattern.storage:
            return None
        found.append(k)
    return found


def _request(request: cache.Request, signature: Signature, values: Sequence[Any], takes: Sequence[bool]) -> Optional[cache.Request]:
    """What is compiled for batches; None where that is not known."""
    tensors = {argument.tensor: len(argument.shape) for argument in signature.arguments}
    batched = {argument.tensor for argument, one in zip(signature.inputs, takes) if one}
    text = batched_text(request.text, batched, tensors)
    general: Any = request.formats.get("", {})
    formats = _formats({**general.get("tensors", {}), **request.formats} if isinstance(general, Mapping) else request.formats,
                       signature, values, batched)
    if text is None or formats is None or request.constants:
        return None
    quiet = () if any(argument.could_be for argument in signature.outputs) else ("-Wno-densify",)  # as for one element
    return cache.Request(text, f"{request.name}_batch", formats, request.types, request.indices,
                         (*request.options, *quiet), request.files)


def _formats(formats: Mapping[str, cache.Format], signature: Signature, values: Sequence[Any],
             batched: Collection[str]) -> Optional[Dict[str, cache.Format]]:
    """The formats that are said, of what is no batch or dense; operands that are batches are read as they are stored. None where
    an operand is stored in another way than is said, or it is said of other tensors."""
    made: Dict[str, Any] = {}
    tensors: Dict[str, Any] = {}
    inputs = {argument.tensor: k for k, argument in enumerate(signature.inputs)}
    for tensor, form in formats.items():
        if isinstance(form, Mapping) and {"tensors", "structure_of"} & set(form):
            if not tensor and not set(form) - {"tensors", "description"}:
                continue  # which are among these formats
            if set(form) != {"structure_of"}:
                return None
            tensors[tensor] = form
            continue
        if form == "dense" or tensor in inputs and tensor not in batched:
            made[tensor] = form
            continue
        if tensor not in inputs:
            return None
        argument, value = signature.inputs[inputs[tensor]], values[inputs[tensor]]
        if not isinstance(argument, TensorArgument) or not isinstance(value, Matrix) or \
                argument.storage is not value.pattern.storage:
            return None
        made[tensor] = _format_of_batch(value.pattern.storage)
    return {"": {"tensors": {**made, **tensors}}} if tensors else made  # structures are shared within one file


def _format(form: cache.Format, order: int, is_batch: bool) -> cache.Format:
    """The format of a batch whose elements have one that is said. Raises ArgumentError where there is none."""
    if not is_batch:
        return form
    said: Any = form
    return _format_of_batch(storage_of(said, order))


def _format_of_batch(storage: Storage) -> cache.Format:
    batched = batched_storage(storage)
    if batched is None:
        raise ArgumentError("there is no storage for a batch of it")
    return contents_of(batched)


def _is_same(mine: Signature, batched: Signature, takes: Sequence[bool]) -> bool:
    """Whether a kernel of batches has the operands and results of one of elements, with an extent more where these are batches."""
    def are(ones: List[Argument], others: List[Argument], more: Sequence[bool]) -> bool:
        return len(ones) == len(others) and all(
            (one.name, one.type, one.passed == "values", one.pattern_of, one.is_assembled) ==
            (other.name, other.type, other.passed == "values", other.pattern_of, other.is_assembled) and
            one.shape == other.shape[is_more:] and len(other.shape) == len(one.shape) + is_more
            for one, other, is_more in zip(ones, others, more))

    said = {argument.shape[0] for argument, is_batch in zip(batched.inputs, takes) if is_batch and argument.shape}
    return are(mine.inputs, batched.inputs, takes) and are(mine.outputs, batched.outputs, [True] * len(mine.outputs)) and \
        all(argument.shape[0] in said for argument in batched.outputs)
