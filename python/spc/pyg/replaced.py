"""Where PyG's classes and functions are replaced, and given back. Imported where PyG is."""
# SPDX-License-Identifier: Apache-2.0

import functools
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch_geometric import EdgeIndex, is_compiling
from torch_geometric.nn.conv import MessagePassing, gat_conv, gatv2_conv, gcn_conv, rgcn_conv

from ..sources import torch_private
from . import kept, layers

Method = Callable[..., Any]

#: What is replaced: where, under which name, and what was there, None of what was inherited.
_replaced: List[Tuple[Any, str, Any]] = []


def _standing_in(original: Any, method: Method) -> Method:
    """A function of the original's name, signature and source, as TorchScript and PyG look at them, which calls another one."""
    made = types.FunctionType(method.__code__, original.__globals__, original.__name__, method.__defaults__, method.__closure__)
    made.__kwdefaults__ = method.__kwdefaults__
    return functools.update_wrapper(made, original)


def _method(original: Method, function: Callable[..., Any]) -> Method:
    """A method that computes by a function of `layers`, or by the original one where that returns None."""
    computed, compiling = layers.computed, is_compiling  # what stands in finds no other globals than the original's

    def method(self: Any, edge_index: Any, *arguments: Any, **named: Any) -> Any:
        if not compiling():
            made = computed(function, self, edge_index, arguments, named)
            if made is not None:
                return made
        return original(self, edge_index, *arguments, **named)

    return _standing_in(original, method)


def _put(place: Any, name: str, value: Any) -> None:
    _replaced.append((place, name, vars(place).get(name)))
    setattr(place, name, value)


def _replace_layer(layer: Any) -> None:
    """Replaces what PyG has made for a class when its first instance was."""
    for name, function in zip(("propagate", "edge_updater"), layers.LAYERS[layer]):
        if function is not None and f"_jinja_{name}" in vars(layer):
            method = _method(vars(layer)[name], function)
            _put(layer, name, method)
            _put(layer, f"_jinja_{name}", method)  # which comes back after an explainer


def replace() -> None:
    """Replaces methods of the layers that are known, now or when PyG makes them, and functions that change graphs."""
    prepare = MessagePassing._set_jittable_templates

    @functools.wraps(prepare)
    def prepared(self: Any, *arguments: Any, **named: Any) -> None:
        layer = type(self)
        is_new = layer in layers.LAYERS and "_jinja_propagate" not in vars(layer)
        prepare(self, *arguments, **named)
        if is_new:
            _replace_layer(layer)

    _put(MessagePassing, "_set_jittable_templates", prepared)
    for layer in layers.LAYERS:
        _replace_layer(layer)
    for module, name in ((gcn_conv, "gcn_norm"), (gat_conv, "remove_self_loops"), (gat_conv, "add_self_loops"),
                         (gatv2_conv, "remove_self_loops"), (gatv2_conv, "add_self_loops")):
        _put(module, name, _changing(getattr(module, name)))
    _put(rgcn_conv, "masked_edge_index", _masking(rgcn_conv.masked_edge_index))


def give_back() -> None:
    """Gives PyG what `replace` has taken."""
    while _replaced:
        place, name, value = _replaced.pop()
        if value is None:
            delattr(place, name)
        else:
            setattr(place, name, value)


def _version(adjacency: Any) -> Any:
    """The version of a graph of whose changes something is kept; None where it is not to be."""
    if type(adjacency) not in (torch.Tensor, EdgeIndex) or not adjacency.is_cpu or adjacency.requires_grad or \
            torch_private.is_watched() or torch_private.is_forward():
        return None
    return kept.version_of(adjacency)


def _key(arguments: Any, named: Dict[str, Any]) -> Optional[Tuple[Any, ...]]:
    """The arguments of a function, where all are such as say all by themselves."""
    said = (*arguments, *sorted(named.items()))
    values = (*arguments, *named.values())
    return said if all(isinstance(value, (int, float, str, torch.dtype, type(None))) for value in values) else None


def _changing(original: Method) -> Method:
    """A function of a graph and its edges' attributes that gives others: it gives the same graph for the same one, so that this
    is known again. Attributes it computes each time, but where there were none."""
    compiling, name = is_compiling, original.__name__

    def known(edge_index: Any, attributes: Any, arguments: Any, named: Any) -> Any:
        key, version = _key(arguments, named), _version(edge_index)
        if key is None or version is None:
            return original(edge_index, attributes, *arguments, **named)
        if attributes is None:
            return kept.called(edge_index, version, (name, key), lambda: _pair(original(edge_index, None, *arguments, **named)))
        graph, changed = original(edge_index, attributes, *arguments, **named)
        return kept.called(edge_index, version, (name, "graph", key), lambda: (graph,))[0], changed

    def method(edge_index: Any, attributes: Any = None, *arguments: Any, **named: Any) -> Any:
        if compiling():
            return original(edge_index, attributes, *arguments, **named)
        return known(edge_index, attributes, arguments, named)

    return _standing_in(original, method)


def _pair(results: Any) -> Tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


class _Masks:
    """Parts of a graph, by the masks of edges that they were taken with."""

    def __init__(self) -> None:
        self.parts: Dict[int, List[Tuple[torch.Tensor, Any]]] = {}

    def part(self, mask: torch.Tensor, make: Callable[[], Any]) -> Any:
        """The part that a mask takes: the same one for masks that are equal."""
        parts = self.parts.setdefault(int(mask.count_nonzero()), [])
        for known, part in parts:
            if torch.equal(known, mask):
                return part
        made = make()
        if sum(map(len, self.parts.values())) < _MOST_MASKS:
            parts.append((mask.clone(), made))
        return made


_MOST_MASKS = 1024  # of one graph, each of a byte an edge


def _masking(original: Method) -> Method:
    """The function that takes a relation's edges, which gives the same graph for the same edges."""
    compiling = is_compiling

    def known(edge_index: Any, edge_mask: Any) -> Any:
        version = _version(edge_index)
        if version is None or edge_mask.dtype is not torch.bool or edge_mask.is_inference() or edge_mask.dim() != 1:
            return original(edge_index, edge_mask)
        masks = kept.of(edge_index, version).setdefault(_Masks, _Masks())
        with torch.inference_mode(False):
            return masks.part(edge_mask, lambda: original(edge_index, edge_mask))

    def method(edge_index: Any, edge_mask: Any) -> Any:
        return original(edge_index, edge_mask) if compiling() else known(edge_index, edge_mask)

    return _standing_in(original, method)
