"""spc partition: what parts have and exchange, beside sets of the entries' coordinates worked out here."""

import json
import random
import unittest

from spc_case import SpcCase


def equal_rows(size, parts):
    """The part in which the middle of each row is."""
    return [(2 * row + 1) * parts // (2 * size) for row in range(size)]


class Partition(SpcCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random("partition")
        self.write("spmm.tex", "C(i, k) = A(i, j) * B(j, k)\n")

    def matrix(self, rows, columns, count):
        places = self.random.sample([(i, j) for i in range(rows) for j in range(columns)], count)
        lines = "".join(f"{i + 1} {j + 1} 1\n" for i, j in places)
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} {count}\n{lines}")
        return places

    def partition(self, *options, name="spmm.tex"):
        done = self.spc("partition", name, "--format", "A=csr", "A=a.mtx", "-q", "--json", *options)
        return json.loads(done.out)

    def check(self, report, places, owners, others, parts, row_bytes):
        """places: of entries, along the divided index and across it."""
        needed = {(owners[along], across) for along, across in places if others[across] != owners[along]}
        pairs = {}
        for part, across in needed:
            pairs[part, others[across]] = pairs.get((part, others[across]), 0) + 1
        self.assertEqual({(pair["to"], pair["from"]): pair["rows"] for pair in report["pairs"]}, pairs)
        self.assertTrue(all(pair["bytes"] == row_bytes * pair["rows"] for pair in report["pairs"]))
        for part, said in enumerate(report["parts"]):
            self.assertEqual(said["rows"], owners.count(part))
            self.assertEqual(said["entries"], sum(owners[along] == part for along, _ in places))
            self.assertEqual(said["halo_rows"], sum(one == part for one, _ in needed))
        self.assertEqual(len(report["parts"]), parts)

    def test_halos_are_the_least(self):
        for rows, columns, count, parts in ((40, 40, 200, 3), (40, 40, 200, 7), (30, 17, 90, 4), (5, 9, 20, 8), (12, 12, 0, 2)):
            places = self.matrix(rows, columns, count)
            crossed = [(j, i) for i, j in places]
            for by, entries, sizes in (("i", places, (rows, columns)), ("j", crossed, (columns, rows))):
                with self.subTest(by=by, rows=rows, parts=parts):
                    owners, others = (equal_rows(size, parts) for size in sizes)
                    report = self.partition("--by", by, "--parts", str(parts), "--size", "k=3")
                    self.check(report, entries, owners, owners if rows == columns else others, parts, 24)
                    shares = report["exchanged"][0]["shares_of" if by == "j" else "rows_of"]
                    self.assertEqual(shares, ["C" if by == "j" else "B"])

    def test_parts_by_a_file_and_by_entries(self):
        places = self.matrix(50, 50, 300)
        owners = [self.random.randrange(4) for _ in range(50)]
        self.write("parts", "".join(f"{part}\n" for part in owners))
        self.check(self.partition("--by=i", "--parts=4", "--with=parts", "--size=k=2"), places, owners, owners, 4, 16)
        heavy = [(i, j) for i, j in places if i % 7 == 0] + [(0, j) for j in range(50)]
        lines = "".join(f"{i + 1} {j + 1} 1\n" for i, j in sorted(set(heavy)))
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n50 50 {len(set(heavy))}\n{lines}")
        by_rows, by_entries = (self.partition("--by=i", "--parts=3", f"--with={with_}", "--size=k=2")["largest_to_mean"]
                               for with_ in ("rows", "entries"))
        self.assertGreater(by_rows["entries"], by_entries["entries"])
        self.assertEqual(sum(part["rows"] for part in self.partition("--by=i", "--with=entries", "--size=k=2")["parts"]), 50)

    def test_reductions_and_sparse_rows(self):
        self.matrix(20, 20, 60)
        self.write("dot.tex", "s = A(i, j) * x(i)\n")
        reduced = self.partition("--by=i", name="dot.tex")
        self.assertEqual((reduced["reduced"], reduced["pairs"]), ([{"argument": "s", "part": "sum", "bytes": 8}], []))
        self.write("spgemm.tex", "C(i, k) = A(i, j) * B(j, k)\n")
        formats = ["--format", "B=csr", "--format", "C=csr"]
        report = self.partition("--by=i", *formats, "B=a.mtx", name="spgemm.tex")
        self.assertEqual(report["not_counted"], [])
        self.assertTrue(all(pair["bytes"] % 12 == 0 for pair in report["pairs"]))
        self.assertEqual(self.partition("--by=i", "--size=k=4", *formats, name="spgemm.tex")["not_counted"], ["B"])

    def test_text(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 1\n2 3 1\n3 1 1\n4 4 1\n")
        self.assertEqual(self.spc("partition", "spmm.tex", "--format", "A=csr", "A=a.mtx", "-q", "--by=i", "--size=k=2").out, """\
divided by i, 2 parts
           part          rows       entries     halo rows    halo bytes
              0             2             2             1            16
              1             2             2             1            16
            all             4             4             2            32
   largest/mean         1.000         1.000

exchanged along j: rows of B
           part     from part          rows         bytes
              0             1             1            16
              1             0             1            16
""")


if __name__ == "__main__":
    unittest.main()
