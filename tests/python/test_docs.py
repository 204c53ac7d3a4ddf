"""docs/python.md and docs/tour.md are what they say: their blocks run in their order, and print what is shown."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import importlib.util
import io
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def blocks(path, language):
    """The blocks of a page in a language, each with the block of text behind it, or None."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(rf"^```{language}\n(.*?)^```\n", text, re.MULTILINE | re.DOTALL):
        shown = re.match(r"\s*```text\n(.*?)^```", text[match.end():], re.MULTILINE | re.DOTALL)
        yield match[1], shown[1] if shown else None


def count_of_blocks(page):
    """Runs those of a page in their order, and compares what they print."""
    names, count = {}, 0
    for code, shown in blocks(ROOT / "docs" / page, "python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)
        assert shown is None or printed.getvalue() == shown
        count += 1
    return count


def test_the_pages():
    pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
    assert count_of_blocks("python.md") >= 8


def test_beyond_one_machine():
    pytest.importorskip("dask.array", reason="dask is not installed: 'apt install python3-dask'")
    assert count_of_blocks("beyond-one-machine.md") >= 1


def test_the_pages_of_torch():
    pytest.importorskip("torch", reason="PyTorch is not installed: 'apt install python3-torch'")
    assert count_of_blocks("torch.md") == 5


def test_the_tour(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", sys.path + [str(ROOT / "docs"), str(ROOT / "examples" / "python")])
    import render_tour
    names, absent, counts = {}, {word for word, module in (("plot", "matplotlib"), ("torch", "torch"))
                                 if importlib.util.find_spec(module) is None}, [0, 0]
    if "plot" not in absent:
        import matplotlib
        matplotlib.use("svg")
        from matplotlib import pyplot
        names["pyplot"] = pyplot
    for block in render_tour.blocks(render_tour.PAGE.read_text(encoding="utf-8")):
        counts["plot" in block.words] += 1
        assert bool(block.picture) == ("plot" in block.words)
        assert not block.picture or (render_tour.PAGE.parent / block.picture).exists()
        if not block.words & absent:
            assert render_tour.run(block, names) == block.shown
    assert counts == [5, 4]


def test_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^    import numpy.*\n(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)[0]
    names = {}
    exec(compile(re.sub("^    ", "", block, flags=re.MULTILINE), "README.md", "exec"), names)
    assert abs(names["D"].toarray() - names["S"].toarray() * (names["A"] @ names["B"].T)).max() < 1e-12
