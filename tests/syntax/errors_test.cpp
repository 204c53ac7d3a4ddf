#include "syntax_test_support.h"

#include <chrono>

using namespace spc;
using namespace spc::syntax;

namespace {

// One error of the given id whose caret stands at the column, and whose text holds `part`.
void checkError(const std::string &text, const std::string &id, uint32_t line, uint32_t column,
                const std::string &part) {
  Parsed parsed(text);
  INFO(text << '\n' << parsed.rendered());
  REQUIRE(parsed.ids() == id);
  const Diagnostic &error = parsed.diagnostics.all()[0];
  LineColumn at = parsed.file.lineColumn(error.where.begin);
  CHECK(at.line == line);
  CHECK(at.column == column);
  CHECK(parsed.rendered().find(part) != std::string::npos);
}

} // namespace

TEST_CASE("slips in words get a suggestion") {
  checkError("tensr S(m,n)", "unknown-keyword", 1, 1, "did you mean 'tensor'?");
  checkError("tensor S(m,n): f32, sprase", "unknown-attribute", 1, 21, "did you mean 'sparse'?");
  checkError("tensor S(m,n), f32", "unknown-attribute", 1, 16, "did you mean ': f32'?");
  checkError("tensor S(m,n), blocked", "unknown-attribute", 1, 16, "the attributes are");
  checkError("tensor S(m,n), sparse, fil 1", "unknown-attribute", 1, 24, "did you mean 'fill'?");
  checkError("tensor S(m,n), fill a", "bad-fill", 1, 21, "a number");
  checkError("tensor S(m,n), fill", "unexpected-token", 1, 20, "an expression");
  checkError("tensor S(m,n): sparse", "unknown-attribute", 1, 16, "did you mean ', sparse'?");
  checkError("tensor S(m,n): f32 sparse", "unexpected-token", 1, 20, "insert ','");
  checkError("tensor S(m,n), sparse: f32", "unexpected-token", 1, 22, "found ':'");
  checkError("lets T(i,k) = A(i,k)", "unknown-keyword", 1, 1, "did you mean 'let'?");
  checkError("let T(i,k) += A(i,k)", "unsupported-assignment", 1, 12, "made with '='");
  checkError("y = Sum(j, A(j))", "unknown-function", 1, 5, "did you mean 'sum'?");
}

TEST_CASE("operators that the language lacks") {
  checkError("y(i) prod= A(i,j)", "unsupported-assignment", 1, 6, "'prod='");
  checkError("y any = A(i)", "unsupported-assignment", 1, 3, "'any='");
  checkError("y(i) == A(i)", "unsupported-assignment", 1, 6, "did you mean '='?");
  checkError("y(i) *= A(i)", "unsupported-assignment", 1, 6, "'y(i) = y(i) * ...'");
  checkError("y(i) -= A(i)", "unsupported-assignment", 1, 6, "'+= -(...)'");
  checkError("y = a^2", "unexpected-character", 1, 6, "'pow(x, 2)'");
  checkError("y = a**2", "unexpected-token", 1, 7, "'pow(x, 2)'");
  checkError("y = a < b < c", "chained-comparison", 1, 11, "'a < b and b < c'");
  checkError("y = a \xC3\x97 b", "unexpected-character", 1, 7, "did you mean '*'?");
  checkError("y = a \xE2\x88\x92 b", "unexpected-character", 1, 7, "did you mean '-'?");
}

