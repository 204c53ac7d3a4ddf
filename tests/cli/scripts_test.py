"""The scripts that set things up, as far as that can be tested without installing anything."""

import os
import re
import shutil
import subprocess
import unittest

from spc_case import ROOT, SPC, SpcCase

SCRIPTS = ("cmake/setup.sh", "cmake/lint.sh", "tests/run.sh", "tests/clean_root/run.sh", "examples/quickstart.sh", ".ci/run")


class Scripts(SpcCase):
    def test_they_parse(self):
        for script in SCRIPTS:
            self.command("bash", "-n", ROOT / script)

    def test_those_that_are_run_may_be(self):
        for script in SCRIPTS[1:]:
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)

    def test_installed_packages_are_left_alone(self):
        done = self.command("bash", "-c", f"set -eu; source {ROOT}/cmake/setup.sh; spc_packages bash coreutils; spc_jobs")
        self.assertRegex(done.stdout, r"^[1-9]\d*\n$")

    def test_the_clean_roots_have_tests(self):
        text = (ROOT / "tests" / "clean_root" / "run.sh").read_text()
        names = re.findall(r"\bbuild_(?:systems|libraries)_test\.\S+\b", text)
        self.assertGreater(len(names), 10)
        self.assertGreaterEqual(unittest.defaultTestLoader.loadTestsFromNames(names).countTestCases(), len(names))
        self.assertEqual(unittest.defaultTestLoader.errors, [])

    def test_without_root_and_sudo_the_missing_are_named(self):
        tools = self.folder / "bin"
        tools.mkdir()
        for tool in ("dirname", "grep", "cat"):
            (tools / tool).symlink_to(shutil.which(tool))
        self.write("bin/id", "#!/bin/sh\necho 1000\n").chmod(0o755)
        script = f"source {ROOT}/cmake/setup.sh; PATH={tools}; spc_packages spc-no-such-package"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("spc-no-such-package", done.stderr)

    def test_installation_and_a_copied_executable(self):
        build = os.path.dirname(os.path.dirname(SPC))
        self.command("cmake", "--install", build, "--prefix", self.folder / "prefix")
        for path in ("bin/spc", "include/spc/spc.h", "share/spc/formats/csr.json"):
            self.assertTrue((self.folder / "prefix" / path).exists(), path)
        self.write("k.tex", "y(i) = A(i, j) * x(j)\n")
        shutil.copy(self.folder / "prefix" / "bin" / "spc", self.folder / "alone")
        self.command(self.folder / "alone", "compile", "k.tex", "--format=A=csr", "-o", "k.o", env={})


if __name__ == "__main__":
    unittest.main()
