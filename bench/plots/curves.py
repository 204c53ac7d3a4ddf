"""Plots of a cost against what it should grow with: entries, dense columns, threads."""

from matplotlib.lines import Line2D

import results
import style

SHOWN = {"spc": "-", "hand": "--"}  # contenders, by their lines, where a colour tells kernels apart


def _kernel_legend(figure, labels, contenders):
    """Colours of kernels, lines of contenders."""
    handles = [Line2D([], [], color=colour, marker=marker, markersize=4, label=label)
               for label, colour, marker in labels]
    if len(contenders) > 1:
        handles += [Line2D([], [], color="black", linestyle=SHOWN[name], label=name) for name in contenders]
    style.legend_below(figure, handles, 4)


def draw_entries(lines, path, type):
    """Time, and time for each entry, against the number of entries."""
    lines = [line for line in lines if line.set == "entries" and line.type == type and line.contender in SHOWN]
    if not lines:
        return False
    threads = sorted({line.threads for line in lines})
    subjects = results.ordered_subjects(lines)
    figure, axes = style.panels(len(threads), 6.6, rows=2, sharex=True, sharey="row")
    labels = []
    for n, subject in enumerate(subjects):
        colour, marker = style.KERNELS[n % len(style.KERNELS)], style.MARKERS[n % len(style.MARKERS)]
        exponents = []
        for (count, name), group in results.groups([line for line in lines if line.subject == subject], "threads",
                                                   "contender").items():
            points = results.curve(group, lambda line: line.entries, lambda line: line.seconds)
            column = threads.index(count)
            options = {"color": colour, "linestyle": SHOWN[name], "linewidth": 1.3 if name == "spc" else 0.8,
                       "marker": marker if name == "spc" else "", "markersize": 4}
            axes[0][column].plot(*zip(*points), **options)
            axes[1][column].plot(*zip(*[(x, y / x * 1e9) for x, y in points]), **options)
            if name == "spc" and len(points) > 1:
                exponents.append((count, f"{results.exponent(group):.2f}"))
        slopes = ", ".join(slope for _, slope in sorted(exponents))
        labels.append((f"{results.title(*subject)} ({slopes})" if slopes else results.title(*subject), colour, marker))
    for column, count in enumerate(threads):
        axes[0][column].set_title(f"{type}, {results.threads_title(count)}")
        axes[1][column].set_xlabel("entries")
        for row in (0, 1):
            axes[row][column].set_xscale("log")
            axes[row][column].set_yscale("log")
            axes[row][column].grid()
    axes[0][0].set_ylabel("seconds")
    axes[1][0].set_ylabel("nanoseconds / entry")
    _kernel_legend(figure, labels, [name for name in SHOWN if name in {line.contender for line in lines}])
    style.save(figure, path)
    return True


def draw_columns(lines, path, type):
    """Time against K, for each kernel with cases that name it; all contenders."""
    lines = [line for line in lines if line.set == "main" and line.type == type
             and results.operand_columns(line.case) is not None]
    by_kernel = {kernel: group for kernel, group in results.groups(lines, "kernel").items()
                 if len({line.case for line in group}) > 1}
    if not by_kernel:
        return False
    kernels = results.ordered_kernels([line for group in by_kernel.values() for line in group])
    threads = sorted({line.threads for line in lines})
    figure, axes = style.panels(len(threads), 0.9 + 2.6 * len(kernels), rows=len(kernels))
    for row, kernel in enumerate(kernels):
        for column, count in enumerate(threads):
            panel = axes[row][column]
            group = [line for line in by_kernel[kernel] if line.threads == count]
            for name in results.ordered_contenders(group) + ["spc"]:
                points = results.curve([line for line in group if line.contender == name],
                                lambda line: results.operand_columns(line.case), lambda line: line.seconds * 1e3)
                if points:
                    panel.plot(*zip(*points), color=style.colour(name), marker="o" if name == "spc" else "D",
                               markersize=4.5 if name == "spc" else 3.5, linewidth=1.6 if name == "spc" else 0.9)
            style.logarithmic(panel.xaxis, style.apart({results.operand_columns(line.case) for line in group}))
            style.logarithmic(panel.yaxis)
            _proportional(panel)
            panel.grid()
            panel.set_title(f"{results.title(kernel)}, {type}, {results.threads_title(count)}")
            panel.set_xlabel("K")
        axes[row][0].set_ylabel("milliseconds")
    _contender_legend(figure, lines)
    style.save(figure, path)
    return True


def _proportional(panel):
    """A dotted line along which time grows as K does, through the last point of the curve drawn last."""
    x, y = panel.lines[-1].get_data()
    limits = panel.get_ylim()
    panel.plot([x[0], x[-1]], [y[-1] * x[0] / x[-1], y[-1]], color="black", linewidth=0.8, linestyle=":")
    panel.set_ylim(limits)


def _contender_legend(figure, lines):
    names = ["spc"] + results.ordered_contenders(lines)
    style.legend_below(figure, [Line2D([], [], color=style.colour(name), marker="o" if name == "spc" else "D",
                                       markersize=4, label=name) for name in names])


def draw_scaling(lines, path):
    """Speed against threads, relative to one."""
    lines = [line for line in lines if line.set == "scaling" and line.contender in SHOWN]
    if not lines:
        return False
    types, subjects = results.ordered_types(lines), results.ordered_subjects(lines)
    counts = sorted({line.threads for line in lines})
    figure, [axes] = style.panels(len(types), 4.4, sharey=True)
    labels = []
    for n, subject in enumerate(subjects):
        colour, marker = style.KERNELS[n % len(style.KERNELS)], style.MARKERS[n % len(style.MARKERS)]
        labels.append((results.title(*subject), colour, marker))
        for (type, name), group in results.groups([line for line in lines if line.subject == subject], "type",
                                                  "contender").items():
            points = results.speedups(group).items()
            if points:
                axes[types.index(type)].plot(*zip(*points), color=colour, linestyle=SHOWN[name],
                                             linewidth=1.3 if name == "spc" else 0.8,
                                             marker=marker if name == "spc" else "", markersize=4)
    for panel, type in zip(axes, types):
        panel.plot(counts, counts, color="black", linewidth=0.8, linestyle=":")
        style.logarithmic(panel.xaxis, counts)
        style.logarithmic(panel.yaxis, counts)
        panel.grid()
        panel.set_title(type)
        panel.set_xlabel("threads")
    axes[0].set_ylabel("time of one thread / time")
    _kernel_legend(figure, labels, [name for name in SHOWN if name in {line.contender for line in lines}])
    style.save(figure, path)
    return True
