"""Random programs of index equations: windows, shifts, gathers, scatters, conditions on indices. Each is evaluated here,
point by point, compiled and run, and compared with what `spc run --check` makes of its text.

    random_programs.py SPC FIRST COUNT [--counts]    exits with 1 where a result is wrong
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ModuleNotFoundError: # the system's interpreter may have it
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

FORMATS = {1: ["sparse-vector", "dense"],
           2: ["csr", "csc", "coo", "dcsr", "bsr", "ell", "dia", "coo-dup", "hyb", "csr-unsorted", "dense"]}
RESULTS = {1: ["dense"], 2: ["dense", "csr", "csc", "coo", "dcsr"]}


class Index:
    """A sum of multiples: of variables, of the scalar k, of the size of the dimension; or what a tensor holds."""

    def __init__(self, terms=(), constant=0, scalar=0, size=None, times=0, held=None):
        self.terms, self.constant, self.scalar = list(terms), constant, scalar
        self.size, self.times, self.held = size, times, held

    def value(self, at, program):
        if self.held:
            return program.held[self.held[0]][at[self.held[1]]]
        return (sum(scale * at[name] for name, scale in self.terms) + self.constant + self.scalar * program.k +
                self.times * (program.sizes[self.size] if self.size else 0))

    def is_window(self):
        return not self.held and not self.scalar and not self.times and all(scale > 0 for _, scale in self.terms)

    def is_plain(self):
        return self.is_window() and not self.constant and len(self.terms) == 1 and self.terms[0][1] == 1

    def __str__(self):
        if self.held:
            return f"{self.held[0]}({self.held[1]})"
        parts = [(scale, name) for name, scale in self.terms]
        parts += [(self.times, self.size)] if self.times else []
        parts += [(self.scalar, "k")] if self.scalar else []
        text = ""
        for scale, name in sorted(parts, key=lambda part: part[0] < 0):
            sign = "-" if scale < 0 else "+" if text else ""
            text += f" {sign} " if text else sign
            text += name if abs(scale) == 1 else f"{abs(scale)}*{name}"
        if self.constant or not text:
            text += (" - " if self.constant < 0 else " + ") + str(abs(self.constant)) if text else str(self.constant)
        return text


class Access:
    def __init__(self, tensor, indices, padded):
        self.tensor, self.indices, self.padded = tensor, indices, padded

    def value(self, at, program):
        place = tuple(index.value(at, program) for index in self.indices)
        array = program.arrays[self.tensor]
        if any(not 0 <= coordinate < size for coordinate, size in zip(place, array.shape)):
            if not self.padded:
                raise IndexError
            return 0
        return array[place]

    def __str__(self):
        text = f"{self.tensor}({', '.join(map(str, self.indices))})"
        return f"padded({text})" if self.padded else text


class Program:
    """`counts`: how many of each construct were drawn."""

    def __init__(self, seed, counts):
        self.random, self.counts = random.Random(seed), counts
        self.k = self.random.randrange(0, 3)
        self.sizes = {name: self.random.choice([0, 1, 2, 3, 3, 4, 5, 6]) for name in "mn"}
        self.sizes["p"] = self.random.choice([1, 2, 3])
        self.shapes, self.arrays, self.held, self.formats = {}, {}, {}, {}
        self.extent_of = {"i": "m", "j": "n", "r": "p"}
        self.make_statement()

    def draw(self, what):
        self.counts[what] += 1
        return what

    def tensor(self, order, like=None):
        """A new operand, or one that there is."""
        known = [name for name, extents in self.shapes.items() if len(extents) == order and name[0] in "AB"]
        if known and self.random.random() < 0.3:
            return self.random.choice(known)
        name = "AB"[self.random.randrange(2)] + str(len(self.shapes))
        self.shapes[name] = like or [self.random.choice("mn") for _ in range(order)]
        shape = [self.sizes[extent] for extent in self.shapes[name]]
        values = np.array([self.random.randrange(-3, 4) for _ in range(int(np.prod(shape)))], float).reshape(shape)
        self.formats[name] = self.random.choice(FORMATS[order])
        if self.formats[name] != "dense":
            values[np.array([self.random.random() < 0.5 for _ in range(values.size)], bool).reshape(shape)] = 0
        self.arrays[name] = values
        return name

    def index_tensor(self, variable, below):
        name = f"h{len(self.held)}"
        self.held[name] = [self.random.randrange(below) for _ in range(self.sizes[self.extent_of[variable]])]
        self.shapes[name] = [self.extent_of[variable]]
        return name

    def index(self, extent, variables):
        size, variable = self.sizes[extent], self.random.choice(variables)
        kind = self.random.randrange(8)
        if kind == 0 and size:
            self.draw("held")
            return Index(held=(self.index_tensor(variable, size), variable))
        if kind == 1:
            self.draw("reversed")
            return Index([(variable, -1)], -1, size=extent, times=1)
        if kind == 2:
            self.draw("scalar")
            return Index([(variable, 1)], self.random.randrange(-1, 2), scalar=self.random.choice([1, -1, 2]))
        if kind == 3:
            self.draw("constant")
            return Index([], self.random.randrange(0, 3))
        if kind == 4:
            self.draw("two variables")
            other = self.random.choice(variables)
            return Index([(variable, 1)] if other == variable else
                         [(variable, self.random.choice([1, 1, 2])), (other, self.random.choice([1, 1, -1]))],
                         self.random.randrange(-2, 2))
        if kind == 5:
            self.draw("scaled")
            return Index([(variable, self.random.choice([2, 3, -1]))], self.random.randrange(-1, 3))
        fitting = [name for name in variables if self.extent_of[name] == extent]
        self.draw("plain")
        return Index([(self.random.choice(fitting or variables), 1)])

    def access(self, variables, order=None):
        order = order or self.random.choice([1, 2, 2, 2])
        name = self.tensor(order)
        indices = [self.index(extent, variables) for extent in self.shapes[name]]
        access = Access(name, indices, False)
        # A plain index makes its variable run over the dimension, and a window that begins before it is refused.
        is_wrong = any(index.is_plain() and self.extent_of[index.terms[0][0]] != extent or
                       index.is_window() and index.constant < 0 for index, extent in zip(indices, self.shapes[name]))
        if is_wrong or not self.is_inside(indices, self.arrays[name].shape) or self.random.random() < 0.2:
            access.padded = True
            self.draw("padded")
        return access

    def points(self, variables):
        return (dict(zip(variables, point))
                for point in itertools.product(*[range(self.sizes[self.extent_of[name]]) for name in variables]))

    def is_inside(self, indices, sizes):
        """Whether each index, by itself, stays inside of its dimension."""
        for index, size in zip(indices, sizes):
            own = [index.held[1]] if index.held else list(dict.fromkeys(name for name, _ in index.terms))
            if any(not 0 <= index.value(at, self) < size for at in self.points(own)):
                return False
        return True

    def condition(self, variables):
        left, right = self.random.choice(variables), self.random.choice(variables)
        shift, op = self.random.randrange(-1, 2), self.random.choice(["==", "==", "<=", ">", "!="])
        self.draw("condition " + op)
        text = f"({left} {op} {right}{f' {shift:+d}'.replace('+', '+ ').replace('-', '- ') if shift else ''})"
        return text, lambda at: eval(f"a {op} b", {}, {"a": at[left], "b": at[right] + shift})

    def factor(self, variables):
        if len(variables) > 1 and self.random.random() < 0.2:
            return self.condition(variables)
        access = self.access(variables)
        if self.random.random() < 0.15:
            self.draw("function")
            text, function = self.random.choice([("abs({})", abs), ("max({}, 1)", lambda x: max(x, 1)),
                                                 ("({} + 1)", lambda x: x + 1)])
            return text.format(access), lambda at: function(access.value(at, self))
        return str(access), lambda at: access.value(at, self)

    def term(self, targets):
        """A product, with what sums run over indexing something alone."""
        variables = targets + (["r"] if self.random.random() < 0.4 or not targets else [])
        factors = [self.factor(variables) for _ in range(self.random.choice([1, 2, 2, 3]))]
        anchors = [name for name in variables if name not in self.anchored]
        for name in anchors:
            vector = self.tensor(1, [self.extent_of[name]])
            if self.shapes[vector] != [self.extent_of[name]]:
                return self.term(targets)
            access = Access(vector, [Index([(name, 1)])], False)
            factors.append((str(access), lambda at, access=access: access.value(at, self)))
        sums = [name for name in variables if name not in targets]
        return " * ".join(text for text, _ in factors), sums, [value for _, value in factors]

    def make_statement(self):
        targets = self.random.choice([["i"], ["i", "j"], ["i", "j"]])
        is_scatter = self.random.random() < 0.3
        #: Variables of the target run over its dimensions; those of scatters index operands alone.
        self.anchored = [] if is_scatter else targets
        terms = [self.term(targets) for _ in range(1 if is_scatter else self.random.choice([1, 1, 2]))]
        self.shapes["Y"] = [self.extent_of[name] for name in targets]
        indices, op = [Index([(name, 1)]) for name in targets], "="
        if is_scatter:
            self.draw("scatter")
            indices = [self.target_index(extent, name, targets) for extent, name in zip(self.shapes["Y"], targets)]
            op = "+=" if self.random.random() < 0.3 else "="
        shape = [self.sizes[extent] for extent in self.shapes["Y"]]
        self.formats["Y"] = self.random.choice(RESULTS[len(targets)])
        result = np.zeros(shape)
        if op == "+=":
            self.arrays["Y"] = np.array([self.random.randrange(-3, 4) for _ in range(result.size)], float).reshape(shape)
            result = self.arrays["Y"].copy()
        self.text = f"Y({', '.join(map(str, indices))}) {op} " + " + ".join(text for text, _, _ in terms)
        self.is_valid = self.is_inside(indices, shape) and not (op == "=" and any(
            index.held and len(set(self.held[index.held[0]])) < len(self.held[index.held[0]]) for index in indices))
        for _, sums, factors in terms:
            for at in self.points(targets + sums):
                place = tuple(index.value(at, self) for index in indices)
                if self.is_valid:
                    result[place] += np.prod([float(factor(at)) for factor in factors])
        self.result = result

    def target_index(self, extent, variable, targets):
        kind, size = self.random.randrange(4), self.sizes[extent]
        if kind == 0 and size:
            return Index(held=(self.index_tensor(variable, size), variable))
        if kind == 1:
            return Index([(variable, -1)], -1, size=extent, times=1)
        if kind == 2:
            return Index([(variable, 1)], 0, scalar=self.random.choice([0, 1]))
        other = [name for name in targets if name != variable]
        return Index([(variable, 1)] + ([(other[0], 1)] if other else []), 0)

    def source(self):
        lines = []
        for name, extents in self.shapes.items():
            if name + "(" in self.text:
                lines.append(f"tensor {name}({', '.join(extents)})" + (": i64" if name in self.held else ""))
        if re.search(r"\bk\b", self.text):
            lines.append("tensor k: i64")
        # Sizes that only names in indices have.
        lines += [f"tensor W{extent}({extent})" for extent in "mnp"]
        uses = " + ".join(f"sum({extent}_, W{extent}({extent}_))" for extent in "mnp")
        return "\n".join(lines + [self.text, f"unused = {uses}"]) + "\n"

    def file(self):
        return "Y.npy" if self.formats["Y"] == "dense" else "Y.mtx"

    def read(self, path):
        if path.endswith(".npy"):
            return np.load(path)
        with open(path, encoding="utf-8") as file:
            lines = [line.split() for line in file if not line.startswith("%")]
        result = np.zeros([int(size) for size in lines[0][:2]])
        for row, column, value in lines[1:]:
            result[int(row) - 1, int(column) - 1] += float(value)
        return result

    def run(self, spc, folder):
        """What is wrong; an empty string where nothing is, None where spc refuses the program."""
        with open(os.path.join(folder, "k.tex"), "w", encoding="utf-8") as file:
            file.write(self.source())
        arguments = [spc, "run", "k.tex", "-q", "--check", "-O0", "-o", f"Y={self.file()}", "-Wno-asymptotic"]
        for extent in "mnp":
            np.save(os.path.join(folder, f"W{extent}.npy"), np.zeros(self.sizes[extent]))
            arguments.append(f"W{extent}=W{extent}.npy")
        for name in self.shapes:
            if name + "(" not in self.text or (name == "Y" and "Y" not in self.arrays):
                continue
            array = np.array(self.held[name], np.int64) if name in self.held else self.arrays[name]
            np.save(os.path.join(folder, f"{name}_in.npy"), array)
            arguments.append(f"{name}={name}_in.npy")
        for name, form in self.formats.items():
            if name == "Y" or name + "(" in self.text:
                arguments += ["--format", f"{name}={form}"]
        if "tensor k" in self.source():
            arguments.append(f"k={self.k}")
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, env={**os.environ, "SPC_VERIFY_PLANS": "1"})
        if done.returncode not in (0, 1):
            return f"exits with {done.returncode}\n{done.stderr}"
        if done.returncode == 1:
            self.refusal = re.findall(r"(?:error: ).*", done.stderr)[-1]
            return (None if not self.is_valid or "[kernel-status]" not in done.stderr and "[wrong-result]" not in done.stderr
                    else done.stderr)
        if not self.is_valid:
            return "an index outside was not found"
        result = self.read(os.path.join(folder, self.file()))
        return "" if result.shape == self.result.shape and np.array_equal(result, self.result) else f"{result}\nis wrong:\n{self.result}"


def main():
    spc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    drawn, outcomes, refusals = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            program = Program(seed, drawn)
            wrong = program.run(os.path.abspath(spc), folder)
            if wrong is None:
                refusals[re.sub(r"'[^']*'", "'..'", program.refusal)] += 1
            outcomes["refused" if wrong is None else "wrong" if wrong else "right"] += 1
            if wrong:
                print(f"seed {seed}: {wrong}\n{program.source()}\n{program.formats} {program.sizes} k={program.k}\n")
    print(", ".join(f"{number} {what}" for what, number in outcomes.items()))
    if "--counts" in sys.argv:
        print("\n".join(f"{number:6} {what}" for what, number in [*sorted(drawn.items()), *refusals.items()]))
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
