"""The bounds that speed is held to, and whether a run keeps them: geometric means over the matrices, in f64 and f32
each and with one thread and all of them each."""

import dataclasses
import itertools

import results

ODD = 1.3
SLOWEST_TO_HAND, SLOWEST_TO_PEER = 1.4, 1.15  # on any one matrix
SPREAD = 1.3  # of the slowest process over the fastest, on any one matrix
STEADY = (("spgemm", "A*A"), ("spadd", "A+B"))  # what has to keep to it


@dataclasses.dataclass(frozen=True)
class Goal:
    """At least `bound` times faster than the contender; where it is `hand`, at most `bound` times slower."""
    kernel: str
    contender: str
    bound: float
    case: str = ""  # empty: each of the kernel's
    threads: tuple = ("one", "all")


_HAND = [Goal(*goal) for goal in (
    ("spmv", "hand", 1.10), ("spmm", "hand", 1.10, "K=32"), ("spmm", "hand", 1.10, "K=128"),
    ("sddmm", "hand", 1.10, "K=16"), ("sddmm", "hand", 1.10, "K=64"), ("mttkrp", "hand", 1.10), ("ttv", "hand", 1.10),
    ("ttm", "hand", 1.10), ("bsr-spmv", "hand", 1.10), ("spgemm", "hand", 1.25), ("spadd", "hand", 1.25),
    ("convert", "hand", 1.10, "coo>csr"))]
_PEERS = [Goal(*goal) for goal in (
    ("spmv", "eigen", 1.1), ("spmv", "graphblas", 1.25), ("spmv", "mkl", 1.15),
    ("spmm", "mkl", 1.3, "K=32"), ("spmm", "mkl", 1.3, "K=128"), ("spgemm", "mkl", 1.5),
    ("spmm", "eigen", 2.2, "K=32"), ("spmm", "graphblas", 2.2, "K=32"),
    ("spmm", "eigen", 1.7, "K=128"), ("spmm", "graphblas", 1.7, "K=128"),
    *(("spmm", "mlir", bound, case, (threads,)) for case in ("K=32", "K=128")
      for bound, threads in ((1.5, "one"), (2, "all"))),
    ("sddmm", "mlir", 1.25, "K=64", ("one",)), ("sddmm", "mlir", 1.7, "K=64", ("all",)),
    ("sddmm", "graphblas", 5, "K=64"),
    *(("spgemm", peer, 2) for peer in ("eigen", "graphblas", "mlir")),
    *(("spadd", peer, bound, "", (threads,)) for peer in ("eigen", "graphblas", "mlir")
      for bound, threads in ((1.3, "one"), (1.4, "all"))),
    ("mttkrp", "mlir", 1.6, "", ("all",)), ("bsr-spmv", "spc-csr", 1.5))]


def _speed(line):
    """What a bound is on: how much slower than the hand-written kernel spc is, how much faster than a peer."""
    return 1 / line.ratio if line.contender == "hand" else line.ratio


def _percent(lines, roofs):
    """The share of the lines' times that the roofs leave, as a percentage; empty where nothing is known of it."""
    shares = [least / line.seconds for line in lines if (least := results.roof_seconds(line, roofs))]
    return f"{100 * results.geometric_mean(shares):.0f} %" if shares else ""


def _beside(lines, key, roofs):
    """What stands beside a bound that is missed: how near to the roof spc and the hand-written kernel come with the
    type and the number of threads `key`, and the page faults of spc where there are any to speak of."""
    chosen = [line for line in lines if (line.type, line.threads) == key]
    said = []
    for name in ("spc", "hand"):
        share = _percent([line for line in chosen if line.contender == name], roofs)
        if share:
            said.append(f"{name} {share} of the roof")
    faults = max((line.faults for line in chosen if line.contender == "spc"), default=0)
    if faults >= 10:
        said.append(f"spc {faults:.0f} page faults a call")
    return ", ".join(said) or results.NONE


