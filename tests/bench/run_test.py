"""bench/run without a build: which processes it starts, what it makes of their CSV, what it says where one fails."""

import contextlib
import csv
import dataclasses
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

HEADER = "set,process," + ",".join(results.COLUMNS) + "\n"
ROOFS = """roof,type,threads,bytes,rate
triad-l2,f64,1,262144,1e11
triad,f64,1,134217728,2e10
multiply-add,f64,1,0,5e10
"""


def line(set="main", kernel="spmm", case="K=32", matrix="uniform", entries=1000, type="f64", threads=1, contender="spc",
         seconds=1e-3, ratio=1.0, process=1, faults=0, rounds=""):
    return (f"{set},{process},{kernel},{case},{matrix},100,100,{entries},{type},{threads},{contender},"
            f"{seconds},{ratio},64000,32000,{faults},2097152,{rounds or seconds}\n")


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
        self.assertEqual(header, ["kernel", "bound", "f64, 1 thread", "kept", "beside it"])
        self.assertIn(["SpMM K=32", "spc / hand ≤ 1.1", "1.00", "yes", results.NONE], rows)
        self.assertIn(["SpMM K=32", "eigen / spc ≥ 2.2", "4.00", "yes", results.NONE], rows)
        self.assertIn(["SpMM K=7", "an operation / K=16's ≤ 1.3", "**2.00**", "no", results.NONE], rows)
        slow = results.read(self.write("slow.csv", HEADER + line() + line(contender="eigen", ratio=0.5)
                                       + line(contender="spc-csr", ratio=0.5)))
        self.assertFalse([row for row in goals.table(slow)[1] if "spc-csr" in row[1]])
        self.assertIn(["SpMM K=32", "eigen / spc ≥ 2.2", "**0.50**", "no", results.NONE], goals.table(slow)[1])
        self.assertIn(["SpMM K=32, uniform alone", "spc / eigen ≤ 1.15", "**2.00**", "no", results.NONE],
                      goals.table(slow)[1])

    def test_roofs_and_faults_stand_beside_a_bound_that_is_missed(self):
        roofs = results.read_roofs(self.write("roofs.csv", ROOFS))
        slow = results.read(self.write("slow.csv", HEADER + line(seconds=1e-5, faults=12)
                                       + line(contender="hand", seconds=5e-6, ratio=0.5)))
        [row] = [row for row in goals.table(slow, roofs)[1] if "hand ≤ 1.1" in row[1]]
        # 64,000 operations at 5e10 a second are 1.28 microseconds; 32,000 bytes from the second-level cache fewer
        self.assertEqual(row[2:], ["**2.00**", "no", "spc 13 % of the roof, hand 26 % of the roof, "
                                   "spc 12 page faults a call"])
        self.assertEqual(results.roof_seconds(dataclasses.replace(slow[0], bytes=4e8), roofs), 4e8 / 2e10)
        self.assertEqual(results.roof_seconds(dataclasses.replace(slow[0], bytes=4e5), roofs), 4e5 / 1e11)
        self.assertIsNone(results.roof_seconds(slow[0], []))

    def test_processes_become_one_line(self):
        found = results.read(self.write("processes.csv", HEADER + "".join(
            line(kernel="spgemm", case="A*A", seconds=seconds, ratio=ratio, process=process, faults=process,
                 rounds=" ".join([str(seconds)] * 5))
            for process, (seconds, ratio) in enumerate([(1, 1), (3, 1), (1.1, 1), (3.1, 1), (1.2, 1)], 1))))
        [merged] = found
        self.assertEqual((merged.seconds, merged.processes, merged.faults), (1.2, 5, 3))
        self.assertAlmostEqual(merged.spread, 3.1)
        self.assertTrue(merged.two_groups)
        self.assertIn(["SpGEMM A*A", "slowest / fastest process ≤ 1.3", "**3.10**", "no", results.NONE],
                      goals.table(found)[1])
        fresh = [dataclasses.replace(merged, set="memory", spread=1.1)]
        self.assertIn(["SpGEMM A*A, default malloc", "slowest / fastest process ≤ 1.3", "1.10", "yes", results.NONE],
                      goals.table(found + fresh)[1])
        row = cells(tables.spread(found))["SpGEMM A*A"]
        self.assertEqual(row, ["1", "spc", "0 %", "3.10 (3.10 uniform)", "uniform", "3", "2"])

    def test_times_in_two_groups(self):
        self.assertTrue(results.in_two_groups([1.0] * 8 + [1.3] * 2))
        self.assertFalse(results.in_two_groups([1.0] * 9 + [1.3]), "one of ten is an outlier")
        self.assertFalse(results.in_two_groups([1 + n / 50 for n in range(50)]), "spread out, without a gap")
        self.assertFalse(results.in_two_groups([1, 2] * 4), "too few")

    def test_figures_of_two_groups_are_marked(self):
        rounds = " ".join(["1e-3"] * 5 + ["2e-3"] * 5)
        marked = results.read(self.write("marked.csv", HEADER + line(rounds=rounds)
                                         + line(contender="hand", ratio=0.8) + line(contender="eigen", ratio=2)
                                         + line(case="K=8") + line(case="K=8", contender="hand", ratio=0.8)))
        self.assertEqual(cells(tables.ratios(marked))["SpMM K=32"], ["1", "0.80†", "2.00†"])
        self.assertEqual(cells(tables.ratios(marked))["SpMM K=8"], ["1", "0.80", results.NONE])
        self.assertEqual(cells(tables.behind_hand(marked))["SpMM K=32"], ["1.25† (1.25† uniform)"])

    def test_files_that_are_no_results_are_named(self):
        with self.assertRaisesRegex(results.Unreadable, "no column 'type'"):
            results.read(self.write("short.csv", "set,process,kernel,case,matrix,entries,rows,cols\n"))
        with self.assertRaisesRegex(results.Unreadable, "bad.csv:2: .*'many'"):
            results.read(self.write("bad.csv", HEADER + line(threads="many")))

    def test_a_page_is_filled_between_its_markers(self):
        text = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n<!-- begin y -->kept<!-- end y -->\n"
        filled = page.fill(text, {"x": "new\n"})
        self.assertEqual(filled, text.replace("\nold\n", "\n\nnew\n\n"))
        self.assertEqual(page.fill(filled, {"x": "new\n"}), filled)

    def test_the_documentation_has_room_for_all(self):
        pages = [page.TEMPLATE, *(ROOT / "docs" / "performance").glob("*.md")]
        self.assertGreater(len(pages), 1)
        for path in pages:
            text = path.read_text()
            for name in [*tables.TITLES, *page.PLOTS]:
                self.assertEqual(text.count(f"<!-- begin {name} -->"), 1, f"{path}: {name}")
                self.assertEqual(text.count(f"<!-- end {name} -->"), 1, f"{path}: {name}")

    def test_a_page_for_each_processor(self):
        overview = self.write("docs/performance.md", "a <!-- begin processors --><!-- end processors --> b\n")
        other = ("<!-- begin hand -->\n| kernel | f64, 2 threads |\n|---|---:|\n| SpMM K=32 | 0.90 (1.00 x) |\n"
                 "<!-- end hand -->\n")
        kept = self.write("docs/performance/other.md", other)
        self.write("plots/scaling.svg", "<svg/>")
        made = tables.blocks(self.lines, [], [("date", "today")])
        page.write(self.folder / "docs", "mine", made, ["scaling"], self.folder / "plots")
        text = (self.folder / "docs" / "performance" / "mine.md").read_text()
        self.assertIn("# Performance on mine\n", text)
        self.assertIn("1.00 (1.25 uniform)", text)
        self.assertIn("(../plots/mine/scaling.svg)", text)
        self.assertTrue((self.folder / "docs" / "plots" / "mine" / "scaling.svg").exists())
        self.assertEqual(kept.read_text(), other)
        found = cells(overview.read_text())
        self.assertEqual(found["kernel"], ["[mine](performance/mine.md), 1 thread",
                                           "[other](performance/other.md), 2 threads"])
        self.assertEqual(found["SpMM K=32"], ["1.00", "0.90"])
        self.assertEqual(found["measured"], ["today", results.NONE])
        page.write(self.folder / "docs", "mine", {"hand": "nothing"}, [], self.folder / "plots")
        again = (self.folder / "docs" / "performance" / "mine.md").read_text()
        self.assertIn("nothing", again)
        self.assertIn("(../plots/mine/scaling.svg)", again)


