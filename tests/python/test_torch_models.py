"""spc.torch.compile: models of layers, and each operation, beside PyTorch on dense tensors."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import grouped

import spc

torch = pytest.importorskip("torch")
import spc.torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR")


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8, bias=False), nn.Linear(8, 3)
        self.bias = nn.Parameter(torch.rand(8))

    def forward(self, x, adj):
        h = torch.relu(torch.mm(adj, self.first(x)) + self.bias)
        return F.log_softmax(torch.mm(adj, self.second(h)), dim=1)


class GIN(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
        self.eps = nn.Parameter(torch.tensor(0.1))

    def forward(self, x, adj):
        return self.mlp((1 + self.eps) * x + adj @ x)


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.left, self.right = nn.Linear(6, 5, bias=False), nn.Parameter(torch.rand(5)), nn.Parameter(torch.rand(5))

    def forward(self, x, adj):
        h = self.weight(x)
        scores = F.leaky_relu((h @ self.left).unsqueeze(1) + (h @ self.right).unsqueeze(0), 0.2)
        return torch.sparse.softmax(adj * scores, 1) @ h

    def of_dense(self, x, adj):
        """The same where the graph is dense."""
        h = self.weight(x)
        scores = F.leaky_relu((h @ self.left).unsqueeze(1) + (h @ self.right).unsqueeze(0), 0.2)
        return torch.nan_to_num(torch.softmax(torch.where(adj != 0, adj * scores, torch.tensor(-np.inf)), 1)) @ h


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down, self.dropout = nn.LayerNorm(6), nn.Linear(6, 12), nn.Linear(12, 6), nn.Dropout(0.1)

    def forward(self, x):
        return x + self.dropout(self.down(F.gelu(self.up(self.norm(x)))))


def graph(kind="csr"):
    """A matrix of torch's, and a dense one, which has rows without entries."""
    entries = sp.random(9, 9, 0.25, "csr", np.float32, random_state=3)
    dense = torch.from_numpy(entries.toarray())
    return (dense.to_sparse_csr() if kind == "csr" else dense.to_sparse()), dense


def same(made, wanted):
    torch.testing.assert_close(made, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["csr", "coo"])
@pytest.mark.parametrize("layer", [GCN, GIN, GAT])
def test_layers_of_graphs(layer, kind):
    torch.manual_seed(1)
    sparse, dense = graph(kind)
    model, x = layer().eval(), torch.rand(9, 6)
    wanted = model.of_dense(x, dense) if layer is GAT else model(x, dense)
    made = spc.torch.compile(model, (x, sparse))
    same(made(x, sparse), wanted)
    wanted.square().sum().backward()
    gradients = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    made(x, sparse).square().sum().backward()
    for parameter, gradient in zip(model.parameters(), gradients):
        same(parameter.grad, gradient)


@pytest.mark.parametrize("shape", [(7, 6), (2, 7, 6)])
def test_a_block_of_a_transformer(shape):
    model, x = Transformer().eval(), torch.rand(shape)
    same(spc.torch.compile(model, (x,))(x), model(x))


def test_other_sizes_than_those_of_the_example():
    model = GCN().eval()
    made = spc.torch.compile(model, (torch.rand(9, 6), graph()[0]))
    larger = torch.eye(20)
    x = torch.rand(20, 6)
    same(made(x, larger.to_sparse_csr()), model(x, larger))


def test_parameters_are_the_modules_own():
    model = Transformer().eval()
    made = spc.torch.compile(model, (torch.rand(7, 6),))
    assert {id(parameter) for parameter in made.parameters()} == {id(parameter) for parameter in model.parameters()}
    with torch.no_grad():
        model.up.weight.mul_(2)
    x = torch.rand(7, 6)
    same(made(x), model(x))


