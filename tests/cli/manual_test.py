"""spc --write-manual: pages that say what --help says, and completions that shells take."""

import os
import re
import shlex
import shutil
import subprocess
import unittest

from spc_case import SpcCase


class Manual(SpcCase):
    def setUp(self):
        super().setUp()
        self.spc("--write-manual", "share")

    def subcommands(self):
        return re.findall(r"^  (\w+)  ", self.spc("--help").out.split("Options:")[0], re.MULTILINE)

    def page(self, name):
        text = (self.folder / "share" / "man" / "man1" / f"{name}.1").read_text()
        return re.sub(r"\\f[BIR]", "", text).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")

    def test_there_is_a_page_for_each_subcommand(self):
        names = self.subcommands()
        self.assertLessEqual({"compile", "run", "formats"}, set(names))
        pages = sorted(path.name for path in (self.folder / "share" / "man" / "man1").iterdir())
        self.assertEqual(pages, sorted(["spc.1"] + [f"spc-{name}.1" for name in names]))
        for name in names:
            self.assertIn(f"spc-{name}(1)", self.page("spc"))

    def test_pages_say_what_help_says(self):
        for name in self.subcommands():
            page = self.page(f"spc-{name}")
            shown = self.spc(name, "--help").out
            self.assertIn(shown.splitlines()[0] + ".", page)
            options = re.findall(r"^  (-[\w,-]+).*", shown, re.MULTILINE)
            self.assertGreater(len(options), 1)
            for option in options:
                self.assertIn("\n" + ", ".join(option.split(",")), page)
            for text in re.findall(r"^  -.{31,}? ([A-Z][^\n]*)$", shown, re.MULTILINE):
                self.assertIn(text, page)

    def test_every_line_of_a_page_is_text_or_a_known_request(self):
        for path in (self.folder / "share" / "man" / "man1").iterdir():
            for line in path.read_text().splitlines():
                self.assertRegex(line, r"^(\.(TH|SH|TP|PP)\b|[^.'])", path.name)

    def test_wrong_folders(self):
        self.write("file", "")
        self.assertIn("cannot write", self.spc("--write-manual=file", expect=1).err)
        self.spc("--write-manual", expect=2)

    def bash(self, line):
        """What bash offers at the end of a line, cut into words as bash does."""
        words = re.findall(r"=|[^\s=]+", line) + ([""] if line.endswith(" ") else [])
        script = (f"source share/bash-completion/completions/spc; COMP_WORDS=({shlex.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _spc; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return self.command("bash", "-c", script).stdout.split()

    def fish(self, line):
        script = f"source share/fish/vendor_completions.d/spc.fish; complete -C {shlex.quote(line)}"
        home = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        done = self.command("fish", "--no-config", "-c", script, env=home)
        return [option.split("\t")[0] for option in done.stdout.splitlines()]

    def check_offers(self, complete, attached):
        self.write("mine.json", "{}")
        self.assertLessEqual({"compile", "run", "formats"}, set(complete("spc ")))
        self.assertEqual(complete("spc comp"), ["compile"])
        self.assertEqual(sorted(complete("spc compile k.tex --form")), ["--format", "--format-path"])
        self.assertEqual(complete("spc compile --fp s"), ["strict"])
        self.assertEqual(complete("spc compile --fp=s")[-1], f"{attached}strict")
        self.assertLessEqual({"dcsr", "dense"}, set(complete("spc compile --format d")))
        self.assertIn("mine.json", complete("spc compile --format m"))
        self.assertIn("csr", complete("spc formats c"))
        self.assertIn("-MD", complete("spc compile -M"))
        self.assertIn("mine.json", complete("spc compile m"))
        self.assertNotIn("--emit", complete("spc run --"))

    def test_bash(self):
        self.check_offers(self.bash, "")
        self.assertEqual(self.bash("spc compile --format A=csr-l"), ["csr-lengths"])
        self.assertEqual(self.bash("spc compile --format=A=csr-l"), ["csr-lengths"])
        self.assertEqual(self.bash("spc compile -Wno-den"), ["-Wno-densify"])
        self.assertEqual(self.bash("spc --write"), ["--write-manual"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        self.check_offers(self.fish, "--fp=")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.command("zsh", "-n", "share/zsh/site-functions/_spc")


if __name__ == "__main__":
    unittest.main()
