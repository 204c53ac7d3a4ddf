"""docs/cpp.md is what it says: its kernels compile as printed, and all its blocks as one program, which runs."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from spc_case import ROOT, SPC, SpcCase

PAGE = (ROOT / "docs" / "cpp.md").read_text()
MATRICES = "Eigen::SparseMatrix<double, Eigen::RowMajor> A("
EIGEN = "/usr/include/eigen3"

PROGRAM = """#include <spc/pool.h>
%(includes)s
#include "spgemm.h"
#include "sddmm.h"
#include <cassert>
#include <vector>

int main() {
%(matrices)s
  for (int n = 0; n < 4; ++n)
    A.insert(n, n + 1) = n + 1;
  for (int n = 0; n < 6; ++n)
    M.insert(n, 5 - n) = n;
  A.makeCompressed();
  M.makeCompressed();
  B.setRandom();
%(blocks)s
  return C.isApprox(A * B) ? 0 : 1;
}
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def requiring(*headers):
    """A source that compiles where these are there."""
    return "".join(f"#if !__has_include(<{header}>)\n#error missing\n#endif\n" for header in headers)


class Cpp(SpcCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = pathlib.Path(folder.name)
        for name, statement in re.findall(r"`(\w+\.tex)` is `([^`]+)`", PAGE):
            (cls.page / name).write_text(statement + "\n")
        for line in blocks("sh")[0].splitlines():
            subprocess.run(["bash", "-c", re.sub(r"^spc ", f"{SPC} ", line)], cwd=cls.page, check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        shutil.copytree(self.page, self.folder, dirs_exist_ok=True)

    def test_temporaries_are_refused(self):
        self.write("missing.cpp", requiring("Eigen/SparseCore"))
        self.write("temporary.cpp", "#include <spc/eigen.hpp>\n"
                   "auto dense() { return spc::view(Eigen::MatrixXd(3, 3)); }\n"
                   "auto sparse() { return spc::view(Eigen::SparseMatrix<double>(3, 3)); }\n")
        if self.compiles("missing.cpp") is not None:
            self.skipTest("no Eigen")
        errors = self.compiles("temporary.cpp")
        self.assertEqual(len(re.findall(r"error: .*the view would outlive the matrix", errors)), 2, errors)

    @unittest.skipUnless(shutil.which("clang++-22"), "clang is not installed")
    def test_structs_of_temporaries_are_warned_about(self):
        lines = ["const spc_csr_f64_i32 *a = spc::csr(1, 1, p, p, v);", "const spc_dense2_f64 &a = spc::dense(v, 1, 1);",
                 "spmm_arguments a{.A = A, .B = spc::dense(v, 1, 1), .C = C};", "auto a = spc::owner<spc_csr_f64_i32>().values();",
                 "const spc_csr_f64_i32 *a = spc::owner<spc_csr_f64_i32>();", "const spc_context *a = spc::thread_pool(2);"]
        right = ["const auto a = spc::dense(v, 1, 1); const spc_dense2_f64 &b = a; spc::check(spmm(&A, &b, &C));",
                 "spc::check(spmm({.A = spc::csr(1, 1, p, p, v), .B = spc::dense(v, 1, 1), .C = C}));"]
        functions = "".join("void f%d(spc_csr_f64_i32 &A, spc_dense2_f64 &C, std::vector<int> &p, std::vector<double> &v) "
                            "{ (void)A, (void)C, (void)p, (void)v; %s }\n" % (number, line) for number, line in enumerate(lines + right))
        self.write("call.cpp", '#include "spmm.h"\n#include <spc/spc.hpp>\n#include <vector>\n' + functions)
        said = self.command("clang++-22", "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", "call.cpp").stderr
        warned = {int(line) - 4 for line in re.findall(r"call\.cpp:(\d+):\d+: warning: .*-Wdangling", said)}
        self.assertEqual(warned, set(range(len(lines))), said)

    def test_extents_are_whole(self):
        calls = ["dense(v, 2, 3u)", "dense_by_columns(v, 2, 3L)", "dense(v, 2.5, 3)", "dense_by_columns(v, 2, 3.0f)"]
        self.write("call.cpp", "#include <spc/spc.hpp>\n" + "".join(f"auto f{number}(double (&v)[6]) {{ return spc::{call}; }}\n"
                                                                   for number, call in enumerate(calls)))
        errors = re.findall(r"call\.cpp:(\d+):\d+: error", self.compiles("call.cpp"))
        self.assertEqual({int(line) - 2 for line in errors}, {2, 3})

    def test_values_are_counted(self):
        self.write("product.tex", "D(i,j) = S(i,j) * x(j)\n")
        self.write("call.cpp", '#include <spc/spc.hpp>\n#include "product.h"\n#include <vector>\n'
                   "auto f(STRUCT S, spc_dense1_f64 x, std::vector<double> d) { return product(&S, &x, spc::values(d)); }\n")
        for name, compiles in (("csr", True), ("ell", False), ("lower", False)):
            self.spc("compile", "product.tex", "-q", "-O0", f"--format=S={name}", f"--format=D={name}")
            self.write("call.cpp", re.sub(r"STRUCT|spc_\w+(?= S,)", re.search(r"const (\w+) \*S", (self.folder / "product.h").read_text())[1],
                                          (self.folder / "call.cpp").read_text()))
            errors = self.compiles("call.cpp")
            self.assertEqual(errors is None, compiles, errors)
            if not compiles:
                self.assertIn("the struct does not count its values", errors)

    def compiles(self, source):
        """What the compiler says of a source that does not."""
        done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", "-isystem", EIGEN, source],
                              cwd=self.folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        return done.stderr if done.returncode != 0 else None

    def test_blocks_are_a_program(self):
        include = ["-I", ROOT / "include", "-isystem", EIGEN]
        self.write("missing.cpp", requiring("Eigen/SparseCore", "oneapi/tbb/parallel_for.h", "expected"))
        compiler = next((name for name in ("g++", "c++", "clang++-22") if shutil.which(name)), "c++")
        try:
            self.command(compiler, "-std=c++23", "-fsyntax-only", *include, "missing.cpp")
        except AssertionError:
            self.skipTest("no Eigen, no oneTBB, or no C++23")
        includes, bodies, matrices = [], [], ""
        for block in blocks("cpp"):
            lines = block.splitlines()
            includes += [line for line in lines if line.startswith("#include")]
            body = "\n".join("    " + line for line in lines if not line.startswith("#include"))
            if block.startswith(MATRICES):
                matrices = body
            else:
                bodies.append("  {\n" + body + "\n  }")
        self.assertGreaterEqual(len(bodies), 9)
        self.write("page.cpp", PROGRAM % {"includes": "\n".join(includes), "matrices": matrices, "blocks": "\n".join(bodies)})
        self.command(compiler, "-std=c++23", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", *include, "page.cpp",
                     "spmm.o", "spgemm.o", "sddmm.o", "-o", "page", "-pthread", "-ltbb")
        self.assertEqual(self.command("./page").stdout, "spmm: argument 2 (B): shape[0] is 4, where ncols of A is 5\n")

    def test_c_blocks_compile(self):
        for number, block in enumerate(blocks("c")):
            self.write(f"block{number}.c", block)
            self.command("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ROOT / "include", "-c",
                         f"block{number}.c")


if __name__ == "__main__":
    unittest.main()
