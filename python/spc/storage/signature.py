"""What a compiled kernel's arguments are: its signature, read from the JSON that libraries hold (docs/abi.md)."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import functools
import itertools
import json
import re
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

from ..errors import CompilerError
from .division import Division, parse_division

ABI_VERSION = 5

_EXTENTS = ("full", "ragged", "ragged-lengths", "fixed")
_EXPRESSION = re.compile(r"^(\w+)(?:\s*([-/%])\s*(\w+))?$")


@dataclass(frozen=True)
class Level:
    """One level of a format: which coordinates it has, by number of the dimension, and how it stores them."""

    dim: int
    op: str = ""            # "" of whole dimensions, "/" and "%" of blocks, "-" of diagonals
    by: int = 0             # the block's extent, or the dimension that is taken away
    storage: str = "dense"  # or "compressed"
    extent: str = "full"    # "ragged", "ragged-lengths", "fixed" or a closed form's text
    width: str = ""         # of fixed extents: a number, or "" where the struct has it
    ordered: bool = True
    unique: bool = True
    start: str = ""         # of closed forms

    def size(self, shape: Sequence[int]) -> int:
        """How many coordinates a dense level has, which are those of a dimension, or of blocks, or inside of one."""
        return -(-shape[self.dim] // self.by) if self.op == "/" else self.by if self.op == "%" else shape[self.dim]


class Storage:
    """How a tensor lies in memory: what has to agree between an operand and a kernel's argument, but for types.

    Storages that are equal are one object, so that calls compare them by `is`.
    """

    __slots__ = ("order", "levels", "symmetric", "layout", "is_dense", "is_coordinates", "number")

    order: int
    levels: Tuple[Level, ...]
    symmetric: str
    layout: str
    is_dense: bool  # an array with strides
    number: int  # which names it in this process
    is_coordinates: bool  # an array of coordinates for each dimension, in whatever order

    _all: ClassVar[Dict[Tuple[Any, ...], "Storage"]] = {}
    _numbers: ClassVar[Iterator[int]] = itertools.count()

    def __new__(cls, order: int, levels: Tuple[Level, ...], symmetric: str = "", layout: str = "") -> "Storage":
        key = (order, levels, symmetric, layout)
        made = cls._all.get(key)
        if made is None:
            made = super().__new__(cls)
            made.order, made.levels, made.symmetric, made.layout = key
            made.is_dense = not symmetric and all(
                level.storage == "dense" and not level.op and level.extent == "full" for level in levels)
            made.is_coordinates = order > 1 and not symmetric and not layout and all(
                level.storage == "compressed" and not level.op and
                (not k or level.extent == "fixed" and level.width == "1") for k, level in enumerate(levels))
            made.number = next(cls._numbers)
            made = cls._all.setdefault(key, made)
        return made

    def __repr__(self) -> str:
        return f"Storage{(self.order, self.levels, self.symmetric, self.layout)}"

    def __reduce__(self) -> Tuple[Any, ...]:
        return Storage, (self.order, self.levels, self.symmetric, self.layout)


@dataclass(frozen=True, eq=False)
class Field:
    """What 8 bytes of an argument's struct hold."""

    name: str
    holds: str
    dim: int = 0
    level: int = 0


@dataclass(frozen=True, eq=False)
class Argument:
    """One argument of a kernel: a number, unless it is a TensorArgument."""

    name: str
    tensor: str
    role: str               # in, out, inout
    passed: str             # struct, values, number, pointer
    type: str
    shape: Tuple[Union[str, int], ...]
    pointers: str           # the type of pointers and lengths; "" where there are none
    indices: str
    fields: Tuple[Field, ...]
    fill: str
    structure: str          # "assembled", "of A", or ""
    part_of: str
    could_be: str           # a format for an output that is dense for want of one, else ""

    @functools.cached_property
    def words(self) -> Type["ctypes.Array[ctypes.c_int64]"]:
        """The type of its struct: an array of numbers of 8 bytes."""
        return ctypes.c_int64 * len(self.fields)

    @functools.cached_property
    def is_shape_strides_values(self) -> bool:
        """Whether these are its fields, in this order."""
        order = len(self.shape)
        return [(field.holds, field.dim) for field in self.fields] == \
            [*(("size", dim) for dim in range(order)), *(("stride", dim) for dim in range(order)), ("values", 0)]

    @functools.cached_property
    def is_assembled(self) -> bool:
        """Whether the call allocates it."""
        return self.structure == "assembled"

    @functools.cached_property
    def pattern_of(self) -> str:
        """The operand whose pattern an output shares, or ""."""
        return self.structure[3:] if self.structure.startswith("of ") else ""

    @functools.cached_property
    def is_output(self) -> bool:
        """Whether the call writes it."""
        return self.role != "in"

    @functools.cached_property
    def is_read(self) -> bool:
        """Whether the call reads it."""
        return self.role != "out"


