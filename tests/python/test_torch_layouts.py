"""Tensors whose elements do not lie one after the other, and numbers, as operands of kernels and operators."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

SPMV = "y(i) = A(i,j) * x(j)"


def of(*shape, seed=2):
    """A tensor."""
    return torch.from_numpy(dense(shape, seed=seed))


@pytest.fixture(name="graph")
def matrix_of_a_graph():
    return spc.torch.Matrix.of(matrix(8, 6))


def strided_values(graph):
    """Values that lie apart, and ones that share their place."""
    count = graph.values.shape[0]
    return [of(count, 3)[:, 1], of(3 * count)[::3], torch.full((1,), 2.0, dtype=torch.float64).expand(count)]


def test_values_that_lie_apart(graph):
    spmv, x = spc.torch.op(SPMV, A="csr", name="lie_apart"), of(6)
    indices, pointers = (torch.from_numpy(graph.pattern.arrays[place]) for place in (("indices", 1), ("pointers", 1)))
    for values in strided_values(graph):
        given = graph.with_values(values)
        expected = graph.with_values(values.contiguous()).to_dense() @ x
        assert torch.allclose(given.to_dense() @ x, expected)
        for _ in range(2):
            assert torch.allclose(spmv(given, x), expected)
        assert torch.allclose(torch.ops.spc.lie_apart(indices, pointers, [8, 6], values, x), expected)
    apart = torch.stack([indices, indices], 1)[:, 0]
    assert torch.allclose(torch.ops.spc.lie_apart(apart, pointers, [8, 6], graph.values, x), spmv(graph, x))


def test_batches_of_values_that_lie_apart(graph):
    spmv, x, heads = spc.torch.op(SPMV, A="csr"), of(6), of(graph.values.shape[0], 3)
    result = spmv(graph.with_values(heads.t()), x)
    for k in range(3):
        assert torch.allclose(result[k], graph.with_values(heads[:, k].contiguous()).to_dense() @ x)


def test_gradients_of_values_that_lie_apart(graph):
    sddmm = spc.torch.op("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", S="csr")
    spmv = spc.torch.op(SPMV, A="csr")
    heads, x = of(graph.values.shape[0], 2).requires_grad_(), of(6).requires_grad_()
    assert torch.autograd.gradcheck(lambda w, b: spmv(graph.with_values(w[:, 1]), b), (heads, x))
    assert torch.autograd.gradgradcheck(lambda w, b: spmv(graph.with_values(w[:, 1]), b), (heads, x))
    assert torch.autograd.gradcheck(lambda w: sddmm(graph.with_values(w[:, 1]), of(8, 2), of(6, 2)).values, heads)
    x.grad = None  # the gradient of a sum is one number, which all elements share
    spmv(graph, x).sum().backward()
    assert torch.allclose(x.grad, graph.to_dense().sum(0))


def test_kernels_refuse_values_that_lie_apart(graph):
    spmv, converting, x = spc.kernel(SPMV, A="csr"), spc.kernel(SPMV, A="csr", copy=True), of(6)
    for values in strided_values(graph):
        given = graph.with_values(values)
        with pytest.raises(spc.ArgumentError, match=r"A: its values lie apart: \.contiguous\(\) copies"):
            spmv(given, x)
        expected = graph.with_values(values.contiguous()).to_dense() @ x
        assert torch.allclose(torch.as_tensor(converting(given, x)), expected)
    weights = strided_values(graph)[0].requires_grad_()
    with torch.no_grad():
        assert torch.allclose(torch.as_tensor(converting(graph.with_values(weights), x)), spmv(
            graph.with_values(weights.contiguous()), x))


def test_values_that_are_conjugated_or_negated(graph):
    spmv, x = spc.torch.op(SPMV, A="csr"), of(6)
    count = graph.values.shape[0]
    numbers = torch.complex(of(count), of(count, seed=3)).requires_grad_()
    negated = numbers.conj().imag
    assert negated.is_neg()
    result = spmv(graph.with_values(negated), x)
    assert torch.allclose(result, graph.with_values(negated.resolve_neg().contiguous()).to_dense() @ x)
    result.sum().backward()
    columns = torch.from_numpy(graph.pattern.arrays["indices", 1]).long()
    assert torch.allclose(numbers.grad.imag.abs(), x[columns])


def test_numbers_of_bfloat16():
    a, x = torch.tensor(2.5, dtype=torch.bfloat16), torch.tensor([1.0, 3.0], dtype=torch.bfloat16)
    expected = torch.tensor([2.5, 7.5], dtype=torch.bfloat16)
    for function in (spc.kernel("y(i) = a * x(i)"), spc.torch.op("y(i) = a * x(i)")):
        for _ in range(3):
            assert torch.equal(function(a, x), expected)
    widened = spc.kernel("y(i) = a * x(i)", types={"a": "f64"})
    np.testing.assert_array_equal(widened(a, np.ones(2)), [2.5, 2.5])
