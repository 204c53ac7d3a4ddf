"""The kernels of planner.py: as users write them, and in the best order by hand, with temporaries."""
# SPDX-License-Identifier: Apache-2.0

import dataclasses
import typing

import numpy as np


@dataclasses.dataclass
class Kernel:
    """A row of the table.

    shapes: each operand's indices, behind a colon its format, and of a matrix the mean number of entries in a row, of a
    tensor of order 3 in all its first dimension: "i j: csr 10". A "0" behind that: no row has many more than others.
    sizes: of the indices.
    right: the result, from the operands as dense arrays, missing entries being 0.
    formats: of temporaries and outputs; others are dense.
    gradient: `text` and `hand` are derivatives of this kernel by one operand, and `text` is what spc grad writes.
    """

    name: str
    text: str
    hand: str
    shapes: typing.Dict[str, str]
    sizes: typing.Dict[str, int]
    right: typing.Callable
    formats: typing.Dict[str, str] = dataclasses.field(default_factory=dict)
    options: typing.Sequence[str] = ()
    gradient: typing.Optional[typing.Tuple[str, str, str]] = None  # kernel, of, by


def summed(places):
    """A reference that is one product: einsum's, of operands in the order of `shapes`."""
    return lambda *operands: np.einsum(places, *operands, optimize=True)


def pattern(array):
    return (array != 0).astype(float)


def relu(array):
    return np.maximum(array, 0)


def attention(s, q, k, v):
    mask = pattern(s)[:, :, None]
    e = np.einsum("ihk,jhk->ijh", q, k)
    p = mask * np.exp(np.where(mask > 0, e - np.where(mask > 0, e, -np.inf).max(axis=1, keepdims=True), 0))
    return np.einsum("ijh,jhf->ihf", p / p.sum(axis=1, keepdims=True), v)


def one_head(s, q, k, v):
    p = s * np.exp(q @ k.T)
    with np.errstate(invalid="ignore"):  # rows without entries
        return (p @ v) / p.sum(axis=1, keepdims=True)


def gat(s, a, b, v):
    mask = pattern(s)[:, :, None]
    e = a[:, None, :] + b[None, :, :]
    e = np.where(e > 0, e, 0.2 * e)
    p = mask * np.exp(np.where(mask > 0, e - np.where(mask > 0, e, -np.inf).max(axis=1, keepdims=True), 0))
    return np.einsum("ijh,jhf->ihf", p / p.sum(axis=1, keepdims=True), v)


def masked_loss(r, x, y, alpha):
    return (pattern(r) * (1 + alpha * r) * (1 - x @ y.T) ** 2).sum()


def differences(x, y):
    return x[:, None, :] - y[None, :, :]


SQUARE = {"i": 8000, "j": 8000, "k": 8000, "l": 8000, "m": 8000}
SOFTMAX = """let m(i,h) = max(j, select(pattern(S(i,j)), E(i,j,h), -inf))
let P(i,j,h) = pattern(S(i,j)) * exp(E(i,j,h) - m(i,h))
let z(i,h) = P(i,j,h)
O(i,h,f) = P(i,j,h) / z(i,h) * V(j,h,f)"""
GAT = """let E(i,j,h) = pattern(S(i,j)) * select(a(i,h)+b(j,h) > 0, a(i,h)+b(j,h), 0.2*(a(i,h)+b(j,h)))
"""
CUBE = {"i": 600, "j": 300, "k": 200}
CP = "l = sum(i,j,k, pattern(T(i,j,k)) * pow(T(i,j,k) - sum(r, A(i,r)*B(j,r)*C(k,r)), 2))"

