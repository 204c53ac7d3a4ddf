"""Fills tables and plots into the documentation: a page for each kind of processor, and a table that compares them."""

import pathlib
import re
import shutil

import results

TEMPLATE = pathlib.Path(__file__).with_name("page.md")
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


def _block(text, name):
    found = re.search(rf"<!-- begin {name} -->(.*?)<!-- end {name} -->", text, re.DOTALL)
    return found[1] if found else ""


def _rows(table):
    """The rows of a Markdown table, its header the first."""
    return [[cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in table.splitlines() if line.startswith("|") and not re.fullmatch(r"[|:\- ]+", line)]


def compared(pages):
    """A table of what spc takes next to the hand-written best, f64 / f32, a column for each page of {name: text} and
    number of threads."""
    columns, cells = [], {}
    for name, text in pages.items():
        machine = {row[0]: row[1] for row in _rows(_block(text, "machine"))}
        header, *rows = _rows(_block(text, "hand")) or [[]]
        for threads in dict.fromkeys(title.split(", ")[1] for title in header[1:]):
            column = f"[{name}](performance/{name}.md), {threads}"
            places = [place for place, title in enumerate(header) if title.endswith(f", {threads}")]
            columns.append(column)
            cells["measured", column] = machine.get("date", results.NONE)
            for row in rows:
                cells[row[0], column] = " / ".join(row[place].split(" ")[0] for place in places)
    kernels = sorted(dict.fromkeys(kernel for kernel, _ in cells), key=lambda kernel: kernel == "measured")
    rows = [["kernel", *columns], ["---", *["---:"] * len(columns)],
            *([kernel, *(cells.get((kernel, column), results.NONE) for column in columns)] for kernel in kernels)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def write(docs, processor, blocks, drawn, plots):
    """Fills `blocks` and the plots `drawn`, which are in the folder `plots`, into the processor's page of the folder
    `docs`, performance/PROCESSOR.md, which is made where there is none, with the plots copied to plots/PROCESSOR/
    there; then the table of all processors into performance.md. Other processors' pages stay as they are."""
    docs = pathlib.Path(docs)
    target = docs / "plots" / processor
    path = docs / "performance" / f"{processor}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    if drawn:
        target.mkdir(parents=True, exist_ok=True)
    for name in drawn:
        shutil.copyfile(pathlib.Path(plots) / f"{name}.svg", target / f"{name}.svg")
    images = {block: "\n\n".join(f"![{what}](../plots/{processor}/{name}.svg)"
                                for name, what in names.items() if name in drawn)
              for block, names in PLOTS.items() if any(name in drawn for name in names)}
    text = path.read_text() if path.exists() else TEMPLATE.read_text().replace("@processor@", processor)
    path.write_text(fill(text, {**blocks, **images}))
    overview = docs / "performance.md"
    if overview.exists():
        pages = {page.stem: page.read_text() for page in sorted(path.parent.glob("*.md"))}
        overview.write_text(fill(overview.read_text(), {"processors": compared(pages)}))
