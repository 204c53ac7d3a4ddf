"""Derivatives of kernels: what `spc grad` writes, as requests for the compiler."""
# SPDX-License-Identifier: Apache-2.0

import json
import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..errors import CompileError
from . import answers, cache, folders, toolchain

_IN_COMMAND = re.compile(r"^<command line>:\d+:\d+: (.*)\n +\d+ \|.*\n +\|.*$", re.MULTILINE)
#: The gradient of a sum is the same for all that were summed, and has the type of the operand: nobody has to be warned of it.
_QUIET = ("-Wno-broadcast", "-Wno-precision")


def gradient(request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...]) -> cache.Request:
    """The kernel of a vector-Jacobian product (docs/grad.md): it takes the operands, perhaps outputs, and `d_y` for each
    output y of `of`, and returns `d_x` for each operand x of `wrt`, of sparse ones the values where x has entries.

    Raises CompileError, with the compiler's diagnostics, where there is none.
    """
    return _derivative(request, of, wrt, "reverse", "grad")


def tangent(request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...]) -> cache.Request:
    """The kernel of a Jacobian-vector product: it takes the operands, perhaps outputs, and `t_x` for each operand x of `wrt`,
    and returns `t_y` for each output y of `of`, of sparse ones the values where y has entries.

    Raises CompileError, with the compiler's diagnostics, where there is none.
    """
    return _derivative(request, of, wrt, "forward", "jvp")


def _derivative(request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...], mode: str, suffix: str) -> cache.Request:
    """The kernel that `spc grad` writes in a mode, by whose suffix it is named."""
    said = json.loads(answers.answer(request.key("derivative", mode, ",".join(of), ",".join(wrt)),
                                     lambda: json.dumps(_written(request, of, wrt, mode))))
    # Derivatives have the entries of what they belong to, zeros among them.
    options = tuple([option for option in request.options if option not in (*_QUIET, "--drop-zeros")])
    formats = {"": said["formats"]} if said["formats"].get("tensors") else {}
    return cache.Request(said["text"], f"{request.name}_{suffix}", formats, {}, {}, (*options, *_QUIET),
                         constants={path: known for path, known in request.constants.items() if f'"{path}"' in said["text"]})


def _written(request: cache.Request, of: Tuple[str, ...], wrt: Tuple[str, ...], mode: str) -> Dict[str, Any]:
    """The text of a derivative, and its formats, which the compiler writes."""
    with folders.temporary() as place:
        asked = cache.Request(request.text, request.name, request.formats, request.types, request.indices,
                              of_text(request.options), constants=request.constants)
        try:
            toolchain.run(["grad", *asked.write(place), "--of", ",".join(of), "--wrt", ",".join(wrt), f"--mode={mode}", "-q",
                           "-o", "derivative.tex", "--format-out", "derivative.json"], place)
        except CompileError as error:  # nobody has written the command line
            raise CompileError(in_words(error)) from None
        file = place / "derivative.json"
        return {"text": (place / "derivative.tex").read_text(encoding="utf-8"),
                "formats": json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}}


def in_words(error: CompileError) -> str:
    """What an error says, without lines that point at a command line."""
    return _IN_COMMAND.sub(r"\1", str(error))


def of_text(options: Sequence[str]) -> Tuple[str, ...]:
    """Options of the compiler's that commands which write kernels have, too: not those of the code that is made."""
    kept: List[str] = []
    rest = iter(options)
    for option in rest:
        if option == "--sanitize":
            next(rest, None)
        elif option != "-g" and not option.startswith("--sanitize="):
            kept.append(option)
    return tuple(kept)


def reading(request: cache.Request, wanted: Mapping[str, cache.Format]) -> Tuple[cache.Request, Dict[str, cache.Format]]:
    """A gradient that reads operands in other formats than the kernel did, and which these are: not those on whose structure
    another tensor's depends."""
    general: Any = request.formats.get("", {})
    tensors = general.get("tensors", {})
    shared = {form["structure_of"] for form in tensors.values() if isinstance(form, Mapping) and "structure_of" in form}
    formats = {name: form for name, form in wanted.items() if name in tensors and name not in shared}
    if not formats:
        return request, {}
    return request.changed(formats={"": {**general, "tensors": {**tensors, **formats}}}), formats
