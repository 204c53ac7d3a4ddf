"""`spc compile`: what it writes, where, and that it is the same every time."""

import json
import os
import shutil
import unittest

from spc_case import ROOT, SDDMM, SPC, SPMV, SpcCase


class Outputs(SpcCase):
    def setUp(self):
        super().setUp()
        self.write("spmv.tex", SPMV)

    def test_object_and_header(self):
        self.spc("compile", "spmv.tex", "--format", "A=csr", "-o", "kernel.o")
        self.assertEqual(self.files(), ["kernel.h", "kernel.o", "spmv.tex"])
        self.assertIn("spmv_spc5_", self.command("nm", "kernel.o").stdout)
        self.assertIn("spmv(", (self.folder / "kernel.h").read_text())

    def test_defaults_land_in_the_current_folder(self):
        self.write("deep/dot.tex", "s = x(i) * y(i)\n")
        self.spc("compile", "deep/dot.tex")
        self.assertEqual(self.files(), ["deep/dot.tex", "dot.h", "dot.o", "spmv.tex"])

    def test_names_header_and_function(self):
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "a.o", "--header", "b.hpp", "--name", "gemv")
        self.assertEqual(self.files(), ["a.o", "b.hpp", "spmv.tex"])
        self.assertIn("gemv_spc5_", self.command("nm", "a.o").stdout)
        self.assertIn("gemv_ctx", (self.folder / "b.hpp").read_text())

    def test_header_to_standard_output(self):
        done = self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "a.o", "--header", "-")
        self.assertIn("spmv_ctx", done.out)
        self.assertEqual(self.files(), ["a.o", "spmv.tex"])

    def test_assembly_brings_a_header(self):
        self.spc("compile", "spmv.tex", "--format=A=csr", "--emit=asm")
        self.assertEqual(self.files(), ["spmv.h", "spmv.s", "spmv.tex"])
        self.assertRegex((self.folder / "spmv.s").read_text(), r"\bspmv_argv_[0-9a-f]{16}:")

    def test_a_shared_library_is_that_of_the_object(self):
        self.spc("compile", "spmv.tex", "--format=A=csr", "-O1", "-o", "o/spmv.o", expect=1)
        os.makedirs(self.folder / "o")
        for name in ("kernel.so", "libkernel.so.1"):
            self.spc("compile", "spmv.tex", "--format=A=csr", "-O1", "-o", "o/spmv.o")
            self.spc("library", "o/spmv.o", "-o", f"o/{name}")
            self.spc("compile", "spmv.tex", "--format=A=csr", "-O1", "--emit=shared", "-o", name, "--header", "kernel.h")
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / "o" / name).read_bytes())
            header = "kernel.h" if name == "kernel.so" else "libkernel.h"
            self.assertEqual((self.folder / "kernel.h").read_text(), (self.folder / "o" / header).read_text())

    def test_a_shared_library_by_default_and_to_standard_output(self):
        self.spc("compile", "spmv.tex", "--format=A=csr", "-O0", "--emit=shared", "-MD")
        self.assertEqual(self.files(), ["spmv.d", "spmv.h", "spmv.so", "spmv.tex"])
        self.assertTrue((self.folder / "spmv.d").read_text().startswith("spmv.so: spmv.tex"))
        self.assertIn("spmv", self.spc("inspect", "spmv.so").out)
        self.command("sh", "-c", f"{SPC} compile - --name=spmv --format=A=csr -O0 --emit=shared -o - -q < spmv.tex > other.so")
        self.assertEqual((self.folder / "other.so").read_bytes(), (self.folder / "spmv.so").read_bytes())

    def test_shared_libraries_that_cannot_be_made_leave_nothing(self):
        for option, said in (("--target=wasm32-unknown-unknown", "library-target"), ("-Werror=broadcast", "-Werror=broadcast")):
            with self.subTest(option=option):
                self.write("k.tex", "y(i) = A(k,j) * x(j)\n")
                done = self.spc("compile", "k.tex", "--format=A=csr", "-O0", "--emit=shared", option, expect=1)
                self.assertIn(f"[{said}]", done.err)
                self.assertEqual(self.files(), ["k.tex", "spmv.tex"])

    def test_text_stages_go_to_standard_output(self):
        signs = {"ast": "y", "kernel": "y(i) = A(i,j)*x(j)\n", "plan": "for i, j+:", "linalg": "linalg.generic", "sparse": "scf.for", "loops": "scf.for", "llvm": "define"}
        for stage, sign in signs.items():
            with self.subTest(stage=stage):
                done = self.spc("compile", "spmv.tex", "--format=A=csr", f"--emit={stage}")
                self.assertIn(sign, done.out)
                self.assertEqual(self.files(), ["spmv.tex"])

    def test_the_program_reads_as_the_same_kernel(self):
        self.write("k.tex", "semiring(min, +)\ntype T = f32\nkernel f(A, x) -> (y, z)\n"
                   "tensor A(m, m): T, sparse\ntensor x(m): T\n"
                   "let t(i) = A(i,j) * x(j)\ny(i) = (t(i))\nz = argmin(i, x(i)) + count(i, j, A(i,j))\n")
        self.spc("compile", "k.tex", "--format=A=csr", "--emit=kernel", "-o", "program.tex")
        program = (self.folder / "program.tex").read_text()
        self.assertIn("let t(i) = min(j, A(i,j) + x(j))\n", program)
        formats = ["--format=A=csr", "-Wno-asymptotic"]
        self.assertEqual(self.spc("compile", "program.tex", *formats, "--emit=kernel").out, program)
        self.assertEqual(self.spc("compile", "program.tex", *formats, "--emit=plan").out,
                         self.spc("compile", "k.tex", *formats, "--emit=plan").out)
        self.spc("compile", "k.tex", "--format=A=csr", "--emit=kernel", "--header=p.h", "-o", "-")
        self.assertIn("f_argv", (self.folder / "p.h").read_text())

    def test_the_program_keeps_conversions(self):
        statement = "y(i) = T(0.5)*T(x(i)) + f64(x(i))\n"
        self.write("k.tex", "type T = f64\ntensor x(n): T\n" + statement)
        self.assertIn(statement, self.spc("compile", "k.tex", "--emit=kernel").out)

    def test_plan(self):
        self.write("k.tex", "A(i,j) = B(i,k) * C(k,j)\nD(i,j) = A(j,i)\n")
        formats = [f"--format={tensor}=csr" for tensor in "ABD"] + ["--format=C=csc", "-Wno-reorder"]
        plan = self.spc("compile", "k.tex", "--emit=plan", *formats)
        self.assertEqual(plan.err, "")
        self.assertEqual(plan.out, """\
kernel k(B, C, A, D)
  B(i, k): f64, csr (i: dense, k: compressed), pointers i32, indices i32; read
  C(k, j): f64, csc (j: dense, k: compressed), pointers i32, indices i32; read
  A(i, j): f64, csr (i: dense, j: compressed), pointers i32, indices i32; written, assembled
  D(j, i): f64, csr (j: dense, i: compressed), pointers i32, indices i32; written, assembled
  C$0_1(k, j): f64 (k: looked up, j: compressed), pointers i32, indices i32; copy of C
  cost: nnz(B)*nnz(C)/k for A

A in f64, assembled row by row (i), keys (j):
  for i, k+, j: A(i,j) += B(i,k)*C$0_1(k,j)
  divided by rows of i: slices of A, B; what B lists of C$0_1

D(j,i) is converted from A(i,j)
""")
        self.assertEqual(self.files(), ["k.tex", "spmv.tex"])
        self.spc("compile", "k.tex", "--emit=plan", *formats, "-o", "k.plan")
        self.assertEqual((self.folder / "k.plan").read_text(), plan.out)

    def test_text_stage_into_a_file(self):
        self.spc("compile", "spmv.tex", "--format=A=csr", "--emit=llvm", "-o", "a.ll")
        self.assertEqual(self.files(), ["a.ll", "spmv.tex"])

    def test_syntax_tree_needs_no_formats_and_no_name(self):
        self.write("a-b.tex", "tensor A(m, n), sparse\ny(i) = A(i,j) * x(j)\n")
        self.assertIn("A", self.spc("compile", "a-b.tex", "--emit=ast").out)

    def test_standard_input(self):
        self.spc("compile", "-", "--name", "spmv", "--format=A=csr", "-o", "k.o", stdin=SPMV)
        self.assertEqual(self.files(), ["k.h", "k.o", "spmv.tex"])
        self.spc("compile", "-", "--name=dot", stdin="s = x(i) * y(i)\n")
        self.assertTrue((self.folder / "dot.o").exists())
        self.assertIn("--name", self.spc("compile", "-", stdin=SPMV, expect=2).err)

    def test_object_to_standard_output(self):
        done = self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "-")
        self.assertTrue(done.stdout.startswith(b"\x7fELF"))
        self.assertEqual(self.files(), ["spmv.tex"])

    def test_two_runs_give_the_same_bytes(self):
        for options in ([], ["-g"], ["-O0"], ["--emit=asm"], ["--mcpu=x86-64-v3"]):
            for name in ("one", "two"):
                self.spc("compile", "spmv.tex", "--format=A=csr", "-MD", "-MT", "t", "-o", f"{name}/k.o",
                         expect=1)  # the folder is missing: nothing is written
                os.makedirs(self.folder / name)
                self.spc("compile", "spmv.tex", "--format=A=csr", "-MD", "-MT", "t", "-o", f"{name}/k.o", *options)
            for suffix in ("o", "h", "d"):
                self.assertEqual((self.folder / f"one/k.{suffix}").read_bytes(),
                                 (self.folder / f"two/k.{suffix}").read_bytes(), f"{options} {suffix}")
            shutil.rmtree(self.folder / "one")
            shutil.rmtree(self.folder / "two")

    def test_undefined_symbols_are_only_those_of_libc(self):
        self.write("sddmm.tex", SDDMM)
        self.spc("compile", "sddmm.tex", "--format=S=csr", "-o", "k.o")
        undefined = {line.split()[-1] for line in self.command("nm", "-u", "k.o").stdout.splitlines()}
        self.assertLessEqual(undefined, {"malloc", "free", "memset", "memcpy", "memmove", "_GLOBAL_OFFSET_TABLE_"})

    def test_nothing_is_written_beside_a_device(self):
        (self.folder / "device").symlink_to("/dev/null")
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "device")
        self.assertEqual(self.files(), ["device", "spmv.tex"])
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "device", "--header", "a.h")
        self.assertEqual(self.files(), ["a.h", "device", "spmv.tex"])
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "device", "-MD", expect=2)

    def test_an_old_output_stays_when_compiling_fails(self):
        self.write("k.o", "old")
        self.write("spmv.tex", "y(i) = A(i, j\n")
        self.spc("compile", "spmv.tex", "-o", "k.o", expect=1)
        self.assertEqual((self.folder / "k.o").read_text(), "old")
        self.assertEqual(self.files(), ["k.o", "spmv.tex"])

    def test_outputs_never_overwrite_inputs_or_each_other(self):
        before = (self.folder / "spmv.tex").read_text()
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "spmv.tex", expect=2)
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "k.o", "--header", "./spmv.tex", expect=2)
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "k.h", expect=2)
        self.assertEqual((self.folder / "spmv.tex").read_text(), before)
        self.assertEqual(self.files(), ["spmv.tex"])

    def test_full_device_is_an_error(self):
        if os.path.exists("/dev/full"):
            self.assertIn("/dev/full", self.spc("compile", "spmv.tex", "--format=A=csr", "--emit=llvm", "-o",
                                                "/dev/full", expect=1).err)


