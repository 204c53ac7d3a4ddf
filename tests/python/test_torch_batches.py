"""Batches of PyTorch's sparse matrices that have structures of their own: operands of three dimensions, and torch.bmm."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
from torch.autograd import forward_ad

import spc.torch

PRODUCT = "C(b,i,k) = A(b,i,j) * B(b,j,k)"
SAMPLED = "D(b,i,j) = S(b,i,j) * P(b,i,l) * Q(b,j,l)"

pytestmark = [pytest.mark.filterwarnings("ignore:(?s).*beta.*"), pytest.mark.filterwarnings("ignore::spc.errors.SpcWarning")]


def batch(layout="csr", index=torch.int64, dtype=torch.float64, size=4):
    """Matrices of 5 rows and 6 columns with 9 entries each, in other places, and the same when dense."""
    rng = np.random.default_rng(3)
    dense = np.zeros((size, 30))
    for one in dense:
        one[rng.permutation(30)[:9]] = rng.random(9) + 0.1
    dense = torch.from_numpy(dense.reshape(size, 5, 6)).to(dtype)
    made = dense.to_sparse_csr() if layout == "csr" else dense.transpose(1, 2).contiguous().to_sparse_csr().transpose(1, 2)
    assert str(made.layout) == f"torch.sparse_{layout}"
    parts = (made.crow_indices(), made.col_indices()) if layout == "csr" else (made.ccol_indices(), made.row_indices())
    return getattr(torch, f"sparse_{layout}_tensor")(*[part.to(index) for part in parts], made.values(), dense.shape), dense


def of(*shape, seed=4):
    return torch.from_numpy(np.random.default_rng(seed).random(shape))


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("index", [torch.int32, torch.int64])
def test_one_kernel_takes_all(layout, index):
    a, dense = batch(layout, index)
    x = of(4, 6, 3)
    for function in (spc.kernel(PRODUCT), spc.torch.op(PRODUCT)):
        for _ in range(2):
            assert torch.allclose(function(a, x), dense @ x)
    matrices = spc.torch.Matrix.of(a)
    assert matrices.values.shape == (36,) and torch.equal(matrices.to_dense(), dense)
    back = matrices.to_torch()
    assert back.layout is a.layout and torch.equal(back.to_dense(), dense)
    values = matrices.values.clone().requires_grad_()
    assert torch.equal(matrices.with_values(values).to_dense(), dense)
    sampled = spc.torch.op(SAMPLED)(a, of(4, 5, 2), of(4, 6, 2))
    assert torch.allclose(sampled.to_dense(), dense * (of(4, 5, 2) @ of(4, 6, 2).transpose(1, 2)))


def test_derivatives():
    a, dense = batch()
    product, matrices, x = spc.torch.op(PRODUCT), spc.torch.Matrix.of(a), of(4, 6, 3).requires_grad_()
    values = matrices.values.clone().requires_grad_()

    def function(values, x):
        return product(matrices.with_values(values), x)
    assert torch.autograd.gradcheck(function, (values, x), check_forward_ad=True, fast_mode=True)
    assert torch.autograd.gradgradcheck(function, (values, x), fast_mode=True)
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual(product(a, forward_ad.make_dual(x.detach(), of(4, 6, 3, seed=5)))).tangent
    assert torch.allclose(tangent, dense @ of(4, 6, 3, seed=5))


def test_what_is_wrong():
    a, _ = batch()
    with pytest.raises(spc.ArgumentError, match=r"A: a batch of matrices with structures of their own .* an index of the batch"):
        spc.torch.op("C(i,k) = A(i,j) * B(j,k)")(a, of(6, 3))
    made = a.clone()
    made.crow_indices()[1, -1] = 8
    with pytest.raises(spc.ArgumentError, match="its pointers are no runs from 0 to 9"):
        spc.torch.op(PRODUCT)(made, of(4, 6, 3))
    made = a.clone()
    made.col_indices()[2, 0] = 6
    with pytest.raises(spc.StructureError, match="6 at 18 is not from 0 to 5"):
        spc.torch.op(PRODUCT)(made, of(4, 6, 3))


@pytest.fixture
def accelerated():
    with spc.torch.accelerate() as made:
        yield made


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_bmm(accelerated, layout, dtype):
    a, dense = batch(layout, dtype=dtype)
    x = of(4, 6, 3).to(dtype).requires_grad_()
    made = torch.bmm(a, x)
    assert torch.allclose(made, dense @ x)
    made.sum().backward()
    assert torch.allclose(x.grad, dense.sum(1)[:, :, None].expand(4, 6, 3))
    assert torch.allclose(torch.bmm(a, x.transpose(1, 2).contiguous().transpose(1, 2)), dense @ x)
    assert torch.equal(torch.bmm(a, x[:, :, :0]), torch.zeros(4, 5, 0, dtype=dtype))
    accelerated.stop()
    with pytest.raises(NotImplementedError):
        torch.bmm(a, x)


def test_gradients_of_bmm(accelerated):
    a, dense = batch()
    leaf, x = a.clone().requires_grad_(), of(4, 6, 3).requires_grad_()
    (torch.bmm(leaf, x) ** 2).sum().backward()
    expected = torch.autograd.grad((torch.bmm(dense.requires_grad_(), x) ** 2).sum(), (dense, x))
    assert leaf.grad.layout is torch.sparse_csr and torch.equal(leaf.grad.crow_indices(), a.crow_indices())
    assert torch.allclose(leaf.grad.to_dense(), expected[0] * (dense != 0)) and torch.allclose(x.grad, expected[1])
    gradient, = torch.autograd.grad(torch.bmm(leaf, x).sum(), leaf, create_graph=True)
    weights = of(4, 5, 6, seed=7)
    twice, = torch.autograd.grad(gradient, x, batch_like(a, weights))
    assert torch.allclose(twice, ((weights * (dense != 0)).sum(1)[:, :, None]).expand(4, 6, 3))


def batch_like(a, dense):
    """The numbers of a dense tensor where a batch has entries."""
    from spc.torch import aten
    return torch.sparse_csr_tensor(a.crow_indices(), a.col_indices(), dense[aten.batched_coordinates(a)], a.shape)


def test_what_pytorch_computes_itself(accelerated):
    a, dense = batch()
    for other in (of(4, 6, 3).float(), of(3, 6, 3), of(4, 5, 3)):
        with pytest.raises(RuntimeError):
            torch.bmm(a, other)
    assert torch.allclose(torch.bmm(dense.to_sparse(), of(4, 6, 3)), dense @ of(4, 6, 3))
    assert torch.allclose(torch.bmm(dense, of(4, 6, 3)), dense @ of(4, 6, 3))