class Run(InFolder):
    def setUp(self):
        super().setUp()
        self.run_module = load_run()

    def test_processes_have_names_of_their_own(self):
        programs = {"a": ["spmv", "spmm", "sddmm", "mttkrp"], "b": ["spgemm", "spadd"]}
        for quick in (True, False):
            runs = suite.runs(programs, [], suite.SETS, quick, "data", cores=4, processes=1)
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
        only = suite.runs(programs, ["spadd"], ("main",), True, None, cores=1, processes=1)
        self.assertEqual([(run.program, run.kernel) for run in only], [("b", "spadd")])

    def test_processes_that_do_the_same_are_far_apart(self):
        runs = suite.runs({"a": ["spmv", "spadd"]}, [], ("main", "memory", "entries"), False, None, cores=2,
                          processes=2)
        self.assertEqual([(run.kernel, run.process) for run in runs if run.set == "main"],
                         [("spmv", 1), ("spadd", 1), ("spmv", 2), ("spadd", 2)])
        self.assertEqual([(run.only, run.process) for run in runs if run.set == "memory"], [("A+B", 1), ("A+B", 2)])
        self.assertEqual({run.process for run in runs if run.set == "entries"}, {1})

    def test_what_processes_write_is_collected(self):
        script = "\n".join([
            "#!/bin/sh", '[ "$1" = --help ] && { echo "KERNEL: spmv ttv A*A csr>csc" >&2; exit 1; }',
            '[ "$2" = spmv ] && exit 3',
            f'printf "{",".join(results.COLUMNS)}\\nttv,,m,1,1,1,f64,1,spc,1e-3,1,2,3,0,0,1e-3\\n" > "$4"', ""])
        self.write(f"bin/{suite.PROGRAMS[0]}", script, 0o755)
        for program in suite.PROGRAMS[1:]:
            self.write(f"bin/{program}", "#!/bin/sh\nexit 1\n", 0o755)
        options = types.SimpleNamespace(out=self.folder, kernels=[], sets=("main",), quick=True, data=None,
                                        processes=2)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(self.run_module.measure_all(options, self.folder), 2)
        self.assertIn("spmv", errors.getvalue())
        [found] = results.read(self.folder / "results.csv")
        self.assertEqual((found.set, found.kernel, found.seconds, found.processes), ("main", "ttv", 1e-3, 2))
        options.kernels = ["spnv"]
        with self.assertRaisesRegex(SystemExit, "no kernel 'spnv'"):
            self.run_module.measure_all(options, self.folder)

    def test_tables_and_plots_of_what_was_measured(self):
        self.write("out/results.csv", SAMPLE)
        self.write("out/roofs.csv", ROOFS)
        with open(self.write("out/machine.csv", ""), "w", newline="") as file:
            csv.writer(file).writerows([("processor", "a, b"), ("LLVM's name", "a"), ("cores", "4")])
        guide = self.folder / "docs" / "performance" / "a.md"
        done = subprocess.run([ROOT / "bench" / "run", "--redraw", "--out", self.folder / "out", "--docs",
                               self.folder / "docs"], capture_output=True, text=True, timeout=120)
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
        self.assertIn("(../plots/a/scaling.svg)", guide.read_text())
        self.assertEqual((self.folder / "docs" / "plots" / "a" / "scaling.svg").read_bytes(),
                         drawn["scaling"].read_bytes())

    def test_a_missing_folder_is_an_error(self):
        done = subprocess.run([ROOT / "bench" / "run", "--redraw", "--out", self.folder / "none"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: ", done.stderr)
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main()
