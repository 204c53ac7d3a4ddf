#include "reference/nodes.h"

#include <cmath>
#include <limits>

namespace spc::reference {

namespace {

using sema::ValueType;
using syntax::Function;
using syntax::Reduction;
using Kind = Node::Kind;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

Value call(const Node &node, Variables &variables, Evaluation &evaluation) {
  const Function function = node.call->function;
  if (function == Function::Pattern) {
    const Node &access = *node.operands.front();
    const bool isStored = access.tensor->isStored(placeOf(access, variables));
    Value result = wrapped(ValueType::Bool, isStored, true);
    result.isMissing = !isStored;
    return result;
  }
  std::vector<Value> values;
  std::vector<ValueType> types;
  for (const NodePtr &operand : node.operands) {
    values.push_back(valueOf(*operand, variables, evaluation));
    types.push_back(operand->type);
  }
  Value result = callOf(function, values, types, node.type, evaluation.epsilon);
  const Node &first = *node.operands.front();
  if (function == Function::Not && first.kind == Kind::Call && first.call->function == Function::Pattern)
    result.isMissing = result.integer == 0;
  return result;
}

/// The place of the first value that is least, of floats every place that rounding may make that one.
class Extreme {
public:
  Extreme(bool isGreatest, ValueType type) : isGreatest_(isGreatest), type_(type) {}

  void take(int64_t place, const Value &value) {
    if (isExact(type_))
      return takeExact(place, value);
    const double number = isGreatest_ ? -value.number.real() : value.number.real();
    if (std::isnan(number)) {
      if (!hasNaN_)
        candidates_ = {{place, 0, 0}};
      hasNaN_ = true;
      return;
    }
    const bool mayOverflow = !std::isinf(number) && !(std::abs(number) + value.error < largestOf(type_));
    isCertain_ = isCertain_ && !mayOverflow;
    const double least = number - value.error, most = number + value.error;
    if (hasNaN_ || (!candidates_.empty() && least > bound_) || isTie(least, most))
      return;
    if (candidates_.empty() || most < bound_)
      bound_ = most;
    std::erase_if(candidates_, [&](const Candidate &other) { return other.least > bound_; });
    candidates_.push_back({place, least, most});
  }

  /// In a type; its infinity where there was no value.
  Value result(ValueType type) const {
    if (!isCertain_ || candidates_.size() > kMostCandidates)
      return converted(wrapped(ValueType::I64, 0, false), ValueType::I64, type);
    if (candidates_.empty())
      return numberIn(type, kUnbounded);
    Value value = wrapped(ValueType::I64, static_cast<uint64_t>(candidates_.front().place), true);
    std::vector<int64_t> others;
    for (size_t k = 1; k < candidates_.size(); ++k)
      others.push_back(candidates_[k].place);
    if (!others.empty())
      value.alternatives = std::make_shared<const std::vector<int64_t>>(std::move(others));
    return converted(value, ValueType::I64, type);
  }

private:
  struct Candidate {
    int64_t place;
    double least, most;
  };
  static constexpr size_t kMostCandidates = 64;

  /// Exactly as large as an earlier candidate, which is first.
  bool isTie(double least, double most) const {
    return least == most && std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate &other) {
             return other.least == least && other.most == most;
           });
  }

  void takeExact(int64_t place, const Value &value) {
    isCertain_ = isCertain_ && value.error == 0 && !value.alternatives;
    const Function before = isGreatest_ ? Function::Greater : Function::Less;
    const bool isBetter =
        candidates_.empty() || callOf(before, {value, best_}, {type_, type_}, ValueType::Bool, 0).integer != 0;
    if (!isBetter)
      return;
    best_ = value;
    candidates_ = {{place, 0, 0}};
  }

  const bool isGreatest_;
  const ValueType type_;
  std::vector<Candidate> candidates_;
  double bound_ = 0; ///< the least value is no greater
  Value best_;
  bool hasNaN_ = false;
  bool isCertain_ = true;
};

