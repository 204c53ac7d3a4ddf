#!/usr/bin/env python3
"""SciPy's operations beside the same on spc's kernels, as spc.scipy has them:

    bench/python/operators.py [--threads N] [--seconds S] [--only WORD] [--entries N,...] [--cpu] [FILE.mtx[.gz] ...]

For each operation and each format it prints SciPy's time over spc's, both the least of several calls in turn: of random
matrices from small to large, ten entries a row, by which the thresholds of spc.scipy are chosen, or of the files. Behind them
are operations that spc.scipy leaves to SciPy, beside kernels that would compute them. A.T is a new object at each call."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import time
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp

import spc
import spc.scipy

FORMATS = ("csr", "csc", "coo", "bsr")


def operations(shape, dtype):
    """By name, what is measured of a matrix."""
    rows, columns = shape
    rng = np.random.default_rng(1)
    x, y = rng.random(columns).astype(dtype), rng.random(rows).astype(dtype)
    X, Y = rng.random((columns, 32)).astype(dtype), rng.random((rows, 32)).astype(dtype)
    i, j = rng.integers(0, rows, 50_000), rng.integers(0, columns, 50_000)
    found = {
        "A @ x": lambda A, B: A @ x, "A.T @ y": lambda A, B: A.T @ y, "y @ A": lambda A, B: y @ A,
        "A @ X, 32": lambda A, B: A @ X, "A.T @ Y, 32": lambda A, B: A.T @ Y, "Y.T @ A, 32": lambda A, B: Y.T @ A,
        "A @ A.T": lambda A, B: A @ A.T, "A + B": lambda A, B: A + B, "A - B": lambda A, B: A - B, "A + A": lambda A, B: A + A,
        "A.multiply(B)": lambda A, B: A.multiply(B), "A.multiply(A)": lambda A, B: A.multiply(A),
        "A.multiply(row)": lambda A, B: A.multiply(x), "A.multiply(column)": lambda A, B: A.multiply(y[:, None]),
        "A[a:b]": lambda A, B: A[rows // 4:rows // 2], "A[:, a:b]": lambda A, B: A[:, columns // 4:columns // 2],
        "A[a:b, c:d]": lambda A, B: A[rows // 4:, columns // 4:], "A[i, j], 50,000": lambda A, B: A[i, j],
        "hstack": lambda A, B: sp.hstack([A, B], format=A.format), "vstack": lambda A, B: sp.vstack([A, B], format=A.format)}
    if rows * columns <= 4_000_000:
        dense = rng.random(shape).astype(dtype)
        found["A.multiply(X)"] = lambda A, B: A.multiply(dense)
    for name in ("sum", "mean", "max", "min"):
        for axis in (0, 1):
            found[f"A.{name}({axis})"] = lambda A, B, name=name, axis=axis: getattr(A, name)(axis)
    return found


def left(A, B):
    """By name, what spc.scipy leaves to SciPy, and a kernel beside it."""
    rows, columns = A.shape
    rng = np.random.default_rng(2)
    order, some = rng.permutation(rows).astype("i4"), rng.permutation(columns)[:columns // 2].astype("i4")

    def kernel(text, *operands, **formats):
        call = spc.kernel(text, formats={"A": "csr", **formats}, options=spc.scipy.kernels.QUIET, validate="never")
        return lambda: call(*operands)

    stacked = ("tensor A(m, n): f64, sparse\ntensor B(l, n): f64, sparse\ntensor C(m + l, n): f64, sparse\n"
               "C(i, j) = padded(A(i, j)) + padded(B(i - m, j))")
    found = {"A * 2": (lambda: A * 2.5, kernel("D(i,j) = A(i,j) * c", A, 2.5)),
             "A[rows]": (lambda: A[order], kernel("C(k,j) = A(r(k), j)", A, order, C="csr")),
             "A[:, columns]": (lambda: A[:, some], kernel("C(i,k) = A(i, r(k))", A, some, C="csr")),
             "vstack": (lambda: sp.vstack([A, B], "csr"), kernel(stacked, A, B, B="csr", C="csr")),
             "A.tocsc()": (A.tocsc, kernel("B(i,j) = A(i,j)", A, B="csc"))}
    if rows * columns <= 4_000_000:
        dense = rng.random(A.shape)
        found["A + X"] = (lambda: A + dense, kernel("C(i,j) = A(i,j) + X(i,j)", A, dense))
    return found


clock = time.perf_counter


def least(run, seconds):
    """The least time of a call in a share of the seconds, three at least."""
    end, found = time.perf_counter() + seconds, []
    while len(found) < 3 or time.perf_counter() < end:
        start = clock()
        run()
        found.append(clock() - start)
    return min(found)


def in_turn(theirs, ours, seconds, around=contextlib.nullcontext):
    """The least times of two functions, in turn; the second one's within a context."""
    with around():
        ours()
    best = [float("inf")] * 2
    for _ in range(2):
        best[0] = min(best[0], least(theirs, seconds / 4))
        with around():
            best[1] = min(best[1], least(ours, seconds / 4))
    return best


