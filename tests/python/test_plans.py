"""Plans: patterns that are computed once, for values that change."""
# SPDX-License-Identifier: Apache-2.0

import gc

import pytest
import scipy.sparse as sp
from support import close, dense, kernel, matrix

import spc

SPMV = "y(i) = A(i,j) * x(j)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"


def test_plans():
    a, b = matrix(12, 9), matrix(9, 7, seed=5)
    plan = kernel(SPGEMM, A="csr", B="csr", C="csr").plan(a, b)
    first = plan()
    close(first, (a @ b).toarray())
    a.data[:] = dense(a.nnz, seed=6)
    second = plan()
    close(second, (a @ b).toarray())
    assert second.indices.ctypes.data != first.indices.ctypes.data
    assert second.data.ctypes.data != first.data.ctypes.data
    assert plan.nbytes > 0
    a.indices[0] += 1
    with pytest.raises(spc.StructureError, match="have changed since the plan was made"):
        plan()
    a.indices[0] -= 1
    close(plan(), second.toarray())
    del plan, first
    gc.collect()
    close(second, (a @ b).toarray())
    with pytest.raises(spc.ArgumentError, match="has no phases"):
        kernel(SPMV).plan(a, dense(9))


@pytest.mark.parametrize("form", ["csr", "coo", "dcsr"])
def test_plans_of_products_note_places_where_rows_are_few(form):
    few, many = 40, 1 << 18
    for rows, is_noted in ((few, True), (many, form == "csr"), ((1 << 20) + 1, form == "csr")):
        a = sp.csr_array(([2.0, 3.0, 4.0], ([1, 1, rows - 1], [0, 2, 1])), shape=(rows, 3))
        b, product = matrix(3, few, seed=5), kernel(SPGEMM, A="csr", B="csr", C=form)
        plan = product.plan(a, b)
        assert (plan.nbytes > 80) == is_noted
        a.data[:] = [5.0, 6.0, 7.0]
        want = (a @ b).tocsr()
        want.sort_indices()
        made = plan()
        close(made["values"] if form == "dcsr" else made.data, want.data)
