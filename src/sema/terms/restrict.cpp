// Temporaries that are computed where a sparse factor of all that read them has entries.
#include "sema/substitution.h"
#include "sema/terms/fuse.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

bool isElementwise(const Node &value, const ResolvedStatement &made) {
  const std::vector<VariableId> free = freeVariables(value, made.scope);
  return std::all_of(free.begin(), free.end(),
                     [&](VariableId variable) { return has(made.target.variables, variable); });
}

/// Whether a value may be multiplied as it is: no sum that is left to the statement spans addends.
bool isOneFactor(const Node &value, const ResolvedStatement &made) {
  return !hasOtherReduction(value) && (isElementwise(value, made) || !hasSum(value));
}

bool mayBeRestricted(const Node &value, const ResolvedStatement &made) {
  const std::vector<const Node *> below = children(value);
  return isOneFactor(value, made) ||
         ((asSum(value) || std::holds_alternative<NegateNode>(value.kind)) &&
          std::all_of(below.begin(), below.end(), [&](const Node *addend) { return mayBeRestricted(*addend, made); }));
}

void multiplyByPattern(NodePtr &value, AccessId mask, const ResolvedStatement &made) {
  if (!isOneFactor(*value, made)) {
    if (auto *minus = std::get_if<NegateNode>(&value->kind))
      return multiplyByPattern(minus->operand, mask, made);
    auto &sum = std::get<BinaryNode>(value->kind);
    multiplyByPattern(sum.left, mask, made);
    return multiplyByPattern(sum.right, mask, made);
  }
  const Span where = value->where;
  CallNode pattern{Function::Pattern, ValueType::F64, {}};
  pattern.arguments.push_back(makeNode(AccessNode{mask}, where));
  value = makeNode(BinaryNode{BinaryOp::Mul, makeNode(std::move(pattern), where), std::move(value)}, where);
}

/// `2*i + 1 == j`, which a tie has become.
NodePtr comparisonOf(const Access &access, const Tie &tie, Span where) {
  IndexSum rows{{}, tie.constant.number};
  for (size_t row = 0; row < tie.rowScales.size(); ++row)
    rows.terms.push_back({access.variables[row], tie.rowScales[row].number});
  CallNode equal{Function::Equal, ValueType::F64, {}};
  equal.arguments.push_back(valueOf(rows, where));
  equal.arguments.push_back(valueOf({{{access.variables.back(), tie.columnScale}}, 0}, where));
  return makeNode(std::move(equal), where);
}

void computeEquations(Node &node, const ResolvedStatement &made, const Kernel &kernel) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  const auto *use =
      call && call->function == Function::Pattern ? std::get_if<AccessNode>(&call->arguments.front()->kind) : nullptr;
  if (use && isEquation(made.scope.accesses[use->access], made.target.variables, kernel)) {
    const Access &access = made.scope.accesses[use->access];
    node = std::move(*comparisonOf(access, *kernel.tensors[access.tensor].as<Tie>(), node.where));
    return;
  }
  for (Node *child : children(node))
    computeEquations(*child, made, kernel);
}

} // namespace

bool hasSum(const Node &node) {
  if (asSum(node))
    return true;
  const std::vector<const Node *> below = children(node);
  return !std::holds_alternative<CallNode>(node.kind) &&
         std::any_of(below.begin(), below.end(), [](const Node *child) { return hasSum(*child); });
}

bool isElementwise(const ResolvedStatement &made) {
  return isElementwise(*made.value, made);
}

bool mayBeRestricted(const ResolvedStatement &made) {
  return mayBeRestricted(*made.value, made);
}

bool isEquation(const Access &access, const std::vector<VariableId> &variables, const Kernel &kernel) {
  const auto *tie = kernel.tensors[access.tensor].as<Tie>();
  return tie && !tie->source && !tie->isChecked && tie->constant.isNumber() &&
         std::all_of(tie->rowScales.begin(), tie->rowScales.end(), [](const Amount &one) { return one.isNumber(); }) &&
         std::all_of(access.variables.begin(), access.variables.end(),
                     [&](VariableId variable) { return has(variables, variable); });
}

void multiplyByPattern(ResolvedStatement &made, const Access &mask, const Kernel &kernel) {
  computeEquations(*made.value, made, kernel);
  multiplyByPattern(made.value, made.scope.intern(mask), made);
}

} // namespace spc::sema
