"""What the compiler has said is kept: processes that call kernels which the cache holds do not start it."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import pickle
import re
import subprocess

import pytest
from support import Place

import spc
from spc.compiler import cache, store
from spc.compiler.build_id import build_id

TWENTY = """
import spc, numpy as np, scipy.sparse as sp
a, x = sp.random(9, 9, 0.5, {!r}), np.ones(9)
for k in range(20):
    assert np.allclose(spc.kernel(f"y(i) = {{k + 1}} * A(i,j) * x(j)", {})(a, x), (k + 1) * (a @ x))
"""


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.mark.parametrize("kind, formats", [("csr", "A='csr'"), ("coo", "")])
def test_twenty_kernels(place, kind, formats):
    """The compiler is started once for each, and never again."""
    code = TWENTY.format(kind, formats)
    assert place.run(code)[1] >= 20
    assert not place.run(code)[1]


@pytest.mark.parametrize("text, more, starts", [
    ("y(i) = A(i,j) * x(j)", "", 2), ("B(i,j) = 2 * A(i,j)", "", 2), ("C(i,l) = A(i,j) * A(l,j)", "out=np.zeros((9, 9))", 2),
    ("C(i,l) = A(i,j) * A(l,j)", "", 6), ("semiring(min, +)\\ny(i) = A(i,j) * A(j,i)", "", 2)])
def test_starts_of_a_new_kernel(place, text, more, starts):
    """One for its arguments, and one that compiles, unless a result may be stored in another way."""
    code = ("import spc, numpy as np, scipy.sparse as sp\na, x = sp.random(9, 9, 0.5, 'csr'), np.ones(9)\n"
            f"k = spc.kernel('{text}', A='csr')\nprint(type(k(*[a, x][:len(k.signature.inputs)], {more})))")
    printed, started = place.run(code)
    assert started == starts, place.runs.read_text()
    assert place.run(code) == (printed, 0)


@pytest.mark.parametrize("text", ["y(i) = A(i,j) * x(j)", "B(i,j) = 2 * A(i,j)", "C(i,l) = A(i,j) * A(j,l)"])
def test_kernels_made_again_in_one_process(place, text):
    """Of the same text, or pickled, whatever the order of entries."""
    code = ("import pickle, spc, numpy as np, scipy.sparse as sp\n"
            "a = sp.coo_array((np.ones(3), ([1, 0, 2], [0, 1, 2])), shape=(3, 3))\n"
            "call = lambda k: k(a, np.ones(3)) if 'x' in {0!r} else k(a)\n"
            "first = spc.kernel({0!r})\ncall(first)\nbefore = open({1!r}).read()\n"
            "for _ in range(3):\n    call(spc.kernel({0!r}))\n    call(pickle.loads(pickle.dumps(first)))\n"
            "assert open({1!r}).read() == before").format(text, str(place.runs))
    assert place.run(code)[1]
    assert not place.run(code)[1]


def test_gradients(place):
    code = ("from spc.compiler import cache, derivative\n"
            "r = cache.Request('y(i) = A(i,j) * x(j)', 'k', {'A': 'csr'}, {}, {})\n"
            "print(derivative.gradient(r, ('y',), ('x',)).text)")
    text, started = place.run(code)
    assert started == 1 and "d_x(j) =" in text
    assert place.run(code) == (text, 0)


def test_requests_are_told_apart_by_what_they_say():
    said = ("y(i) = A(i,j) * x(j)", "k", {"A": "csr"}, {}, {})
    one = cache.Request(*said)
    assert one == cache.Request(*said) == pickle.loads(pickle.dumps(one)) and hash(one) == hash(cache.Request(*said))
    for other in (cache.Request(*said, ("-O1",)), one.changed(types={"": "f32"}), one.changed(indices={"A": "i64"}),
                  one.changed(formats={"A": "csc"}), cache.Request("y(i) = x(i)", *said[1:])):
        assert one != other


def test_refusals_are_kept(place):
    code = ("import spc\nfor text in ('y(i) = A(i,j', 'y(i) = A(i,j'):\n    try:\n        spc.kernel(text)\n"
            "    except spc.CompileError as error:\n        print(error)")
    printed, started = place.run(code)
    assert printed.count("a ')' is missing") == 2 and started == 1
    assert place.run(code) == (printed, 0)


def write_text(path, known):
    path.write_text("{")


def empty(path, known):
    path.write_bytes(b"")


def remove(path, known):
    path.unlink()


def make_folder(path, known):
    path.unlink()
    path.mkdir()


def change(path, known):
    path.write_text(json.dumps({**known, "text": known["text"].replace("y", "z")}))


def answer_another(path, known):
    path.write_text(json.dumps({**known, "key": "another"}))


def list_it(path, known):
    path.write_text("[]")


def open_to_others(path, known):
    path.chmod(0o666)


@pytest.mark.parametrize("damage", [write_text, empty, remove, make_folder, change, answer_another, list_it, open_to_others])
def test_what_is_damaged_is_asked_again(place, damage):
    code = "import spc; print(spc.kernel('y(i) = 2 * x(i)'))"
    printed, started = place.run(code)
    assert started == 1
    path, = place.files("*.answer")
    damage(path, json.loads(path.read_text()))
    assert place.run(code) == (printed, 1)
    assert place.run(code) == (printed, int(damage is make_folder))


def test_another_compiler_is_asked_anew(place):
    code = "import spc; print(spc.kernel('y(i) = 2 * x(i)'))"
    printed, _ = place.run(code)
    state = place.compiler.stat()
    place.compiler.write_text(place.compiler.read_text().replace("/bin/sh", "/bin/sh "))
    assert place.run(code) == (printed, 1)
    place.compiler.touch()  # the same one, at another time
    assert place.run(code) == (printed, 0)
    place.compiler.write_text(place.compiler.read_text().replace("exec ", "exec\t"))
    os.utime(place.compiler, ns=(state.st_atime_ns, state.st_mtime_ns))  # of the same size and time
    assert place.run(code) == (printed, 1)


def test_a_compiler_that_is_replaced_while_the_process_runs(place):
    code = ("import spc\nspc.kernel('y(i) = 2 * x(i)')\npath = {!r}\ntext = open(path).read()\n"
            "open(path, 'w').write(text + '\\n')\nspc.kernel('y(i) = 2 * x(i)')").format(str(place.compiler))
    assert place.run(code)[1] == 2


def test_the_mark_of_a_compiler(tmp_path):
    """It is the one that readelf finds; a file without one, or with half of one, is told by its hash."""
    program = pathlib.Path(os.environ["SPC_COMPILER"])
    said = subprocess.run(["readelf", "--notes", program], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    mark = re.search(r"Build ID: (\w+)", said)[1]
    assert build_id(program) == mark and store.compiler_hash() == mark
    with open(program, "rb") as file:
        head = file.read(1 << 16)
    (tmp_path / "spc").write_bytes(head)
    assert build_id(tmp_path / "spc") == mark
    for content in (head[:40], head[:100], head.replace(bytes.fromhex(mark), b""), b"#!/bin/sh\n", b""):
        (tmp_path / "spc").write_bytes(content)
        assert build_id(tmp_path / "spc") != mark


def test_a_compiler_that_is_gone(place):
    code = ("import os, spc\nspc.kernel('y(i) = 2 * x(i)')\nos.unlink({!r})\ntry:\n    spc.kernel('y(i) = 2 * x(i)')\n"
            "except spc.CompilerError as error:\n    print(error)").format(str(place.compiler))
    assert "spc cannot be read: No such file or directory" in place.run(code)[0]


def test_the_limit_counts_answers(place):
    code = "import spc\nfor k in range(3):\n    spc.kernel(f'y(i) = {k} * x(i)')"
    place.run(code, SPC_CACHE_SIZE="1")
    assert len(place.files("*.answer")) == 1
    place.run(code)
    assert len(place.files("*.answer")) == 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPC_CACHE_DIR", str(place.folder))
        spc.clear_cache()
    assert not place.files("*.answer")


def test_folders_to_which_others_may_write_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("SPC_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o777)
    with pytest.raises(spc.CompilerError, match="others may write to it"):
        spc.kernel("y(i) = 29 * x(i)")


def test_processes_that_ask_at_once(place):
    processes = [place.start() for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert not place.files(".new-*")
    before = place.started
    place.call()
    assert place.started == before


def test_room_is_made_for_answers_by_their_sizes(tmp_path, monkeypatch):
    """When a process has its first one, and whenever it has added a 64th of the limit."""
    made, remove_oldest = [], store._remove_oldest

    def noted(folder, newest):
        made.append(newest.name)
        remove_oldest(folder, newest)

    monkeypatch.setenv("SPC_CACHE_SIZE", "64000")
    monkeypatch.setattr(store, "_remove_oldest", noted)
    for k in range(5):
        path = tmp_path / f"{k}{store.ANSWER}"
        path.write_bytes(bytes(400))
        store.make_room(tmp_path, path)
    assert made == ["0.answer", "3.answer"]
    store.make_room(tmp_path, tmp_path / "gone.so")
    assert made == ["0.answer", "3.answer"]
