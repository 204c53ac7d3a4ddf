"""Targets by index arithmetic, scatters and concatenations whose elements are masked, conditional, reduced, taken in, of
semirings and of operands with fills; and the same ones as temporaries that a second statement reads."""
# SPDX-License-Identifier: Apache-2.0

import re

import numpy as np

from constructs import COMPARE, Shifted, Strided, number
from programs import FLOATS, NUMBERS, ORDERED, RESULTS, Access, Index, called, plain
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


class Combined(Semirings):
    extremes = None #: which infinity, or greatest or least integer, the temporary may hold
    is_filled = False #: whether operands have fills, so that the entries of the result are not known here
    path_fill = None #: what missing paths are, in statements of min-plus and max-plus

    def make_statement(self):
        self.has_infinities, self.statements = False, []
        ordered, was_valid = self.number in ORDERED, True
        both = [self.elementwise, self.elementwise, self.reduces, self.of_two, self.beside]
        if self.random.random() < 0.6:
            self.random.choice(both + ([self.tropics, self.first_ranking] if ordered else []))(True)
            was_valid = self.is_valid
            self.keep()
        makes = [*both, self.elementwise, self.takes_in] + ([self.tropics, self.tropics] if ordered else [])
        if self.temporary:
            makes += [lambda: Ties.make_statement(self)] + ([self.truths] if self.number != "cf64" else [])
            makes += [self.place if self.is_filled else self.conditional, self.place, self.ranking, self.ranking, self.reduction, self.accumulation] if ordered else []
        if self.extremes:
            makes = [self.of_extremes, self.of_extremes, self.tropics]
        self.random.choice(makes)()
        self.is_valid = self.is_valid and was_valid
        if self.temporary or self.is_filled:
            self.entries = None
        self.text = "\n".join([*self.statements, self.text])

    def keep(self):
        """The first statement's result becomes what the second one reads."""
        name = f"B{len(self.shapes)}t"
        self.shapes[name], self.arrays[name], self.formats[name] = self.shapes.pop("Y"), self.result, "dense"
        self.computed.add(name)
        is_let = self.random.random() < 0.8
        if is_let and self.random.random() < 0.4:
            self.stored_as[name] = self.random.choice(RESULTS[len(self.shapes[name])])
        self.draw("let" if is_let else "an output that is read")
        self.fills.pop("Y", None)
        self.statements.append(re.sub(r"\bY\(", ("let " if is_let else "") + name + "(", self.text, count=1))
        self.temporary = name
        if self.extremes:
            self.hidden.add(name)

    # Operands

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
        if self.random.random() < 0.12 and self.number != "bool":
            return self.with_fill(variables, self.random.choice(["1", "2", "-1"]))
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
                text, value = f"where({condition}, {text})", lambda at, value=value, holds=holds: value(at) if holds(at) else fill
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

    def elementwise(self, is_first=False):
        form = self.form()
        text, value = self.element(form)
        op = "+=" if not is_first and self.random.random() < (0.2 if form.is_total else 0.5) else "="
        if op == "+=":
            self.draw("accumulation +=")
        self.into(form, op, text)
        self.take_in(form.indices, op, form.variables, [(text, [], value)])

    def of_two(self, is_first=False):
        """A product of a semiring that takes one of the factors."""
        form = self.form()
        if len(form.operands) < 2:
            form.operands.append(self.of(self.random.sample(form.variables, min(2, len(form.variables)))))
        for access in form.operands:
            if self.formats[access.tensor] in ("bsr", "ell", "dia"):
                self.formats[access.tensor] = "csr" # A 0 may be padding there, which is an entry.
        first, second = form.operands
        words = ("or", "and") if self.number == "bool" else ("+", self.random.choice(["first", "second", "*"]))
        self.draw(f"semiring ({', '.join(words)})")

        def value(at):
            left, right = first.value(at, self), second.value(at, self)
            if words[1] == "first":
                return left if self.has_entry(second, right) else None
            if words[1] == "second":
                return right if self.has_entry(first, left) else None
            return self.product([left, right])

        self.into(form, "=", f"{first} * {second}")
        self.text = f"semiring({', '.join(words)})\n{self.text}\nsemiring(+, *)"
        self.take_in(form.indices, "=", form.variables, [("", [], value)])
        self.entries = None

    def has_entry(self, access, value):
        return value is not None and not (access.tensor in self.fills and value == self.missing(access.tensor))

    def takes_in(self):
        form = self.form()
        text, value = self.element(form)
        op = self.random.choice(["min", "max", "+"] if self.number in ORDERED else ["+"] if self.number == "cf64" else ["or", "+"])
        self.draw(f"accumulation {op}=")
        self.into(form, op + "=", text)
        self.accumulate(form, {"min": np.minimum, "max": np.maximum, "+": np.add, "or": np.logical_or}[op], value)

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

    def reduces(self, is_first=False):
        """An element that is itself a reduction over t."""
        form = self.form()
        inner = self.of(self.random.sample([self.random.choice(form.variables), "t"], 2))
        text, value = self.element(Form("", form.variables + ["t"], [], [], form.operands), [inner])
        word = self.random.choice(["min", "max", "sum"] if self.number in ORDERED else ["sum"] if self.number == "cf64" else ["any", "all"])
        self.draw(f"{word} over t")
        self.lists_entries = False
        nothing = self.extreme(word == "min") if word in ("min", "max") else word == "all"
        reduce = {"min": min, "max": max, "sum": lambda values: sum(values, NUMBERS[self.number](0)), "any": any, "all": all}[word]

        def reduced(at):
            values = [number(value({**at, **inner})) for inner in self.points(["t"])]
            return reduce(values) if values or word == "sum" else nothing

        self.into(form, "=", f"{word}(t, {text})")
        self.take_in(form.indices, "=", form.variables, [("", [], reduced)])
        self.extremes = {"min": "inf", "max": "-inf"}.get(word) if is_first else self.extremes
        self.entries = None

    # Concatenations

    def beside(self, is_first=False):
        """Pieces, one of which may be the temporary, as addends of one statement or as statements of their own."""
        order = len(self.shapes[self.temporary]) if self.temporary else self.random.choice([1, 2, 2])
        dim, variables = self.random.randrange(order), ["i", "j"][:order]
        shape = list(self.shapes[self.temporary]) if self.temporary else [self.random.choice("mn")] * order
        sizes = self.random.sample(["m", "n", "p"], self.random.choice([1, 2] if self.temporary else [2, 2, 3]))
        sizes += [shape[dim]] if self.temporary else []
        whole = [*shape]
        whole[dim] = " + ".join(sizes)
        of_all, of_each, text_of_each = {**self.extent_of, **dict(zip(variables, whole))}, [], []
        is_apart = not is_first and self.random.random() < 0.5
        for place, extent in enumerate(sizes):
            own = [*shape]
            own[dim] = extent
            self.extent_of = {**of_all, **dict(zip(variables, own))}
            is_behind = is_apart and place > 0
            access = Access(self.tensor(order, own), plain(*variables), not is_behind)
            self.extent_of = self.extent_of if is_behind else of_all
            target = plain(*variables)
            if is_behind:
                target[dim] = Placed(variables[dim], sizes[:place])
            else:
                access.indices[dim] = Shifted(variables[dim], sizes[:place])
            text, value = self.changed(str(access), lambda at, access=access: access.value(at, self), variables)
            text_of_each.append(text)
            of_each.append((variables, dict(self.extent_of), target, value))
        self.extent_of = of_all
        form = Form(f"concatenation of {len(sizes)}", variables, whole, plain(*variables), [])
        op = self.random.choice(["min", "max", "+"] if self.number in ORDERED else ["+"])
        if is_apart:
            self.draw(f"accumulation {op}=")
            self.into(form, op + "=", "")
            self.text = "\n".join(f"Y({', '.join(map(str, target))}) {op}= {text}"
                                  for text, (_, _, target, _) in zip(text_of_each, of_each))
            self.accumulate(form, {"min": np.minimum, "max": np.maximum, "+": np.add}[op], None, pieces=of_each)
            return
        self.into(form, "=", " + ".join(text_of_each))
        self.take_in(form.indices, "=", variables, [(text, [], value) for text, (_, _, _, value) in zip(text_of_each, of_each)])

    # Least and greatest

    def of_extremes(self):
        """What reads a temporary that may hold infinities, alone or with a number added."""
        variables = ["i", "j"][:len(self.shapes[self.temporary])]
        self.extent_of.update(zip(variables, self.shapes[self.temporary]))
        count = self.random.randrange(len(variables))
        make = self.random.choice([self.place_of, self.ranking_of, self.reduction_of])
        make(variables[:count], variables[count:])

    def first_ranking(self, _):
        word = self.random.choice(["top", "bottom"])
        self.ranking_of(["i"], ["j"], [word])
        self.extremes = "inf" if word == "bottom" else "-inf"

    def tropics(self, is_first=False):
        is_least = self.extremes == "inf" if self.extremes else self.random.random() < 0.6
        word, self.path_fill = ("min", "inf") if is_least else ("max", "-inf")
        nothing, best, number_of = self.extreme(is_least), min if is_least else max, NUMBERS[self.number]
        form = self.form()
        while is_first and not form.is_total:
            form = self.form()
        is_semiring = self.random.random() < 0.4
        is_reduced = not is_semiring and self.random.random() < 0.4
        others = [self.random.choice(form.variables), "t"] if is_reduced else [self.random.choice(form.variables)]
        if is_reduced or len(form.operands) < 2:
            form.operands.append(self.of(others))
            if form.operands[-1].tensor not in self.computed:
                self.formats[form.operands[-1].tensor] = "dense"
        accesses, fill, self.path_fill = form.operands, self.path_fill, None
        is_sum = is_semiring or self.number in FLOATS and self.random.random() < 0.6
        path = str(accesses[0])
        for access in accesses[1:]:
            path = (f"{path} {'*' if is_semiring else '+'} {access}" if is_sum else
                    f"{'minplus' if is_least else 'maxplus'}({path}, {access})")

        def value(at):
            length = 0
            for one in (number_of(number(access.value(at, self))) for access in accesses):
                length = nothing if nothing in (length, one) else self.within(length + one.item(), is_least)
            return number_of(length)

        path, value = self.limited(path, value, form.variables, is_least, nothing, is_semiring,
                                   accesses[0].tensor in self.fills)
        if is_reduced:
            self.draw(f"{word} over t")
            path, one = f"{word}(t, {path})", value
            value = lambda at: best([one({**at, **inner}) for inner in self.points(["t"])] or [nothing])
        takes = not is_first and (not form.is_total or self.random.random() < 0.4)
        if is_semiring and not all(index.is_plain() for index in form.indices):
            takes = True
        op = "=" if not takes else "+=" if is_semiring else word + "="
        self.draw(f"{word}-plus, {form.kind}")
        self.into(form, op, path, fill)
        if is_semiring:
            self.text = f"semiring({word}, +)\n{self.text}\nsemiring(+, *)"
        if takes:
            self.draw("accumulation " + op)
            self.accumulate(form, np.minimum if is_least else np.maximum, value, nothing)
            return
        self.result = np.full([self.size(extent) for extent in form.extents], nothing, number_of)
        for at in self.points(form.variables):
            place = tuple(index.value(at, self) for index in form.indices)
            self.result[place] = best(self.result[place], value(at))
        self.extremes, self.entries = fill if is_first else self.extremes, None

    def places(self, variables):
        left, right = self.random.choice(variables), self.random.choice(variables)
        op = self.random.choice([*COMPARE])
        return f"({left} {op} {right})", lambda at: COMPARE[op](at[left], at[right])

    def within(self, length, is_least):
        """Sums of integers end before what stands for no path, and at the other end of the type."""
        if self.number in FLOATS:
            return length
        info = np.iinfo(NUMBERS[self.number])
        return max(info.min + (not is_least), min(info.max - is_least, length))

    def limited(self, path, value, variables, is_least, nothing, is_semiring, has_fill):
        """Paths of which some are left out, and others changed. Without a fill what `where` leaves out would be zeros."""
        kind = self.random.choice(["none", "where", "where", "mask", "function"])
        # In a semiring the sums in conditions are its own.
        of_places = lambda: self.places(variables) if is_semiring else None
        if kind == "where" and has_fill:
            condition, holds = of_places() or self.truth(variables)
            self.draw("where around a path")
            return f"where({condition}, {path})", lambda at: value(at) if holds(at) else nothing
        if kind == "mask":
            condition, holds = of_places() or self.condition(variables)
            self.draw("condition on a path")
            return f"select({condition}, {path}, {'inf' if is_least else '-inf'})", lambda at: value(at) if holds(at) else nothing
        if kind == "function" and not is_semiring:
            self.draw("function of a path")
            word, function = ("max", max) if is_least else ("min", min)
            return f"{word}({path}, 1)", lambda at: function(value(at), 1)
        return path, value
