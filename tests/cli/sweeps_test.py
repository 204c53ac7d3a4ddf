"""Steps that run together, piece by piece of rows, give what they give one after the other, in every format."""

import unittest

from spc_case import SpcCase

# Values of a pattern, with a tail, and what is read of a row in several ways.
SHARED = """
let E(i, j, h) = S(i, j) * x(j, h)
let L(i, j, h) = max(E(i, j, h), 0.2 * E(i, j, h)) * pattern(S(i, j))
let m(i, h) = E(i, j, h) * L(i, j, h)
y(i, h) = L(i, j, h) * L(i, j, h) * m(i, h)
"""
# Rows of dense temporaries, of blocks of rows where A has such.
DENSE = """
let t(i, h) = A(i, j) * x(j, h)
let u(i, h) = A(i, j) * t(i, h) * t(i, h)
y(i, h) = A(i, j) * u(i, h)
"""
FORMATS = "csr csr-lengths csr-unsorted csc dcsr coo coo-aos coo-dup ell bsr dia ragged".split()
ROWS, HEADS, MANY = 1101, 4, 64


class Sweeps(SpcCase):
    def outputs(self, matrix, form, size, *options):
        self.spc("run", "k.tex", "--format", f"{matrix}={form}", f"{matrix}=random:{ROWS}x{ROWS}:density=0.03:seed=3",
                 f"x=random:{ROWS}x{size}:seed=4", "-O1" if form == "csr" else "-O0", "-q", "-Wno-reorder", "-Wno-densify",
                 "-o", "y=y.tns", *options)
        return (self.folder / "y.tns").read_bytes()

    def compare(self, *what):
        for threads in ("1", "3"):
            steps = self.outputs(*what, "--plan=as-written", "--threads", threads)
            self.assertEqual(steps, self.outputs(*what, "--threads", threads))

    def test_formats(self):
        self.write("k.tex", SHARED)
        together = 0
        for form in FORMATS:
            with self.subTest(form):
                plan = self.spc("compile", "k.tex", "--format", f"S={form}", "-q", "-Wno-densify", "-Wno-reorder",
                                "--emit=plan").out
                together += "together, piece by piece" in plan
                self.compare("S", form, HEADS)
        self.assertGreater(together, 6)  # not where rows of S lie elsewhere

    def test_dense(self):
        self.write("k.tex", DENSE)
        for form in ("csr", "bsr", "dcsr", "ell"):
            with self.subTest(form):
                plan = self.spc("compile", "k.tex", "--format", f"A={form}", "-q", "--fp=strict", "--emit=plan").out
                self.assertIn("in memory for a piece of t, u", plan)
                self.compare("A", form, MANY, "--fp=strict")


if __name__ == "__main__":
    unittest.main()
