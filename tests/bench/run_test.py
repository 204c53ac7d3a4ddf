"""bench/run without a build: which processes it starts, what it makes of their CSV, what it says where one fails."""

import contextlib
import csv
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "plots"))

import goals  # noqa: E402: found by the path above
import page  # noqa: E402
import results  # noqa: E402
import suite  # noqa: E402
import tables  # noqa: E402

HEADER = "set," + ",".join(results.COLUMNS) + "\n"
ROOFS = """roof,type,threads,bytes,rate
triad-l2,f64,1,262144,1e11
triad,f64,1,134217728,2e10
multiply-add,f64,1,0,5e10
"""


def line(set="main", kernel="spmm", case="K=32", matrix="uniform", entries=1000, type="f64", threads=1, contender="spc",
         seconds=1e-3, ratio=1.0):
    return (f"{set},{kernel},{case},{matrix},100,100,{entries},{type},{threads},{contender},{seconds},{ratio},"
            "64000,32000\n")


SAMPLE = HEADER + "".join([
    line(), line(contender="hand", seconds=8e-4, ratio=0.8), line(contender="eigen", seconds=2e-3, ratio=2),
    line(matrix="blocks"), line(matrix="blocks", contender="hand", ratio=1.25),
    line(matrix="blocks", contender="eigen", seconds=8e-3, ratio=8),
    line(case="K=128", seconds=4e-3), line(case="K=8", seconds=2.5e-4),
    *(line(set="entries", entries=entries, seconds=entries * 1e-6) for entries in (100, 1000, 10000)),
    *(line(set="scaling", threads=threads, seconds=1 / threads ** 0.5) for threads in (1, 2, 4)),
    line(set="odd", case="K=7", seconds=7e-3), line(set="odd", case="K=16", seconds=8e-3),
])


