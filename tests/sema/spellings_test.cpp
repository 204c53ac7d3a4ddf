// What a product costs does not depend on how it is written.
#include "harness/random_product.h"
#include "sema/alternatives.h"
#include "sema/check.h"
#include "sema/cost.h"
#include "sema/estimates.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace spc::sema::test {
namespace {

constexpr double kExtent = 1e6, kFiber = 10;

bool isWithin(const std::vector<Index> &indices, const std::vector<Index> &others) {
  const auto isIn = [&](LoopId loop) {
    return std::any_of(others.begin(), others.end(), [&](const Index &index) {
      return std::any_of(index.terms.begin(), index.terms.end(),
                         [&](const IndexTerm &one) { return one.loop == loop; });
    });
  };
  return std::all_of(indices.begin(), indices.end(), [&](const Index &index) {
    return std::all_of(index.terms.begin(), index.terms.end(), [&](const IndexTerm &one) { return isIn(one.loop); });
  });
}

/// How many elements of its target a term reaches at most: an operand has all that it lists where it has all indices.
double mostReached(const Term &term, const Domain &domain, const Kernel &kernel, const CostSizes &sizes) {
  const auto ofOperand = [&](OperandId id) {
    const Operand &operand = term.operands[id];
    const bool isBound = !kernel.tensors[operand.tensor].format.isDense() && isWithin(term.target, operand.indices);
    return isBound ? *sizes.entries(entriesOwner(kernel, operand.tensor)) : HUGE_VAL;
  };
  double most = domain.kind == DomainKind::Any ? 0 : HUGE_VAL;
  if (domain.kind == DomainKind::Stored)
    return ofOperand(domain.operand);
  for (const Domain &part : domain.parts) {
    const double ofPart = mostReached(term, part, kernel, sizes);
    most = domain.kind == DomainKind::Any ? most + ofPart : std::min(most, ofPart);
  }
  return most;
}

/// Of a term without a domain all operands have to have an entry, of a sum one of them.
double mostReached(const Term &term, const Kernel &kernel, const CostSizes &sizes) {
  const auto *binary = std::get_if<Binary>(&term.expr->node);
  const bool addsUp = binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
  Domain all{addsUp ? DomainKind::Any : DomainKind::All};
  for (OperandId id : term.operands.ids())
    all.parts.push_back({DomainKind::Stored, id, {}});
  return mostReached(term, term.domain.value_or(all), kernel, sizes);
}

/// The steps of a kernel whose extents are all the same, and whose operands have as many entries in each row. A part
/// has an entry for each step, or all that there is room for, or that an operand with its indices has. Elements that
/// are set first, rows and searches without entries, copies, and results that are put in order count as steps.
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
      double steps = 0, reached = 0;
      for (const Term &term : statement->terms) {
        const double ofTerm = evaluate(costOf(*statement, term, kernel), sizes).value_or(0);
        steps += ofTerm;
        reached += std::min(ofTerm, mostReached(term, kernel, sizes));
      }
      for (const StatementCost &cost : costOf(kernel, Alternative{k, k + 1}))
        steps += evaluate(cost.beside, sizes).value_or(0);
      entries[statement->target] = std::min(reached, std::pow(kExtent, kernel.tensors[statement->target].order()));
      total += steps;
      const Tensor &target = kernel.tensors[statement->target];
      std::vector<int> stored;
      for (const format::Level &level : target.format.levels)
        stored.push_back(level.dim);
      if (statement->collecting && statement->collecting->dims != stored)
        total += kCopyingCost * entries[statement->target];
    }
  for (TensorId id : kernel.tensors.ids())
    if (const Tensor &tensor = kernel.tensors[id];
        tensor.is<Converted>() && !tensor.isOfRecomputation && tensor.alternative.value_or(alternative) == alternative)
      total += kCopyingCost * *sizes.entries(entriesOwner(kernel, id));
  return total;
}

/// Two spellings of a random product, and what each costs.
struct Pair {
  std::string texts[2], formats;
  double steps[2] = {};

  /// How many times the steps of the one the other one takes.
  double ratio() const { return std::max(steps[0], steps[1]) / std::min(steps[0], steps[1]); }
};

