"""What PyTorch's norms, distances and normalisations are in the kernel language."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Optional, Sequence, Tuple, Union

from ..errors import CompileError
from .layers import TABLE, each, in_type, once, reduced, takes
from .networks import batch_norm
from .shapes import squeeze, unsqueeze, view
from .sizes import extent
from .statements import Program, Tensor, dimensions, text_of, type_name

Order = Union[int, float, str, None]
Dims = Union[int, Sequence[int], None]

#: A norm of 0 has the derivative 0, as in PyTorch, where a root's would be infinite.
_ROOT = "select({0} > 0, sqrt({0}), 0 * {0})"


@takes("linalg_vector_norm", "vector_norm")
def vector_norm(program: Program, x: Tensor, ord: Order = 2, dim: Dims = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    x = in_type(program, x, dtype)
    if isinstance(ord, str) or ord is None or ord < 0 and ord != -float("inf"):
        raise CompileError(f"a norm of order {ord!r}: kernels have those of 0, of positive orders and of -inf")
    if abs(ord) == float("inf"):
        return reduced(program, "max" if ord > 0 else "min", each(program, "abs({0})", x, sparse=(0,)), dim, keepdim)
    if ord == 0:
        return reduced(program, "sum", each(program, f"{type_name(x.kind) or 'f32'}({{0}} != 0)", x, sparse=(0,)), dim, keepdim)
    if ord == 1:
        return reduced(program, "sum", each(program, "abs({0})", x, sparse=(0,)), dim, keepdim)
    if ord == 2:
        return each(program, _ROOT, reduced(program, "sum", each(program, "{0} * {0}", x, sparse=(0,)), dim, keepdim))
    powers = each(program, f"select({{0}} != 0, pow(abs({{0}}), {text_of(ord)}), 0)", x, sparse=(0,))
    return each(program, f"select({{0}} > 0, pow({{0}}, {text_of(1 / ord)}), 0)", reduced(program, "sum", powers, dim, keepdim))


@takes("logsumexp")
def logsumexp(program: Program, x: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    if x.is_sparse:
        raise CompileError("logsumexp of a sparse tensor: its exponentials, sums and logarithms have words")
    dims = dimensions(dim, len(x.shape))
    greatest = each(program, "select(abs({0}) == inf, 0, {0})", reduced(program, "max", x, dims, True))
    total = reduced(program, "sum", each(program, "exp({0} - {1})", x, greatest), dims, True)
    made = each(program, "log({0}) + {1}", total, greatest)
    return made if keepdim else squeeze(program, made, dims)


@takes("outer", "ger")
def outer(program: Program, x: Tensor, y: Tensor) -> Tensor:
    return each(program, "{0} * {1}", unsqueeze(program, x, 1), unsqueeze(program, y, 0), sparse=(0, 1))


@takes("norm")
def norm(program: Program, x: Tensor, p: Order = 2, dim: Dims = None, keepdim: bool = False, out: None = None,
         dtype: Any = None) -> Tensor:
    return vector_norm(program, x, 2 if p in ("fro", None) else p, dim, keepdim, dtype)


@takes("linalg_matrix_norm", "matrix_norm")
def matrix_norm(program: Program, x: Tensor, ord: Order = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False,
                dtype: Any = None) -> Tensor:
    if ord == "fro":
        return vector_norm(program, x, 2, dim, keepdim, dtype)
    if not isinstance(ord, (int, float)) or abs(ord) not in (1, float("inf")):
        raise CompileError(f"a norm of matrices of order {ord!r}: kernels have 'fro', 1, -1, inf and -inf")
    x = in_type(program, x, dtype)
    rows, columns = (one % len(x.shape) for one in dim)
    summed, kept = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = reduced(program, "sum", each(program, "abs({0})", x, sparse=(0,)), summed, keepdim)
    return reduced(program, "max" if ord > 0 else "min", sums, kept - (not keepdim and kept > summed), keepdim)


@takes("linalg_norm")
def any_norm(program: Program, x: Tensor, ord: Order = None, dim: Dims = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    dims = dimensions(dim, len(x.shape)) if dim is None or isinstance(dim, int) else list(dim)
    if ord is not None and len(dims) == 2:
        return matrix_norm(program, x, ord, dims, keepdim, dtype)
    return vector_norm(program, x, 2 if ord is None else ord, dim, keepdim, dtype)


@takes("normalize")
def normalize(program: Program, x: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12, out: None = None) -> Tensor:
    length = each(program, f"max({{0}}, {text_of(eps)})", vector_norm(program, x, p, dim, True))
    return each(program, "{0} / {1}", x, length, sparse=(0,))


@takes("cosine_similarity")
def cosine_similarity(program: Program, x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    directions = [normalize(program, one, 2, dim, eps) for one in (x1, x2)]
    return reduced(program, "sum", each(program, "{0} * {1}", *directions, sparse=(0, 1)), dim, False)


@takes("pairwise_distance")
def pairwise_distance(program: Program, x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    return vector_norm(program, each(program, f"{{0}} - {{1}} + {text_of(eps)}", x1, x2), p, -1, keepdim)


@takes("cdist", "cdist_forward")
def cdist(program: Program, x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    return vector_norm(program, each(program, "{0} - {1}", unsqueeze(program, x1, -2), unsqueeze(program, x2, -3)), p, -1)


def _scaled(program: Program, x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor]) -> Tensor:
    """Each channel, the second dimension, times its weight, with its bias."""
    for text, one in (("{0} * {1}", weight), ("{0} + {1}", bias)):
        if one is not None:
            shape = [*one.shape, *[1] * (len(x.shape) - 2)]
            x = each(program, text, once(x), one.seen(shape, lambda indices: [indices[0]]))
    return x


def _normalised(program: Program, x: Tensor, first: int, eps: float) -> Tensor:
    """Elements less their mean by their deviation, of all dimensions from one on."""
    dims = list(range(first, len(x.shape)))
    centred = each(program, "{0} - {1}", x, reduced(program, "mean", x, dims, True))
    variance = reduced(program, "mean", each(program, "{0} * {0}", centred), dims, True)
    return each(program, f"{{0}} / sqrt({{1}} + {text_of(eps)})", centred, variance)


@takes("group_norm")
def group_norm(program: Program, x: Tensor, num_groups: int, weight: Optional[Tensor] = None, bias: Optional[Tensor] = None,
               eps: float = 1e-5, cudnn_enabled: bool = True) -> Tensor:
    """The channels of a group lie side by side: a dimension of their own, unless a group has all of them or one."""
    channels = x.shape[1]
    if num_groups == 1 or channels.same(num_groups) and len(x.shape) > 2:
        return _scaled(program, _normalised(program, x, 1 if num_groups == 1 else 2, eps), weight, bias)
    each_group = channels // num_groups
    grouped = view(program, x, [x.shape[0], extent(num_groups), extent(each_group), *x.shape[2:]])
    return _scaled(program, view(program, _normalised(program, grouped, 2, eps), list(x.shape)), weight, bias)


@takes("native_group_norm")
def native_group_norm(program: Program, x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], count: int, channels: int,
                      size: int, group: int, eps: float) -> Tuple[Tensor, None, None]:
    return group_norm(program, x, group, weight, bias, eps), None, None


@takes("instance_norm")
def instance_norm(program: Program, x: Tensor, running_mean: Optional[Tensor] = None, running_var: Optional[Tensor] = None,
                  weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, use_input_stats: bool = True,
                  momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    if not use_input_stats:
        return batch_norm(program, x, running_mean, running_var, weight, bias, False, momentum, eps)
    return _scaled(program, _normalised(program, x, 2, eps), weight, bias)


@takes("aten.instance_norm")
def _instance_norm(program: Program, x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Optional[Tensor],
                   var: Optional[Tensor], use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool) -> Tensor:
    return instance_norm(program, x, mean, var, weight, bias, use_input_stats, momentum, eps)


@takes("aminmax")
def extremes(program: Program, x: Tensor, dim: Dims = None, keepdim: bool = False) -> Tuple[Tensor, Tensor]:
    return reduced(program, "min", x, dim, keepdim), reduced(program, "max", x, dim, keepdim)


@takes("std_mean")
def deviation_and_mean(program: Program, x: Tensor, *arguments: Any, **named: Any) -> Tuple[Tensor, Tensor]:
    variance, mean = TABLE["var_mean"](program, x, *arguments, **named)
    return each(program, _ROOT, variance), mean


@takes("count_nonzero")
def count_nonzero(program: Program, x: Tensor, dim: Dims = None) -> Tensor:
    return reduced(program, "sum", each(program, "i64({0} != 0)", x, sparse=(0,)), dim, False)
