// The order of a statement's terms, and statements that read what they write.
#include "sema/terms/logical_plan.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kSelfReference{"self-reference", Severity::Error};

class TermOrder {
public:
  TermOrder(Planning &planning, Expansion &expansion)
      : planning_(planning), expansion_(expansion), logical_(expansion.main),
        scope_(planning.statements[logical_.statement].scope) {}

  void run() {
    dropEmpty();
    if (planning_.kernel.tensors[logical_.target].isAssembled())
      return orderAssembled();
    joinTerms(planning_, logical_);
    bool inPlace = treatSelfReference();
    for (LogicalStatement &temporary : expansion_.temporaries) {
      joinTerms(planning_, temporary);
      chooseOverwrite(temporary);
    }
    if (inPlace)
      logical_.terms.front().overwrites = !logical_.accumulates;
    else
      chooseOverwrite(logical_);
  }

private:
  bool readsDerived(const LogicalTerm &term) const {
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](AccessId access) { return hasDerived(scope_.accesses[access], scope_); });
  }

  /// A term that is computed nowhere adds nothing to others; alone it says that there is nothing. One that reads
  /// windows stays: they are checked.
  void dropEmpty() {
    const auto isNothing = [&](const LogicalTerm &term) {
      return !readsDerived(term) && hasDomain(*term.expr, logical_.reduction, scope_, planning_.kernel) &&
             isNowhere(
                 domainOfTerm(*term.expr, logical_.targetDefault, logical_.computeType, scope_, planning_.kernel));
    };
    // A shared pattern needs a term that reads it.
    const Tensor &target = planning_.kernel.tensors[logical_.target];
    const size_t others = logical_.accumulates && (target.format.isDense() || target.isAssembled()) ? 1 : 0;
    for (size_t term = logical_.terms.size(); term-- > 0;)
      if (logical_.terms.size() + others > 1 && isNothing(logical_.terms[term]))
        logical_.terms.erase(logical_.terms.begin() + static_cast<ptrdiff_t>(term));
  }

  // What is assembled is new: the target's old entries are an operand, and nothing is overwritten.
  void orderAssembled() {
    joinTerms(planning_, logical_);
    for (LogicalStatement &temporary : expansion_.temporaries) {
      joinTerms(planning_, temporary);
      chooseOverwrite(temporary);
    }
    if (!logical_.accumulates)
      return;
    logical_.accumulates = false;
    const Span where = planning_.statements[logical_.statement].targetWhere;
    const AccessId old = scope_.intern({tensorBefore(), logical_.targetVariables, {}, where});
    logical_.terms.insert(logical_.terms.begin(), LogicalTerm{makeNode(AccessNode{old}, where), {}, false, where});
  }

  /// What has the target's old entries: of an output that is a sum of parts these, until it is written.
  TensorId tensorBefore() const {
    const auto sum = planning_.sumOutputs.find(logical_.target);
    const bool isFirst = planning_.symbols[logical_.target].firstWrite == static_cast<int>(logical_.statement);
    return sum != planning_.sumOutputs.end() && isFirst ? sum->second : logical_.target;
  }

  bool isDense(AccessId access) const { return tensorOf(access).format.isDense(); }
  const Tensor &tensorOf(AccessId access) const { return planning_.kernel.tensors[scope_.accesses[access].tensor]; }

  bool readsTarget(const LogicalTerm &term) const {
    std::vector<AccessId> accesses = accessesOf(*term.expr);
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](AccessId access) { return scope_.accesses[access].tensor == logical_.target; });
  }

  // Reads the target only where it writes it, once for each element. A sparse target's term has no other sparse
  // operand, or the output's pattern would not be kept.
  bool isElementwise(const LogicalTerm &term) const {
    if (!term.reductions.empty())
      return false;
    std::vector<AccessId> accesses = accessesOf(*term.expr);
    return std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
      const Access &access = scope_.accesses[id];
      return access.tensor == logical_.target ? access.variables == logical_.targetVariables : isDense(id);
    });
  }

  // In strict mode only the first two addends may change places, a + b is b + a, and only where the first is no sum:
  // its addends would be added to the other one by one.
  bool mayComeFirst(const LogicalStatement &logical, size_t term) const {
    return !planning_.options.strictFp || term == 0 || (term == 1 && logical.terms.front().reductions.empty());
  }

  void putFirst(LogicalStatement &logical, size_t term) {
    std::rotate(logical.terms.begin(), logical.terms.begin() + term, logical.terms.begin() + term + 1);
  }

  /// True when the target is updated in place by the term that is now the first.
  bool treatSelfReference() {
    std::vector<size_t> readers;
    for (size_t k = 0; k < logical_.terms.size(); ++k)
      if (readsTarget(logical_.terms[k]))
        readers.push_back(k);
    if (readers.empty())
      return false;
    bool isSparse = !planning_.kernel.tensors[logical_.target].format.isDense();
    bool alone = readers.size() == 1 && isElementwise(logical_.terms[readers.front()]);
    if (isSparse && !(alone && logical_.terms.size() == 1)) {
      planning_.diagnostics
          .report(kSelfReference, logical_.where,
                  "the sparse output " + inQuotes(planning_.kernel.tensors[logical_.target].name) +
                      " is read in its own statement other than to be scaled in place")
          .advise("write to another tensor");
      return false;
    }
    if (alone && mayComeFirst(logical_, readers.front())) {
      putFirst(logical_, readers.front());
      return true;
    }
    copyTarget(readers);
    return false;
  }

  void copyTarget(const std::vector<size_t> &readers) {
    const Tensor target = planning_.kernel.tensors[logical_.target];
    AccessId whole = addTemporary(planning_.kernel, scope_, logical_.targetVariables, target.type, logical_.where);
    TensorId copy = scope_.accesses[whole].tensor;
    expansion_.copyOfTarget = Copy{logical_.target, copy};
    for (size_t reader : readers)
      replaceAccesses(*logical_.terms[reader].expr, [&](AccessId id) {
        Access access = scope_.accesses[id];
        if (access.tensor != logical_.target)
          return id;
        access.tensor = copy;
        return scope_.intern(std::move(access));
      });
  }

  // `=`: a dense term without reductions sets every element, which saves the zeroing.
  void chooseOverwrite(LogicalStatement &logical) {
    if (logical.accumulates || planning_.kernel.tensors[logical.target].isAssembled())
      return;
    for (size_t k = 0; k < logical.terms.size(); ++k) {
      const LogicalTerm &term = logical.terms[k];
      std::vector<AccessId> accesses = accessesOf(*term.expr);
      const bool sets = term.reductions.empty() &&
                        std::all_of(accesses.begin(), accesses.end(), [&](AccessId access) { return isDense(access); });
      if (!sets || !mayComeFirst(logical, k))
        continue;
      putFirst(logical, k);
      logical.terms.front().overwrites = true;
      return;
    }
    logical.zeroFirst = true;
  }

  Planning &planning_;
  Expansion &expansion_;
  LogicalStatement &logical_;
  Scope &scope_;
};

} // namespace

void orderTerms(Planning &planning, Expansion &expansion) {
  TermOrder(planning, expansion).run();
}

} // namespace spc::sema
