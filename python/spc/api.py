"""Where kernels come from: text, files, libraries."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import errno
import os
import pathlib
import re
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from .compiler import cache, compiled
from .compiler.constants import constants_in
from .compiler.formats import contents_of_file
from .compiler.request import is_module
from .errors import ArgumentError, ArgumentTypeError, CompileError
from .kernel import Kernel, Loaded

#: The name of a format (`"csr"`, `"csf:2,0,1"`), the contents of a format file, or the path of one.
Format = Union[str, Mapping[str, Any], "os.PathLike[str]"]

#: What binds several tensors by name, as `spc tune` writes it: a file's path, or its contents.
Bindings = Union[str, Mapping[str, Any], "os.PathLike[str]"]

# Options that would write files or change what the package relies on, and what says the same.
_OWN = re.compile(r"(-o|--output|--header|--emit|--target|--name|--format|--type|--index|-M|--diagnostics|--color|"
                  r"--help|-h$|--version)")
_INSTEAD = {"--name": "name=", "--type": "types=", "--index": "indices=",
            "--format": "A=\"csr\" says how a tensor A is stored, and tuned= takes the file that spc tune writes"}
_SUFFIXES = (".tex", ".mlir")
_KEYWORDS = ("types", "indices", "options", "validate", "copy", "share", "name", "formats", "tuned")


def kernel(text: Union[str, "os.PathLike[str]"], *, types: Optional[Mapping[str, str]] = None,
           indices: Optional[Mapping[str, str]] = None, options: Sequence[str] = (), validate: str = "first",
           copy: bool = False, share: bool = False, name: Optional[str] = None,
           formats: Union[Mapping[str, Format], Bindings, None] = None, tuned: Optional[Bindings] = None,
           **more_formats: Format) -> Kernel:
    """A kernel in index notation.

    text: the statements, or an MLIR module (docs/mlir.md), or the path of a .tex or .mlir file. Files of its constants are found beside it, those of statements in the
    working directory.
    formats, and all other keywords: by tensor, the name of a format (`S="csr"`), the contents of a format file, or the
    path of one. Operands without one are taken as they come, those too that the text declares sparse. As a whole, formats
    may be a file that binds tensors by name, or its contents.
    tuned: the file that `spc tune -o` has written, or its contents: formats of all sparse tensors, and the schedule. Where
    the search has kept an order, operands have to be in it (docs/tune.md).
    types: value types by tensor or type parameter (`{"T": "f32"}`). Else operands have those of the arguments of a call.
    indices: types of pointers and indices by tensor. Else those of the arguments.
    options: more of the compiler's options, such as "--fp=strict".
    validate: whether index arrays are checked: "first", where they are seen for the first time, "always", or "never".
    copy: whether operands that do not fit are converted, instead of an error that says which conversion would help.
    share: whether results in an operand's pattern, and all results of one plan, have the same index arrays, read-only
    where their library knows such arrays, instead of arrays of their own. Who changes these, changes all of them.
    name: the function's name, where the text says none.
    Raises CompileError with spc's diagnostics where the text is wrong, ArgumentTypeError where an argument is of a class
    that is none of these, OSError where a file cannot be read.
    """
    if formats is not None and _is_bindings(formats):
        if tuned is not None:
            raise ArgumentError("formats and tuned each bind tensors by name: leave out one")
        formats, tuned = None, formats
    folder = pathlib.Path()
    by_tensor, options = {**_by_tensor(formats), **more_formats}, _words(options)
    if isinstance(text, str) and not text.endswith(_SUFFIXES):
        _check_names(text, more_formats)
    _check(text, by_tensor, types, indices, name)
    for argument, said in (("copy", copy), ("share", share)):
        if not isinstance(said, bool):
            raise ArgumentTypeError(f"{argument} is True or False, not {said!r}: formats={{{argument!r}: ...}} says how a tensor "
                                    "of that name is stored")
    if not isinstance(text, os.PathLike) and os.path.isdir(text):
        raise IsADirectoryError(errno.EISDIR, "a kernel is its text or the path of a file, and this is a folder", text)
    if isinstance(text, os.PathLike) or (text.endswith(_SUFFIXES) and "\n" not in text):
        path = pathlib.Path(text)
        text, folder = path.read_text(encoding="utf-8"), path.parent
        name = name or (None if is_module(text) else identifier(path.stem))
    text, constants = (text, {}) if is_module(text) else constants_in(text, folder)
    for option in options:
        if own := _OWN.match(option):
            instead = _INSTEAD.get(own[1])
            raise CompileError(f"option {option!r} is the package's own to give{f': {instead}' if instead else ''}")
    _check_names(text, more_formats)
    bound = {tensor: plain_format(tensor, form) for tensor, form in by_tensor.items()}
    if tuned is not None:
        bound[""] = _bindings(tuned, bound)
    request = cache.Request(text, name or _name_for(text), bound, types or {}, indices or {}, options,
                            constants=constants)
    return Kernel(request, validate=validate, copy=copy, share=share)


def _name_for(text: str) -> str:
    """A function's name: what the text says, else one for all."""
    said = re.search(r"func\.func\s+@(\w+)" if is_module(text) else r"^\s*kernel\s+(\w+)", text, re.MULTILINE)
    return said.group(1) if said else "kernel_0"


