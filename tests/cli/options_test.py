"""Options in general: help, versions, usage errors, diagnostics' styles, warnings."""

import json
import re
import unittest

from spc_case import SPMV, SpcCase


class Usage(SpcCase):
    def setUp(self):
        super().setUp()
        self.write("spmv.tex", SPMV)

    def test_help_and_version(self):
        self.assertIn("compile", self.spc("--help").out)
        self.assertRegex(self.spc("--version").out, r"^spc \d+\.\d+\.\d+ \(LLVM 22")
        for command in ("compile", "run"):
            text = self.spc(command, "--help").out
            for option in ("--format", "--name", "-O", "--diagnostics", "--color", "-W", "-v"):
                self.assertIn(option, text)
        text = self.spc("compile", "--help").out
        for option in ("-MD", "-MF", "-MT", "-MP", "-fPIC", "--emit", "--target", "--mcpu", "-g", "--header"):
            self.assertIn(option, text)
            self.assertNotIn("--MD", text)

    def test_verification_changes_nothing_and_is_in_no_help(self):
        mask = self.write("mask.tex", "y(j) = x(j)*0 + (not pattern(a(j)))\n")
        of_mask = ["--type=i32", "--format=a=sparse-vector", "--format=y=sparse-vector"]
        for kernel, formats in (("spmv.tex", ["--format=A=csr"]), (mask.name, of_mask)):
            for level in ("-O0", "-O3"):
                for emit in ("plan", "llvm"):
                    told = ("compile", kernel, *formats, level, f"--emit={emit}", "-o", "-")
                    self.assertEqual(self.spc(*told, "--verify").out, self.spc(*told).out)
        self.write("A.tns", "1 1 2\n2 2 3\n")
        self.assertIn("2", self.spc("run", "spmv.tex", "--verify", "A=A.tns", "x=ones").out)
        self.spc("explain", "spmv.tex", "--verify")
        for command in ("compile", "run", "explain", "tune", "grad"):
            self.assertNotIn("--verify", self.spc(command, "--help").out)
        self.spc("--write-manual", "share")
        for path in (self.folder / "share").rglob("*"):
            if path.is_file():
                self.assertNotIn("--verify", path.read_text(), path.name)

    def test_plans_are_verified_where_the_environment_says_so(self):
        self.spc("compile", "spmv.tex", "--emit=plan", "-o", "-", env={"SPC_VERIFY_PLANS": "1"})

    def test_subcommands(self):
        self.assertIn("spc compile", self.spc("complie", "spmv.tex", expect=2).err)
        self.spc(expect=2)
        self.spc("", expect=2)

    def test_unknown_options_name_the_nearest(self):
        for wrong, right in (("--emmit=llvm", "--emit"), ("--fromat=csr", "--format"), ("-MDD", "-MD"),
                             ("--nmae=x", "--name"), ("-fPIE", "-fPIC")):
            with self.subTest(option=wrong):
                error = self.spc("compile", "spmv.tex", wrong, expect=2).err
                self.assertIn(f"'{right}'", error)
                self.assertIn("^", error)
        self.spc("compile", "spmv.tex", "--qqqqqq", expect=2)

    def test_unknown_warnings_are_told_the_known_ones(self):
        error = self.spc("compile", "spmv.tex", "-Wqqqqqq", expect=2).err
        self.assertIn("known warnings: asymptotic, broadcast, densify", error)
        self.assertIn("known notes: checked, cost, format-bound", error)
        self.assertIn("'-Wdensify'", self.spc("compile", "spmv.tex", "-Wdensfy", expect=2).err)

    def test_notes_can_be_left_out(self):
        notes = ("compile", "spmv.tex", "--format=csr", "--emit=plan")
        self.assertIn("[-Woutput-format]", self.spc(*notes).err)
        self.assertIn("[-Wformat-bound]", self.spc(*notes, "-Wno-output-format").err)
        self.assertNotIn("output-format", self.spc(*notes, "-Wno-output-format").err)
        self.assertIn("[-Woutput-format]", self.spc(*notes, "-Werror").err)
        self.assertEqual(self.spc(*notes, "-q").err, "")
        self.assertIn("[-Wunused-option]", self.spc(*notes, "-q", "--drop-zeros").err)

    def test_wrong_values(self):
        for options in (["--emit=lvm"], ["-O4"], ["-Ofast"], ["--color=blue"], ["--diagnostics=xml"], ["--fp=loose"],
                        ["-o"], ["--format"], ["-Wdensfy"], ["-Wno-error=reordr"], ["other.tex"], ["-o", "a", "-o", "b"],
                        ["--name=2x"], ["--name=int"], ["--name=main"], ["--name=spc_x"]):
            with self.subTest(options=options):
                self.assertIn("error", self.spc("compile", "spmv.tex", *options, expect=2).err)
        self.spc("compile", expect=2)
        self.assertEqual(self.files(), ["spmv.tex"])

    def test_function_name_from_the_file(self):
        for name in ("my-kernel.tex", "2d.tex", "int.tex", "a b.tex"):
            self.write(name, SPMV)
            self.assertIn("--name=", self.spc("compile", name, "--format=A=csr", expect=2).err)
            self.spc("compile", name, "--format=A=csr", "--name=good", "-o", "k.o")

    def test_accepted_habits(self):
        self.spc("compile", "spmv.tex", "--format", "A=csr", "-fPIC", "-O2", "-o", "k.o", "-v", "--time-passes",
                 "--fp=strict", "--color=never")
        self.spc("compile", "-o", "k.o", "--format=A=csr", "--", "spmv.tex")


