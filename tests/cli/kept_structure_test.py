"""Outputs whose structure stays: values are added to, or put at, the places that a matrix has."""

import json
import unittest

from spc_case import SpcCase

SIZE = 8
# The pattern of A, and its values; one is a zero. Whole 4 x 4 blocks on the diagonal, so that blocks add no place.
A = {(i, j): float(i + 10 * j) for i in range(SIZE) for j in range(SIZE) if i // 4 == j // 4 and (i, j) != (5, 6)}
T = {(1, 2): 0.5, (0, 0): 4.0, (7, 4): -3.0, (3, 3): -33.0, (6, 6): 0.0, (2, 1): 8.0}
OUTSIDE = (0, 7)
TARGETS = "csr csc dcsr dcsc coo coo-aos coo-dup csr-lengths csr-unsorted ell bsr dia".split()
OPERANDS = "coo coo-unsorted coo-dup csr csc dcsr ell bsr".split()


def mtx(entries, size=(SIZE, SIZE)):
    lines = ["%%MatrixMarket matrix coordinate real general", f"{size[0]} {size[1]} {len(entries)}"]
    return "\n".join(lines + [f"{i + 1} {j + 1} {value!r}" for (i, j), value in entries]) + "\n"


class KeptStructure(SpcCase):
    optimised = SpcCase.SOME

    def setUp(self):
        super().setUp()
        self.write("A.mtx", mtx(sorted(A.items())))
        self.write("T.mtx", mtx(T.items()))
        self.write("U.mtx", mtx([*T.items(), (OUTSIDE, 1.0)]))

    def bind(self, **tensors):
        self.write("f.json", json.dumps({"tensors": tensors}))

    @staticmethod
    def kept(name):
        return {"format": name, "structure": "kept"}

    def run_kernel(self, kernel, *inputs, expect=0, check=True, level="-O0"):
        """At the level that compiles soonest, unless another one is said: where values go is settled before LLVM."""
        self.write("k.tex", kernel + "\n")
        return self.spc("run", "k.tex", "--format", "f.json", *inputs, *["--check"] * check, "-o", "A=out.mtx", level,
                        "-Wno-reorder", expect=expect)

    def result(self):
        lines = [line for line in (self.folder / "out.mtx").read_text().splitlines() if not line.startswith("%")]
        return {(int(i) - 1, int(j) - 1): float(value) for i, j, value in map(str.split, lines[1:])}

    def assertValues(self, expected):
        result = self.result()
        for at in A:
            self.assertEqual(result.pop(at, 0.0), expected.get(at, 0.0), at)
        self.assertTrue(all(value == 0 for value in result.values()), result)

    def test_every_storage(self):
        added = {at: value + T.get(at, 0.0) for at, value in A.items()}
        for target in TARGETS:
            for operand in OPERANDS if target in ("csr", "coo", "bsr") else ("coo-unsorted", "csr"):
                with self.subTest(A=target, T=operand):
                    self.bind(A=self.kept(target), T=operand)
                    self.run_kernel("A(i, j) += T(i, j)", "A=A.mtx", "T=T.mtx", level="-O3" if operand == "csr" else "-O0")
                    self.assertValues(added)

    def test_in_the_place_of_values(self):
        for target in "csr", "csc", "coo", "bsr":
            with self.subTest(A=target):
                self.bind(A=self.kept(target), T="coo-unsorted")
                self.run_kernel("A(i, j) = T(i, j)", "A=A.mtx", "T=T.mtx")
                self.assertValues(T)
                self.assertTrue(set(A) <= set(self.result()) or target == "bsr")

    def test_what_is_taken_in(self):
        for target in "csr", "csc", "coo", "bsr":
            for assignment, best in [("min=", min), ("max=", max)]:
                with self.subTest(A=target, by=assignment):
                    self.bind(A=self.kept(target), T="coo")
                    self.run_kernel(f"A(i, j) {assignment} T(i, j)", "A=A.mtx", "T=T.mtx")
                    self.assertValues({at: best(value, T.get(at, 0.0)) for at, value in A.items()})

    def test_transposed(self):
        self.bind(A=self.kept("csr"), T="coo")
        self.run_kernel("A(i, j) += T(j, i)", "A=A.mtx", "T=T.mtx")
        self.assertValues({at: value + T.get(at[::-1], 0.0) for at, value in A.items()})

    def test_expressions(self):
        self.write("x.mtx", "%%MatrixMarket matrix array real general\n8 1\n" + "1\n2\n3\n4\n0\n0\n0\n0\n")
        square = {(i, j): sum(T.get((i, k), 0.0) * T.get((k, j), 0.0) for k in range(SIZE)) for i, j in A}
        cases = {
            "A(i, j) += 2*T(i, j)": {at: value + 2 * T.get(at, 0.0) for at, value in A.items()},
            "A(i, j) += T(i, j) + T(j, i)":
                {at: value + T.get(at, 0.0) + T.get(at[::-1], 0.0) for at, value in A.items()},
            "A(i, j) += T(i, k) * T(k, j)": {at: value + square[at] for at, value in A.items()},
            "A(i, j) = A(i, j) + T(i, j)": {at: value + T.get(at, 0.0) for at, value in A.items()},
            "A(i, j) = 2*A(i, j)": {at: 2 * value for at, value in A.items()},
            "A(i, j) += T(i, j)\nA(i, j) += T(i, j)": {at: value + 2 * T.get(at, 0.0) for at, value in A.items()},
        }
        for kernel, expected in cases.items():
            for target in "csr", "csc", "bsr":
                with self.subTest(kernel=kernel, A=target):
                    read = {"T": "csr"} if "T" in kernel else {}
                    self.bind(A=self.kept(target), **read)
                    self.run_kernel(kernel, "A=A.mtx", *["T=T.mtx"] * len(read), level="-O3" if target == "csr" else "-O0")
                    self.assertValues(expected)

    def test_its_own_transpose(self):
        self.bind(A=self.kept("bsr"))
        self.run_kernel("A(i, j) = A(j, i)", "A=A.mtx")
        self.assertEqual(self.result(), {at[::-1]: value for at, value in A.items() if value != 0})
        self.bind(A=self.kept("csr"))
        self.run_kernel("A(i, j) = A(j, i)", "A=A.mtx", expect=1, check=False)  # (6, 5) has no place for its mirror image

    def test_what_reads_it_afterwards(self):
        self.write("x.mtx", "%%MatrixMarket matrix array real general\n8 1\n" + "1\n" * 8)
        self.bind(A=self.kept("csr"), T="coo-unsorted")
        self.write("k.tex", "A(i, j) += T(i, j)\ny(i) = A(i, j) * x(j)\n")
        self.spc("run", "k.tex", "--format", "f.json", "A=A.mtx", "T=T.mtx", "x=x.mtx", "--check", "-o", "y=y.mtx",
                 "-o", "A=out.mtx")
        sums = [sum(value for (i, _), value in [*A.items(), *T.items()] if i == row) for row in range(SIZE)]
        self.assertEqual([float(v) for v in (self.folder / "y.mtx").read_text().split("\n8 1\n")[1].split()], sums)

    def test_an_entry_without_a_place(self):
        for target in "csr", "csc", "coo", "dcsr", "bsr", "ell":
            for kernel in "A(i, j) += T(i, j)", "A(i, j) = T(i, j)", "A(i, j) += 2*T(i, j)":
                with self.subTest(A=target, kernel=kernel):
                    self.bind(A=self.kept(target), T="coo-unsorted")
                    failed = self.run_kernel(kernel, "A=A.mtx", "T=U.mtx", expect=1, check=False)
                    self.assertIn("'A' keeps its structure, in which some entry has no place", failed.err)

    def test_the_structure_of_another_tensor(self):
        self.write("P.mtx", mtx([(at, 1.0) for at in sorted(A)]))
        masked = {at: value + T.get(at, 0.0) for at, value in A.items()}
        for owner in "csr", "csc", "dcsr", "bsr":
            for operand in "csr", "coo-unsorted", "csc":
                with self.subTest(P=owner, T=operand):
                    self.bind(P=owner, T=operand, A={"structure_of": "P"})
                    self.run_kernel("A(i, j) += pattern(P(i, j)) * T(i, j)", "A=A.mtx", "P=P.mtx", "T=U.mtx")
                    self.assertValues(masked)
                    self.run_kernel("A(i, j) += T(i, j) + 0*P(i, j)", "A=A.mtx", "P=P.mtx", "T=T.mtx")
                    self.assertValues(masked)

    def test_unsorted_operands_are_not_copied(self):
        self.write("k.tex", "A(i, j) += T(i, j)\n")
        self.bind(A=self.kept("csr"), T="coo-unsorted")
        done = self.spc("compile", "k.tex", "--format", "f.json", "--emit=plan", "-Werror")
        self.assertIn("T is added to A at the places there", done.out)
        self.assertNotIn("copy", done.out)

    def test_what_cannot_be_kept(self):
        cases = {
            ("A(i, j) += T(i, j)", "coo-unsorted"): "no order",
            ("A(i, j) += T(i, j)", "hyb"): "a sum of parts",
            ("y(i) = A(i, j) * T(i, j)", "csr"): "no statement writes it",
        }
        for (kernel, target), reason in cases.items():
            with self.subTest(kernel=kernel, A=target):
                self.write("k.tex", kernel + "\n")
                self.bind(A=self.kept(target), T="csr")
                done = self.spc("compile", "k.tex", "--format", "f.json", "--emit=plan", expect=1)
                self.assertIn("[kept-structure]", done.err)
                self.assertIn(reason, done.err)
        self.bind(A={"format": "csr", "structure": "fixed"}, T="csr")
        done = self.spc("compile", "k.tex", "--format", "f.json", "--emit=plan", expect=1)
        self.assertIn("'structure' is \"kept\"", done.err)

    def test_what_follows_a_pattern_is_not_read_beyond_its_end(self):
        tensors = "".join(f"tensor {one}: i64\n" for one in ["D(n, p)", "a(m)", "B(n, m)", "b(m)", "Y(m, n)", "k"])
        kernel = self.write("k.tex", tensors + "const c(p): i64 = [-3]\n"
                                     "Y(i, j) = sum(r, D(j, r) * a(i) * padded(B(i - 1, r + 2*k + 1)) - c(r)) + b(i)\n")
        for form in ["dia", "csr", "coo"]:
            self.spc("run", kernel, "-q", "--check", "-O0", f"--format=D={form}", "--format=a=sparse-vector", "--format=B=bsr",
                     "D=random:5x1:density=0.5", "a=random:7:density=0.5", "B=random:5x7:density=0.5", "b=random:7", "k=0")


if __name__ == "__main__":
    unittest.main()
