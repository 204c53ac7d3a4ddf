// Drafts to the kernel's statements: loop orders, copies in another storage, operand lists.
#include "sema/copy_advice.h"
#include "sema/draft.h"
#include "sema/level_space.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kReorder{"reorder", Severity::Warning};
constexpr DiagnosticKind kReorderOfOutput{"reorder-of-output", Severity::Error};
constexpr DiagnosticKind kTooManyLoops{"too-many-loops", Severity::Error};
constexpr DiagnosticKind kNoLoopOrder{"no-loop-order", Severity::Error};

constexpr size_t kMaxVariables = 16;
constexpr int kTargetWeight = 2; ///< a strided target is loaded and stored

int positionOf(const std::vector<int> &values, int value) {
  return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

class LoopPlanner {
public:
  explicit LoopPlanner(Analysis &analysis) : analysis_(analysis), kernel_(analysis.kernel) {}

  void plan(const Expansion &expansion) {
    for (const Draft &temporary : expansion.temporaries)
      plan(temporary);
    if (expansion.copyOfTarget)
      kernel_.steps.push_back(*expansion.copyOfTarget);
    plan(expansion.main);
    written_.push_back(expansion.main.target);
  }

private:
  void plan(const Draft &draft) {
    scope_ = &analysis_.statements[draft.statement].scope;
    Statement statement;
    statement.target = draft.target;
    statement.computeType = draft.computeType;
    statement.zeroFirst = draft.zeroFirst;
    statement.where = draft.where;
    for (const DraftTerm &term : draft.terms)
      if (std::optional<Term> planned = planTerm(draft, term))
        statement.terms.push_back(std::move(*planned));
    kernel_.steps.push_back(std::move(statement));
  }

  std::optional<Term> planTerm(const Draft &draft, const DraftTerm &term) {
    std::vector<VariableId> variables = draft.targetVariables;
    variables.insert(variables.end(), term.reductions.begin(), term.reductions.end());
    if (variables.size() > kMaxVariables) {
      analysis_.diagnostics.report(kTooManyLoops, term.where,
                                   "this needs " + std::to_string(variables.size()) + " nested loops; the limit is " +
                                       std::to_string(kMaxVariables));
      return std::nullopt;
    }
    TermPlan plan{draft, term, variables, accessesOf(*term.expr), {}, {}};
    findSparseAccesses(plan);
    std::vector<bool> mayBeCopied;
    for (const SparseAccess &access : plan.operands)
      mayBeCopied.push_back(access.mayBeCopied);
    std::optional<LoopPlan> chosen =
        chooseLoops(mayBeCopied, [&](const std::vector<bool> &copied) { return problemFor(plan, copied); });
    if (!chosen) {
      reportNoOrder(plan);
      return std::nullopt;
    }
    return buildTerm(plan, *chosen);
  }

  // What is known of a term while its loops are chosen.
  struct TermPlan {
    const Draft &draft;
    const DraftTerm &term;
    const std::vector<VariableId> &variables; ///< the target's, then the summed ones
    std::vector<AccessId> accesses;
    std::vector<AccessId> sparse;       ///< those of sparse tensors…
    std::vector<SparseAccess> operands; ///< … and as the planner sees them
  };

  void findSparseAccesses(TermPlan &plan) const {
    const Tensor &target = kernel_.tensors[plan.draft.target];
    for (AccessId id : plan.accesses) {
      const Access &access = scope_->accesses[id];
      const format::Format &format = kernel_.tensors[access.tensor].format;
      if (format.isDense())
        continue;
      SparseAccess operand{&format, numbersOf(access.variables, plan.variables)};
      if (access.mirrored)
        std::swap(operand.variables.front(), operand.variables.back());
      // A vector's copy would be dense, and its missing entries no longer missing; a target's pattern is shared.
      operand.mayBeCopied = format.order() > 1 && target.format.isDense();
      operand.mustBeCopied = format.mayRepeat() && usesOf(id, *plan.term.expr) > 1;
      plan.operands.push_back(std::move(operand));
      plan.sparse.push_back(id);
    }
  }

  static int usesOf(AccessId access, const Node &expr) {
    int uses = 0;
    forEachAccess(expr, true, [&](const AccessNode &use, Span) { uses += use.access == access; });
    return uses;
  }

  static std::vector<int> numbersOf(const std::vector<VariableId> &some, const std::vector<VariableId> &variables) {
    std::vector<int> numbers;
    for (VariableId variable : some)
      numbers.push_back(positionOf(variables, variable));
    return numbers;
  }

  std::optional<LoopProblem> problemFor(const TermPlan &plan, const std::vector<bool> &copied) const {
    const int variableCount = static_cast<int>(plan.variables.size());
    std::optional<LevelSpace> space = LevelSpace::build(variableCount, plan.operands, copied);
    std::optional<std::vector<SparseUse>> uses = space ? space->uses() : std::nullopt;
    if (!uses)
      return std::nullopt;
    LoopProblem problem;
    problem.sparse = std::move(*uses);
    for (int loop = 0; loop < static_cast<int>(space->loops().size()); ++loop)
      problem.extents.push_back(space->extentOf(loop));
    problem.indexesTarget.resize(problem.extents.size());
    const Tensor &target = kernel_.tensors[plan.draft.target];
    if (target.format.isDense() && target.order() > 0) {
      if (!space->mayIndexDense(numbersOf(plan.draft.targetVariables, plan.variables)))
        return std::nullopt;
      problem.dense.push_back({loopsInStorageOrder(target, plan.draft.targetVariables, plan, *space), kTargetWeight});
      for (int loop : problem.dense.back().loops)
        problem.indexesTarget[loop] = true;
    }
    for (AccessId id : plan.accesses) {
      const Access &access = scope_->accesses[id];
      const Tensor &tensor = kernel_.tensors[access.tensor];
      if (!tensor.format.isDense() || tensor.order() == 0)
        continue;
      if (!space->mayIndexDense(numbersOf(access.variables, plan.variables)))
        return std::nullopt;
      problem.dense.push_back({loopsInStorageOrder(tensor, access.variables, plan, *space), 1});
    }
    return problem;
  }

  static std::vector<int> loopsInStorageOrder(const Tensor &tensor, const std::vector<VariableId> &byDimension,
                                              const TermPlan &plan, const LevelSpace &space) {
    std::vector<int> loops;
    for (const format::Level &level : tensor.format.levels)
      for (const IndexTerm &part : space.valueOf(positionOf(plan.variables, byDimension[level.dim])))
        loops.push_back(part.loop);
    return loops;
  }

  Term buildTerm(const TermPlan &plan, const LoopPlan &chosen) {
    const LevelSpace space = *LevelSpace::build(static_cast<int>(plan.variables.size()), plan.operands, chosen.copied);
    Term result;
    result.overwrites = plan.term.overwrites;
    result.where = plan.term.where;
    for (int loop : chosen.order)
      result.loops.push_back(makeLoop(space.loops()[loop], plan));
    const Tensor &target = kernel_.tensors[plan.draft.target];
    result.target =
        indicesOf(target.format, numbersOf(plan.draft.targetVariables, plan.variables), space, chosen.order);
    for (AccessId id : plan.accesses) {
      const Access access = scope_->accesses[id];
      const auto place = std::find(plan.sparse.begin(), plan.sparse.end(), id) - plan.sparse.begin();
      const bool isSparse = place < static_cast<long>(plan.sparse.size());
      const std::vector<int> numbers =
          isSparse ? plan.operands[place].variables : numbersOf(access.variables, plan.variables);
      Operand operand{access.tensor, {}, access.mirrored, {}};
      if (isSparse && chosen.copied[place])
        operand.tensor = copyFor(access, plan.operands[place], space, chosen.order);
      operand.indices = indicesOf(kernel_.tensors[operand.tensor].format, numbers, space, chosen.order);
      if (access.mirrored)
        for (int variable : numbers)
          operand.diagonal.push_back(inNest(space.valueOf(variable), chosen.order));
      result.operands.push_back(std::move(operand));
    }
    result.expr = convert(*plan.term.expr, plan.accesses);
    return result;
  }

  Loop makeLoop(const SpaceLoop &loop, const TermPlan &plan) const {
    const auto isTarget = [&](int variable) { return variable < static_cast<int>(plan.draft.targetVariables.size()); };
    const Variable &variable = scope_->variables[plan.variables[loop.variable]];
    Loop result{variable.name, variable.extent, !isTarget(loop.variable), loop.part, loop.block};
    switch (loop.part) {
    case format::Part::Whole:
      break;
    case format::Part::Quotient:
      result.variable += " / " + std::to_string(loop.block);
      break;
    case format::Part::Remainder:
      result.variable += " % " + std::to_string(loop.block);
      break;
    case format::Part::Difference:
      result.variable += " - " + scope_->variables[plan.variables[loop.minus]].name;
      result.isReduction = result.isReduction || !isTarget(loop.minus);
      break;
    }
    return result;
  }

  // An index over the space's loops as one over the nest, where loop `order[k]` is the k-th.
  static Index inNest(Index index, const std::vector<int> &order) {
    for (IndexTerm &part : index)
      part.loop = positionOf(order, part.loop);
    return index;
  }

  // A dense tensor is indexed by dimension, a sparse one by level.
  static std::vector<Index> indicesOf(const format::Format &format, const std::vector<int> &variables,
                                      const LevelSpace &space, const std::vector<int> &order) {
    std::vector<Index> indices;
    if (format.isDense()) {
      for (int variable : variables)
        indices.push_back(inNest(space.valueOf(variable), order));
      return indices;
    }
    for (const format::Level &level : format.levels)
      indices.push_back(inNest(*space.levelIndex(level, variables), order));
    return indices;
  }

  void reportNoOrder(const TermPlan &plan) {
    Diagnostic &refused = analysis_.diagnostics.report(kNoLoopOrder, plan.term.where,
                                                       "no order of loops visits these operands as they are stored");
    for (AccessId id : plan.sparse) {
      const Access &access = scope_->accesses[id];
      const Tensor &tensor = kernel_.tensors[access.tensor];
      refused.note(access.where, nameInMessages(tensor) + " is stored as " +
                                     format::describe(tensor.format, namesOf(access.variables, *scope_)));
    }
    refused.advise("store one of them in another format; a vector, or the operand whose pattern the output keeps, is "
                   "never copied");
  }

  // The copy of an operand with levels (dense, compressed, …) in the order of the loops.
  TensorId copyFor(const Access &access, const SparseAccess &operand, const LevelSpace &space,
                   const std::vector<int> &order) {
    const Tensor &source = kernel_.tensors[access.tensor];
    format::Format format;
    format.symmetry = source.format.symmetry;
    format.pointers = format.indices = copiedIndexType(source.format);
    // A dimension's level stands where the last of its loops does; one that has several is the root.
    std::vector<std::pair<int, int>> places;
    for (int dim = 0; dim < source.order(); ++dim) {
      int last = 0;
      for (const IndexTerm &part : space.valueOf(operand.variables[dim]))
        last = std::max(last, positionOf(order, part.loop));
      places.emplace_back(last, dim);
    }
    std::sort(places.begin(), places.end());
    for (auto [place, dim] : places) {
      if (format.levels.empty())
        format.levels.push_back({.dim = dim});
      else
        format.levels.push_back({.dim = dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged});
    }
    for (size_t id = 0; id < kernel_.tensors.size(); ++id)
      if (kernel_.tensors[id].source == access.tensor && kernel_.tensors[id].format.sameStorage(format))
        return static_cast<TensorId>(id);
    const int root = operand.variables[format.levels.front().dim];
    reportCopy(access, format, space.valueOf(root).size() == 1);
    return addCopy(access.tensor, std::move(format), access.where);
  }

  // Dimensions may be too large for the narrow types of a block's or a group's coordinates.
  static format::IndexType copiedIndexType(const format::Format &source) {
    const bool isWide = source.pointers == format::IndexType::I64 || source.indices == format::IndexType::I64;
    return isWide ? format::IndexType::I64 : format::IndexType::I32;
  }

  TensorId addCopy(TensorId source, format::Format format, Span where) {
    Tensor copy = kernel_.tensors[source];
    copy.name += "$";
    for (const format::Level &level : format.levels)
      copy.name += (copy.name.back() == '$' ? "" : "_") + std::to_string(level.dim);
    copy.role = TensorRole::Converted;
    copy.format = std::move(format);
    copy.isRead = true;
    copy.isWritten = false;
    copy.patternOf.reset();
    copy.structureOf.reset();
    copy.partOf.clear();
    copy.source = source;
    copy.where = where;
    kernel_.tensors.push_back(std::move(copy));
    return static_cast<TensorId>(kernel_.tensors.size()) - 1;
  }

  void reportCopy(const Access &access, const format::Format &format, bool rootIsListable) {
    const Tensor &tensor = kernel_.tensors[access.tensor];
    const std::string stored = format::describe(format, namesOf(access.variables, *scope_));
    if (std::find(written_.begin(), written_.end(), access.tensor) != written_.end()) {
      analysis_.diagnostics
          .report(kReorderOfOutput, access.where,
                  inQuotes(tensor.name) + " is written by an earlier statement and would have to be reordered here")
          .note({}, "the loops here need it stored as " + stored);
      return;
    }
    analysis_.diagnostics
        .report(kReorder, access.where,
                nameInMessages(tensor) +
                    " is reordered: its storage does not fit the loops here, and each call copies its entries once")
        .note({}, "the copy is stored as " + stored)
        .advise(adviceAgainstCopy(tensor, access, format, rootIsListable, *scope_));
  }

  static ExprPtr convert(const Node &node, const std::vector<AccessId> &accesses) {
    auto make = [](auto kind) { return std::make_unique<Expr>(Expr{std::move(kind)}); };
    if (const auto *number = std::get_if<NumberNode>(&node.kind))
      return make(Literal{number->value});
    if (const auto *negate = std::get_if<NegateNode>(&node.kind))
      return make(Negate{convert(*negate->operand, accesses)});
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind)) {
      ExprPtr left = convert(*binary->left, accesses);
      return make(Binary{binary->op, std::move(left), convert(*binary->right, accesses)});
    }
    return make(Use{positionOf(accesses, std::get<AccessNode>(node.kind).access)});
  }

  Analysis &analysis_;
  Kernel &kernel_;
  const Scope *scope_ = nullptr;
  std::vector<TensorId> written_; ///< by the statements planned so far
};

} // namespace

void planLoops(Analysis &analysis, const std::vector<Expansion> &expansions) {
  LoopPlanner planner(analysis);
  for (const Expansion &expansion : expansions)
    planner.plan(expansion);
}

} // namespace spc::sema
