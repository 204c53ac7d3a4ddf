"""Index variables in gdb: at -g -O0 they are locals of a kernel's body, with labels where each has a new value."""

import shutil
import unittest

from spc_case import SDDMM, SPMV, SpcCase

SPMM = "C(i,k) = A(i,j) * B(j,k)\n"
ENTRIES = [(0, 0), (0, 3), (2, 1), (2, 2)]
CSR = """  int32_t row[] = {0, 2, 2, 4}, col[] = {0, 3, 1, 2};
  double values[] = {1, 2, 3, 4};
  spc_csr_f64_i32 A = {3, 4, 4, row, col, values};
"""
COO = """  int32_t row[] = {0, 0, 2, 2}, col[] = {0, 3, 1, 2};
  double values[] = {1, 2, 3, 4};
  spc_coo2_f64_i32 A = {3, 4, 4, row, col, values};
"""
BLOCKS = """  int32_t row[] = {0, 1, 2}, col[] = {0, 1};
  double values[32] = {1};
  spc_bsr4x4_f64_i32 A = {5, 6, 32, row, col, values};
"""
VECTORS = """  double xs[6] = {1, 1, 1, 1, 1, 1}, ys[5];
  spc_dense1_f64 x = {N, 1, xs}, y = {M, 1, ys};
"""
MATRICES = """  double bs[8] = {0}, cs[8] = {0};
"""


@unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
class Gdb(SpcCase):
    def client(self, kernel, formats, operands, arguments):
        """An executable that calls the kernel once."""
        self.write("k.tex", kernel)
        self.spc("compile", "k.tex", *formats, "-g", "-O0", "-o", "k.o")
        self.write("client.c", f'#include "k.h"\nint main(void) {{\n{operands}  return k({arguments});\n}}\n')
        self.command("cc", "-g", "client.c", "k.o", "-lm", "-o", "client")

    def gdb(self, *commands):
        arguments = [word for command in commands for word in ("-ex", command)]
        done = self.command("gdb", "-nx", "-batch", "-ex", "set confirm off", *arguments, "./client")
        return done.stdout + done.stderr

    def values(self, labels, variables):
        """What the variables are each time that one of the labels is reached."""
        script = "".join(f'break k.body:{label}\ncommands\nsilent\nprintf "at {"%ld " * len(variables)}\\n", '
                         f'{", ".join(variables)}\ncontinue\nend\n' for label in labels)
        self.write("labels.gdb", script)
        lines = self.gdb("source labels.gdb", "run").splitlines()
        return [tuple(map(int, line.split()[1:])) for line in lines if line.startswith("at ")]

    def test_line_and_locals(self):
        self.client(SPMV, ["--format=A=csr"], CSR + VECTORS.replace("N", "4").replace("M", "3"), "&A, &x, &y")
        text = self.gdb("break k.tex:1", "run", "break k.body:at_j if j == 1", "delete 1", "continue", "print i",
                        "print j", "info locals", "ptype i", "continue")
        self.assertIn("k.tex:1", text)
        self.assertIn("$1 = 2\n$2 = 1\n", text)
        self.assertRegex(text, r"(?m)^i = 2$")
        self.assertRegex(text, r"(?m)^j = 1$")
        self.assertIn("type = long", text)
        self.assertIn("exited normally", text)

    def test_rows_without_entries(self):
        self.client(SPMV, ["--format=A=csr"], CSR + VECTORS.replace("N", "4").replace("M", "3"), "&A, &x, &y")
        self.assertEqual(self.values(["at_i"], ["i"]), [(0,), (1,), (2,)])
        self.assertEqual(self.values(["at_j"], ["i", "j"]), ENTRIES)

    def test_coordinates(self):
        self.client(SPMV, ["--format=A=coo"], COO + VECTORS.replace("N", "4").replace("M", "3"), "&A, &x, &y")
        self.assertEqual(self.values(["at_j"], ["i", "j"]), ENTRIES)

    def test_blocks(self):
        """A variable of two loops is their sum; loops over full blocks and over the last ones have labels each."""
        self.client(SPMV, ["--format=A=bsr"], BLOCKS + VECTORS.replace("N", "6").replace("M", "5"), "&A, &x, &y")
        inside = [(i, j) for i in range(4) for j in range(4)] + [(4, 4), (4, 5)]
        self.assertEqual(sorted(self.values(["at_j", "at_j_2", "at_j_3"], ["i", "j"])), inside)

    def test_diagonals(self):
        """Of a difference and one variable the other one follows, whichever has the loop."""
        for name, stored in (("dia", 6), ("dia-cols", 8)):
            operand = "  int32_t offsets[] = {-1, 2};\n  double values[8] = {0};\n" \
                      f"  spc_{name.replace('-', '_')}_f64_i32 A = {{{{3, 4}}, {stored}, 2, offsets, values}};\n"
            self.client(SPMV, [f"--format=A={name}"], operand + VECTORS.replace("N", "4").replace("M", "3"),
                        "&A, &x, &y")
            self.assertEqual(self.values(["at_j"], ["i", "j"]), [(1, 0), (2, 1), (0, 2), (1, 3)])

    def test_spmm(self):
        dense = "  spc_dense2_f64 B = {{4, 2}, {2, 1}, bs}, C = {{3, 2}, {2, 1}, cs};\n"
        self.client(SPMM, ["--format=A=csr"], CSR + MATRICES + dense, "&A, &B, &C")
        expected = [(i, j, k) for i, j in ENTRIES for k in range(2)]
        self.assertEqual(self.values(["at_k"], ["i", "j", "k"]), expected)

    def test_sddmm(self):
        dense = "  spc_dense2_f64 B = {{3, 2}, {2, 1}, bs}, C = {{4, 2}, {2, 1}, cs};\n  spc_csr_f64_i32 D = A;\n" \
                "  double ds[4];\n  D.values = ds;\n"
        self.client(SDDMM, ["--format=S=csr", "--format=D=csr"], CSR + MATRICES + dense, "&A, &B, &C, &D")
        expected = [(i, j, k) for i, j in ENTRIES for k in range(2)]
        self.assertEqual(self.values(["at_k"], ["i", "j", "k"]), expected)


class Cost(SpcCase):
    def test_line_tables_alone_otherwise(self):
        self.write("k.tex", SPMV)
        for options in (["-g", "-O1"], ["-O0"]):
            text = self.spc("compile", "k.tex", "--format=A=csr", "--emit=llvm", *options).out
            self.assertNotIn("DILocalVariable", text)
            self.assertNotIn("DILabel", text)
            self.assertNotIn("emissionKind: FullDebug", text)
        self.assertIn("DILocalVariable",
                      self.spc("compile", "k.tex", "--format=A=csr", "--emit=llvm", "-g", "-O0").out)


if __name__ == "__main__":
    unittest.main()
