#include "sema/verify/verification.h"

#include "format/levels.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

bool formatHolds(Verification &verification, const Tensor &tensor) {
  const format::Format &format = tensor.format;
  const int order = format.order();
  if (!verification.holds(!format.isSum(), "has a format that is a sum of parts"))
    return false;
  std::set<int> stored;
  for (const format::Level &level : format.levels) {
    const bool isDifference = level.part == format::Part::Difference;
    const bool isBlock = level.part == format::Part::Quotient || level.part == format::Part::Remainder;
    if (!verification.holds(level.dim >= 0 && level.dim < order, "has a level of a dimension that it lacks") ||
        !verification.holds(!isDifference || (level.minus >= 0 && level.minus < order && level.minus != level.dim),
                            "has a level of diagonals that are none of its own") ||
        !verification.holds(!isBlock || level.block > 0, "has a level of blocks of no size"))
      return false;
    stored.insert(level.dim);
    if (isDifference)
      stored.insert(level.minus);
  }
  return verification.holds(static_cast<int>(stored.size()) == order, "has a format that lacks a dimension");
}

bool extentsHold(Verification &verification, const Tensor &tensor) {
  const Kernel &kernel = verification.kernel;
  const bool areKnown = std::all_of(tensor.extents.begin(), tensor.extents.end(),
                                    [&](ExtentId extent) { return kernel.extents.has(extent); });
  if (!verification.holds(static_cast<int>(tensor.extents.size()) == tensor.order(),
                          "has more or fewer extents than dimensions") ||
      !verification.holds(areKnown, "has an extent that is none of the kernel's"))
    return false;
  if (tensor.format.symmetry == format::Symmetry::None)
    return true;
  return verification.holds(tensor.order() == 2 && tensor.extents.front() == tensor.extents.back(),
                            "is symmetric, and no square matrix");
}

/// Whether a tensor could take over the levels of another one, whose dimensions may be in another order. A temporary
/// may have dense ones after them.
bool hasLevelsOf(const Tensor &tensor, const Tensor &owner) {
  const std::vector<format::Level> &levels = tensor.format.levels, &others = owner.format.levels;
  if (levels.size() < others.size() || (levels.size() > others.size() && !tensor.is<Temporary>()))
    return false;
  for (size_t k = others.size(); k < levels.size(); ++k)
    if (!levels[k].isFullyDense() || levels[k].part != format::Part::Whole)
      return false;
  for (size_t k = 0; k < others.size(); ++k) {
    const auto dim = static_cast<size_t>(levels[k].dim), other = static_cast<size_t>(others[k].dim);
    if (format::kindOf(tensor.format, static_cast<int>(k)) != format::kindOf(owner.format, static_cast<int>(k)) ||
        levels[k].part != others[k].part || levels[k].block != others[k].block ||
        tensor.extents[dim] != owner.extents[other])
      return false;
  }
  return true;
}

/// A tensor with another one's structure. All ids of owners are known to be tensors.
bool sharedHolds(Verification &verification, const Tensor &tensor) {
  const Kernel &kernel = verification.kernel;
  const SharedWith &shared = *tensor.shared();
  TensorId last = *verification.tensor;
  for (size_t steps = 0; kernel.tensors[last].shared(); ++steps) {
    if (!verification.holds(steps < kernel.tensors.size(), "has a structure that nothing owns"))
      return false;
    last = kernel.tensors[last].shared()->owner;
  }
  const Tensor &owner = kernel.tensors[shared.owner], &source = kernel.tensors[last];
  if (!verification.holds(!tensor.format.isDense() && !source.format.isDense(),
                          "shares the structure of no sparse one"))
    return false;
  if (shared.declared)
    return verification.holds(owner.format.sameStorage(tensor.format) && owner.extents == tensor.extents,
                              "is declared to have a structure that its format or its shape do not fit");
  return verification.holds(tensor.isWritten, "is an operand that shares a structure undeclared") &&
         verification.holds(hasLevelsOf(tensor, source), "shares a structure that its levels do not fit");
}

/// Whose structure the tensor has, and whether its arrays are there when the entry makes room for the tensor.
bool structureHolds(Verification &verification, const Tensor &tensor) {
  const Kernel &kernel = verification.kernel;
  if (tensor.isAssembled())
    return verification.holds(tensor.isWritten && !tensor.format.isDense(), "is assembled, and no sparse output");
  if (!tensor.shared())
    return verification.holds(!tensor.is<Temporary>() || tensor.format.isDense(),
                              "is a sparse temporary that nothing gives a structure");
  if (!sharedHolds(verification, tensor))
    return false;
  const Tensor &owner = kernel.tensors[structureOwner(kernel, *verification.tensor)];
  const bool isGiven = owner.is<Parameter>() && (!owner.isAssembled() || owner.isRead);
  const bool isMade = owner.is<Converted>() || owner.is<Tie>() || owner.is<Constant>();
  return verification.holds(isGiven || (tensor.is<Temporary>() && isMade),
                            "shares a structure that is not there when the call begins");
}

