"""Schedules in format files, as a user writes them."""

import json
import unittest

from spc_case import SPMV, SpcCase

SPGEMM = "C(i, j) = A(i, k) * B(k, j)\n"


class Schedule(SpcCase):
    def setUp(self):
        super().setUp()
        self.write("spmv.tex", SPMV)
        self.write("spgemm.tex", SPGEMM)

    def bind(self, tensors, schedule=None, name="bind.json"):
        file = {"tensors": tensors}
        if schedule is not None:
            file["schedule"] = schedule
        self.write(name, json.dumps(file))

    def emit(self, stage, kernel="spmv.tex", *arguments):
        return self.spc("compile", kernel, "--format", "bind.json", f"--emit={stage}", "-o", "-", *arguments).out

    def test_the_plan_shows_it(self):
        self.bind({"A": "csr"}, {"tile": 16, "chunk": 512, "workspace": "dense", "order": ["i", "j"], "parallel": "i"})
        self.assertIn("\n  schedule: tile 16, chunk 512, workspace dense, order (i,j), parallel i\n", self.emit("plan"))
        self.bind({"A": "csr"}, {"workspace": "auto"})
        self.assertNotIn("schedule", self.emit("plan"))

    def test_the_body_has_what_passes_read(self):
        self.bind({"A": "csr"}, {"tile": 16, "unroll": 2, "prefetch": 0, "chunk": 512, "order": ["i", "j"],
                                 "parallel": "none"})
        self.assertIn('#spc.schedule<tile = 16, unroll = 2, prefetch = 0, chunk = 512, parallel = "none">',
                      self.emit("linalg"))
        for schedule in (None, {}, {"order": ["i", "j"]}, {"workspace": "hash"}):
            self.bind({"A": "csr"}, schedule)
            self.assertNotIn("spc.schedule", self.emit("linalg"))

    def test_a_body_without_the_parallel_loop_is_serial(self):
        self.write("two.tex", "C(i, j) = A(i, k) * B(k, j)\nz(q) = D(q, p) * x(p)\n")
        self.bind({"A": "csr", "B": "csr", "C": "csr", "D": "csr"}, {"parallel": "q"})
        text = self.emit("linalg", "two.tex")
        self.assertIn("@two(", text)
        self.assertEqual(text.count('#spc.schedule<parallel = "none">'), 1)
        self.assertEqual(text.count('#spc.schedule<parallel = "q">'), 1)

    def test_the_entry_has_the_workspace(self):
        texts = {}
        for kind in ("auto", "dense", "hash"):
            self.bind({"A": "csr", "B": "csr", "C": "csr"}, {"workspace": kind})
            texts[kind] = self.emit("llvm", "spgemm.tex", "-O0")
        self.assertEqual(len(set(texts.values())), 3)
        self.bind({"A": "csr", "B": "csr", "C": "csr"})
        self.assertEqual(self.emit("llvm", "spgemm.tex", "-O0"), texts["auto"])

    def test_an_order_changes_the_loops(self):
        self.write("spmm.tex", SPGEMM)
        self.bind({"A": "csr"}, {"order": ["j", "i", "k"]})
        self.assertIn("for j, i, k+:", self.emit("plan", "spmm.tex"))
        self.bind({"A": "csr"})
        self.assertIn("for i, k+, j:", self.emit("plan", "spmm.tex"))

    def test_schedules_of_single_files_come_together(self):
        self.write("rows.json", '{ "format": "csr", "schedule": { "tile": 8, "unroll": 2 } }')
        self.write("vector.json", '{ "format": "dense", "schedule": { "unroll": 2, "chunk": 9 } }')
        formats = ("--format", "A=rows.json", "--format", "x=vector.json")
        plan = self.spc("compile", "spmv.tex", *formats, "--emit=plan", "-o", "-").out
        self.assertIn("  schedule: tile 8, unroll 2, chunk 9\n", plan)
        self.write("vector.json", '{ "format": "dense",\n  "schedule": { "unroll": 3 } }')
        self.assertIn("vector.json:2:27: error: the schedules of two formats differ in 'unroll'",
                      self.spc("compile", "spmv.tex", *formats, "-o", "spmv.o", expect=1).err)

    def test_results_are_the_same(self):
        self.bind({"A": "csr", "B": "csr", "C": "csr"})
        arguments = ("run", "spgemm.tex", "--format", "bind.json", "A=random:60x50:density=0.1",
                     "B=random:50x70:density=0.1", "-o", "C=c.mtx")
        self.spc(*arguments)
        expected = (self.folder / "c.mtx").read_text()
        for schedule in ({"workspace": "hash"}, {"workspace": "dense"}, {"order": ["i", "k", "j"]}, {"chunk": 1},
                         {"parallel": "none"}):
            with self.subTest(schedule):
                self.bind({"A": "csr", "B": "csr", "C": "csr"}, schedule)
                self.spc(*arguments)
                self.assertEqual((self.folder / "c.mtx").read_text(), expected)

    def test_the_warning_is_turned_off_and_on(self):
        self.bind({"A": "csc", "B": "csr", "C": "csr"}, {"order": ["k", "i", "j"]})
        compile = ("compile", "spgemm.tex", "--format", "bind.json", "-o", "spgemm.o")
        self.assertIn("[-Wslow-order]", self.spc(*compile).err)
        self.assertNotIn("slow-order", self.spc(*compile, "-Wno-slow-order").err)
        self.spc(*compile, "-Werror=slow-order", expect=1)


if __name__ == "__main__":
    unittest.main()
