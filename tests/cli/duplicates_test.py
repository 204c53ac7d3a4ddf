"""Repeated entries in data files, as a format combines them, and Hermitian matrices."""

import json
import unittest

from spc_case import SPMV, SpcCase

ROWS = {"dim": "i", "storage": "compressed", "extent": "ragged", "unique": False}
COLUMN = {"dim": "j", "storage": "compressed", "extent": "fixed", "width": 1, "unique": False}
LEVELS = {
    "csr": [{"dim": "i", "storage": "dense"}, {"dim": "j", "storage": "compressed", "extent": "ragged"}],
    "coo": [ROWS, COLUMN],
    "bsr": [{"dim": "i / 2", "storage": "dense"}, {"dim": "j / 2", "storage": "compressed", "extent": "ragged"},
            {"dim": "i % 2", "storage": "dense"}, {"dim": "j % 2", "storage": "dense"}],
}
EDGES = "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 2 5\n2 1 -1\n1 2 3\n3 3 2\n1 2 4\n2 1 -2\n1 1 7\n"
OF = {"sum": (12, -3), "min": (3, -2), "max": (5, -1), "last": (4, -2)}
HERMITIAN = ("%%MatrixMarket matrix coordinate complex hermitian\n3 3 5\n"
             "1 1 2 0\n2 1 1 -3\n3 1 0.5 0.25\n3 2 -1 1\n3 3 4 0\n")
X = "%%MatrixMarket matrix array complex general\n3 1\n1 2\n-1 0.5\n3 -1\n"


class Duplicates(SpcCase):
    optimised = False

    def format(self, name, levels, **more):
        self.write(name + ".json", json.dumps({"dims": ["i", "j"], "levels": LEVELS[levels], **more}))
        return name + ".json"

    def test_files(self):
        self.write("spmv.tex", SPMV)
        self.write("A.mtx", EDGES)
        self.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n10\n1\n1\n")
        for levels in LEVELS:
            for mode, (first, second) in OF.items():
                form = self.format("mine", levels, duplicates=mode)
                out = self.spc("run", "spmv.tex", "--format", "A=" + form, "A=A.mtx", "x=x.mtx", "--check").out
                self.assertEqual(out, f"y: 3\n  {70 + first}  {10 * second}  2\n", (levels, mode))
            form = self.format("mine", levels, duplicates="error")
            done = self.spc("run", "spmv.tex", "--format", "A=" + form, "A=A.mtx", "x=x.mtx", expect=1)
            self.assertRegex(done.err, r"several entries at \((1, 2|2, 1)\)")
            self.write("B.mtx", EDGES.replace("3 3 7", "3 3 3").replace("1 2 3\n", "").replace("1 2 4\n2 1 -2\n1 1 7\n", ""))
            self.spc("run", "spmv.tex", "--format", "A=" + form, "A=B.mtx", "x=x.mtx", "--check")

    def test_wide_integers(self):
        """Which doubles do not hold."""
        self.write("copy.tex", "tensor A(m, n): i64, sparse\nB(i,j) = A(i,j)\n")
        big = 2**62 + 1
        self.write("A.mtx", f"%%MatrixMarket matrix coordinate integer general\n1 2 3\n1 1 {big}\n1 1 {big + 1}\n1 2 1\n")
        for mode, value in (("min", big), ("max", big + 1), ("last", big + 1)):
            form = self.format("mine", "coo", duplicates=mode)
            out = self.spc("run", "copy.tex", "--format", "A=" + form, "--format", "B=dense", "A=A.mtx").out
            self.assertIn(str(value), out)

    def test_hermitian_matrices(self):
        self.write("spmv.tex", "tensor A(n, n): cf64, sparse\ntensor x(n): cf64\ny(i) = A(i,j) * x(j)\n"
                               "B(i,j) = A(i,j)\nr(i) = sum(j, abs(A(i,j)))\n")
        self.write("A.mtx", HERMITIAN)
        self.write("x.mtx", X)
        run = ["run", "spmv.tex", "A=A.mtx", "x=x.mtx", "--check", "--format", "B=csr"]
        plain = self.spc(*run, "--format", "A=csr").out
        self.assertIn("(2,1)1-3i", plain.replace(" ", ""))
        for triangle in ("lower", "upper"):
            form = self.format("mine", "csr", symmetric=triangle, symmetry="hermitian")
            self.assertEqual(self.spc(*run, "--format", "A=" + form).out, plain)
            self.spc("run", "spmv.tex", "--format", "A=" + form, "--format", "B=csr", "A=A.mtx", "x=x.mtx", "-q",
                     "-o", "B=B.mtx")
            again = [word.replace("A.mtx", "B.mtx") for word in run]
            self.assertEqual(self.spc(*again, "--format", "A=" + form).out, plain)

    def test_matrices_that_are_not_hermitian(self):
        self.write("spmv.tex", "tensor A(n, n): cf64, sparse\ntensor x(n): cf64\ny(i) = A(i,j) * x(j)\n")
        self.write("A.mtx", HERMITIAN.replace("hermitian", "symmetric"))
        form = self.format("mine", "csr", symmetry="hermitian")
        done = self.spc("run", "spmv.tex", "--format", "A=" + form, "A=A.mtx", "x=ones", expect=1)
        self.assertIn("it is not Hermitian", done.err)
        header = self.spc("compile", "spmv.tex", "--format", "A=" + form, "--header", "-", "-o", "k.o", expect=None)
        self.assertIn("_hermlo", header.out + (self.folder / "k.h").read_text() if (self.folder / "k.h").exists()
                      else header.out)


if __name__ == "__main__":
    unittest.main()
