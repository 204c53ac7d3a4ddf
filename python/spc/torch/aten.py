"""Products of PyTorch's own sparse tensors by kernels: what ATen's operations are given, without a step between. Imported where
torch is."""
# SPDX-License-Identifier: Apache-2.0

import ctypes
import functools
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch

from .. import api
from ..call import threads
from ..call.binding import number_of
from ..call.variant import Variant
from ..compiler import cache
from ..sources import torch as sources_torch, torch_private
from ..storage.signature import Storage
from ..storage.view import NumberView, Operand, View, bsr_storage, coo_storage, csr_storage, dense_storage

PRODUCT = "C(i,k) = A(i,j) * B(j,k)"
SUM = "C(i,k) = beta * D(i,k) + alpha * A(i,j) * B(j,k)"
FROM_LEFT = "C(i,k) = B(i,j) * A(j,k)"
VECTOR = "y(i) = A(i,j) * x(j)"
SAMPLED = "D(i,j) = alpha * pattern(S(i,j)) * P(i,l) * Q(j,l)"
WEIGHTED = "D(i,j) = S(i,j) * P(i,l) * Q(j,l)"
BATCHED = "C(b,i,k) = A(b,i,j) * B(b,j,k)"
BATCHED_SAMPLED = "D(b,i,j) = pattern(S(b,i,j)) * P(b,i,l) * Q(b,j,l)"

_QUIET = ("-Wno-reorder", "-Wno-precision", "-Wno-broadcast")  # nobody has written these kernels
#: The types of values that kernels are given.
TYPES = (torch.float32, torch.float64)
_SPARSE = ["size", "size", "stored", "pointers", "indices", "values"]
_COORDINATES = ["size", "size", "stored", "indices", "indices", "values"]
_Words = ctypes.c_int64 * 6


class Sparse:
    """A sparse tensor of two dimensions as kernels read it.

    form: its storage, in which the order of entries does not matter, and its types, by which kernels are told apart. words:
    the struct of the calling convention. work: how many values it stores. parts: tensors that have to live meanwhile.
    """

    __slots__ = ("shape", "form", "words", "work", "values", "parts")

    def __init__(self, shape: Tuple[int, ...], storage: Storage, parts: Sequence[Any], values: Any, places: Tuple[int, int]):
        self.shape, self.parts, self.values, self.work = shape, parts, values, values.numel()
        self.form: Tuple[Any, ...] = (storage, values.dtype, parts[-1].dtype)
        self.words = _Words(shape[0], shape[1], self.work, places[0], places[1], values.data_ptr())

    def turned(self) -> "Optional[Sparse]":
        """The transposed one, which has the same arrays; None of blocks, whose elements lie in another order then."""
        storage, *types = self.form
        if storage is _COORDINATE_STORAGE:
            places = self.words[4], self.words[3]
        elif len(storage.levels) == 2:
            storage, places = csr_storage(storage.levels[0].dim == 0, False), (self.words[3], self.words[4])
        else:
            return None
        made: Sparse = Sparse.__new__(Sparse)
        made.shape, made.parts, made.values, made.work = self.shape[::-1], self.parts, self.values, self.work
        made.form = (storage, *types)
        made.words = _Words(*made.shape, self.work, *places, self.words[5])
        return made

    def with_values(self, values: Any) -> "Sparse":
        """One of the same structure with other values, as many of the same type, one after the other."""
        made: Sparse = Sparse.__new__(Sparse)
        made.shape, made.form, made.work, made.parts, made.values = self.shape, self.form, self.work, self.parts, values
        made.words = _Words(*self.words[:5], values.data_ptr())
        return made


#: By layout: whether columns are compressed, whether it has blocks, and the storage of those that have none.
_COMPRESSED = {getattr(torch, f"sparse_{name}"): (name[2] == "c", name[0] == "b", csr_storage(name[2] == "c", False))
               for name in ("csr", "csc", "bsr", "bsc") if hasattr(torch, f"sparse_{name}")}
_COORDINATE_STORAGE = coo_storage(2, False)
#: The layouts of batches that kernels take.
BATCHES = [layout for layout, (_, has_blocks, _) in _COMPRESSED.items() if not has_blocks]


