"""From views to the structs of the calling convention."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
import operator
from typing import Any, Dict, FrozenSet, Mapping, Sequence, Union

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from ..storage import dtypes
from ..storage.describe import name_of
from ..storage.signature import Argument, Signature, Storage, TensorArgument
from ..storage.view import NumberView, Operand, View, address, csr_storage

_NUMBERS = {
    "f32": ctypes.c_float, "f64": ctypes.c_double, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
    "i64": ctypes.c_int64, "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64, "bool": ctypes.c_bool,
}


def struct_of(view: View, argument: Argument) -> "ctypes.Array[ctypes.c_int64]":
    """The struct that an argument is to point to: as many words of 8 bytes as it has fields.

    Requires that the view fits (`check`). The arrays must outlive the struct, and the struct the call.
    """
    shape, strides, arrays = view.shape, view.strides, view.arrays
    if argument.is_shape_strides_values:
        return argument.words(*shape, *strides, address(arrays["values", 0]))
    words = []
    for field in argument.fields:
        holds = field.holds
        if holds == "size":
            words.append(shape[field.dim])
        elif holds == "stride":
            words.append(strides[field.dim])
        elif holds == "stored":
            words.append(view.stored)
        elif holds in ("count", "width"):
            words.append(view.numbers[holds, field.level])
        else:
            words.append(address(arrays[holds, field.level]))
    return argument.words(*words)


def number_of(value: Any, argument: Argument) -> Any:
    """A number as the call reads it: in memory of its own, of the argument's type. Raises ArgumentTypeError."""
    try:
        if argument.type in _NUMBERS:
            if argument.type[0] in "iu":
                if isinstance(value, (float, np.floating)):
                    raise TypeError(f"numbers take the type of the arrays that they meet unless "
                                    f"types={{{argument.name!r}: 'f64'}} says theirs")
                limits = np.iinfo(dtypes.NUMPY[argument.type])
                value = operator.index(value)
                if not limits.min <= value <= limits.max:
                    raise OverflowError(f"it is not from {limits.min} to {limits.max}")
            return _NUMBERS[argument.type](value)
        data = np.array(value, np.float32 if argument.type == "bf16" else dtypes.NUMPY[argument.type])
        if argument.type == "bf16":
            data = dtypes.to_bf16(data)
    except (TypeError, OverflowError, ValueError) as error:
        raise ArgumentTypeError(f"{argument.name}: {value!r} is no {argument.type}: {error}") from None
    return (ctypes.c_char * data.nbytes).from_buffer_copy(data.tobytes())


def renew_number(place: Any, view: NumberView, argument: Argument) -> None:
    """Writes the number of an operand to the memory that `number_of` has made, as it may be another one by now."""
    made = number_of(view.number, argument)
    ctypes.memmove(ctypes.addressof(place), ctypes.addressof(made), ctypes.sizeof(made))


def number_in(place: Any, argument: Argument) -> Any:
    """The number that a call has written, as NumPy's; a bf16 one as float32."""
    if argument.type == "bf16":
        return dtypes.from_bf16(np.frombuffer(place, np.uint16))[0]
    return np.frombuffer(place, dtypes.NUMPY[argument.type])[0]


def fits(view: View, storage: Storage) -> bool:
    """Whether a view's arrays are right for another storage, too: what is in order is so, too, where order does not
    count, and arrays with one column are both row-major and column-major."""
    mine = view.storage
    if mine is storage:
        return True
    if mine.order != storage.order or len(mine.levels) != len(storage.levels):
        return False
    if mine.is_dense and storage.is_dense:
        inner = storage.levels[-1].dim
        return view.shape[inner] <= 1 or view.strides[inner] == 1 or mine.order == 1
    if (mine.symmetric, mine.layout) != (storage.symmetric, storage.layout):
        return False
    for one, other in zip(mine.levels, storage.levels):
        if (one.dim, one.op, one.by, one.storage, one.extent, one.start) != \
                (other.dim, other.op, other.by, other.storage, other.extent, other.start) or \
                one.ordered < other.ordered or one.unique < other.unique or (other.width and one.width != other.width):
            return False
    return True


def of_another_order(view: Operand, argument: Argument) -> ArgumentError:
    """The error of an operand whose order is not its argument's."""
    if isinstance(view, View) and isinstance(argument, TensorArgument):
        return ArgumentError(f"{argument.name}: order {len(argument.shape)} is needed, and it has {len(view.shape)} "
                             "dimensions")
    wanted = f"a tensor of order {len(argument.shape)}" if isinstance(argument, TensorArgument) else "a number"
    kind = f"a tensor of order {len(view.shape)}" if isinstance(view, View) else "a number"
    return ArgumentTypeError(f"{argument.name}: {wanted} is needed, not {kind}")


def check(view: Operand, argument: Argument) -> None:
    """Whether a view is what the argument is compiled for. Raises ArgumentError or ArgumentTypeError that say what would
    help."""
    if not isinstance(view, View) or not isinstance(argument, TensorArgument):
        if isinstance(view, View) or isinstance(argument, TensorArgument):
            raise of_another_order(view, argument)
        return
    if len(view.shape) != len(argument.shape):
        raise of_another_order(view, argument)
    if view.storage is not argument.storage and not fits(view, argument.storage):
        raise ArgumentError(f"{argument.name}: stored as {name_of(view.storage)}, and the kernel reads "
                            f"{name_of(argument.storage)}{_advice(view, argument)}")
    if view.type != argument.type:
        raise ArgumentTypeError(f"{argument.name}: values of type {view.type}, and the kernel reads {argument.type}: "
                                f"{_cast(view, dtypes.NUMPY[argument.type].name)} converts")
    _check_indices(view, argument)


