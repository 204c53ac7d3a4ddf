"""The edges of a graph, in the order of the nodes that they go to and of those that they come from. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import functools
import weakref
from typing import Any, Dict, Optional, Tuple

import numpy as np
import torch

from ..sources import torch_private
from ..sources.named import storage_of
from ..storage.dtypes import Array
from ..storage.view import View
from ..torch import Matrix

_INDEX = {"pointers": "i32", "indices": "i32"}
#: Of each node its edges, by the nodes at their other ends, in any order and more than once.
NEIGHBOURS: Dict[str, Any] = {
    "name": "neighbours", "dims": ["i", "j"], "index": _INDEX,
    "levels": [{"dim": "i", "storage": "dense"},
               {"dim": "j", "storage": "compressed", "extent": "ragged", "unique": False, "ordered": False}]}
#: The same with a number for each of some heads.
HEADS: Dict[str, Any] = {**NEIGHBOURS, "name": "heads", "dims": ["i", "j", "h"],
                         "levels": [*NEIGHBOURS["levels"], {"dim": "h", "storage": "dense"}]}
#: The same of places that come in order, each once: what is not linear wants whole entries.
PLACES: Dict[str, Any] = {**HEADS, "name": "places", "levels": [
    {"dim": "i", "storage": "dense"}, {"dim": "j", "storage": "compressed", "extent": "ragged"}, {"dim": "h", "storage": "dense"}]}

_MOST = 2 ** 31   # nodes and edges that indices of 32 bits count
_SHORT = 2 ** 16  # nodes whose numbers NumPy sorts by counting


class Side:
    """The edges in the order of one of their ends.

    order: which edges those are, None where they come in this order. pointers: where those of each node begin. others: the
    nodes at the other ends. Each is of 32 bits.
    """

    def __init__(self, ends: Array, others: Array, shape: Tuple[int, int]):
        """ends, others: of each edge. shape: how many nodes there are on this side, and on the other."""
        self.shape = shape
        self.order: Optional[torch.Tensor] = None
        if bool((ends[1:] < ends[:-1]).any()):
            order = ends.astype(np.uint16).argsort(kind="stable") if shape[0] <= _SHORT else \
                torch.from_numpy(ends).sort(stable=True)[1].numpy()
            others = others[order]
            self.order = torch.from_numpy(order.astype(np.int32))
        self.pointers = np.zeros(shape[0] + 1, np.int32)
        np.cumsum(np.bincount(ends, minlength=shape[0]), out=self.pointers[1:])
        self.others = others.astype(np.int32)
        self._back: Optional[torch.Tensor] = None
        self._patterns: Dict[Tuple[str, bool, int], View] = {}

    @property
    def counts(self) -> torch.Tensor:
        """How many edges each node has."""
        return torch.from_numpy(np.diff(self.pointers))

    @functools.cached_property
    def neighbours(self) -> torch.Tensor:
        """The nodes at the other ends, as a tensor."""
        return torch.from_numpy(self.others)

    def arranged(self, values: torch.Tensor) -> torch.Tensor:
        """Rows that belong to edges, in this order."""
        return values.contiguous() if self.order is None else values.index_select(0, self.order)

    def restored(self, values: torch.Tensor) -> torch.Tensor:
        """Rows in this order, in that of the edges."""
        if self.order is None:
            return values
        if self._back is None:
            self._back = torch.empty_like(self.order)
            self._back[self.order.long()] = torch.arange(len(self.others), dtype=torch.int32)
        return values.index_select(0, self._back)

    def matrix(self, values: torch.Tensor) -> Matrix:
        """The matrix of values in this order, one for each edge or some for each: `NEIGHBOURS` or `HEADS`."""
        form = NEIGHBOURS if values.dim() == 1 else HEADS
        return self._matrix(form, self.others, self.shape[1], values)

    def places(self, values: torch.Tensor) -> Matrix:
        """The matrix of some values for each edge in this order, by the edges' places in it: `PLACES`."""
        return self._matrix(PLACES, self._numbers, len(self.others), values)

    def pairs(self, values: torch.Tensor) -> Matrix:
        """The matrix of some values for each edge in this order, of which each pair of nodes has one at most: `PLACES`, of
        which a node at the other end is the place."""
        return self._matrix(PLACES, self.others, self.shape[1], values)

    @functools.cached_property
    def _numbers(self) -> Array:
        return np.arange(len(self.others), dtype=np.int32)

    def _matrix(self, form: Dict[str, Any], indices: Array, columns: int, values: torch.Tensor) -> Matrix:
        key = form["name"], indices is self.others, values[0].numel()
        if (pattern := self._patterns.get(key)) is None:
            shape = (self.shape[0], columns, *values.shape[1:])
            arrays = {("pointers", 1): self.pointers, ("indices", 1): indices,
                      ("values", 0): np.broadcast_to(np.zeros((), np.float32), values.numel())}
            pattern = self._patterns[key] = View(
                shape, "f32", storage_of(form, len(shape)), arrays, "spc.torch", None, pointers="i32", indices="i32",
                stored=values.numel(), numbers={("count", 1): len(indices)}, witness=(self.pointers, indices))
        return Matrix(values.reshape(-1), pattern)


