"""spc explain: what it says of loops, what it counts on data, and the pages of diagnostics."""

import random
import re
import unittest
from html.parser import HTMLParser

from spc_case import ROOT, SPMV, SpcCase

SPMM = "C(i,k) = A(i,j) * B(j,k)\n"
F64, I32 = 8, 4


def made(seed, rows, columns, density):
    """A matrix of few entries, some rows much longer than others: the set of its places."""
    numbers = random.Random(seed)
    places = set()
    for i in range(rows):
        share = min(1, density * (6 if numbers.random() < 0.15 else 0.6))
        places |= {(i, j) for j in range(columns) if numbers.random() < share}
    return places


def rows_of(places):
    rows = {}
    for i, j in sorted(places):
        rows.setdefault(i, []).append(j)
    return rows


def merge_steps(left, right):
    """Comparisons of two sorted lists until one ends."""
    at, steps = [0, 0], 0
    while at[0] < len(left) and at[1] < len(right):
        a, b = left[at[0]], right[at[1]]
        at[0] += a <= b
        at[1] += b <= a
        steps += 1
    return steps


def csr(places, rows):
    return len(places) * (F64 + I32) + (rows + 1) * I32


class Checker(HTMLParser):
    """Fails where tags do not close each other."""

    VOID = {"meta"}

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.getpos())
        self.open.pop()


