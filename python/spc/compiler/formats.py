"""Formats that files say. What these hold is taken when a kernel is made, so that it stays what its signature says, and is
told apart from kernels of other contents in the cache."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from ..errors import CompileError
from .hashes import hash_of

#: The name of a format, or the contents of a format file.
Format = Union[str, Mapping[str, Any]]


def embedded(form: Format, files: Dict[str, str]) -> Format:
    """A format that needs no file but those in `files`, which gets the ones that it refers to: by name, their contents.

    Names are looked up in the folders of SPC_FORMAT_PATH; those that are not found there are the compiler's own. Raises
    OSError where a path names no file, CompileError where one holds no format, and of what no format file could hold.
    """
    if not isinstance(form, str):
        return _with_references(_in_json(form), pathlib.Path(), files, ())
    if "\0" in form:
        raise CompileError(f"{form!r} is no name of a format")
    target, modes = _split(form)
    path = None if target in files else _path_of(target, pathlib.Path())
    if path is None:
        return form
    if not modes:
        return _read(path, files, ())
    return {"format": _reference(form, pathlib.Path(), files, ()), "name": path.stem}


def _in_json(form: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        json.dumps(form)
    except (TypeError, ValueError) as error:
        raise CompileError(f"no format file can hold {dict(form)!r}: {error}") from None
    return form


def contents_of_file(path: str) -> Dict[str, Any]:
    """What a format file holds. Raises OSError where there is none, CompileError where it holds no format."""
    return _read(pathlib.Path(path), {}, ())


def _split(text: str) -> Tuple[str, str]:
    """A reference such as "csf:2,0,1", and what it says of modes, with the colon."""
    target, colon, modes = text.rpartition(":")
    return (target, colon + modes) if colon and "/" not in modes and not modes.endswith(".json") else (text, "")


def _path_of(target: str, folder: pathlib.Path) -> Optional[pathlib.Path]:
    """The file that a name or a path means, which is relative to a folder; None of the compiler's own formats."""
    if "/" in target or target.endswith(".json"):
        return folder / target
    for place in filter(None, os.environ.get("SPC_FORMAT_PATH", "").split(":")):
        if (path := pathlib.Path(place, f"{target}.json")).exists():
            return path
    return None


def _read(path: pathlib.Path, files: Dict[str, str], opened: Tuple[pathlib.Path, ...]) -> Dict[str, Any]:
    """What a file holds. opened: the files that have led to it."""
    if path.resolve() in opened:
        raise CompileError(f"format file '{path}' refers to itself")
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CompileError(f"{path}: {error}") from None
    if not isinstance(contents, dict):
        raise CompileError(f"{path}: a format is an object")
    if "tensors" not in contents:
        contents.setdefault("name", path.stem)
    return _with_references(contents, path.parent, files, (*opened, path.resolve()))


def _reference(text: str, folder: pathlib.Path, files: Dict[str, str], opened: Tuple[pathlib.Path, ...]) -> str:
    """A reference to the copy of a file. Where there is none, the compiler says so."""
    target, modes = _split(text)
    path = None if target in files else _path_of(target, folder)
    if path is None or not path.is_file():
        return text
    contents = json.dumps(_read(path, files, opened))
    name = f"{hash_of(contents)[:32]}.json"
    files[name] = contents
    return name + modes


def _with_references(contents: Mapping[str, Any], folder: pathlib.Path, files: Dict[str, str],
                     opened: Tuple[pathlib.Path, ...]) -> Dict[str, Any]:
    """The contents of a format file, with references to copies in place of those to files in a folder."""
    def changed(item: Any) -> Any:
        if isinstance(item, str):
            return _reference(item, folder, files, opened)
        return _with_references(item, folder, files, opened) if isinstance(item, Mapping) else item

    made = dict(contents)
    if "binsparse" in made:
        return made
    if isinstance(made.get("format"), str):
        made["format"] = changed(made["format"])
    if isinstance(made.get("sum"), (list, tuple)):
        made["sum"] = [changed(part) for part in made["sum"]]
    if isinstance(made.get("tensors"), Mapping):
        made["tensors"] = {tensor: changed(form) for tensor, form in made["tensors"].items()}
    return made
