"""What spc tune writes, as an argument of spc.kernel."""
# SPDX-License-Identifier: Apache-2.0

import importlib.util
import json
import os
import pickle

import pytest
import scipy.io
import scipy.sparse as sp
from support import close, dense, matrix

import spc
from spc.compiler import cache, toolchain

SPMM = "tensor A(m, n): f64, sparse\ntensor B(n, k): f64\nC(i, k) = A(i, j) * B(j, k)\n"
TUNED = {"description": "By spc tune: tile 32, prefetch 32", "tensors": {"A": "csr"}, "schedule": {"tile": 32, "prefetch": 32}}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spmm.tex").write_text(SPMM)
    (tmp_path / "tuned.json").write_text(json.dumps(TUNED))
    return tmp_path


def check(kernel):
    a, b = matrix(9, 12), dense((12, 5))
    close(kernel(a, b), a @ b)


def test_ways_to_say_it(place):
    """A path of any kind, what json.load makes of the file, by its name or as all formats."""
    for said in ("tuned.json", place / "tuned.json", str(place / "tuned.json"), TUNED):
        check(spc.kernel("spmm.tex", tuned=said))
        check(spc.kernel(SPMM, formats=said))
    check(pickle.loads(pickle.dumps(spc.kernel("spmm.tex", tuned="tuned.json"))))


def test_ways_that_say_what_to_write(place):
    with pytest.raises(spc.CompileError, match="A: 'tuned.json' binds tensors by name, where one format is needed: "
                                               "tuned='tuned.json' says how all are stored"):
        spc.kernel("spmm.tex", A="tuned.json")
    with pytest.raises(spc.CompileError, match="A: its contents binds tensors by name"):
        spc.kernel("spmm.tex", A=TUNED)
    for options in (["--format", "tuned.json"], ["--format=tuned.json"]):
        with pytest.raises(ValueError, match="tuned= takes the file that spc tune writes"):
            spc.kernel("spmm.tex", options=options)


def test_mistakes(place):
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        spc.kernel("spmm.tex", tuned="nowhere.json")
    (place / "csr.json").write_text(json.dumps({"dims": ["i"], "levels": [{"dim": "i", "storage": "dense"}]}))
    with pytest.raises(spc.CompileError, match="'csr.json' does not bind tensors by name"):
        spc.kernel("spmm.tex", tuned="csr.json")
    for more in ({"A": "csr"}, {"formats": {"A": "csr"}}):
        with pytest.raises(spc.ArgumentError, match="A: tuned says how it is stored, and so does another argument"):
            spc.kernel("spmm.tex", tuned="tuned.json", **more)
    with pytest.raises(spc.ArgumentError, match="leave out one"):
        spc.kernel("spmm.tex", tuned="tuned.json", formats="tuned.json")
    with pytest.raises(spc.ArgumentTypeError, match="tuned is the path"):
        spc.kernel("spmm.tex", tuned=7)
    with pytest.raises(spc.ArgumentError, match=r"stored as csc, and the kernel reads csr: \.tocsr\(\) converts"):
        spc.kernel("spmm.tex", tuned="tuned.json")(matrix(9, 12, "csc"), dense((12, 5)))
    a = matrix(9, 12, "csc")
    close(spc.kernel("spmm.tex", tuned="tuned.json", copy=True)(a, dense((12, 5))), a @ dense((12, 5)))


def test_the_schedule_is_compiled(place, monkeypatch):
    """Another schedule is another kernel, in the cache as well."""
    requests = []
    monkeypatch.setattr(cache, "_load", lambda request, *more, load=cache._load: requests.append(request) or load(request, *more))
    check(spc.kernel("spmm.tex", tuned="tuned.json"))
    check(spc.kernel("spmm.tex", tuned={**TUNED, "schedule": {"tile": 16}}))
    check(spc.kernel("spmm.tex", A="csr"))
    assert len({request.key() for request in requests}) == 3
    assert [request.formats[""]["schedule"] for request in requests[:2]] == [{"tile": 32, "prefetch": 32}, {"tile": 16}]


def test_formats_of_other_files(place):
    """References are to files beside the one that has them."""
    (place / "of").mkdir()
    (place / "of" / "rows.json").write_text(json.dumps({**json.loads(csr()), "name": "rows"}))
    (place / "of" / "tuned.json").write_text(json.dumps({"tensors": {"A": "rows.json"}, "schedule": {"tile": 8}}))
    check(spc.kernel("spmm.tex", tuned=os.path.join("of", "tuned.json")))


def csr():
    return toolchain.run(["formats", "csr", "--json"]).stdout


def test_what_the_command_writes(place):
    """With the order that it keeps, which its Python file applies."""
    a = sp.random(60, 60, 0.1, "csr", random_state=1)
    a = a + a.T
    scipy.io.mmwrite("a.mtx", a)
    toolchain.run(["tune", "spmm.tex", "A=a.mtx", "--size", "k=8", "--budget", "300ms", "--order", "rcm", "-o", "found.json"],
                  place)
    multiply, b = spc.kernel("spmm.tex", tuned="found.json", copy=True), dense((60, 8))
    if not os.path.exists("found.order.py"):
        close(multiply(a, b), a @ b)
        return
    spec = importlib.util.spec_from_file_location("order", "found.order.py")
    order = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(order)
    name = "found.order.mtx"
    found = multiply(order.permuted(a, name, name), order.permuted(b, name))
    close(order.restored(found, name), a @ b)
