// Statements that mean something, but hardly what was meant: they are warned of, or remarked on.
#include "sema/check/checking.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kBroadcast{"broadcast", Severity::Warning};
constexpr DiagnosticKind kOverwritten{"overwritten", Severity::Warning};
constexpr DiagnosticKind kOldValues{"old-values", Severity::Note};

bool reads(const ResolvedStatement &statement, TensorId tensor) {
  const auto &accesses = statement.scope.accesses;
  return std::any_of(accesses.begin(), accesses.end(), [&](const Access &access) { return access.tensor == tensor; });
}

bool accumulates(const ResolvedStatement &statement) {
  return statement.op != language::AssignOp::Assign;
}

class SlipFinder {
public:
  explicit SlipFinder(const Checking &checking) : checking_(checking), statements_(checking.program.statements) {}

  void run() {
    for (size_t k = 0; k < statements_.size(); ++k) {
      warnOfBroadcast(statements_[k]);
      warnIfOverwritten(k);
      noteOldValues(statements_[k]);
    }
  }

private:
  const std::string &nameOfTarget(const ResolvedStatement &statement) const {
    return checking_.program.tensors[statement.target.tensor].name;
  }

  /// An index of the left side that nothing on the right has: a slip, or the same value for all of its values. What a
  /// target takes in may well lack one, `Y(i,j) += b(j)`, unless it is summed over another.
  void warnOfBroadcast(const ResolvedStatement &statement) {
    const Scope &scope = statement.scope;
    const bool hasIndices = std::any_of(scope.accesses.begin(), scope.accesses.end(),
                                        [](const Access &access) { return !access.variables.empty(); });
    std::vector<VariableId> summed;
    for (VariableId variable : freeVariables(*statement.value, scope))
      if (scope.variables[variable].kind == Variable::Kind::Implicit)
        summed.push_back(variable);
    if (!hasIndices || (accumulates(statement) && summed.empty()))
      return;
    for (size_t dim = 0; dim < statement.target.variables.size(); ++dim) {
      const VariableId variable = statement.target.variables[dim];
      if (occurs(variable, *statement.value, scope))
        continue;
      const std::string name = inQuotes(scope.variables[variable].name);
      std::string others;
      for (const std::string &other : namesOf(summed, scope))
        others += (others.empty() ? "" : ", ") + inQuotes(other);
      checking_.diagnostics
          .report(kBroadcast, statement.target.places[dim],
                  name + " indexes nothing on the right side: " + inQuotes(nameOfTarget(statement)) +
                      " gets the same for all of its values")
          .advise(others.empty() ? "-Wno-broadcast, if that is meant"
                                 : "the right side is summed over " + others + ": was " + name +
                                       " meant there? -Wno-broadcast, if not");
    }
  }

  /// Whether the statement's result is gone before anything reads it.
  void warnIfOverwritten(size_t k) {
    const TensorId target = statements_[k].target.tensor;
    const bool isTemporary = checking_.program.tensors[target].is<Temporary>();
    const auto readsTarget = [&](const ResolvedStatement &statement) { return reads(statement, target); };
    if (isTemporary && std::none_of(statements_.begin(), statements_.end(), readsTarget))
      return; // which is warned of as unused
    for (size_t later = k + 1; later < statements_.size(); ++later) {
      const ResolvedStatement &statement = statements_[later];
      const bool isWritten = statement.target.tensor == target;
      if (readsTarget(statement) || (isWritten && accumulates(statement)))
        return;
      if (!isWritten)
        continue;
      checking_.diagnostics
          .report(kOverwritten, statements_[k].targetWhere,
                  "what this gives " + inQuotes(nameOfTarget(statement)) + " is overwritten before anything reads it")
          .note(statement.targetWhere, "overwritten here")
          .advise("drop this statement, or add to it there with '+='");
      return;
    }
  }

  /// The target read at other elements than the one that is computed.
  void noteOldValues(const ResolvedStatement &statement) {
    const auto &accesses = statement.scope.accesses;
    const auto crosses = std::find_if(accesses.begin(), accesses.end(), [&](const Access &access) {
      return access.tensor == statement.target.tensor && access.variables != statement.target.variables;
    });
    if (crosses == accesses.end())
      return;
    checking_.diagnostics
        .report(kOldValues, crosses->where,
                inQuotes(nameOfTarget(statement)) +
                    " is read as it was before this statement, not as the statement computes it")
        .advise("so this is one step of an iteration, and neither a recurrence nor a triangular solve");
  }

  const Checking &checking_;
  const std::vector<ResolvedStatement> &statements_;
};

} // namespace

void warnOfSlips(const Checking &checking) {
  SlipFinder(checking).run();
}

} // namespace spc::sema