X, Y, V, POSITIVE = torch.randn(3, 4), torch.randn(3, 4), torch.randn(4), torch.rand(3, 4) + 0.5
OPERATIONS = {
    "arithmetic": (lambda x, y: (x + y) * 2 - x / (y.abs() + 1), X, Y), "broadcast": (lambda x, v: x * v + v, X, V),
    "scalars": (lambda x: 1 - 2 * x / 3, X), "negative": (lambda x: -x, X), "alpha": (lambda x, y: torch.add(x, y, alpha=-2), X, Y),
    "powers": (lambda x: x ** 2 + x.pow(3), X), "power": (lambda x: x ** 0.5, POSITIVE), "clamp": (lambda x: x.clamp(-0.5, 0.5), X),
    "silu": (F.silu, X), "elu": (F.elu, X), "softplus": (F.softplus, X), "leaky": (F.leaky_relu, X), "gelu": (F.gelu, X),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), X), "sigmoid": (torch.sigmoid, X), "tanh": (torch.tanh, X), "exp": (torch.exp, X),
    "log": (torch.log, POSITIVE), "sqrt": (torch.sqrt, POSITIVE), "rsqrt": (torch.rsqrt, POSITIVE), "sin": (torch.sin, X), "erf": (torch.erf, X),
    "where": (lambda x, y: torch.where(x > y, x, y), X, Y), "maximum": (torch.maximum, X, Y), "matmul": (lambda x, y: x @ y.t(), X, Y),
    "mv": (torch.mv, X, V), "dot": (torch.dot, V, V), "bmm": (torch.bmm, torch.randn(2, 3, 4), torch.randn(2, 4, 5)),
    "batched": (torch.matmul, torch.randn(2, 3, 4), torch.randn(4, 5)), "addmm": (lambda x, y: torch.addmm(x @ y.t(), x, y.t(), beta=2, alpha=3), X, Y),
    "sum": (lambda x: x.sum(), X), "sum of rows": (lambda x: x.sum(1), X), "kept": (lambda x: x - x.mean(0, keepdim=True), X),
    "sum of both": (lambda x: x.sum((0, 2)), torch.randn(2, 3, 4)), "greatest": (lambda x: x.amax(1), X), "softmax": (lambda x: torch.softmax(x, 0), X),
    "log_softmax": (lambda x: F.log_softmax(x, -1), X), "logsumexp": (lambda x: torch.logsumexp(x, 1) + x.logsumexp((0, 1)), X),
    "logsumexp kept": (lambda x: x - torch.logsumexp(x, 0, keepdim=True), X), "outer": (lambda v, x: torch.outer(v, x[0]), V, X), "layer_norm": (lambda x: F.layer_norm(x, (4,)), X),
    "permute of two": (lambda x: x.permute(0, 1) + x.permute(1, 0).t(), X), "relu in place": (lambda x: F.relu(x + 1, inplace=True), X),
    "names": (lambda x, out: x * out, X, Y), "permute": (lambda x: x.permute(2, 0, 1), torch.randn(2, 3, 4)), "transpose": (lambda x: x.transpose(0, 2), torch.randn(2, 3, 4)),
    "unsqueeze": (lambda v: v.unsqueeze(0) * v.unsqueeze(1), V), "squeeze": (lambda x: x.squeeze(1), torch.randn(3, 1, 4)),
    "rows": (lambda x, i: x[i], X, torch.tensor([2, 0, 1, 2])), "embedding": (lambda i, x: F.embedding(i, x), torch.tensor([[2, 0], [1, 2]]), X),
    "index_select": (lambda x, i: torch.index_select(x, 0, i), X, torch.tensor([2, 0])),
}


@pytest.mark.parametrize("group", list(grouped(OPERATIONS, 7)), ids=lambda group: group[0][0])
def test_operations(group):
    names, forward, operands = group
    made = spc.torch.compile(module(forward), tuple(operands), options=["-O0"])
    for name, one, other in zip(names, made(*operands), forward(None, *operands)):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5, msg=lambda said, name=name: f"{name}: {said}")


def test_what_no_words_are_for_is_named():
    with pytest.raises(spc.CompileError, match="has no words for 'fft"):
        spc.torch.compile(type("M", (nn.Module,), {"forward": lambda self, x: torch.fft.fft(x)})(), (X,))


def test_dropout_is_of_training():
    with pytest.raises(spc.CompileError, match="call eval"):
        spc.torch.compile(Transformer().train(), (torch.rand(7, 6),))


def module(forward):
    return type("M", (nn.Module,), {"forward": forward})()


@pytest.mark.parametrize("forward, said", [
    (lambda self, x: F.dropout(x), "call eval"), (lambda self, x: x.add_(1) + x, "in place"), (lambda self, x: F.relu(x, inplace=True), "in place"),
    (lambda self, x: x.cumsum(0), "no words for 'cumsum'"), (lambda self, x: x.detach() * x, "no words for 'detach'"),
    (lambda self, x: {"x": x + 1}, "results are tensors")])
def test_what_would_be_lost_is_refused(forward, said):
    with pytest.raises(spc.CompileError, match=said):
        spc.torch.compile(module(forward), (X.clone(),))


def test_what_neither_knows_is_refused_by_both_reasons():
    with pytest.raises(spc.CompileError) as raised:
        spc.torch.compile(module(lambda self, x: x if x.sum() > 0 else -x), (X,))
    assert "torch.fx does not trace the model: " in str(raised.value)
    assert ("; nor does torch.export: " in str(raised.value)) == hasattr(torch, "export")


def test_models_that_export_refuses_are_traced(monkeypatch):
    def refuse(*arguments):
        raise RuntimeError("it does not")
    monkeypatch.setattr(spc.torch.exported, "export", refuse)
    made = spc.torch.compile(module(lambda self, x: 2 * x), (X,), options=["-O0"])
    same(made(X), 2 * X)
    assert made.front == "torch.fx"


def test_options_of_embeddings_are_refused():
    with pytest.raises(spc.CompileError, match="padding_idx"):
        spc.torch.compile(nn.Embedding(5, 3, padding_idx=0), (torch.tensor([1, 2]),))


@pytest.mark.parametrize("name", ["t0", "out", "i", "sum"])
def test_arguments_may_have_any_name(name):
    names = {}
    exec(f"def forward(self, {name}): return ({name} + 1) * {name}", names)
    same(spc.torch.compile(module(names["forward"]), (X,))(X), (X + 1) * X)


def test_the_number_of_arguments_is_checked():
    made = spc.torch.compile(GCN().eval(), (torch.rand(9, 6), graph()[0]))
    with pytest.raises(spc.ArgumentTypeError, match="takes 2 arguments, and 1 are given"):
        made(torch.rand(9, 6))


def test_operations_of_sparse_tensors_alone_are_named():
    with pytest.raises(spc.CompileError, match=r"sparse_sum.*of sparse tensors alone.*a\.sum\(1\)"):
        spc.torch.compile(module(lambda self, a: torch.sparse.sum(a, 1)), (graph()[0],))
