"""Operators in forward mode: tangents of the forty kernels, of sparse values, batches and numbers, within one another and with
gradients; what has no tangents says so. PyTorch before 2 takes a few of the kernels."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
from torch.autograd import forward_ad

import spc.torch
from test_torch_kernels import FEW, KERNELS, opcheck, operand, values_of

SPMV = "y(i) = A(i,j) * x(j)"
SPMM = "C(i,k) = A(i,j) * B(j,k)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"
IS_OLD = not hasattr(torch.autograd.Function, "setup_context")

pytestmark = [pytest.mark.filterwarnings("ignore::spc.errors.SpcWarning"), pytest.mark.filterwarnings("ignore:(?s).*is deprecated"),
              pytest.mark.filterwarnings("ignore:(?s).*performance drop:UserWarning")]


def of(*shape, seed=2):
    return torch.from_numpy(dense(shape, seed=seed))


def dual(tensor, seed=5):
    """A tensor with a tangent, and that."""
    tangent = torch.from_numpy(np.random.default_rng(seed).random(tuple(tensor.shape))).to(tensor.dtype)
    return forward_ad.make_dual(tensor, tangent), tangent


def tangent_of(value):
    return forward_ad.unpack_dual(value.values if isinstance(value, spc.torch.Matrix) else value).tangent


def same(one, other):
    return one is not None and torch.allclose(one, other)


@pytest.fixture
def a():
    return spc.torch.Matrix.of(matrix(8, 6))


def kernel_of(name):
    """The operator of a kernel as a function of tensors, and these."""
    text, said = KERNELS[name]
    op = spc.torch.op(text, name="forty")
    operands = [operand(shape, seed) for seed, shape in enumerate(said.values())]

    def function(*values):
        return values_of(op(*[one.with_values(value) if isinstance(one, spc.torch.Matrix) else value
                              for (one, _), value in zip(operands, values)]))
    return function, [leaf for _, leaf in operands]


@pytest.mark.parametrize("name", KERNELS if opcheck else FEW)
def test_tangents(name):
    function, leaves = kernel_of(name)
    assert torch.autograd.gradcheck(function, leaves, fast_mode=True, check_forward_ad=True, check_backward_ad=False)
    assert torch.autograd.gradgradcheck(function, leaves, fast_mode=True, check_fwd_over_rev=True, check_rev_over_rev=False,
                                         check_undefined_grad=False)
    assert torch.autograd.gradcheck(function, leaves, check_forward_ad=True, check_batched_forward_grad=True, check_batched_grad=False)


@pytest.mark.parametrize("name", KERNELS if opcheck else FEW)
def test_tangents_are_those_of_gradients(name):
    """The Jacobian-vector product by two gradients is computed by other kernels."""
    function, leaves = kernel_of(name)
    primals = tuple(leaf.detach() for leaf in leaves)
    tangents = tuple(torch.ones_like(leaf) for leaf in primals)
    expected = torch.autograd.functional.jvp(function, primals, tangents)[1]
    with forward_ad.dual_level():
        found = [tangent_of(one) for one in function(*map(forward_ad.make_dual, primals, tangents))]
    assert all(map(same, found, expected))


def test_tangents_of_dense_and_sparse_operands(a):
    spmm, sddmm = spc.torch.op(SPMM, A="csr"), spc.torch.op("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", S="csr")
    b, p, q = of(6, 3), of(8, 2), of(6, 2, seed=3)
    with forward_ad.dual_level():
        (values, of_values), (x, of_x), (y, of_y) = dual(a.values), dual(b, 6), dual(q, 7)
        first, second = a.to_dense() @ of_x, a.with_values(of_values).to_dense() @ b
        assert same(tangent_of(spmm(a, x)), first) and same(tangent_of(spmm(a.with_values(values), b)), second)
        assert same(tangent_of(spmm(a.with_values(values), x)), first + second)
        assert same(tangent_of(spmm(a, x.t().contiguous().t())), first)
        places = a.with_values(torch.ones_like(a.values)).to_dense() != 0
        rows = p @ q.T * a.with_values(of_values).to_dense() + p @ of_y.T * a.to_dense()
        made = sddmm(a.with_values(values), p, y)
        assert same(a.with_values(tangent_of(made)).to_dense()[places], rows[places])
        assert same(tangent_of(a.with_values(values).to_dense()), a.with_values(of_values).to_dense())
        assert tangent_of(spmm(a, b)) is None


@pytest.mark.skipif(IS_OLD, reason="PyTorch 1.13 wants tangents of index arrays, too")
@pytest.mark.parametrize("options", [[], ["--drop-zeros"]])
def test_assembled_results(a, options):
    spgemm, b = spc.torch.op(SPGEMM, A="csr", B="csr", C="csr", options=options), spc.torch.Matrix.of(matrix(6, 5, seed=2))
    for by_first, by_second in ((1, 1), (1, 0), (0, 1)):
        with forward_ad.dual_level():
            (first, of_first), (second, of_second) = dual(a.values), dual(b.values, 6)
            made = spgemm(a.with_values(first) if by_first else a, b.with_values(second) if by_second else b)
            tangent = made.with_values(tangent_of(made)).to_dense()
        assert same(tangent, by_first * a.with_values(of_first).to_dense() @ b.to_dense() +
                    by_second * a.to_dense() @ b.with_values(of_second).to_dense())


def test_gradients_keep_entries_that_are_zeros():
    """What a result may leave out is no reason for its gradient to do so."""
    a, b = (spc.torch.Matrix.of(sp.csr_array(np.array(rows))) for rows in ([[1., 1.], [0., 1.]], [[1., 2.], [-1., 1.]]))
    values = a.values.clone().requires_grad_()
    made = spc.torch.op(SPGEMM, A="csr", B="csr", C="csr", options=["--drop-zeros"])(a.with_values(values), b)
    made.values.backward(torch.zeros_like(made.values))
    assert made.values.shape == (3,) and torch.equal(values.grad, torch.zeros(3, dtype=torch.float64))


def test_tangents_of_batches_numbers_and_sizes(a):
    spmm, x = spc.torch.op(SPMM, A="csr"), of(3, 6, 2)
    weights = torch.stack([a.values, 2 * a.values, 3 * a.values])
    scaled, convolve = spc.torch.op("y(i) = a * x(i)"), spc.torch.op("Y(i) = X(i+p) * K(p)")

    def convolved(one, other):
        return torch.nn.functional.conv1d(one[None, None], other[None, None])[0, 0]

    with forward_ad.dual_level():
        (batch, of_batch), (several, of_several) = dual(x), dual(weights)
        made = tangent_of(spmm(a.with_values(several), batch))
        assert same(made, a.with_values(weights).to_dense() @ of_batch + a.with_values(of_several).to_dense() @ x)
        (number, of_number), (y, of_y), (k, of_k) = dual(torch.tensor(2.0, dtype=torch.float64)), dual(of(7)), dual(of(3))
        assert same(tangent_of(scaled(number, y)), 2 * of_y + of_number * of(7))
        assert same(tangent_of(scaled(2.0, y)), 2 * of_y)
        assert same(tangent_of(convolve(y, k, sizes={"i": 5})), convolved(of(7), of_k) + convolved(of_y, of(3)))


def test_names_that_derivatives_would_have():
    """Tangents and gradients of tensors whose names are taken have numbers behind theirs, as other tensors may."""
    x, y, w = of(4), of(4, seed=3), of(4, seed=4)
    with forward_ad.dual_level():
        (one, of_one), (other, of_other) = dual(x), dual(w, 6)
        made = tangent_of(spc.torch.op("z(i) = x(i) * t_x(i) * x_2(i)")(one, y, other))
    assert same(made, of_one * y * w + x * y * of_other)
    x, y = x.requires_grad_(), y.requires_grad_()
    results = spc.torch.op("y(i) = x(i) * x(i)\ny_2(i) = d_y(i) * y(i)\nd_y_2(i) = x(i)")(x, y)
    found = torch.autograd.grad(sum((k + 1) * one.sum() for k, one in enumerate(results)), (x, y))
    assert all(map(same, found, (2 * x + 4 * x * y + 3, 2 * x * x)))


def test_tangents_through_conversions(a):
    spmm, x = spc.torch.op(SPMM, A="csr", copy=True), of(6, 3)
    listed = spc.torch.Matrix.of(sp.coo_array(matrix(8, 6)))
    with forward_ad.dual_level():
        values, tangent = dual(listed.values)
        assert same(tangent_of(spmm(listed.with_values(values), x)), listed.with_values(tangent).to_dense() @ x)


def test_tangents_of_gradients_in_another_format(a):
    """A gradient that would read a converted copy, which has no tangent, reads the operand as it is."""
    spmm, x = spc.torch.op(SPMM, A="csr", backward={"A": "csc"}), of(6, 3).requires_grad_()
    ones = torch.ones(8, 3, dtype=torch.float64)
    torch.autograd.grad(spmm(a, x), x, ones)
    with forward_ad.dual_level():
        values, tangent = dual(a.values)
        gradient, = torch.autograd.grad(spmm(a.with_values(values), x), x, ones)
        assert same(gradient, a.to_dense().T @ ones)
        assert same(tangent_of(gradient), a.with_values(tangent).to_dense().T @ ones)


def test_gradients_of_tangents(a):
    quadratic = spc.torch.op("q = x(i) * A(i,j) * x(j)", A="csr")
    square = spc.torch.Matrix.of(matrix(6, 6))
    leaf = of(6).requires_grad_()
    with forward_ad.dual_level():
        tangent = torch.ones(6, dtype=torch.float64)
        made = tangent_of(quadratic(forward_ad.make_dual(leaf, tangent), square))
    made.backward()
    assert torch.allclose(leaf.grad, (square.to_dense() + square.to_dense().T) @ tangent)


def test_models_and_zeros_without_memory(a):
    model = spc.torch.compile(torch.nn.Linear(6, 2).double(), (of(3, 6),))
    spmv, x = spc.torch.op(SPMV, A="csr"), of(6)
    with forward_ad.dual_level():
        batch, tangent = dual(of(3, 6))
        assert same(tangent_of(model(batch)), tangent @ model.module.weight.T)
        zeros = torch._efficientzerotensor((6,), dtype=torch.float64)
        assert torch.equal(tangent_of(spmv(a, forward_ad.make_dual(x, zeros))), torch.zeros(8, dtype=torch.float64))
    for _ in range(2):
        assert torch.equal(spmv(a, zeros), torch.zeros(8, dtype=torch.float64))


def test_what_has_no_tangents(a):
    blocks, x = spc.torch.Matrix.of(sp.bsr_array(matrix(8, 6).toarray(), blocksize=(2, 2))), of(6, 3)
    spmm = spc.torch.op(SPMM)
    with forward_ad.dual_level():
        assert same(tangent_of(spmm(blocks, dual(x)[0])), blocks.to_dense() @ dual(x)[1])
        with pytest.raises(spc.CompileError, match="grad-format"):
            spmm(blocks.with_values(dual(blocks.values)[0]), x)
        with pytest.raises(spc.CompileError, match="a whole number that depends on an operand by which is differentiated"):
            spc.torch.op("y(i) = x(i) * argmax(j, A(i,j))")(of(6), dual(x)[0])
        with pytest.raises(spc.CompileError, match="derivatives are of floats"):
            spc.torch.op("y(i) = 2 * x(i)")(dual(torch.complex(x, x)[:, 0])[0])
        assert not tangent_of(spc.torch.op("y(i) = floor(x(i))")(dual(x)[0][:, 0])).any()
        with pytest.raises(spc.ArgumentError, match="it requires gradients"):
            spc.kernel(SPMM)(A=matrix(8, 6), B=dual(x)[0])
        places = spc.torch.op("m(i) = max(j, A(i,j))\nw(i) = argmax(j, A(i,j))")
        if IS_OLD:
            with pytest.raises(NotImplementedError, match="some of what it returns are integers"):
                places(dual(x)[0])
        else:
            most, where = places(dual(x)[0])
            assert same(tangent_of(most), dual(x)[1].gather(1, where[:, None])[:, 0]) and tangent_of(where) is None


@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")  # PyTorch says so of its own functions, too
@pytest.mark.skipif(IS_OLD, reason="PyTorch 1.13 transforms no functions that bring their own derivatives")
def test_transformations(a):
    spmm, x, t, whole = spc.torch.op(SPMM, A="csr"), of(6, 2), of(6, 2, seed=4), a.to_dense()

    def loss(x, values=a.values):
        return (spmm(a.with_values(values), x) ** 2).sum()

    def dense_loss(x, values=a.values):
        return (a.with_values(values).to_dense() @ x).square().sum()

    def product(x):
        return spmm(a, x)

    func = torch.func
    assert all(map(same, func.jvp(product, (x,), (t,)), (whole @ x, whole @ t)))
    both = (x, a.values), (t, torch.ones_like(a.values))
    assert all(map(same, func.jvp(loss, *both), func.jvp(dense_loss, *both)))
    assert same(func.jacfwd(product)(x), func.jacrev(product)(x))
    for argument in (0, 1):
        expected = func.hessian(dense_loss, argument)(x, a.values)
        assert same(func.hessian(loss, argument)(x, a.values), expected)
        for outer, inner in ((func.jacfwd, func.jacfwd), (func.jacrev, func.jacfwd)):
            assert same(outer(inner(loss, argument), argument)(x, a.values), expected)
    several = torch.stack([t, 2 * t, 3 * t])
    assert same(torch.vmap(lambda t: func.jvp(product, (x,), (t,))[1])(several), whole @ several)
    assert same(torch.vmap(func.hessian(loss))(several), torch.stack([func.hessian(dense_loss)(one) for one in several]))
    result, step = func.linearize(loss, x)
    assert same(result, loss(x)) and same(step(t), func.jvp(loss, (x,), (t,))[1])
