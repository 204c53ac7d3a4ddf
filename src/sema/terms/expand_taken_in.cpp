// Reductions that a sparse target takes in beside something else, `C(i,j) = max(C(i,j), max(k, A(i,k) * B(k,j)))`, as
// `C(i,j) max= A(i,k) * B(k,j)` is. They are listed where they have entries.
#include "sema/expression_types.h"
#include "sema/fold.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/expander.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

NodePtr callOf(Function function, NodePtr a, NodePtr b, NodePtr c = nullptr) {
  const Span where = a->where;
  CallNode call{function, ValueType::I64, {}};
  for (NodePtr *argument : {&a, &b, &c})
    if (*argument)
      call.arguments.push_back(std::move(*argument));
  return makeNode(std::move(call), where);
}

NodePtr asI64(NodePtr value) {
  return callOf(Function::Cast, std::move(value), nullptr);
}

/// The reduction that a function of two values makes of many.
std::optional<Reduction> reductionBy(Function function) {
  switch (function) {
  case Function::Min:
    return Reduction::Min;
  case Function::Max:
    return Reduction::Max;
  case Function::Or:
    return Reduction::Any;
  default:
    return std::nullopt;
  }
}

/// The value of a call, or of `or`, at two fills.
std::optional<double> joint(Function function, ValueType type, double a, double b) {
  return function == Function::Or ? double(a != 0 || b != 0) : fold(function, type, {a, b});
}

bool isAbsorbing(Function function, ValueType type, double fill) {
  return function != Function::Or && fill == infinityOf(type, function == Function::Min);
}

NodePtr patternOf(AccessId access, Span where) {
  return callOf(Function::Pattern, makeNode(AccessNode{access}, where), nullptr);
}

} // namespace

/// The value of a target that takes something in, with what stands for its sums and reductions that may be listed.
NodePtr Expander::withListed(const Node &value) {
  const auto &call = std::get<CallNode>(value.kind);
  const auto *reduction = std::get_if<ReduceNode>(&call.arguments[1]->kind);
  if (reduction && reduction->reduction == reductionBy(call.function))
    return withExtreme(call, *reduction, value.where);
  return callOf(call.function, clone(*call.arguments[0]), withListedSums(*call.arguments[1]));
}

/// A value whose sums are listed where they may lack entries, but for those that are multiplied with what is no number:
/// there a sum without entries is a 0 as any other.
NodePtr Expander::withListedSums(const Node &node) {
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  if (reduction && reduction->reduction == Reduction::Sum) {
    mayList_ = true;
    return temporaryFor(node);
  }
  NodePtr copy = clone(node);
  if (auto *negate = std::get_if<NegateNode>(&copy->kind))
    negate->operand = withListedSums(*negate->operand);
  if (auto *call = std::get_if<CallNode>(&copy->kind)) {
    const ValueType type = computeType_;
    for (size_t k = 0; k < call->arguments.size(); ++k) {
      computeType_ = argumentType(*call, k, type, scope_, kernel_);
      call->arguments[k] = withListedSums(*call->arguments[k]);
    }
    computeType_ = type;
  }
  if (auto *binary = std::get_if<BinaryNode>(&copy->kind)) {
    const bool isSum = asSum(*copy);
    if (isSum || (binary->op == BinaryOp::Div ? isPlainDivisor : isPlainNumber)(*binary->right))
      binary->left = withListedSums(*binary->left);
    if (isSum || (binary->op == BinaryOp::Mul && isPlainNumber(*binary->left)))
      binary->right = withListedSums(*binary->right);
  }
  return copy;
}

