"""The README's example is what it says: it compiles, links and runs as printed."""

import re
import unittest

from spc_case import ROOT, SPC, SpcCase, links_of

PROGRAM = """#include <stdio.h>
#include <stddef.h>
%s
int main(void) {
  int64_t rows = 2, cols = 3, nnz = 3, k = 2;
  int32_t row_ptr[] = {0, 2, 3}, col_ind[] = {0, 2, 1};
  float s_values[] = {1, 2, 3}, a_values[] = {1, 2, 3, 4}, b_values[] = {1, 1, 2, 2, 3, 3}, d_values[3];
%s
  printf("%%g %%g %%g %%d\\n", d_values[0], d_values[1], d_values[2], D.row_ptr == row_ptr);
  return status;
}
"""


def blocks():
    """The indented blocks of the README, without their indentation."""
    text = (ROOT / "README.md").read_text()
    return [re.sub(r"^    ", "", block, flags=re.MULTILINE) + "\n"
            for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, flags=re.MULTILINE)]


def headings_of(page):
    """The headings of a page, as links to them are written."""
    text = re.sub(r"^\s*(```+).*?^\s*\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def block(start):
    found = [text.lstrip("\n") for text in blocks() if text.lstrip("\n").startswith(start)]
    assert len(found) == 1, f"{len(found)} blocks of the README start with {start}"
    return found[0]


class Readme(SpcCase):
    def setUp(self):
        super().setUp()
        self.write("sddmm.tex", block("tensor S"))
        self.write("csr.json", block("{ \"name\""))

    def run_as_printed(self, start):
        for line in block(start).splitlines():
            self.command("bash", "-c", re.sub(r"^spc ", f"{SPC} ", line.split("   #")[0]))

    def test_compile_call_and_link(self):
        self.run_as_printed("spc compile sddmm.tex")
        include, call = block("#include").split("\n\n", 1)
        self.write("app.cpp", PROGRAM % (include, call))
        self.run_as_printed("c++ -O2")
        self.assertEqual(self.command("./app").stdout, "3 18 42 1\n")

    def test_run(self):
        (self.folder / "examples").symlink_to(ROOT / "examples")
        self.run_as_printed("spc run sddmm.tex")
        self.assertIn("d.mtx", self.files())

    def test_the_two_commands_are_there(self):
        for line in blocks()[0].strip().split("\n")[:2]:
            self.assertTrue((ROOT / line.split()[0]).exists(), line)

    def test_links_lead_somewhere(self):
        for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
            for target in links_of(document):
                self.assertTrue((document.parent / target).exists(), f"{document.name}: {target}")

    def test_links_to_headings_lead_to_one(self):
        for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
            for page, heading in re.findall(r"\]\(([^)#\s:]*)#([^)]+)\)", document.read_text()):
                target = document.parent / page if page else document
                if target.suffix == ".md":
                    self.assertIn(heading, headings_of(target), f"{document.name}: {page}#{heading}")

    def test_code_holds_no_links(self):
        self.write("page.md", "[a](b.md), `[](int x) {}`, [`c`](d.md#e) and ``f`[](g)``, [web](https://example.com)\n"
                   "```cpp\nauto f = [](h) {};\n```\n\n    auto g = [&](i) {};\n\n- [j](k.md)\n  ```c\n  [](l)\n  ```\n")
        self.assertEqual(links_of(self.folder / "page.md"), ["b.md", "d.md", "k.md"])

    def test_files_named_in_the_development_guide_exist(self):
        text = (ROOT / "docs" / "development.md").read_text()
        for name in re.findall(r"`((?:src|tests|formats|docs|cmake|bench|examples)/[\w./-]+\.\w+)`", text):
            self.assertTrue((ROOT / name).exists(), name)

    def test_files_named_where_reasons_are_given_exist(self):
        names = re.findall(r"`([a-z]+/[\w./]+)`", (ROOT / "docs" / "why.md").read_text())
        named = [name for name in names if (ROOT / "src" / name.split("/")[0]).is_dir()]
        self.assertGreater(len(named), 60)
        for name in named:
            self.assertTrue(list((ROOT / "src").glob(f"{name}*")), name)


if __name__ == "__main__":
    unittest.main()
