"""SciPy's operators on kernels, beside SciPy's own, over classes, formats, types and shapes."""
# SPDX-License-Identifier: Apache-2.0

import operator
import threading

import numpy as np
import pytest
import scipy
import scipy.sparse as sp

import spc.scipy

if not scipy.__version__.startswith(("1.10.", "1.17.", "1.18.")):
    pytest.skip("a version of SciPy that spc.scipy refuses", allow_module_level=True)

FORMATS = ("csr", "csc", "coo", "bsr")
KINDS = ("array", "matrix")
PAIRS = (("f8", "f8"), ("f4", "f4"), ("i4", "f8"), ("c16", "f8"), ("?", "f4"), ("i1", "i1"))
STRANGE = (("f8", "g"), ("O", "O"), ("?", "?"), (">f8", "f8"))


@pytest.fixture(autouse=True)
def from_the_first_entry(monkeypatch):
    for operation in spc.scipy.THRESHOLDS:
        monkeypatch.setitem(spc.scipy.THRESHOLDS, operation, 0)


def calls_of(monkeypatch):
    """A list to which each result of a kernel is added, that of one which refuses as None."""
    made, run = [], spc.scipy._run
    monkeypatch.setattr(spc.scipy, "_run", lambda kernel, *operands: made.append(run(kernel, *operands)) or made[-1])
    return made


def matrix(rows, columns, dtype="f8", form="csr", kind="array", seed=0):
    rng = np.random.default_rng(seed + rows)
    values = (rng.integers(-9, 9, (rows, columns)) * (rng.random((rows, columns)) < 0.3)).astype(dtype)
    return getattr(sp, f"{form}_{kind}")(values)


def dense(shape, dtype="f8"):
    return np.random.default_rng(1).integers(-9, 9, shape).astype(dtype)


def products(rows, columns, dtype):
    """Operations of a matrix, by name."""
    x, X, left = dense(columns, dtype), dense((columns, 3), dtype), dense((2, rows), dtype)
    return {"A @ x": lambda A: A @ x, "A @ x of a column": lambda A: A @ x[:, None], "A @ X": lambda A: A @ X,
            "A @ X by columns": lambda A: A @ np.asfortranarray(X), "A @ X with strides": lambda A: A @ X[:, ::2],
            "A.T @ x": lambda A: A.T @ dense(rows, dtype), "A.T @ X": lambda A: A.T @ left.T, "X @ A": lambda A: left @ A,
            "A @ np.matrix": lambda A: A @ np.asmatrix(X), "A.dot(list)": lambda A: A.dot(X.tolist()), "A * x": lambda A: A * x,
            "A.sum(0)": lambda A: A.sum(0), "A.sum(1)": lambda A: A.sum(1), "A.sum()": lambda A: A.sum(),
            "A.mean(0)": lambda A: A.mean(0)}


def pairs(other, product):
    """Operations of two matrices, by name: one of the same shape, and one for a product."""
    return {"A + B": lambda A: A + other, "A - B": lambda A: A - other, "A.multiply(B)": lambda A: A.multiply(other),
            "A @ B": lambda A: A @ product, "A.T @ A": lambda A: A.T @ A, "A + A": lambda A: A + A, "A - A": lambda A: A - A}


def outcome(run):
    """What a function returns or raises."""
    try:
        return run()
    except Exception as error:  # which SciPy decides
        return error


def assert_alike(run, name):
    expected = outcome(run)
    with spc.scipy.enabled():
        found = outcome(run)
    assert type(found) is type(expected), (name, found, expected)
    if isinstance(expected, Exception):
        assert str(found) == str(expected), name
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
    if sp.issparse(expected):
        assert found.format == expected.format and found.nnz == expected.nnz, name
        if found.format != "coo":
            types = [{part.dtype for part in (one.indices, one.indptr)} for one in (found, expected)]
            # SciPy's matrices narrow what fits, or not, by what lies in memory behind the indices of a sum.
            assert types[0] == types[1] or isinstance(found, sp.spmatrix) and types[1] == {np.dtype("i8")}, name
            assert found.data.flags.writeable and found.indices.flags.writeable, name
            flags = found.has_sorted_indices, found.has_canonical_format
            copy = type(found)((found.data, found.indices, found.indptr), shape=found.shape)
            assert flags == (copy.has_sorted_indices, copy.has_canonical_format), name
        found, expected = found.toarray(), expected.toarray()
    np.testing.assert_allclose(np.asarray(found, complex), np.asarray(expected, complex), rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("types", PAIRS + STRANGE, ids="-".join)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMATS)
def test_operators(form, kind, types):
    try:
        A = matrix(7, 5, types[0], form, kind)
    except (TypeError, ValueError):
        pytest.skip("SciPy has no such matrix")
    other, product = matrix(7, 5, types[1], form, kind, 1), matrix(5, 4, types[1], form, kind)
    for name, run in {**products(7, 5, types[1]), **pairs(other, product)}.items():
        assert_alike(lambda run=run: run(A), name)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (1, 1), (1, 6), (6, 1)], ids=str)
@pytest.mark.parametrize("form", FORMATS)
def test_shapes(form, shape):
    A = outcome(lambda: matrix(*shape, form=form))
    if isinstance(A, Exception):
        pytest.skip("SciPy has no such matrix")
    for name, run in {**products(*shape, "f8"), **pairs(A.copy(), A.T.copy())}.items():
        assert_alike(lambda run=run: run(A), name)


