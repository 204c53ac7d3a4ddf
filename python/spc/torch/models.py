"""Models of PyTorch as kernels: what torch.fx traces, as statements that spc plans together."""
# SPDX-License-Identifier: Apache-2.0

import operator
from typing import Any, Dict, List, Sequence, Tuple

import torch
import torch.fx

from .. import api
from ..errors import ArgumentTypeError, CompileError
from .layers import TABLE
from .matrix import Matrix
from .operators import Op
from .statements import Program, Tensor


class _Tracer(torch.fx.Tracer):
    """Goes into the modules of torch.nn, too: what they call are functions."""

    def is_leaf_module(self, module: torch.nn.Module, name: str) -> bool:
        return False


def _dense(value: Any) -> Any:
    """An example as the dense tensor that shapes are worked out with."""
    if isinstance(value, Matrix):
        value = value.to_torch()
    return value.to_dense() if isinstance(value, torch.Tensor) and value.layout is not torch.strided else value


def _is_sparse(value: Any) -> bool:
    return isinstance(value, Matrix) or (isinstance(value, torch.Tensor) and value.layout is not torch.strided)


def _name_of(node: torch.fx.Node) -> str:
    """What an operation is called: `mm` of torch.mm, torch.ops.aten.mm.default and x.mm alike."""
    if node.op == "call_method":
        return str(node.target).strip("_")
    if getattr(node.target, "__name__", "") == "_sparse_mm":
        return "mm"
    name = getattr(node.target, "__name__", str(node.target))
    return name.split(".")[0].strip("_")


class _Reader(torch.fx.Interpreter):
    """Runs a traced model on dense examples, and writes a statement for each operation that it meets."""

    def __init__(self, graph: torch.fx.GraphModule, examples: Sequence[Any]):
        super().__init__(graph)
        self.program = Program()
        self.made: Dict[str, Any] = {}              # by node
        self.operands: List[str] = []               # of the model's arguments, in order
        self.parameters: Dict[str, str] = {}        # operands, by what the module calls them
        self._examples = list(examples)

    def run_node(self, node: torch.fx.Node) -> Any:
        value = super().run_node(node)
        if node.op == "placeholder":
            example = self._examples[len(self.operands)]
            name, self.made[node.name] = self.program.operand(node.name, getattr(value, "shape", ()), _is_sparse(example))
            self.operands.append(name)
        elif node.op == "get_attr":
            name, self.made[node.name] = self.program.operand(str(node.target), getattr(value, "shape", ()), _is_sparse(value))
            self.parameters[str(node.target)] = name
            value = _dense(value)
        elif node.op == "output":
            outputs = node.args[0] if isinstance(node.args[0], (tuple, list)) else (node.args[0],)
            made = [self._argument(one) for one in outputs]
            if not all(isinstance(one, Tensor) for one in made):
                raise CompileError(f"{node.format_node()}: results are tensors, one or a tuple")
            self.program.results(made)
        else:
            self.made[node.name] = self._operation(node, value)
        return value

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """On dense examples: what torch has for sparse tensors alone has a dense counterpart of that shape."""
        dense = {"_sparse_softmax": torch.softmax, "_sparse_mm": torch.mm}.get(getattr(target, "__name__", ""), target)
        return super().call_function(dense, args, kwargs)

    def _argument(self, value: Any) -> Any:
        if isinstance(value, torch.fx.Node):
            return self.made[value.name]
        if isinstance(value, (tuple, list)):
            return type(value)(self._argument(one) for one in value)
        return value

    def _operation(self, node: torch.fx.Node, value: Any) -> Any:
        arguments = [self._argument(one) for one in node.args]
        named = {key: self._argument(one) for key, one in node.kwargs.items()}
        if not any(isinstance(one, Tensor) for one in [*arguments, *named.values()]) or not isinstance(value, torch.Tensor):
            return value  # of sizes alone
        _check(node)
        if sizes := [one for one in node.all_input_nodes if not isinstance(self.made[one.name], Tensor)]:
            raise CompileError(f"{node.format_node()}: '{sizes[0].name}' is the example's, and other sizes may come later")
        if node.target is operator.getitem and isinstance(arguments[1], Tensor):
            return TABLE["embedding"](self.program, arguments[1], arguments[0])
        made = TABLE.get(_name_of(node))
        if made is None:
            raise CompileError(f"{node.format_node()}: the kernel language has no words for '{_name_of(node)}'")
        try:
            return made(self.program, *arguments, **named)
        except TypeError as error:
            raise CompileError(f"{node.format_node()}: {error}") from None


def _check(node: torch.fx.Node) -> None:
    """Raises CompileError of an operation that changes in place what something else reads, or the caller has."""
    method = node.op == "call_method" and str(node.target).endswith("_") and not str(node.target).startswith("__")
    if not (method or node.kwargs.get("inplace") or node.target in (operator.iadd, operator.isub, operator.imul, operator.itruediv)):
        return
    changed = node.args[0]
    if isinstance(changed, torch.fx.Node) and (len(changed.users) > 1 or changed.op in ("placeholder", "get_attr")):
        raise CompileError(f"{node.format_node()}: it changes '{changed.name}' in place, which is used elsewhere")


class Model(torch.nn.Module):
    """A module that computes what another one does, by a kernel; its parameters are that one's.

    text: the kernel. op: its operator.
    """

    def __init__(self, module: torch.nn.Module, reader: _Reader, **options: Any):
        super().__init__()
        self.module = module
        self.text = "\n".join(reader.program.statements)
        self.op: Op = Op(api.kernel(self.text, **options))
        self._operands, self._parameter_names = reader.operands, reader.parameters

    def forward(self, *inputs: Any) -> Any:
        if len(inputs) != len(self._operands):
            raise ArgumentTypeError(f"the model takes {len(self._operands)} arguments, and {len(inputs)} are given")
        values = dict(zip(self._operands, inputs))
        for path, name in self._parameter_names.items():
            values[name] = _attribute(self.module, path)
        return self.op(**{name: values[name] for name in self.op.inputs})


def _attribute(module: torch.nn.Module, path: str) -> Any:
    value: Any = module
    for part in path.split("."):
        value = getattr(value, part)
    return value


def compile(module: torch.nn.Module, example_inputs: Tuple[Any, ...], **options: Any) -> Model:
    """A model as one kernel.

    module: whose forward torch.fx traces: no branches on values. example_inputs: arguments of the kinds and numbers of
    dimensions that it will have; sizes other than 1 may differ in later calls. Sparse ones stay sparse: products,
    multiplications with dense tensors and softmax work on their entries alone. options: what `spc.kernel` takes besides the
    text. Gradients flow to all parameters and dense arguments. Raises CompileError of operations that the kernel language
    has no words for, by their names.
    """
    graph = torch.fx.GraphModule(module, _Tracer().trace(module))
    reader = _Reader(graph, example_inputs)
    with torch.no_grad():
        reader.run(*(_dense(value) for value in example_inputs))
    return Model(module, reader, **options)
