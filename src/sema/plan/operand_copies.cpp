#include "sema/plan/operand_copies.h"

#include "sema/terms/copy_advice.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kReorder{"reorder", Severity::Warning};

bool contains(const std::vector<TensorId> &list, TensorId tensor) {
  return std::find(list.begin(), list.end(), tensor) != list.end();
}

// Dimensions may be too large for the narrow types of a block's or a group's coordinates.
format::IndexType copiedIndexType(const format::Format &source) {
  const bool isWide = source.pointers == format::IndexType::I64 || source.indices == format::IndexType::I64;
  return isWide ? format::IndexType::I64 : format::IndexType::I32;
}

} // namespace

TensorId OperandCopies::copyFor(const Access &access, const SparseAccess &operand, const LevelSpace &space,
                                const std::vector<int> &order, bool isListed, const Scope &scope) {
  const Tensor &source = kernel_.tensors[access.tensor];
  format::Format format;
  format.symmetry = source.format.symmetry;
  format.pointers = format.indices = copiedIndexType(source.format);
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
  // Other copies hold what the tensor was when the call began, or before a later statement wrote it.
  for (TensorId id : kernel_.tensors.ids())
    if (const Tensor &copy = kernel_.tensors[id]; copy.is<Converted>() && sourceOf(copy) == access.tensor &&
                                                  copy.format.sameStorage(format) &&
                                                  (!isWritten(access.tensor) || contains(current_, id)))
      return id;
  const int root = operand.variables[format.levels.front().dim];
  reportCopy(access, format, space.valueOf(root).size() == 1, scope);
  const TensorId copy = addCopy(access.tensor, std::move(format), access.where);
  if (isWritten(access.tensor)) {
    current_.push_back(copy);
    steps_.push_back({copy});
  }
  return copy;
}

bool OperandCopies::isWritten(TensorId tensor) const {
  return contains(written_, tensor);
}

void OperandCopies::noteWritten(TensorId tensor) {
  written_.push_back(tensor);
  std::erase_if(current_, [&](TensorId copy) { return sourceOf(kernel_.tensors[copy]) == tensor; });
}

TensorId OperandCopies::addCopy(TensorId source, format::Format format, Span where) {
  Tensor copy = kernel_.tensors[source];
  copy.name += format.levels.size() > 1 && !format.levels.front().isDense() ? "$$" : "$";
  for (const format::Level &level : format.levels)
    copy.name += (copy.name.back() == '$' ? "" : "_") + std::to_string(level.dim);
  const auto isTaken = [&](const std::string &name) {
    return std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(),
                       [&](const Tensor &other) { return other.name == name; });
  };
  for (const std::string name = copy.name; isTaken(copy.name);)
    copy.name = name + "." + std::to_string(kernel_.tensors.size());
  copy.role = Converted{source};
  copy.format = std::move(format);
  copy.isRead = true;
  copy.isWritten = false;
  copy.structure = Own{};
  copy.partOf.clear();
  copy.where = where;
  return kernel_.tensors.add(std::move(copy));
}

void OperandCopies::reportCopy(const Access &access, const format::Format &format, bool rootIsListable,
                               const Scope &scope) {
  const Tensor &tensor = kernel_.tensors[access.tensor];
  const std::string stored = format::describe(format, namesOf(access.variables, scope));
  analysis_.diagnostics
      .report(kReorder, access.where,
              nameInMessages(tensor) +
                  " is reordered: its storage does not fit the loops here, and each call copies its entries once")
      .note({}, "the copy is stored as " + stored)
      .advise(adviceAgainstCopy(tensor, access, format, rootIsListable, scope));
}

} // namespace spc::sema
