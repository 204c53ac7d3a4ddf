"""What goes wrong becomes exceptions that say what would help."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from support import close, dense, kernel, matrix

import spc

SPMV = "y(i) = A(i,j) * x(j)"


def test_compile_errors_have_their_carets():
    with pytest.raises(spc.CompileError) as caught:
        spc.kernel("y(i) = A(i,j) * x(j)\nz(i) = y(i) * ")
    assert "kernel.tex:2:14: error: expected an expression" in str(caught.value)
    assert str(caught.value).splitlines()[2].endswith("^")
    with pytest.raises(spc.CompileError, match=r"unknown format 'crs'|no format 'crs'|'crs'"):
        spc.kernel(SPMV, A="crs")
    with pytest.raises(spc.CompileError, match="'B'"):
        spc.kernel(SPMV, B="csr")
    with pytest.raises(spc.CompileError, match="format-order|order"):
        spc.kernel(SPMV, x="csr")


def test_errors_beside_operands_that_are_stored_as_they_come():
    with pytest.raises(spc.CompileError) as caught:
        spc.kernel("tensor A(n,n), sparse\ntensor x(n)\ny(i) = A(i,j)*x(j) + 'q")
    assert "foreign-syntax" in str(caught.value)
    assert "unbound-sparse" not in str(caught.value)


def test_all_errors_are_of_one_class():
    for error in (spc.CompileError, spc.CompilerError, spc.ArgumentError, spc.ArgumentTypeError, spc.StructureError,
                  spc.KernelError):
        assert issubclass(error, spc.Error)
    assert issubclass(spc.ArgumentError, ValueError) and issubclass(spc.ArgumentTypeError, TypeError)


@pytest.mark.parametrize("operands, named, text", [
    ((), {"A": 1, "X": 2}, "kernel_0 has no operand 'X': did you mean 'x'?"),
    ((), {"A": 1, "vector": 2}, "kernel_0 has no operand 'vector': there are A, x"),
    ((1,), {}, "kernel_0 needs x as well"), ((), {}, "kernel_0 needs A, x as well"),
    ((1,), {"A": 1}, "A is given twice, by place and by name"), ((1, 2, 3), {}, "3 operands, and kernel_0 has 2"),
    ((1, 2), {"x": 3}, "x is given twice"), ((1, 2), {"z": 3}, "has no operand 'z'")])
def test_names(operands, named, text):
    for attempt in (kernel(SPMV), kernel(SPMV).bind):
        with pytest.raises(spc.ArgumentTypeError) as caught:
            attempt(*operands, **named)
        assert text in str(caught.value)


def test_sizes_that_differ():
    with pytest.raises(spc.ArgumentError, match=r"x: dimension 0 \(j\) has 5 elements, and dimension 1 of A has 6"):
        kernel(SPMV)(matrix(4, 6), np.ones(5))
    with pytest.raises(spc.ArgumentError, match="x: order 1 is needed, and it has 2 dimensions"):
        kernel(SPMV)(matrix(4, 6), np.ones((6, 1)))
    fixed = spc.kernel("tensor A(m, 3): f64\ntensor x(3): f64\ny(i) = A(i,j) * x(j)")
    with pytest.raises(spc.ArgumentError, match="A: dimension 1 has 4 elements, and the kernel says 3"):
        fixed(np.ones((2, 4)), np.ones(3))


def test_formats_by_name_contents_and_file(tmp_path):
    contents = {"dims": ["i", "j"], "levels": [{"dim": "i", "storage": "dense"},
                                               {"dim": "j", "storage": "compressed", "extent": "ragged"}]}
    (tmp_path / "mine.json").write_text(json.dumps({"name": "mine", **contents}))
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "spmv.tex").write_text(SPMV + "\n")
    a = matrix(4, 6)
    for form in ("csr", contents, tmp_path / "mine.json", str(tmp_path / "mine.json")):
        close(spc.kernel(SPMV, A=form)(a, dense(6)), a @ dense(6))
        close(spc.kernel(SPMV, formats={"A": form})(a, dense(6)), a @ dense(6))
    with pytest.raises(spc.CompileError, match="broken.json: Expecting"):
        spc.kernel(SPMV, A=tmp_path / "broken.json")
    with pytest.raises(FileNotFoundError):
        spc.kernel(SPMV, A=tmp_path / "none.json")
    from_file = spc.kernel(tmp_path / "spmv.tex", A="csr")
    assert from_file.name == "spmv"
    close(from_file(a, dense(6)), a @ dense(6))
    close(spc.kernel(str(tmp_path / "spmv.tex"))(a, dense(6)), a @ dense(6))


def test_options():
    a = matrix(4, 6)
    strict = spc.kernel(SPMV, A="csr", options=["--fp=strict", "-O1"])
    close(strict(a, dense(6)), a @ dense(6))
    with pytest.raises(ValueError, match="option '--emit=llvm' is the package's own to give"):
        spc.kernel(SPMV, options=["--emit=llvm"])
    for option in ("--help", "--version"):
        with pytest.raises(ValueError, match=f"option '{option}' is the package's own to give"):
            spc.kernel(SPMV, options=[option])
    with pytest.raises(spc.CompileError, match="unknown option '--no-such-option'"):
        spc.kernel(SPMV, options=["--no-such-option"])
    close(spc.kernel(SPMV, A="csr", options=["--mcpu=x86-64" if platform.machine() == "x86_64" else "-O2"])(a, dense(6)),
          a @ dense(6))


def test_names(tmp_path):
    with pytest.raises(spc.CompileError, match="the name 'a b' is no C identifier"):
        spc.kernel(SPMV, name="a b")
    (tmp_path / "3d-é.tex").write_text(SPMV)
    assert spc.kernel(tmp_path / "3d-é.tex", A="csr").name == "kernel_3d"


@pytest.mark.parametrize("script, text", [
    ("true", "is no compiler of this package: it prints ''"), ("exit 1", "ended with status 1"),
    ("echo 'spc: error: cannot make a file [cannot-write]' >&2; exit 1", "cannot make a file")])
def test_programs_that_are_no_compiler(tmp_path, script, text):
    (tmp_path / "spc").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "spc").chmod(0o755)
    code = "import spc\ntry:\n  spc.kernel('y(i) = x(i)')\nexcept spc.CompilerError as error:\n  print(error)"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "SPC_COMPILER": str(tmp_path / "spc")},
                          capture_output=True, text=True, check=True)
    assert text in done.stdout


def test_types():
    mixed = spc.kernel("type T = f64\ntensor A(m, n): T, sparse\ntensor x(n): T\ny(i) = A(i,j) * x(j)", types={"T": "f32"},
                       A="csr")
    close(mixed(matrix(4, 6, dtype=np.float32), dense(6, np.float32)),
          matrix(4, 6, dtype=np.float32) @ dense(6, np.float32))
    with pytest.raises(spc.ArgumentTypeError, match=r"A: values of type f64, and the kernel reads f32: \.astype\('float32'\)"):
        mixed(matrix(4, 6), dense(6))


def test_indices():
    wide = spc.kernel(SPMV, A="csr", indices={"A": "i64"})
    close(wide(matrix(4, 6, index=np.int64), dense(6)), matrix(4, 6) @ dense(6))
    with pytest.raises(spc.ArgumentTypeError, match="of type i32, and the kernel reads i64"):
        wide(matrix(4, 6), dense(6))


def test_representations():
    assert repr(kernel(SPMV)) == "<spc.kernel.Kernel kernel_0(A, x) -> y>"
    assert [argument.name for argument in kernel(SPMV).signature.arguments] == ["A", "x", "y"]


def run(code, **environment):
    """Runs Python code; returns what it prints, and on standard error."""
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True,
                          check=False, timeout=60)
    return done.stdout, done.stderr


def test_a_missing_compiler(tmp_path):
    code = "import spc\ntry:\n  spc.kernel('y(i) = x(i)')\nexcept spc.CompilerError as error:\n  print(error)"
    assert "SPC_COMPILER names no program: /nowhere/spc" in run(code, SPC_COMPILER="/nowhere/spc")[0]
    lone = tmp_path / "bin" / "spc"
    lone.parent.mkdir()
    lone.write_text("#!/bin/sh\nkill -9 $$\n")
    lone.chmod(0o755)
    assert "ended with status -9" in run(code, SPC_COMPILER=str(lone))[0]


def test_what_the_module_says():
    done = subprocess.run([sys.executable, "-m", "spc"], capture_output=True, text=True, check=True, timeout=60)
    for text in ("Python 3", "NumPy", "SciPy", "processor", "compiler", "spc 0.", "threads", "cache"):
        assert text in done.stdout
    done = subprocess.run([sys.executable, "-m", "spc"], capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, "SPC_COMPILER": "/nowhere/spc"})
    assert done.returncode == 1 and "SPC_COMPILER names no program" in done.stderr


@pytest.mark.parametrize("make, error, text", [
    (lambda: spc.kernel(3), spc.ArgumentTypeError, "a kernel is its text or a path, not int"),
    (lambda: spc.kernel(b"y(i) = x(i)"), spc.ArgumentTypeError, "a kernel is its text or a path, not bytes"),
    (lambda: spc.kernel(SPMV, A=3), spc.ArgumentTypeError, "A: a format is a name, .* not 3"),
    (lambda: spc.kernel(SPMV, types=["A"]), spc.ArgumentTypeError, "types is to be a dictionary"),
    (lambda: spc.kernel(SPMV, indices={"A": 32}), spc.ArgumentTypeError, "indices is to be a dictionary"),
    (lambda: spc.kernel(SPMV, options="-O1"), spc.ArgumentTypeError, r"options is to be a list, as in \['-O1'\]"),
    (lambda: spc.kernel("y(i) = x(i) # \ud800"), spc.CompileError, "the text is no Unicode"),
    (lambda: spc.kernel(SPMV, options=[3]), spc.ArgumentTypeError, r"options are words, as '--fp=strict', not \[3\]"),
    (lambda: spc.kernel(SPMV, options=["--help"]), spc.CompileError, "option '--help' is the package's own to give"),
    (lambda: spc.kernel(SPMV, A={"format": {1}}), spc.CompileError, r"no format file can hold \{'format': \{1\}\}"),
    (lambda: spc.kernel(SPMV, A="csr\0"), spc.CompileError, "is no name of a format"),
    (lambda: kernel("y(i) = 1 + 0 * a")(a=1.0, sizes=5), spc.ArgumentTypeError, "sizes cannot be 5: they are given by name"),
    (lambda: kernel("y(i) = 1 + 0 * a")(a=1.0, sizes={"i": True}), spc.ArgumentTypeError, "extent i cannot be True"),
    (lambda: kernel("y(i) = 1 + 0 * a")(a=1.0, sizes={"i": "4"}), spc.ArgumentTypeError, "extent i cannot be '4'"),
    (lambda: kernel("y(i) = 1 + 0 * a")(a=1.0, sizes={"i": 4.5}), spc.ArgumentTypeError, "extent i cannot be 4.5"),
    (lambda: kernel("y(i) = 1 + 0 * a")(a=1.0, sizes={"i": 1 << 64}), spc.ArgumentError, "extent i cannot be 1844"),
    (lambda: kernel("y(i) = 1 + 0 * a")(a=1.0, sizes={"i": 1 << 62}), MemoryError, "no memory holds|allocate"),
    (lambda: spc.kernel(SPMV, A="csr", copy=True)(matrix(2, 2), [[1, 2], [3]]), spc.ArgumentError, "x: builtins.list is no"),
    (lambda: spc.kernel(SPMV, A="hyb")(matrix(2, 2), dense(2)), spc.ArgumentError, "A is stored as a sum of parts"),
    (lambda: spc.kernel(SPMV, A="hyb")(A=matrix(2, 2), x=dense(2)), spc.ArgumentError, "A is stored as a sum of parts"),
    (lambda: spc.kernel(SPMV, A="sym-csr")(matrix(2, 2), dense(2)), spc.ArgumentError,
     "reads .*, lower triangle of a symmetric matrix"),
    (lambda: spc.kernel(SPMV, name=5), spc.ArgumentTypeError, "a function's name is a word, not 5"),
    (lambda: spc.kernel(SPMV, options=5), spc.ArgumentTypeError, r"options is to be a list, as in \[5\]"),
    (lambda: spc.kernel(SPMV, options=(word for word in ["--fp=mad"])), spc.CompileError, "mad"),
    (lambda: spc.kernel(SPMV, formats=5), spc.ArgumentTypeError, "formats is to be a dictionary of formats by tensor, not 5"),
    (lambda: kernel(SPMV).pieces(None), spc.ArgumentTypeError, "an index is its name, not None"),
    (lambda: kernel(SPMV)(matrix(2, 2), dense(2), out={5: dense(2)}), spc.ArgumentTypeError, "has no output 5: there are y"),
    (lambda: kernel(SPMV)(matrix(2, 2), dense(2), sizes={5: 2}), spc.ArgumentTypeError, "has no extent 5: there are i, j"),
    (lambda: spc.kernel(SPMV, validate=5), spc.ArgumentError, "validate=5 is none of first, always, never"),
    (lambda: spc.kernel("/tmp"), IsADirectoryError, "a kernel is its text or the path of a file, and this is a folder: '/tmp'"),
    (lambda: spc.read(5), spc.ArgumentTypeError, "a path is needed, not 5"),
    (lambda: spc.load(None), spc.ArgumentTypeError, "a path is needed, not None"),
    (lambda: spc.tune(kernel(SPMV), matrix(2, 2), dense(2), budget="x"), spc.ArgumentTypeError, "budget='x' is no number"),
    (lambda: spc.tune(kernel(SPMV), matrix(2, 2), dense(2), options=5), spc.ArgumentTypeError, "options is to be a list"),
    (lambda: spc.trim_memory("2"), TypeError, "'2' is no number of bytes"),
    (lambda: spc.kernel(SPMV, A="csr", indices={"A": "u8"}, copy=True)(matrix(2, 300), dense(300)), spc.ArgumentError,
     "overflows the index type; B has indices of type u8, which counts to 255"),
    (lambda: spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr", B="csr", C="csr", indices={"C": "u8"})(
        matrix(30, 30), matrix(30, 30)), spc.KernelError, "C has indices of type u8, which counts to 255"),
    (lambda: spc.set_threads("2"), TypeError, "'2' is no number of threads"),
    (lambda: spc.set_threads(2.5), TypeError, "2.5 is no number of threads")])
def test_arguments_of_other_classes(make, error, text):
    with pytest.raises(error, match=text):
        make()


class Raising:
    def __getattr__(self, name):
        raise RuntimeError("not now")


@pytest.mark.parametrize("copy", [False, True])
def test_operands_whose_attributes_raise(copy):
    with pytest.raises(spc.ArgumentTypeError, match="x: its memory cannot be read: not now"):
        spc.kernel("y(i) = 2 * x(i)", copy=copy)(Raising())


def test_integers_that_are_too_large():
    scale, x = spc.kernel("y(i) = a * x(i)"), dense(2)
    for _ in range(4):
        close(scale(2, x), 2 * x)
    with pytest.raises(spc.ArgumentTypeError, match="a: 1000.* is no f64"):
        scale(10**400, x)


def test_names_that_c_or_python_know():
    x, y = dense(3), dense(3, seed=4)
    close(spc.kernel("y(i) = self(i) + int(i) * j0(i)")(self=x, int_=y, j0_=y), x + y * y)
    product = spc.kernel("time(i) = self(i) + int(i) * j0(i)")
    close(product(x, int=y, j0_=y), x + y * y)
    out = np.empty_like(x)
    assert product(self=x, int=y, j0=y, out={"time": out}) is out
    with pytest.raises(spc.ArgumentTypeError, match="int_ is given twice, by its tensor's name as well"):
        product(self=x, int=y, int_=y, j0=y)
    with pytest.raises(spc.ArgumentTypeError, match="needs j0_ as well"):
        product(self=x, int=y)


def test_operands_that_would_be_assembled():
    with pytest.raises(spc.ArgumentError, match="C is assembled and read, too, .* to write to another tensor"):
        spc.kernel("C(i,j) += 2 * S(i,j)", S="csr", C="csr")(S=matrix(4, 4), C=matrix(4, 4))
    with pytest.raises(spc.ArgumentError, match='A={"format": "csr", "structure": "kept"} adds to its values'):
        spc.kernel("A(i,j) += T(i,j)", A="csr")(A=matrix(3, 3), T=matrix(3, 3))


def test_what_memory_ran_out_for():
    column, vector = np.ones((6000000, 1)), np.ones(6000000)
    with pytest.raises(MemoryError, match="memory ran out for an intermediate result, of which 288000000000000 bytes were"):
        spc.kernel("y = a(i) * b(j) / (1 + sum(k, A(i,k) * B(j,k)))")(a=vector, b=vector, A=column, B=column)
