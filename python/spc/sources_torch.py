"""Views of PyTorch's tensors, dense and sparse, and tensors of results. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Optional

import numpy as np

from . import dtypes
from .describe import name_of
from .errors import ArgumentError, ArgumentTypeError
from .sources import dense
from .view import View, bsr_storage, coo_storage, csr_storage


def read(torch, value) -> View:
    """The view of a tensor. Gradients are no business of it: what requires them is read all the same."""
    if value.device.type != "cpu":
        raise ArgumentError(f"it is on {value.device}, and kernels read the host's memory: .cpu() copies")
    value = value.detach()
    if value.layout == torch.strided:
        data, type_ = _numbers(torch, value)
        if not data.ndim:
            return View((), type_, None, {}, "number", data[()])
        return dense(data, type_, "torch", value)
    name = str(value.layout).rpartition(".")[2]
    reader = _LAYOUTS.get(name)
    if reader is None:
        raise ArgumentTypeError(f"tensors of layout {name} have no format: .to_sparse_csr() converts")
    if value.dim() != 2:
        raise ArgumentError(f"a {name} tensor of {value.dim()} dimensions is no matrix: batches are called one by one")
    return reader(torch, value)


def _numbers(torch, value):
    """A tensor's elements as an array, without a copy, and their type."""
    if value.is_conj() or value.is_neg():
        raise ArgumentError("it is a lazily conjugated or negated tensor: .resolve_conj().resolve_neg() copies")
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(np.uint16), "bf16"
    data = value.numpy()
    return data, dtypes.name_of(data.dtype)


def _compressed(torch, value, pointers, indices, storage) -> View:
    values = value.values()
    data, type_ = _numbers(torch, values)
    starts, coordinates = pointers.numpy(), indices.numpy()
    for name, array in (("pointers", starts), ("indices", coordinates), ("values", data)):
        if not array.flags.c_contiguous:
            raise ArgumentError(f"its {name} are not contiguous: .clone() makes them so")
    arrays = {("pointers", 1): starts, ("indices", 1): coordinates, ("values", 0): data}
    return View(tuple(value.shape), type_, storage, arrays, "torch", value, stored=data.size,
                pointers=dtypes.index_name_of(starts.dtype), indices=dtypes.index_name_of(coordinates.dtype))


def _csr(torch, value) -> View:
    return _compressed(torch, value, value.crow_indices(), value.col_indices(), csr_storage())


def _csc(torch, value) -> View:
    return _compressed(torch, value, value.ccol_indices(), value.row_indices(), csr_storage(by_columns=True))


def _bsr(torch, value) -> View:
    return _compressed(torch, value, value.crow_indices(), value.col_indices(),
                       bsr_storage(*value.values().shape[1:]))


def _bsc(torch, value) -> View:
    return _compressed(torch, value, value.ccol_indices(), value.row_indices(),
                       bsr_storage(*value.values().shape[1:], by_columns=True))


def _coo(torch, value) -> View:
    places = value._indices().numpy()
    data, type_ = _numbers(torch, value._values())
    if data.ndim != 1:
        raise ArgumentError("a hybrid tensor has dense dimensions: kernels take them apart")
    arrays = {("values", 0): data}
    for level in range(places.shape[0]):
        if not places[level].flags.c_contiguous:
            raise ArgumentError("its coordinates are not contiguous: .coalesce() makes them so")
        arrays["indices", level] = places[level]
    name = dtypes.index_name_of(places.dtype)
    return View(tuple(value.shape), type_, coo_storage(places.shape[0], value.is_coalesced()), arrays, "torch", value,
                stored=data.size, pointers=name, indices=name)


_LAYOUTS = {"sparse_csr": _csr, "sparse_csc": _csc, "sparse_bsr": _bsr, "sparse_bsc": _bsc, "sparse_coo": _coo}


def wrap(torch, view: View) -> Optional[Any]:
    """A sparse tensor of a result's arrays, which share their memory; None where torch has no such layout."""
    name, arrays = name_of(view.storage), view.arrays
    if name in ("csr", "csc"):
        make = getattr(torch, f"sparse_{name}_tensor", None)
        parts = [torch.from_numpy(arrays[key]) for key in (("pointers", 1), ("indices", 1), ("values", 0))]
        return make(*parts, size=view.shape) if make else None
    if name in ("coo", "coo-unsorted"):
        places = torch.from_numpy(np.stack([arrays["indices", k] for k in range(len(view.shape))]).astype(np.int64))
        made = torch.sparse_coo_tensor(places, torch.from_numpy(arrays["values", 0]), view.shape)
        return made._coalesced_(True) if name == "coo" else made
    return None
