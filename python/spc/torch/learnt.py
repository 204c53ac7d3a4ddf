"""Gradients of products by sparse tensors that stay sparse, where PyTorch's own are dense or missing. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import functools
import math
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from ..errors import Error
from ..sources import torch_private
from . import aten

Function = Callable[..., Any]

_PLAIN = (torch.Tensor, torch.nn.Parameter)
#: The functions that are replaced: what has them, the name, and what it had itself, None where it had inherited one.
_replaced: List[Tuple[Any, str, Optional[Function]]] = []


class _Sampled(torch.autograd.Function):
    """P @ Q.T where a sparse tensor has entries: a tensor of its layout, or of coordinates, of which each comes once, as
    PyTorch adds up values of the same coordinates."""

    @staticmethod
    def forward(ctx: Any, matrix: Any, P: Any, Q: Any, is_listed: bool) -> Any:
        if matrix.layout is torch.sparse_coo:
            matrix = matrix.coalesce()
        ctx.save_for_backward(matrix, P, Q)
        read, one, other = aten.sparse(matrix), aten.dense(P, 2, matrix.dtype), aten.dense(Q, 2, matrix.dtype)
        if read is None or one is None or other is None:  # there is nothing to multiply
            values = torch.zeros_like(torch_private.values(matrix))
        else:
            values = aten.sampled(read, one, other, 1.0)
        return _listed(matrix, values) if is_listed else torch_private.of_values(matrix, values)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        matrix, P, Q = ctx.saved_tensors
        if gradient.layout is torch.strided:
            rows, columns = aten.coordinates(matrix)
            gradient = _listed(matrix, gradient[rows, columns])
        return (None, torch.mm(gradient, Q) if ctx.needs_input_grad[1] else None,
                torch.mm(gradient.t(), P) if ctx.needs_input_grad[2] else None, None)


def _listed(matrix: Any, values: Any) -> Any:
    """The sparse_coo tensor of values in a tensor's structure."""
    return torch_private.listed(aten.coordinates(matrix), values.reshape(-1), matrix.shape)


class _Product(torch.autograd.Function):
    """A sparse matrix times a dense one. is_listed: whether the gradient by the sparse one is a list of coordinates."""

    @staticmethod
    def forward(ctx: Any, matrix: Any, factor: Any, is_listed: bool) -> Any:
        ctx.save_for_backward(matrix, factor)
        ctx.is_listed = is_listed
        return torch.mm(matrix, factor)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        matrix, factor = ctx.saved_tensors
        return (_Sampled.apply(matrix.detach(), gradient, factor, ctx.is_listed) if ctx.needs_input_grad[0] else None,
                torch.mm(matrix.t(), gradient) if ctx.needs_input_grad[1] else None, None)


class _FromLeft(torch.autograd.Function):
    """A dense matrix times a sparse one, as above."""

    @staticmethod
    def forward(ctx: Any, factor: Any, matrix: Any, is_listed: bool) -> Any:
        ctx.save_for_backward(factor, matrix)
        ctx.is_listed = is_listed
        return torch.mm(factor, matrix)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        factor, matrix = ctx.saved_tensors
        return (torch.mm(gradient, matrix.t()) if ctx.needs_input_grad[0] else None,
                _Sampled.apply(matrix.detach(), factor.t(), gradient.t(), ctx.is_listed) if ctx.needs_input_grad[1] else None,
                None)


class _Batched(torch.autograd.Function):
    """A batch of sparse matrices times one of dense ones."""

    @staticmethod
    def forward(ctx: Any, matrices: Any, factors: Any) -> Any:
        ctx.save_for_backward(matrices, factors)
        return torch.bmm(matrices, factors)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        matrices, factors = ctx.saved_tensors
        return (_BatchedSampled.apply(matrices.detach(), gradient, factors) if ctx.needs_input_grad[0] else None,
                torch.bmm(matrices.transpose(1, 2), gradient) if ctx.needs_input_grad[1] else None)


class _BatchedSampled(torch.autograd.Function):
    """P @ Q.mT where a batch of sparse matrices has entries."""

    @staticmethod
    def forward(ctx: Any, matrices: Any, P: Any, Q: Any) -> Any:
        ctx.save_for_backward(matrices, P, Q)
        return torch_private.of_values(matrices, aten.batched_sampled(matrices, P, Q))

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        matrices, P, Q = ctx.saved_tensors
        if gradient.layout is torch.strided:
            gradient = torch_private.of_values(matrices, gradient[aten.batched_coordinates(matrices)])
        return (None, torch.bmm(gradient, Q) if ctx.needs_input_grad[1] else None,
                torch.bmm(gradient.transpose(1, 2), P) if ctx.needs_input_grad[2] else None)


def _is_listed(matrix: Any) -> bool:
    """Whether the gradient has to be a list of coordinates: PyTorch cannot keep one of another layout than csr for a leaf, and
    brings one to it through transpositions."""
    step = matrix.grad_fn
    while step is not None and step.name() in ("TBackward0", "TransposeBackward0"):
        step = step.next_functions[0][0]
    leaf = matrix if matrix.is_leaf else getattr(step, "variable", None)
    return leaf is not None and leaf.layout not in (torch.sparse_csr, torch.sparse_coo)


