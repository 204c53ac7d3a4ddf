#!/usr/bin/env python3
"""PyTorch's products of its own sparse tensors beside the same on spc's kernels, as spc.torch.accelerate() has them:

    bench/python/products.py [--threads N] [--seconds S] [--columns K] [FILE.mtx[.gz] ...]

Of each operation it prints PyTorch's time over spc's, medians of calls in turn: first of random matrices from small to large,
by whose work the thresholds of spc.torch are chosen, or of the files. A gradient is a whole step, forwards and back."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import statistics
import time
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp
import torch

import spc
import spc.torch


def stepped(make, *leaves):
    """A step forwards and back, whose gradients are new."""

    def run():
        for leaf in leaves:
            leaf.grad = None
        make().sum().backward()

    return run


def operations(matrix, columns):
    """By name, what is measured of a matrix."""
    parts = [torch.from_numpy(array.astype(np.int64)) for array in (matrix.indptr, matrix.indices)]
    A = torch.sparse_csr_tensor(*parts, torch.from_numpy(matrix.data), matrix.shape)
    rows, width = matrix.shape
    X, Y, x, y = torch.rand(width, columns), torch.rand(rows, columns), torch.rand(width), torch.rand(rows)
    turned, listed, leaf = A.t(), A.to_sparse(), A.clone().requires_grad_()
    learnt = X.clone().requires_grad_()
    found = {
        "A @ X": lambda: A @ X, "CSC @ X": lambda: turned @ Y, "COO @ X": lambda: listed @ X, "X @ A": lambda: Y.t() @ A,
        "X @ CSC": lambda: X.t() @ turned, "X @ COO": lambda: Y.t() @ listed, "A @ x": lambda: A @ x, "CSC @ x": lambda: turned @ y,
        "COO @ x": lambda: listed @ x, "addmm": lambda: torch.addmm(Y, A, X),
        "sampled_addmm": lambda: torch.sparse.sampled_addmm(A, Y, X.t(), beta=0), "gradient by X": stepped(lambda: A @ learnt, learnt),
        "gradients by A and X": stepped(lambda: torch.sparse.mm(leaf, learnt), leaf, learnt)}
    if not (rows % 2 or width % 2):
        blocks = A.to_sparse_bsr((2, 2))
        found.update({"BSR @ X": lambda: blocks @ X, "BSR @ x": lambda: blocks @ x, "X @ BSC": lambda: X.t() @ blocks.t()})
    return found


def made(size, each):
    """A square matrix with so many entries in each row, or fewer where some fall together."""
    rng = np.random.default_rng(1)
    places = rng.integers(0, size, size * each)
    return sp.csr_matrix((rng.random(places.size, np.float32), (np.repeat(np.arange(size), each), places)), shape=(size, size))


def timed(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(name, matrix, given):
    print(f"{name}: {matrix.shape[0]} x {matrix.shape[1]}, {matrix.nnz} entries", flush=True)
    for operation, run in operations(matrix, given.columns).items():
        try:
            run()
        except RuntimeError:
            print(f"  {operation:22} PyTorch has none", flush=True)
            continue
        with spc.torch.accelerate():
            run()
        own, ours, end = [], [], time.perf_counter() + given.seconds
        while len(own) < 3 or time.perf_counter() < end:
            own.append(timed(run))
            with spc.torch.accelerate():
                ours.append(timed(run))
        theirs, mine = statistics.median(own), statistics.median(ours)
        print(f"  {operation:22} {theirs * 1e3:9.3f} ms, spc {mine * 1e3:9.3f} ms: {theirs / mine:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each operation")
    parser.add_argument("--columns", type=int, default=32, help="of the dense matrices")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)  # that PyTorch's layouts are in beta
    if given.threads:
        spc.set_threads(given.threads)
        torch.set_num_threads(given.threads)
    if not given.files:
        for operation in spc.torch.THRESHOLDS:
            spc.torch.THRESHOLDS[operation] = 0
    print(f"PyTorch {torch.__version__}, {'with' if torch.backends.mkl.is_available() else 'without'} MKL, {spc.get_threads()} threads")
    for entries in () if given.files else (100, 1_000, 5_000, 20_000, 100_000, 500_000):
        compare("random", made(entries // 5, 5), given)
    for file in given.files:
        matrix = sp.csr_matrix(scipy.io.mmread(file), dtype=np.float32)
        matrix.sum_duplicates()
        compare(file.rpartition("/")[2].partition(".")[0], matrix, given)


if __name__ == "__main__":
    main()
