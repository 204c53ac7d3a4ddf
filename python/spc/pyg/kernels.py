"""The kernels that carry messages along edges, and their gradients. Imported where torch is.

Nodes i take in, nodes j send. Sparse operands have the edges as spc.pyg.edges says, in an order of its sides.
"""
# SPDX-License-Identifier: Apache-2.0

import functools
from typing import Any

from ..torch import Op, op
from .edges import HEADS, NEIGHBOURS, PLACES

_QUIET = ("-Wno-densify", "-Wno-precision")  # nobody has written these kernels
_MOST = 64  # kernels of one kind that are kept, for as many sizes


def _made(name: str, text: str, **formats: Any) -> Op:
    return op(text, name=f"pyg_{name}", options=_QUIET, **formats)


@functools.lru_cache(maxsize=None)
def summed() -> Op:
    """A, X -> O(i,f): weighted sums of the neighbours' rows."""
    return _made("summed", "O(i,f) = A(i,j) * X(j,f)", A=NEIGHBOURS)


@functools.lru_cache(maxsize=None)
def sampled() -> Op:
    """A, G, X -> D(i,j): of each edge the product of the rows at its ends."""
    return _made("sampled", "D(i,j) = A(i,j) * G(i,f) * X(j,f)", A=NEIGHBOURS)


# Kernels for heads know how many there are, and channels: loops so short are unrolled.

@functools.lru_cache(maxsize=_MOST)
def summed_by_head(heads: int, channels: int) -> Op:
    """A, X -> O(i,h,c): weighted sums, each head's by its own weights."""
    return _made("summed_by_head", f"""
tensor A(n, m, {heads}), sparse
tensor X(m, {heads}, {channels})
O(i,h,c) = A(i,j,h) * X(j,h,c)
""", A=HEADS)


@functools.lru_cache(maxsize=_MOST)
def sampled_by_head(heads: int, channels: int) -> Op:
    """A, G, X -> D(i,j,h): of each edge the products of the rows at its ends."""
    return _made("sampled_by_head", f"""
tensor A(n, m, {heads}), sparse
tensor G(n, {heads}, {channels})
tensor X(m, {heads}, {channels})
D(i,j,h) = A(i,j,h) * G(i,h,c) * X(j,h,c)
""", A=HEADS)


def _leaky(score: str, slope: float) -> str:
    """A leaky rectifier, whose slope is between 0 and 1."""
    return f"max({score}, {slope!r} * ({score}))"


@functools.lru_cache(maxsize=_MOST)
def attention(heads: int, slope: float) -> Op:
    """A, b -> P(i,j,h): the softmax, over the edges of each i, of the rectified scores A + b. The greatest score is that of
    the greatest of A, as the rectifier ascends."""
    score = "A(i,j,h) + b(i,h)"
    return _made("attention", f"""
tensor A(n, q, {heads}), sparse
tensor b(n, {heads})
let m(i,h) = max(j, select(pattern(A(i,j,h)), A(i,j,h), -inf)) + b(i,h)
let k(i,h) = {_leaky('m(i,h)', slope)}
let X(i,j,h) = pattern(A(i,j,h)) * exp({_leaky(score, slope)} - k(i,h))
let z(i,h) = X(i,j,h)
P(i,j,h) = X(i,j,h) / z(i,h)
""", A=PLACES)


@functools.lru_cache(maxsize=_MOST)
def attention_back(heads: int, slope: float) -> Op:
    """A, b, P, G -> D(i,j,h), E(i,h): the gradients by A and b, of attention's P and its gradient G."""
    same = {"structure_of": "A"}
    return _made("attention_back", f"""
kernel attention_back(A, b, P, G) -> (D, E)
tensor A(n, q, {heads}), sparse
tensor b(n, {heads})
tensor P(n, q, {heads}), sparse
tensor G(n, q, {heads}), sparse
let c(i,h) = P(i,j,h) * G(i,j,h)
D(i,j,h) = P(i,j,h) * (G(i,j,h) - c(i,h)) * select(A(i,j,h) + b(i,h) > 0, 1, {slope!r})
E(i,h) = D(i,j,h)
""", A=PLACES, P=same, G=same)


@functools.lru_cache(maxsize=None)
def gathered() -> Op:
    """A -> D(j,h): sums of the edges' values by the nodes that they come from."""
    return _made("gathered", "D(j,h) = A(i,j,h)", A=HEADS)


@functools.lru_cache(maxsize=_MOST)
def scores(heads: int, channels: int, slope: float) -> Op:
    """A, Y, Z, t -> D(i,j,h): of each pair the product of t and the rectified sum of its rows, weighted."""
    return _made("scores", f"""
{_of_ends(heads, channels)}
D(i,j,h) = A(i,j,h) * t(h,c) * {_leaky('Y(j,h,c) + Z(i,h,c)', slope)}
""", A=PLACES)


@functools.lru_cache(maxsize=_MOST)
def scores_back(heads: int, channels: int, slope: float) -> Op:
    """A, Y, Z, t -> D(i,h,c), E(h,c): the gradients by Z and t, of those of scores, A."""
    return _made("scores_back", f"""
kernel scores_back(A, Y, Z, t) -> (D, E)
{_of_ends(heads, channels)}
D(i,h,c) = A(i,j,h) * t(h,c) * select(Y(j,h,c) + Z(i,h,c) > 0, 1, {slope!r})
E(h,c) = A(i,j,h) * {_leaky('Y(j,h,c) + Z(i,h,c)', slope)}
""", A=PLACES)


@functools.lru_cache(maxsize=_MOST)
def scores_back_to_sources(heads: int, channels: int, slope: float) -> Op:
    """A, Y, Z, t -> D: the first of these alone."""
    return _made("scores_back_to_sources", f"""
{_of_ends(heads, channels)}
D(i,h,c) = A(i,j,h) * t(h,c) * select(Y(j,h,c) + Z(i,h,c) > 0, 1, {slope!r})
""", A=PLACES)


def _of_ends(heads: int, channels: int) -> str:
    return f"""tensor A(n, m, {heads}), sparse
tensor Y(m, {heads}, {channels})
tensor Z(n, {heads}, {channels})
tensor t({heads}, {channels})"""


@functools.lru_cache(maxsize=None)
def extreme(is_greatest: bool) -> Op:
    """A, X -> O(i,f): the greatest, or least, of the neighbours' elements; an infinity where there is none."""
    how, none = ("max", "-inf") if is_greatest else ("min", "inf")
    return _made(how, f"O(i,f) = {how}(j, select(pattern(A(i,j)), X(j,f), {none}))", A="csr")


@functools.lru_cache(maxsize=None)
def ties() -> Op:
    """A, X, O -> N(i,f): how many of the neighbours' elements are what O has."""
    return _made("ties", "N(i,f) = A(i,j) * select(X(j,f) == O(i,f), 1, 0)", A="csr")


@functools.lru_cache(maxsize=None)
def extreme_back() -> Op:
    """A, X, O, G -> D(j,f): sums of G over those who have taken in an element, in A how often."""
    return _made("extreme_back", "D(j,f) = A(j,i) * select(X(j,f) == O(i,f), 1, 0) * G(i,f)", A="csr")
