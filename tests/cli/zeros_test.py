"""What zeros in data files are: every kind of file that is read or written, with each type of number that it holds, in
tensors of every format. The rule of docs/formats.md is stated here once more: of dense files and of those with padding a
zero, of whatever sign, is no entry; of files that list entries it is one, except in a format with padding."""

import io
import json
import math
import os
import re
import struct
import unittest
import zipfile

from data_files_test import npy, npz
from spc_case import SpcCase

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = np = None

SIZE = 8
# On and below the diagonal, at most two in each four columns of a row, so that each format has room for all of them.
VALUES = {(0, 0): 3, (2, 0): 1, (2, 2): 5, (3, 1): 2, (5, 4): 7, (6, 1): 4, (7, 7): 6}
PLUS_ZEROS = [(1, 0), (4, 4)]
MINUS_ZEROS = [(3, 3), (6, 2), (7, 5)]
# A dense file may have these anywhere.
MORE_MINUS_ZEROS = [(0, 1), (0, 2), (0, 3), (0, 7), (1, 6), (4, 5), (4, 6), (5, 7)]

#: NumPy's kind, what struct packs, parts, and the type of a Matrix Market file.
TYPES = {"f64": ("f8", "d", "real"), "f32": ("f4", "f", "real"), "f16": ("f2", "e", "real"), "bf16": ("f4", "f", "real"),
         "cf64": ("c16", "d", "complex"), "cf32": ("c8", "f", "complex"), "i8": ("i1", "b", "integer"),
         "i16": ("i2", "h", "integer"), "i32": ("i4", "i", "integer"), "i64": ("i8", "q", "integer"),
         "u8": ("u1", "B", "integer"), "u16": ("u2", "H", "integer"), "u32": ("u4", "I", "integer"),
         "u64": ("u8", "Q", "integer"), "bool": ("b1", "?", "integer")}
PLAIN = "csr csc coo coo-aos coo-dup coo-unsorted csr-unsorted csr-lengths dcsr dcsc csf csf:1,0".split()
PADDED = ("bsr bsr8 bsr-cm bsc dbsr block-ell dia dia-cols ell ell16 nm-2-4 ragged ragged-lengths lower").split()


#: Tensors in a kernel, which may be of three parts each beside their number of entries.
MOST = 20


class Numbers:
    """The elements of the matrix as a type has them."""

    def __init__(self, name):
        self.name = name
        self.kind, self.code, self.field = TYPES[name]
        self.is_complex = name.startswith("c")
        self.is_float = self.is_complex or "f" in name
        self.zero, self.minus_zero = (0j, complex(-0.0, -0.0)) if self.is_complex else \
            (0.0, -0.0) if self.is_float else (0, 0)
        self.listed = dict.fromkeys(PLUS_ZEROS, self.zero) | dict.fromkeys(MINUS_ZEROS, self.minus_zero)
        for at, value in VALUES.items():
            self.listed[at] = True if name == "bool" else complex(value, -value) if self.is_complex else value
        if self.is_complex:  # one part of an entry may be a zero
            self.listed[2, 0], self.listed[3, 1] = complex(-0.0, 1), complex(2, -0.0)
            self.listed[6, 2] = complex(0, -0.0)
        self.dense = {at: self.minus_zero for at in MORE_MINUS_ZEROS} | self.listed

    def bytes(self, values, order="<"):
        parts = [part for value in values for part in ((value.real, value.imag) if self.is_complex else (value,))]
        return struct.pack(f"{order}{len(parts)}{self.code}", *parts)

    def array(self, shape, values, order="<", **more):
        return npy(self.kind, shape, self.bytes(values, order), order if self.kind[1:] != "1" else "|", **more)

    def text(self, value):
        return f"{value.real} {value.imag}" if self.is_complex else str(int(value) if self.name == "bool" else value)

    def by_rows(self):
        return [self.dense.get((i, j), self.zero) for i in range(SIZE) for j in range(SIZE)]

    def by_columns(self):
        return [self.dense.get((i, j), self.zero) for j in range(SIZE) for i in range(SIZE)]


