"""What spc takes to be built for another processor than the one that builds it."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from spc_case import ROOT, SPC, SpcCase

RUNTIME = Path(SPC).parent.parent / "src" / "runtime"
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(cross LANGUAGES C CXX)
if(NOT CMAKE_CROSSCOMPILING)
  message(FATAL_ERROR "this is taken for a build for the same processor")
endif()
find_program(TOOL NAMES llvm-nm-22 REQUIRED)
find_library(FOUND NAMES cross_only REQUIRED)
add_library(cross SHARED cross.cpp)
target_link_options(cross PRIVATE -nostdlib)
"""


class Cross(SpcCase):
    def functions(self, architecture):
        """Those of the runtime that its bitcode for an architecture defines."""
        said = self.command("llvm-nm-22", "--defined-only", RUNTIME / f"{architecture}.bc").stdout
        return sorted(set(re.findall(r" T (spc_rt_\w+)$", said, re.MULTILINE)))

    def test_every_architecture_has_the_whole_runtime(self):
        """The compiler is linked with all that the contract names, wherever it runs."""
        named = re.findall(r"^SPC_FUNCTION\(\w+, (\w+)", (ROOT / "src" / "runtime" / "contract.def").read_text(), re.MULTILINE)
        found = self.functions("x86_64")
        self.assertLessEqual({f"spc_rt_{name}" for name in named if "##" not in name}, set(found))
        for architecture in ("aarch64", "riscv64", "wasm32"):
            self.assertEqual(self.functions(architecture), found, architecture)

    def test_the_toolchain_for_aarch64(self):
        """It finds libraries in the sysroot and programs here, and what it builds is for that processor."""
        self.write("CMakeLists.txt", PROJECT)
        self.write("cross.cpp", "int answer() { return 42; }\n")
        self.write("sysroot/usr/lib/libcross_only.a", "!<arch>\n")
        self.command("cmake", "-S", ".", "-B", "build", "--toolchain", ROOT / "cmake" / "aarch64.cmake",
                     f"-DCMAKE_SYSROOT={self.folder / 'sysroot'}", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY")
        self.command("cmake", "--build", "build")
        self.assertRegex(self.command("readelf", "-h", "build/libcross.so").stdout, r"Machine:\s+AArch64")

    def test_the_command_that_makes_the_wheel_knows_its_words(self):
        script = ROOT / "cmake" / "wheel_aarch64.sh"
        self.command("bash", "-n", script)
        self.assertTrue(os.access(script, os.X_OK))
        done = subprocess.run([script, "--tests"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "usage: cmake/wheel_aarch64.sh [--test]\n"))


if __name__ == "__main__":
    unittest.main()