/// `op(rest, op(k, body))`, where the body lacks entries: of the others no more matters than whether there are any.
NodePtr Expander::withExtreme(const CallNode &call, const ReduceNode &reduction, Span where) {
  const Node &rest = *call.arguments[0];
  TiedBody tied = tiedBody(*reduction.body);
  const bool isLogic = isLogical(reduction.reduction);
  const auto typeFor = [&](const Node &node) {
    return isLogic ? arithmeticType(typeOf(node, scope_, kernel_).value_or(ValueType::Bool)) : computeType_;
  };
  const ValueType type = typeFor(*tied.value);
  const NodePtr body = withListedSums(*tied.value);
  const Sparsity ofBody = sparsityOf(*body, type, scope_, kernel_),
                 ofRest = sparsityOf(rest, typeFor(rest), scope_, kernel_);
  const double identity = isLogic ? 0 : identityOf(reduction.reduction, type);
  const auto number = [&](double value) { return makeNode(NumberNode{value, sema::textOf(type, value)}, where); };
  if (!ofBody.fill || !ofBody.domain || isEverywhere(ofBody.domain) || !ofRest.fill)
    return nullptr;
  if (freeVariables(*reduction.body, scope_).size() ==
      reduction.variables.size()) // one number, which every element takes in
    return nullptr;
  const bool isIdentity = *ofBody.fill == identity;
  if (!isIdentity && (isLogic || joint(call.function, type, *ofRest.fill, *ofBody.fill) != *ofRest.fill))
    return nullptr;
  NodePtr within = asCondition(*ofBody.domain, where);
  for (AccessId tie : tied.ties)
    within = callOf(Function::And, patternOf(tie, where), std::move(within));
  NodePtr stored = isIdentity && tied.ties.empty()
                       ? clone(*body)
                       : callOf(Function::Select, clone(*within), clone(*body), number(identity));
  const ReduceNode listed{reduction.reduction, reduction.variables, std::move(stored)};
  NodePtr extreme = listedExtreme(listed, where);
  if (isIdentity)
    return callOf(call.function, clone(rest), std::move(extreme));
  const AccessId count = countOf(listedStatement(listed, where), reduction.variables, std::move(within));
  NodePtr isPartial =
      callOf(Function::Less, makeNode(AccessNode{count}, where), tiedPlaces(tied, reduction.variables, where));
  NodePtr missing = callOf(Function::Select, std::move(isPartial), number(*ofBody.fill), number(identity));
  NodePtr value = callOf(call.function, clone(rest), callOf(call.function, std::move(extreme), std::move(missing)));
  NodePtr isStored = patternOf(count, where);
  if (ofRest.domain) // what absorbs all that is taken in stays where nothing else is
    isStored = isAbsorbing(call.function, type, *ofRest.fill)
                   ? asCondition(*ofRest.domain, where)
                   : callOf(Function::Or, asCondition(*ofRest.domain, where), std::move(isStored));
  return callOf(Function::Select, std::move(isStored), std::move(value), number(*ofRest.fill));
}

/// What a body is where ties of index variables hold, `select(at(k, p(i)), x(i), inf)`; it may be without any.
Expander::TiedBody Expander::tiedBody(const Node &body) const {
  const auto *choice = std::get_if<CallNode>(&body.kind);
  TiedBody tied{{}, &body};
  if (choice && choice->function == Function::Select &&
      std::holds_alternative<NumberNode>(choice->arguments[2]->kind) && collectTies(*choice->arguments[0], tied.ties))
    tied.value = choice->arguments[1].get();
  else
    tied.ties.clear();
  return tied;
}

/// Whether a condition asks for ties alone, all of which hold.
bool Expander::collectTies(const Node &condition, std::vector<AccessId> &ties) const {
  if (const auto *product = std::get_if<BinaryNode>(&condition.kind))
    return product->op == BinaryOp::Mul && collectTies(*product->left, ties) && collectTies(*product->right, ties);
  const auto *call = std::get_if<CallNode>(&condition.kind);
  if (!call || call->function != Function::Pattern)
    return false;
  ties.push_back(accessesOf(condition).front());
  return kernel_.tensors[scope_.accesses[ties.back()].tensor].is<Tie>();
}

