"""Models as torch.export has them, on PyTorch 2: operations of ATen, with parameters as inputs and sizes that may differ."""
# SPDX-License-Identifier: Apache-2.0

import copy
from types import MappingProxyType
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

import torch
import torch.fx
from torch.overrides import TorchFunctionMode

from ..errors import CompileError
from .layers import TABLE
from .reading import Reader
from .sizes import Extent, extent
from .stored import dense, is_sparse
from .traced import COUNTERPARTS

#: What says nothing of values.
_ASSERTED = ("_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range_for_size", "sym_constrain_range", "_assert_async")


def is_there() -> bool:
    """Whether this PyTorch can export programs with sizes that differ."""
    return hasattr(getattr(getattr(torch, "export", None), "Dim", None), "AUTO")


class _OfDense(TorchFunctionMode):
    """Calls dense counterparts of what torch has for sparse tensors alone."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return COUNTERPARTS.get(getattr(func, "__name__", ""), func)(*args, **(kwargs or {}))


def export(module: torch.nn.Module, examples: Sequence[Any], is_dynamic: bool) -> Any:
    """The program of a module, in which sparse tensors are dense: torch knows most operations of these alone. Raises what
    torch.export raises."""
    sizes = getattr(torch, "export").Dim.AUTO
    values = _apart([dense(value) for value in examples], [*module.parameters(), *module.buffers()])
    shapes = tuple({k: sizes for k, size in enumerate(value.shape) if size != 1} if isinstance(value, torch.Tensor) else None
                   for value in values)
    with _OfDense(), torch.backends.opt_einsum.flags(False):  # which would settle sizes
        return getattr(torch, "export").export(_with_dense(module), values, dynamic_shapes=shapes if is_dynamic else None)


def _apart(values: Sequence[Any], known: Sequence[Any]) -> Tuple[Any, ...]:
    """Arguments of which no two lie in the same memory, nor one where a tensor of the module's does: torch would take those for
    one input, or for views of one."""
    taken, made = {_memory_of(one) for one in known}, []
    for value in values:
        is_tensor = isinstance(value, torch.Tensor)
        made.append(value.detach().clone() if is_tensor and _memory_of(value) in taken else value)
        if is_tensor:
            taken.add(_memory_of(value))
    return tuple(made)


def _memory_of(tensor: torch.Tensor) -> Any:
    """What tells the memory of a tensor from that of others; of one without memory of its own, the tensor."""
    return tensor.untyped_storage().data_ptr() if tensor.layout is torch.strided and tensor.numel() else id(tensor)


def _with_dense(module: torch.nn.Module) -> torch.nn.Module:
    """A module like this one that has dense tensors for sparse ones, and shares all others."""
    tensors: List[torch.Tensor] = [*module.parameters(), *module.buffers()]
    if not any(is_sparse(one) for one in tensors):
        return module
    memo: Dict[int, Any] = {id(one): one for one in tensors}
    for one in tensors:
        if is_sparse(one):
            value = dense(one.detach())
            memo[id(one)] = torch.nn.Parameter(value, value.is_floating_point()) if isinstance(one, torch.nn.Parameter) else value
    return copy.deepcopy(module, memo)


def _names_of(target: Any) -> List[str]:
    """What an operation is called: ATen's name where its arguments are others than those of torch's function, and that one's."""
    name = str(getattr(target, "__name__", target)).split(".")[0].rstrip("_")
    return [f"aten.{name}", name.lstrip("_")]


class _Sizes:
    """The sizes of a program's inputs: one name for each symbol."""

    def __init__(self, reader: Reader):
        self._reader = reader
        self._known: Dict[str, Extent] = {}

    def __call__(self, name: str, shape: Sequence[Any]) -> List[Extent]:
        return [extent(size) if isinstance(size, int) else self._of_symbol(size, f"{name}_{k}") for k, size in enumerate(shape)]

    def _of_symbol(self, size: Any, name: str) -> Extent:
        symbol = str(size)
        if symbol.isdigit():  # torch has found that it is a number
            return extent(int(symbol))
        if symbol not in self._known:
            self._known[symbol] = self._reader.size(size.node.hint if size.node.has_hint() else 2, name)
        return self._known[symbol]


