"""What layers of networks are in the kernel language: normalisation, attention, convolutions, Einstein sums."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, List, Optional, Sequence, Tuple, Union

from ..errors import CompileError
from .layers import TABLE, clamp, dropout, each, layer_norm, once, product_of, softmax, takes
from .shapes import transpose
from .sizes import DependsOn, Extent, extent
from .statements import Program, Tensor, text_of, type_name, unknown


@takes("native_layer_norm")
def native_layer_norm(program: Program, x: Tensor, shape: Sequence[int], weight: Optional[Tensor], bias: Optional[Tensor],
                      eps: float) -> Tuple[Tensor, None, None]:
    return layer_norm(program, x, shape, weight, bias, eps), None, None


@takes("native_dropout")
def native_dropout(program: Program, x: Tensor, p: float, train: Optional[bool]) -> Tuple[Tensor, None]:
    return dropout(program, x, p, bool(train)), None


@takes("batch_norm")
def batch_norm(program: Program, x: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor],
               weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, training: bool = False, momentum: float = 0.1,
               eps: float = 1e-5) -> Tensor:
    if training or running_mean is None or running_var is None:
        raise CompileError("batch_norm by the batch's own numbers is of training: call eval() on the module first")

    def of_channels(one: Tensor) -> Tensor:
        return Tensor([*one.shape, *[1] * (len(x.shape) - 2)], lambda indices: one.at([indices[0]]))
    centred = each(program, "{0} - {1}", x, of_channels(running_mean))
    made = each(program, f"{{0}} / sqrt({{1}} + {text_of(eps)})", once(centred), of_channels(running_var))
    made = made if weight is None else each(program, "{0} * {1}", once(made), of_channels(weight))
    return made if bias is None else each(program, "{0} + {1}", once(made), of_channels(bias))


@takes("aten.batch_norm")
def _batch_norm(program: Program, x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Optional[Tensor],
                var: Optional[Tensor], training: bool, momentum: float, eps: float, cudnn_enabled: bool = False) -> Tensor:
    return batch_norm(program, x, mean, var, weight, bias, training, momentum, eps)


@takes("native_batch_norm_legit_no_training")
def native_batch_norm(program: Program, x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], mean: Tensor, var: Tensor,
                      momentum: float, eps: float) -> Tuple[Tensor, None, None]:
    return batch_norm(program, x, mean, var, weight, bias, False, momentum, eps), None, None


@takes("scaled_dot_product_attention")
def attention(program: Program, query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor] = None,
              dropout_p: float = 0.0, is_causal: bool = False, scale: Optional[float] = None, enable_gqa: bool = False) -> Tensor:
    """A sparse mask of two dimensions says where scores are: nothing is computed elsewhere."""
    if dropout_p:
        raise CompileError("attention with dropout is of training: call eval() on the module first")
    if enable_gqa:
        raise CompileError("attention with enable_gqa=True: heads of keys are to be as many as those of queries")
    if scale is None:
        size = query.shape[-1]
        if not size.is_fixed:
            raise DependsOn([size], "attention without scale=")
        scale = float(size) ** -0.5
    if attn_mask is not None and attn_mask.is_sparse:
        scores = _sampled(program, query, key, attn_mask, scale)
    else:
        scores = _masked(program, product_of(program, query, transpose(program, key, -2, -1)), attn_mask, is_causal, scale)
    return product_of(program, softmax(program, scores, -1), value)


def _sampled(program: Program, query: Tensor, key: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Scores where a sparse mask has entries; those of a mask of numbers are added."""
    if len(mask.shape) != 2:
        raise CompileError("attention with a sparse mask: it has two dimensions, for all heads and batches")
    shape = [*query.shape[:-1], key.shape[-2]]
    stored, is_truth = mask.spread(shape).stored or unknown, "bool" in str(mask.kind)

    def element(indices: Sequence[str]) -> str:
        k, at = program.fresh(indices), list(indices)
        score = f"{text_of(scale)} * sum({k}, {query.at([*at[:-1], k])} * {key.at([*at[:-2], at[-1], k])})"
        return f"{stored(indices)} * {score}" if is_truth else f"{stored(indices)} * ({score} + {mask.at(at[-2:])})"
    return program.put(shape, element, stored)


def _masked(program: Program, scores: Tensor, mask: Optional[Tensor], is_causal: bool, scale: float) -> Tensor:
    """Scores of all pairs, minus infinity where a mask forbids one."""
    if is_causal:
        return program.put(scores.shape, lambda indices: f"select({indices[-1]} <= {indices[-2]}, "
                           f"{text_of(scale)} * {scores.at(indices)}, -inf)")
    if mask is None:
        return each(program, f"{text_of(scale)} * {{0}}", scores)
    text = f"select({{1}}, {text_of(scale)} * {{0}}, -inf)" if "bool" in str(mask.kind) else f"{text_of(scale)} * {{0}} + {{1}}"
    return each(program, text, scores, mask)


@takes("scaled_dot_product_flash_attention_for_cpu")
def flash_attention(program: Program, query: Tensor, key: Tensor, value: Tensor, dropout_p: float = 0.0, is_causal: bool = False,
                    attn_mask: Optional[Tensor] = None, scale: Optional[float] = None) -> Tuple[Tensor, None]:
    return attention(program, query, key, value, attn_mask, dropout_p, is_causal, scale), None


