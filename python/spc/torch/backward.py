"""How gradients go back through an operator: the kernel of `spc grad`, and what it is passed. Imported where torch is."""
# SPDX-License-Identifier: Apache-2.0

import json
import re
import weakref
from typing import Any, Dict, List, Sequence, Tuple

import torch

from .. import api
from ..call import binding
from ..compiler import cache
from ..sources import torch_private
from ..storage.signature import Signature, TensorArgument
from ..storage.view import View
from .matrix import Matrix
from .protocol import Operator


#: Of structures, by the format: the values that were converted, how often they had been written, and the matrix.
_kept: "weakref.WeakKeyDictionary[View, Dict[str, Tuple[torch.Tensor, int, Matrix]]]" = weakref.WeakKeyDictionary()


def converted(matrix: Matrix, form: cache.Format) -> Matrix:
    """The matrix in another format, without gradients: the same one as long as its values are the same tensor, and torch
    does not write to it. Raises CompileError where there is no such conversion."""
    values, name = matrix.values.detach(), json.dumps(form, sort_keys=True)
    kept = _kept.setdefault(matrix.pattern, {})
    if name in kept:
        known, version, made = kept[name]
        if known.data_ptr() == values.data_ptr() and known.stride() == values.stride() and \
                known.dtype is values.dtype and version == torch_private.version(values):
            return made
    places = ",".join(f"i{dim}" for dim in range(len(matrix.shape)))
    fresh: Matrix = api.kernel(f"B({places}) = A({places})", name="converted", formats={"B": form})(
        matrix.with_values(values).contiguous())
    kept[name] = values, torch_private.version(values), fresh
    return fresh


def unsaid_extents(derivative: Signature, numbers: Sequence[int]) -> Dict[str, Tuple[int, int]]:
    """Extents of a derivative's results that none of its operands says: of each, which tensor has it, and in which dimension.
    numbers: of the tensors that the results belong to, in their order."""
    said = binding.extents_said(derivative)
    return {extent: (k, dim) for k, argument in zip(numbers, derivative.outputs) if not argument.pattern_of
            for dim, extent in enumerate(argument.shape) if isinstance(extent, str) and extent not in said}


class Backward:
    """The gradients for some operands, by those for some results.

    given: for which results there are gradients, wrt: for which operands one is needed, as numbers in the kernel's order.
    as_stored: whether operands are read as they are, though other formats are wanted, as none of them can be converted, or
    what goes forward through it would be lost.
    Raises CompileError where there is no such gradient.
    """

    def __init__(self, op: Operator, signature: Signature, request: cache.Request, given: Sequence[int], wrt: Sequence[int],
                 as_stored: bool = False):
        self._wrt, self._count = wrt, len(op.inputs)
        self._op = op.gradient(request, tuple(op.outputs[k] for k in given), tuple(op.inputs[k] for k in wrt), as_stored)
        arguments = self._op.kernel.signature
        self._sizes = unsaid_extents(arguments, wrt)
        self._takes: List[Tuple[str, int]] = []
        tensors = [argument.tensor for argument in signature.outputs]
        for argument in arguments.inputs:
            if argument.name in op.inputs:
                kind = "converted" if argument.name in self._op.formats else "operand"
                self._takes.append((kind, op.inputs.index(argument.name)))
            elif argument.name in op.outputs:
                self._takes.append(("result", op.outputs.index(argument.name)))
            else:
                k = tensors.index(meant(self._op.kernel.request.text, argument.tensor))
                result = signature.outputs[k]
                is_sparse = isinstance(result, TensorArgument) and not result.storage.is_dense
                self._takes.append(("whole" if is_sparse and argument.passed != "values" else "gradient", k))

    def __call__(self, values: Sequence[Any], results: Sequence[Any], incoming: Sequence[Any]) -> List[Any]:
        """The gradients of operands' tensors; None of those for which none is needed.

        values, results: operands and results, incoming: the gradients of these's tensors, None where there is none.
        """
        passed: List[Any] = []
        for place, (kind, k) in enumerate(self._takes):
            if kind in ("operand", "result"):
                passed.append(values[k] if kind == "operand" else results[k])
            elif kind == "converted":
                passed.append(converted(values[k], self._op.formats[self._op.inputs[place]]))
            else:
                gradient = incoming[k].contiguous()
                passed.append(results[k].with_values(gradient) if kind == "whole" else gradient)
        made = self._op(*passed, sizes={extent: values[k].shape[dim] for extent, (k, dim) in self._sizes.items()})
        found: List[Any] = [None] * self._count
        for k, gradient in zip(self._wrt, made if isinstance(made, tuple) else (made,)):
            found[k] = gradient.values if isinstance(gradient, Matrix) else gradient
        return found


def meant(text: str, name: str) -> str:
    """The tensor to which a gradient or a tangent belongs: a derivative's text says so, as names may have numbers behind them."""
    found = re.search(rf"^# +{name} +in: the (?:derivative of a number by|change of) (\w+)", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


def is_differentiable(tensor: torch.Tensor) -> bool:
    """Whether a tensor has numbers of a type that derivatives have."""
    return bool(tensor.dtype.is_floating_point or tensor.dtype.is_complex)


def remember(ctx: Any, arguments: Sequence[Any], results: Sequence[torch.Tensor]) -> None:
    """Keeps the arguments and results of a step forwards in PyTorch's context, for `remembered`: tensors, and numbers.
    Results that are no floats have no derivatives."""
    ctx.numbers = [None if isinstance(argument, torch.Tensor) else argument for argument in arguments]
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    ctx.save_for_backward(*tensors, *results)
    ctx.save_for_forward(*tensors, *results)
    ctx.mark_non_differentiable(*[tensor for tensor in results if not is_differentiable(tensor)])
    ctx.set_materialize_grads(False)


def remembered(ctx: Any) -> Tuple[List[Any], List[torch.Tensor]]:
    """The arguments and results that `remember` has kept."""
    saved = [torch_private.living(tensor) for tensor in ctx.saved_tensors]
    return [saved.pop(0) if number is None else number for number in ctx.numbers], saved
