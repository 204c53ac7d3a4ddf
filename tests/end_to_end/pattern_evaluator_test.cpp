// The evaluator of patterns against results worked out by hand, and against the evaluator of values, which finds out in
// another way which elements have one.
#include "harness/data.h"
#include "harness/dense_evaluator.h"
#include "harness/extent_classes.h"
#include "harness/pattern_evaluator.h"
#include "support/diagnostic.h"
#include "syntax/parser.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

using Mask = std::vector<uint8_t>;

Pattern stores(std::vector<int64_t> shape, Mask mask) {
  return {std::move(shape), Pattern::Kind::Kept, std::move(mask)};
}

/// What `text` makes of the 2 x 2 output `A`, which stores only (1,1) before.
Mask storedBy(const std::string &text, PatternMap patterns) {
  Diagnostics diagnostics;
  const SourceFile file("kernel.tex", text);
  const syntax::Kernel kernel = syntax::parse(file, diagnostics);
  REQUIRE_FALSE(diagnostics.hasErrors());
  patterns["A"] = {{2, 2}, Pattern::Kind::Assembled, {0, 0, 0, 1}};
  REQUIRE(evaluatePatterns(kernel, patterns) == "");
  return patterns.at("A").stored;
}

const PatternMap kPatternOperands = {{"B", stores({2, 2}, {1, 1, 0, 0})},
                                     {"C", stores({2, 2}, {0, 1, 1, 0})},
                                     {"D", {{2, 2}}},
                                     {"x", stores({2}, {0, 1})},
                                     {"none", stores({2, 0}, {})},
                                     {"alpha", {{}}},
                                     {"empty", {{2, 0}}}};

} // namespace

TEST_CASE("sums store what any operand stores, products what all do", "[evaluator]") {
  CHECK(storedBy("A(i,j) = B(i,j) + C(i,j)", kPatternOperands) == Mask{1, 1, 1, 0});
  CHECK(storedBy("A(i,j) = B(i,j) - C(j,i)", kPatternOperands) == Mask{1, 1, 1, 0});
  CHECK(storedBy("A(i,j) = B(i,j) * C(i,j)", kPatternOperands) == Mask{0, 1, 0, 0});
  CHECK(storedBy("A(i,j) = -(B(i,j) - C(i,j)) * C(i,j) / 2", kPatternOperands) == Mask{0, 1, 1, 0});
  CHECK(storedBy("A(i,j) = (B(i,j) + C(i,j)) * B(j,i)", kPatternOperands) == Mask{1, 0, 1, 0});
}

TEST_CASE("what is dense is stored everywhere", "[evaluator]") {
  CHECK(storedBy("A(i,j) = B(i,j) + D(i,j)", kPatternOperands) == Mask{1, 1, 1, 1});
  CHECK(storedBy("A(i,j) = alpha * B(i,j) * D(i,j)", kPatternOperands) == Mask{1, 1, 0, 0});
  CHECK(storedBy("A(i,j) = B(i,j) + 0 * alpha", kPatternOperands) == Mask{1, 1, 1, 1});
  CHECK(storedBy("A(i,j) = 0 * x(i)", kPatternOperands) == Mask{0, 0, 1, 1});
}

TEST_CASE("reductions store what is stored somewhere", "[evaluator]") {
  CHECK(storedBy("A(i,j) = B(i,k) * C(k,j)", kPatternOperands) == Mask{1, 1, 0, 0});
  CHECK(storedBy("A(i,j) = B(k,i) * C(j,k)", kPatternOperands) == Mask{0, 1, 0, 1});
  CHECK(storedBy("A(i,j) = B(i,k) * x(j) + C(i,j)", kPatternOperands) == Mask{0, 1, 1, 0});
  CHECK(storedBy("A(i,j) = sum(k, C(i,k) * x(k)) * D(i,j)", kPatternOperands) == Mask{1, 1, 0, 0});
  CHECK(storedBy("A(i,j) = D(i,k) * D(k,j)", kPatternOperands) == Mask{1, 1, 1, 1});
  CHECK(storedBy("A(i,j) = none(i,k) * none(j,k)", kPatternOperands) == Mask{0, 0, 0, 0});
  CHECK(storedBy("A(i,j) = none(i,k) + C(i,j)", kPatternOperands) == Mask{0, 1, 1, 0});
  CHECK(storedBy("A(i,j) = sum(k, exp(empty(i,k))) * exp(D(i,j)) + C(i,j)", kPatternOperands) == Mask{0, 1, 1, 0});
  CHECK(storedBy("A(i,j) = mean(k, exp(empty(i,k))) * exp(D(i,j)) + C(i,j)", kPatternOperands) == Mask{0, 1, 1, 0});
  CHECK(storedBy("A(i,j) = mean(k, exp(D(i,k))) * exp(D(i,j)) + C(i,j)", kPatternOperands) == Mask{1, 1, 1, 1});
}

