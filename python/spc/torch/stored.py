"""How examples of a model's tensors are stored."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any

import torch

from ..errors import CompileError
from ..sources import view_of
from ..storage.describe import format_of
from ..storage.view import NumberView, bsr_storage, coo_storage, csr_storage
from .matrix import Matrix


def is_sparse(value: Any) -> bool:
    """Whether an example is stored sparse."""
    return isinstance(value, Matrix) or (isinstance(value, torch.Tensor) and value.layout is not torch.strided)


def dense(value: Any) -> Any:
    """An example as the dense tensor that shapes are worked out with."""
    if isinstance(value, Matrix):
        return value.to_dense().detach()
    return value.to_dense() if isinstance(value, torch.Tensor) and value.layout is not torch.strided else value


def form_of(value: Any) -> Any:
    """The format of a sparse example: a name, or the contents of a format file. Raises CompileError where it has none."""
    if isinstance(value, torch.Tensor) and type(value).__name__ == "FakeTensor":
        return _of_layout(value)
    view = view_of(value.detach() if isinstance(value, torch.Tensor) else value, "")
    return "dense" if isinstance(view, NumberView) else format_of(view.storage)


def _of_layout(value: Any) -> Any:
    """The format of a tensor without memory."""
    layout = str(value.layout).rpartition(".")[2]
    if layout == "sparse_coo" and not value.dense_dim():
        return format_of(coo_storage(value.dim()))
    if value.dim() != 2 or layout not in ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"):
        raise CompileError(f"a {layout} tensor of {value.dim()} dimensions has no format here: batches, and tensors with dense "
                           "dimensions, are to be coordinates, .to_dense().to_sparse()")
    if layout in ("sparse_csr", "sparse_csc"):
        return format_of(csr_storage(layout == "sparse_csc"))
    return format_of(bsr_storage(*value.values().shape[1:], layout == "sparse_bsc"))
