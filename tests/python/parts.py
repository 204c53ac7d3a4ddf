"""A stand-in for processes that each run a kernel on a part of the data, and exchange what they need."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import scipy.sparse as sp

import spc

SIZES = (9, 7, 8, 6, 5, 4)
#: What arrays of indices are below: the extent that they index.
INDEXED = {"around": "v", "words": "v", "p": "n"}


class Tensor:
    """Entries with their coordinates; a dense one has all."""

    def __init__(self, coordinates, values, shape, kind):
        self.coordinates, self.values, self.shape, self.kind = coordinates, values, tuple(shape), kind

    @classmethod
    def random(cls, rng, shape, kind, dtype, below):
        dense = rng.integers(0, below, shape) if below else rng.random(shape) + 0.5
        keep = np.ones(shape, bool) if kind == "dense" else rng.random(shape) < 0.3
        return cls(np.nonzero(keep) if shape else [], np.asarray(dense)[keep].astype(dtype), shape, kind)

    @classmethod
    def of(cls, result):
        if isinstance(result, dict):
            order = len(result["shape"])
            return cls([result[f"indices_{dim}"] for dim in range(order)], result["values"], result["shape"], "coo")
        if sp.issparse(result):
            entries = result.tocoo()
            return cls(entries.coords if hasattr(entries, "coords") else [entries.row, entries.col], entries.data, result.shape,
                       "csr" if len(result.shape) == 2 else "coo")
        array = np.asarray(result)
        return cls(np.nonzero(np.ones(array.shape, bool)) if array.ndim else [], array.reshape(-1), array.shape, "dense")

    def cut(self, chosen):
        """chosen: coordinates by dimension, where not all are."""
        keep, coordinates, shape = np.ones(self.values.size, bool), list(self.coordinates), list(self.shape)
        for dim, own in chosen.items():
            new = np.full(self.shape[dim], -1)
            new[own] = np.arange(len(own))
            coordinates[dim], shape[dim] = new[coordinates[dim]], len(own)
            keep &= coordinates[dim] >= 0
        return Tensor([each[keep] for each in coordinates], self.values[keep], shape, self.kind)

    def copy(self):
        return Tensor([np.array(each) for each in self.coordinates], self.values.copy(), self.shape, self.kind)

    def dense(self, fill):
        array = np.full(self.shape, float(fill), self.values.dtype)
        array[tuple(self.coordinates)] = self.values if self.shape else self.values[0]
        return array

    def operand(self):
        if self.kind == "dense":
            array = np.zeros(self.shape, self.values.dtype)
            array[tuple(self.coordinates)] = self.values if self.shape else self.values[0]
            return array if self.shape else array[()]
        if len(self.shape) == 2:
            return sp.coo_array((self.values, tuple(self.coordinates)), self.shape).asformat(self.kind)
        listed = spc.coo(self.coordinates, self.values, self.shape)
        return spc.convert(listed, "csf") if self.kind == "csf" else listed


def cuts(rng, size, count):
    """Where parts end: equal ones, uneven ones, one with everything."""
    kind = rng.integers(3)
    inner = [size * k // count for k in range(1, count)] if kind == 0 else \
        sorted(rng.integers(0, size + 1, count - 1)) if kind == 1 else [0] * (count - 1)
    return [0, *inner, size]


def chosen(argument, part, own, halos):
    """The coordinates of each dimension that a part has."""
    named = {dim: halos[argument.shape[dim]] for dim in part.rows}
    return {**named, **{dim: own for dim in part.dims}}


def halos_of(division, signature, operands, own):
    shapes = {argument.name: argument for argument in signature.arguments}
    found = {}
    for extent, lists in division.halos.items():
        listed = [operands[name].cut({dim: own for dim in division.arguments[name].dims}).coordinates[at] for name, at in lists]
        found[extent] = np.unique(np.concatenate(listed))
        assert all(shapes[name].shape[at] == extent for name, at in lists)
    return found


REDUCTIONS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "or": np.logical_or,
              "and": np.logical_and}
IDENTITIES = {"sum": 0, "prod": 1, "min": np.inf, "max": -np.inf, "or": 0, "and": 1}


def joined(parts, like, fill):
    """The results of parts, (role, coordinates, result) each, as one array."""
    role = parts[0][0]
    start = IDENTITIES.get(role, fill)
    whole = np.full(like.shape, start, like.dtype if np.isfinite(start) or like.dtype.kind == "f" else float)
    for role, where, result in parts:
        grid = np.ix_(*[where.get(dim, np.arange(size)) for dim, size in enumerate(like.shape)])
        dense = np.full(result.shape, fill, like.dtype)
        dense[tuple(result.coordinates)] = result.values if result.shape else result.values[0]
        whole[grid] = REDUCTIONS[role](whole[grid], dense) if role in REDUCTIONS else dense
    return whole


def run(kernel, operands, results):
    """Results by name, those that are written in place among them."""
    given = {name: tensor.operand() for name, tensor in operands.items()}
    made = kernel(**given)
    made = made if isinstance(made, tuple) else (made,)
    return dict(zip(results, map(Tensor.of, made)))


def sizes_of(signature):
    """A size for each extent."""
    extents = {extent for argument in signature.arguments for extent in argument.shape}
    return {extent: extent if isinstance(extent, int) else SIZES[k % len(SIZES)] for k, extent in enumerate(sorted(extents, key=str))}


def operands_of(rng, signature, formats, sizes):
    """Random operands of these sizes."""
    operands = {}
    for argument in signature.inputs:
        kind = formats.get(argument.name, "dense") if argument.shape else "dense"
        below = sizes[INDEXED[argument.name]] if argument.name in INDEXED else 0
        dtype = {"i32": np.int32, "f32": np.float32}.get(argument.type, np.float64)
        operands[argument.name] = Tensor.random(rng, [sizes[extent] for extent in argument.shape], kind, dtype, below)
    return operands


def on_parts(kernel, division, operands, whole, ends):
    """The results of a kernel, as dense arrays by name, from those of parts, which end there. whole: its own results."""
    signature = kernel.signature
    results = {argument.name: argument for argument in signature.outputs}
    parts = {name: [] for name in results}
    for begin, end in zip(ends, ends[1:]):
        own = np.arange(begin, end)
        halos = halos_of(division, signature, operands, own)
        where = {argument.name: chosen(argument, division.arguments[argument.name], own, halos)
                 for argument in signature.arguments}
        made = run(kernel, {name: operands[name].cut(where[name]) for name in inputs_of(signature)}, results)
        for name, result in made.items():
            parts[name].append((division.arguments[name].role, where[name], result))
    return {name: joined(parts[name], whole[name].dense(argument.fill), float(argument.fill))
            for name, argument in results.items()}


def inputs_of(signature):
    return [argument.name for argument in signature.inputs]


def assert_close(parts, whole, said):
    tolerance = 1e-4 if whole.dtype == np.float32 else 1e-9
    assert np.allclose(parts, whole, tolerance, tolerance), said
