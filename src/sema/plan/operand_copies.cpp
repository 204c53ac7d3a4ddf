#include "sema/plan/operand_copies.h"

#include "format/levels.h"
#include "sema/amounts.h"
#include "sema/terms/canonical_copies.h"
#include "sema/terms/copy_advice.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kReorder{"reorder", Severity::Warning};

/// What the source of a copy is a copy of, where a copy of the loops' is made of another one; else the source.
TensorId originOf(const Kernel &kernel, TensorId id) {
  const TensorId source = kernel.tensors[id].as<Converted>()->source;
  const auto *between = kernel.tensors[source].as<Converted>();
  return between && !between->isCanonical ? between->source : source;
}

} // namespace

std::vector<std::pair<int, int>> OperandCopies::levelPlaces(const SparseAccess &operand, const LevelSpace &space,
                                                            const std::vector<int> &order) {
  // A dimension's level stands where the last of its loops does; one that has several is the root.
  std::vector<std::pair<int, int>> places;
  for (int dim = 0; dim < static_cast<int>(operand.variables.size()); ++dim) {
    int last = 0;
    for (const IndexTerm &part : space.valueOf(operand.variables[dim]).terms) {
      const auto place = std::find(order.begin(), order.end(), static_cast<int>(part.loop.index()));
      last = std::max(last, static_cast<int>(place - order.begin()));
    }
    places.emplace_back(last, dim);
  }
  std::sort(places.begin(), places.end());
  return places;
}

TensorId OperandCopies::copyFor(const Access &access, const SparseAccess &operand, const LevelSpace &space,
                                const std::vector<int> &order, RootUse root, bool dropsPadding, const Scope &scope) {
  const Tensor &source = kernel_.tensors[access.tensor];
  format::Format format;
  format.symmetry = source.format.symmetry;
  format.pointers = format.indices = indexTypeOfCopy(source.format);
  std::vector<int> dims;
  for (auto [place, dim] : levelPlaces(operand, space, order))
    dims.push_back(dim);
  const bool isHypersparse = std::none_of(source.format.levels.begin(), source.format.levels.end(),
                                          [](const format::Level &level) { return level.isDense(); });
  const bool listsRoot = source.order() == 1 || (isHypersparse && root == RootUse::Listed &&
                                                 !planning_.copies.hasDenseRoot(access.tensor, dims));
  const bool findsRoot = !listsRoot && root == RootUse::Found && !isStoredWhole(source.extents[dims.front()]);
  for (int dim : dims) {
    if (format.levels.empty() && !listsRoot)
      format.levels.push_back({.dim = dim, .isFound = findsRoot});
    else
      format.levels.push_back({.dim = dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged});
  }
  if (const std::optional<TensorId> known = copyWith(format, access.tensor, dropsPadding))
    return *known;
  if (asksFor(access.tensor, format))
    return access.tensor;
  if (!listsRoot && !findsRoot && hasListedCopy(access.tensor, dims))
    planning_.copies.askForDenseRoot(access.tensor, dims);
  const TensorId from = findsRoot ? listOf(access.tensor, format, dropsPadding) : access.tensor;
  const int rootVariable = operand.variables[format.levels.front().dim];
  reportCopy(access, format, from, space.valueOf(rootVariable).terms.size() == 1, scope);
  const TensorId copy = addConverted(kernel_, {from, false, dropsPadding}, std::move(format), access.where);
  if (isWritten(access.tensor) || planning_.refreshes.contains(access.tensor)) {
    current_.push_back(copy);
    steps_.push_back({copy});
  }
  return copy;
}

/// A copy of what a tensor holds now that is stored in this way.
std::optional<TensorId> OperandCopies::copyWith(const format::Format &format, TensorId source,
                                                bool dropsPadding) const {
  for (TensorId id : kernel_.tensors.ids())
    if (isCopyOf(id, source, dropsPadding) && kernel_.tensors[id].format.sameStorage(format))
      return id;
  return std::nullopt;
}

/// What has the rows in a list that a copy of `source` looks up: a copy, else the tensor itself.
TensorId OperandCopies::listOf(TensorId source, const format::Format &found, bool dropsPadding) const {
  for (TensorId id : kernel_.tensors.ids())
    if (isCopyOf(id, source, dropsPadding) && format::listsRowsOf(kernel_.tensors[id].format, found))
      return id;
  return source;
}