class Reducer {
public:
  Reducer(const Node &node, Variables &variables, Evaluation &evaluation)
      : node_(node), variables_(variables), evaluation_(evaluation),
        extreme_(node.reduction == Reduction::ArgMax, node.operands.front()->type) {}

  Value run() {
    const ValueType type = node_.type;
    switch (node_.reduction) {
    case Reduction::Product:
    case Reduction::All:
      result_ = numberIn(type, 1);
      break;
    case Reduction::Min:
      result_ = numberIn(type, kUnbounded);
      break;
    case Reduction::Max:
      result_ = numberIn(type, type == ValueType::Bool ? 0 : -kUnbounded);
      break;
    default:
      result_ = numberIn(type, 0);
    }
    visit(0);
    if (node_.reduction == Reduction::ArgMin || node_.reduction == Reduction::ArgMax)
      return extreme_.result(type);
    if (!isExact(type) && (node_.reduction == Reduction::Sum || node_.reduction == Reduction::Mean))
      result_.error += evaluation_.epsilon * count_ * result_.magnitude;
    if (node_.reduction == Reduction::Mean)
      return count_ == 0 ? result_ : quotientOf(result_, numberIn(type, count_), evaluation_.epsilon);
    return result_;
  }

private:
  void visit(size_t depth) {
    if (depth == node_.variables.size()) {
      evaluation_.visit();
      ++count_;
      take();
      return;
    }
    Variable &variable = variables_[node_.variables[depth]];
    if (variable.extent < 0)
      throw Unsupported("know how far '" + variable.name + "' runs");
    for (variable.at = 0; variable.at < variable.extent; ++variable.at)
      visit(depth + 1);
  }

  void take() {
    const Node &body = *node_.operands.front();
    if (node_.reduction == Reduction::Count) {
      if (body.tensor->isStored(placeOf(body, variables_)))
        result_ = sumOf(result_, numberIn(ValueType::I64, 1), ValueType::I64, 0);
      return;
    }
    Value next = valueOf(body, variables_, evaluation_);
    switch (node_.reduction) {
    case Reduction::Product:
      next.isMissing = false;
      result_ = productOf(result_, next, node_.type, evaluation_.epsilon);
      return;
    case Reduction::Min:
    case Reduction::Max:
      result_ = betterOf(result_, next, node_.type, node_.reduction == Reduction::Max);
      return;
    case Reduction::Any:
    case Reduction::All:
      result_ = callOf(node_.reduction == Reduction::Any ? Function::Or : Function::And, {result_, next},
                       {ValueType::Bool, body.type}, ValueType::Bool, 0);
      return;
    case Reduction::ArgMin:
    case Reduction::ArgMax:
      return extreme_.take(variables_[node_.variables.front()].at, next);
    default:
      result_ = sumOf(result_, next, node_.type, 0);
    }
  }

  const Node &node_;
  Variables &variables_;
  Evaluation &evaluation_;
  double count_ = 0;
  Value result_;
  Extreme extreme_;
};

Value literalOf(const Node &node, double epsilon) {
  Value value = numberIn(node.type, node.literal);
  const bool isRounded = static_cast<double>(static_cast<float>(node.literal)) != node.literal;
  if (!isExact(node.type) && isRounded)
    value.error = epsilon * value.magnitude;
  return value;
}

} // namespace

Value betterOf(const Value &a, const Value &b, ValueType type, bool isGreater) {
  if (isExact(type))
    return callOf(isGreater ? Function::Max : Function::Min, {a, b}, {type, type}, type, 0);
  const double x = a.number.real(), y = b.number.real();
  const bool isBetter = std::isnan(y) || (!std::isnan(x) && (isGreater ? y > x : y < x));
  Value result = isBetter ? b : a;
  result.isMissing = false;
  result.error = std::max(a.error, b.error);
  return result;
}

