#include "sema/plan/settled_loops.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

namespace spc::sema {
namespace {

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

} // namespace spc::sema
