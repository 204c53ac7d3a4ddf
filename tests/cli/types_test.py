"""Types and index types from outside of the kernel file: --type, --index and files of bindings."""

import json
import re
import unittest

from spc_case import ROOT, SPMV, SpcCase

GENERIC = """type T = f64
tensor A(m, k): T, sparse
tensor B(k, n): T
C(i, j) = A(i, k) * B(k, j) * T(0.5)
"""


class Types(SpcCase):
    def plan(self, *options, kernel="k.tex"):
        """The plan's types by tensor, and its formats' types of pointers and indices."""
        text = self.spc("compile", kernel, "-q", "--emit=plan", *options).out
        types = dict(re.findall(r"^  (\w+)(?:\(.*?\))?: (\w+)[ ,;]", text, re.MULTILINE))
        return types, dict(re.findall(r"^  (\w+)\(.*pointers (\w+), indices", text, re.MULTILINE))

    def setUp(self):
        super().setUp()
        self.write("k.tex", GENERIC)
        self.write("spmv.tex", SPMV)

    def test_what_holds(self):
        def types(*options, given=None):
            self.write("b.json", json.dumps({"tensors": {"A": "csr"}, **({"types": given} if given else {})}))
            found, _ = self.plan("--format", "b.json", *options)
            return "".join(found[name] + " " for name in "ABC").strip()

        self.assertEqual(types(), "f64 f64 f64")
        self.assertEqual(types(given={"T": "f32"}), "f32 f32 f32")
        self.assertEqual(types("--type=T=f16", given={"T": "f32"}), "f16 f16 f16")
        self.assertEqual(types("--type=T=f32", given={"A": "i8"}), "i8 f32 f32")
        self.assertEqual(types("--type=A=i16", "--type=T=f32", given={"A": "i8", "B": "f64"}), "i16 f64 f64")
        self.assertEqual(types("--type=C=cf64", given={"T": "f32"}), "f32 f32 cf64")

    def test_the_default_type(self):
        types, _ = self.plan("--type=f32", kernel="spmv.tex")
        self.assertEqual(types, {"A": "f32", "x": "f32", "y": "f32"})
        types, _ = self.plan("--type=f32", "--type", "x=i8", kernel="spmv.tex")
        self.assertEqual(types, {"A": "f32", "x": "i8", "y": "f32"})

    def test_index_types_of_formats_from_anywhere(self):
        self.write("b.json", '{ "tensors": { "A": { "format": "csr", "index": { "indices": "u16" } } } }')
        for formats in ("A=csr", "csr", "b.json", "A=csr64"):
            for options, expected in ((["--index=i64"], "i64"), (["--index=i64", "--index", "A=u8"], "u8")):
                _, pointers = self.plan("--format", formats, *options)
                self.assertEqual(pointers, {"A": expected})

    def test_shipped_formats_of_64_bits(self):
        for name in ("csr", "csc", "coo", "coo-unsorted"):
            self.spc("compile", "k.tex", "--format", f"A={name}64", "-o", "-", "--emit=asm", "--header", "k.h",
                     "--visibility=default")
            wide = (self.folder / "k.h").read_text()
            self.spc("compile", "k.tex", "--format", f"A={name}", "--index=i64", "-o", "-", "--emit=asm",
                     "--header", "k.h", "--visibility=default")
            self.assertEqual(wide.replace(f"{name}64", name), (self.folder / "k.h").read_text())
            struct = re.search(r"typedef struct spc_\w+_f64_i64 \{.*?\}", wide, re.DOTALL).group()
            self.assertEqual(set(re.findall(r"int\w+ \*", struct)), {"int64_t *"})

    def test_text_stages_and_headers_have_the_types(self):
        options = ("--format", "A=csr", "--type", "T=f32", "--index", "i64", "-q")
        self.assertIn("xf32", self.spc("compile", "k.tex", *options, "--emit=linalg").out)
        self.assertNotIn("xf64", self.spc("compile", "k.tex", *options, "--emit=linalg").out)
        self.spc("compile", "k.tex", *options, "-o", "k.o")
        header = (self.folder / "k.h").read_text()
        self.assertIn("spc_csr_f32_i64", header)
        self.assertIn("float *values", header)
        self.assertNotIn("double *values", header)

    def test_run_takes_the_same_options(self):
        data = ("A=random:4x3:density=0.5:seed=1", "B=random:3x2:seed=2")
        self.write("literal.tex", GENERIC.replace("type T = f64\n", "").replace("T,", "i32,").replace(": T", ": i32")
                   .replace("T(0.5)", "2"))
        self.write("k.tex", GENERIC.replace("T(0.5)", "T(2)"))
        self.assertEqual(self.spc("run", "k.tex", "--format=A=csr64", "--type=T=i32", *data).out,
                         self.spc("run", "literal.tex", "--format=A=csr", *data).out)
        self.assertIn("[type-argument]", self.spc("run", "k.tex", "--type==i32", *data, expect=1).err)

    def test_two_objects_of_one_file(self):
        for name, options in (("k_f64", []), ("k_f32", ["--type", "T=f32"])):
            self.spc("compile", "k.tex", "--format=A=csr", "--name", name, "-o", f"{name}.o", *options)
        self.write("both.c", '#include "k_f64.h"\n#include "k_f32.h"\nint main(void) { return 0; }\n')
        self.command("cc", "-std=c11", "-Wall", "-Werror", "both.c", "k_f64.o", "k_f32.o", "-o", "both", "-lm")

    def test_the_schema_knows_the_types_that_sema_knows(self):
        schema = json.loads((ROOT / "formats" / "format.schema.json").read_text())
        types = schema["$defs"]["tensors"]["properties"]["types"]["additionalProperties"]["enum"]
        error = self.spc("compile", "k.tex", "--format=A=csr", "--type=T=qqqqqq", expect=1).err
        self.assertEqual(sorted(types), sorted(re.search(r"the types are (.*)", error).group(1).split(", ")))


if __name__ == "__main__":
    unittest.main()
