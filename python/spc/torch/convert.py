"""Copies of PyTorch's operands in the storage and types that a kernel reads, through which gradients flow (copy=True)."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import weakref
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np
import torch

from ..call import binding, copies, results
from ..errors import ArgumentError
from ..sources import torch as sources_torch, view_of
from ..sources.arrays import dense
from ..storage.signature import Argument, TensorArgument
from ..storage.view import View
from .entries import listed, numbered, spread
from .matrix import Matrix, standing_for

#: How the values of structures are moved, by the storage and the index types that were wanted.
_moves: "weakref.WeakKeyDictionary[View, Dict[Tuple[Any, ...], _Move]]" = weakref.WeakKeyDictionary()


def viewable(value: Any) -> Any:
    """A tensor of strides that some format says, a copy where its own are none."""
    if isinstance(value, torch.Tensor):
        try:
            view_of(standing_for(value), "")
        except ArgumentError:
            return value.contiguous()
    return value


def fitting(value: Any, argument: Argument, first: Any) -> Any:
    """An operand as an argument reads it: a copy where it does not fit. What no copy is known of stays as it is, as do types
    in which numbers would be lost.

    first: the operand, of a batch one element. Raises ArgumentError.
    """
    if not isinstance(argument, TensorArgument) or argument.passed == "values" or not isinstance(value, (Matrix, torch.Tensor)) or \
            len(first.shape) != len(argument.shape) or _fits(first, argument):
        return value
    values = value.values if isinstance(value, Matrix) else value
    wanted = sources_torch.dtype_of(torch, argument.type)
    if not torch.can_cast(values.dtype, wanted):
        return value
    values = values.to(wanted)
    lead = values.shape[:values.dim() - (first.values if isinstance(value, Matrix) else first).dim()]
    if not isinstance(value, Matrix):
        return _laid_out(values, argument, lead) if argument.storage.is_dense else _picked(values, argument, lead)
    if argument.storage.is_dense:
        return _laid_out(spread(values, value.pattern, lead), argument, lead)
    if _fits(first.with_values(first.values.to(wanted)), argument):
        return value.with_values(values)
    known = _moves.setdefault(value.pattern, {})
    key = (argument.storage, argument.pointers, argument.indices)
    if key not in known:
        known[key] = _Move(value.pattern, argument)
    return known[key](values, lead)


def _fits(value: Any, argument: Argument) -> bool:
    try:
        binding.check(view_of(standing_for(value), argument.name), argument)
    except ArgumentError:
        return False
    return True


def _laid_out(tensor: torch.Tensor, argument: TensorArgument, lead: Sequence[int]) -> torch.Tensor:
    """A tensor whose dimensions lie as the argument's do, the last ones where batches have some ahead."""
    count = len(lead)
    order = [*range(count), *[count + level.dim for level in argument.storage.levels]]
    return tensor.permute(order).contiguous().permute(np.argsort(order).tolist())


def _copied(view: View, argument: TensorArgument) -> Tuple[View, torch.Tensor]:
    """The structure that numbers of entries have in an argument's storage, and these: 0 where there is none."""
    made = copies.fitting(view, dataclasses.replace(argument, type="f64"))
    return made, torch.from_numpy(made.arrays["values", 0].reshape(-1).astype(np.int64))


def _gathered(flat: torch.Tensor, places: torch.Tensor, pattern: View, lead: Sequence[int]) -> Matrix:
    """The matrix of those values that are numbered, from 1."""
    values = torch.nn.functional.pad(flat, (1, 0)).index_select(-1, places)
    return Matrix(values.reshape(*lead, *pattern.arrays["values", 0].shape), pattern)


class _Move:
    """From the values of one structure to those of another."""

    def __init__(self, pattern: View, argument: TensorArgument):
        rows, columns, stored = listed(pattern)
        order = np.lexsort((columns, rows))
        rows, columns, stored = rows[order], columns[order], stored[order]
        is_new = np.ones(rows.size, bool)
        is_new[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
        self._sums: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
        self._count = int(is_new.sum())
        numbers = np.zeros(pattern.stored)
        if self._count < rows.size:  # entries that repeat are summed, and the first of them is moved
            self._sums = torch.from_numpy(stored), torch.from_numpy(np.cumsum(is_new) - 1)
            numbers[stored[is_new]] = np.arange(1.0, self._count + 1)
        else:
            numbers[stored] = stored + 1
        self._pattern, self._places = _copied(numbered(pattern, numbers), argument)

    def __call__(self, values: torch.Tensor, lead: Sequence[int]) -> Matrix:
        flat = values.reshape(*lead, -1)
        if self._sums is not None:
            stored, groups = self._sums
            flat = flat.new_zeros((*lead, self._count)).index_add(-1, groups, flat.index_select(-1, stored))
        return _gathered(flat, self._places, self._pattern, lead)


def _picked(tensor: torch.Tensor, argument: TensorArgument, lead: Sequence[int]) -> Matrix:
    """The sparse matrix of a dense tensor, of whose zeros gradients know nothing; of a batch, what all of them need."""
    shape = tensor.shape[len(lead):]
    is_entry = (tensor.detach() != 0).reshape(-1, *shape).any(0).numpy()
    numbers = np.arange(1.0, is_entry.size + 1).reshape(shape) * is_entry
    pattern, places = _copied(dense(numbers, "f64", "torch", numbers), argument)
    return _gathered(tensor.reshape(*lead, -1), places, pattern, lead)
