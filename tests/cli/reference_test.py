"""The examples of docs/reference.md and docs/indices.md, and the plans of docs/programs.md: each kernel compiles, and spc prints
what the page says. `--update` writes what it prints."""

import re
import shlex
import sys
import unittest

from spc_case import ROOT, SpcCase

PAGE = ROOT / "docs" / "reference.md"
INDICES = ROOT / "docs" / "indices.md"
PROGRAMS = ROOT / "docs" / "programs.md"
DATA = ROOT / "examples" / "data" / "reference"
# An indented block with a kernel, a command after it, and what that prints.
EXAMPLE = re.compile(r"((?:^    [^$\n].*\n|^\n(?=    ))+)^    \$ (spc run .*)\n((?:^    .*\n)*)", re.MULTILINE)
# A command whose output is a plan.
PLAN = re.compile(r"^    \$ (spc compile .*--emit=plan)\n((?:^    .*\n|^\n(?=    ))*)", re.MULTILINE)


def unindented(block):
    return re.sub(r"^    ", "", block, flags=re.MULTILINE)


class Reference(SpcCase):
    optimised = False

    def setUp(self):
        super().setUp()
        for path in DATA.iterdir():
            (self.folder / path.name).symlink_to(path)

    def output_of(self, kernel, command):
        words = shlex.split(command)[2:]
        self.write(words[0], unindented(kernel).strip("\n") + "\n")
        return self.spc("run", *words).out

    def plan_of(self, command):
        words = shlex.split(command)[2:]
        return self.spc("compile", ROOT / "examples" / "programs" / words[0], *words[1:]).out

    def test_examples(self):
        examples = [example for page in (PAGE, INDICES) for example in EXAMPLE.findall(page.read_text())]
        self.assertGreater(len(examples), 60)
        names = [command.split()[2] for _, command, _ in examples]
        self.assertEqual(sorted(set(names)), sorted(names))
        for kernel, command, output in examples:
            with self.subTest(command=command):
                self.assertEqual(unindented(output), self.output_of(kernel, command))

    def test_plans_of_programs(self):
        plans = PLAN.findall(PROGRAMS.read_text())
        self.assertGreater(len(plans), 3)
        for command, plan in plans:
            with self.subTest(command=command):
                self.assertEqual(unindented(plan), self.plan_of(command))

    def test_what_spc_can_say_has_an_example(self):
        """Each y of spc's column of the table links to a heading of that page, with an example below it, or to a program."""
        text = INDICES.read_text().split("\n## Beside ")[0]
        sections = dict(re.findall(r"^### (.*)\n((?:(?!^##).*\n)*)", text, re.MULTILINE))
        anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"): body for heading, body in sections.items()}
        cells = [row.split("|")[2].strip() for row in re.findall(r"^\|.*\|$", text, re.MULTILINE)[2:]]
        self.assertGreater(len(cells), 20)
        for cell in cells:
            if cell != "n":
                anchor = re.fullmatch(r"\[y\]\(#([\w-]+)\)", cell)
                self.assertIn(anchor[1] if anchor else cell, anchors)
                self.assertRegex(anchors[anchor[1]], r"(?m)^    \$ spc run |\]\(programs\.md#")

    def test_the_plan_in_the_language_guide(self):
        text = (ROOT / "docs" / "language.md").read_text()
        shown = re.search(r"(?:^    .*\n|^\n(?=    ))+", text[text.index("    kernel attention("):], re.MULTILINE).group()
        program = ROOT / "examples" / "programs" / "attention.tex"
        plan = self.spc("compile", program, "--format", "S=csr", "--emit=plan").out
        self.assertEqual(unindented(shown), plan)
        self.assertEqual(plan.count("temporary, pattern of S"), 3)
        self.assertNotRegex(plan, r"\(i, j\): f64 \(i: dense, j: dense\)")

    def test_every_example_is_found(self):
        for page in (PAGE, INDICES):
            self.assertEqual(len(EXAMPLE.findall(page.read_text())), page.read_text().count("    $ spc run "))
        self.assertEqual(len(PLAN.findall(PROGRAMS.read_text())), PROGRAMS.read_text().count("    $ spc "))

    def test_functions_and_reducers_have_examples(self):
        text = PAGE.read_text()
        used = set(re.findall(r"\b[a-z]\w*(?=\()", "".join(kernel for kernel, _, _ in EXAMPLE.findall(text))))
        rules = re.search(r"    function    =.*?    name        =", text, re.DOTALL).group()
        self.assertLessEqual(set(re.findall(r'"([a-z]\w*)"', rules)), used)


def update():
    case = Reference()

    def indented(text):
        return re.sub(r"^(?=.)", "    ", text, flags=re.MULTILINE)

    def with_output(match):
        case.setUp()
        return f"{match[1]}    $ {match[2]}\n" + indented(case.output_of(match[1], match[2]))

    def with_plan(match):
        return f"    $ {match[1]}\n" + indented(case.plan_of(match[1]))

    for page, pattern, replaced in ((PAGE, EXAMPLE, with_output), (INDICES, EXAMPLE, with_output), (PROGRAMS, PLAN, with_plan)):
        page.write_text(pattern.sub(replaced, page.read_text()))


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
