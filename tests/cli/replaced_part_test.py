"""Part of a matrix replaced and the rest kept, as docs/indices.md has it: what is stored, what fails, and what it costs."""

import random
import re
import unittest

from data_files_test import npy
from spc_case import SpcCase

FORMATS = "csr csc coo csf dcsr bsr ell dia dense".split()
PADDED = {"bsr", "ell", "dia", "dense"}
REACHED = "let r(p(i)) = true\nlet c(q(j)) = true\n"
DECLARED = "tensor A(a, b): f64\ntensor C(m, n): f64\ntensor p(a): i64\ntensor q(b): i64\n"
IN_PLACE = DECLARED + REACHED + "C(k,l) = where(not (r(k) and c(l)), C(k,l))\nC(p(i), q(j)) += A(i,j)\n"
APART = DECLARED + "tensor D(m, n): f64\n" + REACHED + \
    "D(k,l) = where(not (r(k) and c(l)), C(k,l)) + A(i,j)*once(k, p(i))*once(l, q(j))\n"


class ReplacedPartTest(SpcCase):
    optimised = False

    def write_matrix(self, name, shape, entries):
        lines = [f"{i + 1} {j + 1} {value}" for (i, j), value in sorted(entries.items())]
        self.write(f"{name}.mtx", "%%MatrixMarket matrix coordinate real general\n" +
                   "\n".join([f"{shape[0]} {shape[1]} {len(entries)}", *lines]) + "\n")

    def write_places(self, rows, columns):
        self.write("p.npy", npy("i8", [len(rows)], rows))
        self.write("q.npy", npy("i8", [len(columns)], columns))

    def run_kernel(self, text, of_a, of_c, expect=0):
        target = "D" if "tensor D" in text else "C"
        formats = {"A": of_a, "C": of_c, target: of_c}
        bound = [word for name, form in formats.items() for word in ("--format", f"{name}={form}")]
        return self.spc("run", self.write("k.tex", text), "-q", "--check", *bound, "A=A.mtx", "C=C.mtx", "p=p.npy", "q=q.npy",
                        "-o", f"{target}=out.mtx", expect=expect)

    def read_entries(self, file="out.mtx"):
        text = (self.folder / file).read_text().splitlines()
        lines = [line for line in text if line[:1] != "%"]
        if "array" in text[0]:
            rows = int(lines[0].split()[0])
            return {(k % rows, k // rows): float(line) for k, line in enumerate(lines[1:])}
        return {(int(i) - 1, int(j) - 1): float(value) for i, j, value in (line.split() for line in lines[1:])}

    def test_what_is_stored(self):
        made = random.Random(42)
        shapes = [((9, 7), (4, 3)), ((5, 12), (5, 12)), ((6, 6), (1, 1)), ((1, 1), (1, 1)), ((4, 5), (0, 2)), ((3, 8), (3, 0))]
        for number, form in enumerate(FORMATS):
            is_plain = form not in PADDED and FORMATS[-number] not in PADDED
            values = [-1.5, 0.0, 2.0] + [float("inf")] * is_plain
            for whole, part in shapes:
                rows, columns = made.sample(range(whole[0]), part[0]), made.sample(range(whole[1]), part[1])
                entries = [{(i, j): made.choice(values) for i in range(shape[0])
                            for j in range(shape[1]) if made.random() < 0.4} for shape in (part, whole)]
                self.write_matrix("A", part, entries[0])
                self.write_matrix("C", whole, entries[1])
                self.write_places(rows, columns)
                expected = {place: value for place, value in entries[1].items()
                            if place[0] not in rows or place[1] not in columns}
                expected.update({(rows[i], columns[j]): value for (i, j), value in entries[0].items()})
                for text in [IN_PLACE, APART]:
                    with self.subTest(format=form, whole=whole, part=part, kernel=text):
                        self.run_kernel(text, FORMATS[-number], form)
                        stored = self.read_entries()
                        if is_plain:
                            self.assertEqual(stored, expected)
                        self.assertEqual({place: value for place, value in stored.items() if value},
                                         {place: value for place, value in expected.items() if value})

    def test_what_fails(self):
        self.write_matrix("A", (2, 2), {(0, 0): 1.0})
        self.write_matrix("C", (3, 3), {(1, 1): 1.0})
        for rows, status in [([1, 1], "status 11"), ([0, 3], "status 9"), ([-1, 0], "status 9")]:
            for text in [IN_PLACE, APART]:
                for form in ["csr", "coo", "dense"]:
                    with self.subTest(rows=rows, kernel=text, format=form):
                        self.write_places(rows, [0, 2])
                        self.assertIn(status, self.run_kernel(text, "csr", form, expect=1).err)

    def test_derivatives(self):
        """What is replaced gives nothing to what was there, and all to what comes."""
        rows, columns = [3, 0, 4], [1, 5]
        self.write_places(rows, columns)
        given = [float(k % 7 - 3) for k in range(30)]
        self.write("d.npy", npy("f8", [5, 6], given))
        for text, result in [(IN_PLACE, "C"), (APART, "D")]:
            given_name, kept = f"d_{result}", "d_C_in" if result == "C" else "d_C"
            self.write("kg.tex", self.spc("grad", self.write("k.tex", text), "--of", result, "--wrt", "A,C", "-o", "-").out)
            for form in ["csr", "coo", "dense"]:
                with self.subTest(kernel=text, format=form):
                    self.spc("run", "kg.tex", "-q", "--check", "p=p.npy", "q=q.npy", f"{given_name}=d.npy", "--format",
                             f"{given_name}={form}", "-o", "d_A=out.mtx", "-o", f"{kept}=kept.mtx")
                    self.assertEqual(self.read_entries(),
                                     {(i, j): given[6 * row + column] for i, row in enumerate(rows)
                                      for j, column in enumerate(columns)})
                    kept_entries = {place: value for place, value in self.read_entries("kept.mtx").items() if value}
                    self.assertEqual(kept_entries, {(k, l): given[6 * k + l] for k in range(5) for l in range(6)
                                                    if given[6 * k + l] and not (k in rows and l in columns)})

    def test_cost(self):
        size, part = 400, 100
        self.write_places([(7 * i) % size for i in range(part)], [(11 * i) % size for i in range(part)])
        for form in ["csr", "coo", "csf"]:
            for text in [IN_PLACE, APART]:
                with self.subTest(kernel=text, format=form):
                    names = ["A", "C"] + ["D"] * ("tensor D" in text)
                    done = self.spc("explain", self.write("k.tex", text), "-O0", *(f"--format={name}={form}" for name in names),
                                    f"A=random:{part}x{part}:density=0.05", f"C=random:{size}x{size}:density=0.0125", "p=p.npy",
                                    "q=q.npy")
                    steps = re.findall(r"^  steps: ([\d,]+)", done.out, re.MULTILINE)[-1]
                    # Entries of C are read to see which stay, to keep them and, in two statements, to add to them.
                    self.assertLessEqual(int(steps.replace(",", "")), (3 if text == IN_PLACE else 2) * 2500 + 2 * size)


if __name__ == "__main__":
    unittest.main()
