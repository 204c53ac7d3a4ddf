"""Libraries of kernels as build systems make them: spc_add_library, kernel.mk, Meson; what is built again; mistakes."""

import re
import shutil
import unittest

from install_case import DOCS, InstalledCase, files_of, has

KERNELS = {"scaled.tex": "# Twice.\ntype T = f64\ntensor A(m, n): T, sparse\ntensor x(n): T\ny(i) = 2 * A(i, j) * x(j)\n",
           "total.tex": "s = A(i, j)\n"}
CPP_APP = """#include "my/kernels.h"
#include <cstring>
int main() {
  int32_t pointers[] = {0, 1}, indices[] = {0};
  double values[] = {2}, x[] = {3}, y[] = {0}, s = 0;
  float values32[] = {2}, x32[] = {4}, y32[] = {0};
  const spc_csr_f64_i32 A = {1, 1, 1, pointers, indices, values};
  const spc_csr_f32_i32 A32 = {1, 1, 1, pointers, indices, values32};
  const spc_dense1_f64 X = spc_dense1_f64_make(x, 1);
  const spc_dense1_f32 X32 = spc_dense1_f32_make(x32, 1);
  spc_dense1_f64 Y = spc_dense1_f64_make(y, 1);
  spc_dense1_f32 Y32 = spc_dense1_f32_make(y32, 1);
  const bool fine = !scaled(&A, &X, &Y) && !scaled(&A32, &X32, &Y32) && !total(&A, &s);
  return fine && y[0] == 12 && y32[0] == 16 && s == 2 && !std::strcmp(spc_kernels_kernels[0].name, "scaled_f32") ? 0 : 1;
}
"""

CMAKE = """cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES CXX)
find_package(spc 0.1 REQUIRED)
spc_add_library(kernels SHARED HEADER my/kernels.h OPTIONS -O0
  KERNEL scaled.tex FORMAT A=rows.json
    VARIANT f32 TYPE T=f32
    VARIANT f64
  KERNEL total.tex FORMAT A=csr)
set_target_properties(kernels PROPERTIES VERSION 1.2 SOVERSION 1)
add_executable(app app.cpp)
target_link_libraries(app PRIVATE kernels)
"""

MAKE = """all: app
SPC_LIBRARIES = kernels.so
SPC_KERNELS_kernels.so = scaled_f32 scaled_f64 total
SPCFLAGS_kernels.so = --overload scaled=scaled_f32,scaled_f64
SPC_BUILD = my/
SPCFLAGS = -O0
SPC_FILE_scaled_f32 = scaled.tex
SPC_FILE_scaled_f64 = scaled.tex
SPCFLAGS_scaled_f32 = --format A=rows.json --type T=f32
SPCFLAGS_scaled_f64 = --format A=rows.json
SPCFLAGS_total = --format A=csr
include $(shell pkg-config --variable=kernel_mk spc)
app.o: app.cpp my/kernels.h
	$(CXX) -I. -c $< -o $@
app: app.o my/kernels.so
	$(CXX) $^ -Wl,-rpath,'$$ORIGIN/my' -o $@
"""

STEPS = re.compile(r"Compiling the kernel (\w+)|Building CXX object \S*?(app)\.cpp|Writing the header of the (library)|"
                   r"spc compile .*--name (\w+)|-c (app)\.cpp|spc (library)")


