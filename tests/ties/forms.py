"""Where elements of statements go, by index arithmetic, scatters and concatenation, and what they are made of."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from constructs import Strided, number
from programs import ORDERED, Access, Index, called, plain
from semirings import Semirings
from ties import Ties


class Placed(Index):
    """A variable behind several sizes."""

    def __init__(self, variable, extents):
        super().__init__([(variable, 1)])
        self.extents = extents

    def value(self, at, program):
        return at[self.terms[0][0]] + sum(program.size(extent) for extent in self.extents)

    def is_plain(self):
        return False

    def __str__(self):
        return " + ".join([self.terms[0][0], *self.extents])


class Form:
    """Where elements go and what they are made of: the indices of a target with its extents, the variables that its
    elements are told apart by, and operands, each of which has some of the variables."""

    def __init__(self, kind, variables, extents, indices, operands, is_total=True):
        self.kind, self.variables, self.extents, self.indices = kind, variables, extents, indices
        self.operands, self.is_total = operands, is_total


class Forms(Semirings):
    extremes = None #: which infinity, or greatest or least integer, the temporary may hold
    is_filled = False #: whether operands have fills, so that the entries of the result are not known here
    path_fill = None #: what missing paths are, in statements of min-plus and max-plus

    def tensor(self, order, like=None):
        name = self.temporary
        if like and name and not self.extremes and self.shapes[name] == like and self.random.random() < 0.7:
            self.draw("an earlier result")
            return name
        return Ties.tensor(self, order, like) if self.extremes else super().tensor(order, like)

    def elements(self, variables, sums_up=False):
        if not self.extremes:
            return super().elements(variables, sums_up)
        access = Access(self.temporary, plain(*["i", "j"][:len(self.shapes[self.temporary])]))
        return str(access), lambda at: access.value(at, self)

    def with_fill(self, variables, fill):
        """An operand of one access whose missing entries are `fill`."""
        self.is_filled = True
        self.draw("fill " + fill)
        name = Ties.tensor(self, len(variables), [self.extent_of[one] for one in variables])
        self.constants.discard(name)
        self.fills[name] = fill
        self.hidden.add(name)
        formats = ["csr", "csc", "coo", "dcsr", "csr-unsorted", "coo-dup"] if len(variables) == 2 else ["sparse-vector"]
        self.formats[name] = self.random.choice(formats)
        values = self.arrays[name]
        values[np.array([self.random.random() < 0.4 for _ in range(values.size)], bool).reshape(values.shape)] = self.missing(name)
        return Access(name, plain(*variables))

    def operand(self, variables):
        """Of numbers; with a fill in some programs."""
        name, extents = self.temporary, [self.extent_of[one] for one in variables]
        if self.path_fill:
            if name and self.shapes[name] == extents:
                return Access(name, plain(*variables))
            return self.with_fill(variables, self.path_fill)
        if self.random.random() < 0.12:
            return self.with_fill(variables, "true" if self.number == "bool" else self.random.choice(["1", "2", "-1"]))
        return self.of(variables)

    # Where elements go

    def form(self):
        """Of a first statement, or of one that reads the temporary."""
        kinds = ["plain", "scatter", "kronecker", "kronecker", "reshape", "reshape"]
        inner = self.random.choice("np")
        self.extent_of = {"i": "m", "j": "n", "r": "p", "s": inner, "t": self.random.choice("np")}
        variables = ["i", "j"] if self.random.random() < 0.7 else ["i"]
        if self.temporary:
            extents = self.shapes[self.temporary]
            variables = ["i", "j"][:len(extents)]
            self.extent_of.update(zip(variables, extents))
            if any("+" in extent for extent in extents):
                kinds = ["plain", "scatter"]
            elif "*" in extents[-1]:
                kinds = ["plain", "scatter", "kronecker"]
        kind = self.random.choice(kinds)
        own = [self.extent_of[name] for name in variables]
        if kind == "kronecker":
            self.draw("Kronecker of vectors" if len(variables) == 1 else "Kronecker of matrices")
            others = ["r", "s"][:len(variables)]
            return Form(kind, variables + others, [f"{one}*{self.extent_of[other]}" for one, other in zip(own, others)],
                        [Strided(one, self.extent_of[other], other) for one, other in zip(variables, others)],
                        [self.operand(variables), self.operand(others)])
        if kind == "reshape" and len(variables) == 2:
            self.draw("reshape to a vector")
            return Form(kind, variables, [f"{own[0]}*{own[1]}"], [Strided("i", own[1], "j")], [self.operand(variables)])
        if kind == "reshape":
            extents = self.random.choice([["m", "n"], ["n", "p"]])
            self.extent_of.update(zip("ij", extents))
            self.draw("reshape to a matrix")
            whole = Access(self.tensor(1, [f"{extents[0]}*{extents[1]}"]), [Strided("i", extents[1], "j")])
            return Form(kind, ["i", "j"], extents, plain("i", "j"), [whole])
        if kind == "scatter":
            self.draw("scatter")
            indices = [self.target_index(extent, name, variables) for extent, name in zip(own, variables)]
            return Form(kind, variables, own, indices, [self.operand(variables)], False)
        self.draw("elementwise")
        return Form(kind, variables, own, plain(*variables), [self.operand(variables)])

    # What elements are

    def truth(self, variables):
        if self.number in ORDERED:
            return super().truth(variables)
        left, right = self.random.choice(variables), self.of([self.random.choice(variables)])
        self.draw("where by entries")
        if self.number == "bool":
            return f"{right} or {left} < 1", lambda at: bool(number(right.value(at, self))) or at[left] < 1
        return f"real({right}) > {left}", lambda at: number(right.value(at, self)).real > at[left]

    def changed(self, text, value, variables):
        """A product, or what makes one of it: masks, conditions, functions, other factors."""
        for _ in range(self.random.choice([0, 1, 1, 2])):
            kind = self.random.choice(["factor", "mask", "where", "function"])
            if kind in ("factor", "mask"):
                factor, other = (self.factor if kind == "factor" else self.condition)(variables)
                text, value = f"{text} * {factor}", lambda at, value=value, other=other: self.product([value(at), other(at)])
            elif kind == "where":
                # Of operands with fills it is taken around one of them, as that is missing then, a number.
                fill = next((self.missing(name) for name in self.fills if text.startswith(name) and "*" not in text), None)
                if fill is None and self.is_filled:
                    continue
                condition, holds = self.truth(variables)
                self.draw("where around a product")
                text, value = (f"where({condition}, {text})",
                               lambda at, value=value, holds=holds, fill=fill: value(at) if holds(at) else fill)
            else:
                self.lists_entries = False
                form, function = self.random.choice(
                    [("(not ({}))", lambda x: not x)] if self.number == "bool" else
                    [("conj({})", np.conj), ("({} + 1)", lambda x: x + 1)] if self.number == "cf64" else
                    [("abs({})", abs), ("max({}, 1)", lambda x: max(x, 1)), ("({} + 1)", lambda x: x + 1)])
                self.draw("function of a product")
                text, value = form.format(text), lambda at, value=value, function=function: called(function, value(at))
        return text, value

    def element(self, form, others=()):
        accesses = [*form.operands, *others]
        return self.changed(" * ".join(map(str, accesses)), lambda at: self.product(one.value(at, self) for one in accesses),
                            form.variables)

    # Statements

    def into(self, form, op, right, fill=None):
        self.kind = f"{form.kind} {op}"
        self.target(form.extents, form.indices, op, right)
        if fill and self.formats["Y"] != "dense":
            self.fills["Y"] = fill

    def has_entry(self, access, value):
        return value is not None and not (access.tensor in self.fills and value == self.missing(access.tensor))

    def accumulate(self, form, combine, value, missing=0, pieces=None):
        """What Y becomes of what it held and the elements of one or several statements."""
        shape = [self.size(extent) for extent in form.extents]
        self.arrays["Y"] = self.numbers(shape)
        if self.formats["Y"] != "dense" or missing:
            self.arrays["Y"][np.array([self.random.random() < 0.4 for _ in range(int(np.prod(shape)))], bool).reshape(shape)] = missing
        self.result, self.entries = self.arrays["Y"].copy(), None
        for variables, extents, indices, one in pieces or [(form.variables, {}, form.indices, value)]:
            self.extent_of = {**self.extent_of, **extents}
            self.is_valid = self.is_valid and self.is_inside(indices, shape)
            for at in self.points(variables) if self.is_valid else []:
                place = tuple(index.value(at, self) for index in indices)
                self.result[place] = combine(self.result[place], number(one(at)))
