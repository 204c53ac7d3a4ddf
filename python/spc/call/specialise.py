"""What a request says of tensors that nobody has said anything of: outlines of kernels, and formats and types for operands."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Tuple

import numpy as np

from ..compiler import answers, cache
from ..errors import ArgumentTypeError, CompileError
from ..storage import dtypes
from ..storage.describe import contents_of, format_of
from ..storage.dtypes import DType
from ..storage.signature import Signature
from ..storage.view import Operand, View

#: What the compiler says of an operand that is declared sparse: its name, and a format for its order.
_UNBOUND = re.compile(r"""nothing says how it is stored \[unbound-sparse\]\n.*\n.*\nhelp: .* for instance (\w+)="([\w-]+)"$""",
                      re.MULTILINE)


def outline_of(request: cache.Request) -> Tuple[Dict[str, str], str, Signature]:
    """The formats that stand for those of operands which are declared sparse and which nothing else is said of, the type
    that stands for those of values which nobody has said, and the signature with these. The type is i64 where the kernel
    has functions of integers alone. Raises CompileError where the request is wrong beyond that."""
    try:
        return _outline_as(request, "f64")
    except CompileError as error:
        if "[type-operator]" not in str(error) or "" in request.types:
            raise
        try:
            return _outline_as(request.changed(types={"": "i64", **request.types}), "i64")
        except CompileError:
            raise error from None


def _outline_as(request: cache.Request, default: str) -> Tuple[Dict[str, str], str, Signature]:
    """What outline_of() returns, where values of no type are of this one."""
    try:
        return {}, default, cache.signature_of(request)
    except CompileError as error:
        standing = {name: form for name, form in _UNBOUND.findall(str(error))}
        if not standing:
            raise
    return standing, default, cache.signature_of(request.changed(formats={**standing, **request.formats}))


def bound_by(formats: Mapping[str, cache.Format]) -> FrozenSet[str]:
    """The tensors that formats are said for; "" where one is for all sparse ones. A file may say those of several."""
    general = formats.get("", {})
    several = general.get("tensors") if isinstance(general, Mapping) else None
    return frozenset(formats) if several is None else frozenset(formats) - {""} | frozenset(several)


def with_index(view: View) -> Dict[str, Any]:
    """A format whose pointers and indices differ in type."""
    return {**contents_of(view.storage), "index": {"pointers": view.pointers, "indices": view.indices}}


def say_indices(views: Mapping[str, Operand], formats: Dict[str, cache.Format], files: Mapping[str, str],
                 indices: Dict[str, str]) -> None:
    """The types of indices of bound tensors: each operand's own, and for others the widest of them."""
    own = {name: view.indices for name, view in views.items()
           if isinstance(view, View) and view.indices and view.pointers == view.indices}
    if "" in indices or not own:
        return
    widest = max(own.values(), key=lambda index: dtypes.NUMPY[index].itemsize)
    general = formats.get("", {})
    several = general.get("tensors", {}) if isinstance(general, Mapping) else {}
    for name, form in {**several, **formats}.items():
        is_own = str(form).startswith("dense") or (isinstance(form, Mapping) and {"structure_of", "tensors"} & set(form))
        if not is_own and (name in own or name not in views) and _may_choose_index(form, files, views.get(name)):
            indices.setdefault(name, own.get(name, widest))


def _may_choose_index(form: cache.Format, files: Mapping[str, str], view: Optional[Operand]) -> bool:
    """Whether a format has pointers or indices of any type: places in small blocks have that of the format. view: what may be
    stored so, which saves asking the compiler what its format is."""
    if isinstance(form, str) and isinstance(view, View) and form == format_of(view.storage):
        form = contents_of(view.storage)
    elif isinstance(form, str):
        name = form.partition(":")[0]
        form = json.loads(files[name]) if name in files else answers.shipped_format(name)
    levels: Any = form.get("levels")
    if not isinstance(levels, list):
        return True  # a sum of formats, or one of any order
    listed = [level for level in levels if level.get("storage") != "dense"]
    has_segments = any(str(level.get("extent", "")).startswith("ragged") for level in levels)
    return has_segments or not all("%" in level["dim"] for level in listed)


def is_weak(view: Operand) -> bool:
    """Whether an operand is one of Python's own numbers, which take the type of what they meet."""
    return isinstance(view.owner, (bool, int, float, complex)) and not isinstance(view.owner, np.generic)


def common_type(views: Mapping[str, Operand]) -> str:
    """The type that Python's own numbers take: that of the other operands together."""
    strong: List[DType] = []
    for view in views.values():
        if view.type == "bf16":
            return "bf16"
        if isinstance(view, View):
            strong.append(dtypes.NUMPY[view.type])
        elif isinstance(view.number, complex):
            strong.append(np.dtype(np.complex64))
    try:
        return dtypes.name_of(np.result_type(*strong)) if strong else "f64"
    except ArgumentTypeError:
        return "f64"
