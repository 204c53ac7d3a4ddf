"""Kernels that each rank runs on its part of the data."""
# SPDX-License-Identifier: Apache-2.0

import functools
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

from ..errors import ArgumentError, ArgumentTypeError
from ..kernel import KernelBase
from ..storage.division import Division, Part
from ..storage.dtypes import Array
from . import layout, parts
from .halo import Halo
from .overlap import Overlap
from .team import Team

_STARTS = {"sum": 0, "prod": 1, "or": 0, "and": 1}


def distribute(kernel: Any, comm: MPI.Comm, *, by: str, parts: Any = None, timeout: float = 300.0) -> "Distributed":
    """A kernel whose index `by` the ranks of a communicator divide. All of them call this, and what it gives.

    kernel: also an operator of spc.torch, through which gradients flow, of rows to the ranks that have them.
    parts: the rank of each coordinate, as an array or a file that METIS's gpmetis has written; without it each rank has
    neighbouring coordinates, as many as its operands have.
    timeout: how many seconds a rank waits for others before it raises PeerError.
    Raises ArgumentError where the index may not be divided, with the reason: docs/beyond-one-machine.md.
    """
    team, operator = Team(comm, timeout), kernel
    kernel = operator if isinstance(operator, KernelBase) else operator.kernel
    return Distributed(operator, kernel, team.together(lambda: _found(kernel, by, {})), team, parts)


def _found(kernel: KernelBase, by: str, operands: Mapping[str, Any]) -> Tuple[Division, Any]:
    """How it is divided, for operands like these, and what is the same on all ranks. Raises ArgumentError where it is not."""
    divisions = kernel.divisions(**operands)
    found = divisions.get(by)
    if found is None:
        raise ArgumentTypeError(f"{kernel.name} has no index {by!r}: there are {', '.join(divisions)}")
    if not found:
        raise ArgumentError(f"{kernel.name} is not divided by {by!r}: {found.refused}")
    for argument in kernel.signature.outputs:
        if argument.is_read and found.arguments[argument.name].rows:
            raise ArgumentError(f"{argument.name} is written in place, and parts have some of its rows alone")
    return found, (kernel.signature.name, found)


