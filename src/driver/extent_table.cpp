#include "driver/extent_table.h"

namespace spc::driver {

namespace {

constexpr DiagnosticKind kShapeClash{"shape-clash", Severity::Error};

} // namespace

ExtentTable::ExtentTable(const sema::Kernel &kernel, Diagnostics &diagnostics)
    : kernel_(kernel), diagnostics_(diagnostics), fixed_(kernel.extents.size()), least_(kernel.extents.size()) {
  for (size_t k = 0; k < kernel.extents.size(); ++k)
    if (kernel.extents[k].fixed)
      fixed_[k] = Claim{*kernel.extents[k].fixed, "the kernel declares", {}};
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
  for (size_t k = 0; k < fixed_.size(); ++k) {
    if (!least_[k])
      continue;
    if (!fixed_[k])
      fixed_[k] = least_[k];
    else if (fixed_[k]->size < least_[k]->size)
      reportClash(static_cast<sema::ExtentId>(k), *fixed_[k], *least_[k], "at least ");
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
