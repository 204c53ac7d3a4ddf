#include "sema/nest.h"

#include "sema/plan/outer_loops.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// The loop that workers divide: the one over the items, or none where one worker does the term.
bool isDivided(const Kernel &kernel, const Term &term, LoopId loop, const Division &division) {
  const OuterLoops outer = outerLoops(kernel, term);
  switch (division.kind) {
  case Division::Kind::None:
    return false;
  case Division::Kind::Owners:
    break;
  case Division::Kind::Copies: // by what the outermost loop runs over, whatever that is
    return loop == usedLoops(term).front() && !isElementwise(term, outer);
  }
  if (outer.items == division.items)
    return loop == outer.rows;
  // Loops over all of a dimension may be cut wherever they are.
  return term.loops[loop].part == format::Part::Whole && term.loops[loop].extent == division.items->extent;
}

/// Whether the outermost loop of a term is over all rows of its assembled target.
bool loopsOverRows(const Kernel &kernel, const Statement &statement, const Term &term) {
  const Index &row = term.target[static_cast<size_t>(statement.collecting->dims.front())];
  const std::vector<LoopId> loops = usedLoops(term);
  return row.isLoop() && !loops.empty() && row.terms.front().loop == loops.front() &&
         term.loops[loops.front()].part == format::Part::Whole && listsOf(kernel, term, loops.front()).empty();
}

/// The loops that say which list of an operand `loop` goes through: those further out that it is indexed by; in order.
std::vector<LoopId> parentsOf(const Term &term, OperandId operand, LoopId loop) {
  std::vector<LoopId> parents;
  for (const Index &index : term.operands[operand].indices)
    for (const IndexTerm &part : index.terms)
      if (part.loop < loop)
        parents.push_back(part.loop);
  std::sort(parents.begin(), parents.end());
  return parents;
}

} // namespace

std::vector<LoopId> usedLoops(const Term &term) {
  std::vector<LoopId> used;
  const auto use = [&](const std::vector<Index> &indices) {
    for (const Index &index : indices)
      for (const IndexTerm &part : index.terms)
        used.push_back(part.loop);
  };
  use(term.target);
  for (const Operand &operand : term.operands)
    use(operand.indices);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

std::vector<NestLoop> nestOf(const Kernel &kernel, const Statement &statement, const Term &term,
                             const Division &division) {
  std::vector<NestLoop> nest;
  for (const LoopId loop : usedLoops(term)) {
    NestLoop one{loop, listsOf(kernel, term, loop)};
    one.isBeyond = !one.lists.empty() && exceeds(kernel, term, one.lists);
    one.isRow = statement.collecting && static_cast<int>(nest.size()) < statement.collecting->rowOrder;
    one.isDivided = isDivided(kernel, term, loop, division);
    nest.push_back(std::move(one));
  }
  return nest;
}

std::optional<OperandId> lookedUpIn(const Kernel &kernel, const Term &term, LoopId loop) {
  const std::vector<OperandId> lists = listsOf(kernel, term, loop);
  if (lists.size() != 2 || term.loops[loop].part != format::Part::Whole || exceeds(kernel, term, {lists[0]}) ||
      exceeds(kernel, term, {lists[1]}))
    return std::nullopt;
  for (const OperandId kept : lists) {
    const std::vector<LoopId> own = parentsOf(term, kept, loop);
    for (const LoopId other : parentsOf(term, kept == lists[0] ? lists[1] : lists[0], loop))
      if ((own.empty() || own.back() < other) && listsOf(kernel, term, other).size() < 2)
        return kept;
  }
  return std::nullopt;
}

int runCount(const Kernel &kernel, const Statement &statement) {
  const bool isByRows = statement.collecting->rowOrder == 1 &&
                        std::all_of(statement.terms.begin(), statement.terms.end(),
                                    [&](const Term &term) { return loopsOverRows(kernel, statement, term); });
  return isByRows ? 1 : static_cast<int>(statement.terms.size());
}

} // namespace spc::sema
