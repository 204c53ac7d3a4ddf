#include "explain/nests.h"

#include "abi/signature.h"
#include "explain/step_counter.h"
#include "format/levels.h"
#include "sema/analyze.h"
#include "sema/nest.h"

#include <algorithm>

namespace spc::explain {
namespace {

using sema::LoopId;
using sema::OperandId;

/// The level of an operand that a loop gives the coordinate of; nullopt where the loop is none of its.
std::optional<int> levelAt(const sema::Kernel &kernel, const sema::Operand &operand, LoopId loop) {
  if (kernel.tensors[operand.tensor].format.isDense() || operand.follows)
    return std::nullopt;
  for (size_t k = 0; k < operand.indices.size(); ++k)
    if (operand.indices[k].has(loop))
      return static_cast<int>(k);
  return std::nullopt;
}

bool isListed(const format::Format &format, int level) {
  switch (format::kindOf(format, level)) {
  case format::LevelKind::Dense:
    return false;
  case format::LevelKind::Compressed:
  case format::LevelKind::Singleton:
  case format::LevelKind::FixedWidth:
  case format::LevelKind::RaggedDense:
  case format::LevelKind::ClosedDense:
  case format::LevelKind::ClosedCompressed:
    return true;
  }
  return true;
}

/// The arrays that a level is read from, as the C struct names them: "row_ptr, col_ind".
std::string arraysOf(const sema::Tensor &tensor, int level) {
  std::string names;
  for (const abi::Field &field : abi::structFor(tensor.format, tensor.type).fields)
    if (field.index == level && (field.type == abi::FieldType::Pointers || field.type == abi::FieldType::Indices))
      names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

/// "entries of A (row_ptr, col_ind)"
std::string walkOf(const sema::Tensor &tensor, int level) {
  const std::string arrays = arraysOf(tensor, level);
  std::string what;
  switch (format::kindOf(tensor.format, level)) {
  case format::LevelKind::Dense:
    what = tensor.format.levels[static_cast<size_t>(level)].isFound ? "the rows that are found of "
                                                                    : "all coordinates of ";
    break;
  case format::LevelKind::Compressed:
    what = "the list of ";
    break;
  case format::LevelKind::Singleton:
    what = "the one coordinate of each entry of ";
    break;
  case format::LevelKind::FixedWidth:
    what = "a list of fixed length of ";
    break;
  case format::LevelKind::RaggedDense:
    what = "a run of ";
    break;
  case format::LevelKind::ClosedDense:
  case format::LevelKind::ClosedCompressed:
    what = "a computed run of ";
    break;
  }
  return what + tensor.name + (arrays.empty() ? "" : " (" + arrays + ")");
}

/// What decides how far a loop goes that has lists: whether the term is computed without what they lack.
class ListUse {
public:
  ListUse(const sema::Domain &domain, const std::vector<OperandId> &listed) : domain_(domain), listed_(listed) {}

  bool visitsAll() const {
    return holdsWith([](OperandId) { return false; });
  }

  /// Where a loop that merges them has steps.
  std::string where() const {
    const auto any = [&](OperandId one) { return holdsWith([=](OperandId id) { return id == one; }); };
    const auto withoutAny = [&](OperandId one) { return holdsWith([=](OperandId id) { return id != one; }); };
    if (std::all_of(listed_.begin(), listed_.end(), any))
      return "where any has an entry";
    return std::none_of(listed_.begin(), listed_.end(), withoutAny) ? "where all have one"
                                                                    : "where those have one that the value needs";
  }

private:
  template <typename Present> bool holdsWith(const Present &present) const {
    return holds(domain_, [&](OperandId id) {
      return std::find(listed_.begin(), listed_.end(), id) == listed_.end() || present(id);
    });
  }

  const sema::Domain &domain_;
  const std::vector<OperandId> &listed_;
};

/// "all of i", "blocks of 4 of i"
std::string rangeOf(const sema::Kernel &kernel, const sema::Loop &loop) {
  const std::string extent = kernel.extents[loop.extent].name;
  return loop.part == format::Part::Quotient    ? "blocks of " + std::to_string(loop.block) + " of " + extent
         : loop.part == format::Part::Remainder ? "within a block of " + std::to_string(loop.block)
                                                : "all of " + extent;
}

std::string overOf(const sema::Kernel &kernel, const sema::Term &term, LoopId loop) {
  std::string lists, located;
  for (OperandId id : term.operands.ids()) {
    const std::optional<int> level = levelAt(kernel, term.operands[id], loop);
    if (!level)
      continue;
    const sema::Tensor &tensor = kernel.tensors[term.operands[id].tensor];
    const bool isList = isListed(tensor.format, *level);
    std::string &text = isList ? lists : located;
    text += (text.empty() ? "" : isList ? " and " : ", ") + walkOf(tensor, *level);
  }
  const std::vector<OperandId> listed = listedIn(kernel, term, loop);
  const sema::Domain domain = domainOf(term, kernel);
  const ListUse use(domain, listed);
  if (const std::optional<OperandId> kept = sema::lookedUpIn(kernel, term, loop)) {
    const OperandId other = *kept == listed[0] ? listed[1] : listed[0];
    const auto list = [&](OperandId id) {
      return walkOf(kernel.tensors[term.operands[id].tensor], *levelAt(kernel, term.operands[id], loop));
    };
    return list(other) + ", looked up in " + list(*kept);
  }
  if (!listed.empty() && !use.visitsAll())
    return listed.size() == 1 ? lists : lists + ", merged: " + use.where();
  std::string range = rangeOf(kernel, term.loops[loop]);
  for (const std::string &text : {located, lists})
    range += text.empty() ? "" : ", " + text;
  return range;
}

/// What the loops for the most capable processor say of this one.
std::vector<std::string> notesOf(const sema::Kernel &kernel, const sema::Term &term, LoopId loop,
                                 const pipeline::BodyFacts *body) {
  if (!body || body->machines.empty())
    return {};
  const auto isThis = [&](const pipeline::LoopRange &range) {
    if (range.kind == pipeline::LoopRange::Kind::Extent)
      return range.name == kernel.extents[term.loops[loop].extent].name && listedIn(kernel, term, loop).empty();
    for (OperandId id : term.operands.ids()) {
      const std::optional<int> level = levelAt(kernel, term.operands[id], loop);
      const sema::TensorId own = term.operands[id].tensor, owner = sema::structureOwner(kernel, own);
      if (level == range.level && (kernel.tensors[own].name == range.name || kernel.tensors[owner].name == range.name))
        return true;
    }
    return false;
  };
  std::vector<std::string> notes;
  bool prefetches = false, tiles = false;
  const pipeline::LoopFacts *widest = nullptr;
  for (const pipeline::LoopFacts &facts : body->machines.back().loops) {
    if (std::none_of(facts.ranges.begin(), facts.ranges.end(), isThis))
      continue;
    prefetches |= facts.prefetches;
    tiles |= facts.isTile && facts.ranges.front().kind == pipeline::LoopRange::Kind::Extent && facts.lanes == 1 &&
             loop.index() > 0;
    if (facts.lanes > 1 &&
        (!widest || facts.lanes * (1 + facts.accumulators) > widest->lanes * (1 + widest->accumulators)))
      widest = &facts;
  }
  if (tiles)
    notes.push_back("in tiles, outside of the sums");
  // A loop around others has vectors where it begins and ends a row, which says little.
  const bool isOuter = loop.index() + 1 < term.loops.size() && widest && widest->accumulators == 0;
  if (widest && !isOuter)
    notes.push_back("vectors of " + std::to_string(widest->lanes) + " " + widest->element +
                    (widest->accumulators > 0
                         ? ", up to " + std::to_string(widest->accumulators) + " of them kept in registers"
                         : ""));
  if (prefetches)
    notes.push_back("prefetches what later entries read");
  return notes;
}

} // namespace

std::vector<OperandId> listedIn(const sema::Kernel &kernel, const sema::Term &term, LoopId loop) {
  std::vector<OperandId> listed;
  for (OperandId id : term.operands.ids())
    if (const std::optional<int> level = levelAt(kernel, term.operands[id], loop))
      if (isListed(kernel.tensors[term.operands[id].tensor].format, *level))
        listed.push_back(id);
  return listed;
}

bool visitsAll(const sema::Kernel &kernel, const sema::Term &term, LoopId loop) {
  const std::vector<OperandId> listed = listedIn(kernel, term, loop);
  const sema::Domain domain = domainOf(term, kernel);
  return listed.empty() || ListUse(domain, listed).visitsAll();
}

Nest nestOf(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term,
            const pipeline::BodyFacts *body) {
  Nest nest{sema::describe(kernel, statement, term), term.where, {}};
  for (LoopId loop : term.loops.ids())
    nest.loops.push_back({term.loops[loop].variable, term.loops[loop].isReduction, overOf(kernel, term, loop),
                          notesOf(kernel, term, loop, body)});
  return nest;
}

} // namespace spc::explain