@dataclass(frozen=True, eq=False)
class TensorArgument(Argument):
    """A tensor: a struct of its arrays, or, of those in another one's structure, its values alone."""

    storage: Storage


@dataclass(frozen=True, eq=False)
class Sum:
    """An extent that follows from others: products of these, which are names or numbers, and a number."""

    extent: str
    products: Tuple[Tuple[int, Tuple[Union[str, int], ...]], ...]
    constant: int

    def value(self, extents: Mapping[str, int]) -> Optional[int]:
        """What it is; None where one of the others is not known."""
        total = self.constant
        for factor, names in self.products:
            for name in names:
                if isinstance(name, str) and name not in extents:
                    return None
                factor *= extents[name] if isinstance(name, str) else name
            total += factor
        return total


@dataclass(frozen=True, eq=False)
class Signature:
    """How a kernel is called."""

    name: str
    fingerprint: str
    arguments: Tuple[Argument, ...]
    has_phases: bool
    statuses: Dict[int, str]
    sums: Tuple[Sum, ...] = ()
    divisions: Tuple[Division, ...] = ()

    @functools.cached_property
    def inputs(self) -> List[Argument]:
        """What a call reads, in order."""
        return [argument for argument in self.arguments if argument.is_read]

    @functools.cached_property
    def outputs(self) -> List[Argument]:
        """What a call writes, in order."""
        return [argument for argument in self.arguments if argument.is_output]


def _level(data: Mapping[str, Any], dims: List[str]) -> Level:
    match = _EXPRESSION.match(data["dim"])
    if not match:
        raise CompilerError(f"a level of dimension {data['dim']!r} is not understood")
    name, op, other = match.groups()
    extent = data.get("extent", "full")
    extent = extent if isinstance(extent, str) else json.dumps(extent)
    return Level(
        dim=dims.index(name), op=op or "", by=(dims.index(other) if op == "-" else int(other)) if op else 0,
        storage=data["storage"], extent=extent if extent in _EXTENTS else _renamed(extent, dims),
        width=str(data["width"]) if str(data.get("width", "")).isdigit() else "", ordered=data.get("ordered", True),
        unique=data.get("unique", True), start=_renamed(str(data.get("start", "")), dims))


def _renamed(form: str, dims: List[str]) -> str:
    """A closed form with d0, d1 ... for its dimensions: formats are the same whatever their names are."""
    return re.sub(r"[A-Za-z_]\w*", lambda word: f"d{dims.index(word[0])}" if word[0] in dims else word[0], form)


def parse_storage(data: Mapping[str, Any]) -> Storage:
    """Reads the `format` of an argument."""
    dims = data["dims"]
    return Storage(len(dims), tuple(_level(level, dims) for level in data["levels"]),
                   _symmetric(data), str(data.get("layout", "") or ""))


def _symmetric(data: Mapping[str, Any]) -> str:
    triangle = str(data.get("symmetric", "") or "")
    return "hermitian " + triangle if data.get("symmetry") == "hermitian" else triangle


def _argument(data: Mapping[str, Any]) -> Argument:
    index = data.get("format", {}).get("index", {})
    said: Dict[str, Any] = dict(
        name=data["name"], tensor=data.get("tensor", data["name"]), role=data["role"], passed=data["pass"],
        type=data["type"], shape=tuple(data.get("shape", ())),
        pointers=index.get("pointers", ""), indices=index.get("indices", ""),
        fields=tuple(Field(f["name"], f["holds"], f.get("dim", 0), f.get("level", 0)) for f in data.get("fields", ())),
        fill=data.get("fill", "0"), structure=data.get("structure", ""), part_of=data.get("part_of", ""),
        could_be=data.get("could_be", ""))
    return TensorArgument(**said, storage=parse_storage(data["format"])) if "format" in data else Argument(**said)


def _sum(data: Mapping[str, Any]) -> Sum:
    return Sum(data["extent"], tuple((product["factor"], tuple(product["extents"])) for product in data["products"]),
               data["constant"])


def parse(text: str) -> Signature:
    """Reads a signature. Raises CompilerError where it is of another version of the convention."""
    data = json.loads(text)
    if data["spc_abi"] != ABI_VERSION:
        raise CompilerError(f"kernel {data['name']} follows version {data['spc_abi']} of the calling convention, and "
                            f"this package version {ABI_VERSION}")
    return Signature(data["name"], data["fingerprint"], tuple(_argument(a) for a in data["arguments"]),
                     "numeric" in data["functions"], {int(k): v for k, v in data["statuses"].items()},
                     tuple(_sum(each) for each in data.get("sums", ())),
                     tuple(parse_division(each) for each in data.get("divide", ())))