class Explain(SpcCase):
    ROWS, COLUMNS, WIDTH = 60, 50, 8

    def matrix(self, name, places, rows, columns):
        lines = "".join(f"{i + 1} {j + 1} 1.5\n" for i, j in sorted(places))
        header = "%%MatrixMarket matrix coordinate real general"
        self.write(name, f"{header}\n{rows} {columns} {len(places)}\n{lines}")

    def explain(self, kernel, *arguments, **options):
        self.write("k.tex", kernel)
        return self.spc("explain", "-q", "k.tex", *arguments, **options).out

    def numbers(self, text):
        """Steps and bytes of a whole call."""
        call = text.split("A call on this data\n")[1]
        return [int(re.search(rf"^  {what}: ([\d,]+)", call, re.MULTILINE).group(1).replace(",", ""))
                for what in ("steps", "bytes")]

    def check(self, kernel, arguments, steps, byte_count):
        """Both numbers are within a tenth of what is counted here."""
        counted = self.numbers(self.explain(kernel, "-O1", *arguments))
        for number, expected in zip(counted, (steps, byte_count)):
            self.assertAlmostEqual(number, expected, delta=expected / 10, msg=f"{kernel}: {counted}")

    def setUp(self):
        super().setUp()
        self.a = made(1, self.ROWS, self.COLUMNS, 0.1)
        self.b = made(2, self.ROWS, self.COLUMNS, 0.2)
        self.c = made(3, self.COLUMNS, self.ROWS, 0.1)
        self.matrix("a.mtx", self.a, self.ROWS, self.COLUMNS)
        self.matrix("b.mtx", self.b, self.ROWS, self.COLUMNS)
        self.matrix("c.mtx", self.c, self.COLUMNS, self.ROWS)

    def test_steps_and_bytes_of_one_sparse_operand(self):
        m, n, k, nnz = self.ROWS, self.COLUMNS, self.WIDTH, len(self.a)
        stored = csr(self.a, m)
        one = ["--format", "A=csr", "A=a.mtx"]
        wide = [*one, "--size", f"k={k}"]
        self.check(SPMV, one, nnz, stored + (m + n) * F64)
        self.check(SPMM, wide, nnz * k, stored + (m + n) * k * F64)
        self.check("D(i,j) = A(i,j) * X(i,k) * Y(j,k)\n", wide, nnz * k, stored + ((m + n) * k + nnz) * F64)
        self.check("y(j) = A(i,j) * x(i)\n", one, nnz, stored + (m + n) * F64)
        blocks = {(i // 4, j // 4) for i, j in self.a}
        inside = sum(min(4, n - 4 * j) * min(4, m - 4 * i) for i, j in blocks)
        self.check(SPMV, ["--format", "A=bsr", "A=a.mtx"], inside,
                   len(blocks) * (16 * F64 + I32) + (m // 4 + 1) * I32 + (m + n) * F64)

    def test_steps_and_bytes_of_several_sparse_operands(self):
        m, n = self.ROWS, self.COLUMNS
        both = ["--format", "A=csr", "--format", "B=csr", "--format", "C=csr", "A=a.mtx", "B=b.mtx"]
        stored = csr(self.a, m) + csr(self.b, m)
        a, b = rows_of(self.a), rows_of(self.b)
        self.check("C(i,j) = A(i,j) + B(i,j)\n", both, len(self.a | self.b), stored + csr(self.a | self.b, m))
        common = sum(merge_steps(a.get(i, []), b.get(i, [])) for i in range(m))
        self.check("C(i,j) = A(i,j) * B(i,j)\n", both, common, stored + csr(self.a & self.b, m))
        self.check("y(i) = A(i,j) * B(i,j)\n", both[:4] + both[6:], common, stored + m * F64)

    def test_steps_and_bytes_of_a_product(self):
        c = rows_of(self.c)
        product = {(i, k) for i, j in self.a for k in c.get(j, [])}
        steps = sum(len(c.get(j, [])) for _, j in self.a)
        self.check("C(i,k) = A(i,j) * B(j,k)\n",
                   ["--format", "A=csr", "--format", "B=csr", "--format", "C=csr", "A=a.mtx", "B=c.mtx"], steps,
                   csr(self.a, self.ROWS) + csr(self.c, self.COLUMNS) + csr(product, self.ROWS))
        dots = sum(merge_steps(rows_of(self.a).get(i, []), rows_of(self.b).get(k, []))
                   for i in range(self.ROWS) for k in range(self.ROWS))
        text = self.explain("C(i,k) = A(i,j) * B(k,j)\n", "--format", "A=csr", "--format", "B=csr", "A=a.mtx", "B=b.mtx")
        self.assertIn(self.numbers(text)[0], (dots, sum((i, j) in self.a and (k, j) in self.b for i in range(self.ROWS)
                                                        for k in range(self.ROWS) for j in range(self.COLUMNS))))

    def test_steps_of_what_is_looked_up_are_those_of_the_other_list(self):
        places = made(4, self.ROWS, self.ROWS, 0.1)
        self.matrix("s.mtx", places, self.ROWS, self.ROWS)
        a, b = rows_of(self.a), rows_of(self.b)
        steps = sum(len(b.get(j, [])) for i, j in places if i in a)
        kernel = "y(i) = S(i,j) * A(i,k) * B(j,k)\n"
        formats = [word for name in "SAB" for word in ("--format", f"{name}=csr")]
        self.check(kernel, [*formats, "S=s.mtx", "A=a.mtx", "B=b.mtx"], steps,
                   csr(places, self.ROWS) + csr(self.a, self.ROWS) + csr(self.b, self.ROWS) + self.ROWS * F64)
        text = self.explain(kernel, *formats)
        self.assertIn("for k+  the list of B (row_ptr, col_ind), looked up in the list of A (row_ptr, col_ind)\n", text)
        self.assertNotIn("[merged-loop]", text)

    def test_copies_have_no_padding(self):
        c = rows_of(self.c)
        text = self.explain("C(i,k) = A(i,j) * B(j,k)\n", "--format", "A=bsr", "--format", "B=csr", "--format", "C=csr",
                            "A=a.mtx", "B=c.mtx")
        self.assertEqual(self.numbers(text)[0], sum(len(c.get(j, [])) for _, j in self.a))

    def test_copies_are_counted_beside_what_they_are_of(self):
        text = self.explain("C(i,j) = A(i,j) * B(i,j)\n", "--format", "A=csr", "--format", "B=csc", "--format", "C=csr",
                            "A=a.mtx", "B=b.mtx")
        b = len(self.b) * (F64 + I32)
        self.assertEqual(self.numbers(text)[1], csr(self.a, self.ROWS) + b + (self.COLUMNS + 1) * I32 +
                         2 * (b + (self.ROWS + 1) * I32) + csr(self.a & self.b, self.ROWS))

    def test_steps_of_a_tensor(self):
        entries = {(i, j, k) for i, j in self.a for k in range(i % 4)}
        self.write("t.tns", "".join(f"{i + 1} {j + 1} {k + 1} 1\n" for i, j, k in sorted(entries)))
        text = self.explain("Y(i,r) = T(i,j,k) * B(j,r) * C(k,r)\n", "--format", "T=csf", "T=t.tns", "--size", "r=4")
        self.assertEqual(self.numbers(text)[0], 4 * len(entries))
        # Fibers are added up for all r where that saves steps.
        fibers = {(i, j): i % 4 for i, j in self.a if i % 4 > 0}
        for r, s in ((4, 5), (3, 5), (8, 5), (4, 257)):
            adds = r >= 4 and s <= 256
            steps = sum(s * (n + r if adds and n * (r - 1) > r + 2 else n * r) for n in fibers.values())
            text = self.explain("Y(i,r,s) = T(i,j,k) * B(j,r) * C(k,s)\n", "--plan=1", "--format", "T=csf", "T=t.tns",
                                "--size", f"r={r}", "--size", f"s={s}")
            self.assertEqual(self.numbers(text)[0], steps)

    def test_loops_are_those_of_the_code(self):
        text = self.explain(SPMM, "--format", "A=csr", "--mcpu=x86-64-v3")
        self.assertIn("the list of A (row_ptr, col_ind)\n", text)
        self.assertIn("vectors of 4 f64", text)
        self.assertIn("kept in registers", text)
        self.assertIn("i divided so that each chunk has as many entries of A", text)
        self.assertIn("steps: nnz(A)*k\n", text)
        self.assertNotIn("A call on this data", text)
        self.assertIn("[not-vectorised]", self.explain(SPMM, "--format", "A=csr", "-O1"))

    def test_loops_over_what_is_missing(self):
        text = self.explain("y(i) = max(j, A(i,j))\n", "--format", "A=csr")
        self.assertRegex(text, r"for j\+ +all of j, the list of A \(row_ptr, col_ind\)\n")
        self.assertNotIn("[gathers]", self.explain("y(i) = max(j, A(i,j) + x(j))\n", "--format", "A=csr"))
        three = ("--format", "A=csr", "--format", "B=csr", "--format", "C=csr", "--format", "D=csr")
        for value, where in (("A(i,j) * B(i,j)", "where all have one"), ("A(i,j) + B(i,j)", "where any has an entry"),
                             ("select(pattern(C(i,j)), A(i,j) + B(i,j), 0)", "where those have one that the value needs")):
            count = 6 if "C" not in value else 8
            text = self.explain(f"D(i,j) = {value}\n", *(three if count == 8 else three[:4] + three[6:]))
            self.assertIn(f"merged: {where}\n", text)

    def test_remarks(self):
        self.assertIn("[gathers]", self.explain(SPMV, "--format", "A=csr"))
        self.assertIn("[strict-order]", self.explain(SPMV, "--format", "A=csr", "--fp=strict"))
        self.assertIn("[serial]", self.explain("y(j) = A(i,j) * x(i)\n", "--format", "A=csr", "--fp=strict"))
        self.assertIn("[output-copies]", self.explain("y(j) = A(i,j) * x(i)\n", "--format", "A=csr"))
        product = ("--format", "A=csr", "--format", "B=csr", "--format", "C=csr")
        self.assertIn("[row-workspace]", self.explain(SPMM, *product))
        self.assertIn("[merged-loop]", self.explain("C(i,j) = A(i,j) + B(i,j)\n", *product))
        self.assertIn("[operand-copied]", self.explain(SPMM, "--format", "A=csc", "--format", "B=csr", "--format",
                                                       "C=csr"))
        types = ("--type", "A=i32", "--type", "x=i32", "--type", "y=i32")
        self.assertIn("[integer-loops]", self.explain(SPMV, "--format", "A=csr", *types))

    def test_remarks_name_what_the_text_names(self):
        copied = self.explain("C(i,j) = A(i,j) * B(i,j)\n", "--format", "A=csr", "--format", "B=csc", "--format", "C=csr")
        self.assertIn("merges 'A' and the copy of 'B'", copied)
        for text in (copied, self.explain("d(i) = A(i,i)\n", "--format", "A=csc")):
            self.assertNotIn("$", text.split("Remarks\n")[1].split("\n\n")[0])

    def test_waste_is_remarked_on_first(self):
        text = self.explain("y(i) = A(i,j) * A(j,k) * x(k)\n", "--format", "A=csr", "--plan=as-written")
        remarks = text.split("\nRemarks\n")[1].split("\n\n")[0].splitlines()
        self.assertIn("the sum over k of 'A' and 'x' is worked out again for each i, on which it does not depend [regroup]",
                      remarks[0])
        self.assertIn("let t(j) = ..., and read t(j) in its place", remarks[1])
        self.assertLess(text.index("Remarks"), text.index("y, computed in f64"))
        for kernel in (SPMM, "D(i,j) = A(i,j) * X(i,k) * Y(j,k)\n", "y(i) = A(i,j) * (A(j,k) + x(k))\n",
                       "let t(j) = A(j,k) * x(k)\ny(i) = A(i,j) * t(j)\n", "y(i) = A(i,j) * x(j) * z(i)\n",
                       "y(i) = max(j, max(k, A(i,j) * A(j,k) * x(k)))\n"):
            self.assertNotIn("[regroup]", self.explain(kernel, "--format", "A=csr"))
        chain = "C(i,l) = A(i,j) * B(j,k) * D(k,l)\n"
        self.assertIn("[regroup]", self.explain(chain, "--plan=as-written"))
        self.assertNotIn("[regroup]", self.explain(chain))
        whole = "let E(i,j) = Q(i,f) * K(j,f)\nO(i,g) = A(i,j) * exp(E(i,j)) * V(j,g)\nd = max(i, j, E(i,j))\n"
        given = ("--format", "A=csr", "A=a.mtx", "--size", "f=8", "--size", "g=8")
        text = self.explain(whole, *given)
        self.assertIn(f"'E' is a dense temporary of i x j, {self.ROWS * self.COLUMNS * F64 / 1000:.3g} kB: each call", text)
        self.assertIn("multiply it by pattern(A(...))", text)
        self.assertNotIn("[dense-temporary]", self.explain(whole.replace("= Q", "= pattern(A(i,j)) * Q"), *given))

    def test_says_which_plan_a_call_runs(self):
        text = self.explain("D(i,l) = A(i,j) * B(j,k) * C(k,l)\n")
        self.assertIn("in plan 2 of 2, of which a call runs the one that takes the fewest steps with its sizes", text)
        self.assertIn("runs the machine code of $4, whose loops are the same", text)
        for last, taken in ((4, 2), (400, 1)):
            done = self.explain("D(i,l) = A(i,j) * B(j,k) * C(k,l)\n", "A=zeros:100x50", "B=zeros:50x80",
                                f"C=zeros:80x{last}")
            self.assertIn(f"in plan {taken} of 2, which a call on this data runs", done)
            self.assertIn(f"in plan {3 - taken} of 2, which a call on this data does not run", done)
            steps = 50 * 80 * 4 + 100 * 50 * 4 if taken == 2 else 100 * 50 * 80 + 100 * 80 * 400
            self.assertEqual(self.numbers(done)[0], steps)

    def test_steps_that_are_no_loops_are_said(self):
        self.write("kept.json", '{"tensors": {"P": "csr", "A": {"structure_of": "P"}}}')
        for kernel, formats, said in [
                ("x(i) = x(j) * A(j,i)\n", ["A=csr"], "is a copy of x, which its statement reads at other elements"),
                ("B(i,j) = A(i,j)\n", ["A=csr", "B=csc"], "B is sorted from the entries of A"),
                ("B(i,j) = A(i,j)\n", ["A=csr", "B=hyb"], "the entries of B are given to B_0, B_1"),
                ("A(i,j) += T(i,j)\nz(i) = P(i,j)*x(j)\n", ["T=coo", "kept.json"],
                 "the entries of T are added to A, each at its place there"),
                ("t(i,r) = bottom(r, j, A(i,j))\n", ["A=csr"], "t gets the least elements of each row of A"),
                ("y(i) = A(i,j)*A(j,i)*x(j)\nA(i,j) = 2*A(i,j)\nz(i) = A(i,j)*A(j,i)*x(j)\n", ["A=csr"],
                 "is made of what its source holds now")]:
            with self.subTest(said):
                options = [word for each in formats for word in ("--format", each)]
                self.assertIn(said, self.explain(kernel, *options))

    def test_each_statement_has_its_share(self):
        nnz, m, n = len(self.a), self.ROWS, self.COLUMNS
        text = self.explain(SPMV + "z(i) = 2 * y(i)\n", "--format", "A=csr", "A=a.mtx")
        shares = [float(number) for number in re.findall(r"steps: \d+ \(([\d.]+) % of all\)", text)]
        self.assertEqual(shares, [round(100 * nnz / (nnz + m), 1), round(100 * m / (nnz + m), 1)])
        first, second = csr(self.a, m) + (m + n) * F64, 2 * m * F64
        shares = [float(number) for number in re.findall(r"kB \(([\d.]+) % of all\), of the arrays", text)]
        self.assertEqual(shares, [round(100 * first / (first + second), 1)])
        self.assertNotIn("of all", self.explain(SPMV, "--format", "A=csr", "A=a.mtx"))

    def test_statements_that_run_together_move_what_lies_between_them_in_a_cache(self):
        self.write("k.tex", "let E(i,j,h) = S(i,j)*x(j,h)\ny(i,h) = E(i,j,h)*E(i,j,h)\nz(i,h) = max(j, E(i,j,h))\n")
        data = ["--format", "S=csr", "S=random:50x60:density=0.2:seed=1", "--size", "h=4", "-Wno-densify"]
        together = self.spc("explain", "k.tex", *data).out
        self.assertIn("runs together with the steps of E, y, z, piece by piece of the rows", together)
        self.assertIn("in memory for a piece of its rows", together)
        apart = self.spc("explain", "k.tex", *data, "--plan=as-written").out
        self.assertNotIn("piece by piece", apart)
        bytes_of = [float(re.search(r"bytes: ([\d,.]+)", text).group(1).replace(",", "")) for text in (together, apart)]
        self.assertLess(bytes_of[0], bytes_of[1])

    def test_measured_times_stand_beside_the_best_possible(self):
        text = self.explain(SPMV, "--format", "A=csr", "A=a.mtx", "--measure", env={"SPC_NUM_THREADS": "1"})
        self.assertRegex(text, r"  at best: \S+ \ws on all cores.*\n  measured: \S+ \ws a call on 1 thread, "
                               r"\S+ times the best possible; \S+ kB on (ordinary|large) pages")
        page = self.spc("explain", "-q", "k.tex", "--format", "A=csr", "A=a.mtx", "--measure", "--html", "-").out
        self.assertIn("times the best possible", page)
        self.assertIn("[size-missing]", self.spc("explain", "k.tex", "--format", "A=csr", "--measure", expect=1).err)

    def test_provenance_is_said(self):
        text = self.explain(SPMV, "--format", "A=csr", "A=a.mtx")
        self.assertRegex(text, r"\nspc \d\S+ \(LLVM \S+\) on .+, \d+ processors?\n\$ spc explain -q k.tex --format A=csr A=a.mtx\n$")
        page = self.spc("explain", "-q", "k.tex", "--format", "A=csr", "--html", "-").out
        self.assertIn("<code>spc explain -q k.tex --format A=csr --html -</code>", page)

    def test_times_are_said_where_roofs_are_measured(self):
        given = (SPMV, "--format", "A=csr", "A=a.mtx")
        self.assertIn("  at best: --roofs measures this machine", self.explain(*given))
        self.assertRegex(self.explain(*given, "--roofs"), r"  at best: \S+ \ws on all cores")

    def test_remarks_have_pages(self):
        source = (ROOT / "src" / "explain" / "remarks.cpp").read_text()
        ids = set(re.findall(r'add\("([a-z-]+)"', source))
        self.assertEqual(ids, set(re.findall(r"^### (\S+)$", (ROOT / "docs" / "explain.md").read_text(), re.MULTILINE)))
        for one in ids:
            self.assertTrue(self.spc("explain", one).out.startswith(one + "\n"))

    def test_other_formats(self):
        text = self.explain(SPMV, "--format", "A=csr", "A=a.mtx")
        table = text.split("'A' in other formats\n")[1]
        lines = {line.split()[0]: line for line in table.split("\n\n")[0].splitlines()}
        self.assertIn(f"csr *           {len(self.a)} ", lines["csr"])
        self.assertIn("coo", lines)
        self.assertIn("cannot store it", lines["nm-2-4"])
        dense = int(lines["dense"].split()[1].replace(",", ""))
        self.assertEqual(dense, self.ROWS * self.COLUMNS)

    def test_other_formats_are_counted_as_far_as_that_takes_seconds(self):
        matrices = [f"{name}=random:1500x1500:density=0.006:seed={k}" for k, name in enumerate("SAB")]
        formats = [word for name in "SAB" for word in ("--format", f"{name}=csr")]
        text = self.explain("R(i,k) = S(i,k) * A(i,j) * B(k,j)\n", *formats, *matrices)
        table = text.split("'A' in other formats\n")[1]
        lines = {line.split()[0]: line.split() for line in table.split("\n\n")[0].splitlines()}
        self.assertGreater(int(lines["csr"][2].replace(",", "")), 100_000)
        self.assertEqual(lines["csr64"][1], "?")

    def test_other_formats_have_the_index_types_that_are_asked_for(self):
        for kernel, format_of_b in ((SPMV, ()), ("C(i,j) = A(i,j) + B(i,j)\n", ("--format", "B=csr", "--format", "C=csr"))):
            inputs = ("A=a.mtx", *(("B=b.mtx",) if format_of_b else ()))
            tables = [self.explain(kernel, "--format", f"A={one}", *format_of_b, *inputs, "--index", "i64")
                      for one in ("csr", "coo")]
            lines = [next(line.split()[-2:] for line in table.splitlines() if line.startswith(f"  {mark}"))
                     for table, mark in ((tables[0], "coo "), (tables[1], "coo *"))]
            self.assertEqual(lines[0], lines[1])

    def test_pages_of_calls_without_operations(self):
        self.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 0\n")
        self.write("k.tex", SPMV)
        self.spc("explain", "-q", "k.tex", "--format", "A=csr", "A=none.mtx", "--html", "k.html")
        self.write("copy.tex", "y(i) = x(i)\n")
        for size in ("x=ones:100", "x=ones:0"):
            self.spc("explain", "-q", "copy.tex", size, "--html", "copy.html")
            self.assertNotIn("Roofline", (self.folder / "copy.html").read_text())

    def test_the_page_stands_alone(self):
        self.write("k.tex", SPMV + "z(i) = 2 * y(i)\n")
        self.spc("explain", "-q", "k.tex", "--format", "A=csr", "A=a.mtx", "--html", "k.html")
        page = (self.folder / "k.html").read_text()
        self.assertFalse(re.search(r"https?:|src=|href=|@import|url\(", page))
        for name in ("kernel", "plan", "linalg", "sparse", "loops", "assembly"):
            pane = page.split(f"<figcaption>{name}</figcaption><pre>")[1].split("</pre>")[0]
            self.assertGreater(len(pane), 80)
            if name != "plan":
                self.assertIn('data-line="1"', pane, name)
                self.assertIn('data-line="2"', pane, name)
            self.assertNotIn("loc(", pane)
        self.assertEqual(page.count("<svg"), 2)
        self.assertIn("prefers-color-scheme: dark", page)
        drawn = re.findall(r'class="cell"', page)
        self.assertEqual(len(drawn), len({(i * 60 // 60, j * 60 // 60) for i, j in self.a}))
        Checker().feed(page)

    def test_the_page_is_text_whatever_comments_hold(self):
        self.write("k.tex", b"# caf\xe9 \x07\x1b[1m \xed\xa0\x80 \xc3\xa9\n" + SPMV.encode())
        page = self.spc("explain", "-q", "k.tex", "--format", "A=csr", "--html", "-").stdout.decode("utf-8")
        self.assertIn("caf\\xe9 \\x07\\x1b[1m \\xed\\xa0\\x80 \u00e9", page)
        self.assertFalse(re.search("[\x00-\x08\x0b-\x1f\x7f]", page))

    def test_the_page_replaces_no_input(self):
        self.write("k.tex", SPMV)
        self.spc("explain", "-q", "k.tex", "--format", "A=csr", "--html", "k.tex", expect=2)
        self.assertEqual((self.folder / "k.tex").read_text(), SPMV)
        before = (self.folder / "a.mtx").read_text()
        wrong = self.spc("explain", "-q", "k.tex", "--format", "A=csr", "A=a.mtx", "--html", "./a.mtx", expect=2)
        self.assertIn("[output-path]", wrong.err)
        self.assertEqual((self.folder / "a.mtx").read_text(), before)
        self.assertIn("[cannot-write]", self.spc("explain", "k.tex", "--html", "no/k.html", expect=1).err)

    def test_what_is_missing_is_said(self):
        self.write("k.tex", SPMM)
        wrong = self.spc("explain", "k.tex", "--format", "A=csr", "A=a.mtx", expect=1)
        self.assertIn("[size-missing]", wrong.err)
        text = self.spc("explain", "-q", "k.tex", "--format", "A=csr", "--size", "i=4", "--size", "j=4", "--size", "k=4").out
        self.assertIn("steps: not known before the call", text)


if __name__ == "__main__":
    unittest.main()
