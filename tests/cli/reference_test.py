"""The examples of docs/reference.md: each compiles, and prints what the page says. `--update` writes what they print."""

import re
import shlex
import sys
import unittest

from spc_case import ROOT, SpcCase

PAGE = ROOT / "docs" / "reference.md"
DATA = ROOT / "examples" / "data" / "reference"
# An indented block with a kernel, a command after it, and what that prints.
EXAMPLE = re.compile(r"((?:^    [^$\n].*\n|^\n(?=    ))+)^    \$ (spc run .*)\n((?:^    .*\n)*)", re.MULTILINE)


def unindented(block):
    return re.sub(r"^    ", "", block, flags=re.MULTILINE)


class Reference(SpcCase):
    def setUp(self):
        super().setUp()
        for path in DATA.iterdir():
            (self.folder / path.name).symlink_to(path)

    def output_of(self, kernel, command):
        words = shlex.split(command)[2:]
        self.write(words[0], unindented(kernel).strip("\n") + "\n")
        return self.spc("run", *words).out

    def test_examples(self):
        examples = EXAMPLE.findall(PAGE.read_text())
        self.assertGreater(len(examples), 30)
        names = [command.split()[2] for _, command, _ in examples]
        self.assertEqual(sorted(set(names)), sorted(names))
        for kernel, command, output in examples:
            with self.subTest(command=command):
                self.assertEqual(unindented(output), self.output_of(kernel, command))

    def test_the_plan_in_the_language_guide(self):
        text = (ROOT / "docs" / "language.md").read_text()
        shown = re.search(r"(?:^    .*\n|^\n(?=    ))+", text[text.index("    kernel attention("):], re.MULTILINE).group()
        program = ROOT / "examples" / "programs" / "attention.tex"
        plan = self.spc("compile", program, "--format", "S=csr", "--emit=plan").out
        self.assertEqual(unindented(shown), plan)
        self.assertEqual(plan.count("temporary, pattern of S"), 3)
        self.assertNotRegex(plan, r"\(i, j\): f64 \(i: dense, j: dense\)")

    def test_every_example_is_found(self):
        self.assertEqual(len(EXAMPLE.findall(PAGE.read_text())), PAGE.read_text().count("    $ spc run "))

    def test_functions_and_reducers_have_examples(self):
        text = PAGE.read_text()
        used = set(re.findall(r"\b[a-z]\w*(?=\()", "".join(kernel for kernel, _, _ in EXAMPLE.findall(text))))
        rules = re.search(r"    function    =.*?    name        =", text, re.DOTALL).group()
        self.assertLessEqual(set(re.findall(r'"([a-z]\w*)"', rules)), used)


def update():
    case = Reference()

    def with_output(match):
        case.setUp()
        output = case.output_of(match[1], match[2])
        return f"{match[1]}    $ {match[2]}\n" + re.sub(r"^(?=.)", "    ", output, flags=re.MULTILINE)

    PAGE.write_text(EXAMPLE.sub(with_output, PAGE.read_text()))


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
