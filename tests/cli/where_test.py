"""Conditional entries, `where(condition, e)`: values by the evaluator of the kernel's text, and what is stored by what the
condition says of each place."""

import random
import re
import unittest

from data_files_test import npy
from spc_case import SpcCase

RESULTS = "csr csc coo dcsr bsr ell dia hyb".split()
OPERANDS = "csr coo bsr dense".split()
PADDED = {"bsr", "ell", "dia", "hyb"}

#: Kernels: their value at (i, j), None where nothing is stored. Missing entries of A and C are None.
KERNELS = {
    "B(i,j) = where(j <= i, A(i,j))": lambda t, i, j: t.A(i, j) if j <= i else None,
    "B(i,j) = where(A(i,j) > 0.2, 2*A(i,j))": lambda t, i, j: 2 * t.A(i, j) if (t.A(i, j) or 0) > 0.2 else None,
    "B(i,j) = where(A(i,j) <= 0.2, A(i,j))": lambda t, i, j: t.A(i, j) if (t.A(i, j) or 0) <= 0.2 else None,
    "B(i,j) = where(D(i,j) != 0, D(i,j))": lambda t, i, j: t.D(i, j) or None,
    "B(i,j) = where(z(i) > 0, A(i,j))*x(j)":
        lambda t, i, j: t.A(i, j) * t.x(j) if t.z(i) > 0 and t.A(i, j) is not None else None,
    "B(i,j) = where(j <= i, A(i,j)) + where(j > i, C(i,j))": lambda t, i, j: t.A(i, j) if j <= i else t.C(i, j),
    "B(i,j) = where(C(i,j) > 0, A(i,j))": lambda t, i, j: t.A(i, j) if (t.C(i, j) or 0) > 0 else None,
    "B(i,j) = where(C(i,j) == 0, A(i,j))": lambda t, i, j: t.A(i, j) if not t.C(i, j) else None,
    "B(i,j) = where(j <= i, A(i,j) + C(i,j))":
        lambda t, i, j: t.sum(t.A(i, j), t.C(i, j)) if j <= i else None,
    "B(i,j) = where(j <= i, where(A(i,j) < 0.5, A(i,j)))":
        lambda t, i, j: t.A(i, j) if j <= i and (t.A(i, j) or 0) < 0.5 else None,
    "B(i,j) = max(C(i,j), where(A(i,j) > 0.3, A(i,j)))":
        lambda t, i, j: t.greater(t.C(i, j), t.A(i, j) if (t.A(i, j) or 0) > 0.3 else None),
    "B(i,j) = where(i == j, exp(A(i,j)))": lambda t, i, j: 2.718281828459045**(t.A(i, j) or 0) if i == j else None,
    "B(i,j) = where(x(j) > z(i), 2)": lambda t, i, j: 2 if t.x(j) > t.z(i) else None,
    "B(i,j) = where(j <= i, A(i,k)*C(k,j))": lambda t, i, j: t.product(i, j) if j <= i else None,
    "B(i,j) = where(A(i,k) > 0, A(i,k))*C(k,j)": lambda t, i, j: t.product(i, j, above=0),
}


class Tensors:
    """Random operands; what is missing is None."""

    def __init__(self, size, seed):
        self.size = size
        made = random.Random(seed)
        def number():
            return made.choice([-1, -0.5, 0.25, 0.5, 0.75, 1])
        self.values = {name: {(i, j): number() for i in range(size) for j in range(size) if made.random() < 0.5}
                       for name in "ACD"}
        self.vectors = {name: [number() for _ in range(size)] for name in "xz"}

    def A(self, i, j):
        return self.values["A"].get((i, j))

    def C(self, i, j):
        return self.values["C"].get((i, j))

    def D(self, i, j):
        return self.values["D"].get((i, j), 0)

    def x(self, j):
        return self.vectors["x"][j]

    def z(self, i):
        return self.vectors["z"][i]

    @staticmethod
    def sum(a, b):
        return None if a is None and b is None else (a or 0) + (b or 0)

    @staticmethod
    def greater(a, b):
        return None if a is None and b is None else max(a or 0, b or 0)

    def product(self, i, j, above=None):
        found = [self.A(i, k) * self.C(k, j) for k in range(self.size)
                 if self.A(i, k) is not None and self.C(k, j) is not None and (above is None or self.A(i, k) > above)]
        return sum(found) if found else None


