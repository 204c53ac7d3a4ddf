"""What PyTorch's operations on shapes are in the kernel language."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, List, Optional, Sequence, Tuple, Union

from ..errors import CompileError
from .layers import each, takes
from .sizes import DependsOn, Extent, extent, grouped, is_of_sizes, is_one, product
from .statements import Element, Operand, Program, Tensor, dimensions, text_of, unknown, without


def _moved(x: Tensor, order: Sequence[int]) -> Tensor:
    """Dimensions in another order: no statement."""
    places = list(order)
    return x.seen([x.shape[k] for k in places], lambda indices: [indices[places.index(k)] for k in range(len(places))])


@takes("permute")
def permute(program: Program, x: Tensor, *dims: Any) -> Tensor:
    order = dims if isinstance(dims[0], int) else dims[0]
    return _moved(x, [dim % len(x.shape) for dim in order])


@takes("T", "numpy_T")
def turned(program: Program, x: Tensor, _name: str = "") -> Tensor:
    return _moved(x, range(len(x.shape))[::-1])


@takes("mT")
def matrices_turned(program: Program, x: Tensor, _name: str = "") -> Tensor:
    return transpose(program, x, -2, -1)


@takes("t", "transpose", "swapaxes")
def transpose(program: Program, x: Tensor, first: int = 0, second: int = 1) -> Tensor:
    order = list(range(len(x.shape)))
    if len(order) > 1:
        order[first], order[second] = order[second], order[first]
    return _moved(x, order)


@takes("unsqueeze")
def unsqueeze(program: Program, x: Tensor, dim: int) -> Tensor:
    place = dim % (len(x.shape) + 1)
    shape = [*x.shape[:place], Extent(1), *x.shape[place:]]
    return x.seen(shape, lambda indices: [index for k, index in enumerate(indices) if k != place])


@takes("squeeze")
def squeeze(program: Program, x: Tensor, dim: Any = None) -> Tensor:
    x = program.settled(x)
    dims = [k for k in dimensions(dim, len(x.shape)) if is_one(x.shape[k])]

    def places(indices: Sequence[str]) -> List[str]:
        given = iter(indices)
        return ["0" if k in dims else next(given) for k in range(len(x.shape))]
    return x.seen(list(without(x.shape, dims)), places)


@takes("expand", "broadcast_to")
def expand(program: Program, x: Tensor, *sizes: Any, implicit: bool = False) -> Tensor:
    wanted = list(sizes if sizes and isinstance(sizes[0], int) else sizes[0])
    own = [Extent(1)] * (len(wanted) - len(x.shape)) + list(x.shape)
    shape = [mine if size == -1 or mine.same(size) else extent(size) for mine, size in zip(own, wanted)]
    if all(mine.same(size) for mine, size in zip(own, shape)):
        return x.seen(shape, lambda indices: list(indices)[len(shape) - len(x.shape):])
    made = program.settled(x).spread(shape)
    made.is_untold = True
    return made


@takes("expand_as")
def expand_as(program: Program, x: Tensor, other: Tensor) -> Tensor:
    return expand(program, x, other.shape)


def _wanted(x: Tensor, sizes: Sequence[Any]) -> List[Extent]:
    """The shape that a view asks for, in which -1 is what is left."""
    wanted = list(sizes if sizes and isinstance(sizes[0], int) else sizes[0])
    if -1 in wanted:
        place = wanted.index(-1)
        rest = product(x.shape) // product(wanted[:place] + wanted[place + 1:])
        if not isinstance(rest, Extent):
            raise DependsOn([next(size for size in reversed(x.shape) if not size.is_fixed)], "a view in which one size is -1")
        wanted[place] = rest
    return [extent(size) for size in wanted]


def _strided(indices: Sequence[str], sizes: Sequence[Extent]) -> str:
    """The place of an element among those of several dimensions."""
    parts = [index if stride.same(1) else f"{stride.text}*{index}"
             for index, stride in zip(indices, (product(sizes[k + 1:]) for k in range(len(sizes))))]
    return " + ".join(parts)


@takes("view", "reshape", "unsafe_view")
def view(program: Program, x: Tensor, *sizes: Any) -> Tensor:
    """Dimensions that become one are written so by a statement, and those that one becomes by another."""
    wanted = _wanted(x, sizes)
    groups = grouped(x.shape, wanted)
    fixed = [len(left) == len(right) == 1 and x.shape[left[0]].same(wanted[right[0]]) for left, right in groups]
    if x.is_sparse and not all(fixed):
        raise CompileError(f"view of a sparse tensor of shape {tuple(map(int, x.shape))} as {tuple(map(int, wanted))}: its entries "
                           "would be stored in another way")
    if not all(fixed):
        x = program.settled(x)
    before = [left for left, _ in groups]
    merged = [product([x.shape[k] for k in left]) for left in before]
    flat = x.seen(merged, lambda indices: _spread(x, before, indices))
    if any(len(left) > 1 for left in before):
        flat = _merged(program, x, before, merged)

    def places(indices: Sequence[str]) -> List[str]:
        return [_strided([indices[k] for k in right], [wanted[k] for k in right]) for _, right in groups]
    if any(len(right) > 1 or len(left) == 1 and not same for same, (left, right) in zip(fixed, groups)):
        return program.put(wanted, lambda indices: flat.at(places(indices)), is_declared=True)
    return flat.seen(wanted, places)


def _spread(x: Tensor, before: Sequence[Sequence[int]], indices: Sequence[str]) -> List[str]:
    """The indices of a tensor by those of its dimensions that have more than one element, each a group of its own."""
    given = {left[0]: index for left, index in zip(before, indices)}
    return [given.get(k, "0") for k in range(len(x.shape))]


def _merged(program: Program, x: Tensor, before: Sequence[Sequence[int]], merged: Sequence[Extent]) -> Tensor:
    """A temporary that has one dimension for each group."""
    kept = [k for left in before for k in left]
    names = dict(zip(kept, program.indices(len(kept))))

    def target(_: Sequence[str]) -> str:
        return ", ".join(_strided([names[k] for k in left], [x.shape[k] for k in left]) for left in before)
    return program.put_at(merged, lambda _: x.at([names.get(k, "0") for k in range(len(x.shape))]), is_declared=True,
                          target=target, indices=list(names.values()))


@takes("view_as", "reshape_as")
def view_as(program: Program, x: Tensor, other: Tensor) -> Tensor:
    return view(program, x, other.shape)


@takes("flatten")
def flatten(program: Program, x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    first, last = start_dim % max(len(x.shape), 1), end_dim % max(len(x.shape), 1)
    return view(program, x, [*x.shape[:first], product(x.shape[first:last + 1]), *x.shape[last + 1:]])


@takes("unflatten")
def unflatten(program: Program, x: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    place = dim % len(x.shape)
    parts = list(sizes)
    if -1 in parts:
        at = parts.index(-1)
        parts[at] = x.shape[place] // product(parts[:at] + parts[at + 1:])
    return view(program, x, [*x.shape[:place], *parts, *x.shape[place + 1:]])


@takes("select")
def select(program: Program, x: Tensor, dim: int, index: int) -> Tensor:
    place = dim % len(x.shape)
    at = index if index >= 0 else x.shape[place] + index
    x = program.settled(x)
    return x.seen([*x.shape[:place], *x.shape[place + 1:]], lambda indices: [*indices[:place], extent(at).text, *indices[place:]])


@takes("slice", "narrow")
def slice_of(program: Program, x: Tensor, dim: int = 0, start: Optional[int] = None, end: Optional[int] = None, step: int = 1) -> Tensor:
    place = dim % len(x.shape)
    size = x.shape[place]
    first, last = _bound(start, size, 0), _bound(end, size, size)
    if first.same(0) and last.same(size) and step == 1:
        return x
    if is_of_sizes(step) or step != 1 and not (last - first).is_fixed:
        raise DependsOn([last - first], "a slice with a step")
    count = last - first if step == 1 else extent(-(-int(last - first) // step))
    if x.is_sparse:
        raise CompileError("slice of a sparse tensor: its entries would be stored in another way")
    x = program.settled(x)

    def element(indices: Sequence[str]) -> str:
        if first.same(0) and step == 1:  # the tensor's own size is not that of the slice
            own = program.fresh(indices)
            return f"sum({own}, {x.at([*indices[:place], own, *indices[place + 1:]])} * within({own}, {indices[place]}))"
        moved = indices[place] if step == 1 else f"{step}*{indices[place]}"
        at = moved if first.same(0) else f"{moved} + {first.text}"
        return x.at([*indices[:place], at, *indices[place + 1:]])
    return program.put([*x.shape[:place], count, *x.shape[place + 1:]], element, is_declared=True, is_dense=True)


def _bound(at: Any, size: Extent, otherwise: int) -> Extent:
    """Where a slice begins or ends."""
    if at is None or isinstance(at, int) and not isinstance(at, Extent) and at >= 1 << 62:
        return extent(otherwise)
    if not isinstance(at, int):
        raise CompileError("a slice whose bounds depend on values")
    if extent(at).is_fixed and at < 0:
        return extent(size + at)
    if extent(at).is_fixed and int(at) > int(size):
        if not size.is_fixed:
            raise DependsOn([size], "a slice that ends behind its tensor")
        return size
    return extent(at)


@takes("cat", "concat", "concatenate")
def cat(program: Program, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    place = dim % len(tensors[0].shape)
    parts = [program.settled(one) for one in tensors if not one.shape[place].same(0)]
    total = extent(sum([one.shape[place] for one in parts[1:]], parts[0].shape[place]))

    def element(indices: Sequence[str]) -> str:
        texts, before = [], Extent(0)
        for one in parts:
            if is_one(one.shape[place]):
                alone = one.at([*indices[:place], "0", *indices[place + 1:]])
                texts.append(f"({indices[place]} == {before.text}) * {alone}")
                before = before + one.shape[place]
                continue
            own = program.fresh(indices)
            moved = indices[place] if before.same(0) else (extent(0) - before).text.replace("0 ", f"{indices[place]} ", 1)
            texts.append(f"sum({own}, {one.at([*indices[:place], own, *indices[place + 1:]])} * within({own}, {moved}))")
            before = before + one.shape[place]
        return " + ".join(texts)
    shape = [*parts[0].shape[:place], total, *parts[0].shape[place + 1:]]
    stored = _joined(tensors)
    return program.put(shape, element, stored, is_declared=True, is_dense=stored is None)


def _joined(tensors: Sequence[Tensor]) -> Optional[Element]:
    """Where tensors that become one have entries."""
    return unknown if all(one.is_sparse for one in tensors) else None


@takes("stack")
def stack(program: Program, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    rank = len(tensors[0].shape) + 1
    place = dim % rank

    def element(indices: Sequence[str]) -> str:
        rest = [*indices[:place], *indices[place + 1:]]
        return " + ".join(f"({indices[place]} == {k}) * {one.at(rest)}" for k, one in enumerate(tensors))
    shape = [*tensors[0].shape[:place], len(tensors), *tensors[0].shape[place:]]
    return program.put(shape, element, _joined(tensors), is_declared=True)


@takes("split", "split_with_sizes", "chunk_of_sizes")
def split(program: Program, x: Tensor, sizes: Union[int, Sequence[int]], dim: int = 0) -> Tuple[Tensor, ...]:
    size = x.shape[dim % len(x.shape)]
    if isinstance(sizes, int):
        if not size.is_fixed:
            raise DependsOn([size], "how many parts a tensor is split into")
        sizes = [min(sizes, int(size) - at) for at in range(0, int(size), sizes)]
    made, at = [], extent(0)
    for one in sizes:
        made.append(slice_of(program, x, dim, at, extent(at + one)))
        at = extent(at + one)
    return tuple(made)


@takes("chunk")
def chunk(program: Program, x: Tensor, chunks: int, dim: int = 0) -> Tuple[Tensor, ...]:
    size = x.shape[dim % len(x.shape)]
    if not size.is_fixed:
        raise DependsOn([size], "how large the parts of a tensor are")
    return split(program, x, -(-int(size) // chunks), dim)


@takes("unbind")
def unbind(program: Program, x: Tensor, dim: int = 0) -> Tuple[Tensor, ...]:
    size = x.shape[dim % len(x.shape)]
    if not size.is_fixed:
        raise DependsOn([size], "how many tensors unbind gives")
    return tuple(select(program, x, dim, k) for k in range(int(size)))


def filled(shape: Sequence[int], value: Union[int, float]) -> Tensor:
    """A tensor whose elements are one number: no statement."""
    number = text_of(value)
    return Tensor([extent(size) for size in shape], lambda indices: number, None, bool(shape))


@takes("ones")
def ones(program: Program, *sizes: Any, **named: Any) -> Tensor:
    return filled(sizes if sizes and isinstance(sizes[0], int) else sizes[0] if sizes else (), 1)


@takes("zeros")
def zeros(program: Program, *sizes: Any, **named: Any) -> Tensor:
    return filled(sizes if sizes and isinstance(sizes[0], int) else sizes[0] if sizes else (), 0)


@takes("full")
def full(program: Program, size: Sequence[int], fill_value: Union[int, float], **named: Any) -> Tensor:
    return filled(size, fill_value)


@takes("scalar_tensor")
def scalar_tensor(program: Program, value: Union[int, float], **named: Any) -> Tensor:
    return filled((), value)


@takes("new_ones")
def new_ones(program: Program, x: Tensor, *sizes: Any, **named: Any) -> Tensor:
    return ones(program, *sizes)


@takes("new_zeros")
def new_zeros(program: Program, x: Tensor, *sizes: Any, **named: Any) -> Tensor:
    return zeros(program, *sizes)


@takes("new_full")
def new_full(program: Program, x: Tensor, size: Sequence[int], fill_value: Union[int, float], **named: Any) -> Tensor:
    return filled(size, fill_value)


@takes("to_dense")
def to_dense(program: Program, x: Tensor, dtype: Any = None, masked_grad: Any = None) -> Tensor:
    return Tensor(x.shape, x.at, None, x.is_untold, x.is_gathered)


@takes("zeros_like")
def zeros_like(program: Program, x: Tensor, **named: Any) -> Tensor:
    return filled(x.shape, 0)


@takes("ones_like")
def ones_like(program: Program, x: Tensor, **named: Any) -> Tensor:
    return filled(x.shape, 1)


@takes("full_like")
def full_like(program: Program, x: Tensor, fill_value: Union[int, float], **named: Any) -> Tensor:
    return filled(x.shape, fill_value)


@takes("masked_fill")
def masked_fill(program: Program, x: Operand, mask: Operand, value: Operand) -> Tensor:
    return each(program, "select({0}, {1}, {2})", mask, value, x)
