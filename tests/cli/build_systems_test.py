"""Projects that are built against an installation: by CMake with two generators, make and Meson; what is built again."""

import os
import re
import shutil
import unittest

import readme_test as readme
from install_case import InstalledCase, commands_of, files_of, has
from spc_case import ROOT, links_of

KERNELS = {"scaled.tex": "# Twice.\ntype T = f64\ntensor A(m, n): T, sparse\ntensor x(n): T\ny(i) = 2 * A(i, j) * x(j)\n",
           "total.tex": "s = A(i, j)\n"}
FORMAT = '{ "format": "base.json", "description": "rows" }\n'
APP = """#include "scaled.h"
#include "total.h"
int main(void) { return (scaled != 0 && total != 0) ? SPC_OK : 1; }
"""

CMAKE = """cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
find_package(spc 0.1 REQUIRED)
set(SPC_FLAGS -O0)
spc_add_kernel(kernels KERNEL scaled.tex FORMAT A=formats/rows.json TYPE T=f64 INDEX i32)
spc_add_kernel(kernels KERNEL total.tex FORMAT rows FORMAT_PATH formats OPTIONS -q)
add_executable(app app.c)
target_link_libraries(app kernels)
"""

MAKE = """all: app
SPC_KERNELS = scaled total
SPC_BUILD = out/
SPCFLAGS = -O0
SPCFLAGS_scaled = --format A=formats/rows.json --type T=f64
SPCFLAGS_total = --format rows --format-path formats -q
include $(shell pkg-config --variable=kernel_mk spc)
app.o: app.c out/scaled.h out/total.h
	$(CC) -Iout -c $< -o $@
app: app.o out/scaled.o out/total.o
	$(CC) $^ -o $@
"""

MESON = """project('app', 'c')
spc = find_program(dependency('spc').get_variable('spc'))
compile = [spc, 'compile', '@INPUT0@', '-O0', '-o', '@OUTPUT0@', '--header', '@OUTPUT1@', '-MD', '-MF', '@DEPFILE@']
formats = meson.current_source_dir() / 'formats'
scaled = custom_target('scaled', input: 'scaled.tex', output: ['scaled.o', 'scaled.h'], depfile: 'scaled.d',
  command: [compile, '--format', 'A=' + formats / 'rows.json', '--type', 'T=f64'])
total = custom_target('total', input: 'total.tex', output: ['total.o', 'total.h'], depfile: 'total.d',
  command: [compile, '--format', 'rows', '--format-path', formats, '-q'])
executable('app', 'app.c', scaled, total)
"""


def compiled(output):
    """Which kernels, and whether the app, a build's output says were compiled."""
    found = re.findall(r"Compiling the kernel (\w+)|Building C(?:XX)? object \S*?(app)\.c|"
                       r"spc compile (?:\.\./)?(\w+)\.tex|-c (?:\.\./)?(app)\.c", output)
    return {name for names in found for name in names if name}