class Diagnostics(SpcCase):
    optimised = False

    def setUp(self):
        super().setUp()
        self.write("bad.tex", "y(i) = A(i, j) * \nz(i) = B(i,\nw(i) = x(i) + * 2\n")

    def test_all_errors_of_a_file(self):
        self.assertGreaterEqual(self.spc("compile", "bad.tex", expect=1).err.count("error:"), 2)

    def test_json_parses(self):
        lines = self.spc("compile", "bad.tex", "--diagnostics=json", expect=1).err.splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            entry = json.loads(line)
            self.assertEqual(entry["severity"], "error")
            self.assertEqual(entry["file"], "bad.tex")
            self.assertRegex(entry["id"], r"^[a-z0-9]+(-[a-z0-9]+)*$")
            self.assertGreaterEqual(entry["line"], 1)
        usage = self.spc("compile", "bad.tex", "--diagnostics", "json", "--emmit=ast", expect=2).err.splitlines()
        self.assertEqual(json.loads(usage[0])["id"], "unknown-option")

    def test_color(self):
        self.assertNotIn("\x1b[", self.spc("compile", "bad.tex", expect=1).err)
        self.assertIn("\x1b[", self.spc("compile", "bad.tex", "--color=always", expect=1).err)
        self.assertNotIn("\x1b[", self.spc("compile", "bad.tex", "--color=never", expect=1).err)

    def test_warnings(self):
        self.write("k.tex", "A(i, j) = B(i, k) * C(k, j)\n")
        base = ["compile", "k.tex", "--format=B=csr", "--format=C=csc", "-o", "k.o"]
        names = re.findall(r"\[-W([a-z-]+)\]", self.spc(*base).err)
        self.assertIn("densify", names)
        self.assertNotIn("warning", self.spc(*base, *(f"-Wno-{name}" for name in names)).err)
        for path in ("k.o", "k.h"):
            (self.folder / path).unlink()
        self.spc(*base, "-Werror", expect=1)
        self.spc(*base, "-Werror=densify", expect=1)
        self.assertEqual(self.files(), ["bad.tex", "k.tex"])
        self.spc(*base, "-Werror", *(f"-Wno-error={name}" for name in names))

    def test_diagnostics_have_pages(self):
        page = self.spc("explain", "unknown-format").out
        self.assertTrue(page.startswith("unknown-format\n\nNo format of that name"))
        self.assertIn("$ spc ", page)
        for written in ("[unknown-format]", "UNKNOWN-FORMAT", "unknown_format"):
            self.assertEqual(self.spc("explain", written).out, page)
        for written in ("-Wreorder", "[-Wreorder]", "Wreorder", "-Werror=reorder", "[-Werror=reorder]"):
            self.assertTrue(self.spc("explain", written).out.startswith("reorder\n\n"), written)
        for bug in ("wrong-result", "internal-error", "runtime-broken"):
            self.assertIn("exit code 70", self.spc("explain", bug).out)
        self.assertIn("did you mean 'spc explain reorder'?", self.spc("explain", "-Wreordr", expect=1).err)
        self.assertIn("[usage]", self.spc("explain", "gathers", "--html", "x.html", expect=2).err)
        wrong = self.spc("explain", "unknown-formt", expect=1)
        self.assertIn("did you mean 'spc explain unknown-format'?", wrong.err)


if __name__ == "__main__":
    unittest.main()
