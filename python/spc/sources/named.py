"""The storage that a format's name or a format file's contents mean for tensors of an order."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ..compiler import answers
from ..errors import ArgumentError, ArgumentTypeError, CompileError, CompilerError
from ..storage.signature import Level, Storage, parse_storage
from ..storage.view import coo_storage, csr_storage, dense_storage, doubly_compressed_storage

#: Binsparse's formats of two dimensions and one.
NAMED: Dict[str, Storage] = {
    "CSR": csr_storage(), "CSC": csr_storage(by_columns=True), "DCSR": doubly_compressed_storage(),
    "DCSC": doubly_compressed_storage(by_columns=True), "COO": coo_storage(2), "COOR": coo_storage(2),
    "COOC": coo_storage(2, by_columns=True), "CVEC": coo_storage(1), "DVEC": dense_storage(1),
    "DMAT": dense_storage(2), "DMATR": dense_storage(2), "DMATC": dense_storage(2, (1, 0)),
}
_LOOSE = {csr_storage(): csr_storage(False, False), csr_storage(True): csr_storage(True, False)}


def storage_of(said: Union[str, Mapping[str, Any]], order: int) -> Storage:
    """The storage that is said by a name of Binsparse's or of a format of spc's, which may have a mode order ("csf:2,0,1"), or
    by the contents of a format file.

    Raises ArgumentError of formats of another order, ArgumentTypeError of what is no format, or none that is passed from
    Python.
    """
    storage = _by_name(said, order) if isinstance(said, str) else _of_contents(said, order)
    if storage.order != order:
        raise ArgumentError(f"its shape is of order {order}, and the format of order {storage.order}")
    if storage.layout or storage.symmetric or any(
            level.extent not in ("full", "ragged", "ragged-lengths", "fixed") or
            (level.storage == "dense" and level.extent != "full") for level in storage.levels):
        raise ArgumentTypeError("formats of triangles, ragged dense rows and interleaved coordinates are not passed from "
                                "Python")
    return storage


def loose_of(storage: Storage) -> Optional[Storage]:
    """The storage of the same arrays where entries are out of order or repeat; None where there is none for them."""
    if storage is coo_storage(storage.order):
        return coo_storage(storage.order, False)
    return _LOOSE.get(storage)


def _by_name(said: str, order: int) -> Storage:
    name, _, modes = said.partition(":")
    if name.upper() == "COO":
        found = coo_storage(order)
    elif (known := NAMED.get(name.upper())) is not None:
        found = known
    else:
        try:
            found = _of_contents(answers.shipped_format(name), order)
        except CompileError:
            raise ArgumentTypeError(f"{said!r} is no format: 'spc formats' lists those of spc, and Binsparse has "
                                    f"{', '.join(NAMED)}") from None
    return _turned(found, said, modes) if modes else found


def _turned(storage: Storage, said: str, modes: str) -> Storage:
    """A storage whose dimensions are other ones, as a mode order says. Raises ArgumentError where it is none."""
    try:
        dims: Tuple[int, ...] = tuple(int(mode) for mode in modes.split(","))
    except ValueError:
        dims = ()
    if sorted(dims) != list(range(storage.order)):
        raise ArgumentError(f"{said!r} has no mode order for {storage.order} dimensions, as csf:2,0,1 has for three")
    levels: List[Level] = [
        dataclasses.replace(level, dim=dims[level.dim], by=dims[level.by] if level.op == "-" else level.by)
        for level in storage.levels]
    return Storage(storage.order, tuple(levels), storage.symmetric, storage.layout)


def _of_contents(said: Any, order: int) -> Storage:
    """The storage of a format file's contents, whose levels may be those of any order. Raises ArgumentTypeError."""
    if isinstance(said, Mapping) and isinstance(said.get("format"), str):
        return _by_name(said["format"], order)
    try:
        if said["dims"] == "any":
            dims, levels = [f"d{dim}" for dim in range(order)], said["levels"]
            listed = [levels["each"]] * order if "each" in levels else [levels["first"], *[levels["rest"]] * (order - 1)]
            if order == 1 and "rest" in levels:
                listed = [{**levels["first"], "unique": levels["rest"].get("unique", True)}]
            said = {**said, "dims": dims, "levels": [{"dim": dim, **level} for dim, level in zip(dims, listed)]}
        return _repeating(parse_storage(said))
    except CompilerError as error:
        raise ArgumentTypeError(f"its format is no format file's contents: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArgumentTypeError(
            'its format is no format file\'s contents, such as {"dims": ["i", "j"], "levels": [{"dim": "i", "storage": '
            '"dense"}, {"dim": "j", "storage": "compressed", "extent": "ragged"}]} or {"format": "csr"}') from None


def _repeating(storage: Storage) -> Storage:
    """A storage whose levels above singletons are not unique, as the compiler has them: they repeat a coordinate for each
    entry."""
    below = [*storage.levels[1:], None]
    levels = tuple(dataclasses.replace(level, unique=False) if level.storage == "compressed" and under is not None and
                   under.storage == "compressed" and under.extent == "fixed" and under.width == "1" else level
                   for level, under in zip(storage.levels, below))
    return Storage(storage.order, levels, storage.symmetric, storage.layout)


__all__ = ["NAMED", "loose_of", "storage_of"]