class Rebuilds(InstalledCase):
    def setUp(self):
        super().setUp()
        for name, text in KERNELS.items():
            self.write(name, text)
        self.write("formats/base.json", (ROOT / "formats" / "csr.json").read_text())
        self.write("formats/rows.json", FORMAT)
        self.write("app.c", APP)

    def check(self, build, project, header_kept):
        """`build` builds and gives what was compiled. `header_kept`: a header whose text stays the same is not touched."""
        self.assertEqual(build(), {"scaled", "total", "app"})
        self.assertEqual(build(), set())
        self.edit("scaled.tex", "# Twice.", "# The double.")
        self.assertEqual(build() - ({"app"} if not header_kept else set()), {"scaled"})
        self.edit("scaled.tex", "2 *", "3 *")
        self.assertEqual(build(), {"scaled", "app"})
        self.edit("formats/base.json", "Compressed sparse rows", "Rows")
        self.assertEqual(build() - ({"app"} if not header_kept else set()), {"scaled", "total"})
        self.edit(project, "T=f64", "T=f32")
        self.assertEqual(build(), {"scaled", "app"})
        self.edit("formats/base.json", '"i32"', '"i64"')
        self.assertLessEqual({"total", "app"}, build())
        self.edit("total.tex", "s =", "t =")
        self.assertEqual(build(), {"total", "app"})
        os.utime(self.prefix / "bin" / "spc")
        self.assertEqual(build() - ({"app"} if not header_kept else set()), {"scaled", "total"})
        self.assertEqual(build(), set())

    def check_cmake(self, generator):
        self.write("CMakeLists.txt", CMAKE)
        self.tool("cmake", "-G", generator, "-S", ".", "-B", "a folder", "-DCMAKE_BUILD_TYPE=Debug")
        self.check(lambda: compiled(self.tool("cmake", "--build", "a folder")), "CMakeLists.txt", header_kept=True)
        self.tool("a folder/app")

    @unittest.skipUnless(has("ninja"), "ninja is not installed")
    def test_cmake_with_ninja(self):
        self.check_cmake("Ninja")

    def test_cmake_with_makefiles(self):
        self.check_cmake("Unix Makefiles")

    def test_make(self):
        self.write("Makefile", MAKE)
        self.check(lambda: compiled(self.tool("make")), "Makefile", header_kept=True)
        (self.folder / "out" / "total.h").unlink()
        self.assertIn("total", compiled(self.tool("make")))
        self.edit("Makefile", "-q", "--nonsense")
        self.assertNotEqual(self.attempt("make").returncode, 0)
        self.assertNotEqual(self.attempt("make").returncode, 0)

    @unittest.skipUnless(has("meson"), "meson is not installed")
    def test_meson(self):
        self.write("meson.build", MESON)
        self.tool("meson", "setup", "build")
        self.check(lambda: compiled(self.tool("ninja", "-v", "-C", "build")), "meson.build", header_kept=False)


