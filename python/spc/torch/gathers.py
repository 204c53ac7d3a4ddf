"""What PyTorch's operations on indices that tensors hold are in the kernel language."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, List, Optional, Sequence, Tuple

from ..errors import CompileError
from .layers import TABLE, each, takes
from .sizes import extent, is_one
from .statements import Operand, Program, Tensor, element_of, text_of, type_name, unknown


def _index(program: Program, index: Tensor) -> Tensor:
    """A tensor of indices that is a tensor by itself, which indices of others have to be, with variables for dimensions of one
    element as well."""
    if not any(is_one(size) for size in index.shape):
        return program.settled(index)
    kind = type_name(index.kind) or "i64"
    return program.put_at(index.shape, lambda indices: f"{kind}({index.at(indices)})", is_declared=True)


def _from_start(program: Program, index: Tensor, size: int) -> Tensor:
    """Indices that may count from the end, from the start. Those of calls are not looked at before, and are to do so."""
    if not index.counts_from_end:
        return index
    kind = type_name(index.kind) or "i64"
    return program.put_at(index.shape, lambda indices: "{0}(select({1} < 0, {1} + {2}, {1}))".format(
        kind, index.at(indices), text_of(extent(size))), is_declared=True)


def gathered(program: Program, x: Tensor, shape: Sequence[int], at: Any) -> Tensor:
    """What is read at indices that tensors hold: no statement where all dimensions have variables."""
    x = program.settled(x)
    made = Tensor(shape, lambda indices: x.at(at(indices)), unknown if x.is_sparse else None, is_gathered=True)
    return _settled(program, made) if any(is_one(size) for size in made.shape) else made


def _settled(program: Program, x: Tensor) -> Tensor:
    """A temporary, which has its dimensions of one element, too: what holds an index is indexed with variables alone."""
    made = program.put_at(x.shape, x.at, is_declared=any(is_one(size) for size in x.shape))
    return Tensor(x.shape, made.at, x.stored)


@takes("index_select")
def index_select(program: Program, x: Tensor, dim: int, index: Tensor) -> Tensor:
    place, index = dim % len(x.shape), _index(program, index)
    return gathered(program, x, [*x.shape[:place], *index.shape, *x.shape[place + 1:]],
                     lambda indices: [*indices[:place], index.at([indices[place]]), *indices[place + 1:]])


@takes("embedding")
def embedding(program: Program, index: Tensor, weight: Tensor, padding_idx: Optional[int] = None, max_norm: Optional[float] = None,
              norm_type: float = 2, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    if padding_idx is not None or max_norm is not None or scale_grad_by_freq:
        raise CompileError("embedding with padding_idx, max_norm or scale_grad_by_freq: kernels do without")
    rank, index = len(index.shape), _index(program, index)
    return gathered(program, weight, [*index.shape, *weight.shape[1:]],
                     lambda indices: [index.at(indices[:rank]), *indices[rank:]])


@takes("aten.embedding")
def _embedding(program: Program, weight: Tensor, index: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False,
               sparse: bool = False) -> Tensor:
    return embedding(program, index, weight, None if padding_idx == -1 else padding_idx, None, 2, scale_grad_by_freq)


@takes("index")
def index_of(program: Program, x: Tensor, places: Sequence[Optional[Tensor]]) -> Tensor:
    """x[:, p, q]: tensors of indices of one shape, in dimensions side by side."""
    given = [k for k, one in enumerate(places) if one is not None]
    held = [_index(program, _from_start(program, one, x.shape[k])) for k, one in enumerate(places) if one is not None]
    if any("bool" in str(one.kind) for one in held):
        raise CompileError("selection by a tensor of bools: how many elements it gives depends on values; torch.where() keeps "
                           "their places")
    if given != list(range(given[0], given[0] + len(given))) or any(len(one.shape) != len(held[0].shape) for one in held):
        raise CompileError("indices of several shapes, or with others between them")
    first, count, rank = given[0], len(given), len(held[0].shape)

    def at(indices: Sequence[str]) -> List[str]:
        own = indices[first:first + rank]
        return [*indices[:first], *(one.at(own) for one in held), *indices[first + rank:]]
    return gathered(program, x, [*x.shape[:first], *held[0].shape, *x.shape[first + count:]], at)


@takes("gather")
def gather(program: Program, x: Tensor, dim: int, index: Tensor, sparse_grad: bool = False) -> Tensor:
    place, index = dim % len(x.shape), _index(program, index)
    x = program.settled(x)
    return _settled(program, Tensor(index.shape, lambda indices: x.at([*indices[:place], index.at(indices), *indices[place + 1:]]),
                                    unknown if x.is_sparse else None))


def _start(program: Program, x: Tensor) -> Tensor:
    """A temporary that begins as a tensor, to be written to."""
    if x.is_sparse:
        raise CompileError("what is scattered goes into a dense tensor")
    kind, at = type_name(x.kind) if x.is_untold else "", x.at  # numbers do not tell their type
    return program.put_at(x.shape, lambda indices: f"{kind}({at(indices)})" if kind else at(indices), is_declared=True)


_REDUCED = {"add": "+=", "sum": "+=", "amax": "max=", "amin": "min="}


@takes("index_add")
def index_add(program: Program, x: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float = 1) -> Tensor:
    return _into(program, x, dim, index, source, "+=", alpha)


@takes("index_reduce")
def index_reduce(program: Program, x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str,
                 include_self: bool = True) -> Tensor:
    return _into(program, _neutral(program, x, reduce, include_self), dim, index, source, _REDUCED[reduce])


def _into(program: Program, x: Tensor, dim: int, index: Tensor, source: Tensor, how: str, alpha: float = 1) -> Tensor:
    """Slices that go to where a vector of indices says."""
    place, index = dim % len(x.shape), _index(program, index)
    made = _start(program, x)
    indices = program.indices(len(x.shape))
    scale = "" if alpha == 1 else f"{text_of(alpha)} * "
    program.update(made, lambda: [*indices[:place], index.at([indices[place]]), *indices[place + 1:]], how,
                   lambda: scale + source.at(indices))
    return made


def _neutral(program: Program, x: Tensor, reduce: str, include_self: bool) -> Tensor:
    """What a reduction begins with. Raises CompileError of those that have no words."""
    if reduce not in _REDUCED or not include_self:
        raise CompileError(f"reduce='{reduce}'{'' if include_self else ', include_self=False'}: kernels take in by sum, amax and "
                           "amin, from what is there")
    return x


@takes("scatter_add")
def scatter_add(program: Program, x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return _scattered(program, x, dim, index, src, "+=")


@takes("scatter_reduce")
def scatter_reduce(program: Program, x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str,
                   include_self: bool = True) -> Tensor:
    return _scattered(program, _neutral(program, x, reduce, include_self), dim, index, src, _REDUCED[reduce])


def _scattered(program: Program, x: Tensor, dim: int, index: Tensor, src: Tensor, how: str) -> Tensor:
    place, index = dim % len(x.shape), _index(program, index)
    if index.is_untold:
        index = program.settled(index)
    made = _start(program, x)
    indices = program.indices(len(x.shape))
    program.update(made, lambda: [*indices[:place], index.at(indices), *indices[place + 1:]], how, lambda: src.at(indices))
    return made


@takes("scatter")
def scatter(program: Program, x: Tensor, dim: int, index: Tensor, src: Operand = 0, reduce: Optional[str] = None,
            value: Operand = 0) -> Tensor:
    """Elements that are replaced: what comes, where something comes."""
    if reduce is not None:
        raise CompileError(f"reduce='{reduce}': scatter_reduce takes elements in")
    base, place, index = x, dim % len(x.shape), _index(program, index)

    def at(indices: Sequence[str]) -> str:
        return ", ".join([*indices[:place], index.at(indices), *indices[place + 1:]])
    coming = program.put_at(x.shape, src.at, is_declared=True, target=at).at if isinstance(src, Tensor) else \
        element_of(src or value, ())
    reached = program.put_at(x.shape, lambda indices: "1", is_declared=True, target=at)
    return program.put(x.shape, lambda indices: f"select({reached.at(indices)} > 0, {coming(indices)}, {base.at(indices)})")


@takes("index_put")
def index_put(program: Program, x: Tensor, places: Sequence[Optional[Tensor]], values: Tensor,
              accumulate: bool = False) -> Tensor:
    given = [k for k, one in enumerate(places) if one is not None]
    first = places[given[0]]
    if len(given) > 1 or first is None or len(first.shape) != 1 or not accumulate:
        raise CompileError("index_put by one vector of indices, with accumulate=True, has words in the kernel language")
    return index_add(program, x, given[0], first, values)


@takes("topk")
def topk(program: Program, x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Tuple[Tensor, Tensor]:
    place = dim % len(x.shape)
    shape = [*x.shape[:place], extent(k), *x.shape[place + 1:]]
    x = program.settled(x)
    made = []
    for name in ("top", "argtop") if largest else ("bottom", "argbottom"):
        def element(indices: Sequence[str], name: str = name) -> str:
            own = program.fresh(indices)
            return f"{name}({indices[place]}, {own}, {x.at([*indices[:place], own, *indices[place + 1:]])})"
        made.append(program.put_at(shape, element, is_declared=True))
    return made[0], made[1]


def _extreme(how: str) -> Any:
    def made(program: Program, x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, Tensor):
            return each(program, f"{how}({{0}}, {{1}})", x, dim)
        values = TABLE["a" + how](program, x, dim, keepdim)
        return values if dim is None else (values, TABLE["arg" + how](program, x, dim, keepdim))
    return made


TABLE["max"], TABLE["min"] = _extreme("max"), _extreme("min")
