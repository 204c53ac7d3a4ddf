"""Arrays with strides, numbers, and what exports its memory."""
# SPDX-License-Identifier: Apache-2.0

import itertools

import numpy as np
import pytest
from support import Exported, Interfaced, address, close, dense, kernel, matrix

import spc

pytestmark = pytest.mark.optimised

SPMM = "C(i,k) = A(i,j) * B(j,k)"
ADD = "C(i,j) = A(i,j) + B(i,j)"


def laid_out(array, modes):
    """The array, stored with the last of `modes` innermost."""
    return np.ascontiguousarray(array.transpose(modes)).transpose(np.argsort(modes))


@pytest.mark.parametrize("modes", list(itertools.permutations(range(3))))
def test_any_order_of_dimensions(modes):
    a = laid_out(dense((3, 4, 5)), modes)
    close(kernel("y(i,j) = A(i,j,k) * x(k)")(A=a, x=np.arange(5.0)), a @ np.arange(5.0))


@pytest.mark.parametrize("b", [
    dense((8, 6))[:, 1:4], dense((16, 3))[::2], dense((8, 3))[::-1], np.asfortranarray(dense((8, 3))),
    dense((8, 1)), dense((3, 8)).T, np.broadcast_to(dense((1, 3)), (8, 3)), dense((8, 6))[:, 1:2],
    np.broadcast_to(dense((8, 1)), (8, 3))],
    ids=["columns", "every other row", "rows backwards", "column-major", "one column", "transposed", "broadcast rows",
         "one of many columns", "broadcast columns"])
def test_strides(b):
    a = matrix(6, 8)
    close(kernel(SPMM)(a, b), a @ b)


@pytest.mark.parametrize("x", [dense((8, 3))[:, 1], dense((16,))[::2], dense((8,))[::-1], dense((17,))[15::-2]],
                         ids=["a column", "every other", "backwards", "every other backwards"])
def test_strides_of_vectors(x):
    a, out = matrix(6, 8), np.full((6, 5), -1.0)
    spmv = kernel("y(i) = A(i,j) * x(j)")
    expected = spmv(a, np.ascontiguousarray(x))
    assert (spmv(a, x) == expected).all()
    spmv(a, x, out=out[:, 3])
    assert (out[:, 3] == expected).all() and (np.delete(out, 3, axis=1) == -1).all()


def test_a_vector_of_one_element_in_memory():
    with pytest.raises(spc.ArgumentError, match=r"x: an array of shape \(8,\) .* np\.ascontiguousarray\(\) copies"):
        kernel("y(i) = A(i,j) * x(j)")(matrix(6, 8), np.broadcast_to(1.0, (8,)))


@pytest.mark.parametrize("b", [dense((8, 6))[:, ::2], dense((8, 3))[:, ::-1], np.broadcast_to(1.0, (8, 3)),
                               np.zeros((8, 3), [("x", "f4"), ("y", "f8")])["y"]],
                         ids=["every other column", "columns backwards", "one number", "a field"])
def test_strides_that_no_format_says(b):
    with pytest.raises(spc.ArgumentError, match=r"B: an array of shape .* np\.ascontiguousarray\(\) copies"):
        kernel(SPMM)(matrix(6, 8), b)
    a = matrix(6, 8)
    close(spc.kernel(SPMM, copy=True)(a, b), a @ b)


def test_one_element_lies_in_all_orders():
    row_major = kernel(ADD, A="dense", B="dense:1,0")
    a, b = dense((5, 1)), dense((5, 1), seed=3)
    close(row_major(a, b), a + b)
    close(row_major(dense((1, 1)), dense((1, 1))), 2 * dense((1, 1)))
    with pytest.raises(spc.ArgumentError, match=r"B: stored as dense, and the kernel reads dense:1,0: np\.asc"):
        row_major(dense((5, 2)), dense((5, 2)))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_no_elements(shape):
    result = kernel(ADD)(np.empty(shape), np.empty((shape[0], 2 * shape[1]))[:, ::2])
    assert result.shape == shape


def test_order_0():
    scale = kernel("y(i) = alpha * x(i)")
    for alpha in (2, 2.0, True, np.float64(2), np.array(2.0)):
        close(scale(alpha, dense(4)), alpha * dense(4))
    with pytest.raises(spc.ArgumentTypeError, match="alpha: a number is needed, not a tensor of order 1"):
        scale(dense(4), dense(4))
    with pytest.raises(spc.ArgumentTypeError, match="x: a tensor of order 1 is needed, not a number"):
        scale(2.0, 3.0)


def test_numbers_take_the_type_of_what_they_meet():
    scale = kernel("y(i) = alpha * x(i)")
    for dtype in (np.float32, np.float64, np.complex64, np.int32):
        close(scale(2, dense(4, dtype)), dtype(2) * dense(4, dtype))
    close(scale(1j, dense(4, np.complex128)), 1j * dense(4, np.complex128))
    with pytest.raises(spc.ArgumentTypeError, match="alpha: 1.5 is no i32: .* unless types={'alpha': 'f64'} says theirs"):
        scale(1.5, dense(4, np.int32))
    with pytest.raises(spc.ArgumentTypeError, match="alpha: 4294967296 is no i32: it is not from -2147483648"):
        scale(2**32, dense(4, np.int32))


