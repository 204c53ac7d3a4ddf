"""Operations a second against operations a byte, below the roofs that were measured in the same run."""

import math

from matplotlib.lines import Line2D

import ratio_bars
import results
import style

LEAST = 1 / 64  # operations a byte: a kernel with fewer, such as a sum of matrices, has next to none
# The names of roofs.csv, as they are labelled, from the highest down.
BANDWIDTHS = {"triad-l2": "second-level caches", "triad-llc": "last-level cache", "triad": "memory"}


def _points(lines):
    """{(subject, contender): (operations a byte, 1e9 operations a second)}, geometric means over the matrices."""
    points = {}
    for key, group in results.groups(lines, "subject", "contender").items():
        group = [line for line in group if line.flops > 0 and line.bytes > 0]
        intensity = results.geometric_mean(line.flops / line.bytes for line in group) if group else 0
        if intensity >= LEAST:
            points[key] = (intensity, results.geometric_mean(line.flops / line.seconds / 1e9 for line in group))
    return points


def _spread(places, least):
    """Ascending numbers moved apart to a distance of `least`, about where they were."""
    clusters = []  # each: [how many, the sum of where their first member wants to be]
    for place in places:
        clusters.append([1, place])
        while len(clusters) > 1:
            (before, start), (count, begin) = clusters[-2:]
            if begin / count >= start / before + before * least:
                break
            clusters[-2:] = [[before + count, start + begin - count * before * least]]
    return [start / count + n * least for count, start in clusters for n in range(count)]


def _roofs(axes, roofs, limits):
    """The bandwidths, each up to the peak rate, and the peak rate."""
    peak = next((roof.rate / 1e9 for roof in roofs if roof.name == "multiply-add"), None)
    if peak is None:
        return
    axes.plot(limits, [peak, peak], color="black", linewidth=1.2)
    axes.annotate(f"multiply-add {peak:.0f} Gflop/s", (limits[1], peak), (-2, 3), textcoords="offset points",
                  ha="right", va="bottom", fontsize=7)
    for roof in roofs:
        if roof.name not in BANDWIDTHS:
            continue
        rate = roof.rate / 1e9
        axes.plot([limits[0], peak / rate], [limits[0] * rate, peak], color="black",
                  linewidth=1.2 if roof.name == "triad" else 0.7, linestyle="-" if roof.name == "triad" else "--")
    names = [f"{BANDWIDTHS[roof.name]} {roof.rate / 1e9:.0f} GB/s"
             for name in BANDWIDTHS for roof in roofs if roof.name == name]
    axes.annotate("slopes, from above:\n" + "\n".join(names), (0.98, 0.02), xycoords="axes fraction", ha="right",
                  va="bottom", fontsize=7)


def _labels(axes, points, limits, top):
    """The subjects' names above the axes, each with a line to its points."""
    highest = {}
    for (subject, _), (intensity, rate) in points.items():
        highest[subject] = (intensity, max(rate, highest.get(subject, (0, 0))[1]))
    subjects = sorted(highest, key=lambda subject: highest[subject])
    places = _spread([math.log(highest[subject][0]) for subject in subjects],
                     math.log(limits[1] / limits[0]) / 22)
    for subject, place in zip(subjects, places):
        axes.annotate(results.title(*subject), highest[subject], (math.exp(place), top * 1.15), rotation=90,
                      ha="center", va="bottom", fontsize=7, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.5, "shrinkA": 1, "shrinkB": 4})


def _panel(axes, lines, roofs, limits, top, bottom):
    points = _points(lines)
    style.logarithmic(axes.xaxis, [2.0 ** n for n in range(-6, 9)])
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}" if x >= 1 else f"1/{1 / x:g}")
    style.logarithmic(axes.yaxis)
    axes.set_xlim(*limits)
    axes.set_ylim(bottom, top)
    axes.grid()
    _roofs(axes, roofs, limits)
    _labels(axes, points, limits, top)
    for (_, contender), point in points.items():
        front = contender == "spc"
        axes.plot(*point, "o" if front else "D", color=style.colour(contender), markersize=6 if front else 4,
                  zorder=4 if front else 3, markeredgecolor="white", markeredgewidth=0.5)
    axes.set_xlabel("flop / compulsory byte")


def draw(lines, roofs, path, type):
    """The plot for one element type; False where nothing was measured for it."""
    lines = [line for line in lines if ratio_bars.drawn(line) and line.type == type and line.flops > 0]
    points = [point for count in {line.threads for line in lines}
              for point in _points([line for line in lines if line.threads == count]).values()]
    if not points:
        return False
    threads = sorted({line.threads for line in lines})
    peaks = [roof.rate / 1e9 for roof in roofs if roof.name == "multiply-add" and roof.type == type]
    limits = (min(x for x, _ in points) / 1.6, max(x for x, _ in points) * 2.2)
    top, bottom = 2 * max([y for _, y in points] + peaks), min(y for _, y in points) / 2
    figure, [axes] = style.panels(len(threads), 5.2, sharey=True)
    for panel, count in zip(axes, threads):
        _panel(panel, [line for line in lines if line.threads == count],
               [roof for roof in roofs if roof.threads == count and (roof.name in BANDWIDTHS or roof.type == type)],
               limits, top, bottom)
        panel.set_title(f"{type}, {results.threads_title(count)}", y=-0.2)
    axes[0].set_ylabel("Gflop/s")
    names = ["spc"] + results.ordered_contenders(lines)
    style.legend_below(figure, [Line2D([], [], linestyle="", marker="o" if name == "spc" else "D", label=name,
                                       color=style.colour(name), markersize=5) for name in names])
    style.save(figure, path)
    return True
