"""Tensors of coordinates, in any format, and by the names of formats."""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, matrix

import spc

FORMATS = pathlib.Path(__file__).resolve().parent.parent.parent / "formats"
TTV = "Y(i,k) = T(i,j,k) * v(j)"


def cube(dtype=np.float64):
    """A tensor of order 3, as an array and as its coordinates and values."""
    full = np.where(np.random.default_rng(1).random((4, 5, 6)) < 0.4, dense((4, 5, 6)), 0).astype(dtype)
    at = np.argwhere(full).T
    return full, at, full[tuple(at)]


def check(tensor, full):
    close(spc.kernel(TTV, Y="dense")(tensor, np.ones(5, full.dtype)), full.sum(1))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint32, np.int8])
def test_coordinates(dtype, index):
    full, at, values = cube(dtype)
    check(spc.coo(at.astype(index), values, full.shape), full)
    check(spc.coo([list(row) for row in at], list(values), full.shape) if dtype is np.float64 else
          spc.coo(tuple(at.astype(index)), values, full.shape), full)


def test_in_any_sequence_and_repeated():
    full, at, values = cube()
    order = np.random.default_rng(2).permutation(values.size)
    check(spc.coo(at[:, order], values[order], full.shape), full)
    check(spc.coo(np.concatenate([at, at], 1), np.concatenate([values, values]), full.shape), 2 * full)


def test_arrays_are_taken_as_they_are():
    places, values = [np.array([0, 1], np.int32), np.array([1, 0], np.int32)], np.ones(2)
    made = spc.coo(places, values)
    assert made["indices_0"] is places[0] and made["indices_1"] is places[1] and made["values"] is values
    assert made["shape"] == (2, 2) and made["format"] == "coo"
    values[0] = 5
    close(spc.kernel("y(i) = A(i,j)", A="coo")(made), np.array([5.0, 1]))


def test_one_value_for_all_and_other_orders():
    close(spc.kernel("y(i) = x(i)", y="dense")(spc.coo([[3, 1]], 2.0, [5])), np.array([0, 2.0, 0, 2, 0]))
    four = spc.coo([[1], [0], [2], [1]], [7.0], (2, 1, 3, 2))
    assert spc.kernel("s = T(i,j,k,l)")(four) == 7
    assert spc.kernel("s = T(i,j,k)")(spc.coo([[], [], []], [], (2, 3, 4))) == 0


def test_what_does_not_fit():
    for error, text, arguments in (
            (spc.ArgumentError, "without entries, the shape has to be said", ([[], []], [])),
            (spc.ArgumentError, "values of shape \\(3,\\), and there are coordinates of 2 entries", ([[0, 1]], [1, 2, 3])),
            (spc.ArgumentError, "coordinate 4 of dimension 1, at 1, is not from 0 to 3", ([[0, 1], [0, 4]], [1.0, 2], (2, 4))),
            (spc.ArgumentError, "coordinate -1 of dimension 0, at 0, is not from 0 to 1", ([[-1, 1]], [1.0, 2], (2,))),
            (spc.ArgumentError, "shape \\(2,\\) is of order 1, and there are coordinates of 2", ([[0], [1]], [1.0], (2,))),
            (spc.ArgumentError, "one flat array for each dimension", ([[0, 1], [0]], [1.0, 2])),
            (spc.ArgumentError, "one flat array of 2 numbers, and one for each dimension", (np.array([1.0, 2]), ([0, 1], [0, 1]))),
            (spc.ArgumentError, "shapes (\\(\\), ){8}\\.\\.\\.: one flat array", ([1.0] * 1000, ([0, 1], [0, 1]))),
            (spc.ArgumentError, "there is no dimension", ([], [])),
            (spc.ArgumentTypeError, "coordinates of type float64 are no integers", ([[0.5, 1]], [1.0, 2])),
            (spc.ArgumentTypeError, "shape \\(2.5,\\) is no list of integers", ([[0, 1]], [1.0, 2], (2.5,))),
            (spc.ArgumentTypeError, "no kernels for values of type", ([[0, 1]], ["a", "b"])),
            (spc.ArgumentTypeError, "values are no array of numbers", ([[0, 1]], [1, [2]])),
            (spc.ArgumentTypeError, "coordinates are an array of integers for each dimension", (None, [1.0], (2,))),
            (spc.ArgumentTypeError, "coordinates are an array of integers for each dimension", ([[0, [1]]], [1.0, 2])),
            (spc.ArgumentError, "dimension 0 has more than 2\\*\\*63 - 1 elements", ([[0]], [1.0], (1 << 70,))),
            (spc.ArgumentError, "dimension 1 cannot have -1 elements", ([[], []], [], (2, -1))),
            (spc.ArgumentError, "has 9 dimensions, and tensors have 8 at most", ([[0]] * 9, [1.0]))):
        with pytest.raises(error, match=text):
            spc.coo(*arguments)


