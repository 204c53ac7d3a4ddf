"""Binsparse in HDF5, which `spc run` reads and writes by libhdf5: what goes in comes out, to the last bit."""

import json
import unittest

from spc_case import SpcCase

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = np = None

LIBRARIES = [f"libhdf5{kind}.so{version}" for kind in ("_serial", "") for version in ("", ".103", ".200", ".310")]
EXPECTED = {(1, 2): "1.5", (2, 1): "2", (2, 3): "3"}


class Hdf5Case(SpcCase):
    optimised = False

    def copy(self, source, target, kind="f64", order=2, form="csr", **options):
        """Runs a kernel that copies a tensor from one file to another."""
        indices = ", ".join("ij"[:order])
        sizes = ", ".join("mn"[:order])
        self.write("copy.tex", f"tensor A({sizes}): {kind}\ntensor B({sizes}): {kind}\nB({indices}) = A({indices})\n")
        return self.spc("run", "copy.tex", "--format", f"A={form}", "--format", f"B={form}", f"A={source}", "-o",
                        f"B={target}", **options)

    def entries(self, path):
        """What a .tns file holds, zeros left out: a text by coordinates."""
        lines = [line.split() for line in (self.folder / path).read_text().splitlines()]
        return {tuple(map(int, line[:-1])): line[-1] for line in lines if float(line[-1]) != 0}

    def needs_library(self):
        self.write("a.tns", "1 2 1.5\n2 1 2\n2 3 3\n")
        if "which cannot be loaded" in self.copy("a.tns", "probe.h5", expect=None).err:
            self.skipTest("libhdf5 is not installed: 'apt install libhdf5-103-1'")


