"""Operands of operators within torch.autocast, in the type that the operator is to read there. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import weakref
from typing import Any, Dict, Tuple

import torch

from ..sources import torch_private
from ..storage.view import View
from .matrix import Matrix

#: Of structures, by type: the values that were converted, how often they had been written, and what they became.
_kept: "weakref.WeakKeyDictionary[View, Dict[torch.dtype, Tuple[torch.Tensor, int, torch.Tensor]]]" = weakref.WeakKeyDictionary()


def cast(value: Any, dtype: torch.dtype) -> Any:
    """An operand in a type, as PyTorch's autocast converts: floats but for float64. Gradients go through; values of matrices of
    which none is wanted are converted once, and again where torch has written to them."""
    if isinstance(value, Matrix):
        values = value.values
        return value.with_values(_once(values, value.pattern, dtype)) if _is_cast(values, dtype) else value
    return value.to(dtype) if isinstance(value, torch.Tensor) and _is_cast(value, dtype) else value


def _is_cast(tensor: torch.Tensor, dtype: torch.dtype) -> bool:
    return tensor.is_floating_point() and tensor.dtype not in (torch.float64, dtype)


def _once(values: torch.Tensor, pattern: View, dtype: torch.dtype) -> torch.Tensor:
    if torch_private.is_compiling() or values.requires_grad or torch_private.is_dual(values) or \
            not torch_private.has_memory(values) or values.is_inference() or torch.is_inference_mode_enabled():
        return values.to(dtype)
    kept = _kept.setdefault(pattern, {})
    if dtype in kept:
        known, version, made = kept[dtype]
        if known.data_ptr() == values.data_ptr() and known.shape == values.shape and known.stride() == values.stride() and \
                known.dtype is values.dtype and version == torch_private.version(values):
            return made
    kept[dtype] = values, torch_private.version(values), values.to(dtype)
    return kept[dtype][2]
