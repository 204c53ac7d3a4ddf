"""Tensors of a traced model, and the statements that compute them."""
# SPDX-License-Identifier: Apache-2.0

import itertools
import re
from functools import partial
from types import MappingProxyType
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ..errors import CompileError
from .sizes import Extent, extent, is_one

_LETTERS = "ijklpqrsuvw"

# Words of the language that are no names of tensors.
_WORDS = frozenset(
    "tensor semiring and or xor not inf nan true false kernel const type let fill sparse abs sign relu floor ceil trunc round "
    "roundeven sqrt cbrt exp exp2 expm1 log log2 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf sigmoid "
    "gelu conj real imag arg pow atan2 copysign complex min max fmin fmax minplus maxplus div shl shr bitand bitor bitxor select where at "
    "once within pattern padded sum prod any all mean argmin argmax count top bottom argtop argbottom f16 bf16 f32 f64 i8 i16 "
    "i32 i64 u8 u16 u32 u64 bool cf32 cf64 spc main auto break case char continue default do double else enum extern float for "
    "goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void "
    "volatile while".split())

# Names of temporaries and results.
_OWN = re.compile(r"t\d+|out\d*")

_TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32", "int16": "i16",
          "int8": "i8", "uint8": "u8", "bool": "bool"}

# What an element is, by its indices.
Element = Callable[[Sequence[str]], str]


class Tensor:
    """A tensor under a name, or one that an element's text stands for; shape: of the example, with the names of its sizes.

    stored: of a sparse tensor, the condition under which it has an entry. is_untold: whether its text tells none of its sizes,
    or not all, as that of one number for all elements. is_gathered: whether an index is what another tensor holds, so that its
    indices are to be plain variables. kind: torch's type of its elements, where it is known.
    """

    def __init__(self, shape: Sequence[int], element: Element, stored: Optional[Element] = None, is_untold: bool = False,
                 is_gathered: bool = False, kind: Any = None):
        self.shape, self.at, self.stored = tuple(extent(size) for size in shape), element, stored
        self.is_untold, self.is_gathered, self.kind = is_untold, is_gathered, kind
        self.counts_from_end = False                # whether it is known to hold indices that do

    @property
    def is_sparse(self) -> bool:
        """Whether it has entries, rather than all elements."""
        return self.stored is not None

    def seen(self, shape: Sequence[int], places: Callable[[Sequence[str]], Sequence[str]]) -> "Tensor":
        """The same elements under other indices. places: its own indices by the new ones."""
        def of(element: Element) -> Element:
            return lambda indices: element(places(indices))
        return Tensor(shape, of(self.at), None if self.stored is None else of(self.stored), self.is_untold, self.is_gathered, self.kind)

    def spread(self, shape: Sequence[int]) -> "Tensor":
        """The tensor as one of a larger shape, dimensions counted from the last one."""
        own = self.shape
        return self.seen(shape, lambda indices: [
            "0" if is_one(size) and not is_one(wanted) else index
            for index, size, wanted in zip(indices[len(shape) - len(own):], own, shape[len(shape) - len(own):])])

    def broadcast(self, shape: Sequence[int]) -> Element:
        """The element at the indices of a larger shape."""
        return self.spread(shape).at


def unknown(indices: Sequence[str]) -> str:
    """The condition under which a sparse tensor has an entry, where that is not known. Raises CompileError."""
    raise CompileError("which entries a sum, a product, a selection or a concatenation of sparse tensors has is not known before")


class Pending(Tensor):
    """What an operation on each element gives: a temporary as soon as something reads it, but for the one operation on each
    element that alone does, which has its text.

    uses: how many operations read it; 0 where that is not known.
    """

    def __init__(self, shape: Sequence[int], text: Element, make: Callable[[], Tensor]):
        super().__init__(shape, self._made_at)
        self.text, self.uses, self._make = text, 0, make
        self._whole: Optional[Tensor] = None

    def _made_at(self, indices: Sequence[str]) -> str:
        if self._whole is None:
            self._whole = self._make()
        return self._whole.at(indices)

    @property
    def is_inlined(self) -> bool:
        """Whether its text stands where it is read, at one place."""
        return self.uses == 1 and self._whole is None

    def inlined(self, is_enclosed: bool) -> Tensor:
        """The tensor as its text where one operation reads it, which is asking. is_enclosed: whether in parentheses."""
        if not self.is_inlined:
            return self
        return Tensor(self.shape, self.text if is_enclosed else lambda indices: f"({self.text(indices)})")


Operand = Union[Tensor, int, float]


def text_of(number: Union[int, float]) -> str:
    """A number as the language writes it."""
    if isinstance(number, Extent):
        return number.text if re.fullmatch(r"\w+", number.text) else f"({number.text})"
    if isinstance(number, bool):
        return str(number).lower()
    value = float(number)
    return f"({number!r})" if value < 0 or value in (float("inf"), float("-inf")) else repr(number)