def cell(A, B, operation, seconds):
    """SciPy's time over spc's in words; a dash where SciPy has no such operation."""
    try:
        operation(A, B)
    except (TypeError, NotImplementedError, ValueError, IndexError, AttributeError):
        return "–"
    theirs, ours = in_turn(lambda: operation(A, B), lambda: operation(A, B), seconds, spc.scipy.enabled)
    return f"{theirs / ours:.1f} ({theirs * 1e3:.2f})"


def compare(name, A, given):
    print(f"{name}: {A.shape[0]} x {A.shape[1]}, {A.nnz} entries: SciPy's time over spc's (SciPy's, ms)\n", flush=True)
    B = sp.csr_array((A.data, np.random.default_rng(3).permutation(A.shape[1])[A.indices], A.indptr), shape=A.shape)
    B.sort_indices()
    even = not (A.shape[0] % 2 or A.shape[1] % 2)
    pairs = {form: (A.asformat(form), B.asformat(form)) for form in FORMATS[:3 + even]}
    print("| |", " | ".join(pairs), "|\n|---|" + "---:|" * len(pairs))
    for operation, run in operations(A.shape, A.dtype).items():
        if given.only in operation and not (operation == "A @ A.T" and squares(A) > 4e8):
            # SciPy compares each place with each entry of a COO matrix.
            cells = ["–" if operation.startswith("A[i, j]") and form == "coo" else cell(*pair, run, given.seconds)
                     for form, pair in pairs.items()]
            print(f"| `{operation}` |", " | ".join(cells), "|", flush=True)
    for operation, (theirs, kernel) in left(A, B).items():
        if given.only in operation:
            one, other = in_turn(theirs, kernel, given.seconds)
            print(f"| {operation}, left to SciPy | {one / other:.1f} ({one * 1e3:.2f}) |", flush=True)
    print()


def squares(A):
    """How many products A @ A.T has."""
    return int(np.square(np.bincount(A.indices, minlength=A.shape[1]).astype(float)).sum())


def random(entries):
    """A square matrix with ten entries a row."""
    size = max(entries // 10, 4) // 2 * 2
    rng = np.random.default_rng(1)
    places = rng.integers(0, size, (2, entries))
    return sp.coo_array((rng.random(entries), (places[0], places[1])), shape=(size, size)).tocsr()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each operation")
    parser.add_argument("--only", default="", help="operations whose name has this word")
    parser.add_argument("--entries", default="1000,5000,20000,100000,500000,2000000", help="of random matrices")
    parser.add_argument("--cpu", action="store_true", help="the processor's time, for --threads 1 on a machine in use")
    given = parser.parse_args()
    warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
    global clock
    clock = time.process_time if given.cpu else time.perf_counter
    if given.threads:
        spc.set_threads(given.threads)
    for operation in spc.scipy.THRESHOLDS:
        spc.scipy.THRESHOLDS[operation] = 0
    print(f"SciPy {scipy.__version__}, {spc.get_threads()} threads\n")
    for entries in () if given.files else map(int, given.entries.split(",")):
        compare("random", random(entries), given)
    for file in given.files:
        A = sp.csr_array(scipy.io.mmread(file)).astype(float)
        A.sum_duplicates()
        compare(file.rpartition("/")[2].partition(".")[0], A, given)


if __name__ == "__main__":
    main()
