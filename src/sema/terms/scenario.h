// Sizes for which products are taken apart, where the text does not say them. Private to sema's rooms.
#pragma once

#include "sema/terms/contraction.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace spc::sema {

/// Sizes as multiples of the estimates (sema/estimates.h); 1 where none is said.
struct Scenario {
  std::map<ExtentId, double> extents;
  std::map<TensorId, double> entries; ///< of sparse operands
  bool isCompact = false;             ///< no dimension is much longer than lists of entries are

  double of(ExtentId extent) const { return valueOr1(extents, extent); }
  double of(TensorId tensor) const { return valueOr1(entries, tensor); }

private:
  template <typename Key> static double valueOr1(const std::map<Key, double> &multiples, Key key) {
    const auto found = multiples.find(key);
    return found == multiples.end() ? 1 : found->second;
  }
};

/// A product whose sums may be taken in several orders, and of what its sizes are.
struct ContractedProduct {
  ContractionSpace space;
  std::map<VariableId, ExtentId> extents;       ///< of those that are not declared as numbers
  std::vector<std::optional<TensorId>> tensors; ///< by factor: the sparse operand that it is
};

/// What a round of planning takes products apart for, and the products that it meets.
struct Contractions {
  Scenario scenario;
  bool trusts = false;  ///< what sums are multiplied with is finite: one without entries may be taken for 0
  bool trusted = false; ///< some sum without entries was taken for 0
  bool shares = false;  ///< factors that addends share are put before them
  bool shared = false;  ///< some were
  bool asks = false;    ///< some product asks, or would ask, where a sum has entries
  std::vector<ContractedProduct> products;
  std::set<size_t> scaledApart; ///< statements whose scaled sums are computed before they are scaled
};

/// A product with the sizes of a scenario.
ContractionSpace scaled(const ContractedProduct &product, const Scenario &scenario);

/// Scenarios with another extent, or another number of entries, or two of them: much less or much more than estimated.
std::vector<Scenario> scenariosFor(const std::vector<ContractedProduct> &products);

/// The ways in which a scenario takes the products apart, as text: the same for the same ways.
std::string waysOf(const std::vector<ContractedProduct> &products, const Scenario &scenario);

} // namespace spc::sema
