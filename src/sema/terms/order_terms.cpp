// The order of a statement's terms, and statements that read what they write.
#include "sema/terms/draft.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kSelfReference{"self-reference", Severity::Error};

class TermOrder {
public:
  TermOrder(Analysis &analysis, Expansion &expansion)
      : analysis_(analysis), expansion_(expansion), draft_(expansion.main),
        scope_(analysis.statements[draft_.statement].scope) {}

  void run() {
    dropEmpty();
    if (analysis_.kernel.tensors[draft_.target].isAssembled)
      return orderAssembled();
    bool inPlace = treatSelfReference();
    for (Draft &temporary : expansion_.temporaries)
      chooseOverwrite(temporary);
    if (inPlace)
      draft_.terms.front().overwrites = !draft_.accumulates;
    else
      chooseOverwrite(draft_);
  }

private:
  /// A term that is computed nowhere adds nothing to others; alone it says that there is nothing.
  void dropEmpty() {
    const auto isNothing = [&](const DraftTerm &term) {
      return hasDomain(*term.expr, draft_.reduction, scope_, analysis_.kernel) &&
             isNowhere(domainOfTerm(*term.expr, draft_.background, draft_.computeType, scope_, analysis_.kernel));
    };
    // A shared pattern needs a term that reads it.
    const Tensor &target = analysis_.kernel.tensors[draft_.target];
    const size_t others = draft_.accumulates && (target.format.isDense() || target.isAssembled) ? 1 : 0;
    for (size_t term = draft_.terms.size(); term-- > 0;)
      if (draft_.terms.size() + others > 1 && isNothing(draft_.terms[term]))
        draft_.terms.erase(draft_.terms.begin() + static_cast<ptrdiff_t>(term));
  }

  // What is assembled is new: the target's old entries are an operand, and nothing is overwritten.
  void orderAssembled() {
    for (Draft &temporary : expansion_.temporaries)
      chooseOverwrite(temporary);
    if (!draft_.accumulates)
      return;
    draft_.accumulates = false;
    const Span where = analysis_.statements[draft_.statement].source->targetWhere;
    const AccessId old = scope_.intern({draft_.target, draft_.targetVariables, {}, where});
    draft_.terms.insert(draft_.terms.begin(), DraftTerm{makeNode(AccessNode{old}, where), {}, false, where});
  }

  bool isDense(AccessId access) const { return tensorOf(access).format.isDense(); }
  const Tensor &tensorOf(AccessId access) const { return analysis_.kernel.tensors[scope_.accesses[access].tensor]; }

  bool readsTarget(const DraftTerm &term) const {
    std::vector<AccessId> accesses = accessesOf(*term.expr);
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](AccessId access) { return scope_.accesses[access].tensor == draft_.target; });
  }

  // Reads the target only where it writes it, once for each element. A sparse target's term has no other sparse
  // operand, or the output's pattern would not be kept.
  bool isElementwise(const DraftTerm &term) const {
    if (!term.reductions.empty())
      return false;
    std::vector<AccessId> accesses = accessesOf(*term.expr);
    return std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
      const Access &access = scope_.accesses[id];
      return access.tensor == draft_.target ? access.variables == draft_.targetVariables : isDense(id);
    });
  }

  // In strict mode only the first two addends may change places, a + b is b + a, and only where the first is no sum:
  // its addends would be added to the other one by one.
  bool mayComeFirst(const Draft &draft, size_t term) const {
    return !analysis_.options.strictFp || term == 0 || (term == 1 && draft.terms.front().reductions.empty());
  }

  void putFirst(Draft &draft, size_t term) {
    std::rotate(draft.terms.begin(), draft.terms.begin() + term, draft.terms.begin() + term + 1);
  }

  /// True when the target is updated in place by the term that is now the first.
  bool treatSelfReference() {
    std::vector<size_t> readers;
    for (size_t k = 0; k < draft_.terms.size(); ++k)
      if (readsTarget(draft_.terms[k]))
        readers.push_back(k);
    if (readers.empty())
      return false;
    bool isSparse = !analysis_.kernel.tensors[draft_.target].format.isDense();
    bool alone = readers.size() == 1 && isElementwise(draft_.terms[readers.front()]);
    if (isSparse && !(alone && draft_.terms.size() == 1)) {
      analysis_.diagnostics
          .report(kSelfReference, draft_.where,
                  "the sparse output " + inQuotes(analysis_.kernel.tensors[draft_.target].name) +
                      " is read in its own statement other than to be scaled in place")
          .advise("write to another tensor");
      return false;
    }
    if (alone && mayComeFirst(draft_, readers.front())) {
      putFirst(draft_, readers.front());
      return true;
    }
    copyTarget(readers);
    return false;
  }

  void copyTarget(const std::vector<size_t> &readers) {
    const Tensor target = analysis_.kernel.tensors[draft_.target];
    AccessId whole = addTemporary(analysis_.kernel, scope_, draft_.targetVariables, target.type, draft_.where);
    TensorId copy = scope_.accesses[whole].tensor;
    expansion_.copyOfTarget = Copy{draft_.target, copy};
    for (size_t reader : readers)
      replaceAccesses(*draft_.terms[reader].expr, [&](AccessId id) {
        Access access = scope_.accesses[id];
        if (access.tensor != draft_.target)
          return id;
        access.tensor = copy;
        return scope_.intern(std::move(access));
      });
  }

  // `=`: a dense term without reductions sets every element, which saves the zeroing.
  void chooseOverwrite(Draft &draft) {
    if (draft.accumulates)
      return;
    for (size_t k = 0; k < draft.terms.size(); ++k) {
      const DraftTerm &term = draft.terms[k];
      std::vector<AccessId> accesses = accessesOf(*term.expr);
      bool isPlain = term.reductions.empty() &&
                     std::all_of(accesses.begin(), accesses.end(), [&](AccessId access) { return isDense(access); });
      if (!isPlain || !mayComeFirst(draft, k))
        continue;
      putFirst(draft, k);
      draft.terms.front().overwrites = true;
      return;
    }
    draft.zeroFirst = true;
  }

  Analysis &analysis_;
  Expansion &expansion_;
  Draft &draft_;
  Scope &scope_;
};

} // namespace

void orderTerms(Analysis &analysis, Expansion &expansion) {
  TermOrder(analysis, expansion).run();
}

} // namespace spc::sema
