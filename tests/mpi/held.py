"""What every rank runs: what a call must not take from another operand, another call or another communicator.

    mpirun -n N python3 held.py
"""
# SPDX-License-Identifier: Apache-2.0

import sys
import traceback
import warnings

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import spc
import spc.mpi

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.rank, COMM.size
LAST = SIZE - 1
N, K = 30, 3
A = sp.random(N, N, 0.3, "csr", random_state=1)
B = np.random.default_rng(2).random((N, K))
OWN = slice(N * RANK // SIZE, N * (RANK + 1) // SIZE)
COLUMNS = {"dims": ["j", "k"], "levels": [{"dim": "k", "storage": "dense"}, {"dim": "j", "storage": "dense"}]}
SPMM = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")


def two_operands_of_one_halo():
    """Rows of the same width and type along the same extent."""
    step = spc.mpi.distribute(spc.kernel("y(i) = A(i,j) * x(j) * z(j)", A="csr"), COMM, by="i", timeout=10)
    x, z = B[:, 0].copy(), B[:, 1].copy()
    for _ in range(3):
        assert np.allclose(step(A=A[OWN], x=x[OWN], z=z[OWN]), (A @ (x * z))[OWN])


def values_set_anew():
    """In place, and as another array of the same object."""
    for text, whole in (("C(i,k) = A(i,j) * B(j,k)", lambda a: a @ B), ("s = A(i,j) * A(i,j)", lambda a: (a.data ** 2).sum())):
        kernel = spc.kernel(text, A="csr")
        step, own, now = spc.mpi.distribute(kernel, COMM, by="i", timeout=10), A[OWN].copy(), A.copy()
        others = {"B": B[OWN]} if "B" in text else {}
        for change in (lambda a: None, lambda a: setattr(a, "data", a.data * 2), lambda a: a.data.__imul__(3)):
            change(own)
            change(now)
            want = whole(now)
            assert np.allclose(step(A=own, **others), want[OWN] if others else want)


def entries_dropped_in_place():
    step, own, now = spc.mpi.distribute(SPMM, COMM, by="i", timeout=10), A[OWN].copy(), A.copy()
    assert np.allclose(step(A=own, B=B[OWN]), (now @ B)[OWN])
    for matrix in (own, now):
        matrix.data[matrix.indices % 3 == 0] = 0
        matrix.eliminate_zeros()
    assert np.allclose(step(A=own, B=B[OWN]), (now @ B)[OWN])


def indices_changed_in_place():
    step = spc.mpi.distribute(spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr", validate="always"), COMM, by="i", timeout=10)
    own, now = A[OWN].copy(), A.copy()
    for _ in range(2):
        assert np.allclose(step(A=own, B=B[OWN]), (now @ B)[OWN])
        for matrix in (own, now):
            last = matrix.indptr[1:][np.diff(matrix.indptr) > 0] - 1
            matrix.indices[last] = N - 1


def storage_that_operands_say():
    step = spc.mpi.distribute(spc.kernel("C(i,k) = A(i,j) * B(j,k)"), COMM, by="i", timeout=10)
    assert np.allclose(step(A=A[OWN], B=B[OWN]), (A @ B)[OWN])
    refused(lambda: step(A=A[OWN].toarray(), B=B[OWN]))


def results_in_place():
    """With rows that are computed twice, and with those that wait; a sum is not taken."""
    near = sp.csr_matrix(sp.diags([1.0, 2.0, 1.0], [-1, 0, 1], (N, N)))
    for whole in (A, near):
        step, own, made = spc.mpi.distribute(SPMM, COMM, by="i", timeout=10), whole[OWN], np.full((OWN.stop - OWN.start, K), np.nan)
        for _ in range(2):
            assert step(A=own, B=B[OWN], out=made) is made and np.allclose(made, (whole @ B)[OWN])
    refused(lambda: step(A=own, B=B[OWN], out=made[:, :2] if RANK == LAST else made))
    assert np.allclose(step(A=own, B=B[OWN], out=made), (near @ B)[OWN])
    step = spc.mpi.distribute(spc.kernel("s = A(i,j) * A(i,j)", A="csr"), COMM, by="i", timeout=10)
    refused(lambda: step(A=A[OWN], out=np.zeros(())))


def small_floats():
    step = spc.mpi.distribute(spc.kernel("s = x(i) * x(i)"), COMM, by="i", timeout=10)
    x = B[:, 0].astype(np.float16)
    assert np.isclose(float(step(x=x[OWN])), (x.astype(float) ** 2).sum(), 1e-2)


def rows_that_disagree():
    """Heights of two operands along one extent, and of one against the list of parts."""
    step = spc.mpi.distribute(spc.kernel("y(i) = A(i,j) * x(j) * z(j)", A="csr"), COMM, by="i", timeout=10)
    x = B[OWN, 0].copy()
    refused(lambda: step(A=A[OWN], x=x, z=x[:-1] if RANK == LAST else x))
    if SIZE == 1:
        return
    parts = np.arange(N) * SIZE // N
    parts[:3] = LAST
    own = np.flatnonzero(parts == RANK)
    step = spc.mpi.distribute(SPMM, COMM, by="i", parts=parts, timeout=10)
    assert np.allclose(step(A=A[own], B=B[own]), (A @ B)[own])
    refused(lambda: step(A=A[own], B=B[OWN]))


def refused(call):
    try:
        call()
    except (spc.ArgumentError, spc.mpi.PeerError):
        return
    raise AssertionError(f"rank {RANK}: nothing was raised")


def indices_of_other_types():
    """Sparse rows that travel, numbered in 64 bits on one rank alone."""
    step = spc.mpi.distribute(spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr", B="csr", C="csr"), COMM, by="i", timeout=10)
    rows = A[OWN].copy()
    if RANK == LAST:
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    assert abs(step(A=A[OWN], B=rows) - (A @ A)[OWN]).sum() < 1e-9


def shares_by_columns():
    """Shares whose columns lie behind each other in memory."""
    for form, rows, own in (("csr", A[OWN], OWN), ("dense", A[OWN].toarray(), slice(None))):
        step = spc.mpi.distribute(spc.kernel("C(j,k) = A(i,j) * B(i,k)", A=form, C=COLUMNS), COMM, by="i", timeout=10)
        assert np.allclose(step(A=rows, B=B[OWN]), (A.T @ B)[own])


def communicators_of_one_handle():
    """The second has the handle of the first, which is freed, and other ranks."""
    for color in (RANK % 2, RANK // 2):
        part = COMM.Split(color, RANK)
        own = slice(N * part.rank // part.size, N * (part.rank + 1) // part.size)
        step = spc.mpi.distribute(SPMM, part, by="i", timeout=10)
        assert np.allclose(step(A=A[own], B=B[own]), (A @ B)[own])
        part.Free()


def a_rank_that_was_late():
    """What one rank missed must not become part of what all do later."""
    part = COMM.Dup()
    step = spc.mpi.distribute(SPMM, part, by="i", timeout=1)
    if RANK == LAST:
        COMM.Barrier()  # until the others have given up
    if SIZE > 1:
        refused(lambda: step(A=A[OWN], B=B[OWN]))
    if RANK != LAST:
        COMM.Barrier()
    if SIZE > 1:
        refused(lambda: step(A=A[OWN], B=B[OWN]))


CASES = [two_operands_of_one_halo, values_set_anew, entries_dropped_in_place, indices_changed_in_place,
         storage_that_operands_say, small_floats, results_in_place,
         rows_that_disagree, indices_of_other_types,
         shares_by_columns, communicators_of_one_handle, a_rank_that_was_late]


def main():
    warnings.simplefilter("ignore", spc.SpcWarning)
    spc.set_threads(1)
    failed = 0
    for case in CASES:
        if len(sys.argv) > 1 and case.__name__ not in sys.argv[1:]:
            continue
        try:
            case()
        except Exception:  # pylint: disable=broad-except  # the other cases say more
            failed += 1
            print(f"rank {RANK}: {case.__name__}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        COMM.Barrier()
    if failed:
        COMM.Abort(1)
    print(f"rank {RANK}: nothing is held that changed")


if __name__ == "__main__":
    main()
