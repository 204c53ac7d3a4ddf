"""Calls: outputs, bound calls, calls that are repeated, copies."""
# SPDX-License-Identifier: Apache-2.0

import functools
import gc
import pickle
import subprocess
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from support import close, dense, kernel, matrix

import spc
from spc.compiler import toolchain

SPMV = "y(i) = A(i,j) * x(j)"
SPMM = "C(i,k) = A(i,j) * B(j,k)"
SPGEMM = "C(i,l) = A(i,j) * B(j,l)"
SDDMM = "D(i,j) = S(i,j) * A(i,l) * B(j,l)"


def test_out():
    a, b, c = matrix(6, 8), dense((8, 3)), np.full((6, 3), 7.0)
    assert kernel(SPMM)(a, b, out=c) is c
    close(c, a @ b)
    assert kernel(SPMM)(a, b, out={"C": c}) is c
    wide = np.zeros((6, 5))
    kernel(SPMM)(a, b, out=wide[:, 1:4])
    close(wide[:, 1:4], a @ b)
    assert not wide[:, 0].any() and not wide[:, 4].any()


@pytest.mark.parametrize("out, text", [
    (np.empty((6, 2)), r"C: out has shape \(6, 2\) and type f64, and the result \(6, 3\) and f64"),
    (np.empty((6, 3), np.float32), r"C: out has shape \(6, 3\) and type f32"),
    (np.asfortranarray(np.empty((6, 3))), "C: the strides of out are those of dense:1,0, and the result is dense"),
    (np.empty((6, 6))[:, ::2], r"C: an array of shape \(6, 3\)"),
    (np.broadcast_to(np.empty((1, 3)), (6, 3)), "C: out cannot be written"),
    (np.lib.stride_tricks.as_strided(np.empty(3), (6, 3), (0, 8)), "C: elements of out share their places"),
    (matrix(6, 3), "C: out is to be an array, as the result is dense"),
    ([1.0], "C: builtins.list is no array"), ({"D": np.empty((6, 3))}, "has no output 'D': there are C")])
def test_outs_that_do_not_fit(out, text):
    with pytest.raises(spc.ArgumentError, match=text):
        kernel(SPMM)(matrix(6, 8), dense((8, 3)), out=out)


def test_read_only_out():
    out = np.empty((6, 3))
    out.flags.writeable = False
    with pytest.raises(spc.ArgumentError, match="C: out cannot be written"):
        kernel(SPMM)(matrix(6, 8), dense((8, 3)), out=out)


def test_outs_of_numbers():
    dot, x, y, out = kernel("s = x(i) * y(i)"), dense(5), dense(5, seed=3), np.array(7.0)
    for _ in range(4):
        assert dot(x, y, out=out) is out
        close(out, np.array(x @ y))
        x *= 2
    bound = dot.bind(x, y, out={"s": out})
    x *= 2
    assert bound() is out
    close(out, np.array(x @ y))
    assert spc.einsum("i,i->", y, y, out=out) is out
    close(out, np.array(y @ y))
    both, filled = spc.kernel("s = x(i) * y(i)\nz(i) = s * x(i)"), np.empty(5)
    assert both(x, y, out={"s": out, "z": filled}) == (out, filled) if False else both(x, y, out={"s": out})[0] is out


@pytest.mark.parametrize("out, text", [
    (np.empty(1), "s: out is to be an array without dimensions, as the result is a number"),
    (np.float64(1), "s: out is to be an array without dimensions"), (1.0, "s: out is to be an array without dimensions"),
    (np.array(1), "s: out has type i64, and the result f64"), ("junk", "s: builtins.str is no array")])
def test_outs_of_numbers_that_do_not_fit(out, text):
    with pytest.raises(spc.ArgumentError, match=text):
        kernel("s = x(i) * y(i)")(dense(5), dense(5), out=out)
    fixed = np.array(1.0)
    fixed.flags.writeable = False
    with pytest.raises(spc.ArgumentError, match="s: out cannot be written"):
        kernel("s = x(i) * y(i)")(dense(5), dense(5), out=fixed)