@takes("einsum")
def einsum(program: Program, equation: str, *operands: Any, path: Any = None) -> Tensor:
    tensors: List[Tensor] = list(operands[0] if isinstance(operands[0], (list, tuple)) else operands)
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    words = inputs.split(",")
    if "." in equation:
        raise CompileError("einsum with '...': the indices are to be written")
    if not arrow:
        letters = "".join(words)
        output = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    size = {letter: own for word, one in zip(words, tensors) for letter, own in zip(word, one.shape)}
    summed = [letter for letter in size if letter not in output]
    tensors = [program.settled(one) if one.is_untold else one for one in tensors]

    def element(indices: Sequence[str]) -> str:
        names = dict(zip([*output, *summed], [*indices, *program.indices(len(summed), indices)]))
        product = " * ".join(one.at([names[letter] for letter in word]) for word, one in zip(words, tensors))
        return f"sum({', '.join(names[letter] for letter in summed)}, {product})" if summed else product
    return program.put([size[letter] for letter in output], element,
                       unknown if all(one.is_sparse for one in tensors) else None)


Sizes = Union[int, Sequence[int]]


def each_dimension(value: Sizes, count: int) -> List[int]:
    made = [value] * count if isinstance(value, int) else list(value)
    return made * count if len(made) == 1 else made


def convolved(size: Extent, weight: Extent, stride: int, padding: int, dilation: int) -> Extent:
    """How large a dimension of a convolution is."""
    room = size + 2 * padding - dilation * (weight - 1) - 1
    if stride == 1:
        return extent(room + 1)
    if not extent(room).is_fixed:
        raise DependsOn([room], "a convolution in strides")
    return extent(int(room) // stride + 1)


@takes("conv1d", "conv2d", "conv3d")
def convolution(program: Program, x: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: Sizes = 1, padding: Any = 0,
                dilation: Sizes = 1, groups: int = 1) -> Tensor:
    """Elements beside the tensor are 0."""
    count = len(weight.shape) - 2
    if isinstance(padding, str):
        if padding != "valid":
            raise CompileError(f"padding='{padding}': it is to be numbers")
        padding = 0
    if len(x.shape) != count + 2 or groups != 1:
        raise CompileError("a convolution of groups" if groups != 1 else "a convolution without a dimension of batches")
    strides, paddings, dilations = (each_dimension(one, count) for one in (stride, padding, dilation))
    x, weight = program.settled(x), program.settled(weight)
    sizes = [convolved(*one) for one in zip(x.shape[2:], weight.shape[2:], strides, paddings, dilations)]

    def element(indices: Sequence[str]) -> str:
        over = program.indices(count + 1, indices)
        places = [_window(*one) for one in zip(indices[2:], over[1:], strides, paddings, dilations)]
        read = x.at([indices[0], over[0], *places])
        read = f"padded({read})" if any(paddings) else read
        return f"sum({', '.join(over)}, {read} * {weight.at([indices[1], *over])})"
    made = program.put([x.shape[0], weight.shape[0], *sizes], element, is_declared=True)
    if bias is None:
        return made
    of_channel = bias.at
    return each(program, "{0} + {1}", made, Tensor([*bias.shape, *[1] * count], lambda indices: of_channel([indices[0]])))


def _window(index: str, inner: str, stride: int, padding: int, dilation: int) -> str:
    first = index if stride == 1 else f"{stride}*{index}"
    second = inner if dilation == 1 else f"{dilation}*{inner}"
    return f"{first} + {second}" + (f" - {padding}" if padding else "")


@takes("convolution")
def aten_convolution(program: Program, x: Tensor, weight: Tensor, bias: Optional[Tensor], stride: Sizes, padding: Any,
                     dilation: Sizes, transposed: bool, output_padding: Sizes, groups: int) -> Tensor:
    if transposed:
        raise CompileError("a transposed convolution: write it as a convolution, or as a scatter")
    return convolution(program, x, weight, bias, stride, padding, dilation, groups)


def _logic(text: str) -> Any:
    return lambda program, x, y: each(program, text, x, y)


def _of_bits(logic: str, bits: str) -> Any:
    """Of bools, or of integers."""
    return lambda program, x, y: each(
        program, logic if any(type_name(one.kind) == "bool" for one in (x, y) if isinstance(one, Tensor)) else bits, x, y)


for _name, _text in (("logical_and", "{0} and {1}"), ("logical_or", "{0} or {1}"), ("logical_xor", "{0} xor {1}"),
                     ("fmod", "{0} % {1}")):
    TABLE[_name] = _logic(_text)
TABLE["logical_not"] = lambda program, x: each(program, "not {0}", x)
for _name, _text in (("and", "bitand({0}, {1})"), ("or", "bitor({0}, {1})"), ("xor", "bitxor({0}, {1})")):
    TABLE[f"bitwise_{_name}"] = TABLE[_name] = TABLE[f"{_name}_"] = _of_bits(f"{{0}} {_name} {{1}}", _text)
TABLE["bitwise_not"] = TABLE["invert"] = lambda program, x: each(program, "not {0}" if type_name(x.kind) == "bool" else "-1 - {0}", x)
TABLE["clamp_min"] = lambda program, x, min: clamp(program, x, min)
TABLE["clamp_max"] = lambda program, x, max: clamp(program, x, None, max)

_NAMED = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32", "bool": "bool"}


@takes("to", "to_copy", "type", *_NAMED)
def converted(program: Program, x: Tensor, *arguments: Any, dtype: Any = None, _as: str = "", **named: Any) -> Tensor:
    kinds = [one.kind if isinstance(one, Tensor) else one for one in [dtype, *arguments]]
    wanted = next((one for one in kinds if type_name(one)), None)
    if wanted is None or wanted == x.kind:
        return x
    return each(program, f"{type_name(wanted)}({{0}})", x, sparse=(0,))


def _named(kind: str) -> Any:
    import torch
    return lambda program, x, **named: converted(program, x, getattr(torch, kind))


for _name, _kind in _NAMED.items():
    TABLE[_name] = _named(_kind)