bool copyHolds(Verification &verification, const Tensor &tensor, const Converted &copy) {
  const Kernel &kernel = verification.kernel;
  if (!verification.holds(kernel.tensors.has(copy.source), "is a copy of no tensor"))
    return false;
  const Tensor &source = kernel.tensors[copy.source];
  const bool isSame = source.type == tensor.type && source.extents == tensor.extents && source.fill == tensor.fill;
  return verification.holds(!source.format.isDense() && !tensor.format.isDense(), "is a copy to or from no list") &&
         verification.holds(isSame, "is a copy of another type, shape or fill than its source has") &&
         verification.holds(!source.is<Converted>() || copy.source < *verification.tensor,
                            "is a copy of a copy that is made after it") &&
         verification.holds(!source.isNowhere(), "is a copy of what is nowhere stored") &&
         verification.holds(!copy.isCanonical || format::isCanonical(tensor.format),
                            "is a canonical copy in a format that is not canonical") &&
         verification.holds(!tensor.isWritten, "is a copy, and written");
}

/// A constant has as many extents, of fixed sizes, as what it holds.
bool constantHolds(Verification &verification, const Tensor &tensor, const Constant &constant) {
  const auto isOfSize = [&](size_t dim) {
    return verification.kernel.extents[tensor.extents[dim]].fixed == constant.entries->shape[dim];
  };
  if (!verification.holds(constant.entries && constant.entries->shape.size() == tensor.extents.size(),
                          "is a constant without numbers"))
    return false;
  for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
    if (!verification.holds(isOfSize(dim), "is a constant of another shape than its numbers have"))
      return false;
  return verification.holds(!tensor.isWritten && !tensor.shared(), "is a constant, and written or without a structure");
}

bool tieHolds(Verification &verification, const Tensor &tensor, const Tie &tie) {
  const Kernel &kernel = verification.kernel;
  const size_t rows = static_cast<size_t>(tensor.order()) - 1;
  const Tensor *source = tie.source && kernel.tensors.has(*tie.source) ? &kernel.tensors[*tie.source] : nullptr;
  const bool isHeld = source && isInteger(source->type) && source->format.isDense() && source->extents.size() == rows &&
                      std::equal(source->extents.begin(), source->extents.end(), tensor.extents.begin());
  return verification.holds(tensor.type == ValueType::Bool && tie.columnScale > 0 && tie.rowScales.size() == rows,
                            "is a tie of other variables than it has") &&
         verification.holds(!tie.source || isHeld, "is a tie to what holds no indices") &&
         verification.holds(!tensor.isWritten, "is a tie, and written");
}

bool viewHolds(Verification &verification, const Tensor &tensor, const View &view) {
  const Kernel &kernel = verification.kernel;
  if (!verification.holds(kernel.tensors.has(view.source), "is a view of no tensor"))
    return false;
  const Tensor &source = kernel.tensors[view.source];
  for (const Window &window : view.windows)
    for (const Window::Multiple &term : window.terms)
      if (!verification.holds(term.dim >= 0 && term.dim < tensor.order(), "is a view by an index that it lacks"))
        return false;
  return verification.holds(source.format.isDense() && tensor.format.isDense(), "is a view of a sparse tensor") &&
         verification.holds(static_cast<int>(view.windows.size()) == source.order(),
                            "is a view that lacks an index of its source") &&
         verification.holds(source.type == tensor.type, "is a view of another type than its source") &&
         verification.holds(!source.isNowhere(), "is a view of what is nowhere stored") &&
         verification.holds(!tensor.isWritten, "is a view, and written");
}

