"""PyG's layers with spc.pyg and without: outputs and gradients over graphs."""
# SPDX-License-Identifier: Apache-2.0

import gc
import threading
import weakref

import pytest
from pyg_layers import (FEATURES, GRAPHS, LAYERS, OUT, QUIET, SQUARE, GATConv, GCNConv, SAGEConv, check, from_the_first_message, operands,
                        ordered, passed, torch, used)
from torch_geometric import EdgeIndex
from torch_geometric.nn import aggr

import spc.pyg

__all__ = ["from_the_first_message", "used"]

pytestmark = QUIET


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
