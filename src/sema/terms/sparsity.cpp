#include "sema/terms/sparsity.h"

#include "sema/expression_types.h"
#include "sema/fold.h"
#include "sema/terms/shared_pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace spc::sema {
namespace {

const Sparsity kVaries{AccessDomain{}, std::nullopt};

/// Of expressions, or, with `padded`, of what they are at a place where that operand stores a 0 and nothing is known of
/// any other: the fill is then that value, and NaN where it is none or no number that is known here.
class SparsityFinder {
public:
  SparsityFinder(const Scope &scope, const Kernel &kernel, std::optional<AccessId> padded = std::nullopt)
      : scope_(scope), kernel_(kernel), padded_(padded) {}

  /// Of what is computed in `type`.
  Sparsity find(const Node &node, ValueType type) const {
    if (const auto *number = std::get_if<NumberNode>(&node.kind))
      return known(std::nullopt, foldCast(type, ValueType::F64, number->value));
    if (const auto *use = std::get_if<AccessNode>(&node.kind))
      return ofAccess(use->access, type);
    if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
      const Sparsity operand = find(*negate->operand, type);
      return operand.fill ? known(operand.domain, foldNegate(type, *operand.fill)) : kVaries;
    }
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
      return ofBinary(binary->op, type, find(*binary->left, type), find(*binary->right, type));
    if (const auto *call = std::get_if<CallNode>(&node.kind))
      return ofCall(*call, node, type);
    return kVaries;
  }

private:
  bool isSparse(AccessId access) const { return !kernel_.tensors[scope_.accesses[access].tensor].format.isDense(); }

  /// The fill of a sparse operand in the type in which it is computed with.
  std::optional<double> fillOf(AccessId access, ValueType type) const {
    const Tensor &tensor = kernel_.tensors[scope_.accesses[access].tensor];
    return foldCast(type, tensor.type, tensor.fill);
  }

  /// With a fill that is known. That of a missing entry is never NaN.
  Sparsity known(MaybeDomain domain, std::optional<double> fill) const {
    return fill && (padded_ || !std::isnan(*fill)) ? Sparsity{std::move(domain), fill} : kVaries;
  }

  Sparsity ofAccess(AccessId access, ValueType type) const {
    if (padded_)
      return access == *padded_ ? known(std::nullopt, 0) : kVaries;
    return isSparse(access) ? Sparsity{AccessDomain{AccessDomain::Kind::Stored, access, {}}, fillOf(access, type)}
                            : kVaries;
  }

  Sparsity ofBinary(BinaryOp op, ValueType type, const Sparsity &left, const Sparsity &right) const {
    // A missing entry annihilates a product; a 0 that is stored is multiplied.
    if (padded_ && left.fill && right.fill)
      return known(std::nullopt, fold(op, type, *left.fill, *right.fill));
    const bool byLeft = left.fill == 0.0, byRight = right.fill == 0.0;
    if (op == BinaryOp::Mul && byLeft && byRight)
      return {intersectionOf(left.domain, right.domain), 0};
    if (op == BinaryOp::Mul && (byLeft || byRight))
      return {byLeft ? left.domain : right.domain, 0};
    if (op == BinaryOp::Div && byLeft) // whatever the divisor is
      return {left.domain, 0};
    const bool isSum = op == BinaryOp::Add || op == BinaryOp::Sub;
    if (isSum && !isInteger(type) && (isInfinite(left) || isInfinite(right)))
      return ofInfinite(left, right, op == BinaryOp::Sub);
    if (!left.fill || !right.fill)
      return kVaries;
    return known(unionOf(left.domain, right.domain), fold(op, type, *left.fill, *right.fill));
  }

  static bool isInfinite(const Sparsity &sparsity) { return sparsity.fill && std::isinf(*sparsity.fill); }

  /// A sum or a difference that an infinite fill decides.
  static Sparsity ofInfinite(const Sparsity &left, const Sparsity &right, bool isDifference) {
    const double sign = isDifference ? -1 : 1;
    if (!isInfinite(right))
      return left;
    if (!isInfinite(left))
      return {right.domain, sign * *right.fill};
    return *left.fill == sign * *right.fill ? Sparsity{intersectionOf(left.domain, right.domain), left.fill} : kVaries;
  }

