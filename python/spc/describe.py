"""Storage in words and as format files, for messages and for the compiler."""
# SPDX-License-Identifier: Apache-2.0

from typing import Dict, Optional, Tuple, Union

from .signature import Level, Storage
from .view import bsr_storage, coo_storage, csr_storage, dense_storage, dia_storage

_NAMED: Tuple[Tuple[str, Storage], ...] = (
    ("csr", csr_storage()), ("csc", csr_storage(by_columns=True)), ("csr-unsorted", csr_storage(canonical=False)),
    ("csr-unsorted:1,0", csr_storage(by_columns=True, canonical=False)), ("dia-cols", dia_storage(True)))


def name_of(storage: Storage) -> str:
    """A format's name, as `--format` takes it, or a description."""
    for name, known in _NAMED:
        if known == storage:
            return name
    if storage == coo_storage(storage.order):
        return "coo"
    if storage == coo_storage(storage.order, canonical=False):
        return "coo-unsorted"
    if storage.is_dense:
        modes = tuple(level.dim for level in storage.levels)
        return "dense" if modes == tuple(range(storage.order)) else "dense:" + ",".join(map(str, modes))
    blocks = [level for level in storage.levels if level.op == "%"]
    if len(blocks) == 2:
        size = [level.by for level in sorted(blocks, key=lambda level: level.dim)]
        for by_columns, name in ((False, "bsr"), (True, "bsc")):
            if storage == bsr_storage(*size, by_columns=by_columns):
                return f"{name} with blocks of {size[0]} x {size[1]}"
    return " > ".join(_level_text(level) for level in storage.levels)


def _level_text(level: Level) -> str:
    dim = f"d{level.dim}" + (f" {level.op} {'d' if level.op == '-' else ''}{level.by}" if level.op else "")
    order = "" if level.ordered else " unordered"
    return f"{dim} {level.storage}{'' if level.extent == 'full' else ' ' + level.extent}{order}"


def format_of(storage: Storage) -> Union[str, Dict, None]:
    """What the compiler takes for it: a name, or the contents of a format file; None for row-major arrays."""
    if storage == dense_storage(storage.order):
        return None
    name = name_of(storage)
    if " " not in name:
        return name
    dims = [f"d{dim}" for dim in range(storage.order)]
    return {"dims": dims, "levels": [_level_data(level, dims) for level in storage.levels]}


def _level_data(level: Level, dims) -> Dict:
    other: Optional[str] = dims[level.by] if level.op == "-" else str(level.by)
    data: Dict = {"dim": f"{dims[level.dim]} {level.op} {other}" if level.op else dims[level.dim],
                  "storage": level.storage}
    if level.extent != "full":
        data["extent"] = level.extent
    if level.width:
        data["width"] = int(level.width)
    for name in ("ordered", "unique"):
        if not getattr(level, name):
            data[name] = False
    return data
