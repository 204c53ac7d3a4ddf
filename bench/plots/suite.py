"""What one run consists of: which program measures which kernel, with which arguments, for which plot."""

import dataclasses
import os
import re
import subprocess

PROGRAMS = ("spc_bench", "spc_assembly_bench")
# The dense width at which kernels are measured where the number of entries or of threads changes.
WIDTH = {"spmm": 32, "sddmm": 64, "mttkrp": 32}
# The case of a kernel that is measured there alone, each taking long.
CASE = {"spgemm": "A*A"}
# Kernels whose cost is measured against the number of entries, and the inputs for it: 16 in each row or fiber.
GROWING = {"spmv": "uniform", "spmm": "uniform", "sddmm": "uniform", "spgemm": "uniform", "spadd": "uniform",
           "mttkrp": "fibers", "ttv": "fibers"}
SCALING = ("spmv", "spmm", "sddmm", "spgemm", "spadd", "mttkrp", "ttv", "bsr-spmv")
ODD = {"spmm": (1, 3, 7, 16, 32, 33, 96, 100), "sddmm": (1, 3, 7, 16, 32, 33, 96, 100)}
ODD_INPUTS = ("uniform", "27-points")
# The dense widths that goals are set for: the ones at which files are measured.
GOAL_WIDTHS = {"spmm": (32, 128), "sddmm": (64,)}
# Kernels and widths without a goal that take seconds a round, and kernels that do so on large files: fewer rounds, and
# for the widths fewer processes.
LONG = ("spgemm",)
LONG_WIDTHS = {"spmm": (1, 8, 100, 512)}
LONG_PROCESSES = 2
LONG_DATA = ("spgemm",)
SETS = ("main", "memory", "data", "odd", "scaling", "entries")
# Sets that are measured in several processes, as what they show are figures; the others show shapes.
REPEATED = ("main", "memory", "data")
PROCESSES = 5
# Kernels with large results, which are measured with malloc as it is by default too: the case of each, and how many
# entries give blocks that malloc never keeps, above 32 MiB.
FRESH = {"spgemm": ("A*A", 524_288), "spadd": ("A+B", 3_000_000)}
ENTRIES = (10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000)


@dataclasses.dataclass(frozen=True)
class Run:
    """One process: a kernel, or as `only` one case of it, for one set of results. `process` counts those that do the
    same."""
    set: str
    process: int
    program: str
    kernel: str
    only: str
    arguments: tuple

    @property
    def name(self):
        told_apart = ("--entries", "--width") if self.kernel in LONG_WIDTHS else ("--entries",)
        return f"{self.set}-{self.kernel}" + "".join(
            f"-{value}" for name, value in zip(self.arguments, self.arguments[1:]) if name in told_apart
        ) + f"-{self.process}"


def kernels_of(program):
    """The kernels that a program's --only takes, from the line "KERNEL: ..." of its usage, without cases ("A*A")."""
    done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60)
    found = re.search(r"^KERNEL:(.*)$", done.stdout + done.stderr, re.MULTILINE)
    return [name for name in found[1].split() if re.fullmatch("[a-z][a-z0-9-]*", name)] if found else []


def _threads(counts):
    return tuple(word for count in counts for word in ("--threads", str(count)))


def _widths(widths):
    return tuple(word for width in widths for word in ("--width", str(width)))


def _sets(kernel, quick, data, cores, processes):
    """(set, arguments, processes) for one kernel."""
    ends = _threads(sorted({1, cores}))
    few, once = ("--rounds", "3"), ("--rounds", "3" if quick else "11")
    rounds = ("--rounds", "3" if quick or (kernel in LONG and processes > 1) else str(max(5, 11 // processes)))
    size = ("--entries", "65536") if quick else ()
    inputs = (GROWING[kernel],) if quick and kernel in GROWING else ()
    width = _widths([WIDTH[kernel]] if kernel in WIDTH else [])
    if kernel in LONG_WIDTHS:
        yield "main", rounds + size + ends + _widths(GOAL_WIDTHS[kernel]), processes
        yield "main", few + size + ends + _widths(LONG_WIDTHS[kernel]), min(processes, LONG_PROCESSES)
    else:
        yield "main", rounds + size + ends, processes
    if kernel in FRESH:
        entries = size or ("--entries", str(FRESH[kernel][1]))
        yield "memory", rounds + entries + ends + ("--default-malloc",), processes
    if data:
        wide = _widths(GOAL_WIDTHS.get(kernel, ()))
        yield "data", (few if kernel in LONG_DATA else rounds) + ends + wide + ("--data", str(data)), processes
    if kernel in ODD:
        yield "odd", once + size + ends + _widths(ODD[kernel]) + (inputs or ODD_INPUTS), 1
    if kernel in SCALING:
        steps = _threads(sorted({cores, *(1 << n for n in range(cores.bit_length()))}))
        yield "scaling", once + size + width + steps + inputs, 1
    if kernel in GROWING:
        for entries in ENTRIES[:5:2] if quick else ENTRIES:
            size = ("--entries", str(entries))
            yield "entries", (few if entries >= 1_000_000 else once) + size + width + ends + (GROWING[kernel],), 1


def runs(programs, kernels, sets, quick, data, cores=None, processes=PROCESSES):
    """All runs of `sets` for `kernels` (empty: all), `programs` being {program: [kernel]}; `data` is a folder of
    matrices and tensors, or None. Set by set, so that what is compared is measured close together, but the processes
    that do the same far apart from each other."""
    cores = cores or len(os.sched_getaffinity(0))
    listed = []
    for program, kernel in ((program, kernel) for program, known in programs.items() for kernel in known):
        if kernels and kernel not in kernels:
            continue
        for name, arguments, count in _sets(kernel, quick, data, cores, processes):
            only = (FRESH[kernel][0] if name == "memory" else
                    CASE.get(kernel, kernel) if name in ("scaling", "entries") else kernel)
            listed += [Run(name, process, program, kernel, only, arguments)
                       for process in range(1, count + 1)]
    return sorted((run for run in listed if run.set in sets), key=lambda run: (SETS.index(run.set), run.process))
