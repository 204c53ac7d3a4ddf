#!/usr/bin/env python3
"""Computed indices next to SciPy, GraphBLAS and PyTorch: how many times as fast spc is.

    PYTHONPATH=python python3 bench/python/indices.py --data DIR [--threads N] [--rounds N] [--kernels NAME...] [--csv FILE]

DIR holds .mtx or .mtx.gz files; without it, two matrices are made. Contenders take turns as in libraries.py; results are
compared before anything is timed. Peers that are not installed are left out: GraphBLAS is that of the package python-graphblas.
"""
# SPDX-License-Identifier: Apache-2.0

import csv
import pathlib
import warnings

import numpy as np
import scipy.sparse as sp
from libraries import geometric_mean, matrices, measure, parser_of, plain, set_threads, torch

import spc

try:
    import graphblas as gb
except ImportError:
    gb = None

PEERS = ("SciPy", "SciPy, sorted", "GraphBLAS", "PyTorch")
WIDTH = 64  # of dense operands


def graph(a):
    """A matrix as GraphBLAS has it."""
    return gb and gb.io.from_scipy_sparse(a)


def made(expression):
    """A result of GraphBLAS, with nothing left to do."""
    result = expression.new() if hasattr(expression, "new") else expression
    result.wait()
    return result


def numbers(result):
    """What libraries.plain gives, of GraphBLAS's results, too."""
    if gb and isinstance(result, gb.Matrix):
        return plain(gb.io.to_scipy_sparse(result, "csr"))
    if gb and isinstance(result, gb.Vector):
        return result.to_dense(fill_value=0.0)
    return plain(result)


def kernel(text, *results, declared="", **formats):
    """One whose results are in CSR."""
    return spc.kernel(declared + text, formats={**{name: "csr" for name in results}, **formats})


def index(rng, extent, count):
    """Different numbers below an extent, in any order."""
    return rng.permutation(extent)[:count].astype(np.int32)


def in_order(matrix):
    """A matrix whose rows SciPy has left in any order, as spc and GraphBLAS give them."""
    matrix.sort_indices()
    return matrix


def window(a, rng):
    """half of the rows and of the columns, from the middle"""
    (m, n), g = a.shape, graph(a)
    r, c, h, w = m // 4, n // 4, m // 2, n // 2
    own = kernel(f"B(i,j) = A(i+{r}, j+{c})", "A", "B", declared=f"tensor A(m,n)\ntensor B({h},{w})\n")
    return {"spc": lambda: own(A=a), "SciPy": lambda: a[r:r + h, c:c + w],
            "GraphBLAS": gb and (lambda: made(g[r:r + h, c:c + w]))}


def rows(a, rng):
    """half of the rows, from the middle"""
    (m, n), g = a.shape, graph(a)
    r, h = m // 4, m // 2
    own = kernel(f"B(i,j) = A(i+{r}, j)", "A", "B", declared=f"tensor A(m,n)\ntensor B({h},n)\n")
    return {"spc": lambda: own(A=a), "SciPy": lambda: a[r:r + h], "GraphBLAS": gb and (lambda: made(g[r:r + h, :]))}


def strided(a, rng):
    """every second row and column"""
    (m, n), g = a.shape, graph(a)
    own = kernel("B(i,j) = A(2*i, 2*j)", "A", "B", declared=f"tensor A(m,n)\ntensor B({(m + 1) // 2},{(n + 1) // 2})\n")
    return {"spc": lambda: own(A=a), "SciPy": lambda: a[::2, ::2], "GraphBLAS": gb and (lambda: made(g[::2, ::2]))}


def beside(a, rng):
    """two matrices side by side"""
    (m, n), b = a.shape, a.copy()
    g, h = graph(a), graph(b)
    own = kernel("H(i,k) = padded(A(i,k)) + padded(B(i,k - n))", "A", "B", "H",
                 declared=f"tensor A(m,n)\ntensor B(m,l)\ntensor H(m,{2 * n})\n")
    return {"spc": lambda: own(A=a, B=b), "SciPy": lambda: sp.hstack([a, b], format="csr"),
            "GraphBLAS": gb and (lambda: made(gb.ss.concat([[g, h]])))}


def above(a, rng):
    """one matrix above another"""
    (m, n), b = a.shape, a.copy()
    g, h = graph(a), graph(b)
    own = kernel("V(k,j) = padded(A(k,j)) + padded(B(k - m,j))", "A", "B", "V",
                 declared=f"tensor A(m,n)\ntensor B(l,n)\ntensor V({2 * m},n)\n")
    return {"spc": lambda: own(A=a, B=b), "SciPy": lambda: sp.vstack([a, b], format="csr"),
            "GraphBLAS": gb and (lambda: made(gb.ss.concat([[g], [h]])))}


