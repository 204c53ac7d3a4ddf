"""Targets by index arithmetic, scatters and concatenations whose elements are masked, conditional, reduced, taken in, of
semirings and of operands with fills; and the same ones as temporaries that a second statement reads."""
# SPDX-License-Identifier: Apache-2.0

import re

import numpy as np

from constructs import COMPARE, Shifted, number
from forms import Form, Forms, Placed
from programs import FLOATS, NUMBERS, ORDERED, RESULTS, Access, plain
from ties import Ties


class Combined(Forms):
    def make_statement(self):
        self.has_infinities, self.statements = False, []
        ordered, was_valid = self.number in ORDERED, True
        both = [self.elementwise, self.elementwise, self.reduces, self.of_two, self.beside, self.beside]
        if self.random.random() < 0.6:
            self.random.choice(both + ([self.tropics, *[self.first_ranking] * 2] if ordered else []))(True)
            was_valid = self.is_valid
            self.keep()
        makes = [*both, self.elementwise, self.takes_in] + ([self.tropics, self.tropics] if ordered else [])
        if self.temporary:
            self.extent_of.update(zip("ij", self.shapes[self.temporary]))
            makes += self.readers(ordered)
        if self.extremes:
            makes = [self.of_extremes, self.of_extremes, self.tropics]
        self.random.choice(makes)()
        self.is_valid = self.is_valid and was_valid
        if self.temporary or self.is_filled:
            self.entries = None
        self.text = "\n".join([*self.statements, self.text])

    def readers(self, ordered):
        """What draws its operands by their extents, and so reads the temporary."""
        makes = [lambda: Ties.make_statement(self)] + ([self.truths] if self.number != "cf64" else [])
        if not ordered:
            return makes + [self.places_of_unordered] * 2
        return makes + [self.place if self.is_filled else self.conditional, self.place, self.ranking, self.ranking,
                        self.reduction, self.accumulation]

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

    def takes_in(self):
        form = self.form()
        text, value = self.element(form)
        op = self.random.choice(["min", "max", "+"] if self.number in ORDERED else ["+"] if self.number == "cf64" else ["or", "+"])
        self.draw(f"accumulation {op}=")
        self.into(form, op + "=", text)
        self.accumulate(form, {"min": np.minimum, "max": np.maximum, "+": np.add, "or": np.logical_or}[op], value)

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
        count = self.random.randrange(len(variables))
        make = self.random.choice([self.place_of, self.ranking_of, self.reduction_of])
        make(variables[:count], variables[count:])

    def places_of_unordered(self):
        """Bools are ranked as well, and complex numbers by their real parts; the results are places."""
        variables = ["i", "j"][:len(self.shapes[self.temporary])]
        targets, sums = variables[:-1], variables[-1:]
        if self.random.random() < 0.5:
            self.place_of(targets, sums)
        else:
            self.ranking_of(targets, sums, ["argtop", "argbottom"])

    def ranked(self, variables):
        text, value = super().ranked(variables)
        if self.number != "cf64":
            return text, value
        return f"real({text})", lambda at: number(value(at)).real

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
        is_placed = not all(index.is_plain() for index in form.indices)
        is_semiring = self.random.random() < 0.4 and not (is_first and is_placed)
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
        if is_semiring and is_placed:
            takes = True # What comes to an element by '=' is added up.
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
