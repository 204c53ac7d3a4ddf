"""What PyTorch's operations are in the kernel language, by their names."""
# SPDX-License-Identifier: Apache-2.0

import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar

from ..errors import CompileError
from .sizes import Extent, is_one, product
from .statements import (Element, Operand, Pending, Program, Tensor, broadcast_shape, dimensions, element_of, text_of, type_name,
                         unknown, without)

Made = Callable[..., Any]
_Made = TypeVar("_Made", bound=Made)
TABLE: Dict[str, Made] = {}
_WHOLE = ("bool", "i8", "i16", "i32", "i64", "u8")


def takes(*names: str) -> Callable[[_Made], _Made]:
    """Registers what makes the statements of operations; it takes the program and the operation's arguments."""
    def register(made: _Made) -> _Made:
        TABLE.update((name, made) for name in names)
        return made
    return register


def each(program: Program, text: str, *operands: Operand, sparse: Sequence[int] = ()) -> Tensor:
    """An operation on each element; sparse: the operands whose missing entries make a result's."""
    shape = broadcast_shape(*operands)
    if any(isinstance(one, Tensor) and (one.is_untold or one.is_sparse) for one in operands):
        is_untold = any(isinstance(one, Tensor) and one.is_untold for one in operands)
        are_numbers = all(one.is_untold for one in operands if isinstance(one, Tensor))
        elements = [element_of(_of_kind(one) if are_numbers and isinstance(one, Tensor) else one, shape) for one in operands]
        return program.put(shape, lambda indices: text.format(*(element(indices) for element in elements)),
                           _stored(operands, sparse, shape), is_untold)
    alone = [text.count(f"{{{k}}}") == 1 and sum(other is one for other in operands) == 1 for k, one in enumerate(operands)]
    elements = [element_of(one.inlined(f"({{{k}}})" in text) if isinstance(one, Pending) and alone[k] else one, shape)
                for k, one in enumerate(operands)]

    def element(indices: Sequence[str]) -> str:
        return text.format(*(element(indices) for element in elements))
    made = Pending(shape, element, lambda: program.put(shape, whole if type_name(made.kind) in ("i32", "i64") else element))

    def whole(indices: Sequence[str]) -> str:
        """Integers are said to be such: they may be indices, and operands tell their types at calls alone."""
        return f"{type_name(made.kind)}({element(indices)})"
    return made


def _of_kind(x: Tensor) -> Tensor:
    """A tensor of one number for all elements in the type that it has: numbers do not tell theirs."""
    kind = type_name(x.kind)
    return Tensor(x.shape, lambda indices: f"{kind}({x.at(indices)})", x.stored, True) if kind else x


def _stored(operands: Sequence[Operand], sparse: Sequence[int], shape: Sequence[int]) -> Optional[Element]:
    """Where the result of an operation on each element has entries: where all those operands do that decide on it."""
    deciding = [one.spread(shape).stored for one in (operands[k] for k in sparse) if isinstance(one, Tensor)]
    conditions = [stored for stored in deciding if stored is not None]
    if conditions:
        return lambda indices: " and ".join(condition(indices) for condition in conditions)
    return unknown if all(one.is_sparse for one in operands if isinstance(one, Tensor)) and len(operands) > 1 else None


def once(made: Tensor) -> Tensor:
    """What one operation alone will read."""
    if isinstance(made, Pending):
        made.uses = 1
    return made


def _promoted(program: Program, x: Operand, other: Operand, is_quotient: bool) -> Operand:
    """An operand in the type that PyTorch takes it in beside another one, where the language takes an integer's or a bool's."""
    if not isinstance(x, Tensor) or not is_whole(x):
        return x
    is_float = isinstance(other, float) or is_quotient and (not isinstance(other, Tensor) or is_whole(other))
    is_counted = type_name(x.kind) == "bool" and isinstance(other, int) and not isinstance(other, bool)
    return each(program, "f32({0})" if is_float else "i64({0})", x, sparse=(0,)) if is_float or is_counted else x


