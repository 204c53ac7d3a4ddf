"""Whose the index arrays of results are: their own, unless share=True."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import INDEX_ARRAYS, address, close, dense, kernel, matrix

import spc

DOUBLE = "D(i,j) = 2 * S(i,j)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"


def with_zeros(kind, flavour="array"):
    """A matrix of one of SciPy's kinds in which every third stored value is 0."""
    made = matrix(6, 9, kind, density=0.6, flavour=flavour)
    if kind == "bsr":
        made.sort_indices()
        made.data[::3] = 0
    else:
        made.data.reshape(-1)[::3] = 0
    return made


def index_arrays(made):
    return [getattr(made, name) for name in INDEX_ARRAYS if hasattr(made, name)]


def set_to_zero(made):
    for array in index_arrays(made):
        array[:] = 0


CHANGES = {"eliminate_zeros": lambda s: s.eliminate_zeros(), "sum_duplicates": lambda s: s.sum_duplicates(),
           "sort_indices": lambda s: s.sort_indices(), "resize": lambda s: s.resize((2, 3)), "prune": lambda s: s.prune(),
           "indices": set_to_zero, "setdiag": lambda s: s.setdiag(7)}


def change(name, made):
    """Changes a matrix in place, by one of SciPy's methods where its class has it."""
    if name == "indices" or hasattr(made, name) and (made.format, name) != ("bsr", "setdiag"):
        CHANGES[name](made)


@pytest.mark.filterwarnings("ignore:Changing the sparsity structure")
@pytest.mark.parametrize("flavour", ["array", "matrix"])
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("text", [DOUBLE, "D(j,i) = 2 * S(i,j)", "D(i,j) = abs(S(i,j))"])
def test_operands_and_results_may_be_changed(text, kind, name, flavour):
    double = kernel(text)
    for repeat in range(4):  # the first calls, and those that are kept
        s = with_zeros(kind, flavour)
        full = s.toarray()
        expected = {DOUBLE: 2 * full, "D(j,i) = 2 * S(i,j)": 2 * full.T}.get(text, abs(full))
        results = [double(s) for _ in range(repeat + 1)]
        change(name, s)
        for made in results:
            close(made, expected)
            if hasattr(made, "check_format"):
                made.check_format()
        s = with_zeros(kind, flavour)
        one, other = double(s), double(s)
        change(name, one)
        close(s, full)
        close(other, expected)
        close(double(s), expected)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_unsorted_operands_may_be_changed(kind):
    s = matrix(6, 9, "coo")
    order = np.random.default_rng(3).permutation(s.nnz)
    s = sp.coo_array((s.data[order], (s.row[order], s.col[order])), shape=s.shape)
    if kind == "csr":  # columns backwards in each row
        s = matrix(6, 9)
        for begin, end in zip(s.indptr, s.indptr[1:]):
            s.indices[begin:end], s.data[begin:end] = s.indices[begin:end][::-1].copy(), s.data[begin:end][::-1].copy()
        s.has_sorted_indices = False
    full = s.toarray()
    made = kernel(DOUBLE)(s)
    for name in ("sort_indices", "sum_duplicates", "eliminate_zeros"):
        change(name, s)
        close(made, 2 * full)


def test_shared_index_arrays():
    for kind in ("csr", "csc", "coo", "bsr"):
        s = with_zeros(kind)
        double = spc.kernel(DOUBLE, share=True)
        for _ in range(4):
            made = double(s)
            assert [address(one) for one in index_arrays(made)] == [address(one) for one in index_arrays(s)]
            assert not any(array.flags.writeable for array in index_arrays(made))
            close(made.copy(), 2 * s.toarray())
            if kind != "coo":
                with pytest.raises(ValueError, match="read-only"):
                    made.eliminate_zeros()
            close(s, with_zeros(kind).toarray())


def test_shared_index_arrays_of_dictionaries():
    s = matrix(6, 9)
    given = {"format": "CSR", "shape": s.shape, "values": s.data, "indices_1": s.indices, "pointers_to_1": s.indptr}
    own, shared = kernel(DOUBLE)(given), spc.kernel(DOUBLE, share=True)(given)
    assert shared["indices_1"].base is s.indices and not shared["indices_1"].flags.writeable
    given["indices_1"][:] = 0
    assert not shared["indices_1"].any()
    close(sp.csr_array((own["values"], own["indices_1"], own["pointers_to_1"]), shape=s.shape), 2 * matrix(6, 9).toarray())
    own["indices_1"][:] = 1


def test_results_of_plans():
    a = with_zeros("csr")[:, :6]
    a.sum_duplicates()
    expected = (a @ a).toarray()
    for share in (False, True):
        plan = spc.kernel(SPGEMM, A="csr", B="csr", C="csr", share=share).plan(a, a)
        first, second = plan(), plan()
        assert (address(first.indices) == address(second.indices)) is share
        assert first.indices.flags.writeable is not share
        first.data[0] = 0
        if share:
            with pytest.raises(ValueError, match="read-only"):
                first.eliminate_zeros()
        else:
            first.eliminate_zeros()
            first.indices[:] = 0
        close(second, expected)
        close(plan(), expected)


def test_results_of_bound_calls():
    """Their values are written again by the next call, so that their structure is fixed."""
    s = with_zeros("csr")
    full = s.toarray()
    call = kernel(DOUBLE).bind(s)
    made = call()
    with pytest.raises(ValueError, match="read-only"):
        made.eliminate_zeros()
    own = made.copy()
    own.eliminate_zeros()
    assert address(made.indices) != address(s.indices)
    s.data *= 3
    assert call() is made
    close(made, 6 * full)
    change("indices", s)
    close(made, 6 * full)


def test_numbers_of_results_are_their_own():
    s = matrix(6, 9)
    made, values = kernel(DOUBLE)(s), s.data.copy()
    made.data[:] = 0
    assert (s.data == values).all()


def test_results_as_operands():
    """What is changed of a result is looked at again."""
    s, x = matrix(6, 9), dense(9)
    spmv = kernel("y(i) = A(i,j) * x(j)", A="csr")
    made = kernel(DOUBLE)(s)
    close(spmv(made, x), 2 * s @ x)
    made = kernel(DOUBLE)(s)
    made.indices[0] = 9
    with pytest.raises(spc.StructureError, match="coordinates of level 1: 9 at 0"):
        spmv(made, x)
    close(spmv(s, x), s @ x)


def test_tensors_of_that_name():
    with pytest.raises(spc.ArgumentTypeError, match=r"share is True or False, not 'csr': formats=\{'share': \.\.\.\} says"):
        spc.kernel("y(i) = share(i,j) * x(j)", share="csr")
    a = matrix(4, 5)
    close(spc.kernel("y(i) = share(i,j) * x(j)", formats={"share": "csr"})(share=a, x=dense(5)), a @ dense(5))


def test_kernels_that_share_are_copied_and_pickled():
    import pickle
    double = pickle.loads(pickle.dumps(spc.kernel(DOUBLE, share=True)))
    s = matrix(4, 5)
    assert address(double(s).indices) == address(s.indices)
