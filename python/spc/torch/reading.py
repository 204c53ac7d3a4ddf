"""From the operations of a graph to statements: what graphs of torch.fx and of torch.export have in common."""
# SPDX-License-Identifier: Apache-2.0

import operator
from typing import AbstractSet, Any, Callable, Dict, List, Mapping, Optional, Sequence

import torch
import torch.fx

from ..errors import CompileError
from . import functions, gathers, norms, places, shapes  # noqa: F401  which add to the table
from .layers import TABLE
from .sizes import DependsOn, Example, Extent, computed, extent, needed, product, sizes_in
from .statements import Pending, Program, Tensor, type_name
from .stored import form_of, is_sparse

#: How sizes are called: those of an example that may be others in later calls.
SizesOf = Callable[[str, Sequence[Any]], List[Extent]]

_CREATED = ("ones", "zeros", "full", "scalar_tensor", "arange", "eye")


class Reader:
    """Statements of a graph's operations, node by node.

    program: what is read so far. made: by node, a Tensor, a number, or a tuple of them. parameters: operands, by what the
    module calls them. inputs: operands that are arguments, in order.
    """

    def __init__(self, formats: Mapping[str, Any], is_dynamic: bool, fixed: AbstractSet[str] = frozenset(), is_typed: bool = False):
        """formats: of operands that are dense tensors in the example, by the module's names. is_dynamic: whether sizes may be
        others in later calls, but for fixed ones. is_typed: whether the kernel says types and formats, which calls say else."""
        self.program = Program()
        self.front = ""                             # what has made the graph
        self.is_tuple = False                       # whether the model gives a tuple of results, of one perhaps
        self.made: Dict[str, Any] = {}
        self.inputs: List[str] = []
        self.parameters: Dict[str, str] = {}
        self.constants: Dict[str, torch.Tensor] = {}
        self.bound: Dict[str, Any] = {}             # formats by operand
        self._by_path: Dict[str, Tensor] = {}
        self._formats, self.is_dynamic, self._fixed, self.is_typed = formats, is_dynamic, fixed, is_typed

    def operand(self, said: str, value: Any, like: Any, path: str = "", sizes: Optional[SizesOf] = None) -> Tensor:
        """An operand for a tensor. said: what the graph calls it. like: an object that is stored as it will be. path: what the
        module calls it. sizes: what makes extents."""
        if path in self._by_path:
            return self._by_path[path]
        name = self.program.name_for((path or said).replace(".", "_"))
        form = next((self._formats[key] for key in (path, said, name) if key in self._formats), None)
        if form is not None:
            self.bound[name] = form
        shape = sizes(name, value.shape) if sizes else value.shape if path else self._named(name, value.shape)
        if form is None and self.is_typed and is_sparse(like):
            self.bound[name] = form_of(like)
        is_stored = is_sparse(like) or form is not None and not str(form).startswith("dense")
        made = self.program.operand(name, shape, is_stored, type_name(value.dtype) if self.is_typed else "", value.dtype)
        if path:
            self.parameters[path], self._by_path[path] = name, made
            made.counts_from_end = has_negative(like)
        else:
            self.inputs.append(name)
        return made

    def _named(self, name: str, shape: Sequence[int]) -> List[Extent]:
        """Sizes under names of their own, but for 1 and where they are fixed."""
        return [self.size(size, f"{name}_{k}") if self.is_dynamic and size != 1 else extent(size) for k, size in enumerate(shape)]

    def size(self, value: int, name: str) -> Extent:
        """A size under a name of its own, unless it is fixed."""
        name = self.program.name_for(name)
        return extent(value) if name in self._fixed else Extent.named(value, name)

    def argument(self, value: Any) -> Any:
        """What an argument of a node stands for."""
        if isinstance(value, torch.fx.Node):
            return self.made[value.name]
        if isinstance(value, slice):
            return slice(self.argument(value.start), self.argument(value.stop), self.argument(value.step))
        if isinstance(value, (tuple, list)):
            made = [self.argument(one) for one in value]
            return tuple(made) if isinstance(value, tuple) else made
        return value

    def operation(self, node: torch.fx.Node, names: Sequence[str], value: Any) -> Any:
        """The result of a node. names: of the operation, the first that the table has is meant. value: the example's result."""
        arguments = [self.argument(one) for one in node.args]
        named = {key: self.argument(one) for key, one in node.kwargs.items()}
        try:
            if not _has_tensor([*arguments, *named.values()]):
                return self._of_numbers(node, names, arguments, named, value)
            if node.target is operator.getitem or names[-1] == "getitem":
                return arguments[0][arguments[1]] if isinstance(arguments[0], tuple) else _item(self.program, *arguments)
            if (known := _of_shape(node, names, arguments)) is not None:
                return known
            if not _is_of_tensors(value):
                shapes_read = [one.shape for one in arguments if isinstance(one, Tensor)]
                return Example(value, sizes_in(shapes_read)) if _is_of_shape(value) else value
            needed([*arguments, *named.values()])
            made = next((TABLE[name] for name in names if name in TABLE), None)
            if made is None:
                raise CompileError(f"the kernel language has no words for '{names[-1]}'")
            result = made(self.program, *arguments, **named)
        except DependsOn:
            raise
        except (CompileError, TypeError, KeyError, IndexError) as error:
            raise CompileError(f"{node.format_node()}: {error}") from None
        except Exception as error:
            if type(error).__name__ != "GuardOnDataDependentSymNode":
                raise
            raise CompileError(f"{node.format_node()}: it depends on a number that a tensor holds, which is not known before") from None
        if isinstance(result, Pending):  # an argument that is passed on is read by who reads the result
            result.uses += len(node.users) - any(one is result for one in arguments)
        return _typed(result, value)

    def _of_numbers(self, node: torch.fx.Node, names: Sequence[str], arguments: Sequence[Any], named: Mapping[str, Any],
                    value: Any) -> Any:
        """What is computed without tensors."""
        made = next((name for name in names if name in _CREATED), None)
        if made is not None:
            needed([*arguments, *named.values()])
            return _typed(TABLE[made](self.program, *arguments, **named), value)
        if isinstance(value, torch.Tensor):
            raise CompileError(f"the kernel language has no words for '{names[-1]}'")
        return computed(node.target, arguments, named) if callable(node.target) else value

    def results(self, node: torch.fx.Node, outputs: Sequence[Any], is_tuple: bool) -> None:
        """The graph's results. Raises CompileError of those that are no tensors."""
        self.is_tuple = is_tuple
        if not outputs or not all(isinstance(one, Tensor) for one in outputs):
            raise CompileError(f"{node.format_node()}: results are tensors, one or a tuple")
        self.program.results(outputs)

    @property
    def order(self) -> List[str]:
        """The operands: arguments, then parameters."""
        return [*self.inputs, *self.parameters.values()]

    def check_formats(self) -> None:
        """Raises CompileError of formats that are no tensor's."""
        names = {*self.parameters, *self.parameters.values(), *self.inputs}
        for name in self._formats:
            if name not in names:
                raise CompileError(f"the model has no tensor '{name}': there are {', '.join(sorted(names))}")


