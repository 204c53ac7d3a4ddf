"""What was made of tensors, kept as long as they are there and nothing is written to them. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import functools
import threading
import weakref
from typing import Any, Callable, Dict, Hashable, List, Optional, Tuple

import torch

from ..sources import torch_private

_MOST = 16  # things that are kept of one tensor
_ITSELF = object()

_lock = threading.Lock()
#: By the addresses of tensors: which one it is, how often it had been written, and what was made of it.
_known: Dict[int, Tuple[Any, Any, Dict[Hashable, Any]]] = {}


def of(tensor: Any, version: Any) -> Dict[Hashable, Any]:
    """What is kept of an object in a version: a dictionary, which goes with the object, and is another one where the version
    is. What it holds must not hold the object."""
    place = id(tensor)
    known = _known.get(place)
    if known is None or known[0]() is not tensor or known[1] != version:
        with _lock:
            known = _known[place] = weakref.ref(tensor, functools.partial(_forget, _known, place)), version, {}
    return known[2]


def put(kept: Dict[Hashable, Any], key: Hashable, value: Any) -> Any:
    """Keeps something more, in place of all where there is much. Returns it."""
    if len(kept) >= _MOST:
        kept.clear()
    kept[key] = value
    return value


def _forget(known: Dict[int, Any], place: int, reference: Any) -> None:
    """known: `_known`, which the module has no more when the process ends."""
    one = known.get(place)
    if one is not None and one[0] is reference:
        known.pop(place, None)


def plain(tensor: Any) -> Any:
    """The tensor that PyG's EdgeIndex has; any other as it is."""
    return tensor.as_tensor() if hasattr(tensor, "as_tensor") else tensor


def version_of(tensor: Any) -> Any:
    """How often torch has written to a tensor or its parts, and where these lie, as `.data` may be another one's; None of one that does not count, as those of inference mode."""
    tensor = plain(tensor)
    parts = [tensor]
    if tensor.layout is torch.sparse_csr:
        parts = [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    elif tensor.layout is torch.sparse_csc:
        parts = [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    elif tensor.layout is torch.sparse_coo:
        parts = [torch_private.coordinates(tensor), torch_private.values(tensor)]
    if any(part.is_inference() for part in parts):
        return None
    return tuple([(torch_private.version(part), part.data_ptr(), part.stride()) for part in parts])


class Results:
    """Tensors that a function has returned, whose argument may be among them."""

    def __init__(self, results: Tuple[Any, ...], argument: Any):
        self._results = [_ITSELF if result is argument else result for result in results]
        self._versions = self._current()

    def _current(self) -> List[Any]:
        return [version_of(result) if isinstance(result, torch.Tensor) else None for result in self._results]

    def get(self, argument: Any) -> Optional[Tuple[Any, ...]]:
        """The results; None where somebody has written to one of them."""
        if self._current() != self._versions:
            return None
        return tuple([argument if result is _ITSELF else result for result in self._results])

    @staticmethod
    def can_hold(results: Tuple[Any, ...], argument: Any) -> bool:
        """Whether results may be kept: they do not change by gradients, and none is part of the argument, which it would hold."""
        return all(result is argument or not isinstance(result, torch.Tensor) or
                   not result.requires_grad and torch_private.base(plain(result)) is not plain(argument) and
                   not plain(result).is_inference() for result in results)


def called(argument: Any, version: Any, key: Hashable, function: Callable[[], Any]) -> Any:
    """What a function returns of an argument in a version: a tuple of tensors, or of what else it may be. It is called where
    it was not before, with this key."""
    kept = of(argument, version)
    known = kept.get(key)
    if known is not None and (results := known.get(argument)) is not None:
        return results
    with torch.inference_mode(False), torch.no_grad():
        results = function()
    if Results.can_hold(results, argument):
        put(kept, key, Results(results, argument))
    return results
