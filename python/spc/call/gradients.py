"""Gradients of PyTorch's, which kernels do not compute: what they would lose without a word is refused."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np

from ..errors import ArgumentError

_LOST = ("{}: it requires gradients, and what kernels compute has none: spc.torch.op makes an operator that has, of dense "
         "tensors and of what spc.torch.Matrix.of makes of sparse ones; .detach() says that none are wanted")
_PLAIN = (np.ndarray, float, int)


#: Classes whose objects have tensors, and what gives these.
_holders: List[Tuple[type, Callable[[Any], Sequence[Any]]]] = []


def holder(class_: type, tensors: Callable[[Any], Sequence[Any]]) -> None:
    """From now on, `tensors` gives the tensors of a class's objects."""
    _holders.append((class_, tensors))


def are_possible() -> bool:
    """Whether PyTorch is there, so that operands may require gradients."""
    return "torch" in sys.modules


def tensors_of(value: Any) -> Sequence[Any]:
    """The tensors of an operand or an output: itself, a matrix's values, what a dictionary has."""
    torch = sys.modules.get("torch")
    if torch is None or type(value) in _PLAIN:
        return ()
    if isinstance(value, torch.Tensor):
        return (value,)
    if isinstance(value, dict):
        return [item for item in value.values() if isinstance(item, torch.Tensor)]
    return next((tensors(value) for class_, tensors in _holders if isinstance(value, class_)), ())


@functools.lru_cache(maxsize=None)
def _private() -> Any:
    from ..sources import torch_private  # which imports torch
    return torch_private


def is_tracked(tensor: Any) -> bool:
    """Whether PyTorch would differentiate what it computed of a tensor now, backwards or forwards. False of other objects
    than tensors."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(tensor, torch.Tensor):
        return False
    if tensor.requires_grad:
        return bool(torch.is_grad_enabled())
    return bool(_private().is_dual(tensor))


def refuse(value: Any, name: str) -> None:
    """Raises ArgumentError of an operand or an output whose gradient would be lost; `name` is the tensor's."""
    for tensor in tensors_of(value):
        if is_tracked(tensor):
            raise ArgumentError(_LOST.format(name))


def note_written(tensor: Any) -> None:
    """Tells PyTorch that a tensor was written past it, so that it refuses to go back through what it has kept of it."""
    torch = sys.modules["torch"]
    if tensor.is_inference():
        return
    if tensor.layout is not torch.strided:
        tensor = _private().values(tensor if tensor.layout is torch.sparse_coo else tensor.detach())
    increment = getattr(torch.autograd.graph, "increment_version", None)
    if increment is not None:
        increment(tensor)
    else:
        tensor.detach().squeeze_()  # whose versions are counted together


__all__ = ["are_possible", "holder", "is_tracked", "note_written", "refuse", "tensors_of"]
