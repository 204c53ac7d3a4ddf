// The sizes of a kernel's extents as its inputs say them, and who said so.
#pragma once

#include "host/session.h"
#include "host/size_ties.h"
#include "sema/kernel.h"
#include "syntax/ast.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::host {

/// Who says a size.
struct SizeSource {
  std::string text; ///< for messages, after "'m' has size 5": "by --size", "as dimension 0 of 'A' in a.mtx"
  Span where;
  std::optional<Dimension> dimension; ///< whose size it says, if one tensor's
};

/// The sizes found so far; a second source that disagrees is reported with both, and with what ties them.
class ExtentTable {
public:
  ExtentTable(const sema::Kernel &kernel, const syntax::Kernel &tree, Diagnostics &diagnostics);

  /// Says that an extent has this size; an error where something else said otherwise.
  void fix(sema::ExtentId extent, int64_t size, const SizeSource &source);

  /// Says that an extent has at least this size.
  void atLeast(sema::ExtentId extent, int64_t size, const SizeSource &source);

  /// Gives extents that have nothing but a least size that size, and those that follow from others what they are; an
  /// error where a fixed size is below a least one, or another one.
  void settle();

  /// The size where it is known.
  std::optional<int64_t> size(sema::ExtentId extent) const;

private:
  struct Claim {
    int64_t size;
    SizeSource source;
  };

  std::optional<int64_t> valueOf(const sema::ExtentSum &sum) const;
  void reportClash(sema::ExtentId extent, const Claim &known, const Claim &claim, const char *quantity);

  const sema::Kernel &kernel_;
  const syntax::Kernel &tree_;
  Diagnostics &diagnostics_;
  IdVector<sema::ExtentId, std::optional<Claim>> fixed_;
  IdVector<sema::ExtentId, std::optional<Claim>> least_;
};

} // namespace spc::host
