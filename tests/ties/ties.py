"""Products whose indices are tied by windows, shifts, gathers, scatters and conditions on indices."""
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from programs import NUMBERS, PADDED, Index, Program, called, plain


class Ties(Program):
    lists_entries = True #: whether the values say where an assembled result has entries

    def condition(self, variables):
        left, right = self.random.choice(variables), self.random.choice(variables)
        shift, op = self.random.randrange(-1, 2), self.random.choice(["==", "==", "<=", ">", "!="])
        self.draw("condition " + op)
        text = f"({left} {op} {right}{f' {shift:+d}'.replace('+', '+ ').replace('-', '- ') if shift else ''})"
        #: Equalities are solved: their factors have no entry where they do not hold.
        otherwise = None if op == "==" and left != right else False
        return text, lambda at: eval(f"a {op} b", {}, {"a": at[left], "b": at[right] + shift}) or otherwise

    def factor(self, variables):
        if len(variables) > 1 and self.random.random() < 0.2:
            return self.condition(variables)
        access = self.access(variables)
        # A factor that no variable indexes is computed once, as a number that leaves zeros where it is missing.
        self.lists_entries &= any(index.terms or index.held for index in access.indices)
        # What is read at other places is a sum, and in a function a number as any other, which is missing nowhere.
        is_plain = (not access.padded and all(index.is_plain() for index in access.indices) and
                    len({index.terms[0][0] for index in access.indices}) == len(access.indices))
        if self.number != "bool" and self.random.random() < 0.15 and (is_plain or not self.has_infinities):
            self.draw("function")
            self.lists_entries &= is_plain
            text, function = self.random.choice([("abs({})", abs), ("max({}, 1)", lambda x: max(x, 1)),
                                                 ("({} + 1)", lambda x: x + 1)] if self.number != "cf64" else
                                                [("conj({})", np.conj), ("({} + 1)", lambda x: x + 1)])
            return text.format(access), lambda at: called(function, access.value(at, self))
        return str(access), lambda at: access.value(at, self)

    def term(self, targets, sums=None):
        """A product, with what sums run over indexing something alone: its text, its sums, its value at a point."""
        if sums is None:
            sums = ["r"] if self.random.random() < 0.4 or not targets else []
        variables = targets + sums
        factors = [self.factor(variables) for _ in range(self.random.choice([1, 2, 2, 3]))]
        factors += self.anchors([name for name in variables if name not in self.anchored])
        return (" * ".join(text for text, _ in factors), sums,
                lambda at: self.product(value(at) for _, value in factors))

    def make_statement(self):
        targets = self.random.choice([["i"], ["i", "j"], ["i", "j"]])
        is_scatter = self.random.random() < 0.3
        #: Variables of the target run over its dimensions; those of scatters index operands alone.
        self.anchored = [] if is_scatter else targets
        terms = [self.term(targets) for _ in range(1 if is_scatter else self.random.choice([1, 1, 2]))]
        self.shapes["Y"] = [self.extent_of[name] for name in targets]
        indices, op = plain(*targets), "="
        if is_scatter:
            self.draw("scatter")
            indices = [self.target_index(extent, name, targets) for extent, name in zip(self.shapes["Y"], targets)]
            op = "+=" if self.random.random() < 0.3 else "="
        self.formats["Y"] = self.result_format(len(targets))
        self.text = f"Y({', '.join(map(str, indices))}) {op} " + " + ".join(text for text, _, _ in terms)
        self.take_in(indices, op, targets, terms)

    def take_in(self, indices, op, targets, terms):
        """What Y becomes of terms that are added up."""
        shape = [self.size(extent) for extent in self.shapes["Y"]]
        result = np.zeros(shape, NUMBERS[self.type])
        # Factors are taken out of sums, so that these may be infinite where terms are infinities of both signs.
        self.moves_factors = any(sums for _, sums, _ in terms)
        if op == "+=":
            self.arrays["Y"] = self.numbers(shape)
            result = self.arrays["Y"].copy()
        self.is_valid = self.is_inside(indices, shape) and not (op == "=" and any(
            index.held and len(set(self.held[index.held[0]])) < len(self.held[index.held[0]]) for index in indices))
        entries = result != 0
        for _, sums, value in terms:
            for at in self.points(targets + sums):
                place = tuple(index.value(at, self) for index in indices)
                term = value(at) if self.is_valid else None
                if term is not None:
                    with np.errstate(invalid="ignore"):
                        result[place] += term
                    entries[place] = True
        self.result = result
        self.entries = entries if self.lists_entries and not PADDED.intersection(self.formats.values()) else None

    def target_index(self, extent, variable, targets):
        kind, size = self.random.randrange(4), self.size(extent)
        if kind == 0 and size:
            return Index(held=(self.index_tensor(variable, size), variable))
        if kind == 1:
            return Index([(variable, -1)], -1, size=extent, times=1)
        if kind == 2:
            return Index([(variable, 1)], 0, scalar=self.random.choice([0, 1]))
        other = [name for name in targets if name != variable]
        return Index([(variable, 1)] + ([(other[0], 1)] if other else []), 0)
