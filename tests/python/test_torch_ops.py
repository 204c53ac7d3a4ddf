"""Kernels as operators of PyTorch: results, gradients, batches, tracing."""
# SPDX-License-Identifier: Apache-2.0

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

pytestmark = pytest.mark.optimised

SPMM = "C(i,k) = A(i,j) * B(j,k)"
SDDMM = "D(i,j) = S(i,j) * P(i,l) * Q(j,l)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"


def random(*shape, seed=2):
    """A tensor whose gradient is wanted."""
    return torch.from_numpy(dense(shape, seed=seed)).requires_grad_()


def sparse(rows, columns, kind="csr", seed=1):
    """A matrix whose values' gradient is wanted."""
    made = spc.torch.Matrix.of(matrix(rows, columns, kind, seed=seed))
    return made.with_values(made.values.clone().requires_grad_())


def holds(op, *operands, twice=False):
    """Whether gradients, and perhaps gradients of gradients, agree with differences of results."""
    leaves = [value.values if isinstance(value, spc.torch.Matrix) else value for value in operands]

    def function(*values):
        given = [operand.with_values(value) if isinstance(operand, spc.torch.Matrix) else value
                 for operand, value in zip(operands, values)]
        results = op(*given)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(result.values if isinstance(result, spc.torch.Matrix) else result for result in results)

    assert torch.autograd.gradcheck(function, leaves)
    assert not twice or torch.autograd.gradgradcheck(function, leaves)


def test_results():
    spmm = spc.torch.op(SPMM, A="csr", name="test_results")
    s, b = matrix(8, 6), torch.from_numpy(dense((6, 3)))
    expected = torch.from_numpy(s @ b.numpy())
    for given in (spc.torch.Matrix.of(s), s, torch.from_numpy(s.toarray()).to_sparse_csr(),
                  torch.from_numpy(s.toarray()).to_sparse_csr().requires_grad_().detach()):
        for _ in range(3):
            assert torch.allclose(spmm(A=given, B=b), expected)
    assert "test_results(A, B) -> C" in repr(spmm) and {spc.torch.Op.__module__, spc.torch.Matrix.__module__} == {"spc.torch"}
    with pytest.raises(spc.ArgumentError, match="no operand 'X'"):
        spmm(A=s, X=b)
    with pytest.raises(spc.CompileError, match="kernel.tex:1"):
        spc.torch.op("C(i,k) = ")
    with pytest.raises(spc.ArgumentError, match="updates an operand in place"):
        spc.torch.op("y(i) += A(i,j) * x(j)")


def test_operands_of_other_classes():
    scaled, x = spc.torch.op("y(i) = a * x(i)"), random(3).detach()
    for number in (np.float32(2), np.float64(2), np.int64(2), 2):
        assert torch.allclose(scaled(number, x), 2 * x)
    for wrong in (x.numpy(), [1.0, 2.0], np.array(2.0)):
        with pytest.raises(spc.ArgumentTypeError, match=r"x: operators take tensors, .*: torch.as_tensor\(\) makes one"):
            scaled(2, wrong)


def test_matrices():
    s = matrix(8, 6)
    made = spc.torch.Matrix.of(s)
    assert made.shape == (8, 6) and made.values.data_ptr() == s.data.ctypes.data
    assert "8x6" in repr(made)
    assert torch.equal(made.to_dense(), torch.from_numpy(s.toarray()))
    assert torch.equal(made.with_values(2 * made.values).to_dense(), torch.from_numpy(2 * s.toarray()))
    with pytest.raises(spc.ArgumentError, match=f"3 values, and {s.nnz} entries"):
        made.with_values(torch.ones(3))
    with pytest.raises(spc.ArgumentTypeError, match="values are a tensor, and list is none"):
        made.with_values([1.0, 2.0])
    with pytest.raises(spc.ArgumentError, match="it is not sparse"):
        spc.torch.Matrix.of(dense((2, 2)))
    s.indices[0] = 9
    with pytest.raises(spc.StructureError, match="9 at 0 is not from 0 to 5"):
        spc.torch.Matrix.of(sp.csr_array((s.data, s.indices.copy(), s.indptr), shape=s.shape))


