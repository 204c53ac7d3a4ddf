"""Kernels on parts of their data, as their tables of divisions say, beside what they make of the whole: a stand-in for
processes that exchange what they need."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import spc

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "programs"
FORMATS = {"attention": {"S": "csr"}, "frontier": {"W": "csr", "f": "sparse-vector", "c": "sparse-vector", "g": "sparse-vector"},
           "fusedmm": {"S": "csr"}, "gcn": {"A": "csr"}, "gin": {"A": "csr"}, "masked-spgemm": {"A": "csr", "C": "csr"},
           "mttkrp3": {"T": "csf"}, "mttkrp4": {"T": "csf"}, "mttkrp5": {"T": "csf"}, "pagerank": {"A": "csr"},
           "shortest-paths": {"W": "csr"}, "submanifold": {"X": "csf"},
           "submatrix": {"A": "csr", "S": "csr", "T": "csr"}, "triangles": {"A": "csr"}, "ttmc": {"T": "csf"},
           "tucker-core": {"T": "csf"}, "word-vectors": {}}
KERNELS = [("y(i) = A(i,j) * x(j)", {"A": "csr"}), ("y(j) = A(i,j) * x(i)", {"A": "csr"}),
           ("y(i) = A(i,j) * x(j)", {"A": "csc"}), ("y(i) = A(i,j) * x(j)", {"A": "coo"}),
           ("C(i,k) = A(i,j) * B(j,k)", {"A": "csr"}), ("C(i,k) = A(i,j) * B(j,k)", {"A": "csr", "B": "csr", "C": "csr"}),
           ("D(i,j) = S(i,j) * A(i,k) * B(j,k)", {"S": "csr"}), ("C(i,j) = A(i,j) - B(i,j)", {"A": "csr", "B": "csc", "C": "csr"}),
           ("s = A(i,j) * A(i,j)", {"A": "csr"}), ("s = max(i, j, A(i,j))", {"A": "csr"}), ("y(i) = prod(j, A(i,j))", {}),
           ("tensor W(m, n): f64, sparse, fill inf\ntensor x(n)\ny(i) = min(j, W(i,j) + x(j))", {"W": "csr"}),
           ("s = any(i, x(i) > 1)", {}), ("s = all(i, x(i) > 0)", {}), ("y(j) min= A(i,j) + x(i)", {"A": "csr"}),
           ("y(i) = argmin(j, A(i,j))", {}), ("y(i) = A(i,i) * x(i)", {"A": "csr"}), ("y(i) = A(j,i) * mean(k, B(j,k))", {}),
           ("let t = x(i) * x(i)\ny(j) = A(j,k) * z(k) * t", {"A": "csr"}), ("y(i) += A(i,j) * x(j)", {"A": "csr"})]
#: Programs with square matrices, or that add to what they are given, at places that it holds.
UNDIVIDED = {"masked-spgemm", "frontier", "shortest-paths", "pagerank", "triangles", "submatrix", "word-vectors"}
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
            return cls([entries.row, entries.col], entries.data, result.shape, "csr")
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

    def operand(self):
        if self.kind == "dense":
            array = np.zeros(self.shape, self.values.dtype)
            array[tuple(self.coordinates)] = self.values
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
        dense[tuple(result.coordinates)] = result.values
        whole[grid] = REDUCTIONS[role](whole[grid], dense) if role in REDUCTIONS else dense
    return whole


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spc.SpcWarning)
        yield


def run(kernel, operands, results):
    """Results by name, those that are written in place among them."""
    given = {name: tensor.operand() for name, tensor in operands.items()}
    made = kernel(**given)
    made = made if isinstance(made, tuple) else (made,)
    return dict(zip(results, map(Tensor.of, made)))


def check(text, formats, seed=1):
    """Compares all divisions; gives how many there are."""
    rng = np.random.default_rng(seed)
    kernel = spc.kernel(text, **formats)
    signature = kernel.signature
    extents = {extent for argument in signature.arguments for extent in argument.shape}
    sizes = {extent: extent if isinstance(extent, int) else SIZES[k % len(SIZES)] for k, extent in enumerate(sorted(extents, key=str))}
    operands = {}
    for argument in signature.inputs:
        kind = formats.get(argument.name, "dense") if argument.shape else "dense"
        below = sizes[INDEXED[argument.name]] if argument.name in INDEXED else 0
        dtype = {"i32": np.int32, "f32": np.float32}.get(argument.type, np.float64)
        operands[argument.name] = Tensor.random(rng, [sizes[extent] for extent in argument.shape], kind, dtype, below)
    results = {argument.name: argument for argument in signature.outputs}
    divisions = kernel.divisions(**{name: tensor.operand() for name, tensor in operands.items()})
    whole = run(kernel, operands, results) if any(divisions.values()) else {}
    for division in divisions.values():
        if not division:
            assert division.refused and not division.arguments
            continue
        for count in (2, 3, 5):
            ends, parts = cuts(rng, sizes[division.extent], count), {name: [] for name in results}
            for begin, end in zip(ends, ends[1:]):
                own = np.arange(begin, end)
                halos = halos_of(division, signature, operands, own)
                where = {argument.name: chosen(argument, division.arguments[argument.name], own, halos)
                         for argument in signature.arguments}
                made = run(kernel, {name: tensor.cut(where[name]) for name, tensor in operands.items()}, results)
                for name, result in made.items():
                    parts[name].append((division.arguments[name].role, where[name], result))
            for name, argument in results.items():
                dense = np.full(whole[name].shape, float(argument.fill), whole[name].values.dtype)
                dense[tuple(whole[name].coordinates)] = whole[name].values
                tolerance = 1e-4 if dense.dtype == np.float32 else 1e-9
                assert np.allclose(joined(parts[name], dense, float(argument.fill)), dense, tolerance, tolerance), \
                    (division.index, count, ends, name)
    return sum(map(bool, divisions.values()))


@pytest.mark.parametrize("text, formats", KERNELS, ids=lambda each: each if isinstance(each, str) else "")
def test_kernels(text, formats):
    assert check(text, formats)


@pytest.mark.parametrize("program", sorted(FORMATS))
def test_programs(program):
    count = check((PROGRAMS / f"{program}.tex").read_text(), FORMATS[program])
    assert (count == 0) == (program in UNDIVIDED)


def test_every_program_is_here():
    assert {path.stem for path in PROGRAMS.glob("*.tex")} == set(FORMATS)


def test_table():
    spmm = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")
    rows = spmm.divisions()["i"]
    assert rows and (rows.arguments["A"].role, rows.arguments["A"].dims, rows.arguments["A"].rows) == ("slice", (0,), (1,))
    assert (rows.arguments["B"].role, rows.arguments["B"].rows) == ("rows", (0,)) and rows.halos == {"j": (("A", 1),)}
    refused = spc.kernel("y(i) = x(i) * i").divisions()["i"]
    assert not refused and "as a number" in refused.refused
