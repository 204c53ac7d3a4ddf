#!/usr/bin/env python3
"""What any order of rows and columns can gain for SpMM at most: a table.

    PYTHONPATH=python python3 bench/python/locality.py --data DIR [--type f64|f32] [--columns K] [--rounds N]

DIR holds .mtx or .mtx.gz files. The default kernel, CSR and one thread, is called on each matrix, and on one with the same
rows whose columns are the first sixteen, over and over: all that it reads of B is in the first cache then, whatever the
order. The ratio of both times is what an order could gain if it left nothing to be desired.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import statistics
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

import spc

NEAR = 16       # rows of B that are read
SECONDS = 5e-3  # of calls in a round, or one


def in_lines(array):
    """A copy that begins at a cache line, as those of spc run and spc tune do: a vector is read from one line then."""
    room = np.empty(array.nbytes + 64, np.uint8)
    begin = -room.ctypes.data % 64
    made = room[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def time_of(call):
    """Seconds that a call takes, after one that warms the caches."""
    call()
    count, start = 0, time.perf_counter()
    while count == 0 or time.perf_counter() - start < SECONDS:
        call()
        count += 1
    return (time.perf_counter() - start) / count


def measure(path, dtype, columns, rounds):
    """A matrix's number of entries, and medians of both times and of the rounds' ratios."""
    rng = np.random.default_rng(1)
    matrix = sp.csr_array(scipy.io.mmread(path))
    matrix.sum_duplicates()
    matrix.sort_indices()
    matrix.data = (rng.random(matrix.nnz) + 0.5).astype(dtype)
    near = sp.csr_array((matrix.data.copy(), matrix.indices % min(NEAR, matrix.shape[1]), matrix.indptr.copy()),
                        shape=matrix.shape)
    b, c = (in_lines(rng.random((rows, columns)).astype(dtype)) for rows in matrix.shape[::-1])
    kernel = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr", validate="never")  # the columns of `near` repeat
    calls = [kernel.bind(one, b, out=c) for one in (matrix, near)]
    times = np.array([[time_of(call) for call in calls] for _ in range(rounds)])
    return matrix.nnz, *np.median(times, axis=0), statistics.median(times[:, 0] / times[:, 1])


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--type", choices=["f64", "f32"], default="f64")
    parser.add_argument("--columns", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=11)
    chosen = parser.parse_args()
    spc.set_threads(1)
    ratios = []
    print("| matrix | entries | default, µs | all of B near | at most |\n|---|---:|---:|---:|---:|")
    for path in sorted(chosen.data.glob("*.mtx*")):
        entries, default, near, ratio = measure(path, {"f64": "f8", "f32": "f4"}[chosen.type], chosen.columns, chosen.rounds)
        ratios.append(max(ratio, 1.0))
        print(f"| {path.name.partition('.')[0]} | {entries:,} | {default * 1e6:.3g} | {near * 1e6:.3g} | {ratio:.2f} |",
              flush=True)
    print(f"\nGeometric mean, where nothing is lost: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
