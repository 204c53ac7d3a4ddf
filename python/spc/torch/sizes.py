"""Sizes of a traced model's tensors: numbers of the example, and what a kernel calls them."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ..errors import CompileError

class DependsOn(CompileError):
    """What is to be computed needs sizes as numbers. names: of these."""

    def __init__(self, sizes: Sequence[int], why: str):
        super().__init__(why)
        self.names = [name for size in sizes for names in extent(size).terms for name in names]


# Sums of products: how often each product of names is added up.
_Terms = Dict[Tuple[str, ...], int]


class Extent(int):
    """A size: the number that it is in the example, and the sum of products of names that it is in a kernel."""

    terms: _Terms

    def __new__(cls, value: int, terms: Optional[_Terms] = None) -> "Extent":
        made = super().__new__(cls, value)
        made.terms = {(): int(value)} if terms is None else {key: count for key, count in terms.items() if count}
        return made

    @classmethod
    def named(cls, value: int, name: str) -> "Extent":
        """A size under a name of its own."""
        return cls(value, {(name,): 1})

    @property
    def text(self) -> str:
        """The size as the language writes it."""
        if not self.terms:
            return "0"
        parts = []
        for names, count in sorted(self.terms.items(), key=lambda term: (not term[0], term[0])):
            factors = [*([] if abs(count) == 1 and names else [str(abs(count))]), *names]
            parts.append(("- " if count < 0 else "+ ") + "*".join(factors))
        return " ".join(parts)[2:] if parts[0][0] == "+" else "0 " + " ".join(parts)

    @property
    def is_fixed(self) -> bool:
        """Whether it is a number in the kernel, too."""
        return all(not names for names in self.terms)

    def same(self, other: int) -> bool:
        """Whether both are the same size in all calls."""
        return self.terms == extent(other).terms

    def _plus(self, other: Any, sign: int) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        terms = dict(self.terms)
        for names, count in extent(other).terms.items():
            terms[names] = terms.get(names, 0) + sign * count
        return Extent(int(self) + sign * int(other), terms)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return extent(other) - self if isinstance(other, int) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        terms: _Terms = {}
        for mine, count in self.terms.items():
            for others, times in extent(other).terms.items():
                key = tuple(sorted(mine + others))
                terms[key] = terms.get(key, 0) + count * times
        return Extent(int(self) * int(other), terms)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        """The quotient, an Extent where the division leaves nothing in any call."""
        if not isinstance(other, int) or not other:
            return NotImplemented
        divisor = extent(other).terms
        if len(divisor) == 1 and (made := _divided(self.terms, *next(iter(divisor.items())))) is not None:
            return Extent(int(self) // int(other), made)
        return int(self) // int(other)

    def __hash__(self) -> int:
        return int.__hash__(self)


def _divided(terms: _Terms, names: Sequence[str], count: int) -> Optional[_Terms]:
    """A sum by a product; None where something is left."""
    made: _Terms = {}
    for own, times in terms.items():
        rest = list(own)
        for name in names:
            if name not in rest:
                return None
            rest.remove(name)
        if times % count:
            return None
        made[tuple(rest)] = times // count
    return made


def extent(size: int) -> Extent:
    """A size as such, whose number is one in all calls where nothing else is known."""
    return size if isinstance(size, Extent) else Extent(int(size))


def product(sizes: Sequence[int]) -> Extent:
    """How many elements so many of each dimension are."""
    made = Extent(1)
    for size in sizes:
        made = made * extent(size)
    return made


def is_one(size: int) -> bool:
    """Whether a dimension has one element in all calls."""
    return size == 1 and extent(size).is_fixed


class Example:
    """What was computed of sizes in a way that kernels cannot: it holds for the example's sizes alone, which are kept."""

    def __init__(self, value: Any, sizes: Sequence[int]):
        self.value, self.sizes = value, list(sizes)


def needed(values: Sequence[Any]) -> None:
    """Raises DependsOn where one of the values holds for the example's sizes alone."""
    for one in values:
        if isinstance(one, Example):
            raise DependsOn(one.sizes, "what was computed of sizes")
        if isinstance(one, (tuple, list)):
            needed(one)


def is_of_sizes(value: Any) -> bool:
    """Whether a value depends on sizes that later calls may change."""
    if isinstance(value, (tuple, list)):
        return any(is_of_sizes(one) for one in value)
    return isinstance(value, Example) or isinstance(value, Extent) and not value.is_fixed


def computed(target: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """A number or a tuple of them of others. Those that sizes have decided in another way than kernels can are Examples."""
    is_dynamic = is_of_sizes([*arguments, *named.values()])
    made = target(*[_plain(one) for one in arguments], **{name: _plain(one) for name, one in named.items()})
    return Example(made, sizes_in([*arguments, *named.values()])) if is_dynamic and not _is_known(made) else made


def sizes_in(values: Sequence[Any]) -> List[int]:
    """The sizes that values depend on."""
    found: List[int] = []
    for one in values:
        if isinstance(one, Extent):
            found.append(one)
        elif isinstance(one, (Example, tuple, list)):
            found += one.sizes if isinstance(one, Example) else sizes_in(one)
    return found


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Example) else value


def _is_known(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_is_known(one) for one in value)
    return isinstance(value, Extent)


def grouped(shape: Sequence[int], wanted: Sequence[int]) -> List[Tuple[List[int], List[int]]]:
    """The dimensions of a shape, and those of another one of as many elements that hold the same ones, group by group; those of
    one element are left out. Raises CompileError where that depends on the sizes."""
    before = [k for k, size in enumerate(shape) if not is_one(size)]
    after = [k for k, size in enumerate(wanted) if not is_one(size)]
    groups: List[Tuple[List[int], List[int]]] = []
    while before or after:
        if not before or not after:
            raise DependsOn([shape[k] for k in before], f"a view of {list(map(int, shape))} as {list(map(int, wanted))}")
        left, right = [before.pop(0)], [after.pop(0)]
        while not (mine := product([shape[k] for k in left])).same(other := product([wanted[k] for k in right])):
            if mine == other and len(left) == len(right) == 1:
                break  # the example's size is written out, and is wanted in all calls
            side, rest = (left, before) if mine < other else (right, after)
            if not rest or mine == other:
                sizes = [*(shape[k] for k in left), *(wanted[k] for k in right)]
                raise DependsOn([size for size in sizes if not extent(size).is_fixed][-1:], f"a view of {list(map(int, shape))} as {list(map(int, wanted))}")
            side.append(rest.pop(0))
        groups.append((left, right))
    return groups
