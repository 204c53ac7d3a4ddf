"""Where spc.pyg leaves layers to PyG, and how it is taken back."""
# SPDX-License-Identifier: Apache-2.0

import copy
import pickle

import pytest
import test_docs
from pyg_layers import (FEATURES, GRAPHS, LAYERS, OUT, QUIET, GATConv, GCNConv, SAGEConv, check, from_the_first_message, operands, passed, torch,
                        used)

import spc.pyg

__all__ = ["from_the_first_message", "used"]

pytestmark = QUIET


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


@pytest.mark.parametrize("name", ("gcn", "gat", "gatv2", "sage", "sage max", "rgcn"))
def test_graphs_of_torch_sparse_are_pygs(name, used):
    torch_sparse = pytest.importorskip("torch_sparse", reason="torch_sparse is not here: it has to be built")
    edges, count, _ = GRAPHS["random"]
    layer, (named, by) = LAYERS[name]().double(), operands(name, GRAPHS["random"])
    named["edge_index"] = torch_sparse.SparseTensor(row=edges[1], col=edges[0], value=named.pop("edge_type", None),
                                                    sparse_sizes=(count, count))
    check(layer, named, by)
    assert not any(is_made for _, is_made in used)


def test_below_the_threshold_pyg_computes(monkeypatch, used):
    monkeypatch.setitem(spc.pyg.THRESHOLDS, "messages", 10 ** 6)
    check(SAGEConv(FEATURES, OUT).double(), *operands("sage", GRAPHS["random"]))
    assert used and not any(is_made for _, is_made in used)


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


def test_the_page():
    assert test_docs.count_of_blocks("pyg.md") == 1
