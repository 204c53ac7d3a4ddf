// Bytes that a matrix takes in a format and that a call moves, from its pattern alone: what is not worth measuring.
#pragma once

#include "format/format.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace spc::tune {

/// The places of a matrix's entries, by rows.
struct Pattern {
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> begin;    ///< rows + 1
  std::vector<int32_t> columnOf; ///< in any order inside of a row; repeats stay
  std::vector<int64_t> rowLengths() const;
};

/// Requires: order 2, extents below 2^31.
Pattern patternOf(const tensor::Coordinates &matrix);

/// The size and cost of a matrix in a format.
struct StorageCost {
  double values = 0;   ///< slots of the values array, padding included
  double bytes = 0;    ///< of all arrays
  double rowsRead = 0; ///< how often a call reads a row of a dense operand along the columns
};

/// `valueBytes`: of one value. Requires: a format of order 2 without closed forms.
StorageCost costOf(const Pattern &pattern, const format::Format &format, int valueBytes);

/// Bytes that a call moves at most, `rowBytes` of dense operands for each column that is met.
inline double movedBytes(const StorageCost &cost, double rowBytes) {
  return cost.bytes + cost.rowsRead * rowBytes;
}

/// A candidate that moves this many times what the default does is not measured: the model knows no caches, and errs by
/// less than that.
inline constexpr double kHopeless = 2.5;

} // namespace spc::tune
