"""An installation of spc in a folder of its own, as its users' build systems find it; where SPC_CLEAN_ROOT names the root
of a system that has spc's package (tests/clean_root/run.sh), that installation, and all commands run in there."""

import atexit
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from spc_case import ROOT, SPC, SpcCase

CLEAN_ROOT = os.environ.get("SPC_CLEAN_ROOT")
DOCS = pathlib.Path(CLEAN_ROOT, "usr/share/doc/spc/docs") if CLEAN_ROOT else ROOT / "docs"


def has(tool):
    """Whether the system that the tests run in has a program."""
    return shutil.which(tool, path=f"{CLEAN_ROOT}/usr/bin" if CLEAN_ROOT else None) is not None


def files_in(text):
    """The files that a page shows: of a paragraph ahead of a block, the first file that it names is the block."""
    blocks = re.findall(r"((?:^[^\n]+\n)+)\n```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return {re.search(r"`(\w+\.\w+|Makefile)`", above)[1]: block for above, language, block in blocks
            if language not in ("sh", "text")}


def commands_in(text):
    """The lines of a page's shell blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def files_of(page):
    """The files that a page of docs/ shows."""
    return files_in((DOCS / page).read_text())


def commands_of(page):
    """The lines of a page's shell blocks."""
    return commands_in((DOCS / page).read_text())


@functools.lru_cache(maxsize=None)
def installation():
    """The folder of an installation, which lasts as long as the process."""
    if CLEAN_ROOT:
        return pathlib.Path(CLEAN_ROOT, "usr")
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    prefix = pathlib.Path(folder.name) / "prefix"
    build = os.path.dirname(os.path.dirname(SPC))
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    return prefix


class InstalledCase(SpcCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = installation()

    def environment(self):
        """That of a user: no variables of spc, its program in PATH."""
        if CLEAN_ROOT:
            return {"PATH": "/usr/sbin:/usr/bin", "HOME": "/root", "LC_ALL": "C"}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SPC")}
        return kept | {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "CMAKE_PREFIX_PATH": str(self.prefix),
                       "PKG_CONFIG_PATH": f"{self.prefix}/share/pkgconfig", "LC_ALL": "C"}

    def entered(self, arguments):
        """The command that runs another one in the test's folder, of the system that the tests run in."""
        if not CLEAN_ROOT:
            return arguments
        return ("chroot", CLEAN_ROOT, "env", "-C", "/" / self.folder.relative_to(CLEAN_ROOT), *arguments)

    def tool(self, *arguments):
        return self.command(*self.entered(arguments), env=self.environment()).stdout

    def attempt(self, *arguments):
        """Runs a program that may fail."""
        return subprocess.run(self.entered(arguments), cwd=self.folder, env=self.environment(), capture_output=True, text=True,
                              timeout=300)

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))
