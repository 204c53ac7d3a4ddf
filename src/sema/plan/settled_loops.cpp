#include "sema/plan/settled_loops.h"

#include "sema/equations.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

namespace spc::sema {
namespace {

/// Two index variables; none where it is empty.
using Pair = std::vector<VariableId>;

Pair pairOf(const CallNode &comparison, const Scope &scope, const Kernel &kernel) {
  const std::optional<Equation> equation = equationOf(comparison, scope, kernel);
  return equation && equation->multiples.size() == 2
             ? Pair{equation->multiples.begin()->first, equation->multiples.rbegin()->first}
             : Pair();
}

/// The two variables of which a value asks that they are some steps from each other, else it is 0: by an equation, by
/// several, or by the size of their difference.
Pair bandOf(const Node &value, const Scope &scope, const Kernel &kernel) {
  if (const auto *minus = std::get_if<NegateNode>(&value.kind))
    return bandOf(*minus->operand, scope, kernel);
  if (const auto *binary = std::get_if<BinaryNode>(&value.kind)) {
    const Pair left = asSum(value) ? Pair() : bandOf(*binary->left, scope, kernel);
    return left.empty() && binary->op == BinaryOp::Mul ? bandOf(*binary->right, scope, kernel) : left;
  }
  const auto *call = std::get_if<CallNode>(&value.kind);
  if (!call)
    return {};
  const auto band = [&](size_t k) { return bandOf(*call->arguments[k], scope, kernel); };
  const auto *size = std::get_if<CallNode>(&call->arguments[0]->kind);
  const auto *otherwise = std::get_if<NumberNode>(&call->arguments.back()->kind);
  switch (call->function) {
  case Function::Cast:
    return band(0);
  case Function::Equal:
    return pairOf(*call, scope, kernel);
  case Function::Less:
  case Function::LessEqual:
    if (size && size->function == Function::Abs && otherwise) {
      CallNode equal{Function::Equal, ValueType::F64, {}};
      equal.arguments.push_back(clone(*size->arguments[0]));
      equal.arguments.push_back(clone(*call->arguments[1]));
      return pairOf(equal, scope, kernel);
    }
    return {};
  case Function::And: {
    const Pair left = band(0);
    return left.empty() ? band(1) : left;
  }
  case Function::Or: {
    const Pair left = band(0);
    return !left.empty() && left == band(1) ? left : Pair();
  }
  case Function::Select: {
    const Pair condition = band(0);
    const bool isZero = otherwise && otherwise->value == 0;
    return !condition.empty() && (isZero || condition == band(2)) ? condition : Pair();
  }
  default:
    return {};
  }
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
  if (term.overwrites || !addsInPlace(statement, kernel))
    return {};
  std::set<LoopId> settled;
  for (const auto &[equality, isChoice] : term.equations) {
    if (!isChoice)
      continue;
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
  if (!settledLoops(term, statement, kernel, listed).empty())
    return std::nullopt;
  // Over pairs that an operand stores each at least, loops take no more steps than that has elements.
  const auto isStored = [&](const std::map<LoopId, int64_t> &equality) {
    return std::any_of(term.operands.begin(), term.operands.end(), [&](const Operand &operand) {
      return std::all_of(equality.begin(), equality.end(), [&](const auto &one) {
        return std::any_of(operand.indices.begin(), operand.indices.end(),
                           [&](const Index &index) { return index.has(one.first); });
      });
    });
  };
  const auto isFree = [&](const auto &one) { return !listed.contains(one.first); };
  const auto isSummed = [&](const auto &one) { return term.loops[one.first].isReduction; };
  for (const auto &[equality, isChoice] : term.equations)
    if (equality.size() == 2 && !isStored(equality) && std::any_of(equality.begin(), equality.end(), isFree) &&
        std::any_of(equality.begin(), equality.end(), isSummed)) {
      const Loop &first = term.loops[equality.begin()->first], &last = term.loops[equality.rbegin()->first];
      return last.isReduction ? std::pair(first.variable, last.variable) : std::pair(last.variable, first.variable);
    }
  return std::nullopt;
}

std::optional<std::pair<std::string, std::string>> bandedPair(const LogicalTerm &term, const LogicalStatement &logical,
                                                              const Scope &scope, const Kernel &kernel) {
  const Pair pair = bandOf(*term.expr, scope, kernel);
  const auto hasPair = [&](const std::vector<VariableId> &variables) {
    return std::all_of(pair.begin(), pair.end(), [&](VariableId variable) { return has(variables, variable); });
  };
  const std::vector<AccessId> accesses = accessesOf(*term.expr);
  const bool isWhole = hasPair(logical.targetVariables) &&
                       (!kernel.tensors[logical.target].is<Temporary>() || logical.terms.size() > 1 ||
                        !kernel.tensors[logical.target].format.isDense());
  if (pair.empty() || isWhole ||
      std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) { return hasPair(scope.accesses[id].variables); }))
    return std::nullopt;
  const std::vector<std::string> names = namesOf(pair, scope);
  return std::pair(names.front(), names.back());
}

} // namespace spc::sema
