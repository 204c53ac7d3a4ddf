"""What the benchmarks measured: the lines of results.csv and roofs.csv, and how they are summed up."""

import csv
import dataclasses
import math
import statistics

# A kernel's name in tables and plots, in their order; one that is missing here comes last, under its own name.
KERNELS = {
    "spmv": "SpMV",
    "spmm": "SpMM",
    "sddmm": "SDDMM",
    "spgemm": "SpGEMM",
    "spadd": "SpAdd",
    "mttkrp": "MTTKRP",
    "ttv": "TTV",
    "ttm": "TTM",
    "bsr-spmv": "BSR SpMV",
    "bsr-spmm": "BSR SpMM",
    "gcn": "GCN layer",
    "attention": "attention",
}
COLUMNS = ("kernel", "case", "matrix", "rows", "cols", "entries", "type", "threads", "contender", "median_seconds",
           "median_ratio_to_spc", "flops", "bytes", "faults", "huge_bytes", "round_seconds")
TYPES = ("f64", "f32")
NONE = "–"  # in tables, where nothing was measured


@dataclasses.dataclass(frozen=True)
class Line:
    """One contender on one matrix, in all processes: medians over them. `ratio` is its time over that of spc, above 1
    where spc is faster."""
    set: str
    kernel: str
    case: str
    matrix: str
    entries: int
    type: str
    threads: int
    contender: str
    seconds: float
    ratio: float
    flops: float
    bytes: float
    faults: float  # page faults of a call
    huge_bytes: float  # of the process in huge pages after a call
    processes: int
    quartiles: float  # their distance over the rounds of a process, in proportion to the median
    spread: float  # the slowest process's median over the fastest one's
    two_groups: bool  # whether the times of all rounds fall into two groups
    unsettled: bool  # whether its own do or those of spc that it is compared with

    @property
    def subject(self):
        """The kernel and the case."""
        return (self.kernel, self.case)


@dataclasses.dataclass(frozen=True)
class Roof:
    name: str
    type: str
    threads: int
    bytes: int  # of the arrays of all threads; 0: none
    rate: float


class Unreadable(Exception):
    """A file of results lacks a column or has a value that is no number."""


def _rows(path, columns, make):
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        missing = [column for column in columns if column not in (reader.fieldnames or [])]
        if missing:
            raise Unreadable(f"{path}: no column '{missing[0]}'")
        try:
            return [make(row) for row in reader]
        except (TypeError, ValueError) as error:
            raise Unreadable(f"{path}:{reader.line_num}: {error}") from None


def in_two_groups(times, gap=1.2, least_share=0.2, fewest=10):
    """Whether there is a gap between sorted times, the next one above it being `gap` times the one below or more, with
    at least a fifth of them on either side. Of fewer than ten times nothing is said."""
    times = sorted(times)
    least = math.ceil(least_share * len(times))
    return len(times) >= fewest and any(times[n] >= gap * times[n - 1] for n in range(least, len(times) - least + 1))


