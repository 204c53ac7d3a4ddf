"""Kernels in index notation, compiled for what they are called with."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, NoReturn, Optional, Tuple

from .call import copies, gradients
from .call.binding import sizes_of
from .call.choice import functions_for
from .call.kept import STALE, KeptCalls
from .call.kinds import key_of
from .call.specialise import bound_by, common_type, is_weak, outline_of, say_indices, with_index
from .call.validate import POLICIES, settle
from .call.variant import Call, Plan, Variant, in_parts
from .compiler import cache, compiled
from .errors import ArgumentError, ArgumentTypeError, CompileError
from .pieces import Piece
from .sources import view_of
from .storage.describe import format_of
from .storage.division import Division
from .storage.signature import Signature, TensorArgument
from .storage.view import NumberView, Operand, View


class KernelBase:
    """What kernels have in common, whether they are compiled upon their first call or were before."""

    def __init__(self, name: str, signature: Signature, validate: str, copy: bool, share: bool, is_inner: bool = False):
        """is_inner: whether an operator has it, which sees to gradients itself."""
        if validate not in POLICIES:
            raise ArgumentError(f"validate={validate!r} is none of {', '.join(POLICIES)}")
        self._name, self._outline, self._validate, self._copy = name, signature, validate, copy
        self._share, self._is_inner = share, is_inner
        self._inputs: Tuple[str, ...] = tuple([argument.name for argument in signature.inputs])
        self._outputs: Tuple[str, ...] = tuple([argument.name for argument in signature.outputs])
        # C's and C++'s words are parameters with an underscore appended: in Python their own names will do as well.
        self._renamed = {argument.tensor: argument.name for argument in signature.arguments if argument.tensor != argument.name}
        self._numbers = [k for k, argument in enumerate(signature.inputs) if not isinstance(argument, TensorArgument)]
        self._updated = [argument.name for argument in signature.outputs if argument.is_read]
        self._kept = KeptCalls()

    @property
    def signature(self) -> Signature:
        """The arguments, with the types that hold where no operand says otherwise."""
        return self._outline

    @property
    def name(self) -> str:
        """The function's name."""
        return self._name

    @property
    def validation(self) -> str:
        """When the structures of operands are checked: one of POLICIES."""
        return self._validate

    def __repr__(self) -> str:
        made = f"{type(self).__module__}.{type(self).__qualname__} {self._name}"
        return f"<{made}({', '.join(self._inputs)}) -> {', '.join(self._outputs)}>"

    def __call__(self, /, *operands: Any, out: Any = None, sizes: Optional[Mapping[str, int]] = None,
                 **named: Any) -> Any:
        """Runs the kernel.

        operands, named: what it reads, in the kernel's order or by name. One that is written, too (`y(i) += ...`), is
        written in place.
        out: where its output is written: an array, or a dictionary of them by name; else it is new.
        sizes: of extents that no operand has.
        Returns the output, or a tuple of several in the kernel's order. Raises ArgumentError where an operand does not fit,
        CompileError where the kernel cannot be compiled for such operands, KernelError or MemoryError where it fails.
        """
        if named:
            operands = self.in_order(operands, named)
        values = operands if out is None else (*operands, out)
        # What is written may overlap with what is read, wherever it lies next.
        key = key_of(values) if out is None and not self._updated else (len(values), *map(id, values))
        if self._numbers:
            key = self._with_numbers(key, values)
        # Who repeats a call takes it out meanwhile, so that no other thread writes to its structs.
        if sizes is None and (kept := self._kept.take(key)) is not None and (result := kept.repeat(values)) is not STALE:
            self._kept.give(key, kept)
            return result
        call = self._bound(operands, out, sizes)
        result = call()
        if sizes is None and self._validate != "always":
            self._note(key, call, values, out)
        return result

    def _with_numbers(self, key: Tuple[Any, ...], values: Tuple[Any, ...]) -> Tuple[Any, ...]:
        """The key of calls that pass numbers, of which the class counts."""
        parts, first = list(key), len(key) - len(values)
        for k in self._numbers:
            if k < len(values):
                parts[first + k] = type(values[k])
        return tuple(parts)

    def _note(self, key: Tuple[Any, ...], call: Call, values: Tuple[Any, ...], out: Any) -> None:
        """Keeps a call that is made for the second time, unless several outputs are brought."""
        outs = () if out is None else self._outputs if len(self._outputs) == 1 and not isinstance(out, dict) else None
        if outs is not None:
            self._kept.note(key, call, self._inputs, values, outs, out is None and not self._updated)

    def bind(self, /, *operands: Any, out: Any = None, sizes: Optional[Mapping[str, int]] = None, **named: Any) -> Call:
        """A call with its arguments bound, for repeating it: takes what a call takes; see Call."""
        return self._watched(self._bound(self.in_order(operands, named), out, sizes, "fixed"))

    def plan(self, /, *operands: Any, sizes: Optional[Mapping[str, int]] = None, **named: Any) -> Plan:
        """Computes the pattern of an assembled result. Takes what a call takes; what it returns, called, computes the
        values anew, as often as they change. Raises ArgumentError of kernels without phases (docs/abi.md, Outputs)."""
        return Plan(self._watched(self._bound(self.in_order(operands, named), None, sizes)))

    def divisions(self, /, *operands: Any, **named: Any) -> Dict[str, Division]:
        """How each index may be divided among processes that run this kernel on parts of the data, or why it may not be:
        docs/beyond-one-machine.md. With operands it is that of the kernel for operands like these."""
        return {division.index: division for division in self.signature_for(*operands, **named).divisions}

    def signature_for(self, /, *operands: Any, **named: Any) -> Signature:
        """The arguments of the kernel for operands like these; without operands `signature`."""
        if not operands and not named:
            return self._outline
        values = self.in_order(operands, named)
        return self._signature_for({name: view_of(value, name) for name, value in zip(self._inputs, values)})

    def _signature_for(self, views: Dict[str, Operand]) -> Signature:
        return self._outline

    def _watched(self, call: Call) -> Call:
        """A call that looks each time at what may have changed: whether gradients are required, and index arrays, where
        these are to be looked at always."""
        if not self._is_inner:
            call.refuse_gradients()
        if self._validate == "always":
            call.watch()
        return call

    def in_order(self, operands: Tuple[Any, ...], named: Dict[str, Any]) -> Tuple[Any, ...]:
        """The operands in the kernel's order. Raises ArgumentTypeError where one is missing or of another name."""
        rest = self._inputs[len(operands):]
        if len(rest) == len(named) and len(operands) + len(rest) == len(self._inputs):
            try:
                return (*operands, *[named[name] for name in rest])
            except KeyError:
                pass
        if not self._renamed.keys().isdisjoint(named):
            return self.in_order(operands, self._by_parameter(named))
        self._misnamed(operands, named)

    def _by_parameter(self, named: Mapping[str, Any]) -> Dict[str, Any]:
        """What is given by tensors' names, or their parameters', by those of the parameters. Raises ArgumentTypeError."""
        found: Dict[str, Any] = {}
        for name, value in named.items():
            if (parameter := self._renamed.get(name, name)) in found:
                raise ArgumentTypeError(f"{parameter} is given twice, by its tensor's name as well")
            found[parameter] = value
        return found

    def _misnamed(self, operands: Tuple[Any, ...], named: Dict[str, Any]) -> NoReturn:
        for argument in self._outline.inputs:
            if argument.part_of:
                raise in_parts(argument)
        if len(operands) > len(self._inputs):
            raise ArgumentTypeError(f"{len(operands)} operands, and {self._name} has {len(self._inputs)}")
        for name in named:
            if name not in self._inputs:
                raise ArgumentTypeError(f"{self._name} has no operand {name!r}{_meant(name, self._inputs)}")
            if name in self._inputs[:len(operands)]:
                raise ArgumentTypeError(f"{name} is given twice, by place and by name")
        missing = [name for name in self._inputs[len(operands):] if name not in named]
        raise ArgumentTypeError(f"{self._name} needs {', '.join(missing)} as well")

    def _bound(self, operands: Tuple[Any, ...], out: Any, sizes: Optional[Mapping[str, int]], index: str = "own") -> Call:
        """The call. index: of results that nobody is to share, see Style."""
        if len(operands) != len(self._inputs):
            self._misnamed(operands, {})
        given = self._given(out)
        if not self._is_inner and gradients.are_possible():
            for name, value in (*given.items(), *zip(self._inputs, operands)):
                gradients.refuse(value, name)
        views: Dict[str, Operand] = {}
        for name, value in zip(self._inputs, operands):
            # What is written has to be the operand itself.
            view = copies.readable(value, name) if self._copy and name not in self._updated else view_of(value, name)
            views[name] = view
            if isinstance(view, View) and view.pointers:
                settle(view, name, self._validate)
        if sizes:
            self.check_sizes(sizes)
        index = "shared" if self._share else index
        return self._variant_for(views, given).prepare(
            views, given, sizes or {}, copies.fitting if self._copy else None, index)

    def check_sizes(self, sizes: Mapping[str, int]) -> None:
        """Raises ArgumentTypeError of extents that the kernel lacks or that are no integers, ArgumentError of negative or too
        large ones."""
        extents = {extent for argument in self._outline.arguments for extent in argument.shape if isinstance(extent, str)}
        for name, size in sizes_of(sizes).items():
            if name not in extents:
                raise ArgumentTypeError(f"{self._name} has no extent {name!r}{_meant(name, sorted(extents))}")
            if not 0 <= size < 1 << 63:
                raise ArgumentError(f"extent {name} cannot be {size}")

    def _given(self, out: Any) -> Mapping[str, Any]:
        """The outputs that the caller brings, by name."""
        if out is None:
            return {}
        if isinstance(out, Mapping) and "format" not in out:
            out = self._by_parameter(out)
            for name in out:
                if name not in self._outputs:
                    raise ArgumentTypeError(f"{self._name} has no output {name!r}{_meant(name, self._outputs)}")
                if name in self._updated:
                    raise ArgumentTypeError(f"{name} is read, too: it is an operand, which is written in place")
            return out
        if len(self._outputs) > 1:
            raise ArgumentTypeError(f"{self._name} has {len(self._outputs)} outputs: out is to be a dictionary of them by name")
        if self._updated:
            raise ArgumentTypeError(f"{self._updated[0]} is read, too: it is an operand, which is written in place")
        return {self._outputs[0]: out}

    def _variant_for(self, views: Dict[str, Operand], given: Mapping[str, Any]) -> Variant:
        raise NotImplementedError


