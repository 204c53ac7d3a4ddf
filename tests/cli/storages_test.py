"""Every format that can hold a matrix gives what CSR gives, NaNs included, at CSR's cost."""

import math
import re
import unittest

from spc_case import SpcCase

GENERAL = [(1, 1, 1.5), (1, 2, 2), (3, 4, 1), (3, 1, -1), (4, 4, .5), (4, 1, 2), (6, 5, -3), (6, 6, .25)]
LOWER = [(1, 1, 1.5), (3, 1, -1), (4, 4, .5), (4, 1, 2), (6, 5, -3), (6, 6, .25), (4, 2, 1)]
UPPER = [(j, i, v) for i, j, v in LOWER]
SYMMETRIC = sorted(set(LOWER) | set(UPPER))
OTHER = [(1, 1, 2), (1, 3, 3), (2, 2, -1), (3, 4, 4), (4, 4, 1), (5, 1, 1.5), (6, 6, -2)]

ANY = ("coo-unsorted coo-dup csr-unsorted hyb bsr bsr8 bsr-cm bsc dbsr block-ell ell ell16 dia dia-cols nm-2-4 ragged "
       "ragged-lengths csc coo coo-aos dcsr dcsc csf csr-lengths").split()
HOLDERS = [(GENERAL, ANY), (LOWER, ["lower"]), (UPPER, ["upper"]),
           (SYMMETRIC, ["sym-csr", "sym-lower", "coo-unsorted", "hyb", "bsr"])]

# What needs entries: products read blocks, diagonals and parts in place, so that their costs count these.
PROGRAMS = {
    "softmax": """
let m(i) = max(j, select(pattern(S(i,j)), S(i,j), -inf))
let P(i,j) = pattern(S(i,j))*exp(S(i,j) - m(i))
let z(i) = P(i,j)
O(i,f) = P(i,j)/z(i)*V(j,f)""",
    "minima": """
a(i) = max(j, S(i,j))
D(i,j) = min(k, select(pattern(S(i,k)), S(i,k), inf) + C(k,j))
c(i) = count(j, S(i,j))
e(i) = argmax(j, S(i,j))""",
    "merges": """
D(i,j) = relu(S(i,j) + B(i,j))
E(i,j) = (not pattern(S(i,j)))*B(i,j)""",
    "picked": """
d(i) = S(i,i)
r(j) = S(4,j)
D(i,j) = pattern(S(i,j))*C(i,j)""",
    "zeros": """
D(i,j) = S(i,j)*log(abs(S(i,j)))
E(i,j) = S(i,j)/S(i,j)
F(i,j) = pattern(S(i,j))/S(i,j)""",
    "masked": """
let T(i,j) = Q(i,k)*K(j,k)
O(i,f) = pattern(S(i,j))*exp(S(i,j))*T(i,j)*V(j,f)
y(i) = S(i,j)*S(i,j)""",
}
DENSE = {"V": "random:6x2:seed=1", "C": "random:6x6:seed=2", "Q": "random:6x3:seed=3", "K": "random:6x3:seed=4"}


def read(path):
    """The elements that are not 0, by place."""
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith(("%", "#"))]
    if path.read_text().startswith("%%MatrixMarket matrix array"):
        rows = int(lines[0][0])
        elements = {(k % rows, k // rows): float(line[0]) for k, line in enumerate(lines[1:])}
    else:
        elements = {(int(i) - 1, int(j) - 1): float(value) for i, j, value in lines[1:]}
    return {place: value for place, value in elements.items() if value != 0}


def is_near(a, b):
    return a.keys() == b.keys() and all(
        math.isnan(a[at]) == math.isnan(b[at]) and (math.isnan(a[at]) or math.isclose(a[at], b[at], rel_tol=1e-12))
        for at in a)


class Storages(SpcCase):
    optimised = SpcCase.SOME

    def write_matrix(self, name, entries):
        lines = "".join(f"{i} {j} {value}\n" for i, j, value in entries)
        self.write(name, f"%%MatrixMarket matrix coordinate real general\n6 6 {len(entries)}\n{lines}")

    def run_with(self, form, program):
        """The outputs, and the cost in the plan with one name for rows and columns."""
        names = set(re.findall(r"\b([SBVCQK])\(", program))
        inputs = ["S=s.mtx"] + (["B=b.mtx"] if "B" in names else [])
        inputs += [f"{name}={DENSE[name]}" for name in sorted(names & DENSE.keys())]
        formats = ["--format", f"S={form}"] + (["--format", "B=csr"] if "B" in names else [])
        outputs = re.findall(r"^(\w)\(", program, re.M)
        options = [option for name in outputs for option in ("-o", f"{name}={name}.mtx")]
        done = self.spc("run", "k.tex", *inputs, *formats, *options, "-O0")
        plan = self.spc("compile", "k.tex", *formats, "--emit", "plan").out
        cost = re.search(r"^  cost: .*", plan, re.M).group(0)
        # What is stored by columns is gone through for a row.
        cost = cost.replace("nnz(S) for d, D; nnz([4])*nnz(S)/i for r", "nnz(S) for d, r, D")
        self.assertLessEqual(plan.count("canonical copy of"), 1)
        self.assertEqual(plan.count("canonical copy of"), done.err.count("is copied, entry by entry"))
        return {name: read(self.folder / f"{name}.mtx") for name in outputs}, re.sub(r"\b[ijk](_\d+)?\b", "i", cost)

    def test_every_storage_gives_what_csr_gives(self):
        self.write_matrix("b.mtx", OTHER)
        for name, program in PROGRAMS.items():
            self.write("k.tex", program)
            for entries, formats in HOLDERS:
                self.write_matrix("s.mtx", entries)
                expected, cost = self.run_with("csr", program)
                for form in formats:
                    with self.subTest(program=name, format=form):
                        results, own = self.run_with(form, program)
                        for output in expected:
                            self.assertTrue(is_near(results[output], expected[output]), output)
                        self.assertEqual(own, cost)


if __name__ == "__main__":
    unittest.main()
