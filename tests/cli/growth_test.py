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
                    few, more, most = (self.lines(expression, count, operand, output) for count in (8, 16, 32))
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


if __name__ == "__main__":
    unittest.main()
