"""What is to be compiled: a kernel, its formats, types and options."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..storage.signature import ABI_VERSION
from ..errors import CompileError
from .constants import digest
from .formats import Format, embedded

_STAMP = 4  # of the layout of the cache


def is_module(text: str) -> bool:
    """Whether a kernel is an MLIR module, which has functions."""
    return "func.func" in text


class Request:
    """What is to be compiled.

    text: the kernel. name: its function's. formats: by tensor, the name of a format or the contents of a format file;
    "" is for all that the text declares sparse. types, indices: by tensor, or "" for the default. options: more of the
    compiler's. files: by name, the text of those that formats refer to. constants: files that the text names, by path
    what digest() says of them. Formats that other files say are read here.
    """

    def __init__(self, text: str, name: str, formats: Mapping[str, Format], types: Mapping[str, str],
                 indices: Mapping[str, str], options: Tuple[str, ...] = (), files: Mapping[str, str] = {},
                 constants: Mapping[str, Optional[str]] = {}):
        self.text, self.name, self.options = text, name, tuple(options)
        self.files, self.types, self.indices = dict(files), dict(types), dict(indices)
        self.formats = {tensor: embedded(form, self.files) for tensor, form in formats.items()}
        self.constants = dict(constants)
        self._key = self.key()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Request) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def changed(self, **changes: Any) -> "Request":
        """The same with other formats, types or indices."""
        mine: Dict[str, Any] = {"formats": self.formats, "types": self.types, "indices": self.indices}
        return Request(self.text, self.name, options=self.options, files=self.files, constants=self.constants,
                       **{**mine, **changes})

    def check_constants(self) -> None:
        """Raises CompileError where a file of a constant holds something else by now than when the request was made."""
        for path, known in self.constants.items():
            if digest(path) != known:
                raise CompileError(f"{path} has changed since the kernel was made: make the kernel anew")

    def key(self, *more: str) -> str:
        """All that the request's outcome depends on, as text; more: what lies outside of it. The names of files stand for
        what they hold."""
        forms = sorted((tensor, form if isinstance(form, str) else json.dumps(form, sort_keys=True))
                       for tensor, form in self.formats.items())
        return json.dumps([_STAMP, ABI_VERSION, self.text, self.name, self.options, sorted(self.types.items()),
                           sorted(self.indices.items()), forms, sorted(self.files), sorted(self.constants.items()),
                           *more])

    def write(self, place: pathlib.Path) -> List[str]:
        """Writes the kernel and its format files into a folder; returns the command line for them, from there."""
        source = "kernel.mlir" if is_module(self.text) else "kernel.tex"
        (place / source).write_text(self.text, encoding="utf-8")
        arguments = [source, "--name", self.name, "--color", "never"]
        for name, contents in self.files.items():
            (place / name).write_text(contents, encoding="utf-8")
        for tensor, form in sorted(self.formats.items()):
            if not isinstance(form, str):
                file = place / f"{tensor or 'all-tensors'}.json"
                if tensor and {"structure", "structure_of"} & set(form):  # which only a file of bindings can say
                    form, tensor = {"tensors": {tensor: form}}, ""
                named = form if "tensors" in form else {"name": f"format of {tensor or 'all'}", **form}
                file.write_text(json.dumps(named), encoding="utf-8")
                form = file.name
            arguments += ["--format", f"{tensor}={form}" if tensor else form]
        for option, choices in (("--type", self.types), ("--index", self.indices)):
            for tensor, choice in sorted(choices.items()):
                arguments += [option, f"{tensor}={choice}" if tensor else choice]
        return arguments + list(self.options)