def is_whole(x: Tensor) -> bool:
    """Whether a tensor is known to hold integers or bools."""
    return type_name(x.kind) in _WHOLE


def _binary(text: str, *sparse: int) -> Made:
    def made(program: Program, left: Operand, right: Operand, alpha: float = 1) -> Tensor:
        scaled = text if alpha == 1 else text.replace("{1}", f"{text_of(alpha)}*{{1}}")
        is_quotient = text == "{0} / {1}"
        return each(program, scaled, _promoted(program, left, right, is_quotient), _promoted(program, right, left, is_quotient),
                    sparse=sparse)
    return made


def _turned(made: Made) -> Made:
    return lambda program, right, left: made(program, left, right)


for _name, _text, _sparse in (("add", "{0} + {1}", ()), ("sub", "{0} - {1}", ()), ("mul", "{0} * {1}", (0, 1)),
                              ("div", "{0} / {1}", (0,)), ("maximum", "max({0}, {1})", ()), ("minimum", "min({0}, {1})", ())):
    TABLE[_name] = _binary(_text, *_sparse)
for _name, _other in (("truediv", "div"), ("iadd", "add"), ("imul", "mul"), ("isub", "sub"), ("multiply", "mul"), ("subtract", "sub")):
    TABLE[_name] = TABLE[_other]
for _name in ("add", "mul"):
    TABLE["r" + _name] = TABLE[_name]
TABLE["rsub"] = lambda program, right, left, alpha=1: TABLE["sub"](program, left, right, alpha)
TABLE["rtruediv"] = _turned(TABLE["div"])

# Of one element: where it is 0, the first ones are.
for _name in ("relu", "tanh", "sqrt", "abs", "sign", "floor", "ceil", "sin", "tan", "erf", "expm1", "log1p", "trunc", "atan", "sinh"):
    TABLE[_name] = lambda program, x, inplace=False, _name=_name: each(program, f"{_name}({{0}})", x, sparse=(0,))
for _name in ("exp", "log", "cos", "sigmoid", "exp2", "log2"):
    TABLE[_name] = lambda program, x, _name=_name: each(program, f"{_name}({{0}})", x)
TABLE["neg"] = lambda program, x: each(program, "-{0}", x, sparse=(0,))
TABLE["square"] = lambda program, x: each(program, "{0} * {0}", x, sparse=(0,))
TABLE["reciprocal"] = lambda program, x: TABLE["div"](program, 1, x)
TABLE["rsqrt"] = lambda program, x: each(program, "1 / sqrt({0})", x)
TABLE["silu"] = lambda program, x, inplace=False: each(program, "{0} * sigmoid({0})", x, sparse=(0,))
TABLE["softplus"] = lambda program, x, beta=1, threshold=20: each(
    program, f"select({{0}}*{text_of(beta)} > {text_of(threshold)}, {{0}}, log1p(exp({{0}}*{text_of(beta)})) / {text_of(beta)})", x)
for _name, _text in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
    TABLE[_name] = lambda program, x, y, _text=_text: each(program, f"{{0}} {_text} {{1}}", x, y)


@takes("where")
def where(program: Program, condition: Tensor, x: Operand, y: Operand) -> Tensor:
    import torch
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):  # which do not tell their type
        kind = torch.get_default_dtype() if float in (type(x), type(y)) else torch.bool if bool is type(x) is type(y) else torch.int64
        return each(program, f"{type_name(kind)}(select({{0}}, {{1}}, {{2}}))", condition, x, y)
    return each(program, "select({0}, {1}, {2})", condition, x, y)


