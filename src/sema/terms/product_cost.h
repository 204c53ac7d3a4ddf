// What products that are multiplied out cost, before loops have an order. Private to this folder.
#pragma once

#include "sema/terms/domains.h"
#include "sema/tree.h"

#include <optional>
#include <set>
#include <vector>

namespace spc::sema {

/// A product without sums: what is multiplied, and what that is divided by.
struct Factors {
  bool isNegative = false;
  std::vector<const Node *> factors, divisors;
};

/// A product as it is written, whose sums are factors.
Factors asWritten(const Node &node);

/// Where a product with the factor is computed: a tree's domain where it is 0 elsewhere.
AccessDomain domainOf(const Node &node, ValueType type, const Scope &scope, const Kernel &kernel);

/// Products that are added up over all variables but the targets, in `type`, a float or complex.
class ProductCost {
public:
  ProductCost(const std::vector<VariableId> &targets, ValueType type, const Scope &scope, const Kernel &kernel)
      : targets_(targets.begin(), targets.end()), type_(type), scope_(scope), kernel_(kernel) {}

  /// The places of a product's loops, each part of it that has a sum of its own computed apart, and what sums in it
  /// take, or of all its sums, one after the other, where that is less.
  double of(const Factors &product) const;

  /// What the sums in a product take where they are computed before it, where it wants them.
  double ofSumsIn(const Factors &product) const;

private:
  struct Part;

  Part partOf(const Node &factor) const;
  double placesOfPart(const Part &part) const;
  double ofParts(const Factors &product) const;
  double ofSumsIn(const Node &node, const AccessDomain &wanted) const;
  std::optional<double> ofSumsInTurn(const Factors &product) const;
  bool flatten(const Node &factor, std::vector<Part> &parts, bool &hasSum) const;

  std::set<VariableId> targets_;
  ValueType type_;
  const Scope &scope_;
  const Kernel &kernel_;
};

} // namespace spc::sema