TEST_CASE("indices are sums of multiples of variables") {
  CHECK(Parsed("y = A(3, i + 1, 2*i + k - 1, i*2)").diagnostics.all().empty());
  checkError("y = A(3.5,j)", "index-expression", 1, 7, "'3.5'");
  checkError("y = A(9999999999,j)", "index-expression", 1, 7, "below 2^31");
  checkError("y = A(0*i)", "index-expression", 1, 7, "multiplied with 0");
  CHECK(Parsed("tensor x(n)\ny(i) = x(n - 1 - i) + x(2*n*i - i*3) + x(-i)").diagnostics.all().empty());
  checkError("y = A(i/2)", "index-expression", 1, 8, "adds up variables");
  checkError("y = A(i*j)", "index-expression", 1, 9, "are multiplied");
  checkError("y = A((i))", "index-expression", 1, 7, "adds up variables");
  checkError("y = x(idx(i) + 1)", "index-expression", 1, 14, "stands alone");
  checkError("y = x(2*idx(i))", "index-expression", 1, 9, "adds up variables");
  checkError("y = exb(a(i))", "unknown-function", 1, 5, "'exb'");
  checkError("y = A(i, :)", "unexpected-token", 1, 10, "there are no slices");
  checkError("y = A(inf)", "reserved-name", 1, 7, "'inf'");
  checkError("y = A()", "empty-indices", 1, 6, "scalar");
  checkError("y = A(i j)", "unexpected-token", 1, 9, "insert ','");
  checkError("y = A(i,)", "unexpected-token", 1, 9, "an index");
  checkError("y = A(,i)", "unexpected-token", 1, 7, "an index");
  CHECK(Parsed("y = A(3.5,j) + A(i,4)\nz = A(i,1/2)").ids() == "index-expression index-expression");
}

TEST_CASE("functions that the language has not") {
  checkError("y(i) = norm(x)", "unknown-function", 1, 8, "or declare 'norm'");
  checkError("y(i) = softmax(x(i))", "unknown-function", 1, 8, "/ z(i)'");
  checkError("y(i) = argmax(a(i), 0)", "missing-sum-variable", 1, 8, "'argmax(j, ...)'");
  checkError("y(i) = log10(2*a)", "unknown-function", 1, 8, "'log10'");
  checkError("y(i) = sqr(a(i))", "unknown-function", 1, 8, "did you mean 'sqrt'?");
  checkError("y(i) = sotfmax(a(i))", "unknown-function", 1, 8, "did you mean 'softmax'? There is none");
  checkError("y(i) = einsum(\"ij,j->i\", A, x)", "unknown-function", 1, 8, "'y(i) = A(i,j) * x(j)'");
  checkError("y(i) = where(x(i) > 0, x(i), 0)", "argument-count", 1, 8, "'select' chooses");
  CHECK(Parsed("tensor norm(\ny(i) = norm(i)").ids() == "unexpected-token");
}

TEST_CASE("what other languages write is named, with what to write instead") {
  const std::string loops = "'y(i) = A(i,j) * x(j)'";
  checkError("for i, j:\n  y(i) += A(i,j) * x(j)", "foreign-syntax", 1, 1, loops);
  checkError("for (int i = 0; i < n; i++) {\n  y(i) = x(i);\n}\n", "foreign-syntax", 1, 1, "no 'for'");
  checkError("for i in n do\n  y(i) = x(i)\nend", "foreign-syntax", 1, 1, loops);
  checkError("y(i) = x(i)\nwhile x(i) > 0:\n  x(i) = x(i) - 1", "foreign-syntax", 2, 1, "once an iteration");
  checkError("if x(i) > 0: y(i) = x(i)", "foreign-syntax", 1, 1, "select(condition, x, y)");
  checkError("return A(i,j) * x(j)", "foreign-syntax", 1, 1, "left sides");
  checkError("def f(x):\n y(i) = x(i)", "foreign-syntax", 1, 1, "the file's name");
  checkError("double s = x(i)", "foreign-syntax", 1, 1, "'tensor x(n): f32'");
  checkError("ij,j->i", "foreign-syntax", 1, 1, "'R(i) = A(i,j) * B(j)'");
  checkError("ii->", "foreign-syntax", 1, 1, "'R = A(i,i)'");
  checkError("y(i) = \\sum_j A(i,j) * x(j)", "foreign-syntax", 1, 8, "'sum(j, ...)'");
  checkError("y(i) = \xE2\x88\x91 A(i,j)", "foreign-syntax", 1, 8, "'sum(j, ...)'");
  checkError("y(i) = a \\cdot x(i)", "foreign-syntax", 1, 10, "did you mean '*'?");
  checkError("y(i) = A_{ij}", "foreign-syntax", 1, 10, "'A(i, j)'");
  checkError("y(i) = A[i,j] * x[j]", "foreign-syntax", 1, 9, "did you mean '(i, j)'?");
  checkError("y(i) = A[i][j]", "foreign-syntax", 1, 9, "did you mean '(i, j)'?");
  checkError("y[i] = A(i)", "foreign-syntax", 1, 2, "did you mean '(i)'?");
  checkError("y(i) = A'(i,j)", "foreign-syntax", 1, 9, "'A(j,i)'");
  checkError("y(i) = A(i,j)^T * x(j)", "foreign-syntax", 1, 14, "'A(j,i)'");
  checkError("y = A @ x", "foreign-syntax", 1, 7, loops);
  checkError("y(i) = x(i) > 0 ? x(i) : 0", "foreign-syntax", 1, 17, "select(condition, x, y)");
  checkError("y(i) = x(i) if x(i) > 0 else 0", "unexpected-token", 1, 13, "select(condition, x, y)");
  checkError("y(i) = a(i) && b(i)", "foreign-syntax", 1, 13, "'and'");
  checkError("y(i) = a(i) // twice", "unexpected-token", 1, 14, "begins with '#'");
  checkError("// a comment\ny = a", "unexpected-token", 1, 1, "begins with '#'");
  checkError("y = a\n% a comment", "unexpected-token", 2, 1, "begins with '#'");
  checkError("y(i) = sum_j A(i,j)", "unexpected-token", 1, 14, "'sum(j, ...)'");
  checkError("do i = 1, n\n  y(i) = x(i)\nend do", "foreign-syntax", 1, 1, "no 'do'");
  CHECK(Parsed("for(i) = x(i)\nif = for(i)\nint(i, j) = for(i) * for(j)").diagnostics.all().empty());
}

