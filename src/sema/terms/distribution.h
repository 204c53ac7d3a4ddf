// Whether sums that hold sparse operands are computed as they are written, or fall into their addends.
// Private to this folder.
//
// A factor of a sum may be multiplied with its addends instead. Their products then have loops of their own, which may
// be fewer by an order, and their rounding errors are as large as the products are: (a - b) * c errs no more than
// operands would that are perturbed by their own rounding. Two factors that are sums differ: (a - b) * (a - b) is exact
// to a few digits' last place where a and b are close, and a*a - 2*a*b + b*b has none left.
#pragma once

#include "sema/tree.h"

#include <string>
#include <vector>

namespace spc::sema {

/// The factors of a product that are sums: what stands below multiplications, numerators and signs.
struct SumFactors {
  std::vector<const Node *> sums;       ///< sums and differences that hold a sparse operand
  std::vector<const Node *> reductions; ///< sum(...) nodes
  /// A factor is a sum, or adds one up, of which an addend is a product with a sum(...) node.
  bool hasReductionsInSums = false;
};
SumFactors sumFactorsOf(const Node &product, const Scope &scope, const Kernel &kernel);

/// Whether the addends of each sum have one sign.
bool cannotCancel(const std::vector<const Node *> &sums, const Scope &scope, const Kernel &kernel);

/// How a product is computed, or what a sum(...) is taken of.
struct SumTreatment {
  bool isWhole = true;                 ///< as it is written, else sums fall into their addends
  bool saves = false;                  ///< multiplying out saves an order of cost
  bool savesArray = false;             ///< it takes no more, and a sum() among addends no array that is larger than
                                       ///< each of its operands
  std::vector<const Node *> kept = {}; ///< sums that stay factors where others fall into their addends
};

/// The target of a statement, or of a temporary's.
struct DistributionTarget {
  const std::vector<VariableId> &variables;
  bool isDense;
};

/// The treatment of a tree with sums that hold sparse operands. It is computed in `type`, a float or complex, and
/// summed over all variables but the target's. One sum falls into its addends where that saves an order of cost, where
/// its operands' storages cannot be walked together, or where all addends but one are 0 unless indices are equal. Where
/// no addends can cancel, of several sums all do that where it saves as much, else those whose storages cannot be
/// walked together.
SumTreatment treatmentOf(const Node &node, const DistributionTarget &target, ValueType type, const Scope &scope,
                         const Kernel &kernel);

/// The tree multiplied out, in the language's notation; empty where that is long.
std::string printMultipliedOut(const Node &node, const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
