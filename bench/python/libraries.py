#!/usr/bin/env python3
"""Kernels from Python next to SciPy, PyTorch and pydata/sparse: tables of how many times as fast spc is.

    PYTHONPATH=python python3 bench/python/libraries.py --data DIR [--threads N] [--rounds N] [--kernels NAME...] [--page FILE]

DIR holds .mtx or .mtx.gz files; without it, two matrices are made. Every result is checked before it is timed. Contenders
take turns, each after a call that warms the caches for it, and the medians of their times are compared. --page puts the
summary into a page, between the comments "begin python, N threads" and "end python, N threads".
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import pathlib
import statistics
import time
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp

import spc

try:
    import torch
except ImportError:
    torch = None
try:
    import sparse
except ImportError:
    sparse = None

OTHERS = ("SciPy", "PyTorch", "pydata/sparse")

SECONDS = 0.4  # at most so long a contender and round


def spmv(a, rng):
    """y = A x"""
    x, y = rng.random(a.shape[1]), np.empty(a.shape[0])
    kernel = spc.kernel("y(i) = A(i,j) * x(j)", A="csr")
    return {"spc": lambda: kernel(a, x, out=y), "SciPy": lambda: a @ x,
            "PyTorch": torch and (lambda t=tensor(a), v=torch.from_numpy(x): (t @ v).numpy()),
            "pydata/sparse": sparse and (lambda s=gcxs(a): s @ x)}


def spmm(columns):
    """C = A B, B with so many columns"""
    def make(a, rng):
        b, c = rng.random((a.shape[1], columns)), np.empty((a.shape[0], columns))
        kernel = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")
        return {"spc": lambda: kernel(a, b, out=c), "SciPy": lambda: a @ b,
                "PyTorch": torch and (lambda t=tensor(a), m=torch.from_numpy(b): (t @ m).numpy()),
                "pydata/sparse": sparse and (lambda s=gcxs(a): s @ b)}
    return make


def sddmm(a, rng):
    """D = A .* (P Q'), 32 columns"""
    p, q = rng.random((a.shape[0], 32)), rng.random((a.shape[1], 32))
    kernel, d = spc.kernel("D(i,j) = S(i,j) * P(i,l) * Q(j,l)", S="csr"), a.copy()
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))

    def gathered():
        return sp.csr_array((a.data * np.einsum("ek,ek->e", p[rows], q[a.indices]), a.indices, a.indptr), shape=a.shape)

    def with_torch(places=(rows, a.indices.astype(np.int64)), left=torch and torch.from_numpy(p),
                   right=torch and torch.from_numpy(q), values=torch and torch.from_numpy(a.data)):
        one, other = (torch.from_numpy(place) for place in places)
        return (values * (left[one] * right[other]).sum(1)).numpy()

    return {"spc": lambda: kernel(a, p, q, out=d), "SciPy": gathered, "PyTorch": torch and with_torch}


def spgemm(a, rng):
    """C = A A"""
    if a.shape[0] != a.shape[1]:
        return None
    kernel = spc.kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr")
    return {"spc": lambda: kernel(a, a), "SciPy": lambda: a @ a, "PyTorch": torch and (lambda t=tensor(a): t @ t),
            "pydata/sparse": sparse and (lambda s=gcxs(a): s @ s)}


def spadd(a, rng):
    """C = A + B, B as large as A"""
    b = sp.csr_array((rng.random(a.nnz), rng.integers(0, a.shape[1], a.nnz, dtype=np.int32), a.indptr.copy()),
                     shape=a.shape)
    b.sum_duplicates()
    kernel = spc.kernel("C(i,j) = A(i,j) + B(i,j)", A="csr", B="csr", C="csr")
    return {"spc": lambda: kernel(a, b), "SciPy": lambda: a + b,
            "PyTorch": torch and (lambda t=tensor(a), u=tensor(b): t + u),
            "pydata/sparse": sparse and (lambda s=gcxs(a), t=gcxs(b): s + t)}


KERNELS = {"SpMV": spmv, "SpMM K=32": spmm(32), "SpMM K=128": spmm(128), "SDDMM K=32": sddmm, "SpGEMM A*A": spgemm,
           "A+B": spadd}


def tensor(a):
    """torch's tensor of a matrix: CSR."""
    return torch.sparse_csr_tensor(torch.from_numpy(a.indptr.astype(np.int64)), torch.from_numpy(a.indices.astype(np.int64)),
                                   torch.from_numpy(a.data), size=a.shape)


def gcxs(a):
    """pydata/sparse's matrix in compressed rows."""
    return sparse.GCXS.from_scipy_sparse(a)


def plain(result):
    """The numbers of a result, in an order that does not depend on who made it."""
    if sparse is not None and isinstance(result, sparse.SparseArray):
        result = result.tocsr() if isinstance(result, sparse.COO) else result.to_scipy_sparse()
    if sp.issparse(result):
        result = result.tocsr()
        result.sum_duplicates()
        return result.data
    if torch is not None and isinstance(result, torch.Tensor):
        return sp.csr_array((result.values().numpy(), result.col_indices().numpy(), result.crow_indices().numpy()),
                            shape=tuple(result.shape)).sorted_indices().data
    return np.asarray(result)


