"""Tensors in files, as objects that kernels take."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import importlib
import io
import json
import os
import pathlib
from typing import Any, BinaryIO, Callable, Dict, Optional, Sequence, Union

import numpy as np

from . import tensors
from .errors import ArgumentError, ArgumentTypeError
from .storage.dtypes import Array

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}  # modules, which not every Python has
_KNOWN = ".mtx (Matrix Market), .tns (FROSTT), .npy and .npz (NumPy's and SciPy's), .h5 and .hdf5 (Binsparse)"


def read(path: Union[str, "os.PathLike[str]"], shape: Optional[Sequence[int]] = None) -> Any:
    """The tensor in a file, as what kernels take.

    path: by what its name ends with: `.mtx` is SciPy's coo_array, or an array where all elements are listed; `.tns` is a
    dictionary as `spc.coo` makes it; `.npy` an array; `.npz` what `scipy.sparse.save_npz` has written, or the one array of
    `numpy.savez`; `.h5` and `.hdf5` a dictionary in Binsparse's names, which needs h5py. `.gz`, `.bz2` and `.xz` may stand
    behind these.
    shape: of a .tns file, which has none; else its largest coordinates say it.
    Raises OSError where the file cannot be read, ArgumentError where it is of another kind, or not what its name says,
    ArgumentTypeError where the path is none.
    """
    try:
        place = pathlib.Path(path)
    except TypeError:
        raise ArgumentTypeError(f"a path is needed, not {path!r}") from None
    opened = importlib.import_module(_COMPRESSED[place.suffix]).open if place.suffix in _COMPRESSED else open
    kind = place.with_suffix("").suffix if place.suffix in _COMPRESSED else place.suffix
    reader = _READERS.get(kind)
    if reader is None:
        raise ArgumentError(f"{place.name}: files that are read are {_KNOWN}, with .gz, .bz2 or .xz where they are compressed")
    if shape is not None and kind != ".tns":
        raise ArgumentError(f"{place.name} says its own shape")
    try:
        with opened(place, "rb") as file:
            return _tns(file, shape) if kind == ".tns" else reader(file)
    except (OSError, MemoryError, ImportError):
        raise
    except Exception as error:  # libraries have many for files that are not what their name says
        raise ArgumentError(f"{place.name}: {error}") from error


def _mtx(file: BinaryIO) -> Any:
    import inspect
    from scipy import io as scipy_io, sparse  # which takes a while to import
    # SciPy 1.18 warns where nothing says the class, and 1.10 cannot be told it.
    known = inspect.signature(scipy_io.mmread).parameters
    made = scipy_io.mmread(file, **({"spmatrix": False} if "spmatrix" in known else {}))
    return sparse.coo_array(made) if sparse.issparse(made) else made


def _tns(file: BinaryIO, shape: Optional[Sequence[int]] = None) -> Dict[str, Any]:
    text = io.TextIOWrapper(file, encoding="utf-8")
    try:
        rows = np.loadtxt(text, ndmin=2)
    finally:
        text.detach()
    if not rows.size and shape is not None:
        return tensors.coo([np.empty(0, np.int32)] * len(shape), np.empty(0), shape)
    if rows.shape[1] < 2:
        raise ValueError("a line holds coordinates and a value")
    places = rows[:, :-1].T
    if (places != np.floor(places)).any() or (places < 1).any():
        raise ValueError("coordinates are integers, counted from 1")
    return tensors.coo((places - 1).astype(np.int64 if places.max(initial=0) > 1 << 31 else np.int32), rows[:, -1].copy(), shape)


def _npy(file: BinaryIO) -> Array:
    made: Array = np.load(file, allow_pickle=False)
    return made


def _npz(file: BinaryIO) -> Any:
    data = io.BytesIO(file.read())
    with np.load(data, allow_pickle=False) as archive:
        if "format" not in archive.files:
            if len(archive.files) != 1:
                raise ValueError(f"an archive of one array is read, and this one has {len(archive.files)}")
            return archive[archive.files[0]]
    from scipy import sparse
    data.seek(0)
    return sparse.load_npz(data)


def _h5(file: BinaryIO) -> Dict[str, Any]:
    try:
        import h5py
    except ImportError:
        raise ArgumentError("HDF5 files are read by h5py, which is not installed") from None
    with h5py.File(file, "r") as root:
        groups = [item for item in (root, *root.values()) if "binsparse" in item.attrs]
        if len(groups) != 1:
            raise ValueError("it has no attribute 'binsparse', at the root or one group")
        said = json.loads(groups[0].attrs["binsparse"])
        descriptor = said.get("binsparse", said)
        made = {name: np.asarray(item) for name, item in groups[0].items() if isinstance(item, h5py.Dataset)}
    for name, array in made.items():
        if name.startswith(("indices_", "pointers_to_")) and array.dtype.kind == "u" and array.itemsize > 2:
            made[name] = array.astype(np.int32 if array.max(initial=0) < 1 << 31 else np.int64)
    return {"binsparse": _plain_types(descriptor, made), **made}


def _plain_types(descriptor: Dict[str, Any], made: Dict[str, Array]) -> Dict[str, Any]:
    """A descriptor of values as NumPy has them: bools and complex numbers, and a number for each entry where there is one for
    all, are written to the arrays. Returns the descriptor that holds for these."""
    types = dict(descriptor.get("data_types", {}))
    kind = str(types.get("values", ""))
    if kind.startswith("iso[") and "values" in made:
        counts = [array.size for name, array in made.items() if name.startswith("indices_")]
        made["values"], kind = np.full(counts[-1] if counts else 0, made["values"].reshape(-1)[0]), kind[4:-1]
    if kind == "bint8":
        made["values"], kind = made["values"].astype(np.bool_), "bool"
    if kind.startswith("complex[") and made["values"].dtype.kind == "f":
        made["values"] = made["values"].view(np.result_type(made["values"].dtype, np.complex64))
    return {**descriptor, "data_types": {**types, "values": kind}}


_READERS: Dict[str, Callable[[BinaryIO], Any]] = {
    ".mtx": _mtx, ".tns": _tns, ".npy": _npy, ".npz": _npz, ".h5": _h5, ".hdf5": _h5}

__all__ = ["read"]
