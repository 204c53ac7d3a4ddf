#include "sema/verify/verification.h"

#include "format/levels.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

using format::Part;

bool loopsHold(Verification &verification, const Term &term) {
  for (const Loop &loop : term.loops) {
    const bool isBlock = loop.part == Part::Quotient || loop.part == Part::Remainder;
    if (!verification.holds(verification.kernel.extents.has(loop.extent), "has a loop over no extent of the kernel") ||
        !verification.holds(!loop.variable.empty(), "has a loop without a name") ||
        !verification.holds(!isBlock || loop.block > 0, "has a loop over blocks of no size"))
      return false;
  }
  return true;
}

bool indicesHold(Verification &verification, const Term &term, const std::vector<Index> &indices) {
  for (const Index &index : indices)
    for (const IndexTerm &part : index.terms)
      if (!verification.holds(term.loops.has(part.loop) && part.scale != 0, "has an index by no loop of the term"))
        return false;
  return verification.holds(
      std::none_of(indices.begin(), indices.end(), [](const Index &index) { return index.terms.empty(); }),
      "has an index without a loop");
}

/// Whether an index that is one loop runs over a dimension, which is so long.
bool runsOver(const Term &term, const Index &index, ExtentId extent) {
  return !index.isLoop() || term.loops[index.terms.front().loop].part != Part::Whole ||
         term.loops[index.terms.front().loop].extent == extent;
}

/// Of a sparse tensor's levels: a loop each, in the order of the nest, over what the level stores. A dense root alone
/// may be at a sum of loops. `ordered`: so many of them are walked; the others, of a tail, are found at any loop.
bool levelsHold(Verification &verification, const Term &term, const Tensor &tensor, const std::vector<Index> &indices,
                int ordered) {
  LoopId innermost;
  for (size_t k = 0; k < indices.size(); ++k) {
    const format::Level &level = tensor.format.levels[k];
    const Index &index = indices[k];
    const Loop &loop = term.loops[index.terms.front().loop];
    const bool isSum = index.terms.size() > 1 || index.terms.front().scale != 1;
    if (!verification.holds(index.constant == 0, "has a level that is shifted") ||
        !verification.holds(!isSum || (k == 0 && level.isFullyDense() && level.part == Part::Whole),
                            "has a level at a sum of loops that is no dense root") ||
        !verification.holds(k == 0 || static_cast<int>(k) >= ordered || innermost < index.terms.front().loop,
                            "has levels in another order than the loops") ||
        !verification.holds(
            isSum || (loop.part == level.part &&
                      (loop.part == Part::Whole || loop.part == Part::Difference || loop.block == level.block)),
            "has a level that stores another part of its index than the loop is over") ||
        !verification.holds(runsOver(term, index, tensor.extents[static_cast<size_t>(level.dim)]),
                            "has a level that is not as long as its loop"))
      return false;
    for (const IndexTerm &part : index.terms)
      innermost = std::max(innermost, part.loop);
  }
  return true;
}

/// Whether a loop may be in an index with that factor: one over blocks with their size, one over diagonals also with
/// -1.
bool mayBeScaled(const Loop &loop, int64_t scale) {
  return loop.part == Part::Quotient ? scale == loop.block
                                     : scale == 1 || (loop.part == Part::Difference && scale == -1);
}

/// Of a dense tensor's dimensions. MLIR's sparsifier would take i in (i, i + d) for a repeated index, without a word.
bool dimensionsHold(Verification &verification, const Term &term, const Tensor &tensor,
                    const std::vector<Index> &indices) {
  std::set<LoopId> plain;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const Index &index = indices[dim];
    const bool areScaled = std::all_of(index.terms.begin(), index.terms.end(), [&](const IndexTerm &part) {
      return mayBeScaled(term.loops[part.loop], part.scale);
    });
    const bool repeats =
        !index.isLoop() && std::any_of(index.terms.begin(), index.terms.end(),
                                       [&](const IndexTerm &part) { return plain.contains(part.loop); });
    if (!verification.holds(runsOver(term, index, tensor.extents[dim]),
                            "has a dimension that is not as long as its loop") ||
        !verification.holds(areScaled, "has an index by another multiple of a loop than its blocks") ||
        !verification.holds(!repeats, "has a loop by itself before an index that is a sum with it"))
      return false;
    if (index.isLoop())
      plain.insert(index.terms.front().loop);
  }
  return true;
}