  Sparsity ofCall(const CallNode &call, const Node &node, ValueType type) const {
    std::vector<Sparsity> arguments;
    std::vector<ValueType> types;
    for (size_t k = 0; k < call.arguments.size(); ++k) {
      types.push_back(argumentType(call, k, type, scope_, kernel_));
      arguments.push_back(find(*call.arguments[k], types.back()));
    }
    if (call.function == Function::Pattern)
      return ofPattern(std::get<AccessNode>(call.arguments.front()->kind).access);
    if (const std::optional<AccessId> mask = complementOf(node))
      return {AccessDomain{AccessDomain::Kind::Missing, *mask, {}}, 0};
    if (call.function == Function::Select)
      return ofSelect(arguments, complementOf(*call.arguments[0]).has_value());
    if (call.function == Function::Where)
      return ofWhere(call, arguments);
    if (call.function == Function::And || call.function == Function::Or)
      return ofLogic(call.function, arguments);
    if (const std::optional<double> absorbing = absorbingIn(call.function, types.front()))
      if (const std::optional<Sparsity> settled = ofAbsorbing(call.function, *absorbing, arguments))
        return *settled;
    MaybeDomain domain;
    std::vector<double> fills;
    for (const Sparsity &argument : arguments) {
      if (!argument.fill)
        return kVaries;
      fills.push_back(*argument.fill);
      domain = unionOf(domain, argument.domain);
    }
    const bool isCast = call.function == Function::Cast;
    const std::optional<double> fill =
        isCast ? foldCast(call.castTo, types.front(), fills.front()) : fold(call.function, types.front(), fills);
    if (padded_ && !fill)
      return known(std::nullopt, std::numeric_limits<double>::quiet_NaN());
    // What the call is converted to where it stands holds its value exactly, or is rounded.
    return known(domain,
                 fill ? foldCast(type, resultType(call.function, call.castTo, types.front(), types.front()), *fill)
                      : fill);
  }

  std::optional<AccessId> complementOf(const Node &node) const {
    return padded_ ? std::nullopt : complementedMask(node, scope_, kernel_);
  }

  Sparsity ofPattern(AccessId access) const {
    return isSparse(access) && !padded_ ? Sparsity{AccessDomain{AccessDomain::Kind::Stored, access, {}}, 0} : kVaries;
  }

  /// The argument that decides a call's value whatever the others are.
  static std::optional<double> absorbingIn(Function function, ValueType type) {
    switch (function) {
    case Function::Max:
    case Function::MaxNumber:
    case Function::MinPlus:
      return infinityOf(type, false);
    case Function::Min: // that of unsigned numbers and of bools is 0
    case Function::MinNumber:
    case Function::MaxPlus:
      return infinityOf(type, true);
    case Function::Divide:
    case Function::ShiftLeft:
    case Function::ShiftRight:
    case Function::BitAnd:
      return 0;
    default:
      return std::nullopt;
    }
  }

  /// A call that fills decide which absorb its other arguments.
  static std::optional<Sparsity> ofAbsorbing(Function function, double absorbing,
                                             const std::vector<Sparsity> &arguments) {
    const size_t absorbers = language::isAbsorbedByFirst(function) ? 1 : arguments.size();
    std::optional<Sparsity> settled;
    for (size_t k = 0; k < absorbers; ++k)
      if (const Sparsity &argument = arguments[k]; argument.fill == absorbing)
        settled = settled ? Sparsity{intersectionOf(settled->domain, argument.domain), absorbing} : argument;
    return settled;
  }

  static Sparsity ofLogic(Function function, const std::vector<Sparsity> &arguments) {
    const bool isAnd = function == Function::And;
    const auto truth = [&](size_t k) {
      return arguments[k].fill ? std::optional(*arguments[k].fill != 0) : std::nullopt;
    };
    const auto settles = [&](size_t k) { return truth(k) && *truth(k) != isAnd; };
    const double settled = isAnd ? 0 : 1;
    if (settles(0) && settles(1))
      return {intersectionOf(arguments[0].domain, arguments[1].domain), settled};
    if (settles(0) || settles(1))
      return {arguments[settles(0) ? 0 : 1].domain, settled};
    if (!truth(0) || !truth(1))
      return kVaries;
    return {unionOf(arguments[0].domain, arguments[1].domain), 1 - settled};
  }

