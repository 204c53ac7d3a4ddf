#include "harness/dense_nodes.h"

#include "harness/function_values.h"
#include "harness/number_types.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

namespace spc::testing::evaluator {

static void splitIntoAddends(const syntax::Expr &expr, bool isNegated, std::vector<Addend> &addends) {
  if (auto *paren = std::get_if<syntax::Paren>(&expr.node))
    return splitIntoAddends(*paren->inner, isNegated, addends);
  if (auto *negate = std::get_if<syntax::Negate>(&expr.node))
    return splitIntoAddends(*negate->operand, !isNegated, addends);
  auto *binary = std::get_if<syntax::Binary>(&expr.node);
  if (binary && (binary->op == language::BinaryOp::Add || binary->op == language::BinaryOp::Sub)) {
    splitIntoAddends(*binary->left, isNegated, addends);
    splitIntoAddends(*binary->right, isNegated != (binary->op == language::BinaryOp::Sub), addends);
    return;
  }
  addends.push_back({&expr, isNegated});
}

std::vector<Addend> addendsOf(const syntax::Statement &statement, bool isWhole) {
  std::vector<Addend> addends;
  if (isWhole || takenInBy(statement.op))
    addends.push_back({statement.value.get(), false});
  else
    splitIntoAddends(*statement.value, false, addends);
  return addends;
}

bool isInfinite(std::optional<double> fill) {
  return fill && std::isinf(*fill);
}

bool picks(const syntax::Access &access) {
  std::set<std::string> seen;
  return std::any_of(access.indices.begin(), access.indices.end(),
                     [&](const syntax::Index &index) { return !index.isPlain() || !seen.insert(index.text).second; });
}

int Resolver::bind(Scope &scope, const std::string &name) {
  variables_.push_back({});
  return scope[name] = static_cast<int>(variables_.size()) - 1;
}

void Resolver::constrain(int variable, int64_t extent) {
  int64_t &known = variables_[static_cast<size_t>(variable)].extent;
  if (known >= 0 && known != extent)
    throw std::runtime_error("the extents of an index variable differ");
  known = extent;
}

Term Resolver::term(const Addend &addend, const Scope &targetScope, bool isWhole, bool lists) {
  callsAround_ = isWhole ? 1 : 0;
  lists_ = lists;
  isOneTerm_ = isWhole;
  Term result;
  result.isNegated = addend.isNegated;
  Scope scope = targetScope;
  reductions_ = &result.reductions;
  termScope_ = &scope;
  result.expr = resolve(*addend.expr, scope);
  return result;
}

NodePtr Resolver::resolve(const syntax::Expr &expr, Scope &scope) {
  NodePtr node = std::visit([&](const auto &part) { return resolve(part, scope); }, expr.node);
  if (!std::holds_alternative<syntax::Paren>(expr.node)) {
    node->type = type_;
    node->isOneTerm = isOneTerm_;
  }
  return node;
}

NodePtr Resolver::resolve(const syntax::Expr &expr, sema::ValueType type, Scope &scope) {
  const sema::ValueType around = std::exchange(type_, type);
  NodePtr node = resolve(expr, scope);
  type_ = around;
  return node;
}

TensorTypes typesOf(const TensorMap &tensors) {
  return [&tensors](const std::string &name) {
    const auto tensor = tensors.find(name);
    return tensor == tensors.end() ? std::nullopt : std::optional(tensor->second.type);
  };
}

NodePtr Resolver::resolve(const syntax::Literal &literal, Scope &) {
  auto node = std::make_unique<Node>();
  node->literal = std::isinf(literal.value) ? endOf(type_, literal.value < 0) : literal.value;
  node->fill = node->literal;
  return node;
}

void Resolver::noteExtents(const syntax::Expr &expr, std::set<std::string> bound) {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  const auto tensor = access ? tensors_.find(access->tensor.text) : tensors_.end();
  for (size_t dim = 0; tensor != tensors_.end() && dim < std::min(access->indices.size(), tensor->second.shape.size());
       ++dim)
    if (access->indices[dim].isPlain() && !windows_.contains({access->tensor.text, dim}) &&
        !bound.contains(access->indices[dim].text))
      extents_.emplace(access->indices[dim].text, tensor->second.shape[dim]);
  // What a reduction binds is another variable of that name.
  if (const auto *reduction = std::get_if<syntax::Reduce>(&expr.node))
    for (const syntax::Name &variable : reduction->variables)
      bound.insert(variable.text);
  for (const syntax::Expr *child : syntax::children(expr))
    noteExtents(*child, bound);
}

void noteWindows(const syntax::Expr &expr, Windows &windows) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    for (size_t dim = 0; dim < access->indices.size(); ++dim)
      if (!access->indices[dim].isPlain() && !access->indices[dim].terms.empty())
        windows.emplace(access->tensor.text, dim);
  for (const syntax::Expr *child : syntax::children(expr))
    noteWindows(*child, windows);
}

