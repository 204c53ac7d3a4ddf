"""How a kernel's indices may be divided among processes, read from its signature (docs/beyond-one-machine.md)."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Tuple


@dataclass(frozen=True, eq=False)
class Part:
    """What an argument is to one part of the data."""

    role: str                    # slice, rows, whole; of results also sum, prod, min, max, or, and
    dims: Tuple[int, ...] = ()   # that a slice is cut along: one, or several of which a diagonal is read
    block: int = 1               # cuts at multiples of it leave the blocks that are stored as they are
    rows: Tuple[int, ...] = ()   # dimensions that have a halo's coordinates alone, numbered anew


@dataclass(frozen=True, eq=False)
class Division:
    """Whether an index may be divided among processes that each run the kernel as it is, and how."""

    index: str
    extent: str
    refused: str                                       # why it may not be; "" where it may
    arguments: Mapping[str, Part]                      # by name; none where it may not be
    halos: Mapping[str, Tuple[Tuple[str, int], ...]]   # by extent, whose entries list it: arguments, each with a dimension
    least: Mapping[str, int]                           # of halos that have so many coordinates, if there are any

    def __bool__(self) -> bool:
        return not self.refused


def parse_division(data: Mapping[str, Any]) -> Division:
    """Reads one element of a signature's `divide`."""
    parts = {name: Part(part["part"], tuple(part.get("dims", ())), part.get("block", 1), tuple(part.get("rows", ())))
             for name, part in data.get("arguments", {}).items()}
    halos = {halo["extent"]: tuple((one["argument"], one["dim"]) for one in halo["listed_by"])
             for halo in data.get("halos", ())}
    least = {halo["extent"]: halo["least"] for halo in data.get("halos", ()) if "least" in halo}
    return Division(data["index"], data["extent"], data.get("refused", ""), parts, halos, least)
