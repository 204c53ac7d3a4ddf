"""docs/kernels-way.md: its commands print what it shows, and its answers lead to what they name. `--update` writes what
the commands print."""

import re
import sys
import unittest

from spc_case import ROOT, SPC, SpcCase, definitions_of

PAGE = ROOT / "docs" / "kernels-way.md"
# A command, which goes on in the next line behind |, && or \, and what it prints; where it is `cat`, the file.
EXAMPLE = re.compile(r"^    \$ ((?:.*(?:\||&&|\\)\n)*.*)\n((?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", re.MULTILINE)
QUESTION = re.compile(r"^- \*\*(.*\?)\*\*((?:.*\n)(?:  .*\n)*)", re.MULTILINE)
LINK = re.compile(r"\[`?([^\]`]+)`?\]\[([^\]]+)\]")


class KernelsWay(SpcCase):
    def setUp(self):
        super().setUp()
        (self.folder / "spc").symlink_to(SPC)
        for command, output in EXAMPLE.findall(PAGE.read_text()):
            if command.startswith("cat "):
                self.write(command[len("cat "):], re.sub(r"^    ", "", output, flags=re.MULTILINE))

    def output_of(self, command):
        """What a command prints on its standard output, indented as on the page."""
        printed = self.command("bash", "-c", f'PATH="$PWD:$PATH"; {command}').stdout
        return re.sub(r"^(?=.)", "    ", printed, flags=re.MULTILINE)

    def test_commands_print_what_is_shown(self):
        examples = EXAMPLE.findall(PAGE.read_text())
        stages = {stage for command, _ in examples for stage in re.findall(r"--emit=(\w+)", command)}
        self.assertEqual(stages, {"kernel", "plan", "linalg", "sparse", "loops", "llvm", "asm"})
        for command, output in examples:
            with self.subTest(command=command):
                self.assertNotEqual(output, "")
                self.assertEqual(output, self.output_of(command))

    def test_each_step_leads_to_a_header(self):
        steps = re.split(r"^## \d\. ", PAGE.read_text().split("\n## Where")[0], flags=re.MULTILINE)[1:]
        self.assertEqual(len(steps), 6)
        for step in steps:
            targets = [definitions_of(PAGE)[label] for _, label in LINK.findall(step)]
            self.assertTrue([one for one in targets if re.match(r"\.\./src/.*\.(h|td|def)$", one)], step)

    def test_questions_are_answered_by_one_sentence_with_links_to_what_it_names(self):
        text = PAGE.read_text()
        questions = QUESTION.findall(text)
        self.assertEqual(len(questions), text.count("\n- **"))
        for asked in ("row end", "divided", "level walked", "front end", "backend"):
            self.assertEqual(len([question for question, _ in questions if asked in question]), 1, asked)
        for question, answer in questions:
            self.assertEqual(len(re.findall(r"\.(?=\s|$)", answer)), 1, question)
            self.assertGreaterEqual(len(LINK.findall(answer)), 1, question)
            for name, label in LINK.findall(answer):
                with self.subTest(question=question, name=name):
                    self.assert_names(name, PAGE.parent / definitions_of(PAGE)[label])

    def assert_names(self, name, target):
        """A link's text is a path of what it leads to, or stands in there."""
        self.assertTrue(target.exists(), target)
        if not str(target.resolve()).endswith("/" + name):
            text = target.read_text() if target.is_file() else ""
            self.assertTrue(re.search(rf"\b{re.escape(name.split('::')[-1])}\b", text), f"{name}: {target}")


def update():
    case = KernelsWay()
    case.setUp()
    text = EXAMPLE.sub(lambda match: f"    $ {match[1]}\n" + case.output_of(match[1]), PAGE.read_text())
    PAGE.write_text(text)


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
