"""What every rank runs: kernels on parts, by every division that their tables allow, beside the whole, and errors.

    mpirun -n N python3 cases.py [STRIDE FIRST]    every so many of all kernels
"""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import spc
import spc.mpi

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from parts import Tensor, operands_of, run, sizes_of  # noqa: E402
from test_divisions import FORMATS, KERNELS, PROGRAMS, UNDIVIDED  # noqa: E402

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.rank, COMM.size
MORE = [("tensor W(m, n): f64, sparse, fill inf\ntensor x(m)\ny(j) = min(i, W(i,j) + x(i))", {"W": "csr"}),
        ("C(i,j) = A(i,k) * B(k,j)\ny(i) = A(i,k) * x(k)", {"A": "csr", "C": "csr", "B": "csr"}),
        ("y(i) = relu(sum(j, A(i,j) * x(j) - u(i)))", {"A": "csr"}),
        ("let E(i,j) = S(i,j) * Q(i,k) * K(j,k)\nO(i,f) = exp(E(i,j)) * pattern(S(i,j)) * V(j,f)", {"S": "csr"})]


def owners(rng, size, kind):
    """The rank of each coordinate: neighbours as many each, uneven ones, all at one rank, or any."""
    if kind == "any":
        return rng.integers(0, SIZE, size)
    if kind == "one":
        return np.full(size, SIZE - 1)
    cuts = [size * k // SIZE for k in range(1, SIZE)] if kind == "equal" else sorted(rng.integers(0, size + 1, SIZE - 1))
    return np.searchsorted(cuts, np.arange(size), side="right")


def part_of(tensor, role, shape, own):
    """own: the rank's coordinates by extent."""
    dims = role.dims or (role.rows[:1] if role.role == "rows" else ())
    return tensor.cut({dim: own[shape[dim]] for dim in dims})


def expected(tensor, role, argument, own):
    dims = role.dims or (role.rows[:1] if role.role not in ("whole", "slice") else ())
    dense = tensor.dense(argument.fill)
    return dense[np.ix_(*[own[argument.shape[dim]] if dim in dims else np.arange(size) for dim, size in enumerate(dense.shape)])] \
        if dense.ndim else dense


def check(text, formats, kinds):
    rng = np.random.default_rng(5)
    kernel = spc.kernel(text, **formats)
    signature, count = kernel.signature, 0
    sizes = sizes_of(signature)
    operands = operands_of(rng, signature, formats, sizes)
    results = {argument.name: argument for argument in signature.outputs}
    divisions = kernel.divisions()
    whole = run(kernel, {name: one.copy() for name, one in operands.items()}, results) if any(divisions.values()) else {}
    for index, division in divisions.items():
        if not division:
            continue
        for kind in kinds:
            divided = owners(rng, sizes[division.extent], kind)
            lists = {extent: owners(rng, sizes[extent], "equal" if extent not in exchanged(division, signature) else
                                    kind if kind != "any" else "uneven") for extent in division.halos}
            for extent in lists:  # of one size, they are at one rank
                if sizes[extent] == sizes[division.extent] and kind == "any" or \
                        sizes[extent] == sizes[division.extent] and extent not in exchanged(division, signature):
                    lists[extent] = divided
            own = {extent: np.flatnonzero(one == RANK) for extent, one in {**lists, division.extent: divided}.items()}
            step = spc.mpi.distribute(kernel, COMM, by=index, parts=divided if kind == "any" else None, timeout=30)
            for _ in range(2):
                given = {argument.name: part_of(operands[argument.name].copy(), division.arguments[argument.name], argument.shape,
                                                own).operand() for argument in signature.inputs}
                made = step(**given)
            for (name, argument), result in zip(results.items(), made if isinstance(made, tuple) else (made,)):
                want = expected(whole[name], division.arguments[name], argument, own)
                got = Tensor.of(result).dense(argument.fill) if not np.isscalar(result) else result
                assert np.shape(got) == want.shape and np.allclose(got, want, 1e-4 if want.dtype == np.float32 else 1e-9), \
                    (text, index, kind, name, RANK)
            count += 1
    return count


def exchanged(division, signature):
    """The extents whose rows operands have."""
    shapes = {argument.name: argument.shape for argument in signature.arguments}
    return {shapes[name][role.rows[0]] for name, role in division.arguments.items() if role.role == "rows"}


def kernels(stride, first):
    all_ = [(text, formats, ("equal", "uneven", "one", "any")) for text, formats in KERNELS + MORE]
    all_ += [((PROGRAMS / f"{name}.tex").read_text(), formats, ("equal", "any"))
             for name, formats in sorted(FORMATS.items()) if name not in UNDIVIDED]
    return sum(check(*one) for one in all_[first::stride])


def main():
    warnings.simplefilter("ignore", spc.SpcWarning)
    spc.set_threads(1)
    start = time.perf_counter()
    print(f"rank {RANK}: {kernels(*map(int, sys.argv[1:] or (1, 0)))} divisions in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
