"""The random programs of random_programs.py on 2 and 3 parts of their data, by each division that their signatures allow.

    divided.py SPC FIRST COUNT    exits with 1 where a result is wrong
"""
# SPDX-License-Identifier: Apache-2.0

import collections
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ModuleNotFoundError: # the system's interpreter may have it
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

from random_programs import KINDS

TAKE = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "or": np.logical_or, "and": np.logical_and}


class Divided:
    """A program that is right as a whole."""

    def __init__(self, program, spc, folder):
        self.program, self.spc, self.folder = program, os.path.abspath(spc), folder
        self.random = random.Random(program.text)
        arguments = list(program.arguments(folder))
        formats = [word for k, word in enumerate(arguments) if word == "--format" or k and arguments[k - 1] == "--format"]
        done = subprocess.run([self.spc, "compile", "k.tex", "-q", "--emit=signature", "-o", "-", *formats], cwd=folder,
                              capture_output=True, text=True, check=True)
        self.signature = json.loads(done.stdout)
        self.shapes = {one.get("part_of", one["name"]): one["shape"] for one in self.signature["arguments"] if "shape" in one}
        self.wholes = {one["name"]: one.get("part_of", one["name"]) for one in self.signature["arguments"]}

    def array(self, name):
        program = self.program
        return np.array(program.held[name]) if name in program.held else program.arrays[name]

    def cut(self, array, name, chosen):
        return array[np.ix_(*[chosen.get(extent, np.arange(size)) for extent, size in zip(self.shapes[name], array.shape)])]

    def halo(self, halo, chosen):
        """The coordinates that entries of slices have."""
        found = set(range(halo.get("least", 0)))
        for one in halo["listed_by"]:
            name = self.wholes[one["argument"]]
            part = self.cut(self.array(name), name, chosen)
            is_entry = part != (self.program.missing(name) if name in self.program.fills else 0)
            found |= set(np.nonzero(is_entry)[one["dim"]].tolist())
        return np.array(sorted(found), int)[:self.program.size(halo["extent"])]

    def run(self, chosen):
        """The result of a part."""
        program = self.program
        arrays, held, sizes = program.arrays, program.held, program.sizes
        known = [name for name in self.shapes if name != "Y" or "Y" in arrays]
        cut = {name: self.cut(self.array(name), name, chosen) for name in known if name in held or name in arrays}
        try:
            program.arrays = {**arrays, **{name: array for name, array in cut.items() if name not in held}}
            program.held = {**held, **{name: list(array) for name, array in cut.items() if name in held}}
            program.sizes = {**sizes, **{extent: len(own) for extent, own in chosen.items() if extent in sizes}}
            done = subprocess.run([self.spc, "run", "k.tex", "-q", "-O0", "-o", f"Y={program.file()}", "-Wno-asymptotic",
                                   *program.arguments(self.folder)], cwd=self.folder, capture_output=True, text=True)
            if done.returncode:
                raise ValueError(done.stderr)
            return program.read(os.path.join(self.folder, program.file()))[0]
        finally:
            program.arrays, program.held, program.sizes = arrays, held, sizes

    def check(self, division, count):
        """What is wrong."""
        extent, part = division["extent"], division["arguments"]["Y"]
        size = self.program.size(extent)
        ends = [0, *sorted(self.random.randint(0, size) for _ in range(count - 1)), size]
        whole = np.array(self.program.result)
        joined = None
        for begin, end in zip(ends, ends[1:]):
            chosen = {extent: np.arange(begin, end)}
            chosen.update({halo["extent"]: self.halo(halo, chosen) for halo in division.get("halos", [])})
            result = self.run(chosen)
            if part["part"] in TAKE:
                joined = result if joined is None else TAKE[part["part"]](joined, result).astype(result.dtype)
                continue
            joined = np.full(whole.shape, self.program.missing("Y"), result.dtype) if joined is None else joined
            joined[np.ix_(*[chosen.get(one, np.arange(n)) for one, n in zip(self.shapes["Y"], whole.shape)])] = result
        return "" if self.program.is_expected(joined) else f"by {division['index']} at {ends}:\n{joined}\nis wrong:\n{whole}"

    def all(self, counts):
        for division in self.signature["divide"]:
            if "refused" in division or "Y" not in self.shapes or division["extent"] not in self.program.sizes:
                counts["refused or without a result"] += 1
                continue
            for count in (2, 3):
                counts[division["arguments"]["Y"]["part"] + (", halo" if "halos" in division else "")] += 1
                if wrong := self.check(division, count):
                    return wrong
        return ""


def apart(source):
    """The program with a result for each size that it reads, in place of one for all."""
    lines = source.splitlines()
    sums = lines.pop().partition(" = ")[2].split(" + ")
    return "\n".join([*lines, *[f"unused{k} = {one}" for k, one in enumerate(sums)]]) + "\n"


def main():
    spc, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    drawn, counts, failed = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            program = KINDS[seed % len(KINDS)](seed, drawn)
            program.source = lambda source=program.source: apart(source())
            if not program.is_valid or program.run(os.path.abspath(spc), folder) != "":
                continue
            counts["programs"] += 1
            try:
                wrong = Divided(program, spc, folder).all(counts)
            except ValueError as error:
                wrong = f"a part fails: {error}"
            if wrong:
                failed += 1
                print(f"seed {seed}: {wrong}\n{program.source()}\n{program.formats} {program.sizes} k={program.k}\n")
    print(", ".join(f"{number} {what}" for what, number in counts.items()) + f", {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
