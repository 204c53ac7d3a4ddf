// Temporaries that statements need and the source does not name: they are dense, whatever they are computed from.
#include "sema/terms/copy_advice.h"
#include "sema/terms/densifier.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kDensifies{"densify", Severity::Warning};

class DenseTemporaries {
public:
  DenseTemporaries(Planning &planning, const Expansion &expansion)
      : planning_(planning), expansion_(expansion), scope_(planning.statements[expansion.main.statement].scope),
        target_(planning.kernel.tensors[expansion.main.target]) {}

  void run() {
    for (const LogicalStatement &temporary : expansion_.temporaries) {
      const bool isDense = planning_.kernel.tensors[temporary.target].format.isDense();
      if (temporary.isApart && isDense && temporary.targetVariables.size() > 1 && !target_.format.isDense()) {
        report(temporary, "a dense temporary holds this sum, which is computed before the product");
        continue;
      }
      if (!readsSparse(temporary)) {
        if (isDense && !temporary.isPart && !target_.format.isDense() && isAsLargeAsTarget(temporary))
          reportUnmasked(temporary);
        continue;
      }
      fromSparse_.insert(temporary.target);
      if (temporary.targetVariables.empty() || !isDense || temporary.isPart)
        continue;
      if (isLargerThanTarget(temporary) && couldBeSparse(temporary, scope_, planning_.kernel))
        report(temporary,
               "a dense temporary holds this, though only sparse operands decide which of its elements are set");
      else if (target_.isAssembled() && fillsTarget(temporary))
        report(temporary, "every element of " + quotedName(planning_.kernel, expansion_.main.target) +
                              " is stored: a dense temporary holds this");
    }
  }

private:
  bool reads(const LogicalTerm &term, TensorId tensor) const {
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](AccessId id) { return scope_.accesses[id].tensor == tensor; });
  }

  /// Whether sparse operands are behind a temporary, or temporaries that they are behind.
  bool readsSparse(const LogicalStatement &temporary) const {
    return std::any_of(temporary.terms.begin(), temporary.terms.end(), [&](const LogicalTerm &term) {
      return hasSparse(*term.expr, scope_, planning_.kernel) ||
             std::any_of(fromSparse_.begin(), fromSparse_.end(), [&](TensorId other) { return reads(term, other); });
    });
  }

  /// Whether a temporary takes memory beyond what the target takes anyway.
  bool isLargerThanTarget(const LogicalStatement &temporary) const {
    const std::vector<VariableId> &own = expansion_.main.targetVariables;
    return !target_.format.isDense() || std::any_of(temporary.targetVariables.begin(), temporary.targetVariables.end(),
                                                    [&](VariableId variable) { return !has(own, variable); });
  }

  bool isAsLargeAsTarget(const LogicalStatement &temporary) const {
    const std::vector<VariableId> &own = expansion_.main.targetVariables;
    return own.size() > 1 && std::all_of(own.begin(), own.end(),
                                         [&](VariableId variable) { return has(temporary.targetVariables, variable); });
  }

  /// Whether it is this temporary that a term of the target has in place of sparse operands.
  bool fillsTarget(const LogicalStatement &temporary) const {
    return std::any_of(expansion_.main.terms.begin(), expansion_.main.terms.end(), [&](const LogicalTerm &term) {
      return reads(term, temporary.target) && !hasSparse(*term.expr, scope_, planning_.kernel);
    });
  }

  /// 'T(i,j)', as a temporary might be called.
  std::string headOf(const LogicalStatement &temporary) const {
    std::string indices;
    for (VariableId variable : temporary.targetVariables)
      indices += (indices.empty() ? "" : ",") + scope_.variables[variable].name;
    return "T(" + indices + ")";
  }

  void reportUnmasked(const LogicalStatement &temporary) {
    planning_.diagnostics
        .report(kDensifies, temporary.where,
                "a dense temporary holds this for all elements of " +
                    quotedName(planning_.kernel, expansion_.main.target) + ", which stores some of them")
        .advise("say where it is wanted, 'let " + headOf(temporary) + " = pattern(...) * ...'");
  }

  void report(const LogicalStatement &temporary, const std::string &message) {
    std::vector<int> dims(temporary.targetVariables.size());
    std::iota(dims.begin(), dims.end(), 0);
    planning_.diagnostics.report(kDensifies, temporary.where, message)
        .advise(temporary.isPicked
                    ? "pick the entries by a sparse vector, T(i,j,k) * e(k), or store the result densely"
                    : "give it a name, 'let " + headOf(temporary) +
                          " = ...', and bind that: --format T=" + shippedFormat(dims) + ", for instance");
  }

  Planning &planning_;
  const Expansion &expansion_;
  const Scope &scope_;
  const Tensor &target_;
  std::set<TensorId> fromSparse_;
};

} // namespace

void warnOfDenseTemporaries(Planning &planning, const Expansion &expansion) {
  DenseTemporaries(planning, expansion).run();
}

} // namespace spc::sema
