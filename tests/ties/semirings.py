"""Reductions other than sums, semirings, operands with fills, and statements that read what earlier ones have computed."""
# SPDX-License-Identifier: Apache-2.0

import math

import numpy as np

from constructs import COMPARE, Construct, number
from programs import FLOATS, NUMBERS, ORDERED, RESULTS, Access, plain
from ties import Ties


class Semirings(Construct):
    """Statements in which missing entries are numbers as any other, so that entries of results are not compared."""
    statements = None #: before the last one
    temporary = None #: what one of them computes

    def make_statement(self):
        self.has_infinities = False
        ordered = [self.reduction, self.reduction, self.tropical, self.tropical, self.tropical, self.filled]
        make = self.random.choice([self.sequence, self.sequence, self.sequence, *(ordered if self.number in ORDERED else []),
                                   *([self.truths] if self.number != "cf64" else [])])
        self.draw(make.__name__)
        make()
        self.entries = None

    def loops(self):
        return self.random.choice([(["i"], ["j"]), (["i"], ["j", "r"]), (["i", "j"], ["r"]), ([], ["i", "j"])])

    def points_of(self, targets, sums):
        """Places of the result, and for each the points that are reduced."""
        for at in self.points(targets):
            yield tuple(at[name] for name in targets), at, [{**at, **inner} for inner in self.points(sums)]

    def reduction(self):
        self.reduction_of(*self.loops())

    def reduction_of(self, targets, sums):
        word = self.random.choice(["min", "max", "prod", "sum", "mean"] if self.number == "f64" else ["min", "max", "sum"])
        text, value = self.elements(targets + sums)
        if word == "prod":
            text, value = f"select({text} > 1, 2, 1)", lambda at, value=value: 2 if number(value(at)) > 1 else 1
        elif self.random.random() < 0.4:
            access = self.of([self.random.choice(targets + sums)])
            text, value = (f"({text} - {access})",
                           lambda at, value=value, access=access: number(value(at)) - number(access.value(at, self)))
        behind = self.of([targets[0]]) if targets and self.random.random() < 0.3 else None
        self.kind = f"{word} over {len(sums)}{' within a sum' if behind else ''}"
        self.target([self.extent_of[name] for name in targets], plain(*targets), "=",
                    f"{word}({', '.join(sums)}, {text})" + (f" + {behind}" if behind else ""), False)
        self.result = np.zeros([self.size(extent) for extent in self.shapes["Y"]], NUMBERS[self.type])
        combine = {"min": min, "max": max, "prod": math.prod, "sum": sum, "mean": lambda values: sum(values) / len(values)}[word]
        nothing = {"min": self.extreme(True), "max": self.extreme(False), "prod": 1, "sum": 0, "mean": 0}[word]
        for place, at, inner in self.points_of(targets, sums):
            values = [number(value(one)) for one in inner]
            reduced = combine(values) if values else nothing
            with np.errstate(over="ignore"):
                self.result[place] = reduced + (number(behind.value(at, self)) if behind else 0)
        self.moves_factors, self.rounds = True, word == "mean"

    def truths(self):
        targets, sums = self.loops()
        word, op = self.random.choice(["any", "all", "count"]), self.random.choice([*COMPARE])
        text, value = self.elements(targets + sums)
        if word == "count":
            access = self.of(self.random.sample(targets + sums, 2))
            text, is_true = f"i64({text} {op} {access})", lambda at: COMPARE[op](number(value(at)), number(access.value(at, self)))
        elif self.number == "bool":
            is_true = lambda at: bool(number(value(at)))
        else:
            bound = self.random.randrange(-1, 2)
            text, is_true = f"{text} {op} {bound}", lambda at: COMPARE[op](number(value(at)), bound)
        self.kind = word
        self.target([self.extent_of[name] for name in targets], plain(*targets), "=",
                    f"{'sum' if word == 'count' else word}({', '.join(sums)}, {text})", False)
        self.type = "i64" if word == "count" else "bool"
        self.result = np.zeros([self.size(extent) for extent in self.shapes["Y"]], NUMBERS[self.type])
        for place, _, inner in self.points_of(targets, sums):
            self.result[place] = {"any": any, "all": all, "count": sum}[word]([is_true(one) for one in inner])

    # Min-plus and max-plus, with paths that do not exist

    def graph(self, extents, variables, fill):
        """A sparse operand with a fill, at plain indices; in formats with padding a 0 would be no entry."""
        name = self.tensor(2, extents)
        self.constants.discard(name)
        self.fills[name] = fill
        self.formats[name] = self.random.choice(["csr", "csc", "coo", "dcsr", "csr-unsorted", "coo-dup"])
        values = self.arrays[name]
        values[np.array([self.random.random() < 0.4 for _ in range(values.size)], bool).reshape(values.shape)] = self.missing(name)
        return Access(name, plain(*variables))

    def tropical(self):
        is_least = self.random.random() < 0.6
        word, fill = ("min", "inf") if is_least else ("max", "-inf")
        nothing, best = self.extreme(is_least), min if is_least else max
        targets, sums = self.random.choice([(["i"], ["j"]), (["j"], ["i"]), (["i", "j"], ["r"]), (["i", "j"], [])])
        read = targets[:1] + sums[:1] if sums else targets
        first = self.graph([self.extent_of[name] for name in read], read, fill)
        second = self.other_path(targets, sums, fill)

        def value(at):
            one, other = first.value(at, self), second.value(at, self)
            return nothing if nothing in (one, other) else NUMBERS[self.number](one + number(other))

        form = self.random.choice(["reduction", "reduction", "semiring", "semiring", "accumulation", "scatter"])
        is_sum = form == "semiring" or (self.number in FLOATS and form != "semiring" and self.random.random() < 0.7)
        path = (f"{first} {'*' if form == 'semiring' else '+'} {second}" if is_sum else
                f"{'minplus' if is_least else 'maxplus'}({first}, {second})")
        indices = plain(*targets)
        if form == "scatter" or (form == "semiring" and self.random.random() < 0.3):
            indices = [self.target_index(self.extent_of[name], name, targets) for name in targets]
        takes = form in ("accumulation", "scatter") or not all(index.is_plain() for index in indices)
        self.kind = f"{word}-plus, {form}"
        op = "=" if not takes else "+=" if form == "semiring" else word + "="
        if form == "reduction" and sums:
            path = f"{word}({', '.join(sums)}, {path})"
        self.target([self.extent_of[name] for name in targets], indices, op, path)
        if form == "semiring":
            self.text = f"semiring({word}, +)\n{self.text}\nsemiring(+, *)"
        if self.formats["Y"] != "dense":
            self.fills["Y"] = fill
        shape = [self.size(extent) for extent in self.shapes["Y"]]
        self.result = np.full(shape, nothing, NUMBERS[self.type])
        if takes:
            self.arrays["Y"] = self.numbers(shape)
            self.arrays["Y"][np.array([self.random.random() < 0.4 for _ in range(int(np.prod(shape)))], bool).reshape(shape)] = nothing
            self.result = self.arrays["Y"].copy()
        self.is_valid = self.is_inside(indices, shape)
        for at in self.points(targets + sums) if self.is_valid else []:
            place = tuple(index.value(at, self) for index in indices)
            self.result[place] = best(self.result[place], value(at))

    def other_path(self, targets, sums, fill):
        """A dense operand that is gathered from, or another sparse one."""
        if len(targets) == 2 and self.random.random() < 0.4:
            variables = [*sums, targets[1]] if sums else targets[::-1]
            return self.graph([self.extent_of[name] for name in variables], variables, fill)
        access = self.access(targets + sums)
        if access.tensor in self.fills:
            access = self.of((targets + sums)[:2])
        self.formats[access.tensor] = "dense"
        return access

    def filled(self):
        """Missing entries that are ones: factors that change nothing."""
        fill = self.random.choice(["1", "1", "2", "-1"])
        targets, sums = self.random.choice([(["i", "j"], []), (["i"], ["j"]), (["i", "j"], ["r"])])
        read = self.random.sample(targets + sums, 2)
        first = self.graph([self.extent_of[name] for name in read], read, fill)
        terms = [first.value]
        text = str(first)
        for _ in range(self.random.choice([1, 1, 2])):
            factor, value = self.factor(targets + sums)
            text += " * " + factor
            terms.append(lambda at, program, value=value: value(at))
        for factor, value in self.anchors(targets + sums):
            text += " * " + factor
            terms.append(lambda at, program, value=value: value(at))
        self.kind = f"fill {fill}"
        self.target([self.extent_of[name] for name in targets], plain(*targets), "=", text)
        self.take_in(plain(*targets), "=", targets, [("", sums, lambda at: self.product(term(at, self) for term in terms))])

    # One statement after the other

    def tensor(self, order, like=None):
        name = self.temporary
        if name and not like and len(self.shapes[name]) == order and self.random.random() < 0.7:
            self.draw("an earlier result")
            return name
        return super().tensor(order, like)

    def index_tensor(self, variable, below):
        given = super().index_tensor(variable, below)
        if self.statements is None or self.random.random() < 0.6:
            return given
        self.draw("a computed index tensor")
        name = given + "c"
        self.shapes[name], self.held[name] = self.shapes[given], [below - 1 - place for place in self.held[given]]
        self.computed.add(name)
        self.statements.append(f"let {name}({variable}) = {below - 1} - {given}({variable})")
        return name

    def sequence(self):
        self.statements = []
        for _ in range(self.random.choice([1, 1, 2])):
            self.statements.append(self.earlier())
        of_ordered = [self.conditional, self.place, self.ranking, self.reduction] if self.number in ORDERED else []
        make = self.random.choice([lambda: Ties.make_statement(self)] * 4 + [self.accumulation, self.accumulation,
                                                                            self.concatenation, *of_ordered])
        make()
        self.text = "\n".join([*self.statements, self.text])

    def earlier(self):
        """A statement whose result is read by later ones: its text. The result is a number wherever it is read."""
        targets = self.random.choice([["i"], ["i", "j"], ["i", "j"]])
        self.anchored = targets
        terms = [self.term(targets) for _ in range(self.random.choice([1, 1, 2]))]
        name = f"B{len(self.shapes)}t"
        self.shapes["Y"] = self.shapes[name] = [self.extent_of[one] for one in targets]
        self.formats["Y"] = "dense"
        self.take_in(plain(*targets), "=", targets, terms)
        del self.shapes["Y"]
        self.arrays[name], self.formats[name], self.temporary = self.result, "dense", name
        self.computed.add(name)
        is_let = self.random.random() < 0.8
        if is_let and self.random.random() < 0.4:
            self.stored_as[name] = self.random.choice(RESULTS[len(targets)])
        self.draw("let" if is_let else "an output that is read")
        return f"{'let ' if is_let else ''}{name}({', '.join(targets)}) = " + " + ".join(text for text, _, _ in terms)
