"""PyTorch's own products of sparse tensors on spc's kernels: accelerate() (docs/torch.md). Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import threading
import warnings
from types import TracebackType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Type

import torch

from ..call import threads
from ..errors import Error
from ..sources import torch_private
from . import aten, learnt

#: The least work, by operation, that is given to kernels: values that the sparse operand stores, times the columns of a dense
#: one (its rows where it is on the left). Below, PyTorch's own code runs. bench/python/products.py shows where it is overtaken.
THRESHOLDS: Dict[str, int] = {
    "csr @ X": 160_000, "csc @ X": 0, "bsr @ X": 250_000, "bsc @ X": 0, "coo @ X": 100_000,
    "X @ csr": 0, "X @ csc": 100_000, "X @ bsr": 0, "X @ bsc": 1_000_000, "X @ coo": 100_000,
    "csr @ x": 300_000, "csc @ x": 0, "bsr @ x": 400_000, "bsc @ x": 0, "coo @ x": 2_000,
    "csr bmm": 0, "csc bmm": 0, "csr addmm": 1_000_000, "sampled_addmm": 3_000_000,
}


class _Work(NamedTuple):
    """What a kernel could do for an operation: the name among THRESHOLDS, how much it is, and the function that does it, or
    returns None where kernels do not take the operands after all."""

    name: str
    size: int
    compute: Callable[[], Any]


Plan = Callable[..., Optional[_Work]]

_lock = threading.Lock()
_depth = 0
_sparse = 0
#: The library that replaces operations of ATen. Once there it stays, as other threads may be inside them.
_library: Any = None
#: Operations that this PyTorch has not: kernels compute them whatever their size.
_lacking: Set[str] = set()


class Acceleration:
    """What `accelerate` has begun: it lasts until `stop`, or the end of a `with` statement."""

    def __init__(self, is_sparse: bool) -> None:
        self._is_on, self._is_sparse = True, is_sparse

    def stop(self) -> None:
        """Gives PyTorch its own operations again, unless another call of `accelerate` lasts. A second call does nothing."""
        global _depth
        with _lock:
            if self._is_on:
                self._is_on = False
                _depth -= 1
                _count_sparse(-1 if self._is_sparse else 0)

    def __enter__(self) -> "Acceleration":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<spc.torch.accelerate(), {'on' if self._is_on else 'off'}>"


def accelerate(*, sparse_gradients: bool = True) -> Acceleration:
    """Has PyTorch compute products of its sparse tensors on the CPU by spc's kernels, in all threads of the process.

    These are `mm`, `addmm`, `bmm`, `mv`, `matmul` (`@`), `torch.sparse.mm`, `torch.sparse.addmm` and `torch.sparse.sampled_addmm` of
    CSR, CSC, BSR, BSC and COO tensors with dense ones in float32 and float64, and what their gradients compute. All else, and
    what THRESHOLDS has as too small, PyTorch computes itself.

    sparse_gradients: whether the gradient of a sparse tensor has its pattern and layout wherever it is multiplied by a dense one;
    else it is what PyTorch makes of it, which is dense for `mm`, `mv` and `@`, and an error in some layouts.
    Calls nest. Returns what takes the call back: `.stop()`, or the
    end of a `with` statement. Raises CompilerError where the compiler is missing.
    """
    global _depth
    threads.helper()
    with _lock:
        if _library is None:
            _replace()
        _depth += 1
        _count_sparse(1 if sparse_gradients else 0)
    return Acceleration(sparse_gradients)


def is_accelerated() -> bool:
    """Whether PyTorch's products of sparse tensors are spc's now."""
    return _depth > 0


def _count_sparse(change: int) -> None:
    """Counts those who want sparse gradients, for the first and the last of whom functions are replaced."""
    global _sparse
    before, _sparse = _sparse, _sparse + change
    if not before and _sparse:
        learnt.replace()
    elif before and not _sparse:
        learnt.restore()


def _replace() -> None:
    """Registers what stands before PyTorch's operations."""
    global _library
    _library = torch_private.aten_library()
    for name, plan in _PLANS.items():
        for key in ("SparseCsrCPU", "SparseCPU"):
            own = torch_private.own_operation(name, key)
            if own is not None:
                torch_private.replace(_library, name, key, _operation(plan, own))


def _operation(plan: Plan, own: Callable[..., Any]) -> Callable[..., Any]:
    """An operation that computes by a kernel, or by PyTorch's own code. own: takes the dispatcher's keys before arguments."""

    def operation(keys: Any, *arguments: Any, **named: Any) -> Any:
        work = plan(*arguments, **named) if _depth else None
        if work is None:
            return own(keys, *arguments, **named)
        if work.size < THRESHOLDS[work.name] and work.name not in _lacking:
            try:
                return own(keys, *arguments, **named)
            except RuntimeError:
                if (result := _computed(work)) is None:
                    raise
                _lacking.add(work.name)
                return result
        result = _computed(work)
        return own(keys, *arguments, **named) if result is None else result

    return operation


def _computed(work: _Work) -> Any:
    """What a kernel computes; None where it refuses the operands, whose faults PyTorch tells of in its own words."""
    try:
        return work.compute()
    except Error:
        return None


_NAMES = {getattr(torch, f"sparse_{name}"): name for name in ("csr", "csc", "bsr", "bsc", "coo")
          if hasattr(torch, f"sparse_{name}")}


