"""What ranks exchange of PyTorch's tensors, with gradients: those of rows go back to the ranks that have them, where they add
up, and those of what all ranks have are the sums of all."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, Mapping, Tuple

import scipy.sparse as sp
import torch

from ..errors import ArgumentError
from ..storage.division import Part
from ..torch import Matrix
from .halo import Halo
from .team import Team


class Rows(torch.autograd.Function):
    """The rows of a dense operand that a rank needs."""

    @staticmethod
    def forward(context: Any, block: torch.Tensor, halo: Halo) -> torch.Tensor:
        context.halo = halo
        return torch.from_numpy(halo.start(block.detach().contiguous().numpy())()).clone()

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Tuple[Any, ...]:
        return torch.from_numpy(context.halo.send_back(gradient.contiguous().numpy(), "sum", 0)), None


class Whole(torch.autograd.Function):
    """What all ranks have alike."""

    @staticmethod
    def forward(context: Any, value: torch.Tensor, team: Team) -> torch.Tensor:
        context.team = team
        return value.view_as(value)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Tuple[Any, ...]:
        return torch.from_numpy(context.team.reduce(gradient.contiguous().numpy(), "sum")), None


class Sum(torch.autograd.Function):
    """The sum of the shares of all ranks, of which all of them compute the same."""

    @staticmethod
    def forward(context: Any, share: torch.Tensor, team: Team) -> torch.Tensor:
        return torch.from_numpy(team.reduce(share.detach().contiguous().numpy(), "sum"))

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Tuple[Any, ...]:
        return gradient, None


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def with_matrices(operands: Mapping[str, Any]) -> Dict[str, Any]:
    """Operands as operators take them."""
    return {name: Matrix.of(value) if sp.issparse(value) else value for name, value in operands.items()}


def rows(block: torch.Tensor, dim: int, halo: Halo, numbers: Mapping[int, Any]) -> torch.Tensor:
    """The rows that are needed, and of other dimensions the coordinates that are listed."""
    found = Rows.apply(block.movedim(dim, 0), halo).movedim(0, dim)
    for at, need in numbers.items():
        found = found.index_select(at, torch.from_numpy(need))
    return found


def whole(value: Any, team: Team) -> Any:
    return Whole.apply(value, team) if is_tensor(value) and value.requires_grad else value


def reduced(share: Any, name: str, part: Part, lists: Mapping[int, Any], team: Team) -> torch.Tensor:
    """Raises ArgumentError of results that are no sums of whole shares."""
    if lists or part.role != "sum" or not is_tensor(share):
        raise ArgumentError(f"{name} is a {part.role} of which a rank has some rows, or no dense sum: it has no gradient over ranks. "
                            "Divide by another index")
    return Sum.apply(share, team)
