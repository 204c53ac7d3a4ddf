// The loop order of a term, and which sparse operands are worth copying to another storage for it.
//
// The estimate is asymptotic, in the spirit of Ahrens, Kjolstad and Amarasinghe, "Autoscheduling for Sparse Tensor
// Algebra with an Asymptotic Cost Model" (PLDI 2022): extents are N = 10^6, fibers hold 10 entries, a compressed root
// N. Iterating a level costs its fiber's length, co-iterating several costs their sum and goes on with the least of
// them, a dense level costs nothing where another operand iterates and N otherwise.
#pragma once

#include <vector>

namespace spc::sema {

/// A sparse operand's level: the variable that runs over it and its storage.
struct LevelUse {
  int variable = 0;
  bool isDense = false;
};

/// A sparse operand of a term.
struct SparseUse {
  std::vector<LevelUse> levels; ///< outermost first; loops must follow this order unless the operand is copied
  bool mayBeCopied = true;
};

/// A dense operand or a dense target: its variables in storage order, the last being contiguous.
struct DenseUse {
  std::vector<int> variables;
  int weight = 1;
};

/// A term, as far as the order of its loops depends on it.
struct LoopProblem {
  int variableCount = 0; ///< variables are 0 … variableCount - 1; among equals, a later one goes further in
  std::vector<SparseUse> sparse;
  std::vector<DenseUse> dense;
  std::vector<bool> indexesTarget; ///< by variable: of a dense target
};

/// The chosen order.
struct LoopPlan {
  std::vector<int> order;   ///< variables, outermost loop first
  std::vector<bool> copied; ///< by sparse operand: copied to (dense, compressed, …) in loop order
  double cost = 0;
};

/// The cheapest plan. An operand is copied only where no order exists without that or the copy wins by a factor of
/// 100; ties go to the order whose inner loops are contiguous in most dense operands. The search is bounded, so
/// that large problems get a good plan rather than the best. Requires: the operands that
/// may not be copied agree on an order.
LoopPlan chooseLoops(const LoopProblem &problem);

} // namespace spc::sema
