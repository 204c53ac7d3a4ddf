"""The examples as a user meets them: copied elsewhere, built by their makefiles, run."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from spc_case import ROOT, SPC, SpcCase

KERNELS = ("spmv", "spmm", "sddmm")


class Examples(SpcCase):
    @classmethod
    def setUpClass(cls):
        """The examples, built once for all tests."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.built = pathlib.Path(folder.name) / "examples"
        shutil.copytree(ROOT / "examples", cls.built,
                        ignore=shutil.ignore_patterns("*.o", "*.d", "app", "sp*.h", "sddmm.h"))
        cls.sources = sorted(str(path.relative_to(cls.built)) for path in cls.built.rglob("*") if not path.is_dir())
        for kernel in KERNELS:
            subprocess.run(["make", "-C", cls.built / kernel, f"SPC={SPC}", "all"], check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        shutil.copytree(self.built, self.folder, dirs_exist_ok=True)

    def make(self, kernel, *arguments):
        return self.command("make", "-C", kernel, f"SPC={SPC}", *arguments).stdout

    def test_each_runs_and_checks_itself(self):
        for kernel in KERNELS:
            with self.subTest(kernel):
                self.assertIn("ok", self.make(kernel, "run"))
                self.assertNotIn("compile", self.make(kernel, "all"))

    def test_a_touched_format_rebuilds_the_kernel(self):
        later = time.time() + 10
        os.utime(self.folder / "spmm" / "csr.json", (later, later))
        self.assertIn("compile", self.make("spmm", "all"))

    def test_clean_leaves_the_sources_only(self):
        self.assertNotEqual(self.files(), self.sources)
        for kernel in KERNELS:
            self.make(kernel, "clean")
        self.assertEqual(self.files(), self.sources)

    def test_the_karate_club(self):
        lines = [line for line in (self.folder / "data" / "karate.mtx").read_text().splitlines() if line[0] != "%"]
        edges = [tuple(map(int, line.split())) for line in lines[1:]]
        self.assertEqual(lines[0], "34 34 78")
        self.assertEqual(len(set(edges)), 78)
        self.assertTrue(all(row > column for row, column in edges))
        degree = [sum(vertex in edge for edge in edges) for vertex in range(1, 35)]
        self.assertEqual((degree[0], degree[32], degree[33], sum(degree)), (16, 12, 17, 156))

    def test_an_app_on_another_file(self):
        mtx = "%%MatrixMarket matrix coordinate real general\n3 2 4\n3 2 -1.5\n1 1 2\n1 2 4\n3 2 0.5\n"
        self.write("m.mtx", mtx)
        for kernel in KERNELS:
            self.assertIn("ok", self.make(kernel, "run", "DATA=../m.mtx"))


if __name__ == "__main__":
    unittest.main()
