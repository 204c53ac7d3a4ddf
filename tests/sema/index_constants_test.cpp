// Indices with a constant, which no text of a kernel has yet: made by hand of kernels without.
#include "sema/check.h"
#include "sema/verify.h"

#include <catch2/catch.hpp>

namespace spc::sema::test {
namespace {

/// A kernel of one term, of which a test changes indices.
struct Shifted {
  explicit Shifted(const std::string &text, const std::vector<std::string> &bindings) : checked(check(text, bindings)) {
    REQUIRE(checked.kernel);
  }

  Term &term() { return std::get<Statement>(checked.kernel->steps.front()).terms.front(); }
  Index &indexOf(const std::string &tensor, size_t dim) {
    for (Operand &operand : term().operands)
      if (checked.kernel->tensors[operand.tensor].name == tensor)
        return operand.indices.at(dim);
    throw std::logic_error("no such operand");
  }
  std::string broken() const { return brokenInvariant(*checked.kernel).value_or("nothing"); }

  Checked checked;
};

} // namespace

TEST_CASE("A dense tensor's index may have a constant, and is described with it") {
  Shifted shifted("y(i) = A(i,j)*x(j)", {"A=csr"});
  shifted.indexOf("x", 0).constant = 2;
  CHECK(shifted.broken() == "nothing");
  CHECK_THAT(shifted.checked.steps(), Catch::Contains("x(j + 2)"));
  shifted.indexOf("x", 0).constant = -3;
  CHECK_THAT(shifted.checked.steps(), Catch::Contains("x(j - 3)"));
}

TEST_CASE("The value of an index may have a constant") {
  Shifted shifted("y(i) = A(i,j)*j", {"A=csr"});
  const auto &product = std::get<Binary>(shifted.term().expr->node);
  std::get<IndexValue>(product.right->node).index.constant = 1;
  CHECK(shifted.broken() == "nothing");
  CHECK_THAT(shifted.checked.steps(), Catch::Contains("A(i,j)*(j + 1)"));
}

TEST_CASE("Verification names constants where loops do not shift") {
  Shifted level("y(i) = A(i,j)*x(j)", {"A=csr"});
  level.indexOf("A", 1).constant = 1;
  CHECK(level.broken() == "step 1, term 1, operand 1, tensor 'A': has a level that is shifted");
  Shifted collected("C(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr", "C=csr"});
  collected.term().target[1].constant = 1;
  CHECK(collected.broken() == "step 1: collects other than by its loops' variables");
}

TEST_CASE("Elements at an index with a constant belong to no row, and slices do not have them") {
  Shifted shifted("y(i) = A(i,j)*x(j)*z(i)", {"A=csr"});
  CHECK(shifted.checked.divisions() == "divided by rows of i: slices of y, A; what A lists of x; slices of z\n");
  shifted.indexOf("x", 0).constant = 1;
  shifted.indexOf("z", 0).constant = 1;
  CHECK(shifted.checked.divisions() == "divided by rows of i: slices of y, A; all of x, z\n");
  shifted.term().target[0].constant = 1;
  CHECK(shifted.checked.divisions() == "divided by rows of i: copies of y; slices of A; all of x, z\n");
}

} // namespace spc::sema::test
