"""SpMM in several processes by spc.mpi, beside SciPy's products in the same halo.

    mpirun -n 2 python3 bench/python/mpi.py MATRIX.mtx...

Rows are divided equally. SciPy has its own columns and those of others as two matrices, exchanges the same rows, and adds two
products; it has no `out=`, which spc is given. Times are medians of rounds in turns, of the slowest rank.
"""
# SPDX-License-Identifier: Apache-2.0

import statistics
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sp
from mpi4py import MPI

import spc
import spc.mpi

COMM = MPI.COMM_WORLD
COLUMNS, ROUNDS = 32, 15


class Halo:
    """SciPy's product of a rank's rows, with the rows of others."""

    def __init__(self, rows, cuts):
        entries, first, last = rows.tocoo(), cuts[COMM.rank], cuts[COMM.rank + 1]
        own = (entries.col >= first) & (entries.col < last)
        self.own = sp.csr_matrix((entries.data[own], (entries.row[own], entries.col[own] - first)), (rows.shape[0], last - first))
        need, columns = np.unique(entries.col[~own], return_inverse=True)
        self.far = sp.csr_matrix((entries.data[~own], (entries.row[~own], columns)), (rows.shape[0], len(need)))
        owners = np.searchsorted(cuts, need, side="right") - 1
        self.gets = np.bincount(owners, minlength=COMM.size)
        self.sends = np.array(COMM.alltoall(self.gets.tolist()))
        wanted = np.empty(self.sends.sum(), np.int64)
        COMM.Alltoallv([need - cuts[owners], self.gets], [wanted, self.sends])
        self.rows = wanted

    def __call__(self, B):
        ghosts = np.empty((self.gets.sum(), B.shape[1]))
        request = COMM.Ialltoallv([B[self.rows], self.sends * B.shape[1]], [ghosts, self.gets * B.shape[1]])
        C = self.own @ B
        request.Wait()
        return C + self.far @ ghosts


def seconds(call):
    COMM.Barrier()
    start = time.perf_counter()
    call()
    return COMM.allreduce(time.perf_counter() - start, MPI.MAX)


def main():
    """Prints the ratio of each matrix, and the mean."""
    spc.set_threads(1)
    ratios = []
    for path in sys.argv[1:]:
        A = sp.csr_matrix(scipy.io.mmread(path).astype(float))
        A.sum_duplicates()
        cuts = np.arange(COMM.size + 1) * A.shape[0] // COMM.size
        own = slice(cuts[COMM.rank], cuts[COMM.rank + 1])
        B = np.random.default_rng(1).random((A.shape[0], COLUMNS))[own].copy()
        rows = A[own]
        step = spc.mpi.distribute(spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr"), COMM, by="i")
        halo = Halo(rows, cuts)
        C = np.empty_like(B)
        assert np.allclose(step(A=rows, B=B, out=C), halo(B)), path
        times = [(seconds(lambda: step(A=rows, B=B, out=C)), seconds(lambda: halo(B))) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(one) for one in zip(*times))
        ratios.append(theirs / ours)
        least = min(one for one, _ in times), min(one for _, one in times)
        if COMM.rank == 0:
            print(f"{path}: spc.mpi {1e3 * ours:.2f} ms, SciPy {1e3 * theirs:.2f} ms, {ratios[-1]:.2f} times as fast; least times "
                  f"{1e3 * least[0]:.2f} and {1e3 * least[1]:.2f} ms, {least[1] / least[0]:.2f} times", flush=True)
    if COMM.rank == 0:
        print(f"{COMM.size} processes, in the mean {statistics.mean(ratios):.2f}")


if __name__ == "__main__":
    main()
