"""What a kernel does and costs, and formats and schedules that make it fast on given data."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
import pathlib
from typing import Any, Dict, Iterable, List, Sequence, Tuple

import numpy as np

from .call.expand import expanded
from .compiler import cache
from .errors import ArgumentTypeError
from .kernel import Kernel
from .sources import view_of
from .storage.view import NumberView


class Explanation(str):
    """What `spc explain` says of a kernel (docs/explain.md): its text, which notebooks show as a page."""

    #: The page, in HTML.
    page: str

    def __new__(cls, text: str, page: str) -> "Explanation":
        made = super().__new__(cls, text)
        made.page = page
        return made

    def _repr_html_(self) -> str:
        import html  # which takes long beside the rest of `import spc`
        return f'<iframe style="width:100%;height:40em;border:0" srcdoc="{html.escape(self.page)}"></iframe>'


def explain(kernel: Kernel, /, *operands: Any, **named: Any) -> Explanation:
    """What becomes of a kernel: loops, formats, remarks on what is slow and how it may be divided.

    kernel: of spc.kernel. operands, named: what it reads, in its order or by name; the kernel is then that for operands like
    these. Without any it is the kernel as its text and formats say it.
    Raises CompileError where there is no such kernel, ArgumentTypeError where it is none of spc.kernel.
    """
    from .compiler.advice import explanation
    request = _request(kernel, operands, named)
    return Explanation(explanation(request), explanation(request, as_page=True))


def tune(kernel: Kernel, /, *operands: Any, budget: float = 10, threads: int = 1, options: Sequence[str] = (),
         **named: Any) -> Dict[str, Any]:
    """Formats and a schedule that make a kernel fast on its operands, by measuring (docs/tune.md). Rows and columns keep their
    order.

    kernel: of spc.kernel. operands, named: what it reads. budget: seconds of the search. threads: that calls are to use.
    options: more of those of `spc tune`.
    Returns what spc.kernel takes as `tuned`: `spc.kernel(text, tuned=spc.tune(kernel, A, x))`.
    Raises CompileError where the kernel cannot be tuned, ArgumentTypeError where it is none of spc.kernel, or the budget is no
    number.
    """
    from .compiler.advice import tuned
    if not isinstance(budget, (int, float)) or not math.isfinite(budget):
        raise ArgumentTypeError(f"budget={budget!r} is no number of seconds")
    if isinstance(options, str) or not isinstance(options, Iterable):
        raise ArgumentTypeError(f"options is to be a list, as in [{options!r}]")
    request = _request(kernel, operands, named)
    values = zip([argument.name for argument in kernel.signature.inputs], kernel.in_order(operands, named))
    return tuned(kernel.request.changed(types=request.types),
                 lambda place: [word for name, value in values for word in _written(name, value, place)],
                 ["--budget", f"{max(int(budget * 1000), 1)}ms", "--threads", str(threads), *options])


def _request(kernel: Kernel, operands: Tuple[Any, ...], named: Dict[str, Any]) -> cache.Request:
    if not isinstance(kernel, Kernel):
        raise ArgumentTypeError(f"a kernel of spc.kernel is needed, not {type(kernel).__name__}")
    if not operands and not named:
        return kernel.request
    names = [argument.name for argument in kernel.signature.inputs]
    return kernel.specialised({name: view_of(value, name) for name, value in zip(names, kernel.in_order(operands, named))})


def _written(name: str, value: Any, place: pathlib.Path) -> List[str]:
    """Puts an operand into a folder; returns how a command names it, and options that say more of it."""
    view = view_of(value, name)
    if view.type in ("cf32", "cf64", "bf16"):
        raise ArgumentTypeError(f"{name}: kernels are tuned on operands of real numbers, and not of bf16")
    if isinstance(view, NumberView):
        return [f"{name}={view.number}"]
    if view.storage.is_dense:
        flat = view.arrays["values", 0]
        np.save(place / f"{name}.npy",
                np.lib.stride_tricks.as_strided(flat, view.shape, [step * flat.itemsize for step in view.strides]))
        return [f"{name}={name}.npy"]
    listed = expanded(view)
    if listed is None:
        raise ArgumentTypeError(f"{name}: its storage has no coordinate of each entry, as spc.convert gives it")
    columns = [listed.arrays["indices", dim].astype(np.int64) + 1 for dim in range(len(view.shape))]
    np.savetxt(place / f"{name}.tns", np.rec.fromarrays([*columns, listed.arrays["values", 0]]),
               fmt=["%d"] * len(columns) + ["%.17g"])
    return [f"{name}={name}.tns", "--shape", f"{name}={'x'.join(map(str, view.shape))}"]
