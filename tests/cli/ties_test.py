"""Equations between index variables, windows of sparse operands, gathers and scatters: right in every format, by the
evaluator of the kernel's text (`spc run --check`), and at the cost of the entries that they touch."""

import itertools
import random
import re
import unittest

from data_files_test import npy
from spc_case import SpcCase

FORMATS = "csr csc coo dcsr bsr ell dia coo-dup hyb".split()
RESULTS = [None, "csr", "csc", "coo", "dcsr"]

#: Kernels: shapes of operands, and sizes that nothing else says.
EQUATIONS = {
    "B(i,j) = A(i,j) + lam*(i==j)": ("A:12x12", ""),
    "B(i,j) = A(i,j) + lam * (j == i)": ("A:9x14", ""),
    "y(i) = (A(i,j) + lam*(i==j))*x(j)": ("A:9x14 x:14", ""),
    "B(i,j) = A(i,j) - x(i)*(i==j)*w(j)": ("A:12x12 x:12 w:12", ""),
    "B(i,j) = A(i,j) + lam*(j == i+1) - 2*(i == 2*j)": ("A:12x11", ""),
    "D(i,j) = A(i,k)*C(l,j)*(k==l)": ("A:12x9 C:11x13", ""),
    "D(i,j) = select(i==j, x(i), A(i,j))": ("A:12x12 x:12", ""),
    "D(i,j) = A(i,j)*(i==j)": ("A:12x12", ""),
    "y(i) = A(i,k)*(k+j==8)*x(j)": ("A:12x9 x:12", ""),
    "y(i) = lam*(i==j)*x(j)": ("x:12", "i=9"),
    "y(i) = max(j, A(i,j) + 3*(i==j))": ("A:12x12", ""),
    "let T(i,j) = (i==j)*x(j)\nB(i,j) = A(i,j) + T(i,j)": ("A:12x12 x:12", ""),
    "B(i,j) = A(i,j) + A(k,j)*(k == i+1)": ("A:12x12", ""),
    "B(i,j) = A(i,j)*(i==j or j > 5) + A(i,j)*(not (i==j))": ("A:12x12", ""),
}
WINDOWS = {
    "B(i,j) = A(i+2, 2*j)": ("A:12x20", "i=9 j=8"),
    "B(i,j) = A(2*i, j) + A(2*i+1, j)": ("A:12x20", "i=6"),
    "y(i) = A(i+2, 3*j+1)*x(j)": ("A:12x20 x:6", "i=7"),
    "y(i) = A(i+p, j)*k(p)*x(j)": ("A:12x9 k:3 x:9", "i=10"),
    "y(i) = A(i,i)*x(i) + exp(A(i,i))": ("A:12x12 x:12", ""),
    "y(j) = A(3,j)*x(j)": ("A:12x15 x:15", ""),
    "s = A(3,4)*2 + A(0,0)*A(2,2)": ("A:12x15", ""),
    "B(i,j) = A(i, j)*(j >= i)": ("A:12x15", ""),
    "y(i) = argmax(j, A(i+1,2*j)*x(j))": ("A:12x12 x:5", "i=8"),
}
#: Indices that go back, that a call's numbers shift and scale, and that may lie outside.
SHIFTS = {
    "tensor x(n)\ntensor y(n)\ny(i) = x(n-1-i)": ("x:9", ""),
    "tensor A(m, n)\ntensor B(m, n)\nB(i,j) = A(m-1-i, n-1-j)": ("A:9x12", ""),
    "tensor x(n)\ntensor y(n)\ny(i) = 2*padded(x(i-1)) - padded(x(i+1))*x(i)": ("x:9", ""),
    "tensor x(n)\ntensor y(m)\ny(i) = x(n - m + i)": ("x:9", "m=5"),
    "tensor x(n)\ntensor k: i64\ny(i) = x(i+k) + exp(x(2*i))": ("x:9", "i=4"),
    "tensor A(m, n)\ntensor k: i64\ntensor x(l)\nB(i,j) = A(i+k, 2*j)*x(i)": ("A:9x12 x:7", "j=5"),
    "tensor A(m, n)\ntensor K(p, q)\ntensor B(m, n)\nB(i,j) = padded(A(i+p-1, j+q-1))*K(p,q)": ("A:9x12 K:3x3", ""),
    "tensor A(m, n)\ntensor K(p, q)\ntensor B(m, n)\nB(i,j) = pattern(A(i,j))*padded(A(i+p-1, j+q-1))*K(p,q)":
        ("A:9x12 K:3x3", ""),
    "tensor A(m, n)\ntensor C(p, q)\ntensor D(m*p, n*q)\nD(i*p+k, j*q+l) = A(i,j)*C(k,l)": ("A:4x5 C:3x2", ""),
    "tensor A(m, n)\ntensor C(m, q)\ntensor D(m, n + q)\nD(i,j) = padded(A(i,j)) + padded(C(i,j-n))": ("A:6x7 C:6x5", ""),
    "tensor A(m, n)\ntensor D(m, n)\nD(m-1-i, j) = A(i,j)": ("A:9x12", ""),
    "tensor A(m, n)\ntensor y(m*n)\ny(i*n+j) = A(i,j)": ("A:9x12", ""),
    "tensor x(m*n)\ntensor A(m, n)\ntensor B(m, n)\nB(i,j) = A(i,j)*x(i*n+j)": ("A:9x12 x:108", ""),
    "tensor A(m, n)\ntensor x(n)\ny(i) = A(i,j)*x(n-1-j)/n": ("A:9x12 x:12", ""),
    "tensor A(m, n)\ntensor k: i64\nd(i) = A(i,i+k)": ("A:9x12", ""),
    "tensor A(m, n)\ntensor B(m, n)\nB(i,n-1) = A(i,0)": ("A:9x12", ""),
    "tensor A(m, n)\ntensor C(p, q)\ntensor T(m*p, n*q)\nlet T(i*p+k, j*q+l) = A(i,j)*C(k,l)\ny(i) = max(j, T(i,j))":
        ("A:4x5 C:3x2", ""),
}
#: Index tensors with the sizes of what they index.
GATHERS = {
    "y(i) = 2*x(p(i)) + v(i)*exp(x(p(i)))": ("x:9 p:12<9 v:12", ""),
    "R(b,i,k) = E(tok(b,i),k)": ("E:9x4 tok:5x6<9", ""),
    "R(i,k) = sum(b, E(tok(b,i),k))": ("E:9x4 tok:5x6<9", ""),
    "C(i,j) = A(p(i), q(j))": ("A:11x13 p:8<11 q:6<13", ""),
    "y(i) = x(p(i)) * A(i, j) * x(q(j))": ("x:9 A:11x13 p:11<9 q:13<9", ""),
    "D(row(t), n) += val(t) * B(col(t), n)": ("row:20<14 col:20<9 val:20 B:9x4 D:14x4", ""),
    "tensor v(n)\ntensor p(n)\ntensor y(n)\ny(p(i)) = v(i)*w(i)\ntensor w(n)": ("v:9 w:9 p:9<9!", ""),
    "tensor A(m, n)\ntensor p(m)\ntensor q(n)\nB(p(i),q(j)) = A(i,j)\ntensor B(m, n)":
        ("A:9x12 p:9<9! q:12<12!", ""),
    "tensor A(m, n)\ntensor p(m)\ntensor B(m, m)\nB(p(i),i) = A(i,j)": ("A:9x12 p:9<9", ""),
    "y(p(i)) += v(i)": ("p:12<9 v:12 y:9", ""),
    "y(p(i)) min= v(i)": ("p:12<9 v:12 y:9", ""),
    "S(k,f) = (lab(i)==k)*X(i,f)": ("lab:12<3 X:12x4", "k=3"),
    "c(k) = sum(i, i64(lab(i)==k))": ("lab:12<3", "k=3"),
    "y(2*i+1) = v(i)": ("v:12", "y__0=30"),
    "y(p(i),p(j)) += A(i,j)": ("A:12x12 p:12<9 y:9x9", ""),
    "tensor A(n, n)\ntensor C(m, m)\ntensor y(20, 21)\ny(3*i+k,j+3*l) = A(i,j)*C(k,l)": ("A:3x3 C:4x4", ""),
    "let r(i) = p(i)*0 + 1\ny(i) = x(r(i))": ("x:9 p:12<9", ""),
    "let W(i,j) = at(i,p(e))*at(j,q(e))*v(e)\nlet d(i) = sum(j, W(i,j))\nY(i,k) = W(i,j)*X(j,k)/d(i)":
        ("p:12<9 q:12<7 v:12 X:7x4", "i=9"),
    "let W(i,j) = at(i,p(e))*at(j,q(e))*v(e)\nlet P(i,j) = W(i,j)/(1 + w(j)*w(j))\ny(i) = P(i,j)*w(j)":
        ("p:12<9 q:12<7 v:12 w:7", "i=9"),
    "let r(i) = p(p(i))\ny(i) = x(r(i)) - x(p(i))": ("x:9 p:9<9", ""),
}
#: Scatters into sparse targets, whose formats are given.
TAKEN_IN = {
    "y(p(i)) min= v(i)": ("p:12<9 v:12 y:9", "y=sparse-vector"),
    "y(p(i)) max= v(i) ": ("p:12<9 v:12 y:9", "y=sparse-vector v=sparse-vector"),
    "C(p(i),q(j)) max= A(i,j)": ("A:11x13 p:11<6 q:13<5 C:6x5", ""),
    "C(p(i),p(j)) min= A(i,j)": ("A:9x9 p:9<6 C:6x6", ""),
    "C(p(i),q(i)) max= v(i)": ("v:12 p:12<6 q:12<5 C:6x5", "v=sparse-vector"),
    "C(p(i),q(i)) min= v(i)": ("v:12 p:12<6 q:12<5 C:6x5", ""),
    "C(p(i),q(j)) += A(i,j)": ("A:11x13 p:11<6 q:13<5 C:6x5", ""),
    "C(p(i),j) max= A(i,k)*B(k,j)": ("A:11x7 B:7x5 p:11<6 C:6x5", ""),
    "C(i,j) min= A(i+1, 2*j)": ("A:7x10 C:6x5", ""),
    "C(i,2*j+1) max= A(i,j)": ("A:6x5 C:6x11", ""),
    "tensor A(m,n): f64, sparse, fill inf\ntensor C(k,l): f64, sparse, fill inf\ntensor p(m)\ntensor q(n)\n"
    "C(p(i),q(j)) min= A(i,j)": ("A:11x13 p:11<6 q:13<5 C:6x5", "plain"),
}


