"""Extents that no operand says, forwards and in gradients, and who else differentiates and maps: vmap."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

SPMV = "y(i) = A(i,j) * x(j)"
SPMM = "C(i,k) = A(i,j) * B(j,k)"


def of(*shape, seed=2):
    """A tensor whose gradient is wanted."""
    return torch.from_numpy(dense(shape, seed=seed)).requires_grad_()


@pytest.mark.parametrize("text, shapes", [
    ("y(i) = sum(j, Z(i,j))", [(3, 4)]), ("s = sum(i,j, Z(i,j))", [(3, 4)]), ("s = A(i,i)", [(3, 3)]),
    ("y(i) = Z(i,1)", [(3, 4)]), ("d = Z(0,1)", [(3, 4)]), ("y(i) = A(i,j)*x(j) + z(i,k)", [(3, 4), (4,), (3, 2)])])
def test_extents_of_one_operand_alone(text, shapes):
    operands = [of(*shape, seed=seed) for seed, shape in enumerate(shapes)]
    function = spc.torch.op(text)
    assert torch.autograd.gradcheck(function, operands)
    assert torch.autograd.gradgradcheck(function, operands)
    batch = torch.stack([operands[0], 2 * operands[0]]).detach().requires_grad_()
    function(batch, *operands[1:]).sum().backward()
    assert batch.grad.shape == batch.shape


def test_extents_of_an_operand_that_labels_choose_from():
    loss = spc.torch.op("tensor lab(m): i64\ntensor Z(m,k)\nL = -sum(i,j, select(j == lab(i), Z(i,j), 0))")
    labels, z = torch.tensor([0, 2, 1]), of(3, 4)
    loss(labels, z).backward()
    assert torch.equal(z.grad, -torch.nn.functional.one_hot(labels, 4).double())


def test_sizes():
    convolve, x, kernel = spc.torch.op("Y(i) = X(i+p) * K(p)", name="convolved"), of(7), of(3)
    expected = torch.nn.functional.conv1d(x[None, None], kernel[None, None])[0, 0]
    for _ in range(2):
        assert torch.allclose(convolve(x, kernel, sizes={"i": 5}), expected)
    assert torch.allclose(convolve(X=x, K=kernel, sizes={"i": 2}), expected[:2])
    assert torch.autograd.gradcheck(lambda a, b: convolve(a, b, sizes={"i": 5}), (x, kernel))
    assert torch.autograd.gradgradcheck(lambda a, b: convolve(a, b, sizes={"i": 5}), (x, kernel))
    batch = torch.stack([x, 2 * x])
    assert torch.allclose(convolve(batch, kernel, sizes={"i": 5}), torch.stack([expected, 2 * expected]))
    assert torch.allclose(torch.ops.spc.convolved(x, kernel, 5), expected)
    assert torch.ops.spc.convolved(x.to("meta"), kernel.to("meta"), 5).shape == (5,)
    assert torch.autograd.gradcheck(lambda a, b: torch.ops.spc.convolved(a, b, 5), (x, kernel))


def test_sizes_that_are_wrong():
    convolve, x, kernel = spc.torch.op("Y(i) = X(i+p) * K(p)"), of(7), of(3)
    for given in ([x, kernel], [torch.stack([x, x]), kernel]):
        with pytest.raises(spc.ArgumentError, match="Y: no operand says how large i is: sizes="):
            convolve(*given)
        with pytest.raises(spc.ArgumentTypeError, match="no extent 'q'"):
            convolve(*given, sizes={"i": 5, "q": 1})
        with pytest.raises(spc.ArgumentError, match="has 3 elements, and sizes has 4"):
            convolve(*given, sizes={"i": 5, "p": 4})


def test_products_with_jacobians_by_two_gradients():
    spmv, a, x = spc.torch.op(SPMV, A="csr"), spc.torch.Matrix.of(matrix(8, 6)), of(6).detach()
    product = torch.autograd.functional.jvp(lambda b: spmv(a, b), x, torch.ones_like(x))[1]
    assert torch.allclose(product, a.to_dense().sum(1))


@pytest.mark.filterwarnings("ignore:(?s).*performance drop:UserWarning")
@pytest.mark.filterwarnings("ignore:Please use functorch.vmap:UserWarning")
@pytest.mark.parametrize("is_known", [False, True])
def test_batched_gradients(is_known):
    spmm, a, b = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(8, 6)), of(6, 2)
    weights = a.values.clone().requires_grad_()
    if is_known:
        spmm(a.with_values(weights), b).sum().backward()
    seeds = torch.eye(8, dtype=torch.float64)
    got = torch.autograd.grad(spmm(a.with_values(weights), b)[:, 0], (weights, b), seeds, is_grads_batched=True)
    for k in range(8):
        one = torch.autograd.grad(spmm(a.with_values(weights), b)[:, 0], (weights, b), seeds[k])
        assert all(torch.allclose(some[k], other) for some, other in zip(got, one))
    jacobian = torch.autograd.functional.jacobian(lambda x: spmm(a, x), b)
    assert torch.allclose(torch.autograd.functional.jacobian(lambda x: spmm(a, x), b, vectorize=True), jacobian)


@pytest.mark.filterwarnings("ignore:(?s).*performance drop:UserWarning")
@pytest.mark.filterwarnings("ignore:Please use functorch.vmap:UserWarning")
@pytest.mark.parametrize("is_known", [False, True])
def test_maps(is_known):
    internals = pytest.importorskip("torch._vmap_internals")
    spmm, sddmm = spc.torch.op(SPMM, A="csr"), spc.torch.op("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", S="csr")
    a, several = spc.torch.Matrix.of(matrix(8, 6)), of(3, 6, 2)
    p = of(3, 8, 2).detach()
    if is_known:
        spmm(a, several[0])
        sddmm(a, p[0], several[0])
    if not hasattr(internals, "vmap"):
        pytest.skip("this PyTorch maps by functorch alone")
    result = internals.vmap(lambda x: spmm(a, x))(several)
    assert torch.allclose(result, a.to_dense() @ several)
    result.sum().backward()
    assert torch.allclose(several.grad, a.to_dense().sum(0)[None, :, None].expand(3, 6, 2))
    sampled = internals.vmap(lambda x, y: sddmm(a, x, y).values)(p, several.detach())
    expected = torch.stack([sddmm(a, x, y).values for x, y in zip(p, several.detach())])
    assert torch.allclose(sampled, expected)
    weights = torch.stack([a.values, 2 * a.values])
    assert torch.allclose(internals.vmap(lambda w: spmm(a.with_values(w), several[0]))(weights),
                          torch.stack([a.to_dense() @ several[0], 2 * a.to_dense() @ several[0]]))


def test_batches_of_no_element():
    spmm, a = spc.torch.op(SPMM, A="csr"), spc.torch.Matrix.of(matrix(8, 6))
    empty = torch.empty(0, 6, 2, dtype=torch.float64, requires_grad=True)
    result = spmm(a, empty)
    assert result.shape == (0, 8, 2) and result.dtype is torch.float64
    result.sum().backward()
    assert empty.grad.shape == (0, 6, 2)
    none = a.with_values(a.values.new_empty((0, a.values.shape[0])))
    assert spmm(none, of(6, 2)).shape == (0, 8, 2)
    scaled = spc.torch.op("D(i,j) = 2 * S(i,j)", S="csr")(none)
    assert scaled.values.shape == (0, a.values.shape[0])
    assert spc.torch.op("y = x(i) * z(i)")(empty[:, :, 0], of(6)).shape == (0,)
    with pytest.raises(spc.ArgumentError, match="batches of 0 and 2 elements"):
        spmm(none, of(2, 6, 2))
    np.testing.assert_array_equal(spmm(a, of(0, 6, 2)).detach().numpy(), np.empty((0, 8, 2)))


def test_dense_tensors_of_batches():
    a = spc.torch.Matrix.of(matrix(8, 6))
    several = a.with_values(torch.stack([a.values, 2 * a.values]))
    assert torch.equal(several.to_dense(), torch.stack([a.to_dense(), 2 * a.to_dense()]))
    with pytest.raises(spc.ArgumentError, match="its values are a batch"):
        several.to_torch()


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_results_of_numbers_alone(dtype):
    for text, sizes, shape in (("y(i) = 2 * a", {"i": 3}, (3,)), ("y = 2 * a", None, ())):
        double = spc.torch.op(text, options=["-Wno-broadcast"])
        for _ in range(2):
            result = double(torch.tensor(1.5, dtype=dtype), sizes=sizes)
            assert result.shape == shape and result.dtype is dtype and bool((result == 3).all())


@pytest.mark.filterwarnings("ignore:(?s).*performance drop:UserWarning")
def test_maps_of_functorch():
    functorch = pytest.importorskip("functorch")
    a, several = spc.torch.Matrix.of(matrix(8, 6)), of(3, 6).detach()
    weights = torch.stack([a.values, 2 * a.values, 3 * a.values])
    for spmv in (spc.torch.op(SPMV, A="csr"), spc.torch.op(SPMV, A="csc", copy=True)):
        assert torch.allclose(functorch.vmap(lambda x: spmv(a, x))(several), several @ a.to_dense().T)
        mapped = functorch.vmap(lambda w, x: spmv(a.with_values(w), x))(weights, several)
        assert torch.allclose(mapped, torch.stack([(k + 1) * a.to_dense() @ several[k] for k in range(3)]))
