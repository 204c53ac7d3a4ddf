#!/usr/bin/env python3
"""Writes random programs as modules that a front end could have made, and compares what spc makes of them with NumPy.

    random_modules.py SPC FIRST COUNT [--counts]
"""

import collections
import os
import random
import re
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:  # that of the system has it
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

from cases import Case
from modules_test import run
from storages import ENCODINGS

SIZES = [1, 2, 3, 4, 6]
STORED = ["csr", "csc", "dcsr", "coo", "coo_soa", "bsr2x2", "bsc2x2_columns", "compressed_rows", "dcsc", "loose", "loose_rows", "unordered"]
BINARY = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "maximumf": np.maximum, "minimumf": np.minimum}
UNARY = {"arith.negf": np.negative, "math.absf": np.abs, "math.floor": np.floor}
REDUCED = {"addf": (np.add, "0.0"), "maximumf": (np.maximum, "0xFFF0000000000000"), "minimumf": (np.minimum, "0x7FF0000000000000")}


class Value:
    def __init__(self, name, array, dims, encoding=""):
        self.name, self.array, self.dims, self.encoding = name, array, dims, encoding

    @property
    def type(self):
        return f"tensor<{'x'.join([*('?' if dim.dynamic else str(dim.size) for dim in self.dims), 'f64'])}{', #' + self.encoding if self.encoding else ''}>"


class Dim:
    def __init__(self, size, dynamic, place=None):
        self.size, self.dynamic, self.place = size, dynamic, place


