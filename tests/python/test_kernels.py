"""Kernels on SciPy's and NumPy's arrays, against dense evaluation."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp

import spc


def random_matrix(rows, columns, density=0.2, dtype=np.float64, seed=1, kind="csr"):
    matrix = sp.random(rows, columns, density, "csr", dtype, np.random.default_rng(seed))
    return matrix.asformat(kind)


def close(got, expected, dtype=np.float64):
    got = got.toarray() if sp.issparse(got) else got
    np.testing.assert_allclose(got, expected, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5)


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(7, 9), (1, 1), (0, 5), (5, 0)])
def test_sddmm(dtype, shape):
    sddmm = spc.kernel("D(i,j) = S(i,j) * A(i,l) * B(j,l)", S="csr")
    rng = np.random.default_rng(2)
    matrix = random_matrix(*shape, dtype=dtype)
    a, b = rng.random((shape[0], 5)).astype(dtype), rng.random((shape[1], 5)).astype(dtype)
    result = sddmm(S=matrix, A=a, B=b)
    assert sp.issparse(result) and result.dtype == dtype
    assert result.indices.ctypes.data == matrix.indices.ctypes.data
    close(result, matrix.toarray() * (a @ b.T), dtype)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_operand_kinds(kind, index):
    spmv = spc.kernel("y(i) = A(i,j) * x(j)")
    matrix = random_matrix(8, 12, kind="csr").asformat(kind)
    for name in ("indptr", "indices", "row", "col", "offsets"):
        if hasattr(matrix, name):
            setattr(matrix, name, getattr(matrix, name).astype(index))
    x = np.arange(12.0)
    close(spmv(A=matrix, x=x), matrix @ x)


def test_assembled():
    spgemm = spc.kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr")
    a, b = random_matrix(20, 30), random_matrix(30, 10, seed=3)
    result = spgemm(a, b)
    result.check_format(full_check=True)
    close(result, (a @ b).toarray())
    again = spgemm(a, b)
    values = again.data
    del result, again
    assert values.size and values.sum() == pytest.approx((a @ b).sum())


def test_out_and_bind():
    spmm = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")
    matrix, b, c = random_matrix(6, 8), np.ones((8, 3)), np.full((6, 3), 7.0)
    assert spmm(matrix, b, out=c) is c
    close(c, matrix @ b)
    call = spmm.bind(matrix, b, out=c)
    b *= 2
    call()
    close(c, matrix @ b)


def test_column_major():
    spmm = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")
    matrix, b = random_matrix(6, 8), np.asfortranarray(np.random.default_rng(4).random((8, 3)))
    close(spmm(matrix, b), matrix @ b)
    close(spmm(matrix, b.repeat(2, 1)[:, ::1]), matrix @ b.repeat(2, 1))


def test_numbers():
    axpy = spc.kernel("y(i) = alpha * A(i,j) * x(j)", A="csr")
    matrix = random_matrix(5, 5, dtype=np.float32)
    x = np.ones(5, np.float32)
    result = axpy(alpha=2, A=matrix, x=x)
    assert result.dtype == np.float32
    close(result, 2 * (matrix @ x), np.float32)
    total = spc.kernel("s = A(i,j)", A="csr")
    assert total(matrix.astype(np.float64)) == pytest.approx(matrix.sum())


def test_errors():
    with pytest.raises(spc.CompileError, match=r"(?s)kernel\.tex:1:.*\^"):
        spc.kernel("y(i) = A(i,j) * ")
    spmv = spc.kernel("y(i) = A(i,j) * x(j)", A="csr")
    matrix = random_matrix(4, 6)
    with pytest.raises(spc.ArgumentError, match="x: dimension 0 .* has 5 elements, and dimension 1 of A has 6"):
        spmv(matrix, np.ones(5))
    with pytest.raises(spc.ArgumentError, match=r"A: stored as csc, and the kernel reads csr: \.tocsr\(\) converts"):
        spmv(matrix.tocsc(), np.ones(6))
    with pytest.raises(spc.ArgumentTypeError, match="needs x as well"):
        spmv(matrix)
    with pytest.raises(spc.ArgumentTypeError, match="no operand 'z'"):
        spmv(matrix, np.ones(6), z=1)
    broken = matrix.copy()
    broken.indices[0] = 99
    with pytest.raises(spc.StructureError, match="coordinates of level 1: 99 at 0 is not from 0 to 5"):
        spmv(broken, np.ones(6))
    with pytest.raises(spc.ArgumentError, match="ascontiguousarray"):
        spmv(matrix, np.ones(12)[::2])
