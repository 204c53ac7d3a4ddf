"""Kernels on parts of data that MPI processes have, over mpi4py (docs/beyond-one-machine.md).

    from mpi4py import MPI
    import spc.mpi
    spmm = spc.mpi.distribute(spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr"), MPI.COMM_WORLD, by="i")
    C = spmm(A=own_rows_of_A, B=own_rows_of_B)
"""
# SPDX-License-Identifier: Apache-2.0

try:
    import mpi4py  # noqa: F401
except ImportError as error:
    raise ImportError("spc.mpi needs mpi4py: python3-mpi4py, or pip install mpi4py") from error

from .distributed import Distributed, distribute
from .team import PeerError

for _public in (Distributed, PeerError):  # messages name them as users do
    _public.__module__ = __name__

__all__ = ["Distributed", "PeerError", "distribute"]
