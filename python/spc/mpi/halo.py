"""Rows of operands that a rank needs and others have."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
import scipy.sparse as sp

from ..storage.dtypes import Array
from .layout import Layout
from .team import Team

_COMBINE: Dict[str, Any] = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum,
                            "or": np.logical_or, "and": np.logical_and}


class Halo:
    """The coordinates of an extent that this rank needs, in their order, and the exchange of rows along it."""

    def __init__(self, team: Team, layout: Layout, need: Array):
        self._team, self.need = team, need
        owners = layout.owners(need)
        places = layout.places(need)
        is_own = owners == team.rank
        self._own_at, self._own = np.flatnonzero(is_own), places[is_own]
        self._run = _run(self._own_at)
        self._buffers: Dict[str, Tuple[Array, Array]] = {}
        far = np.flatnonzero(~is_own)
        self._far_at = far[np.argsort(owners[far], kind="stable")]  # those of rank 0 first, as they come
        self._gets = np.bincount(owners[self._far_at], minlength=team.size)
        #: Where the rows of each rank begin among those that are needed, if they lie behind each other.
        self._first = np.searchsorted(owners, np.arange(team.size)) if (np.diff(owners) >= 0).all() else None
        self._sends = team.counts(self._gets)
        self._gives = team.exchange(places[self._far_at], self._gets, self._sends)
        self._is_all = len(far) == 0 and len(need) == len(layout.own)
        self.volume = len(far)
        self._height = len(layout.own)

    def start(self, block: Array, name: str = "") -> Callable[[], Array]:
        """Sends what others need of this rank's rows; gives what waits for theirs and returns the rows that are needed, in memory
        that the next call for this name uses again."""
        block = np.ascontiguousarray(block)
        kept = self._buffers.get(name)
        if kept is None or (kept[0].shape[1:], kept[0].dtype) != (block.shape[1:], block.dtype):
            # Open MPI takes two arrays with one address for an exchange in place: even those without elements have their own.
            kept = np.empty((len(self.need), *block.shape[1:]), block.dtype), np.empty((len(self._gives), *block.shape[1:]), block.dtype)
            self._buffers[name] = kept
        rows, sent = kept
        np.take(block, self._gives, 0, out=sent, mode="clip")
        request, received = self._team.start(sent, self._sends, self._gets, None if self._first is None else rows, self._first)
        if self._is_all:
            pass
        elif self._run is None:
            rows[self._own_at] = block[self._own]
        else:
            np.take(block, self._own, 0, out=rows[self._run], mode="clip")

        def finish() -> Array:
            self._team.wait(request)
            if self._is_all:
                return block
            if self._first is None:
                rows[self._far_at] = received
            return rows
        return finish

    def start_sparse(self, block: sp.csr_matrix) -> Callable[[], sp.csr_matrix]:
        """The same of a matrix in rows."""
        def lists(rows: Array, counts: Array) -> Tuple[Array, Array]:
            """The places of the entries of rows, and how many of these go to each rank."""
            lengths = np.diff(block.indptr)[rows]
            first = np.cumsum(lengths) - lengths
            places = np.arange(lengths.sum()) + np.repeat(block.indptr[rows] - first, lengths)
            ends = np.concatenate([[0], np.cumsum(lengths)])[np.concatenate([[0], np.cumsum(counts)])]
            return places, np.diff(ends)
        places, sends = lists(self._gives, self._sends)
        lengths = self._team.exchange(np.diff(block.indptr)[self._gives].astype(np.int64), self._sends, self._gets)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        gets = np.diff(ends[np.concatenate([[0], np.cumsum(self._gets)])])
        # Ranks may have chosen different types for their indices.
        kind = np.int32 if block.shape[1] < 1 << 31 else np.int64
        indices = self._team.start(block.indices[places].astype(kind), sends, gets)
        values = self._team.start(block.data[places], sends, gets)

        def finish() -> sp.csr_matrix:
            self._team.wait(indices[0], values[0])
            far = sp.csr_matrix((values[1], indices[1], ends), (len(self._far_at), block.shape[1]))
            order = np.empty(len(self.need), np.int64)
            order[self._own_at] = np.arange(len(self._own_at))
            order[self._far_at] = len(self._own_at) + np.arange(len(self._far_at))
            return sp.vstack([block[self._own], far], "csr")[order]
        return finish

    def send_back(self, rows: Array, op: str, start: Any) -> Array:
        """This rank's rows of a result, of which `rows` are a share, at the coordinates that are needed. start: what the
        reduction begins with."""
        received = self._team.exchange(rows[self._far_at], self._gets, self._sends)
        result = np.full((self._height, *rows.shape[1:]), start, rows.dtype)
        result[self._own] = rows[self._own_at]
        _COMBINE[op].at(result, self._gives, received)
        return result


def _run(places: Array) -> Optional[slice]:
    """Places that lie behind each other, as a slice; None where they do not."""
    is_run = not places.size or places[-1] - places[0] + 1 == places.size
    return slice(int(places[0]), int(places[-1]) + 1) if is_run and places.size else slice(0, 0) if is_run else None