class Edges:
    """The structure of a graph: edges j -> i, at which the i take in what comes from the j. It keeps copies alone, of 4 bytes
    an edge for each of the tables that are wanted, and makes those when they are."""

    def __init__(self, targets: Array, sources: Array, shape: Tuple[int, int]):
        """targets, sources: of each edge, within shape: how many nodes take in, and how many send."""
        self.shape, self.count = shape, len(targets)
        self.incoming = Side(targets, sources, shape)
        self._outgoing: Optional[Side] = None
        self._constants: Dict[Any, torch.Tensor] = {}
        #: Weights that do not change, and what they are by side.
        self._weights: Optional[Tuple[Any, int, Dict[bool, torch.Tensor]]] = None

    @classmethod
    def of(cls, targets: torch.Tensor, sources: torch.Tensor, shape: Tuple[int, int]) -> "Optional[Edges]":
        """The structure; None where a number of a node is outside of the shape, or there are too many for 32 bits."""
        if max(len(targets), *shape) >= _MOST or not len(targets):
            return None
        ends = [tensor.detach().numpy().astype(np.int64, copy=False) for tensor in (targets, sources)]
        if any(end.min() < 0 or end.max() >= size for end, size in zip(ends, shape)):
            return None
        return cls(ends[0], ends[1], shape)

    @property
    def outgoing(self) -> Side:
        """The edges in the order of the nodes that they come from, which gradients go along."""
        if self._outgoing is None:
            targets = np.repeat(np.arange(self.shape[0]), np.diff(self.incoming.pointers))
            sources = self.incoming.others
            if self.incoming.order is not None:  # those of edges as they came
                back = self.incoming.order.numpy()
                targets, sources = _placed(targets, back), _placed(sources, back)
            self._outgoing = Side(sources.astype(np.int64), targets, (self.shape[1], self.shape[0]))
        return self._outgoing

    def side(self, is_outgoing: bool) -> Side:
        """The edges by the nodes that take in, or by those that they come from."""
        return self.outgoing if is_outgoing else self.incoming

    def ones(self, dtype: torch.dtype) -> torch.Tensor:
        """A 1 for each edge."""
        return self._kept(("ones", dtype), lambda: torch.ones(self.count, dtype=dtype))

    def shares(self, dtype: torch.dtype, is_outgoing: bool) -> torch.Tensor:
        """For each edge one over the number of those that end where it does, in the order of a side."""
        def made() -> torch.Tensor:
            counts = self.incoming.counts
            if is_outgoing:
                return counts.to(dtype).reciprocal().index_select(0, self.outgoing.neighbours)
            return counts.to(dtype).reciprocal().repeat_interleave(counts.long())
        return self._kept(("shares", dtype, is_outgoing), made)

    def weights(self, values: torch.Tensor, is_outgoing: bool) -> torch.Tensor:
        """Values of the edges in the order of a side, which are kept where they are those of the last time."""
        side = self.side(is_outgoing)
        if values.requires_grad or values.dim() > 1 or values.is_inference() or side.order is None:
            return side.arranged(values)
        known, version = self._weights and self._weights[0](), torch_private.version(values)
        if self._weights is None or known is not values or self._weights[1] != version:
            self._weights = weakref.ref(values), version, {}
        kept = self._weights[2]
        if is_outgoing not in kept:
            kept[is_outgoing] = side.arranged(values)
        return kept[is_outgoing]

    def _kept(self, key: Any, make: Any) -> torch.Tensor:
        if key not in self._constants:
            self._constants[key] = make()
        return self._constants[key]

    @functools.cached_property
    def pairs(self) -> "Pairs":
        """The pairs of nodes that edges join, each once."""
        return Pairs(self)


class Pairs:
    """The pairs of nodes that edges join, each once: for what is not linear, and the same for all edges of a pair."""

    def __init__(self, edges: Edges):
        side, columns = edges.incoming, np.int64(edges.shape[1])
        targets = np.repeat(np.arange(edges.shape[0]), np.diff(side.pointers))
        found, of_edge, counts = np.unique(targets * columns + side.others, return_inverse=True, return_counts=True)
        self.edges = Edges(*np.divmod(found, columns), edges.shape)
        self._of_edge = side.restored(torch.from_numpy(of_edge))
        self._counts = torch.from_numpy(counts)
        self._joined: Dict[bool, Matrix] = {}

    def joined(self, is_outgoing: bool) -> Matrix:
        """How many edges each pair has, in CSR, by the nodes of a side."""
        if is_outgoing not in self._joined:
            self._joined[is_outgoing] = self._join(self.edges.side(is_outgoing))
        return self._joined[is_outgoing]

    def _join(self, side: Side) -> Matrix:
        return Matrix.of({"format": "CSR", "shape": side.shape, "pointers_to_1": side.pointers, "indices_1": side.others,
                          "values": side.arranged(self._counts).to(torch.float32)}, validate="never", share=True)

    def spread(self, values: torch.Tensor) -> torch.Tensor:
        """What edges have of rows that belong to pairs."""
        return values.index_select(0, self._of_edge)

    def added(self, values: torch.Tensor) -> torch.Tensor:
        """What pairs have of rows that belong to edges: their sums."""
        made = values.new_zeros(self.edges.count, *values.shape[1:])
        return made.index_copy_(0, self._of_edge, values) if self.edges.count == len(values) else \
            made.index_add_(0, self._of_edge, values)


def _placed(values: Array, order: Array) -> Array:
    made = np.empty_like(values)
    made[order] = values
    return made

