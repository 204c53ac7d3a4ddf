"""How tangents go forward through an operator: the kernel of `spc grad --mode=forward`, and what it is passed. Imported where torch
is."""
# SPDX-License-Identifier: Apache-2.0

from typing import Any, List, Sequence, Tuple

import torch

from ..compiler import cache
from ..sources import torch_private
from ..storage.signature import Signature
from .backward import meant, unsaid_extents
from .matrix import Matrix
from .protocol import Operator


class Forward:
    """The tangents of some results, by those of some operands.

    of: of which results tangents are computed, wrt: which operands have one, as numbers in the kernel's order. Operands are read
    in the format that the kernel reads. Raises CompileError where there is no such derivative.
    """

    def __init__(self, op: Operator, signature: Signature, request: cache.Request, of: Sequence[int], wrt: Sequence[int]):
        self._of, self._count = of, len(op.outputs)
        self._op = op.tangent(request, tuple(op.outputs[k] for k in of), tuple(op.inputs[k] for k in wrt))
        arguments = self._op.kernel.signature
        self._sizes = unsaid_extents(arguments, of)
        self._takes: List[Tuple[str, int]] = []
        tensors = [argument.tensor for argument in signature.inputs]
        for argument in arguments.inputs:
            if argument.name in op.inputs:
                self._takes.append(("operand", op.inputs.index(argument.name)))
            elif argument.name in op.outputs:
                self._takes.append(("result", op.outputs.index(argument.name)))
            else:
                k = tensors.index(meant(self._op.kernel.request.text, argument.tensor))
                self._takes.append(("tangent" if argument.passed == "values" else "stored", k))

    def __call__(self, values: Sequence[Any], results: Sequence[Any], tangents: Sequence[Any]) -> List[Any]:
        """The tangents of results' tensors; None of those of which none is computed.

        values, results: operands and results, tangents: those of the operands' tensors, None where there is none.
        """
        passed: List[Any] = []
        for kind, k in self._takes:
            if kind in ("operand", "result"):
                passed.append(values[k] if kind == "operand" else results[k])
            else:
                tangent = tangents[k].contiguous()
                is_whole = kind == "stored" and isinstance(values[k], Matrix)
                passed.append(values[k].with_values(tangent) if is_whole else tangent)
        made = self._op(*passed, sizes={extent: results[k].shape[dim] for extent, (k, dim) in self._sizes.items()})
        found: List[Any] = [None] * self._count
        for k, tangent in zip(self._of, made if isinstance(made, tuple) else (made,)):
            found[k] = tangent.values if isinstance(tangent, Matrix) else tangent
        return found


def check_tangents(name: str, count: int, returned: int) -> None:
    """Raises NotImplementedError where this PyTorch takes no tangents of so many among the tensors that an operator returns."""
    if count < returned and not torch_private.may_lack_tangents():
        raise NotImplementedError(f"{name}: some of what it returns are integers, which have no tangents, and PyTorch "
                                  f"{torch.__version__} wants one of each: PyTorch 2 does not")