/// Where the term writes.
bool targetHolds(Verification &verification, const Statement &statement, const Term &term) {
  const Tensor &target = verification.kernel.tensors[statement.target];
  const bool byDimension = target.format.isDense() || target.isAssembled();
  const size_t count = byDimension ? target.extents.size() : target.format.levels.size();
  if (!verification.holds(term.target.size() == count, "has more or fewer indices than its target") ||
      !indicesHold(verification, term, term.target))
    return false;
  std::set<LoopId> written;
  for (const Index &index : term.target)
    for (const IndexTerm &part : index.terms)
      written.insert(part.loop);
  for (LoopId id : term.loops.ids()) {
    const Loop &loop = term.loops[id];
    if (!verification.holds(loop.isReduction || written.contains(id),
                            "has a loop that is no reduction, and does not index the target") ||
        !verification.holds(!loop.isReduction || loop.part != Part::Whole || !written.contains(id) ||
                                std::none_of(term.target.begin(), term.target.end(),
                                             [&](const Index &index) { return index == Index{{{id}}}; }),
                            "has a reduction that indexes the target") ||
        !verification.holds(!loop.isReduction || !term.overwrites, "overwrites elements in a reduction"))
      return false;
  }
  return byDimension ? dimensionsHold(verification, term, target, term.target)
                     : levelsHold(verification, term, target, term.target,
                                  structureLevels(verification.kernel, statement.target));
}

/// An operand that is read at the positions of another one.
bool followerHolds(Verification &verification, const Term &term, const Operand &operand) {
  const Kernel &kernel = verification.kernel;
  if (!verification.holds(term.operands.has(*operand.follows), "follows no operand"))
    return false;
  const Operand &leader = term.operands[*operand.follows];
  const bool isAtOnePlace = leader.indices.size() <= operand.indices.size() &&
                            std::equal(leader.indices.begin(), leader.indices.end(), operand.indices.begin());
  return verification.holds(!leader.follows && isAtOnePlace,
                            "follows one that follows another, or is read elsewhere") &&
         verification.holds(kernel.tensors.has(leader.tensor) &&
                                structureOwner(kernel, leader.tensor) == structureOwner(kernel, operand.tensor),
                            "follows one of another structure");
}

/// A root that is looked up is one of a copy, at coordinates that another operand lists.
bool foundHolds(Verification &verification, const Term &term, const Tensor &tensor, const Index &root) {
  const auto lists = [&](const Operand &operand) {
    const format::Format &format = verification.kernel.tensors[operand.tensor].format;
    for (size_t k = 0; k < operand.indices.size() && !format.isDense() && !operand.follows; ++k)
      if (operand.indices[k] == root && !format.levels[k].isFullyDense())
        return true;
    return false;
  };
  return verification.holds(tensor.is<Converted>(), "is looked up, and no copy") &&
         verification.holds(root.isLoop() && std::any_of(term.operands.begin(), term.operands.end(), lists),
                            "is looked up where no operand lists coordinates");
}

