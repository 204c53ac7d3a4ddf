"""Results are of the operands' library and class, whatever the order in which entries are stored."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, kernel, matrix

import spc

# Each with what it computes of the full matrix A, of a full D and of a vector s.
KERNELS = {
    "B(i,j) = A(i,j) * A(i,j)": lambda a, d, s: a * a,
    "B(i,j) = sqrt(A(i,j))": lambda a, d, s: np.sqrt(a),
    "B(i,j) = 2 * A(i,j)": lambda a, d, s: 2 * a,
    "B(i,j) = relu(A(i,j) - 1) * pattern(A(i,j))": lambda a, d, s: np.maximum(a - 1, 0) * (a != 0),
    "B(i,j) = max(A(i,j), 0.75) * pattern(A(i,j))": lambda a, d, s: np.maximum(a, 0.75) * (a != 0),
    "B(j,i) = A(i,j)": lambda a, d, s: a.T,
    "B(j,i) = exp(A(i,j)) * pattern(A(i,j))": lambda a, d, s: (np.exp(a) * (a != 0)).T,
    "B(i,j) = A(i,j) * D(i,j)": lambda a, d, s: a * d,
    "B(i,j) = A(i,j) / s(i)": lambda a, d, s: a / s[:, None],
    "B(i,j) = A(i,j) * sum(l, D(i,l) * D(j,l))": lambda a, d, s: a * (d @ d.T)[:, :a.shape[1]],
    "let E(i,j) = exp(A(i,j)) * pattern(A(i,j))\nB(i,j) = E(i,j) / s(i)": lambda a, d, s: np.exp(a) * (a != 0) / s[:, None],
    "let r(i) = sum(j, A(i,j) * A(i,j))\nB(i,j) = A(i,j) / (r(i) + 1)": lambda a, d, s: a / ((a * a).sum(1)[:, None] + 1),
}


def shuffled(made, kind, seed=5):
    """The same matrix with entries in another order, and, of coordinates, one of them in two parts."""
    rng = np.random.default_rng(seed)
    if kind == "coo":
        order = rng.permutation(made.nnz)
        rows, columns, values = made.row[order], made.col[order], made.data[order]
        values[0] /= 2
        return type(made)((np.append(values, values[0]), (np.append(rows, rows[0]), np.append(columns, columns[0]))),
                          shape=made.shape)
    made = made.copy()
    for begin, end in zip(made.indptr, made.indptr[1:]):
        order = begin + rng.permutation(end - begin)
        made.indices[begin:end], made.data[begin:end] = made.indices[order], made.data[order]
    made.has_sorted_indices = False
    return made


def operands_of(made, text, a):
    given = {"A": a, "D": dense(made.shape), "s": dense(made.shape[:1], seed=4)}
    return {name: value for name, value in given.items() if f"{name}(" in text}


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("text", KERNELS)
@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "bsr"])
@pytest.mark.parametrize("flavour", ["array", "matrix"])
def test_scipy(text, kind, flavour):
    rows = matrix(6, 6, kind, flavour=flavour)
    rows.sum_duplicates()
    compute, called = KERNELS[text], kernel(text)
    classes = set()
    for a in (rows, shuffled(rows, kind), *([rows.T.tocsr().tocoo().T] if kind == "coo" else [])):
        given = operands_of(rows, text, a)
        for _ in range(4):  # those that are kept, too
            made = called(**given)
            assert sp.issparse(made), made
            close(made, compute(a.toarray(), dense(rows.shape), dense(rows.shape[:1], seed=4)))
        classes.add(type(made))
    assert len(classes) == 1, classes
    assert kind != "coo" or text.startswith("let") or classes == {type(rows)}


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("text", ["B(i,j) = 2 * A(i,j)", "B(j,i) = A(i,j)", "B(i,j) = abs(A(i,j))"])
def test_diagonals(text):
    a = matrix(6, 9, "dia")
    expected = {"B(j,i) = A(i,j)": a.toarray().T, "B(i,j) = 2 * A(i,j)": 2 * a.toarray()}.get(text, abs(a.toarray()))
    call = kernel(text).bind(a)
    for _ in range(4):
        for made in (kernel(text)(a), call()):
            assert sp.issparse(made)
            close(made, expected)


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("text", ["B(i,j) = sqrt(A(i,j))", "B(j,i) = A(i,j)"])
def test_into_results_that_were_returned(text):
    a = shuffled(matrix(5, 4, "coo"), "coo")
    for given in (a, a.tocsr().tocoo()):
        made = kernel(text)(given)
        if "(j,i)" in text:
            made.data[:] = 0
            assert kernel(text)(given, out=made) is made
            close(made, a.toarray().T)


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
def test_formats_that_were_said():
    """Stay, as dictionaries where SciPy lacks them."""
    a = matrix(5, 4, "coo")
    made = kernel("B(i,j) = A(i,j)", B="dcsr")(a)
    assert made["format"] == "DCSR"
    for text, full in (("B(i,j) = A(i,j)", a.toarray()), ("B(i,j) = exp(A(i,j)) - 1", np.expm1(a.toarray()))):
        for form, class_ in (("csr", sp.csr_array), ("csc", sp.csc_array), ("coo", sp.coo_array), ("dcsr", dict),
                             ("dense", np.ndarray)):
            for given in (a, shuffled(a, "coo")):
                made = kernel(text, B=form)(given)
                assert type(made) is class_
                if class_ is not dict:
                    close(made, full)


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("order", [2, 3])
def test_tensors(order):
    torch = pytest.importorskip("torch")
    places = torch.tensor([[2, 0, 2, 1], [1, 3, 1, 0], [0, 1, 0, 2]])[:order]
    a = torch.sparse_coo_tensor(places, torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64), (3, 4, 3)[:order])
    letters = ",".join("ijk"[:order])
    full = a.to_dense().numpy()
    for text, expected in ((f"B({letters}) = sqrt(A({letters}))", np.sqrt(full)),
                           (f"B({letters}) = 2 * A({letters})", 2 * full),
                           (f"B({','.join('ijk'[:order][::-1])}) = A({letters})", full.T)):
        for given in (a, a.coalesce()):
            for _ in range(3):
                made = kernel(text)(given)
                assert isinstance(made, torch.Tensor) and made.layout is torch.sparse_coo
                close(made.to_dense().numpy(), expected)
    assert kernel(f"B({letters}) = sqrt(A({letters}))")(a).is_coalesced()


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("block", [(1, 1), (1, 3), (3, 1), (6, 1), (2, 3)])
def test_blocks(block):
    full = sp.random(6, 6, 0.3, random_state=0).toarray()
    for class_ in (sp.bsr_array, sp.bsr_matrix):
        a = class_(full, blocksize=block)
        close(kernel("y(i) = A(i,j) * x(j)")(a, np.arange(6.0)), full @ np.arange(6.0))
        close(kernel("B(j,i) = A(i,j)")(a), full.T)
        twice = kernel("B(i,j) = 2 * A(i,j)")(a)
        close(twice, 2 * full)
        assert twice.format == ("csr" if block == (1, 1) else "bsr")
        kernel("B(i,j) = 3 * A(i,j)")(a, out=twice)
        close(twice, 3 * full)


@pytest.mark.filterwarnings("ignore::spc.SpcWarning", "ignore:Sparse BS. tensor support is in beta state")
@pytest.mark.parametrize("block", [(1, 1), (1, 2), (3, 1), (2, 2)])
def test_tensors_of_blocks(block):
    torch = pytest.importorskip("torch")
    full = np.kron(np.eye(3), np.arange(1.0, 5).reshape(2, 2))
    for a in (torch.from_numpy(full).to_sparse_bsr(block), torch.from_numpy(full).to_sparse_bsc(block)):
        for text, expected in (("B(j,i) = A(i,j)", full.T), ("B(i,j) = 2 * A(i,j)", 2 * full)):
            made = kernel(text)(a)
            assert isinstance(made, torch.Tensor)
            close(made.to_dense().numpy(), expected)


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("text, expected", [
    ("B(i,j) = A(i,j) + A(j,i)", lambda a: a + a.T), ("B(i,k) = A(i,j) * A(j,k)", lambda a: a @ a),
    ("B(i,j) = A(i,j) - 2 * A(j,i) * A(i,j)", lambda a: a - 2 * a.T * a)])
@pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr"])
def test_what_only_sparse_operands_decide_is_sparse(text, expected, form):
    a = sp.random(6, 6, 0.3, "coo", random_state=0)
    full = expected(a.toarray())
    call = kernel(text)
    for given, wanted in ((a.asformat(form), sp.csr_matrix),
                          (sp.coo_array(a).asformat(form), sp.csr_array)):
        made = call(given)
        assert type(made) is wanted
        close(made.toarray(), full)
    out = np.full((6, 6), 7.0)
    assert call(a.asformat(form), out=out) is out
    close(out, full)
    close(call(a.asformat(form)).toarray(), full)
    dense = kernel(text, B="dense")(a.asformat(form))
    assert type(dense) is np.ndarray
    close(dense, full)


@pytest.mark.parametrize("text", ["semiring(min,+)\ntensor A(n,n): f64, sparse\nD(i,j) = A(i,k) * A(k,j)",
                                  "tensor A(n,n): f64, sparse, fill inf\nD(i,j) = min(k, A(i,k) + A(k,j))"])
def test_what_lacks_infinities_is_dense(text):
    """Classes of sparse arrays take for 0 what they do not store."""
    graph = sp.csr_array(np.array([[0, 2.0, 0], [0, 0, 3], [0, 0, 0]]))
    with pytest.warns(spc.SpcWarning, match="'D' is dense"):
        paths = spc.kernel(text)(A=graph)
    expected = np.full((3, 3), np.inf)
    expected[0, 2] = 5
    assert isinstance(paths, np.ndarray) and (paths == expected).all()
    said = spc.kernel(text, D="csr")(A=graph)
    assert sp.issparse(said) and said.nnz == 1 and said[0, 2] == 5


@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
@pytest.mark.parametrize("text, expected", [
    ("R(i,j) = sum(k, A(i,k)*A(k,j)) / d(j)", lambda a, d: a @ a / d),
    ("R(i,j) = sum(k, A(i,k)*A(j,k)) / sqrt(sum(k, A(i,k)*A(i,k)) * sum(k, A(j,k)*A(j,k)))",
     lambda a, d: a @ a.T / np.sqrt(np.outer((a * a).sum(1), (a * a).sum(1)))),
    ("R(i,j) = sum(k, A(i,k)*A(k,j)) * sum(k, A(i,k)*A(k,j))", lambda a, d: (a @ a) ** 2)])
def test_products_that_are_scaled_are_sparse(text, expected):
    a = np.eye(6) + np.diag(np.arange(1., 4), 3)
    d = np.arange(1., 7)
    operands = {"A": sp.csr_array(a), **({"d": d} if "d(" in text else {})}
    result = spc.kernel(text, A="csr")(**operands)
    assert isinstance(result, sp.csr_array) and result.nnz < 20
    np.testing.assert_allclose(result.toarray(), expected(a, d))
