// Terms that are computed in one nest of loops.
#include "sema/renaming.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

class TermJoin {
public:
  TermJoin(Planning &planning, LogicalStatement &logical)
      : planning_(planning), logical_(logical), scope_(planning.statements[logical.statement].scope) {}

  void run() {
    const Tensor &target = planning_.kernel.tensors[logical_.target];
    // A target of another type takes each term's result in that.
    if (planning_.options.strictFp || logical_.reduction != Reduction::Sum || logical_.computeType == ValueType::Bool ||
        target.type != logical_.computeType)
      return;
    if (target.format.isDense())
      joinDense();
    joinSparse();
  }

private:
  /// Adds up the terms that are one number for each element in one of them: they go through the target once.
  void joinDense() {
    LogicalTerm *first = nullptr;
    std::erase_if(logical_.terms, [&](LogicalTerm &term) {
      if (!isPlain(term))
        return false;
      if (!first) {
        first = &term;
        return false;
      }
      addTo(*first, std::move(term), scope_);
      return true;
    });
  }

  /// Adds up the products of the same sparse operands, which are walked once then. Loops over dense dimensions alone
  /// stay apart: two rows at a time want twice the cache.
  void joinSparse() {
    for (size_t k = 0; k < logical_.terms.size(); ++k) {
      const std::vector<AccessId> walked = walkedAlone(logical_.terms[k]);
      if (walked.empty())
        continue;
      for (size_t other = k + 1; other < logical_.terms.size();) {
        LogicalTerm &first = logical_.terms[k];
        LogicalTerm &term = logical_.terms[other];
        if (!joins(first, walked, term)) {
          ++other;
          continue;
        }
        addTo(first, std::move(term), scope_);
        logical_.terms.erase(logical_.terms.begin() + static_cast<ptrdiff_t>(other));
      }
    }
  }

  /// Whether a term is one number for each element of its target, of dense operands that others write.
  bool isPlain(const LogicalTerm &term) const {
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    return term.reductions.empty() && std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
             return isDense(id) && !hasDerived(scope_.accesses[id], scope_) &&
                    scope_.accesses[id].tensor != logical_.target;
           });
  }

  /// The sparse operands of a product, each once, in the order of the text, whose loops are all that the term has;
  /// none where it is more than a product of them with dense factors.
  std::vector<AccessId> walkedAlone(const LogicalTerm &term) const {
    std::vector<AccessId> walked;
    if (term.isScaledSum || term.multipliedOut || term.toldBy || !term.partSums.empty() || usesIndexValue(*term.expr) ||
        hasFill(*term.expr, scope_, planning_.kernel) || !collectFactors(*term.expr, walked))
      return {};
    std::vector<VariableId> loops;
    for (AccessId id : walked)
      loops.insert(loops.end(), scope_.accesses[id].variables.begin(), scope_.accesses[id].variables.end());
    const auto isWalked = [&](VariableId variable) { return has(loops, variable); };
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    const bool isAlone = std::all_of(term.reductions.begin(), term.reductions.end(), isWalked) &&
                         std::all_of(logical_.targetVariables.begin(), logical_.targetVariables.end(), isWalked) &&
                         std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
                           const Access &access = scope_.accesses[id];
                           return access.tensor != logical_.target && !hasDerived(access, scope_) &&
                                  std::all_of(access.variables.begin(), access.variables.end(), isWalked);
                         });
    return isAlone ? walked : std::vector<AccessId>();
  }

  /// Whether a tree is a product of sparse operands, which are added to a list, with factors and divisors without any.
  bool collectFactors(const Node &node, std::vector<AccessId> &sparse) const {
    if (!hasSparse(node, scope_, planning_.kernel))
      return true;
    if (const auto *access = std::get_if<AccessNode>(&node.kind)) {
      if (!has(sparse, access->access))
        sparse.push_back(access->access);
      return true;
    }
    if (const auto *negate = std::get_if<NegateNode>(&node.kind))
      return collectFactors(*negate->operand, sparse);
    const auto *binary = std::get_if<BinaryNode>(&node.kind);
    if (!binary || asSum(node) || (binary->op == BinaryOp::Div && hasSparse(*binary->right, scope_, planning_.kernel)))
      return false;
    return collectFactors(*binary->left, sparse) && collectFactors(*binary->right, sparse);
  }

  /// Whether a term walks the same sparse operands, the variables that it is summed over having any names: they are
  /// renamed to the first term's then.
  bool joins(const LogicalTerm &first, const std::vector<AccessId> &walked, LogicalTerm &term) {
    std::vector<AccessId> others = walkedAlone(term);
    if (others.size() != walked.size() || term.reductions.size() != first.reductions.size())
      return false;
    Renamed renamed;
    for (AccessId id : walked) {
      const auto same = std::find_if(others.begin(), others.end(),
                                     [&](AccessId other) { return namesAlike(first, id, term, other, renamed); });
      if (same == others.end())
        return false;
      others.erase(same);
    }
    renameIndices(*term.expr, renamed, scope_);
    return true;
  }

  /// Whether two accesses are one once variables of the other term's sums are renamed, which is noted if so.
  bool namesAlike(const LogicalTerm &first, AccessId id, const LogicalTerm &term, AccessId other,
                  Renamed &renamed) const {
    const Access &left = scope_.accesses[id];
    const Access &right = scope_.accesses[other];
    if (left.tensor != right.tensor || left.mirrored != right.mirrored)
      return false;
    Renamed names = renamed;
    for (size_t dim = 0; dim < left.variables.size(); ++dim) {
      const VariableId from = right.variables[dim];
      const VariableId to = left.variables[dim];
      const bool isSummed = has(term.reductions, from);
      if (isSummed != has(first.reductions, to) || (!isSummed && from != to))
        return false;
      if (isSummed && names.try_emplace(from, to).first->second != to)
        return false;
    }
    renamed = std::move(names);
    return true;
  }

  bool isDense(AccessId access) const {
    return planning_.kernel.tensors[scope_.accesses[access].tensor].format.isDense();
  }

  Planning &planning_;
  LogicalStatement &logical_;
  Scope &scope_;
};

} // namespace

void joinTerms(Planning &planning, LogicalStatement &logical) {
  TermJoin(planning, logical).run();
}

} // namespace spc::sema