@pytest.mark.parametrize("form", ["csf", "csf:2,0,1", "coo", "coo-unsorted", "dense", "dense:2,1,0"])
def test_conversions_of_order_3(form):
    full, at, values = cube()
    for operand in (spc.coo(at, values, full.shape), spc.coo(at[:, ::-1], values[::-1], full.shape), full):
        made = spc.convert(operand, form)
        check(made, full)
        if isinstance(made, dict):
            assert made["format"].lower() == form and made["values"].size == values.size
        elif not form.startswith("dense"):  # coordinates of SciPy 1.13 and later
            assert made.nnz == values.size
        check(spc.convert(made, "csf:1,0,2"), full)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok", "array", "list"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia-cols", "dcsr", "ell", "dense"])
def test_conversions_of_matrices(kind, form):
    a = matrix(6, 9)
    operand = {"array": a.toarray, "list": lambda: a.toarray().tolist()}.get(kind, lambda: a.asformat(kind))()
    made = spc.convert(operand, form)
    if isinstance(made, dict):
        close(spc.kernel("B(i,j) = A(i,j)", B="dense")(made), a.toarray())
    else:
        assert (made.format if sp.issparse(made) else "dense") == form.split("-")[0]
        close(made, a.toarray())
        assert form == "dense" or made.count_nonzero() == a.nnz and (form == "dia-cols" or made.nnz == a.nnz)


def test_conversions_are_copies_of_the_same_kind():
    a = sp.csr_matrix(matrix(6, 9))
    a.data[0] = 0  # which stays an entry
    made = spc.convert(a, "csr")
    assert type(made) is sp.csr_matrix and made.nnz == a.nnz and not np.shares_memory(made.indices, a.indices)
    assert spc.convert(a, "csc", indices="i64").indices.dtype == np.int64
    assert spc.convert(a, FORMATS / "csc.json").format == spc.convert(a, json.loads((FORMATS / "csc.json").read_text())).format
    torch = pytest.importorskip("torch")
    assert spc.convert(torch.eye(3), "csr").layout is torch.sparse_csr


def test_conversions_that_there_are_not():
    with pytest.raises(spc.CompileError, match="unknown format 'csrr'"):
        spc.convert(matrix(3, 3), "csrr")
    with pytest.raises(spc.CompileError, match="is for tensors of order 2"):
        spc.convert(np.ones((2, 2, 2)), "csr")
    with pytest.raises(spc.CompileError, match="not symmetric by its form"):
        spc.convert(matrix(3, 3), "sym-csr")
    with pytest.raises(spc.ArgumentTypeError, match="a number has no format"):
        spc.convert(2.0, "csr")
    with pytest.raises(spc.ArgumentTypeError, match="tensor: builtins.str is no array"):
        spc.convert("csr", "csr")


@pytest.mark.parametrize("name", ["csf", "coo", "coo-unsorted", "COO"])
def test_names_in_dictionaries(name):
    """Also the contents of the files that come with spc, which are for tensors of any order."""
    full, at, values = cube()
    made = spc.convert(spc.coo(at, values, full.shape), name.lower())
    check({**made, "format": name}, full)
    if name != "COO":
        check({**made, "format": json.loads((FORMATS / f"{name}.json").read_text())}, full)
        check({**made, "format": {"format": name}}, full)


@pytest.mark.parametrize("form", ["csr", "csc", "dcsr", "ell", "bsr", "csr-unsorted", "dense", "csc:0,1", "csr:1,0"])
def test_names_of_matrices_in_dictionaries(form):
    a = matrix(8, 12)
    arrays = spc.kernel("B(i,j) = A(i,j)", B=form)(A={
        "format": "csr", "shape": a.shape, "pointers_to_1": a.indptr, "indices_1": a.indices, "values": a.data})
    if not isinstance(arrays, dict):
        arrays = {"shape": a.shape, "values": arrays}
    close(spc.kernel("y(i) = A(i,j) * x(j)")({**arrays, "format": form}, np.ones(12)), a @ np.ones(12))


def test_wrong_names_in_dictionaries():
    full, at, values = cube()
    operand = spc.coo(at, values, full.shape)
    for form, text in (("cooo", "'cooo' is no format: 'spc formats' lists those of spc"), ("csr", "its shape is of order 3"),
                       ("csf:0,1", "'csf:0,1' has no mode order for 3 dimensions"), ("csf:x", "no mode order"),
                       ({"dims": "any"}, "is no format file's contents"), (5, "is no format file's contents")):
        with pytest.raises(spc.ArgumentError, match=text):
            spc.kernel(TTV, Y="dense")({**operand, "format": form}, np.ones(5))
    with pytest.raises(spc.ArgumentTypeError, match="formats of triangles"):
        spc.kernel("y(i) = A(i,j)")({"format": "lower", "shape": (2, 2), "values": np.ones(3)})


def test_messages_name_fibers():
    full, at, values = cube()
    operand = spc.coo(at, values, full.shape)
    with pytest.raises(spc.ArgumentError, match="T: stored as coo, and the kernel reads csf"):
        spc.kernel(TTV, T="csf", Y="dense")(operand, np.ones(5))