def test_sampled_and_assembled_results():
    s, p, q = sparse(8, 6), torch.from_numpy(dense((8, 3))), torch.from_numpy(dense((6, 3)))
    sampled = spc.torch.op(SDDMM, S="csr")(s, p, q)
    assert isinstance(sampled, spc.torch.Matrix) and sampled.values.shape == s.values.shape
    assert torch.allclose(sampled.to_dense(), s.to_dense() * (p @ q.T))
    product = spc.torch.op(SPGEMM, A="csr", B="csr", C="csr")(sampled, spc.torch.Matrix.of(matrix(6, 5)))
    assert isinstance(product, spc.torch.Matrix) and product.shape == (8, 5)
    assert torch.allclose(product.to_dense(), sampled.to_dense() @ torch.from_numpy(matrix(6, 5).toarray()))
    exchanged = spc.torch.op("B(i,j) = 2 * A(j,i)", A="csr")(s)
    assert exchanged.shape == (6, 8)
    assert torch.allclose(exchanged.to_dense(), 2 * s.to_dense().T)


@pytest.mark.parametrize("form", ["csr", "dcsr", "coo"])
def test_assembled_results_of_dense_operands_and_of_those_behind_one(form):
    chosen = spc.torch.op("N(i,j) = where(A(i,j) > 0.5, A(i,j))", N=form)
    a = random(7, 6)
    result = chosen(a)
    assert isinstance(result, spc.torch.Matrix)
    assert torch.equal(result.to_dense(), torch.where(a > 0.5, a, 0.0).detach())
    result.values.sum().backward()
    assert torch.equal(a.grad, (a > 0.5).to(a.dtype))
    total = spc.torch.op("N(i,j) = (i == j) * x(i) + A(i,j)", N=form)
    x, matrix_ = random(7), sparse(7, 7)
    result = total(x, matrix_)
    assert torch.allclose(result.to_dense(), torch.diag(x) + matrix_.to_dense())
    (result.values * result.values).sum().backward()
    assert torch.allclose(x.grad, 2 * result.to_dense().diagonal())
    assert torch.allclose(matrix_.values.grad, 2 * result.to_dense()[matrix_.to_dense() != 0])
    assert isinstance(spc.kernel("N(i,j) = x(i) * A(i,j)")(x.detach(), matrix_.with_values(matrix_.values.detach())),
                      spc.torch.Matrix)


def test_batches():
    spmm = spc.torch.op(SPMM, A="csr")
    a, b = sparse(8, 6), torch.from_numpy(dense((4, 6, 3)))
    result = spmm(a, b)
    assert result.shape == (4, 8, 3)
    assert torch.allclose(result, a.to_dense() @ b)
    several = a.with_values(torch.stack([a.values, 2 * a.values]).detach())
    assert torch.allclose(spmm(several, b[0]), torch.stack([a.to_dense() @ b[0], 2 * a.to_dense() @ b[0]]))
    with pytest.raises(spc.ArgumentError, match="batches of 2 and 4 elements"):
        spmm(several, b)
    scaled = spc.torch.op("D(i,j) = 2 * S(i,j)", S="csr")(several)
    assert scaled.values.shape == (2, a.values.shape[0])


def test_shapes_for_tracing():
    spmm = spc.torch.op(SPMM, A="csr", name="traced")
    a, b = spc.torch.Matrix.of(matrix(8, 6)), torch.from_numpy(dense((6, 3)))
    spmm(a, b)
    indices, pointers = (torch.from_numpy(a.pattern.arrays[place]) for place in (("indices", 1), ("pointers", 1)))
    arguments = indices, pointers, [8, 6], a.values, b
    assert torch.allclose(torch.ops.spc.traced(*arguments), spmm(a, b))
    shaped = torch.ops.spc.traced(*[value.to("meta") if isinstance(value, torch.Tensor) else value for value in arguments])
    assert shaped.device.type == "meta" and shaped.shape == (8, 3) and shaped.dtype == torch.float64
    single = [value.float() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
              for value in arguments]
    assert torch.ops.spc.traced(*single).dtype is torch.float32
    assert torch.ops.spc.traced(*[value.to("meta") if isinstance(value, torch.Tensor) else value
                                  for value in single]).dtype is torch.float32
    from torch.fx.experimental.proxy_tensor import make_fx
    traced = make_fx(lambda x: 2 * torch.ops.spc.traced(indices, pointers, [8, 6], a.values, x))(b)
    assert "spc.traced" in traced.code
    assert torch.allclose(traced(b + 1), 2 * spmm(a, b + 1))


