"""What a rank has of an operand: its coordinates, renumbered, and some of its rows."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Dict, Mapping, Tuple

import numpy as np
import scipy.sparse as sp

from ..errors import ArgumentError
from ..storage.dtypes import Array
from ..tensors import convert

_KINDS = ("csr", "csc", "coo")


def is_sparse(value: Any) -> bool:
    """Whether an operand lists entries."""
    return sp.issparse(value) or isinstance(value, Mapping)


def shape_of(value: Any) -> Tuple[int, ...]:
    return tuple(value["shape"] if isinstance(value, Mapping) else getattr(value, "shape", ()))


def check(name: str, value: Any, is_sent: bool) -> None:
    """Raises ArgumentError of a sparse operand that cannot be renumbered, or whose rows cannot be sent."""
    if sp.issparse(value) and value.format not in _KINDS:
        raise ArgumentError(f"{name}: parts are SciPy's csr, csc or coo, not {value.format}")
    if is_sent and isinstance(value, Mapping):
        raise ArgumentError(f"{name}: rows of tensors of coordinates are not exchanged; give a matrix of SciPy's")
    if is_sent:
        check_pattern(name, value)


def check_pattern(name: str, value: Any) -> None:
    """Raises ArgumentError of a matrix whose arrays are none of one."""
    if sp.issparse(value) and value.format != "coo":
        try:
            value.check_format(full_check=True)
        except (ValueError, IndexError) as error:
            raise ArgumentError(f"{name}: {error}") from None


def listed(value: Any) -> Any:
    """An operand whose coordinates are arrays: what other dictionaries hold as one of coordinates."""
    return convert(value, "coo") if isinstance(value, Mapping) and value.get("format") != "coo" else value


def stored(value: Any, like: Any) -> Any:
    """What listed() has made of an operand, stored as that is."""
    return value if listed(like) is like else convert(value, like["format"])


def coordinates(value: Any, dim: int) -> Array:
    """Those of all entries in a dimension."""
    if isinstance(value, Mapping):
        return np.asarray(value[f"indices_{dim}"])
    compressed = {"csr": 0, "csc": 1}.get(value.format)
    found: Array = (value.col if dim else value.row) if compressed is None else value.indices if dim != compressed else \
        np.repeat(np.arange(value.shape[dim]), np.diff(value.indptr))
    return found


def renumbered(value: Any, numbers: Mapping[int, Array]) -> Any:
    """The same entries where some dimensions have these coordinates alone, in order: values are not copied where the pattern
    lets them be."""
    if not numbers:
        return value
    def new(dim: int) -> Array:
        listed = coordinates(value, dim)
        return np.searchsorted(numbers[dim], listed).astype(listed.dtype) if dim in numbers else listed
    shape = tuple(len(numbers[dim]) if dim in numbers else size for dim, size in enumerate(shape_of(value)))
    if isinstance(value, Mapping):
        return {**value, "shape": shape, **{f"indices_{dim}": new(dim) for dim in range(len(shape))}}
    compressed = {"csr": 0, "csc": 1}.get(value.format)
    if compressed is not None and compressed not in numbers:
        made = type(value)((value.data, new(1 - compressed), value.indptr), shape, copy=False)
    else:
        made = sp.coo_matrix((value.data, (new(0), new(1))), shape).asformat(value.format)
    return made


class Renumbered:
    """A sparse operand where some dimensions have a halo's coordinates alone, with the values of each call."""

    def __init__(self, value: Any, numbers: Mapping[int, Array]):
        self._is_mapping = isinstance(value, Mapping)
        count = (value["values"] if self._is_mapping else value.data).size
        # What becomes of the places of values says where those of later calls go.
        numbered = {**value, "values": np.arange(count)} if self._is_mapping else _with_data(value, np.arange(count))
        self._made = renumbered(numbered, numbers)
        places = self._made["values"] if self._is_mapping else self._made.data
        self._places = None if np.array_equal(places, np.arange(count)) else places
        self._last: Any = None   # the values of the call before
        self._local: Any = None

    def of(self, value: Any) -> Any:
        """The values of an operand with the entries that there were."""
        data = value["values"] if self._is_mapping else value.data
        if data is self._last and self._places is None:
            return self._local
        self._last, data = data, data if self._places is None else data[self._places]
        self._local = {**self._made, "values": data} if self._is_mapping else _with_data(self._made, data)
        return self._local


def _with_data(matrix: Any, data: Array) -> Any:
    arrays = (data, (matrix.row, matrix.col)) if matrix.format == "coo" else (data, matrix.indices, matrix.indptr)
    return type(matrix)(arrays, matrix.shape, copy=False)


def same_arrays(value: Any, is_watched: bool) -> Any:
    """An operand with the arrays that it has now: its owner may put others into a matrix. is_watched: or change those there are,
    of which this one has copies, then."""
    if isinstance(value, Mapping):
        return {name: array.copy() if is_watched and isinstance(array, np.ndarray) else array for name, array in value.items()}
    return (value.copy() if is_watched else _with_data(value, value.data)) if sp.issparse(value) else value


def has_pattern(value: Any, known: Any) -> bool:
    """Whether a matrix lists the entries that another one does, in the same order."""
    if type(value) is not type(known) or shape_of(value) != shape_of(known):
        return False
    names = [name for name in value if name.startswith("indices_")] if isinstance(value, Mapping) else \
        ["row", "col"] if value.format == "coo" else ["indptr", "indices"]
    arrays = [(value[name], known[name]) if isinstance(value, Mapping) else (getattr(value, name), getattr(known, name))
              for name in names]
    return all(one is other or np.array_equal(one, other) for one, other in arrays)


def global_again(result: Any, lists: Mapping[int, Array], sizes: Dict[int, int], fill: Any) -> Any:
    """A result at the coordinates of the whole in some dimensions, of which it has those in `lists`."""
    if not lists:
        return result
    shape = tuple(sizes.get(dim, size) for dim, size in enumerate(shape_of(result)))
    if isinstance(result, Mapping):
        return {**result, "shape": shape, **{f"indices_{dim}": list_[result[f"indices_{dim}"]] for dim, list_ in lists.items()}}
    if sp.issparse(result):
        rows, columns = (lists[dim][coordinates(result, dim)] if dim in lists else coordinates(result, dim) for dim in (0, 1))
        return type(result)(sp.coo_matrix((result.data, (rows, columns)), shape))
    whole = np.full(shape, fill, result.dtype)
    whole[np.ix_(*[lists.get(dim, np.arange(size)) for dim, size in enumerate(shape)])] = result
    return whole
