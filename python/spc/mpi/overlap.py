"""Rows that need nothing of other ranks are computed while the halo travels: the same kernel on some rows and then on the
others, so that kernels that are not linear stay right."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Callable, Dict, Mapping, Optional, Tuple

import numpy as np
import scipy.sparse as sp

from ..kernel import KernelBase
from ..storage.division import Division
from ..storage.dtypes import Array
from ..storage.signature import Argument, TensorArgument
from .layout import Layout
from .team import Team

_MOST = 0.5  # of all rows, that may need something of others


class Overlap:
    """The rows of a csr matrix in two matrices: one has all rows, of which those are empty that list coordinates of other
    ranks, the other one has these."""

    def __init__(self, name: str, matrix: Any, is_far: Array, place: Layout):
        """is_far: of each row."""
        self._name, self._rows, lengths = name, np.flatnonzero(is_far), np.diff(matrix.indptr)
        kind = matrix.indices.dtype
        of_far = np.repeat(is_far, lengths)
        self._inner, self._outer = np.flatnonzero(~of_far), np.flatnonzero(of_far)
        #: The coordinates that the others list.
        self.need = np.unique(matrix.indices[self._outer])
        self._near = sp.csr_matrix((matrix.data[self._inner], place.places(matrix.indices[self._inner]).astype(kind),
                                    _ends(np.where(is_far, 0, lengths), kind)), (matrix.shape[0], len(place.own)))
        self._far = sp.csr_matrix((matrix.data[self._outer], np.searchsorted(self.need, matrix.indices[self._outer]).astype(kind),
                                   _ends(lengths[self._rows], kind)), (len(self._rows), len(self.need)))

    @staticmethod
    def of(division: Division, layouts: Mapping[str, Layout], operands: Mapping[str, Any],
           outputs: Mapping[str, Argument]) -> Optional["Overlap"]:
        """Where a kernel's rows are those of one csr matrix, and all else is dense; None elsewhere."""
        listing = {name for lists in division.halos.values() for name, _ in lists if name in operands}
        if len(division.halos) != 1 or len(listing) != 1:
            return None
        name, (extent, lists) = next(iter(listing)), next(iter(division.halos.items()))
        matrix = operands[name]
        if lists != ((name, 1),) or not sp.issparse(matrix) or matrix.format != "csr" or not matrix.shape[0]:
            return None
        for argument, part in division.arguments.items():
            is_rows = part.role == "rows" and part.rows == (0,) or part.dims == (0,) and not part.rows or part.role == "whole"
            is_dense = isinstance(operands.get(argument), np.ndarray) or part.role == "whole" and argument in operands
            if argument in outputs:
                one = outputs[argument]
                is_rows = part.dims == (0,) and not part.rows and not one.is_read
                is_dense = isinstance(one, TensorArgument) and one.storage.is_dense
            if argument != name and not (is_rows and is_dense):
                return None
        place = layouts[extent]
        is_own = np.zeros(place.size, bool)
        is_own[place.own] = True
        far = _ends(~is_own[matrix.indices], np.int64)
        is_far = far[matrix.indptr[1:]] > far[matrix.indptr[:-1]]
        return Overlap(name, matrix, is_far, place) if is_far.sum() <= _MOST * matrix.shape[0] else None

    def run(self, kernel: KernelBase, operands: Mapping[str, Any], division: Division,
            finishes: Mapping[str, Callable[[], Array]], team: Team, out: Any) -> Tuple[Any, ...]:
        """The results of a call whose rows are on their way. Raises on all ranks alike."""
        data, failed = operands[self._name].data, None
        results: Tuple[Any, ...] = ()
        try:
            np.take(data, self._inner, out=self._near.data, mode="clip")
            results = _tuple(kernel(**{**operands, self._name: self._near}, out=out))
        except Exception as error:  # pylint: disable=broad-except  # the others wait for this rank
            failed = error
        rows = {name: finish() for name, finish in finishes.items()}

        def rest() -> Tuple[Tuple[Any, ...], Any]:
            if failed is not None:
                raise failed
            if self._rows.size:
                np.take(data, self._outer, out=self._far.data, mode="clip")
                given: Dict[str, Any] = {name: rows[name] if name in rows else value[self._rows] if division.arguments[name].dims
                                         else value for name, value in operands.items() if name != self._name}
                for whole, part in zip(results, _tuple(kernel(**given, **{self._name: self._far}))):
                    whole[self._rows] = part
            return results, None
        return team.together(rest)


def _ends(lengths: Array, kind: Any) -> Array:
    """Where each of some lengths begins, and where the last one ends."""
    ends = np.zeros(len(lengths) + 1, kind)
    np.cumsum(lengths, out=ends[1:])
    return ends


def _tuple(made: Any) -> Tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)
