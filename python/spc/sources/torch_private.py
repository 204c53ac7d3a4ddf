"""What PyTorch keeps private and this package needs: here alone, so that one file says what another version may lack. Imported
where torch is."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
from typing import Any, Callable, Iterator, List

import torch
from torch.autograd import forward_ad

_modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
_watchers: List[Callable[[], Any]] = [torch._C._get_tracing_state]
if hasattr(torch._C, "_are_functorch_transforms_active"):
    _watchers.append(torch._C._are_functorch_transforms_active)
if hasattr(torch, "compiler") and hasattr(torch.compiler, "is_compiling"):
    _watchers.append(torch.compiler.is_compiling)


def is_watched() -> bool:
    """Whether somebody follows which operators are called, whom the dispatcher tells."""
    return _modes is None or _modes() > 0 or forward_ad._current_level >= 0 or any([watcher() for watcher in _watchers])


def is_forward() -> bool:
    """Whether tensors may have tangents: PyTorch differentiates forwards."""
    return bool(forward_ad._current_level >= 0)


@contextlib.contextmanager
def below_autograd() -> Iterator[None]:
    """Has operators that are called meanwhile skip what computes gradients."""
    with contextlib.ExitStack() as stack:
        guard: Any = torch._C._AutoDispatchBelowAutograd()
        if hasattr(guard, "__enter__"):  # else, before torch 2, it is in force for as long as it lives
            stack.enter_context(guard)
        yield
        del guard


def has_storage(tensor: Any) -> bool:
    """Whether a tensor has memory of its own: those that stand for all elements of a batch while vmap runs have none."""
    return bool(torch._C._has_storage(tensor))


def version(tensor: Any) -> int:
    """How often torch has written to a tensor."""
    return int(tensor._version)


def base(tensor: Any) -> Any:
    """The tensor that one is a view of; None where it is none."""
    return tensor._base


def coordinates(tensor: Any) -> Any:
    """The coordinates of a sparse_coo tensor, in one array, whether its entries are in order or not."""
    return tensor._indices()


def values(tensor: Any) -> Any:
    """The values of a sparse tensor, in whatever order its entries are."""
    return tensor._values() if tensor.layout is torch.sparse_coo else tensor.values()


def coalesced(tensor: Any) -> Any:
    """A sparse_coo tensor, which is told that its entries are in order and do not repeat."""
    return tensor._coalesced_(True)


def normalises_batches(module: Any) -> bool:
    """Whether a module is one of batch normalisation, of any number of dimensions."""
    return isinstance(module, torch.nn.modules.batchnorm._BatchNorm)


def has_hooks(module: Any) -> bool:
    """Whether somebody is told of a module's calls, or of all modules'."""
    own = (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, getattr(module, "_backward_pre_hooks", None))
    return any(own) or bool(torch.nn.modules.module._has_any_global_hook())
