#include "sema/plan/operand_copies.h"

#include "format/levels.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/copy_advice.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kReorder{"reorder", Severity::Warning};

bool contains(const std::vector<TensorId> &list, TensorId tensor) {
  return std::find(list.begin(), list.end(), tensor) != list.end();
}

} // namespace

TensorId OperandCopies::copyFor(const Access &access, const SparseAccess &operand, const LevelSpace &space,
                                const std::vector<int> &order, bool isListed, bool dropsPadding, const Scope &scope) {
  const Tensor &source = kernel_.tensors[access.tensor];
  format::Format format;
  format.symmetry = source.format.symmetry;
  format.pointers = format.indices = indexTypeOfCopy(source.format);
  // A dimension's level stands where the last of its loops does; one that has several is the root.
  std::vector<std::pair<int, int>> places;
  for (int dim = 0; dim < source.order(); ++dim) {
    int last = 0;
    for (const IndexTerm &part : space.valueOf(operand.variables[dim])) {
      const auto place = std::find(order.begin(), order.end(), static_cast<int>(part.loop.index()));
      last = std::max(last, static_cast<int>(place - order.begin()));
    }
    places.emplace_back(last, dim);
  }
  std::sort(places.begin(), places.end());
  const bool isHypersparse = std::none_of(source.format.levels.begin(), source.format.levels.end(),
                                          [](const format::Level &level) { return level.isDense(); });
  const bool listsRoot = source.order() == 1 || (isHypersparse && isListed && places.front().first == 0);
  for (auto [place, dim] : places) {
    if (format.levels.empty() && !listsRoot)
      format.levels.push_back({.dim = dim});
    else
      format.levels.push_back({.dim = dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged});
  }
  for (TensorId id : kernel_.tensors.ids())
    if (isCopyOf(id, access.tensor, dropsPadding) && kernel_.tensors[id].format.sameStorage(format))
      return id;
  const int root = operand.variables[format.levels.front().dim];
  reportCopy(access, format, space.valueOf(root).size() == 1, scope);
  const TensorId copy = addConverted(kernel_, {access.tensor, false, dropsPadding}, std::move(format), access.where);
  if (isWritten(access.tensor) || analysis_.refreshes.contains(access.tensor)) {
    current_.push_back(copy);
    steps_.push_back({copy});
  }
  return copy;
}

/// Whether a tensor is a copy of what another one holds now: others hold what that was when the call began, or before a
/// later statement wrote it. Padding is a factor 0 to dense results, and no entry of those that are assembled.
bool OperandCopies::isCopyOf(TensorId id, TensorId source, bool dropsPadding) const {
  const auto *copy = kernel_.tensors[id].as<Converted>();
  if (!copy || copy->source != source)
    return false;
  const Tensor &whole = kernel_.tensors[source];
  const bool isOfAll = copy->isCanonical && !whole.partOf.empty();
  const bool hasZeros = !copy->isCanonical && !copy->dropsPadding;
  return !isOfAll && (!format::hasPadding(whole.format) || hasZeros != dropsPadding) &&
         (contains(current_, id) || (!isWritten(source) && !analysis_.refreshes.contains(id)));
}

bool OperandCopies::isWritten(TensorId tensor) const {
  return contains(written_, tensor);
}

void OperandCopies::refreshBefore(size_t statement) {
  for (const auto &[copy, first] : analysis_.refreshes)
    if (first <= statement && !contains(refreshed_, copy)) {
      refreshed_.push_back(copy);
      current_.push_back(copy);
      steps_.push_back({copy});
    }
}

void OperandCopies::noteWritten(TensorId tensor) {
  written_.push_back(tensor);
  std::erase_if(current_, [&](TensorId copy) { return sourceOf(kernel_.tensors[copy]) == tensor; });
}

void OperandCopies::reportCopy(const Access &access, const format::Format &format, bool rootIsListable,
                               const Scope &scope) {
  const std::string stored = format::describe(format, namesOf(access.variables, scope));
  analysis_.diagnostics
      .report(kReorder, access.where,
              nameInMessages(kernel_, access.tensor) +
                  " is reordered: its storage does not fit the loops here, and each call copies its entries once")
      .note({}, "the copy is stored as " + stored)
      .advise(adviceAgainstCopy(kernel_, access, format, rootIsListable, scope));
}

} // namespace spc::sema
