"""Conditional entries, places of extremes, rankings, accumulation, and targets by index arithmetic."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from programs import FLOATS, NOWHERE, NUMBERS, ORDERED, Access, Index, called, plain
from ties import Ties

COMPARE = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


def number(value):
    return 0 if value is None else value


def goes_before(one, other, is_least):
    """Whether a value comes before another one of an earlier place; NaNs come before all numbers."""
    if np.isnan(other) or np.isnan(one):
        return np.isnan(one) and not np.isnan(other)
    return one < other if is_least else one > other


class Construct(Ties):
    def make_statement(self):
        of_all = [self.accumulation, self.accumulation, self.concatenation, self.concatenation, self.kronecker, self.reshape,
                  self.window_of_sum]
        of_ordered = [self.conditional, self.conditional, self.conditional, self.place, self.ranking, self.ranking]
        make = self.random.choice(of_all + (of_ordered if self.number in ORDERED else []))
        self.draw(make.__name__)
        make()

    def target(self, extents, indices, operator, right, is_assembled=True):
        self.shapes["Y"] = extents
        self.formats["Y"] = self.result_format(len(extents)) if is_assembled else "dense"
        self.draw(f"{self.kind}, {self.formats['Y']}")
        left = f"Y({', '.join(map(str, indices))})" if indices else "Y"
        self.text = f"{left} {operator} {right}"

    def of(self, variables):
        """An access with plain indices."""
        return Access(self.tensor(len(variables), [self.extent_of[name] for name in variables]), plain(*variables))

    def elements(self, variables, sums_up=False):
        """A product of operands that has all of the variables: its text and its values."""
        drawn = self.random.sample(variables, len(variables))
        first = self.of(drawn[:2])
        factors = [(str(first), lambda at: first.value(at, self))] + self.anchors([name for name in variables if name not in drawn[:2]])
        # What is read at other places is a sum, and where no sum is taken a number as any other, missing nowhere.
        if self.random.random() < 0.5 and (sums_up or not self.has_infinities):
            self.anchored = variables
            factors.append(self.factor(variables))
        return " * ".join(text for text, _ in factors), lambda at: self.product(value(at) for _, value in factors)

    # where(condition, e)

    def truth(self, variables):
        kind = self.random.randrange(5)
        op = self.random.choice([*COMPARE])
        self.draw(f"where by {['places', 'entries', 'vectors', 'index tensor', 'a number'][kind]}")
        if kind == 0:
            left, right, shift = self.random.choice(variables), self.random.choice(variables), self.random.randrange(3)
            return f"{left} {op} {right} + {shift}", lambda at: COMPARE[op](at[left], at[right] + shift)
        if kind == 3:
            name = self.random.choice(variables)
            held, wanted = self.index_tensor(name, 3), self.random.randrange(3)
            return f"{held}({name}) {op} {wanted}", lambda at: COMPARE[op](self.held[held][at[name]], wanted)
        access = self.of(variables[:2]) if kind == 1 else self.of([self.random.choice(variables)])
        other = self.of([self.random.choice(variables)]) if kind == 2 else None
        bound = self.random.randrange(-1, 2)
        return (f"{access} {op} {other or bound}", lambda at: COMPARE[op](
            number(access.value(at, self)), number(other.value(at, self)) if other else bound))

    def where(self, variables, sums_up=True):
        condition, holds = self.truth(variables)
        if self.random.random() < 0.3:
            word, joined = self.random.choice([("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)])
            first, (second, holds_second) = holds, self.truth(variables)
            self.draw("where by " + word)
            condition, holds = f"({condition}) {word} ({second})", lambda at: joined(first(at), holds_second(at))
        if self.random.random() < 0.2:
            self.draw("where by not")
            negated = holds
            condition, holds = f"not ({condition})", lambda at: not negated(at)
        text, value = self.elements(variables, sums_up)
        return f"where({condition}, {text})", lambda at: value(at) if holds(at) else None

    def conditional(self):
        targets, sums = self.random.choice([(["i", "j"], []), (["i", "j"], []), (["i", "j"], ["r"]), (["i"], ["j"]), (["i"], [])])
        self.anchored = targets + sums
        terms = []
        for _ in range(self.random.choice([1, 1, 2])):
            kind = self.random.randrange(4)
            text, value = self.where(targets + sums, sums_up=kind != 1)
            if kind == 0:
                self.draw("where as a factor")
                access = self.of([self.random.choice(targets + sums)])
                text, value = f"{text} * {access}", lambda at, value=value, access=access: self.product([value(at), access.value(at, self)])
            elif kind == 1:
                # Within a function the condition is an operand as that of select is: zeros may be stored where it alone has places.
                self.draw("where within a function")
                self.lists_entries = False
                access = self.of((targets + sums)[:2])
                text = f"max({text}, {access})"
                value = lambda at, value=value, access=access: called(np.maximum, value(at), access.value(at, self))
            elif kind == 2:
                self.draw("where as an addend")
                access = self.of((targets + sums)[:2])
                terms.append((text, sums, value))
                text, value = str(access), lambda at, access=access: access.value(at, self)
            if kind != 2 or set((targets + sums)[:2]) >= set(sums):
                terms.append((text, sums, value))
        self.kind = "where"
        self.target([self.extent_of[name] for name in targets], plain(*targets), "=", " + ".join(
            f"sum({', '.join(sums)}, {text})" if sums else text for text, _, _ in terms))
        self.take_in(plain(*targets), "=", targets, terms)

    # argmin, top and their likes

    def ranked(self, variables):
        text, value = self.elements(variables)
        if self.random.random() < 0.3:
            access = self.of([self.random.choice(variables)])
            text, factor = f"({text} + {access})", value
            value = lambda at: number(factor(at)) + number(access.value(at, self))
        return text, value

    def ordered(self, targets, sums, is_least):
        """What places are ranked by: its text, and at a point the values in order with their places."""
        text, value = self.ranked(targets + sums)

        def sort(at):
            found = []
            for place, inner in enumerate(self.points(sums)):
                one = number(value({**at, **inner}))
                behind = next((k for k, (_, other) in enumerate(found) if goes_before(one, other, is_least)), len(found))
                found.insert(behind, (place, one))
            return found
        return text, sort

    def place(self):
        self.place_of(*self.random.choice([(["i"], ["j"]), (["i"], ["j", "r"]), ([], ["i", "j"]), ([], ["j"]), (["i", "j"], ["r"])]))

    def place_of(self, targets, sums):
        is_least = self.random.random() < 0.5
        self.kind = f"{'argmin' if is_least else 'argmax'} over {len(sums)}"
        text, sort = self.ordered(targets, sums, is_least)
        self.target([self.extent_of[name] for name in targets], plain(*targets), "=",
                    f"{'argmin' if is_least else 'argmax'}({', '.join(sums)}, {text})", False)
        self.type = self.random.choice(["i64", "i64", "f64"] if self.number in FLOATS else ["i64"])
        self.result = np.zeros([self.size(extent) for extent in self.shapes["Y"]], np.int64 if self.type == "i64" else float)
        for at in self.points(targets):
            found = sort(at)
            self.result[tuple(at[name] for name in targets)] = (
                found[0][0] if found else NOWHERE if self.type == "i64" else np.inf)

    def ranking(self):
        self.ranking_of(*self.random.choice([
            (["i"], ["j"]), (["i"], ["j"]), (["j"], ["i"]), ([], ["i", "j"]), ([], ["j"]), (["i"], ["j", "r"])]))

    def ranking_of(self, targets, sums, names=("top", "bottom", "argtop", "argbottom")):
        name = self.random.choice(names)
        self.kind = f"{name} over {len(sums)}"
        text, sort = self.ordered(targets, sums, name.endswith("bottom"))
        self.extent_of["s"] = self.random.choice(["p", "2", "7", "n"])
        left = self.random.sample([*targets, "s"], len(targets) + 1)
        self.target([self.extent_of[one] for one in left], plain(*left), "=", f"{name}(s, {', '.join(sums)}, {text})", False)
        is_place = name.startswith("arg")
        self.type = "i64" if is_place else self.number
        nothing = NOWHERE if is_place else self.extreme(name == "bottom")
        self.result = np.full([self.size(extent) for extent in self.shapes["Y"]], nothing, NUMBERS[self.type])
        for at in self.points(targets):
            for rank, (place, one) in zip(range(self.size(self.extent_of["s"])), sort(at)):
                self.result[tuple({**at, "s": rank}[one] for one in left)] = place if is_place else one

    def extreme(self, is_greatest):
        """The greatest or the least number of the type: what min or max of nothing is."""
        number = NUMBERS[self.number]
        if self.number in FLOATS:
            return number(np.inf if is_greatest else -np.inf)
        return number(np.iinfo(number).max if is_greatest else np.iinfo(number).min)

    # min=, max=, += into what is stored

    def accumulation(self):
        targets, sums = self.random.choice([(["i", "j"], []), (["i", "j"], ["r"]), (["i"], ["j"]), (["i"], [])])
        op = self.random.choice(["min", "max", "+"] if self.number in ORDERED else ["+"] if self.number == "cf64" else ["or", "+"])
        self.anchored = []
        text, value = self.elements(targets + sums)
        is_scatter = self.random.random() < 0.4
        indices = plain(*targets)
        if is_scatter:
            indices = [self.target_index(self.extent_of[name], name, targets) for name in targets]
        self.kind = f"{'scattered ' if is_scatter else ''}{op}="
        self.target([self.extent_of[name] for name in targets], indices, op + "=", text)
        shape = [self.size(extent) for extent in self.shapes["Y"]]
        self.arrays["Y"] = self.numbers(shape)
        if self.formats["Y"] != "dense":
            self.arrays["Y"][np.array([self.random.random() < 0.5 for _ in range(int(np.prod(shape)))], bool).reshape(shape)] = 0
        self.result, self.is_valid = self.arrays["Y"].copy(), self.is_inside(indices, shape)
        combine = {"min": np.minimum, "max": np.maximum, "+": np.add, "or": np.logical_or}[op]
        for at in self.points(targets + sums) if self.is_valid else []:
            place, taken = tuple(index.value(at, self) for index in indices), value(at)
            if op != "+" or taken is not None:
                with np.errstate(invalid="ignore"):
                    self.result[place] = combine(self.result[place], number(taken))

    # Targets by index arithmetic

    def concatenation(self):
        """Pieces beside each other along one dimension, as addends or one statement after the other would."""
        dim, extents = self.random.randrange(2), self.random.sample(["m", "n", "p"], self.random.choice([2, 2, 3]))
        other = self.random.choice("mn")
        variables, terms, offsets = ["i", "j"], [], []
        whole = [other, other]
        whole[dim] = " + ".join(extents)
        self.extent_of = {"i": whole[0], "j": whole[1]}
        for extent in extents:
            shape = [other, other]
            shape[dim] = extent
            name = self.tensor(2, shape)
            indices = plain(*variables)
            indices[dim] = Shifted(variables[dim], list(offsets))
            access = Access(name, indices, True)
            offsets.append(extent)
            terms.append((str(access), [], lambda at, access=access: access.value(at, self)))
        self.kind = f"concatenation of {len(extents)}"
        self.target(whole, plain(*variables), "=", " + ".join(text for text, _, _ in terms))
        self.take_in(plain(*variables), "=", variables, terms)

    def kronecker(self):
        self.extent_of = {"i": "m", "j": "n", "r": "p", "s": self.random.choice("np")}
        inner = self.extent_of["s"]
        first, second = self.of(["i", "j"]), self.of(["r", "s"])
        self.kind = "Kronecker"
        indices = [Strided("i", "p", "r"), Strided("j", inner, "s")]
        self.target(["m*p", f"n*{inner}"], indices, "=", f"{first} * {second}")
        self.take_in(indices, "=", ["i", "j", "r", "s"], [
            ("", [], lambda at: self.product([first.value(at, self), second.value(at, self)]))])

    def reshape(self):
        if self.random.random() < 0.5:
            self.kind = "reshape to a vector"
            first, indices = self.of(["i", "j"]), [Strided("i", "n", "j")]
            self.target(["m*n"], indices, "=", str(first))
        else:
            self.kind = "reshape to a matrix"
            first, indices = Access(self.tensor(1, ["m*n"]), [Strided("i", "n", "j")]), plain("i", "j")
            self.target(["m", "n"], indices, "=", str(first))
        self.take_in(indices, "=", ["i", "j"], [("", [], lambda at: first.value(at, self))])

    def window_of_sum(self):
        """A window that the declaration leaves just room for."""
        weights = Access(self.tensor(1, ["p"]), plain("r"))
        rows = self.random.random() < 0.5
        window = [Index([("i", 1), ("r", 1)])] + (plain("j") if rows else [])
        whole = Access(self.tensor(len(window), ["m + p - 1", "n"][:len(window)]), window)
        targets = ["i", "j"] if rows else ["i"]
        self.kind = "window of a sum"
        self.target([self.extent_of[name] for name in targets], plain(*targets), "=", f"{whole} * {weights}")
        self.take_in(plain(*targets), "=", targets, [
            ("", ["r"], lambda at: self.product([whole.value(at, self), weights.value(at, self)]))])


class Shifted(Index):
    """A variable less several sizes."""

    def __init__(self, variable, extents):
        super().__init__([(variable, 1)])
        self.extents = extents

    def value(self, at, program):
        return at[self.terms[0][0]] - sum(program.size(extent) for extent in self.extents)

    def is_plain(self):
        return not self.extents

    def __str__(self):
        return "".join([self.terms[0][0], *[f" - {extent}" for extent in self.extents]])


class Strided(Index):
    """A variable times a size, and another one that runs below it."""

    def __init__(self, outer, extent, inner):
        super().__init__([(outer, 1), (inner, 1)])
        self.outer, self.extent, self.inner = outer, extent, inner

    def value(self, at, program):
        return at[self.outer] * program.size(self.extent) + at[self.inner]

    def is_plain(self):
        return False

    def __str__(self):
        return f"{self.outer}*{self.extent} + {self.inner}"
