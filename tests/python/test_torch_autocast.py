"""Operators within torch.autocast of the CPU: operands as they come, or in the type that the operator names."""
# SPDX-License-Identifier: Apache-2.0

import copy
import pickle

import numpy as np
import pytest
from support import dense, matrix

import spc

torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
import spc.torch

SPMM = "C(i,k) = A(i,j) * B(j,k)"

pytestmark = pytest.mark.filterwarnings("error::spc.errors.SpcWarning")


@pytest.fixture
def a():
    return spc.torch.Matrix.of(matrix(8, 6, dtype=np.float32))


def lower():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def test_operands_as_they_come(a):
    """Others than PyTorch's products may be short of digits, and of several types the widest holds the result."""
    spmm, x = spc.torch.op(SPMM, A="csr"), torch.from_numpy(dense((6, 3))).float()
    linear, values = torch.nn.Linear(3, 3), a.values.clone().requires_grad_()
    with lower():
        assert spmm(a, x).dtype is torch.float32
        hidden = linear(x)
        made = spmm(a.with_values(values), hidden)
    assert hidden.dtype is torch.bfloat16 and made.dtype is torch.float32
    made.sum().backward()
    assert values.grad.dtype is torch.float32 and linear.weight.grad is not None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_operands_in_a_type(a, dtype):
    x, values = torch.from_numpy(dense((6, 3))).float().requires_grad_(), a.values.clone().requires_grad_()
    spmm = spc.torch.op(SPMM, A="csr", autocast=dtype)
    expected = spc.torch.op(SPMM, A="csr")(a.with_values(a.values.to(dtype)), x.detach().to(dtype))
    for op in (spmm, copy.deepcopy(spmm), pickle.loads(pickle.dumps(spmm))):
        assert op(a, x).dtype is torch.float32
        with lower():
            made = op(a.with_values(values), x.bfloat16() if dtype is torch.float32 else x)
            with torch.autocast("cpu", enabled=False):
                assert op(a, x).dtype is torch.float32
        assert made.dtype is dtype and torch.allclose(made, expected, rtol=2e-2)
    made.sum().backward()
    assert values.grad.dtype is x.grad.dtype is torch.float32
    wide = spc.torch.Matrix.of(matrix(8, 6))
    with lower():  # as in PyTorch, doubles stay
        assert spmm(wide, x.double()).dtype is torch.float64
        assert spmm(a, torch.stack([x, x])).dtype is dtype


def test_values_are_converted_again_when_they_change(a):
    spmm, x = spc.torch.op(SPMM, A="csr", autocast=torch.bfloat16), torch.from_numpy(dense((6, 3))).float()
    with lower():
        once = spmm(a, x)
        assert torch.equal(spmm(a, x), once)
        a.values.mul_(2)
        assert torch.equal(spmm(a, x), 2 * once) and torch.equal(spmm(a.with_values(4 * a.values), x), 8 * once)


@pytest.mark.filterwarnings("ignore:(?s).*beta.*")
def test_sparse_tensors_and_conversions():
    tensor, x = torch.from_numpy(matrix(8, 6, dtype=np.float32).toarray()), torch.from_numpy(dense((6, 3))).float()
    with lower():
        for copying in (False, True):
            made = spc.torch.op(SPMM, A="csr", copy=copying, autocast=torch.bfloat16)(tensor.to_sparse_csr(), x)
            assert made.dtype is torch.bfloat16


@pytest.mark.parametrize("wrong", ["bfloat16", torch.int32, np.float32])
def test_types_that_are_wrong(wrong):
    with pytest.raises(spc.ArgumentTypeError, match="is no type of floats"):
        spc.torch.op(SPMM, A="csr", autocast=wrong)
