"""docs/python.md is what it says: its blocks run in their order, and print what it shows."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import io
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def blocks(path, language):
    """The blocks of a page in a language, each with the block of text behind it, or None."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(rf"^```{language}\n(.*?)^```\n", text, re.MULTILINE | re.DOTALL):
        shown = re.match(r"\s*```text\n(.*?)^```", text[match.end():], re.MULTILINE | re.DOTALL)
        yield match[1], shown[1] if shown else None


def test_the_page():
    names, count = {}, 0
    for code, shown in blocks(ROOT / "docs" / "python.md", "python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/python.md", "exec"), names)
        assert shown is None or printed.getvalue() == shown
        count += 1
    assert count >= 8


def test_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"(?:^    (?:.*)\n|^\n(?=    ))*^    import spc\n(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)[0]
    names = {}
    exec(compile("import numpy as np, scipy.sparse as sp\nS = sp.random(30, 20, 0.2, 'csr')\n"
                 "A, B = np.random.rand(30, 4), np.random.rand(20, 4)\n" +
                 re.sub("^    ", "", block, flags=re.MULTILINE), "README.md", "exec"), names)
    assert abs(names["D"].toarray() - names["S"].toarray() * (names["A"] @ names["B"].T)).max() < 1e-12
