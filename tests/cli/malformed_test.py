"""Malformed input of every kind: exit code 1 or 2, a caret or a path on standard error, and no output file."""

import os
import re
import stat
import unittest

from spc_case import SPMV, SpcCase

CSR = """{ "name": "csr", "dims": ["i", "j"],
  "levels": [ { "dim": "i", "storage": "dense" }, { "dim": "j", "storage": "compressed" } ] }
"""

# name: kernel text
KERNELS = {
    "empty file": "",
    "only comments": "# nothing\n\n",
    "missing operand": "y(i) = A(i, j) *\n",
    "missing parenthesis": "y(i) = A(i, j * x(j)\n",
    "stray parenthesis": "y(i) = A(i, j)) * x(j)\n",
    "stray character": "y(i) = A(i, j) @ x(j)\n",
    "no target": "= A(i, j)\n",
    "number as a target": "3 = A(i, j)\n",
    "malformed number": "y(i) = 1.2.3 * A(i, j)\n",
    "malformed exponent": "y(i) = 1e * A(i, j)\n",
    "huge number": "y(i) = 1e999999 * A(i, j)\n",
    "order mismatch": "y(i) = A(i, j) * A(i)\n",
    "declared order mismatch": "tensor A(m, n)\ny(i) = A(i)\n",
    "declared twice": "tensor A(m, n)\ntensor A(m, n)\ny(i) = A(i, j)\n",
    "unknown type": "tensor A(m, n): f31\ny(i) = A(i, j)\n",
    "unknown property": "tensor A(m, n), sparce\ny(i) = A(i, j)\n",
    "negative extent": "tensor A(-3, n)\ny(i) = A(i, j)\n",
    "extent too large": "tensor A(99999999999999999999, n)\ny(i) = A(i, j)\n",
    "shape clash": "tensor A(3, n)\ntensor x(4)\ny(i) = A(i, j) * x(i)\n",
    "repeated index on the left": "y(i, i) = A(i, j)\n",
    "ambiguous sum": "y(i) = 2 * (A(i, j) * x(j) + z(i))\n",
    "order nine": "y(a) = A(a, b, c, d, e, f, g, h, i)\n",
    "deep parentheses": "y(i) = " + "(" * 100000 + "A(i, j)" + ")" * 100000 + "\n",
    "deep minus": "y(i) = " + "-" * 100000 + "A(i, j)\n",
    "unclosed depth": "y(i) = " + "(" * 1000000,
    "10 MB line of rubbish": "y(i) = " + "@" * 10_000_000,
    "10 MB line of a name": "y(i) = " + "a" * 10_000_000 + "(i, j) + \n",
    "not UTF-8": b"y(i) = A(i, j) * x\xff\xfe(j)\n",
    "a NUL byte": b"y(i) = A(i, j)\0 * x(j)\n",
    "binary": bytes(range(256)) * 64,
    "carriage returns only": "y(i) = \r\r\r",
    "sum without variable": "y(i) = sum(A(i, j))\n",
    "empty sum": "y(i) = sum()\n",
    "tensor without a name": "tensor\ny(i) = A(i, j)\n",
    "unicode letters": "y(i) = Ä(i, j)\n",
}

# name: (file name, contents) of a format file bound to A
FORMATS = {
    "bad JSON": CSR.replace("[ {", "[ {{"),
    "truncated JSON": CSR[:60],
    "empty format": "",
    "not an object": "[1, 2]",
    "unknown key": CSR.replace('"dims"', '"dimz"'),
    "unknown storage": CSR.replace('"compressed"', '"compresed"'),
    "unknown dimension": CSR.replace('{ "dim": "j"', '{ "dim": "k"'),
    "dimension stored twice": CSR.replace('{ "dim": "j"', '{ "dim": "i"'),
    "missing level": CSR.replace(', { "dim": "j", "storage": "compressed" }', ""),
    "wrong index type": CSR.replace('"levels"', '"index": { "pointers": "i16" }, "levels"'),
    "wrong type of a value": CSR.replace('["i", "j"]', "7"),
    "wrong order": '{ "name": "v", "dims": ["i"], "levels": [ { "dim": "i", "storage": "compressed" } ] }',
    "deep JSON": "[" * 200000,
    "JSON not UTF-8": CSR.encode().replace(b"csr", b"\xff\xfe"),
    "duplicate key": CSR.replace('"name": "csr"', '"name": "csr", "name": "csc"'),
}