class Hdf5Files(Hdf5Case):
    def test_without_the_library(self):
        for name in LIBRARIES:  # which the loader takes first, and gives up at
            self.write(f"lib/{name}", "no library")
        env = {"LD_LIBRARY_PATH": str(self.folder / "lib")}
        self.write("a.tns", "1 2 1.5\n")
        done = self.copy("a.tns", "b.h5", env=env, expect=1)
        self.assertIn("libhdf5 1.10 or later, which cannot be loaded", done.err)
        self.assertIn("[output-kind]", done.err)
        self.write("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(64))
        done = self.copy("a.h5", "b.tns", env=env, expect=1)
        self.assertIn("a.h5: error: HDF5 files are read and written by libhdf5", done.err)
        self.assertIn("[tensor-unsupported]", done.err)
        self.assertEqual([name for name in self.files() if name.startswith("b.")], [])
        self.copy("a.tns", "b.mtx", env=env)

    def test_what_is_written_is_read(self):
        self.needs_library()
        values = {"f64": ["0.1", "-1e-300", "123456789.123456789", "5e-324"], "f32": ["0.1", "3.4e38"],
                  "i64": [str(2**53 + 1), str(-(2**63)), str(2**63 - 1)], "u64": [str(2**64 - 1), str(2**53 + 1)],
                  "i8": ["-128", "127"], "f16": ["0.5", "65504"], "bf16": ["0.5", "-3"], "bool": ["1", "1"],
                  "u16": ["65535", "1"]}
        for kind, texts in values.items():
            for form in ("csr", "dense", "csc") if kind in ("f64", "i64") else ("csr", "dense"):
                with self.subTest(kind=kind, form=form):
                    self.write("a.tns", "".join(f"{at + 1} {2 * at + 1} {text}\n" for at, text in enumerate(texts)))
                    self.copy("a.tns", "expected.tns", kind, form=form)
                    self.copy("a.tns", "b.h5", kind, form=form)
                    self.copy("b.h5", "c.tns", kind, form=form)
                    self.assertEqual(self.entries("c.tns"), self.entries("expected.tns"))
        for form in ("dense", "sparse-vector"):
            self.write("a.tns", "2 0.1\n5 -4\n")
            self.copy("a.tns", "b.bsp.hdf5.gz", order=1, form=form)
            self.copy("b.bsp.hdf5.gz", "c.tns", order=1, form=form)
            self.assertEqual(self.entries("c.tns"), {(2,): "0.1", (5,): "-4"})
        self.write("k.tex", "y = x(i)\n")
        self.spc("run", "k.tex", "x=ones:5", "-o", "y=y.h5")
        self.copy("y.h5", "y.tns")
        self.assertEqual(self.entries("y.tns"), {(1, 1): "5"})

    def test_complex_numbers(self):
        self.needs_library()
        self.write("a.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 0.1 -3\n2 1 0 1e-300\n")
        for form in ("csr", "csc", "dense"):
            self.copy("a.mtx", "expected.mtx", "cf64", form=form)
            self.copy("a.mtx", "b.h5", "cf64", form=form)
            self.copy("b.h5", "c.mtx", "cf64", form=form)
            self.assertEqual((self.folder / "c.mtx").read_text(), (self.folder / "expected.mtx").read_text())

    def test_equal_tensors_make_equal_files(self):
        self.needs_library()
        self.copy("a.tns", "b.h5")
        self.copy("a.tns", "c.h5")
        self.assertEqual((self.folder / "b.h5").read_bytes(), (self.folder / "c.h5").read_bytes())

    def test_tensors_that_it_does_not_hold(self):
        self.write("k.tex", "B(i, j, k) = A(i, j, k)\n")
        done = self.spc("run", "k.tex", "A=ones:2x2x2", "-o", "B=b.h5", expect=1)
        self.assertIn("matrices and vectors alone", done.err)

    def test_versions(self):
        self.needs_library()
        good = (self.folder / "probe.h5").read_bytes()
        at = good.index(b'"0.1"')
        for version, is_read in ((b"0.1", True), (b"0.2", False), (b"0.5", False), (b"1.0", False), (b"0. ", False)):
            with self.subTest(version):
                self.write("a.h5", good[:at + 1] + version + good[at + 4:])
                done = self.copy("a.h5", "b.tns", expect=0 if is_read else 1)
                self.assertEqual("its version of Binsparse is not 0.1" in done.err, not is_read)

    def test_damaged_bytes(self):
        self.needs_library()
        good = (self.folder / "probe.h5").read_bytes()
        self.copy("probe.h5", "b.tns")
        self.assertEqual(self.entries("b.tns"), EXPECTED)
        cases = [good[:cut] for cut in (8, 9, 100, len(good) // 2, len(good) - 1)]
        cases += [good[:at] + bytes([good[at] ^ 0x55]) * 3 + good[at + 3:] for at in range(8, 1024, 97)]
        for damaged in cases:
            self.write("d.h5", damaged)
            done = self.copy("d.h5", "c.tns", expect=None)
            self.assertIn(done.returncode, (0, 1), done.err)
            if done.returncode == 1:
                self.assertIn("d.h5: error", done.err)
        for cut in cases[:5]:
            self.write("d.h5", cut)
            self.assertIn("[tensor-", self.copy("d.h5", "never.tns", expect=1).err)
        self.write("d.h5", b"1 2 3\n")
        self.assertIn("not those of a .npy, .npz or HDF5 file", self.copy("d.h5", "never.tns", expect=1).err)
        self.assertFalse((self.folder / "never.tns").exists())


def descriptor(kind, shape, count, values="float64", **more):
    return {"version": "0.1", "format": kind, "shape": shape, "number_of_stored_values": count,
            "data_types": {"values": values}, **more}


@unittest.skipUnless(h5py, "needs h5py: 'apt install python3-h5py'")
class FilesOfOthers(Hdf5Case):
    def setUp(self):
        super().setUp()
        self.needs_library()

    def make(self, about, group=None, **arrays):
        with h5py.File(self.folder / "a.h5", "w") as file:
            place = file.create_group(group) if group else file
            place.attrs["binsparse"] = about if isinstance(about, (str, bytes, int)) else json.dumps({"binsparse": about})
            for name, array in arrays.items():
                place[name] = array

    CSR = {"pointers_to_1": [0, 1, 3], "indices_1": [1, 0, 2], "values": [1.5, 2.0, 3.0]}

    def test_all_formats(self):
        coo = {"indices_0": [0, 1, 1], "indices_1": [1, 0, 2], "values": [1.5, 2.0, 3.0]}
        by_column = {"indices_0": [0, 1, 2], "indices_1": [1, 0, 1], "values": [2.0, 1.5, 3.0]}
        cases = {"COO": coo, "COOR": coo, "COOC": by_column, "CSR": self.CSR, "DCSR": {**self.CSR, "indices_0": [0, 1]},
                 "CSC": {"pointers_to_1": [0, 1, 2, 3], "indices_1": [1, 0, 1], "values": [2.0, 1.5, 3.0]},
                 "DCSC": {**by_column, "pointers_to_1": [0, 1, 2, 3]}, "DMAT": {"values": [0, 1.5, 0, 2, 0, 3]},
                 "DMATR": {"values": [0, 1.5, 0, 2, 0, 3]}, "DMATC": {"values": [0, 2, 1.5, 0, 0, 3.0]}}
        for kind, arrays in cases.items():
            with self.subTest(kind):
                self.make(descriptor(kind, [2, 3], 6 if kind[1] == "M" else 3),
                          **{name: np.array(array, "f4" if name == "values" else "u4") for name, array in arrays.items()})
                self.copy("a.h5", "b.tns")
                self.assertEqual(self.entries("b.tns"), EXPECTED)
        for kind, arrays in (("DVEC", {"values": [0, 1.5]}), ("CVEC", {"indices_0": [1], "values": [1.5]})):
            self.make(descriptor(kind, [2], len(arrays["values"])), **arrays)
            self.copy("a.h5", "b.tns", order=1, form="sparse-vector")
            self.assertEqual(self.entries("b.tns"), {(2,): "1.5"})

    def test_how_files_are_made(self):
        about = descriptor("CSR", [2, 3], 3)
        text = json.dumps({"binsparse": about, "author": "somebody"})
        for name, value in (("variable", text), ("fixed", np.bytes_(text)), ("group", None)):
            with self.subTest(name):
                self.make(value if value is not None else about, group="matrix" if name == "group" else None, **self.CSR)
                self.copy("a.h5", "b.tns")
                self.assertEqual(self.entries("b.tns"), EXPECTED)
        with h5py.File(self.folder / "a.h5", "w", libver="latest") as file:
            file.attrs["binsparse"] = text
            for name, array in self.CSR.items():
                file.create_dataset(name, data=np.array(array, ">f8" if name == "values" else ">i8"), chunks=(2,),
                                    compression="gzip", shuffle=True)
        self.copy("a.h5", "b.tns")
        self.assertEqual(self.entries("b.tns"), EXPECTED)

    def test_types_and_structures(self):
        big = {"int64": [2**63 - 1, -(2**63), 2**53 + 1], "uint64": [2**64 - 1, 2**53 + 1, 1], "int8": [-128, 127, 1],
               "uint16": [65535, 1, 2]}
        for name, values in big.items():
            self.make(descriptor("CSR", [2, 3], 3, name), **{**self.CSR, "values": np.array(values, name)})
            self.copy("a.h5", "b.tns", {"int64": "i64", "uint64": "u64", "int8": "i8", "uint16": "u16"}[name])
            self.assertEqual(list(self.entries("b.tns").values()), [str(value) for value in values])
        for values, array, expected in (("iso[int8]", np.array([7], "i1"), "7"), ("bint8", np.array([1, 2, 1], "u1"), "1")):
            self.make(descriptor("CSR", [2, 3], 3, values), **{**self.CSR, "values": array})
            self.copy("a.h5", "b.tns")
            self.assertEqual(list(self.entries("b.tns").values()), [expected] * 3)
        lower = {"indices_0": [0, 1], "indices_1": [0, 0], "values": [1.0, 0, 2.0, 3.0]}
        for name, mirrored in (("hermitian", "2 -3"), ("symmetric", "2 3"), ("skew_symmetric", None)):
            self.make(descriptor("COO", [2, 2], 2, "complex[float64]", structure=name + "_lower"), **lower)
            if not mirrored:
                self.assertIn("no diagonal", self.copy("a.h5", "b.mtx", "cf64", expect=1).err)
                continue
            self.copy("a.h5", "b.mtx", "cf64")
            self.assertIn("1 2 " + mirrored, (self.folder / "b.mtx").read_text())
            self.assertIn("2 1 2 3", (self.folder / "b.mtx").read_text())

    def test_files_that_are_refused(self):
        about, csr = descriptor("CSR", [2, 3], 3), self.CSR
        cases = {
            "no attribute text": (7, csr, "no text"), "no JSON": ("{", csr, "no JSON object"),
            "nested": ("[" * 10**4, csr, "no JSON object"), "another JSON": ('{"binsparse": []}', csr, "no JSON object"),
            "version": ({**about, "version": "2.0"}, csr, "not 0.1"),
            "format": ({**about, "format": "BSR"}, csr, "'BSR' is none of"),
            "custom": ({**about, "format": {}}, csr, "custom format"), "fill": ({**about, "fill": True}, csr, "fill value"),
            "no type": ({**about, "data_types": {}}, csr, "do not name the type"),
            "type": (descriptor("CSR", [2, 3], 3, "float128"), csr, "'float128'"),
            "complex integers": (descriptor("CSR", [2, 3], 3, "complex[int8]"), csr, "'complex[int8]'"),
            "order": (descriptor("CSR", [2, 3, 4], 3), csr, "not that of a matrix"),
            "extent": (descriptor("CSR", [2, -3], 3), csr, "no whole number"),
            "large extent": (descriptor("CSR", [2, 2**64], 3), csr, "no whole number"),
            "count": ({**about, "number_of_stored_values": 4}, csr, "announces 4"),
            "structure": ({**about, "structure": "lower"}, csr, "structure 'lower'"),
            "oblong": ({**about, "structure": "symmetric_lower"}, csr, "as many rows as columns"),
            "triangle": (descriptor("CSR", [3, 3], 3, structure="symmetric_upper"), {**csr, "pointers_to_1": [0, 1, 3, 3]},
                         "outside of the triangle"),
            "no values": (about, {**csr, "values": None}, "lacks the dataset 'values'"),
            "no pointers": (about, {**csr, "pointers_to_1": None}, "lacks the dataset 'pointers_to_1'"),
            "values": (about, {**csr, "values": [1.5]}, "has 1 elements, for 3 entries"),
            "complex values": (descriptor("CSR", [2, 3], 3, "complex[float64]"), csr, "has 3 elements"),
            "iso values": (descriptor("CSR", [2, 3], 3, "iso[float64]"), csr, "has 3 elements"),
            "pointers": (about, {**csr, "pointers_to_1": [0, 4, 3]}, "does not ascend"),
            "first pointer": (about, {**csr, "pointers_to_1": [1, 1, 3]}, "does not go from 0"),
            "few pointers": (about, {**csr, "pointers_to_1": [0, 3]}, "has 2 elements, not 2 and one"),
            "outside": (about, {**csr, "indices_1": [1, 0, 3]}, "outside of dimension 2"),
            "below": (about, {**csr, "indices_1": [-1, 0, 2]}, "outside of dimension 2"),
            "far": (about, {**csr, "indices_1": np.array([2**64 - 1, 0, 2], "u8")}, "outside of dimension 2"),
            "floats": (about, {**csr, "indices_1": [1.0, 0, 2]}, "no list of integers"),
            "texts": (about, {**csr, "values": [b"a", b"b", b"c"]}, "neither integers nor floats"),
            "pairs": (about, {**csr, "values": np.zeros(3, "c16")}, "neither integers nor floats"),
            "two dimensions": (about, {**csr, "values": [[1.5, 2, 3]]}, "has not one dimension"),
            "soft link": (about, {**csr, "values": h5py.SoftLink("/indices_1")}, "is a link"),
            "file link": (about, {**csr, "values": h5py.ExternalLink("probe.h5", "values")}, "is a link"),
            "dense": (descriptor("DMAT", [2**40, 2**40], 1), {"values": [1.0]}, "more elements"),
            "dense iso": (descriptor("DMAT", [2**30, 2**30], 1, "iso[float64]"), {"values": [0.0]}, "'iso'"),
        }
        for name, (text, arrays, message) in cases.items():
            with self.subTest(name):
                self.make(text, **{key: array for key, array in arrays.items() if array is not None})
                done = self.copy("a.h5", "b.tns", expect=1)
                self.assertIn("a.h5: error", done.err)
                self.assertIn(message, done.err)
        self.assertFalse((self.folder / "b.tns").exists())

    def test_datasets_that_are_more_than_their_bytes(self):
        text = json.dumps({"binsparse": descriptor("DVEC", [2**40], 2**40)})
        for name in ("much", "elsewhere", "virtual", "groups"):
            with self.subTest(name), h5py.File(self.folder / "a.h5", "w") as file:
                file.attrs["binsparse"] = text
                if name == "much":
                    file.create_dataset("values", (2**40,), "i1", chunks=(2**20,))
                elif name == "elsewhere":
                    file.create_dataset("values", (3,), "i8", external=[("copy.tex", 0, 24)])
                elif name == "virtual":
                    layout = h5py.VirtualLayout((3,), "i8")
                    layout[:] = h5py.VirtualSource("probe.h5", "values", (3,))
                    file.create_virtual_dataset("values", layout)
                else:
                    del file.attrs["binsparse"]
                    for group in "ab":
                        file.create_group(group).attrs["binsparse"] = text
                file.close()
                done = self.copy("a.h5", "b.tns", order=1, form="sparse-vector", expect=1)
                self.assertIn({"much": "[input-limit]", "groups": "several"}.get(name, "other files"), done.err)

    def test_files_for_others(self):
        self.write("a.tns", "1 2 1.5\n2 1 2\n2 3 3\n")
        formats = {("csr", 2): "CSR", ("csc", 2): "CSC", ("dense", 2): "DMATR", ("sparse-vector", 1): "CVEC", ("dense", 1): "DVEC"}
        for (form, order), expected in formats.items():
            if order == 1:
                self.write("a.tns", "2 1.5\n3 4\n")
            self.copy("a.tns", "b.h5", order=order, form=form)
            with h5py.File(self.folder / "b.h5") as file:
                about = json.loads(file.attrs["binsparse"])["binsparse"]
                self.assertEqual((about["format"], about["version"]), (expected, "0.1"))
                self.assertEqual(about["shape"], [2, 3] if order == 2 else [3])
                for name, kind in about["data_types"].items():
                    self.assertEqual(file[name].dtype, np.dtype(kind))
                self.assertEqual(set(file), set(about["data_types"]))
                self.assertEqual(about["number_of_stored_values"], len(file["values"]))
                if form == "csr":
                    self.assertEqual({name: list(file[name]) for name in file}, self.CSR)


if __name__ == "__main__":
    unittest.main()
