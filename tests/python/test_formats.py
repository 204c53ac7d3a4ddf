"""Formats that files say: what kernels of them read, and when their files are read."""
# SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import pickle

import pytest
from support import close, dense, matrix

import spc

SPMV = "y(i) = A(i,j) * x(j)"
ROWS = [{"dim": "i", "storage": "dense"}, {"dim": "j", "storage": "compressed", "extent": "ragged"}]
COLUMNS = [{"dim": "j", "storage": "dense"}, {"dim": "i", "storage": "compressed", "extent": "ragged"}]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where formats are found by name."""
    (tmp_path / "formats").mkdir()
    monkeypatch.setenv("SPC_FORMAT_PATH", f"/nowhere::{tmp_path / 'formats'}")
    return tmp_path / "formats"


def write(path, levels=None, **contents):
    said = {"dims": ["i", "j"], "levels": levels, "index": {"pointers": "i32", "indices": "i32"}} if levels else contents
    path.write_text(json.dumps(said))


def check(kernel, kind):
    """Whether a kernel is one of matrices of a kind."""
    a, x = matrix(5, 5), dense((5,))
    close(kernel(a.asformat(kind), x), a @ x)
    other = "csr" if kind == "csc" else "csc"
    with pytest.raises(spc.ArgumentError, match=f"A: stored as {other}, and the kernel reads {kind}"):
        kernel(a.asformat(other), x)


def test_a_file_that_changes(folder):
    write(folder / "mine.json", ROWS)
    first = spc.kernel(SPMV, A="mine")
    check(first, "csr")
    early = spc.kernel(SPMV, A="mine")
    write(folder / "mine.json", COLUMNS)
    check(spc.kernel(SPMV, A="mine"), "csc")
    check(spc.kernel(SPMV, A="mine:1,0"), "csr")
    check(early, "csr")
    check(pickle.loads(pickle.dumps(first)), "csr")


@pytest.mark.parametrize("text", ["base", "base.json", "./base.json", "base:0,1"])
def test_files_that_refer_to_others(folder, text):
    for levels, kind in ((ROWS, "csr"), (COLUMNS, "csc")):
        write(folder / "base.json", levels)
        write(folder / "mine.json", format=text, index={"pointers": "i32"})
        write(folder / "all.json", tensors={"A": "mine"})
        check(spc.kernel(SPMV, A="mine"), kind)
        check(spc.kernel(SPMV, A=str(folder / "mine.json")), kind)
        check(spc.kernel(SPMV, A=folder / "mine.json"), kind)
        check(spc.kernel(SPMV, formats={"": "all"}), kind)
        check(spc.kernel(SPMV, A={"format": "mine"}), kind)


def test_relative_folders(folder, monkeypatch):
    write(folder / "mine.json", COLUMNS)
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("SPC_FORMAT_PATH", "formats")
    check(spc.kernel(SPMV, A="mine"), "csc")
    check(spc.kernel(SPMV, A="formats/mine.json"), "csc")
    check(spc.kernel(SPMV, A=pathlib.Path("formats", "mine.json")), "csc")


def test_formats_that_replace_shipped_ones(folder):
    write(folder / "csr.json", COLUMNS)
    check(spc.kernel(SPMV, A="csr"), "csc")


def test_files_that_are_wrong(folder):
    write(folder / "self.json", format="self")
    with pytest.raises(spc.CompileError, match="refers to itself"):
        spc.kernel(SPMV, A="self")
    write(folder / "lost.json", format="nowhere")
    with pytest.raises(spc.CompileError, match="unknown format 'nowhere'"):
        spc.kernel(SPMV, A="lost")
    (folder / "broken.json").write_text("{")
    with pytest.raises(spc.CompileError, match="broken.json"):
        spc.kernel(SPMV, A="broken")
    (folder / "list.json").write_text("[]")
    with pytest.raises(spc.CompileError, match="list.json: a format is an object"):
        spc.kernel(SPMV, A="list")
    with pytest.raises(FileNotFoundError):
        spc.kernel(SPMV, A="missing.json")
