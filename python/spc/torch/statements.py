"""Tensors of a traced model, and the statements that compute them."""
# SPDX-License-Identifier: Apache-2.0

import itertools
from typing import Callable, Iterator, List, Optional, Sequence, Set, Tuple, Union

from ..errors import CompileError

_LETTERS = "ijklpqrsuvw"

# What an element is, by its indices.
Element = Callable[[Sequence[str]], str]


class Tensor:
    """A tensor under a name, or one that an element's text stands for; shape: of the example."""

    def __init__(self, shape: Sequence[int], element: Element, is_sparse: bool = False):
        self.shape, self.at, self.is_sparse = tuple(shape), element, is_sparse

    def broadcast(self, shape: Sequence[int]) -> Element:
        """The element at the indices of a larger shape, dimensions counted from the last one."""
        own = self.shape
        return lambda indices: self.at([
            "0" if size == 1 and wanted != 1 else index
            for index, size, wanted in zip(indices[len(shape) - len(own):], own, shape[len(shape) - len(own):])])


Operand = Union[Tensor, int, float]


def text_of(number: Union[int, float]) -> str:
    """A number as the language writes it."""
    value = float(number)
    return f"({number!r})" if value < 0 or value in (float("inf"), float("-inf")) else repr(number)


class Program:
    """Statements in the order in which they are computed."""

    def __init__(self) -> None:
        self.statements: List[str] = []
        self._names = itertools.count()
        self._taken: Set[str] = set()

    def operand(self, name: str, shape: Sequence[int], is_sparse: bool = False) -> Tuple[str, Tensor]:
        """An operand under a name that the language allows, and that name."""
        name = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name).strip("_") or "x"
        # So long a name with a capital and a line is no word of the language, no index and no temporary, nor close to a function's.
        name = f"Given_{name}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name, self._named(name, shape, is_sparse)

    @staticmethod
    def _named(name: str, shape: Sequence[int], is_sparse: bool) -> Tensor:
        return Tensor(shape, lambda indices: f"{name}({', '.join(indices)})" if indices else name, is_sparse)

    def put(self, shape: Sequence[int], element: Element, is_sparse: bool = False) -> Tensor:
        """A temporary that holds what an element's text computes."""
        name = f"t{next(self._names)}"
        self._write("let ", name, shape, element)
        return self._named(name, shape, is_sparse)

    def results(self, tensors: Sequence[Tensor]) -> None:
        """Writes the last statements, which give the results."""
        for k, tensor in enumerate(tensors):
            self._write("", f"out{k}" if len(tensors) > 1 else "out", tensor.shape, tensor.at)

    def _write(self, let: str, name: str, shape: Sequence[int], element: Element) -> None:
        indices = self.indices(len(shape))
        target = f"{name}({', '.join(indices)})" if indices else name
        self.statements.append(f"{let}{target} = {element(indices)}")

    @staticmethod
    def indices(count: int, without: Sequence[str] = ()) -> List[str]:
        """As many names of index variables, none of them among others."""
        if count > len(_LETTERS) - len(without):
            raise CompileError(f"a tensor of {count} dimensions has too many for a kernel")
        return [letter for letter in _LETTERS if letter not in without][:count]

    @classmethod
    def fresh(cls, taken: Sequence[str]) -> str:
        return cls.indices(1, taken)[0]


def broadcast_shape(*operands: Operand) -> Tuple[int, ...]:
    """The shape of an operation on each element."""
    shapes = [operand.shape for operand in operands if isinstance(operand, Tensor)]
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*padded)) if padded else ()


def element_of(operand: Operand, shape: Sequence[int]) -> Element:
    """What an operand is at the indices of a shape."""
    if isinstance(operand, Tensor):
        return operand.broadcast(shape)
    number = text_of(operand)
    return lambda indices: number


def dimensions(dim: Optional[Union[int, Sequence[int]]], rank: int) -> List[int]:
    """Dimensions that are counted from the first one; all where none are said."""
    if dim is None:
        return list(range(rank))
    return sorted(one % rank for one in ([dim] if isinstance(dim, int) else dim))


def without(sequence: Sequence[int], left_out: Sequence[int]) -> Iterator[int]:
    return (one for k, one in enumerate(sequence) if k not in left_out)
