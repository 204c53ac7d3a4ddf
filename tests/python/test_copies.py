"""Operands that do not fit, converted at each call: copy=True."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, matrix

import spc
from spc.storage import dtypes

SPMV = "y(i) = A(i,j) * x(j)"
SPMM = "C(i,k) = A(i,j) * B(j,k)"


def test_copies():
    spmm = spc.kernel(SPMM, A="csr", B="dense", copy=True)
    expected, b = matrix(6, 9).toarray(), dense((9, 4))
    close(spmm(matrix(6, 9), b), expected @ b)
    for kind in ("csc", "coo", "bsr", "dia", "lil", "dok"):
        close(spmm(matrix(6, 9).asformat(kind), np.asfortranarray(b)), expected @ b)
    close(spmm(expected, b[:, ::-1]), expected @ b[:, ::-1])
    product = matrix(6, 6, seed=3) @ matrix(6, 9, seed=4)
    close(spmm(product, b), product.toarray() @ b)
    for form, kind in (("csc", "csr"), ("coo", "csr"), ("dia-cols", "csr"), ("bsr", "coo")):
        close(spc.kernel(SPMM, A=form, copy=True)(matrix(8, 12, kind), dense((12, 4))),
              matrix(8, 12).toarray() @ dense((12, 4)))
    with pytest.raises(spc.ArgumentError, match="is no array"):
        spmm(matrix(6, 9), "text")
    with pytest.raises(spc.ArgumentError, match="order 2 is needed"):
        spmm(matrix(6, 9), dense(9))


@pytest.mark.parametrize("form", ["ell", "dcsr", "csr-lengths", "coo-aos", "dia", "bsc", "coo:1,0", "nm-2-4", "csr64"])
def test_copies_in_any_format(form):
    """A kernel makes them, so that what it can assemble can be had."""
    spmv, a, x = spc.kernel(SPMV, A=form, copy=True), matrix(7, 12, density=0.2), dense(12)
    if form == "nm-2-4":
        a = a.multiply(np.arange(12) % 2).tocsr()
        a.eliminate_zeros()
    for given in (a, a.tocsc(), a.toarray(), a.tocoo()):
        close(spmv(given, x), a @ x)


def test_copies_of_blocks_that_do_not_divide_the_shape():
    close(spc.kernel(SPMV, A="bsr", copy=True)(matrix(6, 6), dense(6)), matrix(6, 6) @ dense(6))


def test_copies_of_more_dimensions():
    x = dense((3, 4, 5)) * (dense((3, 4, 5), seed=8) > 0.8)
    close(spc.kernel("Y(i,j) = X(i,j,k) * v(k)", X="csf", Y="dense", copy=True)(x, dense(5)), x @ dense(5))


def test_copies_that_cannot_be_made():
    a, x = matrix(6, 6), dense(6)
    with pytest.raises(spc.ArgumentError, match="A: stored as csr, and no copy of it as .* can be made: it stores one"):
        spc.kernel(SPMV, A="sym-csr", copy=True)(a, x)
    with pytest.raises(spc.ArgumentError, match="A: stored as csr, and the kernel reads ((?!copy=True).)*$"):
        spc.kernel(SPMV, A="sym-csr")(a, x)
    triangle = sp.csr_array(sp.tril(a))
    close(spc.kernel(SPMV, A="lower", copy=True)(triangle, x), triangle @ x)
    with pytest.raises(spc.ArgumentError, match="no copy of it as .* can be made: .*outside of what is stored"):
        spc.kernel(SPMV, A="lower", copy=True)(a, x)
    wide = sp.csr_array(([1.0], ([0], [300])), shape=(1, 400))
    with pytest.raises(spc.ArgumentError, match="no copy of it as csr with indices of type u8 can be made"):
        spc.kernel(SPMV, A="csr", indices={"A": "u8"}, copy=True)(wide, dense(400))


@pytest.mark.parametrize("given, type_, is_fine", [
    (np.array([1.7, 2.0]), "i32", False), (np.array([1.0, 2.0]), "i64", False), (np.array([1 + 2j]), "f64", False),
    (np.array([2**40]), "i32", False), (np.array([-1]), "u8", False), (np.array([3, 4]), "i8", True),
    (np.array([1.0]), "bool", False), (np.array([0.1, 1e-9]), "f32", True), (np.array([3, 4]), "f32", True),
    (np.array([True]), "i32", True), (np.array([0.5, 1.25]), "bf16", True), ([1.5, 2.5], "f32", True)])
def test_values_of_copies(given, type_, is_fine):
    double = spc.kernel("y(i) = x(i) + x(i)", types={"x": type_}, copy=True)
    if is_fine:
        result = double(given)
        result = dtypes.from_bf16(result) if type_ == "bf16" else result
        np.testing.assert_allclose(result.astype(np.float64), 2 * np.asarray(given, np.float64), rtol=1e-6)
        return
    with pytest.raises(spc.ArgumentTypeError, match=r"x: values of type .*: .* \.astype\('\w+'\) says that this is wanted"):
        double(given)
