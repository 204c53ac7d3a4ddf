"""Formats that say how entries of one place combine."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense

import spc

copied = pytest.mark.filterwarnings("ignore::spc.SpcWarning")
ROWS = {"dim": "i", "storage": "compressed", "extent": "ragged", "unique": False, "ordered": False}
COLUMN = {"dim": "j", "storage": "compressed", "extent": "fixed", "width": 1, "unique": False, "ordered": False}
LISTS = [ROWS, COLUMN]
SEGMENTS = [{"dim": "i", "storage": "dense"}, {**ROWS, "dim": "j"}]
COMBINE = {"sum": np.add, "min": np.minimum, "max": np.maximum, "last": lambda held, value: value}
KINDS = {"coo": LISTS, "csr": SEGMENTS}
MODES = ["sum", "min", "max", "last"]


def form(kind, mode, **more):
    return {"dims": ["i", "j"], "levels": KINDS[kind], "duplicates": mode, **more}


def repeated(kind, mode, dtype=np.float64, rows=7, columns=7, missing=0):
    """A matrix that lists places several times, and what it is; missing entries are NaNs, or what is said."""
    rng = np.random.default_rng(3)
    count = 90
    row, column = rng.integers(0, rows, count), rng.integers(0, columns, count)
    if kind == "csr":
        row = np.sort(row)
    values = rng.integers(-9 if np.dtype(dtype).kind != "u" else 0, 10, count).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-5, 5, count).astype(dtype)
    whole, stored = np.full((rows, columns), missing, dtype), np.zeros((rows, columns), bool)
    for r, c, value in zip(row, column, values):
        whole[r, c] = COMBINE[mode](whole[r, c], value) if stored[r, c] else value
        stored[r, c] = True
    if kind == "coo":
        return sp.coo_array((values, (row.astype(np.int32), column.astype(np.int32))), (rows, columns)), whole, stored
    pointers = np.searchsorted(row, np.arange(rows + 1)).astype(np.int32)
    return sp.csr_array((values, column.astype(np.int32), pointers), (rows, columns)), whole, stored


@copied
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_what_repeated_entries_make(kind, mode):
    a, whole, stored = repeated(kind, mode)
    assert stored.sum() < a.data.size
    x, b = dense(7), dense((7, 3))
    read = lambda text, *given, **formats: spc.kernel(text, A=form(kind, mode), **formats)(a, *given)  # noqa: E731
    close(read("y(i) = A(i,j) * x(j)", x), whole @ x)
    close(read("C(i,k) = A(i,j) * B(j,k)", b, B="dense"), whole @ b)
    close(read("y(j) = A(i,j) * x(i)", dense(7)), dense(7) @ whole)
    close(read("B(i,j) = A(i,j)", B="csr").toarray(), whole)
    close(read("B(i,j) = A(i,j)", B="csc").toarray(), whole)
    close(read("B(i,j) = A(i,j)", B="coo").toarray(), whole)
    close(read("B(i,j) = A(i,j)", B="csr64").toarray(), whole)
    close(read("B(i,j) = A(i,j)", B="dense"), whole)
    close(read("B(j,i) = -2 * A(i,j)", B="csr").toarray(), -2 * whole.T)
    close(read("y(i) = count(j, A(i,j))"), stored.sum(1))
    close(read("y(i) = sum(j, pattern(A(i,j)) * x(j))", x), stored @ x)
    close(read("y(i) = sum(j, exp(A(i,j)))"), np.exp(whole).sum(1))
    close(read("d(i) = A(i,i)"), np.diagonal(whole))
    close(read("r(j) = A(2,j)"), whole[2])
    close(read("s = A(i,j) * A(i,j)"), (whole * whole).sum())
    close(read("C(i,k) = A(i,j) * A(k,j)", C="csr").toarray(), whole @ whole.T)
    close(read("y(i) = max(j, A(i,j))"), whole.max(1))


@copied
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_types(mode, dtype):
    a, whole, _ = repeated("coo", mode, dtype)
    name = {"f": "f", "i": "i", "u": "u"}[dtype[0]] + str(8 * int(dtype[1]))
    kernel = spc.kernel(f"tensor A(m, n): {name}, sparse\nB(i,j) = A(i,j)", A=form("coo", mode), B="dense")
    assert np.array_equal(kernel(a), whole)


@copied
@pytest.mark.parametrize("mode", ["sum", "last"])
def test_complex_numbers(mode):
    a, whole, _ = repeated("csr", mode, np.complex128)
    kernel = spc.kernel("tensor A(m, n): cf64, sparse\ny(i) = sum(j, A(i,j))", A=form("csr", mode))
    close(kernel(a), whole.sum(1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["min", "max"])
def test_graphs_of_parallel_edges(kind, mode):
    """The least of the edges between two nodes is the edge, and no copy is needed where the least sum is taken anyway."""
    far = np.inf if mode == "min" else -np.inf
    a, whole, _ = repeated(kind, mode, missing=far)
    x = dense(7)
    for other in ("min", "max"):
        if other != mode:
            continue
        text = f"tensor A(m, n): f64, sparse, fill {'-' if far < 0 else ''}inf\ntensor x(n): f64\n" \
               f"y(i) = {other}(k, A(i,k) + x(k))"
        close(spc.kernel(text, A=form(kind, mode))(a, x), getattr(np, other)(whole + x, axis=1))


@copied
def test_repeats_that_are_mistakes():
    a, _, stored = repeated("coo", "last")
    kernel = spc.kernel("y(i) = A(i,j) * x(j)", A=form("coo", "error"))
    with pytest.raises(spc.Error, match="twice"):
        kernel(a, dense(7))
    once = sp.coo_array(stored.astype(float))
    close(kernel(once, dense(7)), stored @ dense(7))


@copied
@pytest.mark.parametrize("kind", ["coo", "csr", "csc"])
def test_bools_that_repeat_are_true_once(kind):
    stored = repeated("csr", "sum")[0]
    parts = (stored.data != 0, stored.indices, stored.indptr)
    a = {"csr": sp.csr_array, "csc": sp.csc_array}.get(kind, sp.csr_array)(parts, shape=(7, 7))
    whole = a.toarray()
    if kind == "coo":
        a = sp.coo_array((parts[0], (np.repeat(np.arange(7, dtype=np.int32), np.diff(parts[2])), parts[1])), shape=(7, 7))
    x = dense(7)
    close(spc.kernel("y(i) = A(i,j) * x(j)")(a, x), whole @ x)
    close(spc.kernel("D(i,j) = A(i,j) * x(j)")(a, x), whole * x)
    assert np.array_equal(spc.kernel("y(i) = sum(j, i64(A(i,j)))")(a), whole.sum(1))
    assert np.array_equal(spc.kernel("y(i) = A(i,j) * x(j)")(a, x > 1), whole @ (x > 1))
    for form in ("csr", "csr-unsorted", "dense"):
        close(spc.kernel("y(i) = A(i,j) * x(j)", A=form, types={"A": "f64"}, copy=True)(a, x), whole @ x)
