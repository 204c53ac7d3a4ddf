#include "sema/shared_bodies.h"

#include "sema/alternatives.h"

#include <algorithm>
#include <bit>

namespace spc::sema {
namespace {

bool isTwin(const Domain &a, const Domain &b) {
  return a.kind == b.kind && a.operand == b.operand &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), isTwin);
}

bool isTwin(const std::optional<Domain> &a, const std::optional<Domain> &b) {
  return a.has_value() == b.has_value() && (!a || isTwin(*a, *b));
}

/// Zeros have signs.
bool isSameNumber(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

/// Bodies compute the columns of ties. A scalar in one is a size by name, which another step's may not have.
bool isSameTie(const Tie *a, const Tie *b) {
  return a == b || (a && b && *a == *b && a->constant.isNumber());
}

bool isTwin(const Expr &a, const Expr &b);

bool isTwin(const Literal &a, const Literal &b) {
  return isSameNumber(a.value, b.value);
}

bool isTwin(const Use &a, const Use &b) {
  return a.operand == b.operand;
}

bool isTwin(const IndexValue &a, const IndexValue &b) {
  return a.index == b.index;
}

bool isTwin(const Negate &a, const Negate &b) {
  return isTwin(*a.operand, *b.operand);
}

bool isTwin(const Binary &a, const Binary &b) {
  return a.op == b.op && isSameNumber(a.outside, b.outside) && isTwin(a.domain, b.domain) && isTwin(*a.left, *b.left) &&
         isTwin(*a.right, *b.right);
}

bool isTwin(const Call &a, const Call &b) {
  return a.function == b.function && isSameNumber(a.outside, b.outside) && isTwin(a.domain, b.domain) &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [](const ExprPtr &one, const ExprPtr &other) { return isTwin(*one, *other); });
}

bool isTwin(const Expr &a, const Expr &b) {
  return a.type == b.type && a.node.index() == b.node.index() &&
         std::visit([&](const auto &node) { return isTwin(node, std::get<std::decay_t<decltype(node)>>(b.node)); },
                    a.node);
}

/// Pairs what two statements have at the same places.
class Matcher {
public:
  Matcher(const Kernel &kernel, size_t lender) : kernel_(kernel), lent_{lender, {}, {}} {}

  std::optional<LentBody> match(const Statement &own, const Statement &other) {
    const bool isMatch = own.computeType == other.computeType && own.zeroFirst == other.zeroFirst &&
                         own.reduction == other.reduction && !own.collecting && !other.collecting &&
                         pair(own.target, other.target) &&
                         std::equal(own.terms.begin(), own.terms.end(), other.terms.begin(), other.terms.end(),
                                    [&](const Term &one, const Term &two) { return match(one, two); });
    return isMatch ? std::optional(std::move(lent_)) : std::nullopt;
  }

private:
  bool match(const Term &own, const Term &other) {
    const auto isLoop = [&](const Loop &one, const Loop &two) {
      return one.isReduction == two.isReduction && one.part == two.part && one.block == two.block &&
             pair(one.extent, two.extent);
    };
    const auto isOperand = [&](const Operand &one, const Operand &two) {
      return one.indices == two.indices && one.skipsDiagonal == two.skipsDiagonal && one.diagonal == two.diagonal &&
             one.follows == two.follows && pair(one.tensor, two.tensor);
    };
    const auto isExtent = [&](ExtentId one, ExtentId two) { return pair(one, two); };
    return own.target == other.target && own.overwrites == other.overwrites && own.isMerged == other.isMerged &&
           std::equal(own.emptyWith.begin(), own.emptyWith.end(), other.emptyWith.begin(), other.emptyWith.end(),
                      isExtent) &&
           std::equal(own.loops.begin(), own.loops.end(), other.loops.begin(), other.loops.end(), isLoop) &&
           std::equal(own.operands.begin(), own.operands.end(), other.operands.begin(), other.operands.end(),
                      isOperand) &&
           isTwin(own.domain, other.domain) && isTwin(*own.expr, *other.expr);
  }

  bool pair(ExtentId own, ExtentId other) {
    return kernel_.extents[own].fixed == kernel_.extents[other].fixed &&
           lent_.extents.emplace(other, own).first->second == own;
  }

  /// Two tensors may not become one, as bodies take them for apart.
  bool pair(TensorId own, TensorId other) {
    const Tensor &a = kernel_.tensors[own], &b = kernel_.tensors[other];
    if (!isSameTie(a.as<Tie>(), b.as<Tie>()))
      return false;
    const auto isTaken = [&](const auto &pair) { return pair.second == own && pair.first != other; };
    if (std::any_of(lent_.tensors.begin(), lent_.tensors.end(), isTaken) ||
        lent_.tensors.emplace(other, own).first->second != own)
      return false;
    if (own == other)
      return true;
    const auto *temporary = a.as<Temporary>(), *others = b.as<Temporary>();
    const bool marks = temporary && temporary->marksMissing, othersMarks = others && others->marksMissing;
    // Numbers are passed by value.
    if (a.type != b.type || !a.format.sameStorage(b.format) || a.fill != b.fill || marks != othersMarks ||
        a.is<View>() || b.is<View>() || (a.order() == 0 && !(temporary && others)))
      return false;
    for (size_t dim = 0; dim < a.extents.size(); ++dim)
      if (!pair(a.extents[dim], b.extents[dim]))
        return false;
    const TensorId owner = structureOwner(kernel_, own), othersOwner = structureOwner(kernel_, other);
    return (owner == own) == (othersOwner == other) && (owner == own || pair(owner, othersOwner));
  }

  const Kernel &kernel_;
  LentBody lent_;
};

} // namespace

std::optional<LentBody> lentBody(const Kernel &kernel, size_t step) {
  const auto *own = std::get_if<Statement>(&kernel.steps[step]);
  if (!own || !(alternativeOf(kernel, step) || isRecomputed(kernel, step)) || kernel.schedule.parallel)
    return std::nullopt;
  for (size_t lender = 0; lender < step; ++lender)
    // Few steps match: to ask first which of them lend would take a time that doubles with each step.
    if (const auto *other = std::get_if<Statement>(&kernel.steps[lender]))
      if (std::optional<LentBody> lent = Matcher(kernel, lender).match(*own, *other); lent && !lentBody(kernel, lender))
        return lent;
  return std::nullopt;
}

} // namespace spc::sema
