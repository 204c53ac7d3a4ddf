#include "sema/terms/listed_temporaries.h"

#include "sema/fold.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/densifier.h"
#include "sema/terms/fuse.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// What a value makes of a temporary: nothing, or of vectors and numbers that it adds up to alone, which are computed
/// by themselves and may be anything to what reads them; something that is 0 where it is, as products, sums and some
/// functions are; or something else.
enum class Made { Nothing, Linear, Other };

Made madeOf(const Node &node, TensorId temporary, const Scope &scope);

Made madeOfSum(const ReduceNode &sum, TensorId temporary, const Scope &scope) {
  const Made body = madeOf(*sum.body, temporary, scope);
  if (body == Made::Nothing || (sum.reduction != Reduction::Sum && sum.reduction != Reduction::Mean))
    return body == Made::Nothing ? body : Made::Other;
  const std::vector<AccessId> accesses = accessesOf(*sum.body);
  const bool isAddedUp = std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
    const Access &access = scope.accesses[id];
    const auto isLeft = [&](VariableId variable) { return !has(sum.variables, variable); };
    return access.tensor != temporary || std::ranges::count_if(access.variables, isLeft) <= 1;
  });
  return body == Made::Linear && isAddedUp ? Made::Nothing : body;
}

/// Whether a condition on a temporary is false where that is 0, as `C(i,j) > 0.5` is.
bool isFalseOfZero(const Node &condition, TensorId temporary, const Scope &scope) {
  const auto *call = std::get_if<CallNode>(&condition.kind);
  if (!call)
    return false;
  if (call->function == Function::And)
    return std::any_of(call->arguments.begin(), call->arguments.end(),
                       [&](const NodePtr &part) { return isFalseOfZero(*part, temporary, scope); });
  std::vector<double> values;
  for (const NodePtr &part : call->arguments) {
    const auto *number = std::get_if<NumberNode>(&part->kind);
    if (!number && madeOf(*part, temporary, scope) != Made::Linear)
      return false;
    values.push_back(number ? number->value : 0);
  }
  return fold(call->function, ValueType::F64, values) == 0.0;
}

/// `where` has no entry where a temporary is 0 if what it chooses is 0 there, or the condition false, which asks for
/// places and for the temporary alone.
Made madeOfWhere(const CallNode &where, TensorId temporary, const Scope &scope) {
  const std::vector<AccessId> all = accessesOf(*where.arguments[0]);
  const auto isTemporary = [&](AccessId id) { return scope.accesses[id].tensor == temporary; };
  const Made chosen = madeOf(*where.arguments[1], temporary, scope);
  if (chosen == Made::Nothing && std::none_of(all.begin(), all.end(), isTemporary))
    return chosen;
  const bool isSo = std::all_of(all.begin(), all.end(), isTemporary) &&
                    (chosen == Made::Linear || isFalseOfZero(*where.arguments[0], temporary, scope));
  return isSo ? Made::Linear : Made::Other;
}

Made madeOf(const Node &node, TensorId temporary, const Scope &scope) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
    const Access &access = scope.accesses[use->access];
    return access.tensor != temporary ? Made::Nothing : hasDerived(access, scope) ? Made::Other : Made::Linear;
  }
  if (const auto *sum = std::get_if<ReduceNode>(&node.kind))
    return madeOfSum(*sum, temporary, scope);
  const auto *call = std::get_if<CallNode>(&node.kind);
  if (call && call->function == Function::Where)
    return madeOfWhere(*call, temporary, scope);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  const Node *divisor = binary && binary->op == language::BinaryOp::Div ? binary->right.get() : nullptr;
  Made made = Made::Nothing;
  for (const Node *child : children(node)) {
    const Made part = madeOf(*child, temporary, scope);
    made = std::max(made, child == divisor && part == Made::Linear ? Made::Other : part);
  }
  if (made != Made::Linear)
    return made;
  const bool isZeroOfZero =
      !call || (call->arguments.size() == 1 && call->function != Function::Pattern &&
                (call->function == Function::Cast || fold(call->function, ValueType::F64, {0.0}) == 0.0));
  return isZeroOfZero ? made : Made::Other;
}

bool isReadLinearly(TensorId temporary, const Planning &planning) {
  return std::all_of(planning.statements.begin(), planning.statements.end(), [&](const ResolvedStatement &reader) {
    return madeOf(*reader.value, temporary, reader.scope) != Made::Other;
  });
}

class ListedTemporary {
public:
  ListedTemporary(const LogicalStatement &logical, const Planning &planning)
      : logical_(logical), planning_(planning), statement_(planning.statements[logical.statement]),
        scope_(statement_.scope), target_(planning.kernel.tensors[logical.target]) {}

