#include "sema/terms/masks.h"

#include "format/levels.h"
#include "sema/expression_types.h"
#include "sema/terms/fuse.h"
#include "sema/terms/places.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {

static bool isMask(const Access &access, const std::vector<VariableId> &variables, const Planning &planning) {
  const Tensor &tensor = planning.kernel.tensors[access.tensor];
  const bool isWithin = std::all_of(access.variables.begin(), access.variables.end(), [&](VariableId variable) {
    return std::count(access.variables.begin(), access.variables.end(), variable) == 1 && has(variables, variable);
  });
  return isWithin && !tensor.format.isDense() && tensor.fill == 0 && planning.symbols[access.tensor].firstWrite < 0;
}

bool isMadeOfComputed(const Access &mask, const Planning &planning) {
  const auto *tie = planning.kernel.tensors[mask.tensor].as<Tie>();
  return tie && tie->source && planning.symbols[*tie->source].firstWrite >= 0;
}

namespace {

bool isSame(const Access &a, const Access &b) {
  return a.tensor == b.tensor && a.variables == b.variables;
}

/// The operand whose pattern a temporary takes, with the dimension of the temporary for each of its own.
struct TakenPattern {
  Access operand;
  std::vector<size_t> dims;
};

class MaskFinder {
public:
  explicit MaskFinder(const Planning &planning) : planning_(planning) {}

  std::optional<Access> maskIn(const Node &product, ValueType type, const std::vector<VariableId> &variables,
                               const Scope &scope) {
    if (const auto *binary = std::get_if<BinaryNode>(&product.kind); binary && !asSum(product)) {
      const std::optional<Access> left = maskIn(*binary->left, type, variables, scope);
      return left || binary->op == BinaryOp::Div ? left : maskIn(*binary->right, type, variables, scope);
    }
    if (const auto *use = std::get_if<AccessNode>(&product.kind))
      if (std::optional<Access> mask = maskOfTemporary(scope.accesses[use->access]);
          mask && isMask(*mask, variables, planning_))
        return mask;
    const Sparsity sparsity = sparsityOf(product, type, scope, planning_.kernel);
    return sparsity.fill == 0.0 ? maskOf(sparsity.domain, variables, scope) : std::nullopt;
  }

private:
  /// The first operand that may be a mask of those that have an entry wherever a domain has one.
  std::optional<Access> maskOf(const MaybeDomain &domain, const std::vector<VariableId> &variables,
                               const Scope &scope) const {
    if (domain && domain->kind == DomainKind::Stored) {
      const Access &access = scope.accesses[domain->operand];
      return isMask(access, variables, planning_) ? std::optional(access) : std::nullopt;
    }
    std::optional<Access> mask;
    if (domain && domain->kind == DomainKind::All)
      for (auto part = domain->parts.begin(); !mask && part != domain->parts.end(); ++part)
        mask = maskOf(*part, variables, scope);
    return mask;
  }

  /// The operand whose pattern a temporary takes, as the temporary is read; nullopt where there is none.
  std::optional<Access> maskOfTemporary(const Access &read) {
    if (!planning_.kernel.tensors[read.tensor].is<Temporary>() || planning_.symbols[read.tensor].boundBy)
      return std::nullopt;
    if (const auto [known, isNew] = ofTemporaries_.try_emplace(read.tensor); isNew)
      ofTemporaries_[read.tensor] = patternOf(read.tensor);
    const std::optional<TakenPattern> &taken = ofTemporaries_[read.tensor];
    if (!taken)
      return std::nullopt;
    Access mask = taken->operand;
    for (size_t k = 0; k < taken->dims.size(); ++k)
      mask.variables[k] = read.variables[taken->dims[k]];
    return mask;
  }

  /// The pattern that all statements which write a temporary give it.
  std::optional<TakenPattern> patternOf(TensorId temporary) {
    std::optional<TakenPattern> taken;
    for (const ResolvedStatement &made : planning_.statements) {
      if (made.target.tensor != temporary)
        continue;
      const bool adds = made.op == language::AssignOp::Assign || made.op == language::AssignOp::Add;
      const std::optional<Access> own = adds ? maskOfAddends(*made.value, made) : std::nullopt;
      if (!own || !takesPattern(made, *own))
        return std::nullopt;
      TakenPattern next{*own, {}};
      for (VariableId variable : own->variables)
        next.dims.push_back(placeOf(variable, made.target.variables));
      if (taken && (taken->operand.tensor != own->tensor || taken->dims != next.dims))
        return std::nullopt;
      taken = std::move(next);
    }
    return taken;
  }

