"""Views of pydata/sparse's arrays."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any

from ..errors import ArgumentError
from ..storage import dtypes
from ..storage.view import View, coo_storage, csr_storage
from .arrays import flat, gathered


def read(value: Any) -> View:
    """The view of a COO array of any order, or of a GCXS one of two dimensions. Raises ArgumentError of others, and of
    fill values other than 0."""
    if value.fill_value != 0:
        raise ArgumentError(f"its missing entries are {value.fill_value}, and kernels take them for 0")
    return _coo(value) if hasattr(value, "coords") else _gcxs(value)


def _coo(value: Any) -> View:
    # Its coordinates are sorted, and do not repeat: its constructor sees to it.
    arrays = {("indices", k): gathered(value.coords[k]) for k in range(value.ndim)}
    arrays["values", 0] = flat("data", value.data)
    name = dtypes.index_name_of(value.coords.dtype)
    return View(tuple(value.shape), dtypes.name_of(value.data.dtype), coo_storage(value.ndim), arrays, "pydata", value,
                loose=coo_storage(value.ndim, False) if value.ndim > 1 else None, pointers=name, indices=name,
                witness=(value.coords,))


def _gcxs(value: Any) -> View:
    if value.ndim != 2:
        raise ArgumentError(f"GCXS of {value.ndim} dimensions has no format: .tocoo() converts")
    pointers, indices, values = flat("indptr", value.indptr), flat("indices", value.indices), flat("data", value.data)
    by_columns = tuple(value.compressed_axes) == (1,)
    return View(tuple(value.shape), dtypes.name_of(values.dtype), csr_storage(by_columns),
                {("pointers", 1): pointers, ("indices", 1): indices, ("values", 0): values}, "pydata.gcxs", value,
                loose=csr_storage(by_columns, False), witness=(indices, pointers),
                pointers=dtypes.index_name_of(pointers.dtype), indices=dtypes.index_name_of(indices.dtype))
