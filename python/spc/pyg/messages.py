"""What nodes take in along edges, as functions of tensors through which gradients flow. Imported where torch is.

Each says in operations of PyTorch what it computes, too: gradients of gradients are those of these.
"""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, List, Optional, Protocol, Sequence, Tuple

import torch
from torch.nn.functional import leaky_relu

from . import kernels
from .edges import Edges

Tensors = Sequence[torch.Tensor]
#: Of each edge the node that takes in, and the one that sends.
Ends = Tuple[torch.Tensor, torch.Tensor]
Gradients = List[Optional[torch.Tensor]]


class _Job(Protocol):
    """A function of tensors. Its gradients are wanted by those tensors that `needed` says."""

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        """The result, by kernels."""

    def backward(self, tensors: Tensors, result: torch.Tensor, incoming: torch.Tensor, needed: Sequence[bool]) -> Gradients:
        """The gradients, by kernels."""

    def written(self, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
        """The result in operations of PyTorch."""


class _Function(torch.autograd.Function):
    """A job, with its gradients."""

    @staticmethod
    def forward(ctx: Any, job: _Job, targets: torch.Tensor, sources: torch.Tensor, *tensors: torch.Tensor) -> torch.Tensor:
        result = job.forward(*tensors)
        ctx.job = job
        ctx.save_for_backward(targets, sources, result, *tensors)
        return result

    @staticmethod
    def backward(ctx: Any, *incoming: torch.Tensor) -> Any:
        targets, sources, result, *tensors = ctx.saved_tensors
        needed, job = ctx.needs_input_grad[3:], ctx.job
        if not torch.is_grad_enabled():
            return (None, None, None, *job.backward(tensors, result, incoming[0].contiguous(), needed))
        tensors = [tensor.view_as(tensor) for tensor in tensors]  # one of which another may depend on
        wanted = [tensor for tensor, is_needed in zip(tensors, needed) if is_needed]
        found = iter(torch.autograd.grad(job.written((targets, sources), *tensors), wanted, incoming[0], create_graph=True))
        return (None, None, None, *[next(found) if is_needed else None for is_needed in needed])


def _expanded(index: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return index.view(-1, *[1] * (like.dim() - 1)).expand_as(like)


def _scattered(index: torch.Tensor, rows: torch.Tensor, count: int) -> torch.Tensor:
    return rows.new_zeros(count, *rows.shape[1:]).scatter_add(0, _expanded(index, rows), rows)


class _Sum:
    """x -> the sums, or means, of the neighbours' rows."""

    def __init__(self, edges: Edges, is_mean: bool):
        self.edges, self.is_mean = edges, is_mean

    def _along(self, x: torch.Tensor, is_back: bool) -> torch.Tensor:
        values = self.edges.shares(x.dtype, is_back) if self.is_mean else self.edges.ones(x.dtype)
        made: torch.Tensor = kernels.summed()(self.edges.side(is_back).matrix(values), x)
        return made

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        return self._along(tensors[0], False)

    def backward(self, tensors: Tensors, result: torch.Tensor, incoming: torch.Tensor, needed: Sequence[bool]) -> Gradients:
        return [self._along(incoming, True)]

    def written(self, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
        made = _scattered(ends[0], tensors[0].index_select(0, ends[1]), self.edges.shape[0])
        return made / self.edges.incoming.counts.clamp(min=1)[:, None] if self.is_mean else made


class _Weighted:
    """x, weights -> the sums of the neighbours' rows, (nodes, channels), by weights of (edges,); or of (nodes, heads,
    channels) by those of (edges, heads)."""

    def __init__(self, edges: Edges):
        self.edges = edges

    def _along(self, x: torch.Tensor, weights: torch.Tensor, is_back: bool) -> torch.Tensor:
        kernel = kernels.summed() if x.dim() == 2 else kernels.summed_by_head(x.shape[1], x.shape[2])
        made: torch.Tensor = kernel(self.edges.side(is_back).matrix(self.edges.weights(weights, is_back)), x)
        return made

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        return self._along(tensors[0], tensors[1], False)

    def backward(self, tensors: Tensors, result: torch.Tensor, incoming: torch.Tensor, needed: Sequence[bool]) -> Gradients:
        x, weights = tensors
        return [self._along(incoming, weights, True) if needed[0] else None, self._by_weights(x, incoming) if needed[1] else None]

    def _by_weights(self, x: torch.Tensor, incoming: torch.Tensor) -> torch.Tensor:
        side, shape = self.edges.incoming, (self.edges.count, *x.shape[1:-1])
        ones = self.edges.ones(x.dtype) if x.dim() == 2 else x.new_ones(shape)
        kernel = kernels.sampled() if x.dim() == 2 else kernels.sampled_by_head(x.shape[1], x.shape[2])
        return side.restored(kernel(side.matrix(ones), incoming, x).values.view(shape))

    def written(self, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
        x, weights = tensors
        return _scattered(ends[0], x.index_select(0, ends[1]) * weights.unsqueeze(-1), self.edges.shape[0])


class _Extreme:
    """x -> the greatest, or least, of the neighbours' elements, 0 of nodes without any. Those that are equal share the
    gradient, as PyTorch's scatter_reduce has it, which counts the 0 that it starts from among them."""

    def __init__(self, edges: Edges, is_greatest: bool):
        self.edges, self.is_greatest = edges, is_greatest

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = kernels.extreme(self.is_greatest)(self.edges.pairs.joined(False), tensors[0])
        return made.masked_fill_(self.edges.incoming.counts.eq(0)[:, None], 0)

    def backward(self, tensors: Tensors, result: torch.Tensor, incoming: torch.Tensor, needed: Sequence[bool]) -> Gradients:
        pairs = self.edges.pairs
        counts = kernels.ties()(pairs.joined(False), tensors[0], result) + result.eq(0)
        return [kernels.extreme_back()(pairs.joined(True), tensors[0], result, incoming / counts)]

    def written(self, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
        rows = tensors[0].index_select(0, ends[1])
        return rows.new_zeros(self.edges.shape[0], rows.shape[1]).scatter_reduce(
            0, _expanded(ends[0], rows), rows, "amax" if self.is_greatest else "amin", include_self=False)


def _softmax(index: torch.Tensor, scores: torch.Tensor, count: int) -> torch.Tensor:
    """The softmax over the edges of each node, in operations of PyTorch."""
    places = _expanded(index, scores)
    greatest = scores.new_zeros(count, scores.shape[1]).scatter_reduce(0, places, scores.detach(), "amax", include_self=False)
    parts = (scores - greatest.index_select(0, index)).exp()
    return parts / _scattered(index, parts, count).index_select(0, index)


class _Attention:
    """sources, targets[, own] -> of each edge and head, the softmax of the rectified sum of the scores of the nodes at its ends
    and of its own, over the edges that its target takes in."""

    def __init__(self, edges: Edges, slope: float):
        self.edges, self.slope = edges, slope

    def _scores(self, sources: torch.Tensor, own: Optional[torch.Tensor]) -> torch.Tensor:
        """What the sources and the edges add to scores, in the order of targets."""
        side = self.edges.incoming
        made = sources.index_select(0, side.neighbours)
        return made if own is None else made.add_(side.arranged(own))

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        sources, targets, own = _padded(tensors)
        side, scores = self.edges.incoming, self._scores(sources, own)
        made = kernels.attention(scores.shape[1], self.slope)(side.places(scores), targets)
        return side.restored(made.values.view_as(scores))

    def backward(self, tensors: Tensors, result: torch.Tensor, incoming: torch.Tensor, needed: Sequence[bool]) -> Gradients:
        sources, targets, own = _padded(tensors)
        side, scores = self.edges.incoming, self._scores(sources, own)
        parts = [side.arranged(tensor).reshape(-1) for tensor in (result, incoming)]
        by_edge, by_target = kernels.attention_back(scores.shape[1], self.slope)(side.places(scores), targets, *parts)
        by_edge = by_edge.values.view_as(scores)
        found: Gradients = [kernels.gathered()(side.matrix(by_edge)), by_target]
        return found if own is None else [*found, side.restored(by_edge)]

    def written(self, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
        sources, targets, own = _padded(tensors)
        scores = sources.index_select(0, ends[1]) + targets.index_select(0, ends[0])
        return _softmax(ends[0], leaky_relu(scores if own is None else scores + own, self.slope), self.edges.shape[0])


def _padded(tensors: Tensors) -> Tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor]]:
    return tensors[0], tensors[1], tensors[2] if len(tensors) > 2 else None


class _Softmax:
    """scores -> their softmax, of each head, over the edges that their target takes in."""

    def __init__(self, edges: Edges):
        self.edges = edges

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        side, scores = self.edges.incoming, tensors[0]
        made = kernels.attention(scores.shape[1], 1.0)(side.places(side.arranged(scores)), self._none(scores))
        return side.restored(made.values.view_as(scores))

    def backward(self, tensors: Tensors, result: torch.Tensor, incoming: torch.Tensor, needed: Sequence[bool]) -> Gradients:
        side, scores = self.edges.incoming, tensors[0]
        places, parts = side.places(side.arranged(scores)), [side.arranged(tensor).reshape(-1) for tensor in (result, incoming)]
        made = kernels.attention_back(scores.shape[1], 1.0)(places, self._none(scores), *parts)[0]
        return [side.restored(made.values.view_as(scores))]

    def _none(self, scores: torch.Tensor) -> torch.Tensor:
        return scores.new_zeros(self.edges.shape[0], scores.shape[1])

    def written(self, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
        return _softmax(ends[0], tensors[0], self.edges.shape[0])


class _Scores:
    """sources, targets, weights -> of each edge and head, the product of the weights, (heads, channels), and the rectified sum
    of the rows, (nodes, heads, channels), of the nodes at its ends."""

    def __init__(self, edges: Edges, slope: float):
        self.edges, self.slope = edges, slope

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        heads, channels = tensors[2].shape
        pairs = self.edges.pairs
        ones = tensors[0].new_ones(pairs.edges.count, heads)
        made = kernels.scores(heads, channels, self.slope)(pairs.edges.incoming.pairs(ones), *tensors)
        return pairs.spread(made.values.view_as(ones))

    def backward(self, tensors: Tensors, result: torch.Tensor, incoming: torch.Tensor, needed: Sequence[bool]) -> Gradients:
        sources, targets, weights = tensors
        sizes, pairs = (*weights.shape, self.slope), self.edges.pairs
        added = pairs.added(incoming)
        by_side = [side.pairs(side.arranged(added)) for side in (pairs.edges.incoming, pairs.edges.outgoing)]
        by_target, by_weights = kernels.scores_back(*sizes)(by_side[0], sources, targets, weights)
        return [kernels.scores_back_to_sources(*sizes)(by_side[1], targets, sources, weights), by_target, by_weights]

    def written(self, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
        sources, targets, weights = tensors
        rows = leaky_relu(sources.index_select(0, ends[1]) + targets.index_select(0, ends[0]), self.slope)
        return (rows * weights).sum(-1)


def _applied(job: _Job, ends: Ends, *tensors: torch.Tensor) -> torch.Tensor:
    made: torch.Tensor = _Function.apply(job, *ends, *tensors)
    return made


def summed(edges: Edges, ends: Ends, x: torch.Tensor, is_mean: bool = False) -> torch.Tensor:
    """The sums, or means, of the rows of x, (nodes, channels), of those from whom each node takes in. ends: of the edges,
    the nodes that take in and those that send, of which `edges` is."""
    return _applied(_Sum(edges, is_mean), ends, x)


def weighted(edges: Edges, ends: Ends, x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The same sums by the edges' weights: of (nodes, channels) by (edges,), or of (nodes, heads, channels) by (edges,
    heads)."""
    return _applied(_Weighted(edges), ends, x, weights)


def extreme(edges: Edges, ends: Ends, x: torch.Tensor, is_greatest: bool) -> torch.Tensor:
    """The greatest, or least, elements of those rows, 0 of nodes that take in nothing."""
    return _applied(_Extreme(edges, is_greatest), ends, x)


def attention(edges: Edges, ends: Ends, sources: torch.Tensor, targets: torch.Tensor, own: Optional[torch.Tensor],
              slope: float) -> torch.Tensor:
    """Of each edge and head, the softmax, over the edges that its target takes in, of the rectified sum of the source's score,
    the target's, (nodes, heads), and its own, (edges, heads). slope: of the rectifier, from 0 to 1."""
    return _applied(_Attention(edges, slope), ends, sources, targets, *([] if own is None else [own]))


def scores(edges: Edges, ends: Ends, sources: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor,
           slope: float) -> torch.Tensor:
    """Of each edge and head, the product of the weights, (heads, channels), and of the rectified sum of the source's and the
    target's rows, (nodes, heads, channels)."""
    return _applied(_Scores(edges, slope), ends, sources, targets, weights)


def softmax(edges: Edges, ends: Ends, scores: torch.Tensor) -> torch.Tensor:
    """Of scores, (edges, heads), the softmax of each head over the edges that their target takes in."""
    return _applied(_Softmax(edges), ends, scores)
