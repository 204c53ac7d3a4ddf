#!/usr/bin/env python3
"""bench/planner.py on small data: that both spellings of its kernels compile and give what the evaluator and NumPy do.
Six of them at -O0, all with SPC_TEST_ALL=1. And what it counts, on numbers worked by hand."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = os.environ.get("SPC_BUILD") or str(ROOT / "build")
FEW = ("three sums, one product", "A B x, few", "triangles of", "S relu", "Tucker core", "gradient of least squares")
INTERPRETERS = (sys.executable, "/usr/bin/python3")
COUNTS = """
import numpy as np
from planner_orders import plan_taken, product_of, steps_of_plan
assert product_of("y(i) = A(i,j) * x(j) * s") == (("i",), [("A", ("i", "j")), ("x", ("j",)), ("s", ())])
assert product_of("y(i) = A(i,j) + x(j)") is None
plan = '''kernel kernel(A, B, C)
  A(i, j): f64, csr (i: dense, j: compressed); read
  B(j, k): f64, csr (j: dense, k: compressed); read
  $4(i, k): f64, csr (i: dense, k: compressed); temporary, assembled

$4 in f64, assembled row by row (i), keys (k):
  for i, j+, k: $4(i,k) += A(i,j)*B(j,k)

$4$1_0 is made

C in f64, zeroed first:
  for k+, i, l: C(i,l) += $4$1_0(i,k)*X(k,l)
'''
a, b = np.array([[0, 0], [0, 1], [1, 1]]), np.array([[0, 0], [1, 0], [1, 2]])
# A's entries come to rows of 1, 2 and 2 entries; the product has (0,0) (0,2) (1,0) (1,2), for each of which l is 0 to 4.
assert steps_of_plan(plan, {"A": ((2, 2), a), "B": ((2, 3), b), "X": ((3, 5), None)}) == 5 + 4 * 5
two = plan.replace("\\n$4 in", "  $5(i): temporary, of plan 2\\n\\nplan 1 of 2:\\n\\n$4 in") + "\\nplan 2 of 2:\\n\\n  for i: $5(i) += X(i,i)\\n"
assert steps_of_plan(plan_taken(two, 1), {"A": ((2, 2), a), "B": ((2, 3), b), "X": ((3, 5), None)}) == 25
assert "$5" not in plan_taken(two, 1) and "$4 in" not in plan_taken(two, 2) and "$5" in plan_taken(two, 2)
assert steps_of_plan(plan.replace("A(i,j)*B", "select(A(i,j), B"), {}) is None
"""


def interpreter():
    """The first one that has NumPy and SciPy."""
    for one in INTERPRETERS:
        if subprocess.run([one, "-c", "import numpy, scipy.sparse"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return one
    raise RuntimeError("no interpreter has NumPy and SciPy: 'apt install python3-numpy python3-scipy'")


class Planner(unittest.TestCase):
    def run_python(self, *arguments):
        environment = {**os.environ, "SPC_BUILD": BUILD, "SPC_COMPILER": f"{BUILD}/bin/spc",
                       "PYTHONPATH": f"{ROOT}/python{os.pathsep}{ROOT}/bench"}
        done = subprocess.run([interpreter(), *arguments], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_both_spellings_are_right(self):
        only = [] if os.environ.get("SPC_TEST_ALL") else [f"--only={name}" for name in FEW]
        rows = self.run_python(ROOT / "bench" / "planner.py", "--small", *only).splitlines()[2:]
        self.assertEqual(len(rows), len(only)) if only else self.assertGreaterEqual(len(rows), 40)
        for row in rows:
            self.assertTrue(row.endswith("| yes |"), row)

    def test_steps_are_counted(self):
        self.run_python("-c", COUNTS)


if __name__ == "__main__":
    unittest.main()