@pytest.mark.parametrize("text, out", [
    (SPMM, dense((6, 3))), ("C(i,k) += A(i,j) * B(j,k)", dense((6, 3))), ("D(i,j) = 2 * A(i,j)", matrix(6, 8))])
def test_outs_that_become_read_only(text, out):
    product = spc.kernel(text, A="csr")
    values = out if isinstance(out, np.ndarray) else out.data
    given = {"A": matrix(6, 8), "B": dense((8, 3)), "C": out}
    operands = [given[argument.name] for argument in product.signature.inputs]
    more = {} if "+=" in text else {"out": out}
    for _ in range(4):
        product(*operands, **more)
    before = values.copy()
    given["A"].data *= 2
    values.flags.writeable = False
    for _ in range(2):
        with pytest.raises(spc.ArgumentError, match="out cannot be written"):
            product(*operands, **more)
    assert (values == before).all()
    values.flags.writeable = True
    product(*operands, **more)
    assert (values != before).any()


@pytest.mark.parametrize("shape, strides, is_fine", [
    ((20, 20), (8, 8), False), ((20, 20), (16, 8), False), ((5, 4), (-24, 8), False), ((5, 4), (32, 8), True),
    ((5, 4), (-32, 8), True), ((3, 2), (24, 8), True), ((3, 4), (16, 8), False), ((2, 3, 2), (24, 16, 8), False),
    ((2, 2), (40, 8), True), ((2, 3, 2), (8, 24, 120), True), ((1, 3), (0, 8), True), ((2, 2, 2), (16, 24, 8), False),
    ((2, 1, 2), (16, 16, 8), True)])
def test_outs_with_elements_in_one_place(shape, strides, is_fine):
    out = np.lib.stride_tricks.as_strided(np.zeros(1000)[500:], shape, strides)
    letters = "ijk"[:len(shape)]
    fill = spc.kernel(f"Y({','.join(letters)}) = " + " * ".join(f"v{letter}({letter})" for letter in letters),
                      Y="dense" if strides[-1] == 8 else "dense:2,1,0")
    vectors = [dense((size,), seed=k + 1) for k, size in enumerate(shape)]
    if is_fine:
        fill(*vectors, out=out)
        close(out, functools.reduce(np.multiply.outer, vectors))
        return
    with pytest.raises(spc.ArgumentError, match="Y: elements of out share their places"):
        fill(*vectors, out=out)


def test_out_may_not_be_an_operand():
    a, x = matrix(6, 6), dense(12)
    with pytest.raises(spc.ArgumentError, match="y is written where x lies"):
        kernel(SPMV)(a, x[:6], out=x[3:9])
    kernel(SPMV)(a, x[:6], out=x[6:])
    close(x[6:], a @ x[:6])
    both = dense((6, 4))
    kernel(SPMM)(a, both[:, :2], out=both[:, 2:])
    close(both[:, 2:], a @ both[:, :2])


def test_out_of_a_sampled_result():
    s, a, b = matrix(8, 12), dense((8, 3)), dense((12, 3), seed=4)
    d = s.copy()
    assert kernel(SDDMM, S="csr")(s, a, b, out=d) is d
    close(d, s.toarray() * (a @ b.T))
    with pytest.raises(spc.ArgumentError, match=r"D: .* are not those of S"):
        kernel(SDDMM, S="csr")(s, a, b, out=matrix(8, 12, seed=9, density=0.1))
    other = s.copy()
    other.indices = np.sort((other.indices + 5) % 12)
    with pytest.raises(spc.ArgumentError, match="D: .* are not those of S"):
        kernel(SDDMM, S="csr")(s, a, b, out=other)
    with pytest.raises(spc.ArgumentError, match="C is assembled by the call, which allocates it: it cannot be given"):
        kernel(SPGEMM, A="csr", B="csr", C="csr")(matrix(3, 3), matrix(3, 3), out=matrix(3, 3))


def test_updated_in_place():
    axpy = kernel("y(i) += A(i,j) * x(j)")
    a, x, y = matrix(6, 8), dense(8), dense(6)
    expected = y + a @ x
    assert axpy(y=y, A=a, x=x) is y
    close(y, expected)
    for _ in range(3):
        expected = expected + a @ x
        assert axpy(y=y, A=a, x=x) is y
    close(y, expected)
    with pytest.raises(spc.ArgumentTypeError, match="y is read, too"):
        axpy(y=y, A=a, x=x, out=y)


