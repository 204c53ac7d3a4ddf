// The types of pointers and indices that the command line gives.
#include "sema/check/checking.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kIndexGivenTwice{"duplicate-binding", Severity::Error};
constexpr DiagnosticKind kIndexType{"index-type", Severity::Error};
constexpr DiagnosticKind kUnusedIndexOption{"unused-option", Severity::Warning};

bool listsPart(const format::Format &format, format::Part part) {
  return std::any_of(format.levels.begin(), format.levels.end(),
                     [&](const format::Level &level) { return !level.isDense() && level.part == part; });
}

/// Whether its indices are places in blocks and nothing else: N:M.
bool listsPlacesAlone(const format::Format &format) {
  return format.hasIndices() && std::all_of(format.levels.begin(), format.levels.end(), [](const format::Level &level) {
           return level.isDense() || level.part == format::Part::Remainder;
         });
}

class IndexTypeSetter {
public:
  explicit IndexTypeSetter(Checking &checking) : checking_(checking), tensors_(checking.program.tensors) {}

  void run() {
    readOptions();
    for (TensorId id : tensors_.ids())
      if (checking_.program.symbols[id].boundBy && !tensors_[id].shared())
        setOwn(id);
    for (TensorId id : tensors_.ids())
      if (const SharedWith *shared = tensors_[id].shared())
        followOwner(id, shared->owner);
    for (const GivenIndexType &given : checking_.options.indexTypes)
      if (!checking_.diagnostics.hasErrors() && std::find(used_.begin(), used_.end(), &given) == used_.end())
        reportUnused(given);
  }

private:
  void readOptions() {
    for (const GivenIndexType &given : checking_.options.indexTypes) {
      const auto [entry, isNew] = given_.emplace(given.tensor.value_or(""), &given);
      if (!isNew) {
        used_.push_back(&given);
        checking_.diagnostics
            .report(kIndexGivenTwice, given.where,
                    "the index type" + (given.tensor ? " of " + inQuotes(*given.tensor) : "") + " is given twice")
            .note(entry->second->where, "first given here");
      }
      const auto isNamed = [&](const Tensor &tensor) { return tensor.name == *given.tensor; };
      if (!given.tensor || checking_.declarationOf(*given.tensor) ||
          std::any_of(tensors_.begin(), tensors_.end(), isNamed))
        continue;
      used_.push_back(&given);
      reportUnknownName(checking_, *given.tensor, "tensor", given.where);
    }
  }

  const GivenIndexType *givenFor(const std::string &tensor) const {
    const auto own = given_.find(tensor), all = given_.find("");
    return own != given_.end() ? own->second : all != given_.end() ? all->second : nullptr;
  }

  void setOwn(TensorId id) {
    Tensor &tensor = tensors_[id];
    const GivenIndexType *given = givenFor(tensor.name);
    if (!given)
      return;
    set(tensor.format, tensor, *given);
    for (format::Format &part : tensor.format.parts)
      set(part, tensor, *given);
  }

  void set(format::Format &format, const Tensor &tensor, const GivenIndexType &given) {
    if (format.isSum() || format.isDense() || (!format.hasPointers() && !format.hasIndices()))
      return;
    used_.push_back(&given);
    const bool isSigned = given.type == format::IndexType::I32 || given.type == format::IndexType::I64;
    const std::string stored =
        inQuotes(tensor.name) + " is stored in " + inQuotes(format.name) + ", whose indices are ";
    if (listsPlacesAlone(format)) {
      checking_.diagnostics
          .report(kIndexType, given.where, stored + "places in small blocks, and stay " + spelling(format.indices))
          .advise(given.tensor
                      ? "a format file of its own may store them otherwise"
                      : "name the tensors that this is for: --index TENSOR=" + std::string(spelling(given.type)));
    } else if (!isSigned && listsPart(format, format::Part::Difference)) {
      checking_.diagnostics
          .report(kIndexType, given.where,
                  stored + "diagonals, and may be negative: they cannot be " + spelling(given.type))
          .advise("diagonals are i32 or i64");
    } else {
      if (format.hasPointers())
        format.pointers = given.type;
      if (format.hasIndices())
        format.indices = given.type;
    }
  }

  /// A tensor with the structure of another one has its arrays.
  void followOwner(TensorId id, TensorId owner) {
    tensors_[id].format = tensors_[owner].format;
    const auto own = given_.find(tensors_[id].name);
    if (own == given_.end())
      return;
    used_.push_back(own->second);
    const std::string &name = tensors_[owner].name;
    checking_.diagnostics
        .report(kIndexType, own->second->where,
                inQuotes(tensors_[id].name) + " has the structure of " + inQuotes(name) + ", and no indices of its own")
        .advise("write --index " + name + "=" + spelling(own->second->type));
  }

  void reportUnused(const GivenIndexType &given) {
    checking_.diagnostics.report(
        kUnusedIndexOption, given.where,
        std::string("--index ") + (given.tensor ? *given.tensor + "=" : "") + spelling(given.type) + " does nothing: " +
            (given.tensor
                 ? inQuotes(*given.tensor) + " is bound to no format that has"
                 : "no " + std::string(given_.size() > 1 ? "other " : "") + "tensor is bound to a format that has") +
            " pointers or indices");
  }

  Checking &checking_;
  IdVector<TensorId, Tensor> &tensors_;
  std::map<std::string, const GivenIndexType *> given_; ///< by tensor; the empty name is all others'
  std::vector<const GivenIndexType *> used_;            ///< or reported
};

} // namespace

void applyIndexTypes(Checking &checking) {
  if (!checking.options.indexTypes.empty())
    IndexTypeSetter(checking).run();
}

} // namespace spc::sema
