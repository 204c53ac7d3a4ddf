"""Graphs and layers of PyG, and what comes of a layer with spc.pyg and without."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import warnings

import pytest

torch = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pyg = pytest.importorskip("torch_geometric", reason="PyG is not here: tests/python/today.sh runs these tests")
    from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, RGCNConv, SAGEConv

import scipy.io

import spc.pyg
from spc.pyg import layers, replaced

if not pyg.__version__.startswith(spc.pyg.VERSIONS):
    pytest.skip("a version of PyG that spc.pyg refuses", allow_module_level=True)

QUIET = [pytest.mark.filterwarnings(f"ignore:{text}")
         for text in (".*is deprecated", "Sparse", "Converting sparse tensor", "The .grad attribute")]
FEATURES, OUT = 5, 4
KARATE = pathlib.Path(__file__).resolve().parents[2] / "examples/data/karate.mtx"


@pytest.fixture(autouse=True)
def from_the_first_message(monkeypatch):
    monkeypatch.setitem(spc.pyg.THRESHOLDS, "messages", 0)


@pytest.fixture
def used(monkeypatch):
    """What functions of layers return, by name: True of those that kernels compute."""
    found, computed = [], layers.computed

    def noted(function, *arguments):
        made = computed(function, *arguments)
        found.append((function.__name__, made is not None))
        return made

    monkeypatch.setattr(replaced.layers, "computed", noted)
    return found


def random_graph(senders, takers, edges, seed, loops=False):
    generator = torch.Generator().manual_seed(seed)
    made = torch.stack([torch.randint(0, senders, (edges,), generator=generator),
                        torch.randint(0, takers, (edges,), generator=generator)])
    if loops:
        own = torch.arange(min(senders, takers))
        made = torch.cat([made, torch.stack([own, own])], 1)
    return made, senders, takers


def karate():
    matrix = scipy.io.mmread(KARATE).tocoo()
    return torch.stack([torch.from_numpy(matrix.row), torch.from_numpy(matrix.col)]).long(), 34, 34


def ordered(graph, by):
    edges, senders, takers = graph
    return edges[:, edges[by].sort(stable=True)[1]], senders, takers


#: Edges, and how many nodes send and take in.
GRAPHS = {
    "empty": (torch.empty(2, 0, dtype=torch.long), 4, 4),
    "no node": (torch.empty(2, 0, dtype=torch.long), 0, 0),
    "one node": (torch.empty(2, 0, dtype=torch.long), 1, 1),
    "own loop": (torch.zeros(2, 1, dtype=torch.long), 1, 1),
    "own loops": (torch.arange(6).repeat(2, 1), 6, 6),
    "one edge": (torch.tensor([[2], [5]]), 7, 7),
    "isolated": (torch.tensor([[1, 2, 2], [2, 1, 6]]), 9, 9),
    "repeated": (torch.tensor([[0, 0, 0, 1, 1], [1, 1, 1, 0, 2]]), 3, 3),
    "star": (torch.stack([torch.arange(1, 12), torch.zeros(11, dtype=torch.long)]), 12, 12),
    "star outwards": (torch.stack([torch.zeros(11, dtype=torch.long), torch.arange(1, 12)]), 12, 12),
    "chain": (torch.stack([torch.arange(9), torch.arange(1, 10)]), 10, 10),
    "complete": (torch.cartesian_prod(torch.arange(6), torch.arange(6)).T.contiguous(), 6, 6),
    "random": random_graph(20, 20, 90, 1),
    "with loops": random_graph(15, 15, 60, 2, loops=True),
    "dense repeats": random_graph(4, 4, 80, 3),
    "by target": ordered(random_graph(20, 20, 70, 4), 1),
    "by source": ordered(random_graph(20, 20, 70, 5), 0),
    "bipartite": random_graph(9, 14, 50, 6),
    "bipartite, few": random_graph(30, 3, 40, 7),
    "sparse": random_graph(40, 40, 12, 8),
    "not contiguous": (random_graph(12, 12, 40, 9)[0].T.contiguous().T, 12, 12),
    "karate": karate(),
}

LAYERS = {
    "gcn": lambda: GCNConv(FEATURES, OUT), "gcn as it is": lambda: GCNConv(FEATURES, OUT, normalize=False),
    "gcn mean": lambda: GCNConv(FEATURES, OUT, aggr="mean"), "gcn backwards": lambda: GCNConv(FEATURES, OUT, flow="target_to_source"),
    "gat": lambda: GATConv(FEATURES, OUT, heads=3), "gat, one head": lambda: GATConv(FEATURES, OUT),
    "gat, attributes": lambda: GATConv(FEATURES, OUT, heads=2, edge_dim=3, concat=False),
    "gatv2": lambda: GATv2Conv(FEATURES, OUT, heads=2), "gatv2, attributes": lambda: GATv2Conv(FEATURES, OUT, edge_dim=3),
    "sage": lambda: SAGEConv(FEATURES, OUT), "sage sum": lambda: SAGEConv(FEATURES, OUT, aggr="sum"),
    "sage max": lambda: SAGEConv(FEATURES, OUT, aggr="max"), "sage min": lambda: SAGEConv(FEATURES, OUT, aggr="min"),
    "sage lstm": lambda: SAGEConv(FEATURES, OUT, aggr=["mean", "std"]),
    "rgcn": lambda: RGCNConv(FEATURES, OUT, 3), "rgcn, bases": lambda: RGCNConv(FEATURES, OUT, 3, num_bases=2, aggr="add"),
    "rgcn max": lambda: RGCNConv(FEATURES, OUT, 2, aggr="max"),
}
SQUARE = ("gcn", "rgcn")


def operands(name, graph, dtype=torch.float64):
    """What a layer takes beside the graph, by name, and of these what gradients are by."""
    edges, senders, takers = graph
    generator = torch.Generator().manual_seed(11)

    def made(*shape):
        return torch.rand(shape, generator=generator, dtype=dtype).sub(0.5).requires_grad_()
    x = made(senders, FEATURES)
    by = [x]
    if senders != takers:
        by.append(made(takers, FEATURES))
        x = (x, by[1])
    named = {"x": x, "edge_index": edges}
    if name.startswith("gcn") and name != "gcn":
        named["edge_weight"] = made(edges.shape[1])
        by.append(named["edge_weight"])
        if name != "gcn as it is":
            named["edge_weight"] = named["edge_weight"] + 1.0  # degrees are to be positive
    if "attributes" in name:
        named["edge_attr"] = made(edges.shape[1], 3)
        by.append(named["edge_attr"])
    if name.startswith("rgcn"):
        named["edge_type"] = torch.randint(0, 2, (edges.shape[1],), generator=generator)
    return named, by


def passed(layer, named, by):
    """The output of a layer and its gradients by operands and parameters."""
    torch.manual_seed(3)
    made = layer(**named)
    by = [*by, *layer.parameters()]
    incoming = torch.rand(made.shape, generator=torch.Generator().manual_seed(5), dtype=made.dtype)
    return [made, *torch.autograd.grad(made, by, incoming, allow_unused=True)]


def check(layer, named, by, tolerance=1e-10):
    alone = passed(layer, named, by)
    with spc.pyg.enabled():
        for _ in range(2):  # the second time what the first one has kept
            for one, other in zip(passed(layer, named, by), alone):
                assert (one is None or not one.any()) if other is None else \
                    torch.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
