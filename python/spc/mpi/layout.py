"""Which rank has which coordinates of an extent."""
# SPDX-License-Identifier: Apache-2.0

import os
import zlib
from typing import Any, Optional

import numpy as np

from ..errors import ArgumentError
from ..storage.dtypes import Array
from .team import Team


class Layout:
    """Neighbouring coordinates for each rank, or those that a list of ranks says."""

    def __init__(self, team: Team, cuts: Array, owners: Optional[Array] = None):
        """cuts: where each rank's coordinates would begin if they were neighbours, and where the last ones end.
        owners: the rank of each coordinate."""
        self.size, self._cuts, self._owners = int(cuts[-1]), cuts, owners
        if owners is None:
            self.own = np.arange(cuts[team.rank], cuts[team.rank + 1])
        else:
            self.own = np.flatnonzero(owners == team.rank)
            order = np.argsort(owners, kind="stable")
            self._places = np.empty(self.size, np.int64)
            self._places[order] = np.arange(self.size) - cuts[owners[order]]

    def owners(self, coordinates: Array) -> Array:
        """The ranks that have them."""
        found: Array = np.searchsorted(self._cuts, coordinates, side="right") - 1 if self._owners is None else self._owners[coordinates]
        return found

    def places(self, coordinates: Array) -> Array:
        """The place of each among those of its rank."""
        found: Array = coordinates - self._cuts[self.owners(coordinates)] if self._owners is None else self._places[coordinates]
        return found


def neighbours(team: Team, count: int) -> Layout:
    """Where each rank has so many."""
    return Layout(team, np.concatenate([[0], np.cumsum(team.numbers(count))]))


def equal(team: Team, size: int) -> Layout:
    """As many for each rank, of so many in all."""
    return Layout(team, np.arange(team.size + 1) * size // team.size)


def listed(team: Team, parts: Any) -> Layout:
    """By the rank of each coordinate: an array, or a file with a number a line, as METIS's gpmetis writes it. Raises
    ArgumentError of numbers that are no ranks, and where ranks have other lists."""
    def read() -> Any:
        if isinstance(parts, (str, os.PathLike)):
            with open(parts, encoding="ascii", errors="replace") as file:
                text = file.read()
            try:
                owners = np.array(text.split(), np.int64)
            except (ValueError, OverflowError):
                raise ArgumentError(f"{os.fspath(parts)} is no list of parts, a number for each coordinate") from None
        else:
            owners = np.asarray(parts)
        if owners.ndim != 1 or owners.dtype.kind not in "iu" and owners.size:
            raise ArgumentError("parts are a list of ranks, one for each coordinate")
        owners = owners.astype(np.int64)
        if owners.size and not 0 <= owners.min() <= owners.max() < team.size:
            wrong = int(np.flatnonzero((owners < 0) | (owners >= team.size))[0])
            raise ArgumentError(f"coordinate {wrong} is of part {owners[wrong]}, and there are {team.size} ranks")
        return owners, (owners.size, zlib.crc32(owners.tobytes()))
    owners = team.together(read)
    counts = np.bincount(owners, minlength=team.size)
    return Layout(team, np.concatenate([[0], np.cumsum(counts)]), owners)
