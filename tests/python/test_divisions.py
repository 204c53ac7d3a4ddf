"""Kernels on parts of their data, as their tables of divisions say, beside what they make of the whole: a stand-in for
processes that exchange what they need."""
# SPDX-License-Identifier: Apache-2.0

import pathlib
import warnings

import numpy as np
import pytest

import spc
from parts import assert_close, cuts, inputs_of, on_parts, operands_of, run, sizes_of

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
#: Programs that processes divide in pieces, or with operands in two ways, by an index, and how many pieces these are.
IN_PIECES = {("gcn", "i"): 2, ("gin", "i"): 1, ("pagerank", "i"): 2, ("shortest-paths", "i"): 1,
             ("masked-spgemm", "i"): 1, ("triangles", "i"): 2, ("frontier", "i"): 2, ("frontier", "j"): 1, ("fusedmm", "i"): 1,
             ("attention", "i"): 1, ("tucker-core", "i"): 1}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spc.SpcWarning)
        yield


def check(text, formats, seed=1):
    """Compares all divisions; gives how many there are."""
    rng = np.random.default_rng(seed)
    kernel = spc.kernel(text, **formats)
    signature = kernel.signature
    sizes = sizes_of(signature)
    operands = operands_of(rng, signature, formats, sizes)
    results = {argument.name: argument for argument in signature.outputs}
    divisions = kernel.divisions(**{name: tensor.operand() for name, tensor in operands.items()})
    whole = run(kernel, operands, results) if any(divisions.values()) else {}
    for division in divisions.values():
        if not division:
            assert division.refused and not division.arguments
            continue
        for count in (2, 3, 5):
            ends = cuts(rng, sizes[division.extent], count)
            made = on_parts(kernel, division, operands, whole, ends)
            for name, argument in results.items():
                assert_close(made[name], whole[name].dense(argument.fill), (division.index, count, ends, name))
    return sum(map(bool, divisions.values()))


def check_pieces(text, formats, by, seed=1):
    """Compares what pieces make on parts, one after the other; gives how many pieces there are."""
    rng = np.random.default_rng(seed)
    kernel = spc.kernel(text, **formats)
    operands = operands_of(rng, kernel.signature, formats, sizes_of(kernel.signature))
    results = {argument.name: argument for argument in kernel.signature.outputs}
    whole = run(kernel, {name: tensor.copy() for name, tensor in operands.items()}, results)
    pieces = kernel.pieces(by)
    for count in (2, 3):
        held = {name: tensor.copy() for name, tensor in operands.items()}
        for piece in pieces:
            for name, source in piece.copies.items():
                held[name] = held[source].copy()
            signature = piece.kernel.signature
            given = {name: held[name] for name in inputs_of(signature)}
            outputs = {argument.name: argument for argument in signature.outputs}
            made = run(piece.kernel, {name: tensor.copy() for name, tensor in given.items()}, outputs)
            if piece.index:
                division = piece.kernel.divisions()[piece.index]
                size = next(held[name].shape[dim] for name, part in division.arguments.items() for dim in part.dims if name in held)
                parts = on_parts(piece.kernel, division, given, made, cuts(rng, size, count))
                for name, argument in outputs.items():
                    assert_close(parts[name], made[name].dense(argument.fill), (by, count, name))
            held.update(made)
        for name, argument in results.items():
            assert_close(held[name].dense(argument.fill), whole[name].dense(argument.fill), (by, count, name))
    return len(pieces)


@pytest.mark.parametrize("text, formats", KERNELS, ids=lambda each: each if isinstance(each, str) else "")
def test_kernels(text, formats):
    assert check(text, formats)


@pytest.mark.parametrize("program", sorted(FORMATS))
def test_programs(program):
    count = check((PROGRAMS / f"{program}.tex").read_text(), FORMATS[program])
    assert (count == 0) == (program in UNDIVIDED)


@pytest.mark.parametrize("program, by", sorted(IN_PIECES))
def test_pieces(program, by):
    assert check_pieces((PROGRAMS / f"{program}.tex").read_text(), FORMATS[program], by) == IN_PIECES[program, by]


def test_piece():
    layers = spc.kernel("let H(i,f) = relu(sum(j, A(i,j) * X(j,f)))\nO(i,g) = A(i,j) * H(j,g)", A="csr")
    first, second = layers.pieces("i")
    assert (first.made, second.made, second.copies) == (("H",), (), {}) and second.kernel.divisions()["i"].arguments["H"].role == "rows"
    with pytest.raises(spc.CompileError, match="as a number"):
        spc.kernel("y(i) = x(i) * i").pieces("i")


def test_every_program_is_here():
    assert {path.stem for path in PROGRAMS.glob("*.tex")} == set(FORMATS)


def test_table():
    spmm = spc.kernel("C(i,k) = A(i,j) * B(j,k)", A="csr")
    rows = spmm.divisions()["i"]
    assert rows and (rows.arguments["A"].role, rows.arguments["A"].dims, rows.arguments["A"].rows) == ("slice", (0,), (1,))
    assert (rows.arguments["B"].role, rows.arguments["B"].rows) == ("rows", (0,)) and rows.halos == {"j": (("A", 1),)}
    refused = spc.kernel("y(i) = x(i) * i").divisions()["i"]
    assert not refused and "as a number" in refused.refused