class Rebuilds(InstalledCase):
    def setUp(self):
        super().setUp()
        for name, text in KERNELS.items():
            self.write(name, text)
        self.write("rows.json", '{ "format": "csr", "description": "rows" }\n')
        self.write("app.cpp", CPP_APP)

    def check(self, build, project, app, overloads):
        """`build` gives what was built; `overloads`: what in the project's file asks for them, and what does not."""
        kernels = {"scaled_f32", "scaled_f64", "total"}
        self.assertEqual(build(), kernels | {"library", "app"})
        self.tool(app)
        self.assertEqual(build(), set())
        self.edit("total.tex", "s =", "# The sum.\ns =")
        self.assertEqual(build(), {"total", "library"})
        self.edit("rows.json", "rows", "Rows")
        self.assertEqual(build(), {"scaled_f32", "scaled_f64", "library"})
        self.write("app.cpp", '#include "my/kernels.h"\nint main() { return scaled_f64 == nullptr; }\n')
        self.assertEqual(build(), {"app"})
        self.edit(project, "T=f32", "T=i64")
        self.assertEqual(build(), {"scaled_f32", "library", "app"})
        self.edit(project, *overloads)
        self.assertEqual(build(), {"library", "app"})
        self.assertEqual(build(), set())

    def built(self, *command):
        return {name for names in STEPS.findall(self.tool(*command)) for name in names if name}

    def check_cmake(self, generator):
        self.write("CMakeLists.txt", CMAKE)
        self.tool("cmake", "-G", generator, "-S", ".", "-B", "a folder")
        self.check(lambda: self.built("cmake", "--build", "a folder"), "CMakeLists.txt", "a folder/app",
                   ("KERNEL scaled.tex", "KERNEL scaled.tex NO_OVERLOADS"))

    @unittest.skipUnless(has("ninja"), "ninja is not installed")
    def test_cmake_with_ninja(self):
        self.check_cmake("Ninja")
        symbols = self.tool("nm", "-D", "--defined-only", "a folder/libkernels.so").splitlines()
        names = {line.split()[-1].removesuffix("@@SPC_5_kernels") for line in symbols if " A " not in line}
        self.assertTrue(all(line.endswith("SPC_5_kernels") for line in symbols), symbols)
        self.assertEqual({re.sub("_spc5_[0-9a-f]{16}$", "", name) for name in names},
                         {"spc_kernels", "spc_kernels_kernels"} | {f"{form % name}" for name in ("scaled_f32", "scaled_f64", "total")
                                            for form in ("%s", "%s_argv", "spc_signature_%s")})

    def test_cmake_with_makefiles(self):
        self.check_cmake("Unix Makefiles")

    def test_make(self):
        self.write("Makefile", MAKE)
        self.check(lambda: self.built("make"), "Makefile", "./app",
                   (" --overload scaled=scaled_f32,scaled_f64", ""))
        (self.folder / "my" / "kernels.h").unlink()
        self.assertEqual(self.built("make"), {"library", "app"})
        (self.folder / "my" / "total.h").unlink()
        self.assertIn("total", self.built("make"))
        self.tool("make")
        self.edit("Makefile", "SPC_KERNELS_kernels.so = scaled_f32 scaled_f64 total", "")
        self.assertIn("set SPC_KERNELS_kernels.so", self.attempt("make").stderr)


