"""Operators in graphs of PyTorch 2: torch.compile without breaks, torch.export, torch.func, torch.vmap, and whole trainings."""
# SPDX-License-Identifier: Apache-2.0

import copy
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
if not hasattr(torch.library, "register_fake"):
    pytest.skip("PyTorch 2 is needed", allow_module_level=True)
import spc.torch

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))
import gat
import gcn

SPMM = "C(i,k) = A(i,j) * B(j,k)"
SDDMM = "D(i,j) = S(i,j) * P(i,l) * Q(j,l)"

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning"), pytest.mark.filterwarnings("ignore::FutureWarning"),
              pytest.mark.filterwarnings("ignore:(?s).*CUDA.*"), pytest.mark.filterwarnings("ignore::spc.errors.SpcWarning")]


def compiled(function, backend="aot_eager"):
    """The function as one graph: breaks are errors."""
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend=backend)


class Layer(torch.nn.Module):
    """A product by a sparse matrix whose values are learnt, too."""

    def __init__(self):
        super().__init__()
        self.spmm = spc.torch.op(SPMM, A="csr")
        self.graph = spc.torch.Matrix.of(matrix(8, 6))
        self.weights = torch.nn.Parameter(self.graph.values.clone())
        self.linear = torch.nn.Linear(3, 3).double()

    def forward(self, x):
        return torch.relu(self.spmm(A=self.graph.with_values(self.weights), B=self.linear(x)))


def losses(make, labels, backend=None, steps=6, optimizer=torch.optim.Adam):
    """The losses of a training, eager where there is no backend."""
    torch.manual_seed(0)
    model = make()
    called = compiled(model, backend) if backend else model
    steps_of, found = optimizer(model.parameters(), lr=0.01), []
    for _ in range(steps):
        steps_of.zero_grad()
        loss = gcn.loss_of(called(), labels)
        loss.backward()
        steps_of.step()
        found.append(loss.item())
    return found


@pytest.mark.parametrize("network", ["gcn", "gat"])
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_training_without_graph_breaks(network, backend):
    graph, nodes, labels = gcn.made()
    labels = torch.from_numpy(labels)

    def make():
        module, prepared = (gcn, gcn.normalized(graph)) if network == "gcn" else (gat, gat.with_loops(graph))
        return module.Network(*module.with_spc(prepared, nodes), nodes.shape[1], 4)

    eager = losses(make, labels)
    assert losses(make, labels, backend) == pytest.approx(eager, abs=1e-6) and eager[-1] < eager[0]


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop])
def test_sparse_parameters_under_optimizers(optimizer):
    x = torch.from_numpy(dense((6, 3)))
    found = []
    for is_compiled in (False, True):
        torch.manual_seed(1)
        layer = Layer()
        called = compiled(layer) if is_compiled else layer
        steps, found = optimizer(layer.parameters(), lr=0.05), [*found, []]
        for _ in range(3):
            steps.zero_grad()
            loss = (called(x) ** 2).sum()
            loss.backward()
            assert layer.weights.grad.shape == layer.graph.values.shape
            steps.step()
            found[-1].append(loss.item())
    assert found[0] == pytest.approx(found[1]) and found[0][-1] < found[0][0]


def test_compiled_results():
    spmm, sddmm = spc.torch.op(SPMM, A="csr"), spc.torch.op(SDDMM, S="csr")
    a, p = spc.torch.Matrix.of(matrix(8, 6)), torch.from_numpy(dense((8, 2)))
    q = torch.from_numpy(dense((6, 2), seed=3))
    assert torch.allclose(compiled(lambda x: spmm(a, x) + 1)(q), spmm(a, q) + 1)
    assert torch.allclose(compiled(lambda x, y: 2 * sddmm(a, x, Q=y).values)(p, q), 2 * sddmm(a, p, q).values)
    made = compiled(lambda x, y: spmm(sddmm(a, x, y), y))(p, q)
    assert torch.allclose(made, spmm(sddmm(a, p, q), q))
    scaled = spc.torch.op("y(i) = a * x(i)")
    assert torch.allclose(compiled(lambda x: scaled(2.0, x))(p[:, 0].contiguous()), 2 * p[:, 0])
    exchanged, product = spc.torch.op("B(i,j) = 2 * A(j,i)", A="csr"), spc.torch.op(SPMM)
    assert torch.allclose(compiled(lambda v: product(exchanged(a.with_values(v)), p))(a.values), 2 * a.to_dense().T @ p)


def test_compiled_products_of_sparse_matrices():
    spgemm, spmm = spc.torch.op("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr"), spc.torch.op(SPMM, A="csr")
    a, b, x = spc.torch.Matrix.of(matrix(8, 6)), spc.torch.Matrix.of(matrix(6, 5)), torch.from_numpy(dense((5, 2)))
    expected = a.to_dense() @ b.to_dense() @ x
    assert torch.allclose(compiled(lambda values: spmm(spgemm(a.with_values(values), b), x))(a.values), expected)


def test_other_sizes_and_structures():
    spmm = spc.torch.op(SPMM, A="csr")
    function = compiled(lambda a, x: spmm(a, x))
    for rows, columns in ((8, 6), (5, 7), (4, 4)):
        a, x = spc.torch.Matrix.of(matrix(rows, columns)), torch.from_numpy(dense((columns, 2)))
        assert torch.allclose(function(a, x), a.to_dense() @ x)