def has_negative(value: Any) -> bool:
    """Whether a tensor is known to hold integers below 0: that of an example has no elements."""
    if not isinstance(value, torch.Tensor) or "Fake" in type(value).__name__ or value.dtype not in (torch.int64, torch.int32):
        return False
    return not is_sparse(value) and bool((value < 0).any())


def _has_tensor(values: Sequence[Any]) -> bool:
    return any(isinstance(one, Tensor) or isinstance(one, (tuple, list)) and _has_tensor(one) for one in values)


def _is_of_tensors(value: Any) -> bool:
    return isinstance(value, torch.Tensor) or isinstance(value, (tuple, list)) and any(_is_of_tensors(one) for one in value)


def _is_of_shape(value: Any) -> bool:
    return isinstance(value, (tuple, int)) and not isinstance(value, bool)


def _typed(made: Any, value: Any) -> Any:
    """The result, which knows the type of the example's."""
    for one, other in zip(made, value) if isinstance(made, tuple) and isinstance(value, (tuple, list)) else [(made, value)]:
        if isinstance(one, Tensor) and hasattr(other, "dtype"):
            one.kind = other.dtype
    return made


def _of_shape(node: torch.fx.Node, names: Sequence[str], arguments: Sequence[Any]) -> Any:
    """What is asked of a tensor's shape; None where it is something else."""
    x = arguments[0]
    if not isinstance(x, Tensor):
        return None
    if node.target is getattr and arguments[1] == "shape" or names[-1] in ("size", "sym_size"):
        return x.shape[arguments[1]] if len(arguments) > 1 and isinstance(arguments[1], int) else x.shape
    if names[-1] in ("numel", "sym_numel"):
        return product(x.shape)
    if names[-1] in ("dim", "ndimension") or node.target is getattr and arguments[1] == "ndim":
        return len(x.shape)
    if names[-1] == "len":
        return x.shape[0]
    return None


def _item(program: Program, x: Tensor, index: Any) -> Tensor:
    """x[index], of numbers, slices, None, ... and tensors of indices."""
    parts = list(index) if isinstance(index, tuple) else [index]
    needed([part for one in parts for part in ((one.start, one.stop, one.step) if isinstance(one, slice) else (one,))])
    missing = len(x.shape) - sum(one is not None and one is not Ellipsis for one in parts)
    if Ellipsis in [one for one in parts if not isinstance(one, Tensor)]:
        place = next(k for k, one in enumerate(parts) if one is Ellipsis)
        parts[place:place + 1] = [slice(None)] * missing
    held: List[Any] = []
    at = 0
    for one in parts:
        if one is None:
            x = shapes.unsqueeze(program, x, at)
        elif isinstance(one, slice):
            x = shapes.slice_of(program, x, at, one.start, one.stop, 1 if one.step is None else one.step)
        elif isinstance(one, int):
            x = shapes.select(program, x, at, one)
            continue
        elif isinstance(one, Tensor):
            held += [None] * (at - len(held)) + [one]
        else:
            raise CompileError(f"an index {one!r}: it is to be a number, a slice or a tensor of indices")
        at += 1
    return gathers.index_of(program, x, held) if held else x