class CMakeLibraries(InstalledCase):
    def setUp(self):
        super().setUp()
        for name, text in KERNELS.items():
            self.write(name, text)

    def configure(self, text, *arguments, languages="C", folder="."):
        self.write(f"{folder}/CMakeLists.txt", f"cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES {languages})\n"
                                               f"{text}\n")
        return self.attempt("cmake", "-S", folder, "-B", f"{folder}/build", *arguments)

    def test_installed_libraries_need_no_spc(self):
        self.write("rows.json", '{ "format": "csr" }\n')
        self.configure("find_package(spc REQUIRED)\n"
                       "set(SPC_FLAGS -O0)\n"
                       "spc_add_library(kernels HEADER my/kernels.h FORMAT rows.json\n"
                       "  KERNEL scaled.tex total.tex VARIANT i32 VARIANT i64 INDEX i64\n"
                       "  KERNEL total.tex NAME sum NO_OVERLOADS VARIANT fast VARIANT checked OPTIONS --checked -q)\n"
                       "install(TARGETS kernels EXPORT my INCLUDES DESTINATION include\n"
                       "        PUBLIC_HEADER DESTINATION include/my)\n"
                       "install(EXPORT my NAMESPACE my:: DESTINATION cmake FILE myConfig.cmake)")
        self.tool("cmake", "--build", "build")
        self.tool("cmake", "--install", "build", "--prefix", "installed")
        self.assertEqual([path.name for path in (self.folder / "installed" / "include").rglob("*.h")], ["kernels.h"])
        shutil.rmtree(self.folder / "build")
        self.write("app/app.c", '#include "my/kernels.h"\nint main(void) { return sum_fast != 0 && scaled_i64 != 0 ? 0 : 1; }\n')
        done = self.configure("find_package(my REQUIRED PATHS ${CMAKE_SOURCE_DIR}/../installed/cmake)\n"
                              "add_executable(app app.c)\ntarget_link_libraries(app my::kernels)", folder="app")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.tool("cmake", "--build", "app/build")
        self.tool("app/build/app")

    def mistake(self, text, languages):
        """What CMake says about it, on one line."""
        return " ".join(self.configure(f"find_package(spc REQUIRED)\n{text}", languages=languages).stderr.split())

    def test_mistakes(self):
        for what, arguments in (
                ("KERNEL <file> is missing", ""),
                ("did you mean KERNEL?", "KERNELS scaled.tex"),
                ("did you mean TYPE?", "KERNEL scaled.tex FORMAT A=csr TYPES f32"),
                ("these are no arguments: 'scaled.tex'", "scaled.tex KERNEL total.tex"),
                ("KERNEL has no file", "KERNEL FORMAT csr"),
                ("VARIANT stands ahead", "VARIANT f32 KERNEL scaled.tex"),
                ("VARIANT '' is no suffix", "KERNEL scaled.tex VARIANT TYPE f32"),
                ("VARIANT 'f32;f64' is no suffix", "KERNEL scaled.tex VARIANT f32 f64"),
                ("SHARED belongs to the library", "KERNEL scaled.tex FORMAT A=csr SHARED"),
                ("OVERLOAD belongs to the library", "KERNEL scaled.tex OVERLOAD a=b,c"),
                ("NAME belongs to a kernel", "KERNEL scaled.tex VARIANT f32 NAME f"),
                ("NAME has no value", "KERNEL scaled.tex NAME FORMAT csr"),
                ("HEADER '../k.h' is no path", "HEADER ../k.h KERNEL scaled.tex"),
                ("cannot be STATIC and SHARED", "SHARED STATIC KERNEL scaled.tex"),
                ("NAME 'f' is for one file", "KERNEL scaled.tex total.tex NAME f"),
                ("two kernels would be called 'scaled'", "KERNEL scaled.tex KERNEL scaled.tex"),
                ("/none.tex' does not exist", "KERNEL none.tex"),
                ("/none.json' does not exist", "KERNEL scaled.tex FORMAT A=none.json:1,0"),
                ("neither of the languages", "KERNEL scaled.tex")):
            error = self.mistake(f"spc_add_library(k {arguments})", "NONE")
            self.assertIn(what, error)
            self.assertIn("spc_add_library(k): ", error)
        self.assertIn("a library of spc_add_library",
                      self.mistake("spc_add_library(k KERNEL scaled.tex)\nspc_add_kernel(k KERNEL total.tex)", "C"))

    @unittest.skipUnless(has("clang-22"), "clang is not installed")
    def test_cross_compiling(self):
        done = self.configure("find_package(spc REQUIRED)\nspc_add_library(kernels STATIC KERNEL total.tex FORMAT csr)",
                              "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_C_COMPILER=clang-22",
                              "-DCMAKE_C_COMPILER_TARGET=aarch64-linux-gnu", "-DSPC_FLAGS=-O0",
                              "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.tool("cmake", "--build", "build")
        self.assertEqual(self.tool("readelf", "-h", "build/libkernels.a").count("AArch64"), 2)


class Package(InstalledCase):
    def find(self, *requests):
        """Which of these find_package(spc …) finds."""
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES NONE)\n" + "".join(
            f'unset(spc_DIR CACHE)\nfind_package(spc {request} QUIET)\nif(spc_FOUND)\n  message(STATUS "found: {request}.")\n'
            "endif()\n" for request in requests))
        return set(re.findall(r"found: (.*)\.\n", self.tool("cmake", "-S", ".", "-B", "build")))

    def test_versions(self):
        fine = {"", "0.1", "0.1.0", "0.1.0 EXACT", "0.1...0.2", "0.1...<0.2", "0.0...0.1", "0.0.7...<1", "0.1...<0.4"}
        self.assertEqual(self.find(*fine, "0", "0.0", "0.1.1", "0.2", "1", "0.0...<0.1", "0.2...1"), fine)

    def test_there_are_no_components(self):
        self.assertEqual(self.find("0.1 COMPONENTS kernels", "OPTIONAL_COMPONENTS kernels"), {"OPTIONAL_COMPONENTS kernels"})
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES NONE)\n"
                                     "find_package(spc REQUIRED COMPONENTS kernels)\n")
        self.assertIn("spc has no components, but 'kernels' is asked for", self.attempt("cmake", "-S", ".", "-B", "b").stderr)


