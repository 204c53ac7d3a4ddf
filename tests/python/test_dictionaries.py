"""Dictionaries in Binsparse's names, and pydata/sparse's arrays, for which stand doubles."""
# SPDX-License-Identifier: Apache-2.0

import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp
from support import address, close, dense, kernel, matrix

import spc

SPMV = "y(i) = A(i,j) * x(j)"


def dictionary(name):
    """A matrix of 8 x 12 in one of Binsparse's formats."""
    full = matrix(8, 12)
    made = {"format": name, "shape": (8, 12)}
    if name in ("CSR", "CSC"):
        other = full.asformat(name.lower())
        return {**made, "pointers_to_1": other.indptr, "indices_1": other.indices, "values": other.data}
    if name in ("DMAT", "DMATR", "DMATC"):
        return {**made, "values": full.toarray().ravel("F" if name[-1] == "C" else "C")}
    if name in ("DCSR", "DCSC"):
        other = full.asformat(name[1:].lower())
        used = np.flatnonzero(np.diff(other.indptr)).astype(np.int32)
        return {**made, "indices_0": used, "pointers_to_1": np.append(other.indptr[used], other.indptr[-1:]),
                "indices_1": other.indices, "values": other.data}
    other = full.tocsc().tocoo() if name == "COOC" else full.tocsr().tocoo()
    places = (other.col, other.row) if name == "COOC" else (other.row, other.col)
    return {**made, "indices_0": places[0], "indices_1": places[1], "values": other.data}


@pytest.mark.parametrize("name", ["CSR", "CSC", "COO", "COOR", "COOC", "DCSR", "DCSC", "DMAT", "DMATR", "DMATC"])
def test_formats(name):
    given = dictionary(name)
    close(kernel(SPMV)(given, dense(12)), matrix(8, 12) @ dense(12))
    values = given.pop("values")
    nested = {"binsparse": given, "values": values, **{key: given[key] for key in given if "_" in key}}
    close(kernel(SPMV)(nested, dense(12)), matrix(8, 12) @ dense(12))


def test_vectors():
    x = {"format": "CVEC", "shape": [5], "indices_0": np.array([1, 3], np.int32), "values": np.array([2.0, 4.0])}
    close(kernel("s = x(i) * y(i)")(x, np.arange(5.0)), np.float64(14))
    close(kernel("s = x(i) * y(i)")({"format": "DVEC", "shape": [5], "values": np.ones(5)}, np.arange(5.0)), np.float64(10))


def test_results_are_dictionaries_and_operands_again():
    doubled = kernel("C(i,j) = 2 * A(i,j)", C="csr")(dictionary("CSR"))
    assert doubled["format"] == "CSR" and doubled["shape"] == (8, 12)
    close(kernel(SPMV)(doubled, dense(12)), 2 * (matrix(8, 12) @ dense(12)))
    a = dictionary("CSR")
    sampled = kernel("D(i,j) = S(i,j) * A(i,l) * B(j,l)", S="csr")(a, dense((8, 2)), dense((12, 2)))
    assert address(sampled["indices_1"]) != address(a["indices_1"])
    assert (sampled["indices_1"] == a["indices_1"]).all()
    tree = kernel("C(i,j,k) = A(i,j) * x(k)", C="csf")(A=dictionary("COO"), x=np.array([1.0, 0.0, 3.0]))
    assert tree["format"] == "csf" and set(tree) >= {"indices_0", "pointers_to_1", "indices_2"}
    total = kernel("y(k) = C(i,j,k)")(tree)
    close(total, matrix(8, 12).sum() * np.array([1.0, 0.0, 3.0]))


@pytest.mark.parametrize("form", ["ell", "csr-lengths", "dia", "dcsr", "sparse-vector"])
def test_any_format_of_levels(form):
    operand, indices = (dense(6), "(i)") if form == "sparse-vector" else (matrix(8, 12), "(i,j)")
    packed = kernel(f"C{indices} = A{indices}", C=form)(operand)
    assert isinstance(packed, dict) or form == "sparse-vector" and sp.issparse(packed)  # which newer versions of SciPy have
    close(kernel(f"s = C{indices}")(packed), np.float64(operand.sum()), 1e-9)


def test_what_dictionaries_may_say_besides():
    given = {**dictionary("CSR"), "structure": "general", "fill": True, "fill_value": 0.0, "number_of_stored_values": 35,
             "data_types": {"values": "float64", "indices_1": "int32"}}
    close(kernel(SPMV)(given, dense(12)), matrix(8, 12) @ dense(12))
    given["values"] = given["values"] * 1j
    given["data_types"]["values"] = "complex[float64]"
    close(kernel(SPMV)(given, dense(12)), matrix(8, 12) @ dense(12) * 1j)


def broken(**changes):
    made = {**dictionary("CSR"), **changes}
    return {key: value for key, value in made.items() if value is not None}


