#!/usr/bin/env python3
"""SciPy's operators beside the same on spc's kernels, as spc.scipy has them:

    bench/python/operators.py [--threads N] [--seconds S] [FILE.mtx[.gz] ...]

Of each operation it prints SciPy's time over spc's, both the least of several calls in turn: first of random matrices from
small to large, by whose work the thresholds of spc.scipy are chosen, or of the files. A.T is a new object at each call."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

import spc
import spc.scipy


def operations(A):
    """By name, what is measured of a matrix."""
    rows, columns = A.shape
    x, y = np.random.rand(columns).astype(A.dtype), np.random.rand(rows).astype(A.dtype)
    X, Y = np.random.rand(columns, 32).astype(A.dtype), np.random.rand(rows, 32).astype(A.dtype)
    B, columnwise = A.T.tocsr(), A.tocsc()
    coo, blocks = A.tocoo(), A.tobsr((2, 2)) if not (rows % 2 or columns % 2) else None
    found = {"A @ x": lambda: A @ x, "A.T @ x": lambda: A.T @ y,
             "CSC @ x": lambda: columnwise @ x, "COO @ x": lambda: coo @ x, "A @ X, 32": lambda: A @ X,
             "A.T @ X, 32": lambda: A.T @ Y, "X @ A, 32": lambda: Y.T @ A, "CSC @ X, 32": lambda: columnwise @ X,
             "COO @ X, 32": lambda: coo @ X, "A @ A.T": lambda: A @ B, "CSC @ CSC": lambda: columnwise @ columnwise.T.tocsc()}
    if blocks is not None:
        found.update({"BSR @ x": lambda: blocks @ x, "BSR @ X, 32": lambda: blocks @ X})
    return found


def least(run, seconds):
    """The least time of a call in a share of the seconds, three at least."""
    end, found = time.perf_counter() + seconds, []
    while len(found) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def compare(name, A, seconds):
    print(f"{name}: {A.shape[0]} x {A.shape[1]}, {A.nnz} entries", flush=True)
    for operation, run in operations(A).items():
        if "@ A" in operation and "X" not in operation and squares(A) > 4e8:
            continue
        with spc.scipy.enabled():
            run()
        ours = theirs = float("inf")
        for _ in range(2):
            theirs = min(theirs, least(run, seconds / 4))
            with spc.scipy.enabled():
                ours = min(ours, least(run, seconds / 4))
        print(f"  {operation:14} {theirs * 1e3:9.3f} ms, spc {ours * 1e3:9.3f} ms: {theirs / ours:.2f}", flush=True)


def squares(A):
    """How many products A @ A.T has."""
    return int(np.dot(np.bincount(A.indices, minlength=A.shape[1]).astype(float), np.bincount(A.indices, minlength=A.shape[1])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each operation")
    given = parser.parse_args()
    if given.threads:
        spc.set_threads(given.threads)
    for operation in spc.scipy.THRESHOLDS:
        spc.scipy.THRESHOLDS[operation] = 0
    print(f"SciPy {scipy.__version__}, {spc.get_threads()} threads")
    for entries in () if given.files else (100, 1_000, 5_000, 20_000, 100_000, 500_000):
        compare("random", sp.random(entries // 5, entries // 5, 25 / entries, "csr", random_state=1), given.seconds)
    for file in given.files:
        A = sp.csr_matrix(scipy.io.mmread(file)).astype(float)
        A.sum_duplicates()
        compare(file.rpartition("/")[2].partition(".")[0], A, given.seconds)


if __name__ == "__main__":
    main()
