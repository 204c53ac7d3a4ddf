"""Views of PyTorch's tensors, dense and sparse, and tensors of results. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Optional, Tuple

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from ..storage import dtypes
from ..storage.describe import name_of
from ..storage.dtypes import Array
from ..storage.signature import Storage
from ..storage.view import (Operand, View, address, batched_csr_storage, block_of, bsr_storage, coo_storage,
                            csr_storage)
from . import torch_private
from .arrays import dense, gathered, without_dimensions


def read(torch: Any, value: Any) -> Operand:
    """The view of a tensor. What requires gradients is read all the same: calls refuse it (gradients.py).

    Raises ArgumentError of tensors that are elsewhere than in the host's memory or lie in a way no format says.
    """
    if value.device.type != "cpu":
        raise ArgumentError(f"it is on {value.device}, and kernels read the host's memory: .cpu() copies")
    if value.layout is torch.strided:
        data, type_ = numbers(torch, value)
        if not data.ndim:
            return without_dimensions(data, type_, value, "torch.number")
        try:
            return dense(data, type_, "torch", value)
        except ArgumentError:
            raise ArgumentError(f"a tensor of shape {tuple(value.shape)} with strides {value.stride()} has no dimension "
                                "whose elements lie side by side: .contiguous() copies") from None
    name = str(value.layout).rpartition(".")[2]
    reader = _LAYOUTS.get(name)
    if reader is None:
        raise ArgumentTypeError(f"tensors of layout {name} have no format: .to_sparse_csr() converts")
    if name != "sparse_coo" and value.dense_dim():
        raise ArgumentError("a hybrid tensor has dense dimensions: one matrix for each of their elements has none")
    if value.dim() == 3 and name in ("sparse_csr", "sparse_csc"):
        return _batch(torch, value, name == "sparse_csc")
    if value.dim() != 2 and name != "sparse_coo":
        raise ArgumentError(f"a {name} tensor of {value.dim()} dimensions is no matrix: batches are called one by one")
    return reader(torch, value)


def resolved(value: Any) -> Any:
    """The tensor, of which a copy is made where torch conjugates or negates it when it is read, or it is zeros without memory.
    Gradients go through."""
    if torch_private.is_zero(value):
        return value.clone()
    return value.resolve_conj().resolve_neg() if value.is_conj() or value.is_neg() else value


def numbers(torch: Any, value: Any) -> Tuple[Array, str]:
    """A dense tensor's elements as an array, without a copy, and their type."""
    if value.is_conj() or value.is_neg():
        raise ArgumentError("it is a lazily conjugated or negated tensor: .resolve_conj().resolve_neg() copies")
    if value.requires_grad:
        value = value.detach()
    if value.dtype is torch.bfloat16:
        return value.view(torch.int16).numpy().view(np.uint16), "bf16"
    try:
        data = value.numpy()
    except TypeError as error:
        raise ArgumentTypeError(str(error)) from None
    return data, dtypes.name_of(data.dtype)


def _compressed(torch: Any, value: Any, pointers: Any, indices: Any, storage: Storage, loose: Optional[Storage]) -> View:
    data, type_ = numbers(torch, value.values())
    starts, coordinates = pointers.detach().numpy(), indices.detach().numpy()  # torch has them require gradients, too
    for name, array in (("pointers", starts), ("indices", coordinates), ("values", data)):
        if not array.flags.c_contiguous:
            raise ArgumentError(f"its {name} are not contiguous: .clone() makes them so")
    return View(tuple(value.shape), type_, storage,
                {("pointers", 1): starts, ("indices", 1): coordinates, ("values", 0): data}, "torch", value, loose=loose,
                mend=".to_sparse_coo().coalesce().to_sparse_csr() is in order",
                witness=(value, address(coordinates), address(starts), coordinates.size),
                pointers=dtypes.index_name_of(starts.dtype), indices=dtypes.index_name_of(coordinates.dtype))


def _batch(torch: Any, value: Any, by_columns: bool) -> View:
    """A batch of matrices, each of which has as many entries and pointers of its own from 0: of these a copy is made, in which they
    run on. Raises ArgumentError where they are no such pointers, or arrays lie apart."""
    data, type_ = numbers(torch, value.values())
    pointers, indices = (value.ccol_indices(), value.row_indices()) if by_columns else (value.crow_indices(), value.col_indices())
    starts, coordinates = pointers.detach().numpy(), indices.detach().numpy()
    for name, array in (("indices", coordinates), ("values", data)):
        if not array.flags.c_contiguous:
            raise ArgumentError(f"its {name} are not contiguous: .clone() makes them so")
    size, count = data.shape
    if size and not (starts[:, 0] == 0).all() or not (starts[:, -1] == count).all():
        raise ArgumentError(f"its pointers are no runs from 0 to {count}, the entries of each matrix")
    running = np.empty(size * (starts.shape[1] - 1) + 1, starts.dtype if size * count < 1 << 31 else np.int64)
    running[:-1] = (starts[:, :-1] + count * np.arange(size)[:, None]).reshape(-1)
    running[-1] = size * count
    return View(tuple(value.shape), type_, batched_csr_storage(by_columns),
                {("pointers", 2): running, ("indices", 2): coordinates.reshape(-1), ("values", 0): data.reshape(-1)}, "torch", value,
                loose=batched_csr_storage(by_columns, False), stored=data.size,
                witness=(value, address(coordinates), address(starts), coordinates.size),
                pointers=dtypes.index_name_of(running.dtype), indices=dtypes.index_name_of(coordinates.dtype))


def _csr(torch: Any, value: Any) -> View:
    return _compressed(torch, value, value.crow_indices(), value.col_indices(), csr_storage(), csr_storage(False, False))


