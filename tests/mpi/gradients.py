"""What every rank runs: gradients through what is exchanged, beside those of the whole.

    mpirun -n N python3 gradients.py
"""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import scipy.sparse as sp
import torch
from mpi4py import MPI

import spc
import spc.mpi
import spc.torch

COMM = MPI.COMM_WORLD
N, K, F = 40, 4, 3
OWN = slice(N * COMM.rank // COMM.size, N * (COMM.rank + 1) // COMM.size)
A = (sp.random(N, N, 0.1, "csr", random_state=1) + sp.eye(N)).tocsr()
X, W = np.random.default_rng(1).random((N, K)), np.random.default_rng(2).random((K, F))


def leaf(array):
    return torch.tensor(array, requires_grad=True)


def layer():
    """Rows travel, weights are at all ranks, each has a share of the loss."""
    op = spc.torch.op("O(i,f) = tanh(sum(j, k, A(i,j) * X(j,k) * W(k,f)))", A="csr")
    x, w = leaf(X), leaf(W)
    whole = op(A=spc.torch.Matrix.of(A), X=x, W=w)
    (whole ** 2).sum().backward()
    step, own, weights = spc.mpi.distribute(op, COMM, by="i"), leaf(X[OWN]), leaf(W)
    for _ in range(2):
        own.grad = weights.grad = None
        part = step(A=A[OWN], X=own, W=weights)
        (part ** 2).sum().backward()
        assert torch.allclose(part, whole[OWN])
        assert torch.allclose(own.grad, x.grad[OWN]) and torch.allclose(weights.grad, w.grad)


def product():
    """A sum over ranks, of which all compute the loss."""
    step = spc.mpi.distribute(spc.torch.op("s = A(i,j) * X(j,k) * Y(i,k)", A="csr"), COMM, by="i")
    x, y = leaf(X[OWN]), leaf(X[OWN])
    value = step(A=A[OWN], X=x, Y=y)
    (value * value).backward()
    expected = (X * (A @ X)).sum()
    assert abs(value.item() - expected) < 1e-9
    assert np.allclose(y.grad, 2 * expected * (A @ X)[OWN]) and np.allclose(x.grad, 2 * expected * (A.T @ X)[OWN])


def refused():
    step = spc.mpi.distribute(spc.torch.op("y(j) = A(i,j) * x(i)", A="csr"), COMM, by="i")
    try:
        step(A=A[OWN], x=leaf(X[OWN, 0]))
    except spc.ArgumentError as error:
        assert "no gradient over ranks" in str(error)
    else:
        raise AssertionError("a gradient is lost")


def of_some_ranks():
    """Rows that need gradients on one rank alone would leave the others' in an exchange that none answers."""
    if COMM.size == 1:
        return
    step = spc.mpi.distribute(spc.torch.op("y(i) = A(i,j) * x(j)", A="csr"), COMM, by="i", timeout=10)
    try:
        step(A=A[OWN], x=torch.tensor(X[OWN, 0], requires_grad=COMM.rank == 0))
    except spc.ArgumentError as error:
        assert "ranks disagree" in str(error)
    else:
        raise AssertionError("ranks would wait in the backward pass")


if __name__ == "__main__":
    layer()
    product()
    refused()
    of_some_ranks()
    print(f"rank {COMM.rank}: gradients are those of the whole")
