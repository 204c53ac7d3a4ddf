#include "driver/extent_table.h"

namespace spc::driver {

namespace {

constexpr DiagnosticKind kShapeClash{"shape-clash", Severity::Error};

} // namespace

ExtentTable::ExtentTable(const sema::Kernel &kernel, Diagnostics &diagnostics)
    : kernel_(kernel), diagnostics_(diagnostics), fixed_(kernel.extents.size()), least_(kernel.extents.size()) {
  for (sema::ExtentId id : kernel.extents.ids())
    if (kernel.extents[id].fixed)
      fixed_[id] = Claim{*kernel.extents[id].fixed, "the kernel declares", {}};
}

void ExtentTable::fix(sema::ExtentId extent, int64_t size, const std::string &source, Span where) {
  Claim claim{size, source, where};
  if (!fixed_[extent])
    fixed_[extent] = claim;
  else if (fixed_[extent]->size != size)
    reportClash(extent, *fixed_[extent], claim, "");
}

void ExtentTable::atLeast(sema::ExtentId extent, int64_t size, const std::string &source, Span where) {
  if (!least_[extent] || least_[extent]->size < size)
    least_[extent] = Claim{size, source, where};
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
}

std::optional<int64_t> ExtentTable::size(sema::ExtentId extent) const {
  return fixed_[extent] ? std::optional<int64_t>(fixed_[extent]->size) : std::nullopt;
}

void ExtentTable::reportClash(sema::ExtentId extent, const Claim &known, const Claim &claim, const char *quantity) {
  Diagnostic &diagnostic = diagnostics_.report(kShapeClash, claim.where,
                                               claim.source + " " + quantity + std::to_string(claim.size) + " for '" +
                                                   kernel_.extents[extent].name + "', but " + known.source + " " +
                                                   std::to_string(known.size));
  if (known.where)
    diagnostic.note(known.where, known.source + " " + std::to_string(known.size));
}

} // namespace spc::driver
