#include "sema/sparsity.h"

#include "sema/fold.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace spc::sema {
namespace {

using MaybeDomain = std::optional<Domain>;

bool isEverywhere(const MaybeDomain &domain) {
  return domain && domain->kind == Domain::Kind::Everywhere;
}

bool isSame(const Domain &a, const Domain &b) {
  return a.kind == b.kind && a.operand == b.operand &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), isSame);
}

Domain joined(Domain::Kind kind, const Domain &a, const Domain &b) {
  Domain result{kind, 0, {}};
  for (const Domain *side : {&a, &b})
    for (const Domain &part : side->kind == kind ? side->parts : std::vector<Domain>{*side})
      if (std::none_of(result.parts.begin(), result.parts.end(),
                       [&](const Domain &other) { return isSame(part, other); }))
        result.parts.push_back(part);
  return result.parts.size() == 1 ? Domain(result.parts.front()) : result;
}

MaybeDomain unionOf(const MaybeDomain &a, const MaybeDomain &b) {
  if (!a || !b)
    return a ? a : b;
  return isEverywhere(a) || isEverywhere(b) ? Domain{} : joined(Domain::Kind::Any, *a, *b);
}

MaybeDomain intersectionOf(const MaybeDomain &a, const MaybeDomain &b) {
  if (!a || !b)
    return std::nullopt;
  if (isEverywhere(a) || isEverywhere(b))
    return isEverywhere(a) ? b : a;
  return joined(Domain::Kind::All, *a, *b);
}

const Sparsity kVaries{Domain{}, std::nullopt};

/// The value of an argument that settles a call's, whatever the other one is.
struct Annihilator {
  double argument, result;
};

std::optional<Annihilator> annihilatorOf(Function function) {
  switch (function) {
  case Function::And:
    return Annihilator{0, 0};
  case Function::Or:
    return Annihilator{1, 1};
  default:
    return std::nullopt;
  }
}

class SparsityFinder {
public:
  SparsityFinder(const Scope &scope, const Kernel &kernel) : scope_(scope), kernel_(kernel) {}

  Sparsity find(const Node &node) const {
    if (const auto *number = std::get_if<NumberNode>(&node.kind))
      return {std::nullopt, number->value};
    if (const auto *use = std::get_if<AccessNode>(&node.kind))
      return isSparse(use->access) ? Sparsity{Domain{Domain::Kind::Stored, use->access, {}}, 0} : kVaries;
    if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
      Sparsity result = find(*negate->operand);
      if (result.fill)
        result.fill = -*result.fill;
      return result;
    }
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
      return ofBinary(binary->op, find(*binary->left), find(*binary->right));
    if (const auto *call = std::get_if<CallNode>(&node.kind))
      return ofCall(*call);
    return kVaries;
  }

private:
  bool isSparse(AccessId access) const { return !kernel_.tensors[scope_.accesses[access].tensor].format.isDense(); }

  static Sparsity ofBinary(BinaryOp op, const Sparsity &left, const Sparsity &right) {
    switch (op) {
    case BinaryOp::Mul:
      return annihilated(Annihilator{0, 0}, left, right, [](double a, double b) { return a * b; });
    case BinaryOp::Div: // 0 / x is 0 for what is missing in a numerator, whatever x is
      if (left.fill == 0.0)
        return {left.domain, 0};
      return merged(left, right, [](double a, double b) { return a / b; });
    case BinaryOp::Add:
      return merged(left, right, [](double a, double b) { return a + b; });
    default:
      return merged(left, right, [](double a, double b) { return a - b; });
    }
  }

  using Operation = std::function<double(double, double)>;

  static Sparsity merged(const Sparsity &left, const Sparsity &right, const Operation &operation) {
    if (!left.fill || !right.fill)
      return kVaries;
    return {unionOf(left.domain, right.domain), operation(*left.fill, *right.fill)};
  }

  static Sparsity annihilated(Annihilator by, const Sparsity &left, const Sparsity &right, const Operation &operation) {
    const bool byLeft = left.fill == by.argument, byRight = right.fill == by.argument;
    if (byLeft && byRight)
      return {intersectionOf(left.domain, right.domain), by.result};
    if (byLeft || byRight)
      return {byLeft ? left.domain : right.domain, by.result};
    return merged(left, right, operation);
  }

  Sparsity ofCall(const CallNode &call) const {
    std::vector<Sparsity> arguments;
    for (const NodePtr &argument : call.arguments)
      arguments.push_back(find(*argument));
    if (call.function == Function::Select)
      return ofSelect(arguments);
    if (const std::optional<Annihilator> by = annihilatorOf(call.function))
      return annihilated(*by, truthOf(arguments[0]), truthOf(arguments[1]),
                         [&](double a, double b) { return fold(call.function, {a, b}); });
    Sparsity result{std::nullopt, 0};
    std::vector<double> fills;
    for (const Sparsity &argument : arguments) {
      if (!argument.fill)
        return kVaries;
      fills.push_back(*argument.fill);
      result.domain = unionOf(result.domain, argument.domain);
    }
    result.fill = call.function == Function::Cast ? foldCast(call.castTo, fills.front()) : fold(call.function, fills);
    return result;
  }

  static Sparsity truthOf(Sparsity value) {
    if (value.fill)
      value.fill = *value.fill != 0 ? 1 : 0;
    return value;
  }

  /// What the condition's fill chooses is seen wherever the condition is missing.
  static Sparsity ofSelect(const std::vector<Sparsity> &arguments) {
    const Sparsity &condition = arguments[0];
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
};

