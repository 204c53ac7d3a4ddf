// A format file as a value: a format of one order, or how to build one of any order.
#pragma once

#include "format/format.h"
#include "format/format_file.h"
#include "format/schedule.h"
#include "support/diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::format {

/// Tensors have at most this many dimensions.
constexpr int kMaxOrder = 8;

/// Formats have at most this many levels.
constexpr int kMaxLevels = 16;

struct FormatRule {
  std::string name;
  std::string description;
  std::optional<std::vector<Level>> levels; ///< of one order; nullopt: any order, by `first` and `rest`
  Level first;                              ///< the outermost level of any order; its `dim` is not used
  Level rest;                               ///< every other level of any order
  IndexType pointers = IndexType::I32;
  IndexType indices = IndexType::I32;
  bool interleaved = false;
  Symmetry symmetry = Symmetry::None;
  Duplicates duplicates = Duplicates::Sum;
  std::vector<FormatRule> parts; ///< of a sum of parts; then without levels
  Schedule schedule;             ///< for kernels that use the format; no part of the format itself

  std::optional<int> order() const;

  /// The format for `order` in canonical form (see Format); nullopt when the rule has no such order.
  std::optional<Format> instantiate(int order) const;
};

/// Why a list of levels is no format that can be compiled.
struct LevelProblem {
  int level;
  bool isWrong; ///< the levels mean nothing; else they do, but this version does not compile them
  std::string message;
  std::string help;
};

/// Checks levels beside each other: singletons continue a COO, a block has its places, a ragged extent has parents.
/// Whether every dimension is stored once is checked by timesStored, which knows no names.
std::optional<LevelProblem> checkLevels(const std::vector<Level> &levels);

/// How often each of `order` dimensions is stored, a block with its places counting once, a difference for the
/// dimension that no level stores whole.
std::vector<int> timesStored(const std::vector<Level> &levels, int order);

/// Permutes the modes of `rule`, which then has the one order modes.size(). Reports at `where`, and leaves `rule` as it
/// is, when `modes` is no permutation of 0 … n-1 or `rule` has another order.
bool applyModes(FormatRule &rule, const std::vector<int64_t> &modes, Span where, Diagnostics &diagnostics);

/// `rule` as others see it.
std::shared_ptr<const FormatFamily> makeFamily(FormatRule rule);

} // namespace spc::format
