"""spc partition: what parts have and exchange, beside sets of the entries' coordinates worked out here."""

import json
import random
import unittest
import xml.etree.ElementTree

from spc_case import SpcCase

try:
    import numpy
    import scipy.sparse
except ImportError:
    numpy = None


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

    @unittest.skipIf(numpy is None, "NumPy and SciPy are not installed: 'apt install python3-scipy'")
    def test_files_of_parts(self):
        places = self.matrix(23, 23, 90)
        owners = [self.random.randrange(3) for _ in range(23)]
        self.write("parts", "".join(f"{part}\n" for part in owners))
        values = numpy.arange(46.0).reshape(23, 2)
        numpy.save(self.folder / "b.npy", values)
        self.partition("--by=i", "--parts=3", "--with=parts", "B=b.npy", "-o", "data")
        for part in range(3):
            folder = self.folder / "data" / str(part)
            own = [row for row in range(23) if owners[row] == part]
            self.assertEqual((numpy.load(folder / "i.npy").tolist(), numpy.load(folder / "j.npy").tolist()), (own, own))
            self.assertEqual(numpy.load(folder / "B.npy").tolist(), values[own].tolist())
            kept = scipy.sparse.load_npz(folder / "A.npz").tocoo()
            self.assertEqual(kept.shape, (len(own), 23))
            self.assertEqual(sorted(zip(kept.row.tolist(), kept.col.tolist())),
                             sorted((own.index(i), j) for i, j in places if owners[i] == part))
        self.partition("--by=j", "--parts=2", "--size=k=2", "--as=h5", "-o", "columns")
        self.assertEqual(self.files()[:1], ["a.mtx"])
        self.assertIn("columns/1/A.h5", self.files())

    def test_expected_times(self):
        self.matrix(40, 40, 200)
        report = self.partition("--by=i", "--parts=4", "--size=k=3", "--rate=2M", "--network=3us,1G")
        got, sent, messages = ([0] * 4 for _ in range(3))
        for pair in report["pairs"]:
            got[pair["to"]] += pair["bytes"]
            sent[pair["from"]] += pair["bytes"]
            messages[pair["to"]] += 1
            messages[pair["from"]] += 1
        compute = [part["entries"] / 2e6 for part in report["parts"]]
        exchange = [3e-6 * count + max(one, other) / 1e9 for count, one, other in zip(messages, got, sent)]
        expected = {"alone": sum(compute), "compute": max(compute), "exchange": max(exchange), "reduce": 0,
                    "step": max(map(max, zip(compute, exchange)))}
        for key, seconds in report["expected_seconds"].items():
            self.assertAlmostEqual(seconds, expected[key], places=12, msg=key)
        self.write("dot.tex", "s = A(i, j) * x(i)\n")
        reduced = self.partition("--by=i", "--parts=5", "--rate=1G", "--network=1us,1G", name="dot.tex")["expected_seconds"]
        self.assertAlmostEqual(reduced["reduce"], 2 * 3 * 1e-6 + 2 * 8 * (4 / 5) / 1e9, places=12)

    def test_picture(self):
        self.matrix(40, 40, 200)
        report = self.partition("--by=i", "--parts=4", "--size=k=3", "--picture", "volumes.svg")
        picture = (self.folder / "volumes.svg").read_text()
        self.assertEqual(picture.count("<title>"), len(report["pairs"]))
        for pair in report["pairs"]:
            self.assertIn(f"<title>to {pair['to']} from {pair['from']}: {pair['rows']} rows, {pair['bytes']} bytes</title>", picture)
        xml.etree.ElementTree.fromstring(picture)
        self.assertIn("would overwrite", self.spc("partition", "spmm.tex", "--format", "A=csr", "A=a.mtx", "--size=k=2", "--by=i",
                                                  "--picture", "a.mtx", expect=2).err)

    def test_where_nothing_is_written(self):
        self.matrix(4, 4, 5)
        done = self.spc("partition", "spmm.tex", "--format", "A=csr", "A=a.mtx", "-q", "--by=i", "--size=k=2", "-o", "a.mtx", expect=1)
        self.assertEqual(done.err.count("error:"), 1)
        self.assertIn("is no folder", done.err)
        self.assertIn("only beside --rate", self.spc("partition", "spmm.tex", "--format", "A=csr", "A=a.mtx", "-q", "--by=i",
                                                     "--size=k=2", "--network=1us,1G", expect=2).err)

    def test_data_that_are_not_given(self):
        self.assertIn("'A' are its entries", self.spc("partition", "spmm.tex", "--format", "A=csr", "-q", "--by=i", "--size=i=4",
                                                      "--size=j=4", "--size=k=2", expect=1).err)
        self.matrix(4, 4, 5)
        done = self.spc("partition", "spmm.tex", "--format", "A=csr", "A=a.mtx", "-q", "--by=i", "--size=k=100000000000")
        self.assertIn("800000000000", done.out)  # a row that no machine holds
        self.assertEqual(done.err, "")
        self.matrix(5, 4, 0)
        report = self.partition("--by=i", "--size=k=2", "--parts=3", "--with=entries")
        self.assertEqual([part["rows"] for part in report["parts"]], [2, 1, 2])

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
