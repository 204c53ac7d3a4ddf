#!/usr/bin/env python3
"""What calls from Python cost beside the kernel: a table, in microseconds, the least of several rounds.

    PYTHONPATH=python python3 bench/python/overheads.py

Operands are so small that the kernels themselves take next to nothing.
"""
# SPDX-License-Identifier: Apache-2.0

import ctypes
import time

import numpy as np
import scipy.sparse as sp

import spc

FOUR = "C(i,k) = A(i,j) * B(j,k) + X(i,l) * Y(l,k)"
SDDMM = "D(i,j) = S(i,j) * A(i,l) * B(j,l)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"
CALLS = 2000
ROUNDS = 7


def microseconds(call, operands=((),)):
    """The time of one call, which is made with each of the operands in turn."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for k in range(CALLS):
            call(*operands[k % len(operands)])
        best = min(best, time.perf_counter() - start)
    return best / CALLS * 1e6


def first_sights(kernel, operands, out):
    """The time of calls whose operands are new to the kernel."""
    best = float("inf")
    for _ in range(ROUNDS):
        fresh = [[operand.copy() for operand in (*operands, out)] for _ in range(300)]
        start = time.perf_counter()
        for *given, result in fresh:
            kernel(*given, out=result)
        best = min(best, (time.perf_counter() - start) / len(fresh))
    return best * 1e6


def rows():
    """What is measured, and its time."""
    a = sp.random(10, 10, 0.1, "csr", random_state=1)
    b, x, y, out = (np.random.rand(*shape) for shape in ((10, 4), (10, 4), (4, 4), (10, 4)))
    four, trusting = spc.kernel(FOUR, A="csr"), spc.kernel(FOUR, A="csr", validate="never")
    four(a, b, x, y)
    trusting(a, b, x, y)
    yield "an empty function of the C library, by ctypes", microseconds(ctypes.CDLL(None).getpid)
    yield "SciPy: a CSR array of arrays that are there", microseconds(
        lambda: sp.csr_array((a.data, a.indices, a.indptr), shape=a.shape))
    yield "SciPy: the product of a CSR array and a dense one", microseconds(lambda: a @ b)
    yield "bound, four operands, called", microseconds(four.bind(a, b, x, y, out=out))
    yield "four operands seen before, out=", microseconds(lambda: four(a, b, x, y, out=out))
    yield "the same by name", microseconds(lambda: four(A=a, B=b, X=x, Y=y, out=out))
    yield "the same with a new result", microseconds(lambda: four(a, b, x, y))
    new = [tuple(operand.copy() for operand in (b, x, y)) for _ in range(CALLS)]
    yield "new arrays like those before, with a new result", microseconds(lambda *arrays: four(a, *arrays), new)
    csc = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csc")
    yield "SciPy: a transpose", microseconds(lambda: a.T)
    yield "the product of a transpose, which SciPy makes for the call", microseconds(lambda: csc(a.T, b))
    yield "four operands at first sight, not validated", first_sights(trusting, (a, b, x, y), out)
    yield "four operands at first sight, validated", first_sights(four, (a, b, x, y), out)
    yield "a sampled result as a new CSR array", microseconds(
        lambda kernel=spc.kernel(SDDMM, S="csr"): kernel(a, x, b))
    spgemm = spc.kernel(SPGEMM, A="csr", B="csr", C="csr")
    yield "an assembled result as a new CSR array", microseconds(lambda: spgemm(a, a))
    plan = spgemm.plan(a, a)
    yield "its values alone, by a plan", microseconds(plan)


def main():
    """Prints the table."""
    print("| what | µs |\n|---|---:|")
    for what, time_taken in rows():
        print(f"| {what} | {time_taken:.1f} |")


if __name__ == "__main__":
    main()
