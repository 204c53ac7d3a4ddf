"""Tensors of numbers as constants: right in every format and type, by the evaluator of the kernel's text; where the object has
them; files, of all kinds, that they are read from; derivatives, searches, libraries, programs in C."""

import itertools
import random
import re
import shutil
import struct
import unittest

from data_files_test import npy
from spc_case import SpcCase

FORMATS = "dense csr csc coo dcsr dcsc bsr dbsr ell ell16 dia hyb csr-lengths coo-aos coo-dup csr64 block-ell".split()
TYPES = {"f64": "f8", "f32": "f4", "f16": "f2", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2",
         "u32": "u4", "u64": "u8", "bool": "b1", "bf16": None, "cf32": None, "cf64": None}
SHAPES = [(4, 5), (1, 1), (0, 3), (6, 2)]
KERNELS = {
    "y(i) = W(i,j) * x(j)": "x=random:{n}",
    "D(j,i) = 2 * W(i,j)": "",
    "D(i,j) = W(i,j) + V(i,j)": "V=random:{m}x{n}:density=0.4",
    "y(i) = max(j, W(i,j))": "",
    "D(i,k) = pattern(W(i,j)) * B(j,k)": "B=random:{n}x3",
    "D(i,k) = W(i,j) * W(k,j)": "",
    "y(i) = sum(j, exp(W(i,j)) * x(j))": "x=random:{n}",
    "y(i) += W(i,j) * W(i,j)": "y=random:{m}",
}


def rows(shape, numbers):
    """Lists within lists of a matrix."""
    numbers = iter(numbers)
    return "[" + ", ".join("[" + ", ".join(str(next(numbers)) for _ in range(shape[1])) + "]" for _ in range(shape[0])) + "]"


def matrix(shape, seed, most=3):
    """Numbers of which two of five are 0."""
    generator = random.Random(seed)
    return [generator.randint(1, most) if generator.random() < 0.6 else 0 for _ in range(shape[0] * shape[1])]


