"""Gradients are never lost without an error: whatever requires them, and however it is passed."""
# SPDX-License-Identifier: Apache-2.0

import copy
import pickle

import numpy as np
import pytest
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch
from torch.autograd import forward_ad

SPMM = "C(i,k) = A(i,j) * B(j,k)"
LOST = r"requires gradients.*spc\.torch\.Matrix\.of.*\.detach\(\)"
LAYOUTS = ["coo", "csr", "csc", "bsr", "matrix", "dictionary", "dense dictionary", "coo dictionary"]
pytestmark = pytest.mark.filterwarnings("ignore:Sparse .* tensor support is in beta state:UserWarning")


def sparse(layout, dtype=torch.float64):
    """A matrix of one of torch's layouts, or another object that has tensors, and what sets whether it requires gradients."""
    made = matrix(6, 6, "bsr" if layout == "bsr" else "csc" if layout == "csc" else "csr")
    if layout == "bsr":
        made.sort_indices()
    values = torch.from_numpy(made.data).to(dtype)
    if layout in ("coo", "coo dictionary"):
        listed = made.tocoo()
        if layout == "coo":
            value = torch.sparse_coo_tensor(np.stack([listed.row, listed.col]).astype(np.int64), values, (6, 6)).coalesce()
            return value, value
        return {"format": "COO", "shape": (6, 6), "values": values, "indices_0": listed.row,
                "indices_1": torch.from_numpy(listed.col)}, values
    if layout == "matrix":
        value = spc.torch.Matrix.of(made).with_values(values)
        return value, values
    if layout == "dictionary":
        return {"format": "CSR", "shape": (6, 6), "values": values, "pointers_to_1": made.indptr,
                "indices_1": made.indices}, values
    if layout == "dense dictionary":
        values = torch.from_numpy(dense((6, 6))).to(dtype)
        return {"format": "DMAT", "shape": (6, 6), "values": values}, values
    value = getattr(torch, f"sparse_{layout}_tensor")(torch.from_numpy(made.indptr).long(),
                                                      torch.from_numpy(made.indices).long(), values, size=(6, 6))
    return value, value


@pytest.mark.parametrize("copying", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sparse_operands_of_kernels(layout, copying):
    spmm, b = spc.kernel(SPMM, copy=copying), torch.from_numpy(dense((6, 3)))
    a, leaf = sparse(layout)
    expected = spmm(a, b)
    for _ in range(2):
        spmm(a, b)
    call = spmm.bind(a, b)
    leaf.requires_grad_()
    for _ in range(4):
        for refused in (lambda: spmm(a, b), lambda: spmm(B=b, A=a), lambda: spmm.bind(a, b), call,
                        lambda: spc.einsum("ij,jk->ik", a, b)):
            with pytest.raises(spc.ArgumentError, match="A: it |X0: it " + LOST):
                refused()
        with torch.no_grad():
            for fine in (lambda: spmm(a, b), call, lambda: spc.einsum("ij,jk->ik", a, b)):
                assert np.allclose(fine(), expected)
        with torch.inference_mode():
            assert np.allclose(spmm(a, b), expected)
    leaf.requires_grad_(False)
    assert np.allclose(spmm(a, b), expected) and np.allclose(call(), expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64])
def test_dense_operands_of_kernels(dtype):
    scale, x = spc.kernel("y(i) = a * x(i)"), torch.ones(5, dtype=dtype)
    a, out = torch.tensor(2.0, dtype=dtype), torch.empty(5, dtype=dtype)
    bound = scale.bind(a, x)
    for _ in range(3):
        scale(a, x)
        scale(a, x, out=out)
        scale(2.0, x)
    for leaf in (a, x, out):
        leaf.requires_grad_()
        for _ in range(3):
            with pytest.raises(spc.ArgumentError, match=LOST):
                scale(a, x, out=out)
            if leaf is not out:
                with pytest.raises(spc.ArgumentError, match=LOST):
                    scale(a, x)
                with pytest.raises(spc.ArgumentError, match=LOST):
                    bound()
            with pytest.raises(spc.ArgumentError, match=LOST):
                scale.bind(a, x, out=out)
            with torch.no_grad():
                assert torch.equal(scale(a, x, out=out).detach(), torch.full((5,), 2.0, dtype=dtype))
            assert torch.equal(scale(a.detach(), x.detach()), torch.full((5,), 2.0, dtype=dtype))
        leaf.requires_grad_(False)