class WhereTest(SpcCase):
    optimised = SpcCase.SOME

    def write_matrix(self, name, entries, size):
        lines = [f"{i + 1} {j + 1} {value}" for (i, j), value in sorted(entries.items())]
        self.write(f"{name}.mtx", "\n".join(["%%MatrixMarket matrix coordinate real general",
                                             f"{size} {size} {len(lines)}", *lines]) + "\n")

    def check(self, text, expected, tensors, operand, result):
        arguments = ["run", self.write("kernel.tex", text + "\n"), "-q", "--check", "-O0", "-o", "B=out.mtx"]
        for name in "ACD":
            if re.search(rf"\b{name}\(", text):
                self.write_matrix(name, tensors.values[name], tensors.size)
                arguments.append(f"{name}={name}.mtx")
                if name != "D":
                    arguments += ["--format", f"{name}={operand if name == 'A' else 'csr'}"]
        for name in "xz":
            if re.search(rf"\b{name}\(", text):
                self.write(f"{name}.npy", npy("f8", [tensors.size], tensors.vectors[name]))
                arguments.append(f"{name}={name}.npy")
        self.spc(*arguments, "--format", f"B={result}")
        lines = [line.split() for line in (self.folder / "out.mtx").read_text().splitlines() if not line.startswith("%")][1:]
        found = {(int(i) - 1, int(j) - 1): float(value) for i, j, value in lines}
        places = [(i, j) for i in range(tensors.size) for j in range(tensors.size)]
        wanted = {place: expected(tensors, *place) for place in places}
        for place in places:
            if wanted[place] is None:
                self.assertNotIn(place, found)
            elif result not in PADDED or wanted[place] != 0:
                self.assertAlmostEqual(found[place], wanted[place])

    def test_assembled_results_store_what_is_wanted(self):
        for number, (text, expected) in enumerate(KERNELS.items()):
            for k, result in enumerate(RESULTS[(3 * number) % 8:][:3] + ["csr"]):
                tensors = Tensors(1 + (number + k) % 9, seed=number)
                operand = OPERANDS[(number + k) % 3]
                with self.subTest(kernel=text, operand=operand, result=result):
                    self.check(text, expected, tensors, operand, result)

    def test_other_results_have_zeros_elsewhere(self):
        for formats in (["B=dense"], [], ["A=csr", "B=dense"], ["A=csr"]):
            arguments = [part for one in formats for part in ("--format", one)]
            kernel = self.write("k.tex", "B(i,j) = where(A(i,j) > 0, A(i,j))*x(j)\ny(i) = where(j <= i, A(i,j))*x(j)\n")
            self.spc("run", kernel, "-q", "--check", *arguments, "A=random:7x7:density=0.5", "x=random:7")

    def test_infinities_beside_what_is_missing(self):
        self.write("x.npy", npy("f8", [3], [float("inf"), 1.0, 2.0]))
        kernel = self.write("k.tex", "y(i) = where(x(j) < 5, A(i,j)) * x(j)\n")
        done = self.spc("run", kernel, "-q", "--check", "A=ones:2x3", "x=x.npy", "-o", "y=-")
        self.assertEqual([float(value) for value in done.out.split()[-2:]], [3.0, 3.0])

    def test_a_triangle_costs_its_operands_entries_and_rows(self):
        kernel = self.write("k.tex", "L(i,j) = where(j <= i, A(i,j))\n")
        done = self.spc("explain", kernel, "--format", "A=csr", "--format", "L=csr", "A=random:400x400:density=0.05")
        self.assertIn("steps: 8,000, by the formula nnz(A)\n", done.out)

    def test_rows_without_a_tied_column_keep_what_they_have(self):
        """The column of a tie, looked up among the places where the condition holds, is not every row's."""
        self.write("a.npy", npy("f8", [6], [-3.0, 0.0, 1.0, 3.0, 2.0, 5.0]))
        for condition in ["a(j) > i", "i < a(j) + 1"]:
            kernel = self.write("k.tex", "tensor A(n, q)\ntensor a(q)\ntensor Y(m, q)\n"
                                         f"Y(i, j) += where({condition}, padded(A(i, j)) * (j == i + 1))\n")
            for form in ["csc", "csr", "dcsr"]:
                self.spc("run", kernel, "-q", "--check", "-O0", f"--format=Y={form}", "--format=A=dcsr", "--format=a=sparse-vector",
                         "A=random:3x6:density=0.6", "a=a.npy", "Y=random:9x6:density=0.6")

    def test_a_tensor_may_have_the_name(self):
        done = self.spc("compile", self.write("k.tex", "y(i) = where(i,j) * x(j)\n"), "-o", "-", "--emit=kernel")
        self.assertEqual(done.out, "y(i) = where(i,j)*x(j)\n")
        done = self.spc("compile", self.write("k.tex", "y(i) = where(i < 2, x(i))\n"), "-o", "-", "--emit=kernel")
        self.assertEqual(done.out, "y(i) = where(i < 2, x(i))\n")


if __name__ == "__main__":
    unittest.main()
