"""SciPy's operators on kernels, beside SciPy's own, over classes, formats, types and shapes."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import operator
import threading

import numpy as np
import pytest
import scipy
import scipy.sparse as sp

import spc.scipy
from spc.scipy import kernels

if not scipy.__version__.startswith(("1.10.", "1.17.", "1.18.")):
    pytest.skip("a version of SciPy that spc.scipy refuses", allow_module_level=True)

FORMATS = ("csr", "csc", "coo", "bsr")
KINDS = ("array", "matrix")
PAIRS = (("f8", "f8"), ("f4", "f4"), ("i4", "f8"), ("c16", "f8"), ("?", "f4"), ("i1", "i1"))
STRANGE = (("f8", "g"), ("O", "O"), ("?", "?"), (">f8", "f8"))


@pytest.fixture(autouse=True)
def from_the_first_entry(monkeypatch):
    monkeypatch.setattr(kernels, "has_threads", lambda: True)
    for operation in spc.scipy.THRESHOLDS:
        monkeypatch.setitem(spc.scipy.THRESHOLDS, operation, 0)


def calls_of(monkeypatch):
    """A list to which each result of a kernel is added, that of one which refuses as None."""
    made, run = [], kernels.run

    def noted(*operands, **sizes):
        made.append(run(*operands, **sizes))
        return made[-1]

    monkeypatch.setattr(kernels, "run", noted)
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
            "A.multiply(x)": lambda A: A.multiply(x), "A.multiply(row)": lambda A: A.multiply(x[None, :]),
            "A.multiply(column)": lambda A: A.multiply(dense((rows, 1), dtype)),
            "A.multiply(X)": lambda A: A.multiply(dense((rows, columns), dtype)),
            "A.multiply(X) by columns": lambda A: A.multiply(np.asfortranarray(dense((rows, columns), dtype))),
            "A.multiply(X) with strides": lambda A: A.multiply(dense((2 * rows, 2 * columns), dtype)[::2, ::2]),
            "A + X": lambda A: A + dense((rows, columns), dtype)}


def reductions():
    """Sums, means and extremes, by name."""
    found = {f"A.{name}({axis})": lambda A, name=name, axis=axis: getattr(A, name)(axis)
             for name in ("sum", "mean", "max", "min", "nanmax") for axis in (None, 0, 1, -1, -2, 2, True, np.array([0]))}
    found["A.sum(0, out=)"] = lambda A: A.sum(0, out=np.asmatrix(np.zeros((1, A.shape[1]), A.dtype)))
    found["A.sum(0, dtype=)"] = lambda A: A.sum(0, dtype="f4")
    found["A.mean(1, dtype=)"] = lambda A: A.mean(1, dtype="f4")
    return found


def selections(rows, columns):
    """Parts of a matrix, by name."""
    i, j = np.array([0, rows - 1, -1, rows // 2, 0]), np.array([columns - 1, 0, columns // 2, -1, -1])
    cuts = [np.s_[1:], np.s_[:-1], np.s_[1:3], np.s_[:, 1:], np.s_[:, :-1], np.s_[:, 1:3], np.s_[1:, 1:], np.s_[1:3, 1:2],
            np.s_[2:1], np.s_[:, 2:1], np.s_[1:100, -2:], np.s_[::2], np.s_[:, ::2], np.s_[::-1, 1:], np.s_[:, :], np.s_[0],
            np.s_[-1], np.s_[:, 0], np.s_[:, -1], np.s_[0, 0], np.s_[0, 1:], np.s_[1:, 0], (i, j), (i, 1), np.ix_(i, j), i,
            (slice(None), j), (i, slice(1, 3)), (slice(1, 3), j), (i[:0], j[:0]), ([[0], [1]], [[0], [0]]),
            np.arange(rows) % 2 == 0, (slice(None), np.arange(columns) % 2 == 0), (99, 0), (i, j + 99)]
    return {f"A[{cut}]": lambda A, cut=cut: A[cut] for cut in cuts}


def stacks():
    """Matrices beside each other, by name."""
    functions = {"hstack": sp.hstack, "vstack": sp.vstack}
    found = {f"{name} of {count}": lambda A, stack=stack, count=count: stack([A, A * 2, A, A][:count])
             for name, stack in functions.items() for count in (1, 3)}
    found.update({f"{name} as {form}": lambda A, stack=stack, form=form: stack([A, A], format=form)
                  for name, stack in functions.items() for form in ("csr", "csc", "coo")})
    found["hstack of types"] = lambda A: sp.hstack([A, A.astype("f4")])
    found["vstack of shapes"] = lambda A: sp.vstack([A, A[:, :1]])
    found["hstack of shapes"] = lambda A: sp.hstack([A, A[:1]])
    found["bmat"] = lambda A: sp.bmat([[A, A], [A, None]])
    return found


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


def assert_same_entries(found, expected, name):
    """Whether two matrices of a class store the same elements, in the same order where both are sorted."""
    assert found.format == expected.format and found.nnz == expected.nnz, name
    assert found.data.flags.writeable, name
    if found.format == "coo":
        places = [[one.coords if hasattr(one, "coords") else (one.row, one.col)][0] for one in (found, expected)]
        assert [part.dtype for part in places[0]] == [part.dtype for part in places[1]], name
        assert all(map(np.array_equal, *places)) and found.has_canonical_format == expected.has_canonical_format, name
        assert all([part.flags.writeable for part in places[0]]), name
        return
    types = [{part.dtype for part in (one.indices, one.indptr)} for one in (found, expected)]
    # SciPy's matrices narrow what fits, or not, by what lies in memory behind the indices of a sum.
    assert types[0] == types[1] or isinstance(found, sp.spmatrix) and types[1] == {np.dtype("i8")}, name
    assert found.indices.flags.writeable and found.indptr.flags.writeable, name
    flags = found.has_sorted_indices, found.has_canonical_format
    copy = type(found)((found.data, found.indices, found.indptr), shape=found.shape)
    assert flags == (copy.has_sorted_indices, copy.has_canonical_format), name
    if expected.has_canonical_format and found.format != "bsr":
        assert np.array_equal(found.indices, expected.indices) and np.array_equal(found.indptr, expected.indptr), name


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
        assert_same_entries(found, expected, name)
        found, expected = found.toarray(), expected.toarray()
    assert type(found) is type(expected), name
    np.testing.assert_allclose(np.asarray(found, complex), np.asarray(expected, complex), rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("types", PAIRS + STRANGE, ids="-".join)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMATS)
def test_operators(form, kind, types):
    if form in ("csc", "bsr") and types in PAIRS[2:]:
        pytest.skip("as of CSR, and each takes a kernel")
    try:
        A = matrix(7, 5, types[0], form, kind)
    except (TypeError, ValueError):
        pytest.skip("SciPy has no such matrix")
    other, product = matrix(7, 5, types[1], form, kind, 1), matrix(5, 4, types[1], form, kind)
    runs = {**products(7, 5, types[1]), **pairs(other, product)}
    if types in PAIRS[:1] + STRANGE:
        runs.update({**reductions(), **selections(7, 5), **stacks()})
    for name, run in runs.items():
        assert_alike(lambda run=run: run(A), name)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (1, 1), (1, 6), (6, 1)], ids=str)
@pytest.mark.parametrize("form", FORMATS)
def test_shapes(form, shape):
    A = outcome(lambda: matrix(*shape, form=form))
    if isinstance(A, Exception):
        pytest.skip("SciPy has no such matrix")
    for name, run in {**products(*shape, "f8"), **pairs(A.copy(), A.T.copy()), **reductions(), **stacks()}.items():
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
    for name, run in {**products(3, 4, "f8"), **pairs(A * 2, A.T.tocsr()), **reductions(), **selections(3, 4), **stacks()}.items():
        assert_alike(lambda run=run: run(A), name)


@pytest.mark.parametrize("form", FORMATS)
def test_infinities(form):
    A, B = matrix(6, 6, form=form), matrix(6, 6, form=form, seed=5)
    A.data.flat[:3] = np.inf, np.nan, -np.inf
    B.data.flat[2:5] = np.nan, np.inf, 0
    with np.errstate(all="ignore"):
        for name, run in {**products(6, 6, "f8"), **pairs(B, B), **reductions()}.items():
            assert_alike(lambda run=run: run(A), name)
        x = np.array([np.inf, 0, np.nan, 1, -np.inf, 2])
        assert_alike(lambda: A @ x, "A @ x")
        assert_alike(lambda: A @ np.outer(x, [1, 0, 2]), "A @ X")


@pytest.mark.parametrize("form", ("csr", "csc"))
@np.errstate(all="ignore")
def test_complex_infinities_are_moved_as_they_are(form):
    A = matrix(6, 6, "c16", form)
    A.data[:3] = complex(np.inf, 1), complex(2, -np.inf), -np.inf
    for name, run in {**stacks(), "A[i, j]": lambda A: A[A.nonzero()]}.items():
        assert_alike(lambda run=run: run(A), name)


@pytest.mark.parametrize("form", ("csr", "csc"))
def test_index_arrays_that_are_written_to(form):
    """What SciPy has noted of their order is old then, and kernels have it note nothing."""
    B, places = matrix(6, 6, form=form, seed=1), tuple(np.indices((6, 6)).reshape(2, -1))
    for name, run in {**pairs(B, B), "A[i, j]": lambda A: A[places], "stack": lambda A: sp.bmat([[A, B]], format=form)}.items():
        found = []
        for context in (contextlib.nullcontext, spc.scipy.enabled):
            A = matrix(6, 6, form=form)
            with context():
                run(A)
                for start, stop in zip(A.indptr, A.indptr[1:]):
                    A.indices[start:stop] = A.indices[start:stop][::-1].copy()
                result = run(A)
            A.sum_duplicates()
            found.append((A.indices.tolist(), (result.toarray() if sp.issparse(result) else result).tolist()))
        assert found[0] == found[1], name


@pytest.mark.parametrize("kind", KINDS)
def test_index_types(kind):
    A, B = matrix(9, 9, kind=kind), matrix(9, 9, kind=kind, seed=4)
    A.indices, A.indptr = A.indices.astype("i8"), A.indptr.astype("i8")
    for name, run in {**products(9, 9, "f8"), **pairs(B, B), **selections(9, 9), **stacks()}.items():
        assert_alike(lambda run=run: run(A), name)


def test_kernels_compute(monkeypatch):
    made = calls_of(monkeypatch)
    A, B, x = matrix(7, 7), matrix(7, 7, seed=1), dense(7)
    runs = [lambda: A @ x, lambda: A @ dense((7, 2)), lambda: A @ A, lambda: A.T @ A, lambda: x @ A, lambda: A.T @ x,
            lambda: A.tocoo() @ x, lambda: A.tobsr((1, 1)) @ x, lambda: A.tocsc() @ A,
            lambda: A + B, lambda: A - B, lambda: A.multiply(B), lambda: A.tocsc() + B, lambda: A.tocoo() + B,
            lambda: A.multiply(x), lambda: A.multiply(x[:, None]), lambda: A.multiply(dense((7, 7))),
            lambda: A.multiply(x.astype("f4")),
            lambda: A.sum(0), lambda: A.sum(1), lambda: A.tocoo().sum(0), lambda: A.mean(1), lambda: A.astype("i4").mean(0),
            lambda: A.max(0), lambda: A.min(1), lambda: A.tocsc().max(1), lambda: A.tocsc().min(0),
            lambda: A[np.arange(7), np.arange(7)], lambda: sp.hstack([A, A], "csr"),
            lambda: sp.vstack([A.tocsc(), A.tocsc()], "csc")]
    with spc.scipy.enabled():
        for place, run in enumerate(runs):
            run()
            assert len(made) == place + 1 and made[-1] is not None, place
    runs[0]()
    assert len(made) == len(runs)


THRESHOLDS = {
    "A @ x": (lambda A: A @ np.ones(7), 1), "A @ X": (lambda A: A @ np.ones((7, 4)), 4), "A @ B": (lambda A: A @ A, 2),
    "COO @ x": (lambda A: A.tocoo() @ np.ones(7), 1), "BSR @ x": (lambda A: A.tobsr((1, 1)) @ np.ones(7), 1),
    "A + B": (lambda A: A + A.T.tocsr(), 2), "A.multiply(B)": (lambda A: A.multiply(A.T.tocsr()), 2),
    "A.multiply(X)": (lambda A: A.multiply(np.ones(7)), 1), "A.sum(axis)": (lambda A: A.sum(0), 1),
    "A.mean(axis)": (lambda A: A.mean(0), 1), "A.max(axis)": (lambda A: A.max(0), 1),
    "A[i, j]": (lambda A: A[np.arange(A.nnz) % 7, np.arange(A.nnz) % 7], 1), "hstack": (lambda A: sp.hstack([A, A], "csr"), 2)}


def test_all_thresholds_are_tested():
    assert THRESHOLDS.keys() == spc.scipy.THRESHOLDS.keys() - {"A[a:b]", "A + B of one pattern"}  # which call no kernel


@pytest.mark.parametrize("operation", THRESHOLDS)
def test_thresholds(operation, monkeypatch):
    made = calls_of(monkeypatch)
    A = matrix(7, 7)
    run, entries = THRESHOLDS[operation]
    for other in THRESHOLDS:
        monkeypatch.setitem(spc.scipy.THRESHOLDS, other, 1_000)
    with spc.scipy.enabled():
        for threshold, calls in ((entries * A.nnz + 1, 0), (entries * A.nnz, 1)):
            monkeypatch.setitem(spc.scipy.THRESHOLDS, operation, threshold)
            made.clear()
            run(A)
            assert len(made) == calls


def test_one_pattern_is_found(monkeypatch):
    made, merges = calls_of(monkeypatch), []
    A = matrix(7, 7)
    original = sp.csr_array._binopt
    monkeypatch.setattr(original.__globals__["_cs_matrix"], "_binopt",
                        lambda *operands: merges.append(operands) or original(*operands))
    runs = [lambda: A + A, lambda: A - A, lambda: A.multiply(A.copy()), lambda: A + A.astype("f4"),
            lambda: A.tocsc() - 2 * A.tocsc()]
    expected = [run().toarray() for run in runs]
    merges.clear()
    with spc.scipy.enabled():
        for run, result in zip(runs, expected):
            found = run()
            assert np.array_equal(found.toarray(), result) and found.data.all()
        assert not made and not merges
        monkeypatch.setitem(spc.scipy.THRESHOLDS, "A + B of one pattern", 2 * A.nnz + 1)
        runs[0]()
        assert not made and len(merges) == 1


def test_rows_are_cut_without_a_walk(monkeypatch):
    made, walks = calls_of(monkeypatch), []
    monkeypatch.setattr("scipy.sparse._compressed.get_csr_submatrix", lambda *arguments: walks.append(arguments))
    A = matrix(7, 7)
    with spc.scipy.enabled():
        cut = A[2:6]
        monkeypatch.setitem(spc.scipy.THRESHOLDS, "A[a:b]", A[2:6].nnz + 1)
        with pytest.raises(TypeError):
            A[2:6]
    assert np.array_equal(cut.toarray(), A.toarray()[2:6]) and not made and len(walks) == 1
    assert not np.shares_memory(cut.data, A.data) and not np.shares_memory(cut.indices, A.indices)


def test_means_of_large_numbers_are_finite():
    A = sp.csr_array(np.full((4, 4), 3e38, "f4"))
    with spc.scipy.enabled():
        assert np.isfinite(A.mean(0)).all() and np.isfinite(A.mean(1)).all()


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