class Results(SpcCase):
    optimised = SpcCase.SOME

    def check(self, kernel, inputs, formats, name="k.tex", level="-O1"):
        self.write(name, kernel)
        self.spc("run", name, *inputs, *itertools.chain(*(("--format", one) for one in formats)), "--check", "-q", level)

    def test_every_format(self):
        for number, (statement, inputs) in enumerate(KERNELS.items()):
            for turn, (format_, shape) in enumerate(itertools.product(FORMATS, SHAPES[:1] if number else SHAPES)):
                # Every format is optimised with some kernels, every kernel in some formats.
                level = "-O0" if (number + turn) % 3 else "-O1"
                with self.subTest(statement, format=format_, shape=shape):
                    kernel = f"const W{shape} = {rows(shape, matrix(shape, number))}\n{statement}\n"
                    given = inputs.format(m=shape[0], n=shape[1]).split()
                    bound = [f"W={format_}"] + (["V=csr"] if "V" in statement else [])
                    self.check(kernel, given, bound, level=level)

    def test_symmetric_and_triangular_formats(self):
        full = [2, 1, 0, 1, 0, 3, 0, 3, 5]
        lower = [2, 0, 0, 1, 0, 0, 0, 3, 5]
        for format_, numbers in (("sym-csr", full), ("sym-lower", full), ("lower", lower), ("upper", [2, 1, 0, 0, 0, 3, 0, 0, 5])):
            for statement in ("y(i) = W(i,j) * x(j)", "y(i) = sum(j, exp(W(i,j)) * x(j))", "D(j,i) = W(i,j) + x(j)*0"):
                with self.subTest(statement, format=format_):
                    self.check(f"const W(3, 3) = {rows((3, 3), numbers)}\n{statement}\n", ["x=random:3"], [f"W={format_}"])
        self.write("k.tex", f"const W(3, 3) = {rows((3, 3), lower)}\ny(i) = W(i,j) * x(j)\n")
        self.assertIn("it is not symmetric", self.spc("compile", "k.tex", "--format=W=sym-csr", "-o", "k.o", expect=1).err)

    def test_scalars_in_indices(self):
        self.check("const k: i32 = 2\nconst v(5) = [1, 2, 3, 4, 5]\ny(i) = x(i + k)\nz(i) = v(n - 1 - i) * u(i)\ntensor u(n)\n"
                   "tensor x(m)\n", ["x=random:6", "u=random:5", "--size", "i=4"], [])

    def test_every_type(self):
        for (type_, kind), format_ in itertools.product(TYPES.items(), ["dense", "csr", "hyb"]):
            most = 1 if type_ == "bool" else 3
            kernel = f"const W(4, 5): {type_} = {rows((4, 5), matrix((4, 5), 7, most))}\ntensor x(5): {type_}\n"
            with self.subTest(type_, format=format_):
                self.check(kernel + "y(i) = W(i,j) * x(j)\n", ["x=ones"], [f"W={format_}"])

    def test_large_integers_complex_numbers_and_infinities(self):
        self.write("big.tex", "const a(3): i64 = [9007199254740993, -9223372036854775807, 5]\ny(i) = a(i) + 0\n")
        self.assertIn("9007199254740993  -9223372036854775807  5", self.spc("run", "big.tex").out)
        self.write("complex.tex", "const a(2): cf64 = [1+2i, -3i]\ny(i) = a(i) * a(i)\n")
        self.assertIn("-3+4i  -9", self.spc("run", "complex.tex", "--check").out)
        self.write("ends.tex", "const a(3) = [inf, -inf, nan]\ny(i) = a(i)\n")
        self.assertIn("inf  -inf  nan", self.spc("run", "ends.tex").out)

    def test_other_orders(self):
        self.check("const c: f32 = 0.25\nconst v(3) = [1, 0, 2]\nconst T(2, 1, 2) = [[[1, 0]], [[0, 4]]]\n"
                   "y(i) = c * v(i) * x(i)\nz(i) = T(i,j,k) * u(k)\n", ["x=random:3", "u=random:2"],
                   ["v=sparse-vector", "T=csf"])

    def test_windows_and_gathers(self):
        self.check("const K(3, 2) = [[1, 2], [0, 1], [3, 0]]\nY(i,j) = X(i+p, j+q) * K(p,q)\n",
                   ["X=random:9x8", "--size", "i=7", "--size", "j=7"], [])
        self.check("const p(n): i32 = [2, 0, 1, 2]\ny(i) = x(p(i))\nC(i,j) = A(p(i), j)\n", ["x=random:3", "A=random:3x5:density=0.5"],
                   ["A=csr", "C=csr"])
        self.write("far.tex", "const p(2): i32 = [0, 7]\ny(i) = x(p(i))\n")
        self.assertIn("[kernel-status]", self.spc("run", "far.tex", "x=random:3", expect=1).err)

    def test_fills(self):
        self.check("const G(3, 3), sparse, fill inf = [[inf, 4, 1], [7, inf, 0], [inf, 2, inf]]\n"
                   "y(i) = min(k, G(i,k) + x(k))\n", ["x=random:3"], ["G=csr"])
        self.check("semiring(min, +)\nconst G(2, 2), sparse = [[inf, 4], [0, inf]]\ny(i) = G(i,k) * x(k)\n", ["x=random:2"],
                   ["G=coo"])


