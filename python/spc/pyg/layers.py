"""What layers of PyG compute by kernels: each function returns None where PyG's own code is to run. Imported where PyG is."""
# SPDX-License-Identifier: Apache-2.0

import math
from typing import Any, Callable, Dict, Optional, Tuple

import torch
from torch.nn.functional import dropout
from torch_geometric import EdgeIndex
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, RGCNConv, SAGEConv, aggr

from ..sources import torch_private
from . import kept, messages
from .edges import Edges
from .limits import THRESHOLDS

_TYPES = (torch.float32, torch.float64)
_REDUCTIONS = {aggr.SumAggregation: "sum", aggr.MeanAggregation: "mean", aggr.MaxAggregation: "max", aggr.MinAggregation: "min"}
_SPARSE = (torch.sparse_csr, torch.sparse_csc, torch.sparse_coo)

#: The structure of a graph, the nodes at the ends of its edges, and the values of a sparse matrix, None of other graphs.
Graph = Tuple[Edges, messages.Ends, Optional[torch.Tensor]]
Sizes = Tuple[int, int]


def _is_plain(tensor: Any, *dims: int) -> bool:
    """Whether a tensor is dense, of floats that kernels know, in the host's memory and of as many dimensions."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout is torch.strided and tensor.is_cpu and \
        tensor.dtype in _TYPES and tensor.dim() in dims and torch_private.has_storage(tensor)


def _graph(conv: Any, adjacency: Any, sizes: Sizes) -> Optional[Graph]:
    """The graph of what PyG takes as one. sizes: how many nodes take in, and how many send."""
    tensor = adjacency.as_tensor() if type(adjacency) is EdgeIndex else adjacency
    if type(tensor) is not torch.Tensor or not tensor.is_cpu or tensor.requires_grad or (version := kept.version_of(tensor)) is None:
        return None
    if tensor.layout in _SPARSE:
        is_known = conv.flow == "source_to_target" and (conv.fuse or tensor.layout is not torch.sparse_csc)
        return _of_sparse(tensor, version, sizes) if is_known else None
    if tensor.layout is not torch.strided or tensor.dtype is not torch.int64 or tensor.dim() != 2 or tensor.shape[0] != 2:
        return None
    ends: messages.Ends = (tensor[1], tensor[0]) if conv.flow == "source_to_target" else (tensor[0], tensor[1])
    known, key = kept.of(tensor, version), (Edges, conv.flow, sizes)
    held = known.get(key) or kept.put(known, key, (Edges.of(ends[0], ends[1], sizes),))
    return None if held[0] is None else (held[0], ends, None)


def _of_sparse(matrix: Any, version: Any, sizes: Sizes) -> Optional[Graph]:
    """The graph of a sparse matrix of torch's, whose rows take in."""
    if tuple(matrix.shape) != sizes:
        return None
    known = kept.of(matrix, version)
    held = known.get(Edges)
    if held is None:
        ends: messages.Ends
        if matrix.layout is torch.sparse_coo:
            places = torch_private.coordinates(matrix).clone()
            ends = places[0], places[1]
        elif matrix.layout is torch.sparse_csr:
            ends = _counted(matrix.crow_indices()), matrix.col_indices().clone()
        else:
            ends = matrix.row_indices().clone(), _counted(matrix.ccol_indices())
        held = kept.put(known, Edges, (Edges.of(ends[0], ends[1], sizes), ends))
    return None if held[0] is None else (held[0], held[1], torch_private.values(matrix))


def _counted(pointers: torch.Tensor) -> torch.Tensor:
    return torch.arange(len(pointers) - 1).repeat_interleave(pointers.diff())


def _pair(conv: Any, x: Any) -> Optional[Tuple[Any, Any]]:
    """What the nodes that send and those that take in have; None where PyG's own functions do not agree about which is which."""
    if not isinstance(x, (tuple, list)):
        return x, x
    return (x[0], x[1]) if conv.flow == "source_to_target" or x[0] is x[1] else None


def _sizes(adjacency: Any, senders: Any, takers: Any, size: Any) -> Optional[Sizes]:
    """How many nodes take in, and how many send; None where PyG is to say what is wrong. senders, takers: what they have, the
    latter None where nobody says."""
    if type(adjacency) is EdgeIndex:
        said = adjacency.num_rows, adjacency.num_cols
    elif isinstance(adjacency, torch.Tensor) and adjacency.layout in _SPARSE:
        said = adjacency.shape[1], adjacency.shape[0]
    else:
        said = size if size is not None else (None, None)
    found = len(senders), len(takers) if takers is not None else said[1] if said[1] is not None else len(senders)
    if any(one is not None and one != other for one, other in zip(said, found)):
        return None
    return found[1], found[0]


