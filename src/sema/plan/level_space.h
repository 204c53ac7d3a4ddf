// The loops of a term: over its index variables, or over what the levels of its sparse operands store of them (see
// docs/why.md, "Levels are MLIR's dimensions"). Private to this folder.
#pragma once

#include "format/format.h"
#include "sema/kernel.h"
#include "sema/plan/loop_order.h"

#include <memory>
#include <optional>
#include <vector>

namespace spc::sema {

/// A sparse operand of a term as the planner sees it. Variables are numbered within the term.
struct SparseAccess {
  std::shared_ptr<const format::Format> format; ///< the tensor's; copies are added to tensors while this lives
  std::vector<int> variables; ///< by dimension, as the stored entries are read (a mirrored access exchanged)
  bool mayBeCopied = true;
  bool mustBeCopied = false; ///< its entries may repeat, and it is not used linearly
  bool isTie = false;        ///< it has one entry at most under each coordinate
};

/// A loop over a variable or over a part of it.
struct SpaceLoop {
  format::Part part = format::Part::Whole;
  int variable = 0;  ///< of a difference j - i that of j
  int minus = -1;    ///< of a difference: that of i
  int64_t block = 0; ///< of a quotient or remainder
};

/// The loops for one choice of the operands that are copied, and every variable in terms of them. A LoopId is the place
/// of a loop in loops() here: the order of the nest is not chosen yet.
class LevelSpace {
public:
  /// nullopt where the operands that stay in place need one variable split in two ways, or would have to be searched
  /// for a coordinate that is a sum of loops.
  static std::optional<LevelSpace> build(int variableCount, const std::vector<SparseAccess> &accesses,
                                         const std::vector<bool> &copied);

  const std::vector<SpaceLoop> &loops() const { return loops_; }
  /// The value of a variable as a sum of loops, the fastest last.
  const Index &valueOf(int variable) const { return values_[variable]; }
  /// The variable's loop that is outside of its other loops in the levels of every operand: over blocks, or diagonals.
  int outermostLoop(int variable) const { return static_cast<int>(valueOf(variable).terms.front().loop.index()); }
  /// The loop that is level `level` of a format whose dimensions are indexed by `variables`; nullopt where there is
  /// none.
  std::optional<Index> levelIndex(const format::Level &level, const std::vector<int> &variables) const;
  /// The sparse operands' levels as the loop order depends on them; nullopt where two operands would be merged though
  /// one of them is unordered or repeats coordinates there.
  std::optional<std::vector<SparseUse>> uses() const;
  /// Whether a dense tensor may be indexed by the variables, by dimension. MLIR's sparsifier takes i in (i, i + d) for
  /// a repeated index, though not in (i + d, i).
  bool mayIndexDense(const std::vector<int> &variables) const;
  /// An estimate of a loop's length.
  double extentOf(int loop) const;

private:
  LevelSpace(const std::vector<SparseAccess> &accesses, const std::vector<bool> &copied)
      : accesses_(&accesses), copied_(copied) {}

  struct Split {
    int64_t block = 0; ///< into blocks, where not 0
    int base = -1;     ///< into this variable and a difference, where not -1
    int sign = 1;      ///< variable = base + sign * difference
    bool operator==(const Split &) const = default;
    bool isWhole() const { return block == 0 && base < 0; }
  };

  bool splitVariables(int variableCount);
  bool splitFor(const SparseAccess &access);
  void makeLoops();
  std::optional<SparseUse> useInPlace(const SparseAccess &access) const;
  std::optional<SparseUse> useOfCopy(const SparseAccess &access) const;
  bool mayMerge(const std::vector<SparseUse> &uses) const;

  const std::vector<SparseAccess> *accesses_;
  std::vector<bool> copied_;
  std::vector<Split> splits_; ///< by variable
  std::vector<SpaceLoop> loops_;
  std::vector<Index> values_; ///< by variable
};

} // namespace spc::sema
