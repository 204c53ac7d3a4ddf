"""The kinds of data files that `spc run` reads and writes: what goes in comes out, to the last bit."""

import unittest

from spc_case import SpcCase


class DataFiles(SpcCase):
    def copy(self, source, target, kind="f64", order=2, form="csr"):
        """Runs a kernel that copies a tensor from one file to another."""
        indices = ", ".join("ijk"[:order])
        sizes = ", ".join("mnp"[:order])
        self.write("copy.tex", f"tensor A({sizes}): {kind}\ntensor B({sizes}): {kind}\nB({indices}) = A({indices})\n")
        return self.spc("run", "copy.tex", "--format", f"A={form}", "--format", f"B={form}", f"A={source}", "-o",
                        f"B={target}")

    def test_integers_of_64_bits_stay_what_they_are(self):
        cases = {"i64": [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 3, 1000000, -1],
                 "u64": [2**64 - 1, 2**64 - 2, 2**63, 2**53 + 1, 0, 7]}
        for kind, values in cases.items():
            for form in ("csr", "dense", "ell", "coo", "csf:1,0"):
                with self.subTest(kind=kind, form=form):
                    self.write("a.tns", "".join(f"1 {at + 1} {value}\n" for at, value in enumerate(values)))
                    self.copy("a.tns", "b.mtx", kind, form=form)
                    self.assertIn("integer general", (self.folder / "b.mtx").read_text())
                    self.copy("b.mtx", "c.tns", kind, form=form)
                    lines = [line.split() for line in (self.folder / "c.tns").read_text().splitlines()]
                    found = {int(line[1]): int(line[2]) for line in lines}
                    self.assertEqual({at: value for at, value in found.items() if value},
                                     {at + 1: value for at, value in enumerate(values) if value})

    def test_integers_are_computed_and_printed_exactly(self):
        self.write("k.tex", "tensor a: i64\ntensor x(n): i64\ntensor y: i64\ny = a * x(i)\n")
        self.write("x.tns", "1 9007199254740993\n1 2\n2 -1\n")
        done = self.spc("run", "k.tex", "x=x.tns", "a=3")
        self.assertEqual(done.out, f"y = {3 * (2**53 + 1 + 2 - 1)}\n")
        done = self.spc("run", "k.tex", "x=ones:1", "a=-9223372036854775807")
        self.assertEqual(done.out, "y = -9223372036854775807\n")


if __name__ == "__main__":
    unittest.main()
