// What expressions are where entries are missing, and where they may be anything else.
#include "reference/nodes.h"

#include <cmath>
#include <limits>
#include <set>

namespace spc::reference {

namespace {

using language::Function;
using language::Reduction;
using sema::ValueType;
using Kind = Node::Kind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool isZero(const std::optional<Value> &value) {
  return value && value->number == 0.0 && value->integer == 0;
}

bool isInfinite(const std::optional<Value> &value) {
  return value && std::isinf(value->number.real());
}

/// A factor, a numerator or an addend whose missing entries settle the result.
bool settlesProduct(const Node &operand) {
  return operand.readsSparse && isZero(operand.fill);
}

/// What decides a minimum, a maximum or an absorbing sum in a type, whatever the other arguments are.
std::optional<Value> absorbingIn(Function function, ValueType type) {
  switch (function) {
  case Function::Max:
  case Function::MaxNumber:
  case Function::MinPlus:
    return numberIn(type, kInfinity);
  case Function::Min: // that of unsigned numbers and of bools is 0
  case Function::MinNumber:
  case Function::MaxPlus:
    return numberIn(type, type == ValueType::Bool ? 0 : -kInfinity);
  case Function::Divide:
  case Function::ShiftLeft:
  case Function::ShiftRight:
  case Function::BitAnd:
    return numberIn(type, 0);
  default:
    return std::nullopt;
  }
}

bool hasFill(const Node &operand, const Value &value) {
  return operand.fill && isSame(*operand.fill, value, operand.type);
}

/// Whether an argument may decide the value: of what is divided or shifted the first one alone.
bool mayAbsorb(Function function, size_t argument) {
  return argument == 0 || function < Function::Divide || function > Function::ShiftRight;
}

/// What an argument's fill makes of a minimum, a maximum or an absorbing sum, whatever the others are.
std::optional<Value> settledBy(const Node &call) {
  const std::optional<Value> absorbing = absorbingIn(call.function, call.type);
  if (absorbing)
    for (size_t k = 0; k < call.operands.size(); ++k)
      if (mayAbsorb(call.function, k) && hasFill(*call.operands[k], *absorbing))
        return absorbing;
  return std::nullopt;
}

/// The truth of a fill; nullopt where there is none.
std::optional<bool> truthOfFill(const Node &operand) {
  return operand.fill ? std::optional(truthOf(*operand.fill).integer != 0) : std::nullopt;
}

/// Where not all arguments have a fill.
std::optional<Value> fillOfSome(const Node &call) {
  const auto fill = [&](size_t k) { return call.operands[k]->fill; };
  const Function function = call.function;
  if (function == Function::And || function == Function::Or) {
    const bool deciding = function == Function::Or;
    if (truthOfFill(*call.operands[0]) == deciding || truthOfFill(*call.operands[1]) == deciding)
      return wrapped(ValueType::Bool, deciding, true);
    return std::nullopt;
  }
  if (function == Function::Select) {
    if (fill(0) && !isIndexMask(*call.operands[0]))
      return *truthOfFill(*call.operands[0]) ? fill(1) : fill(2);
    return fill(1) && fill(2) && isSame(*fill(1), *fill(2), call.type) ? fill(1) : std::nullopt;
  }
  return settledBy(call);
}

std::optional<Value> fillOfCall(const Node &call) {
  if (call.function == Function::Pattern)
    return call.readsSparse ? std::optional(wrapped(ValueType::Bool, 0, true)) : std::nullopt;
  if (isComplement(call)) // where there is an entry, that is
    return wrapped(ValueType::Bool, 0, true);
  if (isIndexMask(call))
    return wrapped(ValueType::Bool, 0, true);
  if (call.function == Function::Where)
    return readsFill(*call.operands[1]) && call.operands[1]->fill ? call.operands[1]->fill : numberIn(call.type, 0);
  std::vector<Value> fills;
  std::vector<ValueType> types;
  for (const NodePtr &operand : call.operands)
    if (operand->fill) {
      fills.push_back(*operand->fill);
      types.push_back(operand->type);
    }
  if (call.function == Function::Complex && fills.size() == 2 && fills[1].number != 0.0) // which no fill is
    return std::nullopt;
  const bool isChoice = call.function == Function::Select && isIndexMask(*call.operands[0]);
  return fills.size() == call.operands.size() && !isChoice ? callOf(call.function, fills, types, call.type)
                                                           : fillOfSome(call);
}

std::optional<Value> fillOfProduct(const Node &product) {
  std::optional<Value> fill = numberIn(product.type, 1);
  for (const NodePtr &operand : product.operands) {
    if (isZero(operand->fill))
      return operand->fill;
    fill = fill && operand->fill ? std::optional(productOf(*fill, *operand->fill, product.type)) : std::nullopt;
  }
  return fill;
}

std::optional<Value> fillOfSum(const Node &sum) {
  Adder total(sum.type);
  std::optional<Value> infinite;
  bool isWhole = true;
  for (size_t k = 0; k < sum.operands.size(); ++k) {
    const std::optional<Value> &fill = sum.operands[k]->fill;
    isWhole = isWhole && fill;
    if (fill)
      total.add(*fill, sum.isSubtracted[k]);
    if (isInfinite(fill) && !isExact(sum.type))
      infinite = sum.isSubtracted[k] ? negated(*fill, sum.type) : *fill;
  }
  const Value value = total.total(epsilonOf(sum.type));
  if (infinite) // of two that differ nothing is known
    return std::isnan(value.number.real()) ? std::nullopt : infinite;
  return isWhole ? std::optional(value) : std::nullopt;
}

std::optional<Value> fillOf(const Node &node, bool isCalled) {
  const auto fill = [&](size_t k) { return node.operands[k]->fill; };
  switch (node.kind) {
  case Kind::Literal:
    return numberIn(node.type, node.literal);
  case Kind::Access: // at other indices than plain ones it is the sum of what is there
    if (isCalled && !isPlain(node))
      return std::nullopt;
    return node.readsSparse ? std::optional(converted(node.tensor->missing(), node.tensor->type(), node.type))
                            : std::nullopt;
  case Kind::Index:
    return std::nullopt;
  case Kind::Convert:
  case Kind::Cast:
    return fill(0) ? std::optional(castTo(*fill(0), node.operands[0]->type, node.type)) : std::nullopt;
  case Kind::Negate:
    return fill(0) ? std::optional(negated(*fill(0), node.type)) : std::nullopt;
  case Kind::Sum:
    return fillOfSum(node);
  case Kind::Product:
    return fillOfProduct(node);
  case Kind::Divide:
    if (isZero(fill(0)))
      return fill(0);
    return fill(0) && fill(1) ? std::optional(quotientOf(*fill(0), *fill(1), node.type)) : std::nullopt;
  case Kind::Call:
    return fillOfCall(node);
  case Kind::Reduce: {
    const bool isSum = node.reduction == Reduction::Sum || node.reduction == Reduction::Mean;
    const bool isNone = isSum ? isZero(fill(0)) : node.reduction == Reduction::Count && node.readsSparse;
    return isNone && !isCalled ? std::optional(numberIn(node.type, 0)) : std::nullopt;
  }
  }
  return std::nullopt;
}

int sumsIn(const Node &node) {
  switch (node.kind) {
  case Kind::Sum: // of dense operands it is computed first, as any number is
    return node.readsSparse ? 1 : 0;
  case Kind::Reduce:
    return node.reduction == Reduction::Sum || node.reduction == Reduction::Mean ? 1 : 0;
  case Kind::Negate:
  case Kind::Divide:
    return node.operands.front()->sums;
  case Kind::Product: {
    int sums = 0;
    for (const NodePtr &operand : node.operands)
      sums += operand->sums;
    return sums;
  }
  default:
    return 0;
  }
}

/// Whether a call may differ from its fill, some of its arguments being what missing entries make of them.
bool mayDiffer(const Node &call, const std::vector<Value> &arguments) {
  const auto differs = [&](size_t k) { return !arguments[k].isMissing; };
  const Function function = call.function;
  if (function == Function::And || function == Function::Or) {
    const auto settles = [&](size_t k) { return truthOfFill(*call.operands[k]) == (function == Function::Or); };
    if (settles(0) && settles(1))
      return differs(0) && differs(1);
    if (settles(0) || settles(1))
      return differs(settles(0) ? 0 : 1);
  }
  if (function == Function::Select && isComplement(*call.operands[0]) && !call.operands[2]->readsSparse &&
      call.operands[2]->fill && hasFill(*call.operands[1], *call.operands[2]->fill))
    return differs(0) && differs(1);
  if (function == Function::Select) {
    const std::optional<bool> condition =
        isIndexMask(*call.operands[0]) ? std::nullopt : truthOfFill(*call.operands[0]);
    return condition ? differs(0) || differs(*condition ? 1 : 2) : differs(1) || differs(2);
  }
  const std::optional<Value> settled = settledBy(call);
  bool isAny = false, isAll = true;
  for (size_t k = 0; k < arguments.size(); ++k) {
    isAny = isAny || differs(k);
    isAll = isAll && (differs(k) || !(settled && mayAbsorb(function, k) && hasFill(*call.operands[k], *settled)));
  }
  return settled ? isAll : isAny;
}

} // namespace

bool isNothing(const Value &value) {
  return value.isMissing && value.number == 0.0 && value.integer == 0;
}

bool readsFill(const Node &node) {
  const auto reads = [](const NodePtr &operand) { return readsFill(*operand); };
  if (node.kind == Kind::Access)
    return node.readsSparse && node.tensor->fillValue() != 0;
  return !(node.kind == Kind::Call && node.function == Function::Pattern) &&
         std::any_of(node.operands.begin(), node.operands.end(), reads);
}

bool isComplement(const Node &node) {
  if (node.kind != Kind::Call || node.function != Function::Not)
    return false;
  const Node &mask = *node.operands.front();
  return mask.kind == Kind::Call && mask.function == Function::Pattern && mask.readsSparse;
}

/// Whether a value is made of index variables and numbers.
static bool isOfIndices(const Node &node, bool &hasIndex) {
  hasIndex |= node.kind == Kind::Index;
  if (node.kind == Kind::Access || node.kind == Kind::Reduce || node.kind == Kind::Call)
    return false;
  return std::all_of(node.operands.begin(), node.operands.end(),
                     [&](const NodePtr &operand) { return isOfIndices(*operand, hasIndex); });
}

static bool comparesIndices(const Node &comparison) {
  const auto isSide = [&](size_t k) {
    bool hasIndex = false;
    return isOfIndices(*comparison.operands[k], hasIndex) && hasIndex && !comparison.operands[1 - k]->readsSparse;
  };
  return isSide(0) || isSide(1);
}

bool isIndexMask(const Node &node) {
  if (node.kind != Kind::Call)
    return false;
  if (language::isComparison(node.function))
    return comparesIndices(node);
  const bool joins = node.function == Function::And || node.function == Function::Or ||
                     node.function == Function::Xor || node.function == Function::Not;
  const auto isMask = [](const NodePtr &operand) { return isIndexMask(*operand); };
  const auto isEither = [&](const NodePtr &operand) {
    return isMask(operand) || (operand->kind == Kind::Call && operand->function == Function::Pattern);
  };
  return joins && std::any_of(node.operands.begin(), node.operands.end(), isMask) &&
         std::all_of(node.operands.begin(), node.operands.end(), isEither);
}

bool isPlain(const Node &access) {
  std::set<VariableId> seen;
  return std::all_of(access.indices.begin(), access.indices.end(), [&](const IndexSum &index) {
    return index.terms.size() == 1 && index.terms.front().scale == 1 && index.constant == 0 &&
           seen.insert(index.terms.front().variable).second;
  });
}

bool isSame(const Value &a, const Value &b, ValueType type) {
  return isExact(type) ? a.integer == b.integer : a.number == b.number;
}

void settle(Node &node, bool isOneTerm, bool isNumber, bool isCalled) {
  node.isOneTerm = isOneTerm;
  node.isNumber = isNumber;
  const bool isReduce = node.kind == Kind::Reduce, isCall = node.kind == Kind::Call || node.kind == Kind::Cast;
  const bool isSum = isReduce && (node.reduction == Reduction::Sum || node.reduction == Reduction::Mean);
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const bool isDivisor = node.kind == Kind::Divide && k == 1;
    const bool isArgument = isCall && !(node.function == Function::Where && k == 1);
    settle(*node.operands[k], isReduce ? !isSum : isOneTerm || isArgument,
           isReduce ? !isSum : isNumber || isArgument || isDivisor, isCalled || isArgument);
  }
  node.readsSparse =
      node.kind == Kind::Access && node.tensor->isSparse() && (isPlain(node) || node.tensor->fillValue() == 0);
  for (const NodePtr &operand : node.operands)
    node.readsSparse = node.readsSparse || operand->readsSparse;
  node.readsSparse = node.readsSparse || isIndexMask(node) || (isCall && node.function == Function::Where);
  node.sums = sumsIn(node);
  node.fill = fillOf(node, isCalled);
}

bool isMissing(const Node &node, const std::vector<Value> &operands) {
  const auto all = [&](auto holds) { return std::all_of(operands.begin(), operands.end(), holds); };
  const auto isGone = [](const Value &value) { return value.isMissing; };
  if (node.kind != Kind::Call && !node.isOneTerm) {
    if (node.kind == Kind::Divide)
      return isNothing(operands.front());
    return node.kind == Kind::Sum ? all(isNothing) : std::any_of(operands.begin(), operands.end(), isNothing);
  }
  if (!node.fill || !node.readsSparse)
    return node.fill && all(isGone);
  if (node.kind == Kind::Call)
    return !mayDiffer(node, operands);
  bool isSettled = false, hasSettling = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Node &operand = *node.operands[k];
    const bool settles = node.kind == Kind::Sum ? isInfinite(operand.fill) && !isExact(node.type)
                                                : settlesProduct(operand) && !(node.kind == Kind::Divide && k == 1);
    hasSettling = hasSettling || settles;
    isSettled = isSettled || (settles && operands[k].isMissing);
  }
  return hasSettling ? isSettled : all(isGone);
}

} // namespace spc::reference
