"""What PyTorch keeps private and this package needs: here alone, so that one file says what another version may lack. Imported
where torch is."""
# SPDX-License-Identifier: Apache-2.0

import contextlib
import functools
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional

import torch
from torch.autograd import forward_ad

_is_compiling: Callable[[], bool] = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
_modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
_follows_tangents: Callable[[], bool] = getattr(torch._C, "_is_fwd_grad_enabled", lambda: True)
_is_wrapped = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", None)
_watchers: List[Callable[[], Any]] = [torch._C._get_tracing_state]
if hasattr(torch._C, "_are_functorch_transforms_active"):
    _watchers.append(torch._C._are_functorch_transforms_active)
if hasattr(torch, "compiler") and hasattr(torch.compiler, "is_compiling"):
    _watchers.append(torch.compiler.is_compiling)


def is_watched() -> bool:
    """Whether somebody follows which operators are called, whom the dispatcher tells; who differentiates needs not."""
    return _modes is None or _modes() > 0 or any([watcher() for watcher in _watchers])


def is_forward() -> bool:
    """Whether tensors may have tangents: PyTorch differentiates forwards, and does not compute tangents just now."""
    return bool(forward_ad._current_level >= 0 and _follows_tangents())


def may_lack_tangents() -> bool:
    """Whether functions with tangents may give some of their results none."""
    return hasattr(torch.autograd.Function, "setup_context")


def is_dual(tensor: Any) -> bool:
    """Whether a dense tensor has a tangent that PyTorch takes forward now."""
    if not is_forward() or tensor.layout is not torch.strided:
        return False
    try:
        return forward_ad.unpack_dual(tensor).tangent is not None
    except RuntimeError:  # the vmap of PyTorch 1.13 has no rule for it
        return False


@contextlib.contextmanager
def below_autograd() -> Iterator[None]:
    """Has operators that are called meanwhile skip what computes gradients."""
    with contextlib.ExitStack() as stack:
        guard: Any = torch._C._AutoDispatchBelowAutograd()
        if hasattr(guard, "__enter__"):  # else, before torch 2, it is in force for as long as it lives
            stack.enter_context(guard)
        yield
        del guard


def has_memory(tensor: Any) -> bool:
    """Whether a tensor lies in the host's memory by itself, and stands for no other: one of a trace, a batch or a transformation
    does."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.is_cpu and has_storage(tensor) and \
        not (_is_wrapped is not None and _is_wrapped(tensor))


def is_recorded() -> bool:
    """Whether PyTorch 2 notes the operators that are called, as a graph."""
    return hasattr(torch.autograd.Function, "setup_context") and not torch._C._are_functorch_transforms_active() and \
        _modes is not None and _modes() > 0


def is_transformed() -> bool:
    """Whether torch.func or torch.vmap of PyTorch 2 are at work, to which functions say how they are transformed."""
    return hasattr(torch.autograd.Function, "setup_context") and bool(torch._C._are_functorch_transforms_active())


def living(tensor: Any) -> Any:
    """The tensor that another one stood for while a transformation was at work which has ended; any other one as it is."""
    unwrap = getattr(getattr(torch._C, "_functorch", None), "unwrap_if_dead", None)
    return unwrap(tensor) if unwrap is not None and _is_wrapped is not None and _is_wrapped(tensor) else tensor


def is_autocast() -> bool:
    """Whether torch.autocast is at work for the CPU."""
    if hasattr(torch.library, "register_autocast"):  # as of then the device is an argument
        return bool(torch.is_autocast_enabled("cpu"))
    return bool(torch.is_autocast_cpu_enabled())


def is_zero(tensor: Any) -> bool:
    """Whether a tensor is zeros without memory, which derivatives of PyTorch's may be."""
    return bool(tensor._is_zerotensor())


def is_compiling() -> bool:
    """Whether torch.compile or torch.export follow the program."""
    return _is_compiling()


def give_shapes(library: Any, name: str, function: Callable[..., Any]) -> None:
    """Says what shapes the results of an operator have, for tensors without memory."""
    if hasattr(torch.library, "register_fake"):
        torch.library.register_fake(f"spc::{name}", function, lib=library)
    else:
        library.impl(name, function, "Meta")


def unknown_size(name: str) -> Any:
    """A size that is known when an operator has run. Raises NotImplementedError where it is not traced by what knows such."""
    try:
        return torch.library.get_ctx().new_dynamic_size()
    except (AttributeError, AssertionError, RuntimeError):
        raise NotImplementedError(f"{name} is assembled: how many entries it has is not known before") from None


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