def _meant(name: Any, known: Iterable[str]) -> str:
    """What a wrong name may stand for, and what there is."""
    import difflib  # which takes a while, and few need
    known, said = list(known), str(name)
    close = difflib.get_close_matches(said, known, 1, 0.5) or [other for other in known if other.lower() == said.lower()]
    return f": did you mean {close[0]!r}?" if close else f": there are {', '.join(known)}" if known else ""


class Kernel(KernelBase):
    """A kernel that is compiled, or taken from the cache, once for each combination of storage and types.

    Call it with its operands by name, or in the kernel's order. What it returns is of the kind that the operands are:
    PyTorch's tensors, SciPy's sparse arrays or matrices, NumPy's arrays.
    """

    def __init__(self, request: cache.Request, *, validate: str, copy: bool, share: bool = False, is_inner: bool = False):
        self._request = request
        #: Formats for the outline of operands that are stored as they will come, and a type for all that have none.
        self._standing, self._default, signature = outline_of(request)
        super().__init__(request.name, signature, validate, copy, share, is_inner)
        self._variants: Dict[Tuple[Any, ...], Variant] = {}
        self._known_untyped: Optional[FrozenSet[str]] = None
        self._standing_types = {argument.tensor: argument.type for argument in signature.inputs}

    @property
    def _untyped(self) -> FrozenSet[str]:
        """Operands whose type neither the text nor the caller says: those whose type another default changes."""
        if self._known_untyped is None:  # functools.cached_property may hold a lock that a forked process would wait for
            self._known_untyped = self._find_untyped()
        return self._known_untyped

    def _find_untyped(self) -> FrozenSet[str]:
        # Tensors that hold indices take defaults that are integers alone.
        may_hold = any(one.type == "i64" and one.shape for one in self._outline.inputs)
        found: FrozenSet[str] = frozenset()
        others = ("i32",) if self._default == "i64" else ("f32", "i32") if may_hold else ("f32",)
        for default in others:
            try:
                changed = cache.signature_of(self._request.changed(types={"": default, **self._request.types},
                                                                   formats={**self._standing, **self._request.formats}))
            except CompileError:
                if default == others[0]:
                    raise
                continue
            found |= {one.tensor for one, two in zip(self._outline.arguments, changed.arguments) if one.type != two.type}
        return found

    @property
    def is_copying(self) -> bool:
        """Whether operands that do not fit are converted."""
        return self._copy

    @property
    def identity(self) -> str:
        """What tells the kernel from all others, in all processes."""
        return self._request.key(self._validate, str(self._copy), str(self._share))

    @property
    def is_sharing(self) -> bool:
        """Whether results share index arrays with operands."""
        return self._share

    @property
    def request(self) -> cache.Request:
        """What is compiled where operands say no more."""
        return self._request

    def _repr_html_(self) -> str:
        from .compiler.advice import shown
        return shown(self._request, repr(self))

    def inner(self) -> "Kernel":
        """The kernel of an operator: it refuses operands that do not fit, and leaves gradients to the operator."""
        return Kernel(self._request, validate=self._validate, copy=False, share=self._share, is_inner=True)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (self._request, self._validate, self._copy, self._share, self._is_inner)

    def _variant_for(self, views: Dict[str, Operand], given: Mapping[str, Any]) -> Variant:
        key = tuple([item for view in views.values() for item in self._spec(view)]), frozenset(given)
        if (known := self._variants.get(key)) is not None:
            return known
        variant = Variant(functions_for(self.specialised, views, self._outputs, given, self._is_inner), self._named(),
                          self._is_inner)
        return self._variants.setdefault(key, variant)

    def _named(self) -> FrozenSet[str]:
        """The outputs whose format somebody has said."""
        bound = bound_by(self._request.formats)
        return frozenset(self._outputs) if "" in bound else frozenset(
            argument.name for argument in self._outline.outputs if argument.tensor in bound)

    @staticmethod
    def _spec(view: Operand) -> Tuple[Any, ...]:
        if isinstance(view, NumberView) and is_weak(view):
            return None, type(view.owner), ""
        return view.spec

    def specialised(self, views: Dict[str, Operand], results: Mapping[str, cache.Format] = MappingProxyType({})) -> cache.Request:
        """What to compile for operands like these: their storage where no format is bound, and their types. results: the
        formats of some."""
        request = self._request
        views = {argument.tensor: views[argument.name] for argument in self._outline.inputs}
        formats, types, indices = {**request.formats, **results}, dict(request.types), dict(request.indices)
        default, bound = common_type(views), bound_by(formats)
        updated = {argument.tensor for argument in self._outline.outputs if argument.is_read and argument.shape}
        for name, view in views.items():
            if name in self._standing:
                formats[name] = self._standing[name] if isinstance(view, NumberView) else "dense"
            if isinstance(view, NumberView):
                self._say_type(name, default if is_weak(view) else view.type, types)
                continue
            self._say_type(name, view.type, types)
            if name in bound or "" in bound:
                continue
            if (form := format_of(view.storage)) is not None:
                formats[name] = form if view.pointers == view.indices else with_index(view)
            elif name in updated:  # it would take the pattern of another operand
                formats[name] = "dense"
        say_indices(views, formats, request.files, indices)
        return request.changed(formats=formats, types=types, indices=indices)

    def _say_type(self, name: str, type_: str, types: Dict[str, str]) -> None:
        """Says the type of an operand where nothing else does, and the compiler would take another one."""
        taken = self._standing_types.get(name) if self._default == "f64" else None
        if type_ != taken and name in self._untyped:
            types.setdefault(name, type_)

    def pieces(self, by: str, /, *operands: Any, **named: Any) -> List[Piece]:
        """Kernels that compute the same one after the other, each of which processes may divide as its `divisions()` say,
        by what is the index `by` there; in between they exchange what they have made. With operands they are those of the
        kernel for operands like these. Raises CompileError where a statement cannot be divided by the index."""
        from .compiler.pieces import pieces  # which few need
        if not isinstance(by, str):
            raise ArgumentTypeError(f"an index is its name, not {by!r}")
        request = self._request
        if operands or named:
            values = self.in_order(operands, named)
            request = self.specialised({name: view_of(value, name) for name, value in zip(self._inputs, values)})
        return [Piece(Kernel(one, validate=self._validate, copy=self._copy, share=self._share), said["index"], said["copies"],
                      tuple(said["made"])) for one, said in pieces(request, by)]

    def _signature_for(self, views: Dict[str, Operand]) -> Signature:
        return self.specialised_signature(views)

    def specialised_signature(self, views: Dict[str, Operand]) -> Signature:
        """The arguments for operands like these. Raises CompileError where there is no kernel for them."""
        return cache.signature_of(self.specialised(views))


def _restored(request: cache.Request, validate: str, copy: bool, share: bool, is_inner: bool) -> Kernel:
    return Kernel(request, validate=validate, copy=copy, share=share, is_inner=is_inner)


class Loaded(KernelBase):
    """A kernel of a library that was compiled before: its operands have to be as it reads them."""

    def __init__(self, functions: compiled.Functions, *, validate: str, copy: bool, share: bool = False):
        super().__init__(functions.signature.name, functions.signature, validate, copy, share)
        self._functions = functions
        self._variant: Optional[Variant] = None

    def _variant_for(self, views: Dict[str, Operand], given: Mapping[str, Any]) -> Variant:
        if self._variant is None:
            self._variant = Variant(self._functions, frozenset(self._outputs))
        return self._variant
