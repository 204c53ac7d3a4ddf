#!/usr/bin/env python3
"""Programs that were compiled against the headers of a version of the calling convention link with the objects of this
spc, and run. tests/clients/abi<version> has the kernels, the headers as they were, and a client.

    golden_clients_test.py --freeze    write the headers of the present version anew: only until it is released
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

from spc_case import ROOT, SpcCase

VERSION = re.search(r"#define SPC_ABI_VERSION (\d+)", (ROOT / "include/spc/spc.h").read_text()).group(1)
FOLDER = ROOT / "tests" / "clients" / f"abi{VERSION}"  # a new version needs one
LANGUAGES = {"c": ["cc", "-std=c11"], "c++": ["c++", "-std=c++20", "-x", "c++"]}


class GoldenClients(SpcCase):
    def compile(self):
        """Objects of the folder's kernels, and their headers as of now."""
        for kernel, formats in json.loads((FOLDER / "kernels.json").read_text()).items():
            self.spc("compile", FOLDER / f"{kernel}.tex", *(f"--format={one}" for one in formats), "-q", "-Wno-reorder", "-O1",
                     "--visibility=default")

    def test_clients_link_and_run(self):
        self.compile()
        for header in self.folder.glob("*.h"):
            header.unlink()
        objects = sorted(self.folder.glob("*.o"))
        for name, command in LANGUAGES.items():
            with self.subTest(name):
                self.command(*command, "-Wall", "-Wextra", "-Werror", "-c", FOLDER / "client.c", "-o", "client.obj")
                self.command(command[0], "client.obj", *objects, "-lm", "-o", "client")
                self.command("./client")

    def test_clients_of_another_version_do_not_link(self):
        self.compile()
        other = FOLDER.with_name("abi4")
        for name, command in LANGUAGES.items():
            with self.subTest(name):
                self.command(*command, "-c", other / "client.c", "-o", "client.obj")
                failed = self.fails(command[0], "client.obj", "spmv.o", "-lm", "-o", "client")
                self.assertRegex(failed, r"undefined reference to .spmv_spc_[0-9a-f]{16}'")  # docs/abi.md: version 4
                mixed = self.write("mixed.c", f'#include "{other}/spmv.h"\n#include "{self.folder}/halves.h"\n')
                self.assertIn("headers made by different versions of spc cannot be mixed",
                              self.fails(*command, "-c", mixed, "-o", "mixed.obj"))

    def fails(self, *command):
        """What a program says that refuses its input."""
        done = subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def freeze(self):
        self.compile()
        names = ("shares.h", "spc.h", "message.h", "plan.h", "levels.h")
        common = {name: (ROOT / "include/spc" / name).read_text() for name in names}
        for name, text in common.items():
            (FOLDER / name).write_text(text)
        for header in self.folder.glob("*.h"):
            own = header.read_text()
            for name, text in common.items():
                assert text in own
                own = own.replace(text, f'#include "{name}"\n')
            (FOLDER / header.name).write_text(own)


if __name__ == "__main__":
    if sys.argv[1:] == ["--freeze"]:
        case = GoldenClients("freeze")
        case.setUp()
        case.freeze()
        case.doCleanups()
    else:
        unittest.main()
