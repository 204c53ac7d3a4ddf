"""Copies of operands in the storage and types that a kernel reads, for those who ask for them (copy=True)."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
from typing import Any, Optional, Tuple

import numpy as np

from ..compiler import cache
from ..compiler.compiled import Functions
from ..errors import ArgumentError, ArgumentTypeError, Error
from ..sources import view_of
from ..sources.arrays import dense, exported_array
from ..storage import dtypes
from ..storage.describe import contents_of, name_of
from ..storage.dtypes import Array
from ..storage.signature import Argument, Storage, TensorArgument
from ..storage.view import Operand, View
from . import threads
from .binding import fits, of_another_order
from .order import canonical
from .outputs import Assembled
from .variant import Variant


def readable(value: Any, name: str) -> Operand:
    """The view of an operand, or of a copy of it where nothing reads it as it is. Raises ArgumentError where nothing
    copies it either."""
    try:
        return view_of(value, name)
    except ArgumentError:
        try:
            copied = _plain(value)
        except (Error, MemoryError):
            raise
        except Exception as error:  # of the operand's own class
            raise ArgumentTypeError(f"{name}: its memory cannot be read: {error}") from None
        if copied is None:
            raise
    return view_of(copied, name)


def _plain(value: Any) -> Optional[Any]:
    """A copy in the plainest form of its kind; None of what no copy is known of."""
    if isinstance(value, np.ma.MaskedArray):
        masked: Any = value  # of which elements without a value have none that anybody has said
        return None if np.any(masked.mask) else masked.data.copy()
    if isinstance(value, (np.ndarray, list, tuple)):
        try:
            array = np.asarray(value, order="C")
        except (ValueError, RuntimeError):  # lists of different lengths, or of tensors that require gradients
            return None
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if hasattr(value, "tocoo") and len(getattr(value, "shape", ())) != 2:
        return value.tocoo().copy()
    if getattr(value, "format", None) == "dia" and value.data.shape[:1] != value.offsets.shape:
        return None  # SciPy would read what is not there
    if hasattr(value, "tocsr"):
        try:
            made = value.tocsr(copy=True)
        except (ValueError, IndexError):  # its arrays do not fit each other, which its view says
            return None
        made.sum_duplicates()
        if getattr(value, "format", None) in ("bsr", "dia"):
            made.eliminate_zeros()  # which nothing tells from padding
        return made
    if hasattr(value, "with_values"):
        return value.contiguous()
    if hasattr(value, "is_cuda"):
        plain = value.detach().cpu().resolve_conj().resolve_neg()
        return plain.coalesce() if str(plain.layout) == "torch.sparse_coo" else plain.contiguous()
    exported = exported_array(value)
    return None if exported is None else np.array(exported, order="C")


def fitting(view: Operand, argument: Argument) -> View:
    """The view of a copy that has the storage and the types of an argument. Raises ArgumentError that says why there is
    none."""
    if not isinstance(view, View) or not isinstance(argument, TensorArgument) or len(view.shape) != len(argument.shape):
        raise of_another_order(view, argument)
    if view.type == "bool" != argument.type and not view.storage.is_dense:
        view = _without_repeats(view)
    copy = _cast(view, argument)
    if not fits(copy, argument.storage) or not copy.storage.is_dense and \
            (copy.pointers, copy.indices) != (argument.pointers, argument.indices):
        copy = _stored(copy, argument)
    copy.family = view.family
    return copy


def _without_repeats(view: View) -> View:
    """A copy in which no place is listed twice; the view where that is so. Repeated bools that are true are true together, and
    numbers that are made of them would add up."""
    storage = canonical(view.storage)
    if storage is view.storage:
        return view
    return _made(view, storage, view.type, view.pointers, view.indices)


def _cast(view: View, argument: TensorArgument) -> View:
    """A view whose values are of an argument's type."""
    values = view.arrays["values", 0]
    if view.type != argument.type:
        values = _values(values, view.type, argument)
    if view.storage.is_dense:
        return dense(values, argument.type, "numpy", None)
    return View(view.shape, argument.type, view.storage, {**view.arrays, ("values", 0): values}, "numpy", None,
                pointers=view.pointers, indices=view.indices, stored=view.stored, numbers=view.numbers)


def _values(values: Array, type_: str, argument: Argument) -> Array:
    """Raises ArgumentTypeError where a conversion changes more of them than the last digits."""
    if type_ == "bf16":
        values = dtypes.from_bf16(values)
    wanted = np.dtype(np.float32) if argument.type == "bf16" else dtypes.NUMPY[argument.type]
    made = values.astype(wanted) if np.can_cast(values.dtype, wanted, "same_kind") else None
    if made is None or wanted.kind in "iu" and not np.array_equal(made, values):
        raise ArgumentTypeError(f"{argument.name}: values of type {type_}, and the kernel reads {argument.type}: they would "
                                f"not stay what they are; .astype({wanted.name!r}) says that this is wanted")
    return dtypes.to_bf16(made) if argument.type == "bf16" else made


def _stored(view: View, argument: TensorArgument) -> View:
    """A copy in an argument's storage, which a kernel makes. Raises ArgumentError where none can."""
    try:
        if argument.storage.symmetric:
            raise ArgumentError("it stores one triangle, and nothing says that the matrix is symmetric")
        return _made(view, argument.storage, argument.type, argument.pointers, argument.indices)
    except Error as error:
        raise ArgumentError(f"{argument.name}: stored as {name_of(view.storage)}, and no copy of it as "
                            f"{_with_index(argument)} can be made: {error}") from None


def _made(view: View, storage: Storage, type_: str, pointers: str, indices: str) -> View:
    """The copy. Raises Error where there is no kernel for it, or it fails."""
    variant = Variant(_copier(view.spec, storage, type_, pointers, indices))
    call = variant.prepare({"A": view}, {}, {})
    output = call.outputs[0]
    if status := variant.functions.call(threads.context(), call.vector):
        variant.fail(status)
    return output.finish_view() if isinstance(output, Assembled) else dense(output.result, type_, "numpy", None)


def _with_index(argument: TensorArgument) -> str:
    """A storage with the types of its indices."""
    is_listed = any(level.storage != "dense" for level in argument.storage.levels)
    types = [type_ for type_ in dict.fromkeys((argument.pointers, argument.indices)) if type_ and is_listed]
    return name_of(argument.storage) + (f" with indices of type {' and '.join(types)}" if types else "")


@functools.lru_cache(maxsize=256)
def _copier(spec: Tuple[Storage, str, str, str], storage: Storage, type_: str, pointers: str, indices: str) -> Functions:
    """The kernel that copies a tensor into another storage. Of dense ones, zeros are left out."""
    places = ", ".join(f"d{dim}" for dim in range(storage.order))
    formats = {"A": _format(spec[0], *spec[2:]), "B": _format(storage, pointers, indices)}
    request = cache.Request(f"B({places}) = A({places})\n", "copy_as", formats, {"": type_}, {},
                            ("--drop-zeros",) if spec[0].is_dense else ())
    return cache.load(request, is_quiet=True)


def _format(storage: Storage, pointers: str, indices: str) -> cache.Format:
    if storage.is_dense:
        return name_of(storage)
    return {**contents_of(storage), "index": {"pointers": pointers or indices, "indices": indices}}
