"""spc run --memory: blocks of files, beside what the same run gives without it."""

import gzip
import math
import random
import re
import struct
import unittest
import zipfile

from data_files_test import KINDS, npy, npz
from spc_case import SpcCase

ROWS, COLUMNS = 90, 40


def numbers_of(path):
    """The elements of a .npy file, or the numbers of a text without what stands in front of them."""
    contents = path.read_bytes()
    if contents.startswith(b"\x93NUMPY"):
        (length,) = struct.unpack_from("<H", contents, 8)
        kind = re.search(rb"'descr': '[<|]([a-z]\d)'", contents)[1].decode()
        body = contents[10 + length:]
        values = struct.unpack(f"<{len(body) // int(kind[1])}{KINDS[kind]}", body)
        return [re.search(rb"'shape': \(([^)]*)\)", contents)[1].decode(), *map(float, values)]
    if path.suffix == ".gz":
        contents = gzip.decompress(contents)
    lines = [line.split() for line in contents.decode().splitlines() if line[:1] not in "%#"]
    return sorted([float(word) for word in line] for line in lines)


def matrix_market(entries, shape, field="real", symmetry="general"):
    lines = "".join(f"{i + 1} {j + 1} {value!r}\n" for i, j, value in entries)
    return f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{shape[0]} {shape[1]} {len(entries)}\n{lines}"


def scipy_file(entries, shape, name, kind="f8", method=zipfile.ZIP_DEFLATED, index="i4"):
    """A matrix as scipy.sparse.save_npz writes it; entries of one row or column in their order."""
    members = {"shape": npy("i8", (2,), shape), "format": npy("S3", (), name.encode())}
    if name == "coo":
        members |= {"row": npy(index, (len(entries),), [i for i, _, _ in entries]),
                    "col": npy(index, (len(entries),), [j for _, j, _ in entries])}
        listed = entries
    else:
        major = "csr csc".split().index(name[:3])
        listed = sorted(entries, key=lambda entry: entry[major])
        counts = [sum(entry[major] == row for entry in entries) for row in range(shape[major])]
        pointers = [sum(counts[:row]) for row in range(shape[major] + 1)]
        members |= {"indptr": npy(index, (len(pointers),), pointers),
                    "indices": npy(index, (len(listed),), [entry[1 - major] for entry in listed])}
    members["data"] = npy(kind, (len(listed),), [value for _, _, value in listed])
    return npz(members, method)


