"""The first elements of rows, and their places."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
from support import close, kernel, matrix

import spc


@pytest.mark.parametrize("storage", ["csr", "csc", "coo", "dense"])
def test_values_and_places(storage):
    a = matrix(40, 30)
    rank = spc.kernel("V(i,r) = top(r, j, A(i,j))\nP(i,q) = argtop(q, j, A(i,j))", formats={"A": storage})
    values, places = rank(A=a.toarray() if storage == "dense" else spc.convert(a, storage), sizes={"r": 5, "q": 5})
    dense = a.toarray()
    order = np.argsort(-dense, axis=1, kind="stable")[:, :5]
    close(values, np.take_along_axis(dense, order, 1))
    assert (np.asarray(places) == order).all()


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
def test_the_place_of_all():
    a = matrix(11, 13)
    assert spc.kernel("p = argmax(i, j, A(i,j))", formats={"A": "csr"})(A=a) == np.argmax(a.toarray())


def test_nearest():
    x, y = np.random.default_rng(1).random((9, 4)), np.random.default_rng(2).random((50, 4))
    nearest = kernel("P(i,r) = argbottom(r, j, sum(k, (X(i,k) - Y(j,k)) * (X(i,k) - Y(j,k))))")
    distances = ((x[:, None] - y[None]) ** 2).sum(-1)
    assert (np.asarray(nearest(X=x, Y=y, sizes={"r": 3})) == np.argsort(distances, axis=1)[:, :3]).all()