def strange_entries(form):
    """A matrix whose entries are out of order, repeat, and are 0."""
    parts = ([1.0, 2.0, 0.0, 4.0, 5.0, 0.0], ([2, 0, 0, 2, 2, 1], [3, 2, 1, 0, 3, 1]))
    coo = sp.coo_array(parts, shape=(3, 4))
    if form == "coo":
        return coo
    kind = sp.csr_array if form == "csr" else sp.csc_array
    if form == "csr":
        return kind((np.array([2.0, 0, 0, 1, 4, 5]), np.array([2, 1, 1, 3, 0, 3]), np.array([0, 2, 3, 6])), shape=(3, 4))
    return kind((np.array([4.0, 0, 0, 2, 1, 5]), np.array([2, 1, 0, 0, 2, 2]), np.array([0, 1, 3, 4, 6])), shape=(3, 4))


@pytest.mark.parametrize("form", ("csr", "csc", "coo"))
def test_entries_in_disorder(form):
    A = strange_entries(form)
    for name, run in {**products(3, 4, "f8"), **pairs(A * 2, A.T.tocsr())}.items():
        assert_alike(lambda run=run: run(A), name)


@pytest.mark.parametrize("form", FORMATS)
def test_infinities(form):
    A, B = matrix(6, 6, form=form), matrix(6, 6, form=form, seed=5)
    A.data.flat[:3] = np.inf, np.nan, -np.inf
    B.data.flat[2:5] = np.nan, np.inf, 0
    with np.errstate(all="ignore"):
        for name, run in {**products(6, 6, "f8"), **pairs(B, B)}.items():
            assert_alike(lambda run=run: run(A), name)
        x = np.array([np.inf, 0, np.nan, 1, -np.inf, 2])
        assert_alike(lambda: A @ x, "A @ x")
        assert_alike(lambda: A @ np.outer(x, [1, 0, 2]), "A @ X")


@pytest.mark.parametrize("kind", KINDS)
def test_index_types(kind):
    A, B = matrix(9, 9, kind=kind), matrix(9, 9, kind=kind, seed=4)
    A.indices, A.indptr = A.indices.astype("i8"), A.indptr.astype("i8")
    for name, run in {**products(9, 9, "f8"), **pairs(B, B)}.items():
        assert_alike(lambda run=run: run(A), name)


def test_kernels_compute(monkeypatch):
    made = calls_of(monkeypatch)
    A, x = matrix(7, 7), dense(7)
    runs = [lambda: A @ x, lambda: A @ dense((7, 2)), lambda: A @ A, lambda: A.T @ A, lambda: x @ A, lambda: A.T @ x,
            lambda: A.tocoo() @ x, lambda: A.tobsr((1, 1)) @ x, lambda: A.tocsc() @ A]
    with spc.scipy.enabled():
        for place, run in enumerate(runs):
            run()
            assert len(made) == place + 1 and made[-1] is not None, place
    runs[0]()
    assert len(made) == len(runs)


def test_thresholds(monkeypatch):
    made = calls_of(monkeypatch)
    A = matrix(7, 7)
    x, X = dense(7), dense((7, 4))
    with spc.scipy.enabled():
        for operation, work, run in (("A @ x", A.nnz, lambda: A @ x), ("A @ X", 4 * A.nnz, lambda: A @ X),
                                     ("A @ B", 2 * A.nnz, lambda: A @ A), ("COO @ x", A.nnz, lambda: A.tocoo() @ x),
                                     ("BSR @ x", A.nnz, lambda: A.tobsr((1, 1)) @ x)):
            for threshold, calls in ((work + 1, 0), (work, 1)):
                monkeypatch.setitem(spc.scipy.THRESHOLDS, operation, threshold)
                made.clear()
                run()
                assert len(made) == calls, operation


@pytest.mark.parametrize("run", [lambda A: A @ np.ones(3), lambda A: A @ np.ones((3, 2)), lambda A: A @ matrix(3, 2),
                                 lambda A: A + matrix(3, 2), lambda A: A.multiply(matrix(3, 2)), lambda A: A @ 2,
                                 lambda A: np.ones(3) @ A, lambda A: A @ "text", lambda A: A @ None])
def test_errors_are_those_of_scipy(run):
    A = matrix(7, 5)
    assert isinstance(outcome(lambda: run(A)), Exception)
    assert_alike(lambda: run(A), "error")


def methods():
    return {(base, name): value for kind in (sp.csr_matrix, sp.csc_array, sp.bsr_array, sp.coo_matrix)
            for base in kind.__mro__ if base.__module__.startswith("scipy") for name, value in vars(base).items()}


def test_nesting_restores_scipy():
    before = methods()
    with spc.scipy.enabled():
        within = methods()
        assert within != before and within.keys() == before.keys()
        with pytest.raises(ZeroDivisionError), spc.scipy.enabled():
            operator.truediv(1, 0)
        assert methods() == within and spc.scipy.is_enabled()
    assert methods() == before and not spc.scipy.is_enabled()
    spc.scipy.enable()
    spc.scipy.disable()
    assert methods() == before
    with pytest.raises(RuntimeError, match="not enabled"):
        spc.scipy.disable()


def test_versions_that_are_not_known(monkeypatch):
    before = methods()
    monkeypatch.setattr(scipy, "__version__", "1.9.3")
    with pytest.raises(ImportError, match="1.10.*1.9.3"):
        spc.scipy.enable()
    assert methods() == before and not spc.scipy.is_enabled()


def test_threads():
    A, X = matrix(40, 40), dense((40, 3))
    expected, before, wrong = A @ X, methods(), []

    def work():
        for _ in range(50):
            with spc.scipy.enabled():
                if not np.array_equal(A @ X, expected) or not np.array_equal((A @ A).toarray(), A.toarray() @ A.toarray()):
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and not spc.scipy.is_enabled() and methods() == before


def test_subclasses_stay():
    class Own(sp.csr_array):
        pass

    A = Own(matrix(5, 5))
    for name, run in pairs(A, A).items():
        assert_alike(lambda run=run: run(A), name)
