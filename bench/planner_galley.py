"""What the orders of Galley cost, finch-tensor's planner (Deeds, Ahrens, Balazinska and Suciu, 2025), on the operands at
hand: `pip install finch-tensor-lite`. It is given the exact degrees of these."""
# SPDX-License-Identifier: Apache-2.0

import collections
import itertools

import numpy as np

from planner_orders import Pattern, joined, kept, pattern_of, steps, steps_of_pair


def degrees(shape, coordinates, fields, finch):
    """Degree constraints as Galley takes them from a tensor."""
    whole, none = frozenset(fields), frozenset()
    cells = float(np.prod([float(size) for size in shape]))
    known = {finch.DC(none, whole, cells if coordinates is None else float(len(coordinates)))}
    for k, field in enumerate(fields):
        if coordinates is None:
            rows, longest = float(shape[k]), cells / shape[k]
        else:
            counts = np.unique(coordinates[:, k], return_counts=True)[1]
            rows, longest = float(len(counts)), float(counts.max())
        known |= {finch.DC(none, frozenset([field]), rows), finch.DC(frozenset([field]), whole, longest)}
    sizes = collections.OrderedDict(zip(fields, map(float, shape)))
    return finch.DCStats.from_def(finch.TensorDef(fields, sizes, 0.0), known)


def orders_of(target, factors, operands):
    """Galley's nests: of each its name, what it reads, by name and indices, and its own indices. None where it does not
    install."""
    try:
        from finchlite.algebra import ffuncs
        from finchlite.autoschedule.galley_optimize import optimize_query
        from finchlite.autoschedule import tensor_stats as finch
        from finchlite.finch_logic import Aggregate, Alias, Field, Literal, MapJoin, Query, Reorder, Table
    except ImportError:
        return None
    known, tables = {}, []
    for k, (name, own) in enumerate(factors):
        fields, alias = tuple(map(Field, own)), Alias(f"{name}_{k}")
        known[alias] = degrees(*operands[name], fields, finch)
        tables.append(Table(alias, fields))
    summed = tuple(Field(v) for v in dict.fromkeys(v for _, own in factors for v in own) if v not in target)
    whole = Aggregate(Literal(ffuncs.add), Literal(0.0), MapJoin(Literal(ffuncs.mul), tuple(tables)), summed)
    query = Query(Alias("result"), Reorder(whole, tuple(map(Field, target))))

    def tables_in(node):
        if isinstance(node, Table):
            return [(node.tns.name, tuple(field.name for field in node.idxs))]
        return [one for child in getattr(node, "children", ()) for one in tables_in(child)]

    nests = []
    for step in optimize_query(query, finch.DCStatsFactory(), known, optimizer="dfs"):
        node, own = step.rhs, None
        while isinstance(node, Reorder):
            own, node = tuple(field.name for field in node.idxs), node.arg
        read = tables_in(node)
        if len(read) > 1 or isinstance(node, Aggregate):
            sums = {field.name for field in node.idxs} if isinstance(node, Aggregate) else set()
            left = dict.fromkeys(v for _, indices in read for v in indices if v not in sums)
            nests.append((step.lhs.name, read, own or tuple(left)))
    return nests


def steps_of_nest(parts, extents):
    """Of a nest that joins all of them: of the best of the orders in which it may come to them. What lists nothing new is
    merged with what came before it, both being gone through, as explain counts merges."""
    def along(order):
        before = whole = order[0]
        most = steps(whole, extents)
        for one in order[1:]:
            both = joined(whole, one, extents)
            if one.listed and len(both.listed) == len(whole.listed):
                most = max(most, steps(whole, extents) + steps(joined(before, one, extents), extents))
            else:
                before = whole
                most = max(most, steps(both, extents))
            whole = both
        return most
    if len(parts) == 2:
        return steps_of_pair(*parts, joined(*parts, extents), extents)
    return min(map(along, itertools.permutations(parts)))


def steps_of_galley(target, factors, operands):
    """Of Galley's order; None where it does not install."""
    nests = orders_of(target, factors, operands)
    if nests is None:
        return None
    extents = {v: n for name, own in factors for v, n in zip(own, operands[name][0])}
    known = {f"{name}_{k}": pattern_of(operands[name], own) for k, (name, own) in enumerate(factors)}
    total = 0.0
    for made, read, own in nests:
        parts = [renamed(known[name], indices) for name, indices in read]
        total += steps_of_nest(parts, extents)
        whole = parts[0]
        for one in parts[1:]:
            whole = joined(whole, one, extents)
        known[made] = kept(whole, set(own))
    return total


def renamed(pattern, indices):
    """Galley reads a part by the indices that it was made with."""
    assert {*pattern.listed, *pattern.full} == {*indices}
    return Pattern(pattern.listed, pattern.full, pattern.tuples)