bool readsSparse(const Node &node) {
  const auto reads = [](const NodePtr &part) { return part && readsSparse(*part); };
  if (!node.readsSparse) // asked for at every point
    node.readsSparse = isIndexMask(node) || (node.call && node.call->function == language::Function::Where) ||
                       (node.tensor && node.tensor->sparse && (!node.picks || node.tensor->fill == 0)) ||
                       reads(node.left) || reads(node.right) ||
                       std::any_of(node.arguments.begin(), node.arguments.end(), reads);
  return *node.readsSparse;
}

bool isMissing(const Node &node, bool left, bool right) {
  if (!node.isOneTerm || node.fill != 0.0 || !readsSparse(node))
    return false;
  const bool isProduct = node.kind == NodeKind::Multiply;
  const bool byLeft = (isProduct || node.kind == NodeKind::Divide) && node.left->fill == 0.0 && readsSparse(*node.left);
  const bool byRight = isProduct && node.right->fill == 0.0 && readsSparse(*node.right);
  return byLeft || byRight ? (byLeft && !left) || (byRight && !right) : !left && !right;
}

Guard guardOf(const Node &body, const std::vector<int> &loops) {
  const Node *factor = &body;
  while (factor->kind == NodeKind::Multiply)
    factor = factor->left.get();
  // With calls, or where a missing entry is read as a 0, there may be a value even so.
  if (body.hasCalls || factor->kind != NodeKind::Access || factor->picks)
    return {nullptr, loops.size()};
  size_t count = loops.size();
  const auto variesWithLast = [&](const IndexSum &index) {
    return std::any_of(index.terms.begin(), index.terms.end(),
                       [&](const auto &term) { return term.first == loops[count - 1]; });
  };
  while (count > 0 && std::none_of(factor->indices.begin(), factor->indices.end(), variesWithLast))
    --count;
  return {count < loops.size() ? factor : nullptr, count};
}

NodePtr Resolver::resolve(const syntax::Access &access, Scope &scope) {
  auto found = tensors_.find(access.tensor.text);
  if (found == tensors_.end() && access.indices.empty()) {
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::Index;
    node->variables = {lookUp(access.tensor.text, scope)};
    return node;
  }
  if (found == tensors_.end() || found->second.shape.size() != access.indices.size())
    throw std::runtime_error("no tensor of that order: " + access.tensor.text);
  if (access.isPadded || std::any_of(access.indices.begin(), access.indices.end(),
                                     [](const syntax::Index &index) { return !index.isWindow(); }))
    throw std::runtime_error("an index that is tied: evaluate the checked program's text");
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::Access;
  node->tensor = &found->second;
  // At other indices than plain ones it is the sum of what is there.
  if (node->tensor->sparse && (!picks(access) || (node->tensor->fill == 0 && callsAround_ == 0)))
    node->fill = readAs(node->tensor->fill, node->tensor->type, type_);
  for (size_t dim = 0; dim < access.indices.size(); ++dim) {
    IndexSum index{{}, access.indices[dim].constant};
    for (const syntax::IndexTerm &term : access.indices[dim].terms)
      index.terms.emplace_back(lookUp(term.variable.text, scope), term.scale);
    if (access.indices[dim].isPlain() && !windows_.contains({access.tensor.text, dim}))
      constrain(index.terms.front().first, found->second.shape[dim]);
    node->indices.push_back(std::move(index));
  }
  node->picks = picks(access);
  return node;
}

