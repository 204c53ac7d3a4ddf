"""Arrays that hold indices: gathers, scatters, and their gradients."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
from support import close, kernel, matrix

import spc


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_parts_of_a_matrix(index):
    a = matrix(11, 13)
    rows, columns = np.array([3, 0, 10, 3], index), np.array([12, 1, 1], index)
    close(spc.kernel("C(i,j) = A(p(i), q(j))", formats={"C": "csr"})(A=a, p=rows, q=columns).toarray(),
          a.toarray()[rows][:, columns])


@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint32])
def test_rows_of_a_table(index):
    table, tokens = np.random.default_rng(1).random((30, 8)), np.array([[1, 29, 4], [0, 0, 7]], index)
    embed = kernel("R(b,i,k) = E(tok(b,i),k)")
    close(embed(E=table, tok=tokens), table[tokens])
    with pytest.raises(spc.StructureError, match="tok"):
        embed(E=table, tok=tokens + index(1))


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_by_indices_with_strides(index):
    rng, table = np.random.default_rng(3), np.arange(60.0).reshape(20, 3)
    bags = spc.kernel("R(b,k) = sum(c, E(t(b,c),k))")
    wide = rng.integers(0, 20, (14, 4)).astype(index)
    for places in wide[:7], wide[:4].T, wide[::2], wide[:3, :0]:
        np.testing.assert_array_equal(bags(E=table, t=places), table[places].sum(1))
    rows, places = spc.kernel("y(i) = x(p(i))"), rng.integers(0, 20, 40).astype(index)
    for some in places, places[::2], places[::-1], places[:0]:
        np.testing.assert_array_equal(rows(x=table[:, 0].copy(), p=some), table[some, 0])


MADE = "let d(i,j) = b(i) + sum(k, abs(x(i,k) - z(j,k)))\n"


@pytest.mark.parametrize("options", [(), ("--fp=strict",), ("--plan=as-written",)])
@pytest.mark.parametrize("text, expected", [
    (MADE + "y(e) = exp(-d(p(e),q(e)))", lambda d, p, q: np.exp(-d[p, q])),
    (MADE + "y(e) = d(p(e),q(e)) / (1 + d(p(e),2) * d(q(e),p(e)))", lambda d, p, q: d[p, q] / (1 + d[p, 2] * d[q, p])),
    (MADE + "let s(i,j) = sqrt(d(i,j)) * b(j)\ny(e) = sin(s(p(e),p(e)) - d(p(e),q(e)))",
     lambda d, p, q: np.sin(np.sqrt(d[p, p]) * np.arange(6.0)[p] - d[p, q])),
    (MADE + "y = max(e, d(p(e),q(e)) - d(q(e),p(e)))", lambda d, p, q: (d[p, q] - d[q, p]).max()),
    (MADE + "y(e) = -d(p(e),q(e)) / 2 + sum(f, sin(d(p(f),q(e))))",
     lambda d, p, q: -d[p, q] / 2 + np.sin(d[p][:, q]).sum(0)),
])
def test_elements_of_matrices_that_are_not_made(text, expected, options):
    rng = np.random.default_rng(5)
    b, x, z = np.arange(6.0), rng.random((6, 3)), rng.random((6, 3))
    p, q = rng.integers(0, 6, 9), rng.integers(0, 6, 9)
    made = b[:, None] + np.abs(x[:, None] - z).sum(-1)
    run = spc.kernel(text, options=list(options))
    close(np.asarray(run(b=b, x=x, z=z, p=p, q=q)), np.asarray(expected(made, p, q)))
    p[4] = 6
    with pytest.raises(spc.StructureError, match="p"):
        run(b=b, x=x, z=z, p=p, q=q)


def test_scores_of_many_pairs():
    n, rng = 60000, np.random.default_rng(6)
    x, p, q = rng.random((n, 3)), rng.integers(0, n, 1000), rng.integers(0, n, 1000)
    scores = kernel("let s(i,j) = sqrt(sum(k, pow(x(i,k) - x(j,k), 2)))\ny(e) = exp(s(p(e),q(e)))")
    close(scores(x=x, p=p, q=q), np.exp(np.linalg.norm(x[p] - x[q], axis=1)))


def test_groups():
    labels, x = np.array([2, 0, 2, 1], np.int64), np.random.default_rng(2).random((4, 3))
    wanted = np.stack([x[labels == k].sum(0) for k in range(3)])
    close(kernel("S(k,f) = (label(i) == k) * X(i,f)")(label=labels, X=x, sizes={"k": 3}), wanted)


def test_backwards_and_shifted():
    x = np.arange(7.0)
    close(kernel("tensor x(n)\ntensor y(n)\ny(i) = x(n-1-i)")(x=x), x[::-1])
    close(kernel("tensor x(n)\ntensor k: i64\ny(i) = x(i+k)")(x=x, k=3, sizes={"i": 4}), x[3:])
    padded = kernel("tensor x(n)\ntensor y(n)\ny(i) = padded(x(i-1)) - 2*x(i) + padded(x(i+1))")
    close(padded(x=x), np.convolve(x, [1, -2, 1], "same"))
    a = matrix(11, 13)
    flipped = spc.kernel("tensor A(m, n)\ntensor B(m, n)\nB(i,j) = A(m-1-i, n-1-j)", formats={"B": "csr"})
    close(flipped(A=a).toarray(), a.toarray()[::-1, ::-1])
    with pytest.raises(spc.StructureError, match="x"):
        kernel("tensor x(n)\ntensor k: i64\ny(i) = x(i+k)")(x=x, k=4, sizes={"i": 4})


def test_blocks_and_products():
    sparse = pytest.importorskip("scipy.sparse")
    a, b = matrix(5, 7), matrix(5, 4)
    beside = "tensor A(m, n)\ntensor B(m, q)\ntensor H(m, n + q)\nH(i,j) = padded(A(i,j)) + padded(B(i,j-n))"
    close(spc.kernel(beside, formats={"H": "csr"})(A=a, B=b).toarray(), sparse.hstack([a, b]).toarray())
    below = "tensor A(m, n)\ntensor B(p, n)\ntensor H(m + p, n)\nH(i,j) = padded(A(i,j)) + padded(B(i-m,j))"
    close(spc.kernel(below, formats={"H": "csr"})(A=a, B=matrix(3, 7)).toarray(),
          sparse.vstack([a, matrix(3, 7)]).toarray())
    kron = "tensor A(m, n)\ntensor B(p, q)\ntensor C(m*p, n*q)\nC(i*p+k, j*q+l) = A(i,j)*B(k,l)"
    close(spc.kernel(kron, formats={"C": "csr"})(A=a, B=b).toarray(), sparse.kron(a, b).toarray())
    with pytest.raises(spc.ArgumentError, match="35"):
        spc.kernel(kron, formats={"C": "csr"})(A=a, B=b, sizes={"C__0": 35})


def test_a_convolution_at_entries_alone():
    a, weights = matrix(9, 8), np.random.default_rng(3).random((3, 3))
    text = """tensor A(m, n), sparse
        tensor K(3, 3)
        Y(i,j) = pattern(A(i,j)) * padded(A(i+p-1, j+q-1)) * K(p,q)"""
    around = np.pad(a.toarray(), 1)
    wanted = sum(weights[p, q] * around[p:p + 9, q:q + 8] for p in range(3) for q in range(3)) * (a.toarray() != 0)
    with pytest.warns(spc.SpcWarning, match="reordered"):
        convolve = spc.kernel(text)
        close(convolve(A=a, K=weights).toarray(), wanted)


def test_gradients_of_shifts():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
    import spc.torch
    x = torch.rand(6, dtype=torch.float64, requires_grad=True)
    out = spc.torch.op("tensor x(n)\ntensor y(n)\ny(i) = padded(x(i-1)) * x(n-1-i)")(x=x)
    wanted = torch.nn.functional.pad(x, (1, 0))[:-1] * x.flip(0)
    assert torch.allclose(out, wanted)
    (gradient,) = torch.autograd.grad((out * out).sum(), x)
    assert torch.allclose(gradient, torch.autograd.grad((wanted * wanted).sum(), x)[0])


def test_gradients():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
    table = torch.rand(6, 3, dtype=torch.float64, requires_grad=True)
    tokens = torch.tensor([5, 1, 5, 0])
    import spc.torch
    out = spc.torch.op("R(i,k) = E(tok(i),k)")(E=table, tok=tokens)
    (gradient,) = torch.autograd.grad((out * out).sum(), table)
    (wanted,) = torch.autograd.grad((table[tokens] ** 2).sum(), table)
    assert torch.allclose(gradient, wanted)


def test_a_matrix_that_two_statements_scatter_to():
    rng = np.random.default_rng(4)
    x, v, w = rng.random((9, 3)), rng.random(20), rng.random(20)
    p, q, q2 = (rng.integers(0, 9, 20) for _ in range(3))
    t = np.zeros((9, 9))
    np.add.at(t, (p, q), v)
    np.add.at(t, (p, q2), w)
    move = kernel("let T(r,c) = at(r, p(e))*at(c, q(e))*v(e)\nT(r,c) += at(r, p(e))*at(c, q2(e))*w(e)\n"
                  "y(i,k) = 2*(x(i,k) - x(j,k))*T(i,j) - x(i,k)\ny(j,k) += -(x(i,k)*T(i,j))")
    between = 2*(x*t.sum(1)[:, None] - t @ x)
    close(move(x=x, p=p, q=q, q2=q2, v=v, w=w), between - x - t.T @ x)
