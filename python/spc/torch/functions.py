"""What PyTorch's functions of each element are in the kernel language: activations, remainders, functions of two tensors."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, Optional, Tuple

from ..errors import CompileError
from .layers import TABLE, each, is_whole, takes
from .shapes import chunk
from .statements import Operand, Program, Tensor, text_of, type_name

# Of one element: where it is 0, those of the first list are.
for _names, _sparse in (("asin asinh atanh", (0,)), ("acos acosh cosh", ())):
    for _name in _names.split():
        TABLE[_name] = lambda program, x, _name=_name, _sparse=_sparse: each(program, f"{_name}({{0}})", x, sparse=_sparse)
        TABLE["arc" + _name[1:]] = TABLE[_name]
for _name, _text, _sparse in (
        ("isnan", "{0} != {0}", ()), ("isinf", "abs({0}) == inf", ()), ("isfinite", "abs({0}) < inf", ()),
        ("frac", "{0} - trunc({0})", (0,)), ("tanhshrink", "{0} - tanh({0})", (0,)), ("softsign", "{0} / (1 + abs({0}))", (0,)),
        ("sgn", "sign({0})", (0,)), ("positive", "{0}", (0,)), ("log10", "log({0}) / 2.302585092994046", ())):
    TABLE[_name] = lambda program, x, _text=_text, _sparse=_sparse: each(program, _text, x, sparse=_sparse)

# Beyond these bounds they are constant, or the element itself: at a bound, too, where PyTorch's derivatives are those beyond it.
for _name, _text, _sparse in (
        ("relu6", "select({0} <= 0, 0, select({0} >= 6, 6, {0}))", (0,)),
        ("hardswish", "select({0} <= -3, 0, select({0} >= 3, {0}, {0} * ({0} + 3) / 6))", (0,)),
        ("hardsigmoid", "select({0} <= -3, 0, select({0} >= 3, 1, ({0} + 3) / 6))", ()),
        ("mish", "select({0} > 20, {0}, {0} * tanh(log1p(exp({0}))))", (0,)),
        ("selu", "1.0507009873554805 * select({0} > 0, {0}, 1.6732632423543772 * expm1({0}))", (0,))):
    TABLE[_name] = lambda program, x, inplace=False, _text=_text, _sparse=_sparse: each(program, _text, x, sparse=_sparse)

#: At the origin the derivative is 0, as in PyTorch, and not that of a quotient by 0.
_ANGLE = "select({0} == 0 and {1} == 0, atan2(floor({0}), floor({1})), atan2({0}, {1}))"
# Of two tensors, or of one and a number.
for _name, _text in (("atan2", _ANGLE), ("arctan2", _ANGLE), ("fmax", "fmax({0}, {1})"), ("fmin", "fmin({0}, {1})"),
                     ("xlogy", "select({0} == 0 and ({1} <= 0 or {1} == inf), 0, {0} * log({1}))"),
                     ("logaddexp", "select({0} == {1} and abs({0}) == inf, {0}, select({0} > {1}, {0} + log1p(exp({1} - {0})), "
                                   "{1} + log1p(exp({0} - {1}))))")):
    TABLE[_name] = lambda program, x, y, _text=_text: each(program, _text, x, y)


@takes("hardtanh")
def hardtanh(program: Program, x: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    low, high = text_of(min_val), text_of(max_val)
    return each(program, f"select({{0}} <= {low}, {low}, select({{0}} >= {high}, {high}, {{0}}))", x)


@takes("log_sigmoid", "logsigmoid")
def log_sigmoid(program: Program, x: Tensor) -> Tensor:
    """The exponential is of what is not above 0, which does not overflow."""
    return each(program, "select({0} > 0, -log1p(exp(-{0})), {0} - log1p(exp({0})))", x)


@takes("round")
def rounded(program: Program, x: Tensor, decimals: int = 0) -> Tensor:
    if decimals:
        raise CompileError(f"round with decimals={decimals}: kernels round to whole numbers")
    return x if is_whole(x) else each(program, "roundeven({0})", x, sparse=(0,))


@takes("celu")
def celu(program: Program, x: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return each(program, f"select({{0}} > 0, {{0}}, {text_of(alpha)} * expm1({{0}} / {text_of(alpha)}))", x, sparse=(0,))


@takes("prelu")
def prelu(program: Program, x: Tensor, weight: Tensor) -> Tensor:
    """A slope for all elements, or one for each channel, the second dimension."""
    shape = [size if k == 1 else 1 for k, size in enumerate(x.shape)]
    if len(weight.shape) == 1 and len(x.shape) > 1:
        slopes = weight
        weight = slopes.seen(shape, lambda indices: [indices[1]]) if slopes.shape[0] != 1 else slopes
    return _sloped(program, x, weight)


@takes("prelu_kernel")
def _sloped(program: Program, x: Tensor, weight: Tensor) -> Tensor:
    return each(program, "select({0} > 0, {0}, {1} * {0})", x, weight, sparse=(0,))


@takes("glu")
def glu(program: Program, x: Tensor, dim: int = -1) -> Tensor:
    left, right = chunk(program, x, 2, dim)
    return each(program, "{0} * sigmoid({1})", left, right)


@takes("hardshrink")
def hardshrink(program: Program, x: Tensor, lambd: float = 0.5) -> Tensor:
    return each(program, f"select(abs({{0}}) <= {text_of(lambd)}, 0, {{0}})", x, sparse=(0,))


@takes("softshrink")
def softshrink(program: Program, x: Tensor, lambd: float = 0.5) -> Tensor:
    by = text_of(lambd)
    return each(program, f"select({{0}} > {by}, {{0}} - {by}, select({{0}} < -{by}, {{0}} + {by}, 0 * {{0}}))", x, sparse=(0,))


@takes("threshold")
def threshold(program: Program, x: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    return each(program, f"select({{0}} <= {text_of(threshold)}, {text_of(value)}, {{0}})", x)


@takes("logit")
def logit(program: Program, x: Tensor, eps: Optional[float] = None) -> Tensor:
    inside = x if eps is None else hardtanh(program, x, eps, 1 - eps)
    return each(program, "log({0} / (1 - {0}))", inside)


@takes("lerp")
def lerp(program: Program, start: Tensor, end: Operand, weight: Operand) -> Tensor:
    return each(program, "{0} + {2} * ({1} - {0})", start, end, weight)


@takes("addcmul")
def addcmul(program: Program, x: Tensor, first: Tensor, second: Tensor, value: float = 1) -> Tensor:
    return each(program, "{0} + " + ("" if value == 1 else f"{text_of(value)} * ") + "{1} * {2}", x, first, second)


@takes("addcdiv")
def addcdiv(program: Program, x: Tensor, first: Tensor, second: Tensor, value: float = 1) -> Tensor:
    return each(program, "{0} + " + ("" if value == 1 else f"{text_of(value)} * ") + "{1} / {2}", x, first, second)


@takes("nan_to_num")
def nan_to_num(program: Program, x: Tensor, nan: Optional[float] = None, posinf: Optional[float] = None,
               neginf: Optional[float] = None) -> Tensor:
    import torch
    most = torch.finfo(x.kind).max if type_name(x.kind)[:1] == "f" else 0
    if is_whole(x) or not most and None in (posinf, neginf):
        raise CompileError("nan_to_num of what is not known to be floats")
    texts = [text_of(float(other if one is None else one)) for one, other in ((nan, 0), (posinf, most), (neginf, -most))]
    return each(program, "select({{0}} != {{0}}, {}, select({{0}} == inf, {}, select({{0}} == -inf, {}, {{0}})))".format(*texts), x,
                sparse=(0,))


#: The remainder has the sign of what is divided, where PyTorch's has that of the divisor.
_IS_OTHER_SIGN = "{0} % {1} != 0 and ({0} % {1} < 0) != ({1} < 0)"


@takes("remainder", "mod")
def remainder(program: Program, x: Operand, y: Operand) -> Tensor:
    return each(program, f"select({_IS_OTHER_SIGN}, {{0}} % {{1}} + {{1}}, {{0}} % {{1}})", x, y)


_divided = TABLE["div"]


@takes("div", "divide", "true_divide")
def div(program: Program, x: Operand, y: Operand, rounding_mode: Optional[str] = None) -> Any:
    if rounding_mode is None:
        return _divided(program, x, y)
    return _towards(program, x, y, rounding_mode == "floor")


@takes("floor_divide", "floordiv")
def floor_divide(program: Program, x: Operand, y: Operand) -> Tensor:
    return _towards(program, x, y, True)


def _towards(program: Program, x: Operand, y: Operand, is_floor: bool) -> Tensor:
    """A quotient without its fraction. That of floats downwards is the nearest to what is left without the remainder, as 1 / 0.1
    may be 10."""
    operands: Tuple[Operand, Operand] = (x, y)
    if all(is_whole(one) if isinstance(one, Tensor) else isinstance(one, int) for one in operands):
        text = f"div({{0}}, {{1}}) - i64({_IS_OTHER_SIGN})" if is_floor else "div({0}, {1})"
        return each(program, text, x, y)
    exact = f"roundeven(({{0}} - {{0}} % {{1}}) / {{1}} - select({_IS_OTHER_SIGN}, 1, 0))"
    return each(program, f"select({{1}} == 0, {{0}} / {{1}}, {exact})" if is_floor else "trunc({0} / {1})", x, y)
