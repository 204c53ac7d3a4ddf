"""PyG's layers with spc.pyg and without: outputs and gradients over graphs, and when PyG's own code is to run."""
# SPDX-License-Identifier: Apache-2.0

import copy
import gc
import pathlib
import pickle
import threading
import warnings
import weakref

import pytest

torch = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pyg = pytest.importorskip("torch_geometric", reason="PyG is not here: tests/python/today.sh runs these tests")
    from torch_geometric import EdgeIndex
    from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, RGCNConv, SAGEConv, aggr

import scipy.io

import spc.pyg
from spc.pyg import layers

if not pyg.__version__.startswith(spc.pyg.VERSIONS):
    pytest.skip("a version of PyG that spc.pyg refuses", allow_module_level=True)

pytestmark = [pytest.mark.filterwarnings("ignore:.*is deprecated"), pytest.mark.filterwarnings("ignore:Sparse"),
              pytest.mark.filterwarnings("ignore:Converting sparse tensor"),
              pytest.mark.filterwarnings("ignore:The .grad attribute")]

FEATURES, OUT = 5, 4
KARATE = pathlib.Path(__file__).resolve().parents[2] / "examples/data/karate.mtx"


@pytest.fixture(autouse=True)
def from_the_first_message(monkeypatch):
    monkeypatch.setitem(spc.pyg.THRESHOLDS, "messages", 0)


@pytest.fixture
def used(monkeypatch):
    """What functions of layers return, by name: True of those that kernels compute."""
    found, computed = [], layers.computed
    from spc.pyg import replaced

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


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", LAYERS)
def test_outputs_and_gradients_are_pygs(name, graph):
    senders, takers = GRAPHS[graph][1:]
    if senders != takers and name.startswith(SQUARE):
        pytest.skip("the layer is of one set of nodes")
    torch.manual_seed(1)
    layer = LAYERS[name]().double()
    if senders != takers and name.startswith("gat"):
        layer.add_self_loops = False
    check(layer, *operands(name, GRAPHS[graph]))


@pytest.mark.parametrize("name", LAYERS)
def test_kernels_compute_what_is_said_to_be(name, used):
    layer = LAYERS[name]().double()
    named, by = operands(name, GRAPHS["random"])
    if name.startswith("rgcn"):
        named["edge_type"][:layer.num_relations] = torch.arange(layer.num_relations)  # none is without edges
    with spc.pyg.enabled():
        passed(layer, named, by)
    own = {"sage lstm": "sage"}.get(name), {"gatv2, attributes": "gatv2_attention"}.get(name)
    assert used and all(is_made == (function not in own) for function, is_made in used)


@pytest.mark.parametrize("name", ("gcn", "gat", "gatv2", "sage", "rgcn"))
def test_single_precision(name):
    check(LAYERS[name](), *operands(name, GRAPHS["random"], torch.float32), tolerance=1e-5)


@pytest.mark.parametrize("layout", ("csr", "csc", "coo"))
@pytest.mark.parametrize("name", ("gcn as it is", "gcn", "sage", "sage sum", "gat", "gatv2"))
def test_sparse_tensors(name, layout, used):
    edges, count, _ = GRAPHS["random"]
    values = torch.rand(edges.shape[1], dtype=torch.float64)
    matrix = torch.sparse_coo_tensor(edges.flip(0), values, (count, count)).coalesce()
    matrix = matrix if layout == "coo" else getattr(matrix, f"to_sparse_{layout}")()
    layer = LAYERS[name]().double()
    if name.startswith("gat"):
        layer.add_self_loops = False
    named, by = operands("sage", GRAPHS["random"])
    named["edge_index"] = matrix
    try:
        passed(layer, named, by)
    except (NotImplementedError, ValueError, RuntimeError) as error:
        with spc.pyg.enabled(), pytest.raises(type(error)):
            passed(layer, named, by)
        return
    check(layer, named, by)
    assert any(is_made for _, is_made in used)


