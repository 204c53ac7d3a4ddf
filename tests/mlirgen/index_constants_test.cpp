// Indices with a constant, which no text of a kernel has yet, in what is made of them.
#include "mlirgen/mlirgen.h"
#include "pipeline/context.h"
#include "sema/check.h"

#include <catch2/catch.hpp>

#include <functional>

namespace spc::mlirgen {
namespace {

/// The module of a kernel in whose term a constant is set.
std::string textOf(const std::string &text, const std::vector<std::string> &bindings,
                   const std::function<void(sema::Term &)> &shift) {
  sema::test::Checked checked = sema::test::check(text, bindings);
  REQUIRE(checked.kernel);
  shift(std::get<sema::Statement>(checked.kernel->steps.front()).terms.front());
  const auto context = pipeline::createContext();
  auto module = generate(*checked.kernel, *context);
  REQUIRE(mlir::succeeded(module->verify()));
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream);
  return printed;
}

} // namespace

TEST_CASE("a dense operand is mapped to its index with the constant") {
  const auto shift = [](sema::Term &term) { term.operands.back().indices.front().constant = 2; };
  CHECK_THAT(textOf("y(i) = A(i,j)*x(j)", {"A=csr"}, shift), Catch::Contains("affine_map<(d0, d1) -> (d1 + 2)>"));
}

TEST_CASE("an index value has its constant") {
  const auto shift = [](sema::Term &term) {
    auto &product = std::get<sema::Binary>(term.expr->node);
    std::get<sema::IndexValue>(product.right->node).index.constant = 77;
  };
  const std::string printed = textOf("y(i) = A(i,j)*j", {"A=csr"}, shift);
  CHECK_THAT(printed, Catch::Contains("arith.constant 77 : index"));
  CHECK_THAT(printed, Catch::Contains("arith.addi"));
}

TEST_CASE("loops over all operands at once read dense ones at their index with the constant") {
  const std::string text = "y(i) = sum(j, max(max(max(max(max(A(i,j),B(i,j)),C(i,j)),D(i,j)),E(i,j)),F(i,j)) * x(j))";
  const std::vector<std::string> formats{"A=csr", "B=csr", "C=csr", "D=csr", "E=csr", "F=csr"};
  const auto shift = [](sema::Term &term) {
    REQUIRE(term.isMerged);
    term.operands.back().indices.front().constant = 77;
  };
  CHECK_THAT(textOf(text, formats, shift), Catch::Contains("arith.constant 77 : index"));
}

} // namespace spc::mlirgen