def load_run():
    """bench/run as a module."""
    loader = importlib.machinery.SourceFileLoader("bench_run", str(ROOT / "bench" / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def cells(table):
    """A Markdown table: {first cell: [the others]}, its header among them."""
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines() if "---" not in row]
    return {row[0]: row[1:] for row in rows}


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path


class Tables(InFolder):
    def setUp(self):
        super().setUp()
        self.lines = results.read(self.write("results.csv", SAMPLE))

    def main(self):
        return [line for line in self.lines if line.set == "main"]

    def test_ratios_are_geometric_means(self):
        found = cells(tables.ratios(self.main()))
        self.assertEqual(found["kernel"], ["threads", "hand", "eigen"])
        self.assertEqual(found["SpMM K=32"], ["1", "1.00", "4.00"])
        self.assertEqual(found["SpMM K=128"], ["1", results.NONE, results.NONE])
        self.assertEqual(list(found)[1:], ["SpMM K=8", "SpMM K=32", "SpMM K=128"])

    def test_the_least_and_the_worst_are_of_one_matrix(self):
        self.assertEqual(cells(tables.least(self.main()))["SpMM K=32"], ["1", "0.80", "2.00"])
        self.assertEqual(cells(tables.behind_hand(self.main()))["SpMM K=32"], ["1.00 (1.25 uniform)"])

    def test_rates_are_of_spc(self):
        self.assertEqual(cells(tables.rates(self.main()))["SpMM K=8"], ["0.3", "0.1"])

    def test_growth_scaling_and_odd_widths(self):
        self.assertEqual(cells(tables.growth(self.lines))["SpMM K=32"], ["1.00"])
        self.assertEqual(cells(tables.scaling(self.lines))["SpMM K=32"][:2], ["1.41", "2.00"])
        self.assertEqual(cells(tables.odd(self.lines)), {"kernel": ["7 : 16"], "SpMM f64, 1 thread": ["2.00"]})

    def test_neighbours(self):
        self.assertEqual([results.neighbour(columns) for columns in (1, 3, 7, 33, 100)], [16, 16, 16, 32, 96])

    def test_bounds_name_what_breaks_them(self):
        header, rows = goals.table(self.lines)
        self.assertEqual(header, ["kernel", "bound", "f64, 1 thread", "kept"])
        self.assertIn(["SpMM K=32", "spc / hand ≤ 1.1", "1.00", "yes"], rows)
        self.assertIn(["SpMM K=32", "eigen / spc ≥ 2.2", "4.00", "yes"], rows)
        self.assertIn(["SpMM K=7", "an operation / K=16's ≤ 1.3", "**2.00**", "no"], rows)
        slow = results.read(self.write("slow.csv", HEADER + line() + line(contender="eigen", ratio=0.5)
                                       + line(contender="spc-csr", ratio=0.5)))
        self.assertFalse([row for row in goals.table(slow)[1] if "spc-csr" in row[1]])
        self.assertIn(["SpMM K=32", "eigen / spc ≥ 2.2", "**0.50**", "no"], goals.table(slow)[1])
        self.assertIn(["SpMM K=32, uniform alone", "spc / eigen ≤ 1.15", "**2.00**", "no"], goals.table(slow)[1])

    def test_files_that_are_no_results_are_named(self):
        with self.assertRaisesRegex(results.Unreadable, "no column 'type'"):
            results.read(self.write("short.csv", "set,kernel,case,matrix,entries,rows,cols\n"))
        with self.assertRaisesRegex(results.Unreadable, "bad.csv:2: .*'many'"):
            results.read(self.write("bad.csv", HEADER + line(threads="many")))

    def test_a_page_is_filled_between_its_markers(self):
        text = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n<!-- begin y -->kept<!-- end y -->\n"
        filled = page.fill(text, {"x": "new\n"})
        self.assertEqual(filled, text.replace("\nold\n", "\n\nnew\n\n"))
        self.assertEqual(page.fill(filled, {"x": "new\n"}), filled)

    def test_the_documentation_has_room_for_all(self):
        text = (ROOT / "docs" / "performance.md").read_text()
        for name in [*tables.TITLES, *page.PLOTS]:
            self.assertEqual(text.count(f"<!-- begin {name} -->"), 1, name)
            self.assertEqual(text.count(f"<!-- end {name} -->"), 1, name)


class Run(InFolder):
    def setUp(self):
        super().setUp()
        self.run_module = load_run()

    def test_processes_have_names_of_their_own(self):
        programs = {"a": ["spmv", "spmm", "sddmm", "mttkrp"], "b": ["spgemm", "spadd"]}
        runs = suite.runs(programs, [], suite.SETS, False, "data", cores=4)
        self.assertEqual(len({run.name for run in runs}), len(runs))
        self.assertEqual({run.set for run in runs}, set(suite.SETS))
        self.assertEqual([run.set for run in runs], sorted((run.set for run in runs), key=suite.SETS.index))
        scaling = next(run for run in runs if run.set == "scaling")
        options = zip(scaling.arguments, scaling.arguments[1:])
        self.assertEqual([value for name, value in options if name == "--threads"], ["1", "2", "4"])
        self.assertEqual({run.set: run.only for run in runs if run.kernel == "spgemm"}["entries"], "A*A")
        self.assertEqual({run.set: run.only for run in runs if run.kernel == "spgemm"}["main"], "spgemm")
        widths = [value for run in runs if (run.set, run.kernel) == ("main", "spmm")
                  for name, value in zip(run.arguments, run.arguments[1:]) if name == "--width"]
        self.assertEqual(sorted(map(int, widths)), [1, 8, 32, 100, 128, 512])
        only = suite.runs(programs, ["spadd"], ("main",), True, None, cores=1)
        self.assertEqual([(run.program, run.kernel) for run in only], [("b", "spadd")])

    def test_what_processes_write_is_collected(self):
        script = "\n".join([
            "#!/bin/sh", '[ "$1" = --help ] && { echo "KERNEL: spmv ttv A*A csr>csc" >&2; exit 1; }',
            '[ "$2" = spmv ] && exit 3',
            f'printf "{",".join(results.COLUMNS)}\\nttv,,m,1,1,1,f64,1,spc,1e-3,1,2,3\\n" > "$4"', ""])
        self.write(f"bin/{suite.PROGRAMS[0]}", script, 0o755)
        for program in suite.PROGRAMS[1:]:
            self.write(f"bin/{program}", "#!/bin/sh\nexit 1\n", 0o755)
        options = types.SimpleNamespace(out=self.folder, kernels=[], sets=("main",), quick=True, data=None)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(self.run_module.measure_all(options, self.folder), 1)
        self.assertIn("spmv", errors.getvalue())
        [found] = results.read(self.folder / "results.csv")
        self.assertEqual((found.set, found.kernel, found.seconds), ("main", "ttv", 1e-3))
        options.kernels = ["spnv"]
        with self.assertRaisesRegex(SystemExit, "no kernel 'spnv'"):
            self.run_module.measure_all(options, self.folder)

    def test_tables_and_plots_of_what_was_measured(self):
        self.write("out/results.csv", SAMPLE)
        self.write("out/roofs.csv", ROOFS)
        with open(self.write("out/machine.csv", ""), "w", newline="") as file:
            csv.writer(file).writerows([("processor", "a, b"), ("cores", "4")])
        guide = self.write("page.md", "<!-- begin machine --><!-- end machine -->\n"
                                      "<!-- begin plot-scaling --><!-- end plot-scaling -->\n")
        done = subprocess.run([ROOT / "bench" / "run", "--redraw", "--out", self.folder / "out", "--docs", guide],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| processor | a, b |", guide.read_text())
        self.assertIn((self.folder / "out" / "tables.md").read_text(), done.stdout)
        if self.run_module.with_matplotlib() is None:
            self.assertIn("python3-matplotlib", done.stderr)
            self.skipTest("no plots without Matplotlib")
        drawn = {path.stem: path for path in (self.folder / "out" / "plots").iterdir()}
        self.assertEqual(sorted(drawn), ["columns-f64", "entries-f64", "odd-spmm", "ratios-f64", "roofline-f64",
                                         "scaling"])
        for path in drawn.values():
            self.assertTrue(xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg"))
        self.assertIn("(plots/scaling.svg)", guide.read_text())
        self.assertEqual((self.folder / "plots" / "scaling.svg").read_bytes(), drawn["scaling"].read_bytes())

    def test_a_missing_folder_is_an_error(self):
        done = subprocess.run([ROOT / "bench" / "run", "--redraw", "--out", self.folder / "none"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: ", done.stderr)
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main()
