// Which of a term's sparse operands its loops walk, and which are read where another one is. Private to this folder.
#pragma once

#include "sema/plan/level_space.h"
#include "sema/terms/logical_plan.h"

#include <vector>

namespace spc::sema {

/// A term's operands as the planner sees them.
struct TermOperands {
  std::vector<VariableId> variables; ///< the target's, then the summed ones: planners number them in this order
  std::vector<AccessId> accesses;    ///< all of the term's
  std::vector<AccessId> walked;      ///< those of sparse tensors whose levels loops go through…
  std::vector<SparseAccess> sparse;  ///< … and what is to be known of each
  bool isMerged = false;             ///< loops walk all of them at once
  bool hasFollowers = false;         ///< other sparse ones are read at the positions of a walked one, their leader
};

/// The variables' numbers within a term.
std::vector<int> numbersOf(const std::vector<VariableId> &some, const std::vector<VariableId> &variables);

class SparseOperands {
public:
  /// The arguments must outlive this.
  SparseOperands(const Kernel &kernel, const Scope &scope, const LogicalStatement &logical, const LogicalTerm &term);

  /// Every sparse operand is walked.
  TermOperands allWalked() const { return find({}); }

  /// Whether each set of operands with entries left would take more than `mostLoops`, and the operands may all be
  /// stored in the way that loops which walk all of them at once need.
  bool mayMerge(double mostLoops) const;

  /// Every sparse operand is walked by such loops.
  TermOperands merged() const;

  /// Operands with the structure and the indices of another one follow it, where the term allows that: leaders then
  /// must not be copied, since positions are theirs as they are stored.
  TermOperands withFollowers() const;

private:
  TermOperands find(const std::vector<AccessId> &followers) const;
  bool mayBeCopied(AccessId access) const;
  SparseAccess describe(AccessId access, const std::vector<VariableId> &variables, bool isLeader) const;
  bool mustBeCopied(AccessId access) const;
  bool hasTargetsStructure(AccessId access) const;
  bool givesPositions(AccessId access) const;
  bool mayFollow(AccessId access) const;
  bool isReadOnlyAt(AccessId leader) const;
  bool isReadOneWay(AccessId leader) const;
  bool addsAlone(AccessId access) const;
  AccessId leaderOf(AccessId access) const;
  const Tensor &tensorOf(AccessId access) const { return kernel_.tensors[scope_.accesses[access].tensor]; }
  const Tensor &target() const { return kernel_.tensors[logical_.target]; }

  const Kernel &kernel_;
  const Scope &scope_;
  const LogicalStatement &logical_;
  const LogicalTerm &term_;
  std::vector<AccessId> accesses_;
  bool hasDomain_ = false;
  AccessDomain domain_; ///< where it has one
};

} // namespace spc::sema