class Module:
    def __init__(self, seed, drawn):
        self.random, self.drawn = random.Random(seed), drawn
        self.lines, self.operands, self.values, self.count, self.encodings = [], {}, [], 0, set()
        self.dims = [Dim(self.random.choice(SIZES), self.random.random() < 0.4) for _ in range(3)]
        self.lines.append("  %zero = arith.constant 0.0 : f64")
        for _ in range(self.random.randint(2, 4)):
            self.argument()
        for _ in range(self.random.randint(1, 4)):
            self.random.choice([self.product, self.elementwise, self.elementwise, self.reduction, self.place, self.converted, self.stored, self.transposed])()
        self.result = self.values[-1]

    def draw(self, what):
        self.drawn[what] += 1

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line):
        self.lines.append("  " + line)

    def argument(self):
        dims = [self.random.choice(self.dims) for _ in range(self.random.choice([1, 2, 2, 2]))]
        encoding = self.random.choice(["", *STORED]) if len(dims) == 2 else self.random.choice(["", "vector"])
        if encoding.startswith("bs") and any(dim.size % 2 or dim.dynamic for dim in dims):
            encoding = "csr"
        name = f"A{len(self.operands)}"
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        shape = [dim.size for dim in dims]
        array = np.where(rng.random(shape) < (0.5 if encoding else 1), rng.integers(-4, 5, shape) / 2, 0)
        self.operands[name] = array
        if encoding:
            self.encodings.add(encoding)
        self.draw(f"argument {encoding or 'dense'}")
        value = Value("%" + name, array, dims, encoding)
        self.values.append(value)
        for place, dim in enumerate(dims):
            if dim.dynamic and dim.place is None:
                dim.place = f"%d{self.dims.index(dim)}"
                self.emit(f"%c{self.dims.index(dim)} = arith.constant {place} : index")
                self.emit(f"{dim.place} = tensor.dim {value.name}, %c{self.dims.index(dim)} : {value.type}")

    def pick(self, order=None):
        found = [value for value in self.values if order is None or len(value.dims) == order]
        return self.random.choice(found) if found else None

    def target(self, dims, encoding, start="0.0"):
        """A tensor to write to: without entries, or filled."""
        empty = Value(self.name(), None, dims, encoding)
        sizes = ", ".join(dim.place for dim in dims if dim.dynamic)
        self.emit(f"{empty.name} = tensor.empty({sizes}) : {empty.type}")
        if encoding:
            self.encodings.add(encoding)
            return empty
        filled = Value(self.name(), None, dims)
        self.emit(f"{filled.name}s = arith.constant {start} : f64")
        self.emit(f"{filled.name} = linalg.fill ins({filled.name}s : f64) outs({empty.name} : {empty.type}) -> {filled.type}")
        return filled

    def generic(self, inputs, maps, iterators, target, own, body, array):
        """linalg.generic over loops d0, d1, …; maps: the loops of each input; own: those of the result."""
        loops = ", ".join(f"d{k}" for k in range(len(iterators)))
        texts = [f"affine_map<({loops}) -> ({', '.join(f'd{k}' for k in one)})>" for one in [*maps, own]]
        result = Value(self.name(), array, target.dims, target.encoding)
        arguments = ", ".join([f"%a{k}: f64" for k in range(len(inputs))] + ["%o: f64"])
        ins = f"ins({', '.join(one.name for one in inputs)} : {', '.join(one.type for one in inputs)})"
        iterator_types = ", ".join(f'"{one}"' for one in iterators)
        self.emit(f"{result.name} = linalg.generic {{indexing_maps = [{', '.join(texts)}], iterator_types = [{iterator_types}]}}")
        self.emit(f"    {ins} outs({target.name} : {target.type}) {{\n    ^bb0({arguments}):\n      {body}\n  }} -> {result.type}")
        self.values.append(result)

    def encoding_of_result(self, dims):
        if len(dims) == 2 and self.random.random() < 0.4:
            return self.random.choice(["csr", "csc", "dcsr", "coo_soa"])
        return ""

    def product(self):
        left = self.pick(2)
        right = next((value for value in self.random.sample(self.values, len(self.values))
                      if left and len(value.dims) == 2 and value.dims[0] is left.dims[1]), None)
        if right is None:
            return self.elementwise()
        dims = [left.dims[0], right.dims[1]]
        encoding = self.encoding_of_result(dims) if left.encoding and right.encoding else ""
        target = self.target(dims, encoding)
        self.draw(f"product into {encoding or 'dense'}")
        array = left.array @ right.array
        if self.random.random() < 0.5:
            result = Value(self.name(), array, dims, encoding)
            self.emit(f"{result.name} = linalg.matmul ins({left.name}, {right.name} : {left.type}, {right.type}) outs({target.name} : {target.type}) -> {result.type}")
            self.values.append(result)
        else:
            self.generic([left, right], [[0, 2], [2, 1]], ["parallel", "parallel", "reduction"], target, [0, 1],
                         "%p = arith.mulf %a0, %a1 : f64\n      %s = arith.addf %o, %p : f64\n      linalg.yield %s : f64", array)

    def elementwise(self):
        base = self.pick()
        others = [value for value in self.values if all(dim in base.dims for dim in value.dims) and len(set(map(id, base.dims))) == len(base.dims)]
        inputs = [base, *self.random.sample(others, min(len(others), self.random.randint(0, 2)))]
        loops = range(len(base.dims))
        maps = [[*loops], *([base.dims.index(dim) for dim in value.dims] for value in inputs[1:])]
        arrays = []
        for value, one in zip(inputs, maps):
            if len(set(one)) < len(one):
                return self.elementwise_of(base)
            arrays.append(self.spread(value.array, one, len(base.dims)))
        return self.body(inputs, maps, arrays, base)

    def elementwise_of(self, base):
        return self.body([base], [[*range(len(base.dims))]], [base.array], base)

    @staticmethod
    def spread(array, loops, order):
        """An array along the loops that it has."""
        moved = np.transpose(array, np.argsort(loops)) if len(loops) > 1 else array
        return moved.reshape([array.shape[loops.index(k)] if k in loops else 1 for k in range(order)])

    def body(self, inputs, maps, arrays, base):
        lines, known = [], [(f"%a{k}", array) for k, array in enumerate(arrays)]
        for step in range(self.random.randint(1, 4)):
            kind = self.random.choice(["binary", "binary", "unary", "select", "constant"])
            name = f"%b{step}"
            (one, x), (two, y) = self.random.choice(known), self.random.choice(known)
            self.draw(f"body {kind}")
            if kind == "binary":
                operation = self.random.choice(list(BINARY))
                lines.append(f"{name} = arith.{operation} {one}, {two} : f64")
                known.append((name, BINARY[operation](x, y)))
            elif kind == "unary":
                operation = self.random.choice(list(UNARY))
                lines.append(f"{name} = {operation} {one} : f64")
                known.append((name, UNARY[operation](x)))
            elif kind == "select":
                lines.append(f"{name}c = arith.cmpf olt, {one}, {two} : f64")
                lines.append(f"{name} = arith.select {name}c, {one}, {two} : f64")
                known.append((name, np.where(x < y, x, y)))
            else:
                number = self.random.choice([0.5, -1.0, 2.0])
                lines.append(f"{name} = arith.constant {number} : f64")
                known.append((name, np.float64(number)))
        name, array = known[-1]
        lines.append(f"linalg.yield {name} : f64")
        array = np.broadcast_to(array, [dim.size for dim in base.dims]) + 0.0
        self.draw(f"elementwise of {len(inputs)}")
        self.generic(inputs, maps, ["parallel"] * len(base.dims), self.target(base.dims, ""), [*range(len(base.dims))],
                     "\n      ".join(lines), array)

    def reduction(self):
        value = self.pick(2)
        if value is None:
            return self.elementwise()
        operation = self.random.choice(list(REDUCED))
        function, start = REDUCED[operation]
        kept = self.random.randrange(2)
        self.draw(f"reduction {operation}")
        iterators = ["reduction", "reduction"]
        iterators[kept] = "parallel"
        self.generic([value], [[0, 1]], iterators, self.target([value.dims[kept]], "", start), [kept],
                     f"%s = arith.{operation} %a0, %o : f64\n      linalg.yield %s : f64", function.reduce(value.array, axis=1 - kept))

    def place(self):
        """Of each row or column, the greatest element or the least one and its place, added up."""
        value = self.pick(2)
        if value is None or value.dims[0] is value.dims[1]:
            return self.elementwise()
        kept, greatest, last = self.random.randrange(2), self.random.random() < 0.5, self.random.random() < 0.3
        number = "nnan" if self.random.random() < 0.5 else "none"
        dims = [value.dims[kept]]
        self.draw(f"place of the {'greatest' if greatest else 'least'}, {'last' if last else 'first'}, {number}")
        best = self.target(dims, "", "0xFFF0000000000000" if greatest else "0x7FF0000000000000")
        sizes, places = ", ".join(dim.place for dim in dims if dim.dynamic), best.type.replace("f64", "i64")
        found, what, one, result = self.name(), self.name(), self.name(), self.name()
        test = f"arith.cmpf o{'g' if greatest else 'l'}{'e' if last else 't'}, %a, %o fastmath<{number}> : f64"
        iterators = ["reduction", "reduction"]
        iterators[kept] = "parallel"
        own, one_map = f"affine_map<(d0, d1) -> (d{kept})>", "affine_map<(d0) -> (d0)>"
        self.emit(f"""{what}z = arith.constant 0 : i64
  {what}e = tensor.empty({sizes}) : {places}
  {what} = linalg.fill ins({what}z : i64) outs({what}e : {places}) -> {places}
  {found}:2 = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, {own}, {own}], iterator_types = ["{'", "'.join(iterators)}"]}}
      ins({value.name} : {value.type}) outs({best.name}, {what} : {best.type}, {places}) {{
    ^bb0(%a: f64, %o: f64, %q: i64):
      %j = linalg.index {1 - kept} : index
      %k = arith.index_cast %j : index to i64
      %c = {test}
      %r = arith.{'maximumf' if greatest else 'minimumf'} %a, %o : f64
      %s = arith.select %c, %k, %q : i64
      linalg.yield %r, %s : f64, i64
  }} -> ({best.type}, {places})
  {one} = tensor.empty({sizes}) : {best.type}
  {result} = linalg.generic {{indexing_maps = [{one_map}, {one_map}, {one_map}], iterator_types = ["parallel"]}}
      ins({found}#0, {found}#1 : {best.type}, {places}) outs({one} : {best.type}) {{
    ^bb0(%a: f64, %b: i64, %o: f64):
      %f = arith.sitofp %b : i64 to f64
      %r = arith.addf %a, %f : f64
      linalg.yield %r : f64
  }} -> {best.type}""")
        array = value.array if kept == 0 else value.array.T
        extremes = array.max(1) if greatest else array.min(1)
        hits = [np.flatnonzero(row == extreme) for row, extreme in zip(array, extremes)]
        self.values.append(Value(result, extremes + np.array([hit[-1 if last else 0] for hit in hits]), dims))

    def converted(self):
        value = self.pick(2)
        if value is None:
            return self.elementwise()
        encoding = self.random.choice(["", "csr", "csc", "dcsr", "coo"])
        if encoding == value.encoding:
            return self.elementwise()
        result = Value(self.name(), value.array, value.dims, encoding)
        if encoding:
            self.encodings.add(encoding)
        self.draw(f"conversion to {encoding or 'dense'}")
        self.emit(f"{result.name} = sparse_tensor.convert {value.name} : {value.type} to {result.type}")
        self.values.append(result)

    def stored(self):
        """What is stored is doubled, and one is added to it; nothing else."""
        value = next((one for one in self.values if one.encoding and len(one.dims) == 2), None)
        if value is None:
            return self.elementwise()
        self.draw("sparse_tensor.unary")
        encoding = "csr" if value.encoding.startswith(("bsr", "compressed")) else value.encoding
        # Zeros that a format holds besides would be entries.
        if encoding != value.encoding:
            return self.elementwise()
        body = ("%r = sparse_tensor.unary %a0 : f64 to f64 present = { ^bb0(%x: f64): %y = arith.addf %x, %x : f64\n"
                " sparse_tensor.yield %y : f64 } absent = {}\n      linalg.yield %r : f64")
        self.generic([value], [[0, 1]], ["parallel", "parallel"], self.target(value.dims, encoding), [0, 1], body, 2 * value.array)

    def transposed(self):
        value = self.pick(2)
        if value is None or value.encoding:
            return self.elementwise()
        self.draw("transposition")
        target = self.target(value.dims[::-1], "")
        result = Value(self.name(), value.array.T, target.dims)
        self.emit(f"{result.name} = linalg.transpose ins({value.name} : {value.type}) outs({target.name} : {target.type}) permutation = [1, 0]")
        self.values.append(result)

    def text(self):
        texts = {**ENCODINGS, "vector": "map = (d0) -> (d0 : compressed)"}
        header = "".join(f"#{name} = #sparse_tensor.encoding<{{ {texts[name]} }}>\n" for name in sorted(self.encodings))
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.values[:len(self.operands)])
        body = "\n".join(self.lines)
        return f"{header}func.func @f({arguments}) -> {self.result.type} {{\n{body}\n  return {self.result.name} : {self.result.type}\n}}"


def main():
    spc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    drawn, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            module = Module(seed, drawn)
            text = module.text()
            case = Case(f"seed {seed}", text, module.operands, lambda *_, module=module: module.result.array)
            problem = run(spc, Path(folder), case)
            # Of constants alone, sizes of arguments that nothing reads are all that there is, and some are refused.
            if problem and re.search(r"\[(unsized-variable|mlir-size)\]", problem):
                drawn["refused: sizes of what nothing reads"] += 1
            elif problem:
                wrong += 1
                print(f"seed {seed}: {problem}\n{text}\n", file=sys.stderr)
    print(f"{count} modules, {drawn['refused: sizes of what nothing reads']} refused, {wrong} wrong")
    if "--counts" in sys.argv:
        print("\n".join(f"{number:6} {what}" for what, number in sorted(drawn.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