@pytest.mark.parametrize("order", ("row", "col", None))
@pytest.mark.parametrize("name", ("gcn", "gat", "sage"))
def test_edge_index(name, order, used):
    edges, count, _ = ordered(GRAPHS["random"], 1 if order == "col" else 0)
    named, by = operands(name, GRAPHS["random"])
    named["edge_index"] = EdgeIndex(edges, sparse_size=(count, count), sort_order=order)
    check(LAYERS[name]().double(), named, by)
    assert any(is_made for _, is_made in used)


def test_dropout_takes_the_same_edges():
    check(GATConv(FEATURES, OUT, heads=2, dropout=0.5).double(), *operands("gat", GRAPHS["random"]))


def test_attention_weights_are_returned_in_pygs_order():
    layer, (named, _) = GATConv(FEATURES, OUT, heads=2).double(), operands("gat", GRAPHS["with loops"])
    alone = layer(**named, return_attention_weights=True)
    with spc.pyg.enabled():
        found = layer(**named, return_attention_weights=True)
    assert torch.allclose(found[0], alone[0]) and torch.equal(found[1][0], alone[1][0]) and torch.allclose(found[1][1], alone[1][1])


def test_a_graph_that_is_written_to_is_another_one():
    layer, (named, by) = GCNConv(FEATURES, OUT).double(), operands("gcn", GRAPHS["random"])
    named["edge_index"] = named["edge_index"].clone()
    check(layer, named, by)
    named["edge_index"][1].copy_(named["edge_index"][1].flip(0))
    check(layer, named, by)


def test_what_is_kept_of_a_graph_goes_with_it():
    layer, (named, by) = SAGEConv(FEATURES, OUT).double(), operands("sage", GRAPHS["random"])
    named["edge_index"] = named["edge_index"].clone()
    gone = weakref.ref(named["edge_index"])
    with spc.pyg.enabled():
        passed(layer, named, by)
    named.clear()
    gc.collect()
    assert gone() is None


def own_message(conv):
    conv.message = lambda x_j, edge_weight: 2 * x_j


def own_hook(conv):
    conv.register_message_forward_hook(lambda module, inputs, output: 2 * output)


def own_reduction(conv):
    conv.aggr_module.register_forward_hook(lambda module, inputs, output: 2 * output)


def explained(conv):
    conv.explain = True
    conv._edge_mask = torch.rand(90, dtype=torch.float64)


def in_parts(conv):
    conv.decomposed_layers = 2


@pytest.mark.parametrize("change", (own_message, own_hook, own_reduction, explained, in_parts))
def test_layers_that_are_changed_are_pygs(change, used):
    layer, (named, by) = GCNConv(FEATURES, OUT, normalize=False).double(), operands("gcn", GRAPHS["random"])
    change(layer)
    check(layer, named, by)
    assert not any(is_made for _, is_made in used)


class Doubled(GCNConv):
    """A layer with messages of its own."""

    def message(self, x_j, edge_weight):
        return 2 * super().message(x_j, edge_weight)


def test_subclasses_are_pygs(used):
    check(Doubled(FEATURES, OUT).double(), *operands("gcn", GRAPHS["random"]))
    assert not used


def test_layers_come_back_after_an_explainer(used):
    layer, (named, by) = GCNConv(FEATURES, OUT).double(), operands("gcn", GRAPHS["random"])
    with spc.pyg.enabled():
        layer.explain = True
        layer.explain = False
    check(layer, named, by)
    assert used and all(is_made for _, is_made in used)


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_other_types_are_pygs(dtype, used):
    layer, (named, _) = SAGEConv(FEATURES, OUT).to(dtype), operands("sage", GRAPHS["random"], dtype)
    with spc.pyg.enabled():
        layer(**named)
    assert used and not any(is_made for _, is_made in used)


def test_edges_of_other_nodes_are_pygs_error():
    layer, (named, _) = GCNConv(FEATURES, OUT, normalize=False).double(), operands("gcn", GRAPHS["random"])
    named["edge_index"] = named["edge_index"] + 10
    with spc.pyg.enabled(), pytest.raises(IndexError, match="Found indices in 'edge_index' that are larger"):
        layer(**named)


