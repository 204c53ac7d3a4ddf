"""Kernels as operators of PyTorch: with gradients, shapes for tracing, and batches.

    import spc.torch
    spmm = spc.torch.op("C(i,k) = A(i,j) * B(j,k)", A="csr")
    weights = spc.torch.Matrix.of(adjacency)
    weights.values.requires_grad_()
    spmm(A=weights, B=features).sum().backward()
"""
# SPDX-License-Identifier: Apache-2.0

from .matrix import Matrix
from .operators import Op, op

for _public in (Matrix, Op):  # messages and pickles name them as users do
    _public.__module__ = __name__

__all__ = ["Matrix", "Op", "op"]
