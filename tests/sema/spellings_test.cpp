// What a product costs does not depend on how it is written.
#include "harness/random_product.h"
#include "sema/alternatives.h"
#include "sema/check.h"
#include "sema/cost.h"
#include "sema/estimates.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>

namespace spc::sema::test {
namespace {

constexpr double kExtent = 1e6, kFiber = 10;

/// The steps of a kernel whose extents are all the same, and whose operands have as many entries in each row. A part
/// has an entry for each step, or all that there is room for. Elements that are set first count as steps.
double stepsOf(const Kernel &kernel) {
  std::map<TensorId, double> entries;
  const CostSizes sizes{[](ExtentId) { return kExtent; },
                        [&](TensorId id) -> std::optional<double> {
                          if (const auto known = entries.find(id); known != entries.end())
                            return known->second;
                          return kernel.tensors[id].order() == 1 ? kExtent : kExtent * kFiber;
                        }};
  double total = 0;
  const size_t alternative = alternativeFor(kernel, sizes);
  for (size_t k = 0; k < kernel.steps.size(); ++k)
    if (const auto *statement = std::get_if<Statement>(&kernel.steps[k]); statement && runs(kernel, k, alternative)) {
      const double steps = evaluate(costOf(*statement, kernel), sizes).value_or(0);
      if (statement->zeroFirst && kernel.tensors[statement->target].format.isDense())
        total += std::pow(kExtent, kernel.tensors[statement->target].order());
      entries[statement->target] = std::min(steps, std::pow(kExtent, kernel.tensors[statement->target].order()));
      total += steps;
    }
  return total;
}

/// How many times the steps of the one of two spellings of a random product the other one takes.
double ratioOfSteps(testing::Spellings spellings, std::mt19937 &random) {
  const testing::RandomProduct product = testing::randomProduct(random, spellings);
  std::vector<std::string> bindings;
  for (const auto &[tensor, format] : product.formats)
    bindings.push_back(tensor + "=" + (format == "sv" ? "vector" : format));
  const std::string texts[] = {spellingOf(product, random), spellingOf(product, random)};
  std::string formats;
  for (const std::string &binding : bindings)
    formats += " " + binding;
  double steps[2];
  for (int spelling = 0; spelling < 2; ++spelling) {
    const Checked checked = check(texts[spelling], bindings);
    INFO(texts[spelling] << ": " << checked.errors() << formats);
    REQUIRE(checked.kernel);
    steps[spelling] = stepsOf(*checked.kernel);
  }
  const double ratio = std::max(steps[0], steps[1]) / std::min(steps[0], steps[1]);
  INFO(texts[0] << "\n" << texts[1] << "\n" << steps[0] << " and " << steps[1] << " steps" << formats);
  CHECK(ratio < kOrderOfCost);
  return ratio;
}

} // namespace

TEST_CASE("a product costs the same in any order of its factors and sums") {
  std::mt19937 random(testing::productSeed());
  const int products = std::getenv("SPC_TEST_ALL") ? 100'000 : 1500;
  int apart = 0;
  for (int number = 0; number < products; ++number) {
    const double ratio = ratioOfSteps(testing::Spellings::Orders, random);
    apart += ratio > 2;
    CHECK(ratio <= 6);
  }
  // Orders that cost the same by estimates may differ once loops are chosen.
  CHECK(apart * 750 <= products);
}

TEST_CASE("temporaries and distribution change no order of a product's cost") {
  std::mt19937 random(testing::productSeed());
  const int products = std::getenv("SPC_TEST_ALL") ? 100'000 : 750;
  int apart = 0, farApart = 0;
  for (int number = 0; number < products; ++number) {
    const double ratio = ratioOfSteps(testing::Spellings::All, random);
    apart += ratio > 2;
    farApart += ratio > 6;
  }
  // Each sum of two that falls into its addends doubles the steps, and what a target that lists its entries keeps of
  // dense arrays' sums is done for each entry of a row.
  CHECK(apart * 15 <= products);
  CHECK(farApart * 75 <= products);
}

} // namespace spc::sema::test
