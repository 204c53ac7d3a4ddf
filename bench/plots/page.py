"""Fills tables and plots into a page of the documentation, between markers."""

import pathlib
import re
import shutil

# By the name of a block, its plots and what they show.
PLOTS = {
    "plot-ratios": {"ratios-f64": "Times relative to spc, f64", "ratios-f32": "Times relative to spc, f32"},
    "plot-roofline": {"roofline-f64": "Rooflines, f64", "roofline-f32": "Rooflines, f32"},
    "plot-entries": {"entries-f64": "Time against entries, f64", "entries-f32": "Time against entries, f32"},
    "plot-columns": {"columns-f64": "Time against K, f64", "columns-f32": "Time against K, f32"},
    "plot-scaling": {"scaling": "Speed against threads"},
    "plot-odd": {"odd-spmm": "SpMM at widths that fill no vector", "odd-sddmm": "SDDMM at widths that fill no vector"},
}


def fill(text, blocks):
    """The text with what stands between `<!-- begin NAME -->` and `<!-- end NAME -->` replaced by the block of that
    name; what has no block stays."""
    def replaced(match):
        name = match[1]
        return f"<!-- begin {name} -->\n\n{blocks[name].strip()}\n\n<!-- end {name} -->" if name in blocks else match[0]
    return re.sub(r"<!-- begin ([\w-]+) -->.*?<!-- end \1 -->", replaced, text, flags=re.DOTALL)


def write(page, blocks, drawn, folder):
    """Fills `blocks` and the plots `drawn`, which are in `folder`, into `page`, with the plots copied to plots/ beside
    it."""
    page = pathlib.Path(page)
    target = page.parent / "plots"
    target.mkdir(exist_ok=True)
    for name in drawn:
        shutil.copyfile(pathlib.Path(folder) / f"{name}.svg", target / f"{name}.svg")
    images = {block: "\n\n".join(f"![{what}](plots/{name}.svg)" for name, what in names.items() if name in drawn)
              for block, names in PLOTS.items() if any(name in drawn for name in names)}
    page.write_text(fill(page.read_text(), {**blocks, **images}))
