"""Batches of values in one structure, and of dense operands, by one kernel: results and gradients are those of each element."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")

import spc.torch
from spc.torch import together

pytestmark = [pytest.mark.filterwarnings("ignore::spc.errors.SpcWarning"), pytest.mark.filterwarnings("ignore:(?s).*beta.*"),
              pytest.mark.filterwarnings("ignore:(?s).*performance drop:UserWarning")]

SPMM, SAMPLED = "C(i,k) = A(i,j) * B(j,k)", "D(i,j) = a * A(i,j) * P(i,l) * Q(j,l)"
#: Kernels, and the shapes of their dense operands.
TEXTS = {
    SPMM: {"B": (6, 2)},
    "s = A(i,j) * A(i,j)": {},
    SAMPLED: {"a": (), "P": (8, 2), "Q": (6, 2)},
    "kernel scaled(A, x, a, z) -> y\ny(i) = a * A(i,j) * x(j) + z(i)  # of A, x(j) and z(i)": {"x": (6,), "a": (), "z": (8,)},
    "let r(i) = sum(j, A(i,j)); D(i,j) = A(i,j) / (r(i) + 1)": {},
    "tensor A(m, n): T, sparse\ntype T = f64\ntensor x(n): T\ny(i) = sum(j, A(i,j) * x(j)) / n": {"x": (6,)},
    "semiring(min, +)\ny(i) = A(i,j) * x(j)": {"x": (6,)},
    "y(i) = A(i,j) * x(j); z(j) = A(i,j) * w(i)": {"x": (6,), "w": (8,)}}
COUNT = 3


def of(*shape, seed=4):
    return torch.from_numpy(np.asarray(np.random.default_rng(seed).random(shape) + 0.5))


def operand(kind):
    a = matrix(8, 6, "csr" if kind in ("ell", "coo-unsorted") else kind)
    if kind == "coo-unsorted":
        listed, order = a.tocoo(), np.random.default_rng(5).permutation(a.nnz)
        a = sp.coo_array((listed.data[order], (listed.row[order], listed.col[order])), shape=a.shape)
    return spc.torch.Matrix.of(spc.convert(a, "ell") if kind == "ell" else a)


def flat(results):
    return [one.values if isinstance(one, spc.torch.Matrix) else one
            for one in (results if isinstance(results, tuple) else (results,))]


def computing(operator):
    """How many kinds of batches an operator has computed at once, and how many not."""
    made = [one is not None for one in operator._together.values()]
    return sum(made), len(made) - sum(made)


@pytest.mark.parametrize("text, kind", [*[(text, "csr") for text in TEXTS], *[
    (SPMM, kind) for kind in ("csc", "coo", "coo-unsorted", "bsr", "ell")], (SAMPLED, "coo")])
def test_results_and_gradients(text, kind):
    a, operator = operand(kind), spc.torch.op(text)
    for has_values, has_dense in ((True, False), (False, True), (True, True)):
        if has_dense and not has_values and not TEXTS[text]:
            continue
        values = of(*(COUNT,) * has_values, *a.values.shape).requires_grad_()
        rest = {name: of(*(COUNT,) * has_dense, *shape, seed=len(name)).requires_grad_() for name, shape in TEXTS[text].items()}
        steps = [operator(A=a.with_values(values[k] if has_values else values),
                          **{name: value[k] if has_dense else value for name, value in rest.items()}) for k in range(COUNT)]
        expected = [torch.stack(parts) for parts in zip(*map(flat, steps))]
        made = flat(operator(A=a.with_values(values), **rest))
        assert all(one.shape == other.shape and torch.allclose(one, other) for one, other in zip(made, expected))
        leaves = [values, *rest.values()]
        try:
            wanted = torch.autograd.grad(sum((one ** 2).sum() for one in expected), leaves, allow_unused=True)
        except spc.CompileError:  # of storage that has no derivative
            continue
        found = torch.autograd.grad(sum((one ** 2).sum() for one in made), leaves, allow_unused=True)
        assert all((one is None) == (other is None) and (one is None or torch.allclose(one, other))
                   for one, other in zip(found, wanted))
    assert computing(operator)[0] and not computing(operator)[1]


def test_second_derivatives_and_converted_structures():
    a, x = operand("csr"), of(COUNT, 6, 2).requires_grad_()
    values = of(COUNT, a.values.numel()).requires_grad_()
    for backward in ({}, {"A": "csc"}):
        spmm = spc.torch.op(SPMM, A="csr", backward=backward)
        assert torch.autograd.gradcheck(lambda v, x, spmm=spmm: spmm(a.with_values(v), x), (values, x), fast_mode=True)
        assert torch.autograd.gradgradcheck(lambda v, x, spmm=spmm: spmm(a.with_values(v), x), (values, x), fast_mode=True)
        dense = spmm(a.with_values(values.detach()), x)
        gradient, = torch.autograd.grad(dense.sum(), x)
        assert torch.allclose(gradient, a.with_values(values.detach()).to_dense().sum(1)[..., None].expand(COUNT, 6, 2))
        assert computing(spmm) == (1, 0)


def test_many_elements_in_parts(monkeypatch):
    a, spmm, double = operand("csr"), spc.torch.op(SPMM, A="csr"), spc.torch.op("D(i,j) = 2 * A(i,j)")
    values, x = of(7, a.values.numel()), of(7, 6, 2)
    expected = torch.stack([spmm(a.with_values(values[k]), x[k]) for k in range(7)])
    for elements in (1, 2, 3, 7):
        monkeypatch.setattr(together, "MOST_ENTRIES", elements * a.values.numel())
        assert torch.allclose(spmm(a.with_values(values), x), expected)
        made = double(a.with_values(values))
        assert torch.equal(made.values, 2 * values) and made.pattern is a.pattern


def test_operands_that_lie_apart():
    a, spmm = operand("csr"), spc.torch.op(SPMM, A="csr")
    values, x = of(a.values.numel(), COUNT).T, of(2, 6, 2 * COUNT)[..., ::2].permute(2, 1, 0)
    assert not values.is_contiguous() and 1 not in x.stride()
    assert torch.allclose(spmm(a.with_values(values), x), a.with_values(values).to_dense() @ x)
    assert torch.allclose(spmm(a, x[:1].expand(COUNT, 6, 2)), a.to_dense() @ x[:1].expand(COUNT, 6, 2))
    assert computing(spmm) == (2, 0)


@pytest.mark.parametrize("text, options", [
    ("C(i,k) = A(i,j) * E(j,k)", {"C": "csr"}),                 # whose results have structures of their own
    ("y(i) = padded(x(i)) + sum(j, A(i,j))", {}),
    ("const w(n) = [1, 2, 3, 4, 5, 6]\ny(i) = A(i,j) * w(j)", {}),
    ("y(i) = A(i,j)", {"validate": "always"})])
def test_what_is_computed_one_by_one(text, options):
    a, operator = operand("csr"), spc.torch.op(text, **options)
    values = of(COUNT, a.values.numel())
    rest = {"E": spc.torch.Matrix.of(matrix(6, 4, seed=3)), "x": of(8)}
    rest = {name: one for name, one in rest.items() if name in operator.inputs}
    made = flat(operator(A=a.with_values(values), **rest))[0]
    steps = [flat(operator(A=a.with_values(values[k]), **rest))[0] for k in range(COUNT)]
    assert torch.allclose(made, torch.stack(steps)) and computing(operator) == (0, 1)


def test_errors_are_those_of_one_element():
    a, x = operand("csr"), of(COUNT, 5, 2)
    with pytest.raises(spc.ArgumentError, match="B: dimension 0 .* has 5 elements, and dimension 1 of A has 6"):
        spc.torch.op(SPMM, A="csr")(a.with_values(of(COUNT, a.values.numel())), x)
    with pytest.raises(spc.ArgumentError, match="A: stored as csr, and the kernel reads csc"):
        spc.torch.op(SPMM, A="csc")(a.with_values(of(COUNT, a.values.numel())), of(COUNT, 6, 2))


def test_dense_results_stay_dense():
    a, b = operand("coo"), of(3, 6)
    made = spc.torch.op("C(k,i) = B(k,j) * A(i,j)")(B=b, A=a)
    assert made.layout is torch.strided and torch.allclose(made, b @ a.to_dense().T)


@pytest.mark.skipif(not hasattr(torch, "vmap"), reason="functions say how they are mapped as of PyTorch 2")
def test_maps():
    a, spmm = operand("csr"), spc.torch.op(SPMM, A="csr")
    values, x = of(COUNT, a.values.numel()), of(6, COUNT, 2)
    whole = a.with_values(values).to_dense()
    expected = whole @ x.movedim(1, 0)
    made = torch.vmap(lambda v, x: spmm(a.with_values(v), x), in_dims=(0, 1))(values, x)
    assert torch.allclose(made, expected) and computing(spmm) == (1, 0)

    def loss(v, x):
        return (spmm(a.with_values(v), x) ** 2).sum()
    by_values, by_x = torch.vmap(torch.func.grad(loss, argnums=(0, 1)), in_dims=(0, 1))(values, x)
    assert torch.allclose(by_x, 2 * whole.transpose(1, 2) @ expected)
    sampled = spc.torch.op("D(i,j) = A(i,j) * P(i,l) * Q(j,l)")
    wanted = sampled(a.with_values(torch.ones_like(values)), expected, x.movedim(1, 0).contiguous())
    assert torch.allclose(by_values, 2 * wanted.values)
    mapped = torch.vmap(lambda v: torch.vmap(lambda x: spmm(a.with_values(v), x), in_dims=1)(x))(values)
    assert torch.allclose(mapped, whole[:, None] @ x.movedim(1, 0)[None])
