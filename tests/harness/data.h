// Operand data for tests: deterministic, with the shapes of sparsity that kernels get wrong.
#pragma once

#include "sema/kernel.h"
#include "tensor/numbers.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spc::testing {

/// Numbers that differ from each other by little, so that their differences cancel: `base` times 1 ± `spread`.
struct Near {
  double base, spread;
};

/// A small generator whose numbers are the same everywhere (SplitMix64, Steele, Lea and Flood, OOPSLA 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  /// Numbers that bytes choose as far as they go, one a number.
  explicit Random(std::vector<uint8_t> choices) : state_(choices.size()), choices_(std::move(choices)) {}
  uint64_t next();
  /// 0 … bound-1; bound >= 1.
  int64_t below(int64_t bound);
  /// Uniform in [0, 1).
  double unit();
  /// A number of the type that is not 0: a float of either sign and magnitude 0.5 … 2, a complex number of two, an
  /// integer of magnitude 1 … 3, the bool 1.
  tensor::Number value(sema::ValueType type);
  /// Floats that value() gives from here on are near each other.
  void stayNear(Near near) { near_ = near; }

private:
  uint64_t state_;
  std::vector<uint8_t> choices_ = {};
  size_t chosen_ = 0;
  std::optional<Near> near_;
};

/// Which entries a sparse operand stores.
enum class Fill {
  Random,      ///< about one in three
  Empty,       ///< none
  Full,        ///< every element
  OneRow,      ///< one full slice of dimension 0
  OneColumn,   ///< one full slice of the last dimension
  EmptyRows,   ///< dense rows and empty rows in turn
  StoredZeros, ///< about one in two, some of them zeros
  Diagonal,    ///< where all coordinates are the same
};

const char *spelling(Fill fill);

/// The entries of a sparse tensor, in dimension order.
tensor::Coordinates sparseEntries(const std::vector<int64_t> &shape, Fill fill, sema::ValueType type, Random &random);

/// Whether a fixed width lists coordinates of a dimension that has none, diagonals of a matrix without rows among them:
/// such a result is not assembled.
bool hasWidthOfNothing(const format::Format &format, const std::vector<int64_t> &shape);

/// Whether a tensor of that shape can be stored at all: square where it is symmetric, large enough for unique padding,
/// with closed forms inside of the extents.
bool isStorable(const format::Format &format, const std::vector<int64_t> &shape);

/// Whether the format's pointers and indices can count that far, whatever is stored.
bool fitsIndexTypes(const format::Format &format, const std::vector<int64_t> &shape);

/// Formats with a level of as many entries under each parent.
bool hasFixedWidth(const format::Format &format);

/// Formats whose arrays have slots for more than the entries, which then hold zeros.
bool hasSlots(const format::Format &format);

/// Leaves out the entries that a format has no room for, and makes those of a symmetric one symmetric.
void keepStorable(tensor::Coordinates &entries, const format::Format &format);

/// Every element of a dense tensor; with `nonFinite` some of them are infinities and NaNs, where the type has any and
/// is not complex.
tensor::Coordinates denseEntries(const std::vector<int64_t> &shape, bool nonFinite, sema::ValueType type,
                                 Random &random);

/// Steps `coordinates` to the next element in row-major order; false after the last one.
bool advance(std::vector<int64_t> &coordinates, const std::vector<int64_t> &shape);

/// Whether there is any element at all.
bool hasElements(const std::vector<int64_t> &shape);

/// The row-major position of an element.
int64_t offsetOf(const int64_t *coordinates, const std::vector<int64_t> &shape);

/// Where a tie of this shape has entries, by the values of scalars; everywhere where it follows what a tensor holds.
std::vector<uint8_t> maskOfTie(const sema::Tie &tie, const std::vector<int64_t> &shape,
                               const std::function<int64_t(sema::TensorId)> &scalar);

/// The mask `ownerMask` of a tensor's stored elements as that of another one with its structure, level by level.
std::vector<uint8_t> maskInOrderOf(const format::Format &format, const std::vector<int64_t> &shape,
                                   const format::Format &owner, const std::vector<int64_t> &ownerShape,
                                   const std::vector<uint8_t> &ownerMask);

} // namespace spc::testing
