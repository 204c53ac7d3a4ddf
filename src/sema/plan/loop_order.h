// The loop order of a term, and which sparse operands are worth copying to another storage for it.
//
// The estimate is asymptotic, in the spirit of Ahrens, Kjolstad and Amarasinghe, "Autoscheduling for Sparse Tensor
// Algebra with an Asymptotic Cost Model" (PLDI 2022): extents are N = 10^6, fibers hold 10 entries, a compressed root
// N. Iterating a level costs its fiber's length, co-iterating several costs their sum and goes on with the least of
// them where all have to have entries, with their sum where one will do, and with N where the body runs everywhere. A
// dense level costs nothing where another operand iterates and N otherwise.
#pragma once

#include "sema/estimates.h"

#include <functional>
#include <optional>
#include <vector>

namespace spc::sema {

/// A sparse operand's level: the loops that run over it and its storage.
struct LevelUse {
  std::vector<int> loops; ///< one; several, in any order, where a dense root is indexed by a sum of loops
  bool isDense = false;
  double length = 0; ///< entries for each parent, where not dense; of a copy's level, below others
};

/// A sparse operand of a term.
struct SparseUse {
  std::vector<LevelUse> levels; ///< outermost first; loops must follow this order
  bool isCopied = false;        ///< to (dense, compressed, …) in loop order: then its levels may come in any order…
  int fixedLevels = 0;          ///< … but for the first so many
  int solvedLevel = -1;         ///< of a copied tie: the level whose coordinate all others together say, one for each
  double copyCost = 0;          ///< of a copy: one walk over the source
};

/// A dense operand or a dense target: its loops in storage order, the last being contiguous.
struct DenseUse {
  std::vector<int> loops;
  int weight = 1;
};

/// A term, as far as the order of its loops depends on it.
struct LoopProblem {
  std::vector<double> extents; ///< by loop; among equals, a later loop goes further in
  std::vector<SparseUse> sparse;
  std::vector<DenseUse> dense;
  std::vector<bool> indexesTarget; ///< by loop: of a dense target
  std::vector<int> collected;      ///< of an assembled target: its loops, in the order in which they are to be opened
  std::vector<int> prescribed;     ///< loops that the user has put in an order, outermost first; others go anywhere
  /// Where the body runs, in numbers of sparse operands; nullopt: where all of them have entries.
  std::optional<DomainOver<int>> domain = std::nullopt;
  /// Products of floats are added up in any order: factors may be applied to the sum of a fiber.
  bool mayFactor = false;

  int loopCount() const { return static_cast<int>(extents.size()); }
};

/// The term's problem for one choice of copies, by sparse operand; nullopt where the operands cannot be iterated
/// together that way, or one that has to be copied is not.
using ProblemFor = std::function<std::optional<LoopProblem>(const std::vector<bool> &copied)>;

/// The chosen order.
struct LoopPlan {
  std::vector<int> order;   ///< loops of the problem for `copied`, outermost first
  std::vector<bool> copied; ///< by sparse operand
  double cost = 0;
};

/// The cheapest plan for a term whose sparse operands may be copied as `mayBeCopied` says; nullopt where there is none.
/// An operand is copied only where no order exists without that or the copy wins by a factor of 100; ties go to the
/// order whose inner loops are contiguous in most dense operands. The search is bounded, so that large problems get a
/// good plan rather than the best.
std::optional<LoopPlan> chooseLoops(const std::vector<bool> &mayBeCopied, const ProblemFor &problemFor);

} // namespace spc::sema
