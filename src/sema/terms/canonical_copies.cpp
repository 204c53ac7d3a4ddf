#include "sema/terms/canonical_copies.h"

#include "format/levels.h"
#include "sema/terms/copy_advice.h"

#include <algorithm>
#include <numeric>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kCanonicalCopy{"reorder", Severity::Warning};

/// What about a format keeps entries from being read one by one.
std::string whyCopied(const format::Format &format) {
  if (format.isSum())
    return "it is stored as a sum of parts, and what is computed here needs whole entries";
  if (format.symmetry != format::Symmetry::None)
    return "one triangle of it is stored, and what is computed here needs both";
  if (format::hasPadding(format))
    return "its storage is padded, and what is computed here asks for its entries";
  if (format.mayRepeat() && format.duplicates != format::Duplicates::Sum)
    return "its entries may repeat, and what they make together is no sum of them";
  if (format.mayRepeat())
    return "its entries may repeat, and what is computed here needs whole entries";
  return "its storage does not fit the loops here";
}

/// The dimensions in the order in which the levels come to them; in their own order where diagonals are stored.
std::vector<int> dimensionOrder(const format::Format &format) {
  if (format.isSum())
    return dimensionOrder(format.parts.front());
  std::vector<int> order(static_cast<size_t>(format.order()));
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> stored;
  for (const format::Level &level : format.levels) {
    if (level.part == format::Part::Difference)
      return order;
    if (std::find(stored.begin(), stored.end(), level.dim) == stored.end())
      stored.push_back(level.dim);
  }
  return format.symmetry == format::Symmetry::None ? stored : order;
}

class CanonicalCopies {
public:
  explicit CanonicalCopies(Planning &planning) : planning_(planning), kernel_(planning.kernel) {}

  void run() {
    for (const auto &[tensor, request] : planning_.copies.all())
      replace(tensor, request);
  }

private:
  /// Makes the statements read a tensor from copies: from one until a statement writes it, then from another one.
  void replace(TensorId tensor, const CopyRequests::Request &request) {
    const bool isSum = kernel_.tensors[tensor].format.isSum();
    const format::Format stored = isSum ? kernel_.tensors[tensor].format : request.format;
    format::Format format = planning_.copies.formatOf(tensor).value_or(canonicalFormat(tensor, stored));
    format.name = plainName(format);
    report(tensor, request.where, stored, format);
    std::optional<TensorId> copy;
    bool isWritten = false;
    for (size_t k = 0; k < planning_.statements.size(); ++k) {
      ResolvedStatement &statement = planning_.statements[k];
      for (Access &access : statement.scope.accesses) {
        if (access.tensor != tensor || !planning_.copies.readsCopy(statement.target.tensor, tensor))
          continue;
        if (!copy)
          copy = addCopy(tensor, format, request.where, isWritten ? std::optional(k) : std::nullopt);
        access.tensor = *copy;
      }
      if (statement.target.tensor == tensor) {
        isWritten = true;
        copy.reset();
      }
    }
  }

  TensorId addCopy(TensorId tensor, const format::Format &format, Span where, std::optional<size_t> madeBefore) {
    const TensorId copy = addConverted(kernel_, {tensor, true}, format, where);
    Symbol symbol = planning_.symbols[tensor];
    symbol.firstWrite = -1;
    symbol.isOperand = true;
    planning_.symbols.push_back(symbol);
    if (madeBefore)
      planning_.refreshes.emplace(copy, *madeBefore);
    return copy;
  }

  /// Levels (dense, compressed, …); the root is compressed where the tensor has no dense level, and no operand that is
  /// dense there says that memory holds as many rows. A vector has one compressed level.
  format::Format canonicalFormat(TensorId tensor, const format::Format &source) const {
    const std::vector<int> order = dimensionOrder(source);
    const ExtentId rows = kernel_.tensors[tensor].extents[order.front()];
    const bool isListed = order.size() == 1 || (!hasDenseLevel(source) && !isStoredWhole(kernel_, rows));
    return plainFormat(source, isListed);
  }

