// The products that multiplying out gives. Private to this folder.
#pragma once

#include "sema/terms/planning.h"

#include <vector>

namespace spc::sema {

/// A product, with the variables of the sum() nodes that were its factors.
struct Product {
  bool negative = false;
  NodePtr expr;
  std::vector<VariableId> bound = {};
  std::optional<std::string> multipliedOut = std::nullopt; ///< as LogicalTerm's
  bool isScaledSum = false;                                ///< as LogicalTerm's
};
using Products = std::vector<Product>;

/// One that is all there is.
Products single(NodePtr expr);

/// Whether a product is computed as it is: multiplied out, it would be many terms, and more than it has operands.
bool staysWhole(const Node &product, const Scope &scope, const Kernel &kernel);

/// Whether the sums of a product may be taken in any order: it has no value of an index variable as a factor, reads no
/// windows, and is divided by nothing that may lack entries.
bool isReorderable(const Node &product, const Scope &scope, const Kernel &kernel);

/// Whether a product has factors or divisors beside its sum() that may make an infinity of one of the sum's terms, or
/// that may be none themselves: any but plain numbers.
bool scalesSum(const Node &product);

/// Whether a divisor makes nothing but a 0 of a 0: a number, or a count that is at least 1, as that of a mean.
bool isPlainDivisor(const Node &node);

/// Whether a factor, or a divisor, makes nothing but a 0 of a 0: it is a finite number other than 0.
bool isPlainNumber(const Node &node);

} // namespace spc::sema
