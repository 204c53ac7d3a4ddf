"""Kernels in pieces between which processes exchange data: what `spc partition --cut` writes, as requests."""
# SPDX-License-Identifier: Apache-2.0

import json
from typing import Any, Dict, List, Tuple

from ..errors import CompileError
from . import answers, cache, folders, toolchain
from .derivative import in_words, of_text


def pieces(request: cache.Request, by: str) -> List[Tuple[cache.Request, Dict[str, Any]]]:
    """The pieces in order, each with what `spc partition --cut` says of it (docs/beyond-one-machine.md).

    Raises CompileError, with the compiler's diagnostics, where a statement cannot be divided by the index.
    """
    said = json.loads(answers.answer(request.key("pieces", by), lambda: json.dumps(_written(request, by))))
    found = []
    for piece in said:
        formats = {"": piece["bindings"]} if piece["bindings"].get("tensors") else {}
        constants = {path: known for path, known in request.constants.items() if f'"{path}"' in piece["text"]}
        found.append((cache.Request(piece["text"], piece["function"], formats, {}, {}, request.options, constants=constants),
                      piece))
    return found


def _written(request: cache.Request, by: str) -> List[Dict[str, Any]]:
    with folders.temporary() as place:
        asked = cache.Request(request.text, request.name, request.formats, request.types, request.indices,
                              of_text(request.options), constants=request.constants)
        try:
            toolchain.run(["partition", *asked.write(place), "--by", by, "--cut", "-q", "-o", "pieces"], place)
        except CompileError as error:  # nobody has written the command line
            raise CompileError(in_words(error)) from None
        folder = place / "pieces"
        found: List[Dict[str, Any]] = json.loads((folder / f"{request.name}.json").read_text(encoding="utf-8"))["pieces"]
        for piece in found:
            piece["text"] = (folder / piece["kernel"]).read_text(encoding="utf-8")
            piece["bindings"] = json.loads((folder / piece["formats"]).read_text(encoding="utf-8"))
        return found
