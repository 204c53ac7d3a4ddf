"""Names that C or C++ need for themselves, as functions, tensors and extents: refused with another name that works, or
written with an underscore. What is accepted compiles beside all headers."""

import re
import shutil
import unittest

from spc_case import SPMV, SpcCase

REFUSED = """size_t int32_t printf y0 signbit M_PI malloc exp std ctx main index gamma errno assert I NULL EOF linux unix int
class and xor_eq co_await char8_t constinit typeof nullptr alignas _Bool __x a__b _X spc_x SPC_X spc_status operator thread_local
signal va_list FILE stdin offsetof noreturn complex omp_get_num_threads atomic_int thrd_create memcpy posix_memalign""".split()

ACCEPTED = "spmv f x0 y Size printf_ my_size_t Int values _x kernel norm copy sort count data k" + " " + "n" * 20000

INCLUDES = """#include <complex.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <algorithm>
#include <complex>
#include <string>
#include <thread>
#endif
"""


class Names(SpcCase):
    optimised = False

    def compiles(self, *headers):
        ours = "".join(f'#include "{header}"\n' for header in headers)
        for order, text in (("after", INCLUDES + ours), ("before", ours + INCLUDES)):
            self.write(order + ".c", text)
            for compiler in ("gcc -std=c11", "gcc", "g++ -x c++ -std=c++17", "clang-22 -std=c11", "clang++-22 -x c++"):
                if shutil.which(compiler.split()[0]):
                    self.command(*compiler.split(), "-Wall", "-Wextra", "-Werror", "-fsyntax-only", order + ".c")

    def test_functions(self):
        self.write("k.tex", SPMV)
        advised = set()
        for name in REFUSED:
            for way in (["--name=" + name], ["--name", name]):
                with self.subTest(way):
                    done = self.spc("compile", "k.tex", "--format", "A=csr", *way, "-o", "k.o", expect=2)
                    self.assertIn("[function-name]", done.err)
                    self.assertIn("^", done.err)
                    advised.add(re.search(r"for instance --name=(\w+)", done.err).group(1))
        self.assertIn("kernel_printf", advised)
        self.accept(sorted(advised))

    def accept(self, names):
        headers = [f"{k}.h" for k in range(len(names))]
        for name, header in zip(names, headers):
            with self.subTest(name[:40]):
                self.spc("compile", "k.tex", "--format", "A=csr", "--name", name, "-o", "k.o", "--header", header, "-O0")
        self.compiles(*headers)

    def test_names_of_files(self):
        for stem in ("printf", "size_t", "int", "y0", "my-kernel", "1st", "é", ".hidden", "a b", "a__b", "x\ny"):
            with self.subTest(stem):
                self.write(stem + ".tex", SPMV)
                done = self.spc("compile", stem + ".tex", "--format", "A=csr", "-o", "k.o", expect=2)
                advised = re.search(r"for instance --name=(\S+)", done.err).group(1)
                self.spc("compile", stem + ".tex", "--format", "A=csr", "--name", advised, "-o", "k.o")

    def test_accepted(self):
        self.write("k.tex", SPMV)
        self.accept(ACCEPTED.split())

    def test_empty(self):
        self.write("k.tex", SPMV)
        for arguments in (["--name", ""], ["--name="], ["-o", ""], ["-o="], ["--header", ""], ["--format", ""], [""],
                          ["-MF", ""], ["-MT="], ["--emit="], ["--target", ""], ["--mcpu="], ["--format-path", ""]):
            with self.subTest(arguments):
                before = self.files()
                self.assertIn("[usage]", self.spc("compile", "k.tex", "--format", "A=csr", *arguments, expect=2).err)
                self.assertEqual(self.files(), before)
        self.spc("", expect=2)

    def test_tensors_and_extents(self):
        names = [name for name in REFUSED if name not in ("and", "exp", "I")] + ["x_", "printf_"]
        headers = []
        for k in range(0, len(names), 8):
            some = names[k:k + 8]
            text = "".join(f"tensor {name}(uint8_t): f64\n" for name in some)
            self.write("k.tex", text + "errno_(i) = " + " + ".join(f"{name}(i)" for name in some) + "\n")
            with self.subTest(some):
                headers.append(f"{k}.h")
                self.spc("compile", "k.tex", "-o", "k.o", f"--name=k{k}", "--header", headers[-1], "-O0")
        self.compiles(*headers)

    def test_a_name_that_becomes_another_tensors(self):
        self.write("k.tex", "y(i) = y0(i) + y0_(i) + y0__(i) + x0(i)\n")
        self.spc("compile", "k.tex", "-o", "k.o")
        prototype = re.search(r"k_ctx\(.*?\)", (self.folder / "k.h").read_text(), re.DOTALL).group(0)
        self.assertEqual(re.findall(r"\*(\w+)[,)]", prototype), ["ctx", "y0___", "y0_", "y0____", "x0", "y"])
        self.compiles("k.h")


if __name__ == "__main__":
    unittest.main()
