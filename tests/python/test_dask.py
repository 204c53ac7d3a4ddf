"""Kernels on dask's arrays, in blocks of all shapes, beside the same on one machine."""
# SPDX-License-Identifier: Apache-2.0

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import spc

da = pytest.importorskip("dask.array", reason="dask is not installed: 'apt install python3-dask'")
from dask.array.dispatch import tensordot_lookup

import spc.dask

ROWS = ((20,), (7, 13), (0, 20), (5, 0, 15), (1,) * 20)


def blocks(matrix, rows, columns=None):
    """A sparse matrix as a dask array."""
    ends, wide = np.cumsum((0, *rows)), np.cumsum((0, *(columns or matrix.shape[1:])))
    return da.concatenate([da.concatenate([da.from_array(matrix[a:b, c:d], chunks=(b - a, d - c), asarray=False)
                                           for c, d in zip(wide, wide[1:])], 1) for a, b in zip(ends, ends[1:])])


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    return sp.random(20, 12, 0.3, "csr", random_state=2), rng.random((12, 3)), rng.random((20, 4)), rng.random(12)


@pytest.mark.parametrize("rows", ROWS)
def test_dot_by_registration(data, rows):
    A, B, D, x = data
    spc.dask.register()
    assert tensordot_lookup.dispatch(sp.csr_matrix) is spc.dask._tensordot
    left = blocks(A, rows)
    assert np.allclose(left.dot(da.from_array(B)).compute(), A @ B)
    assert np.allclose(left.dot(da.from_array(x)).compute(), A @ x)
    assert np.allclose(da.tensordot(left, da.from_array(D, chunks=(rows, 4)), axes=((0,), (0,))).compute(), A.T @ D)
    S = sp.random(12, 12, 0.3, "csr", random_state=3)
    product = left.dot(da.from_array(S, chunks=S.shape, asarray=False)).compute()
    assert sp.issparse(product) and np.allclose(product.toarray(), (A @ S).toarray())


def test_columns_in_blocks(data):
    A, B, _, _ = data
    spc.dask.register()
    assert np.allclose(blocks(A, (9, 11), (4, 8)).dot(da.from_array(B, chunks=((4, 8), 3))).compute(), A @ B)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_divided_by_rows(data, rows, kind):
    A, B, D, x = data
    sddmm = spc.kernel("D(i,j) = S(i,j) * A(i,k) * B(j,k)")
    cut = blocks(A, rows).map_blocks(lambda block: block.asformat(kind), meta=sp.csr_matrix((0, 0)))
    wide = np.random.default_rng(2).random((12, 4))
    made = spc.dask.divide(sddmm, "i", S=cut, A=D, B=da.from_array(wide, chunks=(5, 2)))
    assert made.shape == (20, 12) and np.allclose(made.compute().toarray(), A.multiply(D @ wide.T).toarray())
    two = spc.kernel("y(i) = A(i,j) * x(j)\ns = sum(i, j, A(i,j) * x(j))\nm(k) = max(i, D(i,k))")
    y, s, m = spc.dask.divide(two, "i", A=cut, x=x, D=D)
    assert np.allclose(y.compute(), A @ x) and np.allclose(s.compute(), (A @ x).sum())
    assert np.allclose(m.compute(), D.max(0))


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")  # small integers wrap around
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i4", "c16"])
@pytest.mark.parametrize("by", ["i", "j"])
def test_announced_types_are_those_of_results(dtype, by):
    X, Y = np.full((4, 3), 3, dtype), np.ones((3, 2), dtype)
    cut = da.from_array(X, chunks=(2, 3) if by == "i" else (4, 2))
    made = spc.dask.divide(spc.kernel("C(i,k) = A(i,j) * B(j,k)"), by, A=cut, B=Y)
    assert made.dtype == made.compute().dtype == np.dtype(dtype)
    assert np.allclose(((made.astype("c16") * 100).sum()).compute(), 100 * (X.astype("c16") @ Y).sum())


def test_types_that_differ(data):
    spc.dask.register()
    A = sp.csr_matrix(np.array([[16777217, 0], [0, 3]], "i4"))
    product = da.from_array(A, chunks=(2, 2), asarray=False).dot(da.ones((2, 1), "f4"))
    assert product.dtype == np.float64 and product.compute()[0, 0] == 16777217


def test_refusals(data):
    A, B, _, x = data
    cut = blocks(A, (9, 11), (4, 8))
    spmv = spc.kernel("y(i) = A(i,j) * x(j)")
    for kernel, by, operands, error in (
            (spmv, "q", {"A": cut, "x": x}, "no index 'q'"), (spmv, "i", {"A": cut, "x": x}, "not cut anew"),
            (spmv, "i", {"A": A, "x": x}, "is an array of dask's"),
            (spc.kernel("y(j) = D(i,j) * x(i)"), "i", {"x": da.ones(20, chunks=20), "D": da.ones((20, 3), chunks=7)[da.ones(20) > 0]},
             "unknown size"), (spmv, "i", {"A": cut}, "needs x"),
            (spc.kernel("y(i) = x(i) * i"), "i", {"x": da.ones(4)}, "as a number"),
            (spc.kernel("y(i) += A(i,j) * x(j)"), "i", {"A": cut, "x": x, "y": da.ones(20)}, "in place")):
        with pytest.raises(spc.Error, match=error):
            spc.dask.divide(kernel, by, **operands)


def test_an_error_in_a_task(data):
    A, _, _, _ = data
    late = spc.dask.divide(spc.kernel("y(i) = A(i,j) * x(j)"), "i", A=blocks(A, (9, 11)), x=np.ones(5))
    with pytest.raises(spc.ArgumentError):
        late.compute()


def test_a_pickled_kernel_does_not_start_the_compiler(tmp_path):
    environment = {**os.environ, "SPC_CACHE_DIR": str(tmp_path / "cache")}

    def run(code):
        subprocess.run([sys.executable, "-c", "import pickle, subprocess, sys\nimport spc\n" + code, str(tmp_path / "call")],
                       check=True, env=environment)

    run("import numpy as np\nimport scipy.sparse as sp\n"
        "kernel, A, B = spc.kernel('C(i,k) = A(i,j) * B(j,k)'), sp.eye(5, format='csr'), np.ones((5, 2))\n"
        "pickle.dump((kernel, A, B, kernel(A, B)), open(sys.argv[1], 'wb'))\n")
    run("def refuse(*a, **k): raise AssertionError('a process was started')\n"
        "subprocess.Popen.__init__ = refuse\n"
        "kernel, A, B, expected = pickle.load(open(sys.argv[1], 'rb'))\n"
        "assert (kernel(A, B) == expected).all()\n")
