// `semiring(...)`: what it makes of statements is what the operators spelled out make.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

/// Floats, with fills for the sparse operands.
void checkSemiring(const std::string &semiring, const std::string &statements, const std::vector<Formats> &assignments,
                   const std::map<std::string, std::string> &fills = {}) {
  for (const Formats &formats : assignments) {
    KernelSpec spec;
    spec.statements = "semiring(" + semiring + ")\n" + statements;
    spec.formats = formats;
    spec.fills = fills;
    check(spec);
  }
}

} // namespace

TEST_CASE("semirings by declaration", "[semirings]") {
  checkSemiring("min, +", "y(i) = A(i,k)*x(k)", product({{"A", kSparse}}), {{"A", "inf"}});
  checkSemiring("max, +", "C(i,j) = A(i,k)*B(k,j)",
                product({{"A", {"csr"}}, {"B", {"csr", "csc"}}, {"C", {"csr", "dense"}}}),
                {{"A", "-inf"}, {"B", "-inf"}});
  checkSemiring("max, *", "y(i) = A(i,k)*x(k) + z(i)", product({{"A", {"csr", "coo"}}}));
  checkSemiring("min, max", "y(i) = A(i,k)*x(k)", product({{"A", {"csr", "csc"}}}), {{"A", "inf"}});
  checkSemiring("+, min", "y(i) = A(i,k)*x(k)", product({{"A", {"csr", "csc"}}}));
  checkSemiring("min, +", "y(i) += A(i,k)*x(k)", product({{"A", {"csr", "csc"}}}), {{"A", "inf"}});
}

TEST_CASE("what a semiring's statements take in, and parentheses", "[semirings]") {
  checkSemiring("max, +", "y(i) = 9*x(i)\ny(i) min= A(i,k)*x(i)", product({{"A", {"csr", "dense"}}}));
  checkSemiring("+, min", "y(i) = (A(i,k) + x(i)) + x(i)", product({{"A", {"csr", "dense"}}}));
  checkSemiring("+, min", "y(i) = x(i) - (x(i) + A(i,k)*z(k))", product({{"A", {"csr", "dense"}}}));
}

TEST_CASE("semirings that take one factor", "[semirings]") {
  checkSemiring("+, first", "C(i,j) = A(i,k)*B(k,j)",
                product({{"A", {"csr"}}, {"B", {"csr", "csc"}}, {"C", {"csr", "dense"}}}));
  checkSemiring("+, second", "y(i) = A(i,k)*x(k)", product({{"A", kSparse}}));
  checkSemiring("min, second", "y(i) = A(i,k)*x(k)", product({{"A", kSparse}}));
}