int Resolver::lookUp(const std::string &name, Scope &scope) {
  if (auto known = scope.find(name); known != scope.end())
    return known->second;
  auto known = termScope_->find(name);
  const int variable = known != termScope_->end() ? known->second : bind(*termScope_, name);
  if (known == termScope_->end()) {
    reductions_->push_back(variable);
    if (const auto extent = extents_.find(name); extent != extents_.end())
      constrain(variable, extent->second);
  }
  return scope[name] = variable;
}

NodePtr Resolver::resolve(const syntax::Negate &negate, Scope &scope) {
  if (const auto *literal = std::get_if<syntax::Literal>(&negate.operand->node); literal && std::isinf(literal->value))
    return resolve(syntax::Literal{-literal->value, {}}, scope);
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::Negate;
  node->left = resolve(*negate.operand, scope);
  node->hasCalls = node->left->hasCalls;
  if (node->left->fill)
    node->fill = fillOf(language::BinaryOp::Sub, sema::isInteger(type_) ? 0.0 : -0.0, node->left->fill);
  return node;
}

NodePtr Resolver::resolve(const syntax::Binary &binary, Scope &scope) {
  return resolveBinary(binary.op, *binary.left, *binary.right, scope);
}

NodePtr Resolver::resolveBinary(language::BinaryOp op, const syntax::Expr &left, const syntax::Expr &right,
                                Scope &scope) {
  static constexpr NodeKind kinds[] = {NodeKind::Add, NodeKind::Subtract, NodeKind::Multiply, NodeKind::Divide};
  auto node = std::make_unique<Node>();
  node->kind = kinds[static_cast<size_t>(op)];
  const int around = std::exchange(callsAround_, callsAround_ + (lists_ && multiplies(op, left, right) ? 1 : 0));
  node->left = resolve(left, scope);
  node->right = resolve(right, scope);
  callsAround_ = around;
  node->multiplies = multiplies(op, left, right);
  node->hasCalls = node->left->hasCalls || node->right->hasCalls;
  node->fill = fillOf(op, node->left->fill, node->right->fill);
  return node;
}

std::optional<double> Resolver::fillOf(language::BinaryOp op, std::optional<double> left,
                                       std::optional<double> right) const {
  const bool annihilates = (op == language::BinaryOp::Mul && (left == 0.0 || right == 0.0)) ||
                           (op == language::BinaryOp::Div && left == 0.0);
  if (annihilates)
    return 0;
  const double sign = op == language::BinaryOp::Sub ? -1 : 1;
  const bool isExact = sema::isInteger(type_);
  if (op <= language::BinaryOp::Sub && !isExact && (isInfinite(left) || isInfinite(right))) {
    if (isInfinite(left) && isInfinite(right))
      return *left == sign * *right ? left : std::nullopt;
    return isInfinite(left) ? left : sign * *right;
  }
  if (!left || !right)
    return std::nullopt;
  const double value = op == language::BinaryOp::Add   ? *left + *right
                       : op == language::BinaryOp::Sub ? *left - *right
                       : op == language::BinaryOp::Mul ? *left * *right
                                                       : *left / *right;
  if (!isExact)
    return value;
  // The ends of 64 bits are infinities here, with which nothing else can be worked out.
  return std::isfinite(value) ? std::optional(converted(value, type_).real()) : std::nullopt;
}

