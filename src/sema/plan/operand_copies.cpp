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
    for (const IndexTerm &part : space.valueOf(operand.variables[dim]).terms) {
      const auto place = std::find(order.begin(), order.end(), static_cast<int>(part.loop.index()));
      last = std::max(last, static_cast<int>(place - order.begin()));
    }
    places.emplace_back(last, dim);
  }
  std::sort(places.begin(), places.end());
  const bool isHypersparse = std::none_of(source.format.levels.begin(), source.format.levels.end(),
                                          [](const format::Level &level) { return level.isDense(); });
  std::vector<int> dims;
  for (auto [place, dim] : places)
    dims.push_back(dim);
  const bool listsRoot = source.order() == 1 || (isHypersparse && isListed && places.front().first == 0 &&
                                                 !planning_.copies.hasDenseRoot(access.tensor, dims));
  for (int dim : dims) {
    if (format.levels.empty() && !listsRoot)
      format.levels.push_back({.dim = dim});
    else
      format.levels.push_back({.dim = dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged});
  }
  for (TensorId id : kernel_.tensors.ids())
    if (isCopyOf(id, access.tensor, dropsPadding) && kernel_.tensors[id].format.sameStorage(format))
      return id;
  if (asksFor(access.tensor, format))
    return access.tensor;
  if (!listsRoot && hasListedCopy(access.tensor, dims))
    planning_.copies.askForDenseRoot(access.tensor, dims);
  const int root = operand.variables[format.levels.front().dim];
  reportCopy(access, format, space.valueOf(root).terms.size() == 1, scope);
  const TensorId copy = addConverted(kernel_, {access.tensor, false, dropsPadding}, std::move(format), access.where);
  if (isWritten(access.tensor) || planning_.refreshes.contains(access.tensor)) {
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
         (contains(current_, id) || (!isWritten(source) && !planning_.refreshes.contains(id)));
}

/// Whether there is a copy with these dimensions whose root is a list, though another one's is not.
bool OperandCopies::hasListedCopy(TensorId source, const std::vector<int> &dims) const {
  return std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const Tensor &tensor) {
    const auto *copy = tensor.as<Converted>();
    const std::vector<format::Level> &levels = tensor.format.levels;
    return copy && copy->source == source && !levels.front().isDense() &&
           std::equal(levels.begin(), levels.end(), dims.begin(), dims.end(),
                      [](const format::Level &level, int dim) { return level.dim == dim; });
  });
}

/// Whether a canonical copy can as well be made in this format: where no other access reads it, or in the same order.
bool OperandCopies::asksFor(TensorId copy, const format::Format &format) const {
  const auto *role = kernel_.tensors[copy].as<Converted>();
  if (!role || !role->isCanonical)
    return false;
  int uses = 0;
  for (const ResolvedStatement &statement : planning_.statements)
    uses += static_cast<int>(std::count_if(statement.scope.accesses.begin(), statement.scope.accesses.end(),
                                           [&](const Access &access) { return access.tensor == copy; }));
  const std::vector<format::Level> &levels = kernel_.tensors[copy].format.levels;
  const bool isSameOrder =
      std::equal(levels.begin(), levels.end(), format.levels.begin(), format.levels.end(),
                 [](const format::Level &one, const format::Level &other) { return one.dim == other.dim; });
  return (uses == 1 || isSameOrder) && planning_.copies.askFor(kernel_, role->source, format);
}

bool OperandCopies::isWritten(TensorId tensor) const {
  return contains(written_, tensor);
}

void OperandCopies::refreshBefore(size_t statement) {
  for (const auto &[copy, first] : planning_.refreshes)
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
  planning_.diagnostics
      .report(kReorder, access.where,
              nameInMessages(kernel_, access.tensor) +
                  " is reordered: its storage does not fit the loops here, and each call copies its entries once")
      .note({}, "the copy is stored as " + stored)
      .advise(adviceAgainstCopy(kernel_, access, format, rootIsListable, scope));
}

} // namespace spc::sema
