"""spc grad: the files that it writes, what they compute at ties and zeros, and what they cost."""

import json
import re
import unittest

from data_files_test import npy
from spc_case import ROOT, SDDMM, SPMV, SpcCase

PAGE = (ROOT / "docs" / "grad.md").read_text()
PROGRAMS = [  # of examples/programs: formats, outputs, operands
    ("attention", "S=csr", "O", "Q,K,V"),
    ("attention", "S=csr", "O", "V"),
    ("fusedmm", "S=csr", "O", "S,X,Y"),
    ("gcn", "A=csr", "O", "X,W"),
    ("gin", "A=csr", "O", "X,U,W,eps"),
    ("mttkrp3", "T=csf", "Y", "T,B,C"),
    ("mttkrp5", "T=csf", "Y", "B"),
    ("ttmc", "T=csf", "Y", "T,B,C"),
]
WINDOWS = [  # kernels, formats, operands; all of y
    ("tensor x(n): f64\ntensor w(m): f64\ny(i) = 3 * x(i) - 2 * x(i + 1) + x(i + 3) * w(i)\n", [], "x,w"),
    ("tensor x(n): f64\ntensor w(k): f64\ntensor y(m): f64\ny(i) = x(2*i + p) * w(p)\n", [], "x,w"),
    ("tensor x(n, m): f32\ntensor w(k, l): f32\ny(i, j) = x(2*i + p, j + q) * w(p, q)\n", [], "x,w"),
    ("tensor A(m, k): f64, sparse\ntensor x(n): f64\ny(i) = A(i, p) * exp(x(i + p))\n", ["--format", "A=csr"], "A,x"),
]


def steps(plan):
    """The loop steps of a plan, all extents being 100 and all tensors having 1000 entries."""
    total = 0
    for part in re.search(r"^  cost(?: of plan 1)?: (.*)$", plan, re.MULTILINE).group(1).split("; "):
        formula, targets = part.rsplit(" for ", 1)
        numbers = re.sub(r"[a-z_]\w*", "100", re.sub(r"nnz\([$\w]+\)", "1000", formula))
        total += len(targets.split(", ")) * eval(numbers)
    return total