def _is_learnt(tensor: Any, order: int = 2) -> bool:
    """Whether it is a sparse tensor whose gradient is wanted and which kernels may have."""
    return type(tensor) in _PLAIN and tensor.layout is not torch.strided and tensor.requires_grad and \
        torch.is_grad_enabled() and tensor.is_cpu and tensor.dim() == order and tensor.dtype in aten.TYPES and \
        not torch_private.is_watched() and not torch_private.is_forward()


def _is_factor(tensor: Any, matrix: Any, order: int = 2) -> bool:
    """Whether it is a dense tensor that goes with a sparse one."""
    return type(tensor) in _PLAIN and tensor.layout is torch.strided and tensor.dtype is matrix.dtype and tensor.is_cpu and \
        tensor.dim() == order


def _product(one: Any, other: Any) -> Any:
    """A product by a sparse tensor whose gradient is wanted; None of any other."""
    if _is_learnt(one):
        if _is_factor(other, one) and one.shape[1] == other.shape[0]:
            return _Product.apply(one, other, _is_listed(one))
        if _is_factor(other, one, 1) and one.shape[1] == other.shape[0]:
            return _Product.apply(one, other[:, None], _is_listed(one))[:, 0]
    elif _is_learnt(other) and _is_factor(one, other) and one.shape[1] == other.shape[0]:
        return _FromLeft.apply(one, other, _is_listed(other))
    return None


def _matrices(one: Any, other: Any) -> Any:
    return _product(one, other) if one.dim() == other.dim() == 2 else None


def _batches(one: Any, other: Any) -> Any:
    """A product by a batch of csr matrices whose gradient is wanted; None of any other."""
    if not _is_learnt(one, 3) or one.layout is not torch.sparse_csr or not one.is_leaf or not _is_factor(other, one, 3) or \
            torch_private.values(one).dim() != 2 or one.shape[0] != other.shape[0] or one.shape[2] != other.shape[1]:
        return None
    return _Batched.apply(one, other)


def _vector(one: Any, other: Any) -> Any:
    return _product(one, other) if other.dim() == 1 else None


def _number(value: Any) -> float:
    """A factor of addmm. Raises TypeError where it is no real number."""
    if not isinstance(value, (int, float)) and not (isinstance(value, torch.Tensor) and value.dim() == 0):
        raise TypeError(f"{value!r} is no number")
    return float(value)


def _added(added: Any, one: Any, other: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    beta, alpha = _number(beta), _number(alpha)
    if not (_is_learnt(one) or _is_learnt(other)) or added.layout is not torch.strided or added.dim() > 2 or \
            added.dtype is not one.dtype:
        return None
    result = _matrices(one, other)
    if result is None or any(size not in (1, wanted) for size, wanted in zip(added.shape[::-1], result.shape[::-1])):
        return None
    result = result if alpha == 1 else alpha * result
    if beta == 0:  # what is added counts no more, and has zeros for its gradient
        return torch.where(torch.zeros((), dtype=torch.bool), added, result) if added.requires_grad else result
    return result + (added if beta == 1 else beta * added)


def _linear(x: Any, weight: Any, bias: Any = None) -> Any:
    if not _is_learnt(weight) or type(x) not in _PLAIN or x.dim() < 1 or x.shape[-1] != weight.shape[1]:
        return None
    result = _matrices(x.reshape(math.prod(x.shape[:-1]), x.shape[-1]), weight.t())
    if result is None:
        return None
    result = result.reshape(*x.shape[:-1], weight.shape[0])
    return result if bias is None else result + bias


_FUNCTIONS: Dict[Tuple[Any, str], Function] = {
    (torch, "mm"): _matrices, (torch, "matmul"): _product, (torch, "mv"): _vector, (torch, "addmm"): _added,
    (torch, "bmm"): _batches, (torch.Tensor, "bmm"): _batches, (torch.Tensor, "mm"): _matrices, (torch.Tensor, "matmul"): _product, (torch.Tensor, "__matmul__"): _product,
    (torch.Tensor, "mv"): _vector, (torch.Tensor, "addmm"): _added,
    (torch.sparse, "mm"): _matrices, (torch.sparse, "addmm"): _added, (torch.nn.functional, "linear"): _linear,
}


def replace() -> None:
    """Has PyTorch's functions of products look for sparse tensors whose gradient is wanted."""
    for (owner, name), function in _FUNCTIONS.items():
        original = getattr(owner, name)
        made = _before(original, function)
        torch_private.say_script(made, original)
        _replaced.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, made)


def restore() -> None:
    """Gives PyTorch its own functions again."""
    for owner, name, original in _replaced:
        if original is None:
            delattr(owner, name)
        else:
            setattr(owner, name, original)
    _replaced.clear()


#: The names of operands in PyTorch's signatures, in the order that they have there.
_OPERANDS = ("input", "self", "sparse", "mat1", "mat2", "dense", "vec", "other", "weight", "bias")


def _before(original: Function, function: Function) -> Function:
    """A function that computes by another one, or by the original where that one returns None."""

    @functools.wraps(original)
    def standing(*arguments: Any, **named: Any) -> Any:
        operands = (*arguments, *[named[name] for name in _OPERANDS if name in named]) if named else arguments
        for argument in operands[:3]:
            if type(argument) in _PLAIN and argument.layout is not torch.strided and argument.requires_grad:
                try:
                    result = function(*operands, **{name: value for name, value in named.items() if name not in _OPERANDS})
                except (Error, TypeError, AttributeError):  # of arguments that PyTorch tells of in its own words
                    result = None
                if result is not None:
                    return result
                break
        return original(*arguments, **named)

    return standing
