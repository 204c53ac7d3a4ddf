"""Forty kernels as operators of PyTorch: gradients, gradients of these, and what PyTorch 2 asks of an operator. PyTorch before
that checks the gradients of a few."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

opcheck = getattr(torch.library, "opcheck", None) if hasattr(torch, "library") else None

#: Texts, and operands by name in the kernel's order: a number, a shape, or a format and a shape.
KERNELS = {
    "spmv": ("y(i) = A(i,j) * x(j)", {"A": "csr 5 4", "x": "4"}),
    "spmm": ("C(i,k) = A(i,j) * B(j,k)", {"A": "csr 5 4", "B": "4 3"}),
    "sddmm": ("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", {"S": "csr 5 4", "P": "5 2", "Q": "4 2"}),
    "mttkrp": ("M(i,r) = X(i,j,k) * B(j,r) * C(k,r)", {"X": "3 4 2", "B": "4 2", "C": "2 2"}),
    "spmv of csc": ("y(i) = A(i,j) * x(j)", {"A": "csc 5 4", "x": "4"}),
    "spmv of coo": ("y(i) = A(i,j) * x(j)", {"A": "coo 5 4", "x": "4"}),
    "spmm of csc": ("C(i,k) = A(i,j) * B(j,k)", {"A": "csc 5 4", "B": "4 3"}),
    "spmm of coo": ("C(i,k) = A(i,j) * B(j,k)", {"A": "coo 5 4", "B": "4 3"}),
    "transposed spmv": ("y(j) = A(i,j) * x(i)", {"A": "csr 5 4", "x": "5"}),
    "transposed spmm": ("C(j,k) = A(i,j) * B(i,k)", {"A": "csr 5 4", "B": "5 3"}),
    "product from the left": ("C(k,j) = B(k,i) * A(i,j)", {"B": "3 5", "A": "csr 5 4"}),
    "addmm": ("C(i,k) = beta * D(i,k) + alpha * A(i,j) * B(j,k)", {"beta": "", "D": "5 3", "alpha": "", "A": "csr 5 4", "B": "4 3"}),
    "residual": ("r(i) = b(i) - A(i,j) * x(j)", {"b": "5", "A": "csr 5 4", "x": "4"}),
    "quadratic form": ("q = x(i) * A(i,j) * y(j)", {"x": "5", "A": "csr 5 4", "y": "4"}),
    "bilinear forms": ("q(k) = X(k,i) * A(i,j) * Y(k,j)", {"X": "3 5", "A": "csr 5 4", "Y": "3 4"}),
    "two hops": ("C(i,k) = A(i,j) * B(j,l) * X(l,k)", {"A": "csr 5 4", "B": "csr 4 3", "X": "3 2"}),
    "sums of rows": ("y(i) = A(i,j)", {"A": "csr 5 4"}),
    "sums of columns": ("y(j) = A(i,j)", {"A": "csr 5 4"}),
    "total": ("s = sum(i,j, A(i,j))", {"A": "csr 5 4"}),
    "squares of rows": ("y(i) = A(i,j) * A(i,j)", {"A": "csr 5 4"}),
    "scaled rows": ("D(i,j) = d(i) * A(i,j)", {"d": "5", "A": "csr 5 4"}),
    "scaled columns": ("D(i,j) = A(i,j) * d(j)", {"A": "csr 5 4", "d": "4"}),
    "scaled on both sides": ("D(i,j) = l(i) * A(i,j) * r(j)", {"l": "5", "A": "csr 5 4", "r": "4"}),
    "elementwise with dense": ("D(i,j) = A(i,j) * B(i,j)", {"A": "csr 5 4", "B": "5 4"}),
    "functions of entries": ("D(i,j) = tanh(A(i,j)) * B(i,j)", {"A": "csr 5 4", "B": "5 4"}),
    "sampled with a bias": ("D(i,j) = pattern(S(i,j)) * (u(i) + v(j))", {"S": "csr 5 4", "u": "5", "v": "4"}),
    "sampled distances": ("D(i,j) = S(i,j) * (P(i,l) - Q(j,l)) * (P(i,l) - Q(j,l))", {"S": "csr 5 4", "P": "5 2", "Q": "4 2"}),
    "a layer with tanh": ("y(i) = tanh(sum(j, A(i,j) * x(j)) + b(i))", {"A": "csr 5 4", "x": "4", "b": "5"}),
    "a layer with exp": ("y(i) = exp(-sum(j, A(i,j) * x(j)))", {"A": "csr 5 4", "x": "4"}),
    "graph convolution": ("C(i,k) = tanh(sum(j,l, A(i,j) * X(j,l) * W(l,k)))", {"A": "csr 5 5", "X": "5 3", "W": "3 2"}),
    "two layers": ("let H(i,f) = tanh(sum(j, A(i,j) * X(j,f)))\nO(i,g) = H(i,f) * W(f,g)", {"A": "csr 5 4", "X": "4 3", "W": "3 2"}),
    "softmax of rows": ("let e(i,j) = pattern(S(i,j)) * exp(S(i,j))\nlet z(i) = e(i,j)\nP(i,j) = e(i,j) / z(i)", {"S": "csr 5 4"}),
    "attention": ("let e(i,j) = pattern(S(i,j)) * exp(tanh(s(i) + t(j)))\nlet z(i) = e(i,j)\nO(i,f) = e(i,j) / z(i) * H(j,f)",
                  {"S": "csr 5 4", "s": "5", "t": "4", "H": "4 2"}),
    "matrix product": ("C(i,k) = A(i,j) * B(j,k)", {"A": "5 4", "B": "4 3"}),
    "outer product": ("C(i,j) = x(i) * y(j)", {"x": "3", "y": "4"}),
    "dot product": ("s = x(i) * y(i)", {"x": "4", "y": "4"}),
    "logarithm of a sum": ("s = log(sum(i, exp(x(i))))", {"x": "4"}),
    "trace": ("s = A(i,i)", {"A": "4 4"}),
    "convolution with a number": ("y(i) = a * x(i) + x(i) * x(i)", {"a": "", "x": "5"}),
    "two results": ("y(i) = A(i,j) * x(j)\nz(i) = y(i) * y(i)", {"A": "csr 5 4", "x": "4"}),
}
FEW = ("sampled with a bias", "spmm of coo")

pytestmark = [pytest.mark.filterwarnings("ignore::spc.errors.SpcWarning"), pytest.mark.filterwarnings("ignore:(?s).*is deprecated"),
              pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")]


def operand(said, seed):
    """An operand whose gradient is wanted, and the tensor of its values."""
    rng = np.random.default_rng(seed)
    form, *shape = said.split() if said[:1].isalpha() else ("", *said.split())
    shape = [int(size) for size in shape]
    if not form:
        value = torch.from_numpy(np.asarray(rng.random(shape) + 0.1)).requires_grad_()
        return value, value
    dense = (rng.random(shape) + 0.1) * (rng.random(shape) < 0.6)
    dense[np.arange(shape[0]), np.arange(shape[0]) % shape[1]] = 0.5  # no row is empty
    matrix = spc.torch.Matrix.of(getattr(sp, f"{form}_array")(dense))
    values = matrix.values.clone().requires_grad_()
    return matrix.with_values(values), values


def values_of(results):
    return tuple(result.values if isinstance(result, spc.torch.Matrix) else result
                 for result in (results if isinstance(results, tuple) else (results,)))


def test_there_are_forty():
    assert len(KERNELS) == 40 and set(FEW) <= set(KERNELS)


@pytest.mark.parametrize("name", KERNELS if opcheck else FEW)
def test_gradients(name):
    text, said = KERNELS[name]
    op = spc.torch.op(text, name="forty")
    operands = [operand(shape, seed) for seed, shape in enumerate(said.values())]
    given, leaves = [one for one, _ in operands], [leaf for _, leaf in operands]

    def function(*values):
        return values_of(op(*[one.with_values(value) if isinstance(one, spc.torch.Matrix) else value
                              for one, value in zip(given, values)]))

    assert torch.autograd.gradcheck(function, leaves, fast_mode=True)
    assert torch.autograd.gradgradcheck(function, leaves, fast_mode=True)


@pytest.mark.skipif(opcheck is None, reason="PyTorch before 2 has no opcheck")
@pytest.mark.parametrize("name", KERNELS)
def test_operators(name):
    text, said = KERNELS[name]
    op = spc.torch.op(text, name="forty")
    given = [operand(shape, seed)[0] for seed, shape in enumerate(said.values())]
    registered = op.registered(given)
    opcheck(registered.overload, tuple(one for slot, value in zip(registered.slots, given) for one in slot.flat(value)))
