"""Models as torch.fx traces them, on every PyTorch: read on dense examples."""
# SPDX-License-Identifier: Apache-2.0

import operator
from typing import Any, List, Sequence

import torch
import torch.fx

from ..errors import CompileError
from ..sources import torch_private
from .layers import TABLE
from .reading import Reader
from .sizes import DependsOn
from .stored import dense

_IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.itruediv)


class _Tracer(torch.fx.Tracer):
    """Goes into the modules of torch.nn, too: what they call are functions. Those that normalise batches branch on shapes."""

    def is_leaf_module(self, module: torch.nn.Module, name: str) -> bool:
        return torch_private.normalises_batches(module)


#: What torch has for sparse tensors alone, and its counterpart of dense ones.
COUNTERPARTS = {"_sparse_softmax": torch.softmax, "_sparse_mm": torch.mm}


def _names_of(node: torch.fx.Node) -> List[str]:
    """What an operation is called: `mm` of torch.mm and of x.mm alike."""
    if node.op == "call_method":
        name = str(node.target).strip("_")
        return [f"method.{name}", name]
    name = str(getattr(node.target, "__name__", node.target))
    if node.target is getattr:
        return [str(node.args[1])]
    name = "mm" if name == "_sparse_mm" else name.split(".")[0].strip("_")
    return [f"function.{name}", name]


class _Interpreter(torch.fx.Interpreter):
    """Runs a traced model on dense examples, and has a statement written for each operation that it meets."""

    def __init__(self, graph: torch.fx.GraphModule, examples: Sequence[Any], reader: Reader):
        super().__init__(graph)
        self._reader, self._examples = reader, list(examples)

    def run_node(self, node: torch.fx.Node) -> Any:
        try:
            value = super().run_node(node)
        except NotImplementedError:
            raise CompileError(f"{node.format_node()}: PyTorch computes it of sparse tensors alone, and models are read with dense "
                               "examples: what it computes of both, as a.sum(1), has words") from None
        reader = self._reader
        if node.op == "placeholder":
            if not isinstance(value, torch.Tensor):
                raise CompileError(f"{node.format_node()}: arguments of a model are tensors")
            example = self._examples[len(reader.inputs)]
            reader.made[node.name] = reader.operand(node.name, value, example)
        elif node.op == "get_attr":
            reader.made[node.name] = reader.operand(node.name, value, value, str(node.target))
            value = dense(value)
        elif node.op == "call_module":
            reader.made[node.name] = self._normalised(node)
        elif node.op == "output":
            is_tuple = isinstance(node.args[0], (tuple, list))
            outputs: Any = node.args[0] if is_tuple else (node.args[0],)
            reader.results(node, [reader.argument(one) for one in outputs], is_tuple)
        else:
            _check(node)
            reader.made[node.name] = reader.operation(node, _names_of(node), value)
        return value

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """On dense examples: what torch has for sparse tensors alone has a dense counterpart of that shape."""
        return super().call_function(COUNTERPARTS.get(getattr(target, "__name__", ""), target), args, kwargs)

    def _normalised(self, node: torch.fx.Node) -> Any:
        """What a module of batch normalisation gives."""
        module = self.fetch_attr(str(node.target))
        parts = [None if (value := getattr(module, name)) is None else
                 self._reader.operand(name, value, value, f"{node.target}.{name}")
                 for name in ("running_mean", "running_var", "weight", "bias")]
        return TABLE["batch_norm"](self._reader.program, self._reader.argument(node.args[0]), *parts, module.training, 0.0, module.eps)


def first_line(error: Exception) -> str:
    """What an error says first."""
    said = str(error).strip()
    return said.splitlines()[0] if said else type(error).__name__


def _check(node: torch.fx.Node) -> None:
    """Raises CompileError of an operation that changes in place what something else reads, or the caller has."""
    method = node.op == "call_method" and str(node.target).endswith("_") and not str(node.target).startswith("__")
    if not (method or node.kwargs.get("inplace") or node.target in _IN_PLACE):
        return
    changed = node.args[0]
    if isinstance(changed, torch.fx.Node) and (len(changed.users) > 1 or changed.op in ("placeholder", "get_attr")):
        raise CompileError(f"{node.format_node()}: it changes '{changed.name}' in place, which is used elsewhere")


def read(module: torch.nn.Module, examples: Sequence[Any], reader: Reader) -> None:
    """Reads what torch.fx traces of a module. Raises CompileError of operations that have no words."""
    reader.front = "torch.fx"
    try:
        graph = torch.fx.GraphModule(module, _Tracer().trace(module))
    except Exception as error:  # what a forward does with values that stand for tensors may raise anything
        raise CompileError(f"torch.fx does not trace the model: {first_line(error)}") from None
    try:
        with torch.no_grad():
            _Interpreter(graph, examples, reader).run(*(dense(value) for value in examples))
    except DependsOn:
        raise
    except CompileError as error:  # to which torch adds where it was
        raise CompileError(str(error).split("\n\nWhile executing")[0]) from None
