"""spc under bad conditions: full devices, closed descriptors, limits, pipes, odd names. A message and an exit code, in
bounded time and memory, and nothing half-written."""

import gzip
import json
import os
import resource
import signal
import subprocess
import unittest

from spc_case import SPC, SPMV, SpcCase

LIMIT = 512 << 20  # bytes of address space beyond what spc maps at its start


class Hostile(SpcCase):
    optimised = False

    def setUp(self):
        super().setUp()
        self.write("k.tex", SPMV)

    def shell(self, command, limits=()):
        """Runs `command`, in which $SPC is spc, by a shell with resource limits."""
        def restrict():
            for what, value in limits:
                resource.setrlimit(what, (value, value))
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env={**os.environ, "SPC": SPC}, timeout=60,
                              capture_output=True, text=True, errors="replace", preexec_fn=restrict)
        return done

    def peak(self, *arguments):
        """Exit code, standard error and the peak of resident memory, in MiB."""
        command = "import resource, subprocess, sys\n" \
                  "done = subprocess.run(sys.argv[1:], capture_output=True, text=True, timeout=60)\n" \
                  "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)\n" \
                  "print(done.stderr)"
        done = subprocess.run(["python3", "-c", command, SPC, *arguments], cwd=self.folder, timeout=90,
                              capture_output=True, text=True)
        numbers, error = done.stdout.split("\n", 1)
        code, memory = map(int, numbers.split())
        return code, error, memory

    def test_full_standard_output(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for arguments in ("--help", "--version", "compile --help", "compile --version", "run --help", "formats --help",
                          "formats", "formats csr", "compile k.tex --format A=csr --emit=plan",
                          "compile k.tex --format A=csr -o -", "run k.tex --format A=csr A=ones:3x3 x=ones",
                          "compile k.tex --format A=csr -o /dev/full --header k.h"):
            for descriptor in (">/dev/full", ">&-"):
                if descriptor == ">&-" and "/dev/full" in arguments:
                    continue
                with self.subTest(arguments + descriptor):
                    done = self.shell(f"$SPC {arguments} {descriptor}")
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("cannot write the file", done.stderr)
                    self.assertEqual(self.files(), ["k.tex"])

    def test_tuning_frees_results(self):
        size = 3000
        entries = [(i + 1, (i * 37 + k * k * 91) % size + 1) for i in range(size) for k in range(50)]
        self.write("square.tex", "C(i,j) = A(i,k) * A(k,j)\n")
        self.write("a.mtx", f"%%MatrixMarket matrix coordinate integer general\n{size} {size} {len(entries)}\n" +
                   "".join(f"{i} {j} 1\n" for i, j in entries))
        code, error, memory = self.peak("tune", "square.tex", "--format=A=csr", "--format=C=csr", "A=a.mtx", "--order=none",
                                        "--budget=300ms", "--threads=1", "-q", "-o", "t.json")
        self.assertEqual(code, 0, error)
        self.assertLess(memory, 200)  # each of some calls assembles 30 MB

    def test_closed_descriptors(self):
        self.assertEqual(self.shell("$SPC compile - --name=k -o k.o <&-").returncode, 1)
        self.assertEqual(self.shell("$SPC compile k.tex --format A=crs -o k.o 2>&-").returncode, 1)
        self.assertEqual(self.files(), ["k.tex"])
        # No output may end up where a message goes, nor the other way round.
        self.assertEqual(self.shell("$SPC compile k.tex --format A=csr -o 1.o").returncode, 0)
        self.assertEqual(self.shell("$SPC compile k.tex --format A=csr -o 2.o -v <&- >&- 2>&-").returncode, 0)
        self.assertEqual((self.folder / "1.o").read_bytes(), (self.folder / "2.o").read_bytes())

    def test_file_size_limit(self):
        done = self.shell("$SPC compile k.tex --format A=csr -o k.o", [(resource.RLIMIT_FSIZE, 500)])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("k.o: error: cannot write the file: File too large", done.stderr)
        self.assertEqual(self.files(), ["k.tex"])
        # Messages that do not fit into their file are lost, no more.
        done = self.shell("$SPC compile k.tex --format A=csr -o k.o -v 2>log; echo $?", [(resource.RLIMIT_FSIZE, 100)])
        self.assertEqual(done.stdout, "1\n")

    def test_dangling_link(self):
        (self.folder / "build").mkdir()
        (self.folder / "k.o").symlink_to("build/real.o")
        self.spc("compile", "k.tex", "--format", "A=csr", "-o", "k.o")
        self.assertTrue((self.folder / "k.o").is_symlink())
        self.assertTrue((self.folder / "build" / "real.o").read_bytes())
        (self.folder / "l.o").symlink_to("l.o")
        self.assertIn("l.o: error", self.spc("compile", "k.tex", "--format", "A=csr", "-o", "l.o", expect=1).err)
        (self.folder / "m.o").symlink_to("missing/real.o")
        self.assertIn("m.o: error", self.spc("compile", "k.tex", "--format", "A=csr", "-o", "m.o", expect=1).err)

    def test_pipes_without_another_end(self):
        os.mkfifo(self.folder / "fifo.mtx")
        for arguments in ("compile fifo.mtx --name=k -o k.o", "compile k.tex --format A=./fifo.mtx -o k.o",
                          "run k.tex --format A=csr A=fifo.mtx x=ones", "compile k.tex --format A=csr -o fifo.mtx"):
            with self.subTest(arguments):
                done = self.shell(f"$SPC {arguments}")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("this pipe", done.stderr)

    def test_process_substitution(self):
        matrix = "%%%%MatrixMarket matrix coordinate real general\\n2 2 1\\n2 1 3\\n"
        done = self.shell(f"$SPC run <(sleep 0.3; cat k.tex) --name=k --format A=csr A=<(printf '{matrix}') x=ones")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3", done.stdout)

    def test_devices(self):
        for arguments in ("compile /dev/zero --name=k", "compile /dev/urandom --name=k", "compile - --name=k </dev/zero",
                          "compile /dev/stdin --name=k </dev/zero", "compile k.tex --format A=/dev/zero",
                          "compile k.tex --format-path /dev/zero --format A=csrr",
                          "run k.tex --format A=csr A=/dev/zero x=ones", "compile k.tex --format A=csr -MD -MF /dev/full",
                          "run k.tex --format A=csr A=/dev/stdin x=ones </dev/zero",
                          "run k.tex --format A=csr A=- x=ones </dev/zero"):
            with self.subTest(arguments):
                done = self.shell(f"$SPC {arguments}")
                self.assertEqual(done.returncode, 1, done.stderr[:1000])
                self.assertEqual(self.files(), ["k.tex"])

    def test_compressed_files_that_are_all_comments(self):
        with gzip.open(self.folder / "a.tns.gz", "wb", 1) as file:
            for _ in range(300):
                file.write(b"#" + b"c" * ((1 << 20) - 2) + b"\n")
            file.write(b"1 1 1\n")
        run = ("run", "k.tex", "--format", "A=csr", "A=a.tns.gz", "x=ones")
        code, error, memory = self.peak(*run)
        self.assertEqual(code, 1)
        self.assertIn("[input-limit]", error)
        self.assertLess(memory, 100)
        code, error, memory = self.peak(*run, "--input-limit=400M")
        self.assertEqual(code, 0, error)
        self.assertLess(memory, 150)  # the kernel is compiled, too

    def test_announcements(self):
        """Sizes and counts that a header claims take no memory before there is anything to hold."""
        huge = {"1000000000 1000000000 5", "3 3 9000000000000000000", "9223372036854775807 9223372036854775807 1",
                "9223372036854775807 9223372036854775807 9223372036854775807", "0 9223372036854775807 0"}
        for sizes in sorted(huge):
            with self.subTest(sizes):
                self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{sizes}\n1 1 1\n")
                code, error, memory = self.peak("run", "k.tex", "--format", "A=csr", "A=a.mtx", "x=ones")
                self.assertEqual(code, 1, error)
                self.assertLess(memory, 100)

    def test_arrays_that_are_all_zeros(self):
        """What a compressed array claims takes no memory before it is allowed."""
        shape = 1 << 28
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': (1, {shape}), }}".ljust(117) + "\n"
        with gzip.open(self.folder / "a.npy.gz", "wb", 1) as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
            for _ in range(300):
                file.write(bytes(1 << 20))
        code, error, memory = self.peak("run", "k.tex", "--format", "A=csr", "A=a.npy.gz", "x=ones")
        self.assertEqual(code, 1)
        self.assertIn("[input-limit]", error)
        self.assertLess(memory, 250)  # 64 MiB are allowed, and held as they grow

    def test_arrays_are_held_as_they_are_packed(self):
        """Beyond an empty run, no more than 2.5 times what the tensors of a copy take."""
        def npy(rows):
            header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 1000), }}".ljust(117) + "\n"
            return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(8000 * rows)

        self.write("copy.tex", "B(i, j) = A(i, j)\n")
        self.write("none.npy", npy(1))
        self.write("a.npy", npy(4000))
        for target in ("b.npy", "b.npz"):
            with self.subTest(target):
                run = ("run", "copy.tex", "-o", target)
                (_, _, empty), (code, error, memory) = self.peak(*run, "A=none.npy"), self.peak(*run, "A=a.npy")
                self.assertEqual(code, 0, error)
                self.assertLess(memory - empty, 2.5 * 2 * 8000 * 4000 / 2**20)

    def test_kernels_of_any_size_take_bounded_time(self):
        """Each within a few seconds, whatever comes of it."""
        name = "n" * 100000
        kernels = {
            "long names": f"{name}(i) = A(i,j)*{name}x(j)\n",
            "a long index": f"y({name}) = A({name},j)*x(j)\n",
            "many statements": "".join(f"y{k}a(i) = x(i)\n" for k in range(20000)),
            "many declarations": "".join(f"tensor A{k}(m, n)\n" for k in range(20000)) + "y(i) = A0(i,j)\n",
            "many semirings": "semiring(min, +)\n" * 100000 + "y(i) = A(i,j)*x(j)\n",
            "many factors": "y(i) = " + "*".join(["x(i)"] * 900) + "\n",
            "many addends": "y(i) = " + "+".join(["x(i)"] * 100000) + "\n",
            "deep": "y(i) = " + "abs(" * 100000 + "x(i)" + ")" * 100000 + "\n",
            "blanks": " " * 15_000_000 + "y(i) = x(i)\n",
            "comments": ("#" * 200 + "\n") * 50_000 + "y(i) = x(i)\n",
            "too long": "#" * 17_000_000 + "\ny(i) = x(i)\n",
        }
        for what, text in kernels.items():
            with self.subTest(what):
                self.write("h.tex", text)
                code, error, memory = self.peak("compile", "h.tex", "--name=k", "-O0", "-o", "k.o")
                self.assertIn(code, (0, 1), error[:2000])
                self.assertLess(memory, 400)

    def test_odd_file_names(self):
        """No name of a file breaks out of what is generated: comments, dependencies, messages."""
        for stem in ("a*/b", "a\nb", 'a"b', "a??/b", "a\\b", "a$b", "a b", "a#b", "a:b", "%s%n", "a%b", "[x]", "é", "a\x01b",
                     "`touch pwned`", "$(touch pwned)", ";touch pwned;", "a=b", "a'b", "~a"):
            with self.subTest(stem):
                name = stem + ".tex"
                self.write(name, SPMV)
                done = self.spc("compile", name, "--format", "A=csr", "--name=k", "-o", "k.o", "-MD", "-MP", "-g",
                                "--diagnostics=json")
                for line in done.err.splitlines():
                    json.loads(line)
                self.command("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "k.h")
                (self.folder / "Makefile").write_text("all: k.o\n" + (self.folder / "k.d").read_text())
                self.command("make", "-s")
                self.assertFalse(any("pwned" in path and ".tex" not in path for path in self.files()))

    def test_many_mistaken_arguments(self):
        done = self.spc("compile", *["k.tex"] * 10000, expect=2)
        self.assertLess(len(done.err), 10_000_000)

    def test_input_limit_is_a_size(self):
        for size in ("", "x", "-1", "1Q", "1.5G", "99999999999999999999", "9223372036854775807T"):
            done = self.spc("run", "k.tex", "--format", "A=csr", "A=ones:2x2", "x=ones", f"--input-limit={size}",
                            expect=None)
            self.assertIn(done.returncode, (1, 2), size)


if __name__ == "__main__":
    unittest.main()
