"""From the objects of other libraries to views. Nothing here copies or converts."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, List, Optional

from ..errors import ArgumentError, ArgumentTypeError
from ..storage.view import NumberView, Operand, View
from . import arrays

Reader = Callable[[Any], Optional[Operand]]


def _torch(value: Any) -> Optional[Operand]:
    """PyTorch's tensors in the host's memory."""
    module = sys.modules.get("torch")
    if module is None or not isinstance(value, module.Tensor):
        return None
    from .torch import read  # not before there is a tensor: torch takes a second to import
    return read(module, value)


def _scipy(value: Any) -> Optional[Operand]:
    """SciPy's sparse arrays and matrices."""
    module = sys.modules.get("scipy.sparse")
    if module is None or not module.issparse(value):
        return None
    from .scipy import read
    return read(value)


def _binsparse(value: Any) -> Optional[Operand]:
    """Dictionaries of arrays in Binsparse's names."""
    if not isinstance(value, dict):
        return None
    from .binsparse import read
    return read(value)


def _pydata(value: Any) -> Optional[Operand]:
    """COO and GCXS of pydata/sparse."""
    module = sys.modules.get("sparse")
    kinds = tuple(kind for kind in (getattr(module, name, None) for name in ("COO", "GCXS")) if kind is not None)
    if not kinds or not isinstance(value, kinds):
        return None
    from .pydata import read
    return read(value)


#: Each takes an object, and gives its view, or None where the object is none of its own. The first ones are asked first.
READERS: List[Reader] = [arrays.number, arrays.array, _torch, _scipy, _binsparse, _pydata, arrays.exported]

#: Readers by class, of objects that they have read before.
_by_class: Dict[type, Reader] = {}


def reader(function: Reader) -> Reader:
    """Registers a reader; those that were registered first are asked first."""
    READERS.append(function)
    return function


def view_of(value: Any, name: str) -> Operand:
    """The view of an operand. Raises ArgumentTypeError of objects that nothing is known of, ArgumentError of arrays that
    lie in a way no format says; `name` is the tensor's, for the text."""
    try:
        if (known := _by_class.get(type(value))) is not None and (view := known(value)) is not None:
            return view
        for function in READERS:
            if (view := function(value)) is not None:
                _by_class[type(value)] = function
                return view
    except ArgumentError as error:
        raise type(error)(f"{name}: {error}") from None
    advice = ": np.array() makes an array of it" if isinstance(value, (list, tuple, range)) else ""
    raise ArgumentTypeError(f"{name}: {type(value).__module__}.{type(value).__qualname__} is no array, sparse matrix or "
                            f"number that is understood{advice}")


def tensor_view_of(value: Any, name: str) -> View:
    """The view of a tensor. Raises as `view_of` does, and ArgumentTypeError of numbers."""
    view = view_of(value, name)
    if isinstance(view, NumberView):
        raise ArgumentTypeError(f"{name}: a tensor is needed, not a number")
    return view
