// The sizes of a kernel's extents as `spc run` learns them, and who said so.
#pragma once

#include "driver/session.h"
#include "sema/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The sizes found so far; a second source that disagrees is reported with both.
class ExtentTable {
public:
  ExtentTable(const sema::Kernel &kernel, Diagnostics &diagnostics);

  /// Says that an extent has this size; an error where something else said otherwise. `source` is a subject for
  /// messages ("'A' has", "--size says").
  void fix(sema::ExtentId extent, int64_t size, const std::string &source, Span where);

  /// Says that an extent has at least this size.
  void atLeast(sema::ExtentId extent, int64_t size, const std::string &source, Span where);

  /// Gives extents that have nothing but a least size that size; an error where a fixed size is below a least one.
  void settle();

  /// The size where it is known.
  std::optional<int64_t> size(sema::ExtentId extent) const;

private:
  struct Claim {
    int64_t size;
    std::string source;
    Span where;
  };

  void reportClash(sema::ExtentId extent, const Claim &known, const Claim &claim, const char *quantity);

  const sema::Kernel &kernel_;
  Diagnostics &diagnostics_;
  IdVector<sema::ExtentId, std::optional<Claim>> fixed_;
  IdVector<sema::ExtentId, std::optional<Claim>> least_;
};

} // namespace spc::driver
