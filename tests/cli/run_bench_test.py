"""`spc run` as a measuring tool."""

import json
import os
import pty
import re
import shutil
import subprocess
import time
import unittest

from spc_case import SDDMM, SPC, SPMV, SpcCase

SPMM = "Y(i, k) = A(i, j) * X(j, k)\n"
A_MTX = "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 1\n4 1 4\n3 2 3\n1 3 2\n4 3 5\n"
# The C library's erf for spc, and a wrong one for the kernels that it compiles into memory, which no file holds.
ERF_THAT_IS_OFF = """
#define _GNU_SOURCE
#include <dlfcn.h>
double erf(double x) {
  Dl_info caller;
  double (*rest)(double) = (double (*)(double))dlsym(RTLD_NEXT, "erf");
  return dladdr(__builtin_return_address(0), &caller) ? rest(x) : rest(x) + 0.25;
}
"""


def seconds(text):
    """The median and the spread in percent of a report's first line."""
    number, unit, spread = re.match(r"time: +([\d.e+-]+) (s|ms|us|ns) a call on .*\(([\d.e+]+) % apart\)", text).groups()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit], float(spread)


class RunBench(SpcCase):
    def run_kernel(self, text, *arguments, **options):
        self.write("k.tex", text)
        return self.spc("run", "k.tex", "-q", *arguments, **options)

    def operations(self, text, *arguments):
        """Operations of a call, its rate and its share, as --bench prints them."""
        out = self.run_kernel(text, *arguments, "--bench", "--repeat", "1").out
        work = re.search(r"^work: +([\d.e+]+) operations, ([\d.e+-]+) G(FLOP|op)/s(?:, ([\d.e+-]+) % of ([\d.e+]+))?", out, re.M)
        return [float(work[1]), float(work[2]), work[4] and float(work[4]), work[5] and float(work[5])], out

    def test_rates_are_operations_and_bytes_by_time(self):
        (operations, rate, share, roof), out = self.operations(SPMM, "--format", "A=csr", "A=random:200x100:density=0.1", "X=ones:100x32")
        self.assertEqual(operations, 1.3e5)  # 2 * 2000 * 32 in two digits
        time, _ = seconds(out)
        self.assertAlmostEqual(rate * time * 1e9 / (2 * 2000 * 32), 1, delta=0.01)
        self.assertAlmostEqual(share, 100 * rate / roof, delta=0.02 * share)
        bytes_moved, bandwidth = re.search(r"^traffic: ([\d.]+) kB of .* once, ([\d.e+-]+) GB/s, [\d.e+-]+ % of", out, re.M).groups()
        least = 8 * 2000 + 4 * 2000 + 4 * 201 + 8 * 100 * 32 + 8 * 200 * 32
        self.assertAlmostEqual(float(bytes_moved) * 1e3 / least, 1, delta=0.1)
        self.assertAlmostEqual(float(bandwidth) * time * 1e6 / float(bytes_moved), 1, delta=0.01)

    def test_operations_are_those_of_the_innermost_loop(self):
        a = ["A=ones:10x8"]
        for text, arguments, expected in [
                (SPMV, [*a, "x=ones"], 2 * 80),
                (SDDMM, ["S=ones:10x8", "A=ones:10x5", "B=ones:8x5", "--format", "S=csr"], 2 * 80 * 5),
                ("B(i, j) = A(i, j) + A(i, j) * A(i, j)\n", a, 2 * 80),
                ("tensor A(m, n): cf64\ntensor x(n): cf64\ny(i) = A(i, j) * x(j)\n", [*a, "x=ones"], 8 * 80),
                ("y(i) = 3 * x(i)\n", ["x=ones:100"], 100),
                ("y(i) = x(i)\n", ["x=ones:100"], 0)]:
            with self.subTest(text):
                self.assertEqual(self.operations(text, *arguments)[0][0], expected)

    def test_integers_have_no_roof_of_operations(self):
        (operations, _, share, _), out = self.operations("tensor x(n): i32\ny(i) = x(i) + x(i)\n", "x=ones:64")
        self.assertEqual((operations, share), (64, None))
        self.assertIn("Gop/s\n", out)

    def test_work_that_only_the_call_knows_is_unknown(self):
        out = self.run_kernel("D(i, j) = A(i, k) * A(k, j)\ny(i) = D(i, j) * x(j)\n", "--format", "A=csr",
                              "--format", "D=csr", "A=random:20x20:density=0.2", "x=ones", "--bench", "--repeat", "2").out
        self.assertRegex(out, "(?m)^work: +unknown")

    def test_measurements_come_as_data(self):
        given = ["--format", "A=csr", "A=random:200x100:density=0.1", "X=ones:100x32", "--bench", "--repeat", "3", "--json"]
        known = json.loads(self.run_kernel(SPMM, *given, "--threads", "1").out)
        self.assertEqual((known["threads"], known["operations"], len(known["round_seconds"])), (1, 2 * 2000 * 32, 3))
        self.assertEqual(known["median_seconds"], sorted(known["round_seconds"])[1])
        for what in ("operations", "bytes"):
            self.assertAlmostEqual(known[f"{what}_a_second"] * known["median_seconds"] / known[what], 1)
            self.assertGreater(known[f"most_{what}_a_second"], 0)
        integers = json.loads(self.run_kernel("tensor x(n): i32\ny(i) = x(i) + x(i)\n", "x=ones:64", "--bench", "--json").out)
        self.assertIsNone(integers["most_operations_a_second"])
        self.assertIn("--json", self.run_kernel(SPMV, "A=ones:2x2", "x=ones", "--json", expect=2).err)

    def test_outputs_are_those_of_one_call(self):
        self.write("a.mtx", A_MTX)
        sparse = ["B=random:4x3:density=0.5", "--format", "B=csr", "--format", "C=csr"]
        for name, text, given in (
                ("y", "y(i) += A(i, j) * x(j)\n", ["x=ones", "y=ones"]),
                ("s", "tensor s\ns += A(i, j)\n", ["s=3"]),
                ("C", "C(i, j) = A(i, j) + B(i, j)\n", sparse),
                ("C", "C(i, j) = C(i, j) + A(i, j) + B(i, j)\n", [*sparse, "C=random:4x3:density=0.4"]),
                ("C", "C(i, j) = 2 * C(i, j)\n", ["C=random:4x3:density=0.4", "--format", "C=csr"])):
            given = [*given, "--format", "A=csr", "A=a.mtx"] if "A(" in text else given
            with self.subTest(text):
                self.run_kernel(text, *given, "-o", f"{name}=once.tns")
                done = self.run_kernel(text, *given, "--repeat", "3", "-o", f"{name}=often.tns")
                self.assertEqual((self.folder / "once.tns").read_text(), (self.folder / "often.tns").read_text())
                self.assertRegex(done.out, r"^time: .* the median of 3 rounds of \d+ calls?; .*\nmemory: .*\n$")

    def test_pages_and_places_of_memory_are_said(self):
        given = ["--format", "A=csr", "A=random:200x100:density=0.1", "X=ones:100x32", "--repeat", "9"]
        for pages, word in (("ordinary", "(--pages=huge asks for large ones)|as this system gives them"), ("huge", "pages")):
            out = self.run_kernel(SPMM, *given, f"--pages={pages}").out
            self.assertRegex(out, rf"(?m)^memory:  [\d.]+ kB.*{word}.*; in 3 places of memory the medians are [\d.]+ .?s to")
        self.assertEqual(self.run_kernel(SPMM, *given).out.count("--pages=huge"), 1)
        known = json.loads(self.run_kernel(SPMM, *given, "--bench", "--json").out)
        self.assertEqual((known["pages"], len(known["place_median_seconds"])), ("ordinary", 3))
        self.assertGreaterEqual(known["array_bytes"], 8 * 2000 + 4 * 2000 + 4 * 201 + 8 * 100 * 32 + 8 * 200 * 32)
        self.assertEqual(known["median_seconds"], sorted(known["round_seconds"])[4])
        self.assertNotIn("places", self.run_kernel(SPMM, *given[:-1], "2").out)
        self.assertIn("ordinary", self.run_kernel(SPMM, *given, "--pages=large", expect=2).err)

    def test_results_are_the_same_after_arrays_have_moved(self):
        self.write("s.mtx", A_MTX)
        for text, given, name in ((SDDMM, ["--format", "S=csr", "S=s.mtx", "A=random:4x5", "B=random:3x5"], "D"),
                                  ("y(i) += A(i, j) * x(j)\n", ["--format", "A=hyb", "A=s.mtx", "x=ones", "y=ones"], "y")):
            with self.subTest(text):
                self.run_kernel(text, *given, "-o", f"{name}=once.tns")
                self.run_kernel(text, *given, "--repeat", "9", "--check", "-o", f"{name}=moved.tns")
                self.assertEqual((self.folder / "once.tns").read_text(), (self.folder / "moved.tns").read_text())

    def test_threads_change_no_result(self):
        given = ["--format", "A=csr", "A=random:3000x3000:density=0.01", "X=random:3000x8:seed=2"]
        results = []
        for arguments, env in ((["--threads", "1"], {}), (["--threads=2"], {}), (["--threads", "5"], {}), ([], {}),
                               ([], {"SPC_NUM_THREADS": "3"})):
            self.run_kernel(SPMM, *given, *arguments, "-o", "Y=y.tns", env=env)
            results.append((self.folder / "y.tns").read_text())
        self.assertEqual(len(set(results)), 1)
        self.assertIn(" on 3 threads", self.run_kernel(SPMM, *given, "--repeat", "1", env={"SPC_NUM_THREADS": "3"}).out)

    def test_counts_are_numbers(self):
        for argument in ("--threads=0", "--threads=129", "--threads=x", "--repeat=0", "--repeat=-1"):
            done = self.run_kernel(SPMV, "A=ones:2x2", "x=ones", argument, expect=2)
            self.assertIn("[malformed-count]", done.err)

    def test_results_are_checked_against_the_text(self):
        matrix = ["A=random:30x20:density=0.2", "x=random"]
        for text, arguments in [(SPMV, [*matrix, "--format", f"A={form}"]) for form in ("csr", "hyb", "bsr", "dia", "ell")] + [
                (SDDMM, ["--type", "f32", "--format", "S=csr", "S=random:9x8:density=0.3", "A=random:9x5", "B=random:8x5"]),
                ("C(i, j) = A(i, k) * B(k, j)\n", ["--format", "A=csr", "--format", "B=csr", "--format", "C=csr",
                                                  "A=random:30x20:density=0.2", "B=random:20x9:density=0.2"]),
                ("y(i) += max(j, A(i, j)) + exp(-x(i))\n", ["A=random:9x8", "x=random", "y=ones"]),
                ("tensor x(n): i8\ntensor y(n): i8\ny(i) = x(i) * x(i)\n", ["x=random:50"]),
                ("tensor x(n): u64\ny(i) = minplus(x(i), x(i) % 3) - i8(x(i))\nk = argmax(i, x(i))\n", ["x=random:50"]),
                ("tensor A(m, n): i32, sparse\nc(i) = count(j, A(i, j))\nm(i) = max(j, A(i, j))\n", [matrix[0], "--format", "A=ell"]),
                ("type T = f32\nk(i) = argmin(j, sin(A(i, j)))\nz(i) = T(max(j, A(i, j)) * 0.3)\n", ["A=random:9x8"]),
                ("tensor A(m, n): cf32\ntensor x(n)\ny(i) = A(i, j) * x(j)\n", matrix)]:
            with self.subTest(text, arguments=arguments):
                self.assertIn("[-Wchecked]", self.spc("run", str(self.write("k.tex", text)), *arguments, "--check").err)
        done = self.run_kernel("let t(i) = 2 * x(i)\ns = count(i, t(i))\n", "x=ones:4", "--check", "-o", "s=s.tns", expect=1)
        self.assertIn("[not-checked]", done.err)
        self.assertFalse((self.folder / "s.tns").exists())

    def test_the_reference_reads_the_language_as_the_compiler_does(self):
        for text, arguments in [
                ("y(i) = x(i) - 2 * x(i + 1) + x(i + 2)\n", ["x=random:50", "--size", "i=48"]),
                ("y(i) = x(i + 2) * x(i) + x(i) * K(p)\n", ["x=random:50", "K=ones:3", "--size", "i=48"]),
                ("R min= A(i)\n", ["--format", "A=sparse-vector", "A=random:30:density=0.2", "R=5", "-Wno-asymptotic"]),
                ("tensor A(n, m): f64\ny(i) = exp(mean(u, A(i, u)))\nz(i) = mean(u, A(i, u)) + 1\n", ["A=zeros:2x0"]),
                ("tensor A(n, m): f64\ny(i) = max(mean(u, A(i, u)), 1)\n", ["A=zeros:2x0", "--fp=strict"]),
                ("tensor x(n): i32\ntensor y(n): i32\ny(i) = x(i) + -inf\n", ["x=zeros:3"]),
                ("p = min(j, select(x(j) == min(k, z(k)) or x(j) != x(j), j, 9007199254740991))\n", ["x=ones:3", "z=zeros:3"]),
                ("y(i) = argmax(j, A(i, j) * x(j)) * f32(0.1) - count(j, A(i, j)) / mean(j, A(i, j))\n",
                 ["A=random:9x8:density=0.5", "--format", "A=csr", "x=random"])]:
            with self.subTest(text, arguments=arguments):
                self.run_kernel(text, *arguments, "--check")

    def test_or_takes_integers_with_their_infinities(self):
        least = "-2147483647 * x(i) - x(i)"
        done = self.run_kernel(f"tensor x(n): i32\ntensor b(n): bool\nb(i) or= minplus({least}, {least})\n", "x=ones:3",
                               "b=zeros:3", "-Wno-precision", "--check")
        self.assertIn("1  1  1", done.out)

    def test_what_takes_too_long_is_not_begun(self):
        begin = time.monotonic()
        done = self.run_kernel("s = max(i, j, x(i) - x(j))\ns += max(i, j, x(i) * x(j))\n", "x=ones:9999", "--check",
                               expect=1)
        self.assertIn("the reference does not visit more than 10^8 points", done.err)
        self.assertLess(time.monotonic() - begin, 5)

    def test_a_wrong_result_is_found(self):
        compiler = shutil.which("cc") or shutil.which("clang-22")
        if not compiler:
            self.skipTest("there is no C compiler")
        self.write("off.c", ERF_THAT_IS_OFF)
        self.command(compiler, "-O0", "-shared", "-fPIC", "off.c", "-o", "off.so", "-ldl")
        env = {"LD_PRELOAD": str(self.folder / "off.so"), "ASAN_OPTIONS": "verify_asan_link_order=0"}
        given = ["x=ones:4", "-o", "y=y.tns"]
        done = self.run_kernel("y(i) = erf(x(i))\n", *given, "--check", env=env, expect=70)
        self.assertRegex(done.err, r"internal error: the compiled kernel computes a wrong 'y': y\(0\) is 1\.09\d+ where the "
                                   r"kernel's text says 0\.84\d+, give or take .* \[wrong-result\]")
        self.assertFalse((self.folder / "y.tns").exists())
        done = self.run_kernel("y = argmax(i, (erf(x(i)) - 1) * i)\n", *given, "--check", env=env, expect=70)
        self.assertIn("'y': y is 3 where the kernel's text says 0, give or take 0", done.err)
        done = self.run_kernel("y(i) = i64(erf(x(i)) * 100)\n", *given, "--check", env=env, expect=70)
        self.assertIn("where the kernel's text says 84, give or take 0", done.err)
        self.run_kernel("y(i) = erf(x(i))\n", *given, "--check")
        self.assertTrue((self.folder / "y.tns").exists())

    def test_long_runs_are_asked_for_on_a_terminal(self):
        self.write("k.tex", "s = v(i) * x(j) * y(k) * z(l)\n")
        self.refuse("long-run", "v=ones:1000", "x=ones:1000", "y=ones:1000", "z=ones:1000", "--plan=as-written")
        few = ["run", "k.tex", "--plan=as-written", "v=ones:2", "x=ones:2", "y=ones:2", "z=ones:2", "-Werror=long-run", "--repeat"]
        self.assertIn("100000 rounds of 5 ms or more", self.spc(*few, "100000", expect=1).err)
        self.spc(*few, "2")

    def test_small_data_moves_the_bytes_that_explain_counts(self):
        self.write("k.tex", SPMV)
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 1\n2 3 1\n")
        given = ["k.tex", "--format", "A=csr", "A=a.mtx"]
        out = self.spc("run", *given, "x=ones", "--bench", "--json", "--repeat", "2").out
        explained = self.spc("explain", *given).out
        self.assertIn(f"  bytes: {json.loads(out)['bytes']:,.0f} (", explained)
        one, other = json.loads(out)["round_seconds"]
        self.assertAlmostEqual(json.loads(out)["median_seconds"], (one + other) / 2)

    def test_inputs_that_memory_may_not_hold_are_asked_for_on_a_terminal(self):
        self.write("k.tex", SPMV)
        self.write("a.mtx", A_MTX.replace("4 3 5", "4000000000000 3 6"))
        self.refuse("much-memory", "A=a.mtx", "x=ones", "--format", "A=csr")
        done = self.spc("run", "k.tex", "A=a.mtx", "x=ones", "--format", "A=csr", expect=1)
        self.assertLess(done.err.index("[-Wmuch-memory]"), done.err.index("the file ends after 5 of"))

    def test_what_files_announce(self):
        """Arrays, results and lines without a header count; what a file has no room for is that error and no question."""
        self.write("k.tex", SPMV)
        self.write("outer.tex", "C(i, j) = x(i) * y(j)\n")
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000, 100000), }".ljust(117) + "\n"
        self.write("a.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        os.truncate(self.folder / "a.npy", 128 + 8 * 10**12)  # of a file system that keeps no zeros
        self.write("a.tns", "1 1 1\n" * 2000)
        os.truncate(self.folder / "a.tns", 8 * 10**12)
        self.write("x.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n")
        large = ("--input-limit=100T", "-Werror=much-memory")
        for arguments in (("k.tex", "A=a.npy", "x=ones"), ("k.tex", "--format=A=csr", "A=a.npy", "x=ones"),
                          ("k.tex", "--format=A=csr", "A=a.tns", "x=ones", "--shape=A=9x9"),
                          ("outer.tex", "x=x.mtx", "y=ones", "--size=j=4000000000000")):
            with self.subTest(arguments):
                self.assertIn("[-Werror=much-memory]", self.spc("run", *arguments, *large, expect=1).err)
        self.assertIn("[input-limit]", self.spc("run", "k.tex", "A=a.npy", "x=ones", "-Werror=much-memory", expect=1).err)
        self.write("b.mtx", A_MTX.replace("4 3 5", "4 3 1000000000000"))
        self.write("b.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        for name, message in (("b.mtx", "the file ends after 5 of"), ("b.npy", "0 follow")):
            done = self.spc("run", "k.tex", "--format=A=csr", f"A={name}", "x=ones", expect=1)
            self.assertNotIn("much-memory", done.err)
            self.assertIn(message, done.err)

    def refuse(self, warning, *arguments):
        """Says no where spc asks whether to begin."""
        given = [SPC, "run", "k.tex", *arguments]
        main, terminal = pty.openpty()
        process = subprocess.Popen(given, cwd=self.folder, stdin=terminal, stderr=terminal, stdout=subprocess.DEVNULL)
        os.close(terminal)
        text = b""
        while b"[y/N]" not in text:
            text += os.read(main, 4096)
        self.assertIn(f"[-W{warning}]".encode(), text)
        os.write(main, b"n\n")
        self.assertEqual(process.wait(timeout=60), 1)
        os.close(main)


if __name__ == "__main__":
    unittest.main()