class CMakeArguments(InstalledCase):
    def setUp(self):
        super().setUp()
        self.write("scaled.tex", KERNELS["scaled.tex"])

    def configure(self, text, *arguments, languages="C"):
        self.write("CMakeLists.txt", f"cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES {languages})\n"
                                     f"find_package(spc REQUIRED)\n{text}\n")
        return self.attempt("cmake", "-G", "Ninja", "-S", ".", "-B", "build", *arguments)

    def test_a_kernel_is_part_of_an_executable(self):
        self.write("app.cpp", '#include "half.h"\n#include "spc/spc.h"\nint main() { return half == nullptr; }\n')
        self.configure("add_executable(app app.cpp)\ntarget_link_libraries(app PRIVATE spc::headers)\n"
                       "spc_add_kernel(app KERNEL scaled.tex FORMAT A=csr NAME half TYPE T=f32 OPTIONS -O1 --checked)", languages="CXX")
        self.tool("cmake", "--build", "build")
        self.tool("build/app")
        self.assertIn("float *values", (self.folder / "build" / "spc" / "app" / "half.h").read_text())

    def test_a_kernel_says_its_name(self):
        self.write("twice.tex", "kernel scaled(A, x) -> y\n" + KERNELS["scaled.tex"])
        self.write("app.c", '#include "twice.h"\nint main(void) { return scaled == 0; }\n')
        self.configure("add_executable(app app.c)\nspc_add_kernel(app KERNEL twice.tex FORMAT A=csr OPTIONS -O0)")
        self.tool("cmake", "--build", "build")
        self.tool("build/app")

    def test_a_format_is_written_by_the_build(self):
        self.write("rows.in", '{ "format": "csr" }')
        self.configure("add_custom_command(OUTPUT rows.json DEPENDS rows.in\n"
                       "  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/rows.in rows.json)\n"
                       "spc_add_kernel(kernels KERNEL scaled.tex FORMAT A=${CMAKE_BINARY_DIR}/rows.json:1,0)")
        self.assertIn("the kernel scaled", self.tool("cmake", "--build", "build"))
        self.write("rows.in", '{ "format": "csc" }')
        self.assertIn("the kernel scaled", self.tool("cmake", "--build", "build"))
        self.assertIn("no work to do", self.tool("cmake", "--build", "build"))

    def test_mistakes(self):
        self.assertIn("no kernel is given", self.configure("spc_add_kernel(a FORMAT csr)").stderr)
        self.assertIn("'scaled.tex'", self.configure("spc_add_kernel(a scaled.tex KERNEL scaled.tex)").stderr)
        self.assertIn("KERNEL is missing ahead of 'scaled.tex'", self.configure("spc_add_kernel(a scaled.tex FORMAT csr)").stderr)
        twice = "spc_add_kernel(a KERNEL scaled.tex FORMAT A=csr)\n"
        self.assertRegex(self.configure(twice + twice).stderr,
                         r"the target has a kernel 'scaled' already;\s+give this\s+one\s+another\s+name\s+with\s+NAME")
        self.write("sub/a.c", "")
        self.write("sub/CMakeLists.txt", "add_library(sub STATIC a.c)")
        self.assertIn("belongs to",
                      self.configure("add_subdirectory(sub)\nspc_add_kernel(sub KERNEL scaled.tex)").stderr)
        for kind in ("OBJECT", "INTERFACE"):
            self.assertIn(f"{kind}_LIBRARY", self.configure(f"add_library(a {kind})\nspc_add_kernel(a KERNEL scaled.tex)").stderr)

    def test_projects_in_projects(self):
        """Each finds spc, in folders that no makefile can name."""
        self.write("sub/scaled.tex", KERNELS["scaled.tex"])
        self.write("sub/rows.json", FORMAT)
        self.write("sub/base.json", (ROOT / "formats" / "csr.json").read_text())
        self.write("sub/CMakeLists.txt", "find_package(spc REQUIRED)\n"
                                         "spc_add_kernel(sub KERNEL scaled.tex FORMAT A=rows.json OPTIONS -O0)")
        self.write("app.c", '#include "scaled.h"\nint main(void) { return scaled == 0; }\n')
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES C)\n"
                                     "find_package(spc REQUIRED)\nadd_subdirectory(sub)\n"
                                     "spc_add_library(both KERNEL scaled.tex NAME other FORMAT A=csr OPTIONS -O0)\n"
                                     "add_executable(app app.c)\ntarget_link_libraries(app sub both)")
        for generator in ("Ninja", "Unix Makefiles"):
            with self.subTest(generator=generator):
                build = f"50% a=b/{generator}"
                self.tool("cmake", "-G", generator, "-S", ".", "-B", build)
                self.assertIn("the kernel scaled", self.tool("cmake", "--build", build))
                self.assertNotIn("the kernel", self.tool("cmake", "--build", build))
                self.edit("sub/base.json", '"description": "', '"description": "The ')
                self.assertIn("the kernel scaled", self.tool("cmake", "--build", build))
                self.tool(f"{build}/app")

    @unittest.skipUnless(has("clang-22"), "clang is not installed")
    def test_cross_compiling(self):
        done = self.configure("spc_add_kernel(kernels KERNEL scaled.tex FORMAT A=csr)", "-DCMAKE_SYSTEM_NAME=Linux",
                              "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_C_COMPILER_TARGET=aarch64-linux-gnu",
                              "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.tool("cmake", "--build", "build")
        self.assertIn("AArch64", self.tool("readelf", "-h", "build/spc/kernels/scaled.o"))


HALF = """#include "scaled.h"
int main(void) {
  int32_t pointers[] = {0, 1}, indices[] = {0};
  spc_half values[] = {spc_half_from_float(1.5f)}, x[] = {spc_half_from_float(-4)}, y[1];
  const spc_csr_half_i32 A = {1, 1, 1, pointers, indices, values};
  const spc_dense1_half X = spc_dense1_half_make(x, 1);
  spc_dense1_half Y = spc_dense1_half_make(y, 1);
  return scaled(&A, &X, &Y) == SPC_OK && spc_half_to_float(y[0]) == -12 ? 0 : 1;
}
"""


class Halves(InstalledCase):
    def test_c_and_cpp(self):
        self.write("scaled.tex", KERNELS["scaled.tex"])
        warnings = ("-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic-errors")
        for half in ("f16", "bf16"):
            text = HALF.replace("half", half)
            self.tool("spc", "compile", "scaled.tex", "--format", "A=csr", "--type", f"T={half}", "-o", "scaled.o")
            for compiler, standard, app in (("cc", "c11", "app.c"), ("c++", "c++17", "app.cpp"), ("c++", "c++20", "app.cpp")):
                self.write(app, text)
                self.tool(compiler, f"-std={standard}", *warnings, app, "scaled.o", "-o", "app")
                self.tool("./app")


class Pages(InstalledCase):
    def check_page(self, page, typed, *build):
        """The page's project is built as it says, and again by `build` after edits of a kernel, the format and the type (`typed`)."""
        for name, text in files_of(f"{page}.md").items():
            self.write(name, text)
        self.assertLessEqual({"sddmm.tex", "spgemm.tex", "csr.json", "app.cpp"}, set(self.files()))
        self.assertIn("difference from Eigen: none",
                      "".join(self.tool("bash", "-c", command) for command in commands_of(f"{page}.md")))
        for edit, kernel in ((("spgemm.tex", "C(i, j)", "# Sparse.\nC(i, j)"), "spgemm"), (typed, "sddmm"),
                             (("csr.json", '"dims"', '"description": "rows", "dims"'), "sddmm")):
            self.edit(*edit)
            self.assertEqual(compiled(self.tool(*build)), {kernel}, edit)
            self.assertEqual(compiled(self.tool(*build)), set())
        self.assertIn("none", "".join(self.tool("bash", "-c", command) for command in commands_of(f"{page}.md")[-2:]))

    @unittest.skipUnless(has("ninja"), "ninja is not installed")
    def test_cmake(self):
        self.check_page("cmake", ("CMakeLists.txt", "D=csr.json", "D=csr.json TYPE T=f64"), "cmake", "--build", "build")

    def test_make(self):
        self.check_page("make", ("Makefile", "D=csr.json", "D=csr.json --type T=f64"), "make")

    @unittest.skipUnless(has("meson"), "meson is not installed")
    def test_meson(self):
        self.check_page("meson", ("meson.build", "'D=' + csr", "'D=' + csr, '--type', 'T=f64'"),
                        "ninja", "-v", "-C", "build", "sddmm.o", "spgemm.o")

    def test_the_lines_of_the_readme(self):
        self.write("sddmm.tex", readme.block("tensor S"))
        self.write("csr.json", readme.block("{ \"name\""))
        include, call = readme.block("#include").split("\n\n", 1)
        self.write("app.cpp", readme.PROGRAM % (include, call))
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES CXX)\n"
                                     "add_executable(app app.cpp)\n" + readme.block("find_package"))
        self.tool("cmake", "-S", ".", "-B", "build")
        self.tool("cmake", "--build", "build")
        self.assertEqual(self.tool("build/app"), "3 18 42 1\n")

    def test_pages_show_the_same_kernels(self):
        shared = [{name: text for name, text in files_of(f"{page}.md").items()
                   if name not in ("CMakeLists.txt", "Makefile", "meson.build")} for page in ("cmake", "make", "meson")]
        self.assertEqual(len(shared[0]), 4)
        self.assertEqual(shared[0], shared[1])
        self.assertEqual(shared[0], shared[2])

    def test_links_of_installed_pages_lead_somewhere(self):
        documentation = self.prefix / "share" / "doc" / "spc"
        pages = list(documentation.rglob("*.md"))
        self.assertGreater(len(pages), 10)
        for page in pages:
            # Sources are not installed.
            for target in [one for one in links_of(page) if not one.startswith("../src/")]:
                self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def test_installed_examples_build(self):
        shutil.copytree(self.prefix / "share" / "doc" / "spc" / "examples", self.folder / "examples")
        self.assertIn("ok", self.tool("make", "-C", "examples/spmv", "run"))
        self.assertEqual([path for path in (self.prefix / "share" / "doc").rglob("*") if path.suffix in (".o", ".d")], [])


if __name__ == "__main__":
    unittest.main()