class Targets(SpcCase):
    def setUp(self):
        super().setUp()
        self.write("sddmm.tex", SDDMM)

    def test_aarch64_object_and_header(self):
        self.spc("compile", "sddmm.tex", "--format", "S=csr", "--target=aarch64-linux-gnu", "-o", "k.o")
        header = self.command("readelf", "-h", "k.o").stdout
        self.assertRegex(header, r"Machine:\s+AArch64")
        self.assertRegex(header, r"Type:\s+REL")
        self.assertRegex(self.command("readelf", "-sW", "k.o").stdout, r"FUNC\s+WEAK\s+HIDDEN\s+\d+ sddmm_argv_")
        self.spc("compile", "sddmm.tex", "--format", "S=csr", "-o", "host.o")
        self.assertEqual((self.folder / "k.h").read_text(), (self.folder / "host.h").read_text())

    def test_other_targets(self):
        for triple, magic in (("riscv64-linux-gnu", b"\x7fELF"), ("wasm32-unknown-unknown", b"\0asm")):
            with self.subTest(triple=triple):
                self.spc("compile", "sddmm.tex", "--format", "S=csr", f"--target={triple}", "-o", "k.o")
                self.assertTrue((self.folder / "k.o").read_bytes().startswith(magic))

    def test_unknown_target_and_processor(self):
        x86 = "--target=x86_64-linux-gnu"
        for options, message, help_ in (
                (["--target=aarch65-linux-gnu"], "unknown target 'aarch65-linux-gnu'", "'aarch64-linux-gnu'"),
                (["--target=pdp11"], "unknown target 'pdp11'", "known architectures are aarch64"),
                ([x86, "--mcpu=haswel"], "unknown processor 'haswel'", "'haswell'"),
                ([x86, "--mcpu", "znver55"], "unknown processor 'znver55'", "'znver5'"),
                ([x86, "--mcpu=nativ"], "unknown processor 'nativ'", "'native'"),
                ([x86, "--mcpu=x86-64-v5"], "unknown processor 'x86-64-v5'", "'x86-64-v4'"),
                ([x86, "--mcpu=x86-64,x86-64-v5"], "'x86-64-v5' is no level", "'x86-64-v4'"),
                ([x86, "--mcpu=x86-64,,x86-64-v3"], "two commas", "remove ','"),
                ([x86, "--mcpu=x86-64,x86-64-v3,"], "ends with a comma", "remove ','"),
                ([x86, "--mcpu=,x86-64"], "begins with a comma", "remove ','")):
            with self.subTest(options=options):
                done = self.spc("compile", "sddmm.tex", "--format", "S=csr", *options, expect=2)
                self.assertRegex(done.err, "^<command line>:1:[0-9]+: error: .*" + message)
                self.assertIn(help_, done.err)
        both = self.spc("compile", "none.tex", x86, "--mcpu=x86-65,znver4,x86-64-v3", "--diagnostics=json", expect=2)
        self.assertEqual([json.loads(line)["message"].split()[0] for line in both.err.splitlines()], ["'x86-65'", "'znver4'"])
        self.assertEqual(self.files(), ["sddmm.tex"])

    def test_processor_changes_the_code(self):
        assembly = [self.spc("compile", "sddmm.tex", "--format", "S=csr", "--emit=asm", "-o", "-", f"--mcpu={cpu}",
                             "--target=x86_64-linux-gnu").out for cpu in ("x86-64", "x86-64-v3")]
        self.assertNotIn("ymm", assembly[0])
        self.assertIn("ymm", assembly[1])
        self.spc("compile", "sddmm.tex", "--format", "S=csr", "--mcpu=native", "-o", "k.o")

    def test_debug_lines_point_into_the_kernel(self):
        self.spc("compile", "sddmm.tex", "--format", "S=csr", "-g", "-o", "k.o")
        lines = self.command("readelf", "--debug-dump=decodedline", "k.o").stdout
        self.assertIn("sddmm.tex", lines)
        self.spc("compile", "sddmm.tex", "--format", "S=csr", "-o", "k.o")
        self.assertNotIn("debug_line", self.command("readelf", "-SW", "k.o").stdout)


class Formats(SpcCase):
    def test_found_by_folder_variable_and_path(self):
        text = (ROOT / "formats" / "csr.json").read_text()
        self.write("mine/rows.json", text)
        self.write("spmv.tex", SPMV)
        self.spc("compile", "spmv.tex", "--format=A=rows", "--emit=llvm", expect=1)
        self.spc("compile", "spmv.tex", "--format=A=rows", "--emit=llvm", "--format-path", "mine")
        self.spc("compile", "spmv.tex", "--format=A=rows", "--emit=llvm", env={"SPC_FORMAT_PATH": "/nowhere:mine"})
        self.spc("compile", "spmv.tex", "--format=A=mine/rows.json", "--emit=llvm")

    def test_one_value_each(self):
        self.write("spmv.tex", SPMV)
        self.spc("compile", "--format", "A=csr", "spmv.tex", "-o", "k.o")
        self.spc("compile", "--format", "A=csr", "--format", "x=dense", "spmv.tex", "-o", "k.o")


if __name__ == "__main__":
    unittest.main()
