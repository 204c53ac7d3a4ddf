#!/usr/bin/env python3
"""Single cells on dask: counts of genes, normalised, with the mean and the variance of each gene and the cells in few
dimensions. Cells are in blocks, as an AnnData object has them on disk; each block is a task, which runs one kernel.

    python3 cells.py [CELLS GENES BLOCKS]
"""
# SPDX-License-Identifier: Apache-2.0

import sys

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask import delayed

import spc
import spc.dask

KERNEL = """
kernel cells(X, V) -> (level, square, P)
tensor X(cells, genes): f32, sparse
tensor V(genes, parts): f32
tensor level(genes): f64
tensor square(genes): f64
tensor P(cells, parts): f32
let total(c) = sum(g, X(c, g))
let L(c, g) = log1p(X(c, g) * 10000 / total(c))
level(g) = sum(c, L(c, g))
square(g) = sum(c, L(c, g) * L(c, g))
P(c, k) = L(c, g) * V(g, k)
"""


def block(number, cells, genes):
    """Counts of some cells: most genes are silent in most of them."""
    rng = np.random.default_rng(number)
    counts = sp.random(cells, genes, 0.06, "csr", random_state=number, dtype=np.float32)
    counts.data = rng.geometric(0.4, counts.nnz).astype(np.float32)
    return counts


def counts(cells, genes, blocks):
    """The matrix in blocks of rows, made by tasks, as they would be read from files."""
    sizes = [cells * (k + 1) // blocks - cells * k // blocks for k in range(blocks)]
    return da.concatenate([
        da.from_delayed(delayed(block)(k, size, genes), (size, genes), meta=sp.csr_matrix((0, 0), dtype=np.float32))
        for k, size in enumerate(sizes)])


def main():
    """Prints the genes that vary most, and checks all against SciPy."""
    cells, genes, blocks = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (3000, 400, 4)
    spc.set_threads(1)  # dask has threads of its own
    X = counts(cells, genes, blocks)
    V = np.random.default_rng(0).standard_normal((genes, 8)).astype(np.float32)
    level, square, P = spc.dask.divide(spc.kernel(KERNEL, X="csr"), "c", X=X, V=V)
    mean = level / cells
    mean, variance, P = da.compute(mean, square / cells - mean * mean, P)
    for gene in np.argsort(-variance / mean)[:3]:
        print(f"gene {gene}: mean {mean[gene]:.3f}, variance {variance[gene]:.3f}")

    whole = sp.vstack([block(k, size, genes) for k, size in enumerate(X.chunks[0])]).tocsr()
    logs = whole.multiply(10000 / whole.sum(1)).tocsr().log1p()
    assert np.allclose(mean, logs.mean(0), 1e-3) and np.allclose(P, logs @ V, 1e-3, 1e-3)
    assert np.allclose(variance, logs.power(2).mean(0) - np.square(logs.mean(0)), 1e-2, 1e-3)
    print(f"ok: {cells} cells in {blocks} blocks, as SciPy has them at once")


if __name__ == "__main__":
    main()
