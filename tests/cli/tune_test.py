"""spc tune: what it prints and writes, and that results in the order that it writes are those of the default."""

import json
import random
import re
import sys
import unittest

from spc_case import SPMV, SpcCase

SIZE = 300


def shuffled_band(size, width):
    """A banded matrix with its rows and columns shuffled alike: entries (i, j, value), from 1."""
    chance = random.Random(3)
    names = list(range(1, size + 1))
    chance.shuffle(names)
    entries = [(names[i], names[j], chance.randint(1, 9)) for i in range(size)
               for j in range(max(i - width, 0), min(i + width + 1, size))]
    chance.shuffle(entries)
    return entries


def matrix(size, entries):
    return (f"%%MatrixMarket matrix coordinate integer general\n{size} {size} {len(entries)}\n" +
            "".join(f"{i} {j} {value}\n" for i, j, value in entries))


def vector(values):
    return f"%%MatrixMarket matrix array real general\n{len(values)} 1\n" + "".join(f"{x}\n" for x in values)


def numbers(path):
    """The numbers of a Matrix Market vector."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    return [float(line) for line in lines[1:]]


class Tune(SpcCase):
    def setUp(self):
        super().setUp()
        self.entries = shuffled_band(SIZE, 2)
        self.write("k.tex", SPMV)
        self.write("a.mtx", matrix(SIZE, self.entries))

    def tune(self, *arguments, budget="100ms", level="-O0", **options):
        return self.spc("tune", *arguments, "--budget", budget, "-q", level, **options)

    def test_the_table_and_the_file(self):
        out = self.tune("k.tex", "A=a.mtx", "-o", "t.json", budget="10m", level="-O3").out
        head, *rows = out.splitlines()
        self.assertRegex(head, r"^format +order +schedule +a call +speedup +once +pays after")
        self.assertEqual(sum(row.startswith("(default)") for row in rows), 1)
        self.assertTrue(any(re.match(r"\S+ +rcm ", row) for row in rows), out)
        self.assertRegex(rows[-1], r"^kept: (the default; nothing else is faster beyond noise(: .* took [\d.]+ of its time in "
                                   r"turns with it, and less in \d+ rounds of \d+)?|.* times as fast as the default)$")
        self.assertEqual(list(json.loads((self.folder / "t.json").read_text())["tensors"]), ["A"])
        self.spc("compile", "k.tex", "--format", "t.json", "-o", "k.o")

    def test_formats_come_before_schedules_each_in_its_own_order(self):
        blocks = [(3 * i + a + 1, 3 * j + b + 1, 1 + a + b) for i in range(40) for j in (i, (i + 7) % 40)
                  for a in range(3) for b in range(3)]
        self.write("b.mtx", matrix(120, blocks))
        out = self.tune("k.tex", "A=b.mtx", budget="10m").out
        for name in ("csc", "dcsr", "coo", "csr u16", "bsr", "bsr 2x2", "bsr 3x3", "bsr 6x6"):
            self.assertRegex(out, rf"(?m)^A {name} +\S+ +- ")
        self.assertNotIn("the format", out)

    def test_what_the_budget_left_out_and_the_pages_are_said(self):
        out = self.tune("k.tex", "A=a.mtx", budget="1ms").out
        self.assertRegex(out, r"(?m)^left out for want of time, a longer --budget has it: .*the orders? (degree|rcm)")
        self.assertRegex(out, r"(?m)^left out .*the formats? A ")
        self.assertRegex(out, r"(?m)^left out .* schedules$")
        self.assertRegex(out, r"(?m)^memory: [\d.]+ kB on (ordinary|large) pages")
        self.assertRegex(self.tune("k.tex", "A=a.mtx", "--pages=huge").out, r"(?m)^memory: .* pages")
        self.assertIn("ordinary", self.tune("k.tex", "A=a.mtx", "--pages=2M", expect=2).err)

    def test_sparse_operands_of_all_kinds_of_files(self):
        self.write("copy.tex", "B(i,j) = A(i,j) * 2\n")
        for shape in ("0 0", "3 3"):
            self.write("z.mtx", f"%%MatrixMarket matrix coordinate real general\n{shape} 0\n")
            self.spc("run", "copy.tex", "--format", "A=csr", "--format", "B=csr", "A=z.mtx", "-o", "B=z.npz")
            for file in ("z.mtx", "z.npz"):
                with self.subTest(shape + file):
                    self.tune("k.tex", f"A={file}", "-o", "t.json")
                    self.assertEqual(list(json.loads((self.folder / "t.json").read_text())["tensors"]), ["A"])
                    self.spc("compile", "-q", "-O0", "k.tex", "--format", "t.json", "-o", "k.o")

    def test_loops_in_other_orders_and_candidates_of_the_same_code(self):
        rows = self.tune("k.tex", "A=a.mtx", "--order=none", budget="10m").out.splitlines()
        self.assertTrue(any(re.search(r"loops j i +not measured: the kernel cannot have it", row) for row in rows), rows)
        self.assertTrue(any(re.search(r"tile \d+ +not measured: the same code as with tile", row) for row in rows), rows)
        self.assertFalse(any("another result" in row for row in rows), rows)

    def test_results_in_the_order_that_is_written_are_those_of_the_default(self):
        self.assertIn("order rcm", self.tune("k.tex", "A=a.mtx", "-o", "t.json", "--order=rcm").out)
        order = [int(number) - 1 for number in numbers(self.folder / "t.order.mtx")]
        self.assertEqual(sorted(order), list(range(SIZE)))
        place = {old + 1: new + 1 for new, old in enumerate(order)}
        moved = [(place[i], place[j], value) for i, j, value in self.entries]
        self.assertLessEqual(max(abs(i - j) for i, j, _ in moved), 4)  # the band is found again
        x = [k % 7 for k in range(SIZE)]
        for name, text in {"p.mtx": matrix(SIZE, moved), "x.mtx": vector(x),
                           "px.mtx": vector([x[old] for old in order])}.items():
            self.write(name, text)
        self.spc("run", "k.tex", "-q", "--format", "A=csr", "A=a.mtx", "x=x.mtx", "-o", "y.mtx")
        self.spc("run", "k.tex", "-q", "--format", "t.json", "A=p.mtx", "x=px.mtx", "-o", "py.mtx")
        plain = numbers(self.folder / "y.mtx")
        self.assertEqual([plain[old] for old in order], numbers(self.folder / "py.mtx"))

    def test_the_code_that_is_written_applies_the_order(self):
        self.tune("k.tex", "A=a.mtx", "-o", "my-tuned.json", "--order=degree")
        self.write("c.c", f"""#include "my-tuned.order.h"
