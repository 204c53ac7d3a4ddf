"""PyG's layers on spc's kernels (docs/pyg.md).

    import spc.pyg
    with spc.pyg.enabled():
        loss = model(x, edge_index)
"""
# SPDX-License-Identifier: Apache-2.0

import contextlib
from typing import Iterator

from ..nesting import Nesting
from .limits import THRESHOLDS, VERSIONS

__all__ = ["THRESHOLDS", "VERSIONS", "disable", "enable", "enabled", "is_enabled"]


def _begin() -> None:
    from . import replaced
    replaced.replace()


def _end() -> None:
    from . import replaced
    replaced.give_back()


_calls = Nesting("spc.pyg", _begin, _end)


def enable() -> None:
    """Has PyG's GCNConv, SAGEConv, RGCNConv, GATConv and GATv2Conv pass messages by spc's kernels, in all threads of the process.

    What kernels do not take, and what THRESHOLDS has as too small, PyG computes itself. Calls nest: each is taken back by
    one of `disable`. Raises ImportError where PyG is missing or of a version that is not known, CompilerError where the
    compiler is missing.
    """
    import torch_geometric
    version: str = torch_geometric.__version__
    if ".".join(version.split(".")[:2]) not in VERSIONS:
        raise ImportError(f"spc.pyg replaces methods of PyG {', '.join(VERSIONS)}, and this is {version}: operators of spc.torch "
                          "work with any version")
    from . import kernels
    kernels.summed()
    _calls.enter()


def disable() -> None:
    """Takes back one call of `enable`; the last one gives PyG its methods again. Raises RuntimeError where none is left."""
    _calls.leave()


@contextlib.contextmanager
def enabled() -> Iterator[None]:
    """`enable` for the time of a `with` statement."""
    enable()
    try:
        yield
    finally:
        disable()


def is_enabled() -> bool:
    """Whether PyG's layers are spc's now."""
    return _calls.is_on