@pytest.mark.parametrize("text, expected", [
    ("C(i,j) += A(i,k) * A(k,j)", lambda c, a: c + a @ a),
    ("C(i,j) = 2 * C(i,j) + A(i,k) * A(k,j)", lambda c, a: 2 * c + a @ a),
    ("C(i,j) += -A(j,i)", lambda c, a: c - a.T),
])
def test_a_sparse_product_is_added_to_an_array(text, expected):
    a, c = matrix(8, 8), dense((8, 8))
    wanted = expected(c, a.toarray())
    assert kernel(text)(C=c, A=a) is c
    close(c, wanted)


def test_several_results():
    both = kernel("y(i) = A(i,j) * x(j)\nz(j) = A(i,j) * w(i)\n", A="csr")
    a, x, w = matrix(6, 8), dense(8), dense(6)
    y, z = both(A=a, x=x, w=w)
    close(y, a @ x)
    close(z, a.T @ w)
    out = np.empty(8)
    assert both(A=a, x=x, w=w, out={"z": out})[1] is out
    close(out, a.T @ w)
    with pytest.raises(spc.ArgumentTypeError, match="has 2 outputs: out is to be a dictionary"):
        both(A=a, x=x, w=w, out=out)


def test_sizes():
    spread = spc.kernel("A(i,j) = x(i)")
    with pytest.warns(spc.SpcWarning, match=r"(?s)kernel\.tex:1:5: warning: 'j' indexes nothing.*\^"):
        close(spread(dense(3), sizes={"j": 4}), np.tile(dense(3)[:, None], 4))
    with pytest.raises(spc.ArgumentError, match=r"A: no operand says how large j is: sizes=\{'j': \.\.\.\} does"):
        spread(dense(3))
    with pytest.raises(spc.ArgumentTypeError, match="no extent 'k': there are i, j"):
        spread(dense(3), sizes={"k": 4})
    with pytest.raises(spc.ArgumentError, match="extent j cannot be -1"):
        spread(dense(3), sizes={"j": -1})


def test_sizes_of_assembled_results():
    diagonal = kernel("D(i,j) = (i == j) * x(i)", D="csr")
    close(diagonal(dense(3), sizes={"j": 5}), np.eye(3, 5) * dense(3)[:, None])
    with pytest.raises(spc.ArgumentError, match=r"D: no operand says how large j is: sizes=\{'j': \.\.\.\} does"):
        diagonal(dense(3))


def test_bound_calls():
    a, b, c = matrix(6, 8), dense((8, 3)), np.empty((6, 3))
    call = kernel(SPMM).bind(a, B=b, out=c)
    for _ in range(3):
        b *= 2
        assert call() is c
        close(c, a @ b)
    product = kernel(SPGEMM, A="csr", B="csr", C="csr").bind(a, matrix(8, 6))
    first, second = product(), product()
    assert first is not second
    a.data *= 2
    close(product(), 2 * second.toarray())
    close(first, second.toarray())