NodePtr Resolver::resolve(const syntax::Reduce &sum, Scope &scope) {
  auto node = std::make_unique<Node>();
  node->kind = NodeKind::Sum;
  Scope inner = scope;
  using language::Reduction;
  const bool isRanked = sum.reduction >= Reduction::Top;
  if (isRanked)
    node->rank = scope.at(sum.variables.front().text);
  for (size_t k = isRanked ? 1 : 0; k < sum.variables.size(); ++k)
    node->variables.push_back(bind(inner, sum.variables[k].text));
  const bool isSum = sum.reduction == Reduction::Sum || sum.reduction == Reduction::Mean;
  const bool isOneTerm = std::exchange(isOneTerm_, !isSum);
  node->left = resolve(*sum.body, bodyType(sum, type_, typesOf(tensors_)), inner);
  isOneTerm_ = isOneTerm;
  const bool isCount = sum.reduction == Reduction::Count;
  // What a function is called with is computed everywhere; a factor is missing where nothing was summed.
  Scope own;
  for (const syntax::Name &name : sum.variables)
    own.emplace(name.text, -1);
  const bool isNumber = callsAround_ > 0 || (lists_ && indexesOnly(*sum.body, own)); // one for all elements
  if (!isNumber && ((isSum && node->left->fill == 0.0) || (isCount && node->left->tensor->sparse)))
    node->fill = 0;
  node->reduction = sum.reduction;
  node->hasCalls = isNumber || (!isSum && !isCount); // it has a value everywhere
  return node;
}

bool multiplies(language::BinaryOp op, const syntax::Expr &left, const syntax::Expr &right) {
  const std::function<bool(const syntax::Expr &)> isPlain = [&](const syntax::Expr &expr) {
    if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
      return isPlain(*paren->inner);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
      return isPlain(*negate->operand);
    const auto *number = std::get_if<syntax::Literal>(&expr.node);
    return number && std::isfinite(number->value) && number->value != 0;
  };
  return op == language::BinaryOp::Mul ? !isPlain(left) && !isPlain(right)
                                       : op == language::BinaryOp::Div && !isPlain(right);
}

std::optional<language::Reduction> takenInBy(language::AssignOp op) {
  return op == language::AssignOp::Min   ? std::optional(language::Reduction::Min)
         : op == language::AssignOp::Max ? std::optional(language::Reduction::Max)
         : op == language::AssignOp::Or  ? std::optional(language::Reduction::Any)
                                         : std::nullopt;
}

std::vector<int> bindTarget(const syntax::Statement &statement, const DenseTensor &target, Resolver &resolver,
                            Scope &scope) {
  std::vector<int> indices;
  for (size_t dim = 0; dim < target.shape.size(); ++dim) {
    const std::string &name = statement.target.indices[dim].text;
    indices.push_back(scope.contains(name) ? scope[name] : resolver.bind(scope, name));
    resolver.constrain(indices.back(), target.shape[dim]);
  }
  return indices;
}

const Node *reductionOf(const std::vector<Term> &terms) {
  using language::Reduction;
  if (terms.size() != 1 || terms.front().isNegated || terms.front().expr->kind != NodeKind::Sum)
    return nullptr;
  const Reduction kind = terms.front().expr->reduction;
  return kind >= Reduction::Product && kind <= Reduction::All ? terms.front().expr.get() : nullptr;
}

bool readsFill(const syntax::Expr &expr, const TensorMap &tensors) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    if (auto tensor = tensors.find(access->tensor.text); tensor != tensors.end())
      return tensor->second.sparse && tensor->second.fill != 0;
  const auto *call = std::get_if<syntax::Call>(&expr.node);
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return !(call && call->function == language::Function::Pattern) &&
         std::any_of(below.begin(), below.end(), [&](const syntax::Expr *child) { return readsFill(*child, tensors); });
}

bool indexesOnly(const syntax::Expr &expr, Scope scope) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    return std::all_of(access->indices.begin(), access->indices.end(), [&](const syntax::Index &index) {
      return std::all_of(index.terms.begin(), index.terms.end(),
                         [&](const syntax::IndexTerm &term) { return scope.contains(term.variable.text); });
    });
  if (const auto *reduction = std::get_if<syntax::Reduce>(&expr.node))
    for (const syntax::Name &variable : reduction->variables)
      scope.emplace(variable.text, -1);
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return std::all_of(below.begin(), below.end(), [&](const syntax::Expr *child) { return indexesOnly(*child, scope); });
}

} // namespace spc::testing::evaluator
