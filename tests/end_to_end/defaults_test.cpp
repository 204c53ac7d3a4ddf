// What tensors without a format become, and which warnings say so.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

using namespace spc::testing;

namespace {

KernelSpec spec(const std::string &statements, const Formats &formats) {
  KernelSpec result;
  result.statements = statements;
  result.formats = formats;
  return result;
}

/// The format of a tensor of a compiled kernel, in words.
std::string formatOf(const KernelUnderTest &kernel, const std::string &name) {
  for (const spc::sema::Tensor &tensor : kernel.kernel().tensors)
    if (tensor.name == name)
      return tensor.format.isDense() ? "dense" : tensor.shared() ? "shared" : "sparse";
  return "none";
}

} // namespace

TEST_CASE("an unbound output keeps a pattern where it can", "[defaults]") {
  for (const char *statement :
       {"D(i,j) = S(i,j) * A(i,k) * B(j,k)", "D(i,j) = 2 * S(i,j)", "D(i,j) = S(i,j) / A(i,j)"}) {
    const KernelUnderTest kernel(spec(statement, {{"S", "csr"}}));
    INFO(statement << "\n" << kernel.diagnostics());
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    CHECK(formatOf(kernel, "D") == "shared");
    CHECK_FALSE(kernel.reported("densify"));
  }
}

TEST_CASE("an unbound output of sparse operands becomes dense with a warning", "[defaults]") {
  for (const char *statement : {"D(i,j) = S(i,k) * T(k,j)", "D(i,j) = S(i,j) + T(i,j)"}) {
    const KernelUnderTest kernel(spec(statement, {{"S", "csr"}, {"T", "csr"}}));
    INFO(statement << "\n" << kernel.diagnostics());
    REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
    CHECK(formatOf(kernel, "D") == "dense");
    CHECK(kernel.reported("densify"));
  }
}

TEST_CASE("an operand that must be reordered is, with a warning", "[defaults]") {
  const KernelUnderTest reordered(spec("A(i,j) = B(i,j) * C(i,j)", {{"B", "csr"}, {"C", "csc"}, {"A", "dense"}}));
  INFO(reordered.diagnostics());
  REQUIRE(reordered.outcome() == KernelUnderTest::Outcome::Compiled);
  CHECK(reordered.reported("reorder"));
  const KernelUnderTest kept(spec("y(j) = A(i,j) * x(i)", {{"A", "csr"}}));
  REQUIRE(kept.outcome() == KernelUnderTest::Outcome::Compiled);
  CHECK_FALSE(kept.reported("reorder"));
}

TEST_CASE("outputs bound to a sparse format are assembled where they share no pattern", "[defaults]") {
  for (const char *statement : {"D(i,j) = S(i,k) * T(k,j)", "D(i,j) = S(i,j) + T(i,j)", "D(i,j) = S(j,i)"}) {
    const KernelUnderTest kernel(spec(statement, {{"S", "csr"}, {"D", "csr"}}));
    INFO(statement << "\n" << kernel.diagnostics());
    CHECK(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
  }
  const KernelUnderTest triangle(spec("D(i,j) = S(i,k) * T(k,j)", {{"S", "csr"}, {"T", "csr"}, {"D", "sym-csr"}}));
  CHECK(triangle.outcome() == KernelUnderTest::Outcome::Refused);
}
