"""Models of PyTorch as objects with C headers, which programs call without Python."""
# SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import subprocess
import tempfile
from typing import AbstractSet, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import torch

from .. import api
from ..compiler import toolchain
from ..errors import ArgumentError, CompileError
from . import exported, models, traced
from .reading import Reader
from .statements import type_name
from .stored import dense

Path = Union[str, "os.PathLike[str]"]


def export(model: Any, output: Path, example_inputs: Optional[Tuple[Any, ...]] = None, *, name: Optional[str] = None,
           formats: Optional[Mapping[str, Any]] = None, constants: bool = False, dynamic: bool = True,
           options: Sequence[str] = ()) -> str:
    """Compiles a model to an object, and writes a C header beside it. Returns the kernel's text.

    model: a module with its example_inputs, or a program of torch.export, or the path of a file that torch.export.save has
    written. The function's operands are the model's arguments, then its parameters and buffers by their names, '_' for '.', as
    far as something reads them. name: the function's, else that of the output. formats: of tensors that are to be stored
    sparse, by the model's names; those of sparse tensors are their own. constants: whether parameters are in the object, in
    place of operands. dynamic: whether sizes may differ from those of the examples. options: more of the compiler's. Raises
    CompileError of what has no words or no format.
    """
    reader, tensors = _read(model, example_inputs, dict(formats or {}), dynamic)
    with tempfile.TemporaryDirectory() as folder:
        text, more = _kernel(reader, tensors, name or _name(output), constants, pathlib.Path(folder))
        path = pathlib.Path(folder) / "kernel.tex"
        path.write_text(text, encoding="utf-8")
        toolchain.run(["compile", str(path), "-o", os.path.abspath(output), *more, *options])
    return text


def compile_file(path: Path, rest: Sequence[str], output: Optional[str], name: Optional[str], constants: bool) -> int:
    """What `spc compile` does, of a program that torch.export.save has written; its exit code. rest: more of its options.
    Raises CompileError of what has no words or no format."""
    formats = dict(one.split("=", 1) for one in _formats_in(rest) if "=" in one)
    reader, tensors = _read(path, None, formats, True)
    said = name or _name(output if output not in (None, "-") else path)
    with tempfile.TemporaryDirectory() as folder:
        text, more = _kernel(reader, tensors, said, constants, pathlib.Path(folder), given=set(formats))
        kernel = pathlib.Path(folder) / f"{said}.tex"
        kernel.write_text(text, encoding="utf-8")
        to = ["-o", output or f"{said}.o"]
        return subprocess.call([str(toolchain.compiler()), "compile", str(kernel), *to, *more, *rest])


def _formats_in(options: Sequence[str]) -> List[str]:
    """What `--format` is given, in either form."""
    joined = [one[len("--format="):] for one in options if one.startswith("--format=")]
    return joined + [two for one, two in zip(options, options[1:]) if one == "--format"]


def _name(output: Optional[Path]) -> str:
    return api.identifier(pathlib.Path(output or "model").stem)


def _read(model: Any, examples: Optional[Tuple[Any, ...]], formats: Mapping[str, Any],
          is_dynamic: bool) -> Tuple[Reader, Dict[str, torch.Tensor]]:
    """A model's statements, and its tensors by name."""
    def make(fixed: Any) -> Reader:
        return Reader(formats, is_dynamic, fixed, is_typed=True)
    if isinstance(model, torch.nn.Module):
        if examples is None:
            raise ArgumentError("a module is exported by example_inputs")
        reader = models.read(model, examples, make)
        return reader, {path: reader.constants[path] if path in reader.constants else models.attribute(model, path)
                        for path in reader.parameters}
    if isinstance(model, (str, os.PathLike)):
        model = _loaded(model)
    reader = models.settle(lambda reader: exported.read(model, reader), make)
    return reader, {**model.state_dict, **model.constants}


def _loaded(path: Path) -> Any:
    """The program in a file."""
    if not exported.is_there():
        raise CompileError(f"{os.fspath(path)}: PyTorch {torch.__version__} reads no exported programs: version 2.6 does")
    if not os.path.exists(path):
        raise CompileError(f"{os.fspath(path)}: there is no such file")
    try:
        return getattr(torch, "export").load(path)
    except Exception as error:  # torch has many kinds of errors of damaged files
        raise CompileError(f"{os.fspath(path)}: no program that torch.export.save has written: {traced.first_line(error)}") from None


def _kernel(reader: Reader, tensors: Mapping[str, torch.Tensor], name: str, is_constant: bool, folder: pathlib.Path,
            given: AbstractSet[str] = frozenset()) -> Tuple[str, List[str]]:
    """The kernel's text, and the options by which it is compiled. given: tensors whose formats are among other options."""
    program = reader.program
    fixed = {operand: path for path, operand in reader.parameters.items() if is_constant or path in reader.constants}
    operands = program.operands
    lines = {operand: _constant(program.dims(operand), operand, tensors[path], folder, reader.bound.get(operand))
             for operand, path in fixed.items() if operand in operands}
    options = ["-q", "-Wno-precision", "-Wno-broadcast"]
    for operand, form in {**reader.bound, **program.formats}.items():
        if operand not in [*operands, *program.formats] or operand in given:
            continue
        if not isinstance(form, str):
            (folder / f"{operand}.json").write_text(json.dumps(form), encoding="utf-8")
            form = str(folder / f"{operand}.json")
        options += ["--format", f"{operand}={form}"]
    return "\n".join(program.lines(name, reader.order, lines)) + "\n", options


def _constant(dims: str, name: str, tensor: torch.Tensor, folder: pathlib.Path, form: Any) -> str:
    """The line that gives a tensor by its numbers, in a file beside the kernel unless it is one."""
    value = dense(tensor.detach())
    type_ = _type(value, name)
    if not value.dim():
        return f"const {dims}: {type_} = {_number(value)}"
    np.save(folder / f"{name}.npy", value.contiguous().numpy())
    return f"const {dims}: {type_}{', sparse' if form is not None and not str(form).startswith('dense') else ''} = \"{name}.npy\""


def _type(value: torch.Tensor, name: str) -> str:
    if value.dtype is torch.bfloat16 or not type_name(value.dtype):
        raise CompileError(f"{name}: constants of type {value.dtype} have no file: leave it an operand")
    return type_name(value.dtype)


def _number(value: torch.Tensor) -> str:
    number = value.item()
    return str(number).lower() if isinstance(number, bool) else repr(number)
