"""What the benchmarks measured: the lines of results.csv and roofs.csv, and how they are summed up."""

import csv
import dataclasses
import math

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
           "median_ratio_to_spc", "flops", "bytes")
TYPES = ("f64", "f32")
NONE = "–"  # in tables, where nothing was measured


@dataclasses.dataclass(frozen=True)
class Line:
    """One contender on one matrix; `ratio` is its time over that of spc, above 1 where spc is faster."""
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

    @property
    def subject(self):
        """The kernel and the case."""
        return (self.kernel, self.case)


@dataclasses.dataclass(frozen=True)
class Roof:
    name: str
    type: str
    threads: int
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


def read(path):
    """The lines of a results.csv: the columns that a benchmark writes, behind the name of the set of runs."""
    return _rows(path, ("set", *COLUMNS), lambda row: Line(
        row["set"], row["kernel"], row["case"], row["matrix"], int(row["entries"]), row["type"], int(row["threads"]),
        row["contender"], float(row["median_seconds"]), float(row["median_ratio_to_spc"]), float(row["flops"]),
        float(row["bytes"])))


def read_roofs(path):
    return _rows(path, ("roof", "type", "threads", "rate"),
                 lambda row: Roof(row["roof"], row["type"], int(row["threads"]), float(row["rate"])))


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