def kronecker(a, rng):
    """the Kronecker product with 4 x 4 of 6 entries"""
    m, n = a.shape
    b = sp.csr_array((rng.random(6), ([0, 0, 1, 2, 3, 3], [1, 3, 0, 2, 0, 3])), shape=(4, 4))
    g, h = graph(a), graph(b)
    own = kernel("C(4*i+k, 4*j+l) = A(i,j) * B(k,l)", "A", "B", "C",
                 declared=f"tensor A(m,n)\ntensor B(4,4)\ntensor C({4 * m},{4 * n})\n")
    return {"spc": lambda: own(A=a, B=b), "SciPy": lambda: sp.kron(a, b, format="csr"),
            "GraphBLAS": gb and (lambda: made(g.kronecker(h)))}


def shifted(a, rng):
    """A + lam * I; the peers' identity is there beforehand"""
    if a.shape[0] != a.shape[1]:
        return None
    eye = sp.csr_array(sp.identity(a.shape[0], format="csr") * 0.5)
    g, h = graph(a), graph(eye)
    own = kernel("B(i,j) = A(i,j) + lam*(i==j)", "A", "B")
    return {"spc": lambda: own(A=a, lam=0.5), "SciPy": lambda: a + eye,
            "GraphBLAS": gb and (lambda: made(g.ewise_add(h, gb.binary.plus)))}


def permuted(a, rng):
    """rows and columns in another order"""
    (m, n), g = a.shape, graph(a)
    p, q = index(rng, m, m), index(rng, n, n)
    own = kernel("B(i,j) = A(p(i), q(j))", "A", "B")
    return {"spc": lambda: own(A=a, p=p, q=q), "SciPy": lambda: a[p][:, q], "SciPy, sorted": lambda: in_order(a[p][:, q]),
            "GraphBLAS": gb and (lambda: made(g[p, q]))}


