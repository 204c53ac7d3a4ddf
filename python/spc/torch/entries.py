"""Where the entries of a structure lie, and dense tensors of values that have such places. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

from typing import Sequence, Tuple

import numpy as np
import torch

from ..call import results
from ..errors import ArgumentError
from ..storage.dtypes import Array
from ..storage.view import View, batched_csr_storage


def numbered(pattern: View, numbers: Array) -> View:
    """A structure whose values are numbers of entries."""
    arrays = {**pattern.arrays, ("values", 0): numbers.reshape(pattern.arrays["values", 0].shape)}
    return View(pattern.shape, "f64", pattern.storage, arrays, pattern.family, None, pointers=pattern.pointers,
                indices=pattern.indices, stored=pattern.stored, numbers=pattern.numbers)


def listed(pattern: View) -> Tuple[Array, Array, Array]:
    """The rows and columns of entries, and which of the stored values they have. Raises ArgumentError where they are not
    known."""
    made = results.wrap(numbered(pattern, np.arange(1.0, pattern.stored + 1)), "scipy")
    if isinstance(made, dict):
        raise ArgumentError("no conversion of its storage is known")
    listed = made.tocoo()
    return listed.row.astype(np.int64), listed.col.astype(np.int64), listed.data.astype(np.int64) - 1


def spread(values: torch.Tensor, pattern: View, lead: Sequence[int]) -> torch.Tensor:
    """The dense tensor of values in a structure. lead: the dimensions of batches, which are ahead of the others. Raises
    ArgumentError where the places of entries are not known."""
    if pattern.storage in (batched_csr_storage(), batched_csr_storage(True)):
        return _spread_batch(values, pattern, lead)
    rows, columns, stored = listed(pattern)
    flat = values.reshape(*lead, -1).index_select(-1, torch.from_numpy(stored))
    places = torch.from_numpy(rows * pattern.shape[1] + columns)
    return flat.new_zeros((*lead, pattern.shape[0] * pattern.shape[1])).index_add(-1, places, flat).reshape(
        *lead, *pattern.shape)


def _spread_batch(values: torch.Tensor, pattern: View, lead: Sequence[int]) -> torch.Tensor:
    """The same of a batch of matrices with structures of their own."""
    _, outer, inner = [level.dim for level in pattern.storage.levels]
    shape = pattern.shape
    running = np.arange(shape[0] * shape[outer]).repeat(np.diff(pattern.arrays["pointers", 2]))
    places = torch.from_numpy(running * shape[inner] + pattern.arrays["indices", 2])
    flat = values.reshape(*lead, -1)
    made = flat.new_zeros((*lead, shape[0] * shape[outer] * shape[inner])).index_add(-1, places, flat)
    made = made.reshape(*lead, shape[0], shape[outer], shape[inner])
    return made.transpose(-1, -2) if outer == 2 else made
