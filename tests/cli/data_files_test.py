"""The kinds of data files that `spc run` reads and writes: what goes in comes out, to the last bit."""

import gzip
import io
import struct
import unittest
import unittest.mock
import zipfile

from spc_case import SpcCase

try:
    import numpy as np
    import scipy.sparse as sp
except ImportError:
    np = sp = None

KINDS = {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "u8": "Q", "i1": "b", "u1": "B", "b1": "?"}


def npy(kind, shape, values, order="<", fortran=False, version=1):
    """The bytes of a .npy file, as the format's description has them."""
    header = f"{{'descr': '{order}{kind}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    body = values if isinstance(values, bytes) else struct.pack(
        (">" if order == ">" else "<") + str(len(values)) + KINDS[kind], *values)
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + body


def npz(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, contents in members.items():
            archive.writestr(name + ".npy", contents)
    return file.getvalue()


def zip64(members, numbers=10, count=1):
    """An archive in which sizes and places above `numbers` and counts above `count` are in the extensions of Zip64."""
    with unittest.mock.patch.multiple(zipfile, ZIP64_LIMIT=numbers, ZIP_FILECOUNT_LIMIT=count):
        archive = npz(members)
    # The end, which holds these small numbers, too, as that of a large archive.
    return changed(archive, len(archive) - 14, "<HHII", 0xffff, 0xffff, 0xffffffff, 0xffffffff)


def directory(archive, name):
    """Where the directory's entry of a member begins, and its extension for Zip64."""
    at = archive.index(name, archive.index(b"PK\x01\x02")) - 46
    return at, at + 46 + struct.unpack_from("<H", archive, at + 28)[0]


def changed(archive, at, form, *values):
    file = bytearray(archive)
    struct.pack_into(form, file, at, *values)
    return bytes(file)


def ints(values, kind="i4"):
    return npy(kind, (len(values),), values)


def csr(**changes):
    """A 2 x 3 matrix, [[0, 1.5, 0], [2, 0, 3]], in CSR."""
    members = {"format": npy("S3", (), b"csr"), "shape": ints([2, 3], "i8"), "data": npy("f8", (3,), [1.5, 2, 3]),
               "indices": ints([1, 0, 2]), "indptr": ints([0, 1, 3])}
    members.update(changes)
    return {name: contents for name, contents in members.items() if contents is not None}


class DataFiles(SpcCase):
    optimised = False

    def copy(self, source, target, kind="f64", order=2, form="csr"):
        """Runs a kernel that copies a tensor from one file to another."""
        indices = ", ".join("ijk"[:order])
        sizes = ", ".join("mnp"[:order])
        self.write("copy.tex", f"tensor A({sizes}): {kind}\ntensor B({sizes}): {kind}\nB({indices}) = A({indices})\n")
        return self.spc("run", "copy.tex", "--format", f"A={form}", "--format", f"B={form}", f"A={source}", "-o",
                        f"B={target}")

    def test_integers_of_64_bits_stay_what_they_are(self):
        cases = {"i64": [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 3, 1000000, -1],
                 "u64": [2**64 - 1, 2**64 - 2, 2**63, 2**53 + 1, 0, 7]}
        for kind, values in cases.items():
            for form in ("csr", "dense", "ell", "coo", "csf:1,0"):
                with self.subTest(kind=kind, form=form):
                    self.write("a.tns", "".join(f"1 {at + 1} {value}\n" for at, value in enumerate(values)))
                    self.copy("a.tns", "b.mtx", kind, form=form)
                    self.assertIn("integer general", (self.folder / "b.mtx").read_text())
                    self.copy("b.mtx", "c.tns", kind, form=form)
                    lines = [line.split() for line in (self.folder / "c.tns").read_text().splitlines()]
                    found = {int(line[1]): int(line[2]) for line in lines}
                    self.assertEqual({at: value for at, value in found.items() if value},
                                     {at + 1: value for at, value in enumerate(values) if value})

    def test_integers_are_computed_and_printed_exactly(self):
        self.write("k.tex", "tensor a: i64\ntensor x(n): i64\ntensor y: i64\ny = a * x(i)\n")
        self.write("x.tns", "1 9007199254740993\n1 2\n2 -1\n")
        done = self.spc("run", "k.tex", "x=x.tns", "a=3")
        self.assertEqual(done.out, f"y = {3 * (2**53 + 1 + 2 - 1)}\n")
        done = self.spc("run", "k.tex", "x=ones:1", "a=-9223372036854775807")
        self.assertEqual(done.out, "y = -9223372036854775807\n")

    def entries(self, path):
        """What a .tns file holds, zeros left out: a text by coordinates."""
        lines = [line.split() for line in (self.folder / path).read_text().splitlines()]
        return {tuple(map(int, line[:-1])): line[-1] for line in lines if float(line[-1]) != 0}

    def test_arrays_of_numpy(self):
        expected = {(1, 2): "1.5", (2, 1): "2", (2, 3): "3"}
        rows, columns = [0, 1.5, 0, 2, 0, 3], [0, 2, 1.5, 0, 0, 3]
        files = {"a.npy": npy("f8", (2, 3), rows), "fortran.npy": npy("f8", (2, 3), columns, fortran=True),
                 "big.npy": npy("f8", (2, 3), rows, order=">"), "v2.npy": npy("f4", (2, 3), rows, version=2),
                 "a.npy.gz": gzip.compress(npy("f8", (2, 3), rows)), "a.npz": npz({"x": npy("f8", (2, 3), rows)}),
                 "stored.npz": npz({"arr_0": npy("f8", (2, 3), rows)}, zipfile.ZIP_STORED)}
        for name, contents in files.items():
            with self.subTest(name):
                self.write(name, contents)
                self.copy(name, "b.tns")
                self.assertEqual(self.entries("b.tns"), expected)

    def test_sparse_matrices_of_scipy(self):
        expected = {(1, 2): "1.5", (2, 1): "2", (2, 3): "3"}
        blocks = [0, 1.5, 0, 2, 0, 3]
        forms = {"csr": csr(), "short": csr(format=npy("U3", (), "csr".encode("utf-32-le"))),
                 "csc": csr(format=npy("S3", (), b"csc"), data=npy("f8", (3,), [2, 1.5, 3]), indices=ints([1, 0, 1]),
                            indptr=ints([0, 1, 2, 3])),
                 "coo": csr(format=npy("S3", (), b"coo"), row=ints([0, 1, 1]), col=ints([1, 0, 2])),
                 "bsr": csr(format=npy("S3", (), b"bsr"), data=npy("f8", (2, 1, 3), blocks), indices=ints([0, 0]),
                            indptr=ints([0, 1, 2])),
                 "dia": csr(format=npy("S3", (), b"dia"), offsets=ints([1, -1]),
                            data=npy("f8", (2, 3), [9, 1.5, 3, 2, 0, 9]))}
        for name, members in forms.items():
            with self.subTest(name):
                self.write("a.npz", npz(members))
                self.copy("a.npz", "b.tns")
                self.assertEqual(self.entries("b.tns"), expected)

    def test_archives_with_numbers_of_8_bytes(self):
        for name, archive in (("all", zip64(csr())), ("counts", zip64(csr(), numbers=2**31)),
                              ("some places", zip64(csr(), numbers=300))):
            with self.subTest(name):
                self.assertIn(b"PK\x06\x06", archive)
                self.write("a.npz", archive)
                self.copy("a.npz", "b.tns")
                self.assertEqual(self.entries("b.tns"), {(1, 2): "1.5", (2, 1): "2", (2, 3): "3"})

    def test_damaged_numbers_of_8_bytes_are_refused(self):
        archive = zip64(csr())
        entry, extension = directory(archive, b"data.npy")
        ending, locator = archive.index(b"PK\x06\x06"), archive.index(b"PK\x06\x07")
        cases = {
            "another extension": (changed(archive, extension, "<H", 9), "does not say where"),
            "too short": (changed(archive, extension + 2, "<H", 12), "does not say where"),
            "no extension": (changed(archive, entry + 30, "<H", 0), "does not say where"),
            "an extension beyond the list": (changed(archive, extension, "<HH", 9, 0xffff), "does not say where"),
            "more bytes than are allowed": (changed(archive, extension + 4, "<Q", 2**64 - 1), "[input-limit]"),
            "more bytes than there can be": (changed(archive, extension + 4, "<Q", 10**7), "does not decompress"),
            "packed beyond the end": (changed(archive, extension + 12, "<Q", 2**64 - 1), "not where"),
            "placed beyond the end": (changed(archive, extension + 20, "<Q", 2**64 - 8), "not where"),
            "a list beyond the end": (changed(archive, ending + 48, "<Q", 2**64 - 2), "its directory ends early"),
            "members without end": (changed(archive, ending + 32, "<Q", 2**64 - 1), "its directory ends early"),
            "an end beyond the end": (changed(archive, locator + 8, "<Q", 2**64 - 3), "its end is missing"),
            "an end elsewhere": (changed(archive, locator + 8, "<Q", 0), "its end is missing"),
        }
        self.write("k.tex", "y(i) = A(i, j) * x(j)\n")
        for name, (contents, message) in cases.items():
            with self.subTest(name):
                self.write("a.npz", contents)
                done = self.spc("run", "k.tex", "--format", "A=csr", "A=a.npz", "x=ones", expect=1)
                self.assertIn("a.npz: error", done.err)
                self.assertIn(message, done.err)

    def test_what_is_written_is_read(self):
        values = {"f64": ["0.1", "-1e-300", "123456789.123456789", "5e-324"], "f32": ["0.1", "3.4e38"],
                  "i64": [str(2**53 + 1), str(-(2**63))], "u64": [str(2**64 - 1), "1"], "i8": ["-128", "127"],
                  "f16": ["0.5", "65504"], "bf16": ["0.5", "-3"], "bool": ["1", "1"], "u32": ["4294967295", "1"]}
        for kind, texts in values.items():
            for form, endings in (("csr", ("mtx", "npz", "tns.gz", "mtx.zst")), ("dense", ("npy", "npz", "npy.zst")),
                                  ("csc", ("npz.gz", "mtx.gz"))):
                endings = endings if kind == "f64" else endings[-1:] if form == "csc" else endings[:2]
                if form == "csc" and kind not in ("f64", "bf16"):
                    continue
                self.write("a.tns", "".join(f"{at + 1} {2 * at + 1} {text}\n" for at, text in enumerate(texts)))
                self.copy("a.tns", "expected.tns", kind, form=form)
                for ending in endings:
                    with self.subTest(kind=kind, form=form, ending=ending):
                        self.copy("a.tns", f"b.{ending}", kind, form=form)
                        self.copy(f"b.{ending}", "c.tns", kind, form=form)
                        self.assertEqual(self.entries("c.tns"), self.entries("expected.tns"))

    def test_standard_output(self):
        self.write("a.tns", "1 2 3.25\n")
        out = self.copy("a.tns", "-").out
        self.assertEqual(out, "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 3.25\n")

    def test_precision(self):
        self.write("a.tns", "1 1 0.1\n1 2 123456.789\n")
        self.copy("a.tns", "b.tns")
        for digits, values in ((None, ["0.1", "123456.789"]), (3, ["0.1", "1.23e+05"]),
                               (17, ["0.10000000000000001", "123456.789"])):
            self.spc("run", "copy.tex", "--format", "A=csr", "--format", "B=csr", "A=a.tns", "-o", "B=b.tns",
                     *([f"--precision={digits}"] if digits else []))
            found = [line.split()[-1] for line in (self.folder / "b.tns").read_text().splitlines()]
            self.assertEqual(found, values)
        self.write("k.tex", "y = x(i)\n")
        self.write("x.tns", "1 0.1\n")
        self.assertEqual(self.spc("run", "k.tex", "x=x.tns", "--precision=17").out, "y = 0.10000000000000001\n")
        self.assertEqual(self.spc("run", "k.tex", "x=x.tns").out, "y = 0.1\n")
        for wrong in ("0", "18", "x"):
            self.spc("run", "k.tex", "x=x.tns", f"--precision={wrong}", expect=2)

    def test_kinds_that_cannot_hold_an_output(self):
        for target, form, kind, kinds in (("b.npy", "csr", "f64", ".mtx, .tns, .npz, .h5"),
                                          ("b.tns", "csr", "cf64", ".mtx, .npz, .h5"),
                                          ("b.mat", "csr", "f64", ".mtx, .tns, .npz, .h5")):
            with self.subTest(target):
                self.write("copy.tex", f"tensor A(m, n): {kind}\ntensor B(m, n): {kind}\nB(i, j) = A(i, j)\n")
                done = self.spc("run", "copy.tex", "--format", f"A={form}", "--format", f"B={form}", "A=ones:2x2", "-o",
                                f"B={target}", expect=2 if target == "b.mat" else 1)
                self.assertIn(f"kinds of files that hold it: {kinds}, with .gz", done.err)
                self.assertFalse((self.folder / target).exists())

    def test_damaged_files_are_refused(self):
        good, archive = npy("f8", (2, 3), [0, 1.5, 0, 2, 0, 3]), npz(csr())
        long = npz({"x": npy("f8", (10**7,), bytes(8 * 10**7))})
        cases = {
            "truncated": (good[:-1], "announces 48 bytes"), "too long": (good + b"x", "announces 48 bytes"),
            "header cut": (good[:40], "ends in its header"), "no header": (good[:8], "ends in its header"),
            "version 9": (good.replace(b"\x01\x00", b"\x09\x00", 1), "does not begin"),
            "objects": (npy("O", (2, 3), b"\x80\x04"), "Python objects"),
            "text": (npy("U4", (2,), bytes(32)), "texts"), "quad": (npy("f16", (1,), bytes(16)), "'<f16'"),
            "records": (good.replace(b"'<f8'", b"[('a')"), "records"),
            "huge": (npy("f8", (2**62, 2**62), b""), "more elements"), "large": (npy("f8", (2**40,), b""), "announces"),
            "negative": (npy("f8", (-1, 3), b""), "header is not"), "order 9": (npy("f8", (1,) * 9, [1]), "dimensions"),
            "no dictionary": (good.replace(b"{", b"("), "header is not"),
            "archive cut": (archive[:-30], "its end is missing"), "archive of nothing": (archive[:4], "end is missing"),
            "archive flipped": (archive[:60] + bytes([archive[60] ^ 255]) + archive[61:], "decompress"),
            "two arrays": (npz({"a": good, "b": good}), "neither one array"),
            "bomb": (long, "[input-limit]"),
            "no data": (npz(csr(data=None)), "lacks the member 'data'"),
            "a format": (npz(csr(format=npy("S3", (), b"lil"))), "'lil'"),
            "pointers": (npz(csr(indptr=ints([0, 4, 3]))), "does not ascend"),
            "short pointers": (npz(csr(indptr=ints([0, 3]))), "length"),
            "outside": (npz(csr(indices=ints([1, 0, 3]))), "outside of its shape"),
            "below": (npz(csr(indices=ints([-1, 0, 2]))), "outside of its shape"),
            "float indices": (npz(csr(indices=npy("f8", (3,), [1, 0, 2]))), "no list of integers"),
            "shape": (npz(csr(shape=ints([2, -3], "i8"))), "negative"),
            "pickled": (npz(csr(data=npy("O", (3,), b"x"))), "Python objects"),
            "zstd cut": (b"\x28\xb5\x2f\xfd\x04", "ends early"), "zstd damaged": (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "damaged"),
            "no magic": (b"1 2 3\n", "not those of a .npy"),
        }
        for name, (contents, message) in cases.items():
            with self.subTest(name):
                self.write("a.npy", contents)
                self.write("k.tex", "y(i) = A(i, j) * x(j)\n")
                done = self.spc("run", "k.tex", "--format", "A=csr", "A=a.npy", "x=ones", "-o", "y=y.npy", expect=1)
                self.assertIn("a.npy: error", done.err)
                self.assertIn(message, done.err)
                self.assertFalse((self.folder / "y.npy").exists())

    @unittest.skipUnless(np, "needs NumPy and SciPy")
    def test_numpy_and_scipy_agree(self):
        random = np.random.default_rng(5)
        for kind, name in (("float64", "f64"), ("float32", "f32"), ("int64", "i64"), ("uint64", "u64"), ("complex128", "cf64"),
                           ("int8", "i8"), ("float16", "f16")):
            array = np.zeros((5, 7), kind)
            array.flat[random.choice(35, 12, replace=False)] = random.integers(1, 100, 12)
            if kind in ("int64", "uint64"):
                array[0, 0] = 2**53 + 1
            with self.subTest(kind):
                np.save(self.folder / "a.npy", np.asfortranarray(array))
                self.copy("a.npy", "b.npy", name, form="dense")
                np.testing.assert_array_equal(np.load(self.folder / "b.npy"), array)
                self.assertEqual(np.load(self.folder / "b.npy").dtype, array.dtype)
                if kind == "float16":
                    continue  # which SciPy's matrices do not hold
                for form in ("csr", "csc", "coo", "dia", "bsr") if kind == "float64" else ("coo", "dia"):
                    sp.save_npz(self.folder / "a.npz", sp.coo_matrix(array).asformat(form))
                    self.copy("a.npz", "b.npz", name, form="csr" if form == "dia" else "csc")
                    back = sp.load_npz(self.folder / "b.npz")
                    np.testing.assert_array_equal(back.toarray(), array)
                    self.assertEqual(back.dtype, array.dtype)
                    self.assertEqual(back.format, "csr" if form == "dia" else "csc")


if __name__ == "__main__":
    unittest.main()
