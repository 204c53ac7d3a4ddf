"""Processes that go on together, or fail together and within a limit."""
# SPDX-License-Identifier: Apache-2.0

import time
import zlib
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar, cast

import numpy as np
from mpi4py import MPI

from ..errors import ArgumentError, Error
from ..storage.dtypes import Array

_ROOM = 600   # bytes of a message to the other ranks
_SPINS = 2000  # before a waiting process lets others run
_PAUSE = 50e-6
Result = TypeVar("Result")


class _Held:
    """What a communicator keeps for its teams."""

    def __init__(self, comm: MPI.Comm):
        self.comm = comm.Dup()
        #: What was waited for in vain: its arrays have to last, and ranks are at different steps from then on.
        self.pending: List[MPI.Request] = []


def _free(_comm: MPI.Comm, _key: int, held: _Held) -> None:
    if not held.pending:
        held.comm.Free()


# An attribute goes with its communicator, whose handle may become another one's.
_KEY = MPI.Comm.Create_keyval(delete_fn=_free)


class PeerError(Error):
    """Another rank has failed, or does not answer."""


class Team:
    """A communicator of spc's own for the processes of another one. Every method is to be called by all of them."""

    def __init__(self, comm: MPI.Comm, timeout: float):
        """timeout: how many seconds others are waited for."""
        held: Any = comm.Get_attr(_KEY)
        if held is None:
            held = _Held(comm)
            comm.Set_attr(_KEY, held)
        self._held, self._timeout = held, timeout
        self.rank, self.size = comm.rank, comm.size

    @property
    def comm(self) -> MPI.Comm:
        """The communicator. Raises PeerError where a rank did not answer before: ranks are at different steps since."""
        if self._held.pending:
            raise PeerError("another rank did not answer in an earlier call: this communicator is of no more use")
        comm: MPI.Comm = self._held.comm
        return comm

    def wait(self, *requests: MPI.Request) -> None:
        """Waits for all. Raises PeerError where they take longer than the limit, or are not what other ranks are at."""
        pending, end, spins = list(requests), time.monotonic() + self._timeout, 0
        while not self._are_done(pending):
            spins += 1
            if spins > _SPINS:
                if time.monotonic() > end:
                    self._held.pending += pending
                    raise PeerError(f"another rank does not answer within {self._timeout:g} s: it has failed, or is at another "
                                    "step")
                time.sleep(_PAUSE)

    def _are_done(self, requests: List[MPI.Request]) -> bool:
        try:
            return bool(MPI.Request.Testall(requests))
        except MPI.Exception as error:
            self._held.pending += requests
            raise PeerError(f"another rank is at another step: {error}") from error

    def together(self, work: Callable[[], Tuple[Result, Any]]) -> Result:
        """What `work` gives on this rank, where it succeeds on all, and gives the same second value on all. Raises its error
        where it fails here, PeerError where it fails elsewhere, ArgumentError where those values differ."""
        result: Optional[Result] = None
        same: Any = None
        failed: Optional[BaseException] = None
        try:
            result, same = work()
        except Exception as error:  # pylint: disable=broad-except  # the other ranks have to hear of any
            failed = error
        code = zlib.crc32(repr(same).encode())
        mine = np.array([self.rank + 1 if failed else 0, code, -code], np.int64)
        all_ = np.empty_like(mine)
        self.wait(self.comm.Iallreduce(mine, all_, MPI.MAX))
        if all_[0]:
            self._fail(int(all_[0]) - 1, failed)
        if all_[1] != -all_[2]:
            raise ArgumentError(f"ranks disagree: here it is {same!r}")
        return cast(Result, result)

    def _fail(self, rank: int, failed: Optional[BaseException]) -> None:
        """Raises the error of this rank, or what that one says of its own."""
        said = np.zeros(_ROOM, np.uint8)
        if rank == self.rank:
            text = f"{type(failed).__name__}: {failed}".encode()[:_ROOM]
            said[:len(text)] = np.frombuffer(text, np.uint8)
        self.wait(self.comm.Ibcast(said, rank))
        if failed is not None:
            raise failed
        raise PeerError(f"rank {rank} has failed: {bytes(said).rstrip(bytes(1)).decode(errors='replace')}")

    def largest(self, number: int) -> int:
        """The largest of all ranks' numbers."""
        result = np.empty(1, np.int64)
        self.wait(self.comm.Iallreduce(np.array([number], np.int64), result, MPI.MAX))
        return int(result[0])

    def numbers(self, number: int) -> Array:
        """Each rank's."""
        result = np.empty(self.size, np.int64)
        self.wait(self.comm.Iallgather(np.array([number], np.int64), result))
        return result

    def counts(self, counts: Array) -> Array:
        """Of what ranks send to each other: how much this one gets from each, given how much it sends to each."""
        result = np.empty(self.size, np.int64)
        self.wait(self.comm.Ialltoall(np.ascontiguousarray(counts, np.int64), result))
        return result

    def start(self, rows: Array, sends: Array, gets: Array, into: Optional[Array] = None,
              places: Optional[Array] = None) -> Tuple[MPI.Request, Array]:
        """Sends rows, those for rank 0 first, `sends` of them to each; gives what is to be waited for, and where the rows of
        others will be: an array of their own, or `into` from the place of each rank on. A count is one of rows, so that it fits
        into 32 bits where bytes do not."""
        received = np.empty((int(gets.sum()), *rows.shape[1:]), rows.dtype) if into is None else into
        row = MPI.BYTE.Create_contiguous(max(1, int(np.prod(rows.shape[1:])) * rows.itemsize)).Commit()
        if not rows[:1].size and not received[:1].size:  # rows without elements
            sends, gets = np.zeros_like(sends), np.zeros_like(gets)
        try:
            request = self.comm.Ialltoallv([np.ascontiguousarray(rows), _both(sends), row], [received, _both(gets, places), row])
        finally:
            row.Free()  # which lasts as long as something uses it
        return request, received

    def exchange(self, rows: Array, sends: Array, gets: Array) -> Array:
        """Sends rows and waits for those of others."""
        rows = np.ascontiguousarray(rows)
        request, received = self.start(rows, sends, gets)
        self.wait(request)
        return received

    def gather(self, array: Array) -> Array:
        """The numbers of all ranks, one behind the other."""
        counts, array = self.numbers(array.size), np.ascontiguousarray(array)
        result = np.empty(int(counts.sum()), array.dtype)
        self.wait(self.comm.Iallgatherv(array, [result, _both(counts)]))
        return result

    def reduce(self, array: Array, op: str) -> Array:
        """The sum, the product, … of all ranks' arrays."""
        result, array = np.empty(array.shape, array.dtype), np.ascontiguousarray(array)  # both in the same order
        ops: Dict[str, Any] = {"sum": MPI.SUM, "prod": MPI.PROD, "min": MPI.MIN, "max": MPI.MAX, "or": MPI.LOR, "and": MPI.LAND}
        if array.dtype == np.float16:  # which MPI has not
            return self.reduce(array.astype(np.float32), op).astype(np.float16)
        kind = array.view(np.uint8) if array.dtype == bool else array
        self.wait(self.comm.Iallreduce(kind, result.view(kind.dtype), ops[op]))
        return result


def _both(counts: Array, places: Optional[Array] = None) -> Tuple[List[int], List[int]]:
    """Counts, and the places where each begins: behind each other where none are given."""
    if int(counts.sum()) >= 1 << 31:
        raise ArgumentError("more than 2^31 rows at once are not sent: use more ranks")
    return counts.tolist(), [0, *np.cumsum(counts)[:-1].tolist()] if places is None else places.tolist()