def blocks_of(page, heading):
    """The indented blocks of a page's section."""
    section = (DOCS / f"{page}.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    section = re.sub(r"^```.*?^```$", "", section, flags=re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", section, re.MULTILINE)
    return [re.sub("^    ", "", block, flags=re.MULTILINE) for block in blocks]


def library_blocks(page):
    return blocks_of(page, "Several kernels, types and formats in one library")


class Pages(InstalledCase):
    """What the pages say besides their projects: these with some lines replaced."""

    SMALL_APP = """#include "libkernels.h"
int main() {
  spc_csr_f32_i32 S{};
  return sddmm(&S, nullptr, nullptr, nullptr) == SPC_ERROR_NULL && spgemm(nullptr, nullptr, nullptr) == SPC_ERROR_NULL &&
         sddmm_f64(nullptr, nullptr, nullptr, nullptr) == SPC_ERROR_NULL ? 0 : 1;
}
"""

    def project(self, page, name, text):
        for file, content in files_of(f"{page}.md").items():
            self.write(file, content)
        self.write(name, text)

    def cmake_project(self, calls):
        text = files_of("cmake.md")["CMakeLists.txt"]
        self.project("cmake", "CMakeLists.txt", re.sub(r"(spc_add_kernel\(.*\n)+", lambda _: calls, text))

    def test_matrices_by_columns(self):
        self.cmake_project(blocks_of("cmake", "The project")[0])
        self.edit("app.cpp", ", Eigen::RowMajor", "")
        self.edit("app.cpp", "spc::owner<spc_csr_f64_i32>", "spc::owner<spc_csc_f64_i32>")
        self.tool("cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DSPC_FLAGS=-O0")
        self.tool("cmake", "--build", "build")
        self.assertIn("difference from Eigen: none", self.tool("build/app"))

    def test_cmake(self):
        self.cmake_project(library_blocks("cmake")[0])
        self.write("CMakeLists.txt", (self.folder / "CMakeLists.txt").read_text() + library_blocks("cmake")[2])
        self.edit("app.cpp", '#include "sddmm.h"\n#include "spgemm.h"\n', '#include "kernels.h"\n')
        self.tool("cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DSPC_FLAGS=-O0")
        self.tool("cmake", "--build", "build")
        self.assertIn("difference from Eigen: none", self.tool("build/app"))
        self.tool("cmake", "--install", "build", "--prefix", "installed")
        self.assertLessEqual({"kernels.h", "libkernels.so.1.2.0", "linalgConfig.cmake"},
                             {path.name for path in (self.folder / "installed").rglob("*")})

    def test_make(self):
        above, app = library_blocks("make")
        flags = re.search(r"^CPPFLAGS(.|\n)*?\n\n", files_of("make.md")["Makefile"], re.MULTILINE)[0]
        self.project("make", "Makefile", f"all: app\n\n{above}\n{flags}{app}")
        self.write("app.cpp", self.SMALL_APP)
        self.tool("make", "SPCFLAGS=-O0")
        self.tool("./app")

    @unittest.skipUnless(has("meson"), "meson is not installed")
    def test_meson(self):
        head = files_of("meson.md")["meson.build"].split("sddmm =")[0].replace("'-MD'", "'-O0', '-MD'")
        self.project("meson", "meson.build", head + "".join(library_blocks("meson")))
        self.write("app.cpp", self.SMALL_APP)
        self.tool("meson", "setup", "build")
        self.tool("meson", "compile", "-C", "build")
        self.tool("build/app")


if __name__ == "__main__":
    unittest.main()