def _csc(torch: Any, value: Any) -> View:
    return _compressed(torch, value, value.ccol_indices(), value.row_indices(), csr_storage(True),
                       csr_storage(True, False))


def _bsr(torch: Any, value: Any) -> View:
    return _blocks(torch, value, value.crow_indices(), value.col_indices(), False)


def _bsc(torch: Any, value: Any) -> View:
    return _blocks(torch, value, value.ccol_indices(), value.row_indices(), True)


def _blocks(torch: Any, value: Any, pointers: Any, indices: Any, by_columns: bool) -> View:
    size = tuple(value.values().shape[1:])
    view = _compressed(torch, value, pointers, indices, bsr_storage(*size, by_columns), bsr_storage(*size, by_columns, False))
    if size == (1, 1):
        view.arrays["values", 0] = view.arrays["values", 0].reshape(-1)
    return view


def _coo(torch: Any, value: Any) -> View:
    places = torch_private.coordinates(value).numpy()
    data, type_ = numbers(torch, torch_private.values(value))
    if data.ndim != 1:
        raise ArgumentError("a hybrid tensor has dense dimensions: .coalesce().values() and .indices() are arrays")
    if not data.flags.c_contiguous:
        raise ArgumentError("its values are not contiguous: .coalesce() makes them so")
    order = places.shape[0]
    arrays = {("indices", level): gathered(places[level]) for level in range(order)}
    arrays["values", 0] = data
    name = dtypes.index_name_of(places.dtype)
    return View(tuple(value.shape), type_, coo_storage(order), arrays, "torch", value,
                loose=coo_storage(order, False) if order > 1 else None, claimed=value.is_coalesced(),
                mend=".coalesce() puts it in order",
                witness=(value, address(places), places.size, int(value.is_coalesced())),
                pointers=name, indices=name)


_LAYOUTS = {"sparse_csr": _csr, "sparse_csc": _csc, "sparse_bsr": _bsr, "sparse_bsc": _bsc, "sparse_coo": _coo}


def dtype_of(torch: Any, type_: str) -> Any:
    """PyTorch's type of spc's, of those that it has."""
    return torch.bfloat16 if type_ == "bf16" else getattr(torch, dtypes.NUMPY[type_].name)


def type_of(torch: Any, dtype: Any) -> str:
    """spc's type of PyTorch's. Raises ArgumentTypeError where it has none."""
    return "bf16" if dtype is torch.bfloat16 else dtypes.name_of(np.dtype(str(dtype).rpartition(".")[2]))


def tensor(torch: Any, array: Array, type_: str) -> Any:
    """A tensor that shares an array's memory. Raises ArgumentTypeError of types that torch lacks."""
    if type_ == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    try:
        return torch.from_numpy(array)
    except TypeError as error:
        raise ArgumentTypeError(str(error)) from None


def wrap(torch: Any, view: View) -> Optional[Any]:
    """A sparse tensor of a result's arrays, which share their memory; None where torch has no such layout."""
    name, arrays = name_of(view.storage), view.arrays
    compressed = {"csr": "csr", "csc": "csc"}.get(name.split(" ")[0])
    if compressed or name.startswith(("bsr with blocks", "bsc with blocks")):  # torch wants them sorted
        make = getattr(torch, f"sparse_{compressed or name[:3]}_tensor", None)
        if make is None or view.indices not in ("i32", "i64") or view.pointers != view.indices:
            return None
        values = tensor(torch, arrays["values", 0], view.type)
        if not compressed:
            values = values.reshape(-1, *block_of(view.storage))
        return make(tensor(torch, arrays["pointers", 1], ""), tensor(torch, arrays["indices", 1], ""), values,
                    size=view.shape)
    if view.storage in (batched_csr_storage(), batched_csr_storage(True)):
        return _batch_of(torch, view)
    if name in ("coo", "coo-unsorted"):
        places = _places(torch, view)
        made = torch.sparse_coo_tensor(places, tensor(torch, arrays["values", 0], view.type), view.shape)
        return torch_private.coalesced(made) if name == "coo" else made
    return None


def _batch_of(torch: Any, view: View) -> Optional[Any]:
    """A batch of matrices, each with pointers of its own; None where they differ in how many entries they have, or PyTorch has no
    such indices."""
    by_columns, size = view.storage.levels[1].dim == 2, view.shape[0]
    running = view.arrays["pointers", 2]
    rows, count = view.shape[2 if by_columns else 1], running[-1] // max(size, 1)
    starts = np.lib.stride_tricks.sliding_window_view(running, rows + 1)[::rows] if rows and size else np.zeros((size, rows + 1))
    starts = (starts - count * np.arange(size)[:, None]).astype(view.arrays["indices", 2].dtype)
    if view.indices not in ("i32", "i64") or (starts[:, 0] != 0).any() or (starts[:, -1] != count).any():
        return None
    return getattr(torch, f"sparse_{'csc' if by_columns else 'csr'}_tensor")(
        torch.from_numpy(starts), tensor(torch, view.arrays["indices", 2].reshape(size, count), ""),
        tensor(torch, view.arrays["values", 0].reshape(size, count), view.type), size=view.shape)


def _places(torch: Any, view: View) -> Any:
    """The coordinates of entries in one array, of 64 bits each: the operand's whose pattern it is, else a copy."""
    if isinstance(view.owner, torch.Tensor) and view.owner.layout is torch.sparse_coo:
        return torch_private.coordinates(view.owner)
    return torch.from_numpy(np.stack([view.arrays["indices", k] for k in range(len(view.shape))]).astype(np.int64))
