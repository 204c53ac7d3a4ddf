"""What PyTorch's operations on places of elements are in the kernel language: ranges, triangles, diagonals, paddings, windows."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, List, Optional, Sequence, Union

import torch

from ..errors import CompileError
from .gathers import gathered, index_select
from .layers import TABLE, each, reduced, takes
from .networks import Sizes, convolved, each_dimension
from .shapes import expand, slice_of, view
from .sizes import DependsOn, Extent, extent, is_of_sizes, product
from .statements import Element, Program, Tensor, text_of, type_name, without

Number = Union[int, float]


def _kind(dtype: Any, otherwise: Any) -> str:
    return type_name(dtype or otherwise)


@takes("arange")
def arange(program: Program, start: Number = 0, end: Optional[Number] = None, step: Number = 1, dtype: Any = None,
           **named: Any) -> Tensor:
    """A vector that is computed, which may be an index as well."""
    if end is None:
        start, end = 0, start
    kind = _kind(dtype, torch.get_default_dtype() if any(isinstance(one, float) for one in (start, end, step)) else torch.int64)
    if step == 1 and isinstance(start, int) and isinstance(end, int):
        count = extent(end) - extent(start)
    elif is_of_sizes((start, end, step)):
        raise DependsOn([one for one in (start, end, step) if isinstance(one, Extent)], "arange with a step")
    else:
        count = extent(len(torch.arange(start, end, step)))
    first = "" if start == 0 and not is_of_sizes(start) else f"{text_of(start)} + "
    by = "" if step == 1 else f"{text_of(step)} * "
    return program.put([count], lambda indices: f"{first}{by}{kind}({indices[0]})", is_declared=True)


@takes("eye")
def eye(program: Program, n: int, m: Optional[int] = None, dtype: Any = None, **named: Any) -> Tensor:
    kind = _kind(dtype, torch.get_default_dtype())
    return program.put([extent(n), extent(n if m is None else m)], lambda indices: f"{kind}({indices[0]} == {indices[1]})", is_declared=True)


@takes("one_hot")
def one_hot(program: Program, x: Tensor, num_classes: int = -1) -> Tensor:
    if num_classes == -1:
        raise CompileError("one_hot without num_classes: how many there are depends on values")
    x = program.settled(x)
    return program.put([*x.shape, extent(num_classes)], lambda indices: f"i64({x.at(indices[:-1])} == {indices[-1]})", is_declared=True)


def _triangle(is_kept: str) -> Any:
    def made(program: Program, x: Tensor, diagonal: int = 0) -> Tensor:
        x = program.settled(x)
        stored = x.stored
        by = f" + {text_of(diagonal)}" if diagonal else ""

        def kept(indices: Sequence[str]) -> str:
            return f"{indices[-1]} {is_kept} {indices[-2]}{by}"
        if stored is None:
            return program.put(x.shape, lambda indices: f"select({kept(indices)}, {x.at(indices)}, 0)")
        entries = stored
        return program.put(x.shape, lambda indices: f"where({kept(indices)}, {x.at(indices)})",
                           lambda indices: f"{entries(indices)} and {kept(indices)}")
    return made


TABLE["tril"], TABLE["triu"] = _triangle("<="), _triangle(">=")


def _dense(x: Tensor, how: str) -> None:
    if x.is_sparse:
        raise CompileError(f"{how} of a sparse tensor: its entries would be stored in another way")


@takes("diagonal")
def diagonal(program: Program, x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    first, second = dim1 % len(x.shape), dim2 % len(x.shape)
    rows, columns = x.shape[first], x.shape[second]
    kept = list(without(range(len(x.shape)), [first, second]))

    def at(row: str, column: str, indices: Sequence[str]) -> List[str]:
        given = {**dict(zip(kept, indices)), first: row, second: column}
        return [given[k] for k in range(len(x.shape))]
    x = program.settled(x)
    if offset == 0 and rows.same(columns):
        return x.seen([*(x.shape[k] for k in kept), rows], lambda indices: at(indices[-1], indices[-1], indices))
    _dense(x, "diagonal beside the main one")
    if not (rows.is_fixed and columns.is_fixed):
        raise DependsOn([rows, columns], "a diagonal of a matrix that is not square, or beside the main one")
    count = max(min(int(rows) + min(offset, 0), int(columns) - max(offset, 0)), 0)
    row, column = (arange(program, by, by + count) for by in (max(-offset, 0), max(offset, 0)))
    return gathered(program, x, [*(x.shape[k] for k in kept), extent(count)],
                    lambda indices: at(row.at(indices[-1:]), column.at(indices[-1:]), indices))


@takes("trace")
def trace(program: Program, x: Tensor) -> Tensor:
    return reduced(program, "sum", diagonal(program, x), None, False)


@takes("diag_embed")
def diag_embed(program: Program, x: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    if offset or (dim1, dim2) not in ((-2, -1), (len(x.shape) - 1, len(x.shape))):
        raise CompileError("diag_embed beside the main diagonal, or into other dimensions than the last ones")
    return program.put([*x.shape, x.shape[-1]], lambda indices: f"({indices[-2]} == {indices[-1]}) * {x.at(indices[:-1])}", is_declared=True)


@takes("diag")
def diag(program: Program, x: Tensor, diagonal_: int = 0) -> Tensor:
    return diag_embed(program, x, diagonal_) if len(x.shape) == 1 else diagonal(program, x, diagonal_)


@takes("flip")
def flip(program: Program, x: Tensor, *dims: Any) -> Tensor:
    _dense(x, "flip")
    over = [dim % len(x.shape) for dim in (dims if isinstance(dims[0], int) else dims[0])]
    x = program.settled(x)

    def backwards(indices: Sequence[str]) -> List[str]:
        return [f"{(size - 1).text} - {index}" if k in over and index != "0" else index
                for k, (size, index) in enumerate(zip(x.shape, indices))]
    return program.put(x.shape, lambda indices: x.at(backwards(indices)), is_declared=True)


def _of_place(text: str) -> Element:
    """An element by its one index."""
    return lambda indices: text.format(indices[0])


@takes("roll")
def roll(program: Program, x: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    by, over = ([one] if isinstance(one, int) else list(one) for one in (shifts, dims))
    if not over:
        return view(program, roll(program, view(program, x, [-1]), by, [0]), list(x.shape))
    _dense(x, "roll")
    for shift, dim in zip(by, over):
        size = x.shape[dim % len(x.shape)]
        from_ = f"({{0}} - {text_of(shift)}) % {text_of(size)}"
        text = f"i64(select({from_} < 0, {from_} + {text_of(size)}, {from_}))"
        x = index_select(program, x, dim, program.put([size], _of_place(text), is_declared=True))
    return x


@takes("repeat", "tile")
def repeat(program: Program, x: Tensor, *sizes: Any) -> Tensor:
    _dense(x, "repeat")
    times = list(sizes if isinstance(sizes[0], int) else sizes[0])
    times = [1] * (len(x.shape) - len(times)) + times
    own = [Extent(1)] * (len(times) - len(x.shape)) + list(x.shape)
    apart = [extent(size) for pair in zip(times, own) for size in pair]
    rank = len(x.shape)
    spread = x.seen([size if k % 2 else 1 for k, size in enumerate(apart)], lambda indices: list(indices)[1::2][len(own) - rank:])
    return view(program, expand(program, spread, apart), [extent(count) * size for count, size in zip(times, own)])


@takes("repeat_interleave")
def repeat_interleave(program: Program, x: Tensor, repeats: Any, dim: Optional[int] = None, output_size: Any = None) -> Tensor:
    if not isinstance(repeats, int):
        raise CompileError("repeat_interleave by a tensor: how many elements it gives depends on values")
    if dim is None:
        x, dim = view(program, x, [-1]), 0
    place = dim % len(x.shape)
    _dense(x, "repeat_interleave")
    shape = [*x.shape[:place + 1], extent(repeats), *x.shape[place + 1:]]
    spread = x.seen([*x.shape[:place + 1], 1, *x.shape[place + 1:]], lambda indices: [*indices[:place + 1], *indices[place + 2:]])
    return view(program, expand(program, spread, shape), [*x.shape[:place], x.shape[place] * extent(repeats), *x.shape[place + 1:]])


@takes("constant_pad_nd")
def constant_pad(program: Program, x: Tensor, pad: Sequence[int], value: Number = 0) -> Tensor:
    _dense(x, "pad")
    before, after = ([0] * (len(x.shape) - len(pad) // 2) + list(pad[k::2])[::-1] for k in (0, 1))
    for k, (first, last) in enumerate(zip(before, after)):
        if first < 0 or last < 0:
            x = slice_of(program, x, k, max(-first, 0), x.shape[k] + min(last, 0))
    before, after = ([max(one, 0) for one in ones] for ones in (before, after))
    if not any(before) and not any(after):
        return x
    x = program.settled(x)
    shape = [size + extent(first) + extent(last) for size, first, last in zip(x.shape, before, after)]

    def element(indices: Sequence[str]) -> str:
        text = f"padded({x.at([f'{index} - {first}' if first else index for index, first in zip(indices, before)])})"
        inside = [f"{index} >= {first} and {index} < {(size + first).text}" for index, size, first, last
                  in zip(indices, x.shape, before, after) if first or last]
        return text if value == 0 else f"select({' and '.join(inside)}, {text}, {text_of(value)})"
    return program.put(shape, element, is_declared=True, is_dense=True)


@takes("function.pad")
def pad(program: Program, x: Tensor, pad: Sequence[int], mode: str = "constant", value: Optional[Number] = None) -> Tensor:
    if mode != "constant":
        raise CompileError(f"pad with mode='{mode}': kernels pad with a constant")
    return constant_pad(program, x, pad, value or 0)


@takes("aten.unfold", "method.unfold")
def unfold(program: Program, x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    _dense(x, "unfold")
    place = dimension % len(x.shape)
    count = convolved(x.shape[place], extent(size), step, 0, 1)
    x = program.settled(x)
    by = "" if step == 1 else f"{step}*"
    return program.put([*x.shape[:place], count, *x.shape[place + 1:], extent(size)], lambda indices: x.at(
        [*indices[:place], f"{by}{indices[place]} + {indices[-1]}", *indices[place + 1:-1]]), is_declared=True)


def _pooled(program: Program, x: Tensor, count: int, how: str, kernel: Sizes, stride: Any, padding: Sizes, dilation: Sizes,
            ceil_mode: bool) -> Tensor:
    """Reductions of windows in the last dimensions."""
    if ceil_mode:
        raise CompileError("a pooling with ceil_mode=True")
    widths, paddings, dilations = (each_dimension(one, count) for one in (kernel, padding, dilation))
    strides = each_dimension(stride, count) if stride else widths
    x = constant_pad(program, x, [one for by in paddings[::-1] for one in (by, by)], -float("inf") if how == "max" else 0)
    x = program.settled(x)
    outer = len(x.shape) - count
    sizes = [convolved(size, extent(width), by, 0, apart) for size, width, by, apart in zip(x.shape[outer:], widths, strides, dilations)]

    def element(indices: Sequence[str]) -> str:
        places = [" + ".join((index if by == 1 else f"{by}*{index}", inner if apart == 1 else f"{apart}*{inner}")) for index, inner, by, apart
                  in zip(indices[outer:], indices[outer + count:], strides, dilations)]
        return x.at([*indices[:outer], *places])
    windows = program.put([*x.shape[:outer], *sizes, *(extent(one) for one in widths)], element, is_declared=True)
    return reduced(program, how, windows, list(range(outer + count, outer + 2 * count)), False)


def _max_pool(count: int, has_places: bool) -> Any:
    def made(program: Program, x: Tensor, kernel_size: Sizes, stride: Any = None, padding: Sizes = 0, dilation: Sizes = 1,
             ceil_mode: bool = False, return_indices: bool = False) -> Any:
        if return_indices:
            raise CompileError("a pooling with return_indices=True")
        values = _pooled(program, x, count, "max", kernel_size, stride, padding, dilation, ceil_mode)
        return (values, None) if has_places else values
    return made


def _avg_pool(count: int) -> Any:
    def made(program: Program, x: Tensor, kernel_size: Sizes, stride: Any = None, padding: Sizes = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor_override: Optional[int] = None) -> Tensor:
        if not count_include_pad and any(each_dimension(padding, count)):
            raise CompileError("a pooling with count_include_pad=False")
        total = _pooled(program, x, count, "sum", kernel_size, stride, padding, 1, ceil_mode)
        return each(program, "{0} / {1}", total, float(divisor_override or product(each_dimension(kernel_size, count))))
    return made


def _adaptive(count: int) -> Any:
    def made(program: Program, x: Tensor, output_size: Sizes) -> Tensor:
        first, wanted = len(x.shape) - count, each_dimension(output_size, count)
        if all(one == 1 for one in wanted):
            return reduced(program, "mean", x, list(range(first, len(x.shape))), True)
        sizes = x.shape[first:]
        if not all(size.is_fixed for size in sizes):
            raise DependsOn([size for size in sizes if not size.is_fixed], "how large the windows of a pooling are")
        if any(int(size) % one for size, one in zip(sizes, wanted)):
            raise CompileError("an adaptive pooling whose windows are not of one size")
        pooled: Tensor = _avg_pool(count)(program, x, [int(size) // one for size, one in zip(sizes, wanted)])
        return pooled
    return made


for _count in (1, 2, 3):
    TABLE[f"max_pool{_count}d_with_indices"] = _max_pool(_count, True)
    TABLE[f"max_pool{_count}d"] = _max_pool(_count, False)
    TABLE[f"avg_pool{_count}d"] = _avg_pool(_count)
    TABLE[f"adaptive_avg_pool{_count}d"] = _adaptive(_count)