def extracted(a, rng):
    """a quarter of the rows and of the columns, in any order"""
    (m, n), g = a.shape, graph(a)
    p, q = index(rng, m, m // 4), index(rng, n, n // 4)
    own = kernel("B(i,j) = A(p(i), q(j))", "A", "B")
    return {"spc": lambda: own(A=a, p=p, q=q), "SciPy": lambda: a[p][:, q], "SciPy, sorted": lambda: in_order(a[p][:, q]),
            "GraphBLAS": gb and (lambda: made(g[p, q]))}


def added(a, rng):
    """a matrix of a quarter of the rows and columns, added to these of A"""
    m, n = a.shape
    p, q = index(rng, m, m // 4), index(rng, n, n // 4)
    s = sp.csr_array(a[:m // 4, :n // 4])
    g, h = graph(a), graph(s)
    own = kernel("D(k,l) = A(k,l) + S(i,j)*(k == p(i))*(l == q(j))", "A", "S", "D")

    def with_scipy():
        there = s.tocoo()
        return a + sp.csr_array((there.data, (p[there.row], q[there.col])), shape=a.shape)

    def with_graphblas():
        result = g.dup()
        result(gb.binary.plus)[p, q] << h
        result.wait()
        return result

    return {"spc": lambda: own(A=a, S=s, p=p, q=q), "SciPy": with_scipy, "GraphBLAS": gb and with_graphblas}


def diagonal(a, rng):
    """the diagonal"""
    if a.shape[0] != a.shape[1]:
        return None
    g, own, d = graph(a), spc.kernel("d(i) = A(i,i)", A="csr"), np.empty(a.shape[0])
    return {"spc": lambda: own(a, out=d), "SciPy": a.diagonal, "GraphBLAS": gb and (lambda: made(g.diag()))}


def bag(a, rng):
    """sums of rows of a table, as many as a row of A has entries on average"""
    table = rng.random((a.shape[1], WIDTH), dtype=np.float32)
    places = rng.integers(0, a.shape[1], (a.shape[0], max(1, a.nnz // a.shape[0])), dtype=np.int64)
    own, out = spc.kernel("R(b,k) = sum(c, E(t(b,c),k))"), np.empty((a.shape[0], WIDTH), np.float32)
    return {"spc": lambda: own(E=table, t=places, out=out),
            "PyTorch": torch and (lambda t=torch.from_numpy(places), e=torch.from_numpy(table):
                                  torch.nn.functional.embedding_bag(t, e, mode="sum").numpy())}


def gathered(a, rng):
    """rows of a table, as many as A has entries"""
    table = rng.random((a.shape[1], WIDTH), dtype=np.float32)
    places = a.indices.astype(np.int64)
    own, out = spc.kernel("R(i,k) = E(t(i),k)"), np.empty((a.nnz, WIDTH), np.float32)
    return {"spc": lambda: own(E=table, t=places, out=out),
            "PyTorch": torch and (lambda t=torch.from_numpy(places), e=torch.from_numpy(table), o=torch.from_numpy(out.copy()):
                                  torch.index_select(e, 0, t, out=o).numpy())}


def index_add(a, rng):
    """rows added up by index, as many as A has entries"""
    places, x = a.indices.astype(np.int64), rng.random((a.nnz, WIDTH), dtype=np.float32)
    own = spc.kernel("Y(r,k) = X(t,k) * (r == p(t))")
    return {"spc": lambda: own(X=x, p=places, sizes={"r": a.shape[1]}),
            "PyTorch": torch and (lambda p=torch.from_numpy(places), y=torch.from_numpy(x):
                                  torch.zeros(a.shape[1], WIDTH).index_add_(0, p, y).numpy())}


def coordinates(a, rng):
    """a product with a matrix that is given by coordinates, in rows of 64 numbers"""
    there, b = a.tocoo(), rng.random((a.shape[1], WIDTH))
    own = spc.kernel("D(i,n) = v(t) * B(c(t), n) * (i == r(t))")
    row, column = there.row.astype(np.int32), there.col.astype(np.int32)
    return {"spc": lambda: own(v=there.data, B=b, c=column, r=row, sizes={"i": a.shape[0]}), "SciPy": lambda: there @ b}


KERNELS = {"window": window, "rows": rows, "stride": strided, "hstack": beside, "vstack": above, "kron": kronecker,
           "A+lam*I": shifted, "permutation": permuted, "extract": extracted, "assign": added, "diagonal": diagonal,
           "embedding bag": bag, "gather": gathered, "index_add": index_add, "coordinates": coordinates}


def cell(ratios):
    """Their geometric mean and the least."""
    return f"{geometric_mean(ratios):.2f} ({min(ratios):.2f})" if ratios else "–"


def summary(results, fewest):
    """By kernel, over each peer, of matrices with so many entries and more."""
    lines = ["| kernel | " + " | ".join(f"over {peer}" for peer in PEERS) + " |", "|---|" + "---:|" * len(PEERS)]
    every = {peer: [] for peer in PEERS}
    for name, some in results.items():
        by_peer = {peer: [ratios[peer] for entries, ratios in some if peer in ratios and entries >= fewest] for peer in PEERS}
        lines.append(f"| {name} | " + " | ".join(cell(by_peer[peer]) for peer in PEERS) + " |")
        for peer in PEERS:
            every[peer] += by_peer[peer]
    return "\n".join([*lines, "| all | " + " | ".join(cell(every[peer]) for peer in PEERS) + " |"])


def main():
    """Prints a table of each kernel, and a summary."""
    parser = parser_of(__doc__, KERNELS)
    parser.add_argument("--entries", type=int, default=10**5, help="matrices with fewer are left out of the summary")
    parser.add_argument("--csv", type=pathlib.Path)
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore")
    set_threads(chosen.threads)
    if gb and chosen.threads:
        gb.ss.config["nthreads"] = chosen.threads
    inputs, results, lines = list(matrices(chosen.data)), {}, []
    for name in chosen.kernels:
        print(f"\n{name}, {KERNELS[name].__doc__}, {spc.get_threads()} threads: time over that of spc\n")
        print(f"| matrix | entries | spc, µs | {' | '.join(PEERS)} |\n|---|---:|---:|" + "---:|" * len(PEERS))
        for matrix, a in inputs:
            contenders = KERNELS[name](a, np.random.default_rng(2))
            if contenders is None:
                continue
            times = measure(contenders, chosen.rounds, numbers)
            ratios = {peer: times[peer] / times["spc"] for peer in PEERS if peer in times}
            results.setdefault(name, []).append((a.nnz, ratios))
            lines.append([name, matrix, a.nnz, spc.get_threads(), times["spc"], *(times.get(peer, "") for peer in PEERS)])
            shown = " | ".join(f"{ratios[peer]:.2f}" if peer in ratios else "–" for peer in PEERS)
            print(f"| {matrix} | {a.nnz:,} | {times['spc'] * 1e6:.1f} | {shown} |", flush=True)
    print(f"\nFrom {chosen.entries:,} entries on, {spc.get_threads()} threads: geometric means, and the least\n\n"
          f"{summary(results, chosen.entries)}")
    if chosen.csv:
        with chosen.csv.open("a", newline="") as file:
            csv.writer(file).writerows(lines)


if __name__ == "__main__":
    main()