def _row(name, what, bound, values, columns, lines=(), roofs=()):
    """The row of one bound; `what` ends in ≤ or ≥, and `values` has the measured values by type and threads: those
    that break the bound stand out. `lines` are those of all contenders that the bound speaks of."""
    def breach(value):
        return value / bound if what.endswith("≤") else bound / value
    cells = [results.NONE if column not in values else
             f"**{values[column]:.2f}**" if breach(values[column]) > 1 else f"{values[column]:.2f}"
             for column in columns]
    worst = max(values, key=lambda column: breach(values[column]))
    kept = breach(values[worst]) <= 1
    return [name, f"{what} {bound:g}", *cells, "yes" if kept else "no",
            results.NONE if kept else _beside(lines, worst, roofs)]


def _goal_rows(lines, goal, columns, roofs):
    """A row for each case that the goal speaks of and that was measured."""
    chosen = [line for line in lines if line.kernel == goal.kernel and line.contender == goal.contender
              and (not goal.case or line.case == goal.case)
              and ("one" if line.threads == 1 else "all") in goal.threads]
    what = "spc / hand ≤" if goal.contender == "hand" else f"{goal.contender} / spc ≥"
    for subject, group in results.groups(chosen, "subject").items():
        values = {column: results.geometric_mean(map(_speed, part))
                  for column, part in results.groups(group, "type", "threads").items()}
        yield _row(results.title(*subject), what, goal.bound, values, columns,
                   [line for line in lines if line.subject == subject], roofs)


def _slow_rows(lines, columns, roofs):
    """A row for each matrix and contender where spc is slower than is allowed on any matrix; the hand-written kernels
    count where they have a goal."""
    for (subject, contender, matrix), group in results.groups(lines, "subject", "contender", "matrix").items():
        if contender == "hand" and not any(goal.kernel == subject[0] and goal.case in ("", subject[1])
                                           for goal in _HAND):
            continue
        bound = SLOWEST_TO_HAND if contender == "hand" else SLOWEST_TO_PEER
        values = {(line.type, line.threads): 1 / line.ratio for line in group}
        if not contender.startswith("spc") and max(values.values()) > bound:
            yield _row(f"{results.title(*subject)}, {matrix} alone", f"spc / {contender} ≤", bound, values, columns,
                       [line for line in lines if (line.subject, line.matrix) == (subject, matrix)], roofs)


def _spread_rows(lines, columns, roofs):
    """A row for each kernel whose processes have to take about the same time, measured in several: where memory stays
    with the process and where malloc gives it back."""
    for (subject, (name, suffix)) in itertools.product(STEADY, (("main", ""), ("memory", ", default malloc"))):
        of_subject = [line for line in lines if (line.set, line.subject) == (name, subject)]
        values = {column: max(line.spread for line in part) for column, part in results.groups(
            [line for line in of_subject if line.contender == "spc" and line.processes > 1], "type", "threads").items()}
        if values:
            yield _row(results.title(*subject) + suffix, "slowest / fastest process ≤", SPREAD, values, columns,
                       of_subject, roofs)


def _odd_rows(lines, columns, roofs):
    """A row for each K that is no multiple of 8."""
    lines = [line for line in lines if line.set == "odd" and line.contender == "spc"]
    for kernel, of_kernel in results.groups(lines, "kernel").items():
        costs = {key: dict(results.odd_costs(group))
                 for key, group in results.groups(of_kernel, "type", "threads").items()}
        for width in sorted({width for found in costs.values() for width in found}):
            values = {key: found[width] for key, found in costs.items() if width in found}
            yield _row(results.title(kernel, f"K={width}"), f"an operation / K={results.neighbour(width)}'s ≤", ODD,
                       values, columns, [line for line in of_kernel if results.operand_columns(line.case) == width],
                       roofs)


def table(lines, roofs=()):
    """(header, rows) with a row for each bound that what was measured has to do with: the kernel, the bound, the
    measured values by type and number of threads, whether all keep it, and what stands beside one that does not."""
    main = [line for line in lines if line.set == "main"]
    columns = [(type, threads) for type in results.ordered_types(main)
               for threads in sorted({line.threads for line in main})]
    rows = [row for goal in _HAND + _PEERS for row in _goal_rows(main, goal, columns, roofs)]
    header = ["kernel", "bound", *(f"{type}, {results.threads_title(threads)}" for type, threads in columns), "kept",
              "beside it"]
    return header, (rows + list(_slow_rows(main, columns, roofs)) + list(_spread_rows(lines, columns, roofs))
                    + list(_odd_rows(lines, columns, roofs)))
