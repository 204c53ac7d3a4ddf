"""What all plots share: colours, fonts, sizes, and how they are saved."""

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402: the backend is chosen before
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator  # noqa: E402

WIDTH = 8.4  # inches: at the width of a page nothing is scaled by much

# Okabe and Ito's colours, told apart by the colour-blind too; a contender has the same in every plot.
CONTENDERS = {
    "spc": "#0072b2",
    "spc-csr": "#7a4fa3",
    "spc-pool": "#7a4fa3",
    "hand": "#555555",
    "eigen": "#e69f00",
    "graphblas": "#009e73",
    "mlir": "#d55e00",
    "librsb": "#cc79a7",
    "scipy": "#56b4e9",
    "taco": "#8c6d31",
}
OTHERS = ("#a6761d", "#1b7f79", "#b2182b", "#4d4d4d")
KERNELS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#7a4fa3", "#8c6d31", "#b2182b",
           "#1b7f79", "#000000")
MARKERS = "osD^vP*X<>hp"

pyplot.rcParams.update({
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.labelsize": 8.5,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "svg.hashsalt": "spc",
})


def colour(contender):
    """The contender's own colour; of one that is unknown or a variant ("mlir-vector"), that of its first word."""
    name = contender if contender in CONTENDERS else contender.split("-")[0]
    return CONTENDERS.get(name) or OTHERS[sum(map(ord, contender)) % len(OTHERS)]


def panels(columns, height, rows=1, **options):
    """A figure of the page's width and its axes, as a list of lists."""
    figure, axes = pyplot.subplots(rows, columns, figsize=(WIDTH, height), squeeze=False, layout="constrained",
                                   **options)
    return figure, axes.tolist()


def apart(numbers, factor=1.4):
    """Those of ascending numbers that have room for a label on a logarithmic axis, powers of two before others."""
    kept = []
    for number in sorted(numbers, key=lambda number: (number & (number - 1) != 0, number)):
        if all(max(number, other) / min(number, other) >= factor for other in kept):
            kept.append(number)
    return sorted(kept)


def logarithmic(axis, ticks=None):
    """Makes an axis, such as axes.xaxis, logarithmic with plain numbers, at `ticks` where they are given."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    if ticks is not None:
        axis.set_major_locator(FixedLocator(ticks))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_minor_locator(NullLocator())


def legend_below(figure, handles, columns=6):
    """A legend below all panels, in a strip that they leave free."""
    columns = min(columns, len(handles))
    inches = 0.08 + 0.19 * -(-len(handles) // columns)
    share = inches / figure.get_size_inches()[1]
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    figure.legend(handles=handles, loc="lower center", ncols=columns, borderaxespad=0.1)


def save(figure, path):
    """Without a date, so that the same numbers make the same file."""
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)
