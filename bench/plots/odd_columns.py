"""What an operation costs at a K that fills no whole number of vectors, next to the multiple of 16 that is nearest."""

from matplotlib.patches import Patch

import results
import style

GOAL = 1.3


def draw(lines, path, kernel):
    """The plot for one kernel; False where no such K was measured."""
    lines = [line for line in lines if line.set == "odd" and line.kernel == kernel]
    groups = results.groups(lines, "type", "threads", "contender")
    bars = {key: results.odd_costs(group) for key, group in groups.items()}
    shown = sorted({columns for found in bars.values() for columns, _ in found})
    if not shown:
        return False
    types = results.ordered_types(lines)
    threads = sorted({line.threads for line in lines})
    names = ["spc"] + results.ordered_contenders(lines)
    figure, axes = style.panels(len(threads), 0.9 + 2.2 * len(types), rows=len(types), sharey=True)
    width = 1 / (len(names) + 1)
    for (type, count, name), found in bars.items():
        panel = axes[types.index(type)][threads.index(count)]
        for columns, cost in found:
            place = shown.index(columns) + (names.index(name) - (len(names) - 1) / 2) * width
            panel.bar(place, cost - 1, width * 0.9, bottom=1, color=style.colour(name))
            if name == "spc":
                panel.annotate(f"{cost:.2f}", (place, max(cost, 1)), (0, 1), textcoords="offset points", fontsize=7,
                               ha="center", va="bottom", color=style.colour(name),
                               bbox={"color": "white", "pad": 0.3})
    for row, type in enumerate(types):
        for column, count in enumerate(threads):
            panel = axes[row][column]
            style.logarithmic(panel.yaxis, [0.5, 1, 2, 4, 8, 16])
            panel.margins(y=0.25)
            panel.axhline(1, color="black", linewidth=1)
            panel.axhline(GOAL, color="black", linewidth=0.7, linestyle=":")
            panel.set_xticks(range(len(shown)), [f"{columns} : {results.neighbour(columns)}" for columns in shown])
            panel.set_title(f"{results.title(kernel)}, {type}, {results.threads_title(count)}")
            panel.grid(axis="y")
        axes[row][0].set_ylabel("time an operation / the neighbour's")
    for panel in axes[-1]:
        panel.set_xlabel("K : its neighbour")
    style.legend_below(figure, [Patch(color=style.colour(name), label=name) for name in names])
    style.save(figure, path)
    return True
