"""Kernels as operators of PyTorch: with gradients, shapes for tracing, and batches.

    import spc.torch
    spmm = spc.torch.op("C(i,k) = A(i,j) * B(j,k)", A="csr")
    weights = spc.torch.Matrix.of(adjacency)
    weights.values.requires_grad_()
    spmm(A=weights, B=features).sum().backward()

and whole models as one kernel, `fast = spc.torch.compile(model, (features, adjacency))`, or as an object that C++ programs
call, `spc.torch.export(model, "model.o", (features, adjacency))`.
"""
# SPDX-License-Identifier: Apache-2.0

from .acceleration import THRESHOLDS, Acceleration, accelerate, is_accelerated
from .matrix import Matrix
from .models import Model, compile
from .objects import export
from .operators import Op, op

for _public in (Acceleration, Matrix, Model, Op):  # messages and pickles name them as users do
    _public.__module__ = __name__

__all__ = ["THRESHOLDS", "Acceleration", "Matrix", "Model", "Op", "accelerate", "compile", "export", "is_accelerated", "op"]