/// The reduction as a temporary that lists its entries; anywhere else it is its identity.
NodePtr Expander::listedExtreme(const ReduceNode &reduction, Span where) {
  LogicalStatement logical = listedStatement(reduction, where);
  setReduction(reduction, where, logical);
  return makeNode(AccessNode{addListed(std::move(logical))}, where);
}

/// For how many values of the variables a condition holds, listed as `logical` says.
AccessId Expander::countOf(LogicalStatement logical, const std::vector<VariableId> &variables, NodePtr condition) {
  logical.computeType = ValueType::I64;
  logical.terms.push_back({asI64(std::move(condition)), variables, false, logical.where});
  return addListed(std::move(logical));
}

/// How many values of the variables there are for which a body's ties hold. Those that have variables in common are
/// counted together.
NodePtr Expander::tiedPlaces(const TiedBody &body, std::vector<VariableId> variables, Span where) {
  NodePtr product;
  const auto multiply = [&](NodePtr factor) {
    product = product ? makeBinary(BinaryOp::Mul, std::move(product), std::move(factor)) : std::move(factor);
  };
  std::vector<AccessId> ties = body.ties;
  while (!ties.empty()) {
    std::vector<VariableId> own;
    NodePtr hold;
    const auto isJoined = [&](AccessId tie) {
      const std::vector<VariableId> &all = scope_.accesses[tie].variables;
      return !hold || std::any_of(all.begin(), all.end(), [&](VariableId variable) { return has(own, variable); });
    };
    for (auto tie = ties.begin(); tie != ties.end(); tie = std::find_if(ties.begin(), ties.end(), isJoined)) {
      for (VariableId variable : scope_.accesses[*tie].variables)
        if (has(variables, variable)) {
          own.push_back(variable);
          std::erase(variables, variable);
        }
      hold = hold ? callOf(Function::And, std::move(hold), patternOf(*tie, where)) : patternOf(*tie, where);
      ties.erase(tie);
    }
    LogicalStatement logical = listedStatement({Reduction::Sum, own, clone(*hold)}, where);
    multiply(makeNode(AccessNode{countOf(std::move(logical), own, std::move(hold))}, where));
  }
  for (VariableId variable : variables)
    multiply(makeNode(ReduceNode{Reduction::Sum, {variable}, asI64(makeNode(NumberNode{1, "1"}, where))}, where));
  return product;
}

/// The computation of a reduction; the target's variables are in the target's order.
LogicalStatement Expander::listedStatement(const ReduceNode &reduction, Span where) {
  LogicalStatement logical;
  logical.statement = statement_;
  for (VariableId variable : freeVariables(*reduction.body, scope_))
    if (!has(reduction.variables, variable))
      logical.targetVariables.push_back(variable);
  sortByTarget(logical.targetVariables);
  logical.computeType = computeType_;
  logical.where = where;
  return logical;
}

/// Puts variables in the order in which the statement's target has them.
void Expander::sortByTarget(std::vector<VariableId> &variables) const {
  std::stable_sort(variables.begin(), variables.end(), [&](VariableId a, VariableId b) {
    return sema::placeOf(a, main_->targetVariables) < sema::placeOf(b, main_->targetVariables);
  });
}

AccessId Expander::addListed(LogicalStatement logical) {
  const AccessId access = addTemporary(kernel_, scope_, logical.targetVariables, logical.computeType, logical.where);
  logical.target = scope_.accesses[access].tensor;
  Tensor &tensor = kernel_.tensors[logical.target];
  const format::Format &target = kernel_.tensors[main_->target].format;
  const bool isAlike = logical.targetVariables == main_->targetVariables;
  tensor.format = isAlike ? plainFormat(target, !hasDenseLevel(target)) : plainFormat(tensor.format, true);
  takeIndexTypes(logical, scope_, kernel_, tensor.format);
  tensor.structure = Assembled{};
  tensor.fill = logical.targetDefault;
  temporaries_.push_back(std::move(logical));
  return access;
}

} // namespace spc::sema
