"""spc.einsum against NumPy's."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, matrix

import spc

CASES = [("ij,j->i", [(4, 5), (5,)]), ("ij,jk->ik", [(4, 5), (5, 3)]), ("ij,jk", [(4, 5), (5, 3)]), ("ij->", [(4, 5)]),
         ("ij->j", [(4, 5)]), ("ji", [(4, 5)]), ("ij,ij->ij", [(4, 5), (4, 5)]), ("i,i->", [(4,), (4,)]),
         ("i,j->ij", [(4,), (5,)]), ("ij,il,jl->ij", [(4, 5), (4, 3), (5, 3)]), ("ijk,jl,kl->il", [(2, 3, 4), (3, 5), (4, 5)]),
         ("iJ,Jk->ik", [(4, 5), (5, 3)]), ("aA,Ab->ab", [(4, 5), (5, 3)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
         ("ii->", [(4, 4)]), ("ii->i", [(4, 4)]), ("...j,j->...", [(2, 3, 4), (4,)]), ("i...,i...->...", [(2, 3, 4), (2, 3, 4)]),
         (" i j , j -> i ", [(4, 5), (5,)])]


@pytest.mark.parametrize("subscripts, shapes", CASES, ids=[case[0] for case in CASES])
def test_as_numpy(subscripts, shapes):
    operands = [dense(shape, seed=k) for k, shape in enumerate(shapes)]
    close(spc.einsum(subscripts, *operands), np.einsum(subscripts, *operands), 1e-9)


@pytest.mark.parametrize("subscripts", ["ij,j->i", "ij,jk->ik", "ij,il,jl->ij", "ji", "ij->"])
def test_sparse_operands(subscripts):
    a = matrix(4, 5)
    others = {"j": dense(5), "jk": dense((5, 3)), "il": dense((4, 3)), "jl": dense((5, 3))}
    operands = [others[indices] for indices in subscripts.partition("->")[0].split(",")[1:]]
    close(spc.einsum(subscripts, a, *operands), np.einsum(subscripts, a.toarray(), *operands), 1e-9)


def test_formats_and_out():
    a, b = matrix(4, 5), matrix(5, 3)
    product = spc.einsum("ij,jk->ik", a, b, format="csr")
    assert sp.issparse(product) and product.format == "csr"
    close(product, (a @ b).toarray())
    contents = {"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
                                               {"dim": "j", "storage": "compressed", "extent": "ragged"}]}
    close(spc.einsum("ij,jk->ik", a, b, format=contents), (a @ b).toarray())
    out = np.empty((4, 3))
    assert spc.einsum("ij,jk->ik", a, dense((5, 3)), out=out) is out
    close(out, a @ dense((5, 3)))


@pytest.mark.parametrize("subscripts, count, text", [
    ("ij,jk->ik", 1, "are for 2 operands, and there are 1"), ("ijk->i", 1, "operand 0 is of order 2, and 'ijk' has 3"),
    ("ij->il", 1, "index 'l' of the result"), ("ij->ii", 1, "index 'i' of the result"), ("ij=>i", 1, "are letters, commas"),
    ("i.j->i", 1, "of order 2|'.' that is of no"), ("...ij..->i", 1, "of order|'.'")])
def test_errors(subscripts, count, text):
    with pytest.raises(spc.ArgumentError, match=text):
        spc.einsum(subscripts, *[dense((4, 5))] * count)
    with pytest.raises(spc.ArgumentError, match="X1: dimension 0"):
        spc.einsum("ij,jk->ik", dense((4, 5)), dense((4, 5)))


@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,ij->ij", [(4, 1), (4, 5)]), ("ij,ij->ij", [(4, 1), (1, 5)]), ("ij,ij->", [(1, 5), (4, 5)]),
    ("ij,ij", [(1, 1), (1, 1)]), ("...j,...j->...j", [(3, 1, 5), (4, 5)]), ("...,...", [(3, 4), (1, 4)]),
    ("ij,jk->ik", [(4, 1), (5, 6)]), ("i,j->ij", [(1,), (3,)])])
def test_dimensions_of_one_element(subscripts, shapes):
    operands = [dense(shape, seed=k) for k, shape in enumerate(shapes)]
    close(spc.einsum(subscripts, *operands), np.einsum(subscripts, *operands))
    if len(shapes[0]) == 2 and shapes[0] != (1, 1):
        close(spc.einsum(subscripts, sp.csr_array(operands[0]), operands[1]), np.einsum(subscripts, *operands))


def test_sizes_that_differ():
    for subscripts, shapes in (("ij,ij->ij", [(4, 2), (4, 5)]), ("ii->i", [(1, 3)])):
        with pytest.raises(spc.ArgumentError, match="dimension 1"):
            spc.einsum(subscripts, *[dense(shape) for shape in shapes])


def test_lists_of_numbers():
    a, b, c = dense((3, 4)), dense((4, 5)), dense((2, 3, 4))
    for arguments in ((a, [0, 1], b, [1, 2], [0, 2]), (a, [0, 1], b, [1, 2]), (a, [51, 3]), (c, [Ellipsis, 1], [Ellipsis]),
                      (c, [0, ...], a, [...], [0, ...])):
        close(spc.einsum(*arguments), np.einsum(*arguments))
    close(spc.einsum(sp.csr_array(a), [0, 1], b, [1, 2], [0, 2]), a @ b)
    for arguments in ((a, [0, 52]), (a, [0, -1]), (a, ["i", "j"]), (a, 3)):
        with pytest.raises(spc.ArgumentError, match="is no list of numbers below 52"):
            spc.einsum(*arguments)


def test_arrays_with_gaps_and_options():
    a = dense((5, 6))
    close(spc.einsum("i,i->", a[:, 0], a[:, 3], optimize="greedy"), np.einsum("i,i->", a[:, 0], a[:, 3]))
    close(spc.einsum("i,i->i", a[:, 1], [1.0, 2, 3, 4, 5]), a[:, 1] * [1.0, 2, 3, 4, 5])


def test_ellipses_that_the_result_lacks():
    with pytest.raises(spc.ArgumentError, match="have an ellipsis of operands for 1 dimensions, and the result has none"):
        spc.einsum("...ij->ij", dense((2, 3, 4)))
    close(spc.einsum("...ij->ij", dense((3, 4))), dense((3, 4)))
