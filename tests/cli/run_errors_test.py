"""`spc run` given what cannot work: exit code 1 or 2, a message that names the culprit, no output file."""

import os
import unittest

from spc_case import SPMV, SpcCase
from run_test import A_MTX, X_TNS

# name: (arguments after "run spmv.tex --format A=csr", what the message says)
CASES = {
    "missing input": (["A=a.mtx"], "'x'"),
    "unknown tensor": (["A=a.mtx", "x=x.tns", "Q=ones"], "'Q'"),
    "misspelt tensor": (["AA=a.mtx", "x=x.tns"], "did you mean 'A'"),
    "input twice": (["A=a.mtx", "A=a.mtx", "x=x.tns"], "twice"),
    "output as input": (["A=a.mtx", "x=x.tns", "y=ones"], "-o y="),
    "missing file": (["A=b.mtx", "x=x.tns"], "b.mtx"),
    "folder as a file": (["A=.", "x=x.tns"], "."),
    "unknown kind of file": (["A=spmv.tex", "x=x.tns"], "spmv.tex"),
    "shapes clash": (["A=a.mtx", "x=ones:7"], "'j' has size 7 as dimension 0 of 'x' in ones:7"),
    "file too large for the shape": (["A=a.mtx", "x=x.tns", "--shape", "x=2"], "x.tns"),
    "size clash": (["A=a.mtx", "x=x.tns", "--size", "j=9"], "but size 9 by --size"),
    "least size clash": (["A=ones:2x2", "x=x.tns"], "at least 3"),
    "unknown extent": (["A=a.mtx", "x=x.tns", "--size", "q=9"], "'q'"),
    "malformed size": (["A=a.mtx", "x=x.tns", "--size", "j=-9"], "'-9'"),
    "size not a number": (["A=a.mtx", "x=x.tns", "--size", "j=many"], "'many'"),
    "size without a value": (["A=a.mtx", "x=x.tns", "--size", "j"], "EXTENT=N"),
    "malformed shape": (["A=a.mtx", "x=x.tns", "--shape", "A=4by3"], "4by3"),
    "shape of another order": (["A=a.mtx", "x=x.tns", "--shape", "A=4"], "order"),
    "order mismatch": (["A=a.mtx", "x=a.mtx"], "order"),
    "unknown size": (["A=ones", "x=ones"], "--size"),
    "no assignment": (["A=a.mtx", "x"], "TENSOR=SOURCE"),
    "empty source": (["A=a.mtx", "x="], "TENSOR=SOURCE"),
    "malformed generator": (["A=a.mtx", "x=random:what"], "random"),
    "output of an input": (["A=a.mtx", "x=x.tns", "-o", "x=o.tns"], "'x'"),
    "output of nothing": (["A=a.mtx", "x=x.tns", "-o", "z=o.tns"], "'z'"),
    "output twice": (["A=a.mtx", "x=x.tns", "-o", "y=o.tns", "-o", "y=p.tns"], "two"),
    "unknown kind of output": (["A=a.mtx", "x=x.tns", "-o", "y=o.csv"], ".tns"),
    "output in a missing folder": (["A=a.mtx", "x=x.tns", "-o", "y=no/o.tns"], "no/"),
    "does not fit into memory": (["A=ones:1000000000x1000000000", "x=ones"], "memory"),
    "shape overflows": (["A=ones:9223372036854775807x9223372036854775807", "x=ones"], "memory"),
}

# name: contents of a.mtx
FILES = {
    "empty": "",
    "no banner": "4 3 5\n1 1 1\n",
    "too few entries": "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 1\n",
    "row out of range": "%%MatrixMarket matrix coordinate real general\n4 3 1\n5 1 1\n",
    "row zero": "%%MatrixMarket matrix coordinate real general\n4 3 1\n0 1 1\n",
    "not a number": "%%MatrixMarket matrix coordinate real general\n4 3 1\n1 1 one\n",
    "negative size": "%%MatrixMarket matrix coordinate real general\n-4 3 1\n1 1 1\n",
    "huge count": "%%MatrixMarket matrix coordinate real general\n4 3 99999999999999999999\n1 1 1\n",
    "binary": bytes(range(256)),
}


class RunErrors(SpcCase):
    optimised = False

    def setUp(self):
        super().setUp()
        self.write("spmv.tex", SPMV)
        self.write("a.mtx", A_MTX)
        self.write("x.tns", X_TNS)

    def check(self, arguments, says):
        before = self.files()
        done = self.spc("run", "spmv.tex", "--format", "A=csr", *arguments, expect=None)
        self.assertIn(done.returncode, (1, 2), done.err)
        self.assertIn(says, done.err)
        self.assertEqual(done.out, "")
        self.assertEqual(self.files(), before)

    def test_arguments(self):
        for name, (arguments, says) in CASES.items():
            with self.subTest(name):
                self.check(arguments, says)

    def test_files(self):
        for name, text in FILES.items():
            with self.subTest(name):
                self.write("a.mtx", text)
                self.check(["A=a.mtx", "x=ones", "-o", "y=o.tns"], "a.mtx")

    def test_scalars(self):
        self.write("k.tex", "y(i) = alpha * x(i)\n")
        for value in ("two", "1.5x", "a.mtx"):
            self.assertIn("no number", self.spc("run", "k.tex", "x=x.tns", f"alpha={value}", expect=1).err)
        self.assertIn("alpha=NUMBER", self.spc("run", "k.tex", "x=x.tns", expect=1).err)

    def test_several_outputs_need_names(self):
        self.write("k.tex", "y(i) = x(i)\nz(i) = x(i)\n")
        self.assertIn("y=o.tns", self.spc("run", "k.tex", "x=x.tns", "-o", "o.tns", expect=2).err)

    def test_tensors_that_fit_one_by_one_but_not_together(self):
        # A third of the memory's numbers each: as x and y together, and as lists of entries, too many.
        n = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 8 // 3
        sources = [f"A=random:{n}x{n}:density=1e-18", "x=ones"]
        self.assertIn("memory", self.spc("run", "spmv.tex", "--format=A=csr", *sources, expect=1).err)

    def test_order_3_is_no_matrix(self):
        self.write("k.tex", "C(i, j, k) = x(i) * x(j) * x(k)\n")
        self.assertIn(".tns", self.spc("run", "k.tex", "x=x.tns", "-o", "C=c.mtx", expect=1).err)

    def test_all_errors_are_shown(self):
        error = self.spc("run", "spmv.tex", "--format=A=csr", "A=b.mtx", "x=c.tns", expect=1).err
        self.assertIn("b.mtx", error)
        self.assertIn("c.tns", error)


if __name__ == "__main__":
    unittest.main()
