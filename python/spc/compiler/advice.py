"""What the compiler says of kernels, and finds for them: `spc explain` and `spc tune`, as requests."""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
from typing import Any, Callable, Dict, List

from ..errors import CompileError
from . import answers, cache, folders, toolchain
from .derivative import in_words, of_text


def explanation(request: cache.Request, as_page: bool = False) -> str:
    """What becomes of a kernel, as text or as a page in HTML. Raises CompileError where there is no such kernel."""
    more = ["--html", "-"] if as_page else []
    return answers.answer(request.key("explain", *more), lambda: _run(request, "explain", lambda _: more)[0])


def shown(request: cache.Request, name: str) -> str:
    """A kernel in notebooks: its name, and behind it what becomes of it, where operands need not say more."""
    import html  # which takes long beside the rest of `import spc`
    try:
        text = html.escape(explanation(request))
    except CompileError:
        return f"<code>{html.escape(name)}</code>"
    return f"<details><summary><code>{html.escape(name)}</code></summary><pre>{text}</pre></details>"


def tuned(request: cache.Request, write: Callable[[pathlib.Path], List[str]], options: List[str]) -> Dict[str, Any]:
    """The contents of the file that the search has written. write: puts operands into a folder, and returns how the command
    names them. Raises CompileError where nothing can be tuned."""
    def arguments(place: pathlib.Path) -> List[str]:
        return [*write(place), *options, "--order", "none", "-o", "tuned.json"]
    found: Dict[str, Any] = json.loads(_run(request, "tune", arguments, "tuned.json")[1])
    return found


def _run(request: cache.Request, command: str, more: Callable[[pathlib.Path], List[str]], written: str = "") -> List[str]:
    """What the command has printed, and the file that it has written."""
    with folders.temporary() as place:
        asked = cache.Request(request.text, request.name, request.formats, request.types, request.indices,
                              of_text(request.options), request.files, request.constants)
        try:
            done = toolchain.run([command, *asked.write(place), "-q", *more(place)], place)
        except CompileError as error:  # nobody has written the command line
            raise CompileError(in_words(error)) from None
        return [done.stdout, (place / written).read_text(encoding="utf-8") if written else ""]
