"""Operands that a kernel declares sparse are taken as they are stored; the recipes' kernels run as they are printed."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, matrix

import spc

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPMV = "tensor A(m, n), sparse\ntensor x(n)\ny(i) = A(i,j) * x(j)"


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_as_it_is_stored(kind):
    a, x = matrix(6, 9, kind), dense(9)
    close(spc.kernel(SPMV)(a, x), a @ x)


@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_arrays(order):
    a = np.asarray(matrix(6, 9).toarray(), order=order)
    close(spc.kernel(SPMV)(a, dense(9)), a @ dense(9))


def test_unsorted_coordinates_and_types():
    kernel = spc.kernel("type T = f64\ntensor A(m, n): T, sparse\ntensor x(n): T\ny(i) = A(i,j) * x(j)", types={"T": "f32"})
    a = sp.coo_array((np.ones(3, np.float32), ([2, 0, 2], [0, 1, 0])), shape=(3, 2))
    close(kernel(a, np.ones(2, np.float32)), np.array([1, 0, 2], np.float32))


def test_what_is_said_holds():
    with pytest.raises(spc.ArgumentError, match="stored as csc, and the kernel reads csr"):
        spc.kernel(SPMV, A="csr")(matrix(6, 9, "csc"), dense(9))
    with pytest.raises(spc.ArgumentTypeError, match="A: a tensor of order 2 is needed, not a number"):
        spc.kernel(SPMV)(3.0, dense(9))


def test_several_and_of_other_orders():
    kernel = spc.kernel("tensor A(m, n), sparse\ntensor T(n, p, q), sparse\ntensor v(q), sparse\n"
                        "Y(i, k) = A(i,j) * T(j,k,l) * v(l)")
    a, t, v = matrix(4, 3, "csc"), dense((3, 5, 2)), dense(2)
    close(kernel(a, t, v), np.einsum("ij,jkl,l->ik", a.toarray(), t, v))


def test_patterns_of_results():
    kernel = spc.kernel("tensor S(m, n), sparse\ntensor D(m, n), sparse\nD(i,j) = 2 * S(i,j)")
    for kind in ("csr", "csc", "coo"):
        assert kernel(matrix(5, 6, kind)).format == kind
    with pytest.raises(spc.CompileError, match='bind it, for instance C="csr"'):
        spc.kernel("tensor A(m, n), sparse\ntensor C(m, n), sparse\nC(i,j) = exp(A(i,j))")


def test_other_mistakes_are_said():
    with pytest.raises(spc.CompileError, match="tensor 'x' is not declared"):
        spc.kernel("tensor A(n, n), sparse\ny(i) = A(i,j) * x(j)")
    with pytest.raises(spc.CompileError, match="unexpected-token"):
        spc.kernel("tensor A(n, n), sparse\ny(i) = A(i,")


def test_pickled():
    a, x = matrix(6, 9, "csc"), dense(9)
    close(pickle.loads(pickle.dumps(spc.kernel(SPMV)))(a, x), a @ x)


def test_operators():
    torch = pytest.importorskip("torch")
    from spc.torch import Matrix, op  # takes a second
    weights, x = Matrix.of(matrix(6, 9)), torch.rand(9, dtype=torch.float64)
    weights.values.requires_grad_()
    op(SPMV)(weights, x).sum().backward()
    close(weights.values.grad.numpy(), x.numpy()[matrix(6, 9).indices])


def recipe(name):
    """A kernel of docs/howto.md, as it is printed."""
    text = (ROOT / "docs" / "howto.md").read_text(encoding="utf-8")
    return re.search(rf"^```\n(kernel {name}\(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]


def test_all_recipes_are_here():
    text = (ROOT / "docs" / "howto.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^kernel (\w+)\(", text, re.MULTILINE)) == {
        name[len("test_recipe_"):] for name in globals() if name.startswith("test_recipe_")}


def test_recipe_gcn():
    a = sp.csr_array(np.roll(np.eye(6), 1, 0) + np.roll(np.eye(6), -1, 0))
    x, w = dense((6, 4)), dense((4, 3), seed=3)
    scale = sp.diags_array((a.sum(1) + 1) ** -0.5) if hasattr(sp, "diags_array") else sp.diags((a.sum(1) + 1) ** -0.5)
    expected = np.maximum(scale @ (a + sp.eye(6)) @ scale @ x @ w, 0)
    close(spc.kernel(recipe("gcn"))(a, x, w), expected)


def test_recipe_pagerank():
    a = sp.csr_array((np.ones(6), [2, 0, 0, 1, 3, 3], [0, 1, 2, 5, 5, 6]), shape=(5, 5))
    pagerank, ranks, change = spc.kernel(recipe("pagerank")), np.full(5, 0.2), 1
    while change > 1e-9:
        ranks, change = pagerank(a, ranks)
    np.testing.assert_allclose(ranks, [0.3502, 0.1884, 0.3654, 0.0396, 0.0564], atol=5e-5)


def test_recipe_cg():
    n = 100
    a = sp.csr_array(sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1]))
    step, x, r, p, rr = spc.kernel(recipe("cg")), np.zeros(n), np.ones(n), np.ones(n), np.array(float(n))
    steps = 0
    while rr ** 0.5 > 1e-8:
        step(a, x=x, r=r, p=p, rr=rr)
        steps += 1
    assert steps == 50 and abs(x[49] - 1275) < 1e-6


def test_recipe_attention():
    n, k = 5, 4
    window = sp.csr_array(np.tril(np.ones((n, n), np.float32)) - np.tril(np.ones((n, n), np.float32), -3))
    place = np.arange(n * k)
    q, keys = (place % 3).reshape(n, k).astype(np.float32), (place % 5 / 2).reshape(n, k).astype(np.float32)
    out = spc.kernel(recipe("attention"))(window, q, keys, np.eye(n, dtype=np.float32), np.float32(k ** -0.5))
    np.testing.assert_allclose(out[2], [0.182, 0.636, 0.182, 0, 0], atol=5e-4)


def test_recipe_bfs():
    n = 16
    a = np.zeros((n, n), bool)
    for j in range(n):
        a[[i for i in (j + 1, 2 * j) if j < i < n], j] = True
    bfs = spc.kernel(recipe("bfs"), next="sparse-vector", options=["--drop-zeros"])
    front = spc.convert(np.arange(n) == 1, "sparse-vector")
    seen, levels = np.zeros(n, bool), []
    def nodes(front):
        return front["indices_0"] if isinstance(front, dict) else front.coords[0]  # an array of SciPy 1.13 and later
    while len(nodes(front)):
        levels.append(list(nodes(front)))
        seen[nodes(front)] = True
        front = bfs(sp.csc_array(a), front, seen)
    assert levels == [[1], [2], [3, 4], [5, 6, 8], [7, 9, 10, 12], [11, 13, 14], [15]]


def test_recipe_truss():
    place = np.arange(10)
    near = np.abs(place[:, None] - place) <= 2
    near[:5, :5] = True
    np.fill_diagonal(near, False)
    graph = sp.csr_array(near.astype(np.int32))
    truss = spc.kernel(recipe("truss"), S="csr", B="csr", options=["--drop-zeros"])
    counts = [graph.nnz // 2]
    while len(counts) < 2 or counts[-1] != counts[-2]:
        graph = truss(graph, np.int32(2))
        counts.append(graph.nnz // 2)
    assert counts == [20, 14, 10, 10]


def test_recipe_mttkrp():
    at = np.argwhere(np.random.default_rng(1).random((6, 7, 8)) < 0.3).T
    t = np.zeros((6, 7, 8))
    t[tuple(at)] = np.arange(1, at.shape[1] + 1)
    b, c = dense((7, 2)), dense((8, 2), seed=5)
    mttkrp = spc.kernel(recipe("mttkrp"))
    operand = spc.coo(at, t[tuple(at)], t.shape)
    for stored in (operand, spc.convert(operand, "csf")):
        y, g = mttkrp(stored, b, c)
        close(y, np.einsum("ijk,jr,kr->ir", t, b, c))
        close(g, (b.T @ b) * (c.T @ c))


def test_recipe_layer():
    weights = sp.random(8, 12, 0.4, "csr", np.float32, random_state=1).toarray()
    b, x = dense(8, np.float32), dense((2, 12), np.float32, 4)
    expected = np.maximum(x @ weights.T + b, 0)
    for stored in (sp.csr_array(weights), sp.bsr_array(weights, blocksize=(4, 4))):
        close(spc.kernel(recipe("layer"))(stored, b, x), expected)


def test_recipe_moe():
    gate = sp.random(5, 3, 0.6, "csc", np.float32, random_state=1)
    x, w = dense((5, 2), np.float32), dense((3, 2, 4), np.float32, 4)
    close(spc.kernel(recipe("moe"))(gate, x, w), np.einsum("te,ti,eio->to", gate.toarray(), x, w))
