"""Which kernel is compiled for operands, where nothing says how its results are stored."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Sequence

from ..compiler import cache
from ..compiler.compiled import Functions
from ..errors import CompileError
from ..storage.view import Operand
from .order import could_be, formats_of, in_order, lacks_zeros_alone
from .variant import family_of

#: The request for operands like these, with formats of some results.
Specialise = Callable[[Dict[str, Operand], Mapping[str, cache.Format]], cache.Request]


def functions_for(specialise: Specialise, views: Dict[str, Operand], results: Sequence[str],
                  given: Mapping[str, Any], keeps_dense: bool) -> Functions:
    """The functions for operands like these. results: the outputs. given: those that the caller brings. keeps_dense: results of
    no format stay dense. Mostly the compiler is started once: it stops where a result may be better stored in another way,
    and is asked for more there."""
    request = specialise(views, {})
    ordered = in_order(views)
    if family_of(views) == "spc.torch" or ordered is None and (keeps_dense or given.keys() >= set(results)):
        return cache.load(request)
    if ordered is None and (found := cache.load_unless_densified(request, lambda one: not could_be(one, given))):
        return found
    if not keeps_dense:
        request = _sparse_where_it_could_be(request, specialise, views, given)
    return cache.load(request if ordered is None else _stored_alike(request, specialise(ordered, {})))


def _sparse_where_it_could_be(request: cache.Request, specialise: Specialise, views: Dict[str, Operand],
                              given: Mapping[str, Any]) -> cache.Request:
    """The request with a sparse format for results that are dense only because nothing says how they are stored."""
    formats = could_be(cache.signature_of(request), given)
    if not formats:
        return request
    try:
        changed = specialise(views, formats)
        lacks_zeros = lacks_zeros_alone(cache.signature_of(changed), formats)
    except CompileError:  # it cannot be assembled
        return request
    return changed if lacks_zeros else request


def _stored_alike(request: cache.Request, ordered: cache.Request) -> cache.Request:
    """The request with the formats that results would have if the entries of operands were in order, as in `ordered`."""
    try:
        formats = formats_of(cache.signature_of(request), cache.signature_of(ordered))
        changed = request.changed(formats={**formats, **request.formats})
        cache.signature_of(changed)
    except CompileError:  # they cannot be assembled so
        return request
    return changed
