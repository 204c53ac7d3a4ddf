"""-MD and its company, read by a real make."""

import os
import re
import shlex
import shutil
import time
import unittest

from spc_case import ROOT, SPC, SPMV, SpcCase


class Depfiles(SpcCase):
    optimised = False

    def setUp(self):
        super().setUp()
        self.write("spmv.tex", SPMV)
        self.csr = (ROOT / "formats" / "csr.json").read_text()
        self.write("csr.json", self.csr)

    def depfile(self, *options, name="k.d"):
        self.spc("compile", "spmv.tex", "--format", "A=csr.json", "-o", "k.o", *options)
        return (self.folder / name).read_text()

    def test_lists_kernel_and_formats(self):
        text = self.depfile("-MD")
        self.assertTrue(text.startswith("k.o:"), text)
        self.assertIn("spmv.tex", text)
        self.assertIn("csr.json", text)
        self.assertNotIn("\ncsr.json:", text)

    def test_built_in_formats_are_the_executable(self):
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "k.o", "-MD", "-MP")
        executable = os.path.realpath(SPC)
        self.assertEqual((self.folder / "k.d").read_text(), f"k.o: spmv.tex \\\n  {executable}\n{executable}:\n")
        self.assertNotIn(executable, self.depfile("-MD"))

    def test_names(self):
        self.assertTrue(self.depfile("-MD", "-MF", "x.dep", "-MT", "$(OBJ)", name="x.dep").startswith("$(OBJ):"))
        self.assertTrue(self.depfile("-MD", "-MFy.dep", name="y.dep").startswith("k.o:"))
        self.assertTrue(self.depfile("-MD", "-MT", "a", "-MT", "b").startswith("a b:"))

    def test_phony_targets(self):
        text = self.depfile("-MD", "-MP")
        self.assertIn("\ncsr.json:\n", text)
        self.assertNotIn("\nspmv.tex:\n", text)

    def test_none_without_md(self):
        self.spc("compile", "spmv.tex", "--format=A=csr", "-o", "k.o")
        self.assertNotIn("k.d", self.files())
        for option in (["-MF", "x.d"], ["-MP"], ["-MT", "x"]):
            self.assertIn("-MD", self.spc("compile", "spmv.tex", "--format=A=csr", *option, expect=2).err)
        self.spc("compile", "spmv.tex", "--format=A=csr", "--emit=llvm", "-MD", expect=2)

    def test_make_understands_odd_names(self):
        for odd in ("a b", "a#b", "a$b", "a$$b c", "a\\ b", "a:b", "a~b", "a,b", "a(b", "a&b", "a'b"):
            with self.subTest(name=odd):
                kernel, form, output = f"{odd}.tex", f"{odd}.json", f"{odd}.o"
                self.write(kernel, SPMV)
                self.write(form, self.csr)
                self.spc("compile", kernel, "--format", f"A={form}", "--name", "spmv", "-o", output, "-MD", "-MF", "k.d")
                self.write("Makefile", "include k.d\n")
                self.check_rebuilds(output, kernel, form)

    @unittest.skipUnless(shutil.which("ninja"), "ninja is not installed")
    def test_ninja_understands_odd_names(self):
        for odd in ("a b", "a#b", "a$b", "a:b", "a,b", "a(b", "a~b"):
            with self.subTest(name=odd):
                kernel, form, output = f"{odd}.tex", f"{odd}.json", f"{odd}.o"
                self.write(kernel, SPMV)
                self.write(form, self.csr)
                escaped = {name: re.sub(r"([$ :])", r"$\1", name) for name in (kernel, output)}
                command = shlex.join([str(SPC), "compile", kernel, "--format", f"A={form}", "--name", "spmv", "-o", output,
                                      "-MD", "-MF", "k.d"]).replace("$", "$$")
                self.write("build.ninja", f"rule spc\n  command = {command}\n  depfile = k.d\n"
                                          f"build {escaped[output]}: spc {escaped[kernel]}\n")
                self.command("ninja")
                self.assertIn("no work to do", self.command("ninja").stdout)
                later = time.time() + 10
                os.utime(self.folder / form, (later, later))
                self.assertIn("[1/1]", self.command("ninja").stdout)

    def test_names_that_no_makefile_holds(self):
        for odd in ("a;b", "a=b", "a|b", "a%b", "a\nb"):
            with self.subTest(name=odd):
                compiling = ["compile", "spmv.tex", "--format", "A=csr.json", "-o", f"{odd}.o"]
                self.assertIn("no makefile can name", self.spc(*compiling, "-MD", "-MF", "k.d", expect=2).err)
                self.assertEqual(self.files(), ["csr.json", "spmv.tex"])
                self.spc(*compiling, "-MD", "-MF", "k.d", "-MT", "made")
                self.assertTrue((self.folder / "k.d").read_text().startswith("made: spmv.tex"))
                for name in (f"{odd}.o", f"{odd}.h", "k.d"):
                    (self.folder / name).unlink()

    def test_formats_whose_names_would_be_variables(self):
        (self.folder / "a=b").mkdir()
        self.write("a=b/base.json", self.csr)
        self.write("a=b/rows.json", '{ "format": "base.json" }\n')
        self.spc("compile", "spmv.tex", "--format", "A=a=b/rows.json", "-o", "k.o", "-MD", "-MF", "k.d", "-MP")
        self.check_rebuilds("k.o", "spmv.tex", "a=b/rows.json", "a=b/base.json")

    def check_rebuilds(self, output, *inputs):
        """make holds the output for current, and for old once any input is newer."""
        now = time.time()
        target = (self.folder / "k.d").read_text().split(": ")[0].split(":\\")[0].split(": \\")[0]
        self.write("Makefile", f"{target}:\n\t@echo rebuilt\ninclude k.d\n")
        for name in (*inputs, output):
            os.utime(self.folder / name, (now - 100, now - 100))
        self.assertNotIn("rebuilt", self.command("make", "-s").stdout)
        for name in inputs:
            os.utime(self.folder / name, (now, now))
            self.assertIn("rebuilt", self.command("make", "-s").stdout, name)
            os.utime(self.folder / name, (now - 100, now - 100))

    def test_a_project_builds_and_builds_again(self):
        self.write("Makefile", f"k.o: spmv.tex\n\t{SPC} compile spmv.tex --format A=csr.json -o k.o -MD -MP\n"
                               "-include k.d\n")
        self.command("make")
        self.assertIn("up to date", self.command("make").stdout)
        later = time.time() + 10
        os.utime(self.folder / "csr.json", (later, later))
        self.assertIn("compile", self.command("make").stdout)

    def test_nothing_is_written_on_errors(self):
        self.write("spmv.tex", "y(i) = \n")
        self.spc("compile", "spmv.tex", "-MD", "-o", "k.o", expect=1)
        self.assertEqual(self.files(), ["csr.json", "spmv.tex"])


if __name__ == "__main__":
    unittest.main()
