#include "support/dense_evaluator.h"

#include "support/dense_nodes.h"
#include "support/function_values.h"
#include "support/number_types.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace spc::testing {
namespace {

using namespace evaluator;
using Element = std::complex<double>;

/// A value, or nothing where an entry is missing.
struct Value {
  Element value = 0;
  double magnitude = 0; ///< the same expression over absolute values, every difference read as a sum
  double error = 0;
  bool present = false; ///< it counts in sums and products
  bool stored = false;  ///< it may differ from what missing entries give
  double additions = 1; ///< how many products it is the sum of, once everything is multiplied out
};

bool isReal(const Element &a, const Element &b) {
  return a.imag() == 0 && b.imag() == 0;
}

/// An infinity times a real number makes no imaginary part.
Element productOf(const Element &a, const Element &b) {
  return isReal(a, b) ? Element(a.real() * b.real()) : a * b;
}

Element quotientOf(const Element &a, const Element &b) {
  return isReal(a, b) ? Element(a.real() / b.real()) : a / b;
}

bool isFinite(const Element &value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// Visits every point of the variables' ranges.
template <typename Visit>
void forEachPoint(std::vector<Variable> &variables, const std::vector<int> &loops, Visit visit, size_t depth = 0) {
  if (depth == loops.size())
    return visit();
  Variable &variable = variables[static_cast<size_t>(loops[depth])];
  if (variable.extent < 0)
    throw std::runtime_error("an index variable has no extent");
  for (variable.at = 0; variable.at < variable.extent; ++variable.at)
    forEachPoint(variables, loops, visit, depth + 1);
}

/// Adds up values, the missing ones left out.
class Accumulator {
public:
  void add(const Value &value, bool isNegated = false) {
    if (!value.present)
      return;
    total_.present = true;
    total_.stored |= value.stored;
    total_.value += isNegated ? -value.value : value.value;
    total_.magnitude += value.magnitude;
    total_.error += value.error;
    count_ += value.additions;
  }

  Value total(double epsilon) const {
    Value result = total_;
    result.error += epsilon * count_ * result.magnitude;
    result.additions = std::max(1.0, count_);
    return result;
  }

private:
  Value total_;
  double count_ = 0;
};

class StatementEvaluator {
public:
  StatementEvaluator(std::vector<Variable> &variables, sema::ValueType type)
      : variables_(variables), type_(type), epsilon_(epsilonOf(type)) {}

  Value sum(const Node &body, const std::vector<int> &loops) {
    Accumulator total;
    forEachPoint(variables_, loops, [&] { total.add(evaluate(body)); });
    return total.total(epsilon_);
  }

  int64_t offset(const std::vector<int64_t> &shape, const std::vector<int> &indices) const {
    int64_t offset = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      offset = offset * shape[dim] + variables_[static_cast<size_t>(indices[dim])].at;
    return offset;
  }

private:
  Value evaluate(const Node &node) {
    Value value = compute(node);
    if (!node.hasCalls)
      return value;
    // What no one number stands for may be anything anywhere; where that number is not 0, it counts.
    value.stored |= !node.fill;
    value.present |= node.fill.value_or(1) != 0;
    return value;
  }

  Value compute(const Node &node) {
    switch (node.kind) {
    case NodeKind::Literal:
      return {node.literal, std::abs(node.literal), epsilon_ * std::abs(node.literal), true};
    case NodeKind::Index: {
      const auto at = static_cast<double>(variables_[static_cast<size_t>(node.variables.front())].at);
      return {at, at, 0, true, true};
    }
    case NodeKind::Call:
      return call(node);
    case NodeKind::Access:
      return read(node);
    case NodeKind::Negate: {
      Value value = evaluate(*node.left);
      value.value = -value.value;
      return value;
    }
    case NodeKind::Add:
    case NodeKind::Subtract: {
      Accumulator total;
      total.add(evaluate(*node.left));
      total.add(evaluate(*node.right), node.kind == NodeKind::Subtract);
      return total.total(epsilon_);
    }
    case NodeKind::Multiply:
      return multiply(evaluate(*node.left), evaluate(*node.right));
    case NodeKind::Divide:
      return divide(evaluate(*node.left), evaluate(*node.right));
    case NodeKind::Sum:
      return node.reduction == syntax::Reduction::Sum ? sum(*node.left, node.variables) : reduce(node);
    }
    return {};
  }

  Value read(const Node &node) const {
    const DenseTensor &tensor = *node.tensor;
    const auto at = static_cast<size_t>(offset(tensor.shape, node.variables));
    if (tensor.sparse && !tensor.stored[at])
      return {};
    const Element value = tensor.values[at];
    return {value, std::abs(value), tensor.errors.empty() ? 0 : tensor.errors[at], true, true};
  }

  Value call(const Node &node) {
    std::vector<Value> arguments;
    std::vector<double> values, errors;
    for (const NodePtr &argument : node.arguments) {
      arguments.push_back(evaluate(*argument));
      values.push_back(arguments.back().value.real());
      errors.push_back(arguments.back().error);
    }
    Value result;
    const double value = valueOf(*node.call, values);
    result.value = value;
    result.magnitude = std::abs(value);
    result.error = errorOf(*node.call, values, errors, epsilon_);
    result.stored = isStored(node, arguments);
    result.present = result.stored || node.fill != 0.0;
    return result;
  }

  /// Whether a call may differ from its fill here: where an argument may, but for what settles it.
  static bool isStored(const Node &node, const std::vector<Value> &arguments) {
    const auto fill = [&](size_t k) { return node.arguments[k]->fill; };
    const bool isAnd = node.call->function == syntax::Function::And;
    if (isAnd || node.call->function == syntax::Function::Or) {
      const auto settles = [&](size_t k) { return fill(k) && (*fill(k) != 0) != isAnd; };
      if (settles(0) && settles(1))
        return arguments[0].stored && arguments[1].stored;
      if (settles(0) || settles(1))
        return arguments[settles(0) ? 0 : 1].stored;
    }
    if (node.call->function == syntax::Function::Select)
      return fill(0) ? arguments[0].stored || arguments[*fill(0) != 0 ? 1 : 2].stored
                     : arguments[1].stored || arguments[2].stored;
    return std::any_of(arguments.begin(), arguments.end(), [](const Value &argument) { return argument.stored; });
  }

  Value multiply(const Value &a, const Value &b) const {
    if (!a.present || !b.present)
      return {};
    const double magnitude = a.magnitude * b.magnitude;
    const double error = a.magnitude * b.error + b.magnitude * a.error + a.error * b.error + epsilon_ * magnitude;
    return {productOf(a.value, b.value), magnitude, error, true, a.stored || b.stored, a.additions * b.additions};
  }

  /// Of all values, those of missing entries among them.
  Value reduce(const Node &node) {
    using syntax::Reduction;
    const Reduction kind = node.reduction;
    const double infinity = std::numeric_limits<double>::infinity();
    double start = kind == Reduction::Min   ? infinity
                   : kind == Reduction::Max ? -infinity
                   : kind == Reduction::Any ? 0
                                            : 1;
    if (sema::isInteger(type_) && std::isinf(start)) {
      const double range = std::ldexp(1, 8 * sema::bytesOf(type_)), least = sema::isUnsigned(type_) ? 0 : -range / 2;
      start = start > 0 ? least + range - 1 : least;
    }
    Value result{start, std::abs(start), 0, true, true};
    forEachPoint(variables_, node.variables, [&] {
      const Value next = evaluate(*node.left);
      const double a = result.value.real(), b = next.value.real();
      if (kind == Reduction::Product)
        result = multiply(result, {next.value, next.magnitude, next.error, true, true});
      else if (kind == Reduction::Any || kind == Reduction::All)
        result = {kind == Reduction::Any ? double(a != 0 || b != 0) : double(a != 0 && b != 0), 1,
                  next.error > 0 ? infinity : result.error, true, true};
      else if (!std::isnan(a) && (std::isnan(b) || (kind == Reduction::Min ? b < a : b > a)))
        result = {b, std::abs(b), std::max(result.error, next.error), true, true};
      else
        result.error = std::max(result.error, next.error);
    });
    result.present = result.stored = true;
    return result;
  }

  /// A missing divisor can only be an empty sum, whose value is 0.
  Value divide(const Value &a, const Value &b) const {
    if (!a.present)
      return {};
    const double divisor = std::abs(b.value);
    const double magnitude = a.magnitude / divisor;
    double error = std::numeric_limits<double>::infinity();
    if (divisor > b.error)
      error = (a.error + magnitude * b.error) / (divisor - b.error) + epsilon_ * magnitude;
    return {quotientOf(a.value, b.value), magnitude, error, true, a.stored || b.stored, a.additions};
  }

  std::vector<Variable> &variables_;
  sema::ValueType type_; ///< the target's
  double epsilon_;
};

void run(const syntax::Statement &statement, TensorMap &tensors) {
  auto found = tensors.find(statement.target.tensor.text);
  if (found == tensors.end() || found->second.shape.size() != statement.target.indices.size())
    throw std::runtime_error("no target of that order: " + statement.target.tensor.text);
  const TensorMap before = tensors; // a target that is read is read as it was
  DenseTensor &target = found->second;
  target.errors.resize(target.values.size(), 0);

  std::vector<Variable> variables;
  Resolver resolver(before, variables);
  Scope scope;
  std::vector<int> indices;
  std::vector<int> loops;
  for (size_t dim = 0; dim < target.shape.size(); ++dim) {
    const std::string &name = statement.target.indices[dim].text;
    const bool isNew = !scope.contains(name);
    indices.push_back(isNew ? resolver.bind(scope, name) : scope[name]);
    if (isNew)
      loops.push_back(indices.back());
    resolver.constrain(indices.back(), target.shape[dim]);
  }
  std::vector<Addend> addends;
  splitIntoAddends(*statement.value, false, addends);
  std::vector<Term> terms;
  for (const Addend &addend : addends)
    terms.push_back(resolver.term(addend, scope));

  const double epsilon = epsilonOf(target.type);
  StatementEvaluator evaluator(variables, target.type);
  forEachPoint(variables, loops, [&] {
    const auto at = static_cast<size_t>(evaluator.offset(target.shape, indices));
    const bool isStored = !target.sparse || target.stored[at];
    Accumulator total;
    if (statement.op == syntax::AssignOp::Add && isStored)
      total.add({target.values[at], std::abs(target.values[at]), target.errors[at], true});
    for (const Term &term : terms)
      total.add(evaluator.sum(*term.expr, term.reductions), term.isNegated);
    const Value result = total.total(epsilon);
    if (target.assembled)
      target.stored[at] = result.present ? 1 : 0;
    else if (result.present && !isStored)
      throw std::runtime_error("a value falls outside the pattern of " + statement.target.tensor.text);
    target.values[at] = converted(result.value, target.type);
    target.errors[at] = result.error + epsilon * std::abs(result.value);
  });
}

} // namespace

int64_t DenseTensor::size() const {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

std::string evaluate(const syntax::Kernel &kernel, TensorMap &tensors) {
  try {
    for (const syntax::Statement &statement : kernel.statements)
      run(statement, tensors);
    return {};
  } catch (const std::runtime_error &error) {
    return error.what();
  }
}

bool matches(Element actual, Element expected, double error) {
  if (!isFinite(expected))
    return !isFinite(actual);
  if (std::isinf(error) || std::isnan(error))
    return true;
  return std::abs(actual - expected) <= error;
}

} // namespace spc::testing