@pytest.mark.parametrize("given, text", [
    ({"values": np.ones(3)}, "a dictionary needs 'format', 'shape' and 'values'"),
    (broken(format="CRS"), "'CRS' is no format: 'spc formats' lists those of spc, and Binsparse has CSR, CSC"),
    (broken(format={"levels": 3}), "its format is no format file's contents"),
    (broken(format={"format": 7}), "its format is no format file's contents, such as {"),
    (broken(format={"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
                                                   {"dim": "j", "storage": "dense", "extent": "i + 1", "start": "0"}]}),
     "formats of triangles"),
    (broken(indices_1=None), "'indices_1' is missing"), (broken(shape=(8,)), r"its shape is of order 1"),
    (broken(pointers_to_1=np.zeros(9)), "indices of type f64 are none of i32, i64"),
    (broken(indices_1=np.full(40, 50, np.int32)), "coordinates of level 1|values, and"),
    (broken(structure="symmetric_upper"), "its structure is 'symmetric_upper', and half of its entries"),
    (broken(structure="hermitian_lower"), "its structure is 'hermitian_lower'"),
    (broken(fill=True, fill_value=5.0), "its missing entries are 5.0, and kernels take them for 0"),
    (broken(data_types={"values": "iso[float64]"}), r"its values are of type 'iso\[float64\]'"),
    (broken(data_types={"values": "complex[float64]"}), r"its values are of type 'complex\[float64\]'"),
    ({"binsparse": broken(structure="skew_symmetric_lower"), **broken()}, "its structure is 'skew_symmetric_lower'"),
    ({"binsparse": 3, **broken()}, "what a dictionary has under 'binsparse'"),
    (broken(shape="33"), "shape '33' is no list of integers"), (broken(shape=(8.5, 12)), "shape .* is no list of integers"),
    (broken(shape=8), "shape 8 is no list of integers"),
    (broken(indices_1=[0, [1]]), "'indices_1' is no array"), (broken(values=[1.0, [2.0]]), "'values' is no array"),
    (broken(shape=(-1, 12)), r"shape \(-1, 12\): dimension 0 cannot have -1 elements"),
    (broken(shape=(8, 1 << 63)), r"shape \(8, \d+\): dimension 1 has more than 2\*\*63 - 1 elements"),
    ({"format": "DMAT", "shape": (2, 2), "values": np.ones(3)}, r"3 values, and shape \(2, 2\) has 4")])
def test_what_is_wrong(given, text):
    with pytest.raises(spc.ArgumentError, match=f"A: {text}"):
        kernel(SPMV)(given, dense(12))


class COO:
    """A double of sparse.COO: coordinates in one array, sorted, without repeats."""

    def __init__(self, coords, data, shape, has_duplicates=True, sorted=False, fill_value=0):
        order = slice(None) if sorted else np.lexsort(coords[::-1])
        self.coords, self.data, self.shape, self.fill_value = coords[:, order].copy("C"), data[order], tuple(shape), fill_value
        self.ndim = len(shape)


class GCXS:
    """A double of sparse.GCXS."""

    def __init__(self, arg, shape, compressed_axes=(0,), fill_value=0):
        (self.data, self.indices, self.indptr), self.shape, self.fill_value = arg, tuple(shape), fill_value
        self.compressed_axes, self.ndim = compressed_axes, len(shape)


@pytest.fixture
def pydata(monkeypatch):
    module = types.ModuleType("sparse")
    module.COO, module.GCXS, module.__version__ = COO, GCXS, "0"
    monkeypatch.setitem(sys.modules, "sparse", module)


def test_pydata(pydata):
    a, x = matrix(8, 12), dense(12)
    rows, csc = a.tocoo(), a.tocsc()
    places = np.stack([rows.row, rows.col]).astype(np.int64)
    for given in (COO(places, rows.data, (8, 12)), GCXS((a.data, a.indices, a.indptr), (8, 12)),
                  GCXS((csc.data, csc.indices, csc.indptr), (8, 12), (1,)),
                  GCXS((a.data, a.indices.astype(np.int64), a.indptr), (8, 12))):
        for _ in range(3):
            close(kernel(SPMV)(given, x), a @ x)
    cube = COO(np.array([[0, 1, 1], [0, 0, 2], [3, 1, 0]]), np.array([1.0, 2, 3]), (2, 3, 4))
    close(kernel("y(i) = A(i,j,k)")(cube), np.array([1.0, 5.0]))
    with pytest.raises(spc.ArgumentError, match="A: its missing entries are 1"):
        kernel(SPMV)(COO(places, rows.data, (8, 12), fill_value=1), x)
    with pytest.raises(spc.ArgumentError, match="GCXS of 3 dimensions has no format"):
        kernel("y(i) = A(i,j,k)")(GCXS((a.data, a.indices, a.indptr), (2, 3, 4)))


def test_results_in_disorder_are_sorted_when_they_are_there(pydata):
    a = matrix(8, 12).tocoo()
    given = COO(np.stack([a.row, a.col]), a.data, (8, 12))
    transposed = kernel("B(j,i) = A(i,j)")
    for _ in range(4):
        made = transposed(given)
        assert isinstance(made, COO) and np.all(np.diff(made.coords[0]) >= 0)
        close(sp.coo_matrix((made.data, tuple(made.coords)), shape=made.shape), a.toarray().T)


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
def test_products_of_coordinates_are_coordinates(pydata):
    a = matrix(8, 12).tocoo()
    given = COO(np.stack([a.row, a.col]), a.data, (8, 12))
    made = kernel("C(i,k) = A(i,j) * B(k,j)")(given, given)
    assert isinstance(made, COO)
    close(sp.coo_matrix((made.data, tuple(made.coords)), shape=made.shape), (a @ a.T).toarray())


def test_results_of_pydata(pydata):
    a = matrix(8, 12)
    given = GCXS((a.data, a.indices, a.indptr), (8, 12))
    result = kernel("C(i,j) = 2 * A(i,j)", C="csr")(given)
    assert isinstance(result, GCXS) and result.shape == (8, 12)
    close(result.data, 2 * a.data)
    result = kernel("C(i,j) = 2 * A(i,j)", C="coo")(given)
    assert isinstance(result, COO) and result.coords.shape == (2, a.nnz)
    result = kernel("C(i,j) = 2 * A(i,j)", C="dcsr")(given)
    assert result["format"] == "DCSR"
