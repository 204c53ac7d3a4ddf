"""SciPy's arrays and matrices as operands and results."""
# SPDX-License-Identifier: Apache-2.0

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from support import DTYPES, address, close, dense, kernel, matrix

import spc

pytestmark = pytest.mark.optimised

SPMV = "y(i) = A(i,j) * x(j)"
SDDMM = "D(i,j) = S(i,j) * A(i,l) * B(j,l)"
KINDS = ["csr", "csc", "coo", "bsr", "dia"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kinds(kind, index, dtype):
    for flavour in ("array", "matrix"):
        a = matrix(8, 12, kind, dtype, index, flavour=flavour)
        assert getattr(a, "indices", getattr(a, "col", getattr(a, "offsets", None))).dtype == index
        x = dense(12, dtype)
        close(kernel(SPMV)(A=a, x=x), a.toarray() @ x)


@pytest.mark.parametrize("name", ["cf32", "cf64", "i32", "i64"])
def test_value_types(name):
    a, x = matrix(6, 5, dtype=DTYPES[name]), dense(5, DTYPES[name])
    close(kernel(SPMV)(a, x), a.toarray() @ x)


def test_types_without_kernels():
    a = matrix(4, 4, dtype=np.float64)
    with pytest.raises(spc.ArgumentTypeError, match="x: there are no kernels for values of type float128"):
        kernel(SPMV)(a, np.ones(4, np.longdouble))
    with pytest.raises(spc.ArgumentTypeError, match="x: there are no kernels for values of type object"):
        kernel(SPMV)(a, np.array([1, "a", None, 2], object))


@pytest.mark.parametrize("shape", [(7, 9), (1, 1), (0, 5), (5, 0), (0, 0)])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_shapes(shape, kind):
    a, x = matrix(*shape, kind), dense(shape[1])
    close(kernel(SPMV)(a, x), a.toarray() @ x)


BLOCKS = {"dims": ["i", "j"], "levels": [
    {"dim": "i / 2", "storage": "dense"}, {"dim": "j / 3", "storage": "compressed", "extent": "ragged"},
    {"dim": "i % 2", "storage": "dense"}, {"dim": "j % 3", "storage": "dense"}]}


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("flavour", ["array", "matrix"])
def test_sampled_results_have_the_pattern(kind, flavour):
    s, a, b = matrix(8, 12, kind, flavour=flavour), dense((8, 3)), dense((12, 3), seed=4)
    if kind == "bsr":
        s.sort_indices()
    result = spc.kernel(SDDMM, S=BLOCKS if kind == "bsr" else kind)(s, a, b)
    assert type(result) is type(s)
    close(result, s.toarray() * (a @ b.T))
    for name in ("indptr", "indices", "row", "col"):
        if hasattr(s, name):
            assert (getattr(result, name) == getattr(s, name)).all()


def test_blocks_that_are_not_sorted():
    a = matrix(8, 12, "bsr")
    assert not a.has_sorted_indices
    with pytest.raises(spc.ArgumentError, match=r"A: stored as bsr with unsorted blocks of 2 x 3, and the kernel reads bsr "
                                                r"with blocks of 2 x 3: \.sum_duplicates\(\) and \.sort_indices\(\)"):
        spc.kernel(SPMV, A=BLOCKS)(a, np.ones(12))


def test_64_bit_indices_stay():
    s, a, b = matrix(8, 12, index=np.int64), dense((8, 3)), dense((12, 3), seed=4)
    result = kernel(SDDMM, S="csr")(s, a, b)
    assert result.indices.dtype == result.indptr.dtype == np.int64
    result = spc.kernel(SDDMM, S="csr", share=True)(s, a, b)
    assert address(result.indices) == address(s.indices) and address(result.indptr) == address(s.indptr)
    close(result, s.toarray() * (a @ b.T))


@pytest.mark.parametrize("flavour", ["array", "matrix"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_assembled(flavour, index):
    a, b = matrix(20, 30, flavour=flavour, index=index), matrix(30, 10, seed=3, flavour=flavour, index=index)
    spgemm = kernel("C(i,l) = A(i,j) * B(j,l)", A="csr", B="csr", C="csr")
    result = spgemm(a, b)
    assert type(result) is type(a) and result.indices.dtype == index
    result.check_format(full_check=True)
    assert result.has_canonical_format
    close(result, a.toarray() @ b.toarray())


@pytest.mark.parametrize("flavour", ["array", "matrix"])
@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_assembled_matrices_are_like_those_of_scipys_constructors(form, flavour):
    copy = kernel("C(i,j) = A(i,j)", A="csr", C=form)
    for shape in [(8, 12), (4, 4), (16, 0)]:  # each after one of another shape
        made, own = copy(matrix(*shape, flavour=flavour)), getattr(sp, f"{form}_{flavour}")((2, 2))
        assert set(vars(own)) <= set(vars(made)) and made.maxprint == own.maxprint and made.shape == shape
        close(made.T, made.toarray().T)
        close(made + made, 2 * made.toarray())
        close(made.tocsr()[1:3], made.toarray()[1:3])
        assert (made.copy() != made).nnz == 0


@pytest.mark.parametrize("form", ["csc", "coo", "dcsr", "bsr", "dia-cols"])
def test_assembled_in_other_formats(form):
    a = matrix(8, 12)
    copied = kernel("C(i,j) = A(i,j)", A="csr", C=form)(a)
    if form == "dcsr":
        assert copied["format"] == "DCSR" and set(copied) >= {"indices_0", "pointers_to_1", "indices_1", "values"}
        assert copied["indices_0"].size < 8
        copied = kernel("C(i,j) = A(i,j)", C="csr")(copied)
        copied = sp.csr_array((copied["values"], copied["indices_1"], copied["pointers_to_1"]), shape=copied["shape"])
    assert copied.format == form.split("-")[0] or form == "dcsr"
    close(copied, a.toarray())


def test_the_products_of_scipy_are_not_sorted():
    a = matrix(20, 20)
    product = a @ a
    assert not product.has_sorted_indices
    x = dense(20)
    close(kernel(SPMV)(product, x), product.toarray() @ x)
    with pytest.raises(spc.ArgumentError, match=r"A: stored as csr-unsorted, and the kernel reads csr: "
                                                r"\.sum_duplicates\(\) sorts it, or bind csr-unsorted"):
        kernel(SPMV, A="csr")(product, x)
    close(kernel(SPMV, A="csr-unsorted")(product, x), product.toarray() @ x)
    close(kernel(SPMV, A="csr-unsorted")(a, x), a.toarray() @ x)
    product.sum_duplicates()
    close(kernel(SPMV, A="csr")(product, x), product.toarray() @ x)


def test_sorted_in_place_is_seen():
    a = matrix(20, 20)
    product, x = a @ a, dense(20)
    spmv = kernel(SPMV, A="csr")
    with pytest.raises(spc.ArgumentError, match="csr-unsorted"):
        spmv(product, x)
    product.sort_indices()
    close(spmv(product, x), product.toarray() @ x)


def test_repeated_entries_count_each():
    rows, columns = np.array([2, 0, 2, 2], np.int32), np.array([1, 3, 1, 0], np.int32)
    a = sp.coo_array((np.array([1.0, 2, 3, 4]), (rows, columns)), shape=(3, 4))
    close(kernel(SPMV)(a, np.arange(4.0)), a.toarray() @ np.arange(4.0))
    with pytest.raises(spc.ArgumentError, match=r"stored as coo-unsorted, and the kernel reads coo: \.tocsr\(\)\.tocoo\(\)"):
        kernel(SPMV, A="coo")(a, np.arange(4.0))
    close(kernel(SPMV, A="coo")(a.tocsr().tocoo(), np.arange(4.0)), a.toarray() @ np.arange(4.0))


@pytest.mark.parametrize("kind", ["lil", "dok"])
def test_kinds_without_arrays(kind):
    a = matrix(4, 6).asformat(kind)
    with pytest.raises(spc.ArgumentTypeError, match=rf"A: SciPy's {kind} format .* \.tocsr\(\) converts"):
        kernel(SPMV)(a, np.ones(6))


def test_narrow_diagonals():
    a = sp.dia_array((np.ones((1, 3)), [0]), shape=(4, 6))
    with pytest.raises(spc.ArgumentError, match="A: its data has 3 columns and the matrix 6"):
        kernel(SPMV)(a, np.ones(6))


def test_diagonals_outside_of_the_shape():
    """SciPy allows them."""
    a = sp.dia_array((np.arange(1.0, 22).reshape(3, 7), [0, 9, -5]), shape=(4, 7))
    with pytest.raises(spc.StructureError, match=r"A: coordinates of level 0: 9 at 1 is not from -3 to 6: \.tocsr\(\) leaves"):
        kernel(SPMV)(a, np.ones(7))
    close(spc.kernel(SPMV, copy=True)(a, np.ones(7)), a @ np.ones(7))


def test_nothing_is_copied():
    """Kernels read what lies in the operands' own arrays."""
    a, x, y = matrix(8, 12), dense(12), np.empty(8)
    call = kernel(SPMV).bind(a, x, out=y)
    a.data *= 2
    x += 1
    assert call() is y
    close(y, a.toarray() @ x)


def test_coordinates_that_lie_apart():
    """As those are that np.nonzero gives."""
    whole = matrix(5, 6).toarray()
    made = sp.coo_array((whole[whole != 0], np.nonzero(whole)), shape=whole.shape)
    made.row, made.col = np.ascontiguousarray(np.argwhere(whole)).T
    assert not made.row.flags.c_contiguous
    spmv, x = kernel(SPMV), dense(6)
    for _ in range(4):
        close(spmv(made, x), whole @ x)
    doubled = kernel("D(i,j) = 2 * S(i,j)")(made)
    assert doubled.row.flags.c_contiguous
    close(doubled, 2 * whole)
    made.row[0] = 9
    with pytest.raises(spc.StructureError, match="9 at 0 is not from 0 to 4"):
        spc.kernel(SPMV, validate="always")(made, x)


def test_advice_names_the_conversion():
    spmv = kernel(SPMV, A="csr")
    for kind, advice in (("csc", r"\.tocsr\(\) converts"), ("coo", r"\.tocsr\(\) converts")):
        with pytest.raises(spc.ArgumentError, match=f"A: stored as {kind}, and the kernel reads csr: {advice}"):
            spmv(matrix(4, 6, kind), np.ones(6))
    with pytest.raises(spc.ArgumentError, match=r"A: stored as dense, and the kernel reads csr: .*csr_array\(\)"):
        spmv(np.ones((4, 6)), np.ones(6))
    with pytest.raises(spc.ArgumentError, match=r"bind A='csr', or \.toarray\(\)"):
        kernel(SPMV, A="dense")(matrix(4, 6), np.ones(6))


def test_patterns_with_dimensions_exchanged():
    a = matrix(4, 6)
    result = kernel("B(i,j) = 2 * A(j,i)")(a)
    assert result.format == "csc" and result.shape == (6, 4)
    close(result, 2 * a.toarray().T)
    assert address(spc.kernel("B(i,j) = 2 * A(j,i)", share=True)(a).indices) == address(a.indices)
    for _ in range(3):
        close(kernel("B(i,j) = 2 * A(j,i)")(a, out=result), 2 * a.toarray().T)


@pytest.mark.parametrize("form", ["nm-2-4", "lower", "bsr", "hyb"])
def test_formats_of_temporaries_take_the_indices_that_they_can_have(form):
    full = np.tril(np.where(np.arange(64).reshape(8, 8) % 2, 0.0, 1.0))
    copied = spc.kernel("let B(i,j) = A(i,j)\ny(i) = B(i,j) * x(j)", formats={"B": form})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(copied(sp.csr_matrix(full), dense(8)), full @ dense(8))


def test_rows_of_differing_lengths_come_back():
    full = np.where(np.arange(5) <= np.arange(4)[:, None], 1.0, 0.0)
    made = spc.kernel("B(i,j) = A(i,j)", formats={"B": "ragged"})(sp.csr_matrix(full))
    assert made["pointers_to_1"].tolist() == [0, 1, 3, 6, 10]
    close(made["values"], np.ones(10))


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
def test_arrays_with_room_for_more(kind, is_whole):
    """SciPy allows index arrays and values that are longer than pointers say; results have what they need."""
    a = matrix(6, 9, kind)
    expected = 2 * a.toarray()
    roomy = a.copy()
    roomy.indices = np.append(a.indices, np.zeros(2, a.indices.dtype))
    if is_whole:
        roomy.data = np.concatenate([a.data, np.zeros((2, *a.data.shape[1:]))])
    double = kernel("D(i,j) = 2 * S(i,j)")
    close(double(a), expected)
    for _ in range(4):
        made = double(roomy)
        assert made.indices.size == a.indices.size and made.data.shape == a.data.shape
        close(made, expected)
        made.data[:] = 0
        close(double(roomy, out=made), expected)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo"])
def test_results_do_not_change_what_they_share(kind):
    """SciPy's methods that work in place raise an error instead."""
    a, x = matrix(6, 9, kind), dense(9)
    double, spmv = spc.kernel("D(i,j) = 2 * S(i,j)", share=True), kernel("y(i) = A(i,j) * x(j)")
    expected = a.toarray()
    for _ in range(4):
        made = double(a)
        close(made, 2 * expected)
        close(spmv(made, x), 2 * expected @ x)
        close((made + made).T @ dense(6), (4 * expected).T @ dense(6))
        close(made.tocsr()[1:3], 2 * expected[1:3])
        close(double(a, out=made), 2 * expected)
        made.data[:1] = 0
        if hasattr(made, "eliminate_zeros") and kind != "coo":
            with pytest.raises(ValueError, match="read-only"):
                made.eliminate_zeros()
        own = made.copy()
        own.data[:] = 1
        own.sum_duplicates()
        assert (a.toarray() == expected).all()
        del made, own
    close(spmv(a, x), expected @ x)


def test_classes_that_are_derived():
    for kind, base in (("array", sp.csr_array), ("matrix", sp.csr_matrix)):
        derived = type("Mine", (base,), {})(matrix(4, 5, flavour=kind))
        made = kernel("D(i,j) = 2 * S(i,j)")(derived)
        assert type(made) is base
        close(made, 2 * derived.toarray())


def test_diagonals_of_no_rows():
    close(kernel("y(i) = A(i,j) * x(j)")(sp.dia_array((0, 5)), dense(5)), np.zeros(0))


def test_blocks_that_do_not_divide_the_shape():
    """SciPy has no such matrix."""
    a = matrix(6, 6)
    made = kernel("C(i,j) = A(i,j)", A="csr", C="bsr")(a)
    assert isinstance(made, dict)
    close(kernel("y(i) = C(i,j) * x(j)")(made, dense(6)), a @ dense(6))


def test_results_that_share_are_read_by_operators():
    """PyTorch warns of arrays that are read-only, as index arrays of results are."""
    torch = pytest.importorskip("torch")
    import spc.torch  # takes a second
    a = matrix(5, 6)
    double = spc.torch.Matrix.of(spc.kernel("D(i,j) = 2 * S(i,j)", share=True)(a))
    spmv = spc.torch.op("y(i) = A(i,j) * x(j)", A="csr", name="test_shared")
    batch = double.with_values(double.values.expand(2, -1).contiguous())
    x = torch.ones(6, dtype=torch.float64)
    close(spmv(batch, x)[1].numpy(), 2 * a @ np.ones(6))
    close(spmv(double, x).numpy(), 2 * a @ np.ones(6))


@pytest.mark.parametrize("copy", [False, True])
def test_diagonals_without_an_offset(copy):
    """SciPy looks at them when it makes a matrix, and not afterwards."""
    a = sp.dia_array(np.diag([1.0, 2, 3]) + np.diag([5.0, 6], 1))
    a.offsets = a.offsets[:-1]
    with pytest.raises(spc.StructureError, match="A: 2 diagonals have values, and 1 have offsets"):
        spc.kernel(SPMV, copy=copy)(A=a, x=np.ones(3))
