#!/usr/bin/env python3
"""What spc run and spc explain say on a terminal while they work."""

import os
import pty
import re
import subprocess
import unittest

from spc_case import SPC, SPMV, SpcCase

HEAD = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n"
TAIL = "2 2 2.5\n"


class Run:
    """spc in a terminal, which also is standard output unless `out` is another file."""

    def __init__(self, folder, *arguments, command="run", out=subprocess.DEVNULL, term="xterm"):
        self.main, terminal = pty.openpty()
        environment = {**os.environ, "TERM": term, "NO_COLOR": "1"}
        self.process = subprocess.Popen([SPC, command, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                        stderr=terminal, env=environment)
        os.close(terminal)
        self.text = ""

    def read(self):
        """Some of what comes next; False at the end."""
        try:
            self.text += os.read(self.main, 4096).decode()
        except OSError:  # the terminal's other side is closed
            return False
        return True

    def read_until(self, pattern):
        while not re.search(pattern, self.text):
            if not self.read():
                return False
        return True

    def finish(self):
        while self.read():
            pass
        os.close(self.main)
        return self.process.wait(timeout=60)

    def stop(self):
        self.process.kill()
        self.process.wait(timeout=60)
        os.close(self.main)


class ProgressTest(SpcCase):
    def test_reading(self):
        """Of four that wait for their files, the one at a terminal that wants to know says so."""
        self.write("k.tex", SPMV)
        cases = {"shown": {}, "quiet": {"extra": ["-q"]}, "dumb": {"term": "dumb"}}
        runs, feeds = {}, []
        for name, case in cases.items():
            os.mkfifo(self.folder / f"{name}.mtx")
            runs[name] = Run(self.folder, "k.tex", "--format", "A=csr", f"A={name}.mtx", "x=ones", "-o",
                             f"y_{name}.mtx", *case.get("extra", []), term=case.get("term", "xterm"))
            feeds.append(open(self.folder / f"{name}.mtx", "w"))
            feeds[-1].write(HEAD)
            feeds[-1].flush()
        os.mkfifo(self.folder / "piped.mtx")
        piped = subprocess.Popen([SPC, "run", "k.tex", "--format", "A=csr", "A=piped.mtx", "x=ones"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "TERM": "xterm"})
        feeds.append(open(self.folder / "piped.mtx", "w"))
        feeds[-1].write(HEAD)
        feeds[-1].flush()
        self.assertTrue(runs["shown"].read_until(rf"\rreading shown\.mtx: {len(HEAD)} B, [\d.]+ B/s, \d+ s\x1b\[K"),
                        runs["shown"].text)
        for feed in feeds:
            feed.write(TAIL)
            feed.close()
        for name, run in runs.items():
            self.assertEqual(run.finish(), 0, run.text)
            self.assertEqual((self.folder / f"y_{name}.mtx").read_text().split()[-2:], ["1.5", "2.5"])
        self.assertNotIn(b"reading", piped.communicate(timeout=60)[1])
        self.assertEqual(runs["quiet"].text, "")
        self.assertNotIn("reading", runs["dumb"].text)
        line, removed = r"\r\w[^\r\n\x1b]*\x1b\[K", r"\r\x1b\[K"
        self.assertRegex(runs["shown"].text, rf"^[^\x1b]*(({line})+{removed})+$")

    def test_running(self):
        """Calls that take long, on two threads and again and again; nobody waits for their ends."""
        self.write("k.tex", "y(i) = sum(j, sum(k, exp(a(i) * B(j, k))))\n")
        self.write("short.tex", SPMV)
        call = Run(self.folder, "k.tex", "a=ones:400000", "B=zeros:300x300", "-o", "y.npy", "--threads", "2", "--yes")
        self.addCleanup(call.stop)
        calls = Run(self.folder, "short.tex", "--format", "A=csr", "A=random:50x50:density=0.1", "x=ones", "--threads",
                    "1", "--repeat", "100000")
        self.addCleanup(calls.stop)
        measured = Run(self.folder, "k.tex", "a=ones:400000", "B=zeros:300x300", "--measure", command="explain")
        self.addCleanup(measured.stop)
        self.assertTrue(call.read_until(r"\rrunning: \d+ of \d+ tasks, \d[^\r]* s( left)?\x1b\[K"), call.text)
        self.assertTrue(calls.read_until(r"\rmeasuring: \d+ of \d+ calls, \d[^\r]* left\x1b\[K"), calls.text)
        self.assertTrue(measured.read_until(r"\rcalling the kernel: \d[^\r]* s\x1b\[K"), measured.text)


if __name__ == "__main__":
    unittest.main()
