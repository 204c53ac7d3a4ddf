"""Tensors in files."""
# SPDX-License-Identifier: Apache-2.0

import bz2
import gzip
import io
import json
import lzma

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from support import close, matrix

import spc
from spc.compiler import toolchain

PACKED = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@pytest.mark.parametrize("packed", PACKED)
def test_coordinates(tmp_path, packed):
    with PACKED[packed](tmp_path / f"t.tns{packed}", "wt") as file:
        file.write("# a comment\n1 2 3 1.5\n\n4 1 1 -2\n1 2 3 1\n")
    made = spc.read(tmp_path / f"t.tns{packed}")
    assert made["shape"] == (4, 2, 3) and made["indices_0"].dtype == np.int32
    full = spc.kernel("D(i,j,k) = T(i,j,k)", D="dense")(made)
    assert full[0, 1, 2] == 2.5 and full[3, 0, 0] == -2 and np.count_nonzero(full) == 2
    assert spc.read(str(tmp_path / f"t.tns{packed}"), shape=(5, 5, 5))["shape"] == (5, 5, 5)


@pytest.mark.parametrize("packed", PACKED)
def test_matrix_market(tmp_path, packed):
    a = matrix(5, 7)
    written = io.BytesIO()  # as SciPy 1.12 and later look for places in what they write to
    scipy.io.mmwrite(written, a)
    with PACKED[packed](tmp_path / f"a.mtx{packed}", "wb") as file:
        file.write(written.getvalue())
    made = spc.read(tmp_path / f"a.mtx{packed}")
    assert isinstance(made, sp.coo_array)
    close(made, a.toarray())


def test_kinds_of_matrix_market(tmp_path):
    (tmp_path / "s.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n")
    close(spc.read(tmp_path / "s.mtx"), np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1]]))
    (tmp_path / "d.mtx").write_text("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")
    close(spc.read(tmp_path / "d.mtx"), np.array([[1.0, 3], [2, 4]]))


def test_arrays(tmp_path):
    array = np.arange(24.0).reshape(2, 3, 4)
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", array)
    for name in ("a.npy", "a.npz"):
        close(spc.read(tmp_path / name), array)
    np.savez(tmp_path / "two.npz", array, array)
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    for name, text in (("two.npz", "one array is read, and this one has 2"), ("objects.npy", "allow_pickle")):
        with pytest.raises(spc.ArgumentError, match=text):
            spc.read(tmp_path / name)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_matrices_of_scipy(tmp_path, kind):
    a = matrix(6, 9, kind)
    sp.save_npz(tmp_path / "a.npz", a)
    made = spc.read(tmp_path / "a.npz")
    assert made.format == kind
    close(made, a.toarray())


@pytest.mark.parametrize("form", ["csr", "csc", "dcsr", "coo", "dense"])
@pytest.mark.parametrize("type_", ["f32", "i8", "bool", "cf64"])
def test_binsparse(tmp_path, form, type_):
    """What the compiler writes."""
    pytest.importorskip("h5py")
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n3 4 3\n1 2 1\n3 1 1\n3 4 1\n")
    (tmp_path / "k.tex").write_text(f"tensor A(m, n): {type_}, sparse\ntensor B(m, n): {type_}\nB(i,j) = A(i,j)")
    try:
        toolchain.run(["run", "k.tex", "A=a.mtx", "--format", f"A={form}", "--format", f"B={form}", "-o", "b.h5", "-q"], tmp_path)
    except spc.CompilerError as error:
        assert "libhdf5" in str(error)
        pytest.skip("no libhdf5")
    made = spc.read(tmp_path / "b.h5")
    expected = np.zeros((3, 4), made["values"].dtype)
    expected[[0, 2, 2], [1, 0, 3]] = 1
    close(spc.kernel("D(i,j) = A(i,j)", D="dense")(made), expected)


def test_binsparse_with_one_value(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.hdf5", "w") as file:
        group = file.create_group("matrix")
        group.attrs["binsparse"] = json.dumps({"binsparse": {
            "version": "0.1", "format": "CSR", "shape": [2, 3], "number_of_stored_values": 2,
            "data_types": {"pointers_to_1": "int32", "indices_1": "int32", "values": "iso[float32]"}}})
        for name, array in (("pointers_to_1", [0, 1, 2]), ("indices_1", [2, 0])):
            group[name] = np.array(array, np.int32)
        group["values"] = np.array([2.5], np.float32)
    close(spc.kernel("D(i,j) = A(i,j)", D="dense")(spc.read(tmp_path / "a.hdf5")), np.array([[0, 0, 2.5], [2.5, 0, 0]], "f4"))
    with h5py.File(tmp_path / "none.h5", "w"):
        pass
    with pytest.raises(spc.ArgumentError, match="none.h5: it has no attribute 'binsparse'"):
        spc.read(tmp_path / "none.h5")


def test_what_is_not_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        spc.read(tmp_path / "nowhere.tns")
    with pytest.raises(spc.ArgumentError, match=r"a\.csv: files that are read are \.mtx"):
        spc.read(tmp_path / "a.csv")
    for text, said in (("0 1 2.0\n", "counted from 1"), ("1.5 1 2.0\n", "are integers"), ("1\n", "coordinates and a value"),
                       ("1 2 x\n", "x"), ("1 2 3\n1 2\n", "bad.tns: ")):
        (tmp_path / "bad.tns").write_text(text)
        with pytest.raises(spc.ArgumentError, match=said):
            spc.read(tmp_path / "bad.tns")
    (tmp_path / "big.tns").write_text("3 1 2.0\n")
    with pytest.raises(spc.ArgumentError, match="big.tns: coordinate 2 of dimension 0"):
        spc.read(tmp_path / "big.tns", shape=(2, 2))
    np.save(tmp_path / "a.npy", np.ones(2))
    with pytest.raises(spc.ArgumentError, match="says its own shape"):
        spc.read(tmp_path / "a.npy", shape=(2,))
    (tmp_path / "text.tns.gz").write_text("1 1 1\n")
    with pytest.raises(OSError):
        spc.read(tmp_path / "text.tns.gz")
    for name in ("text.npz", "text.tns.xz"):
        (tmp_path / name).write_text("nothing\n")
        with pytest.raises(spc.ArgumentError, match=f"{name}: "):
            spc.read(tmp_path / name)
    (tmp_path / "bad.mtx").write_text("nothing\n")
    with pytest.raises(spc.ArgumentError, match="bad.mtx: "):
        spc.read(tmp_path / "bad.mtx")