class Grad(SpcCase):
    optimised = False

    def gradient(self, kernel, *options, mode="reverse", wrt="x", of="y"):
        """The derivative of a kernel, which is written to d.tex."""
        self.write("k.tex", kernel)
        self.spc("grad", "k.tex", "--of", of, "--wrt", wrt, "--mode", mode, "-o", "d.tex", *options)
        return (self.folder / "d.tex").read_text()

    def vector(self, name, *values):
        self.write(name, f"%%MatrixMarket matrix array real general\n{len(values)} 1\n" + "\n".join(map(str, values)))
        return f"{name.split('.')[0]}={name}"

    def derivative_at(self, kernel, *values):
        """What a function of a vector x has for gradient, each y of several having the weight 1."""
        text = self.gradient(kernel)
        x = self.vector("x.mtx", *values)
        inputs = [x] if "tensor x(" in text else []
        if "tensor y" in text:
            self.spc("run", "k.tex", "-q", "-o", "y=y.mtx", x)
            inputs.append("y=y.mtx" if "tensor y(" in text else "y=" + (self.folder / "y.mtx").read_text().split()[-1])
        seed = f"d_y=ones:{len(values)}" if "tensor d_y(" in text else "d_y=1"
        out = self.spc("run", "d.tex", "-q", *inputs, seed).out
        return [float(word) for word in out.split("\n", 1)[1].split()]

    def test_the_page_shows_what_is_written(self):
        command = re.search(r"^    spc (grad sddmm.*)$", PAGE, re.MULTILINE).group(1)
        shown = re.search(r"(?:^    .*\n|^\n(?=    ))+", PAGE[PAGE.index("    # The derivative of"):], re.MULTILINE).group()
        self.write("sddmm.tex", (ROOT / "examples" / "sddmm" / "sddmm.tex").read_text())
        self.spc(*command.split())
        self.assertEqual(re.sub("^    ", "", shown, flags=re.MULTILINE), (self.folder / "sddmm_grad.tex").read_text())
        self.spc("compile", "sddmm_grad.tex", "--format", "sddmm_grad.json", "-o", "g.o")
        formats = json.loads((self.folder / "sddmm_grad.json").read_text())["tensors"]
        self.assertEqual(formats, {"S": "csr", "d_D": {"structure_of": "S"}, "d_S": {"structure_of": "S"}})

    def test_a_derivative_of_dense_tensors_alone_has_a_file_of_formats(self):
        self.gradient("y(i) = x(i) * x(i)\n", "--format-out", "d.json")
        self.assertEqual(json.loads((self.folder / "d.json").read_text())["tensors"], {})
        self.spc("compile", "d.tex", "--format", "d.json", "-o", "d.o")

    def test_what_windows_read_may_be_larger_in_the_derivative_too(self):
        kernel = "y(i) = x(i + 1) + x(i) * z(i)\n"
        text = self.gradient(kernel, wrt="z")
        self.assertIn("d_z(i) = sum(j, select(j == i, x(j), 0))*d_y(i)\n", text)
        self.spc("run", "d.tex", self.vector("x.mtx", 2, 3, 4), self.vector("d_y.mtx", 5, 7), "-o", "d_z.tns")
        self.assertEqual((self.folder / "d_z.tns").read_text().split(), ["1", "10", "2", "21"])
        self.gradient(kernel, wrt="z", mode="forward")
        self.spc("run", "d.tex", self.vector("x.mtx", 2, 3, 4), self.vector("t_z.mtx", 5, 7), "-o", "t_y.tns")
        self.assertEqual((self.folder / "t_y.tns").read_text().split(), ["1", "10", "2", "21"])

    def test_gradients_have_the_entries_of_their_operands(self):
        self.write("S.tns", "1 1 2\n1 3 0\n3 2 5\n")
        self.gradient(SDDMM, "--format", "S=csr", "--format-out", "d.json", of="D", wrt="S")
        self.write("d_D.tns", "1 1 1\n1 3 1\n3 2 1\n")
        shape = ["--shape", "S=3x3", "--shape", "d_D=3x3"]
        out = self.spc("run", "d.tex", "--format", "S=csr", "--format", "d_D=csr", "--format", "d_S=csr", "S=S.tns",
                       "d_D=d_D.tns", "A=ones:3x2", "B=ones:3x2", "-q", *shape).out
        self.assertEqual(re.findall(r"\((\d), (\d)\)  (\S+)", out), [("1", "1", "2"), ("1", "3", "2"), ("3", "2", "2")])

    def test_ties_go_to_the_first(self):
        for kernel, values, expected in [
                ("y = max(i, x(i))", (2, 1, 2), [1, 0, 0]),
                ("y = min(i, x(i) * x(i))", (3, -1, 1), [0, -2, 0]),
                ("y(i) = max(x(i), 2 * x(i))", (0, 1, -1), [1, 2, 1]),
                ("y(i) = min(x(i), 0)", (0, 1, -1), [1, 0, 1]),
                ("y(i) = relu(x(i))", (0, 1, -1), [0, 1, 0]),
                ("y(i) = abs(x(i))", (0, 2, -2), [0, 1, -1])]:
            with self.subTest(kernel=kernel):
                self.assertEqual(self.derivative_at(kernel + "\n", *values), expected)

    def test_zeros(self):
        for kernel, values, expected in [
                ("y = prod(i, x(i))", (2, 3, 4), [12, 8, 6]),
                ("y = prod(i, x(i))", (2, 0, 4), [0, 8, 0]),
                ("y = prod(i, x(i))", (0, 0, 4), [0, 0, 0]),
                ("y(i) = pow(x(i), 2)", (0, 1, -3), [0, 2, -6]),
                ("y(i) = select(x(i) > 0, sqrt(x(i)), 0)", (0, 1, -3), [0, 0.5, 0]),
                ("y(i) = max(sqrt(x(i)), 2)", (0, 16, 1), [0, 0.125, 0])]:
            with self.subTest(kernel=kernel, values=values):
                self.assertEqual(self.derivative_at("tensor x(n): f64\n" + kernel + "\n", *values), expected)

    def test_costs_no_more_than_once_for_each_operand_and_once_more(self):
        for name, formats, of, wrt in PROGRAMS:
            with self.subTest(name=name, wrt=wrt):
                kernel = (ROOT / "examples" / "programs" / f"{name}.tex").read_text()
                self.gradient(kernel, "--format", formats, "--format-out", "d.json", of=of, wrt=wrt)
                forward = steps(self.spc("compile", "k.tex", "--format", formats, "--emit=plan").out)
                plan = self.spc("compile", "d.tex", "--format", "d.json", "--emit=plan", "-Werror=densify").out
                self.assertLessEqual(steps(plan), (1 + len(wrt.split(","))) * forward)

    def test_windows_cost_no_more_either(self):
        for kernel, formats, wrt in WINDOWS:
            with self.subTest(kernel=kernel):
                bindings = ["--format", "d.json"] if formats else []
                self.gradient(kernel, *formats, *(["--format-out", "d.json"] if formats else []), wrt=wrt)
                forward = steps(self.spc("compile", "k.tex", *formats, "--emit=plan").out)
                plan = self.spc("compile", "d.tex", *bindings, "--emit=plan").out
                self.assertLessEqual(steps(plan), (1 + len(wrt.split(","))) * forward)

    def test_what_a_window_reads_gets_its_share(self):
        self.gradient(WINDOWS[1][0])
        inputs = [self.vector("w.mtx", 1, 2, 3), self.vector("d_y.mtx", 1, 10, 100)]
        out = self.spc("run", "d.tex", "-q", "--shape", "d_x=7", *inputs).out
        self.assertEqual(out.split()[-7:], ["1", "2", "13", "20", "130", "200", "300"])

    def test_names_and_files(self):
        self.write("spmv.tex", SPMV)
        options = ["--format", "A=csr", "--of=y", "--wrt=A,x"]
        self.spc("grad", "spmv.tex", *options)
        self.assertIn("kernel spmv_grad(A, x, d_y) -> (d_A, d_x)\n", (self.folder / "spmv_grad.tex").read_text())
        self.spc("grad", "spmv.tex", *options, "--mode=forward")
        self.assertIn("kernel spmv_jvp(A, x, t_A, t_x) -> (t_y)\n", (self.folder / "spmv_jvp.tex").read_text())
        named = self.spc("grad", "spmv.tex", *options, "--name=back", "-o", "-").out
        self.assertIn("kernel back(", named)
        self.assertIn("kernel other_grad(", self.spc("grad", "-", *options, "-o", "-",
                                                     stdin="kernel other(A, x) -> y\n" + SPMV).out)
        self.assertIn("--name", self.spc("grad", "-", *options, "-o", "-", stdin=SPMV, expect=2).err)
        self.assertIn("output-path", self.spc("grad", "spmv.tex", *options, "-o", "spmv.tex", expect=2).err)
        self.assertEqual((self.folder / "spmv.tex").read_text(), SPMV)
        self.assertIn("unknown-choice", self.spc("grad", "spmv.tex", *options, "--mode=backward", expect=2).err)

    def test_operands_that_are_no_variables_have_any_format(self):
        for name in ["hyb", "bsr", "sym-csr", "csr-unsorted", "dia", "csr"]:
            with self.subTest(format=name):
                self.gradient(SPMV, "--format", f"A={name}", "--format-out", "d.json")
                self.spc("compile", "d.tex", "--format", "d.json", "--emit=plan", "-Werror=densify")

    def test_formats_whose_entries_can_be_told_from_the_rest_have_derivatives(self):
        fine = ["csr", "csc", "coo", "dcsr", "dcsc", "csr64", "csc64", "coo64", "coo-aos", "csr-lengths"]
        refused = ["bsr", "ell", "dia", "coo-dup", "coo-unsorted", "csr-unsorted", "hyb", "sym-csr"]
        self.write("k.tex", SPMV)
        for name in fine + refused:
            with self.subTest(format=name):
                options = ["--format", f"A={name}", "--of=y", "--wrt=A", "-o", "-"]
                if name in fine:
                    self.assertIn("d_A(i,j) = pattern(A(i,j))*x(j)*d_y(i)\n", self.spc("grad", "k.tex", *options).out)
                else:
                    self.assertIn("grad-format", self.spc("grad", "k.tex", *options, expect=1).err)

    def test_derivatives_have_derivatives(self):
        self.gradient(SDDMM, "--format", "S=csr", "--format-out", "d.json", of="D", wrt="S,A")
        first = (self.folder / "d.tex").read_text()
        self.write("first.json", (self.folder / "d.json").read_text())
        self.gradient(first, "--format", "first.json", "--format-out", "d.json", of="d_S,d_A", wrt="d_D,S,B")
        plan = self.spc("compile", "d.tex", "--format", "d.json", "--emit=plan").out
        self.assertRegex(plan, r"d_d_D\(.*written, pattern of S, structure of S")

    def test_type_parameters_stay(self):
        text = self.gradient("type T = f64\ntensor x(n): T\ny(i) = T(0.5) * x(i) * x(i)\n")
        self.assertIn("type T = f64\n", text)
        self.assertIn("tensor d_y(n): T\n", text)
        plan = self.spc("compile", "d.tex", "--type", "T=f32", "--emit=plan").out
        self.assertIn("d_x(n): f32", plan)

    def test_conversions_to_a_type_parameter_have_the_type_that_it_stands_for(self):
        kernel = "type T = {}\ntensor x(n): f64\ny(i) = T(x(i)) * x(i)\n"
        self.assertIn("\nd_x(i) = T(x(i))*d_y(i)\n", self.gradient(kernel.format("bool")))
        self.assertIn("\nd_x(i) = x(i)*d_y(i) + T(x(i))*d_y(i)\n", self.gradient(kernel.format("f64")))

    def test_the_forward_mode_is_the_transposed_of_the_reverse_one(self):
        kernel = "y(i) = exp(x(i)) * x(0)\n"
        self.gradient(kernel, mode="forward")
        x, tangent = self.vector("x.mtx", 1, 2), self.vector("t_x.mtx", 1, 0)
        forward = self.spc("run", "d.tex", "-q", x, tangent).out.split()
        self.gradient(kernel)
        rows = [self.spc("run", "d.tex", "-q", x, self.vector("d_y.mtx", *seed)).out.split() for seed in [(1, 0), (0, 1)]]
        self.assertEqual(forward[2:], [row[2] for row in rows])

    def test_the_derivative_of_a_gather_is_a_scatter(self):
        kernel = self.write("k.tex", "tensor x(n): f64\ntensor p(m): i32\ntensor w(m): f64\ny(i) = w(i)*x(p(i))\n")
        done = self.spc("grad", kernel, "--of", "y", "--wrt", "x,w", "-o", "-")
        self.assertIn("d_x(p__0) = w(i)*at(p__0, p(i))*d_y(i)\n", done.out)
        self.assertIn("d_w(i) = sum(p__0, x(p__0)*at(p__0, p(i)))*d_y(i)\n", done.out)
        self.write("kg.tex", done.out)
        for name, kind, values in [("x", "f8", [1.0, 2.0, 3.0]), ("p", "i4", [2, 0, 2, 1]), ("w", "f8", [1.0, -1.0, 2.0, 5.0]),
                                   ("d_y", "f8", [1.0, 2.0, 3.0, 4.0])]:
            self.write(f"{name}.npy", npy(kind, [len(values)], values))
        done = self.spc("run", "kg.tex", "-q", "--check", "x=x.npy", "p=p.npy", "w=w.npy", "d_y=d_y.npy", "-o", "d_x=-",
                        "-o", "d_w=d_w.npy")
        self.assertEqual([float(line.split()[-1]) for line in done.out.splitlines()[-3:]], [-2.0, 20.0, 7.0])

    def test_sizes_have_the_name_that_declarations_have(self):
        for text, written in [("tensor x(m,n)\ntensor g(4)\ny(i,j) = x(i,j)*g(j)/n\n", "d_x(i,j) = g(j)*d_y(i,j)/4\n"),
                              ("tensor x(m,n)\ntensor g(p)\ny(i,j) = x(i,j)*g(j)/p\n", "d_x(i,j) = g(j)*d_y(i,j)/n\n")]:
            done = self.spc("grad", self.write("k.tex", text), "-q", "--of", "y", "--wrt", "x", "-o", "-")
            self.assertIn(written, done.out)

    def test_what_no_format_says_is_stored_by_rows(self):
        kernel = self.write("k.tex", "let T(i,h,j) = A(i,j)*X(i,h)\ny(i,j) = sum(h, T(i,h,j)*A(i,j))\n")
        for form in ["csr", "coo", "dcsr"]:
            self.spc("grad", kernel, "-q", "--of", "y", "--wrt", "A,X", "--format", f"A={form}", "-o", "kg.tex",
                     "--format-out", "kg.json")
            self.spc("compile", "kg.tex", "-q", "--format", "kg.json", "-O0", "-o", "kg.o")

    def test_products_with_what_has_values_everywhere_keep_the_entries(self):
        kernel = self.write("k.tex", "let T(i,j) = exp(A(i,j))\nY(i,k) = T(i,j)*X(j,k)\n")
        done = self.spc("grad", kernel, "-q", "--of", "Y", "--wrt", "A", "--format", "A=csr", "-o", "-")
        self.assertIn(" + pattern(A(i,j))*T(i,j)*d_T(i,j)\n", done.out)


if __name__ == "__main__":
    unittest.main()