def functional(program: Any) -> Any:
    """The program without operations in place, and with those of others that have no words here."""
    return program.run_decompositions(_wordless(program))


def _wordless(program: Any) -> Dict[Any, Any]:
    """The decompositions of operations that have no words, where a program has one of these: they become others that may have none."""
    known = getattr(torch, "export").default_decompositions()
    if not any(_is_wordless(node.target) and node.target in known for node in program.graph.nodes if node.op == "call_function"):
        return {}
    return {target: made for target, made in known.items() if _is_wordless(target)}


def _is_wordless(target: Any) -> bool:
    return not any(name in TABLE for name in _names_of(target))


def read(program: Any, reader: Reader, examples: Sequence[Any] = (), tensors: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Reads a program. examples: its arguments, and tensors: those of the module by name, where the program has dense ones for
    sparse ones. What stops gradients is refused, unless the kernel is typed: objects have none. Raises CompileError."""
    reader.front = "torch.export"
    if not reader.is_typed:
        _check_detached(program)
    program = functional(program)
    specs = {one.arg.name: one for one in program.graph_signature.input_specs}
    sizes, arguments = _Sizes(reader), iter(examples)
    for node in program.graph.nodes:
        if node.op == "placeholder":
            reader.made[node.name] = _placeholder(node, specs[node.name], reader, sizes, {**program.constants, **tensors}, arguments)
            if node.name in specs and str(specs[node.name].target) in program.constants:
                path = str(specs[node.name].target)
                reader.constants[path] = program.constants[path]
        elif node.op == "output":
            outputs: Any = node.args[0]
            reader.results(node, [reader.argument(one) for one in outputs], _gives_tuple(program))
        elif node.op == "call_function" and _names_of(node.target)[-1] not in [name.strip("_") for name in _ASSERTED]:
            reader.made[node.name] = reader.operation(node, _names_of(node.target), node.meta.get("val"))
        elif node.op == "get_attr":
            raise CompileError(f"{node.format_node()}: a part of the model that torch.export keeps by itself has no words")


def _placeholder(node: torch.fx.Node, spec: Any, reader: Reader, sizes: _Sizes, tensors: Mapping[str, Any],
                 arguments: Iterator[Any]) -> Any:
    """The operand of an input."""
    value = node.meta["val"]
    if str(spec.kind).endswith("USER_INPUT"):
        if not isinstance(value, torch.Tensor):
            raise CompileError(f"{node.format_node()}: arguments of a model are tensors")
        return reader.operand(node.name, value, next(arguments, value), sizes=sizes)
    path = str(spec.target)
    return reader.operand(node.name, value, tensors.get(path, value), path, sizes)


def _gives_tuple(program: Any) -> bool:
    """Whether a program returns a tuple, and not a tensor. Raises CompileError where it changes its inputs, or returns something
    else."""
    for one in program.graph_signature.output_specs:
        kind = str(one.kind).rpartition(".")[2]
        if "MUTATION" in kind:
            raise CompileError(f"it changes '{one.target}' in place, which the caller has")
    spec = program.call_spec.out_spec
    is_flat = spec.is_leaf() if hasattr(spec, "is_leaf") else spec.num_nodes == 1
    if not is_flat and (spec.type not in (tuple, list) or spec.num_leaves != spec.num_children):
        raise CompileError("results are tensors, one or a tuple")
    return not is_flat


def _check_detached(program: Any) -> None:
    """Raises CompileError where gradients are stopped, but for those of constants."""
    lifted: Tuple[str, ...] = ("lift_fresh_copy", "lift_fresh")
    for node in program.graph.nodes:
        if node.op == "call_function" and _names_of(node.target)[-1] == "detach":
            source = node.args[0]
            if not (source.op == "call_function" and _names_of(source.target)[-1] in lifted):
                raise CompileError(f"{node.format_node()}: the kernel language has no words for 'detach'")


for _name in ("alias", "lift_fresh_copy", "lift_fresh", "detach"):
    TABLE[f"aten.{_name}"] = lambda program, x, **named: x