def _is_worth(count: int, x: torch.Tensor) -> bool:
    return bool(count * math.prod(x.shape[1:]) >= THRESHOLDS["messages"])


def _count(adjacency: Any) -> int:
    """How many edges a graph has."""
    if adjacency.layout in _SPARSE:
        return int(torch_private.values(adjacency).shape[0])
    return int(adjacency.shape[-1])


def _aggregated(conv: Any, adjacency: Any, x: Any, weights: Optional[torch.Tensor], size: Any) -> Optional[torch.Tensor]:
    """The aggregation of the messages weights * x_j, or x_j."""
    how = _REDUCTIONS.get(type(conv.aggr_module))
    pair = _pair(conv, x)
    if how is None or pair is None or not isinstance(adjacency, torch.Tensor) or not _is_plain(pair[0], 2, 3):
        return None
    x, takers = pair
    if not _is_worth(_count(adjacency), x) or (sizes := _sizes(adjacency, x, takers, size)) is None:
        return None
    if (graph := _graph(conv, adjacency, sizes)) is None:
        return None
    edges, ends, values = graph
    if values is not None and conv.fuse:  # message_and_aggregate, of the matrix's own weights
        weights = values
    elif values is not None and weights is None:
        return None
    if weights is None:
        if x.dim() != 2:
            return None
        return messages.extreme(edges, ends, x, how == "max") if how in ("max", "min") else \
            messages.summed(edges, ends, x, how == "mean")
    if how in ("max", "min") or not _is_plain(weights, 1, 2) or weights.dtype is not x.dtype or len(weights) != edges.count:
        return None
    return _weighted(edges, ends, x, weights, how == "mean")


def _weighted(edges: Edges, ends: messages.Ends, x: torch.Tensor, weights: torch.Tensor, is_mean: bool) -> Optional[torch.Tensor]:
    """Weighted sums, or what is left of them by the numbers of edges, in the shape that x has but for the nodes."""
    if x.dim() == 2:
        if weights.dim() == 2 and weights.shape[1] != 1:
            return None
        made = messages.weighted(edges, ends, x, weights if weights.dim() == 1 else weights[:, 0])
    elif weights.dim() != 2 or weights.shape[1] != x.shape[1]:
        return None
    elif x.shape[1] == 1:
        made = messages.weighted(edges, ends, x[:, 0], weights[:, 0])[:, None]
    else:
        made = messages.weighted(edges, ends, x, weights)
    if is_mean:
        made = made / edges.incoming.counts.clamp(min=1).view(-1, *[1] * (made.dim() - 1))
    return made


def gcn(conv: Any, adjacency: Any, x: Any, edge_weight: Any, size: Any = None) -> Optional[torch.Tensor]:
    """GCNConv's propagate."""
    return _aggregated(conv, adjacency, x, edge_weight, size) if _is_plain(x, 2) else None


def sage(conv: Any, adjacency: Any, x: Any, size: Any = None) -> Optional[torch.Tensor]:
    """SAGEConv's propagate."""
    return _aggregated(conv, adjacency, x, None, size)


def rgcn(conv: Any, adjacency: Any, x: Any, edge_type_ptr: Any, size: Any = None) -> Optional[torch.Tensor]:
    """RGCNConv's propagate, of one relation."""
    return None if edge_type_ptr is not None or size is None else _aggregated(conv, adjacency, (x, range(size[1])), None, size)


def attended(conv: Any, adjacency: Any, x: Any, alpha: Any, size: Any = None) -> Optional[torch.Tensor]:
    """GATConv's and GATv2Conv's propagate, of the weights that attention gives."""
    return None if alpha is None else _aggregated(conv, adjacency, x, alpha, size)


