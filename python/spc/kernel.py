"""Kernels in index notation, compiled for what they are called with."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
from typing import Any, Dict, Mapping, Optional, Tuple, Union

import numpy as np

from . import cache, dtypes, library
from .describe import format_of
from .errors import ArgumentError, ArgumentTypeError
from .signature import Signature, parse
from .sources import view_of
from .validate import validate as validate_view
from .variant import Call, Variant, numbers_in
from .view import View

VALIDATE = ("first", "always", "never")


class Kernel:
    """A kernel that is compiled, or taken from the cache, once for each combination of storage and types.

    Call it with its operands by name, or in the kernel's order. What it returns is of the kind that the operands are:
    SciPy's sparse arrays, NumPy's dense ones.
    """

    def __init__(self, text: str, formats: Mapping[str, cache.Format], *, types: Mapping[str, str],
                 indices: Mapping[str, str], name: str, options: Tuple[str, ...], validate: str):
        if validate not in VALIDATE:
            raise ValueError(f"validate={validate!r} is none of {', '.join(VALIDATE)}")
        self._text, self._name, self._options = text, name, options
        self._formats, self._types, self._indices = dict(formats), dict(types), dict(indices)
        self._validate = validate
        self._variants: Dict[Any, Variant] = {}
        self._outline: Signature = parse(cache.signature_of(self._request(self._formats, self._types, self._indices)))
        other = self._request(self._formats, {"": "f32", **self._types}, self._indices)
        changed = parse(cache.signature_of(other))
        #: Operands whose type neither the text nor the caller says.
        self._untyped = {one.name for one, two in zip(self._outline.arguments, changed.arguments) if one.type != two.type}
        self._inputs = [argument.name for argument in self._outline.inputs]

    def _request(self, formats, types, indices) -> cache.Request:
        return cache.Request(self._text, self._name, formats, types, indices, self._options)

    @property
    def signature(self) -> Signature:
        """The arguments, with the types that hold where no operand says otherwise."""
        return self._outline

    def __repr__(self) -> str:
        outputs = ", ".join(argument.name for argument in self._outline.outputs)
        return f"<spc.Kernel {self._name}({', '.join(self._inputs)}) -> {outputs}>"

    def __call__(self, *operands: Any, out: Any = None, sizes: Optional[Mapping[str, int]] = None,
                 **named: Any) -> Any:
        """Runs the kernel.

        operands, named: what it reads, in the kernel's order or by name.
        out: where its output is written: an array, or a dictionary of them by name; else it is new.
        sizes: of extents that no operand has.
        Returns the output, or a tuple of several. Raises ArgumentError where an operand does not fit, CompileError where
        the kernel cannot be compiled for such operands.
        """
        return self.bind(*operands, out=out, sizes=sizes, **named)()

    def bind(self, *operands: Any, out: Any = None, sizes: Optional[Mapping[str, int]] = None, **named: Any) -> Call:
        """A call with its arguments bound, for repeating it; see Call."""
        values = self._by_name(operands, named)
        views = {name: view_of(value, name) for name, value in values.items()}
        if self._validate != "never":
            for name, view in views.items():
                validate_view(view, name)
        variant = self._variant_for(views)
        return variant.prepare(views, numbers_in(values, views), self._outputs(out, values), dict(sizes or {}))

    def _by_name(self, operands: Tuple[Any, ...], named: Dict[str, Any]) -> Dict[str, Any]:
        if len(operands) > len(self._inputs):
            raise ArgumentTypeError(f"{len(operands)} operands, and {self._name} has {len(self._inputs)}")
        values = dict(zip(self._inputs, operands))
        for name, value in named.items():
            if name not in self._inputs:
                raise ArgumentTypeError(f"{self._name} has no operand {name!r}: it has {', '.join(self._inputs)}")
            if name in values:
                raise ArgumentTypeError(f"{name} is given twice, by place and by name")
            values[name] = value
        missing = [name for name in self._inputs if name not in values]
        if missing:
            raise ArgumentTypeError(f"{self._name} needs {', '.join(missing)} as well")
        return values

    def _outputs(self, out: Any, values: Dict[str, Any]) -> Dict[str, Any]:
        """The outputs that the caller brings, by name: those that are read are operands, too."""
        outputs = self._outline.outputs
        given = {argument.name: values[argument.name] for argument in outputs if argument.is_read}
        if isinstance(out, Mapping) and "format" not in out:
            unknown = set(out) - {argument.name for argument in outputs}
            if unknown:
                raise ArgumentError(f"{self._name} has no output {sorted(unknown)[0]!r}")
            return {**given, **out}
        if out is not None:
            if len(outputs) > 1:
                raise ArgumentError(f"{self._name} has {len(outputs)} outputs: out is to be a dictionary of them by name")
            given[outputs[0].name] = out
        return given

    def _variant_for(self, views: Dict[str, View]) -> Variant:
        key = tuple((name, view.spec) for name, view in sorted(views.items()))
        if (known := self._variants.get(key)) is not None:
            return known
        path = cache.library(self._specialised(views))
        variant = Variant(next(iter(library.functions(path).values())))
        self._variants[key] = variant
        return variant

    def _specialised(self, views: Dict[str, View]) -> cache.Request:
        """What to compile for operands like these: their storage where no format is bound, and their types."""
        formats, types, indices = dict(self._formats), dict(self._types), dict(self._indices)
        default = _common_type(views)
        for name, view in views.items():
            if view.storage is None:
                if name in self._untyped:
                    types.setdefault(name, default if view.family == "number" and _is_weak(view) else view.type)
                continue
            if name in self._untyped:
                types.setdefault(name, view.type)
            if name not in formats and (form := format_of(view.storage)) is not None:
                formats[name] = form
            if view.indices and name not in indices:
                indices[name] = view.indices
        return self._request(formats, types, indices)


def _is_weak(view: View) -> bool:
    """Whether an operand is one of Python's own numbers, which take the type of what they meet."""
    return isinstance(view.owner, (bool, int, float)) and not isinstance(view.owner, np.generic)


