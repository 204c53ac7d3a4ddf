"""spc.mpi on 1, 2, 3, 4 and 7 processes of this machine: kernels on parts, gradients, and errors that all have to hear of."""
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # which has Debian's mpi4py


class Mpi(unittest.TestCase):
    def ranks(self, count, program, *arguments):
        """Runs a program of this folder in so many processes, and gives what it prints. It fails where one fails or hangs."""
        with tempfile.TemporaryDirectory() as folder:  # sessions of Open MPI have long names
            done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "-n", str(count),
                                   PYTHON, "-W", "ignore", HERE / program, *map(str, arguments)], capture_output=True, text=True,
                                  timeout=300, check=False, env={**os.environ, "TMPDIR": folder, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, f"{count} processes:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def test_kernels_on_parts(self):
        for count, stride in ((1, 4), (2, 2), (3, 3), (4, 5), (7, 7)):  # a slice of all kernels for each, other ones
            with self.subTest(count=count):
                printed = self.ranks(count, "cases.py", stride, count % stride)
                self.assertEqual(printed.count("divisions in"), count)
                self.assertNotIn(": 0 divisions", printed)

    def test_gradients(self):
        for count in (1, 3):
            with self.subTest(count=count):
                self.assertEqual(self.ranks(count, "gradients.py").count("gradients are those of the whole"), count)

    def test_example(self):
        self.assertIn("3 processes, 2 kernels", printed := self.ranks(3, HERE.parent.parent / "examples" / "mpi" / "layers.py"))
        self.assertIn("ok", printed)

    def test_what_is_held(self):
        for count in (1, 3, 7):
            with self.subTest(count=count):
                self.assertEqual(self.ranks(count, "held.py").count("nothing is held that changed"), count)

    def test_failures(self):
        for count in (1, 2, 4):
            with self.subTest(count=count):
                self.assertEqual(self.ranks(count, "failures.py").count("all errors heard of"), count)


if __name__ == "__main__":
    unittest.main()