def type_name(kind: Any) -> str:
    """The language's name of one of torch's types; nothing where it has none."""
    return _TYPES.get(str(kind)[6:], "") if str(kind).startswith("torch.") else ""


class _Statement(NamedTuple):
    """A statement: what it writes, its text, and the tensors that it reads."""

    target: str
    text: str
    reads: Set[str]


class Program:
    """Statements in the order in which they are computed, and the declarations of what they read."""

    def __init__(self) -> None:
        self.outputs: List[str] = []
        self._dense: List[str] = []                 # temporaries that are meant so
        self._statements: List[_Statement] = []
        self._declared: Dict[str, Tuple[Tuple[Extent, ...], str]] = {}
        self._read: Set[str] = set()                # by the text that is written
        self._names = itertools.count()
        self._taken: Set[str] = set()

    def name_for(self, name: str) -> str:
        """A name that the language and C allow, and that nothing else has."""
        name = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "x"
        name = name if name[0].isalpha() else f"x_{name}"
        if name.lower() in _WORDS or name in _LETTERS or _OWN.fullmatch(name):
            name += "_"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def operand(self, name: str, shape: Sequence[int], is_sparse: bool = False, type_: str = "", kind: Any = None) -> Tensor:
        """An operand under a name from `name_for`. type_: of its elements, where the kernel says it."""
        made = self._named(name, shape, kind)
        at = made.at
        made.stored = (lambda indices: f"pattern({at(indices)})") if is_sparse else None
        self._declared[name] = made.shape, (f": {type_}" if type_ else "") + (", sparse" if is_sparse and type_ else "")
        return made

    def _named(self, name: str, shape: Sequence[int], kind: Any = None) -> Tensor:
        def element(indices: Sequence[str]) -> str:
            self._read.add(name)
            return f"{name}({', '.join(indices)})" if indices else name
        return Tensor(shape, element, kind=kind)

    def _text(self, element: Callable[[], str]) -> Tuple[str, Set[str]]:
        """A text, and what it reads, which may write temporaries before."""
        outer, self._read = self._read, set()
        text, read, self._read = element(), self._read, outer
        return text, read

    def put(self, shape: Sequence[int], element: Element, stored: Optional[Element] = None, is_declared: bool = False,
            is_dense: bool = False) -> Tensor:
        """A temporary that holds what an element's text computes; dimensions of one element are left out.

        is_declared: whether its sizes are written, as its statement does not tell them. is_dense: whether it is stored so
        whatever its operands are.
        """
        kept = [k for k, size in enumerate(shape) if not is_one(size)]
        whole = self.put_at([shape[k] for k in kept], lambda indices: element(_spread(kept, indices, len(shape))), is_declared)
        if is_dense and kept:
            self._dense.append(self._statements[-1].target)
        return Tensor(shape, lambda indices: whole.at([indices[k] for k in kept]), stored)

    def put_at(self, shape: Sequence[int], element: Element, is_declared: bool = False,
               target: Optional[Element] = None, indices: Optional[Sequence[str]] = None) -> Tensor:
        """A temporary with all its dimensions. target: what it is indexed with, by indices of other tensors; indices: these."""
        over = self.indices(len(shape)) if indices is None else list(indices)

        def statement() -> str:
            at = target(over) if target else ", ".join(over)
            return f"({at}) = {element(over)}" if shape else f" = {element(over)}"
        text, read = self._text(statement)
        name = f"t{next(self._names)}"
        self._statements.append(_Statement(name, f"let {name}{text}", read))
        made = self._named(name, shape)
        if is_declared and shape:
            self._declared[name] = made.shape, ""
        return made

    def update(self, tensor: Tensor, at: Callable[[], Sequence[str]], how: str, value: Callable[[], str]) -> None:
        """A statement that takes something more into a temporary with all its dimensions."""
        text, read = self._text(lambda: f"{tensor.at(at())} {how} {value()}")
        target = text.partition("(")[0]
        self._statements.append(_Statement(target, text, read - {target}))

    def settled(self, x: Tensor) -> Tensor:
        """A tensor whose indices may be any: a temporary of one that has to have variables, or tells no sizes."""
        if not x.is_gathered and not x.is_untold:
            return x
        kind = type_name(x.kind) if x.is_untold else ""  # which numbers do not tell
        return self.put(x.shape, lambda indices: f"{kind}({x.at(indices)})" if kind else x.at(indices), x.stored, x.is_untold)

    def results(self, tensors: Sequence[Tensor]) -> None:
        """Writes the last statements, which give the results."""
        for k, tensor in enumerate(tensors):
            name = f"out{k}" if len(tensors) > 1 else "out"
            indices = self.indices(len(tensor.shape))
            if tensor.is_untold or any(is_one(size) for size in tensor.shape):
                self._declared[name] = tensor.shape, ""
            self.outputs.append(name)
            element = tensor.text if isinstance(tensor, Pending) and tensor.is_inlined else tensor.at
            kind = type_name(tensor.kind) if tensor.is_untold else ""  # which numbers do not tell
            text, read = self._text(partial(element, indices))
            text = f"{kind}({text})" if kind else text
            at = f"({', '.join(indices)})" if indices else ""
            self._statements.append(_Statement(name, f"{name}{at} = {text}", read))
        for name in self.outputs:
            self._name_directly(name)

    def _name_directly(self, name: str) -> None:
        """Has a result in place of a temporary that is read nowhere but to be copied to it."""
        copied = next(one for one in self._statements if one.target == name)
        left, _, right = copied.text.partition(" = ")
        own = right.partition("(")[0]
        if not _OWN.fullmatch(own) or right[len(own):] != left[len(name):] or \
                [one.target for one in self._statements if own in one.reads] != [name]:
            return
        self._statements.remove(copied)
        self._statements = [_Statement(name, re.sub(rf"^(let )?{own}\b", name, one.text), one.reads) if one.target == own else one
                            for one in self._statements]
        if own in self._declared:
            self._declared[name] = self._declared.pop(own)
        self._dense = [name if one == own else one for one in self._dense]

    def _needed(self) -> Tuple[List[_Statement], Set[str]]:
        """The statements that results are made of, and all that is read and written there."""
        wanted = set(self.outputs)
        kept = []
        for statement in reversed(self._statements):
            if statement.target in wanted:
                kept.append(statement)
                wanted |= statement.reads
        return kept[::-1], wanted

    @property
    def operands(self) -> List[str]:
        """The operands that something reads, in order."""
        wanted = self._needed()[1]
        return [name for name in self._declared if name in wanted and not _OWN.fullmatch(name)]

    @property
    def formats(self) -> Dict[str, str]:
        """The formats of temporaries that are meant to be stored so."""
        wanted = self._needed()[1]
        return {name: "dense" for name in self._dense if name in wanted}

    def lines(self, name: str, order: Sequence[str], constants: Mapping[str, str] = MappingProxyType({})) -> List[str]:
        """The kernel. order: of operands. constants: lines that give some by their values, in place of their declarations."""
        kept, wanted = self._needed()
        declared = [constants.get(name) or f"tensor {self.dims(name)}{rest}" for name, (_, rest) in self._declared.items() if name in wanted]
        inputs = [one for one in order if one in wanted and one not in constants]
        signature = f"kernel {name}({', '.join(inputs)}) -> ({', '.join(self.outputs)})"
        return [signature, *declared, *(statement.text for statement in kept)]

    def shape(self, name: str) -> Tuple[Extent, ...]:
        """The sizes of a tensor that is declared."""
        return self._declared[name][0]

    def dims(self, name: str) -> str:
        """A tensor's name with its sizes, as a declaration has them."""
        shape = self._declared[name][0]
        return f"{name}({', '.join(size.text for size in shape)})" if shape else name

    @staticmethod
    def indices(count: int, without: Sequence[str] = ()) -> List[str]:
        """As many names of index variables, none of them among others."""
        free = [letter for letter in _LETTERS if letter not in without]
        if count > len(free):
            raise CompileError(f"a tensor of {count} dimensions has too many for a kernel")
        return free[:count]

    @classmethod
    def fresh(cls, taken: Sequence[str]) -> str:
        return cls.indices(1, taken)[0]


def _spread(kept: Sequence[int], indices: Sequence[str], rank: int) -> List[str]:
    """The indices of all dimensions by those that have more than one element."""
    given = dict(zip(kept, indices))
    return [given.get(k, "0") for k in range(rank)]


def broadcast_shape(*operands: Operand) -> Tuple[Extent, ...]:
    """The shape of an operation on each element."""
    shapes = [operand.shape for operand in operands if isinstance(operand, Tensor)]
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(Extent(1),) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(next((size for size in sizes if not is_one(size)), Extent(1)) for sizes in zip(*padded)) if padded else ()


def element_of(operand: Operand, shape: Sequence[int]) -> Element:
    """What an operand is at the indices of a shape."""
    if isinstance(operand, Tensor):
        return operand.broadcast(shape)
    number = text_of(operand)
    return lambda indices: number


def dimensions(dim: Optional[Union[int, Sequence[int]]], rank: int) -> List[int]:
    """Dimensions that are counted from the first one; all where none are said."""
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return list(range(rank))
    return sorted(one % rank for one in ([dim] if isinstance(dim, int) else dim))


def without(sequence: Sequence[Any], left_out: Sequence[int]) -> Iterator[Any]:
    return (one for k, one in enumerate(sequence) if k not in left_out)
