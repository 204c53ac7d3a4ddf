#!/usr/bin/env python3
"""Two graph convolutions whose graph is divided among processes: in between they exchange the rows that their edges reach.

    mpirun -n 4 python3 layers.py [graph.mtx [parts]]

Each process reads its rows alone of what the graph's file has. `parts` has the process of each vertex, as METIS's gpmetis
writes it. Without a file a graph is made: a grid with some chords.
"""
# SPDX-License-Identifier: Apache-2.0

import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sp
from mpi4py import MPI

import spc
import spc.mpi

FEATURES, HIDDEN, CLASSES, STEPS = 32, 16, 4, 5
KERNEL = """
kernel layers(A, X, U, V) -> O
let H(i, g) = relu(sum(j, f, A(i, j) * X(j, f) * U(f, g)))
O(i, c) = A(i, j) * H(j, g) * V(g, c)
"""


def graph(arguments):
    """The graph as CSR: its weights are one over the degrees."""
    if arguments:
        edges = abs(sp.csr_matrix(scipy.io.mmread(arguments[0]).astype(float)))
    else:
        side = 60
        line = sp.diags([1.0, 1.0], [-1, 1], (side, side))
        edges = sp.kron(line, sp.eye(side)) + sp.kron(sp.eye(side), line)
        chords = np.random.default_rng(1).integers(0, side * side, (2, side))
        edges = sp.csr_matrix(edges + sp.coo_matrix((np.ones(side), tuple(chords)), edges.shape))
    degrees = np.maximum(np.diff(edges.indptr), 1)
    weighted = sp.csr_matrix(sp.diags(1 / degrees) @ edges)
    weighted.sum_duplicates()
    return weighted


def run(pieces, steps, held):
    """Runs the pieces one after the other on what this process holds, by name."""
    for piece, step in zip(pieces, steps):
        for copy, source in piece.copies.items():
            held[copy] = held[source]
        signature = piece.kernel.signature
        made = step(**{argument.name: held[argument.name] for argument in signature.inputs})
        held.update(zip([argument.name for argument in signature.outputs], made if isinstance(made, tuple) else (made,)))
    return held["O"]


def main():
    """Prints what is exchanged and how long a step takes, and checks the result against SciPy."""
    comm = MPI.COMM_WORLD
    spc.set_threads(1)
    A = graph(sys.argv[1:])
    parts = np.loadtxt(sys.argv[2], dtype=np.int64) if len(sys.argv) > 2 else np.arange(A.shape[0]) * comm.size // A.shape[0]
    own = np.flatnonzero(parts == comm.rank)
    rng = np.random.default_rng(2)
    X, U, V = (rng.standard_normal(shape) for shape in ((A.shape[0], FEATURES), (FEATURES, HIDDEN), (HIDDEN, CLASSES)))

    pieces = spc.kernel(KERNEL, A="csr").pieces("i")
    steps = [spc.mpi.distribute(piece.kernel, comm, by=piece.index, parts=parts) for piece in pieces]
    held = {"A": A[own], "X": X[own], "U": U, "V": V}
    O = run(pieces, steps, held)
    start = time.perf_counter()
    for _ in range(STEPS):
        O = run(pieces, steps, held)
    seconds = comm.allreduce(time.perf_counter() - start, MPI.MAX) / STEPS
    rows = comm.allreduce(sum(step.volume for step in steps))
    expected = (A @ (np.maximum(A @ X @ U, 0) @ V))[own]
    is_right = comm.allreduce(bool(np.allclose(O, expected)), MPI.LAND)
    if comm.rank == 0:
        print(f"{comm.size} processes, {len(pieces)} kernels, {rows} rows exchanged in a step of {1e3 * seconds:.2f} ms")
        print("ok" if is_right else "WRONG")
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