TEST_CASE("an output that is added to, or read, keeps what it stores", "[evaluator]") {
  CHECK(storedBy("A(i,j) += B(i,j)", kPatternOperands) == Mask{1, 1, 0, 1});
  CHECK(storedBy("A(i,j) = B(i,j) + A(i,j)", kPatternOperands) == Mask{1, 1, 0, 1});
  CHECK(storedBy("A(i,j) = A(i,k) * A(k,j)", kPatternOperands) == Mask{0, 0, 0, 1});
  CHECK(storedBy("A(i,j) = B(i,j)\nA(i,j) = A(j,i)", kPatternOperands) == Mask{1, 0, 1, 0});
}

TEST_CASE("only assembled outputs change their patterns", "[evaluator]") {
  Diagnostics diagnostics;
  const SourceFile file("kernel.tex", "B(i,j) = 2 * B(i,j) * C(i,j)");
  PatternMap patterns = kPatternOperands;
  REQUIRE(evaluatePatterns(syntax::parse(file, diagnostics), patterns) == "");
  CHECK(patterns.at("B").stored == Mask{1, 1, 0, 0});
  const SourceFile unknown("kernel.tex", "A(i,j) = E(i,j)");
  patterns["A"] = {{2, 2}, Pattern::Kind::Assembled, Mask(4)};
  CHECK(evaluatePatterns(syntax::parse(unknown, diagnostics), patterns) != "");
}

TEST_CASE("both evaluators find the same elements", "[evaluator]") {
  const std::vector<std::string> kernels = {
      "A(i,j) = B(i,k)*C(k,j)",
      "A(i,j) = B(i,j) - C(j,i)",
      "A(i,j) = (B(i,j) + x(i))*C(j,i) - B(j,i)/2",
      "A(i,j) += x(i)*B(i,k)*C(k,j) + B(j,i)",
      "A(i,j) = sum(k, B(i,k)*x(k))*C(i,j) + A(j,i)",
      "A(i,j) = B(k,i)*x(k)*x(j)\nA(i,j) = A(i,k)*C(k,j)",
  };
  for (const std::string &text : kernels) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      INFO(text << "\nseed " << seed);
      Diagnostics diagnostics;
      const SourceFile file("kernel.tex", text);
      const syntax::Kernel kernel = syntax::parse(file, diagnostics);
      const ExtentClasses classes = findExtentClasses(kernel);
      Random random(seed);
      TensorMap tensors;
      PatternMap patterns;
      for (const std::string &name : classes.tensors) {
        DenseTensor &tensor = tensors[name];
        tensor.shape.assign(classes.ofTensor.at(name).size(), static_cast<int64_t>(seed % 5));
        tensor.sparse = true;
        tensor.assembled = name == "A";
        for (int64_t element = tensor.size(); element > 0; --element) {
          tensor.stored.push_back(random.below(4) == 0);
          tensor.values.push_back(tensor.stored.back() ? random.unit() : 0);
        }
        patterns[name] = {tensor.shape, tensor.assembled ? Pattern::Kind::Assembled : Pattern::Kind::Kept,
                          tensor.stored};
      }
      REQUIRE(evaluate(kernel, tensors) == "");
      REQUIRE(evaluatePatterns(kernel, patterns) == "");
      CHECK(tensors.at("A").stored == patterns.at("A").stored);
    }
  }
}

} // namespace spc::testing