def _common_type(views: Dict[str, View]) -> str:
    """The type that Python's own numbers take: that of the other operands together."""
    strong = [dtypes.NUMPY[view.type] for view in views.values() if view.storage is not None and view.type != "bf16"]
    try:
        return dtypes.name_of(np.result_type(*strong)) if strong else "f64"
    except ArgumentTypeError:
        return "f64"


def _name_for(text: str) -> str:
    """A function's name: what the text says, else one for all."""
    said = re.search(r"^\s*kernel\s+(\w+)", text, re.MULTILINE)
    return said.group(1) if said else "kernel_0"


def kernel(text: Union[str, os.PathLike], *, types: Optional[Mapping[str, str]] = None,
           indices: Optional[Mapping[str, str]] = None, options: Tuple[str, ...] = (), validate: str = "first",
           name: Optional[str] = None, formats: Optional[Mapping[str, cache.Format]] = None,
           **more_formats: cache.Format) -> Kernel:
    """A kernel in index notation.

    text: the statements, or the path of a .tex file.
    formats, and all other keywords: by tensor, the name of a format (`S="csr"`) or the contents of a format file. Operands
    without one are taken as they come.
    types: value types by tensor or type parameter. Else operands have those of the first call's arguments.
    indices: types of pointers and indices by tensor.
    options: more of the compiler's options, such as "--fp=strict".
    validate: whether index arrays are checked: "first", when an object is seen for the first time, "always", or "never".
    Raises CompileError with spc's diagnostics where the text is wrong.
    """
    if isinstance(text, os.PathLike) or (isinstance(text, str) and text.endswith(".tex") and "\n" not in text):
        path = pathlib.Path(text)
        text = path.read_text(encoding="utf-8")
        name = name or re.sub(r"\W", "_", path.stem)
    return Kernel(text, {**(formats or {}), **more_formats}, types=types or {}, indices=indices or {},
                  name=name or _name_for(text), options=tuple(options), validate=validate)


def load(path: Union[str, os.PathLike]) -> Dict[str, "Loaded"]:
    """The kernels of a shared library that `spc library` made, by name."""
    return {name: Loaded(functions) for name, functions in library.functions(path).items()}


class Loaded:
    """A kernel of a library that was compiled before: its operands have to fit as they are."""

    def __init__(self, functions: library.Functions, validate: str = "first"):
        self._variant = Variant(functions)
        self._validate = validate
        self._outline = functions.signature
        self._name = functions.signature.name
        self._inputs = [argument.name for argument in self._outline.inputs]

    signature = Kernel.signature
    __repr__ = Kernel.__repr__
    __call__ = Kernel.__call__
    bind = Kernel.bind
    _by_name = Kernel._by_name
    _outputs = Kernel._outputs

    def _variant_for(self, views: Dict[str, View]) -> Variant:
        return self._variant
