// Addends as products within sums. Private to this folder.
#pragma once

#include "sema/tree.h"

#include <vector>

namespace spc::sema {

/// A factor of a product, or a divisor.
struct AddendFactor {
  NodePtr node;
  bool divides = false;
  bool isOutside = false; ///< of the product's explicit sum

  bool isNumber() const { return std::holds_alternative<NumberNode>(node->kind); }
};

/// An addend, and what it is a product of where nothing says in which order that is computed.
struct AddendProduct {
  bool negative = false;
  NodePtr whole;                     ///< as it is written; null where the factors are what it is
  std::vector<AddendFactor> factors; ///< none where the order matters
  bool isNegated = false;            ///< the addend is the negative of what the factors say
  std::vector<VariableId> sums;      ///< that it is summed over
  std::vector<VariableId> bound;     ///< those among them of explicit sums
  Span where;
};

/// Whether a value depends on one of the variables.
bool isIndexedBy(const Node &node, const std::vector<VariableId> &variables, const Scope &scope);

/// An addend taken apart, `implicit` being the variables over which each addend is summed on its own. A product with
/// such variables is within all of its sums; another one has factors outside of its explicit sum, if there is just one,
/// and several are numbers.
AddendProduct addendProduct(NodePtr whole, bool negative, const std::vector<VariableId> &implicit, const Scope &scope,
                            const Kernel &kernel);

/// A product of factors; null where there are none.
NodePtr multiplied(std::vector<AddendFactor> factors);

/// The tree of an addend, less its sign.
NodePtr treeOf(AddendProduct product);

} // namespace spc::sema