  /// Elsewhere it is missing, as its value is there if that reads what has a fill.
  Sparsity ofWhere(const CallNode &call, const std::vector<Sparsity> &arguments) const {
    const Sparsity &condition = arguments[0], &value = arguments[1];
    const double fill = sema::hasFill(*call.arguments[1], scope_, kernel_) ? value.fill.value_or(0) : 0;
    const MaybeDomain holds = condition.fill == 0.0 ? condition.domain : MaybeDomain(AccessDomain{});
    return {intersectionOf(holds, value.fill == fill ? value.domain : MaybeDomain(AccessDomain{})), fill};
  }

  /// What the condition's fill chooses is seen wherever the condition is missing. `isComplement`: that has no values
  /// but where it holds.
  static Sparsity ofSelect(const std::vector<Sparsity> &arguments, bool isComplement) {
    const Sparsity &condition = arguments[0], &yes = arguments[1], &no = arguments[2];
    if (isComplement && !no.domain && no.fill && yes.fill == no.fill)
      return {intersectionOf(condition.domain, yes.domain), no.fill};
    if (condition.fill) {
      const Sparsity &chosen = arguments[*condition.fill != 0 ? 1 : 2];
      if (chosen.fill)
        return {unionOf(condition.domain, chosen.domain), chosen.fill};
    } else if (arguments[1].fill && arguments[1].fill == arguments[2].fill) {
      return {unionOf(arguments[1].domain, arguments[2].domain), arguments[1].fill};
    }
    return kVaries;
  }

  const Scope &scope_;
  const Kernel &kernel_;
  std::optional<AccessId> padded_;
};

bool dividesBySparse(const Node &node, const Scope &scope, const Kernel &kernel) {
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (binary && binary->op == BinaryOp::Div && hasSparse(*binary->right, scope, kernel))
    return true;
  const std::vector<const Node *> below = children(node);
  return std::any_of(below.begin(), below.end(),
                     [&](const Node *child) { return dividesBySparse(*child, scope, kernel); });
}

/// Whether a sum with a sparse operand is a factor, a numerator or a divisor: it is not multiplied out.
bool multipliesSum(const Node &node, const Scope &scope, const Kernel &kernel) {
  const auto isSum = [&](const Node *factor) {
    while (const auto *negate = std::get_if<NegateNode>(&factor->kind))
      factor = negate->operand.get();
    return asSum(*factor) && hasSparse(*factor, scope, kernel);
  };
  const std::vector<const Node *> below = children(node);
  const bool isProduct = std::holds_alternative<BinaryNode>(node.kind) && !asSum(node);
  return (isProduct && std::any_of(below.begin(), below.end(), isSum)) ||
         std::any_of(below.begin(), below.end(),
                     [&](const Node *child) { return multipliesSum(*child, scope, kernel); });
}

/// Whether an expression is a sum some of whose addends have sparse operands, and others none.
bool isMixedSum(const Node &node, const Scope &scope, const Kernel &kernel) {
  const std::vector<Addend> addends = openAddends(node, /*keepGroups=*/false);
  const auto sparse = std::count_if(addends.begin(), addends.end(),
                                    [&](const Addend &addend) { return hasSparse(*addend.node, scope, kernel); });
  return sparse != 0 && sparse != static_cast<std::ptrdiff_t>(addends.size());
}

} // namespace

bool hasSparse(const Node &node, const Scope &scope, const Kernel &kernel) {
  const std::vector<AccessId> accesses = accessesOf(node);
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](AccessId id) { return !kernel.tensors[scope.accesses[id].tensor].format.isDense(); });
}

