"""Kernels in pieces between which processes exchange what they have made (docs/beyond-one-machine.md)."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple


@dataclass(frozen=True, eq=False)
class Piece:
    """One of several kernels that run one after the other, each divided by an index of its own."""

    kernel: Any                 # a Kernel
    index: Optional[str]        # that is divided; None where every part computes the same
    copies: Mapping[str, str]   # operands that have the data of another tensor: that one's name
    made: Tuple[str, ...]       # results that later pieces read, and that the whole kernel does not return
