"""Storage in words and as format files, for messages and for the compiler."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import functools
from typing import Any, Dict, List, Optional, Union

from .signature import Level, Storage
from .view import (block_of, bsr_storage, coo_storage, csf_storage, csr_storage, dense_storage, dia_storage,
                   doubly_compressed_storage)

_NAMED: Dict[Storage, str] = {
    csr_storage(): "csr", csr_storage(by_columns=True): "csc", csr_storage(canonical=False): "csr-unsorted",
    csr_storage(by_columns=True, canonical=False): "csr-unsorted:1,0", dia_storage(): "dia-cols",
    doubly_compressed_storage(): "dcsr", doubly_compressed_storage(by_columns=True): "dcsc",
    coo_storage(1): "sparse-vector", coo_storage(2, by_columns=True): "coo:1,0",
}


@functools.lru_cache(maxsize=None)
def name_of(storage: Storage) -> str:
    """A format's name, as `--format` takes it, or a description, which has blanks in it."""
    if (name := _NAMED.get(storage)) is not None:
        return name
    if storage is coo_storage(storage.order):
        return "coo"
    if storage is coo_storage(storage.order, canonical=False):
        return "coo-unsorted"
    if storage.order > 2 and storage is csf_storage(modes := tuple([level.dim for level in storage.levels])):
        return "csf" if modes == tuple(range(storage.order)) else "csf:" + ",".join(map(str, modes))
    if storage.is_dense:
        modes = tuple(level.dim for level in storage.levels)
        return "dense" if modes == tuple(range(storage.order)) else "dense:" + ",".join(map(str, modes))
    if (size := block_of(storage)) != (1, 1):
        for by_columns, name in ((False, "bsr"), (True, "bsc")):
            for canonical, order in ((True, ""), (False, " unsorted")):
                if storage is bsr_storage(*size, by_columns, canonical):
                    return f"{name} with{order} blocks of {size[0]} x {size[1]}"
    text = " > ".join(_level_text(level) for level in storage.levels)
    text += f", {storage.layout}" if storage.layout else ""
    kind, _, triangle = storage.symmetric.rpartition(" ")
    return text + (f", {triangle} triangle of a {kind.title() or 'symmetric'} matrix" if triangle else "")


def _level_text(level: Level) -> str:
    dim = f"d{level.dim}" + (f" {level.op} {'d' if level.op == '-' else ''}{level.by}" if level.op else "")
    order = "" if level.ordered else " unordered"
    return f"{dim} {level.storage}{'' if level.extent == 'full' else ' ' + level.extent}{order}"


@functools.lru_cache(maxsize=None)
def format_of(storage: Storage) -> Union[str, Dict[str, Any], None]:
    """What the compiler takes for it: a name, or the contents of a format file; None for row-major arrays."""
    if storage is dense_storage(storage.order):
        return None
    name = name_of(storage)
    return contents_of(storage) if " " in name else name


def contents_of(storage: Storage) -> Dict[str, Any]:
    """The contents of a format file."""
    dims = [f"d{dim}" for dim in range(storage.order)]
    contents: Dict[str, Any] = {"dims": dims, "levels": [_level_data(level, dims) for level in storage.levels]}
    if storage.symmetric:
        kind, _, triangle = storage.symmetric.rpartition(" ")
        contents["symmetric"] = triangle
        if kind:
            contents["symmetry"] = kind
    if storage.layout:
        contents["layout"] = storage.layout
    return contents


def _level_data(level: Level, dims: List[str]) -> Dict[str, Any]:
    other: Optional[str] = dims[level.by] if level.op == "-" else str(level.by)
    data: Dict[str, Any] = {"dim": f"{dims[level.dim]} {level.op} {other}" if level.op else dims[level.dim],
                            "storage": level.storage}
    if level.extent != "full":
        data["extent"] = level.extent
    if level.extent == "fixed":
        data["width"] = int(level.width) if level.width else "w"
    if level.start:
        data["start"] = level.start
    for name in ("ordered", "unique"):
        if not getattr(level, name):
            data[name] = False
    return data
