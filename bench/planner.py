#!/usr/bin/env python3
"""Kernels as users write them, beside the best order of their sums by hand, with temporaries. README.md says more.

    PYTHONPATH=python python3 bench/planner.py [--only NAME]... [--rounds N] [--no-times] [--small] [--json FILE] [MATRIX]
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import multiprocessing
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp

import spc
from planner_galley import steps_of_galley
from planner_kernels import KERNELS
from planner_orders import plan_taken, product_of, steps_of_path, steps_of_plan

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPC = os.environ.get("SPC_COMPILER") or f"{os.environ.get('SPC_BUILD', ROOT / 'build')}/bin/spc"
AS_WRITTEN = "--plan=as-written"
SECONDS = 3e-3           # of calls in a round, or one
MOST_COUNTED = 15000     # entries of an operand whose steps are counted
LIMITS = {"steps": 1.2, "time": 1.15, "planning": 0.1, "orders": 1.1}


class Sparse:
    """Coordinates in order, by rows, without repeats, and values."""

    def __init__(self, shape, mean, skewed, rng):
        cells = np.prod([float(n) for n in shape])
        count = int(max(1, min(mean * shape[0], 0.5 * cells)))
        powers = (3.0, *(2.0,) * (len(shape) - 1)) if skewed else (1.0,) * len(shape)
        order = [rng.permutation(n) if n < 1 << 20 else None for n in shape]  # so that large rows stand anywhere
        drawn = [np.minimum((n * rng.random(count) ** p).astype(np.int64), n - 1) for n, p in zip(shape, powers)]
        drawn = [one if by is None else by[one] for one, by in zip(drawn, order)]
        if len(shape) > 1 and mean >= 1 and skewed:  # most entries are anywhere in rows, as of graphs
            drawn[0][: 2 * count // 3] = rng.integers(0, shape[0], 2 * count // 3)
        self.shape, self.coordinates = shape, np.unique(np.stack(drawn, axis=1), axis=0)
        self.values = rng.random(len(self.coordinates)) + 0.5

    @classmethod
    def of(cls, matrix):
        """SciPy's matrix, of which the values are made."""
        matrix, made = sp.csr_array(matrix).tocoo(), cls.__new__(cls)
        made.shape = tuple(map(int, matrix.shape))
        made.coordinates = np.unique(np.stack([matrix.row, matrix.col], axis=1).astype(np.int64), axis=0)
        made.values = np.random.default_rng(1).random(len(made.coordinates)) + 0.5
        return made

    def dense(self):
        """As NumPy's array."""
        made = np.zeros(self.shape)
        made[tuple(self.coordinates.T)] = self.values
        return made

    def stored(self, storage):
        """As an operand of a kernel that reads it in this format."""
        if storage == "csr":
            made = sp.csr_array((self.values, tuple(self.coordinates.astype(np.int32).T)), shape=self.shape)
            made.sort_indices()
            return made
        columns = [np.ascontiguousarray(one.astype(np.int32)) for one in self.coordinates.T]
        return spc.convert(spc.coo(columns, self.values, shape=self.shape), storage)

    def write(self, path):
        """A file, whose path is returned."""
        path = path.with_suffix(".tns" if len(self.shape) == 3 else ".mtx")
        with open(path, "w", encoding="ascii") as file:
            shape = (*self.shape, 1)[:2]
            if path.suffix == ".mtx":
                file.write(f"%%MatrixMarket matrix coordinate real general\n{shape[0]} {shape[1]} {len(self.values)}\n")
            for place, value in zip(self.coordinates + 1, self.values):
                place = (*place, 1) if len(place) == 1 else place
                file.write(" ".join(map(str, place)) + f" {float(value)!r}\n")
        return path


