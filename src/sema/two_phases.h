// Kernels that may be called in two phases, for the pattern and for the values, and what a plan keeps from one to the
// other.
#pragma once

#include "sema/kernel.h"

namespace spc::sema {

/// Whether the kernel can be called in two phases, pattern and values: one statement that assembles, keeps zeros, does
/// not read what its target held before, and leaves out no place for an entry that only values tell from padding.
bool hasPhases(const Kernel &kernel);

/// Whether a kernel with phases can keep the places of all keys that the loops of its statement meet, from the symbolic
/// phase to the numeric one: one term without padded operands, and a target that lists what is in each row, or all.
bool keepsPlaces(const Kernel &kernel, const Statement &statement);

/// Whether a term is one operand, or a product of two: all that is rounded is that, and what it is added to.
bool isProductOfTwo(const Term &term);

/// The lists that a plan of a kernel with phases keeps of a statement that is elementwise: one term, each of whose
/// sparse operands lists the same rows in the same order as the target, and has all of its entries there.
enum class MergePlan {
  None,   ///< the statement is no such one
  Masks,  ///< by entry of the target: which operands have one there; of 8 operands at most
  Places, ///< by entry of each addend's operand: its place in the target. The term is a sum of addends from the first
          ///< to the last, each with one sparse operand, in the target's type
};
MergePlan mergePlan(const Kernel &kernel, const Statement &statement);

/// The addends of a sum, from the first to the last, each with whether it is subtracted. Requires: MergePlan::Places.
struct Summand {
  const Expr *expr;
  bool isSubtracted;
};
std::vector<Summand> summandsOf(const Term &term);

/// The sparse operand of an addend.
OperandId sparseOperandOf(const Kernel &kernel, const Term &term, const Expr &expr);

} // namespace spc::sema