KERNELS = [
    # Sums and products of sums
    Kernel("three sums", "s = sum(i,x(i)) * sum(i,y(i)) * sum(i,z(i))",
           "let a = x(i)\nlet b = y(i)\nlet c = z(i)\ns = a * b * c",
           {"x": "i", "y": "i", "z": "i"}, {"i": 1000}, lambda x, y, z: x.sum() * y.sum() * z.sum()),
    Kernel("three sums, one product", "s = x(i) * y(j) * z(k)",
           "let a = x(i)\nlet b = y(i)\nlet c = z(i)\ns = a * b * c",
           {"x": "i", "y": "j", "z": "k"}, {"i": 1000, "j": 1000, "k": 1000},
           lambda x, y, z: x.sum() * y.sum() * z.sum()),
    Kernel("A by a vector's sum", "y(i) = A(i,j) * x(k)", "let s = x(k)\ny(i) = A(i,j) * s",
           {"A": "i j: csr 10", "x": "k"}, {**SQUARE, "k": 500}, summed("ij,k->i")),
    Kernel("sum of a matrix, sum of a vector", "s = sum(i,j, A(i,j)) * sum(k, x(k) * y(k))",
           "let a = A(i,j)\nlet b = x(k) * y(k)\ns = a * b",
           {"A": "i j: csr 10", "x": "k", "y": "k"}, SQUARE, lambda a, x, y: a.sum() * (x @ y)),
    # Means and variances
    Kernel("variance of columns, case 07", "v(j) = mean(i, A(i,j) * A(i,j)) - mean(i, A(i,j)) * mean(i, A(i,j))",
           "let m(j) = mean(i, A(i,j))\nv(j) = mean(i, A(i,j) * A(i,j)) - m(j) * m(j)",
           {"A": "i j: csr 10"}, {"i": 20000, "j": 500}, lambda a: (a * a).mean(axis=0) - a.mean(axis=0) ** 2),
    Kernel("variance of rows, dense", "v(i) = mean(j, X(i,j) * X(i,j)) - mean(j, X(i,j)) * mean(j, X(i,j))",
           "let m(i) = mean(j, X(i,j))\nv(i) = mean(j, X(i,j) * X(i,j)) - m(i) * m(i)",
           {"X": "i j"}, {"i": 2000, "j": 200}, lambda x: (x * x).mean(axis=1) - x.mean(axis=1) ** 2),
    Kernel("centred product, case 07", "let m(j) = mean(i, A(i,j))\nC(i,k) = (A(i,j) - m(j)) * B(j,k)",
           "let m(j) = mean(i, A(i,j))\nlet s(k) = m(j) * B(j,k)\nC(i,k) = A(i,j) * B(j,k) - s(k)",
           {"A": "i j: csr 10", "B": "j k"}, {"i": 8000, "j": 1000, "k": 16}, lambda a, b: (a - a.mean(axis=0)) @ b),
    Kernel("covariance of centred columns", """let m(j) = mean(i, A(i,j))
C(j,k) = mean(i, (A(i,j) - m(j)) * (A(i,k) - m(k)))""", """let m(j) = mean(i, A(i,j))
C(j,k) = mean(i, A(i,j) * A(i,k)) - m(j) * m(k)""",
           {"A": "i j: csr 10"}, {"i": 8000, "j": 200}, lambda a: np.cov(a.T, bias=True),
           options=["--fp=distribute"]),
    # Matrices and vectors
    Kernel("A + lam I by x, case 06", "y(i) = (A(i,j) + lam * (i == j)) * x(j)", "y(i) = A(i,j) * x(j) + lam * x(i)",
           {"A": "i j: csr 10", "lam": "", "x": "j"}, SQUARE, lambda a, lam, x: a @ x + lam * x),
    Kernel("A A, hypersparse, case 04", "C(i,j) = A(i,k) * A(k,j)", "C(i,j) = A(i,k) * A(k,j)",
           {"A": "i k: dcsr 0.01"}, {"i": 4000000, "k": 4000000}, lambda a: a @ a, {"C": "dcsr"}),
    Kernel("A' A, tall, case 05", "G(j,k) = A(i,j) * A(i,k)", "G(j,k) = A(i,j) * A(i,k)",
           {"A": "i j: dcsr 0.01"}, {"i": 400000, "j": 300}, lambda a: a.T @ a, {"G": "csr"}),
    Kernel("sparse and of rank 1", "Y(i,k) = (A(i,j) + u(i)*v(j)) * X(j,k)",
           "let s(k) = v(j) * X(j,k)\nY(i,k) = A(i,j) * X(j,k) + u(i)*s(k)",
           {"A": "i j: csr 10", "u": "i", "v": "j", "X": "j k"}, {**SQUARE, "k": 16},
           lambda a, u, v, x: a @ x + np.outer(u, v @ x)),
    # Chains
    Kernel("A B x", "y(i) = A(i,j) * B(j,k) * x(k)", "let t(j) = B(j,k) * x(k)\ny(i) = A(i,j) * t(j)",
           {"A": "i j: csr 10", "B": "j k: csr 10", "x": "k"}, SQUARE, summed("ij,jk,k->i")),
    Kernel("A B x, few entries in A", "y(i) = A(i,j) * B(j,k) * x(k)",
           "y(i) = A(i,j) * B(j,k) * x(k)",
           {"A": "i j: dcsr 0.01", "B": "j k: csr 10", "x": "k"}, SQUARE, summed("ij,jk,k->i")),
    Kernel("A B C x", "y(i) = A(i,j) * B(j,k) * C(k,l) * x(l)",
           "let t(k) = C(k,l) * x(l)\nlet u(j) = B(j,k) * t(k)\ny(i) = A(i,j) * u(j)",
           {"A": "i j: csr 10", "B": "j k: csr 10", "C": "k l: csr 10", "x": "l"}, SQUARE, summed("ij,jk,kl,l->i")),
    Kernel("x A B C", "y(l) = x(i) * A(i,j) * B(j,k) * C(k,l)",
           "let t(j) = x(i) * A(i,j)\nlet u(k) = t(j) * B(j,k)\ny(l) = u(k) * C(k,l)",
           {"x": "i", "A": "i j: csr 10", "B": "j k: csr 10", "C": "k l: csr 10"}, SQUARE, summed("i,ij,jk,kl->l")),
    Kernel("A^4 x", "y(i) = A(i,j) * A(j,k) * A(k,l) * A(l,m) * x(m)",
           "let t(i) = A(i,j) * x(j)\nlet u(i) = A(i,j) * t(j)\nlet v(i) = A(i,j) * u(j)\ny(i) = A(i,j) * v(j)",
           {"A": "i j: csr 10", "x": "m"}, SQUARE, lambda a, x: a @ (a @ (a @ (a @ x)))),
    Kernel("x A B C D z", "s = x(i) * A(i,j) * B(j,k) * C(k,l) * D(l,m) * z(m)",
           "let t(l) = D(l,m) * z(m)\nlet u(k) = C(k,l) * t(l)\nlet v(j) = B(j,k) * u(k)\ns = x(i) * A(i,j) * v(j)",
           {"x": "i", "A": "i j: csr 10", "B": "j k: csr 10", "C": "k l: csr 10", "D": "l m: csr 10", "z": "m"}, SQUARE,
           summed("i,ij,jk,kl,lm,m->")),
    Kernel("A B X, dense X", "Y(i,f) = A(i,j) * B(j,k) * X(k,f)",
           "let T(j,f) = B(j,k) * X(k,f)\nY(i,f) = A(i,j) * T(j,f)",
           {"A": "i j: csr 10", "B": "j k: csr 10", "X": "k f"}, {**SQUARE, "f": 16}, summed("ij,jk,kf->if")),
    Kernel("A A A, sparse", "C(i,l) = A(i,j) * A(j,k) * A(k,l)",
           "let T(i,k) = A(i,j) * A(j,k)\nC(i,l) = T(i,k) * A(k,l)",
           {"A": "i j: csr 3"}, {"i": 2000, "j": 2000}, lambda a: a @ a @ a, {"C": "csr", "T": "csr"}),
    Kernel("A B C, few entries in C", "D(i,l) = A(i,j) * B(j,k) * C(k,l)",
           "let T(j,l) = B(j,k) * C(k,l)\nD(i,l) = A(i,j) * T(j,l)",
           {"A": "i j: csr 10", "B": "j k: csr 10", "C": "k l: csr 0.1"}, {**SQUARE, "l": 500},
           summed("ij,jk,kl->il"), {"D": "csr", "T": "csr"}),
    Kernel("dense chain, the left product first", "D(i,l) = A(i,j) * B(j,k) * C(k,l)",
           "let T(i,k) = A(i,j) * B(j,k)\nD(i,l) = T(i,k) * C(k,l)",
           {"A": "i j", "B": "j k", "C": "k l"}, {"i": 8, "j": 200, "k": 200, "l": 200}, summed("ij,jk,kl->il")),
    Kernel("dense chain, the right product first", "D(i,l) = A(i,j) * B(j,k) * C(k,l)",
           "let T(j,l) = B(j,k) * C(k,l)\nD(i,l) = A(i,j) * T(j,l)",
           {"A": "i j", "B": "j k", "C": "k l"}, {"i": 200, "j": 200, "k": 200, "l": 8}, summed("ij,jk,kl->il")),
    Kernel("A X W V", "Y(i,g) = A(i,j) * X(j,f) * W(f,h) * V(h,g)",
           "let T(f,g) = W(f,h) * V(h,g)\nlet U(j,g) = X(j,f) * T(f,g)\nY(i,g) = A(i,j) * U(j,g)",
           {"A": "i j: csr 10", "X": "j f", "W": "f h", "V": "h g"}, {**SQUARE, "f": 32, "h": 64, "g": 8},
           summed("ij,jf,fh,hg->ig")),
    # Graphs
    Kernel("triangles", "t = A(i,j) * A(j,k) * A(i,k)", "t = A(i,j) * A(j,k) * A(i,k)",
           {"A": "i j: csr 10"}, SQUARE, lambda a: ((a @ a) * a).sum()),
    Kernel("triangles of vertices", "t(i) = A(i,j) * A(j,k) * A(k,i)", "t(i) = A(i,j) * A(j,k) * A(k,i)",
           {"A": "i j: csr 10"}, SQUARE, lambda a: ((a @ a) * a.T).sum(axis=1)),
    Kernel("4-cycles", "c = A(i,j) * A(j,k) * A(k,l) * A(l,i)", "let P(i,k) = A(i,j) * A(j,k)\nc = P(i,k) * P(k,i)",
           {"A": "i j: csr 5 0"}, SQUARE, lambda a: ((a @ a) * (a @ a).T).sum(), {"P": "csr"}),
    Kernel("layer, wide to narrow", "H(i,o) = A(i,j) * X(j,f) * W(f,o)",
           "let T(j,o) = X(j,f) * W(f,o)\nH(i,o) = A(i,j) * T(j,o)",
           {"A": "i j: csr 10", "X": "j f", "W": "f o"}, {**SQUARE, "f": 64, "o": 8}, summed("ij,jf,fo->io")),
    Kernel("layer, narrow to wide", "H(i,o) = A(i,j) * X(j,f) * W(f,o)",
           "let T(i,f) = A(i,j) * X(j,f)\nH(i,o) = T(i,f) * W(f,o)",
           {"A": "i j: csr 10", "X": "j f", "W": "f o"}, {**SQUARE, "f": 8, "o": 64}, summed("ij,jf,fo->io")),
    Kernel("layer of a function", "H(i,o) = A(i,j) * tanh(X(j,o) + b(o))",
           "let T(j,o) = tanh(X(j,o) + b(o))\nH(i,o) = A(i,j) * T(j,o)",
           {"A": "i j: csr 10", "X": "j o", "b": "o"}, {**SQUARE, "o": 16}, lambda a, x, b: a @ np.tanh(x + b)),
    Kernel("function of a layer", "H(i,o) = relu(sum(j, X(j,o) * A(i,j))) * u(i)",
           "let T(i,o) = A(i,j) * X(j,o)\nH(i,o) = relu(T(i,o)) * u(i)",
           {"X": "j o", "A": "i j: csr 10", "u": "i"}, {**SQUARE, "o": 64}, lambda x, a, u: relu(a @ x) * u[:, None]),
    Kernel("weighted by rows", "H(i,o) = A(i,j) * X(j,o) / sqrt(d(i) * d(j))",
           "let B(i,j) = A(i,j) / sqrt(d(i) * d(j))\nH(i,o) = B(i,j) * X(j,o)",
           {"A": "i j: csr 10", "X": "j o", "d": "i"}, {**SQUARE, "o": 16},
           lambda a, x, d: (a / np.sqrt(np.outer(np.abs(d), np.abs(d)))) @ x),
    Kernel("two products, written out", "H(i,o) = A(i,j)*X(j,o)*u(o) + A(i,j)*X(j,o)*v(i)",
           "H(i,o) = A(i,j) * X(j,o) * (u(o) + v(i))",
           {"A": "i j: csr 10", "X": "j o", "u": "o", "v": "i"}, {**SQUARE, "o": 16},
           lambda a, x, u, v: (a @ x) * (u + v[:, None])),
    Kernel("two products, one a temporary", "let T(j) = B(j,k) * u(k)\ny(i) = A(i,j) * T(j) - A(i,j) * B(j,k) * v(k)",
           "let w(k) = u(k) - v(k)\nlet T(j) = B(j,k) * w(k)\ny(i) = A(i,j) * T(j)",
           {"A": "i j: csr 10", "B": "j k: csr 10", "u": "k", "v": "k"}, {**SQUARE, "k": 2000},
           lambda a, b, u, v: a @ (b @ (u - v))),
    Kernel("GraphSAGE", """let d(i) = max(count(j, A(i,j)), 1)
H(i,o) = relu(sum(f, X(i,f) * V(f,o)) + sum(j,f, A(i,j) * X(j,f) * W(f,o)) / d(i))""",
           """let d(i) = max(count(j, A(i,j)), 1)
let T(j,o) = X(j,f) * W(f,o)
let U(i,o) = A(i,j) * T(j,o)
let Z(i,o) = X(i,f) * V(f,o)
H(i,o) = relu(Z(i,o) + U(i,o) / d(i))""",
           {"A": "i j: csr 10", "X": "i f", "V": "f o", "W": "f o"}, {**SQUARE, "f": 32, "o": 8},
           lambda a, x, v, w: relu(x @ v + (a @ x @ w) / np.maximum(pattern(a).sum(axis=1), 1)[:, None])),
    Kernel("attention, 8 heads, case 11", "let E(i,j,h) = Q(i,h,k) * K(j,h,k)\n" + SOFTMAX,
           "let E(i,j,h) = pattern(S(i,j)) * Q(i,h,k) * K(j,h,k)\n" + SOFTMAX,
           {"S": "i j: csr 10", "Q": "i h k", "K": "j h k", "V": "j h f"},
           {"i": 2000, "j": 2000, "h": 8, "k": 8, "f": 8},
           attention),
    Kernel("graph attention, 8 heads, case 11", GAT + SOFTMAX, GAT + SOFTMAX,
           {"S": "i j: csr 10", "a": "i h", "b": "j h", "V": "j h f"}, {"i": 2000, "j": 2000, "h": 8, "f": 8}, gat),
    Kernel("attention in one statement",
           "O(i,f) = sum(j, S(i,j) * exp(sum(k, Q(i,k)*K(j,k))) * V(j,f)) "
           "/ sum(j, S(i,j) * exp(sum(k, Q(i,k)*K(j,k))))",
           "let E(i,j) = pattern(S(i,j)) * Q(i,k) * K(j,k)\nlet P(i,j) = S(i,j) * exp(E(i,j))\nlet z(i) = P(i,j)\n"
           "O(i,f) = P(i,j) * V(j,f) / z(i)",
           {"S": "i j: csr 10 0", "Q": "i k", "K": "j k", "V": "j f"}, {"i": 3000, "j": 3000, "k": 16, "f": 16},
           one_head),
    Kernel("attention without softmax", "O(i,f) = Q(i,k) * K(j,k) * V(j,f)",
           "let T(k,f) = K(j,k) * V(j,f)\nO(i,f) = Q(i,k) * T(k,f)",
           {"Q": "i k", "K": "j k", "V": "j f"}, {"i": 800, "j": 800, "k": 16, "f": 16}, summed("ik,jk,jf->if")),
    Kernel("two layers", "Z(i,c) = sum(j,o, A(i,j) * relu(sum(k,f, A(j,k)*X(k,f)*W(f,o))) * V(o,c))",
           "let T(j,o) = X(j,f) * W(f,o)\nlet H(i,o) = A(i,j) * T(j,o)\nlet U(i,c) = relu(H(i,o)) * V(o,c)\n"
           "Z(i,c) = A(i,j) * U(j,c)",
           {"A": "i j: csr 10", "X": "i f", "W": "f o", "V": "o c"}, {**SQUARE, "f": 32, "o": 16, "c": 8},
           lambda a, x, w, v: a @ (relu(a @ x @ w) @ v)),
    Kernel("step behind a mask", "y(i) = pattern(r(i)) * (b(i) - sum(j, L(i,j) * x(j)))",
           "let t(i) = pattern(r(i)) * L(i,j) * x(j)\ny(i) = pattern(r(i)) * b(i) - t(i)",
           {"r": "i: sparse-vector 0.01", "b": "i", "L": "i j: csr 10", "x": "j"}, SQUARE,
           lambda r, b, l, x: pattern(r) * (b - l @ x)),
    # Sampled by a mask
    Kernel("S relu(P Q')", "D(i,j) = S(i,j) * relu(sum(k, P(i,k) * Q(j,k)))",
           "let E(i,j) = pattern(S(i,j)) * P(i,k) * Q(j,k)\nD(i,j) = S(i,j) * relu(E(i,j))",
           {"S": "i j: csr 10", "P": "i k", "Q": "j k"}, {**SQUARE, "k": 16},
           lambda s, p, q: s * relu(p @ q.T), {"D": "csr"}),
    Kernel("two sampled products", "D(i,j) = S(i,j) * P(i,k) * Q(j,k) * U(i,f) * V(j,f)",
           "let E(i,j) = pattern(S(i,j)) * P(i,k) * Q(j,k)\nlet F(i,j) = pattern(S(i,j)) * U(i,f) * V(j,f)\n"
           "D(i,j) = S(i,j) * E(i,j) * F(i,j)",
           {"S": "i j: csr 10", "P": "i k", "Q": "j k", "U": "i f", "V": "j f"}, {**SQUARE, "k": 16, "f": 8},
           summed("ij,ik,jk,if,jf->ij"), {"D": "csr"}),
    Kernel("masked loss, case 12", "l = sum(u,i, pattern(R(u,i))*(1+alpha*R(u,i))*(1-sum(f,X(u,f)*Y(i,f)))"
           "*(1-sum(f,X(u,f)*Y(i,f))))", "let P(u,i) = pattern(R(u,i)) * X(u,f) * Y(i,f)\n"
           "l = sum(u,i, pattern(R(u,i))*(1+alpha*R(u,i))*(1-P(u,i))*(1-P(u,i)))",
           {"R": "u i: csr 10", "X": "u f", "Y": "i f", "alpha": ""}, {"u": 5000, "i": 3000, "f": 16}, masked_loss),
    Kernel("distances of neighbours",
           "D(i,j) = S(i,j) * (sum(k,X(i,k)*X(i,k)) + sum(k,Y(j,k)*Y(j,k)) + sum(k,X(i,k)*Y(j,k)))",
           "let a(i) = X(i,k)*X(i,k)\nlet b(j) = Y(j,k)*Y(j,k)\nlet P(i,j) = pattern(S(i,j)) * X(i,k) * Y(j,k)\n"
           "D(i,j) = S(i,j) * (a(i) + b(j) + P(i,j))",
           {"S": "i j: csr 10", "X": "i k", "Y": "j k"}, {**SQUARE, "k": 16},
           lambda s, x, y: s * ((x * x).sum(1)[:, None] + (y * y).sum(1)[None] + x @ y.T), {"D": "csr"}),
    Kernel("distances, all pairs", "D(i,j) = sum(k,X(i,k)*X(i,k)) + sum(k,Y(j,k)*Y(j,k)) - 2*sum(k,X(i,k)*Y(j,k))",
           "let a(i) = X(i,k)*X(i,k)\nlet b(j) = Y(j,k)*Y(j,k)\nD(i,j) = a(i) + b(j) - 2*X(i,k)*Y(j,k)",
           {"X": "i k", "Y": "j k"}, {"i": 300, "j": 300, "k": 32}, lambda x, y: (differences(x, y) ** 2).sum(2)),
    Kernel("TransE scores", "D(i,j) = pattern(S(i,j)) * sum(k, abs(E(i,k) + r(k) - E(j,k)))",
           "D(i,j) = sum(k, pattern(S(i,j)) * abs(E(i,k) + r(k) - E(j,k)))",
           {"S": "i j: csr 10", "E": "i k", "r": "k"}, {**SQUARE, "k": 16},
           lambda s, e, r: pattern(s) * np.abs(e[:, None] + r - e[None]).sum(2), {"D": "csr"}),
    # Least squares
    Kernel("normal equations, matrix-free", "y(j) = A(i,j) * A(i,k) * x(k)",
           "let t(i) = A(i,k) * x(k)\ny(j) = A(i,j) * t(i)",
           {"A": "i j: csr 10", "x": "k"}, {**SQUARE, "j": 2000, "k": 2000}, lambda a, x: a.T @ (a @ x)),
    Kernel("ridge regression, weighted", "y(j) = A(i,j) * w(i) * A(i,k) * x(k) + lam * x(j)",
           "let t(i) = A(i,k) * x(k)\ny(j) = A(i,j) * w(i) * t(i) + lam * x(j)",
           {"A": "i j: csr 10", "w": "i", "x": "k", "lam": ""}, {**SQUARE, "j": 2000, "k": 2000},
           lambda a, w, x, lam: a.T @ (w * (a @ x)) + lam * x),
    Kernel("gradient of least squares", "",
           "let t(i) = A(i,j) * x(j) - b(i)\nlet u(i) = 2 * t(i) * d_l\nd_x(j) = A(i,j) * u(i)",
           {"A": "i j: csr 10", "x": "j", "b": "i", "d_l": ""}, {**SQUARE, "j": 2000},
           lambda a, x, b, d: 2 * d * a.T @ (a @ x - b),
           gradient=("tensor A(m,n), sparse\ntensor x(n)\ntensor b(m)\n"
                     "l = sum(i, pow(sum(j, A(i,j)*x(j)) - b(i), 2))", "l", "x")),
    # Sparse beside low rank
    Kernel("less a product of low rank", "y(i) = (A(i,j) - sum(k, W(i,k)*H(k,j))) * x(j)",
           "let t(k) = H(k,j)*x(j)\ny(i) = A(i,j)*x(j) - W(i,k)*t(k)",
           {"A": "i j: csr 10", "W": "i k", "H": "k j", "x": "j"}, {**SQUARE, "k": 8},
           lambda a, w, h, x: (a - w @ h) @ x),
    Kernel("gradient of a factorisation", "let R(i,j) = W(i,k)*H(k,j)\nG(i,l) = (A(i,j) - R(i,j)) * H(l,j)",
           "let P(k,l) = H(k,j)*H(l,j)\nG(i,l) = A(i,j)*H(l,j) - W(i,k)*P(k,l)",
           {"A": "i j: csr 10", "W": "i k", "H": "k j"}, {**SQUARE, "k": 8, "l": 8},
           lambda a, w, h: (a - w @ h) @ h.T),
    Kernel("divergence of a factorisation",
           "s = sum(i, sum(j, A(i,j)*log(A(i,j)/sum(k, W(i,k)*H(k,j))) - A(i,j) + sum(k, W(i,k)*H(k,j))))",
           "let P(i,j) = pattern(A(i,j)) * W(i,k)*H(k,j)\nlet w(k) = W(i,k)\nlet h(k) = H(k,j)\n"
           "s = A(i,j)*log(A(i,j)/P(i,j)) - A(i,j) + w(k)*h(k)",
           {"A": "i j: csr 10", "W": "i k", "H": "k j"}, {**SQUARE, "k": 8},
           lambda a, w, h: (np.where(a > 0, a * np.log(np.where(a > 0, a / (w @ h), 1)), 0) - a + w @ h).sum()),
    # Tensor networks
    Kernel("ring of five", "s = A(a,b) * B(b,c) * C(c,d) * D(d,e) * E(e,a)",
           "let P(a,c) = A(a,b) * B(b,c)\nlet Q(c,e) = C(c,d) * D(d,e)\nlet R(a,e) = P(a,c) * Q(c,e)\n"
           "s = R(a,e) * E(e,a)",
           {"A": "a b", "B": "b c", "C": "c d", "D": "d e", "E": "e a"}, dict.fromkeys("abcde", 64),
           summed("ab,bc,cd,de,ea->")),
    Kernel("network of five", "R(a,e) = A(a,b) * B(b,c,d) * C(c,e,f) * D(d,g) * E(f,g)",
           "let P(a,c,d) = A(a,b) * B(b,c,d)\nlet Q(d,f) = D(d,g) * E(f,g)\nlet U(a,c,f) = P(a,c,d) * Q(d,f)\n"
           "R(a,e) = U(a,c,f) * C(c,e,f)",
           {"A": "a b", "B": "b c d", "C": "c e f", "D": "d g", "E": "f g"}, dict.fromkeys("abcdefg", 24),
           summed("ab,bcd,cef,dg,fg->ae")),
    Kernel("Tucker core", "S(p,q,r) = T(i,j,k) * A(i,p) * B(j,q) * C(k,r)",
           "let V(i,q,r) = T(i,j,k) * B(j,q) * C(k,r)\nS(p,q,r) = A(i,p) * V(i,q,r)",
           {"T": "i j k: csf 40", "A": "i p", "B": "j q", "C": "k r"}, {**CUBE, "p": 8, "q": 8, "r": 8},
           summed("ijk,ip,jq,kr->pqr")),
    Kernel("Tucker gradient", "G(i,p) = T(i,j,k) * B(j,q) * C(k,r) * S(p,q,r)",
           "let V(i,q,r) = T(i,j,k) * B(j,q) * C(k,r)\nG(i,p) = V(i,q,r) * S(p,q,r)",
           {"T": "i j k: csf 40", "B": "j q", "C": "k r", "S": "p q r"}, {**CUBE, "p": 8, "q": 8, "r": 8},
           summed("ijk,jq,kr,pqr->ip")),
    Kernel("CP gradient, by Gram matrices", "G(i,r) = A(i,s)*B(j,s)*C(k,s)*B(j,r)*C(k,r) - T(i,j,k)*B(j,r)*C(k,r)",
           "let U(s,r) = B(j,s)*B(j,r)\nlet V(s,r) = C(k,s)*C(k,r)\n"
           "G(i,r) = A(i,s)*U(s,r)*V(s,r) - T(i,j,k)*B(j,r)*C(k,r)",
           {"T": "i j k: csf 40", "A": "i r", "B": "j r", "C": "k r"}, {**CUBE, "r": 16},
           lambda t, a, b, c: a @ ((b.T @ b) * (c.T @ c)) - np.einsum("ijk,jr,kr->ir", t, b, c)),
    Kernel("CP gradient, by spc grad", "", "let E(i,j,k) = T(i,j,k) - pattern(T(i,j,k)) * A(i,r)*B(j,r)*C(k,r)\n"
           "d_A(i,r) = -2 * d_l * E(i,j,k) * B(j,r) * C(k,r)",
           {"T": "i j k: csf 40", "A": "i r", "B": "j r", "C": "k r", "d_l": ""}, {**CUBE, "r": 16},
           lambda t, a, b, c, d: -2 * d * np.einsum(
               "ijk,jr,kr->ir", t - pattern(t) * np.einsum("ir,jr,kr->ijk", a, b, c), b, c),
           gradient=("tensor T(m,n,o), sparse\ntensor A(m,q)\ntensor B(n,q)\ntensor C(o,q)\n" + CP, "l", "A")),
]
