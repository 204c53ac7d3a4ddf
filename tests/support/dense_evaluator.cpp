#include "support/dense_evaluator.h"

#include "support/number_types.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

namespace spc::testing {
namespace {

using Element = std::complex<double>;

/// A value, or nothing where an entry is missing.
struct Value {
  Element value = 0;
  double magnitude = 0; ///< the same expression over absolute values, every difference read as a sum
  double error = 0;
  bool present = false;
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

struct Variable {
  int64_t extent = -1; ///< unknown until an access says it
  int64_t at = 0;
};

enum class NodeKind { Literal, Access, Negate, Add, Subtract, Multiply, Divide, Sum };

/// An expression with names resolved to tensors and to variables.
struct Node {
  NodeKind kind = NodeKind::Literal;
  double literal = 0;
  const DenseTensor *tensor = nullptr;
  std::vector<int> variables; ///< of an access by dimension, or of a sum
  std::unique_ptr<Node> left;
  std::unique_ptr<Node> right;
};
using NodePtr = std::unique_ptr<Node>;

using Scope = std::map<std::string, int>;

/// One addend of a right side.
struct Addend {
  const syntax::Expr *expr;
  bool isNegated;
};

struct Term {
  NodePtr expr;
  bool isNegated = false;
  std::vector<int> reductions;
};

void splitIntoAddends(const syntax::Expr &expr, bool isNegated, std::vector<Addend> &addends) {
  if (auto *paren = std::get_if<syntax::Paren>(&expr.node))
    return splitIntoAddends(*paren->inner, isNegated, addends);
  if (auto *negate = std::get_if<syntax::Negate>(&expr.node))
    return splitIntoAddends(*negate->operand, !isNegated, addends);
  auto *binary = std::get_if<syntax::Binary>(&expr.node);
  if (binary && (binary->op == syntax::BinaryOp::Add || binary->op == syntax::BinaryOp::Sub)) {
    splitIntoAddends(*binary->left, isNegated, addends);
    splitIntoAddends(*binary->right, isNegated != (binary->op == syntax::BinaryOp::Sub), addends);
    return;
  }
  addends.push_back({&expr, isNegated});
}

/// Resolves one statement's names. Variables that no `sum` binds and the target lacks become the term's reductions.
class Resolver {
public:
  Resolver(const TensorMap &tensors, std::vector<Variable> &variables) : tensors_(tensors), variables_(variables) {}

  int bind(Scope &scope, const std::string &name) {
    variables_.push_back({});
    return scope[name] = static_cast<int>(variables_.size()) - 1;
  }

  void constrain(int variable, int64_t extent) {
    int64_t &known = variables_[static_cast<size_t>(variable)].extent;
    if (known >= 0 && known != extent)
      throw std::runtime_error("the extents of an index variable differ");
    known = extent;
  }

  Term term(const Addend &addend, const Scope &targetScope) {
    Term result;
    result.isNegated = addend.isNegated;
    Scope scope = targetScope;
    reductions_ = &result.reductions;
    termScope_ = &scope;
    result.expr = resolve(*addend.expr, scope);
    return result;
  }

private:
  NodePtr resolve(const syntax::Expr &expr, Scope &scope) {
    return std::visit([&](const auto &node) { return resolve(node, scope); }, expr.node);
  }

  NodePtr resolve(const syntax::Literal &literal, Scope &) {
    auto node = std::make_unique<Node>();
    node->literal = literal.value;
    return node;
  }

  NodePtr resolve(const syntax::Access &access, Scope &scope) {
    auto found = tensors_.find(access.tensor.text);
    if (found == tensors_.end() || found->second.shape.size() != access.indices.size())
      throw std::runtime_error("no tensor of that order: " + access.tensor.text);
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::Access;
    node->tensor = &found->second;
    for (size_t dim = 0; dim < access.indices.size(); ++dim) {
      const int variable = lookUp(access.indices[dim].text, scope);
      constrain(variable, found->second.shape[dim]);
      node->variables.push_back(variable);
    }
    return node;
  }

  /// An unbound name is one variable in the whole term, wherever in it it is met first.
  int lookUp(const std::string &name, Scope &scope) {
    if (auto known = scope.find(name); known != scope.end())
      return known->second;
    auto known = termScope_->find(name);
    const int variable = known != termScope_->end() ? known->second : bind(*termScope_, name);
    if (known == termScope_->end())
      reductions_->push_back(variable);
    return scope[name] = variable;
  }

  NodePtr resolve(const syntax::Negate &negate, Scope &scope) {
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::Negate;
    node->left = resolve(*negate.operand, scope);
    return node;
  }

  NodePtr resolve(const syntax::Binary &binary, Scope &scope) {
    static constexpr NodeKind kinds[] = {NodeKind::Add, NodeKind::Subtract, NodeKind::Multiply, NodeKind::Divide};
    auto node = std::make_unique<Node>();
    node->kind = kinds[static_cast<size_t>(binary.op)];
    node->left = resolve(*binary.left, scope);
    node->right = resolve(*binary.right, scope);
    return node;
  }

  NodePtr resolve(const syntax::Sum &sum, Scope &scope) {
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::Sum;
    Scope inner = scope;
    for (const syntax::Name &name : sum.variables)
      node->variables.push_back(bind(inner, name.text));
    node->left = resolve(*sum.body, inner);
    return node;
  }

  NodePtr resolve(const syntax::Paren &paren, Scope &scope) { return resolve(*paren.inner, scope); }

  const TensorMap &tensors_;
  std::vector<Variable> &variables_;
  std::vector<int> *reductions_ = nullptr;
  Scope *termScope_ = nullptr;
};

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
  StatementEvaluator(std::vector<Variable> &variables, double epsilon) : variables_(variables), epsilon_(epsilon) {}

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
    switch (node.kind) {
    case NodeKind::Literal:
      return {node.literal, std::abs(node.literal), epsilon_ * std::abs(node.literal), true};
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
      return sum(*node.left, node.variables);
    }
    return {};
  }

  Value read(const Node &node) const {
    const DenseTensor &tensor = *node.tensor;
    const auto at = static_cast<size_t>(offset(tensor.shape, node.variables));
    if (tensor.sparse && !tensor.stored[at])
      return {};
    const Element value = tensor.values[at];
    return {value, std::abs(value), tensor.errors.empty() ? 0 : tensor.errors[at], true};
  }

  Value multiply(const Value &a, const Value &b) const {
    if (!a.present || !b.present)
      return {};
    const double magnitude = a.magnitude * b.magnitude;
    const double error = a.magnitude * b.error + b.magnitude * a.error + a.error * b.error + epsilon_ * magnitude;
    return {productOf(a.value, b.value), magnitude, error, true, a.additions * b.additions};
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
    return {quotientOf(a.value, b.value), magnitude, error, true, a.additions};
  }

  std::vector<Variable> &variables_;
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
  StatementEvaluator evaluator(variables, epsilon);
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
