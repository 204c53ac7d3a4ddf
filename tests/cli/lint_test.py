"""cmake/lint.py finds what is too long, and nothing here is."""

import sys
import unittest

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

    @unittest.skipUnless((ROOT / ".git").exists(), "no git repository")
    def test_nothing_is_too_long(self):
        names = lint.checked_files()
        self.assertGreater(len(names), 500)
        self.assertEqual(lint.lengths(names), [])


if __name__ == "__main__":
    unittest.main()
