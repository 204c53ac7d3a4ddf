"""Einstein's summation convention, as numpy.einsum writes it, for sparse and dense operands."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
import operator
import re
from typing import Any, List, Optional, Tuple

from .api import Format, kernel
from .call.copies import readable
from .errors import ArgumentError
from .kernel import Kernel

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

_NUMBERED = _LETTERS[26:] + _LETTERS[:26]  # in the order in which results without a list have their dimensions


def einsum(subscripts: Any, *operands: Any, format: Optional[Format] = None, out: Any = None, optimize: Any = False) -> Any:
    """Sums products of operands over the indices that the result lacks.

    subscripts: as in `"ij,jk->ik"`. Without `->`, the result has the indices that occur once, in the order of the
    alphabet. An ellipsis stands for the dimensions that are not named, the last ones of operands that have fewer. As
    NumPy's, they may as well be lists of numbers behind each operand and, for the result, at the end.
    operands: arrays and sparse matrices, as kernels take them, one for each list of indices. Dimensions of one element go
    with those of any other size. Arrays without a dimension whose elements lie side by side are copied.
    format: what the result is stored as, `"csr"` ...; else it has an operand's pattern, where the kernel says so, or is
    dense.
    out: where the result is written, if it is dense.
    optimize: taken as NumPy takes it; the order of loops is the compiler's to choose.
    Returns what the kernel returns. Raises ArgumentError where the subscripts do not fit the operands, CompileError where
    there is no kernel for them.
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _from_lists((subscripts, *operands))
    shapes = [readable(operand, f"operand {k}").shape for k, operand in enumerate(operands)]
    inputs, output = _parse(subscripts, [len(shape) for shape in shapes])
    form = format if isinstance(format, str) or format is None else _Frozen(format)
    return _kernel(_broadcast(inputs, shapes), output, form)(*operands, out=out)


def _from_lists(arguments: Tuple[Any, ...]) -> Tuple[str, Tuple[Any, ...]]:
    """Operands with a list of numbers behind each, perhaps one more of the result: their subscripts, and the operands."""
    letters = dict(enumerate(_NUMBERED))

    def text(numbers: Any) -> str:
        try:
            return "".join(["..." if number is Ellipsis else letters[operator.index(number)] for number in numbers])
        except (TypeError, KeyError):
            raise ArgumentError(f"{numbers!r} is no list of numbers below {len(_NUMBERED)} and an ellipsis at most") from None

    pairs = len(arguments) // 2
    left = ",".join(text(arguments[2 * k + 1]) for k in range(pairs))
    return left + (f"->{text(arguments[-1])}" if len(arguments) % 2 else ""), arguments[:2 * pairs:2]


def _broadcast(inputs: Tuple[str, ...], shapes: List[Tuple[int, ...]]) -> Tuple[str, ...]:
    """The indices of operands, with a 0 where a dimension of one element goes with larger ones of other operands."""
    large = [{letter for letter, size in zip(indices, shape) if size != 1} for indices, shape in zip(inputs, shapes)]
    everywhere = set().union(*large)
    return tuple("".join("0" if letter in everywhere - mine and size == 1 else letter
                         for letter, size in zip(indices, shape))
                 for indices, shape, mine in zip(inputs, shapes, large))


class _Frozen:
    """A format file's contents or path, as the key of a dictionary."""

    def __init__(self, form: Format):
        self.form = form

    def __hash__(self) -> int:
        return hash(repr(self.form))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and self.form == other.form


def _parse(subscripts: str, orders: List[int]) -> Tuple[Tuple[str, ...], str]:
    """The indices of operands and result, without ellipses. Raises ArgumentError."""
    text = subscripts.replace(" ", "")
    if not re.fullmatch(r"[A-Za-z.,]*(->[A-Za-z.]*)?", text):
        raise ArgumentError(f"subscripts {subscripts!r} are letters, commas, '...' and one '->'")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(orders):
        raise ArgumentError(f"subscripts {subscripts!r} are for {len(inputs)} operands, and there are {len(orders)}")
    free = [letter for letter in reversed(_LETTERS) if letter not in text]
    shared = ""
    for k, (indices, order) in enumerate(zip(inputs, orders)):
        count = order - len(indices.replace("...", ""))
        if "..." in indices and count >= 0:
            while len(shared) < count:
                shared = free.pop() + shared
            inputs[k] = indices.replace("...", shared[len(shared) - count:], 1)
        elif count:
            raise ArgumentError(f"operand {k} is of order {order}, and {indices!r} has {len(indices.replace('...', ''))} "
                                "indices")
    if not arrow:
        once = sorted(letter for letter in set(left) - {",", "."} if left.count(letter) == 1)
        right = "..." * ("..." in left) + "".join(once)
    if shared and "..." not in right:
        raise ArgumentError(f"subscripts {subscripts!r} have an ellipsis of operands for {len(shared)} dimensions, and the "
                            "result has none")
    output = right.replace("...", shared, 1)
    for letter in output:
        if letter == "." or output.count(letter) > 1 or not any(letter in indices for indices in inputs):
            raise ArgumentError(f"index {letter!r} of the result is to occur in an operand, and once in the result")
    if "." in "".join(inputs):
        raise ArgumentError(f"subscripts {subscripts!r} have a '.' that is of no '...'")
    return tuple(inputs), output


def _indexed(name: str, indices: str) -> str:
    """A tensor and its indices in index notation; upper and lower case are told apart by a digit."""
    if not indices:
        return name
    return f"{name}({', '.join(letter.lower() + '1' if letter.isupper() else letter for letter in indices)})"


@functools.lru_cache(maxsize=256)
def _kernel(inputs: Tuple[str, ...], output: str, form: Any) -> Kernel:
    product = " * ".join(_indexed(f"X{k}", indices) for k, indices in enumerate(inputs))
    formats = {} if form is None else {"Y": form.form if isinstance(form, _Frozen) else form}
    return kernel(f"{_indexed('Y', output)} = {product}\n", name="einsum", formats=formats, copy=True)