def ints(values, kind="i4"):
    return npy(kind, (len(values),), struct.pack(f"<{len(values)}{'i' if kind == 'i4' else 'q'}", *values))


def compressed(places):
    """Pointers and indices of sorted places."""
    return ([sum(major < row for major, _ in places) for row in range(SIZE + 1)], [minor for _, minor in places])


def matrix(name, data, **members):
    return npz({"format": npy("S3", (), name.encode()), "shape": ints([SIZE, SIZE], "i8"), "data": data,
                **{member: ints(values) for member, values in members.items()}})


def dense_files(numbers):
    """Files in which no zero is an entry: contents by name."""
    rows, columns, shape = numbers.by_rows(), numbers.by_columns(), (SIZE, SIZE)
    blocks = sorted({(i // 2, j // 2) for i, j in numbers.dense})
    pointers, indices = compressed(blocks)
    block_values = [numbers.dense.get((2 * i + k, 2 * j + l), numbers.zero)
                    for i, j in blocks for k in range(2) for l in range(2)]
    offsets = sorted({j - i for i, j in numbers.dense})
    diagonals = [numbers.dense.get((j - offset, j), numbers.zero) for offset in offsets for j in range(SIZE)]
    files = {
        "rows.npy": numbers.array(shape, rows), "fortran.npy": numbers.array(shape, columns, fortran=True),
        "dense.npz": npz({"arr_0": numbers.array(shape, rows)}),
        "bsr.npz": matrix("bsr", numbers.array((len(blocks), 2, 2), block_values), indptr=pointers[:SIZE // 2 + 1],
                          indices=indices),
        "dia.npz": matrix("dia", numbers.array((len(offsets), SIZE), diagonals), offsets=offsets),
        "array.mtx": f"%%MatrixMarket matrix array {numbers.field} general\n{SIZE} {SIZE}\n" +
                     "".join(numbers.text(value) + "\n" for value in columns)}
    if numbers.kind[1:] != "1":
        files["big.npy"] = numbers.array(shape, rows, ">")
        files["big_fortran.npy"] = numbers.array(shape, columns, ">", fortran=True)
        files["big.npz"] = npz({"arr_0": numbers.array(shape, rows, ">")})
    return files


def listing_files(numbers):
    """Files whose zeros are entries."""
    by_row = sorted(numbers.listed)
    by_column = sorted((j, i) for i, j in by_row)
    values = numbers.array((len(by_row),), [numbers.listed[at] for at in by_row])
    pointers, indices = compressed(by_row)
    column_pointers, rows = compressed(by_column)
    lines = "".join(f"{i + 1} {j + 1} {numbers.text(numbers.listed[i, j])}\n" for i, j in by_row)
    files = {
        "csr.npz": matrix("csr", values, indptr=pointers, indices=indices),
        "csc.npz": matrix("csc", numbers.array((len(by_row),), [numbers.listed[i, j] for j, i in by_column]),
                          indptr=column_pointers, indices=rows),
        "coo.npz": matrix("coo", values, row=[i for i, _ in by_row], col=[j for _, j in by_row]),
        "coordinate.mtx": f"%%MatrixMarket matrix coordinate {numbers.field} general\n{SIZE} {SIZE} {len(by_row)}\n{lines}"}
    if not numbers.is_complex:
        files["list.tns"] = lines
    return files


def binsparse_files(numbers, folder):
    """Writes Binsparse's formats; gives which of them list entries."""
    name = {"bool": "bint8", "cf64": "complex[float64]", "cf32": "complex[float32]", "f64": "float64", "f32": "float32",
            "bf16": "float32"}.get(numbers.name, numbers.name.replace("i", "int").replace("u", "uint").replace("uintnt", "uint"))

    def write(form, count, values, **places):
        about = {"version": "0.1", "format": form, "shape": [SIZE, SIZE], "number_of_stored_values": count,
                 "data_types": {"values": name}}
        stored = np.frombuffer(numbers.bytes(values), "<u1" if numbers.name == "bool" else
                               "<f" + str(int(numbers.kind[1:]) // 2) if numbers.is_complex else "<" + numbers.kind)
        with h5py.File(folder / f"{form}.h5", "w") as file:
            file.attrs["binsparse"] = json.dumps({"binsparse": about})
            file["values"] = stored
            for place, array in places.items():
                file[place] = np.array(array, "u4")

    write("DMAT", SIZE * SIZE, numbers.by_rows())
    write("DMATR", SIZE * SIZE, numbers.by_rows())
    write("DMATC", SIZE * SIZE, numbers.by_columns())
    for forms, places, at in ((("CSR", "DCSR", "COO", "COOR"), sorted(numbers.listed), lambda i, j: (i, j)),
                              (("CSC", "DCSC", "COOC"), sorted((j, i) for i, j in numbers.listed), lambda j, i: (i, j))):
        values = [numbers.listed[at(*place)] for place in places]
        majors, minors = [major for major, _ in places], [minor for _, minor in places]
        pointers, _ = compressed(places)
        listed = sorted(set(majors))
        write(forms[0], len(places), values, pointers_to_1=pointers, indices_1=minors)
        write(forms[1], len(places), values, pointers_to_1=[pointers[row] for row in listed] + [len(places)],
              indices_0=listed, indices_1=minors)
        for form in forms[2:]:
            write(form, len(places), values, indices_0=majors, indices_1=minors)
    return {f"{form}.h5": form[:2] != "DM" for form in
            "DMAT DMATR DMATC CSR DCSR COO COOR CSC DCSC COOC".split()}


def signed(text):
    """Numbers, and which have a sign."""
    return [(float(part), math.copysign(1, float(part))) for part in text.split()]


class Zeros(SpcCase):
    optimised = False

    def files_of(self, numbers):
        """Writes the files of a type; gives which of them list entries."""
        lists = {}
        for files, is_list in ((dense_files(numbers), False), (listing_files(numbers), True)):
            for name, contents in files.items():
                self.write(name, contents)
                lists[name] = is_list
        if h5py and self.has_hdf5() and numbers.name != "f16":
            lists |= binsparse_files(numbers, self.folder)
        return lists

    def has_hdf5(self):
        self.write("probe.tex", "B(i,j) = A(i,j)\n")
        return self.spc("run", "probe.tex", "A=ones:1x1", "-o", "B=probe.h5", expect=None).returncode == 0

    def count(self, kind, pairs, *options):
        """The entries that tensors have: the numbers of a file and a format each."""
        self.write("k.tex", "".join(f"tensor A{k}(m, n): {kind}\n" for k in range(len(pairs))) +
                   "".join(f"n{k} = count(i, j, A{k}(i,j))\n" for k in range(len(pairs))))
        arguments = [f"--shape=A{k}={SIZE}x{SIZE}" for k in range(len(pairs))]
        for k, (file, form) in enumerate(pairs):
            arguments += [f"--format=A{k}={form}", f"A{k}={file}"]
        out = self.spc("run", "k.tex", *arguments, "-O0", "-q", "-Wno-reorder", *options).out
        return [int(value) for value in re.findall(r"^n\d+ = (\d+)$", out, re.MULTILINE)]

    def check(self, numbers, formats, *options):
        """Each file in each of some formats."""
        lists = self.files_of(numbers)
        pairs = [(file, form) for form in formats for file in lists]
        found = []
        for begin in range(0, len(pairs), MOST):
            found += self.count(numbers.name, pairs[begin:begin + MOST], *options)
        self.assertEqual(len(found), len(pairs))
        for (file, form), entries in zip(pairs, found):
            with self.subTest(type=numbers.name, file=file, format=form, options=options):
                zeros = len(PLUS_ZEROS) + len(MINUS_ZEROS) if lists[file] and form in PLAIN else 0
                self.assertEqual(entries, SIZE * SIZE if form == "dense" else len(VALUES) + zeros)

    def written(self, name):
        """How many entries a file has."""
        contents = (self.folder / name).read_bytes()
        if name.endswith(".npz"):
            with zipfile.ZipFile(io.BytesIO(contents)) as archive:
                return int(re.search(rb"'shape': \((\d+),\)", archive.read("data.npy")).group(1))
        if name.endswith(".h5"):
            return int(re.search(rb'"number_of_stored_values": (\d+)', contents).group(1))
        lines = [line for line in contents.decode().splitlines() if not line.startswith(("%", "#"))]
        return len(lines) if name.endswith(".tns") else int(lines[0].split()[2])

    def results(self, kind, formats, endings, source="A", expect=0):
        """Copies a matrix into formats, and these into files."""
        names = [(f"B{k}", form, f"b{k}.{ending}") for k, (form, ending) in
                 enumerate((form, ending) for form in formats for ending in endings)]
        self.write("k.tex", f"tensor A(m, n): {kind}\n" + "".join(f"tensor {name}(m, n): {kind}\n" for name, *_ in names) +
                   "".join(f"{name}(i,j) = {source}(i,j)\n" for name, *_ in names))
        arguments = ["--format=A=csr", "A=coordinate.mtx", "-O0", "-q", "-Wno-reorder"]
        for name, form, file in names:
            arguments += [f"--format={name}={form}", "-o", f"{name}={file}"]
        self.spc("run", "k.tex", *arguments, expect=expect)
        return [(form, file, self.written(file)) for _, form, file in names]

    def test_what_is_written(self):
        """Each format into each kind of file; each type in four formats."""
        sparse = [form for form in PLAIN + PADDED if form != "coo-dup"] + ["hyb"]
        for at, kind in enumerate(TYPES):
            numbers = Numbers(kind)
            self.write("coordinate.mtx", listing_files(numbers)["coordinate.mtx"])
            endings = ["mtx", "npz"] + ["tns"] * (not numbers.is_complex) + ["h5"] * self.has_hdf5()
            formats = sparse if kind == "f64" else [sparse[at], *(PADDED[(at + k) % len(PADDED)] for k in (0, 5, 9))]
            for begin in range(0, len(formats), 4):
                for form, file, entries in self.results(kind, formats[begin:begin + 4], endings):
                    with self.subTest(type=kind, format=form, file=file):
                        zeros = len(PLUS_ZEROS) + len(MINUS_ZEROS) if form in PLAIN else 0
                        self.assertEqual(entries, len(VALUES) + zeros)

    def test_what_is_printed_and_shares_a_structure(self):
        numbers = Numbers("f64")
        for name, contents in (dense_files(numbers) | listing_files(numbers)).items():
            self.write(name, contents)
        self.write("k.tex", "C(i,j) = 2 * A(i,j)\n")
        for form in PADDED:
            for file in ("rows.npy", "bsr.npz", "csr.npz"):
                with self.subTest(format=form, file=file):
                    done = self.spc("run", "k.tex", f"--format=A={form}", f"A={file}", "--check", "-Wno-reorder")
                    self.assertEqual(len(re.findall(r"^ +\(\d, \d\)", done.out, re.MULTILINE)), len(VALUES), done.out)

    def test_vectors_tensors_and_triangles(self):
        """Other orders, and arrays of which one triangle is in the file."""
        vector, cube = [0.0, -0.0, 3.0, -0.0], [0.0, -0.0, 1.0, 0.0, -0.0, 2.0, -0.0, 3.0]
        triangle = "2 2\n-0\n{}\n0\n"
        files = {"v.npy": npy("f8", (4,), vector), "row.npy": npy("f8", (1, 4), vector), "t.npy": npy("f8", (2, 2, 2), cube),
                 "f.npz": npz({"t": npy("f8", (2, 2, 2), cube, fortran=True)}),
                 "v.mtx": "%%MatrixMarket matrix array real general\n4 1\n0\n-0\n3\n-0\n",
                 "s.mtx": "%%MatrixMarket matrix array real symmetric\n" + triangle.format("-0"),
                 "k.mtx": "%%MatrixMarket matrix array real skew-symmetric\n2 2\n0\n",
                 "h.mtx": "%%MatrixMarket matrix array complex hermitian\n2 2\n0 0\n0 -0\n-0 -0\n",
                 "l.mtx": "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 0\n",
                 "l.tns": "1 0\n3 2\n4 -0\n"}
        cases = [("v.npy", 1, "sparse-vector", 1, 4), ("row.npy", 1, "sparse-vector", 1, 4), ("v.mtx", 1, "csf", 1, 4),
                 ("l.tns", 1, "sparse-vector", 3, 4), ("t.npy", 3, "csf", 3, 8), ("t.npy", 3, "coo", 3, 8),
                 ("f.npz", 3, "csf:2,0,1", 3, 8), ("s.mtx", 2, "csr", 0, 4), ("s.mtx", 2, "sym-csr", 0, 4),
                 ("k.mtx", 2, "csr", 0, 4), ("h.mtx", 2, "dcsr", 0, 4), ("l.mtx", 2, "coo", 2, 4)]
        for name, contents in files.items():
            self.write(name, contents)
        text, arguments = "", []
        for k, (file, order, form, *_) in enumerate(cases):
            places, sizes = ", ".join("ijl"[:order]), ", ".join(f"{extent}{k}" for extent in "mnp"[:order])
            for letter, stored in (("A", form), ("D", "dense")):
                kind = "cf64" if file == "h.mtx" else "f64"
                text += f"tensor {letter}{k}({sizes}): {kind}\n{letter.lower()}{k} = count({places}, {letter}{k}({places}))\n"
                arguments += [f"--format={letter}{k}={stored}", f"{letter}{k}={file}"]
        self.write("k.tex", "".join(sorted(text.splitlines(True), reverse=True)))
        for options in ((), ("--check",)):
            out = self.spc("run", "k.tex", *arguments, "-q", "-Wno-reorder", *options).out
            found = dict(re.findall(r"^(\w+) = (\d+)$", out, re.MULTILINE))
            for k, (file, _, form, entries, elements) in enumerate(cases):
                with self.subTest(file=file, format=form, options=options):
                    self.assertEqual((found[f"a{k}"], found[f"d{k}"]), (str(entries), str(elements)))

    def test_sums_with_padding(self):
        """A zero is none in whatever part it lies: there is room for the first eight entries of a row in the padded one."""
        zeros = "".join(f"1 {column} {'-0' if column % 2 else '0'}\n" for column in range(1, 12))
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n3 12 13\n{zeros}2 1 4\n3 9 -1\n")
        self.write("k.tex", "tensor B(m, n)\nn = count(i, j, A(i,j))\nB(i,j) = 2 * A(i,j)\n")
        run = ("run", "k.tex", "A=a.mtx", "--format=A=hyb", "--format=B=hyb", "-q", "-Wno-reorder", "-o", "B=b.tns")
        for options in ((), ("--check",)):
            self.assertEqual(self.spc(*run, *options).out, "n = 2\n")
            self.assertEqual((self.folder / "b.tns").read_text(), "2 1 8\n3 9 -2\n")

    def test_whole_runs(self):
        """A dense level below a list stores whole rows, and all elements of these are entries."""
        self.write("rows.json", """{ "dims": ["i", "j"], "levels": [ { "dim": "i", "storage": "compressed" },
                                                                     { "dim": "j", "storage": "dense" } ] }""")
        self.write("a.mtx", "%%MatrixMarket matrix array real general\n3 2\n0\n-0\n1\n0\n-0\n0\n")
        self.write("k.tex", "tensor B(m, n)\nn = count(i, j, A(i,j))\nB(i,j) = A(i,j)\n")
        run = ("run", "k.tex", "A=a.mtx", "--format=A=rows.json", "--format=B=rows.json", "-q", "-o", "B=b.tns")
        for options in ((), ("--check",)):
            self.assertEqual(self.spc(*run, *options).out, "n = 2\n")
            self.assertEqual((self.folder / "b.tns").read_text(), "3 1 1\n3 2 0\n")

    def test_places_of_a_shared_structure(self):
        self.write("bind.json", '{ "tensors": { "S": "csr", "T": { "structure_of": "S" } } }')
        self.write("s.tns", "1 1 1\n1 2 0\n2 2 3\n")
        self.write("t.mtx", "%%MatrixMarket matrix array real general\n2 2\n7\n0\n-0\n0\n")
        self.write("k.tex", "n = count(i, j, T(i,j))\nm = count(i, j, S(i,j))\ny(i) = sum(j, pattern(T(i,j)) * exp(T(i,j)*x(j)))\n")
        for options in ((), ("--check",)):
            out = self.spc("run", "k.tex", "--format=bind.json", "S=s.tns", "T=t.mtx", "x=zeros", "-q", *options).out
            self.assertEqual(out.split(), ["n", "=", "3", "m", "=", "3", "y:", "2", "2", "1"])

    def test_signs_of_dense_tensors(self):
        """-0 stays what it is, from any file in which all elements are, and in each part of a complex number."""
        for kind in TYPES:
            numbers = Numbers(kind)
            names = [name for name, is_list in self.files_of(numbers).items() if not is_list]
            body = numbers.bytes(numbers.by_rows())
            copies = [(f"A{k}", f"B{k}", name, f"b{k}.{('npy', 'npz', 'mtx')[k % 3]}") for k, name in enumerate(names)]
            for options in ([], ["--check"]):
                self.write("k.tex", "".join(f"tensor {a}(m, n): {kind}\ntensor {b}(m, n): {kind}\n" for a, b, *_ in copies) +
                           "".join(f"{b}(i,j) = {a}(i,j)\n" for a, b, *_ in copies))
                arguments = [text for a, b, file, to in copies for text in (f"{a}={file}", "-o", f"{b}={to}")]
                self.spc("run", "k.tex", *arguments, "-O0", "-q", *options)
                for _, _, file, to in copies:
                    with self.subTest(type=kind, file=file, to=to, options=options):
                        contents = (self.folder / to).read_bytes()
                        if to.endswith(".npz"):
                            with zipfile.ZipFile(io.BytesIO(contents)) as archive:
                                contents = archive.read("arr_0.npy")
                        if to.endswith(".mtx"):
                            lines = contents.decode().splitlines()[2:]
                            self.assertEqual([signed(line) for line in lines],
                                             [signed(numbers.text(value)) for value in numbers.by_columns()])
                        else:
                            self.assertEqual(contents[-len(body):], body)

    def test_what_is_explained_and_tuned(self):
        files = dense_files(Numbers("f64"))
        self.write("k.tex", "y(i) = A(i,j) * x(j)\n")
        for name in ("rows.npy", "dense.npz", "bsr.npz", "dia.npz", "array.mtx"):
            self.write(name, files[name])
            with self.subTest(name):
                told = self.spc("explain", "k.tex", "--format=A=csr", f"A={name}", "-q").out
                self.assertIn(f"operand; {len(VALUES)} entries", told)
                told = self.spc("explain", "k.tex", "--format=A=bsr", f"A={name}", "-q").out
                self.assertRegex(told, rf"\n  csr +{len(VALUES)} ")
        # More than half of the places are listed, and no more than half are entries: it is sparse.
        self.assertIn("(default)", self.spc("tune", "k.tex", "A=bsr.npz", "--budget=100ms", "-o", "t.json").out)

    def test_what_is_read(self):
        """All formats with one type, and all types with four formats each; with SPC_TEST_ALL=1 all with all."""
        sparse = PLAIN + PADDED
        for at, kind in enumerate(TYPES):
            is_whole = kind == "f64" or os.environ.get("SPC_TEST_ALL")
            formats = ["dense", *sparse, "hyb"] if is_whole else ["dense", "csr", sparse[at], sparse[-at]]
            self.check(Numbers(kind), formats)
            self.check(Numbers(kind), formats[::4] if kind == "f64" else formats[:3], "--check")


if __name__ == "__main__":
    unittest.main()