TEST_CASE("functions take so many arguments") {
  checkError("y = exp()", "argument-count", 1, 5, "takes 1 argument, not 0");
  checkError("y = exp(a, b)", "argument-count", 1, 5, "takes 1 argument, not 2");
  checkError("y = max(a)", "argument-count", 1, 5, "takes at least 2 arguments, not 1");
  checkError("y = select(a, b)", "argument-count", 1, 5, "takes 3 arguments, not 2");
  checkError("y = f32(a, b)", "argument-count", 1, 5, "'f32' takes 1 argument");
  checkError("y = max(a, b", "unclosed-parenthesis", 1, 13, "insert ')'");
  checkError("y = max(a,)", "unexpected-token", 1, 11, "an expression");
  checkError("y = a and", "unexpected-token", 1, 10, "an expression");
}

TEST_CASE("words that a tensor may not be called") {
  checkError("tensor sum(m)", "reserved-name", 1, 8, "'sum'");
  checkError("tensor tensor(m)", "reserved-name", 1, 8, "'tensor'");
  checkError("sum(i) = A(i)", "reserved-name", 1, 1, "'sum'");
  checkError("tensor(i) = A(i)", "reserved-name", 1, 1, "'tensor'");
  checkError("tensor = 1", "reserved-name", 1, 1, "'tensor'");
  checkError("y = sum", "reserved-name", 1, 5, "'sum'");
  checkError("tensor exp(m)", "reserved-name", 1, 8, "a function of the language");
  checkError("y = max", "reserved-name", 1, 5, "'max'");
  checkError("y = max(f32, 2)", "reserved-name", 1, 9, "'f32'");
  checkError("y = a + or", "reserved-name", 1, 9, "'or'");
  checkError("f32(i) = A(i)", "reserved-name", 1, 1, "'f32'");
  checkError("y = sum(A(i))", "missing-sum-variable", 1, 5, "'sum(j, ...)'");
  checkError("y = sum()", "missing-sum-variable", 1, 5, "runs over");
  checkError("y = prod(A(i))", "missing-sum-variable", 1, 5, "'prod(j, ...)'");
  checkError("y = sum(j,)", "unexpected-token", 1, 11, "an expression");
}

TEST_CASE("extents") {
  checkError("tensor A(-3)", "bad-extent", 1, 10, "negative");
  checkError("tensor A(2.5)", "bad-extent", 1, 10, "'2.5'");
  checkError("tensor A(9223372036854775808)", "bad-extent", 1, 10, "64 bits");
  checkError("tensor A()", "unexpected-token", 1, 10, "scalar");
  CHECK(Parsed("tensor A(9223372036854775807, 0)").diagnostics.all().empty());
}

