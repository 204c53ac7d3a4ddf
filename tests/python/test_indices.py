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


def test_groups():
    labels, x = np.array([2, 0, 2, 1], np.int64), np.random.default_rng(2).random((4, 3))
    wanted = np.stack([x[labels == k].sum(0) for k in range(3)])
    close(kernel("S(k,f) = (label(i) == k) * X(i,f)")(label=labels, X=x, sizes={"k": 3}), wanted)


def test_gradients():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
    table = torch.rand(6, 3, dtype=torch.float64, requires_grad=True)
    tokens = torch.tensor([5, 1, 5, 0])
    import spc.torch
    out = spc.torch.op("R(i,k) = E(tok(i),k)")(E=table, tok=tokens)
    (gradient,) = torch.autograd.grad((out * out).sum(), table)
    (wanted,) = torch.autograd.grad((table[tokens] ** 2).sum(), table)
    assert torch.allclose(gradient, wanted)