def measure(contenders, rounds, plain=plain):
    """The median time of each, of those that can do it, after their results, made `plain`, were compared."""
    expected = plain(contenders["spc"]())
    able = {}
    for name, call in contenders.items():
        try:
            result = plain(call()) if call else None
        except (RuntimeError, NotImplementedError):
            continue  # torch without MKL lacks some
        if result is not None:
            if result.shape == expected.shape:
                exact = 1e-4 if result.dtype == np.float32 else 1e-8
                np.testing.assert_allclose(result, expected, rtol=exact, atol=exact / 100)
            else:  # zeros that one stores and another does not
                np.testing.assert_allclose(result.sum(), expected.sum(), rtol=1e-8)
            able[name] = call
    times = {name: [] for name in able}
    for step in range(rounds):
        for name in list(able)[::1 if step % 2 else -1]:
            able[name]()
            start, count = time.perf_counter(), 0
            while count < 3 or (time.perf_counter() - start < SECONDS / rounds and count < 1000):
                able[name]()
                count += 1
            times[name].append((time.perf_counter() - start) / count)
    return {name: statistics.median(some) for name, some in times.items()}


def matrices(folder):
    """Names and matrices, as CSR arrays of f64."""
    rng = np.random.default_rng(1)
    if folder is None:
        yield "uniform", sp.random_array((20000, 20000), density=5e-4, format="csr", random_state=rng) \
            if hasattr(sp, "random_array") else sp.csr_array(sp.random(20000, 20000, 5e-4, "csr", random_state=1))
        diagonals = sp.csr_array(sp.diags(range(1, 6), [-200, -1, 0, 1, 200], shape=(40000, 40000)))
        diagonals.data = rng.random(diagonals.nnz)
        yield "five-points", diagonals
        return
    for path in sorted(pathlib.Path(folder).glob("*.mtx*")):
        matrix = sp.csr_array(scipy.io.mmread(path))
        matrix.sum_duplicates()
        matrix.data = rng.random(matrix.nnz) + 0.5
        yield path.name.partition(".")[0], matrix


def geometric_mean(numbers):
    return float(np.exp(np.mean(np.log(numbers)))) if numbers else float("nan")


def mean_and_least(ratios, fewest=0):
    """Both, of matrices with so many entries and more."""
    some = [ratio for entries, ratio in ratios if entries >= fewest]
    return f"{geometric_mean(some):.2f} ({min(some):.2f})" if some else "–"


def summary(results):
    """Means by kernel and, over SciPy, ratios by matrix. results: by kernel and matrix the entries, and ratios by library."""
    others = [other for other in OTHERS[1:] if any(other in ratios for rows in results.values() for _, ratios in rows.values())]
    lines = ["| kernel | over SciPy | from 10^5 entries on | " + "".join(f"over {other} | " for other in others).strip(),
             "|---|---:|---:|" + "---:|" * len(others)]
    matrix_rows = {}
    for kernel, rows in results.items():
        by_library = {other: [(entries, ratios[other]) for entries, ratios in rows.values() if other in ratios]
                      for other in OTHERS}
        lines.append(f"| {kernel} | {mean_and_least(by_library['SciPy'])} | {mean_and_least(by_library['SciPy'], 10**5)} | "
                     + "".join(f"{mean_and_least(by_library[other])} | " for other in others).strip())
        for name, (entries, ratios) in rows.items():
            matrix_rows.setdefault((entries, name), {})[kernel] = ratios.get("SciPy")
    lines += ["", "| over SciPy | entries | " + " | ".join(results) + " |", "|---|---:|" + "---:|" * len(results)]
    for (entries, name), ratios in sorted(matrix_rows.items()):
        cells = (f"{ratios[kernel]:.2f}" if ratios.get(kernel) else "–" for kernel in results)
        lines.append(f"| {name} | {entries:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fill(page, threads, text):
    """Puts a text between a page's comments."""
    begin, end = (f"<!-- {which} python, {threads} thread{'s' if threads > 1 else ''} -->" for which in ("begin", "end"))
    before, found, rest = page.read_text().partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise SystemExit(f"{page} has no {begin} before {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


def parser_of(about, kernels):
    """A parser of the arguments that comparisons of kernels share; about is a script's documentation."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--data")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kernels", nargs="+", default=list(kernels))
    return parser


def set_threads(threads):
    """Makes spc and PyTorch work with that many threads; None leaves them as they are."""
    spc.set_threads(threads)
    if torch is not None and threads:
        torch.set_num_threads(threads)


def main():
    """Prints a table of each kernel, and a summary."""
    parser = parser_of(__doc__, KERNELS)
    parser.add_argument("--page", type=pathlib.Path)
    chosen = parser.parse_args()
    warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta state")
    set_threads(chosen.threads)
    inputs = list(matrices(chosen.data))
    results = {}
    for kernel in chosen.kernels:
        print(f"\n{kernel}, {spc.get_threads()} threads: time over that of spc\n")
        print("| matrix | entries | spc, µs | " + " | ".join(OTHERS) + " |\n|---|---:|---:|" + "---:|" * len(OTHERS))
        for name, matrix in inputs:
            contenders = KERNELS[kernel](matrix, np.random.default_rng(2))
            if contenders is None:
                continue
            times = measure(contenders, chosen.rounds)
            ratios = {other: times[other] / times["spc"] for other in OTHERS if other in times}
            results.setdefault(kernel, {})[name] = matrix.nnz, ratios
            shown = " | ".join(f"{ratios[other]:.2f}" if other in ratios else "–" for other in OTHERS)
            print(f"| {name} | {matrix.nnz:,} | {times['spc'] * 1e6:.1f} | {shown} |", flush=True)
    print(f"\n{summary(results)}")
    if chosen.page:
        fill(chosen.page, spc.get_threads(), summary(results))


if __name__ == "__main__":
    main()