std::optional<AccessId> complementedMask(const Node &node, const Scope &scope, const Kernel &kernel) {
  const auto *negation = std::get_if<CallNode>(&node.kind);
  const auto *mask = negation && negation->function == Function::Not
                         ? std::get_if<CallNode>(&negation->arguments.front()->kind)
                         : nullptr;
  if (!mask || mask->function != Function::Pattern)
    return std::nullopt;
  const AccessId access = std::get<AccessNode>(mask->arguments.front()->kind).access;
  return kernel.tensors[scope.accesses[access].tensor].format.isDense() ? std::nullopt : std::optional(access);
}

bool hasFill(const Node &node, const Scope &scope, const Kernel &kernel) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
    const Tensor &tensor = kernel.tensors[scope.accesses[use->access].tensor];
    return !tensor.format.isDense() && tensor.fill != 0;
  }
  const auto *call = std::get_if<CallNode>(&node.kind);
  const std::vector<const Node *> below = children(node);
  return !(call && call->function == Function::Pattern) &&
         std::any_of(below.begin(), below.end(), [&](const Node *child) { return hasFill(*child, scope, kernel); });
}

std::vector<AccessId> accessesBesideReductions(const Node &value) {
  if (std::holds_alternative<ReduceNode>(value.kind))
    return {};
  if (const auto *access = std::get_if<AccessNode>(&value.kind))
    return {access->access};
  std::vector<AccessId> accesses;
  for (const Node *child : children(value)) {
    const std::vector<AccessId> below = accessesBesideReductions(*child);
    accesses.insert(accesses.end(), below.begin(), below.end());
  }
  return accesses;
}

bool isUnevenSum(const Node &node, const Scope &scope, const Kernel &kernel) {
  std::optional<std::set<VariableId>> common;
  for (const Addend &addend : openAddends(node, /*keepGroups=*/false)) {
    std::set<VariableId> own;
    for (AccessId id : accessesBesideReductions(*addend.node))
      if (const Access &access = scope.accesses[id]; !kernel.tensors[access.tensor].format.isDense())
        own.insert(access.variables.begin(), access.variables.end());
    if (!own.empty() && common && *common != own)
      return true;
    if (!own.empty())
      common = std::move(own);
  }
  return false;
}

Sparsity sparsityOf(const Node &node, ValueType type, const Scope &scope, const Kernel &kernel) {
  return SparsityFinder(scope, kernel).find(node, type);
}

bool isZeroOfStoredZero(const Node &node, AccessId operand, ValueType type, const Scope &scope, const Kernel &kernel) {
  return SparsityFinder(scope, kernel, operand).find(node, type).fill == 0.0;
}

bool hasDomain(const Node &term, Reduction reduction, const Scope &scope, const Kernel &kernel) {
  return hasSparse(term, scope, kernel) &&
         (reduction != Reduction::Sum || hasCalls(term) || hasFill(term, scope, kernel) ||
          dividesBySparse(term, scope, kernel) || multipliesSum(term, scope, kernel) ||
          isMixedSum(term, scope, kernel) || isUnevenSum(term, scope, kernel));
}

AccessDomain domainOfTerm(const Node &term, double targetDefault, ValueType type, const Scope &scope,
                          const Kernel &kernel) {
  const Sparsity sparsity = sparsityOf(term, type, scope, kernel);
  if (sparsity.fill != targetDefault)
    return {};
  const std::vector<AccessId> accesses = accessesOf(term);
  if (sparsity.domain)
    if (const AccessDomain domain = byLeaders(*sparsity.domain, accesses, scope, kernel); !isEmpty(domain))
      return visitable(withoutEmpty(domain));
  const auto isSparse = [&](AccessId id) { return !kernel.tensors[scope.accesses[id].tensor].format.isDense(); };
  const AccessId first = leaderOf(*std::find_if(accesses.begin(), accesses.end(), isSparse), accesses, scope, kernel);
  const AccessDomain anyPlace{AccessDomain::Kind::Stored, first, {}};
  // It is the identity everywhere: sums have no entry then, and to anything else any place will do.
  return targetDefault == 0
             ? AccessDomain{AccessDomain::Kind::All, {}, {anyPlace, {AccessDomain::Kind::Missing, first, {}}}}
             : anyPlace;
}

} // namespace spc::sema