def test_structures_are_checked():
    spmv = spc.torch.op("y(i) = A(i,j) * x(j)", A="csr", name="checked")
    a = spc.torch.Matrix.of(matrix(8, 6))
    spmv(a, torch.ones(6, dtype=torch.float64))
    indices, pointers = (torch.from_numpy(a.pattern.arrays[place].copy()) for place in (("indices", 1), ("pointers", 1)))
    indices[0] = 100
    with pytest.raises(spc.StructureError, match="100 at 0"):
        torch.ops.spc.checked(indices, pointers, [8, 6], a.values, torch.ones(6, dtype=torch.float64))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_gradients_of_products(kind):
    holds(spc.torch.op(SPMM, A=kind), sparse(5, 4, kind), random(4, 2), twice=kind == "csr")


def test_gradients_of_sampled_products():
    holds(spc.torch.op(SDDMM, S="csr"), sparse(5, 4), random(5, 2), random(4, 2, seed=3))


@pytest.mark.filterwarnings("ignore:(?s).*is reordered:spc.errors.SpcWarning")
def test_gradients_of_assembled_products():
    holds(spc.torch.op(SPGEMM, A="csr", B="csr", C="csr"), sparse(5, 4), sparse(4, 3, seed=5))


def test_gradients_of_numbers_and_several_statements():
    holds(spc.torch.op("y(i) = tanh(sum(j, A(i,j) * x(j)) + b(i))\nz(i) = alpha * y(i) * y(i)\n", A="csr"),
          sparse(5, 4), random(4), random(5), torch.tensor(1.5, dtype=torch.float64, requires_grad=True))


def test_gradients_in_other_layouts():
    spmm, a = spc.torch.op(SPMM, A="csr"), sparse(5, 4)
    b = torch.from_numpy(dense((3, 4))).requires_grad_()
    spmm(a, b.T).sum().backward()
    expected = a.to_dense().sum(0, keepdim=True).expand(3, 4)
    assert torch.allclose(b.grad, expected)
    assert torch.allclose(a.values.grad, b.detach().T.sum(1)[torch.from_numpy(a.pattern.arrays["indices", 1]).long()])


def test_gradients_that_are_not_wanted():
    spmm, a, b = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(5, 4)), random(4, 2)
    spmm(a, b).sum().backward()
    assert a.values.grad is None and b.grad is not None
    with torch.no_grad():
        assert not spmm(a, b).requires_grad
    batch = torch.from_numpy(dense((3, 4, 2))).requires_grad_()
    spmm(a, batch).sum().backward()
    assert torch.allclose(batch.grad, a.to_dense().sum(0)[None, :, None].expand(3, 4, 2))


def test_modules():
    """A graph convolution whose edges' weights are learnt as well: its loss goes down as that of the dense one does."""
    torch.manual_seed(1)
    graph = matrix(30, 30, density=0.1, dtype=np.float32)
    spmm = spc.torch.op(SPMM, A="csr")

    class Convolution(torch.nn.Module):
        def __init__(self, is_dense):
            super().__init__()
            made = spc.torch.Matrix.of(graph.copy())
            self.pattern, self.is_dense = made, is_dense
            self.weights = torch.nn.Parameter(torch.from_numpy(graph.toarray()) if is_dense else made.values.clone())
            self.linear = torch.nn.Linear(4, 3)

        def forward(self, features):
            features = self.linear(features)
            if self.is_dense:
                return torch.where(self.pattern.to_dense() != 0, self.weights, torch.zeros(())) @ features
            return spmm(A=self.pattern.with_values(self.weights), B=features)

    features, labels = torch.rand(30, 4), torch.randint(0, 3, (30,))
    losses = []
    for is_dense in (False, True):
        torch.manual_seed(2)
        model = Convolution(is_dense)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        losses.append([])
        for _ in range(10):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(features), labels)
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    assert losses[0][-1] < losses[0][0]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)


