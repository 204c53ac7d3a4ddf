"""Operators that convert what does not fit (copy=True): results, gradients, and what keeps the copies alive."""
# SPDX-License-Identifier: Apache-2.0

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

SPMV = "y(i) = A(i,j) * x(j)"
SPMM = "C(i,k) = A(i,j) * B(j,k)"


def of(*shape, dtype=np.float64, seed=2):
    """A tensor."""
    return torch.from_numpy(dense(shape, dtype, seed))


@pytest.fixture(autouse=True)
def quick_collections():
    """Collections of what a test makes alone: PyTorch's modules are a million objects, which take half a second each time."""
    gc.freeze()
    yield
    gc.unfreeze()


def converting(text, **options):
    """An operator that copies."""
    return spc.torch.op(text, copy=True, **options)


def messy():
    """A matrix in rows that are not sorted, with an entry that repeats, and the same one dense."""
    made = sp.csr_array((np.arange(1.0, 7.0), np.array([2, 0, 2, 1, 1, 3]), np.array([0, 3, 3, 6])), shape=(3, 4))
    return spc.torch.Matrix.of(made), torch.from_numpy(made.toarray())


@pytest.mark.parametrize("bound", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_storage(kind, bound):
    spmv, given = converting(SPMV, A=bound), spc.torch.Matrix.of(matrix(8, 6, kind))
    for seed in range(3):
        x = of(6, seed=seed)
        assert torch.allclose(spmv(given, x), given.to_dense() @ x)
        gc.collect()
        twice = given.with_values(2 * given.values)
        assert torch.allclose(spmv(twice, x), 2 * given.to_dense() @ x)


def test_copies_live_as_long_as_they_are_read():
    spmm = converting(SPMM, A="csr")
    given, b = spc.torch.Matrix.of(sp.random(300, 300, 0.05, "csc", random_state=3)), of(300, 4)
    expected = given.to_dense() @ b
    for _ in range(20):
        gc.collect()
        junk = [np.full(count, 2**31 - 1, np.int32) for count in (given.pattern.stored, 301)] * 10
        assert torch.allclose(spmm(given, b), expected)
        del junk


def test_types_and_strides():
    typed = converting(SPMV, A="csr", types={"x": "f64"})
    graph = spc.torch.Matrix.of(matrix(8, 6))
    for _ in range(2):
        x = of(6, dtype=np.float32)
        assert torch.allclose(typed(graph, x), graph.to_dense() @ x.double())
    spmm = converting(SPMM, A="csr", types={"B": "f64"})
    b = of(6, 9)[:, ::3]
    assert torch.allclose(spmm(graph, b), graph.to_dense() @ b)
    single = graph.with_values(graph.values.float())
    narrow = converting(SPMV, types={"A": "f64", "x": "f64"}, A="csr")
    assert torch.allclose(narrow(single, of(6)), graph.to_dense() @ of(6), rtol=1e-6)
    integers = converting("y(i) = 2 * x(i)", types={"x": "i32"})
    with pytest.raises(spc.ArgumentTypeError, match="x: values of type f64, and the kernel reads i32"):
        integers(of(3))
    assert integers(torch.tensor([1, 2], dtype=torch.int64)).tolist() == [2, 4]


def test_rows_that_are_not_sorted():
    spmv, (given, full) = converting(SPMV, A="csr"), messy()
    weights, x = given.values.clone().requires_grad_(), of(4).requires_grad_()
    assert torch.allclose(spmv(given, x), full @ x)
    assert torch.autograd.gradcheck(lambda w, b: spmv(given.with_values(w), b), (weights, x))


@pytest.mark.parametrize("kind", ["csc", "coo", "bsr"])
def test_gradients(kind):
    spmm, given = converting(SPMM, A="csr"), spc.torch.Matrix.of(matrix(4, 6, kind))
    weights, b = given.values.clone().requires_grad_(), of(6, 4).requires_grad_()
    assert torch.autograd.gradcheck(lambda w, x: spmm(given.with_values(w), x[:, ::2]), (weights, b))
    assert torch.autograd.gradgradcheck(lambda w, x: spmm(given.with_values(w), x[:, ::2]), (weights, b))
    typed = converting(SPMM, A="csr", types={"B": "f64"})
    single = of(6, 2, dtype=np.float32).requires_grad_()
    typed(given, single).sum().backward()
    assert single.grad.dtype is torch.float32
    assert torch.allclose(single.grad, given.to_dense().float().sum(0)[:, None].expand(6, 2))


def test_batches():
    spmm, given = converting(SPMM, A="csr"), spc.torch.Matrix.of(matrix(8, 6, "bsr"))
    several = given.with_values(torch.stack([given.values, 3 * given.values]))
    b = of(2, 6, 9)[:, :, ::3]
    expected = torch.stack([given.to_dense() @ b[0], 3 * given.to_dense() @ b[1]])
    assert torch.allclose(spmm(several, b), expected)


def test_dense_for_sparse_and_sparse_for_dense():
    full = torch.from_numpy(matrix(8, 6).toarray()).requires_grad_()
    spmv, x = converting(SPMV, A="csr"), of(6)
    result = spmv(full, x)
    assert torch.allclose(result, full @ x)
    result.sum().backward()
    assert torch.allclose(full.grad, x.expand(8, 6) * (full != 0))
    dense_product = converting(SPMV, A="dense")
    for kind in ("csc", "coo"):
        given = spc.torch.Matrix.of(matrix(8, 6, kind))
        assert torch.allclose(dense_product(given, x), given.to_dense() @ x)
    assert torch.allclose(spmv(matrix(8, 6).tolil(), x), full @ x)


def test_what_nobody_converts():
    spmv, cube = converting(SPMV, A="csr"), of(2, 3, 4, 5)
    with pytest.raises(spc.ArgumentError, match="A: "):
        spmv(cube, of(4))
    plain = spc.torch.op(SPMV, A="csr")
    with pytest.raises(spc.ArgumentError, match="A: stored as csc, and the kernel reads csr"):
        plain(spc.torch.Matrix.of(matrix(8, 6, "csc")), of(6))


@pytest.mark.filterwarnings("ignore::spc.SpcWarning", "ignore:Sparse BSR tensor support is in beta state")
@pytest.mark.parametrize("form", ["ell", "csc", "dcsr", "coo"])
def test_copies_in_storage_without_a_count(form):
    full = np.array([[0.0, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, 4], [0, 3, 0, 0]])
    x = torch.tensor([1.0, 2, 3, 4], dtype=torch.float64, requires_grad=True)
    multiply = spc.torch.op("y(i) = A(i,j) * x(j)", A=form, copy=True)
    for a in (torch.from_numpy(full).to_sparse_csr(), torch.from_numpy(full).to_sparse_bsr((2, 2))):
        y = multiply(a, x)
        assert torch.equal(y, torch.from_numpy(full) @ x)
        (slope,) = torch.autograd.grad(y.sum(), x)
        assert torch.equal(slope, torch.from_numpy(full.sum(0)))
