#include "sema/amounts.h"
#include "sema/program.h"
#include "sema/rankings.h"
#include "sema/verify/verification.h"

#include <algorithm>

namespace spc::sema {
namespace {

bool isSparse(const Kernel &kernel, TensorId id) {
  return !kernel.tensors[id].format.isDense();
}

bool areTensors(Verification &verification, std::initializer_list<TensorId> ids) {
  return verification.holds(
      std::all_of(ids.begin(), ids.end(), [&](TensorId id) { return verification.kernel.tensors.has(id); }),
      "has a tensor that is none of the kernel's");
}

/// Whether two tensors of one type correspond, dimension by dimension: `dims` says of one of `from` which of `to` it
/// is.
bool areAlike(Verification &verification, TensorId from, TensorId to, const std::vector<int> &dims) {
  const Tensor &source = verification.kernel.tensors[from], &target = verification.kernel.tensors[to];
  if (!verification.holds(source.type == target.type, "takes entries of another type") ||
      !verification.holds(source.order() == target.order() && isPermutation(dims, source.order()),
                          "does not take each dimension to one"))
    return false;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (!verification.holds(source.extents[dim] == target.extents[static_cast<size_t>(dims[dim])],
                            "takes a dimension to one that is not as long"))
      return false;
  return true;
}

/// An assembled target: every term's loops come to its dimensions in collecting order, to those of a row outermost.
bool collectingHolds(Verification &verification, const Statement &statement, const Tensor &target) {
  const Collecting &collecting = *statement.collecting;
  if (!verification.holds(isPermutation(collecting.dims, target.order()), "does not collect each dimension once") ||
      !verification.holds(collecting.rowOrder >= 0 && collecting.rowOrder < target.order(),
                          "has rows of all dimensions, or of less than none") ||
      !verification.holds(!statement.zeroFirst, "sets a target to 0 that it builds anew") ||
      !verification.holds(!collecting.isWide || isHalf(target.type), "collects what are no half floats in f32"))
    return false;
  for (const Term &term : statement.terms)
    for (int k = 0; k < target.order(); ++k) {
      const Index &index = term.target[static_cast<size_t>(collecting.dims[static_cast<size_t>(k)])];
      const bool follows =
          k == 0 || term.target[static_cast<size_t>(collecting.dims[static_cast<size_t>(k - 1)])].terms < index.terms;
      if (!verification.holds(index.isLoop() && !term.overwrites, "collects other than by its loops' variables") ||
          !verification.holds(follows, "does not come to the target's entries in collecting order") ||
          !verification.holds(k >= collecting.rowOrder || index.terms.front().loop == LoopId(static_cast<size_t>(k)),
                              "has a loop of a row that is none of the outermost ones"))
        return false;
    }
  return true;
}

/// What a statement does to its target, other than term by term.
bool targetHolds(Verification &verification, const Statement &statement) {
  const Tensor &target = verification.kernel.tensors[statement.target];
  // One without terms adds to its target what is nowhere.
  const bool overwrites = !statement.terms.empty() && statement.terms.front().overwrites;
  return verification.holds(!statement.terms.empty() || !statement.collecting, "collects entries of no terms") &&
         verification.holds(target.isWritten, "has a target that is no output") &&
         verification.holds(target.is<Parameter>() || target.is<Temporary>(), "has a target that nobody reads") &&
         verification.holds(statement.collecting.has_value() == target.isAssembled(),
                            "collects entries and does not assemble them, or the other way round") &&
         verification.holds(!statement.zeroFirst || !overwrites, "sets a target to 0 that it overwrites") &&
         verification.holds(statement.reduction == Reduction::Sum || statement.terms.size() == 1,
                            "has several terms of a reduction other than a sum") &&
         verification.holds(statement.computeType == arithmeticType(statement.computeType),
                            "computes in a type that values are stored in alone") &&
         verification.holds(statement.reduction <= Reduction::All, "has a reduction that is made of others");
}

bool stepHolds(Verification &verification, const Statement &statement) {
  if (!areTensors(verification, {statement.target}) || !targetHolds(verification, statement))
    return false;
  for (size_t k = 0; k < statement.terms.size(); ++k) {
    const Term &term = statement.terms[k];
    verification.term = k;
    if (!verification.holds(k == 0 || !term.overwrites, "overwrites what the terms before it add up") ||
        !termHolds(verification, statement, term) || !expressionHolds(verification, statement, term))
      return false;
  }
  verification.term.reset();
  return !statement.collecting ||
         collectingHolds(verification, statement, verification.kernel.tensors[statement.target]);
}

bool stepHolds(Verification &verification, const Copy &copy) {
  if (!areTensors(verification, {copy.from, copy.to}))
    return false;
  const Tensor &from = verification.kernel.tensors[copy.from], &to = verification.kernel.tensors[copy.to];
  return verification.holds(from.format.isDense() && to.format.isDense(),
                            "copies a sparse tensor element by element") &&
         verification.holds(from.type == to.type && from.extents == to.extents, "copies to another type or shape") &&
         verification.holds(to.isWritten, "copies to what is no output");
}

bool stepHolds(Verification &verification, const Conversion &conversion) {
  const Kernel &kernel = verification.kernel;
  return areTensors(verification, {conversion.from, conversion.to}) &&
         verification.holds(isSparse(kernel, conversion.from), "converts a dense tensor") &&
         verification.holds(kernel.tensors[conversion.to].isAssembled(), "converts to what is not assembled") &&
         verification.holds(kernel.tensors[conversion.from].fill == kernel.tensors[conversion.to].fill,
                            "converts to another fill") &&
         areAlike(verification, conversion.from, conversion.to, conversion.dims);
}

bool isRemade(const Tensor &tensor) {
  const auto *tie = tensor.as<Tie>();
  return tensor.is<Converted>() || (tie && !readBy(*tie).empty());
}

bool stepHolds(Verification &verification, const RefreshCopy &refresh) {
  return areTensors(verification, {refresh.copy}) &&
         verification.holds(isRemade(verification.kernel.tensors[refresh.copy]), "refreshes what is no copy");
}

bool stepHolds(Verification &verification, const Distribution &distribution) {
  const Kernel &kernel = verification.kernel;
  if (!areTensors(verification, {distribution.from}) ||
      !verification.holds(isSparse(kernel, distribution.from) && !distribution.parts.empty(),
                          "distributes what has no entries, or to nothing"))
    return false;
  for (TensorId part : distribution.parts) {
    if (!areTensors(verification, {part}))
      return false;
    const Tensor &from = kernel.tensors[distribution.from], &to = kernel.tensors[part];
    if (!verification.holds(to.isWritten && to.is<Parameter>() && isSparse(kernel, part),
                            "distributes to what is no sparse output") ||
        !verification.holds(from.type == to.type && from.extents == to.extents && from.fill == to.fill,
                            "distributes to another type, shape or fill"))
      return false;
  }
  return verification.holds(distribution.parts == partsOf(kernel, distribution.parts.front()),
                            "distributes to other than all parts of one output");
}

bool stepHolds(Verification &verification, const Placement &placement) {
  const Kernel &kernel = verification.kernel;
  if (!areTensors(verification, {placement.from, placement.to}))
    return false;
  const Tensor &to = kernel.tensors[placement.to];
  return verification.holds(isSparse(kernel, placement.from) && isSparse(kernel, placement.to),
                            "places entries of a dense tensor, or in one") &&
         verification.holds(to.isWritten && to.is<Parameter>() && !to.isAssembled() && hasPlaces(to.format),
                            "places entries in what has no structure that stays, or no places to look them up") &&
         areAlike(verification, placement.from, placement.to, placement.dims);
}

bool stepHolds(Verification &verification, const Ranking &ranking) {
  const Kernel &kernel = verification.kernel;
  if (!areTensors(verification, {ranking.from, ranking.to}))
    return false;
  const Tensor &from = kernel.tensors[ranking.from], &to = kernel.tensors[ranking.to];
  const size_t rows = ranking.rowDims.size();
  std::vector<int> targetDims = ranking.rowDims;
  targetDims.push_back(ranking.rankDim);
  if (!verification.holds(isPermutation(ranking.dims, from.order()) && rows < ranking.dims.size() &&
                              isPermutation(targetDims, to.order()),
                          "ranks other dimensions than there are") ||
      !verification.holds(to.format.isDense() && to.isWritten, "ranks into what is no dense output") ||
      !verification.holds(language::isRanking(ranking.kind) &&
                              to.type == (language::ranksPlaces(ranking.kind) ? ValueType::I64 : from.type),
                          "ranks into another type") ||
      !verification.holds(from.format.isDense() || listsRowsInOrder(from.format, ranking.dims),
                          "ranks what does not list its rows in order"))
    return false;
  for (size_t k = 0; k < rows; ++k)
    if (!verification.holds(from.extents[static_cast<size_t>(ranking.dims[k])] ==
                                to.extents[static_cast<size_t>(ranking.rowDims[k])],
                            "ranks into rows of another number"))
      return false;
  return true;
}

} // namespace

bool stepsHold(Verification &verification) {
  const std::vector<Step> &steps = verification.kernel.steps;
  if (!verification.holds(!steps.empty(), "the kernel has no steps"))
    return false;
  for (size_t k = 0; k < steps.size(); ++k) {
    verification.step = k;
    if (!std::visit([&](const auto &step) { return stepHolds(verification, step); }, steps[k]))
      return false;
  }
  verification.step.reset();
  return true;
}

} // namespace spc::sema
