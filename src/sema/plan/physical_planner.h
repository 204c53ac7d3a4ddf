// One term's physical plan: the order chosen for its loops, and the term that results. Private to this folder.
#pragma once

#include "sema/plan/level_space.h"
#include "sema/plan/operand_copies.h"
#include "sema/plan/sparse_operands.h"
#include "sema/terms/logical_plan.h"

#include <functional>
#include <optional>
#include <vector>

namespace spc::sema {

/// An order of a term's loops.
struct PhysicalPlan {
  LoopPlan loops;
  int rowOrder = 0; ///< of an assembled target: how many of its dimensions are the outermost loops, in collecting order
};

/// An order of a term's variables that the user has set.
struct PrescribedOrder {
  std::vector<VariableId> variables; ///< all of the term's, outermost first; or none: they are free
  std::vector<bool> mayBeCopied;     ///< by sparse operand: those that are copied for the cheapest order, too
};

class PhysicalPlanner {
public:
  /// Operands that have another one's structure are read at its positions, if there is an order in which it can stay as
  /// it is stored. The arguments must outlive the planner.
  static PhysicalPlanner forTerm(Planning &planning, OperandCopies &copies, const LogicalStatement &logical,
                                 const LogicalTerm &term);

  /// The cheapest order; nullopt where there is none. `collecting` (of an assembled target, else empty) lists the
  /// target's dimensions in the order in which the loops shall visit them.
  std::optional<PhysicalPlan> plan(const std::vector<int> &collecting) const;

  /// The variables in the order that the schedule sets; nullopt where it sets none for a term with these variables, and
  /// for a term that reads a symmetric operand's mirror image.
  std::optional<std::vector<VariableId>> prescribedVariables() const;

  /// The same in a prescribed order: a variable's outermost loop is inside of those of the variables before it.
  std::optional<PhysicalPlan> plan(const std::vector<int> &collecting, const PrescribedOrder &order) const;

  Term build(const PhysicalPlan &plan);

  /// Asks for canonical copies of the operands, as there is no order for them as they are stored; says why where there
  /// are none.
  void reportNoOrder() const;

  /// Says why the loops cannot be in the prescribed order. `cheapest`: without it.
  Diagnostic &reportForbidden(const PrescribedOrder &order, const PhysicalPlan &cheapest) const;

  /// The variables by their outermost loops in a plan, outermost first: "[\"i\", \"k\", \"j\"]".
  std::string orderOf(const PhysicalPlan &plan) const;

private:
  PhysicalPlanner(Planning &planning, OperandCopies &copies, const LogicalStatement &logical, const LogicalTerm &term,
                  TermOperands read)
      : planning_(planning), kernel_(planning.kernel), copies_(copies), logical_(logical), term_(term),
        scope_(planning.statements[logical.statement].scope), read_(std::move(read)) {}

  Operand buildOperand(AccessId id, const PhysicalPlan &plan, const LevelSpace &space);
  TensorId copyOf(size_t operand, const PhysicalPlan &plan, const LevelSpace &space);
  RootUse rootUse(size_t operand, const PhysicalPlan &plan, const LevelSpace &space) const;
  bool isFoundAt(int loop, const PhysicalPlan &plan, const LevelSpace &space) const;
  bool lists(AccessId id, int loop, const PhysicalPlan &plan, const LevelSpace &space) const;
  AccessDomain visitedPlaces() const;
  std::optional<DomainOver<int>> walkedPlaces() const;
  void buildExpression(Term &result, const std::function<Index(VariableId)> &valueOf) const;
  void addEquations(Term &result, const std::function<Index(VariableId)> &valueOf) const;
  NodePtr anyEntryOf(const AccessDomain &domain) const;
  std::vector<int> numbersOf(const std::vector<VariableId> &some) const;
  std::optional<PhysicalPlan> plan(const std::vector<int> &collecting, const PrescribedOrder *order) const;
  std::optional<LoopProblem> problemFor(const std::vector<bool> &copied, const std::vector<int> &collecting) const;
  std::optional<LevelSpace> spaceFor(const std::vector<bool> &copied) const;
  /// The variables of an operand's levels, outermost first, but those of places in blocks.
  std::vector<int> storedVariables(const SparseAccess &operand, const LevelSpace &space) const;
  /// The variables of a dense operand in the order in which it is stored, outermost first; each once.
  std::vector<VariableId> inStorageOrder(const Access &access) const;
  std::vector<int> loopsInStorageOrder(const format::Format &format, const std::vector<VariableId> &byDimension,
                                       const LevelSpace &space) const;
  /// Whether no tensor of the term stores all coordinates of a variable.
  bool isListedEverywhere(const SpaceLoop &loop) const;
  Loop makeLoop(const SpaceLoop &loop) const;
  const Tensor &target() const { return kernel_.tensors[logical_.target]; }

  Planning &planning_;
  Kernel &kernel_;
  OperandCopies &copies_;
  const LogicalStatement &logical_;
  const LogicalTerm &term_;
  const Scope &scope_;
  TermOperands read_;
};

} // namespace spc::sema
