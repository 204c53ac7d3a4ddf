"""Draws the plots: python3 draw.py RESULTS.csv ROOFS.csv FOLDER writes FOLDER/<name>.svg and prints the names."""

import pathlib
import sys

try:
    import matplotlib  # noqa: F401: the other modules need it
except ImportError:
    sys.exit("error: the plots need Matplotlib (Debian: python3-matplotlib)")

import curves
import odd_columns
import ratio_bars
import results
import roofline


def plots(lines, roofs):
    """{name: what draws it to a path and says whether there was anything to draw}"""
    drawers = {}
    for type in results.TYPES:
        drawers[f"ratios-{type}"] = lambda path, type=type: ratio_bars.draw(lines, path, type)
        drawers[f"roofline-{type}"] = lambda path, type=type: roofline.draw(lines, roofs, path, type)
        drawers[f"entries-{type}"] = lambda path, type=type: curves.draw_entries(lines, path, type)
        drawers[f"columns-{type}"] = lambda path, type=type: curves.draw_columns(lines, path, type)
    drawers["scaling"] = lambda path: curves.draw_scaling(lines, path)
    for kernel in ("spmm", "sddmm"):
        drawers[f"odd-{kernel}"] = lambda path, kernel=kernel: odd_columns.draw(lines, path, kernel)
    return drawers


def main(results_path, roofs_path, folder):
    lines, roofs = results.read(results_path), results.read_roofs(roofs_path)
    for name, draw in plots(lines, roofs).items():
        if draw(pathlib.Path(folder) / f"{name}.svg"):
            print(name)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (OSError, results.Unreadable) as error:
        sys.exit(f"error: {error}")