def _by_tensor(formats: Any) -> Mapping[str, Any]:
    """What `formats` says of tensors. Raises ArgumentTypeError of what is no dictionary."""
    if formats is not None and not isinstance(formats, Mapping):
        raise ArgumentTypeError(f"formats is to be a dictionary of formats by tensor, not {formats!r}")
    return formats or {}


def _words(options: Any) -> Tuple[str, ...]:
    """Options as they are passed. Raises ArgumentTypeError of what is no list of words."""
    if isinstance(options, str) or not isinstance(options, Iterable):
        raise ArgumentTypeError(f"options is to be a list, as in [{options!r}]")
    words = tuple(options)
    if not all(isinstance(word, str) for word in words):
        raise ArgumentTypeError(f"options are words, as '--fp=strict', not {list(words)!r}")
    return words


def _check(text: Any, formats: Mapping[str, Any], types: Any, indices: Any, name: Any) -> None:
    """Whether these are of the right classes. Raises ArgumentTypeError, and CompileError of text that no file can hold."""
    if not isinstance(text, (str, os.PathLike)):
        raise ArgumentTypeError(f"a kernel is its text or a path, not {type(text).__name__}")
    if name is not None and not isinstance(name, str):
        raise ArgumentTypeError(f"a function's name is a word, not {name!r}")
    for tensor, form in formats.items():
        if not isinstance(form, (str, Mapping, os.PathLike)):
            raise ArgumentTypeError(f"{tensor}: a format is a name, a file's contents or its path, not {form!r}")
    for argument, said in (("types", types), ("indices", indices)):
        if said is not None and not (isinstance(said, Mapping) and all(isinstance(type_, str) for type_ in said.values())):
            raise ArgumentTypeError(f"{argument} is to be a dictionary of names by tensor, not {said!r}")
    try:
        os.fspath(text).encode()
    except UnicodeEncodeError as error:
        raise CompileError(f"the text is no Unicode: {error}") from None


def identifier(stem: str) -> str:
    """A function's name of a file's: C reserves those with two underscores in a row."""
    words = re.sub(r"[\W_]+", "_", stem, flags=re.ASCII).strip("_")
    return words if words[:1].isalpha() else f"kernel_{words or 0}"


def _check_names(text: str, formats: Iterable[str]) -> None:
    """Raises ArgumentTypeError of a keyword that is no word of the text, and close to an argument."""
    for name in formats:
        if re.search(rf"\b{re.escape(name)}\b", text):
            continue
        import difflib  # which takes a while, and few need
        if close := difflib.get_close_matches(name, _KEYWORDS, 1):
            raise ArgumentTypeError(f"the kernel has no tensor {name!r}: did you mean {close[0]}=?")
        if name == "schedule":
            raise ArgumentTypeError("the kernel has no tensor 'schedule': a schedule is a key of a tensor's format, as in "
                                    "A={\"levels\": ..., \"schedule\": ...}, or of what tuned= takes")


def plain_format(tensor: str, form: Format) -> cache.Format:
    """A format as its name, the path of its file, or its contents. Raises CompileError of one for several tensors."""
    form = os.path.abspath(form) if isinstance(form, os.PathLike) else form
    contents = contents_of_file(form) if isinstance(form, str) and form.endswith(".json") else form
    if tensor and isinstance(contents, Mapping) and "tensors" in contents:
        said = repr(form) if isinstance(form, str) else "its contents"
        raise CompileError(f"{tensor}: {said} binds tensors by name, where one format is needed: tuned={said} says how all "
                           "are stored")
    return form


def _is_bindings(formats: Any) -> bool:
    """Whether all that is said of formats is one file, which binds tensors by name."""
    return isinstance(formats, (str, os.PathLike)) or \
        isinstance(formats, Mapping) and isinstance(formats.get("tensors"), Mapping) and "levels" not in formats["tensors"]


def _bindings(tuned: Bindings, bound: Mapping[str, Any]) -> cache.Format:
    """A file that binds tensors by name, as its path or its contents. Raises CompileError of others, ArgumentError of a tensor
    that is bound besides."""
    if not isinstance(tuned, (str, Mapping, os.PathLike)):
        raise ArgumentTypeError(f"tuned is the path of what spc tune has written, or its contents, not {tuned!r}")
    contents = tuned if isinstance(tuned, Mapping) else contents_of_file(os.fspath(tuned))
    if not isinstance(contents.get("tensors"), Mapping):
        raise CompileError(f"{'it' if isinstance(tuned, Mapping) else repr(os.fspath(tuned))} does not bind tensors by name, "
                           "as what spc tune writes does: a format of one tensor A is A=")
    for tensor in bound:
        if not tensor or tensor in contents["tensors"]:
            raise ArgumentError(f"{tensor or 'all tensors'}: tuned says how it is stored, and so does another argument")
    return tuned if isinstance(tuned, Mapping) else os.path.abspath(tuned)


def load(path: Union[str, "os.PathLike[str]"], *, validate: str = "first", copy: bool = False,
         share: bool = False) -> Dict[str, Loaded]:
    """The kernels of a shared library that `spc library` made, by name; validate, copy and share: as for `kernel`.

    Raises OSError where the library cannot be loaded, CompilerError where it holds no kernels, or ones of another version
    of the calling convention, ArgumentTypeError where the path is none.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"a path is needed, not {path!r}")
    return {name: Loaded(functions, validate=validate, copy=copy, share=share)
            for name, functions in compiled.functions(path).items()}