int64_t placeOf(const Node &access, const Variables &variables) {
  int64_t place = 0;
  for (size_t dim = 0; dim < access.indices.size(); ++dim) {
    const IndexSum &index = access.indices[dim];
    int64_t at = index.constant;
    for (const auto &[variable, scale] : index.terms)
      at += scale * variables[variable].at;
    if (at < 0 || at >= access.tensor->shape()[dim])
      throw Unsupported("read outside of tensors");
    place = place * access.tensor->shape()[dim] + at;
  }
  return place;
}

/// Whether an integer or a bool is one number.
static bool isCertain(const Value &value) {
  return value.error == 0 && !value.alternatives;
}

Value sumOf(const Value &a, const Value &b, ValueType type, double epsilon, bool subtracts) {
  Value sum;
  if (isExact(type)) {
    const auto left = static_cast<uint64_t>(a.integer), right = static_cast<uint64_t>(b.integer);
    sum = wrapped(type, subtracts ? left - right : left + right, isCertain(a) && isCertain(b));
    sum.isMissing = a.isMissing && b.isMissing;
    return sum;
  }
  sum.number = subtracts ? a.number - b.number : a.number + b.number;
  sum.magnitude = a.magnitude + b.magnitude;
  sum.error = a.error + b.error + epsilon * sum.magnitude;
  sum.isMissing = a.isMissing && b.isMissing;
  return sum;
}

Value productOf(const Value &a, const Value &b, ValueType type, double epsilon) {
  Value product;
  product.isMissing = a.isMissing || b.isMissing;
  if (product.isMissing)
    return product;
  if (isExact(type)) {
    const bool isZero = (a.integer == 0 && isCertain(a)) || (b.integer == 0 && isCertain(b));
    return wrapped(type, static_cast<uint64_t>(a.integer) * static_cast<uint64_t>(b.integer),
                   isZero || (isCertain(a) && isCertain(b)));
  }
  const bool isReal = a.number.imag() == 0 && b.number.imag() == 0;
  product.number = isReal ? a.number.real() * b.number.real() : a.number * b.number;
  product.magnitude = a.magnitude * b.magnitude;
  product.error = a.magnitude * b.error + b.magnitude * a.error + a.error * b.error + epsilon * product.magnitude;
  return product;
}

Value quotientOf(const Value &a, const Value &b, double epsilon) {
  Value quotient;
  quotient.isMissing = a.isMissing;
  if (quotient.isMissing)
    return quotient;
  const bool isReal = a.number.imag() == 0 && b.number.imag() == 0;
  const double divisor = std::abs(b.number);
  quotient.number = isReal ? a.number.real() / b.number.real() : a.number / b.number;
  quotient.magnitude = a.magnitude / divisor;
  quotient.error = divisor > b.error
                       ? (a.error + quotient.magnitude * b.error) / (divisor - b.error) + epsilon * quotient.magnitude
                       : kUnbounded;
  return quotient;
}

Value valueOf(const Node &node, Variables &variables, Evaluation &evaluation) {
  const auto operand = [&](size_t k) { return valueOf(*node.operands[k], variables, evaluation); };
  switch (node.kind) {
  case Kind::Literal:
    return literalOf(node, evaluation.epsilon);
  case Kind::Access:
    return converted(node.tensor->at(placeOf(node, variables)), node.tensor->type(), node.type);
  case Kind::Index:
    return numberIn(node.type, static_cast<double>(variables[node.variables.front()].at));
  case Kind::Convert:
    return converted(operand(0), node.operands.front()->type, node.type);
  case Kind::Negate:
    return negated(operand(0), node.type);
  case Kind::Add:
    return sumOf(operand(0), operand(1), node.type, evaluation.epsilon);
  case Kind::Subtract:
    return sumOf(operand(0), operand(1), node.type, evaluation.epsilon, true);
  case Kind::Multiply:
    return productOf(operand(0), operand(1), node.type, evaluation.epsilon);
  case Kind::Divide:
    return quotientOf(operand(0), operand(1), evaluation.epsilon);
  case Kind::Call:
    return call(node, variables, evaluation);
  case Kind::Reduce:
    return Reducer(node, variables, evaluation).run();
  }
  return {};
}

} // namespace spc::reference