def test_compiled_batches_and_sizes():
    spmm, a = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(8, 6))
    batch = torch.from_numpy(dense((3, 6, 2)))
    assert torch.allclose(compiled(lambda x: spmm(a, x))(batch), a.to_dense() @ batch)
    several = torch.stack([a.values, 2 * a.values])
    assert torch.allclose(compiled(lambda v: spmm(a.with_values(v), batch[0]))(several), spmm(a.with_values(several), batch[0]))
    convolve = spc.torch.op("Y(i) = X(i+p) * K(p)")
    x, kernel = torch.from_numpy(dense((7,))), torch.from_numpy(dense((3,)))
    assert torch.allclose(compiled(lambda x: convolve(x, kernel, sizes={"i": 5}))(x), convolve(x, kernel, sizes={"i": 5}))


def test_what_is_not_traced_says_so():
    spmm = spc.torch.op(SPMM, A="csr")
    tensor, x = torch.from_numpy(matrix(8, 6).toarray()).to_sparse_csr(), torch.from_numpy(dense((6, 2)))
    with pytest.raises(Exception, match="(?s)copy=True"):
        copying, a = spc.torch.op(SPMM, A="csr", copy=True), spc.torch.Matrix.of(matrix(8, 6))
        compiled(lambda x: copying(a, x))(x)
    with pytest.raises(Exception, match="(?s)[Ss]parse"):
        compiled(lambda a, x: spmm(a, x))(tensor, x)


def test_graphs_on_disk(tmp_path):
    """Inductor keeps graphs between processes, which find their operators again, those of gradients too."""
    program = tmp_path / "program.py"
    program.write_text("import sys\nsys.path[:0] = sys.argv[1:3]\nimport torch\nfrom test_torch_traced import Layer\n"
                       "torch.manual_seed(0)\nlayer = Layer()\nx = torch.ones(6, 3, dtype=torch.float64)\n"
                       "torch.compile(layer, fullgraph=True)(x).sum().backward()\n"
                       "found = layer.weights.grad.clone()\nlayer.weights.grad = None\nlayer(x).sum().backward()\n"
                       "assert torch.allclose(found, layer.weights.grad)\nprint('done')\n")
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor")}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-W", "ignore", str(program), str(pathlib.Path(__file__).parent), str(EXAMPLES)],
                              env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and done.stdout.strip() == "done", done.stderr


def test_export():
    layer, x = Layer(), torch.from_numpy(dense((6, 3)))
    program = torch.export.export(layer, (x,))
    assert torch.allclose(program.module()(x), layer(x))


def test_transformations():
    spmm, a = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(8, 6))
    x, batch = torch.from_numpy(dense((6, 2))), torch.from_numpy(dense((3, 6, 2)))
    whole = a.to_dense()

    def loss(x, values=a.values):
        return (spmm(a.with_values(values), x) ** 2).sum()

    expected = 2 * whole.T @ whole @ x
    assert torch.allclose(torch.func.grad(loss)(x), expected)
    assert torch.allclose(torch.func.vjp(lambda x: spmm(a, x), x)[1](whole @ x)[0], expected / 2)
    assert torch.allclose(torch.vmap(lambda x: spmm(a, x))(batch), whole @ batch)
    assert torch.allclose(torch.vmap(torch.func.grad(loss))(batch), 2 * whole.T @ whole @ batch)
    assert torch.func.jacrev(lambda x: spmm(a, x))(x).shape == (8, 2, 6, 2)
    by_values = torch.func.grad(loss, argnums=1)(x, a.values)
    leaf = a.values.clone().requires_grad_()
    loss(x, leaf).backward()
    assert torch.allclose(by_values, leaf.grad)
    twice = torch.func.grad(lambda x: (torch.func.grad(loss)(x) ** 2).sum())(x)
    assert torch.allclose(twice, 2 * (2 * whole.T @ whole) @ expected)
    layer = Layer()
    assert torch.allclose(torch.func.functional_call(layer, dict(layer.named_parameters()), (torch.ones(6, 3).double(),)),
                          layer(torch.ones(6, 3).double()))


def test_compiled_autocast():
    spmm, a = spc.torch.op(SPMM, A="csr", autocast=torch.bfloat16), spc.torch.Matrix.of(matrix(8, 6, dtype=np.float32))
    x, values = torch.from_numpy(dense((6, 3))).float(), a.values.clone().requires_grad_()
    called = compiled(lambda values, x: spmm(a.with_values(values), x))
    assert called(values, x).dtype is torch.float32
    with torch.autocast("cpu", dtype=torch.bfloat16):
        made = called(values, x)
        assert made.dtype is torch.bfloat16 and torch.equal(made, spmm(a, x))
    made.sum().backward()
    assert values.grad.dtype is torch.float32


def test_copies_and_pickles():
    layer, x = Layer(), torch.from_numpy(dense((6, 3)))
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.allclose(compiled(other)(x), layer(x))
        other.weights.data *= 2
        assert not torch.allclose(other(x), layer(x))


@pytest.mark.parametrize("layout", ["csr", "csc", "bsr", "coo"])
def test_layouts_in_and_out(layout):
    values = torch.from_numpy(matrix(8, 6).toarray())
    tensor = values.to_sparse() if layout == "coo" else getattr(values, f"to_sparse_{layout}")(*([(2, 2)] if layout == "bsr" else []))
    x = torch.from_numpy(dense((6, 2)))
    assert torch.allclose(spc.torch.op(SPMM)(tensor, x), values @ x)
    back = spc.torch.Matrix.of(tensor).to_torch()
    assert back.layout is tensor.layout and torch.equal(back.to_dense(), values)


def test_matrices_that_share_index_arrays():
    graph = sp.csr_array(matrix(8, 6))
    spmm, x = spc.torch.op(SPMM, A="csr"), torch.from_numpy(dense((6, 2)))
    a = spc.torch.Matrix.of(graph, share=True)
    assert torch.allclose(compiled(lambda x: spmm(a, x))(x), torch.from_numpy(graph @ x.numpy()))
