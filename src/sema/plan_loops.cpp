// Drafts to the kernel's statements: loop orders, copies in another storage, operand lists.
#include "sema/draft.h"
#include "sema/loop_order.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kReorder{"reorder", Severity::Warning};
constexpr DiagnosticKind kReorderOfOutput{"reorder-of-output", Severity::Error};
constexpr DiagnosticKind kTooManyLoops{"too-many-loops", Severity::Error};

constexpr size_t kMaxLoops = 16;
constexpr int kTargetWeight = 2; ///< a strided target is loaded and stored

int positionOf(const std::vector<int> &values, int value) {
  return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

// "csr" where the levels have a well-known name, else the levels in words.
std::string commonName(const format::Format &format) {
  if (format.order() != 2)
    return format::describe(format);
  return format.levels[0].dim == 0 ? "csr" : "csc";
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
    if (variables.size() > kMaxLoops) {
      analysis_.diagnostics.report(kTooManyLoops, term.where,
                                   "this needs " + std::to_string(variables.size()) + " nested loops; the limit is " +
                                       std::to_string(kMaxLoops));
      return std::nullopt;
    }
    std::vector<AccessId> accesses = accessesOf(*term.expr), sparse;
    LoopPlan chosen = chooseLoops(problemFor(draft, accesses, variables, sparse));

    Term result;
    result.overwrites = term.overwrites;
    result.where = term.where;
    std::vector<VariableId> nest;
    for (int variable : chosen.order) {
      nest.push_back(variables[variable]);
      const Variable &loop = scope_->variables[nest.back()];
      bool isReduction = variable >= static_cast<int>(draft.targetVariables.size());
      result.loops.push_back({loop.name, loop.extent, isReduction});
    }
    result.target = indicesOf(kernel_.tensors[draft.target].format, draft.targetVariables, nest);
    for (AccessId id : accesses) {
      const Access &access = scope_->accesses[id];
      Operand operand{access.tensor, {}};
      if (auto place = std::find(sparse.begin(), sparse.end(), id);
          place != sparse.end() && chosen.copied[place - sparse.begin()])
        operand.tensor = copyFor(access, nest);
      operand.indices = indicesOf(kernel_.tensors[operand.tensor].format, access.variables, nest);
      result.operands.push_back(std::move(operand));
    }
    result.expr = convert(*term.expr, accesses);
    return result;
  }

  // A dense tensor is indexed by dimension, a sparse one by level.
  static std::vector<Index> indicesOf(const format::Format &format, const std::vector<VariableId> &byDimension,
                                      const std::vector<VariableId> &nest) {
    std::vector<Index> indices;
    for (int k = 0; k < static_cast<int>(byDimension.size()); ++k)
      indices.push_back({{positionOf(nest, byDimension[format.isDense() ? k : format.levels[k].dim])}});
    return indices;
  }

  // Also lists the sparse accesses, in the order of the problem's.
  LoopProblem problemFor(const Draft &draft, const std::vector<AccessId> &accesses,
                         const std::vector<VariableId> &variables, std::vector<AccessId> &sparse) const {
    LoopProblem problem;
    problem.variableCount = static_cast<int>(variables.size());
    const Tensor &target = kernel_.tensors[draft.target];
    problem.indexesTarget.resize(variables.size());
    if (target.format.isDense())
      for (VariableId variable : draft.targetVariables)
        problem.indexesTarget[positionOf(variables, variable)] = true;
    if (target.format.isDense() && target.order() > 0)
      problem.dense.push_back({inStorageOrder(target.format, draft.targetVariables, variables), kTargetWeight});
    for (AccessId id : accesses) {
      const Access &access = scope_->accesses[id];
      const format::Format &format = kernel_.tensors[access.tensor].format;
      std::vector<int> stored = inStorageOrder(format, access.variables, variables);
      if (format.isDense()) {
        if (!stored.empty())
          problem.dense.push_back({std::move(stored), 1});
        continue;
      }
      // A vector's copy would be dense, and its missing entries no longer missing; a target's pattern is shared.
      SparseUse use{{}, format.order() > 1 && target.format.isDense()};
      for (int level = 0; level < format.order(); ++level)
        use.levels.push_back({stored[level], format.levels[level].isDense()});
      problem.sparse.push_back(std::move(use));
      sparse.push_back(id);
    }
    return problem;
  }

  static std::vector<int> inStorageOrder(const format::Format &format, const std::vector<VariableId> &byDimension,
                                         const std::vector<VariableId> &variables) {
    std::vector<int> result;
    for (const format::Level &level : format.levels)
      result.push_back(positionOf(variables, byDimension[level.dim]));
    return result;
  }

  // The copy of an operand with levels (dense, compressed, …) in the order of the loops.
  TensorId copyFor(const Access &access, const std::vector<VariableId> &nest) {
    const Tensor &source = kernel_.tensors[access.tensor];
    format::Format format;
    format.pointers = source.format.pointers;
    format.indices = source.format.indices;
    for (VariableId variable : nest) {
      int dim = positionOf(access.variables, variable);
      if (dim == static_cast<int>(access.variables.size()))
        continue;
      if (format.levels.empty())
        format.levels.push_back({.dim = dim});
      else
        format.levels.push_back({.dim = dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged});
    }
    for (size_t id = 0; id < kernel_.tensors.size(); ++id)
      if (kernel_.tensors[id].source == access.tensor && kernel_.tensors[id].format.sameStorage(format))
        return static_cast<TensorId>(id);
    reportCopy(access, format);
    return addCopy(access.tensor, std::move(format), access.where);
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
    copy.source = source;
    copy.where = where;
    kernel_.tensors.push_back(std::move(copy));
    return static_cast<TensorId>(kernel_.tensors.size()) - 1;
  }

  void reportCopy(const Access &access, const format::Format &format) {
    std::string name = inQuotes(kernel_.tensors[access.tensor].name);
    if (std::find(written_.begin(), written_.end(), access.tensor) != written_.end()) {
      analysis_.diagnostics
          .report(kReorderOfOutput, access.where,
                  name + " is written by an earlier statement and would have to be reordered here")
          .note({}, "the loops here need it stored as " + format::describe(format));
      return;
    }
    analysis_.diagnostics
        .report(kReorder, access.where,
                name + " is reordered: its storage does not fit the loops here, and each call copies its entries once")
        .note({}, "the copy is stored as " + format::describe(format))
        .advise("store " + name + " as " + commonName(format) + " to avoid the copy");
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
