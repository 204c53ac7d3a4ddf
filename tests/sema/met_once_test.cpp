// Which assembling statements come to each place of their target once.
#include "sema/check.h"
#include "sema/met_once.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

/// Of the last step of the kernel, which is a statement.
bool isMetOnce(const std::string &text, const std::vector<std::string> &bindings) {
  const Checked checked = check(text, bindings);
  REQUIRE(checked.kernel);
  return meetsKeysOnce(*checked.kernel, std::get<Statement>(checked.kernel->steps.back()));
}

const std::string kIndices = "tensor A(m,n)\ntensor p(u): i32\ntensor q(v): i32\n";

} // namespace

TEST_CASE("a place tells the entry where every other loop follows from it") {
  CHECK(isMetOnce(kIndices + "tensor B(u,v)\nB(i,j) = A(p(i), q(j))", {"A=csr", "B=csr"}));
  CHECK(isMetOnce("tensor A(m,n)\ntensor B(m,n)\nB(i,j) = A(i, n-1-j)", {"A=csr", "B=csr"}));
  CHECK(isMetOnce("tensor A(m,n)\ntensor B(4,4)\ntensor C(4*m,4*n)\nC(4*i+k, 4*j+l) = A(i,j)*B(k,l)",
                  {"A=csr", "B=csr", "C=csr"}));
}

TEST_CASE("a place that several entries may come to tells none") {
  CHECK_FALSE(isMetOnce("C(i,j) = A(i,k)*B(k,j)", {"A=csr", "B=csr", "C=csr"}));
  CHECK_FALSE(
      isMetOnce(kIndices + "tensor B2(n,n)\ntensor B(u,n)\nB(i,j) = A(p(i), k)*B2(k,j)", {"A=csr", "B=csr", "B2=csr"}));
  CHECK_FALSE(isMetOnce("tensor A(m,n)\ntensor B(5,5)\ntensor C(4*m+1,4*n+1)\nC(4*i+k, 4*j+l) = A(i,j)*B(k,l)",
                        {"A=csr", "B=csr", "C=csr"}));
}

} // namespace spc::sema::test
