"""The programs in examples/programs on the data shipped with them, against computations of their own in plain Python."""

import itertools
import math
import random
import unittest

from spc_case import ROOT, SpcCase

PROGRAMS = ROOT / "examples" / "programs"
DATA = ROOT / "examples" / "data"
INFINITY = math.inf


def read_tensor(path):
    """Coordinates from 0 to values, and the shape, of a .mtx or .tns file as the examples and spc write them."""
    lines = path.read_text().splitlines()
    if path.suffix == ".tns":
        entries = [line.split() for line in lines if line and line[0] != "#"]
        cells = {tuple(int(at) - 1 for at in words[:-1]): float(words[-1]) for words in entries}
        return cells, tuple(max(at) + 1 for at in zip(*cells))
    head, words = lines[0].split(), [line.split() for line in lines[1:] if line[0] != "%"]
    shape = tuple(map(int, words[0][:2]))
    if head[2] == "array":
        return {(k % shape[0], k // shape[0]): float(word[0]) for k, word in enumerate(words[1:])}, shape
    cells = {}
    for word in words[1:]:
        at, value = (int(word[0]) - 1, int(word[1]) - 1), float(word[2]) if len(word) > 2 else 1.0
        cells[at] = value
        if head[4] == "symmetric":
            cells[at[::-1]] = value
    return cells, shape


class Programs(SpcCase):
    def setUp(self):
        super().setUp()
        self.graph, (self.n, _) = read_tensor(DATA / "karate.mtx")
        self.neighbours = [[j for j in range(self.n) if (i, j) in self.graph] for i in range(self.n)]

    def dense(self, name, *shape):
        """A dense operand in a file: rows of multiples of 1/8, or a list of them."""
        numbers = random.Random(name)
        rows = [[numbers.randint(-12, 12) / 8 for _ in range(shape[1] if len(shape) > 1 else 1)]
                for _ in range(shape[0])]
        columns = range(len(rows[0]))
        text = f"%%MatrixMarket matrix array real general\n{len(rows)} {len(rows[0])}\n"
        if len(shape) == 1:
            text = "".join(f"{i + 1} {row[0]!r}\n" for i, row in enumerate(rows))
            self.write(f"{name}.tns", text)
            return [row[0] for row in rows]
        self.write(f"{name}.mtx", text + "".join(f"{row[c]!r}\n" for c in columns for row in rows))
        return rows

    def numbers(self, name, entries, dtype=float):
        """A tensor in a file: its entries by coordinate, from 0."""
        self.write(f"{name}.tns", "".join(f"{' '.join(str(k + 1) for k in at)} {dtype(value)!r}\n" for at, value in entries.items()))
        return entries

    def run_program(self, name, output, *inputs, formats=(), scalars=()):
        """What a program writes, by coordinate; of several outputs, in their order."""
        given = []
        for operand in inputs:
            path = operand.split("=")
            given.append(operand if len(path) > 1 else
                         f"{operand}={operand}.{'mtx' if (self.folder / (operand + '.mtx')).exists() else 'tns'}")
        bound = [word for format in formats for word in ("--format", format)]
        outputs = output.split()
        written = [word for each in outputs for word in ("-o", f"{each}=out_{each}.tns")]
        self.spc("run", str(PROGRAMS / f"{name}.tex"), *bound, *given, *scalars, "-Wno-densify", *written)
        results = [read_tensor(self.folder / f"out_{each}.tns")[0] for each in outputs]
        return results if len(results) > 1 else results[0]

    def check(self, actual, expected, within=1e-9, missing=0.0):
        for at, value in expected.items():
            if math.isinf(value):
                self.assertEqual(actual.get(at, missing), value, msg=str(at))
            else:
                self.assertAlmostEqual(actual.get(at, missing), value, delta=within * max(1, abs(value)), msg=str(at))
        for at, value in actual.items():
            self.assertIn(at, expected, msg=f"{at} is {value}")

    def karate(self, name):
        return f"{name}={DATA / 'karate.mtx'}"

    def test_attention(self):
        q, k, v = self.dense("Q", self.n, 4), self.dense("K", self.n, 4), self.dense("V", self.n, 3)
        expected = {}
        for i, row in enumerate(self.neighbours):
            scores = [sum(a * b for a, b in zip(q[i], k[j])) for j in row]
            scores = [s if s > 0 else 0.2 * s for s in scores]
            weights = [math.exp(s - max(scores)) for s in scores]
            for f in range(3):
                expected[i, f] = sum(w * v[j][f] for w, j in zip(weights, row)) / sum(weights)
        self.check(self.run_program("attention", "O", self.karate("S"), "Q", "K", "V", formats=["S=csr"]), expected)

    def test_gcn(self):
        x, w = self.dense("X", self.n, 4), self.dense("W", 4, 3)
        degree = [len(row) + 1 for row in self.neighbours]
        y = [[sum(x[i][k] * w[k][f] for k in range(4)) for f in range(3)] for i in range(self.n)]
        expected = {}
        for i, f in itertools.product(range(self.n), range(3)):
            total = sum(y[j][f] / math.sqrt(degree[j]) for j in self.neighbours[i] + [i])
            expected[i, f] = max(0.0, total / math.sqrt(degree[i]))
        self.check(self.run_program("gcn", "O", self.karate("A"), "X", "W", formats=["A=csr"]), expected)

    def test_gin(self):
        x, u, w = self.dense("X", self.n, 4), self.dense("U", 4, 5), self.dense("W", 5, 3)
        expected = {}
        for i in range(self.n):
            s = [sum(x[j][k] for j in self.neighbours[i]) + 1.25 * x[i][k] for k in range(4)]
            hidden = [max(0.0, sum(s[k] * u[k][l] for k in range(4))) for l in range(5)]
            for f in range(3):
                expected[i, f] = sum(hidden[l] * w[l][f] for l in range(5))
        actual = self.run_program("gin", "O", self.karate("A"), "X", "U", "W", formats=["A=csr"], scalars=["eps=0.25"])
        self.check(actual, expected)

    def test_pagerank(self):
        r = self.dense("r", self.n)
        expected = {(i,): 0.85 * sum(r[j] / len(self.neighbours[j]) for j in self.neighbours[i]) + 0.15 / self.n
                    for i in range(self.n)}
        self.check(self.run_program("pagerank", "s", self.karate("A"), "r", formats=["A=csr"]), expected)

    def test_shortest_paths(self):
        d = self.dense("d", self.n)
        expected = {(i,): min([d[i]] + [1 + d[j] for j in self.neighbours[i]]) for i in range(self.n)}
        self.check(self.run_program("shortest-paths", "e", self.karate("W"), "d", formats=["W=csr"]), expected)

    def test_triangles(self):
        found = sum(1 for i, j, k in itertools.permutations(range(self.n), 3)
                    if (i, j) in self.graph and (j, k) in self.graph and (i, k) in self.graph)
        output = self.spc("run", str(PROGRAMS / "triangles.tex"), "--format", "A=csr", self.karate("A")).out
        self.assertIn(f"t = {found}\n", output)

    def mttkrp(self, order):
        cells, shape = read_tensor(DATA / f"order{order}.tns")
        names = "BCDE"[:order - 1]
        factors = [self.dense(name, extent, 2) for name, extent in zip(names, shape[1:])]
        expected = {at: 0.0 for at in itertools.product(range(shape[0]), range(2))}
        for at, value in cells.items():
            for r in range(2):
                expected[at[0], r] += value * math.prod(f[c][r] for f, c in zip(factors, at[1:]))
        tensor = f"T={DATA / f'order{order}.tns'}"
        self.check(self.run_program(f"mttkrp{order}", "Y", tensor, *names, formats=["T=csf"]), expected)

    def test_mttkrp(self):
        for order in (3, 4, 5):
            with self.subTest(order):
                self.mttkrp(order)

    def test_ttmc(self):
        cells, shape = read_tensor(DATA / "order3.tns")
        b, c = self.dense("B", shape[1], 2), self.dense("C", shape[2], 2)
        expected = {at: 0.0 for at in itertools.product(range(shape[0]), range(2), range(2))}
        for (i, j, k), value in cells.items():
            for r, s in itertools.product(range(2), range(2)):
                expected[i, r, s] += value * b[j][r] * c[k][s]
        tensor = f"T={DATA / 'order3.tns'}"
        self.check(self.run_program("ttmc", "Y", tensor, "B", "C", formats=["T=csf"]), expected)

    def test_tucker_core(self):
        cells, shape = read_tensor(DATA / "order3.tns")
        factors = [self.dense(name, extent, 2) for name, extent in zip("ABC", shape)]
        expected = {at: sum(value * math.prod(f[c][r] for f, c, r in zip(factors, where, at))
                            for where, value in cells.items()) for at in itertools.product(range(2), repeat=3)}
        tensor = f"T={DATA / 'order3.tns'}"
        self.check(self.run_program("tucker-core", "G", tensor, "A", "B", "C", formats=["T=csf"]), expected)

    def test_fusedmm(self):
        x, y = self.dense("X", self.n, 4), self.dense("Y", self.n, 4)
        expected = {at: 0.0 for at in itertools.product(range(self.n), range(4))}
        for i, j in self.graph:
            weight = 1 / (1 + math.exp(-sum(a * b for a, b in zip(x[i], y[j]))))
            for f in range(4):
                expected[i, f] += weight * y[j][f]
        self.check(self.run_program("fusedmm", "O", self.karate("S"), "X", "Y", formats=["S=csr"]), expected)

    def test_masked_spgemm(self):
        expected = {}
        for i, k in self.graph:
            for j in self.neighbours[k]:
                if (i, j) not in self.graph:
                    expected[i, j] = expected.get((i, j), 0.0) + 1.0
        actual = self.run_program("masked-spgemm", "C", self.karate("A"), formats=["A=csr", "C=csr"])
        self.check(actual, expected)

    def test_submatrix(self):
        """A part that is taken out in an order of its own, with what its product adds where A has nothing."""
        part, w = [33, 2, 0, 32, 13, 7], 0.5
        self.numbers("p", {(k,): vertex for k, vertex in enumerate(part)}, int)
        expected = dict(self.graph)
        for i, k, j in itertools.product(range(len(part)), repeat=3):
            if (part[i], part[k]) in self.graph and (part[k], part[j]) in self.graph:
                at = part[i], part[j]
                expected[at] = expected.get(at, 0.0) + w * self.graph[part[i], part[k]] * self.graph[part[k], part[j]]
        self.assertGreater(len(expected), len(self.graph))
        formats = ["A=csr", "S=csr", "T=csr"]
        self.check(self.run_program("submatrix", "A", self.karate("A"), "p", formats=formats, scalars=["w=0.5"]), expected)

    def test_word_vectors(self):
        """Words that stand several times around a place, and at several places, take each change."""
        places, width, words, rate = 6, 3, 7, 0.25
        draw = random.Random("words")
        around = {at: draw.randrange(words) for at in itertools.product(range(places), range(4))}
        named = {at: draw.randrange(words) for at in itertools.product(range(places), range(3))}
        label = {(b, n): 1.0 if n == 0 else 0.0 for b, n in named}
        around[0, 0] = around[0, 1]
        self.numbers("around", around, int)
        self.numbers("words", named, int)
        self.numbers("label", label)
        e, u = self.dense("E", words, width), self.dense("U", words, width)
        after_e, after_u = [list(row) for row in e], [list(row) for row in u]
        for b in range(places):
            h = [sum(e[around[b, c]][k] for c in range(4)) / 4 for k in range(width)]
            change = [0.0] * width
            for n in range(3):
                word = named[b, n]
                g = rate * (label[b, n] - 1 / (1 + math.exp(-sum(x * y for x, y in zip(h, u[word])))))
                for k in range(width):
                    change[k] += g * u[word][k]
                    after_u[word][k] += g * h[k]
            for c, k in itertools.product(range(4), range(width)):
                after_e[around[b, c]][k] += change[k]
        actual = self.run_program("word-vectors", "E U", "around", "words", "label", "E", "U", scalars=["rate=0.25"])
        for table, rows in zip(actual, (after_e, after_u)):
            self.check(table, {(v, k): rows[v][k] for v in range(words) for k in range(width)}, within=1e-5)

    def test_submanifold(self):
        sides, channels = (5, 4, 6), 2
        draw = random.Random("sites")
        places = list(itertools.product(*map(range, sides)))
        sites = {at: draw.randint(-12, 12) / 8 for at in sorted(draw.sample(places, 40))}
        kernel = {at: draw.randint(-12, 12) / 8 for at in itertools.product(range(3), range(3), range(3), range(channels))}
        self.numbers("X", sites)
        self.numbers("K", kernel)
        expected = {(*at, f): 0.0 for at in places for f in range(channels)}
        for at, (*offset, f) in itertools.product(sites, kernel):
            neighbour = tuple(a + o - 1 for a, o in zip(at, offset))
            expected[(*at, f)] += sites.get(neighbour, 0.0) * kernel[(*offset, f)]
        shape = ["--shape=X=" + "x".join(map(str, sides))]
        self.check(self.run_program("submanifold", "O", "X", "K", formats=["X=csf"], scalars=shape), expected, within=1e-5)

    def test_frontier(self):
        """Steps until nothing becomes shorter, on a directed graph whose edges have lengths."""
        draw, n = random.Random("edges"), 30
        edges = {(i, j): float(draw.randint(1, 9)) for i in range(n) for j in draw.sample(range(n), 2) if i != j and j != n - 1}
        lines = "".join(f"{i + 1} {j + 1} {length}\n" for (i, j), length in sorted(edges.items()))
        self.write("W.mtx", f"%%MatrixMarket matrix coordinate real general\n{n} {n} {len(edges)}\n{lines}")
        distances, front = {(i,): 0.0 if i == 0 else INFINITY for i in range(n)}, {(0,): 0.0}
        formats = ["W=csr", "f=sparse-vector", "c=sparse-vector", "g=sparse-vector"]
        steps = 0
        while front:
            expected = dict(distances)
            for (i,), (k, j) in itertools.product(front, edges):
                if i == k:
                    expected[j,] = min(expected[j,], front[i,] + edges[k, j])
            self.numbers("f", front)
            self.write("d.mtx", f"%%MatrixMarket matrix array real general\n{n} 1\n" + "".join(
                f"{value}\n" for value in distances.values()))
            level = "-O0" if steps else "-O3"
            shorter, after = self.run_program("frontier", "g d", "W", "f", "d", formats=formats,
                                              scalars=[f"--shape=f={n}", level])
            self.check(after, expected, missing=INFINITY)
            front = {at: value for at, value in shorter.items() if not math.isinf(value)}
            self.assertEqual(front, {at: value for at, value in expected.items() if value < distances[at]})
            distances, steps = expected, steps + 1
        self.assertGreater(steps, 4)
        self.assertEqual(distances[n - 1,], INFINITY)

    def test_every_program_has_a_test(self):
        tested = {name.removeprefix("test_").replace("_", "-") for name in dir(self) if name.startswith("test_")}
        names = {path.stem.rstrip("345") for path in PROGRAMS.glob("*.tex")}
        self.assertLessEqual(names, tested)


if __name__ == "__main__":
    unittest.main()
