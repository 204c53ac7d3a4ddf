// Reductions other than sums: where they are computed, and in which types.
#include "sema/check.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

TEST_CASE("a statement that is one reduction has no temporary") {
  Checked direct = check("y(i) = max(j, A(i,j))", {"A=csr"});
  CHECK(direct.statement().reduction == Reduction::Max);
  CHECK(direct.statement().zeroFirst);
  CHECK(direct.kernel->steps.size() == 1);
  CHECK(direct.statement().terms[0].domain->kind == Domain::Kind::Everywhere);
  Checked within = check("y(i) = 2*max(j, A(i,j))", {"A=csr"});
  CHECK(within.kernel->steps.size() == 2);
  CHECK(check("y(i) += max(j, A(i,j))", {"A=csr"}).kernel->steps.size() == 2);
}

TEST_CASE("zeros that are neutral are not visited") {
  const auto domainOf = [](const std::string &text) {
    return check(text, {"A=csr", "B=csr"}).statement().terms[0].domain->kind;
  };
  CHECK(domainOf("y(i) = any(j, A(i,j)*B(i,j))") == Domain::Kind::All);
  CHECK(domainOf("y(i) = any(j, max(A(i,j), B(i,j)))") == Domain::Kind::Any);
  CHECK(domainOf("y(i) = all(j, A(i,j)*B(i,j))") == Domain::Kind::Everywhere);
  CHECK(domainOf("y(i) = all(j, not (A(i,j)*B(i,j)))") == Domain::Kind::All);
  CHECK(domainOf("y(i) = prod(j, 1 + max(A(i,j), B(i,j)))") == Domain::Kind::Any);
}

TEST_CASE("min and max are functions where nothing is named that they could run over") {
  CHECK(check("y(i) = max(x(i), a)").statement().reduction == Reduction::Sum);
  CHECK(check("y(i) = max(a, x(i))").statement().reduction == Reduction::Sum);
  CHECK(check("y(i) = max(i, x(i))").errors() == "shadowed-variable");
  CHECK(check("y(i) = max(x(i), i)").errors() == "");
  CHECK(check("s = max(i, x(i))").statement().reduction == Reduction::Max);
}

TEST_CASE("any and all are bools") {
  CHECK(check("y(i) = any(j, A(i,j))").tensor("y").type == ValueType::Bool);
  CHECK(check("y(i) = max(j, A(i,j))").tensor("y").type == ValueType::F64);
  CHECK(check("tensor A(m,n): cf64\ny(i) = max(j, A(i,j))").errors() == "type-operator");
  CHECK(check("tensor A(m,n): cf64\ny(i) = prod(j, A(i,j))").errors() == "");
}

TEST_CASE("reductions other than sums are dense, and none is summed over by accident") {
  CHECK(check("D(i,j) = max(k, A(i,k)*B(k,j))", {"A=csr", "D=csr"}).errors() == "assembled-output");
  CHECK(check("D(i,j) = any(k, A(i,j)*B(k,j))", {"A=csr"}).tensor("D").format.isDense());
  CHECK(check("y(i) = max(j, A(i,j)*x(k))").errors() == "ambiguous-sum");
  CHECK(check("y(i) = prod(j, x(k))").errors() == "unbound-variable");
}

} // namespace
} // namespace spc::sema::test
