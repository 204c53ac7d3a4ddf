"""Index arrays that are wrong are errors, and never crashes."""
# SPDX-License-Identifier: Apache-2.0

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, kernel, matrix

import spc

SPMV = "y(i) = A(i,j) * x(j)"


def broken(kind, change):
    """A matrix of one of SciPy's kinds whose arrays were changed behind its back."""
    made = matrix(6, 9, kind, density=0.6)
    change(made)
    return made


def set_item(name, place, value):
    def change(made):
        getattr(made, name)[place] = value
    return change


def replace(name, function):
    def change(made):
        setattr(made, name, function(getattr(made, name)))
    return change


CASES = {
    "column too large": ("csr", set_item("indices", 3, 9), "coordinates of level 1: 9 at 3 is not from 0 to 8"),
    "column negative": ("csr", set_item("indices", 0, -1), "coordinates of level 1: -1 at 0 is not from 0 to 8"),
    "column huge": ("csr", set_item("indices", 0, 2**31 - 1), "coordinates of level 1: 2147483647 at 0"),
    "row too large": ("csc", set_item("indices", 0, 6), "coordinates of level 1: 6 at 0 is not from 0 to 5"),
    "pointers begin late": ("csr", set_item("indptr", 0, 1), "pointers of level 1 begin at 1, not at 0"),
    "pointers descend": ("csr", set_item("indptr", 2, 100), "pointers of level 1 descend at 3, from 100 to"),
    "pointers negative": ("csr", set_item("indptr", 2, -5), "pointers of level 1 descend at 2, from 0 to -5"),
    "pointers end late": ("csr", set_item("indptr", -1, 1000), "pointers of level 1 end at 1000, and there are"),
    "pointers end negative": ("csr", set_item("indptr", -1, -1), "pointers of level 1 end at -1"),
    "too few pointers": ("csr", replace("indptr", lambda a: a[:-1]), "pointers of level 1: 6 numbers, and 7 are needed"),
    "too many pointers": ("csr", replace("indptr", lambda a: np.append(a, a[-1])), "8 numbers, and 7 are needed"),
    "too few columns": ("csr", replace("indices", lambda a: a[:-1].copy()), "pointers of level 1 end at"),
    "too few values": ("csr", replace("data", lambda a: a[:-1].copy()), "values, and"),
    "no pointers": ("csr", replace("indptr", lambda a: a[:0]), "0 numbers, and 7 are needed"),
    "coo column too large": ("coo", set_item("col", 0, 9), "coordinates of level 1: 9 at 0"),
    "coo row negative": ("coo", set_item("row", 1, -2), "coordinates of level 0: -2 at 1"),
    "coo too few rows": ("coo", replace("row", lambda a: a[:-1].copy()), "coordinates at level"),
    "coo too few values": ("coo", replace("data", lambda a: a[:-1].copy()), "values, and"),
    "dia too low": ("dia", set_item("offsets", 0, -6), "coordinates of level 0: -6 at 0 is not from -5 to 8"),
    "dia twice": ("dia", set_item("offsets", 1, -4), "."),
    "bsr block column": ("bsr", set_item("indices", 0, 3), "coordinates of level 1: 3 at 0 is not from 0 to 2"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("validate", ["first", "always"])
def test_wrong_arrays(name, validate):
    kind, change, text = CASES[name]
    if name == "dia twice":
        change = set_item("offsets", 1, matrix(6, 9, "dia", density=0.6).offsets[0])
    with pytest.raises(spc.StructureError, match=f"A: .*{text}"):
        spc.kernel(SPMV, validate=validate)(A=broken(kind, change), x=dense(9))


@pytest.mark.parametrize("name", [name for name in CASES if "too few" in name or "pointers end" in name or "too many" in name])
def test_lengths_are_looked_at_without_validation(name):
    kind, change, text = CASES[name]
    with pytest.raises(spc.StructureError, match=text):
        spc.kernel(SPMV, validate="never")(A=broken(kind, change), x=dense(9))


def test_scipy_reads_nothing_that_is_wrong():
    """Whether SciPy's matrices are sorted is not asked of SciPy, which trusts pointers."""
    a = matrix(6, 9)
    a.indptr = np.array([0, 0, 2**30, 2**30, 2**30, 2**30, a.nnz], np.int32)
    with pytest.raises(spc.StructureError, match="pointers of level 1 descend at 6"):
        kernel(SPMV)(a, dense(9))


def test_when_arrays_are_looked_at():
    a, x = matrix(6, 9), dense(9)
    first, always = spc.kernel(SPMV, A="csr"), spc.kernel(SPMV, A="csr", validate="always")
    close(first(a, x), a @ x)
    column = a.indices[0]
    a.indices[0] = 100
    with pytest.raises(spc.StructureError):
        always(a, x)
    a.indices[0] = column
    close(always(a, x), a @ x)
    close(first(a, x), a @ x)
    other = sp.csr_array((a.data, a.indices.copy(), a.indptr), shape=a.shape)
    other.indices[0] = 100
    with pytest.raises(spc.StructureError):
        first(other, x)
    with pytest.raises(ValueError, match="validate='sometimes' is none of first, always, never"):
        spc.kernel(SPMV, validate="sometimes")


@pytest.mark.parametrize("change, text", [
    (set_item("indices", 0, 9), "coordinates of level 1: 9 at 0"),
    (set_item("indptr", -1, 1), "A: 1 entries, and [0-9]+ were bound|descend"),
    (set_item("indices", 1, 0), "A: entries are not in order any more, or repeat")])
def test_bound_calls_and_plans_look_at_arrays_each_time(change, text):
    a, b, x = matrix(6, 9), matrix(9, 6), dense(9)
    call = spc.kernel(SPMV, A="csr", validate="always").bind(a, x)
    plan = spc.kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr", validate="always").plan(a, b)
    before = a.copy()
    close(call(), before @ x)
    change(a)
    for repeated in (call, plan):
        with pytest.raises(spc.StructureError, match=text):
            repeated()
    a.indices[:], a.indptr[:] = before.indices, before.indptr
    close(call(), before @ x)
    close(plan(), (before @ b).toarray())


def test_structures_are_told_from_those_that_were_there_before():
    """A new matrix may lie where an old one was, which had been validated."""
    x = dense(9)
    spmv = spc.kernel(SPMV, A="csr")
    for k in range(300):
        a = matrix(6, 9)
        if k % 2:
            a.indices[0] = 9
            with pytest.raises(spc.StructureError):
                spmv(a, x)
        else:
            spmv(a, x)
        del a
    gc.collect()


def test_validation_can_be_left_out():
    a = matrix(20, 20)
    product, x = a @ a, dense(20)
    assert not product.has_sorted_indices
    close(spc.kernel(SPMV, A="csr-unsorted", validate="never")(product, x), product.toarray() @ x)
    with pytest.raises(spc.ArgumentError, match="csr-unsorted"):
        spc.kernel(SPMV, A="csr", validate="never")(product, x)
    close(spc.kernel(SPMV, validate="never")(a, x), a @ x)