def test_results_of_order_0():
    total = kernel("s = A(i,j)", A="csr")
    for dtype in (np.float32, np.float64, np.complex128, np.int64):
        result = total(matrix(5, 6, dtype=dtype))
        assert isinstance(result, np.generic)
        close(result, matrix(5, 6, dtype=dtype).toarray().sum())


def test_half_floats():
    a, b = np.arange(6, dtype=np.float16).reshape(2, 3), np.ones((2, 3), np.float16)
    close(kernel(ADD)(a, b), a + b)


def test_other_byte_order():
    swapped = np.arange(8.0).astype(">f8")
    with pytest.raises(spc.ArgumentTypeError, match=r"x: >f8 has the other byte order .* \.astype\('float64'\) converts"):
        kernel("y(i) = A(i,j) * x(j)")(matrix(6, 8), swapped)
    close(spc.kernel("y(i) = A(i,j) * x(j)", copy=True)(matrix(6, 8), swapped), matrix(6, 8) @ np.arange(8.0))


def test_arrays_that_are_more_than_arrays():
    with pytest.raises(spc.ArgumentTypeError, match=r"A: masked arrays have no format: \.filled\(0\)"):
        kernel(ADD)(np.ma.masked_equal(dense((2, 2)), 1), dense((2, 2)))
    with pytest.raises(spc.ArgumentTypeError, match=r"A: builtins\.list is no array.*np\.array\(\)"):
        kernel(ADD)([[1.0]], dense((1, 1)))
    with pytest.raises(spc.ArgumentTypeError, match="A: builtins.str is no array"):
        kernel(ADD)("text", dense((1, 1)))
    with pytest.raises(spc.ArgumentTypeError, match="A: builtins.NoneType is no array"):
        kernel(ADD)(None, dense((1, 1)))


def test_read_only_operands():
    a = dense((2, 3))
    a.flags.writeable = False
    close(kernel(ADD)(a, a), a + a)


class Elsewhere(Exported):
    """An array in the memory of another device."""

    def __dlpack__(self, **options):
        raise BufferError("it lies on another device")


@pytest.mark.parametrize("wrap", [Exported, Interfaced])
def test_exported(wrap):
    a, b = dense((4, 3)), dense((4, 3), seed=5)
    call = kernel(ADD).bind(wrap(a), wrap(b))
    a *= 2
    close(call(), a + b)
    close(kernel("y(i) = alpha * x(i)")(wrap(np.array(3.0)), dense(2)), 3 * dense(2))


def test_exported_from_elsewhere():
    with pytest.raises(spc.ArgumentTypeError, match="A: its memory cannot be read: it lies on another device"):
        kernel(ADD)(Elsewhere(dense((2, 2))), dense((2, 2)))


def test_dense_operands_are_not_copied():
    a, b, out = dense((4, 3)), dense((4, 3), seed=5), np.empty((4, 3))
    call = kernel(ADD).bind(a, b, out=out)
    a += 1
    assert call() is out and address(out)
    close(out, a + b)


def test_exponentials_of_single_floats():
    """All that the C library's function does: within two units in the last place, up to infinities, NaNs and numbers below
    the least normal one."""
    numbers = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32).view(np.float32)
    numbers = np.concatenate([numbers, np.float32([0, -0.0, np.inf, -np.inf, np.nan, 88.72283, 88.72284, -103.97, -103.98])])
    made = kernel("y(i) = exp(x(i))")(x=numbers)
    with np.errstate(all="ignore"):
        exact = np.exp(numbers.astype(np.float64))
        rounded = exact.astype(np.float32)
        assert np.array_equal(np.isnan(made), np.isnan(numbers))
        assert np.array_equal(np.isinf(made), np.isinf(rounded))
        finite = np.isfinite(rounded)
        assert np.all(np.abs(made - exact)[finite] <= 2 * np.spacing(rounded)[finite])


@pytest.mark.parametrize("count", [0, 1, 3, 200_000])
@pytest.mark.parametrize("dtype", [np.float64, np.complex64, np.float16, np.bool_])
def test_repeated_calls_give_new_arrays(count, dtype):
    """Of whatever size; those of some MiB have memory that is used again when nobody has them any more."""
    same, x = kernel("y(i) = x(i)"), np.ones(count, dtype)
    results = [same(x) for _ in range(4)]
    x[:] = 0
    results.append(same(x))
    assert len({address(result) for result in results}) == len(results) or not count
    for result in results[:4]:
        close(result, np.ones(count, dtype))
        assert result.flags.writeable and result.flags.c_contiguous
    close(results[4], np.zeros(count, dtype))