def sparse(tensor: Any) -> Optional[Sparse]:
    """What kernels read of a sparse tensor; None of one that they do not take: of other types, with dimensions of a batch or
    dense ones, or without entries."""
    if tensor.dtype not in TYPES or tensor.dim() != 2 or not tensor.is_cpu:
        return None
    values = torch_private.values(tensor)
    if not values.numel():
        return None
    values = values.contiguous()  # those of transposed blocks lie apart
    if tensor.layout is torch.sparse_coo:
        places = torch_private.coordinates(tensor).contiguous()
        if values.dim() != 1:
            return None
        start = places.data_ptr()
        return Sparse(tuple(tensor.shape), _COORDINATE_STORAGE, (places,), values,
                      (start, start + values.numel() * places.element_size()))
    by_columns, has_blocks, storage = _COMPRESSED[tensor.layout]
    pointers = tensor.ccol_indices() if by_columns else tensor.crow_indices()
    indices = tensor.row_indices() if by_columns else tensor.col_indices()
    if values.dim() != (3 if has_blocks else 1):
        return None
    pointers, indices = pointers.contiguous(), indices.contiguous()
    if has_blocks:
        storage = bsr_storage(values.shape[1], values.shape[2], by_columns)
    return Sparse(tuple(tensor.shape), storage, (pointers, indices), values, (pointers.data_ptr(), indices.data_ptr()))


def coordinates(tensor: Any) -> Any:
    """The rows and columns of the values that a sparse tensor stores, in their order."""
    if tensor.layout is torch.sparse_coo:
        return torch_private.coordinates(tensor)
    by_columns, has_blocks, _ = _COMPRESSED[tensor.layout]
    pointers = tensor.ccol_indices() if by_columns else tensor.crow_indices()
    inner = (tensor.row_indices() if by_columns else tensor.col_indices()).long()
    outer = torch.repeat_interleave(torch.arange(pointers.numel() - 1), pointers.diff().long())
    rows, columns = (inner, outer) if by_columns else (outer, inner)
    if has_blocks:
        height, width = torch_private.values(tensor).shape[1:]
        rows = (rows[:, None, None] * height + torch.arange(height)[:, None]).expand(-1, height, width).reshape(-1)
        columns = (columns[:, None, None] * width + torch.arange(width)).expand(-1, height, width).reshape(-1)
    return torch.stack([rows, columns])


def dense(tensor: Any, order: int, dtype: Any) -> Optional[Any]:
    """A dense tensor whose last dimension lies together, a copy where its own lies apart; None of what kernels do not take."""
    if tensor.layout is not torch.strided or tensor.dtype is not dtype or tensor.dim() != order or \
            not tensor.is_cpu or not tensor.numel():
        return None
    tensor = sources_torch.resolved(tensor)
    return tensor if tensor.stride(-1) == 1 or tensor.shape[-1] == 1 else tensor.contiguous()


def left(tensor: Any, dtype: Any) -> Optional[Any]:
    """What `dense` gives of a matrix, which may lie column by column, too."""
    lies_by_columns = tensor.layout is torch.strided and tensor.dim() == 2 and tensor.stride(0) == 1
    turned = dense(tensor.t() if lies_by_columns else tensor, 2, dtype)
    return turned.t() if lies_by_columns and turned is not None else turned


class _Compiled:
    """A kernel for operands of certain storage and types: `Sparse`, dense tensors, and numbers, in its order."""

    def __init__(self, text: str, operands: Sequence[Any]):
        kernel = api.kernel(text, formats=_formats(text, operands), options=_QUIET,
                            name="torch_product", validate="never")
        self._arguments = kernel.signature.inputs
        views = {argument.name: _outline(operand) for argument, operand in zip(self._arguments, operands)}
        self._variant = Variant(cache.load(kernel.specialised(views), is_quiet=True))
        self._arguments = self._variant.signature.inputs
        self._run, self._context = self._variant.functions.call, threads.context()
        for argument, operand in zip(self._arguments, operands):
            if isinstance(operand, Sparse):
                assert [field.holds for field in argument.fields] in (_SPARSE, _COORDINATES)

    def __call__(self, operands: Sequence[Any], result: Any) -> None:
        """Runs it. result: a dense tensor, or `Sparse`, which is written. Raises KernelError, or MemoryError, where it fails."""
        passed: List[Any] = []
        for operand, argument in zip(operands, self._arguments):
            passed.append(_words_of(operand) if not isinstance(operand, float) else number_of(operand, argument))
        passed.append(_words_of(result))
        vector = (ctypes.c_void_p * len(passed))(*[ctypes.addressof(one) for one in passed])
        if status := self._run(self._context, vector):
            self._variant.fail(status)


def _formats(text: str, operands: Sequence[Any]) -> Dict[str, Any]:
    """Results are dense, or in the pattern of S, which is in order then: each entry is computed by itself."""
    if not text.startswith("D(i,j)"):
        return {text[0]: "dense"}
    storage = next(operand.form[0] for operand in operands if isinstance(operand, Sparse))
    if storage is _COORDINATE_STORAGE:
        return {"S": "coo"}
    return {"S": "csr:1,0" if storage.levels[0].dim else "csr"} if len(storage.levels) == 2 else {}


