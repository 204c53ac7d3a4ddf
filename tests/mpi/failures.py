"""What every rank runs: errors on one rank, which all have to hear of within a limit.

    mpirun -n N python3 failures.py
"""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import spc
import spc.mpi

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.rank, COMM.size
N, K = 24, 3
A = sp.random(N, N, 0.2, "csr", random_state=1)
B = np.random.default_rng(2).random((N, K))
OWN = slice(N * RANK // SIZE, N * (RANK + 1) // SIZE)
SPMM = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")
LAST = SIZE - 1


def raised(call, here, elsewhere=spc.mpi.PeerError, said=""):
    """Whether the last rank raises one error, and all others another one, within the limit."""
    start = time.perf_counter()
    try:
        call()
    except spc.Error as error:
        assert isinstance(error, here if RANK == LAST else elsewhere), (RANK, type(error), error)
        assert said in str(error), error
    else:
        raise AssertionError(f"rank {RANK}: nothing was raised")
    assert time.perf_counter() - start < 20


def main():
    warnings.simplefilter("ignore", spc.SpcWarning)
    step = spc.mpi.distribute(SPMM, COMM, by="i", timeout=10)
    assert np.allclose(step(A=A[OWN], B=B[OWN]), (A @ B)[OWN])
    both = (spc.ArgumentError, spc.ArgumentError) if SIZE > 1 else (spc.Error, spc.Error)

    def last(wrong, right):
        return wrong if RANK == LAST else right
    # An operand that only one rank gives otherwise.
    if SIZE > 1:
        raised(lambda: step(A=A[OWN], B=last(B[OWN, :2], B[OWN])), *both, "ranks disagree")
        raised(lambda: step(A=A[OWN], B=last(B[OWN].astype(np.float32), B[OWN])), *both, "ranks disagree")
    raised(lambda: step(A=last(A[OWN].todia(), A[OWN]), B=B[OWN]), spc.ArgumentError, said="csr, csc or coo")
    raised(lambda: step(A=A[OWN], B=last(B[OWN, 0], B[OWN])), spc.ArgumentError, said="dimensions")
    raised(lambda: step(**last({"A": A[OWN]}, {"A": A[OWN], "B": B[OWN]})), spc.ArgumentTypeError)
    # Entries that no rank has, and a pattern that is damaged.
    far = A[OWN].copy()
    far.resize(far.shape[0], N + 5)
    far.indices[-1:] = N + 4
    raised(lambda: step(A=last(far, sp.csr_matrix(A[OWN], shape=A[OWN].shape)) if SIZE == 1 else last(far, A[OWN]), B=B[OWN]),
           spc.ArgumentError, (spc.mpi.PeerError, spc.ArgumentError))
    # What a kernel itself finds wrong, while others compute.
    bad = A[OWN].copy()
    bad.indptr[1:-1] = bad.indptr[-1] + 7
    raised(lambda: step(A=last(bad, A[OWN]), B=B[OWN]), (spc.Error, ValueError))
    # Afterwards all is well again.
    assert np.allclose(step(A=A[OWN], B=B[OWN]), (A @ B)[OWN])
    for kernel, by, said in ((spc.kernel("y(i) = x(i) * i"), "i", "as a number"), (SPMM, "q", "no index 'q'")):
        try:
            spc.mpi.distribute(kernel, COMM, by=by)
        except spc.Error as error:
            assert said in str(error)
        else:
            raise AssertionError(by)
    partitions(last)
    silence()
    print(f"rank {RANK}: all errors heard of")


def partitions(last):
    """Lists of parts that are wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "parts"
        for text, said in (("0\nx\n", "no list of parts"), ("0\n" * 5 + f"{SIZE}\n", f"is of part {SIZE}"), ("-1\n" * N, "is of part -1"),
                           ("9" * 30 + "\n", "no list of parts"), ("0\n\u00e9\n", "no list of parts")):
            path.write_text(text, encoding="utf-8")
            try:
                spc.mpi.distribute(SPMM, COMM, by="i", parts=path, timeout=10)
            except spc.Error as error:
                assert said in str(error), error
            else:
                raise AssertionError(text)
        path.write_text("0\n" * (N // 2))  # which is for another matrix, or was cut short
        short = spc.mpi.distribute(SPMM, COMM, by="i", parts=path, timeout=10)
        try:
            short(A=A[OWN], B=B[OWN])
        except spc.Error as error:
            assert "parts say" in str(error) or isinstance(error, spc.mpi.PeerError), error
        else:
            raise AssertionError("a short list is taken")
    if SIZE > 1:
        raised(lambda: spc.mpi.distribute(SPMM, COMM, by="i", parts=np.full(N, last(1, 0))), spc.ArgumentError, spc.ArgumentError,
               "ranks disagree")


def silence():
    """One rank is elsewhere: all others give up."""
    if SIZE == 1:
        return
    step = spc.mpi.distribute(SPMM, COMM, by="i", timeout=1)
    if RANK == LAST:
        time.sleep(2.5)
    else:
        raised(lambda: step(A=A[OWN], B=B[OWN]), spc.mpi.PeerError, said="does not answer")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
    COMM.Barrier()
