"""spc.einsum of sparse arrays of any order, and of arrays of other libraries: what comes in, comes out."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import Exported, Interfaced, close, dense, matrix

import spc

pytestmark = pytest.mark.filterwarnings("ignore::spc.SpcWarning")

#: Sums, the operands besides the first one, and the order of a sparse result.
CUBES = {"ijk,k->ij": 2, "ijk->kji": 3, "ijk,k->ijk": 3, "ijk->": None, "ijk->j": None, "ijk,ijk->ijk": 3, "ijk,jl->ilk": None}


def cube(seed=0):
    values = dense((3, 4, 5), seed=seed)
    return values * (values > 0.6)


def others(subscripts):
    shapes = {"k": (5,), "ijk": (3, 4, 5), "jl": (4, 2)}
    return [dense(shapes[indices], seed=7) for indices in subscripts.partition("->")[0].split(",")[1:]]


def plain(array):
    return array if isinstance(array, (np.ndarray, np.generic)) else array.toarray() if sp.issparse(array) else array.todense()


def has_order(order):
    """Whether SciPy has arrays of so many dimensions."""
    try:
        return sp.coo_array((1,) * order).ndim == order
    except (TypeError, ValueError):
        return False


def in_disorder(array):
    """The same array with entries in another order, one of them in two parts."""
    order = np.random.default_rng(3).permutation(array.nnz)
    data = np.append(array.data[order], 0.5)
    data[0] -= 0.5
    return sp.coo_array((data, tuple([np.append(part[order], part[order[0]]) for part in array.coords])), shape=array.shape)


@pytest.mark.skipif(not has_order(3), reason="SciPy has matrices alone")
@pytest.mark.parametrize("subscripts", CUBES)
def test_scipy_of_three_dimensions(subscripts):
    given, rest = sp.coo_array(cube()), others(subscripts)
    expected = np.einsum(subscripts, cube(), *rest)
    for array in (given, in_disorder(given)):
        found = spc.einsum(subscripts, array, *rest)
        close(plain(found), expected)
        assert isinstance(found, sp.sparray) == (CUBES[subscripts] is not None), type(found)
        assert CUBES[subscripts] != 3 or isinstance(found, sp.coo_array)


@pytest.mark.skipif(not has_order(3), reason="SciPy has matrices alone")
def test_coordinates_that_are_replaced():
    kernel, array, ones = spc.kernel("Y(i,j) = T(i,j,k) * v(k)", Y="dense"), sp.coo_array(cube()), np.ones(5)
    for dim in (0, 1, 2):
        for _ in range(4):
            close(kernel(array, ones), array.toarray().sum(2))
        places = list(array.coords)
        places[dim] = places[dim][::-1].copy()
        array.coords = tuple(places)
        close(kernel(array, ones), array.toarray().sum(2))


@pytest.mark.skipif(not has_order(1), reason="SciPy has matrices alone")
@pytest.mark.parametrize("form", ["coo", "csr"])
def test_scipy_of_one_dimension(form):
    values = np.array([0, 1.0, 0, 2, 3])
    rows = matrix(4, 5)
    for array in (sp.coo_array(values), in_disorder(sp.coo_array(values))):
        vector = array.asformat(form)
        close(spc.einsum("i,i->", vector, dense(5)), values @ dense(5))
        close(spc.einsum("ij,j->i", rows, vector), rows @ values)
        found = spc.einsum("i,i->i", vector, dense(5))
        assert isinstance(found, sp.sparray) and found.shape == (5,)
        close(found.toarray(), values * dense(5))


@pytest.mark.parametrize("class_", ["csr_array", "csr_matrix", "csc_array", "csc_matrix", "coo_array", "coo_matrix"])
def test_scipy_of_two_dimensions(class_):
    array = getattr(sp, class_)(matrix(4, 5))
    kind, form = class_.partition("_")[2], class_[:3]
    for subscripts, rest, expected in (("ij,ij->ij", [dense((4, 5))], array.toarray() * dense((4, 5))),
                                       ("ij,j->ij", [dense(5)], array.toarray() * dense(5)),
                                       ("ij,kj->ik", [array], (array @ array.T).toarray())):
        found = spc.einsum(subscripts, array, *rest)
        assert type(found).__name__ == (f"csr_{kind}" if "k" in subscripts else class_), type(found)
        close(found.toarray(), expected)
    assert type(spc.einsum("ij->ji", array)).__name__ == f"{ {'csr': 'csc', 'csc': 'csr', 'coo': 'coo'}[form]}_{kind}"


@pytest.mark.parametrize("name", ["COO", "GCXS"])
def test_pydata(name):
    class_ = getattr(pytest.importorskip("sparse"), name)
    for subscripts, order in CUBES.items():
        found = spc.einsum(subscripts, class_.from_numpy(cube()), *others(subscripts))
        close(plain(found), np.einsum(subscripts, cube(), *others(subscripts)))
        # GCXS of three dimensions is read as COO.
        assert type(found).__name__ == "COO" if order else isinstance(found, (np.ndarray, np.generic))
    rows = matrix(4, 5).toarray()
    for subscripts, rest in (("ij,ij->ij", [rows]), ("ij->ji", []), ("ij,kj->ik", [class_.from_numpy(rows)])):
        found = spc.einsum(subscripts, class_.from_numpy(rows), *rest)
        assert isinstance(found, class_), type(found)
        close(found.todense(), np.einsum(subscripts, rows, *map(plain, rest)))


@pytest.mark.parametrize("wrap", [Exported, Interfaced])
def test_arrays_of_others(wrap):
    rows, x, X = matrix(4, 5), dense(5), dense((5, 6))
    close(spc.einsum("ij,j->i", rows, wrap(x)), rows @ x)
    close(spc.einsum("ij,jk->ik", wrap(rows.toarray()), wrap(X)), rows @ X)
    close(spc.einsum("ij,jk->ik", rows, wrap(X[:, ::2])), rows @ X[:, ::2])
    assert sp.issparse(spc.einsum("ij,j->ij", rows, wrap(x)))
    out = np.empty((4, 6))
    assert spc.einsum("ij,jk->ik", rows, wrap(X), out=out) is out
    close(out, rows @ X)