def test_results_that_depend_on_leaves():
    """Tensors that are no leaves, parameters of modules, and views."""
    double, weights = spc.kernel("y(i) = 2 * x(i)"), torch.nn.Parameter(torch.ones(4, dtype=torch.float64))
    for given in (weights, weights * 2, weights[1:], (weights * 1).reshape(2, 2)[0], torch.nn.Linear(4, 4).bias):
        with pytest.raises(spc.ArgumentError, match=LOST):
            double(given)
        with pytest.raises(spc.ArgumentError, match=LOST):
            spc.kernel("y(i) = 2 * x(i)", copy=True)(given.unsqueeze(1).expand(-1, 2)[:, 1])
        double(given.detach())
        double(given.data)
        with torch.no_grad():
            double(given)
    with pytest.raises(spc.ArgumentError):
        spc.kernel("y(i) = 2 * x(i)", copy=True)([torch.ones((), requires_grad=True)])


def test_updates_and_numbers():
    step, x = spc.kernel("kernel f(x) -> (y, s)\ntensor x(n)\ntensor y(n)\ny(i) += x(i)\ns += x(i)"), torch.ones(3)
    for which in range(3):
        given = [x.clone(), torch.zeros(3), torch.tensor(0.0)]
        names = ["x", "y", "s"]
        given[which].requires_grad_()
        with pytest.raises(spc.ArgumentError, match=f"{names[which]}: it {LOST}"):
            step(**dict(zip(names, given)))
        with torch.no_grad():
            step(**dict(zip(names, given)))
        assert float(given[2]) == 3 and given[1].tolist() == [1, 1, 1]


def test_plans():
    product = spc.kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr")
    (a, leaf), (b, _) = sparse("csr"), sparse("csr")
    plan = product.plan(a, b)
    expected = plan().to_dense()
    leaf.requires_grad_()
    with pytest.raises(spc.ArgumentError, match=f"A: it {LOST}"):
        plan()
    with pytest.raises(spc.ArgumentError, match=f"A: it {LOST}"):
        product.plan(a, b)
    with torch.no_grad():
        assert torch.equal(plan().to_dense(), expected)


def test_libraries(tmp_path):
    from spc.compiler import toolchain
    (tmp_path / "twice.tex").write_text("y(i) = 2 * x(i)\n")
    toolchain.run(["compile", "twice.tex", "-O1"], tmp_path)
    toolchain.run(["library", "twice.o", "-o", "libtwice.so"], tmp_path)
    twice = spc.load(tmp_path / "libtwice.so")["twice"]
    with pytest.raises(spc.ArgumentError, match=f"x: it {LOST}"):
        twice(torch.ones(3, dtype=torch.float64, requires_grad=True))


def test_tangents():
    double, x = spc.kernel("y(i) = 2 * x(i)"), torch.ones(3)
    for _ in range(3):
        double(x)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(3))
        with pytest.raises(spc.ArgumentError, match=LOST):
            double(dual)
        double(x)


@pytest.mark.parametrize("layout", ["coo", "csr", "csc", "bsr", "dictionary", "coo dictionary"])
@pytest.mark.parametrize("copying", [False, True])
def test_sparse_operands_of_operators(layout, copying):
    spmm = spc.torch.op(SPMM, copy=copying)
    b = torch.from_numpy(dense((6, 3))).requires_grad_()
    a, leaf = sparse(layout)
    expected = spmm(a, b)
    leaf.requires_grad_()
    text = r"A: it requires gradients, and operators give none .* A = spc\.torch\.Matrix\.of\(A\.detach\(\)\)"
    for _ in range(3):
        for second in (b, b.detach(), torch.stack([b, b])):
            with pytest.raises(spc.ArgumentError, match=text):
                spmm(a, second)
        with pytest.raises(spc.ArgumentError, match=r"the tensor requires gradients.* Matrix\.of\(tensor\.detach\(\)\)"):
            spc.torch.Matrix.of(a)
        with torch.no_grad():
            assert torch.allclose(spmm(a, b), expected)
            assert not spc.torch.Matrix.of(a).values.requires_grad
    if "dictionary" in layout or layout == "bsr":  # which has no gradient, as backward says
        return
    own = spc.torch.Matrix.of(a.detach())
    own.values.requires_grad_()
    spmm(own, b).sum().backward()
    entries = spc.torch.Matrix.of(a.detach()).with_values(own.values.grad).to_dense()
    pattern = a.detach().to_dense() != 0
    assert torch.allclose(entries[pattern], b.detach().sum(1).expand(6, 6)[pattern])


