// All patterns of matrices up to 3 x 3, and formats' tensors with them.
#pragma once

#include "format/format.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spc::testing {

inline constexpr int kLongestSide = 3;

/// Which elements of a small matrix are stored: bit r * columns + c is element (r, c).
struct SmallPattern {
  int rows;
  int columns;
  uint32_t bits;

  int cells() const { return rows * columns; }
  bool isStored(int cell) const { return (bits >> cell & 1u) != 0; }
};

/// All 682, shape by shape.
const std::vector<SmallPattern> &smallPatterns();

/// The place of a pattern in smallPatterns().
int numberOf(const SmallPattern &pattern);

SmallPattern transposed(const SmallPattern &pattern);

/// What operands hold, all numbers distinct: the primes from 2 on.
double primeAt(int number);

/// What element `cell` of the sparse operand `role` holds: a prime that no other element of any operand is; under
/// symmetry that of the lower triangle, on both sides.
double valueOf(const SmallPattern &pattern, int role, int cell, bool isSymmetric);

/// The first prime that no sparse operand holds.
int firstDensePrime();

/// An operand in a format: a tensor, or one for each part of a sum.
using PackedParts = std::vector<tensor::PackedTensor>;

/// Packs every pattern in every format once.
///
/// Formats whose entries may be in any sequence have them backwards, those in which they may repeat have each twice,
/// and sums of parts have every second entry in the first part.
class OperandStore {
public:
  explicit OperandStore(std::vector<format::Format> formats) : formats_(std::move(formats)) {}

  /// The pattern as operand `role` in the format of that number, or null where it cannot hold it. Throws
  /// std::runtime_error where packing fails otherwise.
  PackedParts *find(int role, int format, int pattern, sema::ValueType type);

  /// Whether all arrays still hold what was packed; else names a format.
  std::string findChanged() const;

private:
  struct Stored {
    bool isKnown = false;
    std::unique_ptr<PackedParts> parts;
    std::vector<tensor::Coordinates> packed;
  };
  void pack(Stored &stored, const SmallPattern &pattern, int role, const format::Format &format, sema::ValueType type);

  std::vector<format::Format> formats_;
  std::map<std::pair<int, sema::ValueType>, std::vector<Stored>> stored_; ///< by role and type: format, then pattern
};

} // namespace spc::testing