def test_below_the_threshold_pyg_computes(monkeypatch, used):
    monkeypatch.setitem(spc.pyg.THRESHOLDS, "messages", 10 ** 6)
    check(SAGEConv(FEATURES, OUT).double(), *operands("sage", GRAPHS["random"]))
    assert used and not any(is_made for _, is_made in used)


def test_gradients_of_gradients():
    layer, (named, by) = GATConv(FEATURES, OUT, heads=2).double(), operands("gat", GRAPHS["random"])

    def second():
        first, = torch.autograd.grad(layer(**named).pow(2).sum(), by, create_graph=True)
        return torch.autograd.grad(first.pow(2).sum(), by)[0]
    alone = second()
    with spc.pyg.enabled():
        assert torch.allclose(second(), alone)


def test_inference_mode_leaves_what_training_reads():
    layer, (named, by) = GCNConv(FEATURES, OUT).double(), operands("gcn", GRAPHS["random"])
    named["edge_index"] = named["edge_index"].clone()
    with spc.pyg.enabled(), torch.inference_mode():
        layer(**named)
    check(layer, named, by)


@pytest.mark.parametrize("name", ("gcn", "gat", "sage"))
def test_torch_compile_takes_pygs_own_code(name):
    layer, (named, by) = LAYERS[name]().double(), operands(name, GRAPHS["random"])
    alone = passed(layer, named, by)
    torch._dynamo.reset()
    with spc.pyg.enabled():
        for one, other in zip(passed_compiled(layer, named, by), alone):
            assert torch.allclose(one, other)


def passed_compiled(layer, named, by):
    made = torch.compile(layer, backend="eager", fullgraph=name_is_whole(layer))(**named)
    incoming = torch.rand(made.shape, generator=torch.Generator().manual_seed(5), dtype=made.dtype)
    return [made, *torch.autograd.grad(made, [*by, *layer.parameters()], incoming)]


def name_is_whole(layer):
    """Whether PyG's own layer compiles to one graph."""
    return isinstance(layer, SAGEConv)


def test_torch_func_takes_pygs_own_code(used):
    layer, (named, _) = SAGEConv(FEATURES, OUT).double(), operands("sage", GRAPHS["random"])
    x, edges = named["x"].detach(), named["edge_index"]
    alone = torch.func.grad(lambda one: layer(one, edges).sum())(x)
    with spc.pyg.enabled():
        assert torch.allclose(torch.func.grad(lambda one: layer(one, edges).sum())(x), alone)
    assert not any(is_made for _, is_made in used)


def test_layers_are_copied_and_pickled():
    layer, (named, by) = GATConv(FEATURES, OUT).double(), operands("gat", GRAPHS["random"])
    with spc.pyg.enabled():
        layer(**named)
        copies = copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))
    for one in copies:
        check(one, named, by)


def test_calls_nest_and_give_back():
    before = GCNConv.propagate
    GCNConv(FEATURES, OUT)
    with spc.pyg.enabled():
        with spc.pyg.enabled():
            assert spc.pyg.is_enabled()
        assert spc.pyg.is_enabled()
    assert not spc.pyg.is_enabled() and GCNConv.propagate in (before, GCNConv._jinja_propagate)
    with pytest.raises(RuntimeError, match="not enabled"):
        spc.pyg.disable()


def test_threads_share_a_graph():
    layer, (named, by) = GATConv(FEATURES, OUT, heads=2).double(), operands("gat", GRAPHS["random"])
    named["edge_index"] = named["edge_index"].clone()
    with torch.no_grad():
        alone, wrong = layer(**named), []

    def work():
        with torch.no_grad():
            for _ in range(20):
                if not torch.allclose(layer(**named), alone):
                    wrong.append(1)
    with spc.pyg.enabled():
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_module_of_reductions_is_known_by_its_class():
    check(SAGEConv(FEATURES, OUT, aggr=aggr.MaxAggregation()).double(), *operands("sage", GRAPHS["repeated"]))