def test_matrices_keep_gradients():
    a = spc.torch.Matrix.of(matrix(6, 6))
    weights = a.values.clone().requires_grad_()
    graph = a.with_values(weights)
    rows = torch.from_numpy(dense((6, 6)))
    for given in (graph, spc.torch.Matrix.of(graph), graph.contiguous(), graph.owning(), copy.copy(graph)):
        weights.grad = None
        (given.to_dense() * rows).sum().backward()
        expected = rows[torch.from_numpy(matrix(6, 6).tocoo().row).long(), torch.from_numpy(matrix(6, 6).tocoo().col).long()]
        assert torch.allclose(weights.grad, expected)
    assert torch.autograd.gradcheck(lambda w: a.with_values(w).to_dense(), weights)
    assert torch.autograd.gradgradcheck(lambda w: a.with_values(w * w).to_dense(), weights)
    with pytest.raises(spc.ArgumentError, match=r"its values require gradients.*to_dense\(\) does.*\.detach\(\)"):
        graph.to_torch()
    with torch.no_grad():
        assert torch.allclose(graph.to_torch().to_dense(), graph.to_dense())
    assert pickle.loads(pickle.dumps(graph)).values.requires_grad


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("copying", [False, True])
def test_operators_of_all_floats(dtype, copying):
    """What comes back requires gradients, and gives them, of whatever type."""
    spmm = spc.torch.op(SPMM, A="csr", copy=copying)
    a = spc.torch.Matrix.of(matrix(6, 6))
    weights = a.values.to(dtype).requires_grad_()
    b = torch.ones(6, 2, dtype=dtype, requires_grad=True)
    scale = torch.tensor(2.0, dtype=dtype, requires_grad=True)
    for _ in range(3):
        result = spmm(a.with_values(weights), b)
        assert result.requires_grad
        (result * scale).sum().backward()
    assert torch.allclose(weights.grad, torch.full_like(weights, 12), rtol=1e-2)
    assert b.grad is not None and scale.grad is not None
    both = spc.torch.op("y(i) = a * x(i)")
    x = torch.ones(3, dtype=dtype)
    for _ in range(3):
        scale.grad = None
        both(scale, x).sum().backward()
        assert float(scale.grad) == 3


def test_what_kernels_write_is_noted():
    """PyTorch keeps tensors to go back through them: what was written since is an error, and no wrong gradient."""
    fill, kept = spc.kernel("y(i) = 2 * x(i)"), torch.ones(3)
    x, given = torch.ones(3, requires_grad=True), torch.ones(3)
    bound = fill.bind(given, out=kept)
    add = spc.kernel("y(i) += x(i)")
    writes = [lambda: fill(given, out=kept), bound, lambda: add(y=kept, x=given)]
    for write in writes:
        for _ in range(4):
            result = (x * kept).sum()
            write()
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                result.backward()
    total = torch.tensor(1.0)
    result = (x * total).sum()
    spc.kernel("s = x(i)")(given, out=total)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()
    assert float(total) == 3
    for layout in ("csr", "coo"):
        (s, _), (d, _) = sparse(layout), sparse(layout)
        before = (d._values() if layout == "coo" else d.values())._version
        spc.kernel("D(i,j) = 2 * S(i,j)")(s, out=d)
        assert (d._values() if layout == "coo" else d.values())._version > before
    with torch.inference_mode():
        fill(torch.ones(3), out=torch.empty(3))
    (x * kept).sum().backward()


