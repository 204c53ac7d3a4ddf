"""cmake/lint.py finds what is too long, and nothing here is; it asks mypy of the Python package."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from spc_case import ROOT

sys.path.insert(0, str(ROOT / "cmake"))
import lint

CODE = """\
// A brace { in a comment, ' an apostrophe.
namespace a {
#define M(x) \\
  do { x; } while (0)
class C : public B {
public:
  int inlined(int x) const { return x + 1'000; }
  int
  onLines(const char *text = "}") {
    auto lambda = [&] {
      return '{';
    };
    return 0;
  }
};
constexpr auto kTable = make({
    1,
    2,
});
extern "C" int f(void) {
  if (g()) {
    h(R"({ " {)");
  }
}
} // namespace a
"""


class Lint(unittest.TestCase):
    def test_functions_are_found(self):
        self.assertEqual(lint.functions(CODE), [(7, 1), (8, 7), (20, 5)])

    def test_what_is_too_long_is_found(self):
        most = lint.MOST_FUNCTION_LINES
        self.assertEqual(lint.too_long("x.cpp", "void f() {\n" + ";\n" * (most - 2) + "}\n"), [])
        self.assertEqual(len(lint.too_long("x.cpp", "void f() {\n" + ";\n" * (most - 1) + "}\n")), 1)
        self.assertEqual(len(lint.too_long("x.py", "def f():\n" + "    pass\n" * most)), 1)
        self.assertEqual(len(lint.too_long("x.h", "\n" * lint.MOST_LINES)), 1)
        self.assertEqual(lint.too_long("x.h", "\n" * (lint.MOST_LINES - 1)), [])

    def types(self, mypy, names=("python/spc/kernel.py",)):
        """What lint.types gives and prints where mypy is a shell script, or is missing."""
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said), \
                mock.patch.dict(os.environ, PATH=f"{folder}:/bin" if mypy else folder), \
                mock.patch.object(lint, "interpreter_with_numpy", lambda: "python3"):
            if mypy:
                (Path(folder) / "mypy").write_text(f"#!/bin/sh\n{mypy}\n")
                (Path(folder) / "mypy").chmod(0o700)
            return lint.types(names), said.getvalue()

    def test_what_mypy_finds_is_found(self):
        found = "echo 'spc/x.py:1: error: no [a]'; echo 'spc/x.py:1: note: more'; exit 1"
        self.assertEqual(self.types(found), (["python/spc/x.py:1: error: no [a]"], ""))
        self.assertEqual(self.types("exit 0"), ([], ""))
        self.assertEqual(self.types("echo 'no such option' >&2; exit 2"), (["python: mypy: no such option"], ""))
        self.assertEqual(self.types(found, ["python/backend/spc_wheel.py", "src/x.cpp"]), ([], ""))

    def test_without_mypy_types_are_left_out(self):
        self.assertEqual(self.types(None), ([], "lint: types of the Python package left out, as mypy is missing\n"))

    @unittest.skipUnless((ROOT / ".git").exists(), "no git repository")
    def test_nothing_is_too_long(self):
        names = lint.checked_files()
        self.assertGreater(len(names), 500)
        self.assertEqual(lint.lengths(names), [])


if __name__ == "__main__":
    unittest.main()
