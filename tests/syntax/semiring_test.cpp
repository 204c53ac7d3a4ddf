// `semiring(...)`: statements written in usual arithmetic.
#include "syntax_test_support.h"

#include <cmath>

using namespace spc;
using namespace spc::syntax;

static std::string written(const std::string &semiring, const std::string &statement) {
  Parsed parsed("semiring(" + semiring + ")\n" + statement);
  INFO(parsed.rendered());
  REQUIRE(parsed.diagnostics.all().empty());
  REQUIRE(parsed.kernel.statements.size() == 1);
  return toSource(parsed.kernel.statements.front());
}

TEST_CASE("sums and products of a semiring") {
  CHECK(written("+, *", "C(i,j) = A(i,k)*B(k,j)") == "C(i,j) = A(i,k)*B(k,j)");
  CHECK(written("min, +", "C(i,j) = A(i,k)*B(k,j)") == "C(i,j) = min(k, minplus(A(i,k), B(k,j)))");
  CHECK(written("max, *", "y(i) = A(i,k)*x(k)") == "y(i) = max(k, A(i,k)*x(k))");
  CHECK(written("or, and", "y(i) = A(i,k)*x(k)") == "y(i) = any(k, A(i,k) and x(k))");
  CHECK(written("max, min", "s = A(i,k)*x(k)") == "s = max(i, k, min(A(i,k), x(k)))");
  CHECK(written("min, max", "y(i) = x(i)*z(i)*w(i)") == "y(i) = max(max(x(i), z(i)), w(i))");
  CHECK(written("max, +", "y(i) = A(i,k)*x(k)") == "y(i) = max(k, maxplus(A(i,k), x(k)))");
  CHECK(written("+, +", "y(i) = A(i,k)*x(k)") == "y(i) = sum(k, (A(i,k) + x(k)))");
  CHECK(written("+, min", "y(i) = A(i,k)*x(k)") == "y(i) = sum(k, min(A(i,k), x(k)))");
  CHECK(written("min, +", "y(i) = A(i,k)*x(k) + z(i)") == "y(i) = min(min(k, minplus(A(i,k), x(k))), z(i))");
  CHECK(written("min, +", "y(i) = (A(i,k) + z(i))*x(k)") == "y(i) = min(k, minplus((min(A(i,k), z(i))), x(k)))");
}

TEST_CASE("parentheses and signs around addends") {
  CHECK(written("min, +", "y(i) = (A(i,k)*x(k) + z(i))") == "y(i) = (min(min(k, minplus(A(i,k), x(k))), z(i)))");
  CHECK(written("+, min", "y(i) = (A(i,k)*x(k) + z(i)) + z(i)") == "y(i) = (sum(k, min(A(i,k), x(k))) + z(i)) + z(i)");
  CHECK(written("+, min", "y(i) = z(i) - (A(i,k) - x(i))") == "y(i) = z(i) - (sum(k, A(i,k)) - x(i))");
  CHECK(written("+, min", "y(i) = -(A(i,k) + x(i))") == "y(i) = -(sum(k, A(i,k)) + x(i))");
  CHECK(written("max, +", "y(i) = A(i,k) - x(i)") == "y(i) = max(k, A(i,k) - x(i))");
}

TEST_CASE("a factor where the other one has an entry") {
  CHECK(written("+, first", "y(i) = A(i,k)*B(k,i)") == "y(i) = sum(k, A(i,k)*pattern(B(k,i)))");
  CHECK(written("or, second", "y(i) = A(i,k)*x(k)") == "y(i) = any(k, x(k)*pattern(A(i,k)))");
  CHECK(written("min, second", "y(i) = A(i,k)*x(k)") == "y(i) = min(k, select(pattern(A(i,k)), x(k), inf))");
  CHECK(written("max, first", "y(i) = x(k)*A(i,k)") == "y(i) = max(k, select(pattern(A(i,k)), x(k), -inf))");
}

TEST_CASE("what a semiring leaves as it is") {
  CHECK(written("min, +", "y(i) = sum(k, A(i,k)) - x(i)") == "y(i) = sum(k, A(i,k)) - x(i)");
  CHECK(written("min, +", "y(i) = -x(i)/2") == "y(i) = -x(i)/2");
  CHECK(written("min, +", "let y(i) = exp(x(i)*2)") == "let y(i) = exp(minplus(x(i), 2))");
}

TEST_CASE("accumulating in a semiring") {
  CHECK(written("min, +", "y(i) += A(i,k)*x(k)") == "y(i) min= min(k, minplus(A(i,k), x(k)))");
  CHECK(written("max, +", "y(i) += x(i)") == "y(i) max= x(i)");
  CHECK(written("or, and", "y(i) += x(i)") == "y(i) or= x(i)");
  CHECK(written("+, min", "y(i) += x(i)") == "y(i) += x(i)");
  CHECK(written("max, +", "y(i) min= A(i,k)*x(i)") == "y(i) min= maxplus(A(i,k), x(i))");
  CHECK(written("+, min", "y(i) max= A(i,k) + x(i)") == "y(i) max= A(i,k) + x(i)");
}

TEST_CASE("declarations after a semiring have its fill") {
  Parsed parsed("tensor A(n), sparse\nsemiring(min, +)\ntensor B(n), sparse\ntensor C(n), sparse, fill 1\n"
                "tensor D(n)\nsemiring(max, +)\ntensor E(n), sparse\nsemiring(or, and)\ntensor F(n), sparse\n");
  REQUIRE(parsed.diagnostics.all().empty());
  const auto &declarations = parsed.kernel.declarations;
  CHECK_FALSE(declarations[0].fill);
  CHECK(declarations[1].fill->value == INFINITY);
  CHECK(declarations[1].fill->bySemiring);
  CHECK(declarations[2].fill->value == 1);
  CHECK_FALSE(declarations[2].fill->bySemiring);
  CHECK_FALSE(declarations[3].fill);
  CHECK(declarations[4].fill->value == -INFINITY);
  CHECK_FALSE(declarations[5].fill);
}

TEST_CASE("a semiring holds until the next one") {
  Parsed parsed("y = x*x; semiring(min, +); y = x*x; semiring(+, *); y = x*x");
  REQUIRE(parsed.diagnostics.all().empty());
  CHECK(toSource(parsed.kernel.statements[0]) == "y = x*x");
  CHECK(toSource(parsed.kernel.statements[1]) == "y = minplus(x, x)");
  CHECK(toSource(parsed.kernel.statements[2]) == "y = x*x");
}