def test_without_the_library_of_operators(monkeypatch):
    from spc.sources import torch_private
    from spc.torch import registry
    monkeypatch.setattr(registry, "_library", None)
    monkeypatch.setattr(torch_private, "_modes", None)
    holds(spc.torch.op(SPMM, A="csr"), sparse(5, 4), random(4, 2), twice=True)
    spmm, a, batch = spc.torch.op(SPMM, A="csr", name="unregistered"), sparse(5, 4), random(3, 4, 2)
    assert torch.allclose(spmm(a, batch), a.to_dense() @ batch)
    assert not hasattr(torch.ops.spc, "unregistered")
    product = spc.torch.op(SPGEMM, A="csr", B="csr", C="csr")(a, sparse(4, 3, seed=5))
    assert torch.allclose(product.to_dense(), a.to_dense() @ sparse(4, 3, seed=5).to_dense())


@pytest.mark.parametrize("options", [["-g"], ["--fp=strict", "-O1"], ["-O", "1", "--checked"]])
def test_gradients_with_options(options):
    holds(spc.torch.op(SPMM, A="csr", options=options), sparse(5, 4), random(4, 2))


def test_gradients_that_do_not_exist():
    rows = sp.csr_array((np.arange(1.0, 4.0), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 4))
    spmv, a = spc.torch.op("y(i) = A(i,j) * x(j)"), spc.torch.Matrix.of(rows)
    with pytest.raises(spc.CompileError) as caught:
        spmv(a.with_values(a.values.clone().requires_grad_()), random(4)).sum().backward()
    assert str(caught.value).startswith("error: the derivative by 'A' would have its entries")
    assert "command line" not in str(caught.value) and "kernel.tex:1:8: note: 'A' is stored as csr-uns" in str(caught.value)


def test_threads_that_call_an_operator_first():
    for attempt in range(3):
        product, A, errors = spc.torch.op("y(i) = A(i,j) * x(j)", name=f"raced_{attempt}"), torch.rand(5, 4), []
        begin = threading.Barrier(8)

        def call():
            try:
                begin.wait()
                x = torch.rand(4, requires_grad=True)
                product(A, x).sum().backward()
                assert torch.allclose(x.grad, A.sum(0))
            except Exception as error:  # which no other thread shows
                errors.append(error)

        threads = [threading.Thread(target=call) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert not errors


@pytest.mark.parametrize("text", ["y0(i) = A(i,j) * x(j)", "z(i) = A(i,j) * y1(j)"])
def test_gradients_of_tensors_whose_names_are_functions_of_c(text):
    op = spc.torch.op(text)
    a, x = torch.rand(5, 4, dtype=torch.float64), torch.rand(4, dtype=torch.float64, requires_grad=True)
    op(a, x).sum().backward()
    torch.testing.assert_close(x.grad, a.sum(0))


def test_arguments_of_other_classes():
    for text, call in (
            ("backward is to be a dictionary of formats by operand, not 5", lambda: spc.torch.op(SPMM, backward=5)),
            ("A: a format is a name or a file's contents, not 5", lambda: spc.torch.op(SPMM, backward={"A": 5})),
            ("a function's name is a word, not 5", lambda: spc.torch.op(SPMM, name=5)),
            (r"examples are a tuple of arguments, as in \(x,\), and not of class Tensor",
             lambda: spc.torch.compile(torch.nn.Linear(2, 2), torch.ones(3, 2)))):
        with pytest.raises(spc.ArgumentTypeError, match=text):
            call()
