#include "sema/terms/listed_temporaries.h"

#include "sema/fold.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/densifier.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

class ListedTemporary {
public:
  ListedTemporary(const LogicalStatement &logical, const Planning &planning)
      : logical_(logical), planning_(planning), statement_(planning.statements[logical.statement]),
        scope_(statement_.scope), target_(planning.kernel.tensors[logical.target]) {}

  std::optional<format::Format> format() const {
    const bool isOpen = statement_.isTemporary && statement_.op == language::AssignOp::Assign &&
                        statement_.target.tensor == logical_.target && target_.order() > 1 &&
                        !planning_.symbols[logical_.target].declaration && isMadeOnce();
    if (!isOpen || target_.fill != 0 || logical_.targetDefault != 0 || logical_.reduction != Reduction::Sum ||
        !isSparse() || !couldBeSparse(logical_, scope_, planning_.kernel) || !areReadersLinear())
      return std::nullopt;
    const ExtentId rows = target_.extents.front();
    format::Format format = plainFormat(target_.format, !isStoredWhole(planning_.kernel, rows));
    takeIndexTypes(logical_, scope_, planning_.kernel, format);
    return format;
  }

private:
  bool isMadeOnce() const {
    return std::count_if(planning_.statements.begin(), planning_.statements.end(),
                         [&](const auto &other) { return other.target.tensor == logical_.target; }) == 1;
  }

  bool isSparse() const {
    return std::all_of(logical_.terms.begin(), logical_.terms.end(), [&](const LogicalTerm &term) {
      return listsTargets(term) && !isEverywhere(term, logical_, scope_, planning_.kernel);
    });
  }

  bool isTarget(VariableId variable) const { return has(logical_.targetVariables, variable); }

  /// Whether a sparse operand of a term lists coordinates of an index of the target, or a tie is one of its indices:
  /// sums over what others list, as that of j in P(i,j,h) where i and h are dense, leave an array.
  bool listsTargets(const LogicalTerm &term) const {
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    return std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
      const Access &access = scope_.accesses[id];
      const Tensor &tensor = planning_.kernel.tensors[access.tensor];
      if (tensor.format.isDense() || tensor.is<Tie>())
        return tensor.is<Tie>() && std::all_of(access.variables.begin(), access.variables.end(),
                                               [&](VariableId variable) { return isTarget(variable); });
      const auto &levels = tensor.format.levels;
      return tensor.format.isSum() || std::any_of(levels.begin(), levels.end(), [&](const format::Level &level) {
               return !level.isDense() && isTarget(access.variables[level.dim]);
             });
    });
  }

  bool areReadersLinear() const {
    return std::all_of(planning_.statements.begin(), planning_.statements.end(),
                       [&](const ResolvedStatement &reader) { return isLinear(*reader.value, reader); });
  }

  bool reads(const Node &node, const ResolvedStatement &reader) const {
    const std::vector<AccessId> accesses = accessesOf(node);
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](AccessId id) { return reader.scope.accesses[id].tensor == logical_.target; });
  }

  /// Whether what `node` makes of the temporary is 0 where that is, as products, sums and some functions are.
  bool isLinear(const Node &node, const ResolvedStatement &reader) const {
    if (!reads(node, reader))
      return true;
    if (const auto *use = std::get_if<AccessNode>(&node.kind))
      return !hasDerived(reader.scope.accesses[use->access], reader.scope);
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
      return isLinear(*binary->left, reader) && isLinear(*binary->right, reader) &&
             !(binary->op == language::BinaryOp::Div && reads(*binary->right, reader));
    if (const auto *call = std::get_if<CallNode>(&node.kind)) {
      const bool isZeroOfZero =
          call->arguments.size() == 1 && call->function != Function::Pattern &&
          (call->function == Function::Cast || fold(call->function, ValueType::F64, {0.0}) == 0.0);
      return isZeroOfZero && isLinear(*call->arguments.front(), reader);
    }
    if (const auto *reduction = std::get_if<ReduceNode>(&node.kind))
      return (reduction->reduction == Reduction::Sum || reduction->reduction == Reduction::Mean) &&
             isLinear(*reduction->body, reader);
    const std::vector<const Node *> below = children(node);
    return std::all_of(below.begin(), below.end(), [&](const Node *child) { return isLinear(*child, reader); });
  }

  const LogicalStatement &logical_;
  const Planning &planning_;
  const ResolvedStatement &statement_;
  const Scope &scope_;
  const Tensor &target_;
};

} // namespace

std::optional<format::Format> listedFormat(const LogicalStatement &logical, const Planning &planning) {
  return ListedTemporary(logical, planning).format();
}

} // namespace spc::sema
