"""How operands and parameters of models are stored: each layout of PyTorch, and formats that it lacks; what has none is refused.
And the models of torch-mlir's sparse tests, written anew."""
# SPDX-License-Identifier: Apache-2.0

import pytest

import spc

torch = pytest.importorskip("torch")
import spc.torch  # noqa: E402
from torch import nn  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:.*in beta", "ignore:.*optimize_bsr")
torch.manual_seed(3)
DENSE = torch.randn(8, 12) * (torch.rand(8, 12) < 0.3)
LAYOUTS = {"coo": lambda x: x.to_sparse(), "csr": lambda x: x.to_sparse_csr(), "csc": lambda x: x.to_sparse_csc(),
           "bsr": lambda x: x.to_sparse_bsr((2, 3)), "bsc": lambda x: x.to_sparse_bsc((4, 3))}


def of(forward, **tensors):
    """A module that computes this, with such parameters."""
    made = type("Of", (nn.Module,), {"forward": forward})()
    for name, tensor in tensors.items():
        made.register_parameter(name, nn.Parameter(tensor, requires_grad=False))
    return made


def same(made, wanted):
    if isinstance(made, spc.torch.Matrix):
        made = made.to_dense()
    torch.testing.assert_close(made, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arguments_and_parameters_in_each_layout(layout):
    stored, x, bias = LAYOUTS[layout](DENSE), torch.randn(5, 12), torch.randn(8)
    wanted = torch.relu(x @ DENSE.t() + bias)
    argument = spc.torch.compile(of(lambda self, x, w, b: torch.relu(nn.functional.linear(x, w, b))), (x, stored, bias), options=["-O0"])
    same(argument(x, stored, bias), wanted)
    parameter = spc.torch.compile(of(lambda self, x, b: torch.relu(nn.functional.linear(x, self.weight, b)), weight=stored), (x, bias),
                                  options=["-O0"])
    same(parameter(x, bias), wanted)
    assert "weight" in parameter.op.inputs


@pytest.mark.parametrize("form", ["nm-2-4", "csr", "ell", "bsr", "dcsr"])
def test_dense_weights_in_formats_that_are_said(form):
    weight = DENSE.clone()
    groups = weight.reshape(-1, 4)
    weight = torch.zeros_like(groups).scatter(1, groups.abs().topk(2, 1)[1], groups.gather(1, groups.abs().topk(2, 1)[1])).reshape(8, 12)
    layer = nn.Linear(12, 8)
    layer.weight = nn.Parameter(weight)
    x = torch.randn(5, 12)
    made = spc.torch.compile(layer, (x,), formats={"weight": form}, options=["-O0"])
    wanted = layer(x)
    same(made(x), wanted)
    if form in ("csr", "dcsr"):
        made(x).square().sum().backward()
        gradient, layer.weight.grad = layer.weight.grad.clone(), None
        wanted.square().sum().backward()
        same(gradient, layer.weight.grad * (gradient != 0))  # what is not stored has none
    else:
        with pytest.raises(spc.CompileError, match="the derivative by 'weight' would have its entries"):
            made(x).sum().backward()
    with pytest.raises(spc.CompileError, match="the model has no tensor 'weights': there are .*weight"):
        spc.torch.compile(layer, (x,), formats={"weights": form})


def test_matrices_of_spc_are_arguments():
    graph = spc.torch.Matrix.of(DENSE.to_sparse_csr())
    x = torch.randn(12, 2)
    same(spc.torch.compile(of(lambda self, a, x: torch.mm(a, x)), (graph, x), options=["-O0"])(graph, x), DENSE @ x)


def test_what_no_format_has_is_refused():
    batch = torch.stack([DENSE, DENSE]).to_sparse_bsr((2, 2))
    made = spc.torch.compile(of(lambda self, a: torch.relu(a)), (batch,), options=["-O0"])
    with pytest.raises(spc.ArgumentError, match="a sparse_bsr tensor of 3 dimensions is no matrix: batches are called one by one"):
        made(batch)
    hybrid = torch.randn(3, 4, 2).to_sparse(2)
    made = spc.torch.compile(of(lambda self, a: torch.relu(a)), (hybrid,), options=["-O0"])
    with pytest.raises(spc.ArgumentError, match="a hybrid tensor has dense dimensions"):
        made(hybrid)


def test_a_batch_is_one_tensor_or_called_one_by_one():
    batch, x = torch.stack([DENSE, 2 * DENSE]), torch.randn(2, 12, 3)
    for stored in (batch.to_sparse(), batch.to_sparse_csr()):
        made = spc.torch.compile(of(lambda self, a, x: torch.bmm(a, x)), (stored, x), options=["-O0"])
        same(made(stored, x), torch.bmm(batch, x))
    graph = spc.torch.Matrix.of(DENSE.to_sparse_csr())
    one = spc.torch.compile(of(lambda self, a, x: torch.mm(a, x)), (graph, x[0]), options=["-O0"])
    same(one(graph.with_values(torch.stack([graph.values, 2 * graph.values])), x), torch.bmm(batch, x))


def spiking(self, x):
    """A network of neurons that leak, fire above a threshold, and begin anew then."""
    charge, fired = 0.0, []
    for t in range(4):
        charge = charge * 0.9 + x[..., t]
        spike = (charge > 1.0).float()
        charge = charge * (1 - spike)
        fired.append(spike)
    return torch.stack(fired, -1)


def scaled(self, x):
    """Rows divided by their sums, where these are not 0."""
    sums = x.sum(1)
    inverse = torch.where(sums == 0, torch.zeros_like(sums), torch.reciprocal(sums))
    return inverse.unsqueeze(1) * x


SQUARE = torch.randn(6, 6) * (torch.rand(6, 6) < 0.4)
CUBE = torch.rand(3, 5, 4) * 2 * (torch.rand(3, 5, 4) < 0.6)
WEIGHT = torch.randn(6, 6)
#: By what torch-mlir calls them: what it computes, operands, and the layout of each.
TORCH_MLIR = {
    "identity": (lambda self, x: x, [DENSE], ["coo"]), "sum": (lambda self, x: x.sum(), [DENSE], ["csr"]),
    "SpMV": (lambda self, a, v: torch.matmul(a, v), [DENSE, torch.randn(12)], ["bsr", ""]),
    "GCN layer": (lambda self, x, a: torch.relu(torch.matmul(a, torch.matmul(x, self.weight))), [torch.randn(6, 6), SQUARE], ["", "coo"]),
    "SpMM": (lambda self, a, b: torch.matmul(a, b), [DENSE, torch.randn(12, 3)], ["csr", ""]),
    "elementwise": (lambda self, x: -torch.abs(x), [DENSE], ["csr"]), "activation": (lambda self, x: torch.relu(x), [DENSE], ["coo"]),
    "feature scaling": (scaled, [DENSE.abs()], ["csr"]), "spiking network": (spiking, [CUBE], ["coo"]),
    "order 3": (lambda self, x: -torch.abs(x), [CUBE], ["coo"])}


@pytest.mark.parametrize("name", TORCH_MLIR)
def test_sparse_models_of_torch_mlir(name):
    forward, operands, layouts = TORCH_MLIR[name]
    model = of(forward, weight=WEIGHT)
    stored = [LAYOUTS[layout](one) if layout else one for one, layout in zip(operands, layouts)]
    made = spc.torch.compile(model, tuple(stored), options=["-O0", "-Wno-densify", "-Wno-asymptotic"])
    same(made(*stored), model(*operands))
    assert made.front == ("torch.export" if hasattr(torch, "export") else "torch.fx")


def test_weights_that_a_format_has_no_room_for(tmp_path):
    layer = nn.Linear(8, 4)
    with pytest.raises(spc.CompileError, match="constant-format"):
        spc.torch.export(layer, tmp_path / "layer.o", (torch.rand(2, 8),), formats={"weight": "nm-2-4"}, constants=True)
