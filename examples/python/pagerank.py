#!/usr/bin/env python3
"""PageRank: the ranks of a graph's nodes, by power iteration with one compiled kernel.

    python3 pagerank.py [graph.mtx]

Entry (i, j) of the file is a link from i to j. Without a file, a graph is made.
"""
# SPDX-License-Identifier: Apache-2.0

import sys

import numpy as np
import scipy.io
import scipy.sparse as sp

import spc

DAMPING, TOLERANCE = 0.85, 1e-12

# Each node passes its rank on in equal parts; what nodes without links hold, and the rest, is spread over all.
STEP = """
kernel step(A, share, spread, d) -> rank
rank(i) = d * A(j,i) * share(j) + spread
"""


def links(arguments):
    """The graph as a CSR array without weights."""
    if arguments:
        graph = sp.csr_array(scipy.io.mmread(arguments[0]))
        graph.sum_duplicates()
    else:
        graph = sp.csr_array(sp.random(2000, 2000, 0.002, "csr", random_state=1))
    graph.data = np.ones(graph.nnz)
    return graph


def pagerank(graph):
    """The ranks, which add up to 1, and the number of iterations."""
    count = graph.shape[0]
    degree = np.diff(graph.indptr)
    step = spc.kernel(STEP, A="csr")
    rank = np.full(count, 1.0 / count)
    for iteration in range(1, 1000):
        share = np.divide(rank, degree, out=np.zeros(count), where=degree > 0)
        spread = ((1 - DAMPING) + DAMPING * rank[degree == 0].sum()) / count
        following = step(A=graph, share=share, spread=spread, d=DAMPING)
        change = np.abs(following - rank).sum()
        rank = following
        if change < TOLERANCE:
            break
    return rank, iteration


def main():
    """Prints the nodes of the highest ranks."""
    rank, iterations = pagerank(links(sys.argv[1:]))
    print(f"{iterations} iterations, the ranks add up to {rank.sum():.6f}")
    for node in np.argsort(-rank, kind="stable")[:5]:
        print(f"node {node}: {rank[node]:.6f}")


if __name__ == "__main__":
    main()
