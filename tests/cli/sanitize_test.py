"""`spc compile --sanitize`: what may be asked for, and that it reaches all code. tests/clients runs such objects."""

import re
import unittest

from spc_case import SPMV, SpcCase

SPGEMM = "A(i,j) = B(i,k) * C(k,j)\n"
BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "float": 32, "double": 64, "ptr": 64}
CALLS = {"address": "__asan_", "thread": "__tsan_", "undefined": "__ubsan_"}


class Sanitize(SpcCase):
    def setUp(self):
        super().setUp()
        self.write("spmv.tex", SPMV)
        self.write("spgemm.tex", SPGEMM)

    def compile(self, *options, **expected):
        return self.spc("compile", "spmv.tex", "--format=A=csr", *options, **expected)

    def spgemm(self, *options):
        """A kernel that assembles, as LLVM IR."""
        formats = [f"--format={tensor}=csr" for tensor in "ABC"]
        return self.spc("compile", "spgemm.tex", *formats, "--emit=llvm", *options).out

    def test_calls_of_each(self):
        for list_ in ("address", "thread", "undefined", "address,undefined", "thread,undefined"):
            with self.subTest(list_):
                self.compile(f"--sanitize={list_}", "-o", "k.o")
                needed = self.command("nm", "-u", "k.o").stdout
                for name, prefix in CALLS.items():
                    self.assertEqual(prefix in needed, name in list_, f"{prefix} in {needed}")

    def test_repeated_is_as_a_list(self):
        self.compile("--sanitize=thread", "--sanitize=undefined", "-o", "a.o")
        self.compile("--sanitize", "undefined,thread", "-o", "b.o")
        self.assertEqual((self.folder / "a.o").read_bytes(), (self.folder / "b.o").read_bytes())

    def test_no_access_goes_unwatched(self):
        for level in ("-O0", "-O3"):
            text = self.spgemm(level, "--sanitize=thread")
            functions = dict(re.findall(r"^define [^@]*@([\w.]+)\((.*?)^}$", text, re.MULTILINE | re.DOTALL))
            functions = {re.sub("_[0-9a-f]{16}$", "", name): body for name, body in functions.items()}
            self.assertTrue({"spgemm.body", "spgemm_argv", "spc.rt.assembly_finish"} <= set(functions))
            for name, body in functions.items():
                with self.subTest(name, level=level):
                    if re.search(r"= load .*, ptr %", body) and "alloca" not in body:
                        self.assertRegex(body, r"@__tsan_(unaligned_)?(read|write)\d")
                    for count, kind in re.findall(r"\b(?:load|store) <(.*?) x (\w+)>", body):
                        self.assertLessEqual(int(count) * BITS[kind], 128, "more than the library knows")
                    self.assertNotRegex(body, r"= (atomicrmw|cmpxchg)|@llvm\.masked\.")

    def test_functions_are_marked(self):
        for name, own in (("address", "@asan.module_"), ("thread", "@tsan.module_")):
            text = self.spgemm(f"--sanitize={name}")
            marked = set(re.findall(rf"^attributes (#\d+) = .*\bsanitize_{name}", text, re.MULTILINE))
            for header in re.findall(r"^define .*$", text, re.MULTILINE):
                if own not in header:
                    self.assertTrue(marked & set(re.findall(r"#\d+", header)), header)

    def test_same_bytes_in_every_folder(self):
        for list_ in (*CALLS, "address,undefined"):
            objects = []
            for folder in ("one", "two"):
                self.write(f"{folder}/spmv.tex", SPMV)
                self.spc("compile", f"{folder}/spmv.tex", "--format=A=csr", f"--sanitize={list_}", "-o",
                         f"{folder}/k.o")
                objects.append((self.folder / f"{folder}/k.o").read_bytes())
            self.assertEqual(objects[0], objects[1])

    def test_refused(self):
        both = self.compile("--sanitize=address,thread", expect=2)
        self.assertIn("either 'address' or 'thread'", both.err)
        self.assertIn("unknown-choice", self.compile("--sanitize=addres", expect=2).err)
        for list_ in ("address,,undefined", "address,", ","):
            self.assertIn(f"--sanitize={list_} has a comma too many", self.compile(f"--sanitize={list_}", expect=2).err)
        self.assertIn("did you mean 'address'?", self.compile("--sanitize=addres", expect=2).err)
        for name in ("address", "thread"):
            wasm = self.compile(f"--sanitize={name}", "--target=wasm32-unknown-unknown", expect=2)
            self.assertIn("unsupported-sanitizer", wasm.err)
        self.assertEqual(self.files(), ["spgemm.tex", "spmv.tex"])
        self.compile("--sanitize=undefined", "--target=wasm32-unknown-unknown", "-o", "k.o")
        for target in ("aarch64-linux-gnu", "riscv64-linux-gnu"):
            for name in CALLS:
                self.compile(f"--sanitize={name}", f"--target={target}", "-o", "k.o")


if __name__ == "__main__":
    unittest.main()
