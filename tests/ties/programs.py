"""A program of index equations: its operands, their values point by point, and how it is run."""
# SPDX-License-Identifier: Apache-2.0

import itertools
import os
import random
import re
import subprocess

import numpy as np

np.seterr(over="ignore", invalid="ignore") # Integers wrap around, as they do in kernels.

FORMATS = {1: ["sparse-vector", "dense"],
           2: ["csr", "csc", "coo", "dcsr", "bsr", "ell", "dia", "coo-dup", "hyb", "csr-unsorted", "dense"]}
#: Those in which a 0 may be padding, which is an entry in products alone.
PADDED = {"bsr", "ell", "dia"}
RESULTS = {0: ["dense"], 1: ["dense", "sparse-vector"], 2: ["dense", "csr", "csc", "coo", "dcsr"]}
#: The place of nothing.
NOWHERE = 2**63 - 1


#: Freed memory is overwritten, so that what reads it fails each time.
CHECKED = {"SPC_VERIFY_PLANS": "1", "MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}

#: The types of values: those of NumPy.
NUMBERS = {"f64": np.float64, "f32": np.float32, "i32": np.int32, "i64": np.int64, "bool": np.bool_, "cf64": np.complex128}
FLOATS, ORDERED = ["f64", "f32"], ["f64", "f32", "i32", "i64"]


def literal(value):
    """Numbers as constants are written."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value.real}{value.imag:+}i" if isinstance(value, complex) else str(value)


def called(function, *values):
    """A function of numbers, of which those that miss are 0; where that makes a 0 it is missing as well."""
    result = function(*[0.0 if value is None else value for value in values])
    return None if result == 0 and all(value is None for value in values) else result


class Index:
    """A sum of multiples: of variables, of the scalar k, of the size of a dimension; or what a tensor holds."""

    def __init__(self, terms=(), constant=0, scalar=0, size=None, times=0, held=None):
        self.terms, self.constant, self.scalar = list(terms), constant, scalar
        self.size, self.times, self.held = size, times, held

    def value(self, at, program):
        if self.held:
            return program.held[self.held[0]][at[self.held[1]]]
        return (sum(scale * at[name] for name, scale in self.terms) + self.constant + self.scalar * program.k +
                self.times * (program.size(self.size) if self.size else 0))

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


def plain(*variables):
    return [Index([(variable, 1)]) for variable in variables]


class Access:
    def __init__(self, tensor, indices, padded=False):
        self.tensor, self.indices, self.padded = tensor, indices, padded

    def value(self, at, program):
        """None where the tensor stores nothing."""
        place = tuple(index.value(at, program) for index in self.indices)
        array = program.arrays[self.tensor]
        if any(not 0 <= coordinate < size for coordinate, size in zip(place, array.shape)):
            if not self.padded:
                raise IndexError
            return None
        is_number = array[place] != 0 or program.formats[self.tensor] == "dense" or self.tensor in program.fills
        return array[place] if is_number else None

    def __str__(self):
        text = f"{self.tensor}({', '.join(map(str, self.indices))})"
        return f"padded({text})" if self.padded else text


class Program:
    """`counts`: how many of each construct were drawn. Statements are made by what inherits this: `text`, `result`,
    `is_valid`, and, where the entries of the result are known, `entries`."""

    def __init__(self, seed, counts):
        self.random, self.counts = random.Random(seed), counts
        self.k = self.random.randrange(0, 3)
        self.sizes = {name: self.random.choice([0, 1, 2, 3, 3, 4, 5, 6]) for name in "mn"}
        self.sizes["p"] = self.random.choice([1, 2, 3])
        self.shapes, self.arrays, self.held, self.formats, self.constants = {}, {}, {}, {}, set()
        self.extent_of = {"i": "m", "j": "n", "r": "p"}
        #: What operands and, but where a statement says otherwise, results hold.
        self.number = self.random.choice(["f64"] * 5 + ["f32", "i32", "i64", "bool", "cf64"])
        self.draw("values of " + self.number)
        self.has_infinities = self.number in FLOATS and self.random.random() < 0.25
        self.fills, self.hidden = {}, set() #: what missing entries are, and what is an operand of one access alone
        self.computed, self.stored_as = set(), {} #: what statements before the last one make, and formats that these have
        self.type, self.is_valid, self.entries, self.text = self.number, True, None, ""
        self.moves_factors = self.rounds = False
        self.make_statement()

    def draw(self, what):
        self.counts[what] += 1
        return what

    def size(self, extent):
        return eval(extent, {}, self.sizes)

    def product(self, values):
        """Of factors, of which None is a missing entry; a mask that is false makes a 0 of all numbers, also of those around."""
        values, number = list(values), NUMBERS[self.number]
        if any(value is None for value in values):
            return None
        if any(value is False for value in values):
            return False
        with np.errstate(invalid="ignore"):
            return number(np.prod(np.array(values, number)))

    def result_format(self, order):
        """Lists of coordinates in text hold no complex numbers."""
        return self.random.choice(RESULTS[order] if order == 2 or self.type != "cf64" else ["dense"])

    def numbers_of(self, shape, first, last):
        return np.array([self.random.randrange(first, last) for _ in range(int(np.prod(shape)))], int).reshape(shape)

    def numbers(self, shape):
        values = self.numbers_of(shape, -3, 4)
        if self.number == "cf64":
            values = values + 1j * self.numbers_of(shape, -1, 2)
        values = values.astype(NUMBERS[self.number])
        if self.has_infinities and values.size and self.random.random() < 0.5:
            self.draw("infinity")
            values.flat[self.random.randrange(values.size)] = self.random.choice([np.inf, -np.inf])
        return values

    def tensor(self, order, like=None):
        """A new operand, or one that there is."""
        known = [name for name, extents in self.shapes.items() if len(extents) == order and name[0] in "AB" and name not in self.hidden]
        if known and not like and self.random.random() < 0.3:
            return self.random.choice(known)
        name = "AB"[self.random.randrange(2)] + str(len(self.shapes))
        self.shapes[name] = like or [self.random.choice("mn") for _ in range(order)]
        shape = [self.size(extent) for extent in self.shapes[name]]
        values = self.numbers(shape)
        self.formats[name] = self.random.choice([one for one in FORMATS[order] if not self.has_infinities or one not in PADDED])
        if self.formats[name] != "dense":
            values[np.array([self.random.random() < 0.5 for _ in range(values.size)], bool).reshape(shape)] = 0
        self.arrays[name] = values
        if values.size and self.random.random() < 0.12:
            self.draw("constant of the object, " + self.formats[name])
            self.constants.add(name)
        return name

    def index_tensor(self, variable, below):
        name = f"h{len(self.held)}"
        self.held[name] = [self.random.randrange(below) for _ in range(self.size(self.extent_of[variable]))]
        self.shapes[name] = [self.extent_of[variable]]
        if self.held[name] and self.random.random() < 0.15:
            self.draw("constant of the object, index tensor")
            self.constants.add(name)
        return name

    def index(self, extent, variables):
        size, variable = self.size(extent), self.random.choice(variables)
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
        name = self.tensor(order or self.random.choice([1, 2, 2, 2]))
        indices = [self.index(extent, variables) for extent in self.shapes[name]]
        access = Access(name, indices)
        # A plain index makes its variable run over the dimension, and a window that begins before it is refused.
        is_wrong = any(index.is_plain() and self.extent_of[index.terms[0][0]] != extent or
                       index.is_window() and index.constant < 0 for index, extent in zip(indices, self.shapes[name]))
        if is_wrong or not self.is_inside(indices, self.arrays[name].shape) or self.random.random() < 0.2:
            access.padded = True
            self.draw("padded")
        return access

    def points(self, variables):
        return (dict(zip(variables, point))
                for point in itertools.product(*[range(self.size(self.extent_of[name])) for name in variables]))

    def is_inside(self, indices, sizes):
        """Whether each index, by itself, stays inside of its dimension."""
        for index, size in zip(indices, sizes):
            own = [index.held[1]] if index.held else list(dict.fromkeys(name for name, _ in index.terms))
            if any(not 0 <= index.value(at, self) < size for at in self.points(own)):
                return False
        return True

    def anchors(self, variables):
        """A factor for each variable, in which it indexes something alone."""
        accesses = [Access(self.tensor(1, [self.extent_of[name]]), plain(name)) for name in variables]
        return [(str(access), lambda at, access=access: access.value(at, self)) for access in accesses]

    def declaration(self, name):
        head = f"{name}({', '.join(self.shapes[name])})" if self.shapes[name] else name
        kind = "i64" if name in self.held else self.type if name == "Y" else self.number
        if name not in self.constants:
            fill = f", sparse, fill {self.fills[name]}" if name in self.fills else ""
            return f"tensor {head}: {kind}{fill}"
        values = np.array(self.held[name]) if name in self.held else self.arrays[name]
        return f"const {head}: {kind} = {literal(values.tolist())}"

    def source(self):
        lines = [self.declaration(name) for name in self.shapes if re.search(rf"\b{name}\b", self.text)]
        if re.search(r"\bk\b", self.text):
            lines.append("tensor k: i64")
        # Sizes that only names in indices have.
        lines += [f"tensor W{extent}({extent})" for extent in self.sizes]
        uses = " + ".join(f"sum({extent}_, W{extent}({extent}_))" for extent in self.sizes)
        return "\n".join(lines + [self.text, f"unused = {uses}"]) + "\n"

    def file(self):
        return "Y.npy" if self.formats["Y"] == "dense" else "Y.tns" if len(self.shapes["Y"]) == 1 else "Y.mtx"

    def read(self, path):
        """The values and where entries are stored."""
        if path.endswith(".npy"):
            values = np.load(path)
            return values, np.ones(values.shape, bool)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith(("%", "#"))]
        missing = re.search("missing entries are (.*)", text)
        shape = [self.size(extent) for extent in self.shapes["Y"]]
        number = {"cf64": complex, "f64": float, "f32": float}.get(self.type, int)
        fill = missing[1] == "true" if missing and self.type == "bool" else number(missing[1]) if missing else 0
        result = np.full(shape, fill, NUMBERS[self.type])
        stored = np.zeros(shape, bool)
        for line in lines[1:] if path.endswith(".mtx") else lines:
            place = tuple(int(coordinate) - 1 for coordinate in line[:len(shape)])
            if stored[place]:
                raise ValueError(f"{place} is stored twice")
            result[place] = number(*map(float if number is complex else number, line[len(shape):]))
            stored[place] = True
        return result, stored

    def arguments(self, folder):
        for extent, size in self.sizes.items():
            np.save(os.path.join(folder, f"W{extent}.npy"), np.zeros(size))
            yield f"W{extent}=W{extent}.npy"
        for name in self.shapes:
            is_used = re.search(rf"\b{name}\b", self.text)
            format_of = self.stored_as if name in self.computed else self.formats
            if is_used and name in format_of and self.shapes[name]:
                yield from ["--format", f"{name}={format_of[name]}"]
            if not is_used or name in self.constants | self.computed or (name == "Y" and "Y" not in self.arrays):
                continue
            array = np.array(self.held[name], np.int64) if name in self.held else self.arrays[name]
            if name in self.fills:
                yield f"{name}={self.write_entries(name, array, folder)}"
                continue
            np.save(os.path.join(folder, f"{name}_in.npy"), array)
            yield f"{name}={name}_in.npy"
        if "tensor k" in self.source():
            yield f"k={self.k}"

    def write_entries(self, name, array, folder):
        """What differs from what missing entries are, and the name of the file."""
        places = [place for place in np.ndindex(array.shape) if array[place] != self.missing(name)]
        kind = {"f64": "real", "f32": "real", "cf64": "complex"}.get(self.number, "integer")
        columns = array.shape[1] if array.ndim == 2 else 1
        lines = [f"%%MatrixMarket matrix coordinate {kind} general", f"{array.shape[0]} {columns} {len(places)}"]
        for place in places:
            value = array[place]
            lines.append(f"{place[0] + 1} {place[1] + 1 if array.ndim == 2 else 1} " +
                         (f"{value.real} {value.imag}" if kind == "complex" else f"{value:d}" if kind == "integer" else str(value)))
        file = name + "_in.mtx"
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        return file

    def missing(self, name):
        """What missing entries of a tensor are; an infinity of integers is their greatest or least number."""
        if self.number == "bool":
            return np.bool_(name in self.fills)
        fill = float(self.fills.get(name, 0))
        if self.number in FLOATS or np.isfinite(fill):
            return NUMBERS[self.number](fill)
        return getattr(np.iinfo(NUMBERS[self.number]), "max" if fill > 0 else "min")

    def is_expected(self, result):
        if result.shape == self.result.shape and self.rounds:
            return np.allclose(result, self.result)
        if result.shape != self.result.shape or self.type not in FLOATS:
            return np.array_equal(result, self.result)
        if self.moves_factors:
            finite = np.isfinite(self.result)
            return np.array_equal(finite, np.isfinite(result)) and np.array_equal(result[finite], self.result[finite])
        return np.array_equal(result, self.result, equal_nan=True)

    def run(self, spc, folder):
        """What is wrong; an empty string where nothing is, None where spc refuses the program."""
        with open(os.path.join(folder, "k.tex"), "w", encoding="utf-8") as file:
            file.write(self.source())
        arguments = [spc, "run", "k.tex", "-q", "--check", "-O0", "-o", f"Y={self.file()}", "-Wno-asymptotic"]
        done = subprocess.run([*arguments, *self.arguments(folder)], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, **CHECKED})
        if done.returncode not in (0, 1):
            return f"exits with {done.returncode}\n{done.stderr}"
        if done.returncode == 1:
            self.refusal = re.findall(r"(?:error: ).*", done.stderr)[-1]
            return (None if not self.is_valid or "[kernel-status]" not in done.stderr and "[wrong-result]" not in done.stderr
                    else done.stderr)
        if not self.is_valid:
            return "an index outside was not found"
        result, stored = self.read(os.path.join(folder, self.file()))
        if not self.is_expected(result):
            return f"{result}\nis wrong:\n{self.result}"
        if self.entries is None or self.formats["Y"] == "dense":
            return ""
        self.draw("entries compared")
        return "" if np.array_equal(stored, self.entries) else f"{stored}\nare the wrong entries:\n{self.entries}"
