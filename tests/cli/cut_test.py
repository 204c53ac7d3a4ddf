"""spc partition --cut: the pieces of kernels, as text and as files."""

import json
import unittest

from spc_case import SpcCase

LAYER = "let H(i, f) = A(i, j) * X(j, f)\nO(i, g) = relu(sum(j, f, A(i, j) * H(j, f) * W(f, g)))\n"


class Cut(SpcCase):
    def cut(self, text, *options, by="i", name="layer.tex", format_="A=csr"):
        self.write(name, text)
        return self.spc("partition", name, "--format", format_, "-q", f"--by={by}", "--cut", *options)

    def test_two_layers(self):
        self.assertEqual(self.cut(LAYER).out, """\
layer is cut along i into 2 pieces
  layer_1: statement 1
    by i: slices of A, H; what A lists of X
    for later pieces: H
  layer_2: statement 2
    by i: slices of A, O; what A lists of H; all of W
""")

    def test_files(self):
        self.cut(LAYER, "-o", "new/pieces")
        folder = self.folder / "new/pieces"
        self.assertEqual({file.name for file in folder.iterdir()},
                         {"layer.json", "layer_1.tex", "layer_1.json", "layer_2.tex", "layer_2.json"})
        order = json.loads((folder / "layer.json").read_text())
        self.assertEqual((order["function"], order["by"]), ("layer", "i"))
        self.assertEqual([(piece["kernel"], piece["formats"], piece["index"], piece["copies"], piece["made"])
                          for piece in order["pieces"]],
                         [("layer_1.tex", "layer_1.json", "i", {}, ["H"]), ("layer_2.tex", "layer_2.json", "i", {}, [])])
        self.assertEqual(order, json.loads(self.cut(LAYER, "--json").out))
        for piece in order["pieces"]:
            self.spc("compile", str(folder / piece["kernel"]), "--format", str(folder / piece["formats"]), "-o", "piece.o", "-q")

    def test_operand_at_two_coordinates(self):
        done = self.cut("S(i, k) = A(i, j) * X(j, k) + (1 + eps) * X(i, k)\n", "-o", ".", name="gin.tex")
        self.assertIn("gin is cut along i into 1 piece\n", done.out)
        self.assertIn("X_j is X, of other parts as well", done.out)
        self.assertIn("S(i,k) = A(i,j)*X_j(j,k) + (1 + eps)*X(i,k)", (self.folder / "gin_1.tex").read_text())

    def test_shares_are_reduced_between_pieces(self):
        done = self.cut("let m = max(i, x(i))\nlet e(i) = exp(x(i) - m)\nlet z = sum(i, e(i))\ny(i) = e(i) / z\n",
                        format_="x=dense")
        self.assertEqual(done.out, """\
layer is cut along i into 3 pieces
  layer_1: statement 1
    by i: slices of x; max of m
    for later pieces: m
  layer_2: statements 2 to 3
    by i: slices of x, e; all of m; sum of z
    for later pieces: e, z
  layer_3: statement 4
    by i: slices of e, y; all of z
""")

    def test_reductions_within_a_statement(self):
        apart = self.cut("O(i, c) = sum(j, A(i, j) * relu(sum(k, A(j, k) * X(k, c))))\n")
        self.assertEqual(apart.out, """\
layer is cut along i into 2 pieces
  layer_1: statement 1
    by j: slices of A, O_sum; what A lists of X
    for later pieces: O_sum
  layer_2: statement 2
    by i: slices of A, O; what A lists of O_sum
""")
        masked = self.cut("O(i, j) = A(i, j) * relu(sum(k, Q(i, k) * K(j, k)) + sum(l, A(l, j)))\n")
        self.assertIn("into 1 piece", masked.out)  # there is no dense matrix

    def test_reductions_keep_the_type_of_their_statement(self):
        for text, said in (("y(i) = x(i) / sum(j, x(j) > 0)\n", "tensor y_sum: f64"),
                           ("tensor x(n): i8\ntensor y(n): i32\ny(i) = x(i) * sum(j, x(j))\n", "tensor y_sum: i32"),
                           ("y(i) = x(i) * any(j, x(j) > 3)\n", "tensor y_any: bool")):
            with self.subTest(text):
                self.cut(text, "-o", ".", format_="x=dense")
                self.assertIn(said, (self.folder / "layer_1.tex").read_text())

    def test_names_that_are_taken(self):
        done = self.cut("S(i, X_j) = A(i, j) * X(j, X_j) + X(i, X_j)\n")
        self.assertIn("X_j_2 is X, of other parts as well", done.out)
        sizes = self.cut("tensor A(n, n): f64, sparse\ntensor q(H_size0)\ntensor X(n, f)\nlet H(i, k) = A(i, j) * X(j, k)\n"
                         "O(i, k) = A(i, j) * H(j, k) * sum(l, q(l))\n")
        self.assertIn("what A lists of H", sizes.out)
        gathered = self.cut("tensor p(n): i64\ntensor x(n)\ny(i) = x(p(i)) + x(i)\n", "-o", ".", format_="x=dense")
        self.assertIn("x_p_0 is x", gathered.out)
        self.assertIn("kernel layer_1(x, p, x_p_0) -> (y)", (self.folder / "layer_1.tex").read_text())

    def test_an_index_by_the_name_of_its_extent(self):
        done = self.cut("kernel f(x, A) -> (z, y)\ny(i) = x(i) / sum(j, x(j))\nz(i) = A(i, j) * y(j)\n", by="i_2")
        self.assertIn("slices of A, z", done.out)

    def test_other_names_of_the_index(self):
        done = self.cut("let H(i, f) = A(i, j) * X(j, f)\nO(p, f) = A(p, q) * H(q, f)\n")
        self.assertIn("  layer_2: statement 2\n    by p: slices of A, O; what A lists of H\n", done.out)

    def test_statements_without_the_index(self):
        done = self.cut("let V(f, g) = W(f, h) * U(h, g)\nlet H(i, g) = X(i, f) * V(f, g)\nlet s(g) = max(i, H(i, g))\n"
                        "let t(g) = s(g) * s(g)\nO(i, g) = H(i, g) / t(g)\n", format_="X=csr")
        self.assertIn("layer is cut along i into 2 pieces", done.out)

    def test_types_constants_and_triangles(self):
        text = ("type T = f32\ntensor A(n, n): T, sparse\ntensor x(n): T\ntensor y(n): T\nconst c(3) = [1, 2, 3]\n"
                "let z(i) = A(i, j) * x(j)\ny(i) = T(sum(j, A(i, j) * z(j) * c(1)))\n")
        self.assertIn("into 2 pieces", self.cut(text, "-o", ".").out)
        second = (self.folder / "layer_2.tex").read_text()
        self.assertIn("type T = f32", second)
        self.assertIn("const c(3) = [1, 2, 3]", second)
        self.assertNotIn("const", (self.folder / "layer_1.tex").read_text())

    def test_refusals(self):
        self.write("layer.tex", "let s = sum(i, x(i))\ny(i) = x(i) * i\n")
        for index, said in (("i", "'i' is used as a number"), ("o", "no index variable 'o'")):
            self.assertIn(said, self.spc("partition", "layer.tex", "-q", f"--by={index}", "--cut", "-o", ".", expect=1).err)
        self.assertFalse((self.folder / "layer.json").exists())

    def test_does_not_overwrite_what_it_reads(self):
        self.write("layer_1.tex", LAYER)
        done = self.spc("partition", "layer_1.tex", "--name=layer", "--format", "A=csr", "-q", "--by=i", "--cut", "-o", ".", expect=2)
        self.assertIn("layer_1.tex", done.err)


if __name__ == "__main__":
    unittest.main()
