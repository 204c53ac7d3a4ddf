"""Shapes that callers say."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import operator
from typing import Any, Tuple

from ..errors import ArgumentError, ArgumentTypeError

_MOST_DIMENSIONS = 8  # of a tensor in a kernel


def checked_shape(said: Any) -> Tuple[int, ...]:
    """A shape as a tuple of extents. Raises ArgumentTypeError of what is no list of integers, ArgumentError of extents that are
    negative or that 64 bits do not hold, and of more dimensions than kernels have."""
    try:
        shape = tuple([operator.index(size) for size in said])
    except TypeError:
        raise ArgumentTypeError(f"shape {said!r} is no list of integers") from None
    if len(shape) > _MOST_DIMENSIONS:
        raise ArgumentError(f"shape {shape} has {len(shape)} dimensions, and tensors have {_MOST_DIMENSIONS} at most")
    for dim, size in enumerate(shape):
        if size < 0:
            raise ArgumentError(f"shape {shape}: dimension {dim} cannot have {size} elements")
        if size >= 1 << 63:
            raise ArgumentError(f"shape {shape}: dimension {dim} has more than 2**63 - 1 elements")
    return shape


__all__ = ["checked_shape"]