def test_matrices_have_their_own_structure():
    s = matrix(6, 6)
    s.data[::3] = 0
    a, b = spc.torch.Matrix.of(s), torch.from_numpy(dense((6, 3)))
    sampling, spmm = spc.torch.op("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", S="csr"), spc.torch.op(SPMM, A="csr")
    full = torch.from_numpy(s.toarray())
    results = [sampling(a, b, b), sampling(s, b, b), sampling(s, b, b), sampling(s, torch.stack([b, b]), b)]
    for made in (results[0], sampling(a, torch.stack([b, b]), b)):
        assert made.pattern.arrays["indices", 1] is a.pattern.arrays["indices", 1]
    s.eliminate_zeros()
    s.indices[:] = 0
    for made in results[:3]:
        assert torch.allclose(made.to_dense(), full * (b @ b.T))
        assert torch.allclose(spmm(made, b), (full * (b @ b.T)) @ b)
        tensor = made.to_torch()
        tensor.col_indices()[:] = 0
        assert torch.allclose(made.to_dense(), full * (b @ b.T))
    assert torch.allclose(results[3].with_values(results[3].values[1]).to_dense(), full * (b @ b.T))


POOLED = """
let t(i,f) = sum(k, A(i,k) * x(k,f))
let u(i,h) = sum(f, t(i,f) * W(h,f)) + b(h)
y(h) = max(i, select(u(i,h) > 0, u(i,h), 0.2 * u(i,h)))
"""


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("seed", range(4))
def test_extremes_of_sums_have_a_place(dtype, seed):
    """Sums are added up in another order in the derivative, where the greatest one is still found."""
    torch.manual_seed(seed)
    a = torch.rand(40, 40, dtype=dtype) * (torch.rand(40, 40) < 0.3)
    x, w, b = torch.rand(40, 17, dtype=dtype) - 0.5, torch.rand(23, 17, dtype=dtype) - 0.5, torch.rand(23, dtype=dtype) - 0.5
    x.requires_grad_()
    pooled = spc.torch.op(POOLED, A="csr", options=["-O3"])
    given, = torch.autograd.grad(pooled(A=a.to_sparse_csr(), x=x, W=w, b=b).sum(), x)
    computed = torch.nn.functional.leaky_relu(a @ x @ w.T + b, 0.2)
    expected, = torch.autograd.grad(computed.amax(0).sum(), x)
    assert torch.allclose(given, expected, rtol=1e-4, atol=1e-5)


OF_HEADS = {  # temporaries with an index in front of a matrix's, between these, behind them, or whose missing entries are no zeros
    "let T(i,h,j) = A(i,j)*X(i,h)\ny(i,j) = sum(h, T(i,h,j)*A(i,j))": lambda a, x: a * a * x.sum(1)[:, None],
    "let T(i,j,h) = A(i,j)*X(i,h)\ny(i) = sum(j,h, T(i,j,h)*T(i,j,h))": lambda a, x: (a * a).sum(1) * (x * x).sum(1),
    "let P(h,i,j) = A(i,j)*X(j,h)\nlet m(h,i) = max(j, select(pattern(A(i,j)), P(h,i,j), -9))\ny(h,i) = m(h,i)":
        lambda a, x: torch.where(a != 0, a * x.T[:, None, :], -9.0).amax(2),
    "let P(h,i,j) = A(i,j)*X(j,h)\ny(h,i) = sum(j, exp(P(h,i,j))*pattern(A(i,j))*X(j,h))":
        lambda a, x: ((a != 0) * torch.exp(a * x.T[:, None, :]) * x.T[:, None, :]).sum(2),
    "let T(i,j) = exp(A(i,j))\ny(i,k) = T(i,j)*X(j,k)": lambda a, x: torch.exp(a) @ x,
}


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("layout", ["csr", "coo"])
@pytest.mark.parametrize("text", OF_HEADS)
def test_temporaries_of_heads(text, layout):
    a, x = matrix(6, 6, layout), torch.from_numpy(dense((6, 3))).requires_grad_()
    given = spc.torch.Matrix.of(a)
    given.values.requires_grad_()
    whole, again = given.to_dense().detach().requires_grad_(), x.detach().clone().requires_grad_()
    result, expected = spc.torch.op(text)(A=given, X=x), OF_HEADS[text](whole, again)
    made = result.to_dense() if isinstance(result, spc.torch.Matrix) else result
    assert torch.allclose(made, expected)
    weights = torch.from_numpy(dense(tuple(expected.shape), seed=5))
    (made * weights).sum().backward()
    (expected * weights).sum().backward()
    assert torch.allclose(given.with_values(given.values.grad).to_dense(), whole.grad * (whole != 0))
    assert torch.allclose(x.grad, again.grad)
