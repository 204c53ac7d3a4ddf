"""Models of PyTorch as kernels: what torch.export or torch.fx has of them, as statements that spc plans together."""
# SPDX-License-Identifier: Apache-2.0

import inspect
import re
from typing import Any, Callable, FrozenSet, Mapping, Optional, Tuple

import torch

from .. import api
from ..errors import ArgumentTypeError, CompileError, StructureError
from . import exported, traced
from .operators import Op
from .reading import Reader, has_negative
from .sizes import DependsOn

#: A reader that has read nothing, some of whose sizes are fixed.
MakeReader = Callable[[FrozenSet[str]], Reader]


def read(module: torch.nn.Module, examples: Tuple[Any, ...], make: MakeReader) -> Reader:
    """The statements of a model: by torch.export where that knows it, else by torch.fx. Raises CompileError of operations
    that have no words, and where neither knows the model, ArgumentTypeError of examples that are no tuple."""
    if not isinstance(examples, (tuple, list)):
        raise ArgumentTypeError(f"examples are a tuple of arguments, as in (x,), and not of class {type(examples).__qualname__}")
    said = ""
    if exported.is_there():
        try:
            program = exported.export(module, examples, make(frozenset()).is_dynamic)
        except Exception as error:  # torch has many kinds of errors, and torch.fx may know the model
            said = f"; nor does torch.export: {traced.first_line(error)}"
        else:
            tensors = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}
            return settle(lambda reader: exported.read(program, reader, examples, tensors), make)
    try:
        return settle(lambda reader: traced.read(module, examples, reader), make)
    except CompileError as error:
        raise CompileError(f"{error}{said}") from None


def settle(read_by: Callable[[Reader], None], make: MakeReader) -> Reader:
    """A reader by which a model is read. Sizes that views, slices and convolutions need as numbers are those of the example.
    Raises CompileError of formats that are no tensor's."""
    fixed: FrozenSet[str] = frozenset()
    while True:
        reader = make(fixed)
        try:
            read_by(reader)
            reader.check_formats()
            return reader
        except DependsOn as error:
            if not set(error.names) - fixed:
                raise
            fixed |= set(error.names)


class Model(torch.nn.Module):
    """A module that computes what another one does, by a kernel; its parameters are that one's.

    text: the kernel. op: its operator. front: "torch.export" or "torch.fx", which the model was read by.
    """

    def __init__(self, module: torch.nn.Module, reader: Reader, **options: Any):
        super().__init__()
        self.module, self.front = module, reader.front
        self.text = "\n".join(reader.program.lines(reader.program.name_for("model"), reader.order))
        # Sizes are integers, which are numbers there; elements may be the same in all places.
        options["options"] = ["-Wno-precision", "-Wno-broadcast", *options.get("options", ())]
        if reader.bound:  # dense tensors are converted
            options = {"copy": True, **options}
        self.op: Op = Op(api.kernel(self.text, formats={**reader.program.formats, **reader.bound}, **options))
        self._is_of_one = reader.is_tuple and len(reader.program.outputs) == 1
        self._inputs, self._parameter_names, self._constants = reader.inputs, reader.parameters, reader.constants
        operands = reader.program.operands
        self._read = [name for name in reader.order if name in operands]  # the operator may call them otherwise
        said = {size.text for name in self._read for size in reader.program.shape(name)}
        self._sizes = {size.text: (name, k) for name in self._inputs if name not in self._read
                       for k, size in enumerate(reader.program.shape(name))
                       if size.text not in said and re.search(rf"\b{size.text}\b", self.text) and not size.is_fixed}

    def forward(self, *inputs: Any, **named: Any) -> Any:
        if named:
            inputs = self._bound(inputs, named)
        if len(inputs) != len(self._inputs):
            raise ArgumentTypeError(f"the model takes {len(self._inputs)} arguments, and {len(inputs)} are given")
        values = dict(zip(self._inputs, inputs))
        for path, name in self._parameter_names.items():
            values[name] = self._constants[path] if path in self._constants else attribute(self.module, path)
        sizes = {size: values[name].shape[k] for size, (name, k) in self._sizes.items()}
        operands = [values[name] for name in self._read]
        try:
            made = self.op(*operands, **({"sizes": sizes} if sizes else {}))
        except StructureError as error:
            if not any(has_negative(one) for one in operands):
                raise
            raise StructureError(f"{error}; indices that a call is given count from the start, and are not below 0") from None
        return (made,) if self._is_of_one else made

    def _bound(self, inputs: Tuple[Any, ...], named: Mapping[str, Any]) -> Tuple[Any, ...]:
        """The arguments in the order of the module's forward. Raises ArgumentTypeError of others than it has."""
        try:
            bound = inspect.signature(self.module.forward).bind(*inputs, **named)
        except TypeError as error:
            raise ArgumentTypeError(f"the model's arguments: {error}") from None
        if bound.kwargs:
            raise ArgumentTypeError(f"the model's arguments are those of its examples, in order, and not {', '.join(bound.kwargs)} by name alone")
        return bound.args


def attribute(module: torch.nn.Module, path: str) -> Any:
    """What a module calls so."""
    value: Any = module
    for part in path.split("."):
        value = getattr(value, part)
    return value


def compile(module: torch.nn.Module, example_inputs: Tuple[Any, ...], *, formats: Optional[Mapping[str, Any]] = None,
            dynamic: bool = True, **options: Any) -> Model:
    """A model as one kernel.

    module: what torch.export knows of its forward, else what torch.fx traces: no branches on values. example_inputs: arguments
    of the kinds and numbers of dimensions that it will have. Sparse ones stay sparse, as do sparse parameters: products,
    multiplications with dense tensors and softmax work on their entries alone. formats: of dense parameters and arguments that
    are to be stored sparse, by the module's names, {"up.weight": "nm-2-4"}: they are converted at each call. dynamic: whether
    sizes other than 1 may differ in later calls. options: what `spc.kernel` takes besides the text. Gradients flow to all
    parameters and dense arguments. Raises CompileError of operations that the kernel language has no words for, by their
    names.
    """
    return Model(module, read(module, example_inputs, lambda fixed: Reader(formats or {}, dynamic, fixed)), **options)