class Files(SpcCase):
    optimised = SpcCase.SOME

    def setUp(self):
        super().setUp()
        self.numbers = matrix((3, 4), 3)
        self.write("data/w.npy", npy("f8", (3, 4), self.numbers))
        entries = [f"{k // 4 + 1} {k % 4 + 1} {number}" for k, number in enumerate(self.numbers) if number]
        self.write("data/w.mtx", f"%%MatrixMarket matrix coordinate real general\n3 4 {len(entries)}\n" + "\n".join(entries) + "\n")
        self.write("data/w.tns", "\n".join(entries) + "\n")

    def test_all_kinds(self):
        self.write("list.tex", f"const W(m, n) = {rows((3, 4), self.numbers)}\ny(i) = W(i,j) * x(j)\n")
        wanted = self.spc("run", "list.tex", "x=random:4").out
        for kind, format_ in itertools.product(["npy", "mtx", "tns"], ["dense", "csr", "coo"]):
            extents = "(3, 4)" if kind == "tns" else "(m, n)"
            self.write("data/file.tex", f'const W{extents} = "w.{kind}"\ny(i) = W(i,j) * x(j)\n')
            with self.subTest(kind, format=format_):
                found = self.spc("run", "data/file.tex", "x=random:4", "--format", f"W={format_}", "--check", "-q")
                self.assertEqual(found.out, wanted)

    def test_types_of_files(self):
        codes = {"f8": "d", "f4": "f", "f2": "e", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
                 "u8": "Q", "b1": "?"}
        for type_, kind in TYPES.items():
            values = [1, 0, 1 if type_ == "bool" else 3]
            if not kind:
                continue
            self.write("v.npy", npy(kind, (3,), struct.pack("<3" + codes[kind], *values)))
            self.write("v.tex", f'const v(n): {type_} = "v.npy"\ny(i) = v(i)\n')
            with self.subTest(type_):
                self.assertIn(f"y: 3\n  {values[0]}  0  {values[2]}\n", self.spc("run", "v.tex", "-q").out)

    def test_sizes(self):
        self.write("k.tex", 'const W(m, n) = "data/w.npy"\ntensor x(n)\ny(i) = W(i,j) * x(j)\n')
        self.assertIn("W(m=3, n=4)", self.spc("compile", "k.tex", "--emit=plan", "-o", "-").out)
        self.assertIn("[shape-clash]", self.spc("run", "k.tex", "x=random:5", expect=1).err)
        self.write("k.tex", 'const W(3, 5) = "data/w.npy"\ny(i) = W(i,j) * x(j)\n')
        self.assertIn("dimension 1 of 'W' is declared as 5, and its numbers have 4",
                      self.spc("compile", "k.tex", "-o", "k.o", expect=1).err)

    def test_standard_input_and_folders(self):
        kernel = 'const W(m, n) = "data/w.npy"\ny(i) = W(i,j) * x(j)\n'
        self.spc("compile", "-", "--name=k", "-o", "k.o", stdin=kernel)
        self.write("inner/k.tex", kernel.replace("data/", "../data/"))
        self.spc("compile", "inner/k.tex", "-o", "k.o", "-MD", "-MP")
        made = (self.folder / "k.d").read_text()
        self.assertIn("data/w.npy", made)
        self.assertIn("data/w.npy:", made)
        (self.folder / "data/w.npy").unlink()
        missing = self.spc("compile", "inner/k.tex", "-o", "k.o", expect=1).err
        self.assertIn("data/w.npy: error: cannot read the file", missing)
        self.assertIn("note: the constant 'W' is read from it", missing)

    def test_printed_programs_are_the_same(self):
        for kernel in ['const W(m, n): f32 = "data/w.npy"\ny(i) = W(i,j)*x(j)\n',
                       "const W(2, 2): cf32 = [[1+2i, -0.5], [0, 1e-300]]\ny(i) = W(i,j)*x(j)\n",
                       "const a: i64 = -9223372036854775807\nconst b(0, 2) = []\ny(i) = b(i,j) + a\n",
                       "type T = f64\nconst W(2): T, sparse, fill inf = [inf, 2]\ny(i) = min(i, W(i))\n"]:
            self.write("k.tex", kernel)
            bound = ["--format", "W=sparse-vector"] if "sparse" in kernel else []
            first = self.spc("compile", "k.tex", "--emit=kernel", "-o", "-", *bound, expect=None)
            if first.returncode:
                continue
            self.write("again.tex", first.out)
            self.assertEqual(self.spc("compile", "again.tex", "--emit=kernel", "-o", "-", "--name=k", *bound).out, first.out)