bool roleHolds(Verification &verification, const Tensor &tensor) {
  const Kernel &kernel = verification.kernel;
  const auto isParameter = [&](TensorId id) { return kernel.tensors.has(id) && kernel.tensors[id].is<Parameter>(); };
  if (const auto *copy = tensor.as<Converted>())
    return copyHolds(verification, tensor, *copy);
  if (const auto *constant = tensor.as<Constant>())
    return constantHolds(verification, tensor, *constant);
  if (const auto *tie = tensor.as<Tie>())
    return tieHolds(verification, tensor, *tie);
  if (const auto *view = tensor.as<View>())
    return viewHolds(verification, tensor, *view);
  if (const auto *size = tensor.as<Size>())
    return verification.holds(kernel.extents.has(size->extent) && tensor.order() == 0 && !tensor.isWritten,
                              "is the size of no extent");
  if (const auto *fused = tensor.as<Fused>())
    return verification.holds(kernel.tensors.has(fused->reader), "is computed in the statement of no tensor");
  if (const auto *held = tensor.as<Held>())
    return verification.holds(kernel.tensors.has(held->holder) && kernel.tensors[held->holder].isWritten &&
                                  kernel.tensors[held->holder].type == tensor.type &&
                                  kernel.tensors[held->holder].extents == tensor.extents,
                              "is in the memory of what is not like it");
  if (const auto *temporary = tensor.as<Temporary>())
    return verification.holds(!temporary->standsFor || isParameter(*temporary->standsFor),
                              "stands for what is no output");
  return verification.holds(std::count(kernel.parameters.begin(), kernel.parameters.end(), *verification.tensor) == 1,
                            "is a parameter that is not passed exactly once");
}

/// A part of a sum: one of several with a name, a shape and a type, numbered from 0.
bool partHolds(Verification &verification, const Tensor &tensor) {
  if (tensor.partOf.empty())
    return true;
  const Kernel &kernel = verification.kernel;
  const std::vector<TensorId> parts = partsOf(kernel, *verification.tensor);
  const bool isInPlace = static_cast<size_t>(tensor.part) < parts.size() &&
                         parts[static_cast<size_t>(tensor.part)] == *verification.tensor;
  const Tensor &first = kernel.tensors[parts.front()];
  return verification.holds(isInPlace, "is a part that stands at another one's place") &&
         verification.holds(first.type == tensor.type && first.extents == tensor.extents,
                            "is a part of another type or shape than the first one");
}

/// What can be said before ids are followed from tensor to tensor.
bool declarationHolds(Verification &verification, const Tensor &tensor) {
  const SharedWith *shared = tensor.shared();
  return formatHolds(verification, tensor) && extentsHold(verification, tensor) &&
         verification.holds(!shared || verification.kernel.tensors.has(shared->owner),
                            "shares the structure of no tensor");
}

bool namesHold(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  std::set<std::string_view> names, extents;
  for (const Tensor &tensor : kernel.tensors)
    if (!verification.holds(!tensor.name.empty() && names.insert(tensor.name).second, "two tensors have one name"))
      return false;
  for (const Extent &extent : kernel.extents)
    if (!verification.holds(!extent.name.empty() && extents.insert(extent.name).second, "two extents have one name"))
      return false;
  return verification.holds(!kernel.function.empty(), "the function has no name");
}

/// Whether the entry knows an extent: it is fixed, follows from others, or a struct that is passed has it.
bool isGiven(const Kernel &kernel, ExtentId extent) {
  return kernel.extents[extent].fixed || !kernel.extents[extent].sums.empty() ||
         std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](TensorId id) {
           const Tensor &tensor = kernel.tensors[id];
           return !tensor.hasDeclaredOwner() &&
                  std::find(tensor.extents.begin(), tensor.extents.end(), extent) != tensor.extents.end();
         });
}

bool sizesHold(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  for (ExtentId extent : kernel.extents.ids())
    if (!isGiven(kernel, extent))
      return verification.holds(false, "no parameter gives the extent '" + kernel.extents[extent].name + "'");
  return true;
}

bool parametersHold(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  for (TensorId id : kernel.parameters)
    if (!verification.holds(kernel.tensors.has(id) && kernel.tensors[id].is<Parameter>(),
                            "a parameter is none of the tensors that are passed"))
      return false;
  for (const LeastExtent &needed : kernel.leastExtents)
    if (!verification.holds(kernel.extents.has(needed.extent), "a least size is that of no extent"))
      return false;
  for (const LinearPlaces &extents : kernel.linearPlaces)
    for (ExtentId extent : extents)
      if (!verification.holds(kernel.extents.has(extent), "a linear place is of no extent"))
        return false;
  return true;
}

} // namespace

bool tensorsHold(Verification &verification) {
  const Kernel &kernel = verification.kernel;
  if (!namesHold(verification) || !parametersHold(verification))
    return false;
  for (bool (*holds)(Verification &, const Tensor &) : {declarationHolds, structureHolds, roleHolds, partHolds})
    for (TensorId id : kernel.tensors.ids()) {
      verification.tensor = id;
      if (!holds(verification, kernel.tensors[id]))
        return false;
    }
  verification.tensor.reset();
  return sizesHold(verification);
}

} // namespace spc::sema