def _check_indices(view: View, argument: Argument) -> None:
    for (holds, _), array in view.arrays.items():
        wanted = argument.indices if holds == "indices" else argument.pointers if holds != "values" else ""
        if wanted and array.dtype != dtypes.NUMPY[wanted]:
            raise ArgumentTypeError(f"{argument.name}: {holds} of type {dtypes.name_of(array.dtype)}, and the kernel reads "
                                    f"{wanted}: .astype() of the index arrays converts, or copy=True of the kernel")


def _cast(view: View, name: str) -> str:
    return f".to(torch.{name})" if view.family == "torch" else f".astype({name!r})"


def _advice(view: View, argument: TensorArgument) -> str:
    """The conversion that would help, as far as there is one call for it."""
    name, mine = name_of(argument.storage), view.storage
    is_torch = view.family == "torch"
    if mine in (csr_storage(False, False), csr_storage(True, False)) and name in ("csr", "csc"):
        return f": .to_sparse_coo().coalesce().to_sparse_{name}() sorts it" if is_torch else \
            ": .sum_duplicates() sorts it, or bind csr-unsorted"
    if name_of(mine) == "coo-unsorted" and name == "coo":
        return ": .coalesce() sorts it" if is_torch else ": .tocsr().tocoo() sorts it, or bind coo-unsorted"
    if " unsorted blocks" in name_of(mine) and name_of(mine).replace(" unsorted", "") == name:
        return ": .sum_duplicates() and .sort_indices() put them in order"
    if argument.storage.is_dense:
        if mine.is_dense:
            return ": .contiguous() copies" if is_torch else ": np.ascontiguousarray() copies"
        bound = f"{argument.name}={name_of(mine)!r}" if " " not in name_of(mine) else f"a format for {argument.name}"
        return f": bind {bound}, or {'.to_dense()' if is_torch else '.toarray()'}"
    if is_torch:
        simple = {"csr": ".to_sparse_csr()", "csc": ".to_sparse_csc()", "coo": ".to_sparse().coalesce()"}
    else:
        simple = {"csr": ".tocsr()", "csc": ".tocsc()", "coo-unsorted": ".tocoo()", "coo": ".tocoo()",
                  "dia-cols": ".todia()"}
        if mine.is_dense and name in simple:
            return f": scipy.sparse.{name.split('-')[0]}_array() makes one of it"
    if name in simple:
        return f": {simple[name]} converts"
    return "" if argument.storage.symmetric or mine.symmetric else ", which copy=True of the kernel converts to"


def extents_said(signature: Signature) -> FrozenSet[Union[str, int]]:
    """The extents of which operands say how large they are, or what they say of others."""
    said = {extent for argument in signature.inputs if isinstance(argument, TensorArgument) and argument.passed != "values"
            for extent in argument.shape}
    for each in signature.sums:
        if all(isinstance(name, int) or name in said for _, names in each.products for name in names):
            said.add(each.extent)
    return frozenset(said)


def sizes_of(given: Any) -> Mapping[str, int]:
    """The sizes of extents that a caller gives, by name. Raises ArgumentTypeError of what is no such mapping."""
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"sizes cannot be {given!r}: they are given by name, as {{'i': 5}}")
    for name, size in given.items():
        if not hasattr(size, "__index__") or isinstance(size, bool):
            raise ArgumentTypeError(f"extent {name} cannot be {size!r}: it is to be an integer")
    return given


def extents_of(views: Mapping[str, Operand], signature: Signature, sizes: Mapping[str, int]) -> Dict[str, int]:
    """The sizes that operands give the extents, beside those that are given. Raises ArgumentError where two do not agree,
    or a declared number."""
    extents: Dict[str, int] = dict(sizes)
    arguments = signature.arguments
    for argument in arguments:
        view = views.get(argument.name)
        if not isinstance(view, View):
            continue
        for extent, size in zip(argument.shape, view.shape):
            if isinstance(extent, int):
                agrees = extent == size
            else:
                agrees = extents.setdefault(extent, size) == size
            if not agrees:
                _disagree(views, arguments, sizes)
    for each in signature.sums:
        total = each.value(extents)
        if total is not None and extents.setdefault(each.extent, total) != total:
            raise ArgumentError(f"{each.extent} has {extents[each.extent]} elements, and the kernel says {total}")
    return extents


def _disagree(views: Mapping[str, Operand], arguments: Sequence[Argument], sizes: Mapping[str, int]) -> None:
    """Raises the error of sizes that do not agree, with both places."""
    known = dict(sizes)
    said = {extent: "sizes" for extent in sizes}
    for argument in arguments:
        view = views.get(argument.name)
        shape: Sequence[int] = () if view is None else view.shape
        for dim, (extent, size) in enumerate(zip(argument.shape, shape)):
            if isinstance(extent, int):
                if extent != size:
                    raise ArgumentError(f"{argument.name}: dimension {dim} has {size} elements, and the kernel says "
                                        f"{extent}")
            elif known.setdefault(extent, size) != size:
                raise ArgumentError(f"{argument.name}: dimension {dim} ({extent}) has {size} elements, and "
                                    f"{said[extent]} has {known[extent]}")
            else:
                said.setdefault(extent, f"dimension {dim} of {argument.name}")