def test_one_bound_call_in_several_threads():
    a = matrix(40, 40)
    call = kernel(SPGEMM, A="csr", B="csr", C="csr").bind(a, a)
    expected, results = (a @ a).toarray(), []
    threads = [threading.Thread(target=lambda: results.extend(call() for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 200
    for result in results[::20]:
        close(result, expected)


def test_pickled_kernels():
    copy = pickle.loads(pickle.dumps(kernel(SPMV, A="csr")))
    close(copy(matrix(4, 5), dense(5)), matrix(4, 5) @ dense(5))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A shared library of two kernels."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "spmv.tex").write_text(SPMV + "\n")
    (folder / "product.tex").write_text(SPGEMM + "\n")
    for name, formats in (("spmv", ["A=csr"]), ("product", ["A=csr", "B=csr", "C=csr"])):
        options = [option for form in formats for option in ("--format", form)]
        toolchain.run(["compile", f"{name}.tex", *options, "--mcpu=native", "-O1"], folder)
    toolchain.run(["library", "spmv.o", "product.o", "-o", "libkernels.so"], folder)
    return folder / "libkernels.so"


def test_loaded_libraries(library):
    kernels = spc.load(library)
    assert sorted(kernels) == ["product", "spmv"]
    assert "spmv(A, x) -> y" in repr(kernels["spmv"])
    a = matrix(6, 6)
    for _ in range(3):
        close(kernels["spmv"](A=a, x=dense(6)), a @ dense(6))
    close(kernels["product"](a, a), (a @ a).toarray())
    with pytest.raises(spc.ArgumentTypeError, match=r"x: values of type f32, and the kernel reads f64: \.astype\('float64'\)"):
        kernels["spmv"](a, dense(6, np.float32))
    with pytest.raises(spc.ArgumentTypeError, match="A: indices of type i64, and the kernel reads i32|A: pointers of type"):
        kernels["spmv"](matrix(6, 6, index=np.int64), dense(6))
    copying = spc.load(str(library), copy=True)["spmv"]
    close(copying(matrix(6, 6, index=np.int64, dtype=np.float32), dense(6)), matrix(6, 6, dtype=np.float32) @ dense(6))


def test_what_is_no_library(tmp_path):
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(OSError):
        spc.load(tmp_path / "text.so")
    (tmp_path / "empty.c").write_text("int f(void) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "empty.c", "-o", "empty.so"], cwd=tmp_path, check=True)
    with pytest.raises(spc.CompilerError, match="has no table of kernels"):
        spc.load(tmp_path / "empty.so")


def test_results_outlive_what_they_come_from():
    a = matrix(20, 20)
    values = kernel(SPGEMM, A="csr", B="csr", C="csr")(a, a).data
    gc.collect()
    close(values.sum(), (a @ a).sum(), 1e-9)
    assert sp.issparse(a)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_added_to_what_is_there(form):
    add = spc.kernel("tensor T(m, n), sparse\ntensor A(m, n), sparse\nA(i,j) += T(i,j)\n",
                     formats={"A": {"format": form, "structure": "kept"}})
    a = matrix(8, 12).asformat(form)
    t = a.tocoo()
    twice = sp.coo_matrix((np.r_[t.data[::-1], t.data], (np.r_[t.row[::-1], t.row], np.r_[t.col[::-1], t.col])), t.shape)
    values, indices = a.data, a.indices
    for other in (twice, 2 * t.tocsr()):
        expected = a.toarray() + other.toarray()
        result = add(T=other, A=a)
        assert result is a and a.data is values and a.indices is indices
        close(a.toarray(), expected)
    everywhere = sp.coo_matrix(np.ones(a.shape))
    with pytest.raises(spc.ArgumentError, match="structure is neither NULL nor"):
        add(T=everywhere, A=a)


def test_values_in_the_structure_of_another_tensor():
    scale = spc.kernel("D(i,j) = 2 * S(i,j) * T(i,j)\n", formats={"": {"tensors": {
        "S": "csr", "T": {"structure_of": "S"}, "D": {"structure_of": "S"}}}})
    s, values = matrix(8, 12), dense(matrix(8, 12).nnz)
    other = s.copy()
    other.data = values
    for given in (values, other):
        result = scale(S=s, T=given)
        close(result, 2 * s.data * values)
    with pytest.raises(spc.ArgumentError, match="T: 35 values one after the other are needed, as many as S stores"):
        scale(S=s, T=values[:-1])
    with pytest.raises(spc.ArgumentError, match="T: .* are not those of S"):
        scale(S=s, T=matrix(8, 12, seed=8))
    with pytest.raises(spc.ArgumentTypeError, match="S: a tensor of order 2 is needed, not a number"):
        scale(S=2.0, T=values)
    for number in (1.0, np.zeros(())):
        with pytest.raises(spc.ArgumentTypeError, match="D: a tensor of order 2 is needed, not a number"):
            scale(S=s, T=values, out=number)
    flipped = spc.kernel("D(i,j) = T(i,j) * S(i,j)\n", formats={"": {"tensors": {
        "S": "csr", "T": {"structure_of": "S"}, "D": {"structure_of": "S"}}}})
    with pytest.raises(spc.ArgumentTypeError, match="S: a tensor is needed, not a number"):
        flipped(values, 2.0)
