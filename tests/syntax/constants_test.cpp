#include "syntax_test_support.h"

#include <cmath>

using namespace spc;
using namespace spc::syntax;

namespace {

const language::ConstantDecl &constantOf(const Parsed &parsed, size_t number = 0) {
  REQUIRE(parsed.kernel.declarations.size() > number);
  REQUIRE(parsed.kernel.declarations[number].constant);
  return *parsed.kernel.declarations[number].constant;
}

/// The numbers of the constant in `const c(2, ...) = ...`, with blanks between them.
std::string numbersOf(const std::string &text) {
  const Parsed parsed(text);
  INFO(text << "\n" << parsed.rendered());
  CHECK(parsed.diagnostics.all().empty());
  std::string numbers;
  for (const language::ConstantNumber &number : constantOf(parsed).numbers)
    numbers += (numbers.empty() ? "" : " ") + language::textOf(number);
  return numbers;
}

} // namespace

TEST_CASE("constants of the text") {
  const Parsed parsed("const W(2, m): f32, sparse, fill inf = [[1, 2, -3], # a row\n  [4, 5,\n 6],]\ny(i) = W(i,j)");
  INFO(parsed.rendered());
  REQUIRE(parsed.diagnostics.all().empty());
  const TensorDecl &declaration = parsed.kernel.declarations[0];
  CHECK(declaration.name.text == "W");
  CHECK(declaration.type->text == "f32");
  CHECK(declaration.sparse);
  CHECK(std::isinf(declaration.fill->value));
  CHECK(constantOf(parsed).shape == std::vector<int64_t>{2, 3});
  CHECK(constantOf(parsed).numbers[2].real == -3);
  CHECK(constantOf(parsed).places[5].begin == 70);
  CHECK(parsed.kernel.statements.size() == 1);
  CHECK(print(parsed.kernel).find("\n  numbers 6 <1:40-") != std::string::npos);
}

TEST_CASE("numbers of constants") {
  CHECK(numbersOf("const c(3) = [.5, 1e-3, 2E+2]") == "0.5 0.001 200");
  CHECK(numbersOf("const c(3) = [inf, -inf, nan]") == "inf -inf nan");
  CHECK(numbersOf("const c(2) = [true, false]") == "1 0");
  CHECK(numbersOf("const c(4) = [1+2i, -1.5 - 2e-1i, 3i, - 4]") == "1+2i -1.5-0.2i 0+3i -4");
  CHECK(numbersOf("const c(3) = [9007199254740993, -9223372036854775807, 18446744073709551615]") ==
        "9007199254740993 -9223372036854775807 18446744073709551615");
  CHECK(numbersOf("const c(2) = [1e-999, -0]") == "0 -0");
  CHECK(numbersOf("const c = 2.5") == "2.5");
  CHECK(numbersOf("const c: f32 = -inf; y = c") == "-inf");
  CHECK(numbersOf("const c(2, 0) = [[], []]").empty());
  CHECK(numbersOf("const c(0, n) = []").empty());
  CHECK(numbersOf("const c(1,1,1) = [[[7]]]") == "7");
}

TEST_CASE("constants of files") {
  const Parsed parsed("const E(v, d): f32 = \"a folder/e.npy\" # comment\ny(i) = E(i,j)");
  INFO(parsed.rendered());
  REQUIRE(parsed.diagnostics.all().empty());
  CHECK(constantOf(parsed).file == "a folder/e.npy");
  CHECK(constantOf(parsed).where.begin == 21);
  CHECK(print(parsed.kernel).find("\n  file a folder/e.npy <1:22-1:38>\n") != std::string::npos);
}

TEST_CASE("'const' is a name as any other where no constant is declared") {
  for (const char *text :
       {"const = x(i)", "const(i) = x(i)", "const min= x(i)", "const += 2", "let const = 2\ny = const",
        "tensor const(m): f32\ny(i) = const(i)", "y(i) = (x(i) +\nconst and z(i))", "y = a *\nconst"}) {
    const Parsed parsed(text);
    INFO(text << "\n" << parsed.rendered());
    CHECK(parsed.diagnostics.all().empty());
    for (const TensorDecl &declaration : parsed.kernel.declarations)
      CHECK(!declaration.constant);
  }
}

TEST_CASE("mistakes in constants are one error each, and what follows is read") {
  const std::pair<const char *, const char *> cases[] = {{"const c(2) = [1, 2", "constant-value"},
                                                         {"const c(2) = [1 2]", "constant-value"},
                                                         {"const c(2) = [1, x]", "constant-value"},
                                                         {"const c(2) = [1, 2x]", "constant-value"},
                                                         {"const c(2) = [1 + 2, 3]", "constant-value"},
                                                         {"const c(2) = [1, ,]", "constant-value"},
                                                         {"const c(2) = [1e999, 2]", "constant-value"},
                                                         {"const c(2) = \"c.npy", "constant-value"},
                                                         {"const c(2) = \"\"", "constant-value"},
                                                         {"const c(2) = x", "constant-value"},
                                                         {"const c(2) =", "unexpected-token"},
                                                         {"const c(2) = [[1, 2]]", "constant-shape"},
                                                         {"const c(2, 2) = [1, 2]", "constant-shape"},
                                                         {"const c(2, 2) = [[1, 2], [3]]", "constant-shape"},
                                                         {"const c(2, 2) = [[1, 2],\n  [3]]", "constant-shape"},
                                                         {"const c = [1]", "constant-shape"},
                                                         {"const c(2)", "unexpected-token"},
                                                         {"const c(2) [1, 2]", "foreign-syntax"},
                                                         {"const c(2) = [1, 2] + 1", "unexpected-token"},
                                                         {"const c(2) = [1, 2] 3", "unexpected-token"},
                                                         {"const exp(2) = [1, 2]", "reserved-name"},
                                                         {"const c(2), dense = [1, 2]", "unknown-attribute"}};
  for (const auto &[text, id] : cases) {
    const Parsed parsed(std::string(text) + "\ny(i) = x(i)");
    INFO(text << "\n" << parsed.rendered());
    CHECK(parsed.ids() == id);
    CHECK(parsed.kernel.statements.size() == 1);
  }
}