def _work_of(matrix: Any) -> int:
    return int(torch_private.values(matrix).numel())


def _mm(one: Any, other: Any) -> Optional[_Work]:
    return _product(None, one, other, 0.0, 1.0)


def _addmm(added: Any, one: Any, other: Any, beta: Any = 1, alpha: Any = 1) -> Optional[_Work]:
    if added.layout is not torch.strided or added.dtype is not one.dtype or isinstance(beta, complex) or \
            isinstance(alpha, complex) or added.dim() > 2:
        return None
    return _product(added, one, other, float(beta), float(alpha))


def _product(added: Any, one: Any, other: Any, beta: float, alpha: float) -> Optional[_Work]:
    """alpha * one @ other, with beta * added where beta is not 0: of a sparse and a dense matrix, from either side."""
    if one.dtype is not other.dtype or one.dim() != 2 or other.dim() != 2 or one.shape[1] != other.shape[0]:
        return None
    shape = (one.shape[0], other.shape[1])
    if added is not None and any(size not in (1, wanted) for size, wanted in zip(added.shape[::-1], shape[::-1])):
        return None
    if one.layout in _NAMES and other.layout is torch.strided:
        operation = "addmm" if beta != 0 and one.layout is torch.sparse_csr else "@ X"
        return _Work(f"{_NAMES[one.layout]} {operation}", _work_of(one) * shape[1],
                     lambda: _from_right(added, one, other, beta, alpha))
    if one.layout is torch.strided and other.layout in _NAMES and (added is None or other.layout is not torch.sparse_coo):
        return _Work(f"X @ {_NAMES[other.layout]}", _work_of(other) * shape[0],
                     lambda: _from_left(added, one, other, beta, alpha))
    return None


def _from_right(added: Any, one: Any, other: Any, beta: float, alpha: float) -> Any:
    matrix, factor = aten.sparse(one), aten.dense(other, 2, one.dtype)
    if matrix is None or factor is None:
        return None
    if beta == 0:
        result = aten.product(matrix, factor)
        return result if alpha == 1 else result.mul_(alpha)
    result = torch.empty((one.shape[0], other.shape[1]), dtype=one.dtype)
    addend = aten.dense(added.expand(result.shape), 2, one.dtype)
    return None if addend is None else aten.run(aten.SUM, matrix, (beta, addend, alpha, matrix, factor), result)


def _from_left(added: Any, one: Any, other: Any, beta: float, alpha: float) -> Any:
    matrix, factor = aten.sparse(other), aten.left(one, other.dtype)
    if matrix is None or factor is None:
        return None
    result = aten.from_left(matrix, factor)
    if added is None and other.layout is torch.sparse_coo:  # PyTorch's result lies column by column, too
        return result
    result = result.contiguous()
    if alpha != 1:
        result.mul_(alpha)
    return result if beta == 0 else result.add_(added, alpha=beta)


def _bmm(one: Any, other: Any) -> Optional[_Work]:
    if one.layout not in aten.BATCHES or other.layout is not torch.strided or not one.dtype is other.dtype or \
            one.dtype not in aten.TYPES or one.dim() != 3 or torch_private.values(one).dim() != 2 or other.dim() != 3 or \
            one.shape[0] != other.shape[0] or one.shape[2] != other.shape[1]:
        return None
    return _Work(f"{_NAMES[one.layout]} bmm", _work_of(one) * other.shape[2], lambda: aten.batched(one, other))


def _mv(matrix: Any, vector: Any) -> Optional[_Work]:
    if matrix.dtype is not vector.dtype or matrix.dim() != 2 or vector.dim() != 1 or vector.layout is not torch.strided or \
            matrix.shape[1] != vector.shape[0]:
        return None

    def compute() -> Any:
        sparse, factor = aten.sparse(matrix), aten.dense(vector, 1, matrix.dtype)
        if sparse is None or factor is None:
            return None
        return aten.run(aten.VECTOR, sparse, [sparse, factor], torch.empty(matrix.shape[0], dtype=matrix.dtype))

    return _Work(f"{_NAMES[matrix.layout]} @ x", _work_of(matrix), compute)


def _sampled(matrix: Any, one: Any, other: Any, beta: Any = 1, alpha: Any = 1) -> Optional[_Work]:
    """alpha * one @ other where the matrix has entries, and beta times these."""
    if matrix.layout is not torch.sparse_csr or not matrix.dtype is one.dtype is other.dtype or one.dim() != 2 or \
            other.dim() != 2 or tuple(matrix.shape) != (one.shape[0], other.shape[1]) or one.shape[1] != other.shape[0] or \
            isinstance(beta, complex) or isinstance(alpha, complex):
        return None

    def compute() -> Any:
        sparse, P, Q = aten.sparse(matrix), aten.dense(one, 2, matrix.dtype), aten.dense(other.t(), 2, matrix.dtype)
        if sparse is None or P is None or Q is None:
            return None
        values = aten.sampled(sparse, P, Q, float(alpha))
        if beta != 0:
            values.add_(sparse.values, alpha=float(beta))
        return torch_private.of_values(matrix, values)

    return _Work("sampled_addmm", _work_of(matrix) * one.shape[1], compute)


_PLANS: Dict[str, Plan] = {"mm": _mm, "addmm": _addmm, "bmm": _bmm, "mv": _mv, "sparse_sampled_addmm": _sampled}