class Objects(SpcCase):
    def compile(self, kernel, *options, name="k"):
        self.write(f"{name}.tex", kernel)
        return self.spc("compile", f"{name}.tex", "-o", f"{name}.o", "--header", f"{name}.h", "-q", *options)

    def test_read_only_data_once_and_aligned(self):
        numbers = [k + 0.5 for k in range(512)]
        kernel = f"const W(16, 32) = {rows((16, 32), numbers)}\ny(i) = W(i,j) * x(j)\n"
        self.compile(kernel, "--target=x86_64-linux-gnu")
        data = (self.folder / "k.o").read_bytes()
        image = struct.pack("<512d", *numbers)
        self.assertEqual(data.count(image), 1)
        headers = self.command("readelf", "-SW", "k.o").stdout
        sections = re.findall(r"\] (\S+)\s+PROGBITS\s+\w+ (\w+) (\w+) \w+\s+(\w*)\s+\d+\s+\d+\s+(\d+)", headers)
        [(name, begin, flags, alignment)] = [(name, int(begin, 16), flags, int(alignment))
                                             for name, begin, size, flags, alignment in sections
                                             if int(begin, 16) <= data.index(image) < int(begin, 16) + int(size, 16)]
        self.assertTrue(name.startswith(".rodata"), name)
        self.assertEqual(flags, "A")
        self.assertGreaterEqual(alignment, 64)
        self.assertEqual((data.index(image) - begin) % 64, 0)
        names = self.command("nm", "k.o").stdout
        self.assertNotIn("constant", names)
        self.assertIn("k.v4.body", names)

    def test_byte_order_of_targets(self):
        kernel = "const W(3): i32 = [1, 2, 258]\nconst c(1): cf64 = [1+2i]\ny(i) = W(i) * x(i)\nz(i) = c(i) * u(i)\n"
        self.compile(kernel, "--target=s390x-linux-gnu")
        data = (self.folder / "k.o").read_bytes()
        self.assertIn(struct.pack(">3i", 1, 2, 258), data)
        self.assertIn(struct.pack(">2d", 1, 2), data)

    def test_header_and_signature(self):
        self.compile("const W(3, 2): f32 = [[1, 2], [3, 4], [5, 6]]\nconst c = 2\ny(i) = c * W(i,j) * x(j)\n")
        header = (self.folder / "k.h").read_text()
        self.assertIn(" * Constants, which are no arguments:\n *\n *   c, a number of f64\n *   W, 3 x 2 of f32\n", header)
        self.assertIn("static inline spc_status k(const spc_dense1_f64 *x, spc_dense1_f64 *y)", header)
        self.assertNotIn("W", self.spc("inspect", "k.o").out.replace("spc_W", ""))

    def test_names_of_objects_depend_on_the_numbers(self):
        symbols = set()
        for numbers in ("1, 2", "1, 3", "1, -0"):
            self.compile(f"const W(2) = [{numbers}]\ny(i) = W(i) * x(i)\n")
            symbols.add(re.search(r"k_spc\d+_(\w+)$", self.command("nm", "k.o").stdout, re.MULTILINE)[1])
        self.assertEqual(len(symbols), 3)

    def test_a_program_in_c(self):
        if not shutil.which("cc"):
            self.skipTest("no C compiler")
        self.compile("const W(2, 3), sparse = [[1, 0, 2], [0, 4, 0]]\nconst p(m): i32 = [2, 0]\n"
                     "y(i) = W(i,j) * x(j)\nz(k) = x(p(k))\nC(i,j) = W(i,j) * x(j)\n", "--format", "W=csr", "--format", "C=csr")
        self.write("main.c", """#include "k.h"
int main(void) {
  double x[3] = {1, 2, 3}, y[2], z[2];
  spc_dense1_f64 X = spc_dense1_f64_make(x, 3), Y = spc_dense1_f64_make(y, 2), Z = spc_dense1_f64_make(z, 2);
  spc_csr_f64_i32 C;
  if (k(&X, &Y, &Z, &C) != SPC_OK || y[0] != 7 || y[1] != 8 || z[0] != 3 || z[1] != 1)
    return 1;
  if (C.nnz != 3 || C.values[1] != 6 || C.col_ind[2] != 1)
    return 2;
  k_free(&C);
  spc_dense1_f64 few = spc_dense1_f64_make(x, 2);
  return k(&few, &Y, &Z, &C) == SPC_ERROR_SHAPE ? 0 : 3;
}
""")
        include = self.spc("compile", "--help").out and str(__import__("spc_case").ROOT / "include")
        self.command("cc", "-Wall", "-Wextra", "-Werror", "-I", include, "-I", ".", "main.c", "k.o", "-o", "main", "-lm")
        self.command("./main")

    def test_sanitizers_and_debug_information(self):
        kernel = "const W(2, 3), sparse = [[1, 0, 2], [0, 4, 0]]\ny(i) = W(i,j) * x(j)\n"
        for options in (["-g"], ["-g", "-O0"], ["--sanitize=address"], ["--checked"], ["-O0"], ["--visibility=default"]):
            with self.subTest(options):
                self.compile(kernel, "--format", "W=csr", *options, "--verify")


