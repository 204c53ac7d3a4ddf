#include "syntax_test_support.h"

using namespace spc;
using namespace spc::syntax;

namespace {

/// What the last statement's right side is read as.
std::string readAs(const std::string &text) {
  Parsed parsed(text);
  INFO(text << "\n" << parsed.rendered());
  CHECK(parsed.diagnostics.all().empty());
  return parsed.kernel.statements.empty() ? "" : structure(*parsed.kernel.statements.back().value);
}

} // namespace

TEST_CASE("functions that share their names are called where no tensor has these") {
  CHECK(readAs("y(i) = div(x(i), 2)") == "(call divdiv [x i] #2)");
  CHECK(readAs("y(i) = x(i) * asinh(alpha)") == "(* [x i] (call asinhasinh [alpha]))");
  CHECK(readAs("y(i) = x(i) * bitand(i, 1)") == "(* [x i] (call bitandbitand [i] #1))");
  CHECK(readAs("tensor x(n)\ny(i) = x(i) * shl(1, i)") == "(* [x i] (call shlshl #1 [i]))");
  CHECK(readAs("y(i) = x(i) * shl(1, i) + shl(x(i), 2)") ==
        "(+ (* [x i] (call shlshl #1 [i])) (call shlshl [x i] #2))");
}

TEST_CASE("a file's tensors keep names of functions") {
  CHECK(readAs("tensor div(m, n)\ny(i) = div(i,j) * 2") == "(* [div i j] #2)");
  CHECK(readAs("y(i) = div(i,j) * 2\ntensor div(m, n)") == "(* [div i j] #2)");
  CHECK(readAs("tensor fmin(m)\ny(i) = fmin(i) * 2") == "(* [fmin i] #2)");
  CHECK(readAs("let trunc(i) = x(i)\ny(i) = trunc(i) + trunc(i+1)") == "(+ [trunc i] [trunc i + 1])");
  CHECK(readAs("exp2(i, j) += x(i)\ny(i) = exp2(i,j)") == "[exp2 i j]");
  CHECK(readAs("copysign(i) max= x(i)\ny(i) = copysign(i)") == "[copysign i]");
  CHECK(readAs("kernel f(x, atan) -> y\ny(i) = x(i) * atan(i)") == "(* [x i] [atan i])");
  CHECK(readAs("y(i) = div(i, j) * x(j)") == "(* [div i j] [x j])");
  CHECK(readAs("y(i) = shl(i) * shr(2*i + 1)") == "(* [shl i] [shr 2*i + 1])");
  CHECK(readAs("y(i) = top(i, j) * x(j)") == "(* [top i j] [x j])");
  CHECK(readAs("tensor argtop(m)\ny(i) = argtop(i)") == "[argtop i]");
  CHECK(readAs("bottom(i) = x(i)\ny(i) = bottom(i) + 1") == "(+ [bottom i] #1)");
  CHECK(readAs("y(i) = x(i) * div") == "(* [x i] [div])");
  CHECK(readAs("y(shl) = x(shl)") == "[x shl]");
  CHECK(readAs("type div = f64\ny(i) = div(x(i))") == "(call div [x i])");
}

TEST_CASE("what stands in the indices of such a tensor is an index") {
  CHECK(Parsed("tensor div(m)\ny(i) = div(x(i))").ids() == "");
  CHECK(Parsed("tensor div(m)\ny(i) = div(x(i) + 1)").ids() == "index-expression");
  CHECK(Parsed("tensor fmax(m)\ny(i) = fmax(2*x(i), 2)").ids() == "index-expression");
  CHECK(Parsed("tensor x(m)\ny(i) = div(x(i))").ids() == "argument-count");
  CHECK(Parsed("V(i,r) = top(r, j, A(i,j))").ids() == "");
  CHECK(Parsed("tensor top(m, n)\ny(i) = top(i, p(i))").ids() == "");
}
