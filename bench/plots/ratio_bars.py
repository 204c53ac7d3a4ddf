"""Peer time over the time of spc for each kernel: bars from 1 on a logarithmic axis, to the right where spc is
faster."""

from matplotlib.patches import Patch

import results
import style

# Of kernels with many cases, those that are drawn; tables have all.
CASES = {"spmm": ("K=32", "K=128"), "sddmm": ("K=64",)}
BAR = 0.125  # inches


def drawn(line):
    """Whether plots of the main set show the line."""
    return line.set == "main" and (line.kernel not in CASES or line.case in CASES[line.kernel])


def _places(lines, subjects, contenders):
    """({(subject, contender): y}, {subject: y of the middle}, y of the end), a unit for each bar and one between
    subjects; a contender has the same y in all panels."""
    measured = {(line.subject, line.contender) for line in lines}
    bars, middles, y = {}, {}, 0
    for subject in subjects:
        present = [contender for contender in contenders if (subject, contender) in measured]
        middles[subject] = y + (len(present) - 1) / 2
        for contender in present:
            bars[subject, contender] = y
            y += 1
        y += 1
    return bars, middles, y


def _panel(axes, lines, bars, middles, end):
    for key, group in results.groups(lines, "subject", "contender").items():
        if key not in bars:
            continue
        ratio = results.geometric_mean(line.ratio for line in group)
        axes.barh(bars[key], ratio - 1, 0.9, left=1, color=style.colour(key[1]))
        axes.annotate(f"{ratio:.2f}", (ratio, bars[key]), (2 if ratio >= 1 else -2, 0), textcoords="offset points",
                      va="center", ha="left" if ratio >= 1 else "right", fontsize=6.5)
    style.logarithmic(axes.xaxis, [0.25, 0.5, 1, 2, 4, 8, 16, 32])
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(list(middles.values()), [results.title(*subject) for subject in middles])
    axes.set_ylim(end - 0.5, -1)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)


def _limits(lines, contenders):
    """Room for the values at the ends of the bars."""
    means = [results.geometric_mean(line.ratio for line in group)
             for (_, _, contender), group in results.groups(lines, "subject", "threads", "contender").items()
             if contender in contenders]
    return min(means + [1]) / 1.6, max(means + [1]) * 1.5


def draw(lines, path, type):
    """The plot for one element type; False where nothing was measured for it."""
    lines = [line for line in lines if drawn(line) and line.type == type]
    contenders = results.ordered_contenders(lines)
    if not contenders:
        return False
    bars, middles, end = _places(lines, results.ordered_subjects(lines), contenders)
    threads = sorted({line.threads for line in lines})
    figure, [axes] = style.panels(len(threads), 1.1 + end * BAR, sharey=True, sharex=True)
    for panel, count in zip(axes, threads):
        _panel(panel, [line for line in lines if line.threads == count], bars, middles, end)
        panel.set_title(f"{type}, {results.threads_title(count)}")
        panel.set_xlabel("time / time of spc")
    axes[0].set_xlim(*_limits(lines, contenders))
    style.legend_below(figure, [Patch(color=style.colour(name), label=name) for name in contenders])
    style.save(figure, path)
    return True
