"""Calls that are repeated: what is kept of them is used where it fits, and only there."""
# SPDX-License-Identifier: Apache-2.0

import gc
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, kernel, matrix

import spc

SPMV = "y(i) = A(i,j) * x(j)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"
SDDMM = "D(i,j) = S(i,j) * A(i,l) * B(j,l)"


@pytest.mark.filterwarnings("ignore:Setting the (dtype|shape) on a NumPy array")
def test_repeated_calls_see_changes():
    """What is kept of a call is not used where an operand has become another one."""
    spmv, a, x, y = spc.kernel(SPMV), matrix(6, 6), dense(6), np.empty(6)
    for _ in range(3):
        assert spmv(a, x, out=y) is y
        close(y, a @ x)
    x[:] = dense(6, seed=8)
    a.data = dense(a.nnz, seed=9)
    close(spmv(a, x, out=y), a @ x)
    a.indices = a.indices.copy()
    a.indices[:] = 0
    a.sum_duplicates()
    close(spmv(a, x, out=y), a @ x)
    for _ in range(3):
        result = spmv(a, x)
        close(result, a @ x)
    x.dtype = np.int64
    with pytest.warns(spc.SpcWarning, match="Wprecision"):
        spmv(a, x, out=y)
    x.dtype = np.float64
    x.shape = (2, 3)
    with pytest.raises(spc.ArgumentError, match="x: order 1 is needed"):
        spmv(a, x, out=y)
    y.shape = (3, 2)
    with pytest.raises(spc.ArgumentError, match=r"y: out has shape \(3, 2\)"):
        spmv(a, x.ravel(), out=y)
    with pytest.raises(ValueError, match="resize"):
        x.resize(100)


def test_repeated_calls_keep_nothing_alive():
    spmv = spc.kernel(SPMV)
    a, x = matrix(6, 6), dense(6)
    for _ in range(4):
        result = spmv(a, x)
    seen = [weakref.ref(thing) for thing in (a, a.data, a.indices, x, result)]
    del a, x, result
    gc.collect()
    assert [ref() for ref in seen] == [None] * 5


@pytest.mark.parametrize("repeat", range(3))
def test_repeated_calls_with_numbers_and_new_results(repeat):
    axpby = kernel("y(i) = alpha * A(i,j) * x(j) + beta * z(i)", A="csr")
    a, x, z = matrix(5, 6), dense(6), dense(5)
    for alpha, beta in ((1.0, 2.0), (3.0, 4), (5.0, 6), (0.5, 0.25)):
        close(axpby(alpha=alpha, A=a, x=x, beta=beta, z=z), alpha * (a @ x) + beta * z)
    s, p, q = matrix(8, 12), dense((8, 3)), dense((12, 3))
    for _ in range(4):
        close(kernel(SDDMM, S="csr")(s, p, q), s.toarray() * (p @ q.T))
        p *= 2


def test_many_operands_of_one_kernel():
    spmv, a = spc.kernel(SPMV), matrix(6, 6)
    for k in range(200):
        x = dense(6, seed=k)
        close(spmv(a, x), a @ x)
        close(spmv(a, x), a @ x)


def test_calls_with_other_arrays_of_one_kind_are_kept():
    """New vectors each time are bound to what a call before has made, wherever they lie."""
    spmv, a = spc.kernel(SPMV), matrix(6, 6)
    read_only, unaligned = dense(6, seed=98), np.empty(49, np.uint8)[1:].view(np.float64)
    read_only.flags.writeable = False
    unaligned[:] = dense(6, seed=99)
    alive = [dense(6, seed=k) for k in range(5)] + [read_only, unaligned, dense((6, 3))[:, 1], dense(12)[::2], dense(6)[::-1]]
    for x in (*alive, *alive):
        close(spmv(a, x), a @ x)
    assert len(spmv._kept) == 4  # by strides
    gaxpy = kernel("y(i) = A(i,j) * x(j) + z(i)", A="csr")
    for k in range(6):
        x, z = dense(6, seed=k), dense(6, seed=k + 20)
        close(gaxpy(a, x, z), a @ x + z)
    assert len(gaxpy._kept) == 1


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_new_matrices_on_the_same_arrays_are_told_by_them(form):
    """SciPy's transposes are views of the arrays of a matrix, new ones each time."""
    blocks = [np.arange(1., 5).reshape(2, 2), np.ones((2, 2)), np.eye(2)]
    a, x = sp.csr_matrix(sp.block_diag([sp.coo_matrix(block) for block in blocks])), dense(6)
    a = a.tobsr((2, 2)) if form == "bsr" else a.asformat(form)
    spmv = spc.kernel(SPMV, validate="never") if form == "bsr" else spc.kernel(SPMV)
    for k in range(5):
        if form == "bsr":
            again = sp.bsr_matrix((a.data * k, a.indices, a.indptr), shape=a.shape)
        else:
            again = a.T
            a.data *= 2
        close(spmv(again, x), again @ x)
    assert len(spmv._kept) == 1
    again = type(a)((a.data, a.indices[::-1].copy()[::-1].copy(), a.indptr), shape=a.shape)
    close(spmv(again, x), again @ x)
    b = a.copy()
    b.indices = b.indices[[1, 0, *range(2, b.indices.size)]]  # other columns in the first row, or rows
    close(spmv(b, x), sp.csr_matrix(b) @ x)


def test_matrices_that_are_noted_to_be_out_of_order_are_read_so():
    spgemm, a = kernel(SPGEMM, A="csr", B="csr", C="csr"), matrix(6, 6)
    for _ in range(3):
        close(spgemm(a, a), (a @ a).toarray())
    a.indices[:2], a.data[:2] = a.indices[1::-1].copy(), a.data[1::-1].copy()
    a.has_sorted_indices = False
    with pytest.raises(spc.ArgumentError, match="sorted"):
        spgemm(a, a)


def test_threads_call_one_kernel():
    spmv, a = spc.kernel(SPMV), matrix(30, 30)
    wrong = []

    def work(seed):
        x = dense(30, seed=seed)
        for _ in range(200):
            if not np.allclose(spmv(a, x), a @ x):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
