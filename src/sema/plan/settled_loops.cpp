#include "sema/plan/settled_loops.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

namespace spc::sema {
namespace {

/// What a sum of index variables has of each loop.
using Multiples = std::map<LoopId, int64_t>;

/// Adds `factor` times an expression; false where it is no sum of multiples of index variables.
bool addMultiples(const Expr &expr, int64_t factor, Multiples &sum) {
  if (std::holds_alternative<Literal>(expr.node))
    return true;
  if (const auto *value = std::get_if<IndexValue>(&expr.node)) {
    for (const IndexTerm &part : value->index.terms)
      sum[part.loop] += factor * part.scale;
    return true;
  }
  const auto *cast = std::get_if<Call>(&expr.node);
  if (cast && cast->function == Function::Cast && expr.type == ValueType::I64)
    return addMultiples(*cast->arguments[0], factor, sum);
  const auto *binary = std::get_if<Binary>(&expr.node);
  if (!binary || binary->op == BinaryOp::Div)
    return false;
  if (binary->op != BinaryOp::Mul)
    return addMultiples(*binary->left, factor, sum) &&
           addMultiples(*binary->right, binary->op == BinaryOp::Sub ? -factor : factor, sum);
  const auto *scale = std::get_if<Literal>(&binary->left->node);
  return scale && addMultiples(*binary->right, factor * static_cast<int64_t>(scale->value), sum);
}

/// The equalities that a condition is made of, as what is 0 where they hold.
void collectEqualities(const Expr &condition, std::vector<Multiples> &found) {
  const auto *call = std::get_if<Call>(&condition.node);
  if (call && call->function == Function::And)
    for (const ExprPtr &part : call->arguments)
      collectEqualities(*part, found);
  if (!call || call->function != Function::Equal)
    return;
  Multiples difference;
  if (addMultiples(*call->arguments[0], 1, difference) && addMultiples(*call->arguments[1], -1, difference))
    found.push_back(std::move(difference));
}

/// The equalities without which a factor of a product is 0.
void collectFactorEqualities(const Expr &expr, std::vector<Multiples> &found) {
  const auto *binary = std::get_if<Binary>(&expr.node);
  if (binary && binary->op == BinaryOp::Mul)
    collectFactorEqualities(*binary->right, found);
  if (binary && (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div))
    return collectFactorEqualities(*binary->left, found);
  if (const auto *minus = std::get_if<Negate>(&expr.node))
    return collectFactorEqualities(*minus->operand, found);
  const auto *call = std::get_if<Call>(&expr.node);
  if (call && call->function == Function::Cast)
    return collectFactorEqualities(*call->arguments[0], found);
  const auto *otherwise =
      call && call->function == Function::Select ? std::get_if<Literal>(&call->arguments[2]->node) : nullptr;
  if (call && (call->function == Function::Equal || call->function == Function::And))
    collectEqualities(expr, found);
  else if (otherwise && otherwise->value == 0)
    collectEqualities(*call->arguments[0], found);
}

/// Whether a statement adds numbers up as they are stored, so that a 0 is nothing to add.
bool addsInPlace(const Statement &statement, const Kernel &kernel) {
  const Tensor &target = kernel.tensors[statement.target];
  return statement.reduction == Reduction::Sum && !target.isAssembled() &&
         (target.type == ValueType::F32 || target.type == ValueType::F64 || isInteger(target.type));
}

} // namespace

std::set<LoopId> settledLoops(const Term &term, const Statement &statement, const Kernel &kernel,
                              const std::set<LoopId> &listed) {
  const Expr *expr = term.expr.get();
  while (const auto *minus = std::get_if<Negate>(&expr->node))
    expr = minus->operand.get();
  const auto *choice = std::get_if<Call>(&expr->node);
  if (!choice || choice->function != Function::Select || term.overwrites || !addsInPlace(statement, kernel))
    return {};
  const auto *otherwise = std::get_if<Literal>(&choice->arguments[2]->node);
  if (!otherwise || otherwise->value != 0)
    return {};
  std::vector<Multiples> equalities;
  collectEqualities(*choice->arguments[0], equalities);
  std::set<LoopId> settled;
  for (const Multiples &equality : equalities) {
    // Of loops over entries the bounds are unknown further out.
    std::optional<LoopId> lastListed;
    for (const auto &[loop, multiple] : equality)
      if (listed.contains(loop))
        lastListed = loop;
    const auto mayBe = [&](const auto &one) {
      return std::abs(one.second) == 1 && !listed.contains(one.first) && !settled.contains(one.first) &&
             term.loops[one.first].part == format::Part::Whole && (!lastListed || *lastListed < one.first);
    };
    const auto isTargets = [&](const auto &one) { return mayBe(one) && !term.loops[one.first].isReduction; };
    auto found = std::find_if(equality.begin(), equality.end(), isTargets); // the longest one, of a window
    if (found == equality.end())
      found = std::find_if(equality.begin(), equality.end(), mayBe);
    if (equality.size() > 1 && found != equality.end())
      settled.insert(found->first);
  }
  return settled;
}

std::optional<std::pair<std::string, std::string>> unsettledPair(const Term &term, const Statement &statement,
                                                                 const Kernel &kernel) {
  std::set<LoopId> listed;
  for (const Operand &operand : term.operands)
    if (!kernel.tensors[operand.tensor].format.isDense())
      for (const Index &index : operand.indices)
        for (const IndexTerm &part : index.terms)
          listed.insert(part.loop);
  std::vector<Multiples> equalities;
  if (settledLoops(term, statement, kernel, listed).empty())
    collectFactorEqualities(*term.expr, equalities);
  // Over pairs that an operand stores each at least, loops take no more steps than that has elements.
  const auto isStored = [&](const Multiples &equality) {
    return std::any_of(term.operands.begin(), term.operands.end(), [&](const Operand &operand) {
      return std::all_of(equality.begin(), equality.end(), [&](const auto &one) {
        return std::any_of(operand.indices.begin(), operand.indices.end(),
                           [&](const Index &index) { return index.has(one.first); });
      });
    });
  };
  const auto isFree = [&](const auto &one) { return !listed.contains(one.first); };
  const auto isSummed = [&](const auto &one) { return term.loops[one.first].isReduction; };
  for (const Multiples &equality : equalities)
    if (equality.size() == 2 && !isStored(equality) && std::any_of(equality.begin(), equality.end(), isFree) &&
        std::any_of(equality.begin(), equality.end(), isSummed)) {
      const Loop &first = term.loops[equality.begin()->first], &last = term.loops[equality.rbegin()->first];
      return last.isReduction ? std::pair(first.variable, last.variable) : std::pair(last.variable, first.variable);
    }
  return std::nullopt;
}

} // namespace spc::sema
