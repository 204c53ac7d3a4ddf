"""Objects for several levels of x86-64, which are compiled side by side where there is more than one processor."""

import os
import platform
import resource
import subprocess
import unittest

from spc_case import ROOT, SPC, SpcCase

PROGRAMS = ROOT / "examples/programs"
SPMM = "C(i, j) = A(i, k) * B(k, j)\n"
MANY = len(os.sched_getaffinity(0)) > 2
SPGEMM = ("A=csr", "B=csr", "C=csr")
# Kernel, formats, other options: vectors of each kind, constants in memory, the runtime, several bodies.
KERNELS = (
    ("spmm.tex", ["A=csr"], []),
    ("spmm.tex", ["A=csr"], ["-O2"]),
    ("spmm.tex", ["A=csr"], ["--type", "bf16"]),
    ("spmm.tex", ["A=csr"], ["--fp=strict", "--checked"]),
    ("spmm.tex", ["A=bsr"], ["--visibility", "default"]),
    ("spmm.tex", ["A=csr"], ["--mcpu=x86-64-v2,x86-64-v3"]),
    ("spmm.tex", SPGEMM, []),
    (PROGRAMS / "attention.tex", ["csr"], []),
    (PROGRAMS / "triangles.tex", ["csr"], []),
)


@unittest.skipUnless(platform.machine() == "x86_64", "objects for other processors hold one kind of loops")
@unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor compiles one after the other")
class Levels(SpcCase):
    optimised = SpcCase.SOME

    def setUp(self):
        super().setUp()
        self.write("spmm.tex", SPMM)

    def start(self, output, processors, kernel="spmm.tex", formats=("A=csr",), options=(), prepare=lambda: None):
        """spc compile on the first processors of this machine."""
        names = [word for name in formats for word in ("--format", name)]
        chosen = sorted(os.sched_getaffinity(0))[:processors]

        def prepare_all():
            os.sched_setaffinity(0, chosen)
            prepare()

        return subprocess.Popen([SPC, "compile", kernel, "-q", "--name", "k", *names, *options, "-o", output],
                                cwd=self.folder, stderr=subprocess.PIPE,
                                preexec_fn=prepare_all)

    def compile(self, output, *arguments):
        process = self.start(output, *arguments)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with process.stderr as stderr:
            self.assertEqual((process.returncode, stderr.read()), (0, b""))
        return used.ru_utime + used.ru_stime

    def test_objects_are_the_same_for_any_number_of_processors(self):
        for kernel, formats, options in KERNELS:
            with self.subTest(kernel=str(kernel), formats=formats, options=options):
                objects = set()
                for run, processors in enumerate((1, 2, 64, 64) if MANY else (1, 2, 2)):
                    self.compile(f"{run}.o", processors, kernel, formats, [*options, "-Wno-precision"])
                    objects.add((self.folder / f"{run}.o").read_bytes())
                self.assertEqual(len(objects), 1)

    def test_archives_are_the_same_for_any_number_of_processors(self):
        for run, processors in (("one", 1), ("all", 64)):
            (self.folder / run).mkdir()
            self.compile(f"{run}/k.o", processors)
            self.spc("library", f"{run}/k.o", "-o", f"{run}/libk.a")
        self.assertEqual(*((self.folder / name).read_bytes() for name in ("one/libk.a", "all/libk.a")))

    def threads(self, processors, *options, **others):
        """The most threads that compiling was seen to have."""
        process, most = self.start("k.o", processors, options=options, **others), 0
        while process.poll() is None:
            try:
                most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
            except FileNotFoundError:
                pass
        process.communicate()
        self.assertEqual(process.returncode, 0)
        return most

    def test_one_thread_for_one_processor_or_level(self):
        self.assertEqual(self.threads(1), 1)
        self.assertEqual(self.threads(2), 2)
        for options in (["--mcpu=x86-64-v3"], ["-g"], ["-O1"], ["--sanitize=address"]):
            with self.subTest(options=options):
                self.assertEqual(self.threads(2, *options), 1)

    def test_one_thread_where_addresses_are_limited(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (260 << 20, 260 << 20))
        self.assertEqual(self.threads(2, prepare=limit), 1)

    def test_nothing_is_compiled_twice(self):
        apart, together = (min(self.compile("k.o", processors) for _ in range(3)) for processors in (2, 1))
        self.assertLess(apart, 1.5 * together)


if __name__ == "__main__":
    unittest.main()