class Distributed:
    """A kernel on parts: call it with what this rank has of each operand.

    Of operands that the table of divisions (kernel.divisions()) has as `slice` that are the rank's coordinates of the index,
    with all coordinates of other dimensions as they are in the whole; of `rows` the rank's rows; of `whole` all. Where the
    pattern of a sparse slice is that of the call before, what ranks exchange is known.
    """

    def __init__(self, operator: Any, kernel: KernelBase, division: Division, team: Team, parts_: Any):
        self._operator, self._kernel, self._division, self._team = operator, kernel, division, team
        self._torch: Any = None
        if operator is not kernel:
            from . import gradients
            self._torch = gradients
        self._roles = division.arguments
        self._inputs = {argument.name: argument for argument in kernel.signature.inputs}
        self._outputs = {argument.name: argument for argument in kernel.signature.outputs}
        self._given = None if parts_ is None else layout.listed(team, parts_)
        self._layouts: Dict[str, layout.Layout] = {}
        self._halos: Dict[str, Halo] = {}
        self._known: Dict[str, Any] = {}
        self._local: Dict[str, Any] = {}
        self._overlap: Optional[Overlap] = None

    @property
    def volume(self) -> int:
        """How many rows of others this rank gets in a call. Requires: it has been called."""
        return sum(halo.volume for halo in self._halos.values())

    def rows(self, extent: str) -> Array:
        """The coordinates of an extent that this rank has. Requires: it has been called."""
        own: Array = self._layouts[extent].own
        return own

    def __call__(self, *, out: Any = None, **given: Any) -> Any:
        """Runs the kernel: its results, of slices this rank's coordinates, of others all, or this rank's rows of a share that
        has rows. out: an array, or several by name, for results that are slices of all coordinates of other dimensions.
        Raises on all ranks where it fails on one: its own error there, PeerError elsewhere."""
        if not self._known:  # storage that no format says is that of operands
            self._division = self._team.together(lambda: _found(self._kernel, self._division.index, given))
            self._roles = self._division.arguments
        operands = self._team.together(lambda: self._checked(given, out))
        if self._team.largest(not self._is_known(operands)):
            self._set_up(operands)
        finishes = self._exchange(operands)
        if self._overlap is not None:
            made = self._overlap.run(self._kernel, operands, self._division, finishes, self._team, out)
        else:
            rows = {name: finish() for name, finish in finishes.items()}
            made = self._team.together(lambda: (self._run(given, operands, rows, out), None))
        results = tuple(self._result(name, result) for name, result in zip(self._outputs, made))
        return results[0] if len(results) == 1 else results

    def _run(self, given: Mapping[str, Any], listed: Mapping[str, Any], rows: Mapping[str, Any], out: Any) -> Tuple[Any, ...]:
        operands = {name: rows[name] if name in rows else parts.stored(self._renumbered(name, value), given[name])
                    for name, value in listed.items()}
        made = self._operator(**self._torch.with_matrices(operands)) if self._torch else self._kernel(**operands, out=out)
        return made if isinstance(made, tuple) else (made,)

    def _checked(self, given: Mapping[str, Any], out: Any) -> Tuple[Dict[str, Any], Any]:
        """The operands, and what has to be the same on all ranks. Raises ArgumentError of those that are no parts of one
        whole."""
        self._kernel.in_order((), dict(given))
        operands = {name: parts.listed(value) for name, value in given.items()}
        same: List[Any] = [out is None]
        if out is not None and (self._torch or any(not self._roles[name].dims or self._roles[name].rows for name in self._outputs)):
            raise ArgumentError("out= takes results of kernels, not of operators, that are slices and have no halo's coordinates")
        sizes: Dict[str, int] = {}
        for name, value in operands.items():
            role, shape = self._roles[name], parts.shape_of(value)
            extents = self._inputs[name].shape
            if len(shape) != len(extents):
                raise ArgumentError(f"{name} has {len(shape)} dimensions, and the kernel's has {len(extents)}")
            if parts.is_sparse(value):
                parts.check(name, value, role.role == "rows")
            elif any(name == one for lists in self._division.halos.values() for one, _ in lists):
                raise ArgumentError(f"{name}: its entries say which rows of others are needed: parts are SciPy's matrices or tensors "
                                    f"of coordinates, not {type(value).__module__}.{type(value).__qualname__}")
            cut = role.dims or (role.rows[:1] if role.role == "rows" else ())
            for dim, extent in enumerate(extents):
                if dim in role.dims and sizes.setdefault("", shape[dim]) != shape[dim]:
                    raise ArgumentError(f"{name} has {shape[dim]} coordinates of '{self._division.index}', and another operand "
                                        f"{sizes['']}")
                if role.role == "rows" and dim in cut and sizes.setdefault(f"rows of {extent}", shape[dim]) != shape[dim]:
                    raise ArgumentError(f"{name} has {shape[dim]} rows of '{extent}', and another operand "
                                        f"{sizes[f'rows of {extent}']}")
                if dim not in cut and sizes.setdefault(str(extent), shape[dim]) != shape[dim]:
                    raise ArgumentError(f"{name} has {shape[dim]} coordinates in dimension {dim}, and another operand "
                                        f"{sizes[str(extent)]}")
            same.append((name, [size for dim, size in enumerate(shape) if dim not in cut],
                         value.get("format") if isinstance(value, Mapping) else getattr(value, "format", None),
                         str(getattr(value["values"] if isinstance(value, Mapping) else value, "dtype", type(value).__name__)),
                         bool(getattr(value, "requires_grad", False))))
        if self._given is not None and sizes.get("", len(self._given.own)) != len(self._given.own):
            raise ArgumentError(f"operands have {sizes['']} coordinates of '{self._division.index}', and parts say "
                                f"{len(self._given.own)}")
        return operands, same

    def _is_known(self, operands: Mapping[str, Any]) -> bool:
        """Whether halos are those of the call before: patterns of slices, and how many rows this rank has, have not changed."""
        return bool(self._known) and self._known.keys() == operands.keys() and all(
            parts.has_pattern(value, self._known[name]) if parts.is_sparse(value) and self._roles[name].dims else
            parts.shape_of(value) == parts.shape_of(self._known[name]) for name, value in operands.items())

    def _set_up(self, operands: Mapping[str, Any]) -> None:
        own = next((parts.shape_of(operands[name])[part.dims[0]] for name, part in self._roles.items()
                    if name in operands and part.dims), 0)
        divided = self._given or layout.neighbours(self._team, own)
        self._known, self._layouts, self._halos = {}, {self._division.extent: divided}, {}
        for extent in self._division.halos:
            self._layouts[extent] = self._layout(extent, operands, divided)
        needs = self._team.together(lambda: ({extent: self._needed(extent, operands) for extent in self._division.halos}, None))
        self._overlap = self._team.together(lambda: (Overlap.of(self._division, self._layouts, operands, self._outputs), None))
        for extent, need in needs.items():
            self._halos[extent] = Halo(self._team, self._layouts[extent], self._overlap.need if self._overlap else need)
        self._local = self._team.together(lambda: ({} if self._overlap else {
            name: parts.Renumbered(value, self._numbers(name)) for name, value in operands.items()
            if parts.is_sparse(value) and self._roles[name].dims}, None))
        self._known = {name: parts.same_arrays(value, self._kernel.validation == "always") for name, value in operands.items()}

    def _needed(self, extent: str, operands: Mapping[str, Any]) -> Array:
        """The coordinates that entries of slices list, each once. Raises ArgumentError of one that no rank has."""
        for name, _ in self._division.halos[extent]:
            if name in operands:
                parts.check_pattern(name, operands[name])
        size, least = self._layouts[extent].size, self._division.least.get(extent, 0)
        listed = [parts.coordinates(operands[name], dim) for name, dim in self._division.halos[extent] if name in operands]
        need: Array = np.unique(np.concatenate([np.asarray(one, np.int64) for one in listed])) if listed else np.zeros(0, np.int64)
        if need.size and not 0 <= need[0] <= need[-1] < size:
            raise ArgumentError(f"an entry lists {int(need[-1] if need[0] >= 0 else need[0])} of '{extent}', of which ranks have "
                                f"{size}")
        if least > need.size:
            need = np.arange(min(least, size))
        return need

    def _layout(self, extent: str, operands: Mapping[str, Any], divided: layout.Layout) -> layout.Layout:
        """Who has which rows: as operands have them, or where none has, as many each."""
        for name, part in self._roles.items():
            if name in operands and part.role == "rows" and self._inputs[name].shape[part.rows[0]] == extent:
                height = parts.shape_of(operands[name])[part.rows[0]]
                found = layout.neighbours(self._team, height)
                if self._given is None or found.size != divided.size:
                    return found
                self._team.together(functools.partial(_agree, name, height, len(divided.own)))
                return divided
        for name, dim in self._division.halos[extent]:
            if name in operands:
                size = parts.shape_of(operands[name])[dim]
                return divided if size == divided.size else layout.equal(self._team, size)
        return divided

    def _numbers(self, name: str) -> Dict[int, Array]:
        """By dimension, the coordinates that this rank has of it, where these are a halo's."""
        argument = self._inputs.get(name) or self._outputs[name]
        return {dim: self._halos[str(argument.shape[dim])].need for dim in self._roles[name].rows}

    def _renumbered(self, name: str, value: Any) -> Any:
        if name in self._local:
            return self._local[name].of(value)
        if self._roles[name].dims:  # a dense slice
            for dim, need in self._numbers(name).items():
                value = np.take(value, need, dim)
        return value

    def _exchange(self, operands: Mapping[str, Any]) -> Dict[str, Callable[[], Any]]:
        """Starts to send rows; by operand, what waits for those of others."""
        finishes: Dict[str, Callable[[], Any]] = {}
        for name, value in operands.items():
            part = self._roles[name]
            if part.role == "whole" and self._torch:
                finishes[name] = functools.partial(self._torch.whole, value, self._team)
            if part.role != "rows":
                continue
            others, dim = part.rows[1:], part.rows[0]
            halo = self._halos[str(self._inputs[name].shape[dim])]
            numbers = {at: self._halos[str(self._inputs[name].shape[at])].need for at in others}
            if self._torch and self._torch.is_tensor(value):
                finishes[name] = functools.partial(self._torch.rows, value, dim, halo, numbers)
            elif sp.issparse(value):
                start = halo.start_sparse((value if dim == 0 else value.T).tocsr())
                finishes[name] = _turned(start, dim, numbers, value.format)
            else:
                finishes[name] = _moved(halo.start(np.moveaxis(np.asarray(value), dim, 0), name), dim, numbers)
        return finishes

    def _result(self, name: str, result: Any) -> Any:
        part, argument = self._roles[name], self._outputs[name]
        lists = self._numbers(name)
        if self._torch:
            return result if not lists and part.dims or part.role == "whole" else \
                self._torch.reduced(result, name, part, lists, self._team)
        sizes = {dim: self._layouts[str(argument.shape[dim])].size for dim in lists}
        if part.dims or part.role == "whole":
            return parts.global_again(result, lists, sizes, float(argument.fill) if argument.fill else 0)
        return self._reduced(part, result, lists, argument)

    def _reduced(self, part: Part, share: Any, lists: Mapping[int, Array], argument: Any) -> Any:
        if parts.is_sparse(share):
            return self._sum_of_sparse(share, lists, argument)
        array = np.asarray(share)
        if not lists:
            reduced = self._team.reduce(array, part.role)
            if argument.is_read:
                share[...] = reduced
                return share
            return reduced if array.ndim else reduced[()]
        dim = next(iter(lists))
        array = _at_own(array, {other: need for other, need in lists.items() if other != dim})
        rows = self._halos[str(argument.shape[dim])].send_back(np.moveaxis(array, dim, 0), part.role, _start(part.role, array.dtype))
        return np.moveaxis(rows, 0, dim)

    def _sum_of_sparse(self, share: Any, lists: Mapping[int, Array], argument: Any) -> Any:
        """All ranks' entries together; of a share that has some rows this rank's."""
        if self._roles[argument.name].role != "sum" or not sp.issparse(share):
            raise ArgumentError(f"{argument.name} is a sparse result of which ranks have shares that are no sums of matrices: bind "
                                "it to a dense format, or divide by another index")
        sizes = {dim: self._layouts[str(argument.shape[dim])].size for dim in lists}
        mine = parts.global_again(share, lists, sizes, 0).tocoo()
        row, col, data = (self._team.gather(one) for one in (mine.row.astype(np.int64), mine.col.astype(np.int64), mine.data))
        whole = sp.coo_matrix((data, (row, col)), mine.shape).asformat("csr")
        for dim in list(lists)[:1]:
            own = self._layouts[str(argument.shape[dim])].own
            whole = whole[own] if dim == 0 else whole[:, own]
        return type(share)(whole.asformat(share.format))


