#include "host/extent_table.h"

namespace spc::host {

namespace {

constexpr DiagnosticKind kShapeClash{"shape-clash", Severity::Error};

} // namespace

ExtentTable::ExtentTable(const sema::Kernel &kernel, const syntax::Kernel &tree, Diagnostics &diagnostics)
    : kernel_(kernel), tree_(tree), diagnostics_(diagnostics), fixed_(kernel.extents.size()),
      least_(kernel.extents.size()) {
  for (sema::ExtentId id : kernel.extents.ids())
    if (kernel.extents[id].fixed)
      fixed_[id] = Claim{*kernel.extents[id].fixed, {"as the kernel declares it", {}, {}}};
}

void ExtentTable::fix(sema::ExtentId extent, int64_t size, const SizeSource &source) {
  Claim claim{size, source};
  if (!fixed_[extent])
    fixed_[extent] = claim;
  else if (fixed_[extent]->size != size)
    reportClash(extent, *fixed_[extent], claim, "");
}

void ExtentTable::atLeast(sema::ExtentId extent, int64_t size, const SizeSource &source) {
  if (!least_[extent] || least_[extent]->size < size)
    least_[extent] = Claim{size, source};
}

/// What a sum of others is; nullopt where one of them is not known.
std::optional<int64_t> ExtentTable::valueOf(const sema::ExtentSum &sum) const {
  int64_t total = sum.constant;
  for (const sema::ExtentSum::Product &product : sum.products) {
    int64_t value = product.factor;
    for (sema::ExtentId factor : product.extents) {
      const std::optional<int64_t> known = size(factor);
      if (!known || __builtin_mul_overflow(value, *known, &value))
        return std::nullopt;
    }
    if (__builtin_add_overflow(total, value, &total))
      return std::nullopt;
  }
  return total;
}

void ExtentTable::settle() {
  for (sema::ExtentId id : fixed_.ids()) {
    if (!least_[id])
      continue;
    if (!fixed_[id])
      fixed_[id] = least_[id];
    else if (fixed_[id]->size < least_[id]->size)
      reportClash(id, *fixed_[id], *least_[id], "at least ");
  }
  for (sema::ExtentId id : fixed_.ids())
    for (const sema::ExtentSum &sum : kernel_.extents[id].sums)
      if (const std::optional<int64_t> value = valueOf(sum))
        fix(id, *value, {"as the kernel declares it", {}, {}});
}

std::optional<int64_t> ExtentTable::size(sema::ExtentId extent) const {
  return fixed_[extent] ? std::optional<int64_t>(fixed_[extent]->size) : std::nullopt;
}

void ExtentTable::reportClash(sema::ExtentId extent, const Claim &known, const Claim &claim, const char *quantity) {
  Diagnostic &clash = diagnostics_.report(kShapeClash, claim.source.where,
                                          "'" + kernel_.extents[extent].name + "' has size " + quantity +
                                              std::to_string(claim.size) + " " + claim.source.text + ", but size " +
                                              std::to_string(known.size) + " " + known.source.text);
  if (known.source.where)
    clash.note(known.source.where, "size " + std::to_string(known.size) + " is said here");
  if (known.source.dimension && claim.source.dimension)
    for (const Tie &tie : tiesBetween(tree_, *known.source.dimension, *claim.source.dimension))
      clash.note(tie.where, tie.message);
}

} // namespace spc::host
