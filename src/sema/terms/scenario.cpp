#include "sema/terms/scenario.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

constexpr size_t kMostSumsForPairs = 5;      ///< of a product, beyond which it takes long to find its orders
constexpr double kFewer = 1e-4, kMore = 1e3; ///< of an extent, or of entries, that is not as estimated

void print(const Contraction &plan, std::string &text) {
  text += "(";
  for (size_t factor : plan.factors)
    text += std::to_string(factor) + " ";
  for (const Contraction &part : plan.parts)
    print(part, text);
  text += plan.isListed ? "listed " : "";
  text += plan.mask ? "in " + std::to_string(*plan.mask) : "";
  text += ")";
}

Scenario both(const Scenario &one, const Scenario &other) {
  Scenario scenario = one;
  scenario.extents.insert(other.extents.begin(), other.extents.end());
  scenario.entries.insert(other.entries.begin(), other.entries.end());
  return scenario;
}

/// Few results of few entries, as of a batch of rows whose columns are those of all data.
Scenario batchOf(const ContractedProduct &product) {
  Scenario batch;
  for (const auto &[variable, extent] : product.extents)
    if (has(product.space.targets, variable))
      batch.extents[extent] = kFewer;
  for (const std::optional<TensorId> &tensor : product.tensors)
    if (tensor)
      batch.entries[*tensor] = kFewer;
  return batch;
}

/// Whether an operand lists its entries without memory for any dimension.
bool hasListsAlone(const ContractedProduct &product) {
  return std::ranges::any_of(product.space.factors, [](const ContractionFactor &factor) {
    return std::ranges::any_of(factor.stored, [](const Stored &stored) {
      return std::ranges::none_of(stored.levels, &Stored::Level::isDense);
    });
  });
}

} // namespace

ContractionSpace scaled(const ContractedProduct &product, const Scenario &scenario) {
  ContractionSpace space = product.space;
  space.isCompact = scenario.isCompact;
  for (const auto &[variable, extent] : product.extents)
    space.extents[variable] = std::max(1.0, space.extents[variable] * scenario.of(extent));
  for (size_t k = 0; k < space.factors.size(); ++k) {
    ContractionFactor &factor = space.factors[k];
    double largest = 1, places = 1, estimated = 1;
    for (VariableId variable : factor.variables) {
      largest = std::max(largest, space.extents.at(variable));
      places *= space.extents.at(variable);
      estimated = std::max(estimated, product.space.extents.at(variable));
    }
    // A factor keeps how many entries it has for each coordinate of its longest dimension.
    if (factor.isSparse)
      factor.entries *= largest / estimated * (product.tensors[k] ? scenario.of(*product.tensors[k]) : 1);
    factor.entries = factor.isSparse ? std::clamp(factor.entries, 1.0, places) : places;
  }
  return space;
}

std::vector<Scenario> scenariosFor(const std::vector<ContractedProduct> &products) {
  std::set<ExtentId> extents;
  std::set<TensorId> tensors;
  for (const ContractedProduct &product : products) {
    for (const auto &[variable, extent] : product.extents)
      extents.insert(extent);
    for (const std::optional<TensorId> &tensor : product.tensors)
      if (tensor)
        tensors.insert(*tensor);
  }
  std::vector<Scenario> one;
  for (double multiple : {kFewer, kMore}) {
    for (ExtentId extent : extents)
      one.push_back({{{extent, multiple}}, {}});
    for (TensorId tensor : tensors)
      one.push_back({{}, {{tensor, multiple}}});
  }
  // All operands may have few entries, as matrices have most of whose rows are empty.
  Scenario few;
  for (TensorId tensor : tensors)
    few.entries[tensor] = kFewer;
  if (tensors.size() > 1)
    one.push_back(few);
  const auto isLong = [](const ContractedProduct &product) { return product.space.sums.size() > kMostSumsForPairs; };
  std::vector<Scenario> all = one;
  if (std::any_of(products.begin(), products.end(), hasListsAlone))
    all.push_back({.isCompact = true});
  if (std::any_of(products.begin(), products.end(), isLong))
    return all;
  for (const ContractedProduct &product : products)
    if (std::ranges::any_of(product.space.factors, [](const auto &factor) { return factor.calls > 0; }))
      all.push_back(batchOf(product));
  for (size_t k = 0; k < one.size(); ++k)
    for (size_t other = k + 1; other < one.size(); ++other)
      all.push_back(both(one[k], one[other]));
  return all;
}

std::string waysOf(const std::vector<ContractedProduct> &products, const Scenario &scenario) {
  std::string text;
  for (const ContractedProduct &product : products)
    if (const std::optional<Contraction> plan = cheapestContraction(scaled(product, scenario)))
      print(*plan, text);
    else
      text += "whole";
  return text;
}

} // namespace spc::sema
