"""How much code a kernel becomes, by the number of its operands: counts of lines, which no machine's speed is in."""

import unittest

from spc_case import SpcCase


def accesses(count):
    return [f"A{k}(i, j)" for k in range(count)]


def nested(count):
    text = "0"
    for access in accesses(count):
        text = f"abs({access} + {text})"
    return text


EXPRESSIONS = {
    "a maximum": lambda count: f"max({', '.join(accesses(count))})",
    "functions of functions": nested,
    "a sum": lambda count: " + ".join(accesses(count)),
    "a product": lambda count: " * ".join(accesses(count)),
    "a product of sums": lambda count: " * ".join(
        f"(A{k}(i, j) + A{k + 1}(i, j))" for k in range(0, count, 2)
    ),
    "choices": lambda count: "".join(f"select({access} > 1, {access}, " for access in accesses(count))
    + "0"
    + ")" * count,
}


class Growth(SpcCase):
    def lines(self, expression, count, operand, output):
        self.write("kernel.tex", f"Z(i, j) = {expression(count)}\n")
        formats = [f"A{k}={operand}" for k in range(count)] + [f"Z={output}"]
        arguments = [word for binding in formats for word in ("--format", binding)]
        return self.spc("compile", "kernel.tex", *arguments, "--emit=sparse", "-o", "-").out.count("\n")

    def test_code_grows_with_the_number_of_operands(self):
        for name, expression in EXPRESSIONS.items():
            for operand, output in (("csr", "csr"), ("csr", "dense"), ("dcsr", "dcsr")):
                with self.subTest(expression=name, operand=operand, output=output):
                    few, more, most = (self.lines(expression, count, operand, output) for count in (9, 18, 36))
                    self.assertLess(most - more, 2.5 * (more - few))
                    self.assertLess(most, 8000)

    def test_code_grows_with_the_order(self):
        def lines(order):
            indices = ", ".join(f"i{k}" for k in range(order))
            operands = " + ".join(f"A{k}({indices})" for k in range(4))
            self.write("kernel.tex", f"Z({indices}) = abs({operands})\n")
            formats = [word for tensor in ("A0", "A1", "A2", "A3", "Z") for word in ("--format", f"{tensor}=csf")]
            return self.spc("compile", "kernel.tex", *formats, "--emit=sparse", "-o", "-").out.count("\n")

        few, more, most = lines(4), lines(6), lines(8)
        self.assertLess(most - more, 1.5 * (more - few))

    def test_large_kernels_get_few_passes(self):
        """In a kernel of very many loops each statement becomes less code than in a small one: none is unrolled."""
        def lines(count):
            self.write("kernel.tex", "Y(i, j) += A(i, k) * B(k, j)\n" * count)
            done = self.spc("compile", "kernel.tex", "--format", "A=bsr", "--format", "B=bsr", "--emit=llvm", "-o", "-")
            return done.out.count("\n")

        few, more, most = lines(4), lines(8), lines(60)
        self.assertLess((most - more) / 52, 0.8 * (more - few) / 4)

    def test_unions_become_shorter_where_there_are_many(self):
        def lines(count):
            statement = "Z{}(i, j) = abs(A(i, j) + B(i, j) + C(i, j) + D(i, j) + E(i, j))\n"
            self.write("kernel.tex", "".join(statement.format(k) for k in range(count)))
            tensors = [*"ABCDE", *(f"Z{k}" for k in range(count))]
            bindings = [word for tensor in tensors for word in ("--format", f"{tensor}=csr")]
            done = self.spc("compile", "kernel.tex", *bindings, "--emit=sparse", "-o", "-")
            return done.out.count("\n")

        self.assertGreater(lines(4), lines(8))
        self.assertLess(lines(24), lines(4))

    def test_kernels_of_too_much_code_are_refused(self):
        def kernel(count):
            products = " + ".join(f"A(i, k) * {other}(k, j)" for other in "BCDE")  # equal ones would be one
            self.write("kernel.tex", f"Y(i, j) += {products}\n" * count)
            return ["kernel.tex", "--format", "A=bsr"]

        self.spc("compile", *kernel(8), "--emit=loops", "-o", "-")
        refused = self.spc("compile", *kernel(64), "--emit=loops", "-o", "-", expect=1)
        self.assertRegex(refused.err, r"operations, [0-9]+ of them for this statement; the limit is [0-9]+ \[kernel-too")
        self.spc("compile", *kernel(64), "--emit=sparse", "-o", "-")  # what it would become can still be looked at


if __name__ == "__main__":
    unittest.main()
