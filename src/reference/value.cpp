#include "reference/ranks.h"

#include <cmath>
#include <limits>
#include <utility>

namespace spc::reference {

namespace {

using language::Function;
using language::Reduction;
using sema::ValueType;
using Kind = Node::Kind;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// A value where a condition holds, and missing elsewhere.
Value entryWhere(const Node &node, Variables &variables, Evaluation &evaluation) {
  const Node &condition = *node.operands[0], &own = *node.operands[1];
  const double around = std::exchange(evaluation.sumEpsilon, 0);
  const Value holds = valueOf(condition, variables, evaluation);
  evaluation.sumEpsilon = around;
  const Value value = valueOf(own, variables, evaluation);
  Value result =
      callOf(Function::Select, {holds, value, *node.fill}, {condition.type, node.type, node.type}, node.type);
  const bool isFill = own.fill && own.fill->number == node.fill->number && own.fill->integer == node.fill->integer;
  result.isMissing = truthOf(holds).integer == 0 || (value.isMissing && isFill);
  return result;
}

Value call(const Node &node, Variables &variables, Evaluation &evaluation) {
  const bool isMask = node.function == Function::Pattern;
  if (isMask || isComplement(node)) {
    const Node &access = isMask ? *node.operands.front() : *node.operands.front()->operands.front();
    const bool isTrue = access.tensor->isStored(placeOf(access, variables)) == isMask;
    Value result = wrapped(ValueType::Bool, isTrue, true);
    result.isMissing = !isTrue;
    return result;
  }
  if (node.function == Function::Where)
    return entryWhere(node, variables, evaluation);
  std::vector<Value> values;
  std::vector<ValueType> types;
  const double around = std::exchange(evaluation.sumEpsilon, 0);
  for (const NodePtr &operand : node.operands) {
    values.push_back(valueOf(*operand, variables, evaluation));
    types.push_back(operand->type);
  }
  evaluation.sumEpsilon = around;
  if (isIndexMask(node)) {
    Value result = callOf(node.function, values, types, node.type);
    result.isMissing = result.integer == 0;
    return result;
  }
  const bool isGone = isMissing(node, values);
  Value result = isGone ? *node.fill : callOf(node.function, values, types, node.type);
  result.isMissing = isGone;
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
        candidates_.empty() || callOf(before, {value, best_}, {type_, type_}, ValueType::Bool).integer != 0;
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
      : node_(node), variables_(variables), evaluation_(evaluation), sum_(node.type),
        extreme_(node.reduction == Reduction::ArgMax, node.operands.front()->type) {}

  Value run() {
    const ValueType type = node_.type;
    if (node_.rank)
      return ranked();
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
    switch (node_.reduction) {
    case Reduction::ArgMin:
    case Reduction::ArgMax:
      return extreme_.result(type);
    case Reduction::Sum:
    case Reduction::Mean:
      return sum();
    case Reduction::Count:
      result_.isMissing = result_.integer == 0;
      return result_;
    default:
      return result_;
    }
  }

private:
  /// The value or the place at a rank. Rows are ranked once.
  Value ranked() {
    std::vector<int64_t> row;
    for (const VariableId id : variables_.ids())
      row.push_back(id == *node_.rank || std::count(node_.variables.begin(), node_.variables.end(), id) > 0
                        ? 0
                        : variables_[id].at);
    if (!node_.ranks || !node_.ranks->isOf(row)) {
      visit(0);
      node_.ranks = std::make_shared<const Ranks>(std::move(taken_), std::move(row), node_.reduction,
                                                  node_.operands.front()->type);
    }
    const int64_t rank = variables_[*node_.rank].at;
    return language::ranksPlaces(node_.reduction) ? node_.ranks->place(rank, node_.type) : node_.ranks->value(rank);
  }

  /// Of nothing but what is missing a sum is missing, too, but for one that is a number as any other.
  Value sum() const {
    if (sum_.count() == 0 || count_ == 0) {
      Value none = numberIn(node_.type, 0);
      none.isMissing = !node_.isNumber && (node_.fill || count_ == 0);
      return none;
    }
    const Value value = sum_.total(std::max(epsilonOf(node_.type), evaluation_.sumEpsilon));
    return node_.reduction == Reduction::Mean ? quotientOf(value, numberIn(node_.type, count_), node_.type) : value;
  }

  void visit(size_t depth) {
    if (depth == node_.variables.size()) {
      evaluation_.visit();
      ++count_;
      take();
      return;
    }
    Variable &variable = variables_[node_.variables[depth]];
    for (variable.at = 0; variable.at < variable.extent; ++variable.at)
      visit(depth + 1);
  }

  /// Where the variables are, the last one running fastest.
  int64_t linearPlace() const {
    int64_t place = 0;
    for (const sema::VariableId id : node_.variables)
      place = place * variables_[id].extent + variables_[id].at;
    return place;
  }

  void take() {
    const Node &body = *node_.operands.front();
    if (node_.reduction == Reduction::Count) {
      if (body.tensor->isStored(placeOf(body, variables_)))
        result_ = numberIn(ValueType::I64, result_.number.real() + 1);
      return;
    }
    const Value next = valueOf(body, variables_, evaluation_);
    if (node_.rank)
      return taken_.push_back(next);
    switch (node_.reduction) {
    case Reduction::Product:
      result_ = productOf(result_, next, node_.type);
      return;
    case Reduction::Min:
    case Reduction::Max:
      result_ = betterOf(result_, next, node_.type, node_.reduction == Reduction::Max);
      return;
    case Reduction::Any:
    case Reduction::All:
      result_ = callOf(node_.reduction == Reduction::Any ? Function::Or : Function::And, {result_, next},
                       {ValueType::Bool, body.type}, ValueType::Bool);
      return;
    case Reduction::ArgMin:
    case Reduction::ArgMax:
      return extreme_.take(linearPlace(), next);
    default:
      if (!isNothing(next))
        sum_.add(next);
    }
  }

  const Node &node_;
  Variables &variables_;
  Evaluation &evaluation_;
  double count_ = 0;
  Value result_;
  Adder sum_;
  Extreme extreme_;
  std::vector<Value> taken_; ///< by a ranking
};

Value literalOf(const Node &node) {
  Value value = numberIn(node.type, node.literal);
  if (!isExact(node.type) && elementOf(node.type, {node.literal}).number != value.number)
    value.error = epsilonOf(node.type) * value.magnitude;
  value.isMissing = node.isOneTerm;
  return value;
}

} // namespace

Value betterOf(const Value &a, const Value &b, ValueType type, bool isGreater) {
  if (isExact(type))
    return callOf(isGreater ? Function::Max : Function::Min, {a, b}, {type, type}, type);
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

/// A sum as the number that it is.
static Value asOne(Value sum) {
  sum.magnitude = std::abs(sum.number) + sum.error;
  sum.addends = 1;
  return sum;
}

/// The factors multiplied. Of several sums, or where `isWritten` says that there are more around, none is multiplied
/// out: what they are then takes part, not what they are sums of.
static Value multiplied(const Node &node, std::vector<Value> factors, bool isWritten) {
  Value product = numberIn(node.type, 1);
  for (size_t k = 0; k < factors.size(); ++k) {
    if ((isWritten || node.sums > 1) && node.operands[k]->sums > 0)
      factors[k] = asOne(factors[k]);
    product = k == 0 ? factors[k] : productOf(product, factors[k], node.type);
  }
  product.isMissing = false;
  return product;
}

static Value added(const Node &node, const std::vector<Value> &addends) {
  Adder total(node.type);
  for (size_t k = 0; k < addends.size(); ++k)
    if (node.isOneTerm || !isNothing(addends[k]))
      total.add(addends[k], node.isSubtracted[k]);
  const Value sum = total.total(epsilonOf(node.type));
  return node.readsSparse ? sum : asOne(sum);
}

static Value chain(const Node &node, Variables &variables, Evaluation &evaluation, bool isWritten) {
  const bool isProduct = node.kind == Kind::Product;
  std::vector<Value> values;
  values.reserve(node.operands.size());
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const bool isFactor = isProduct || (node.kind == Kind::Divide && k == 0);
    values.push_back(valueOf(*node.operands[k], variables, evaluation, isFactor && (isWritten || node.sums > 1)));
  }
  if (node.kind != Kind::Sum)
    refusePadding(node, values, variables, evaluation);
  if (isMissing(node, values)) {
    Value missing = node.isOneTerm && node.fill ? *node.fill : numberIn(node.type, 0);
    missing.isMissing = true;
    return missing;
  }
  if (node.kind == Kind::Sum)
    return added(node, values);
  if (isProduct)
    return multiplied(node, std::move(values), isWritten);
  return quotientOf(isWritten && node.sums > 0 ? asOne(values[0]) : values[0], values[1], node.type);
}

static Value read(const Node &node, const Variables &variables) {
  const Tensor &tensor = *node.tensor;
  if (node.joined)
    return converted(*node.joined, tensor.type(), node.type);
  const int64_t place = placeOf(node, variables);
  Value value = converted(tensor.at(place), tensor.type(), node.type);
  value.isMissing = node.readsSparse && !tensor.isStored(place) && (!node.isNumber || isPlain(node));
  return value;
}

Value valueOf(const Node &node, Variables &variables, Evaluation &evaluation, bool isWritten) {
  const auto operand = [&] { return valueOf(*node.operands.front(), variables, evaluation, isWritten); };
  switch (node.kind) {
  case Kind::Literal:
    return literalOf(node);
  case Kind::Access:
    return read(node, variables);
  case Kind::Index:
    return numberIn(node.type, static_cast<double>(variables[node.variables.front()].at));
  case Kind::Convert:
    return converted(operand(), node.operands.front()->type, node.type);
  case Kind::Cast:
    return castTo(operand(), node.operands.front()->type, node.type);
  case Kind::Negate:
    return negated(operand(), node.type);
  case Kind::Sum:
  case Kind::Product:
  case Kind::Divide:
    return chain(node, variables, evaluation, isWritten);
  case Kind::Call:
    return call(node, variables, evaluation);
  case Kind::Reduce:
    return Reducer(node, variables, evaluation).run();
  }
  return {};
}

} // namespace spc::reference