TEST_CASE("what is missing is missing after the last token") {
  checkError("y = a +", "unexpected-token", 1, 8, "the end of the file");
  checkError("y(i)\nz = a", "unexpected-token", 1, 5, "the end of the line");
  checkError("y = a +\nz(i) = b(i)", "unexpected-token", 1, 8, "the end of the line");
  checkError("y = (a + b\nz = a", "unclosed-parenthesis", 1, 11, "insert ')'");
  checkError("y = A(i,j\nz(i) = b(i)", "unclosed-parenthesis", 1, 10, "to close this '('");
  checkError("tensor A(m\ny = a", "unclosed-parenthesis", 1, 11, "insert ')'");
  checkError("y = a(i; z = a", "unclosed-parenthesis", 1, 8, "insert ')'");
  checkError("y = a)", "unexpected-token", 1, 6, "no '('");
  checkError("y = a b", "unexpected-token", 1, 7, "insert '*'");
  checkError("y = 2(a)", "unexpected-token", 1, 6, "insert '*'");
  checkError("y = a\n + b", "unexpected-token", 2, 2, "end of the line before");
  checkError("= 3", "unexpected-token", 1, 1, "a declaration or a statement");
  checkError("tensor 3", "unexpected-token", 1, 8, "name");
  checkError("tensor A(m):", "unexpected-token", 1, 13, "type");
  checkError("tensor A(m),", "unexpected-token", 1, 13, "'sparse'");
  checkError("y := a", "unexpected-token", 1, 3, "':'");
}

TEST_CASE("every broken statement is reported once, and the others are kept") {
  Parsed parsed("tensr A(m)\n"
                "y = (a + 3x +\n"
                "     b(i/2) +\n"
                "     c\n"
                "z = a\n"
                "w = a b c d e; v = b\n"
                "u = (a\n"
                "tensor B(m)\n"
                "t = a )))) (\n"
                "s = (b +\n"
                "r = c\n"
                "q = ?\n"
                "p = d\n");
  INFO(parsed.rendered());
  CHECK(parsed.ids() == "unknown-keyword bad-number index-expression unexpected-token unclosed-parenthesis "
                        "unexpected-token unexpected-token foreign-syntax");
  std::string targets;
  for (const Statement &statement : parsed.kernel.statements)
    targets += statement.target.tensor.text;
  CHECK(targets == "zwvtrp");
  CHECK(parsed.kernel.declarations.size() == 1);
}

TEST_CASE("errors end after fifty") {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "y = ?\n";
  Parsed parsed(text);
  CHECK(parsed.diagnostics.all().size() == 51);
  CHECK(parsed.diagnostics.all().back().kind.id == "too-many-errors");
  std::string one = "y = ";
  for (int i = 0; i < 500; ++i)
    one += "A(3.5) + ";
  CHECK(Parsed(text.substr(0, 6 * 50)).diagnostics.all().size() == 50);
  CHECK(Parsed(one + "1").diagnostics.all().size() == 51);
}

TEST_CASE("nesting and size have limits far from the stack's") {
  auto repeat = [](const std::string &text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i)
      all += text;
    return all;
  };
  CHECK(Parsed(std::string("y = ") + repeat("(", 200) + "a" + repeat(")", 200)).diagnostics.all().empty());
  CHECK(Parsed(std::string("y = ") + repeat("(", 201) + "a" + repeat(")", 201)).ids() == "nesting-too-deep");
  CHECK(Parsed(std::string("y = ") + repeat("(", 1000000) + "a").ids() == "nesting-too-deep");
  CHECK(Parsed(std::string("y = ") + repeat("-", 1000000) + "a").ids() == "nesting-too-deep");
  CHECK(Parsed(std::string("y = ") + repeat("sum(i,", 1000000) + "a").ids() == "nesting-too-deep");
  CHECK(Parsed("y = a" + repeat("+a", 1000)).diagnostics.all().empty());
  CHECK(Parsed("y = a" + repeat("+a", 100000)).ids() == "expression-too-large");
  CHECK(Parsed("y = a" + repeat("*a", 1001) + "\nz = ?").ids() == "expression-too-large foreign-syntax");
  CHECK(Parsed("y = sum(" + repeat("a,", 100000) + "a)").ids() == "expression-too-large");
  CHECK(Parsed("y = A(" + repeat("a,", 100000) + "a)").ids() == "order-too-high");
  CHECK(Parsed(std::string("tensor A(") + repeat("a,", 100000) + "a)").ids() == "order-too-high");
}
