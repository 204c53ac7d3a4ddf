"""What nodes take in along edges, and its gradients, beside the same in operations of PyTorch."""
# SPDX-License-Identifier: Apache-2.0

import gc
import weakref

import pytest

torch = pytest.importorskip("torch")

from spc.pyg import kept, messages
from spc.pyg.edges import Edges

pytestmark = pytest.mark.filterwarnings("ignore:scatter_reduce")

TAKERS, SENDERS, HEADS, CHANNELS = 6, 4, 2, 3
#: Targets and sources: each pair once, in disorder and more than once, one edge, a node that takes in from itself alone.
GRAPHS = {"sorted": ([0, 0, 2, 5], [1, 3, 0, 2]), "loose": ([5, 0, 2, 0, 5, 5, 1], [2, 3, 0, 3, 2, 1, 1]), "one": ([4], [3]),
          "own": ([3, 3, 3], [3, 3, 3])}


def rows(*shape, seed=0):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).sub(0.5).requires_grad_()


def jobs(edges):
    """Each function, and what it is of."""
    x, by_head, weights = rows(SENDERS, CHANNELS), rows(SENDERS, HEADS, CHANNELS), rows(edges.count, HEADS, seed=1)
    sources, targets = rows(SENDERS, HEADS, seed=2), rows(TAKERS, HEADS, seed=3)
    few = torch.tensor([[0.0, 1, 1], [-1, 1, 0], [0, 1, -2], [0, -1, 1]], dtype=torch.float64, requires_grad=True)
    yield "sum", messages._Sum(edges, False), (x,)
    yield "mean", messages._Sum(edges, True), (x,)
    yield "weighted", messages._Weighted(edges), (x, rows(edges.count, seed=4))
    yield "heads", messages._Weighted(edges), (by_head, weights)
    yield "max", messages._Extreme(edges, True), (few,)
    yield "min", messages._Extreme(edges, False), (few,)
    yield "attention", messages._Attention(edges, 0.2), (sources, targets)
    yield "attributes", messages._Attention(edges, 0.2), (sources, targets, weights)
    yield "softmax", messages._Softmax(edges), (weights,)
    yield "scores", messages._Scores(edges, 0.2), (by_head, rows(TAKERS, HEADS, CHANNELS, seed=5), rows(HEADS, CHANNELS, seed=6))


NAMES = ("sum", "mean", "weighted", "heads", "max", "min", "attention", "attributes", "softmax", "scores")


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", NAMES)
def test_results_and_gradients_are_those_of_pytorch(graph, name):
    ends = tuple(torch.tensor(end) for end in GRAPHS[graph])
    edges = Edges.of(*ends, (TAKERS, SENDERS))
    job, tensors = next((job, tensors) for found, job, tensors in jobs(edges) if found == name)
    made, wanted = messages._applied(job, ends, *tensors), job.written(ends, *tensors)
    assert made.shape == wanted.shape and torch.allclose(made, wanted)
    incoming = torch.rand_like(made)
    for of_kernels in (True, False):  # the latter gradients can be differentiated again
        found = torch.autograd.grad(made, tensors, incoming, retain_graph=True, create_graph=not of_kernels)
        for one, other in zip(found, torch.autograd.grad(wanted, tensors, incoming, retain_graph=True)):
            assert torch.allclose(one, other)


@pytest.mark.parametrize("name", ("heads", "scores"))
def test_gradients_have_gradients(name):
    ends = tuple(torch.tensor(end) for end in GRAPHS["loose"])
    edges = Edges.of(*ends, (TAKERS, SENDERS))
    job, tensors = next((job, tensors) for found, job, tensors in jobs(edges) if found == name)
    assert torch.autograd.gradgradcheck(lambda *operands: messages._applied(job, ends, *operands), tensors)


def test_rows_of_single_precision_are_summed_in_it():
    ends = tuple(torch.tensor(end) for end in GRAPHS["loose"])
    made = messages.summed(Edges.of(*ends, (TAKERS, SENDERS)), ends, rows(SENDERS, CHANNELS).float())
    assert made.dtype is torch.float32


def test_many_nodes_are_sorted_as_few_are():
    targets = torch.randint(0, 70_000, (500,), generator=torch.Generator().manual_seed(1))
    edges = Edges.of(targets, torch.arange(500), (70_000, 500))
    assert edges.incoming.order.tolist() == targets.sort(stable=True)[1].tolist()
    assert edges.outgoing.order is None and edges.outgoing.others.tolist() == targets.tolist()


@pytest.mark.parametrize("targets, sources", [([0, TAKERS], [0, 0]), ([-1], [0]), ([0], [SENDERS]), ([], [])])
def test_edges_of_other_nodes_and_none_have_no_structure(targets, sources):
    assert Edges.of(torch.tensor(targets, dtype=torch.int64), torch.tensor(sources, dtype=torch.int64), (TAKERS, SENDERS)) is None


def test_weights_are_arranged_anew_where_they_are_written_to():
    ends = tuple(torch.tensor(end) for end in GRAPHS["loose"])
    edges, x, weights = Edges.of(*ends, (TAKERS, SENDERS)), rows(SENDERS, CHANNELS).detach(), torch.ones(7, dtype=torch.float64)
    for _ in range(3):
        found = messages.weighted(edges, ends, x, weights)
        assert torch.allclose(found, messages._Weighted(edges).written(ends, x, weights))
        weights[2:] *= 2
    other = torch.full_like(weights, 5)
    assert torch.allclose(messages.weighted(edges, ends, x, other), messages._Weighted(edges).written(ends, x, other))


def test_what_is_kept_goes_with_the_tensor_and_when_it_is_written_to():
    tensor = torch.arange(4)
    calls = []
    def call(argument):
        return kept.called(argument, kept.version_of(argument), "key", lambda: calls.append(1) or (argument + 1, argument))
    made, same = call(tensor)
    assert call(tensor)[0] is made and same is tensor and len(calls) == 1
    tensor += 1
    assert call(tensor)[0] is not made and len(calls) == 2
    call(tensor)[0].zero_()
    assert call(tensor)[0].tolist() == [2, 3, 4, 5] and len(calls) == 3
    gone = weakref.ref(call(tensor)[0])
    del tensor, made, same
    gc.collect()
    assert gone() is None


def test_views_of_a_tensor_are_not_kept_with_it():
    tensor = torch.arange(6).view(2, 3)
    for _ in range(2):
        view, = kept.called(tensor, kept.version_of(tensor), "key", lambda: (tensor[0],))
    alive = weakref.ref(tensor)
    del tensor, view
    gc.collect()
    assert alive() is None


def test_graphs_whose_data_are_replaced():
    from spc.pyg import kept
    graph = torch.zeros(2, 6, dtype=torch.int64)
    known = kept.version_of(graph)
    assert kept.version_of(graph) == known
    graph.data = torch.ones(2, 6, dtype=torch.int64)
    assert kept.version_of(graph) != known