bool operandHolds(Verification &verification, const Statement &statement, const Term &term, const Operand &operand) {
  const Kernel &kernel = verification.kernel;
  if (!verification.holds(kernel.tensors.has(operand.tensor), "is no tensor of the kernel"))
    return false;
  verification.tensor = operand.tensor;
  const Tensor &tensor = kernel.tensors[operand.tensor];
  const bool isDense = tensor.format.isDense(), isSymmetric = tensor.format.symmetry != format::Symmetry::None;
  const size_t count = isDense ? tensor.extents.size() : tensor.format.levels.size();
  const bool holds =
      verification.holds(!tensor.is<Fused>() && !tensor.is<Held>(), "is read, and nowhere stored") &&
      verification.holds(operand.indices.size() == count, "has more or fewer indices than the tensor") &&
      indicesHold(verification, term, operand.indices) && indicesHold(verification, term, operand.diagonal) &&
      verification.holds(operand.diagonal.size() == (operand.skipsDiagonal ? 2 : 0) &&
                             (!operand.skipsDiagonal || isSymmetric),
                         "skips a diagonal that it lacks") &&
      verification.holds(isDense || tensor.fill == 0 || !format::hasPadding(tensor.format),
                         "is padded with zeros, and has missing entries that are none") &&
      verification.holds(isDense || !term.overwrites || operand.tensor == statement.target,
                         "is sparse, in a term that writes every element") &&
      (!operand.follows || followerHolds(verification, term, operand)) &&
      (isDense || !tensor.format.levels.front().isFound ||
       foundHolds(verification, term, tensor, operand.indices.front())) &&
      (isDense ? dimensionsHold(verification, term, tensor, operand.indices)
               : levelsHold(verification, term, tensor, operand.indices,
                            operand.follows ? structureLevels(kernel, operand.tensor) : tensor.format.levelCount()));
  if (holds)
    verification.tensor.reset();
  return holds;
}

/// What loops that walk all operands at once take for granted.
bool mergedHolds(Verification &verification, const Statement &statement, const Term &term) {
  const Kernel &kernel = verification.kernel;
  if (!verification.holds(term.domain.has_value(), "is merged, and has no domain") ||
      !verification.holds(!kernel.tensors[statement.target].shared(), "is merged into another tensor's structure"))
    return false;
  for (const Operand &operand : term.operands) {
    const format::Format &format = kernel.tensors[operand.tensor].format;
    for (int k = 0; k < format.levelCount() && !format.isDense(); ++k) {
      const format::Level &level = format.levels[static_cast<size_t>(k)];
      const format::LevelKind kind = format::kindOf(format, k);
      const bool isPlain = kind == format::LevelKind::Dense || kind == format::LevelKind::Compressed;
      if (!verification.holds(isPlain && level.part == Part::Whole && level.ordered && level.unique &&
                                  !level.hasLengths() && !operand.follows &&
                                  operand.indices[static_cast<size_t>(k)].isLoop(),
                              "is merged, with an operand that its loops cannot walk"))
        return false;
    }
  }
  return true;
}

/// What is scaled behind each row is 0 before, and added up by one loop.
bool scalesRowsHolds(Verification &verification, const Statement &statement, const Term &term) {
  const auto addUp =
      std::count_if(term.loops.begin(), term.loops.end(), [](const Loop &loop) { return loop.isReduction; });
  return verification.holds(addUp == 1 && !term.loops.back().isReduction,
                            "is scaled behind each row, which one loop around others does not add up") &&
         verification.holds(statement.zeroFirst && statement.terms.size() == 1,
                            "is scaled behind each row, with what else is there");
}

} // namespace

bool termHolds(Verification &verification, const Statement &statement, const Term &term) {
  if (!loopsHold(verification, term) || !targetHolds(verification, statement, term))
    return false;
  std::set<std::tuple<TensorId, std::vector<Index>, bool>> distinct;
  for (OperandId id : term.operands.ids()) {
    const Operand &operand = term.operands[id];
    verification.operand = id;
    if (!operandHolds(verification, statement, term, operand) ||
        !verification.holds(distinct.emplace(operand.tensor, operand.indices, operand.skipsDiagonal).second,
                            "is listed twice"))
      return false;
  }
  verification.operand.reset();
  return (!term.isMerged || mergedHolds(verification, statement, term)) &&
         (!term.scalesRows || scalesRowsHolds(verification, statement, term));
}

} // namespace spc::sema