  std::optional<format::Format> format() const {
    const auto &declaration = planning_.symbols[logical_.target].declaration;
    const bool isOpen = statement_.isTemporary && statement_.op == language::AssignOp::Assign &&
                        statement_.target.tensor == logical_.target && target_.order() > 1 &&
                        !(declaration && declaration->fill) && isMadeOnce();
    if (!isOpen || target_.fill != 0 || logical_.targetDefault != 0 || logical_.reduction != Reduction::Sum ||
        !isSparse() || !couldBeSparse(logical_, scope_, planning_.kernel) ||
        !isReadLinearly(logical_.target, planning_))
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

  /// Whether a sparse operand of a term lists coordinates of an index of the target, or a tie is one of its indices, or
  /// two operands meet: sums over what others list, as that of j in P(i,j,h) where i and h are dense, leave an array.
  bool listsTargets(const LogicalTerm &term) const {
    const std::vector<AccessId> accesses = accessesOf(*term.expr);
    return meet(accesses) || std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
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

  /// Of a sparse operand: the variables that it lists, of the target or others.
  std::vector<VariableId> listedIn(const Access &access) const {
    std::vector<VariableId> listed;
    for (const format::Level &level : planning_.kernel.tensors[access.tensor].format.levels)
      if (!level.isDense())
        listed.push_back(access.variables[level.dim]);
    return listed;
  }

  /// Whether two operands that list the same variable, which is added up over, have an index of the target each that
  /// the other one lacks: A(i,k) * B(j,k) has entries where row i and row j have one in common.
  bool meet(const std::vector<AccessId> &accesses) const {
    const auto meets = [&](const Access &a, const Access &b) {
      const std::vector<VariableId> listed = listedIn(a), others = listedIn(b);
      const auto hasOwn = [&](const Access &one, const Access &other) {
        return std::any_of(one.variables.begin(), one.variables.end(),
                           [&](VariableId variable) { return isTarget(variable) && !has(other.variables, variable); });
      };
      return hasOwn(a, b) && hasOwn(b, a) && std::any_of(listed.begin(), listed.end(), [&](VariableId variable) {
               return !isTarget(variable) && has(others, variable);
             });
    };
    return std::any_of(accesses.begin(), accesses.end(), [&](AccessId a) {
      return std::any_of(accesses.begin(), accesses.end(),
                         [&](AccessId b) { return meets(scope_.accesses[a], scope_.accesses[b]); });
    });
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

bool hasWholeAddend(const ResolvedStatement &made, const Planning &planning) {
  const auto isWhole = [&](AccessId id) {
    const Tensor &tensor = planning.kernel.tensors[made.scope.accesses[id].tensor];
    return tensor.format.isDense() && (!tensor.is<Temporary>() || tensor.order() < 2);
  };
  const std::vector<Addend> addends = openAddends(*made.value, false);
  return std::any_of(addends.begin(), addends.end(), [&](const Addend &addend) {
    const std::vector<AccessId> accesses = accessesOf(*addend.node);
    return std::all_of(accesses.begin(), accesses.end(), isWhole);
  });
}

bool isArrayOfSparse(const ResolvedStatement &made, const Planning &planning) {
  const std::vector<VariableId> &targets = made.target.variables;
  int sparse = 0;
  bool isWhole = false, mayList = false;
  for (AccessId id : accessesOf(*made.value)) {
    const Access &access = made.scope.accesses[id];
    const Tensor &tensor = planning.kernel.tensors[access.tensor];
    mayList |= tensor.is<Temporary>(); // how it is stored is not known yet
    if (tensor.format.isDense())
      continue;
    mayList |= ++sparse > 1 || tensor.format.isSum() || tensor.is<Tie>() ||
               std::any_of(tensor.format.levels.begin(), tensor.format.levels.end(), [&](const format::Level &level) {
                 return !level.isDense() && has(targets, access.variables[static_cast<size_t>(level.dim)]);
               });
    isWhole |= std::all_of(targets.begin(), targets.end(),
                           [&](VariableId variable) { return has(access.variables, variable); });
  }
  const bool isArray = !isWhole && (!mayList || !isReadLinearly(made.target.tensor, planning));
  return sparse > 0 && targets.size() > 1 && (isArray || hasWholeAddend(made, planning));
}

bool isMadeOfWhole(const ResolvedStatement &made, const std::set<TensorId> &partial, const Planning &planning) {
  const std::vector<Addend> addends = openAddends(*made.value, false);
  const auto isWhole = [&](AccessId id) {
    const TensorId tensor = made.scope.accesses[id].tensor;
    return planning.kernel.tensors[tensor].format.isDense() && !partial.contains(tensor);
  };
  const std::vector<AccessId> all = accessesOf(*made.value);
  return std::all_of(all.begin(), all.end(),
                     [&](AccessId id) {
                       return isWhole(id) ||
                              isEquation(made.scope.accesses[id], made.target.variables, planning.kernel);
                     }) &&
         std::any_of(addends.begin(), addends.end(), [&](const Addend &addend) {
           const std::vector<AccessId> accesses = accessesOf(*addend.node);
           return std::all_of(accesses.begin(), accesses.end(), isWhole);
         });
}

std::set<TensorId> partialTemporaries(const Planning &planning) {
  std::set<TensorId> partial;
  for (const ResolvedStatement &made : planning.statements) {
    const Tensor &target = planning.kernel.tensors[made.target.tensor];
    if (target.is<Temporary>() && target.order() > 1 && !planning.symbols[made.target.tensor].boundBy &&
        !isMadeOfWhole(made, partial, planning) && !isArrayOfSparse(made, planning))
      partial.insert(made.target.tensor);
  }
  return partial;
}

} // namespace spc::sema