  void report(TensorId tensor, Span where, const format::Format &stored, const format::Format &format) {
    if (isConstant(kernel_, tensor)) // whose copy is made when the kernel is compiled
      return;
    const std::string name = quotedName(kernel_, tensor);
    Diagnostic &copied = planning_.diagnostics.report(
        kCanonicalCopy, where, name + " is copied, entry by entry, once a call: " + whyCopied(stored));
    copied.note({}, "the copy is stored as " + format::describe(format));
    if (kernel_.tensors[tensor].is<Parameter>())
      copied.advise("store " + name + " as " + (format.name.empty() ? format::describe(format) : format.name) +
                    " to avoid the copy");
  }

  Planning &planning_;
  Kernel &kernel_;
};

} // namespace

bool hasDenseLevel(const format::Format &format) {
  return std::any_of(format.levels.begin(), format.levels.end(),
                     [](const format::Level &level) { return level.isDense(); }) ||
         std::any_of(format.parts.begin(), format.parts.end(), hasDenseLevel);
}

void takeIndexTypes(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel, format::Format &format) {
  format.pointers = format::IndexType::I64;
  for (const LogicalTerm &term : logical.terms)
    for (AccessId id : accessesOf(*term.expr)) {
      const format::Format &operand = kernel.tensors[scope.accesses[id].tensor].format;
      if (!operand.isDense() && format::bits(operand.indices) > format::bits(format.indices))
        format.indices = operand.indices;
    }
}

bool isStoredWhole(const Kernel &kernel, ExtentId extent) {
  return std::any_of(kernel.tensors.begin(), kernel.tensors.end(), [&](const Tensor &tensor) {
    if (tensor.isWritten && tensor.order() > 1)
      return false;
    return std::any_of(tensor.format.levels.begin(), tensor.format.levels.end(), [&](const format::Level &level) {
      return level.isFullyDense() && tensor.extents[level.dim] == extent;
    });
  });
}

format::Format plainFormat(const format::Format &source, bool isListed) {
  const std::vector<int> order = dimensionOrder(source);
  format::Format format;
  format.pointers = format.indices = indexTypeOfCopy(source);
  for (int dim : order) {
    if (format.levels.empty() && !isListed && order.size() > 1)
      format.levels.push_back({.dim = dim});
    else
      format.levels.push_back({.dim = dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged});
  }
  format.name = plainName(format);
  return format;
}

std::string plainName(const format::Format &format) {
  std::vector<int> order;
  for (const format::Level &level : format.levels)
    order.push_back(level.dim);
  const bool isListed = !format.levels.front().isDense();
  const bool isCsf = order.size() > 2 && !isListed;
  return isCsf ? std::string() : (order.size() == 2 && isListed ? "d" : "") + shippedFormat(order);
}

format::IndexType indexTypeOfCopy(const format::Format &source) {
  using format::IndexType;
  const bool isWide = source.pointers == IndexType::I64 || source.indices == IndexType::I64 ||
                      std::any_of(source.parts.begin(), source.parts.end(),
                                  [](const format::Format &part) { return indexTypeOfCopy(part) == IndexType::I64; });
  return isWide ? IndexType::I64 : IndexType::I32;
}

TensorId addConverted(Kernel &kernel, Converted role, format::Format format, Span where) {
  Tensor copy = kernel.tensors[role.source];
  if (const auto *between = copy.as<Converted>(); between && !between->isCanonical)
    copy.name = kernel.tensors[between->source].name;
  copy.name += format.levels.size() > 1 && !format.levels.front().isDense() ? "$$" : "$";
  for (const format::Level &level : format.levels)
    copy.name += (copy.name.back() == '$' ? "" : "_") + std::to_string(level.dim);
  const auto isTaken = [&](const std::string &name) {
    return std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                       [&](const Tensor &other) { return other.name == name; });
  };
  for (const std::string name = copy.name; isTaken(copy.name);)
    copy.name = name + "." + std::to_string(kernel.tensors.size());
  copy.role = role;
  copy.format = std::move(format);
  copy.isRead = true;
  copy.isWritten = false;
  copy.structure = Own{};
  copy.partOf.clear();
  copy.where = where;
  return kernel.tensors.add(std::move(copy));
}

void makeCanonicalCopies(Planning &planning) {
  CanonicalCopies(planning).run();
}

} // namespace spc::sema