bool hasSparse(const Node &node, const Scope &scope, const Kernel &kernel) {
  const std::vector<AccessId> accesses = accessesOf(node);
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](AccessId id) { return !kernel.tensors[scope.accesses[id].tensor].format.isDense(); });
}

bool dividesBySparse(const Node &node, const Scope &scope, const Kernel &kernel) {
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (binary && binary->op == BinaryOp::Div && hasSparse(*binary->right, scope, kernel))
    return true;
  const std::vector<const Node *> below = children(node);
  return std::any_of(below.begin(), below.end(),
                     [&](const Node *child) { return dividesBySparse(*child, scope, kernel); });
}

} // namespace

Sparsity sparsityOf(const Node &node, const Scope &scope, const Kernel &kernel) {
  return SparsityFinder(scope, kernel).find(node);
}

bool hasDomain(const Node &term, Reduction reduction, const Scope &scope, const Kernel &kernel) {
  return hasSparse(term, scope, kernel) &&
         (reduction != Reduction::Sum || hasCalls(term) || dividesBySparse(term, scope, kernel));
}

double neutralTo(Reduction reduction) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (reduction) {
  case Reduction::Min:
    return kInfinity;
  case Reduction::Max:
    return -kInfinity;
  case Reduction::Product:
  case Reduction::All:
    return 1;
  default:
    return 0;
  }
}

Domain domainOfTerm(const Node &term, Reduction reduction, const Scope &scope, const Kernel &kernel) {
  const Sparsity sparsity = sparsityOf(term, scope, kernel);
  if (sparsity.fill != neutralTo(reduction))
    return {};
  if (sparsity.domain)
    return *sparsity.domain;
  // It is neutral everywhere: any place will do.
  const std::vector<AccessId> accesses = accessesOf(term);
  const auto isSparse = [&](AccessId id) { return !kernel.tensors[scope.accesses[id].tensor].format.isDense(); };
  return {Domain::Kind::Stored, *std::find_if(accesses.begin(), accesses.end(), isSparse), {}};
}

bool isWithin(const Domain &domain, const Domain &other) {
  const auto isPart = [&](const Domain &part) { return isWithin(domain, part); };
  if (isSame(domain, other) || other.kind == Domain::Kind::Everywhere)
    return true;
  if (other.kind == Domain::Kind::All)
    return std::all_of(other.parts.begin(), other.parts.end(), isPart);
  if (domain.kind == Domain::Kind::All)
    return std::any_of(domain.parts.begin(), domain.parts.end(),
                       [&](const Domain &part) { return isWithin(part, other); });
  return other.kind == Domain::Kind::Any && std::any_of(other.parts.begin(), other.parts.end(), isPart);
}

std::optional<int> singleOperand(const Domain &domain) {
  return domain.kind == Domain::Kind::Stored ? std::optional(domain.operand) : std::nullopt;
}

} // namespace spc::sema