int main(void) {{
  int32_t *order = my_tuned_read("my-tuned.order.mtx", {SIZE}), inverse[{SIZE}], back[{SIZE}];
  int k;
  if (!order || my_tuned_read("my-tuned.order.mtx", 7) || my_tuned_read("missing", {SIZE}))
    return 1;
  my_tuned_invert(order, {SIZE}, inverse);
  my_tuned_rows(order, {SIZE}, sizeof *inverse, inverse, back);
  for (k = 0; k < {SIZE}; ++k)
    if (back[k] != k)
      return 2;
  free(order);
  return 0;
}}
""")
        self.command("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "c.c", "-o", "c")
        self.command("./c")
        try:
            import scipy.sparse  # noqa: F401
        except ImportError:
            return
        self.write("p.py", f"""import importlib.util, numpy, scipy.sparse
spec = importlib.util.spec_from_file_location("order", "my-tuned.order.py")
order = importlib.util.module_from_spec(spec)
spec.loader.exec_module(order)
name = "my-tuned.order.mtx"
A, x = scipy.sparse.random({SIZE}, {SIZE}, 0.1, "csr", random_state=1), numpy.arange({SIZE}.0)
y = order.permuted(A, name, name) @ order.permuted(x, name)
assert numpy.allclose(order.restored(y, name), A @ x)
assert abs(order.restored(order.permuted(A, name, None), name, None) - A).max() == 0
""")
        self.command(sys.executable, "p.py")

    def test_kinds_of_results_and_settings(self):
        self.write("b.mtx", matrix(SIZE, self.entries[:200]))
        self.write("t.tns", "1 2 3 1.5\n2 1 1 2\n2 2 2 1\n")
        cases = {
            "sddmm": ("D(i, j) = S(i, j) * P(i, k) * Q(j, k)\n", ["S=a.mtx", "--size", "k=4"]),
            "spgemm": ("C(i, j) = A(i, k) * B(k, j)\n", ["A=a.mtx", "B=b.mtx", "--format", "C=csr", "--format", "A=csr",
                                                        "--format", "B=csr"]),
            "mttkrp": ("Y(i, r) = T(i, j, k) * B(j, r) * C(k, r)\n", ["T=t.tns", "--size", "r=4"]),
            "threads": (SPMV, ["A=a.mtx", "--threads", "2", "--calls", "10", "--permute=call"]),
            "set": (SPMV, ["A=a.mtx", "--for", "b.mtx a.mtx", "--order=rcm", "-o", "set.json"]),
            "made-up": (SPMV, ["A=random:50x40:density=0.1:seed=2"]),
            "hyb": (SPMV, ["A=a.mtx", "--format", "A=hyb"]),
        }
        for name, (kernel, arguments) in cases.items():
            with self.subTest(name=name):
                self.write(f"{name}.tex", kernel)
                self.assertIn("\nkept: ", self.tune(f"{name}.tex", *arguments).out)
        self.assertIn("set.3.order.mtx", self.files())

    def test_one_row_or_column_is_a_matrix(self):
        for shape in ("1 5", "5 1", "1 1"):
            self.write("m.mtx", f"%%MatrixMarket matrix coordinate real general\n{shape} 1\n1 1 2.5\n")
            self.assertIn("\nkept: ", self.tune("k.tex", "A=m.mtx").out)

    def test_inputs_stay_as_they_are(self):
        before = (self.folder / "a.mtx").read_bytes()
        for arguments in (["-o", "a.mtx"], ["--for", "a.mtx", "-o", "./a.mtx"], ["-o", "k.tex"]):
            self.assertIn("[output-path]", self.tune("k.tex", "A=a.mtx", *arguments, expect=2).err)
        self.write("t.order.mtx", before)
        self.assertIn("[output-path]", self.tune("k.tex", "A=t.order.mtx", "-o", "t.json", expect=2).err)
        self.assertEqual((self.folder / "a.mtx").read_bytes(), before)

    def test_inputs_that_are_read_once(self):
        text = (self.folder / "a.mtx").read_text()
        self.assertIn("\nkept: ", self.tune("k.tex", "A=-", "--format", "A=csr", stdin=text).out)
        self.assertIn("[read-once]", self.tune("k.tex", "A=/dev/stdin", stdin=text, expect=2).err)
        done = self.tune("k.tex", "A=a.mtx", "x=-", "--format", "A=csr", "--for", "a.mtx", stdin=text, expect=2)
        self.assertIn("[read-once]", done.err)

    def test_outputs_that_cannot_be_written_are_said_before_the_search(self):
        for output in ("no/t.json", "."):
            self.assertIn("[cannot-write]", self.tune("k.tex", "A=a.mtx", "-o", output, budget="1h", expect=1).err)

    def test_orders_of_an_earlier_search_are_removed(self):
        self.tune("k.tex", "A=a.mtx", "-o", "t.json", "--order=rcm")
        self.assertIn("t.order.py", self.files())
        self.write("t.order-mine.mtx", "mine")
        out = self.tune("k.tex", "A=a.mtx", "-o", "t.json", "--order=none").out
        self.assertIn("removed: t.order.mtx, of an earlier search", out)
        self.assertEqual([name for name in self.files() if name.startswith("t.")], ["t.json", "t.order-mine.mtx"])

    def test_the_file_has_the_index_types_that_are_asked_for(self):
        self.tune("k.tex", "A=a.mtx", "--order=none", "--index", "i64", "-o", "t.json")
        self.spc("compile", "-q", "k.tex", "--format", "t.json", "-o", "k.o")
        self.assertRegex((self.folder / "k.h").read_text(), r"\bspc_\w+_f64_i64\b")

    def test_code_for_names_that_code_quotes(self):
        stem = 'a\\user"' + "n" * 120
        self.tune("k.tex", "A=a.mtx", "-o", f"{stem}.json", "--order=rcm")
        compile((self.folder / f"{stem}.order.py").read_text(), "order.py", "exec")
        header = next(name for name in self.files() if name.endswith(".order.h"))
        prefix = "".join(c if c.isalnum() else "_" for c in stem)
        self.write("order.h", (self.folder / header).read_text())
        order = (self.folder / f"{stem}.order.mtx").read_text().splitlines()
        order[1] += ", dimension 0 of 'x'" * 40
        for length in (255, 256, 257, 510, 511):
            self.write("long.mtx", "\n".join([order[0], order[1][:length], *order[2:]]) + "\n")
            self.write("c.c", f'#include "order.h"\nint main(void) {{ return !{prefix}_read("long.mtx", {SIZE}); }}\n')
            self.command("cc", "-std=c11", "-Wall", "-Wextra", "-Wno-unused-function", "c.c", "-o", "c")
            self.command("./c")

    def test_results_that_are_added_to_and_scalars(self):
        for name, kernel in (("acc", "y(i) += A(i, j) * x(j)\n"), ("scalar", "s = A(i, j) * x(j) * z(i)\n"),
                             ("sum", "s += A(i, j) * x(j)\n"), ("sparse", "C(i, k) += A(i, j) * B(j, k)\n")):
            self.write(f"{name}.tex", kernel)
            more = [f"{one}=a.mtx" for one in "BC"] + [f"--format={one}=csr" for one in "ABC"] if name == "sparse" else []
            out = self.tune(f"{name}.tex", "A=a.mtx", *more, budget="1s").out
            self.assertNotIn("gives another result", out)
            self.assertNotIn("the call fails", out)

    def test_diagonals_stay_in_any_order(self):
        self.write("d.tex", "d(i) = A(i, i)\n")
        self.assertRegex(self.tune("d.tex", "A=a.mtx", budget="10m").out, r"\n- +rcm ")
        self.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n")
        self.assertIn("the sparse matrices have no rows and columns", self.tune("k.tex", "A=none.mtx").out)

    def test_numbers_of_options(self):
        for option in ("--calls=nan", "--calls=0", "--calls=x", "--threads=0"):
            self.assertRegex(self.tune("k.tex", "A=a.mtx", option, expect=2).err, r"\[malformed-count\]")

    def test_kernels_whose_order_matters_keep_it(self):
        self.write("k.tex", "y(i) = A(i, j) * x(j) * (j + 1)\n")
        out = self.tune("k.tex", "A=a.mtx").out
        self.assertIn("no other order is tried: the kernel uses values of index variables", out)
        self.assertNotIn("rcm", out)


if __name__ == "__main__":
    unittest.main()
