"""Each form of an index equation on every pattern of small matrices, in several formats, against NumPy."""
# SPDX-License-Identifier: Apache-2.0

import itertools

import numpy as np
import pytest
import scipy.sparse

import spc

SHAPES = [(1, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 3)]
FORMATS = ["csr", "csc", "coo"]
EYE = np.eye(5)


def shifted(a, rows, columns):
    """a[i + rows, j + columns], 0 outside."""
    result = np.zeros_like(a)
    for i, j in np.ndindex(*a.shape):
        if 0 <= i + rows < a.shape[0] and 0 <= j + columns < a.shape[1]:
            result[i, j] = a[i + rows, j + columns]
    return result


def convolved(a):
    return sum((3 * p + q + 1) * shifted(a, p - 1, q - 1) for p in range(3) for q in range(3))


HEAD = "tensor A(m, n), sparse\n"
#: Statements, what of the shape they need, and what they compute.
FORMS = {
    HEAD + "B(i,j) = A(i,j) + 2*(i==j)": lambda a: a + 2 * EYE[:a.shape[0], :a.shape[1]],
    HEAD + "B(i,j) = A(i,j)*(j == i + 1)": lambda a: a * np.eye(*a.shape, k=1),
    HEAD + "B(i,j) = A(i,j)*(j <= i)": np.tril,
    HEAD + "B(i,j) = A(i,j)*(i < j + 1)": np.triu,
    HEAD + "tensor B(m, n)\nB(i,j) = A(m-1-i,n-1-j)": lambda a: a[::-1, ::-1],
    HEAD + "tensor B(m, n)\nB(m-1-i,j) = A(i,j)": lambda a: a[::-1],
    HEAD + "tensor B(m, n)\nB(i,j) = padded(A(i-1,j+1))": lambda a: shifted(a, -1, 1),
    HEAD + "tensor B(m, n)\nB(i,j) = padded(A(i+1,j)) + padded(A(i,j-1))": lambda a: shifted(a, 1, 0) + shifted(a, 0, -1),
    HEAD + "tensor B(m, n)\nB(i,j) = padded(A(i+p-1,j+q-1))*K(p,q)\ntensor K(3, 3)": convolved,
    HEAD + "B(i,j) = pattern(A(i,j))*padded(A(i+p-1,j+q-1))*K(p,q)\ntensor K(3, 3)": lambda a: convolved(a) * (a != 0),
    HEAD + "tensor B(m, 2*n)\nB(i,j) = padded(A(i,j)) + padded(A(i,j-n))": lambda a: np.hstack([a, a]),
    HEAD + "tensor B(2*m, n)\nB(i,j) = padded(A(i,j)) + padded(A(i-m,j))": lambda a: np.vstack([a, a]),
    HEAD + "tensor B(m*m, n*n)\nB(i*m+k,j*n+l) = A(i,j)*A(k,l)": lambda a: np.kron(a, a),
    HEAD + "tensor B(2*m, 3*n)\nB(2*i+1,3*j) = A(i,j)": lambda a: np.kron(a, [[0, 0, 0], [1, 0, 0]]),
    HEAD + "tensor y(m*n)\ny(i*n+j) = A(i,j)": np.ravel,
    HEAD + "tensor B(m, n)\nB(i,j) = A(p(i),q(j))\ntensor p(m): i64\ntensor q(n): i64":
        lambda a: a[np.arange(a.shape[0]) // 2][:, np.arange(a.shape[1])[::-1]],
    HEAD + "tensor B(m, n)\nB(p(i),q(j)) += A(i,j)\ntensor p(m): i64\ntensor q(n): i64": None,
    HEAD + "y(j) = A(0,j)": lambda a: a[0],
    HEAD + "y(i) = A(i,0)*x(i)\ntensor x(m)": lambda a: a[:, 0] * (1 + np.arange(a.shape[0])),
    HEAD + "y(i) = A(i,j)*x(n-1-j)\ntensor x(n)": lambda a: a @ (1 + np.arange(a.shape[1]))[::-1],
}


def gathered(a):
    """What `B(p(i), q(j)) += A(i,j)` makes of zeros."""
    result = np.zeros_like(a)
    np.add.at(result, np.ix_(np.arange(a.shape[0]) // 2, np.arange(a.shape[1])[::-1]), a)
    return result


FORMS = {text: value or gathered for text, value in FORMS.items() if value or "+=" in text}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", FORMS, ids=[text.replace("\n", "; ") for text in FORMS])
@pytest.mark.filterwarnings("ignore::spc.SpcWarning")
def test_every_pattern(text, form):
    formats = {"A": form}
    if "y(" not in text and "pattern(" not in text:
        formats["B"] = "dense" if "+=" in text else form
    computed = spc.kernel(text, formats=formats, options=["-O0"])
    wanted = FORMS[text]
    for rows, columns in SHAPES if form == "csr" else SHAPES[:-1]:
        operands = {}
        if "tensor p" in text:
            operands.update(p=np.arange(rows) // 2, q=np.arange(columns)[::-1].copy())
        if "tensor x(" in text:
            operands["x"] = 1.0 + np.arange(rows if "tensor x(m)" in text else columns)
        if "tensor K(" in text:
            operands["K"] = np.arange(1.0, 10.0).reshape(3, 3)
        for pattern in itertools.product([0, 1], repeat=rows * columns):
            a = np.array(pattern, float).reshape(rows, columns) * np.arange(1.0, 1 + rows * columns).reshape(rows, columns)
            if "+=" in text:
                operands["B"] = np.zeros_like(a)
            result = computed(A=spc.convert(scipy.sparse.csr_matrix(a), form), **operands)
            result = result.toarray() if hasattr(result, "toarray") else np.asarray(result)
            assert np.array_equal(result, wanted(a)), (a, result)
