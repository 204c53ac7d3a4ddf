"""What the parts of an operator ask of it, so that none of them imports the operator that is made of them."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, List, Mapping, Optional, Protocol, Sequence, Set, Tuple

from ..compiler import cache
from ..kernel import Kernel
from ..storage.view import Operand


class Operator(Protocol):
    """A kernel of tensors, through which gradients flow: `operators.Op`, which says what its methods take and give."""

    @property
    def kernel(self) -> Kernel:
        """The kernel, which leaves gradients and copies to the operator."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def copies(self) -> bool:
        """Whether operands that do not fit are converted."""

    @property
    def formats(self) -> Mapping[str, cache.Format]:
        """Of operands that this one, a gradient, reads in another format than the kernel did."""

    @property
    def identity(self) -> str:
        """What tells the operator from all others, in all processes."""

    @property
    def inputs(self) -> List[str]:
        """The operands' names, in order."""

    @property
    def outputs(self) -> List[str]:
        """The results' names, in order."""

    def __call__(self, *operands: Any, sizes: Optional[Mapping[str, int]] = None, **named: Any) -> Any:
        """The results."""

    def computed(self, values: Sequence[Any], sizes: Mapping[str, int]) -> Any:
        """What the kernel computes of operands without batches, none of which is followed."""

    def batches(self, values: Sequence[Any]) -> Set[int]:
        """The sizes of batches among operands."""

    def together(self, values: Sequence[Any], is_batch: Sequence[bool], count: int,
                 sizes: Optional[Mapping[str, int]]) -> Optional[List[Any]]:
        """The results for operands of which some are batches, by one kernel; None where it has to be called for each element."""

    def has_to_be_contiguous(self, k: int, value: Any) -> bool:
        """Whether operand number k lies in a way for which a kernel has no place."""

    def registered(self, values: Sequence[Any]) -> Any:
        """The operator that PyTorch's dispatcher knows, for operands of such kinds and storage."""

    def request(self, values: Sequence[Any]) -> cache.Request:
        """What `spc grad` is asked about."""

    def request_for(self, views: Dict[str, Operand]) -> cache.Request:
        """The same by outlines of operands."""

    def gradient(self, request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...], as_stored: bool = False) -> "Operator":
        """The operator of a vector-Jacobian product, for operands of the storage and types that a request says."""

    def tangent(self, request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...]) -> "Operator":
        """The operator of a Jacobian-vector product, for the same."""
