#!/usr/bin/env python3
"""Runs the blocks of docs/tour.md in their order, and writes what they print and draw into the page.

    PYTHONPATH=python python3 docs/render_tour.py

The folder is the repository's. Blocks of ```python print; those of ```python plot have matplotlib's pyplot, and draw the
picture that follows them; those with the word torch need PyTorch.
"""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import io
import pathlib
import re
from typing import Any, Dict, Iterator, NamedTuple, Set

PAGE = pathlib.Path(__file__).resolve().parent / "tour.md"
_BLOCK = re.compile(r"^```python(?P<words>[ a-z]*)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?"
                    r"(?:\n!\[[^]]*\]\((?P<picture>[^)]*)\)\n)?", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of the page: its code, what the page says that it prints, its picture's path, and its words."""

    code: str
    shown: str
    picture: str
    words: Set[str]
    match: "re.Match[str]"


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page."""
    for match in _BLOCK.finditer(text):
        yield Block(match["code"], match["shown"] or "", match["picture"] or "", set(match["words"].split()), match)


def run(block: Block, names: Dict[str, Any]) -> str:
    """Runs a block with these names, which it adds to; what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.code, str(PAGE), "exec"), names)
    return printed.getvalue()


def main() -> None:
    """Writes the page anew, and its pictures."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"font.size": 8.5, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
                            "axes.axisbelow": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "svg.hashsalt": "spc"})
    text, names, written, end = PAGE.read_text(encoding="utf-8"), {"pyplot": pyplot}, "", 0
    for block in blocks(text):
        printed = run(block, names)
        fence = " ".join(["```python", *sorted(block.words)])
        written += f"{text[end:block.match.start()]}{fence}\n{block.code}```\n"
        if printed:
            written += f"\n```text\n{printed}```\n"
        if block.picture:
            pyplot.savefig(PAGE.parent / block.picture, format="svg", metadata={"Date": None})
            pyplot.close("all")
            written += text[block.match.end("code") + len("```\n"):block.match.end()]
        end = block.match.end()
    PAGE.write_text(written + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