  /// The mask that all addends of a statement have.
  std::optional<Access> maskOfAddends(const Node &value, const ResolvedStatement &made) {
    if (const auto *minus = std::get_if<NegateNode>(&value.kind))
      return maskOfAddends(*minus->operand, made);
    if (!asSum(value))
      return maskIn(value, computeTypeOf(planning_.kernel, made), made.target.variables, made.scope);
    const auto &sum = std::get<BinaryNode>(value.kind);
    std::optional<Access> left = maskOfAddends(*sum.left, made), right = maskOfAddends(*sum.right, made);
    return left && right && isSame(*left, *right) ? left : std::nullopt;
  }

  /// Whether all that lists entries in the value of a temporary lists those of `mask`, which has its variables, so that
  /// it takes the mask's pattern.
  bool takesPattern(const ResolvedStatement &made, const Access &mask) {
    if (!format::listsJustEntries(planning_.kernel.tensors[mask.tensor].format) ||
        mask.variables.size() != made.target.variables.size() || hasOtherReduction(*made.value))
      return false;
    const std::vector<AccessId> accesses = accessesOf(*made.value);
    return std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
      const Access &access = made.scope.accesses[id];
      const bool isDense = planning_.kernel.tensors[access.tensor].format.isDense();
      const std::optional<Access> own = isDense ? maskOfTemporary(access) : access;
      return !own || isSame(*own, mask);
    });
  }

  const Planning &planning_;
  std::map<TensorId, std::optional<TakenPattern>> ofTemporaries_;
};

bool isZero(const Node &node) {
  const auto *number = std::get_if<NumberNode>(&node.kind);
  return number && number->value == 0;
}

/// The arguments of a call, where one of them is 0 or false, that make the call so whatever the argument at `place` is.
std::vector<size_t> decidingBeside(const CallNode &call, size_t place) {
  std::vector<size_t> others;
  if (call.function == Function::And)
    for (size_t k = 0; k < call.arguments.size(); ++k)
      if (k != place)
        others.push_back(k);
  const bool isSelect = call.function == Function::Select, isWhere = call.function == Function::Where;
  if (place == 1 && (isSelect || isWhere))
    others.push_back(0);
  if (place == 0 && (isWhere || (isSelect && isZero(*call.arguments[2]))))
    others.push_back(1);
  if (place == 0 && isSelect && isZero(*call.arguments[1]))
    others.push_back(2);
  return others;
}

} // namespace

std::optional<Access> maskIn(const Node &product, ValueType type, const std::vector<VariableId> &variables,
                             const Scope &scope, const Planning &planning) {
  return MaskFinder(planning).maskIn(product, type, variables, scope);
}

std::optional<Access> wantedWhere(const Reader &reader, const Planning &planning) {
  const ResolvedStatement &use = planning.statements[reader.statement];
  const std::vector<VariableId> &variables = use.scope.accesses[reader.access].variables;
  ValueType type = computeTypeOf(planning.kernel, use);
  MaskFinder finder(planning);
  std::optional<Access> best;
  const auto take = [&](const Node &product, ValueType own) {
    const std::optional<Access> mask = finder.maskIn(product, own, variables, use.scope);
    if (mask && (!best || mask->variables.size() >= best->variables.size()))
      best = mask;
  };
  for (size_t k = 0; k + 1 < reader.path.size(); ++k) {
    const Node *own = reader.path[k + 1];
    const auto *binary = std::get_if<BinaryNode>(&reader.path[k]->kind);
    if (binary && !asSum(*reader.path[k]) && (binary->op == BinaryOp::Mul || binary->right.get() == own))
      take(binary->left.get() == own ? *binary->right : *binary->left, type);
    const auto *call = std::get_if<CallNode>(&reader.path[k]->kind);
    if (!call)
      continue;
    const auto argument = std::find_if(call->arguments.begin(), call->arguments.end(),
                                       [&](const NodePtr &other) { return other.get() == own; });
    const auto place = static_cast<size_t>(argument - call->arguments.begin());
    for (size_t other : decidingBeside(*call, place))
      take(*call->arguments[other], argumentType(*call, other, type, use.scope, planning.kernel));
    type = argumentType(*call, place, type, use.scope, planning.kernel);
  }
  return best;
}

} // namespace spc::sema