class Tools(SpcCase):
    optimised = SpcCase.SOME

    KERNEL = 'const W(3, 4), sparse = [[1, 0.5, 0, 2], [0, 0, 1, 0], [3, 0, 0, 0.25]]\nconst v(3) = "data/v.npy"\n' \
             "y(i) = tanh(sum(j, W(i,j) * x(j)) + v(i))\n"

    def setUp(self):
        super().setUp()
        self.write("data/v.npy", npy("f8", (3,), [0.5, 1, 2]))
        self.write("k.tex", self.KERNEL)

    def test_derivatives(self):
        self.spc("grad", "k.tex", "--format", "W=csr", "--of", "y", "--wrt", "x", "-o", "deep/g.tex", "--format-out",
                 "deep/g.json", "-q", expect=None)
        (self.folder / "deep").mkdir(exist_ok=True)
        self.spc("grad", "k.tex", "--format", "W=csr", "--of", "y", "--wrt", "x", "-o", "deep/g.tex", "--format-out",
                 "deep/g.json", "-q")
        text = (self.folder / "deep/g.tex").read_text()
        self.assertIn("const W(3, 4): f64, sparse = [[1, 0.5, 0, 2], [0, 0, 1, 0], [3, 0, 0, 0.25]]\n", text)
        self.assertNotIn("const v", text)
        self.spc("run", "deep/g.tex", "--format", "deep/g.json", "y=random:3", "d_y=random:3", "--check", "-q")
        self.spc("grad", "k.tex", "--format", "W=csr", "--of", "y", "--wrt", "x", "--mode=forward", "-o", "deep/f.tex",
                 "--format-out", "deep/f.json", "-q")
        refused = self.spc("grad", "k.tex", "--format", "W=csr", "--of", "y", "--wrt", "W", "-o", "-", expect=1).err
        self.assertIn("'W' is a constant, and no argument", refused)
        self.write("linear.tex", 'const v(3) = "data/v.npy"\ny(i) = v(i) * x(i)\n')
        self.spc("grad", "linear.tex", "--of", "y", "--wrt", "x", "-o", "deep/l.tex", "-q")
        self.assertIn('const v(3): f64 = "../data/v.npy"\n', (self.folder / "deep/l.tex").read_text())
        self.spc("run", "deep/l.tex", "d_y=random:3", "--check", "-q")

    def test_explain(self):
        said = self.spc("explain", "k.tex", "--format", "W=csr", "x=random:4", "-q").out
        self.assertRegex(said, r"W +f64, csr .*; constant; 6 entries, 88 bytes")
        self.assertIn("steps: 9\n", said)
        self.assertNotIn("not known before the call", said)

    def test_tune(self):
        self.write("t.tex", 'const v(n) = "data/v.npy"\nconst W(n, n), sparse = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]\n'
                            "y(i) = A(i,j) * v(j) + W(i,j) * v(j)\n")
        self.spc("tune", "t.tex", "A=random:3x3:density=0.5", "--format", "A=csr", "--format", "W=csr", "--budget=0.2", "-o", "t.json",
                 "-q")
        self.assertIn('"W": "csr"', (self.folder / "t.json").read_text())
        self.spc("run", "t.tex", "--format", "t.json", "A=random:3x3:density=0.5", "--check", "-q")

    def test_libraries(self):
        self.spc("compile", "k.tex", "--format", "W=csr", "-o", "k.o", "-q")
        self.write("other.tex", "const W(2) = [1, 2]\ny(i) = W(i) * x(i)\n")
        self.spc("compile", "other.tex", "-o", "other.o", "-q")
        self.spc("library", "k.o", "other.o", "-o", "lib.a")

    def test_plans_share_the_arrays(self):
        numbers = [k + 0.25 for k in range(64)]
        self.write("p.tex", f"const W(8, 8) = {rows((8, 8), numbers)}\nD(i,l) = A(i,j) * B(j,k) * C(k,l)\nz(s) = W(s,t) * x(t)\n")
        plan = self.spc("compile", "p.tex", "--emit=plan", "-o", "-", "-q").out
        self.assertIn("plan 2 of", plan)
        self.spc("compile", "p.tex", "-o", "p.o", "-q")
        self.assertEqual((self.folder / "p.o").read_bytes().count(struct.pack("<64d", *numbers)), 1)

    def test_copies_are_made_by_the_compiler(self):
        self.write("c.tex", f"const W(3, 4) = {rows((3, 4), matrix((3, 4), 5))}\ny(i) = exp(W(i,j) + V(i,j)) * x(j)\n")
        done = self.spc("compile", "c.tex", "--format", "W=csc", "--format", "V=csr", "--emit=plan", "-o", "-", expect=None)
        self.assertNotIn("'W' is reordered", done.err)
        self.spc("run", "c.tex", "--format", "W=csc", "--format", "V=csr", "V=random:3x4:density=0.5", "x=random:4", "--check", "-q",
                 expect=None)


if __name__ == "__main__":
    unittest.main()