# name: arguments after the kernel's
ARGUMENTS = {
    "missing format": ["--format", "A=crs"],
    "missing format file": ["--format", "A=nowhere.json"],
    "folder as a format": ["--format", "A=./"],
    "unknown tensor": ["--format", "B=csr"],
    "empty format argument": ["--format", "A="],
    "wrong level order": ["--format", "A=csr:0,0"],
    "level order out of range": ["--format", "A=csr:0,2"],
    "level order of another length": ["--format", "A=csr:0,1,2"],
    "level order not a number": ["--format", "A=csr:a,b"],
    "order does not fit": ["--format", "x=csr"],
    "two bindings": ["--format", "A=csr", "--format", "A=csc"],
    "output in a missing folder": ["--format", "A=csr", "-o", "no/k.o"],
    "output is a folder": ["--format", "A=csr", "-o", "."],
    "header in a missing folder": ["--format", "A=csr", "--header", "no/k.h"],
    "depfile in a missing folder": ["--format", "A=csr", "-MD", "-MF", "no/k.d"],
}


class Malformed(SpcCase):
    optimised = False

    def check(self, *arguments, **options):
        before = self.files()
        done = self.spc(*arguments, expect=None, **options)
        shown = done.err[:2000]
        self.assertIn(done.returncode, (1, 2), shown)
        self.assertRegex(done.err, r"error: ", shown)
        self.assertTrue("^" in done.err or re.search(r"^(?!spc:)\S+: error: ", done.err, re.MULTILINE), shown)
        self.assertLess(len(done.err), 200_000)
        self.assertEqual(self.files(), before)
        done.stderr.decode("utf-8")
        return done

    def test_kernels(self):
        for name, text in KERNELS.items():
            with self.subTest(name):
                self.write("k.tex", text)
                done = self.check("compile", "k.tex", "--format", "A=csr", "-o", "out.o", "-MD")
                self.assertIn("k.tex", done.err[:100000])
                self.check("run", "k.tex", "--format", "A=csr", "A=ones", "x=ones", "-o", "y=out.tns")

    def test_formats(self):
        self.write("k.tex", SPMV)
        for name, text in FORMATS.items():
            with self.subTest(name):
                self.write("f.json", text)
                self.check("compile", "k.tex", "--format", "A=f.json", "-o", "out.o", "-MD")

    def test_arguments(self):
        self.write("k.tex", SPMV)
        for name, arguments in ARGUMENTS.items():
            with self.subTest(name):
                self.check("compile", "k.tex", *arguments)

    def test_sparse_tensor_without_a_format(self):
        self.write("k.tex", "tensor A(m, n), sparse\n" + SPMV)
        self.assertIn("^", self.check("compile", "k.tex").err)

    def test_files_that_cannot_be_read(self):
        for path in (".", "missing.tex", "k.tex/x", "x" * 5000 + ".tex"):
            self.write("k.tex", SPMV)
            with self.subTest(path[:20]):
                self.check("compile", path, "--format", "A=csr", "--name=k", "-o", "out.o")

    def test_unwritable_folder(self):
        self.write("k.tex", SPMV)
        locked = self.folder / "locked"
        locked.mkdir()
        locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(locked.chmod, stat.S_IRWXU)
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        self.assertIn("locked", self.check("compile", "k.tex", "--format=A=csr", "-o", "locked/k.o").err)

    def test_one_output_failing_leaves_none(self):
        self.write("k.tex", SPMV)
        (self.folder / "taken.h").mkdir()
        self.check("compile", "k.tex", "--format=A=csr", "-o", "k.o", "--header", "taken.h")

    def test_nearest_names(self):
        self.write("spmv.tex", SPMV)
        self.assertIn("spmv.tex", self.check("compile", "smpv.tex", "--format=A=csr").err)
        self.assertIn("csr", self.check("compile", "spmv.tex", "--format=A=crs").err)
        self.write("spmv.tex", "tensor A(m, n), sparce\n" + SPMV)
        self.assertIn("sparse", self.check("compile", "spmv.tex", "--format=A=csr").err)


if __name__ == "__main__":
    unittest.main()