def _agree(name: str, height: int, said: int) -> Tuple[None, None]:
    if height != said:
        raise ArgumentError(f"{name} has {height} rows, and parts say {said}")
    return None, None


def _start(role: str, dtype: Any) -> Any:
    """What a reduction begins with."""
    if role in _STARTS:
        return _STARTS[role]
    ends: Tuple[Any, Any] = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return ends[role == "min"]


def _at_own(array: Array, lists: Mapping[int, Array]) -> Array:
    if lists:
        raise ArgumentError("a share that has some rows along two dimensions is not reduced")
    return array


def _turned(finish: Callable[[], Any], dim: int, numbers: Mapping[int, Array], kind: str) -> Callable[[], Any]:
    def done() -> Any:
        rows = finish()
        return parts.renumbered(_kept(rows if dim == 0 else rows.T, numbers), numbers).asformat(kind)
    return done


def _kept(matrix: Any, numbers: Mapping[int, Array]) -> Any:
    """The entries at coordinates that are numbered."""
    for dim, need in numbers.items():
        entries = matrix.tocoo()
        keep = np.isin(parts.coordinates(entries, dim), need)
        matrix = sp.coo_matrix((entries.data[keep], (entries.row[keep], entries.col[keep])), entries.shape)
    return matrix


def _moved(finish: Callable[[], Array], dim: int, numbers: Mapping[int, Array]) -> Callable[[], Array]:
    def done() -> Array:
        rows = np.moveaxis(finish(), 0, dim)
        for at, need in numbers.items():
            rows = np.take(rows, need, at)
        return rows
    return done
