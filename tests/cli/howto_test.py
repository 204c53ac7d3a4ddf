"""docs/howto.md is what it says: each recipe's files and commands, as printed, print what the recipe shows."""

import re
import unittest

from install_case import DOCS, InstalledCase, commands_in, files_in

PAGE = (DOCS / "howto.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


class Howto(InstalledCase):
    def run_recipe(self, title):
        section = SECTIONS[title]
        if "Eigen/" in section and self.attempt("pkg-config", "--exists", "eigen3").returncode != 0:
            self.skipTest("no Eigen")
        for name, text in files_in(section).items():
            self.write(name, text)
        commands = commands_in(section)
        for command in commands[:-1]:
            self.assertNotIn("warning", self.tool("bash", "-c", command + " 2>&1"), command)
        shown = re.search(r"^```text\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
        self.assertEqual(self.tool("bash", "-c", commands[-1]), shown[1])
        for tensor, storage in re.findall(r"`--format (\w)=([\w-]+)`", section):
            other = re.sub(rf"--format {tensor}=\S+", f"--format {tensor}={storage} -Werror", commands[0])
            self.tool("bash", "-c", other)

    def test_the_table_lists_all(self):
        self.assertEqual(re.findall(r"^\| \[.*?\]\(#(.*?)\)", PAGE, re.MULTILINE), [anchor(title) for title in SECTIONS])


def recipe(title):
    return lambda self: self.run_recipe(title)


for name in SECTIONS:
    setattr(Howto, "test_" + re.sub(r"\W+", "_", name.lower()), recipe(name))


if __name__ == "__main__":
    unittest.main()
