// What multiplying out gives. Private to this folder.
#pragma once

#include "sema/analysis.h"

#include <vector>

namespace spc::sema {

/// A product, with the variables of the sum() nodes that were its factors.
struct Product {
  bool negative;
  NodePtr expr;
  std::vector<VariableId> bound;
};
using Products = std::vector<Product>;

/// Whether a product is computed as it is: multiplied out, it would be many terms, and more than it has operands.
bool staysWhole(const Node &product, const Scope &scope, const Kernel &kernel);

/// Reports that `node`, which is summed over `reductions`, would have to be multiplied out though rounding is strict;
/// writes the products out where they have a simple notation.
void refuseDistribution(const Node &node, const Products &products, const std::vector<VariableId> &reductions,
                        const Scope &scope, const Kernel &kernel, Diagnostics &diagnostics);

} // namespace spc::sema
