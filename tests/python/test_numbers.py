"""Numbers as operands and results, and arrays without dimensions, which are read and written in place as other arrays are."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest
import scipy.sparse as sp
from support import Interfaced, close, dense, kernel, matrix

import spc

BOTH = "kernel f(x) -> (y, s)\ntensor x(n)\ntensor y(n)\ny(i) += x(i)\ns += x(i)"
SUM = "s += x(i)"
TYPES = ["float16", "float32", "float64", "complex64", "complex128", "int8", "int16", "int32", "int64", "uint8", "uint16",
         "uint32", "uint64"]
pytestmark = pytest.mark.filterwarnings("ignore::spc.SpcWarning")


def test_written_in_place():
    x, y, s = np.ones(4), np.zeros(4), np.array(0.0)
    for k in range(1, 5):  # the first calls, and those that are kept
        made = kernel(BOTH)(x=x, y=y, s=s)
        assert made[0] is y and made[1] is s
        assert y.tolist() == [k] * 4 and float(s) == 4 * k
    call = kernel(BOTH).bind(x, y, s)
    for k in range(5, 8):
        assert call()[1] is s and float(s) == 4 * k
    s[...] = 1
    assert float(call()[1]) == 5


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_functions_of_integers_take_the_types_of_arrays(dtype):
    a, x = np.array([[4, 0, 7], [0, 9, 1]], dtype), np.array([2, 3, 4], dtype)
    for text in ("", "tensor A(m, n), sparse\ntensor x(n)\n"):
        quotients = spc.kernel(text + "y(i) = sum(j, div(A(i,j), x(j)))")(sp.csr_matrix(a), x)
        assert quotients.dtype == dtype and quotients.tolist() == [3, 3]
    halves = spc.kernel("y(i) = f64(div(k(i), 2)) * x(i)")
    assert halves(x, np.array([0.5, 0.5, 0.25])).tolist() == [0.5, 0.5, 0.5]
    assert spc.kernel("y(i) = shl(x(i), 2)")(x).tolist() == [8, 12, 16]


def test_functions_of_integers_refuse_floats():
    with pytest.raises(spc.CompileError, match="'div' is not defined on f64"):
        spc.kernel("y(i) = div(x(i), z(i))")(np.ones(3), np.ones(3))
    with pytest.raises(spc.CompileError, match="'div' is not defined on f32"):
        spc.kernel("y(i) = div(x(i), z(i))", types={"x": "f32", "z": "f32"})


@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype):
    x, s = np.ones(3, dtype), np.array(1, dtype)
    for k in range(3):
        assert kernel(SUM)(x, s) is s
        assert s.dtype == dtype and s == 4 + 3 * k
    out = np.array(0, dtype)
    assert spc.kernel("s = x(i)")(x, out=out) is out and out == 3


@pytest.mark.parametrize("make", [lambda: [0.0] * 4, lambda: np.zeros(4, ">f8"), lambda: np.ma.zeros(4),
                                  lambda: np.lib.stride_tricks.as_strided(np.zeros(1), (4,), (0,), writeable=False)])
def test_no_copy_is_written_in_place_of_an_operand(make):
    """Where copy=True converts other operands."""
    add, given, x = spc.kernel("y(i) += x(i)", copy=True), make(), np.ones(4)
    with pytest.raises(spc.ArgumentError, match="y: "):
        add(y=given, x=x)
    close(add(y=np.zeros(4), x=make()), np.zeros(4))
    for number in (np.array(0.0, ">f8"), np.ma.array(0.0), np.ma.masked):
        with pytest.raises(spc.ArgumentError, match="s: "):
            spc.kernel(SUM, copy=True)(x, number)


@pytest.mark.parametrize("given", [np.zeros(8)[::2], np.zeros(4)[::-1]])
def test_vectors_with_strides_are_written_in_place(given):
    assert spc.kernel("y(i) += x(i)", copy=True)(y=given, x=np.arange(4.0)) is given
    close(given, np.arange(4.0))


def test_masked_elements_are_not_taken_for_zeros():
    masked = np.ma.masked_array([3.0, 2.0, 4.0], [0, 1, 0])
    for text, operands in (("s = min(i, x(i))", {"x": masked}),
                           ("y(i) = x(p(i))", {"x": np.arange(3.0), "p": np.ma.masked_array([2, 2, 1], [0, 1, 0])})):
        with pytest.raises(spc.ArgumentError, match="masked arrays have no format"):
            spc.kernel(text, copy=True)(**operands)


def test_copies_of_numbers():
    scaled = spc.kernel("y(i) = a * x(i)", copy=True)
    for number in (np.array(2.0, ">f8"), np.ma.array(2.0), [2.0][0]):
        close(scaled(number, np.ones(3)), np.full(3, 2.0))
    with pytest.raises(spc.ArgumentTypeError, match="a: masked arrays have no format"):
        kernel("y(i) = a * x(i)")(np.ma.array(2.0), np.ones(3))


def test_parts_of_arrays():
    """Arrays without dimensions may lie in larger ones, at any place."""
    total, x = np.zeros(3), np.ones(4)
    place = total[1:2].reshape(())
    kernel(SUM)(x, place)
    assert total.tolist() == [0, 4, 0]
    record = np.zeros(2, np.dtype([("flag", "i1"), ("sum", "f8")]))
    place = np.ndarray((), "f8", record.data, 1)
    assert not place.flags.aligned
    for k in range(1, 4):
        kernel(SUM)(x, place)
        assert record["sum"].tolist() == [4 * k, 0]


def test_read_only():
    x, y, s = np.ones(4), np.zeros(4), np.array(0.0)
    for _ in range(3):
        kernel(BOTH)(x, y, s)
    s.flags.writeable = False
    for refused in (lambda: kernel(BOTH)(x, y, s), lambda: kernel(BOTH).bind(x, y, s), lambda: kernel(SUM)(x, s),
                    lambda: kernel(SUM)(x, np.broadcast_to(0.0, ()))):
        with pytest.raises(spc.ArgumentError, match="s: out cannot be written"):
            refused()
    assert float(s) == 12 and y.tolist() == [3] * 4


def test_other_types_and_places():
    x = np.ones(4)
    bound = spc.kernel("s += x(i)", types={"s": "f64", "x": "f64"})
    with pytest.raises(spc.ArgumentError, match="s: out has type f32, and the result f64"):
        bound(x, np.array(0, np.float32))
    with pytest.raises(spc.ArgumentTypeError, match="s is read, too: it is an operand, which is written in place"):
        kernel(SUM)(x, np.array(0.0), out=np.array(0.0))
    with pytest.raises(spc.ArgumentTypeError, match="dtype|byte order"):
        kernel(SUM)(x, np.array(0.0).astype(">f8"))
    with pytest.raises(spc.ArgumentError, match="s is written where x lies"):
        kernel(SUM)(x, x[:1].reshape(()))
    with pytest.raises(spc.ArgumentError, match="is written where .* lies"):
        y = np.zeros(4)
        kernel(BOTH)(x, y, y[:1].reshape(()))
    with pytest.raises(spc.ArgumentError, match="is written where . lies"):
        out = np.array(0.0)
        kernel("s = x(i)\nt = 2 * x(i)")(x, out={"s": out, "t": out})


def test_numbers_that_are_no_arrays():
    """They cannot be written: the result is another one, and a bound call begins with the one that was bound."""
    x = np.ones(4)
    for number in (1.0, 1, np.float64(1)):
        for _ in range(3):
            assert kernel(SUM)(x, number) == 5
        call = kernel(SUM).bind(x, number)
        assert [call(), call(), call()] == [5, 5, 5]


def test_operands_without_dimensions_are_read_again():
    a, x, alpha = matrix(5, 6), dense(6), np.array(2.0)
    scaled = spc.kernel("y(i) = alpha * A(i,j) * x(j)")
    call = scaled.bind(alpha, a, x)
    narrow = spc.kernel("y(i) = alpha * A(i,j) * x(j)", types={"alpha": "f64"}).bind(np.array(2, np.int32), a, x)
    plan = spc.kernel("C(i,j) = alpha * A(i,j) * D(i,j) + A(i,j)", A="csr", D="csr", C="csr").plan(alpha, a, a)
    for factor in (2.0, 3.0, -1.0, 0.5):
        alpha[...] = factor
        for _ in range(3):
            close(scaled(alpha, a, x), factor * (a @ x))
        close(call(), factor * (a @ x))
        close(plan(), factor * a.toarray() ** 2 + a.toarray())
        close(narrow(), 2 * (a @ x))
    with pytest.raises(spc.ArgumentTypeError, match="alpha: .* is no f64|a number is needed"):
        scaled(np.ones(2), a, x)
    close(scaled(np.array(2, np.float32), a, x), 2 * (a @ x))


def test_tensors():
    torch = pytest.importorskip("torch")
    for name in ("float16", "bfloat16", "float32", "float64", "int16", "int64", "complex64"):
        dtype = getattr(torch, name)
        x, y, s = torch.ones(4, dtype=dtype), torch.zeros(4, dtype=dtype), torch.tensor(0, dtype=dtype)
        for k in range(1, 5):
            made = kernel(BOTH)(x=x, y=y, s=s)
            assert made[0] is y and made[1] is s and made[1].dtype is dtype
            assert torch.equal(s, torch.tensor(4 * k, dtype=dtype))
        out = torch.tensor(7, dtype=dtype)
        assert spc.kernel("s = x(i)")(x, out=out) is out and torch.equal(out, torch.tensor(4, dtype=dtype))
        alpha = torch.tensor(2, dtype=dtype)
        call = spc.kernel("y(i) = alpha * x(i)").bind(alpha, x)
        alpha.fill_(3)
        assert torch.equal(call(), 3 * x)
    mixed = kernel(SUM)(np.ones(3), torch.tensor(1.0, dtype=torch.float64))
    assert isinstance(mixed, torch.Tensor) and float(mixed) == 4


def test_other_objects():
    s = Interfaced(np.array(1.0))
    for k in range(3):
        assert kernel(SUM)(np.ones(3), s) is s
        assert float(s.array) == 4 + 3 * k
    s.array.flags.writeable = False
    with pytest.raises(spc.ArgumentError, match="s: out cannot be written"):
        kernel(SUM)(np.ones(3), Interfaced(s.array))


def test_results_of_numbers_alone():
    product = kernel("s = a * b")
    assert type(product(2.0, 3.0)) is np.float64 and product(2.0, np.array(3.0)) == 6
    assert sp.issparse(matrix(2, 2))
    torch = pytest.importorskip("torch")
    for made in (product(torch.tensor(2.0), torch.tensor(3.0)), product(2.0, torch.tensor(3.0))):
        assert isinstance(made, torch.Tensor) and float(made) == 6
    close(kernel("B(i,j) = a * A(i,j)")(torch.tensor(2.0, dtype=torch.float64), matrix(3, 3)), 2 * matrix(3, 3).toarray())