Pair randomPair(testing::Spellings spellings, bool hasDivisor, std::mt19937 &random) {
  const testing::RandomProduct product = testing::randomProduct(random, spellings, hasDivisor);
  Pair pair{{spellingOf(product, random), spellingOf(product, random)}, "", {}};
  std::vector<std::string> bindings;
  for (const auto &[tensor, format] : product.formats) {
    bindings.push_back(tensor + "=" + (format == "sv" ? "vector" : format));
    pair.formats += " --format " + tensor + "=" + (format == "sv" ? "sparse-vector" : format);
  }
  for (int spelling = 0; spelling < 2; ++spelling) {
    const Checked checked = check(declarationsOf(product) + pair.texts[spelling], bindings);
    INFO(pair.texts[spelling] << ": " << checked.errors() << pair.formats);
    REQUIRE(checked.kernel);
    pair.steps[spelling] = stepsOf(*checked.kernel);
  }
  return pair;
}

/// Pairs that are apart by more than 2, those that are by most first.
std::vector<Pair> pairsApart(testing::Spellings spellings, int count, bool haveDivisors = false) {
  std::mt19937 random(testing::productSeed());
  std::vector<Pair> apart;
  for (int number = 0; number < count; ++number)
    if (Pair pair = randomPair(spellings, haveDivisors, random); pair.ratio() > 2)
      apart.push_back(std::move(pair));
  std::stable_sort(apart.begin(), apart.end(), [](const Pair &a, const Pair &b) { return a.ratio() > b.ratio(); });
  if (std::getenv("SPC_TEST_LIST")) {
    std::cout << apart.size() << " of " << count << " pairs are apart\n";
    for (const Pair &pair : apart)
      std::cout << "\n"
                << pair.ratio() << ":" << pair.formats << "\n"
                << pair.steps[0] << " steps\n"
                << pair.texts[0] << "\n"
                << pair.steps[1] << " steps\n"
                << pair.texts[1] << "\n";
  }
  return apart;
}

int countOr(int usual) {
  const char *count = std::getenv("SPC_TEST_COUNT");
  return count ? std::atoi(count) : std::getenv("SPC_TEST_ALL") ? 100'000 : usual;
}

} // namespace

TEST_CASE("a product costs the same in any order of its factors and sums") {
  const int products = countOr(1500);
  const std::vector<Pair> apart = pairsApart(testing::Spellings::Orders, products);
  for (const Pair &pair : apart) {
    INFO(pair.texts[0] << "\n" << pair.texts[1] << "\n" << pair.steps[0] << " and " << pair.steps[1] << pair.formats);
    CHECK(pair.ratio() <= 6);
  }
  // Orders that cost the same by estimates may differ once loops are chosen.
  CHECK(static_cast<int>(apart.size()) * 750 <= products);
}

/// Checks that no pair is apart by an order of cost, one in 75 by more than 6, and one in 15 by more than 2: each sum
/// of two that falls into its addends doubles the steps, and what a target that lists its entries keeps of dense
/// arrays' sums is done for each entry of a row.
static void checkApart(const std::vector<Pair> &apart, int products) {
  int farApart = 0;
  for (const Pair &pair : apart) {
    INFO(pair.texts[0] << "\n" << pair.texts[1] << "\n" << pair.steps[0] << " and " << pair.steps[1] << pair.formats);
    CHECK(pair.ratio() < kOrderOfCost);
    farApart += pair.ratio() > 6;
  }
  CHECK(static_cast<int>(apart.size()) * 15 <= products);
  CHECK(farApart * 75 <= products);
}

TEST_CASE("temporaries and distribution change no order of a product's cost") {
  const int products = countOr(750);
  checkApart(pairsApart(testing::Spellings::All, products), products);
}

TEST_CASE("no order of lists is counted as if it took steps away") {
  const std::vector<std::string> bindings = {"A=coo", "B=csc", "C=csr", "D=csr", "D2=csr", "E=csr", "y=csr"};
  const auto planned = [&](const std::string &text) { return stepsOf(*check(text, bindings).kernel); };
  CHECK(planned("y(k,i) = A(l,k)*B(j,l)*E(j,l)*D(i,j)*C(k,j) + D2(i,j)*E(j,l)*B(j,l)*C(k,j)*A(l,k)") <=
        2 * planned("y(k,i) = C(k,j)*(D(i,j) + D2(i,j))*A(l,k)*E(j,l)*B(j,l)"));
}

TEST_CASE("what a product is divided by changes no order of its cost") {
  const int products = countOr(250);
  checkApart(pairsApart(testing::Spellings::All, products, /*haveDivisors=*/true), products);
}

} // namespace spc::sema::test