class Memory(SpcCase):
    optimised = False

    def setUp(self):
        super().setUp()
        self.random = random.Random("memory")
        self.write("spmm.tex", "C(i, k) = A(i, j) * B(j, k)\n")
        self.dense = [self.random.uniform(-1, 1) for _ in range(COLUMNS * 4)]
        self.write("b.npy", npy("f8", (COLUMNS, 4), self.dense))

    def entries(self, count=700, rows=ROWS, columns=COLUMNS, value=lambda r: round(r.uniform(-1, 1), 6)):
        """In order, with empty rows."""
        places = [(i, j) for i in range(rows) for j in range(columns) if i % 11 != 3]
        return [(i, j, value(self.random)) for i, j in sorted(self.random.sample(places, count))]

    def compare(self, *words, memory, by="", kernel="spmm.tex", out="npy", result="C", blocks=2):
        """The same numbers with and without --memory, in at least so many blocks."""
        whole, parts = f"whole.{out}", f"parts.{out}"
        self.spc("run", kernel, *words, "-q", "-o", f"{result}={whole}")
        done = self.spc("run", kernel, *words, "-q", "-v", "-o", f"{result}={parts}", f"--memory={memory}",
                        *([f"--by={by}"] if by else []))
        self.assertGreaterEqual(done.err.count("block of"), blocks, done.err)
        self.same(self.folder / whole, self.folder / parts)
        return done

    def least(self, *words, by="", kernel="spmm.tex"):
        """The memory that spc says is needed at least, which then is enough."""
        for memory in ("1", "2K", "20K"):  # more where there are files that are read whole
            done = self.spc("run", kernel, *words, "-q", f"--memory={memory}", *([f"--by={by}"] if by else []), expect=1)
            self.assertIn("[too-little-memory]", done.err)
            if found := re.search(r"--memory=(\d+K?) is the least", done.err):
                return found[1]
        return self.fail(done.err)

    def same(self, first, second):
        first, second = numbers_of(first), numbers_of(second)
        self.assertEqual(len(first), len(second))
        for one, other in zip(first, second):
            for a, b in zip(one, other) if isinstance(one, list) else [(one, other)]:
                if isinstance(a, str):
                    self.assertEqual(a, b)
                else:
                    self.assertTrue(a == b or math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6), (a, b))

    def test_kinds_of_files(self):
        entries = self.entries()
        mixed = list(entries)
        self.random.shuffle(mixed)
        twice = mixed + [(i, j, 0.5) for i, j, _ in mixed[:40]]
        text = "".join(f"{i + 1} {j + 1} {value!r}\n" for i, j, value in mixed)
        shape = (ROWS, COLUMNS)
        files = {"a.mtx": matrix_market(mixed, shape), "a.mtx.gz": gzip.compress(matrix_market(mixed, shape).encode()),
                 "twice.mtx": matrix_market(twice, shape), "a.tns": text,
                 "csr.npz": scipy_file(entries, shape, "csr"), "long.npz": scipy_file(entries, shape, "csr", index="i8"),
                 "stored.npz": scipy_file(entries, shape, "csr", method=zipfile.ZIP_STORED),
                 "mixed.npz": scipy_file(mixed, shape, "csr"), "twice.npz": scipy_file(twice, shape, "csr"),
                 "csc.npz": scipy_file(entries, shape, "csc"), "coo.npz": scipy_file(twice, shape, "coo"),
                 "float.npz": scipy_file(entries, shape, "csr", kind="f4")}
        for name, contents in files.items():
            self.write(name, contents)
            for by in "ij":
                with self.subTest(file=name, by=by):
                    shape = [f"--shape=A={ROWS}x{COLUMNS}"] if name == "a.tns" else []
                    words = ["--format", "A=csr", f"A={name}", "B=b.npy", *shape]
                    done = self.compare(*words, by=by, memory=self.least(*words, by=by))
                    sorts = not name.startswith({"i": ("csr", "long", "stored", "mixed.n", "twice.n", "float"), "j": "csc"}[by])
                    self.assertEqual("into a temporary file" in done.err, sorts)

    def check(self, *words, blocks=3, **options):
        """Compares in the smallest blocks."""
        known = {key: options[key] for key in ("by", "kernel") if key in options}
        output = f"{options.get('result', 'C')}=parts.{options.get('out', 'npy')}"
        return self.compare(*words, memory=self.least(*words, "-o", output, **known), blocks=blocks, **options)

    def test_files_of_binsparse(self):
        self.write("a.tns", "".join(f"{i + 1} {j + 1} {v}\n" for i, j, v in self.entries()))
        shape = f"--shape=A={ROWS}x{COLUMNS}"
        for form, by, kind in (("csr", "i", "f64"), ("csc", "j", "f64"), ("dense", "i", "f64"), ("csr", "i", "cf64")):
            with self.subTest(format=form, kind=kind):
                self.write("copy.tex", f"tensor A(n, m): {kind}\ntensor D(n, m): {kind}\nD(i, j) = A(i, j)\n")
                done = self.spc("run", "copy.tex", *(f"--format={name}={form}" for name in "AD"), "A=a.tns", shape, "-o", "D=a.h5",
                                "-q", expect=None)
                if "which cannot be loaded" in done.err:
                    self.skipTest("libhdf5 is not installed: 'apt install libhdf5-103-1'")
                kernel = "y.tex"
                self.write(kernel, f"tensor A(n, m): {kind}\ntensor x(m): {kind}\ntensor y(n): {kind}\ny(i) = A(i, j) * x(j)\n")
                done = self.check("--format", f"A={form}", "A=a.h5", f"x=ones:{COLUMNS}", kernel=kernel, by=by, result="y", out="mtx")
                self.assertNotIn("temporary", done.err)
                self.check("--format", "A=coo", "A=a.h5", f"x=ones:{COLUMNS}", kernel=kernel, by=by, result="y", out="mtx")
        contents = (self.folder / "a.h5").read_bytes()
        for name, damaged in (("cut.h5", contents[:len(contents) // 2]), ("zeros.h5", contents[:99] + bytes(4000) + contents[4099:])):
            self.write(name, damaged)
            done = self.spc("run", "y.tex", "--format=A=csr", f"A={name}", "x=ones:40", "--by=i", "--memory=60K", "-o", "y.mtx", expect=1)
            self.assertIn(f"{name}: error", done.err)

    def test_storages_of_a_block(self):
        self.write("a.npz", scipy_file(self.entries(), (ROWS, COLUMNS), "csr"))
        for form in ("coo", "csc", "dcsr", "csr64", "bsr", "dense", "csr-unsorted", "coo-dup"):
            with self.subTest(format=form):
                self.check("--format", f"A={form}", "A=a.npz", "B=b.npy", by="i")

    def test_arrays_are_cut_along_any_dimension(self):
        shape, strides = (6, 5, 7), {False: (35, 7, 1), True: (1, 6, 30)}
        self.write("t.tex", "y(i, k) = T(i, j, k) * 2 + T(i, j, k)\n")
        self.write("dense.tex", "tensor T(n, m, l): f32\nU(i, j, k) = T(i, j, k) * 2\n")
        values = [self.random.randrange(-9, 9) for _ in range(6 * 5 * 7)]
        for fortran in (False, True):
            for kind, order in (("f4", "<"), ("i4", ">")):
                placed = [0] * len(values)
                for at, (i, j, k) in enumerate((i, j, k) for i in range(6) for j in range(5) for k in range(7)):
                    placed[sum(a * b for a, b in zip((i, j, k), strides[fortran]))] = values[at]
                self.write("t.npy", npy(kind, shape, placed, order=order, fortran=fortran))
                for by in "ijk":
                    with self.subTest(fortran=fortran, kind=kind, by=by):
                        self.check("T=t.npy", kernel="t.tex", by=by, result="y")
                        self.check("T=t.npy", kernel="dense.tex", by=by, result="U")
        self.write("t.npz", npz({"arr_0": npy("f4", shape, values)}, zipfile.ZIP_STORED))
        self.check("T=t.npz", kernel="dense.tex", by="j", result="U")

    def test_results_that_are_reduced(self):
        self.write("x.npy", npy("f8", (60,), [self.random.uniform(0.9, 1.1) for _ in range(60)]))
        self.write("n.npy", npy("i4", (60,), [self.random.randrange(-9, 9) for _ in range(60)]))
        self.write("t.npy", npy("b1", (60,), [0] * 40 + [1] + [0] * 19))
        self.write("a.npz", scipy_file(self.entries(300, 60, 12), (60, 12), "csr"))
        kernels = {"s = x(i) * x(i)": "x=x.npy", "s = prod(i, x(i))": "x=x.npy", "s = max(i, x(i))": "x=x.npy",
                   "tensor x(n): i32\ntensor s: i32\ns = min(i, x(i))": "x=n.npy",
                   "tensor x(n): i32\ntensor s: i64\ns = sum(i, x(i))": "x=n.npy",
                   "tensor x(n): bool\ntensor s: bool\ns = any(i, x(i))": "x=t.npy",
                   "tensor x(n): bool\ntensor s: bool\ns = all(i, x(i))": "x=t.npy",
                   "tensor x(n): f32\ntensor s: f32\ns = sum(i, x(i))": "x=x.npy"}
        for kernel, given in kernels.items():
            with self.subTest(kernel):
                self.write("k.tex", kernel + "\n")
                self.check(given, kernel="k.tex", out="tns", result="s")
        for reduction in ("sum", "max", "min", "prod"):
            with self.subTest(reduction):
                self.write("k.tex", f"y(j) = {reduction}(i, A(i, j))\n")
                self.check("--format", "A=csr", "A=a.npz", kernel="k.tex", by="i", result="y", out="tns")

    def test_results_that_are_sparse_or_several(self):
        self.write("a.npz", scipy_file(self.entries(1500, 60, 30), (60, 30), "csr"))
        self.write("b.mtx", matrix_market([(j, j % 3, 1.0 + j) for j in range(0, 30, 2)], (30, 3)))
        self.write("spgemm.tex", "C(i, k) = A(i, j) * B(j, k)\n")
        formats = ["--format", "A=csr", "--format", "B=csr", "--format", "C=csr"]
        for out in ("tns", "mtx", "mtx.gz"):
            self.compare(*formats, "A=a.npz", "B=b.mtx", kernel="spgemm.tex", by="i", out=out, memory="20K")
        done = self.spc("run", "spgemm.tex", *formats, "A=a.npz", "B=b.mtx", "-q", "--by=i", "--memory=5K", "-o", "C.mtx", expect=1)
        self.assertIn("the entries of 'C', which are held until the end", done.err)
        self.write("sddmm.tex", "D(i, j) = A(i, j) * U(i, k) * V(j, k)\n")
        for name, rows in (("u", 60), ("v", 30)):
            self.write(f"{name}.npy", npy("f8", (rows, 200), [self.random.uniform(-1, 1) for _ in range(rows * 200)]))
        self.compare("--format", "A=csr", "--format", "D=csr", "A=a.npz", "U=u.npy", "V=v.npy", kernel="sddmm.tex", by="i", out="mtx",
                     result="D", memory="150K")
        self.write("two.tex", "y(i) = A(i, j) * x(j)\nz(j) = A(i, j) * w(i)\ns = A(i, j)\n")
        for result in "yzs":
            self.check("--format", "A=csr", "A=a.npz", "x=ones", "w=random", kernel="two.tex", by="i", out="tns", result=result)
        words = ["run", "two.tex", "--format", "A=csr", "A=a.npz", "x=ones", "w=ones", "-q", "--precision=3"]
        self.assertEqual(self.spc(*words, "--memory=30K").out, self.spc(*words).out)

    def test_vectors_diagonals_and_sizes_without_entries(self):
        self.write("spmv.tex", "y(i) = A(i, j) * x(j)\n")
        self.write("x.mtx", matrix_market([(j, 0, 0.5 + j) for j in range(30)], (30, 1)))
        self.write("a.mtx", matrix_market(self.entries(300, 60, 30), (60, 30)))
        self.check("--format", "A=csr", "A=a.mtx", "x=x.mtx", kernel="spmv.tex", by="j", result="y")
        self.write("square.mtx", matrix_market([(i, max(j, i) - min(i, j), 1.5) for i in range(20) for j in range(20)][:0]
                                               + [(i, j, 1.0 + i + j) for i in range(20) for j in range(i + 1)], (20, 20),
                                               symmetry="symmetric"))
        self.write("diagonal.tex", "d(i) = A(i, i) * x(i)\n")
        self.check("--format", "A=csr", "A=square.mtx", "x=random:20", kernel="diagonal.tex", result="d")
        for rows, columns in ((0, 5), (5, 0), (7, 5)):
            for name, contents in (("e.mtx", matrix_market([], (rows, columns))),
                                   ("e.npz", scipy_file([], (rows, columns), "csr"))):
                with self.subTest(rows=rows, name=name):
                    self.write(name, contents)
                    self.compare("--format", "A=csr", f"A={name}", f"x=ones:{columns}", kernel="spmv.tex", memory="20K",
                                 result="y", blocks=1)

    def test_damaged_files_leave_nothing(self):
        entries = self.entries(300, 60, 30)
        self.write("spmv.tex", "y(i) = A(i, j) * x(j)\n")
        good = scipy_file(entries, (60, 30), "csr", method=zipfile.ZIP_STORED)
        packed = scipy_file(entries, (60, 30), "csr")
        outside = scipy_file([*entries[:-1], (entries[-1][0], 30, 1.0)], (60, 30), "csr")
        behind = scipy_file([*entries[:-1], (entries[-1][0], -1, 1.0)], (60, 30), "csr")
        values = good.index(struct.pack("<d", entries[150][2]))
        cases = {"cut short": good[:len(good) // 2], "another value": good[:values] + b"\1" + good[values + 1:],
                 "inflated": packed[:len(packed) // 2] + b"abcd" + packed[len(packed) // 2 + 4:], "outside": outside,
                 "negative": behind, "pointers": good.replace(struct.pack("<3i", 0, *self.pointers(entries)[1:3]),
                                                              struct.pack("<3i", 0, 999, 1)),
                 "no member": npz({"format": npy("S3", (), b"csr"), "shape": npy("i8", (2,), (60, 30))})}
        for name, contents in cases.items():
            with self.subTest(name):
                self.write("a.npz", contents)
                before = self.files()
                done = self.spc("run", "spmv.tex", "--format", "A=csr", "A=a.npz", "x=ones:30", "-q", "-o", "y.npy",
                                "--memory=4K", "--by=i", expect=1)
                self.assertIn("a.npz: error", done.err)
                self.assertEqual(self.files(), before)
        for name, contents in (("a.npy", npy("f8", (40, 4), self.dense)[:-9]), ("a.mtx", "%%MatrixMarket matrix coordinate real "
                               "general\n60 30 2\n1 1 1\n2 x 1\n"), ("b.mtx", matrix_market(entries, (60, 30)) + "9 9\n")):
            with self.subTest(name):
                self.write(name, contents)
                done = self.spc("run", "spmv.tex", f"A={name}", "x=ones", "-q", "-o", "y.npy", "--memory=99K", "--by=i", expect=1)
                self.assertIn(f"{name}: error", done.err)

    def pointers(self, entries):
        return [sum(i < row for i, _, _ in entries) for row in range(61)]

    def test_values_that_do_not_fit(self):
        self.write("a.npz", scipy_file([(i, 0, 100 * i) for i in range(9)], (9, 2), "csr"))
        self.write("k.tex", "tensor A(n, m): i8\ntensor y(n): i8\ny(i) = A(i, j)\n")
        done = self.spc("run", "k.tex", "--format", "A=csr", "A=a.npz", "-q", "--memory=1K", "--by=i", "-o", "y.npy", expect=1)
        self.assertIn("'A' cannot be stored: value 200 does not fit the type i8", done.err)
        self.assertFalse((self.folder / "y.npy").exists())

    def refused(self, *words, kernel, says, expect=1):
        self.write("k.tex", kernel + "\n")
        done = self.spc("run", "k.tex", *words, "-q", expect=expect)
        self.assertIn(says, done.err)

    def test_what_is_refused(self):
        self.write("a.npz", scipy_file(self.entries(300, 60, 30), (60, 30), "csr"))
        given = ["--format", "A=csr", "A=a.npz", "--memory=1M"]
        self.refused(*given, "x=ones", kernel="y(i) = i * relu(sum(j, A(i, j) * x(j)))", says="not by i:")
        self.refused(*given, "x=ones", "--by=j", kernel="y(i) = relu(sum(j, A(i, j) * x(j)))", says="'j' is not divided into blocks")
        self.refused(*given, "y=ones", kernel="y(i) += A(i, j)", says="'y' is read as well as written")
        self.refused(*given, "--by=q", kernel="y(i) = A(i, j)", says="no index variable 'q'")
        self.refused(*given[:3], "x=ones", "--memory=9Q", kernel="y(i) = A(i, j) * x(j)", says="is no number of bytes", expect=2)
        self.refused(*given, "--check", kernel="y(i) = A(i, j)", says="--check", expect=2)
        self.refused("A=a.npz", "--by=i", kernel="y(i) = A(i, j)", says="--memory", expect=2)
        self.refused(*given[:2], "A=a.npz", "x=ones:30", "--memory=1K", "--by=i", kernel="y(i) = A(i, j) * x(j)",
                     says="is the least")
        self.write("x.npy", npy("f8", (2000,), [1.0] * 2000))
        self.refused(*given[:2], "A=random:60x2000", "x=x.npy", "--memory=1K", "--by=i", kernel="y(i) = A(i, j) * x(j)",
                     says="'x' takes 1.6e+04")


if __name__ == "__main__":
    unittest.main()
