"""What the orders of opt_einsum cost on the operands at hand: pairwise products, counted where operands are sparse."""
# SPDX-License-Identifier: Apache-2.0

import re

import numpy as np

ACCESS = r"(\w+)(?:\(([^()]*)\))?"


def product_of(text):
    """Of a kernel that is one product: the target's indices and each factor's name and indices; else None."""
    found = re.fullmatch(rf"\s*{ACCESS}\s*=\s*({ACCESS}(?:\s*\*\s*{ACCESS})+)\s*", text)
    if not found:
        return None

    def indices(group):
        return tuple(re.findall(r"\w+", group or ""))

    factors = [(one.group(1), indices(one.group(2))) for one in re.finditer(ACCESS, found.group(3))]
    return indices(found.group(2)), factors


class Pattern:
    """Where a factor may differ from 0: at tuples of `listed` variables, for all values of `full` ones."""

    def __init__(self, listed, full, tuples):
        self.listed, self.full, self.tuples = listed, full, tuples


def keys(pattern, variables, extents):
    """A number for each tuple by some of its variables."""
    made = np.zeros(len(pattern.tuples), dtype=object if np.prod([float(extents[v]) for v in variables]) > 2 ** 62
                    else np.int64)
    for variable in variables:
        made = made * extents[variable] + pattern.tuples[:, pattern.listed.index(variable)]
    return made


def joined(left, right, extents):
    """The tuples of both, by merging sorted keys."""
    shared = [v for v in left.listed if v in right.listed]
    a, b = keys(left, shared, extents), keys(right, shared, extents)
    order = np.argsort(b, kind="stable")
    first, last = np.searchsorted(b[order], a, "left"), np.searchsorted(b[order], a, "right")
    lengths = last - first
    rows = np.repeat(np.arange(len(a)), lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    others = order[np.repeat(first, lengths) + within]
    more = [k for k, v in enumerate(right.listed) if v not in left.listed]
    listed = [*left.listed, *(right.listed[k] for k in more)]
    full = [v for v in dict.fromkeys((*left.full, *right.full)) if v not in listed]
    return Pattern(listed, full, np.hstack([left.tuples[rows], right.tuples[others][:, more]]))


def kept(pattern, variables):
    """The tuples without variables that are summed over."""
    places = [k for k, v in enumerate(pattern.listed) if v in variables]
    tuples = pattern.tuples[:, places]
    tuples = np.unique(tuples, axis=0) if places else tuples[:1]
    return Pattern([pattern.listed[k] for k in places], [v for v in pattern.full if v in variables], tuples)


def steps(pattern, extents):
    return len(pattern.tuples) * float(np.prod([float(extents[v]) for v in pattern.full]))


def steps_of_pair(left, right, both, extents):
    """Of the product of two: where they list the same variables, all of both, as explain counts merges."""
    if left.listed and sorted(left.listed) == sorted(right.listed):
        return steps(left, extents) + steps(right, extents)
    return steps(both, extents)


def pattern_of(operand, own):
    """Of an operand with these indices."""
    shape, coordinates = operand
    assert len(shape) == len(own)
    if coordinates is None:
        return Pattern([], list(own), np.zeros((1, 0), dtype=np.int64))
    return Pattern(list(own), [], coordinates)


def accesses(text):
    """Names, those of copies being those of what they are of, and indices."""
    return [(re.sub(r"\$\d+_\d+$", "", name), tuple(re.findall(r"\w+", indices)))
            for name, indices in re.findall(r"([\w$]+)\(([^()]*)\)", text)]


def plan_taken(plan, number):
    """What --emit=plan prints, without the plans that a call does not run: those of other numbers, and what is done once
    more where infinities met nothing."""
    plan = plan.partition("\nwhere $")[0] if "once more:" in plan else plan
    parts = re.split(r"^plan (\d+) of \d+:\n", plan, flags=re.MULTILINE)
    others = [f", of plan {own}" for own in parts[1::2] if int(own) != number]
    head = "\n".join(line for line in parts[0].splitlines() if not any(re.search(rf"{one}\b", line) for one in others))
    return head + "\n" + "".join(text for own, text in zip(parts[1::2], parts[2::2]) if int(own) == number)


def steps_of_plan(plan, operands):
    """Steps of the nests that --emit=plan prints, on the entries of operands; None where one is no product."""
    listed = set(re.findall(r"^  (\$?\w+)\([^\n]*compressed", plan, re.MULTILINE))
    shapes = {name: one[0] for name, one in operands.items()}
    patterns = {name: one[1] for name, one in operands.items()}
    total = 0.0
    for loops, target, value in re.findall(r"^  for ([^:]*): (\S+) \+?= (.*?)(?:, where .*)?$", plan, re.MULTILINE):
        factors = accesses(value)
        if re.search(r"select|pattern|and\(|[-+/] ?", value) or any(name not in shapes for name, _ in factors):
            return None
        extents = {v: n for name, own in factors for v, n in zip(own, shapes[name])}
        whole = Pattern([], re.findall(r"\w+", loops), np.zeros((1, 0), dtype=np.int64))
        for name, own in factors:
            if name in listed:
                whole = joined(whole, Pattern(list(own), [], patterns[name]), extents)
        whole.full = [v for v in whole.full if v not in whole.listed]
        total += steps(whole, extents)
        for name, own in accesses(target):
            shapes[name] = tuple(extents[v] for v in own)
            made = kept(whole, own)
            patterns[name] = made.tuples[:, [made.listed.index(v) for v in own]] if name in listed else None
    return total


def steps_of_path(target, factors, operands):
    """Of the order that opt_einsum finds optimal by extents; None where it does not install."""
    try:
        import opt_einsum
    except ImportError:
        return None
    extents = {v: n for name, own in factors for v, n in zip(own, operands[name][0])}
    letters = {v: chr(ord("a") + k) for k, v in enumerate(extents)}
    places = ",".join("".join(letters[v] for v in own) for _, own in factors)
    places += "->" + "".join(letters[v] for v in target)
    shapes = [tuple(extents[v] for v in own) for _, own in factors]
    path, _ = opt_einsum.contract_path(places, *shapes, shapes=True, optimize="optimal")
    parts = [pattern_of(operands[name], own) for name, own in factors]
    total = 0.0
    for pair in path:
        taken = [parts.pop(k) for k in sorted(pair, reverse=True)]
        wanted = {*target, *(v for one in parts for v in (*one.listed, *one.full))}
        whole = joined(*taken, extents) if len(taken) == 2 else taken[0]
        total += steps_of_pair(*taken, whole, extents) if len(taken) == 2 else steps(whole, extents)
        parts.append(kept(whole, wanted))
    return total
