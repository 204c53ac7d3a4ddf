"""Copies of operands in the storage and types that a kernel reads, for those who ask for them (copy=True)."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Optional

import numpy as np

from . import dtypes
from .binding import check
from .describe import name_of
from .errors import ArgumentError
from .signature import Argument
from .sources import dense, view_of
from .validate import settle
from .view import View, bsr_storage


def readable(value: Any, name: str) -> View:
    """The view of an operand, or of a copy of it where nothing reads it as it is. Raises ArgumentError where nothing
    copies it either."""
    try:
        return view_of(value, name)
    except ArgumentError:
        if (copied := _plain(value)) is None:
            raise
    return view_of(copied, name)


def _plain(value: Any) -> Optional[Any]:
    """A copy in the plainest form of its kind; None of what no copy is known of."""
    if isinstance(value, np.ma.MaskedArray):
        return value.filled(0)
    if isinstance(value, (np.ndarray, list, tuple)):
        array = np.ascontiguousarray(value)
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if hasattr(value, "tocsr"):
        made = value.tocsr(copy=True)
        made.sum_duplicates()
        return made
    if hasattr(value, "with_values"):
        return value.contiguous()
    if hasattr(value, "is_cuda"):
        plain = value.detach().cpu().resolve_conj().resolve_neg()
        return plain.coalesce() if str(plain.layout) == "torch.sparse_coo" else plain.contiguous()
    return None


def fitting(view: View, argument: Argument) -> View:
    """The view of a copy that has the storage and the types of an argument. Raises ArgumentError where no conversion is
    known."""
    if view.storage is None or argument.storage is None or len(view.shape) != len(argument.shape) or \
            "bf16" in (view.type, argument.type):
        raise ArgumentError(f"{argument.name}: no copy of it fits")
    dtype = dtypes.NUMPY[argument.type]
    if argument.storage.is_dense:
        made = _dense(view, argument, dtype)
        return dense(made, argument.type, view.family, made)
    if len(view.shape) != 2:
        raise ArgumentError(f"{argument.name}: no copy of {name_of(view.storage)} as {name_of(argument.storage)} is known")
    copy = view_of(_sparse(view, argument, dtype), argument.name)
    copy.family = view.family
    settle(copy, argument.name, "always")
    check(copy, argument)
    return copy


def _matrix(view: View) -> Any:
    """SciPy's array of any sparse or dense matrix."""
    from scipy import sparse

    from . import results
    if view.storage.is_dense:
        return sparse.csr_array(view.arrays["values", 0])
    made = results.wrap(view, "scipy")
    if isinstance(made, dict):
        raise ArgumentError(f"no conversion of {name_of(view.storage)} is known")
    return made


def _dense(view: View, argument: Argument, dtype: np.dtype) -> np.ndarray:
    array = view.arrays["values", 0] if view.storage.is_dense else _matrix(view).toarray()
    modes = [level.dim for level in argument.storage.levels]
    laid_out = np.ascontiguousarray(array.transpose(modes), dtype)
    return laid_out.transpose(np.argsort(modes))


def _sparse(view: View, argument: Argument, dtype: np.dtype) -> Any:
    """SciPy's array in an argument's storage, sorted and with its types."""
    matrix, name = _matrix(view).astype(dtype), name_of(argument.storage)
    blocks = [level.by for level in argument.storage.levels if level.op == "%"]
    if len(blocks) == 2 and argument.storage is bsr_storage(*blocks):
        if matrix.shape[0] % blocks[0] or matrix.shape[1] % blocks[1]:
            raise ArgumentError(f"{argument.name}: blocks of {blocks[0]} x {blocks[1]} do not divide its shape")
        made = matrix.tobsr(blocksize=tuple(blocks), copy=True)
    else:
        kind = {"csr": "csr", "csr-unsorted": "csr", "csc": "csc", "csr-unsorted:1,0": "csc", "coo": "coo",
                "coo-unsorted": "coo", "dia-cols": "dia"}.get(name)
        if kind is None:
            raise ArgumentError(f"{argument.name}: no copy of {name_of(view.storage)} as {name} is known")
        made = matrix.tocsr(copy=True)
        made.sum_duplicates()
        made = made.asformat(kind)
        if kind == "dia":
            width = made.shape[1]
            made.data = np.ascontiguousarray(np.pad(made.data, ((0, 0), (0, max(0, width - made.data.shape[1]))))[:, :width])
    index = dtypes.NUMPY[argument.indices]
    for attribute in ("indptr", "indices", "row", "col", "offsets"):
        if hasattr(made, attribute):
            wanted = dtypes.NUMPY[argument.pointers] if attribute == "indptr" else index
            setattr(made, attribute, getattr(made, attribute).astype(wanted, copy=False))
    if made.format in ("csr", "csc", "bsr"):
        made.sort_indices()
    return made