def aten_library() -> Any:
    """A library that replaces operations of ATen as long as it lives."""
    from torch import library
    return library.Library("aten", "IMPL")


def own_operation(name: str, key: str) -> Optional[Callable[..., Any]]:
    """PyTorch's own code of an operation for a key of its dispatcher, as a function of the keys of a call and the arguments;
    None where there is none, or it cannot be called beside what replaces it."""
    find = getattr(torch.library, "get_kernel", None)
    if find is None:
        return _BEFORE_2.get(name) if key == "SparseCsrCPU" else None
    try:
        kernel = find(f"aten::{name}", key)
    except RuntimeError:
        return None
    return kernel.call_boxed  # type: ignore[no-any-return]


def replace(library: Any, name: str, key: str, function: Callable[..., Any]) -> None:
    """Has an operation be a function of the keys of a call and the arguments. Says nothing of what was there."""
    if hasattr(torch.library, "get_kernel"):
        library.impl(name, function, key, with_keyset=True)
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Overriding a previously registered kernel")
        library.impl(name, functools.partial(function, None), key)


def _mm(keys: Any, one: Any, other: Any) -> Any:
    if one.layout in (torch.sparse_csr, torch.sparse_csc) and other.layout in (torch.sparse_csr, torch.sparse_csc):
        one, other = one.to_sparse_csr(), other.to_sparse_csr()
    elif one.layout is torch.sparse_csc:
        one = one.to_sparse_csr()
    layout = one.layout if one.layout is other.layout else torch.strided
    return torch.addmm(torch.zeros((one.shape[0], other.shape[1]), dtype=one.dtype, layout=layout), one, other, beta=0)


def _addmm(keys: Any, added: Any, one: Any, other: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    out = torch.empty((0, 0), dtype=added.dtype, layout=added.layout)
    return torch.ops.aten.addmm.out(added, one, other, beta=beta, alpha=alpha, out=out)


def _mv(keys: Any, matrix: Any, vector: Any) -> Any:
    return torch.empty((matrix.shape[0],), dtype=vector.dtype).addmv_(matrix, vector, beta=0, alpha=1)


def _sampled(keys: Any, matrix: Any, one: Any, other: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    out = torch.empty((0, 0), dtype=matrix.dtype, layout=matrix.layout)
    return torch.ops.aten.sparse_sampled_addmm.out(matrix, one, other, beta=beta, alpha=alpha, out=out)


def _bmm(keys: Any, one: Any, other: Any) -> Any:
    return torch.ops.aten.bmm.out(one, other, out=torch.empty((0, 0, 0), dtype=other.dtype))


#: What PyTorch 1.13 does for sparse tensors of compressed rows and columns, by operations that nothing replaces.
_BEFORE_2: Dict[str, Callable[..., Any]] = {"mm": _mm, "addmm": _addmm, "bmm": _bmm, "mv": _mv, "sparse_sampled_addmm": _sampled}


def listed(places: Any, values: Any, shape: Any) -> Any:
    """A sparse_coo tensor of coordinates that are known to be right: PyTorch 2 warns where it is not told so."""
    unchecked = {"check_invariants": False} if hasattr(torch.sparse, "check_sparse_tensor_invariants") else {}
    return torch.sparse_coo_tensor(places, values, shape, **unchecked)


def of_values(like: Any, values: Any) -> Any:
    """A sparse tensor of other values, with copies of the index arrays of one that is there, which are not checked again."""
    if like.layout is torch.sparse_coo:
        made = listed(coordinates(like).clone(), values, like.shape)
        return coalesced(made) if like.is_coalesced() else made
    name = str(like.layout)[len("torch.sparse_"):]
    parts = (like.ccol_indices(), like.row_indices()) if name in ("csc", "bsc") else (like.crow_indices(), like.col_indices())
    given = (*[part.clone() for part in parts], values, like.shape)
    unchecked = getattr(torch, f"_sparse_{name}_tensor_unsafe", None)  # before torch 2
    return getattr(torch, f"sparse_{name}_tensor")(*given, check_invariants=False) if unchecked is None else unchecked(*given)


def say_script(function: Any, original: Any) -> None:
    """Has programs of torch.jit.script take a function for the one of PyTorch's that it stands for."""
    from torch.jit import _builtins
    name = _builtins._find_builtin(original)
    if name is not None:
        _builtins._register_builtin(function, name)