def operands_of(kernel, sizes, matrix=None):
    """By name: a number, an array or a Sparse. `matrix`, which is square, takes the place of all square ones in csr."""
    if matrix:
        large = max(sizes.values())
        sizes = {index: matrix.shape[0] if size == large else size for index, size in sizes.items()}
    rng, made = np.random.default_rng(1), {}
    for name, shape in kernel.shapes.items():
        indices, _, storage = shape.partition(":")
        extents = tuple(sizes[index] for index in indices.split())
        words = storage.split()
        if words[:1] == ["csr"] and matrix and extents == matrix.shape:
            made[name] = matrix
        elif words:
            made[name] = Sparse(extents, float(words[1]), words[2:] != ["0"], rng)
        else:
            made[name] = rng.random(extents) + 0.5 if extents else 0.75
    return made


def places_of(operands):
    """Shapes and coordinates, or None of dense ones."""
    return {name: (one.shape, one.coordinates) if isinstance(one, Sparse) else (np.shape(one), None)
            for name, one in operands.items()}


def smaller(sizes, largest):
    """Sizes up to `largest`; equal ones stay equal, others differ."""
    distinct = sorted(set(sizes.values()))
    return {index: min(size, largest + distinct.index(size)) for index, size in sizes.items()}


def sizes_to_count(kernel):
    """Half the large sizes, again and again, until no operand has too many entries."""
    sizes = dict(kernel.sizes)
    while any(len(one.values) > MOST_COUNTED for one in operands_of(kernel, sizes).values() if isinstance(one, Sparse)):
        sizes = {index: size // 2 if size > 200 else size for index, size in sizes.items()}
    return sizes


def formats_of(kernel):
    """Of operands and of what the kernel says of others."""
    stored = {name: shape.partition(":")[2].split()[0] for name, shape in kernel.shapes.items() if ":" in shape}
    return {**stored, **kernel.formats}


class Program:
    """One spelling of a kernel, in a file of a folder that lives longer."""

    def __init__(self, kernel, text, by_hand, folder, options=()):
        self.kernel, self.text, self.folder, self.by_hand = kernel, text, pathlib.Path(folder), by_hand
        self.path = self.folder / ("hand.tex" if by_hand else "kernel.tex")
        self.path.write_text(text + "\n", encoding="utf-8")
        names = set(re.findall(r"\w+", text))
        self.formats = {name: one for name, one in formats_of(kernel).items() if name in names}
        self.options = [*kernel.options, *([AS_WRITTEN] if by_hand else []), *options]

    def callable(self):
        target = re.search(r"(\w+)(\([^()]*\))?\s*=[^=]*$", self.text.splitlines()[-1].split("=")[0] + "=")
        formats = dict(self.formats)
        if target and target.group(2):
            formats.setdefault(target.group(1), "dense")
        return spc.kernel(self.text, formats=formats, options=self.options, name="kernel")

    def run(self, command, *arguments):
        """A command of spc that has ended."""
        formats = [f"--format={name}={one}" for name, one in self.formats.items()]
        options = ["--name=kernel", *formats, *self.options, *arguments, "-q"]
        done = subprocess.run([SPC, command, str(self.path), *options], capture_output=True, text=True, cwd=self.folder,
                              check=False)
        if done.returncode:
            print(f"{self.kernel.name}: {command}: {done.stderr[:2000]}", file=sys.stderr)
        return done

    def unoptimised(self):
        return [] if "-O0" in self.options else ["-O0"]

    def plan(self):
        return self.run("compile", "--emit=plan", "-o-").stdout

    def inputs(self, operands):
        """Arguments of spc run and of spc explain that are the operands."""
        arguments = []
        for name, one in operands.items():
            if not re.search(rf"\b{name}\b", self.text):
                continue
            if isinstance(one, float):
                arguments.append(f"{name}={one}")
                continue
            path = self.folder / name
            if isinstance(one, Sparse):
                path = one.write(path)
                arguments.append(f"--shape={name}=" + "x".join(map(str, one.shape)))
            else:
                path = path.with_suffix(".npy")
                np.save(path, one)
            arguments.append(f"{name}={path}")
        return arguments

    def steps(self, operands):
        """Counted on the operands: by spc explain, or here where that does not know what entries a temporary has."""
        out = self.run("explain", *self.unoptimised(), *self.inputs(operands)).stdout
        taken = re.search(r"in plan (\d+) of \d+, which a call on this data runs", out)
        plan = plan_taken(self.plan(), int(taken.group(1)) if taken else 1)
        if re.search(r", assembled", plan):
            return steps_of_plan(plan, places_of(operands))
        found = re.search(r"A call on this data\n  steps: ([\d,]+)", out)
        return int(found.group(1).replace(",", "")) if found else None

    def is_right(self, operands):
        """What --check says, whose evaluation shares neither plans nor loops with the compiler. It has no bound for
        sums that are multiplied out: NumPy alone checks these."""
        if "--fp=distribute" in self.options:
            return True
        return self.run("run", *self.unoptimised(), "--check", "--threads=1", *self.inputs(operands)).returncode == 0

    def planning(self):
        """Which share of a compilation checking and planning take together."""
        out = self.run("compile", "--time-passes", "--mcpu=native", "-o", "kernel.o").stderr
        times = {name: float(ms) for ms, name in re.findall(r"([\d.]+) ms  (.*)", out)}
        return times["check the kernel"] / times["total"] if "total" in times else None


def text_of(kernel, folder):
    """What the user writes, or spc grad."""
    if not kernel.gradient:
        return kernel.text
    text, of, by = kernel.gradient
    path = pathlib.Path(folder) / "function.tex"
    path.write_text(text + "\n", encoding="utf-8")
    formats = [f"--format={name}={one}" for name, one in formats_of(kernel).items()]
    done = subprocess.run([SPC, "grad", str(path), *formats, f"--of={of}", f"--wrt={by}", "-o-"], capture_output=True,
                          text=True, check=True)
    return "\n".join(line for line in done.stdout.splitlines() if line and not line.startswith(("#", "kernel ")))


def dense(result):
    if isinstance(result, dict):
        result = spc.convert(result, "csr")
        result = sp.csr_array((result["values"], result["indices_1"], result["pointers_to_1"]), shape=result["shape"])
    return result.toarray() if sp.issparse(result) else np.asarray(result)


def call_of(program, operands):
    """A function without arguments."""
    given = {name: one.stored(program.formats[name]) if isinstance(one, Sparse) else one
             for name, one in operands.items() if re.search(rf"\b{name}\b", program.text)}
    return program.callable().bind(**given)


def agrees(program, operands):
    """Whether a call gives what NumPy does."""
    arrays = (one.dense() if isinstance(one, Sparse) else one for one in operands.values())
    right = np.asarray(program.kernel.right(*arrays))
    made = dense(call_of(program, operands)())
    return made.shape == right.shape and np.allclose(made, right, rtol=1e-9, equal_nan=True,
                                                       atol=1e-10 * (1 + np.nanmax(np.abs(right))))


def time_of(call):
    """Seconds of processor time, on one thread, that a call takes, after one that warms the caches."""
    call()
    count, start = 0, time.thread_time()
    while count == 0 or time.thread_time() - start < SECONDS:
        call()
        count += 1
    return (time.thread_time() - start) / count


def measure(kernel, chosen, folder):
    """A row of the table, as a dictionary."""
    spc.set_threads(1)
    warnings.simplefilter("ignore")
    level = ["-O0"] if chosen.small else []
    written = Program(kernel, text_of(kernel, folder), False, folder, level)
    hand = Program(kernel, kernel.hand, True, folder, level)
    row = {"name": kernel.name, "text": written.text, "plan": written.plan(), "hand_plan": hand.plan(), "failed": []}
    small = operands_of(kernel, smaller(kernel.sizes, 5))
    row["right"] = all(one.is_right(small) for one in (written, hand))
    if not chosen.small:
        counted = operands_of(kernel, sizes_to_count(kernel))
        row["steps"], row["hand_steps"] = written.steps(counted), hand.steps(counted)
        row["planning"] = written.planning()
        row["orders"], row["galley"] = orders_of(written, counted, row["steps"])
    if not chosen.no_times:
        row["right"] = row["right"] and all(agrees(one, small) for one in (written, hand))
        if not chosen.small:
            operands = operands_of(kernel, kernel.sizes, chosen.matrix)
            calls = [call_of(one, operands) for one in (written, hand)]
            once = time_of(calls[0]) + time_of(calls[1])
            times = np.array([[time_of(call) for call in (calls if n % 2 else calls[::-1])][::1 if n % 2 else -1]
                              for n in range(chosen.rounds if once < 0.1 else 3)])
            row["seconds"], row["hand_seconds"] = map(float, np.median(times, axis=0))
            row["time"] = statistics.median(times[:, 0] / times[:, 1])
    if row.get("steps") and row.get("hand_steps"):
        row["ratio"] = row["steps"] / row["hand_steps"]
    return row


def orders_of(program, operands, steps):
    """Our steps over those of opt_einsum's best order and over those of Galley's, of products; None of others, or where
    what is compared with is missing."""
    product = product_of(program.text) if steps else None
    if not product:
        return None, None
    found = (one(*product, places_of(operands)) for one in (steps_of_path, steps_of_galley))
    return tuple(steps / one if one else None for one in found)


def in_process(kernel, chosen):
    """measure() in a process of its own, which neither memory nor time of a bad plan can take the others with."""
    receiver, sender = multiprocessing.Pipe(False)

    def work():
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (chosen.seconds, chosen.seconds + 1))
        with tempfile.TemporaryDirectory() as folder:
            try:
                sender.send(measure(kernel, chosen, folder))
            except Exception as error:  # any of the row's: the others go on
                sender.send({"name": kernel.name, "error": f"{type(error).__name__}: {error}"})

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    sender.close()
    try:
        row = receiver.recv()
    except EOFError:
        row = {"name": kernel.name, "error": f"took more than {chosen.seconds} s, or failed"}
    process.join()
    return row


