"""Zeros, of either sign, in operands of every storage, as they are and copied into every other: which are entries."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp

import spc
from spc.storage import dtypes

pytestmark = pytest.mark.filterwarnings("ignore::spc.SpcWarning")
SIZE = 8
VALUES = {(0, 0): 3, (2, 0): 1, (2, 2): 5, (3, 1): 2, (5, 4): 7, (6, 1): 4, (7, 7): 6}
ZEROS = {(1, 0): 0.0, (4, 4): 0.0, (3, 3): -0.0, (6, 2): -0.0, (7, 5): -0.0}
PLAIN = ["csr", "dcsr"]
PADDED = ["bsr", "dia-cols", "nm-2-4", "lower"]
COUNT = "n = count(i, j, A(i,j))"


def listed(dtype):
    """The matrix in coordinates, with zeros that it lists."""
    places = sorted({**VALUES, **ZEROS})
    values = np.array([{**VALUES, **ZEROS}[at] for at in places]).astype(dtype)
    rows, columns = zip(*places)
    return sp.coo_array((values, (rows, columns)), shape=(SIZE, SIZE))


def full(dtype):
    """The matrix in all its elements, with zeros of both signs."""
    made = listed(dtype).toarray()
    if np.dtype(dtype).kind in "fc":
        made[made == 0] = -0.0
        made[::2][made[::2] == 0] = 0.0
    return made


def padded(dtype):
    """Matrices in SciPy's formats with padding."""
    made = full(dtype)
    blocks = made.reshape(4, 2, 4, 2).transpose(0, 2, 1, 3).reshape(16, 2, 2).copy()
    bsr = sp.bsr_array((blocks, np.tile(np.arange(4, dtype=np.int32), 4), np.arange(0, 17, 4, dtype=np.int32)),
                       shape=(SIZE, SIZE))
    offsets = np.arange(1 - SIZE, SIZE, dtype=np.int32)
    data = np.array([[made[j - d, j] if 0 <= j - d < SIZE else 9 for j in range(SIZE)] for d in offsets], dtype)
    return {"bsr": bsr, "dia": sp.dia_array((data, offsets), shape=(SIZE, SIZE))}


def sources(dtype):
    """Operands, and whether each lists its zeros."""
    made = full(dtype)
    yield "rows", made, False
    yield "columns", np.asfortranarray(made), False
    yield "apart", np.repeat(np.repeat(made, 2, 0), 2, 1)[::2, ::2], False
    yield "other bytes", made.astype(np.dtype(dtype).newbyteorder(">")), False
    yield "lists", made.tolist(), False
    for kind, matrix in padded(dtype).items():
        yield kind, matrix, False
    narrow = padded(dtype)["dia"]
    yield "long dia", sp.dia_array((np.pad(narrow.data, ((0, 0), (0, 3))), narrow.offsets), shape=(SIZE, SIZE)), False
    apart = padded(dtype)["bsr"]
    apart.data = np.repeat(apart.data, 2, 2)[:, :, ::2]
    yield "bsr apart", apart, False
    for kind in ("csr", "csc", "coo"):
        yield kind, listed(dtype).asformat(kind), True


@pytest.mark.parametrize("form, dtype", [pytest.param("csr", "f8", marks=pytest.mark.optimised)] + [
    ("csr", dtype) for dtype in ("f4", "c16", "i4")] + [(form, "f8") for form in ("dense", *PLAIN[1:], *PADDED)])
def test_copies(form, dtype):
    kernel = spc.kernel(COUNT, A=form, types={"A": dtypes.name_of(np.dtype(dtype))}, copy=True)
    for name, value, lists in sources(dtype):
        if name == "lists" and dtype not in ("f8", "c16"):
            continue  # Python's numbers have types of their own
        zeros = len(ZEROS) if lists and form in PLAIN else 0
        assert int(kernel(value)) == (SIZE * SIZE if form == "dense" else len(VALUES) + zeros), name


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_as_they_are(dtype):
    kernel = spc.kernel(COUNT)
    for kind, matrix in padded(dtype).items():
        assert int(kernel(matrix)) == len(VALUES), kind
    for kind in ("csr", "csc", "coo"):
        assert int(kernel(listed(dtype).asformat(kind))) == len(VALUES) + len(ZEROS), kind
    assert int(kernel(full(dtype))) == SIZE * SIZE


def test_phases():
    """The symbolic phase reads no values, which alone tell an entry from padding."""
    blocks, b = sp.bsr_array(np.array([[1.0, 0], [0, 0]]), blocksize=(2, 2)), sp.csr_array(np.ones((2, 2)))
    kernel = spc.kernel("C(i,j) = (not pattern(A(i,j))) * B(i,j)", B="csr", C="csr")
    np.testing.assert_array_equal(kernel(blocks, b).toarray(), [[0, 1], [1, 1]])
    np.testing.assert_array_equal(kernel.plan(blocks.tocsr(), b)().toarray(), np.zeros((2, 2)))
    with pytest.raises(spc.ArgumentError, match="has no phases.* padding"):
        kernel.plan(blocks, b)


@pytest.mark.parametrize("text", ["C(i,j) = where(x(j) > 0.5, A(i,j))", "C(i,j) = A(i,j) * sum(k, B(k,j))",
                                  "C(i,j) = where(x(j) > 0.5 and x(i) > 0, A(i,j)) / x(i)"])
def test_signs_of_zeros_beside_vectors_of_columns(text):
    a = sp.csr_matrix(([-0.0, 1.0, -0.0, 2.0, -0.0], [0, 2, 1, 0, 2], [0, 2, 3, 5]), shape=(3, 3))
    x, b = np.array([1.0, 0.2, 0.9]), np.array([[3.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    formats, operands = ({"B": "csr"}, {"B": sp.csr_matrix(b)}) if "B" in text else ({}, {"x": x})
    for form in ("csr", "csc"):
        made = spc.kernel(text, A=form, C="csr", **formats)(A=a.asformat(form), **operands)
        assert made.nnz == 4
        assert np.array_equal(np.signbit(made.data), [True, False, False, True])