def _words_of(operand: Any) -> Any:
    if isinstance(operand, Sparse):
        return operand.words
    return (ctypes.c_int64 * (2 * operand.dim() + 1))(*operand.shape, *operand.stride(), operand.data_ptr())


def _outline(operand: Any) -> Operand:
    """What a kernel is compiled for, without memory."""
    if isinstance(operand, float):
        return NumberView("f64", "number", operand)
    if isinstance(operand, Sparse):
        storage, dtype, index = operand.form
        name = sources_torch.type_of(torch, index)
        return View(operand.shape, sources_torch.type_of(torch, dtype), storage, {}, "torch", None, pointers=name, indices=name)
    return View(tuple(operand.shape), sources_torch.type_of(torch, operand.dtype), dense_storage(operand.dim()), {}, "torch", None)


_compiled: Dict[Tuple[Any, ...], _Compiled] = {}


def run(text: str, matrix: Sparse, operands: Sequence[Any], result: Any) -> Any:
    """Runs the kernel of one of the texts above, and returns the result. operands: in the text's order, the matrix among them;
    dense ones as `dense` gives them, numbers as floats. The first call for a storage and types compiles. Raises spc's errors."""
    key = (text, *matrix.form)
    kernel = _compiled.get(key)
    if kernel is None:
        kernel = _compiled.setdefault(key, _Compiled(text, operands))
    kernel(operands, result)
    return result


def product(matrix: Sparse, factor: Any, result: Any = None) -> Any:
    """The matrix times a dense one, row by row."""
    if result is None:
        result = torch.empty((matrix.shape[0], factor.shape[1]), dtype=factor.dtype)
    return run(PRODUCT, matrix, (matrix, factor), result)


def from_left(matrix: Sparse, factor: Any) -> Any:
    """A dense matrix times the sparse one: column by column, but for blocks."""
    turned = matrix.turned()
    if turned is None:
        return run(FROM_LEFT, matrix, (factor.contiguous(), matrix), torch.empty((factor.shape[0], matrix.shape[1]), dtype=factor.dtype))
    return product(turned, factor.t() if factor.stride(0) == 1 else factor.t().contiguous()).t()


def sampled(matrix: Sparse, P: Any, Q: Any, alpha: float) -> Any:
    """The values, in the matrix's structure, of alpha * P @ Q.T, of dense matrices that lie row by row."""
    made = matrix.with_values(torch.empty_like(matrix.values))
    if len(matrix.form[0].levels) == 2 and matrix.form[0] is not _COORDINATE_STORAGE:
        run(SAMPLED, matrix, (alpha, matrix, P, Q), made)
    else:  # of blocks, and of coordinates that may repeat, nobody asks for the pattern
        weights = matrix.with_values(torch.full_like(matrix.values, alpha))
        run(WEIGHTED, weights, (weights, P, Q), made)
    return made.values


@functools.lru_cache(maxsize=None)
def _of_batches(text: str) -> Any:
    return api.kernel(text, options=_QUIET, name="torch_batched", validate="never")


def batched(one: Any, other: Any) -> Any:
    """A batch of sparse matrices, with structures of their own, times one of dense ones. Raises spc's errors."""
    if not one.values().numel() or not other.numel():
        return torch.zeros((*one.shape[:2], other.shape[2]), dtype=other.dtype)
    return _of_batches(BATCHED)(_contiguous(one), dense(other.detach(), 3, other.dtype))


def batched_sampled(matrices: Any, P: Any, Q: Any) -> Any:
    """The values of P @ Q.mT where each of a batch of sparse matrices has entries, as that has them. Raises spc's errors."""
    values = matrices.values()
    if not values.numel() or not P.numel():
        return torch.zeros_like(values)
    made = _of_batches(BATCHED_SAMPLED)(_contiguous(matrices), dense(P.detach(), 3, P.dtype), dense(Q.detach(), 3, Q.dtype))
    return made.values().reshape(values.shape)


def batched_coordinates(matrices: Any) -> Tuple[Any, Any, Any]:
    """The element, row and column of each value of a batch of csr matrices, as it has the values."""
    pointers, columns = matrices.crow_indices(), matrices.col_indices().long()
    size, rows = pointers.shape[0], pointers.shape[1] - 1
    running = torch.repeat_interleave(torch.arange(size * rows), pointers.diff(dim=1).long().reshape(-1)).reshape(columns.shape)
    return torch.arange(size)[:, None].expand(columns.shape), running % max(rows, 1), columns


def _contiguous(matrices: Any) -> Any:
    """A batch whose arrays lie together, which need not be so of a part of another one."""
    by_columns, _, _ = _COMPRESSED[matrices.layout]
    indices = matrices.row_indices() if by_columns else matrices.col_indices()
    matrices = matrices.detach()
    return matrices if indices.is_contiguous() and matrices.values().is_contiguous() else matrices.clone()