@takes("leaky_relu")
def leaky_relu(program: Program, x: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return each(program, f"select({{0}} > 0, {{0}}, {text_of(negative_slope)} * {{0}})", x, sparse=(0,))


@takes("elu")
def elu(program: Program, x: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    factor = "" if alpha == 1 else f"{text_of(alpha)} * "
    return each(program, f"select({{0}} > 0, {{0}}, {factor}expm1({{0}}))", x, sparse=(0,))


@takes("aten.elu")
def _elu(program: Program, x: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    text = f"{text_of(scale)} * select({{0}} > 0, {{0}}, {text_of(alpha)} * expm1({text_of(input_scale)} * {{0}}))"
    return elu(program, x, alpha) if scale == input_scale == 1 else each(program, text, x, sparse=(0,))


@takes("gelu")
def gelu(program: Program, x: Tensor, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        return each(program, "0.5 * {0} * (1 + tanh(0.7978845608028654 * ({0} + 0.044715 * {0} * {0} * {0})))", x, sparse=(0,))
    return each(program, "gelu({0})", x, sparse=(0,))


@takes("pow")
def power(program: Program, x: Operand, exponent: Operand) -> Tensor:
    if isinstance(exponent, (int, float)) and exponent in (1, 2, 3):
        return each(program, " * ".join(["{0}"] * int(exponent)), x, sparse=(0,))
    return each(program, "pow({0}, {1})", x, exponent)


@takes("clamp", "clip")
def clamp(program: Program, x: Tensor, min: Optional[Operand] = None, max: Optional[Operand] = None) -> Tensor:
    """At a bound that is a number the derivative is 0, as that of relu at 0."""
    for how, bound in (("<", min), (">", max)):
        how = how if isinstance(bound, Tensor) else how + "="
        x = x if bound is None else each(program, f"select({{0}} {how} {{1}}, {{1}}, {{0}})", x, bound)
    return x


@takes("dropout", "alpha_dropout", "feature_dropout")
def dropout(program: Program, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    if training:
        raise CompileError("dropout is of training: call eval() on the module first")
    return x


@takes("contiguous", "clone")
def same(program: Program, x: Tensor, memory_format: Any = None) -> Tensor:
    return x


def in_type(program: Program, x: Tensor, dtype: Any) -> Tensor:
    """A tensor in the type that an operation is told to compute in."""
    made: Tensor = x if dtype is None else TABLE["to"](program, x, dtype)
    return made


def product_of(program: Program, x: Tensor, y: Tensor, added: Optional[Operand] = None) -> Tensor:
    """The product of matrices, of batches of them, or of vectors, with something added."""
    if x.is_untold and y.is_untold:
        x = program.settled(x)
    left = [1, *x.shape] if len(x.shape) == 1 else list(x.shape)
    shape: List[int] = [*broadcast_shape(Tensor(x.shape[:-2], x.at), Tensor(y.shape[:-2], y.at))]
    rows, columns = len(x.shape) > 1, len(y.shape) > 1
    shape += [left[-2]] * rows + [y.shape[-1]] * columns

    def element(indices: Sequence[str]) -> str:
        k = program.fresh(indices)
        outer = list(indices[:len(shape) - rows - columns])
        row, column = list(indices[len(outer):len(outer) + rows]), list(indices[len(indices) - columns:] if columns else [])
        a = Tensor(x.shape[:-2], lambda at: x.at([*at, *row, k])).broadcast(shape[:len(outer)])(outer)
        b = Tensor(y.shape[:-2], lambda at: y.at([*at, k, *column])).broadcast(shape[:len(outer)])(outer)
        factors = " * ".join(one for one in (a, b) if one != "1") or "1"
        is_summed = not is_one(x.shape[-1]) or re.search(rf"\b{k}\b", factors)  # of one element, nothing may be indexed with it
        return (f"sum({k}, {factors})" if is_summed else factors) + ("" if added is None else f" + {element_of(added, shape)(indices)}")
    return program.put(shape, element, unknown if x.is_sparse and y.is_sparse else None, x.is_untold or y.is_untold)


@takes("mm", "matmul", "bmm", "mv", "dot", "spmm", "smm")
def matrix_product(program: Program, x: Tensor, y: Tensor) -> Tensor:
    return product_of(program, x, y)


@takes("addmm", "baddbmm", "addmv")
def added_product(program: Program, c: Operand, x: Tensor, y: Tensor, beta: float = 1, alpha: float = 1) -> Tensor:
    if beta == alpha == 1:
        return product_of(program, x, y, c)
    return each(program, f"{text_of(beta)} * {{0}} + {text_of(alpha)} * {{1}}", c, product_of(program, x, y))


@takes("linear")
def linear(program: Program, x: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    turned = weight.seen(weight.shape[::-1], lambda indices: list(indices)[::-1])
    return product_of(program, x, turned, bias)


#: What reductions are of one element, where they are not that.
_OF_ONE = {"any": "({0} != 0)", "all": "({0} != 0)"}


def reduced(program: Program, how: str, x: Tensor, dim: Any, keepdim: bool, is_dense: bool = False) -> Tensor:
    dims = dimensions(dim, len(x.shape))
    larger = [k for k in dims if not is_one(x.shape[k])]  # temporaries leave the others out
    if x.is_untold:
        x = program.settled(x)
    if not larger and how.startswith("arg"):
        return Tensor([1 if k in dims else size for k, size in enumerate(x.shape) if keepdim or k not in dims], lambda indices: "0", None, True)

    def element(indices: Sequence[str]) -> str:
        over, given = dict(zip(larger, program.indices(len(larger), indices))), iter(indices)
        text = x.at([over.get(k, "0") if k in dims else next(given) for k in range(len(x.shape))])
        return f"{how}({', '.join(over.values())}, {text})" if over else _OF_ONE.get(how, "{0}").format(text)
    made = program.put(list(without(x.shape, dims)), element, is_dense=is_dense)
    if not keepdim:
        return made
    shape = [1 if k in dims else size for k, size in enumerate(x.shape)]
    return Tensor(shape, lambda indices: made.at([index for k, index in enumerate(indices) if k not in dims]))


_SMALL = [f"torch.{name}" for name in ("bool", "int8", "int16", "int32", "uint8")]

for _name, _how in (("sum", "sum"), ("amax", "max"), ("amin", "min"), ("prod", "prod"), ("any", "any"), ("all", "all"),
                    ("argmax", "argmax"), ("argmin", "argmin")):
    def _reduction(program: Program, x: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None,
                   _how: str = _how) -> Tensor:
        x = in_type(program, x, dtype)
        if dtype is None and _how in ("sum", "prod") and str(x.kind) in _SMALL:  # torch counts in 64 bits
            x = each(program, "i64({0})", x, sparse=(0,))
        return reduced(program, _how, x, dim, keepdim)
    TABLE[_name] = _reduction


@takes("mean")
def mean(program: Program, x: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """That of no elements is nan, where the language's is 0: where there may be none, it is divided by 0 then, and by 1 else."""
    x = in_type(program, x, dtype)
    made = reduced(program, "mean", x, dim, keepdim)
    count = product([x.shape[k] for k in dimensions(dim, len(x.shape))])
    return made if count.is_fixed and count > 0 else each(program, f"{{0}} / {_limited('min', count, 1)}", made)


def _limited(how: str, count: Extent, limit: int) -> str:
    """The text of a number of elements that is limited: a number where it is known."""
    return str((min if how == "min" else max)(int(count), limit)) if count.is_fixed else f"{how}({count.text}, {limit})"


@takes("var")
def variance(program: Program, x: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False,
             correction: Optional[float] = None) -> Tensor:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    less = float(unbiased) if correction is None else correction
    if int(less) != less:
        raise CompileError(f"correction={less}: it is to be a whole number")
    dims = dimensions(dim, len(x.shape))
    centred = each(program, "{0} - {1}", x, reduced(program, "mean", x, dims, True))
    squares = reduced(program, "sum", each(program, "{0} * {0}", centred), dims, keepdim)
    count = product([x.shape[k] for k in dims]) - int(less)
    if less > 0 and not (count.is_fixed and count > 0):  # no more elements than are left out
        return each(program, f"{{0}} / {_limited('max', count, 0)}", squares)
    return each(program, "{0} / {1}", squares, count)


@takes("std")
def deviation(program: Program, x: Tensor, *arguments: Any, **named: Any) -> Tensor:
    """That of equal elements has the derivative 0, as in PyTorch."""
    return each(program, "select({0} > 0, sqrt({0}), 0 * {0})", variance(program, x, *arguments, **named))


@takes("var_mean")
def variance_and_mean(program: Program, x: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False,
                      correction: Optional[float] = None) -> Tuple[Tensor, Tensor]:
    return variance(program, x, dim, unbiased, keepdim, correction), mean(program, x, dim, keepdim)


@takes("softmax", "sparse_softmax")
def softmax(program: Program, x: Tensor, dim: int = -1, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    """Of a sparse tensor that of its entries, as torch.sparse.softmax has it."""
    x = in_type(program, x, dtype if isinstance(_stacklevel, int) else _stacklevel)
    if x.stored is not None:
        stored: Element = x.stored
        own = Tensor(x.shape, lambda indices: f"select({stored(indices)}, {x.at(indices)}, -inf)")
        greatest = reduced(program, "max", own, dim, True, len(x.shape) > 2)
        exps = program.put(x.shape, lambda indices: f"where({stored(indices)}, exp({x.at(indices)} - "
                           f"{greatest.broadcast(x.shape)(indices)}))", stored)
        total = reduced(program, "sum", exps, dim, True).broadcast(x.shape)
        if " and " in stored(program.indices(len(x.shape))):  # rows may have none of the entries that are kept, and a total of 0
            return program.put(x.shape, lambda indices: f"where({stored(indices)}, {exps.at(indices)} / {total(indices)})", stored)
        return program.put(x.shape, lambda indices: f"{exps.at(indices)} / {total(indices)}", stored)
    exps = each(program, "exp({0} - {1})", x, reduced(program, "max", x, dim, True))
    return each(program, "{0} / {1}", exps, reduced(program, "sum", exps, dim, True), sparse=(0,))


@takes("log_softmax")
def log_softmax(program: Program, x: Tensor, dim: int = -1, _stacklevel: Any = 3, dtype: Any = None) -> Tensor:
    x = in_type(program, x, dtype if isinstance(_stacklevel, int) else _stacklevel)
    if x.is_sparse:
        raise CompileError("log_softmax of a sparse tensor: the logarithm of what softmax gives has words")
    centred = each(program, "{0} - {1}", x, reduced(program, "max", x, dim, True))
    return each(program, "{0} - log({1})", centred, reduced(program, "sum", each(program, "exp({0})", centred), dim, True))


@takes("aten.softmax")
def _softmax(program: Program, x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return softmax(program, x, dim, dtype=dtype)


@takes("aten.log_softmax")
def _log_softmax(program: Program, x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return log_softmax(program, x, dim, dtype=dtype)


@takes("layer_norm")
def layer_norm(program: Program, x: Tensor, normalized_shape: Sequence[int], weight: Optional[Tensor] = None,
               bias: Optional[Tensor] = None, eps: float = 1e-5, cudnn_enable: bool = False) -> Tensor:
    dims = list(range(len(x.shape) - len(normalized_shape), len(x.shape)))
    centred = each(program, "{0} - {1}", x, reduced(program, "mean", x, dims, True))
    variance = reduced(program, "mean", each(program, "{0} * {0}", centred), dims, True)
    made = each(program, f"{{0}} / sqrt({{1}} + {text_of(eps)})", centred, variance)
    made = made if weight is None else each(program, "{0} * {1}", once(made), weight)
    return made if bias is None else each(program, "{0} + {1}", once(made), bias)
