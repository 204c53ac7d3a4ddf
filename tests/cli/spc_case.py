"""What the command-line tests share: a fresh folder for each test, and spc as a user runs it."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPC = os.environ.get("SPC", str(ROOT / "build" / "bin" / "spc"))


def definitions_of(page):
    """The files that a Markdown page has labels for, `[label]: file`, by label."""
    return dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", page.read_text(), re.MULTILINE))


def links_of(page):
    """The files that a Markdown page links to. Code holds no links."""
    text = re.sub(r"^\s*(```+).*?^\s*\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(?<=\n\n)(?: {4}.*\n)+", "", text)
    text = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + list(definitions_of(page).values())
    return [target for target in targets if "://" not in target]


SPMV = "y(i) = A(i, j) * x(j)\n"
SDDMM = "D(i, j) = S(i, j) * A(i, k) * B(j, k)\n"


class SpcCase(unittest.TestCase):
    maxDiff = None
    #: Whether kernels are compiled and run as users do. Tests that are about what is around the code say no: theirs are
    #: compiled at -O0, in a tenth of the time, unless they say a level or SPC_TEST_ALL is set. Those that run many kernels
    #: of a kind say SOME: a quarter, by a hash of the command and the kernel, are compiled as users do.
    optimised = True
    SOME = "some"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return path

    def spc(self, *arguments, stdin=None, env=None, expect=0):
        """Runs spc in the test's folder; fails unless it exits with `expect` (None: anything)."""
        environment = {key: value for key, value in os.environ.items() if key != "SPC_FORMAT_PATH"}
        environment.update(env or {})
        done = subprocess.run([SPC, *self.at_its_level(list(map(str, arguments)))], cwd=self.folder, env=environment, timeout=120,
                              input=stdin.encode() if isinstance(stdin, str) else stdin or b"", capture_output=True)
        done.out = done.stdout.decode("utf-8", "replace")
        done.err = done.stderr.decode("utf-8", "replace")
        if expect is not None and done.returncode != expect:
            self.fail(f"spc {' '.join(map(str, arguments))}\nexits with {done.returncode}, not {expect}\n"
                      f"{done.err[:4000]}\n{done.out[:2000]}")
        return done

    def at_its_level(self, words):
        """The words of a call of spc, with -O0 where that is to be added."""
        makes_code = words[:1] in (["compile"], ["run"]) and not any(re.match("--emit|-O|--help|-h$", word) for word in words)
        is_optimised = zlib.crc32(self.said(words)) % 4 == 0 if self.optimised == self.SOME else self.optimised
        return words if is_optimised or os.environ.get("SPC_TEST_ALL") or not makes_code else [words[0], "-O0", *words[1:]]

    def said(self, words):
        """The words of a call, and the kernels that they name."""
        kernels = [self.folder / word for word in words if word.endswith(".tex")]
        return b"\0".join([*(word.replace(str(self.folder), "").encode() for word in words), *(path.read_bytes() for path in kernels if path.is_file())])

    def command(self, *arguments, **options):
        """Runs another program; fails unless it succeeds."""
        done = subprocess.run(list(map(str, arguments)), cwd=options.pop("cwd", self.folder), capture_output=True,
                              text=True, timeout=300, **options)
        if done.returncode != 0:
            self.fail(f"{' '.join(map(str, arguments))}\nexits with {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if not path.is_dir())
