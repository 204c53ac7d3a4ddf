"""`spc run` on inputs whose results are known."""

import gzip
import unittest

from spc_case import SDDMM, SPMV, SpcCase

# [[1, 0, 2], [0, 0, 0], [0, 3, 0], [4, 0, 5]], unsorted
A_MTX = "%%MatrixMarket matrix coordinate real general\n% a comment\n4 3 5\n4 3 5\n1 1 1\n4 1 4\n3 2 3\n1 3 2\n"
X_TNS = "1 1\n2 10\n3 100\n"


def numbers(text):
    return [float(word) for word in text.split()]


def vector(path):
    """The values of a .tns file of order 1, by coordinate."""
    return {int(line.split()[0]): float(line.split()[1]) for line in path.read_text().splitlines()
            if line and not line.startswith("#")}


class Run(SpcCase):
    optimised = False

    def setUp(self):
        super().setUp()
        self.write("spmv.tex", SPMV)
        self.write("a.mtx", A_MTX)
        self.write("x.tns", X_TNS)

    def test_every_format_gives_the_same(self):
        for form in ("dense", "csr", "csc", "dcsr", "dcsc", "coo", "csf", "csf:1,0", "coo:1,0"):
            with self.subTest(form):
                done = self.spc("run", "spmv.tex", "-O3", "--format", f"A={form}", "A=a.mtx", "x=x.tns", "-o", "y=y.tns")
                self.assertEqual(done.out, "")
                self.assertEqual(vector(self.folder / "y.tns"), {1: 201, 2: 0, 3: 30, 4: 504})

    def test_prints_small_results(self):
        done = self.spc("run", "spmv.tex", "--format", "A=csr", "A=a.mtx", "x=x.tns")
        self.assertTrue(done.out.startswith("y: 4\n"), done.out)
        self.assertEqual(numbers(done.out.split("\n", 1)[1]), [201, 0, 30, 504])

    def test_summarises_large_results(self):
        self.write("outer.tex", "C(i, j) = x(i) * z(j)\n")
        done = self.spc("run", "outer.tex", "x=ones:1000", "z=ones:50")
        self.assertIn("1000 x 50", done.out)
        self.assertIn("sum 50000", done.out)
        self.assertEqual(done.out.count("\n"), 1)

    def test_costs_are_numbers_once_the_data_is_known(self):
        done = self.spc("run", "spmv.tex", "--format", "A=csr", "A=a.mtx", "x=x.tns", "-v")
        self.assertIn("cost of 'y': nnz(A) = 5 steps", done.err)
        self.write("mm.tex", "C(i, j) = A(i, k) * B(k, j)\n")
        done = self.spc("run", "mm.tex", "--format", "A=csr", "--format", "B=csr", "--format", "C=csr", "A=a.mtx",
                        "B=ones:3x6", "-v")
        self.assertIn("cost of 'C': nnz(A)*nnz(B)/k = 30 steps", done.err)
        self.write("bsr.tex", "Y(i, k) = A(i, j) * X(j, k)\n")
        done = self.spc("run", "bsr.tex", "--format", "A=bsr", "A=a.mtx", "X=ones:3x10", "-v")
        self.assertIn("cost of 'Y': nnz(A)*k = 1.6e+02 steps", done.err)
        self.assertNotIn("-Wcost", done.err)

    def test_random_numbers_fit_the_type(self):
        for kind, least, most in (("i8", -100, 99), ("u8", 0, 100), ("bool", 0, 1), ("i64", -100, 99)):
            with self.subTest(kind):
                self.write("k.tex", f"tensor x(n): {kind}\ntensor y(n): {kind}\ny(i) = x(i)\n")
                self.spc("run", "k.tex", "x=random:200", "-o", "y=y.tns")
                values = set(vector(self.folder / "y.tns").values())
                self.assertTrue(all(least <= value <= most and value == int(value) for value in values), values)
                self.assertGreater(len(values), 1)

    def test_a_row_is_a_vector(self):
        self.write("k.tex", "y(i) = 2 * x(i)\n")
        self.write("row.mtx", "%%MatrixMarket matrix array real general\n1 3\n1\n2\n3\n")
        self.assertEqual(numbers(self.spc("run", "k.tex", "x=row.mtx").out.split("\n", 1)[1]), [2, 4, 6])

    def test_a_vector_comes_from_standard_input(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 10\n2 3 1\n")
        self.write("k.tex", SPMV)
        for shape in ("3 1", "1 3"):
            column = f"%%MatrixMarket matrix array real general\n{shape}\n1\n2\n3\n"
            out = self.spc("run", "k.tex", "--format=A=csr", "A=a.mtx", "x=-", "-q", stdin=column).out
            self.assertIn("10  3", out)

    def test_matrix_market_output_of_a_dense_matrix(self):
        self.write("scale.tex", "C(i, j) = alpha * A(i, j) * B(i, j)\n")
        self.spc("run", "scale.tex", "A=a.mtx", "B=ones", "alpha=-0.5", "-o", "C=c.mtx")
        lines = [line for line in (self.folder / "c.mtx").read_text().splitlines() if not line.startswith("%")]
        self.assertEqual(lines[0].split(), ["4", "3"])
        self.assertEqual([float(line) for line in lines[1:]], [-0.5, 0, 0, -2, 0, 0, -1.5, 0, -1, 0, 0, -2.5])

    def test_scalars_and_order_0_outputs(self):
        self.write("dot.tex", "s = alpha * x(i) * x(i)\n")
        self.assertEqual(self.spc("run", "dot.tex", "x=x.tns", "alpha=2.5e-1").out, f"s = {0.25 * 10101:.6g}\n")
        self.write("acc.tex", "s += x(i)\n")
        self.assertEqual(self.spc("run", "acc.tex", "x=x.tns", "s=-11").out, "s = 100\n")
        self.spc("run", "acc.tex", "x=x.tns", "s=-11", "-o", "s=s.tns")
        self.assertEqual(numbers((self.folder / "s.tns").read_text())[-1], 100)

    def test_accumulates_into_what_is_given(self):
        self.write("acc.tex", "y(i) += A(i, j) * x(j)\n")
        self.write("y.tns", "1 1000\n4 1\n")
        done = self.spc("run", "acc.tex", "--format", "A=csr", "A=a.mtx", "x=x.tns", "y=y.tns")
        self.assertEqual(numbers(done.out.split("\n", 1)[1]), [1201, 0, 30, 505])

    def test_sparse_output_shares_the_pattern(self):
        self.write("sddmm.tex", SDDMM)
        done = self.spc("run", "sddmm.tex", "--format", "S=csr", "S=a.mtx", "A=ones:4x7", "B=ones", "-o", "D=d.mtx")
        lines = [line for line in (self.folder / "d.mtx").read_text().splitlines() if not line.startswith("%")]
        self.assertEqual(lines[0].split(), ["4", "3", "5"])
        self.assertEqual(sorted(tuple(numbers(line)) for line in lines[1:]),
                         [(1, 1, 7), (1, 3, 14), (3, 2, 21), (4, 1, 28), (4, 3, 35)])
        self.assertIn("5 stored entries", self.spc("run", "sddmm.tex", "--format", "S=csr", "S=a.mtx", "A=ones:4x7",
                                                   "B=ones").out, done.err)

    def test_permuted_pattern_is_filled_by_its_own_dimensions(self):
        self.write("k.tex", "D(j, i) += 2 * A(i, j)\n")
        self.write("d.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 4 1\n3 1 -7\n")
        for form in ("csr", "csc", "coo", "dcsr", "bsr", "ell", "dia", "dia-cols", "ragged"):
            with self.subTest(format=form):
                self.spc("run", "k.tex", "-O0", f"--format=A={form}", "A=a.mtx", "D=d.mtx", "-o", "D=out.mtx")
                lines = [line for line in (self.folder / "out.mtx").read_text().splitlines() if line[0] != "%"][1:]
                found = {tuple(numbers(line)) for line in lines}
                self.assertEqual({entry for entry in found if entry[2] != 0},
                                 {(1, 1, 2), (3, 1, -3), (2, 3, 6), (1, 4, 9), (3, 4, 10)})

    def test_entries_outside_of_a_kept_pattern_are_refused(self):
        self.write("k.tex", "D(j, i) += 2 * A(i, j)\n")
        self.write("d.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 1\n2 2 1\n")
        error = self.spc("run", "k.tex", "--format=A=csr", "A=a.mtx", "D=d.mtx", expect=1).err
        self.assertIn("[outside-pattern]", error)

    def test_sums_of_parts(self):
        self.write("hyb1.json", '{"name": "hyb1", "sum": [{"dims": ["i", "j"], "levels": [{"dim": "i", "storage": '
                                '"dense"}, {"dim": "j", "storage": "compressed", "extent": "fixed", "width": 1}]}, '
                                '"coo"]}')
        for form in ("hyb", "hyb1.json"):
            done = self.spc("run", "spmv.tex", "-O0", f"--format=A={form}", "A=a.mtx", "x=x.tns")
            self.assertEqual(numbers(done.out.split("\n", 1)[1]), [201, 0, 30, 504], form)
        self.write("scaled.tex", "D(j, i) = 2 * A(i, j)\n")
        for form in ("hyb1.json", "csr"):
            arguments = ("run", "scaled.tex", "-O0", "--format=A=csr", f"--format=D={form}", "A=a.mtx")
            done = self.spc(*arguments, "-o", f"{form}.mtx")
            self.assertEqual(done.out, "")
            self.assertTrue(self.spc(*arguments).out.startswith("D: 3 x 4, 5 stored entries"))
        self.assertEqual(*((self.folder / f"{form}.mtx").read_text() for form in ("hyb1.json", "csr")))

    def test_tensors_of_one_structure(self):
        self.write("k.tex", "y(i) = A(i, j) * x(j) + B(i, j) * z(j)\n")
        self.write("b.mtx", A_MTX.replace("4 3 5\n4 3 5\n", "4 3 5\n4 3 50\n"))
        for form in ("csr", "coo", "ell", "bsr", "dia"):
            self.write("f.json", '{"tensors": {"A": "%s", "B": {"structure_of": "A"}}}' % form)
            done = self.spc("run", "k.tex", "-O0", "--format", "f.json", "A=a.mtx", "B=b.mtx", "x=x.tns", "z=ones")
            self.assertEqual(numbers(done.out.split("\n", 1)[1]), [204, 0, 33, 558], form)

    def test_complex_numbers(self):
        self.write("k.tex", "tensor A(m, n): cf64, sparse\ntensor x(n): cf64\ntensor c: cf64\n"
                            "y(i) = c * A(i, j) * x(j)\n")
        done = self.spc("run", "k.tex", "--format=A=csr", "A=a.mtx", "x=x.tns", "c=1+2i")
        self.assertEqual(done.out.split("\n", 1)[1].split(), ["201+402i", "0+0i", "30+60i", "504+1008i"])
        self.write("c.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n1 1 5 0\n3 1 0 2\n")
        self.spc("run", "k.tex", "--format=A=csr", "A=c.mtx", "x=x.tns", "c=1", "-o", "y=y.mtx")
        self.assertEqual((self.folder / "y.mtx").read_text(),
                         "%%MatrixMarket matrix array complex general\n3 1\n5 -200\n0 0\n0 2\n")
        self.assertIn("no complex", self.spc("run", "k.tex", "--format=A=csr", "A=c.mtx", "x=x.tns", "c=1", "-o",
                                             "y=y.tns", expect=1).err)
        self.assertIn("-2i does not fit the type f64", self.spc("run", "spmv.tex", "--format=A=csr", "A=c.mtx", "x=x.tns",
                                                            expect=1).err)

    def test_missing_entries_that_are_not_0(self):
        self.write("g.tns", "1 2 3\n2 3 -1\n")
        self.write("k.tex", "semiring(min, +)\ntensor G(n, n): i32, sparse\nD(i, j) = G(i, k)*G(k, j)\n")
        run = ("run", "k.tex", "--format=G=csr", "--format=D=csr", "--size=n=3", "G=g.tns")
        self.assertEqual(self.spc(*run).out, "D: 3 x 3, 1 stored entries, missing ones are 2147483647 "
                                             "(coordinates from 1)\n  (1, 3)  2\n")
        for name, sign in (("d.mtx", "%"), ("d.tns", "#")):
            self.assertIn("[-Wfill]", self.spc(*run, "-o", name).err)
            lines = (self.folder / name).read_text().splitlines()
            self.assertIn(sign + " missing entries are 2147483647", lines)
            self.assertEqual(lines[-1].split(), ["1", "3", "2"])
            self.assertNotIn("[-Wfill]", self.spc(*run, "-Wno-fill", "-o", name).err)
            (self.folder / name).unlink()
            self.assertIn("[-Werror=fill]", self.spc(*run, "-Werror=fill", "-o", name, expect=1).err)
            self.assertFalse((self.folder / name).exists())
        # A dense result has no missing entries, and says it all.
        done = self.spc("run", "k.tex", "--format=G=csr", "--format=D=dense", "--size=n=3", "G=g.tns", "-o", "d.mtx")
        self.assertNotIn("[-Wfill]", done.err)
        self.assertNotIn("missing", (self.folder / "d.mtx").read_text())

    def test_stored_zeros_in_products_and_elsewhere(self):
        """A zero that is stored is an entry; in a format with padding it is one in products alone."""
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 5\n1 2 0\n2 3 2\n")
        self.write("x.tns", "1 1\n2 inf\n3 1\n")
        for value, inputs, entry, padding in (("A(i, j)*x(j)", ["x=x.tns"], "nan", "nan"), ("count(j, A(i, j))", [], "2", "1"),
                                              ("min(j, select(pattern(A(i, j)), A(i, j), inf))", [], "0", "5")):
            self.write("k.tex", f"y(i) = {value}\n")
            for form in ("csr", "csc", "coo", "dcsr", "ell", "bsr", "dia"):
                with self.subTest(value=value, form=form):
                    first = self.spc("run", "k.tex", "-O0", f"--format=A={form}", "A=a.mtx", *inputs).out.split()[2]
                    self.assertEqual(first.lstrip("-"), padding if form in ("ell", "bsr", "dia") else entry)

    def test_zeros_that_come_out_are_stored_unless_they_are_dropped(self):
        self.write("a.tns", "1 1 5\n1 2 3\n")
        self.write("b.tns", "1 1 5\n2 2 1\n")
        self.write("k.tex", "C(i, j) = A(i, j) - B(i, j)\n")
        run = ("run", "k.tex", "--format=A=csr", "--format=B=csr", "--format=C=csr", "--shape=A=2x2", "A=a.tns", "B=b.tns")
        for options, stored in (((), 3), (("--drop-zeros",), 2)):
            self.assertIn(f"{stored} stored entries", self.spc(*run, *options).out)

    def test_zeros_of_temporaries_are_never_dropped(self):
        """A temporary's zero beside a number that is none makes none."""
        self.write("a.tns", "1 1 5\n1 2 3\n")
        self.write("x.tns", "1 nan\n2 1\n")
        self.write("k.tex", "let T(i, j) = A(i, j) - B(i, j)\nC(j, i) = T(i, j)*x(j)\n")
        run = ("run", "k.tex", "--format=A=csr", "--format=B=dcsr", "--format=C=csr", "--shape=A=2x2", "A=a.tns", "B=b.tns", "x=x.tns")
        for zero, stored in (("1 1 5\n", "nan"), ("1 2 3\n", "2 x 2, 1 stored")):
            self.write("b.tns", zero)
            self.assertIn(stored, self.spc(*run, "--drop-zeros", "--check").out)

    def test_distributed_differences_cancel(self):
        self.write("a.tns", "1 1.0000000009313226\n")
        self.write("b.tns", "1 1\n")
        self.write("k.tex", "l = (A(i) - B(i))*(A(i) - B(i))\n")
        run = ("run", "k.tex", "--format=sparse-vector", "A=a.tns", "B=b.tns", "--precision=17")
        self.assertEqual(self.spc(*run).out, "l = 8.6736173798840355e-19\n")
        self.assertEqual(self.spc(*run, "--fp=strict").out, "l = 8.6736173798840355e-19\n")
        self.assertNotEqual(self.spc(*run, "--fp=distribute").out, "l = 8.6736173798840355e-19\n")

    def test_the_ends_of_64_bits(self):
        self.write("g.tns", "1 2 3\n2 3 -1\n")
        self.write("k.tex", "semiring(min, +)\ntensor G(n, n): i64, sparse\ntensor x(n): i64\ny(i) = G(i, j)*x(j)\n")
        run = ("run", "k.tex", "--format=G=csr", "--size=n=3", "G=g.tns", "x=zeros")
        self.assertEqual(self.spc(*run).out, "y: 3\n  3  -1  9223372036854775807\n")
        self.spc(*run, "-o", "y.tns")
        self.write("copy.tex", "tensor x(n): i64\ny(i) = x(i)\n")
        self.assertEqual(self.spc("run", "copy.tex", "x=y.tns").out, "y: 3\n  3  -1  9223372036854775807\n")

    def test_places_of_extremes_over_nothing(self):
        self.write("k.tex", "p(i) = argmin(j, A(i, j))\nq(i) = argmax(j, A(i, j))\n")
        self.assertEqual(self.spc("run", "k.tex", "A=zeros:2x0").out,
                         "p: 2\n  9223372036854775807  9223372036854775807\n"
                         "q: 2\n  9223372036854775807  9223372036854775807\n")

    def test_symmetric_duplicate_and_gzipped_input(self):
        mtx = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 3\n3 1\n"
        (self.folder / "s.mtx.gz").write_bytes(gzip.compress(mtx.encode()))
        done = self.spc("run", "spmv.tex", "--format=A=csr", "A=s.mtx.gz", "x=x.tns")
        self.assertEqual(numbers(done.out.split("\n", 1)[1]), [110, 1, 101])
        self.write("d.tns", "2 2 1\n1 1 5\n2 2 1\n")
        done = self.spc("run", "spmv.tex", "--format=A=coo", "A=d.tns", "x=ones:2")
        self.assertEqual(numbers(done.out.split("\n", 1)[1]), [5, 2])

    def test_sizes_and_shapes(self):
        self.write("a.tns", "1 2 3\n")
        tail = lambda done: numbers(done.out.split("\n", 1)[1])
        run = ["run", "spmv.tex", "--format=A=csr", "A=a.tns"]
        self.assertEqual(tail(self.spc(*run, "x=ones", "--shape", "A=3x4")), [3, 0, 0])
        self.assertEqual(tail(self.spc(*run, "x=ones")), [3])
        self.assertEqual(tail(self.spc(*run, "x=ones", "--size", "i=2")), [3, 0])
        self.assertEqual(tail(self.spc(*run, "x=ones:5")), [3])
        self.write("fill.tex", "tensor z(n)\nz(i) = 4\n")
        self.assertEqual(tail(self.spc("run", "fill.tex", "--size=n=3")), [4, 4, 4])

    def test_random_is_the_same_for_a_seed(self):
        self.write("copy.tex", "y(i) = x(i)\n")
        one, two, other = (self.spc("run", "copy.tex", f"x=random:6:seed={seed}").out for seed in (1, 1, 2))
        self.assertEqual(one, two)
        self.assertNotEqual(one, other)

    def test_odd_shapes(self):
        for rows, columns in ((0, 3), (3, 0), (0, 0), (1, 1)):
            with self.subTest(f"{rows} x {columns}"):
                self.write("e.mtx", f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} 0\n")
                for form in ("csr", "csc", "coo", "dcsr", "dense"):
                    self.spc("run", "spmv.tex", "-O0", f"--format=A={form}", "A=e.mtx", "x=zeros", "-o", "y=y.tns")
                    self.assertEqual(list(vector(self.folder / "y.tns").values()), [0] * rows)

    def test_f32_and_levels(self):
        self.write("k.tex", "tensor A(m, n): f32, sparse\ntensor x(n): f32\n" + SPMV)
        for level in "0123":
            done = self.spc("run", "k.tex", "--format=A=csr", f"-O{level}", "A=a.mtx", "x=x.tns")
            self.assertEqual(numbers(done.out.split("\n", 1)[1]), [201, 0, 30, 504])

    def test_order_3(self):
        self.write("ttv.tex", "C(i, j) = T(i, j, k) * x(k)\n")
        self.write("t.tns", "1 1 1 2\n2 1 3 1\n2 2 2 -1\n")
        for form in ("csf", "csf:2,0,1", "coo", "dense"):
            done = self.spc("run", "ttv.tex", "-O0", f"--format=T={form}", "T=t.tns", "x=x.tns")
            self.assertEqual(numbers(done.out.split("\n", 1)[1]), [2, 0, 100, -10], form)

    def test_file_name_need_not_be_a_function_name(self):
        self.write("2 odd-name.tex", SPMV)
        self.spc("run", "2 odd-name.tex", "--format=A=csr", "A=a.mtx", "x=ones")
        self.spc("run", "-", "--format=A=csr", "A=a.mtx", "x=ones", stdin=SPMV)

    def test_output_without_a_name(self):
        self.spc("run", "spmv.tex", "--format=A=csr", "A=a.mtx", "x=ones", "-o", "y.tns")
        self.assertIn("y.tns", self.files())

    def test_written_numbers_read_back_the_same(self):
        self.write("copy.tex", "y(i) = x(i)\n")
        self.write("x.tns", "1 0.1\n2 1e-300\n3 123456789.123456789\n4 -7\n")
        self.spc("run", "copy.tex", "x=x.tns", "-o", "y=y.tns")
        self.assertEqual(vector(self.folder / "y.tns"), {1: 0.1, 2: 1e-300, 3: 123456789.123456789, 4: -7.0})


if __name__ == "__main__":
    unittest.main()