class TiesTest(SpcCase):
    def run_kernel(self, text, operands, sizes, formats, *options, special=None, expect=0):
        """Runs a kernel on random data, and compares it with the evaluation of its text."""
        random.seed(f"{text} {formats}")
        arguments = ["run", self.write("kernel.tex", text + "\n"), "-q", "--check", "-O0", *options]
        for operand in operands.split():
            name, shape = operand.split(":")
            shape, _, below = shape.partition("<")
            is_permutation, below = below.endswith("!"), below.rstrip("!")
            extents = [int(size) for size in shape.split("x")]
            count = 1
            for size in extents:
                count *= size
            is_sparse = name in formats
            values = [random.randrange(int(below)) if below else
                      0.0 if is_sparse and random.random() < 0.7 else round(random.uniform(-2, 2), 3)
                      for _ in range(count)]
            if is_permutation:
                values = random.sample(range(int(below)), count)
            if special is not None and not below:
                values = [special if value and random.random() < 0.3 else value for value in values]
            kind = random.choice(["i4", "i8"]) if below else "f8"
            self.write(f"{name}.npy", npy(kind, extents, values))
            arguments.append(f"{name}={name}.npy")
            if below:
                arguments += ["--type", f"{name}=i{8 * int(kind[1])}"]
            if formats.get(name):
                arguments += ["--format", f"{name}={formats[name]}"]
        for name, form in formats.items():
            if form and f"{name}:" not in operands:
                arguments += ["--format", f"{name}={form}"]
        if "lam" in text:
            arguments.append("lam=1.5")
        if "k: i64" in text:
            arguments.append("k=2")
        for size in sizes.split():
            arguments += ["--size", size]
        return self.spc(*arguments, expect=expect)

    def run_all(self, kernels, options=()):
        for text, (operands, sizes) in kernels.items():
            names = [operand[0] for operand in operands.split() if operand[1] == ":" and operand[0] in "AC"]
            target = re.match(r"\w", text.splitlines()[-1])[0]
            results = RESULTS if target in "BCD" and f"{target}:" not in operands else [None]
            for number, form in enumerate(FORMATS if names else [None]):
                result = results[number % len(results)]
                with self.subTest(kernel=text, format=form, result=result):
                    self.run_kernel(text, operands, sizes, {**{name: form for name in names}, target: result}, *options)

    def test_scatters_into_sparse_targets(self):
        for text, (operands, given) in TAKEN_IN.items():
            formats = dict(one.split("=") for one in given.split() if "=" in one)
            forms = "csr csc coo dcsr" if "plain" in given else "csr csc coo dcsr bsr ell dia"
            for number, form in enumerate(forms.split()):
                own = {**{"C": form for _ in range("C:" in operands)}, **formats}
                for name in "AB":
                    if f"{name}:" in operands:
                        own[name] = FORMATS[(number + (name == "B")) % 4]
                if "C" not in own and number:
                    continue
                with self.subTest(kernel=text, formats=own):
                    self.run_kernel(text, operands, "", own)

    def test_equations(self):
        self.run_all(EQUATIONS)

    def test_equations_as_they_are_rounded(self):
        self.run_all(EQUATIONS, ["--fp=strict"])

    def test_windows(self):
        self.run_all(WINDOWS)

    def test_shifts(self):
        self.run_all(SHIFTS)

    def test_shifts_as_they_are_rounded(self):
        self.run_all(SHIFTS, ["--fp=strict"])

    def test_gathers_and_scatters(self):
        self.run_all(GATHERS)

    def test_gathers_and_scatters_as_they_are_rounded(self):
        self.run_all(GATHERS, ["--fp=strict", "--plan=as-written"])

    def test_what_is_false_leaves_out_infinities(self):
        kernels = ["B(i,j) = A(i,j)*(j > i)", "y(i) = A(i,j)*(i==j)*x(j)", "y(i) = (A(i,j) + 2*(i==j))*x(j)",
                   "B(i,j) = A(i,j)*(j-i < 3 and i-j < 3)", "B(i,j) = -A(i,j)*(i != j)/x(j)", "y(i) = A(i,i)*x(i)",
                   "y(i) = lam*(i==j)*x(j)", "B(i,j) = (A(i,j) + x(j))*(j >= i)"]
        for text, special in itertools.product(kernels, [float("inf"), float("nan")]):
            for form in ["csr", "coo", "dcsr"]:
                with self.subTest(kernel=text, special=special, format=form):
                    operands = " ".join(f"{name}:{shape}" for name, shape in [("A", "9x9"), ("x", "9")] if name + "(" in text)
                    self.run_kernel(text, operands, "" if "A" in operands else "i=9",
                                    {"A": form} if "A" in operands else {}, special=special)

    def test_missing_factors_of_conditional_entries_undo_infinities(self):
        self.write("B.npy", npy("f8", [2, 3], [0.0, 3.0, 0.0, 0.0, 0.0, 2.0]))
        self.write("x.npy", npy("f8", [2], [float("-inf"), 2.0]))
        for text in ["where(x(i) < 9, x(i) * B(i, j + 1))", "where(x(i) < 9, x(i)) * B(i, j + 1)",
                     "where(x(i) < 9, x(i) * sum(k, B(i, k) * (k == j + 1)))",
                     "where(x(i) < 9, x(i) * B(i, j + 1)) * (j + 1) / (j + 1)"]:
            with self.subTest(kernel=text):
                done = self.spc("run", self.write("k.tex", f"tensor y(m, 2)\ntensor B(m, n)\ntensor x(m)\ny(i, j) = {text}\n"), "-q",
                                "--format", "B=csr", "--format", "y=dense", "--check", "B=B.npy", "x=x.npy", "-o", "y=-")
                self.assertEqual(done.out.split()[-4:], ["-inf", "0", "0", "4"])

    def test_sums_of_missing_sums_undo_infinities(self):
        """A sum over the places at which A is read is a factor beside another one, and holds a sum over A's columns."""
        self.write("B.npy", npy("f8", [2, 2], [1.0, 3.0, 1.0, float("inf")]))
        self.write("h.npy", npy("i8", [5], [1, 1, 1, 0, 1]))
        kernel = self.write("k.tex", "const A(n, n) = [[-2, 0], [0, 0]]\ntensor B(n, n)\ntensor h(m): i64\ntensor Y(m, n)\n"
                                     "Y(i, j) = padded(A(i - 2, 1)) * B(n - j - 1, h(i))\n")
        for a, b in itertools.product(["csr", "csr-unsorted", "dcsr"], ["csr", "csc"]):
            with self.subTest(A=a, B=b):
                done = self.spc("run", kernel, "-q", "--check", "--format", f"A={a}", "--format", f"B={b}", "--format", "Y=dense",
                                "B=B.npy", "h=h.npy", "-o", "Y=-")
                self.assertEqual(done.out.split()[-10:], ["0"] * 10)

    def test_masks_where_missing_entries_are_no_zeros(self):
        for text in ["y(i) = A(i,j)*(i==j)", "y(i) = A(i,j)*(j>3)", "y(i) = max(j,A(i,j)*(i<j))",
                     "y(i) = prod(j, A(i,j)*(i<=j) + (i>j))"]:
            with self.subTest(kernel=text):
                self.run_kernel("tensor A(m,m): f64, sparse, fill 1\n" + text, "A:9x9", "", {"A": "csr"})

    def test_names_of_the_text_are_its_own(self):
        self.write("A.npy", npy("f8", [3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
        self.write("x.npy", npy("f8", [2], [1.0, 10.0]))
        self.write("p.npy", npy("i8", [2], [2, 0]))
        for name in ["j", "p__0", "p__1"]:
            done = self.spc("run", self.write("k.tex", f"y(i) = A(p(i),{name}) * x({name})\n"), "-q", "A=A.npy", "x=x.npy",
                            "p=p.npy", "-o", "y=-")
            self.assertEqual(done.out.split()[-2:], ["65", "21"])

    def test_odd_shapes(self):
        for rows, columns in [(0, 3), (3, 0), (1, 1), (1, 5)]:
            for form in ["csr", "dcsr", "coo"]:
                for text in ["B(i,j) = A(i,j) + lam*(i==j)", "y(i) = A(i,j)*x(p(i))", "B(i,j) = A(i,j)*(i == j)"]:
                    with self.subTest(rows=rows, columns=columns, format=form, kernel=text):
                        operands = f"A:{rows}x{columns}" + (f" x:4 p:{rows}<4" if "p(" in text else "")
                        self.run_kernel(text, operands, "", {"A": form, text[0]: "csr" if text[0] == "B" else None})

    def test_columns_that_are_computed_beside_other_rows(self):
        """Rows outside of the result, a column one after its row or in any order, steps with other ties, rows of two coordinates."""
        for text, operands in [("tensor y(m)\ny(i) = padded(a(i)) * padded(D(3*i - 1, 2 - i))", "a:6 D:6x3"),
                               ("B(h(i)) += D(i) * (a(i) + 1)", "B:9 D:9 h:9<9 a:9"),
                               ("tensor Y(m, n)\nY(i,j) = A(1 - r, r + 2) * D(j, i) * a(r)", "A:5x5 D:5x3 a:2"),
                               ("Y(i,s) = argbottom(s, j, r, A(i,r) * a(j) * (i == j))", "A:4x3 a:4")]:
            for form in ["csr", "bsr", "coo", "csc"]:
                with self.subTest(kernel=text, format=form):
                    sizes = "m=3" if "y(m)" in text else "s=2" if "Y(i,s)" in text else ""
                    self.run_kernel(text, operands, sizes, {"A": form if "A(" in text else None, "a": "sparse-vector",
                                                            **({"B": "sparse-vector"} if "B(" in text else {})})

    def test_terms_that_are_collected_row_by_row(self):
        """Side by side, one above another, over each other, and in no order."""
        for text, operands in [("tensor B(9, 6)\nB(k,j) = padded(A(k,j)) + padded(C(k - 4,j))", "A:4x6 C:5x6"),
                               ("tensor B(5, 13)\nB(i,k) = padded(A(i,k)) + padded(C(i,k - 6))", "A:5x6 C:5x7"),
                               ("tensor B(6, 6)\nB(i,j) = padded(A(i,j+1)) + padded(C(i+1,j)) - padded(A(i,j+1))*2", "A:6x6 C:6x6"),
                               ("tensor B(6, 6)\nB(i,j) = padded(A(i,5-j)) + padded(C(i,j-2))", "A:6x6 C:6x6"),
                               ("tensor B(6, 9)\nB(i,j) = padded(A(i,j))*(i == j-1) + padded(C(i,j-5))", "A:6x5 C:6x4"),
                               ("B(i,j) = A(i,j) - C(i,j) + A(i,k)*C(k,j) + lam*(i == j)", "A:6x6 C:6x6")]:
            for form, result in itertools.product(["csr", "csc", "coo", "dcsr", "bsr"], ["csr", "coo", "csc"]):
                with self.subTest(kernel=text, format=form, result=result):
                    self.run_kernel(text, operands, "", {"A": form, "C": "csr", "B": result})

    def test_what_a_tensor_holds_is_checked(self):
        self.write("x.npy", npy("f8", [3], [1.0, 2.0, 3.0]))
        for wrong in [3, -1]:
            self.write("p.npy", npy("i8", [2], [0, wrong]))
            done = self.spc("run", self.write("k.tex", "y(i) = x(p(i))\n"), "-q", "x=x.npy", "p=p.npy", expect=1)
            self.assertIn("status 9", done.err)
            self.assertIn("(p):", done.err)
            # A comparison is just false there.
            self.spc("run", self.write("k.tex", "y(i) = sum(k, (k == p(i)) * x(k))\n"), "-q", "--check", "x=x.npy",
                     "p=p.npy", "--type", "p=i64")

    def test_what_comes_twice(self):
        self.write("x.npy", npy("f8", [3], [1.0, 2.0, 3.0]))
        self.write("p.npy", npy("i8", [3], [0, 1, 0]))
        done = self.spc("run", self.write("k.tex", "y(p(i)) = x(i)\n"), "-q", "x=x.npy", "p=p.npy", "--size", "p__0=4",
                        expect=1)
        self.assertIn("status 11", done.err)
        self.assertIn("(p):", done.err)
        for statement in ["y(p(i)) += x(i)", "y(p(i), i) = x(i)"]:
            self.spc("run", self.write("k.tex", statement + "\n"), "-q", "--check", "x=x.npy", "p=p.npy",
                     *(["y=x.npy"] if "+=" in statement else ["--size", "p__0=4"]))

    def test_windows_stay_inside(self):
        self.write("A.npy", npy("f8", [3, 3], [1.0] * 9))
        done = self.spc("run", self.write("k.tex", "B(i,j) = A(i+1,j)\n"), "-q", "--format", "A=csr", "--format",
                        "B=csr", "A=A.npy", "--size", "i=3", expect=1)
        self.assertIn("status 2", done.err)

    def test_costs(self):
        """The steps that loops take, over the entries that they have to touch and the rows."""
        size, entries = 160, 500
        square, vectors = "tensor A(n, n)\ntensor B(n, n)\n", "tensor A(n, n)\ntensor x(n)\ntensor y(n)\n"
        kernels = {
            "B(i,j) = A(i,j) + lam*(i==j)": entries + size,
            "y(i) = (A(i,j) + lam*(i==j))*x(j)": entries + size,
            "B(i,j) = A(i+7, j)": entries,
            "d(i) = A(i,i)": entries,
            "y(i) = A(3,i)": 2 * size,
            "y(i) = x(p(i))": size,
            "B(i,j) = A(p(i), j)": 2 * entries,
            "B(i,j) = A(p(i), p(j))": 2 * entries,
            "B(i,j) = A(i,j)*(j == 2*i)": entries,
            square + "B(i,j) = A(n-1-i, n-1-j)": entries,
            square + "B(i,j) = padded(A(i-1,j+1))": entries,
            square + "tensor K(3, 3)\nB(i,j) = padded(A(i+p-1,j+q-1))*K(p,q)": 9 * entries,
            square + "tensor p(n): i64\nB(p(i), p(j)) += A(i,j)": entries,
            vectors + "y(i) = padded(x(i-1)) + A(i,j)*x(n-1-j)": entries + size,
            "tensor A(n, n)\ntensor C(2, 2)\ntensor B(2*n, 2*n)\nB(2*i+k, 2*j+l) = A(i,j)*C(k,l)": 4 * entries,
            "tensor A(n, n)\ntensor B(n, 2*n)\nB(i,j) = padded(A(i,j)) + padded(A(i,j-n))": 2 * entries,
        }
        self.write("p.npy", npy("i8", [size], [(7 * i) % size for i in range(size)]))
        for text, touched in kernels.items():
            statement = text.splitlines()[-1]
            for form in ["csr", "coo", "csf", "bsr"] if "A(" in text else [None]:
                if form == "bsr" and "lam" in text:
                    continue # blocks are full: that many entries are touched
                with self.subTest(kernel=text, format=form):
                    arguments = [f"A=random:{size}x{size}:density={entries / size / size}", "--format", f"A={form}"] \
                        if form else []
                    arguments += ["--format", f"B={form}"] if statement[0] == "B" else []
                    arguments += [f"x=random:{size}"] if "x(" in statement else []
                    arguments += ["p=p.npy"] if "p(" in statement else []
                    arguments += ["--type", "p=i64"] if "p(" in statement and "tensor p" not in text else []
                    arguments += [f"B=random:{size}x{size}:density=0.001"] if "+=" in statement else []
                    arguments += ["C=random:2x2"] if "C(" in statement else []
                    arguments += ["K=random:3x3"] if "K(" in statement else []
                    arguments += ["lam=1.5"] if "lam" in text else []
                    arguments += ["--size", f"i={size - 10}"] if "i+7" in text else []
                    done = self.spc("explain", self.write("k.tex", text + "\n"), "-O0", *arguments)
                    steps = re.findall(r"^  steps: ([\d,]+)", done.out, re.MULTILINE)[-1]
                    self.assertLessEqual(int(steps.replace(",", "")), 2 * (touched + size))

    def test_indices_outside(self):
        self.write("x.npy", npy("f8", [3], [1.0, 2.0, 3.0]))
        for index, number in [("i + k", 2), ("i - k", 1), ("k - i", 1), ("3 - i", 0)]:
            text = f"tensor x(n)\ntensor k: i64\ny(i) = x({index}) + 0*k\n"
            with self.subTest(index=index):
                done = self.spc("run", self.write("k.tex", text), "-q", "x=x.npy", f"k={number}", "--size", "i=3",
                                expect=1)
                self.assertIn("status 9", done.err)
                self.assertIn("(x):", done.err)
        text = "tensor x(n)\ntensor y(n + 1)\ny(i) += padded(x(i))\n"
        self.write("y.npy", npy("f8", [3], [0.0] * 3))
        done = self.spc("run", self.write("k.tex", text), "-q", "x=x.npy", "y=y.npy", expect=1)
        self.assertIn("has size 4 as the kernel declares it, but size 3", done.err)

    def test_windows_of_what_has_a_pattern(self):
        """An earlier statement's target takes a pattern without a --format."""
        head = "tensor A(9, 12)\ntensor T(9, 12)\ntensor x(12)\ntensor B(4, 5)\n"
        for made in ["T(i,j) = A(i,j)*x(j)", "let T(i,j) = A(i,j)*x(j)", "let T(i,j) = (j == i+1)*A(i,j)*x(j)",
                     "let T(i,j) = pattern(A(i,j))*(x(j) + A(i,j))"]:
            for read in ["T(2*i+1, j+1)", "abs(T(i+2, 2*j+1)) - T(i+1,j+1)", "T(i+1, j+2)*A(i+3, j+1)",
                         "padded(T(3-i,j-1)) + T(i+j,j+1)"]:
                for form in ["csr", "coo"]:
                    with self.subTest(made=made, read=read, format=form):
                        self.spc("run", self.write("k.tex", f"{head}{made}\nB(i,j) = {read}\n"), "-q", "--check",
                                 "-O0", "-Wno-asymptotic", "--format", f"A={form}", "A=random:9x12:density=0.4", "x=random:12")

    def test_vectors_read_twice_within_functions(self):
        for value in ["exp(A(n-1-i)*A(i))", "abs(padded(A(i-1))*A(i))", "max(j, x(j)*A(i)*padded(A(i+1)))",
                      "abs(A(i)*sum(k, A(k)*x(k)*(k == n-1-i)))"]:
            with self.subTest(value=value):
                text = f"tensor A(n)\ntensor x(n)\ntensor Y(n)\nY(i) = {value}\n"
                self.spc("run", self.write("k.tex", text), "-q", "--check", "-O0", "-Wno-asymptotic", "--format",
                         "A=sparse-vector", "A=random:9:density=0.5", *["x=random:9"] * ("x(" in value))

    def test_computed_index_tensors_are_held_whole(self):
        """Beside statements that run piece by piece of rows, whose temporaries else have room for a piece."""
        text = ("tensor A(m, n): f64\ntensor h(m): i64\nlet T(i,j) = A(i,j)*A(i,j)\nlet p(i) = m - 1 - h(i)\n"
                "z(i) = T(i,j)*T(i,j)\ny(i) = z(p(i))\n")
        for size, columns in [(9, 0), (9, 2), (2500, 8)]:
            self.write("h.npy", npy("i8", [size], list(range(size))))
            with self.subTest(size=size, columns=columns):
                self.spc("run", self.write("k.tex", text), "-q", "--check", f"A=random:{size}x{columns}", "h=h.npy")


if __name__ == "__main__":
    unittest.main()
