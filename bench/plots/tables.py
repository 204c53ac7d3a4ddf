"""The tables of a run, in Markdown that reads as plain text as well."""

import statistics

import goals
import results
from results import NONE

TITLES = {
    "machine": "Machine",
    "roofs": "Roofs",
    "hand": "Time of spc / time of the hand-written best (greatest)",
    "ratios": "Time / time of spc, f64 / f32",
    "least": "Least time / time of spc on a matrix, f64 / f32",
    "hand-data": "Files: time of spc / time of the hand-written best (greatest)",
    "ratios-data": "Files: time / time of spc, f64 / f32",
    "least-data": "Files: least time / time of spc, f64 / f32",
    "spread": "How steady times are, f64 / f32",
    "memory": "Memory that malloc gives back, f64 / f32",
    "rates": "Rates of spc, f64 / f32",
    "bounds": "Bounds",
    "growth": "Exponent of time in the number of entries",
    "odd": "Time an operation at K / at the neighbouring multiple of 16",
    "scaling": "Time of one thread / time, f64 / f32",
}


def markdown(header, rows):
    """A table whose columns line up; the first is set to the left, the others to the right."""
    rows = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["| " + " | ".join(cell.rjust(width) if n else cell.ljust(width)
                               for n, (cell, width) in enumerate(zip(row, widths))) + " |" for row in rows]
    rule = "|" + "|".join("-" * (width + 1) + (":" if n else "-") for n, width in enumerate(widths)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def _by_type(lines, types, show):
    """"2.45 / 2.31": what `show` makes of the lines of each type, a dash where a type has none."""
    cells = [show(group) if (group := [line for line in lines if line.type == type]) else NONE for type in types]
    return NONE if set(cells) == {NONE} else " / ".join(cells)


def _mark(lines):
    """What stands behind a figure that times in two groups take part in."""
    return "†" if any(line.unsettled for line in lines) else ""


def _table(lines, contenders, show):
    """A row for each kernel, case and number of threads, a column for each contender."""
    types = results.ordered_types(lines)
    rows = []
    for subject in results.ordered_subjects(lines):
        of_subject = [line for line in lines if line.subject == subject]
        for threads in sorted({line.threads for line in of_subject}):
            chosen = [line for line in of_subject if line.threads == threads]
            rows.append([results.title(*subject), threads,
                         *(_by_type([line for line in chosen if line.contender == name], types, show)
                           for name in contenders)])
    return markdown(["kernel", "threads", *contenders], rows)


def ratios(lines):
    """The geometric mean over the matrices of a contender's time over that of spc."""
    return _table(lines, results.ordered_contenders(lines),
                  lambda group: f"{results.geometric_mean(line.ratio for line in group):.2f}{_mark(group)}")


def least(lines):
    """The least such ratio of a matrix: below 1 where spc was slower on one."""
    return _table(lines, results.ordered_contenders(lines), lambda group: f"{min(line.ratio for line in group):.2f}")


def behind_hand(lines):
    """The time of spc over that of the hand-written best: the geometric mean, and the matrix where it is greatest."""
    lines = [line for line in lines if line.contender == "hand"]
    types, threads = results.ordered_types(lines), sorted({line.threads for line in lines})
    rows = []
    for subject in results.ordered_subjects(lines):
        row = [results.title(*subject)]
        for type, count in ((type, count) for type in types for count in threads):
            group = [line for line in lines if (line.subject, line.type, line.threads) == (subject, type, count)]
            if group:
                worst = min(group, key=lambda line: line.ratio)
                mean = 1 / results.geometric_mean(line.ratio for line in group)
                row.append(f"{mean:.2f}{_mark(group)} ({1 / worst.ratio:.2f}{_mark([worst])} {worst.matrix})")
            else:
                row.append(NONE)
        rows.append(row)
    return markdown(["kernel", *(f"{type}, {results.threads_title(count)}" for type in types for count in threads)],
                    rows)


def _greatest(lines, value):
    """The geometric mean of a value over the matrices and the greatest, with its matrix."""
    worst = max(lines, key=value)
    return f"{results.geometric_mean(map(value, lines)):.2f} ({value(worst):.2f} {worst.matrix})"


def spread(lines):
    """How far times are apart, within a process and between them, what falls into two groups, and pages: page faults of
    a call and, on any matrix at most, what the process had in huge pages."""
    lines = [line for line in lines if line.contender in ("spc", "hand")]
    types, rows = results.ordered_types(lines), []
    for subject in results.ordered_subjects(lines):
        for threads, name in ((threads, name) for threads in sorted({line.threads for line in lines})
                              for name in ("spc", "hand")):
            chosen = [line for line in lines
                      if (line.subject, line.threads, line.contender) == (subject, threads, name)]
            if not chosen:
                continue
            grouped = sorted({line.matrix for line in chosen if line.two_groups})
            rows.append([
                results.title(*subject), threads, name,
                _by_type(chosen, types,
                         lambda group: f"{100 * statistics.mean(line.quartiles for line in group):.0f} %"),
                _by_type(chosen, types, lambda group: _greatest(group, lambda line: line.spread)),
                ", ".join(grouped) or results.NONE,
                _by_type(chosen, types, lambda group: f"{max(line.faults for line in group):.0f}"),
                _by_type(chosen, types, lambda group: f"{max(line.huge_bytes for line in group) / 2 ** 20:.0f}")])
    return markdown(["kernel", "threads", "contender", "quartiles apart", "slowest / fastest process", "in two groups",
                     "faults", "huge pages, MiB"], rows)


def rates(lines):
    """What spc reaches: operations and compulsory bytes a second, geometric means over the matrices."""
    lines = [line for line in lines if line.contender == "spc" and line.flops > 0 and line.bytes > 0]
    types, threads = results.ordered_types(lines), sorted({line.threads for line in lines})
    rows = []
    for subject in results.ordered_subjects(lines):
        row = [results.title(*subject)]
        for count in threads:
            chosen = [line for line in lines if line.subject == subject and line.threads == count]
            for amount in ("flops", "bytes"):
                row.append(_by_type(chosen, types, lambda group: "{:.1f}".format(
                    results.geometric_mean(getattr(line, amount) / line.seconds / 1e9 for line in group))))
        rows.append(row)
    header = [f"{unit}, {results.threads_title(count)}" for count in threads for unit in ("Gflop/s", "GB/s")]
    return markdown(["kernel", *header], rows)


def odd(lines):
    """For K beside a multiple of 16, the time an operation relative to that multiple's, spc alone."""
    lines = [line for line in lines if line.set == "odd" and line.contender == "spc"]
    groups = results.groups(lines, "kernel", "type", "threads")
    found = {key: dict(results.odd_costs(group)) for key, group in groups.items()}
    shown = sorted({columns for costs in found.values() for columns in costs})
    rows = [[f"{results.title(kernel)} {type}, {results.threads_title(threads)}",
             *(f"{costs[columns]:.2f}" if columns in costs else NONE for columns in shown)]
            for (kernel, type, threads), costs in found.items() if costs]
    return markdown(["kernel", *(f"{columns} : {results.neighbour(columns)}" for columns in shown)], rows)


def scaling(lines):
    """How many times faster than one thread, spc and the hand-written best."""
    lines = [line for line in lines if line.set == "scaling" and line.contender in ("spc", "hand")]
    counts = [count for count in sorted({line.threads for line in lines}) if count > 1]
    types = results.ordered_types(lines)
    rows = []
    for subject in results.ordered_subjects(lines):
        row = [results.title(*subject)]
        for name, count in ((name, count) for name in ("spc", "hand") for count in counts):
            chosen = [line for line in lines if line.subject == subject and line.contender == name]
            row.append(_by_type(chosen, types, lambda group: "{:.2f}".format(results.speedups(group)[count])
                                if count in results.speedups(group) else NONE))
        rows.append(row)
    header = [f"{name}, {results.threads_title(count)}" for name in ("spc", "hand") for count in counts]
    return markdown(["kernel", *header], rows)


def growth(lines):
    """The exponent with which time grows with the number of entries, spc alone: 1 is linear."""
    lines = [line for line in lines if line.set == "entries" and line.contender == "spc"]
    groups = results.groups(lines, "subject", "type", "threads")
    columns = sorted({key[1:] for key in groups}, key=lambda key: (results.TYPES.index(key[0]), key[1]))
    exponents = {key: f"{results.exponent(group):.2f}" for key, group in groups.items()
                 if len({line.entries for line in group}) > 1}
    rows = [[results.title(*subject), *(exponents.get((subject, *column), NONE) for column in columns)]
            for subject in results.ordered_subjects(lines)]
    return markdown(["kernel", *(f"{type}, {results.threads_title(count)}" for type, count in columns)], rows)


def roofs(measured):
    """The roofs, in GB/s and Gflop/s."""
    threads = sorted({roof.threads for roof in measured})
    by_roof = {(roof.name, roof.type, roof.threads): roof.rate for roof in measured}
    rows = []
    for name, type in dict.fromkeys((roof.name, roof.type) for roof in measured):
        kind = f"{name} {type}, " + ("Gflop/s" if name == "multiply-add" else "GB/s")
        rates_of = [by_roof.get((name, type, count)) for count in threads]
        rows.append([kind, *(f"{rate / 1e9:.1f}" if rate else NONE for rate in rates_of)])
    return markdown(["roof", *map(results.threads_title, threads)], rows)


def bounds(lines, measured_roofs):
    """What bounds are set, what was measured, whether they are kept, and what stands in the way of one that is not."""
    return markdown(*goals.table(lines, measured_roofs))


def machine(rows):
    return "| | |\n|---|---|\n" + "".join(f"| {what} | {value} |\n" for what, value in rows)


def blocks(lines, measured_roofs, machine_rows):
    """{name: Markdown} of all that was measured."""
    main, data = ([line for line in lines if line.set == name] for name in ("main", "data"))
    sets = {line.set for line in lines}
    made = {"machine": machine(machine_rows)} if machine_rows else {}
    if measured_roofs:
        made["roofs"] = roofs(measured_roofs)
    for suffix, chosen in (("", main), ("-data", data)):
        if chosen:
            made["ratios" + suffix], made["least" + suffix] = ratios(chosen), least(chosen)
            made["hand" + suffix] = behind_hand(chosen)
    if main:
        made["rates"], made["bounds"], made["spread"] = rates(main), bounds(lines, measured_roofs), spread(main)
    for name, set_name, make in (("growth", "entries", growth), ("odd", "odd", odd),
                                 ("scaling", "scaling", scaling)):
        if set_name in sets:
            made[name] = make(lines)
    if "memory" in sets:
        memory = [line for line in lines if line.set == "memory"]
        made["memory"] = ratios(memory) + "\n" + spread(memory)
    return made