def _quartile_distance(times):
    times = sorted(times)
    return (times[len(times) * 3 // 4] - times[len(times) // 4]) / times[len(times) // 2]


def _merged(parts):
    """The lines of all processes as one; `parts` has a dictionary and the times of its rounds for each process."""
    rows, rounds = zip(*parts)
    seconds = [float(row["median_seconds"]) for row in rows]

    def median(column):
        return statistics.median(float(row[column]) for row in rows)
    first, two_groups = rows[0], in_two_groups([time for times in rounds for time in times])
    return Line(
        first["set"], first["kernel"], first["case"], first["matrix"], int(first["entries"]), first["type"],
        int(first["threads"]), first["contender"], statistics.median(seconds), median("median_ratio_to_spc"),
        float(first["flops"]), float(first["bytes"]), median("faults"), median("huge_bytes"), len(rows),
        statistics.median(map(_quartile_distance, rounds)), max(seconds) / min(seconds), two_groups, two_groups)


def read(path):
    """The lines of a results.csv: the columns that a benchmark writes, behind the name of the set of runs and the
    number of the process."""
    def check(row):
        [float(row[column]) for column in ("median_seconds", "median_ratio_to_spc", "flops", "bytes", "faults",
                                           "huge_bytes")]
        int(row["entries"]), int(row["threads"])
        times = [float(time) for time in row["round_seconds"].split()]
        return row, times or [float(row["median_seconds"])]
    parts = {}
    for row, times in _rows(path, ("set", "process", *COLUMNS), check):
        key = tuple(row[name] for name in ("set", "kernel", "case", "matrix", "entries", "type", "threads"))
        parts.setdefault((key, row["contender"]), []).append((row, times))
    lines = {key: _merged(group) for key, group in parts.items()}
    return [dataclasses.replace(line, unsettled=True)
            if (beside := lines.get((key, "spc"))) and beside.two_groups else line
            for (key, _), line in lines.items()]


def read_roofs(path):
    return _rows(path, ("roof", "type", "threads", "bytes", "rate"),
                 lambda row: Roof(row["roof"], row["type"], int(row["threads"]), int(row["bytes"]), float(row["rate"])))


def roof_seconds(line, roofs):
    """What the roofs leave of a line's time: that of its operations or of its traffic, whichever is longer, from the
    nearest cache that holds twice what its roof was measured with; None without roofs for it."""
    fitting = [roof for roof in roofs if roof.threads == line.threads]
    peak = next((roof.rate for roof in fitting if roof.name == "multiply-add" and roof.type == line.type), None)
    levels = sorted((roof for roof in fitting if roof.name.startswith("triad")), key=lambda roof: roof.bytes)
    if not peak or not levels:
        return None
    level = next((roof for roof in levels if line.bytes <= 2 * roof.bytes), levels[-1])
    return max(line.flops / peak, line.bytes / level.rate)


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def groups(lines, *keys):
    """The lines by the values of those attributes, in order of appearance: {(value, ...): [line, ...]}, or
    {value: [line, ...]} for one key."""
    found = {}
    for line in lines:
        values = tuple(getattr(line, key) for key in keys)
        found.setdefault(values if len(keys) > 1 else values[0], []).append(line)
    return found


def ordered_kernels(lines):
    """The names of the kernels that were measured, in the order of KERNELS."""
    order = list(KERNELS)
    measured = dict.fromkeys(line.kernel for line in lines)
    return sorted(measured, key=lambda kernel: order.index(kernel) if kernel in order else len(order))


def case_order(case):
    """Sorts K=8 before K=32, and names by themselves."""
    name, _, number = case.partition("=")
    return (name, int(number)) if number.isdigit() else (case, 0)


def ordered_subjects(lines):
    """The kernels and cases that were measured, in the order of tables."""
    kernels = ordered_kernels(lines)
    return sorted(dict.fromkeys(line.subject for line in lines),
                  key=lambda subject: (kernels.index(subject[0]), case_order(subject[1])))


def title(kernel, case=""):
    return " ".join(filter(None, (KERNELS.get(kernel, kernel), case)))


def ordered_contenders(lines):
    """The contenders that were measured: hand first, then by name, spc left out."""
    names = {line.contender for line in lines} - {"spc"}
    return sorted(names, key=lambda name: (name != "hand", name))


def ordered_types(lines):
    return sorted({line.type for line in lines}, key=lambda type: TYPES.index(type) if type in TYPES else len(TYPES))


def operand_columns(case):
    """K of a case that names one, else None."""
    name, _, number = case.partition("=")
    return int(number) if name in ("K", "R") and number.isdigit() else None


def threads_title(threads):
    return "1 thread" if threads == 1 else f"{threads} threads"


def curve(lines, x, y):
    """[(x, geometric mean of y)], ascending, of the lines with the same x."""
    by_x = {}
    for line in lines:
        by_x.setdefault(x(line), []).append(y(line))
    return [(place, geometric_mean(values)) for place, values in sorted(by_x.items())]


def exponent(lines):
    """The exponent with which time grows with entries: the slope of least squares through the logarithms of at least
    two numbers of entries."""
    points = curve(lines, lambda line: line.entries, lambda line: line.seconds)
    logarithms = [(math.log(x), math.log(y)) for x, y in points]
    x_mean, y_mean = (sum(values) / len(points) for values in zip(*logarithms))
    return (sum((x - x_mean) * (y - y_mean) for x, y in logarithms)
            / sum((x - x_mean) ** 2 for x, _ in logarithms))


def speedups(lines):
    """{threads: geometric mean over the matrices of the time of one thread over that of so many}; {} without times of
    one thread."""
    single = {(line.matrix, line.subject, line.contender): line.seconds for line in lines if line.threads == 1}
    quotients = {}
    for line in lines:
        alone = single.get((line.matrix, line.subject, line.contender))
        if alone:
            quotients.setdefault(line.threads, []).append(alone / line.seconds)
    return {count: geometric_mean(values) for count, values in sorted(quotients.items())}


def neighbour(columns):
    """The nearest multiple of 16 above 0."""
    return max(16, (columns + 8) // 16 * 16)


def odd_costs(lines):
    """[(K, time an operation relative to the neighbour's, geometric mean over the matrices)], of one kernel, type,
    number of threads and contender, for each K that is no multiple of 8 and was measured with its neighbour."""
    times = {(operand_columns(line.case), line.matrix): line.seconds for line in lines
             if operand_columns(line.case) is not None}
    relative = {}
    for (columns, matrix), seconds in sorted(times.items()):
        beside = times.get((neighbour(columns), matrix))
        if columns % 8 and beside:
            relative.setdefault(columns, []).append(seconds / columns / (beside / neighbour(columns)))
    return [(columns, geometric_mean(values)) for columns, values in relative.items()]