def gat_attention(conv: Any, adjacency: Any, alpha: Any, edge_attr: Any, size: Any = None) -> Optional[torch.Tensor]:
    """GATConv's edge_updater: attention by the sum of two scores and, where edges have attributes, of theirs."""
    pair = _pair(conv, alpha)
    if pair is None or not 0 <= conv.negative_slope <= 1 or not isinstance(adjacency, torch.Tensor) or not _is_plain(pair[0], 2):
        return None
    sources, targets = pair
    count = _count(adjacency)
    if count * sources.shape[1] * conv.out_channels < THRESHOLDS["messages"]:
        return None
    if targets is not None and (not _is_plain(targets, 2) or targets.dtype is not sources.dtype):
        return None
    sizes = _sizes(adjacency, sources, targets, size)
    has_own = edge_attr is not None and conv.lin_edge is not None
    if sizes is None or has_own and (not _is_plain(edge_attr, 1, 2) or len(edge_attr) != count or not _fits(conv, edge_attr, sources)):
        return None
    graph = _graph(conv, adjacency, sizes)
    if graph is None or graph[2] is not None and graph[2].dim() > 1:  # values that PyG takes for attributes
        return None
    own = _own_scores(conv, edge_attr) if has_own else None
    targets = sources.new_zeros(sizes[0], sources.shape[1]) if targets is None else targets
    made = messages.attention(*graph[:2], sources, targets, own, float(conv.negative_slope))
    return dropout(made, conv.dropout, conv.training)


def _fits(conv: Any, edge_attr: torch.Tensor, sources: torch.Tensor) -> bool:
    """Whether what attributes add to scores has the scores' type."""
    return edge_attr.dtype is conv.att_edge.dtype is conv.lin_edge.weight.dtype is sources.dtype and \
        not torch.is_autocast_enabled("cpu")


def _own_scores(conv: Any, edge_attr: torch.Tensor) -> torch.Tensor:
    """What attributes add to the scores of edges, as GATConv computes it."""
    rows = conv.lin_edge(edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr)
    made: torch.Tensor = (rows.view(-1, conv.heads, conv.out_channels) * conv.att_edge).sum(dim=-1)
    return made


def gatv2_attention(conv: Any, adjacency: Any, x: Any, edge_attr: Any, size: Any = None) -> Optional[torch.Tensor]:
    """GATv2Conv's edge_updater, where edges have no attributes."""
    pair = _pair(conv, x)
    if pair is None or edge_attr is not None or not 0 <= conv.negative_slope <= 1 or not isinstance(adjacency, torch.Tensor):
        return None
    sources, targets = pair
    if not _is_plain(sources, 3) or not _is_plain(targets, 3) or targets.dtype is not sources.dtype or \
            conv.att.dtype is not sources.dtype or not _is_worth(_count(adjacency), sources):
        return None
    if (sizes := _sizes(adjacency, sources, targets, size)) is None or (graph := _graph(conv, adjacency, sizes)) is None:
        return None
    edges, ends, values = graph
    if values is not None and values.dim() > 1:
        return None
    scores = messages.scores(edges, ends, sources, targets, conv.att[0], float(conv.negative_slope))
    return dropout(messages.softmax(edges, ends, scores), conv.dropout, conv.training)


#: Of each class what stands in for its propagate, and for its edge_updater.
LAYERS: Dict[Any, Tuple[Callable[..., Any], Optional[Callable[..., Any]]]] = {
    GCNConv: (gcn, None), SAGEConv: (sage, None), RGCNConv: (rgcn, None),
    GATConv: (attended, gat_attention), GATv2Conv: (attended, gatv2_attention)}

_METHODS = ("message", "aggregate", "update", "message_and_aggregate", "edge_update")
_HOOKS = [f"_{what}_forward_{when}" for what in ("propagate", "message", "aggregate", "message_and_aggregate", "edge_update")
          for when in ("pre_hooks", "hooks")]
#: The methods that the functions above stand for.
_OWN = {layer: [getattr(layer, name) for name in _METHODS] for layer in LAYERS}


def is_as_known(conv: Any) -> bool:
    """Whether a layer is of a class that is known, none of whose methods are changed, and nobody looks at its messages: no hook,
    no explainer."""
    own = _OWN.get(type(conv))
    if own is None or conv.explain or conv.decomposed_layers != 1 or torch_private.is_watched() or \
            torch_private.is_forward():
        return False
    if any(name in conv.__dict__ for name in _METHODS) or any(conv.__dict__[hooks] for hooks in _HOOKS):
        return False
    if any(getattr(type(conv), name) is not method for name, method in zip(_METHODS, own)):
        return False
    return not (torch_private.has_hooks(conv.aggr_module) if conv.aggr_module is not None else False)


def computed(function: Callable[..., Any], conv: Any, adjacency: Any, arguments: Any, named: Any) -> Any:
    """What a function above returns; None where the layer is not as it is known, or arguments come without their names."""
    if arguments or not is_as_known(conv):
        return None
    return function(conv, adjacency, **named)
