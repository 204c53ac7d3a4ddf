// The values of a row in their order. Private to this folder.
#pragma once

#include "reference/nodes.h"

namespace spc::reference {

/// What a ranking makes of one row. Of floats every place that rounding may put at a rank is one.
class Ranks {
public:
  /// `values` by their places; `row` tells the row from others.
  Ranks(std::vector<Value> values, std::vector<int64_t> row, language::Reduction kind, sema::ValueType type);

  bool isOf(const std::vector<int64_t> &row) const { return row == row_; }

  /// The value at a rank, in the type of the values; what nothing is where there are fewer.
  Value value(int64_t rank) const;
  /// Its place, in a type; that type's infinity where there are fewer.
  Value place(int64_t rank, sema::ValueType type) const;

private:
  bool isBefore(size_t one, size_t other) const;

  const std::vector<Value> values_;
  const std::vector<int64_t> row_;
  const bool isLeast_;
  const sema::ValueType type_;
  std::vector<size_t> order_;        ///< places
  std::vector<double> least_, most_; ///< what numbers may be at least and at most, each in the order of ranks
  double error_ = 0;                 ///< of any value
  bool isCertain_ = true;
};

} // namespace spc::reference