/// Whether a parameter or a temporary has memory for each coordinate of an extent.
bool OperandCopies::isStoredWhole(ExtentId extent) const {
  return std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const Tensor &tensor) {
    return !tensor.is<Converted>() && !tensor.is<Fused>() && !tensor.is<Tie>() &&
           std::any_of(tensor.format.levels.begin(), tensor.format.levels.end(), [&](const format::Level &level) {
             return level.isFullyDense() && level.part == format::Part::Whole && tensor.extents[level.dim] == extent;
           });
  });
}

/// Whether a tensor is a copy of what another one holds now: others hold what that was when the call began, or before a
/// later statement wrote it. Padding is a factor 0 to dense results, and no entry of those that are assembled.
bool OperandCopies::isCopyOf(TensorId id, TensorId source, bool dropsPadding) const {
  const auto *copy = kernel_.tensors[id].as<Converted>();
  if (!copy || (copy->source != source && originOf(kernel_, id) != source))
    return false;
  const Tensor &whole = kernel_.tensors[source];
  const bool isOfAll = copy->isCanonical && !whole.partOf.empty();
  const bool hasZeros = !copy->isCanonical && !copy->dropsPadding;
  return !isOfAll && (!format::hasPadding(whole.format) || hasZeros != dropsPadding) &&
         (has(current_, id) || (!isWritten(source) && !planning_.refreshes.contains(id)));
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
  // Other accesses may run over the root, and so may what shares the structure.
  const bool findsRoot = format.levels.front().isFound;
  if (findsRoot && std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const Tensor &tensor) {
        return tensor.shared() && structureOwner(kernel_, tensor.shared()->owner) == copy;
      }))
    return false;
  int uses = 0;
  for (const ResolvedStatement &statement : planning_.statements)
    uses += static_cast<int>(std::count_if(statement.scope.accesses.begin(), statement.scope.accesses.end(),
                                           [&](const Access &access) { return access.tensor == copy; }));
  const std::vector<format::Level> &levels = kernel_.tensors[copy].format.levels;
  const bool isSameOrder =
      std::equal(levels.begin(), levels.end(), format.levels.begin(), format.levels.end(),
                 [](const format::Level &one, const format::Level &other) { return one.dim == other.dim; });
  return (uses == 1 || (isSameOrder && !findsRoot)) && planning_.copies.askFor(kernel_, role->source, format);
}

bool OperandCopies::isWritten(TensorId tensor) const {
  return has(written_, tensor);
}

void OperandCopies::refreshBefore(size_t statement) {
  for (const auto &[copy, first] : planning_.refreshes)
    if (first <= statement && !has(refreshed_, copy)) {
      refreshed_.push_back(copy);
      current_.push_back(copy);
      steps_.push_back({copy});
    }
}

void OperandCopies::noteWritten(TensorId tensor) {
  written_.push_back(tensor);
  std::erase_if(current_, [&](TensorId copy) {
    if (const auto *tie = kernel_.tensors[copy].as<Tie>())
      return has(readBy(*tie), tensor);
    return sourceOf(kernel_.tensors[copy]) == tensor || originOf(kernel_, copy) == tensor;
  });
}

void OperandCopies::reportCopy(const Access &access, const format::Format &format, TensorId from, bool rootIsListable,
                               const Scope &scope) {
  const bool isMadeBefore = isConstant(kernel_, from) && !format.levels.front().isFound; // by the compiler
  if (kernel_.tensors[from].is<Tie>() || isMadeBefore) // spc's own ties are as short as their rows
    return;
  const std::string stored = format::describe(format, namesOf(access.variables, scope));
  const bool sharesList = format.levels.front().isFound && format::listsRowsOf(kernel_.tensors[from].format, format);
  const std::string name = nameInMessages(kernel_, access.tensor);
  Diagnostic &copied = planning_.diagnostics.report(
      kReorder, access.where,
      sharesList
          ? name + " is looked up by rows here, which its storage lists: each call makes a table of them once"
          : name + " is reordered: its storage does not fit the loops here, and each call copies its entries once");
  if (!sharesList)
    copied.note({}, "the copy is stored as " + stored);
  copied.advise(adviceAgainstCopy(kernel_, access, format, rootIsListable, scope));
}

} // namespace spc::sema
