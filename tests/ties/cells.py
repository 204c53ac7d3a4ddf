#!/usr/bin/env python3
"""Counts what random programs of index equations combine: constructs with storages, types and other constructs. Programs are
drawn, not run; random_programs.py runs the same ones.

    cells.py FIRST COUNT [--all]    the fewest programs in a cell, or all cells; exits with 1 where one is empty
"""

import collections
import sys

from random_programs import KINDS

# What a program has that is drawn under a name that begins so.
CONSTRUCTS = {
    "gather": ("held",), "scatter": ("scatter",), "shift": ("plain",), "stride": ("scaled",), "reversal": ("reversed",),
    "constant index": ("constant",), "two variables": ("two variables",), "padded": ("padded",), "scalar offset": ("scalar",),
    "concatenation": ("concatenation",), "Kronecker": ("kronecker", "Kronecker"), "reshape": ("reshape",),
    "where": ("conditional", "where"), "mask": ("condition", "truths"), "fill": ("fill",), "semiring": ("tropical", "min-plus", "max-plus", "semiring"),
    "reduction": ("reduction", "sum over", "prod over", "min over", "max over", "mean over", "any", "all", "count"),
    "ranking": ("ranking", "top", "bottom", "arg"), "accumulation": ("accumulation", "+=", "min=", "max=", "or="), "temporary": ("let", "sequence"),
    "function": ("function",),
}
# Constants of an index and of the object are two things, and so on.
NOT = {"constant index": ("constant of",), "mask": (), "scalar offset": ("scalar of",)}


def has(construct, drawn):
    wanted, others = CONSTRUCTS[construct], NOT.get(construct, ())
    return any(name.startswith(wanted) and not (others and name.startswith(others)) for name in drawn)


def count_cells(first, count):
    cells = collections.Counter()
    for seed in range(first, first + count):
        drawn = collections.Counter()
        program = KINDS[seed % len(KINDS)](seed, drawn)
        found = [construct for construct in CONSTRUCTS if has(construct, drawn)]
        columns = {f"in {one}" for name, one in program.formats.items() if name != "Y"} | {f"into {program.formats['Y']}"}
        columns |= {name[len("values of "):] for name in drawn if name.startswith("values of ")} | set(found)
        for construct in found:
            cells.update((construct, column) for column in columns)
    return cells


def print_all(cells, titles):
    print("| | " + " | ".join(titles) + " |\n|---|" + "--:|" * len(titles))
    for construct in CONSTRUCTS:
        counts = [cells[construct, column] for column in titles]
        print(f"| {construct} | " + " | ".join(str(number) if number else "**0**" for number in counts) + " |")


def print_least(cells, titles):
    """A line a construct: how many programs have it, and the fewest of a column of each kind."""
    kinds = {"operands' storages": [title for title in titles if title.startswith("in ")],
             "results' storages": [title for title in titles if title.startswith("into ")],
             "types": [title for title in titles if not title.startswith(("in ", "into ")) and title not in CONSTRUCTS],
             "other constructs": list(CONSTRUCTS)}
    print("| construct | programs | " + " | ".join(f"least of {kind}" for kind in kinds) + " |\n|---|--:|" + "---|" * len(kinds))
    for construct in CONSTRUCTS:
        least = [min(columns, key=lambda column: cells[construct, column]) for columns in kinds.values()]
        print(f"| {construct} | {cells[construct, construct]} | " + " | ".join(
            f"{cells[construct, column]} {column}" for column in least) + " |")


def main():
    cells = count_cells(int(sys.argv[1]), int(sys.argv[2]))
    titles = sorted({column for _, column in cells if column not in CONSTRUCTS}) + list(CONSTRUCTS)
    (print_all if "--all" in sys.argv else print_least)(cells, titles)
    empty = sum(not cells[construct, column] for construct in CONSTRUCTS for column in titles)
    print(f"\n{sys.argv[2]} programs, {empty} of {len(CONSTRUCTS) * len(titles)} cells empty")
    return 1 if empty else 0


if __name__ == "__main__":
    sys.exit(main())