def line_of(row):
    if "error" in row:
        return f"| {row['name']} | {row['error'].splitlines()[0][:100]} | | | | | | | | |"

    def text(key, form, unit=1):
        return "–" if row.get(key) is None else form.format(unit * row[key])

    def ratio(key, limit):
        value = row.get(key)
        if value is None:
            return "–"
        return f"{value:.2f}" if value <= LIMITS[limit] else f"**{value:.2f}**"

    return (f"| {row['name']} | {text('steps', '{:,.0f}')} | {text('hand_steps', '{:,.0f}')} | "
            f"{ratio('ratio', 'steps')} | {text('seconds', '{:.3g}', 1e3)} | {text('hand_seconds', '{:.3g}', 1e3)} | "
            f"{ratio('time', 'time')} | {ratio('planning', 'planning')} | {ratio('orders', 'orders')} | "
            f"{ratio('galley', 'orders')} | "
            f"{'yes' if row['right'] else '**no**'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("matrix", nargs="?", help="a square .mtx or .mtx.gz: what is timed has it for all square ones")
    parser.add_argument("--only", action="append", help="kernels whose names hold this")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=90, help="of processor time that a kernel may take")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--small", action="store_true", help="checks on small data alone")
    parser.add_argument("--json", type=pathlib.Path, help="a file for all, plans included")
    chosen = parser.parse_args()
    chosen.matrix = Sparse.of(scipy.io.mmread(chosen.matrix)) if chosen.matrix else None
    rows, right = [], True
    print("| kernel | steps | by hand | ratio | ms | by hand | ratio | planning | to opt_einsum | to Galley | right |\n"
          "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    for kernel in KERNELS:
        if chosen.only and not any(name in kernel.name for name in chosen.only):
            continue
        rows.append(in_process(kernel, chosen))
        right = right and rows[-1].get("right", False)
        print(line_of(rows[-1]), flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
