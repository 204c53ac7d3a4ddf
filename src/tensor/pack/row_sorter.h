// Sorting of a matrix's rows by column, in place. Private to this folder.
#pragma once

#include "tensor/pack/sorting.h"

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace spc::tensor {

/// Sorts rows whose entries stand one after the other in two arrays. Rows are sorted together, by way of their columns,
/// in time linear in their entries, where there are enough entries for the columns; else each on its own.
template <typename Index, typename Value> class RowSorter {
public:
  RowSorter(Index *indices, Value *values, int64_t columns) : indices_(indices), values_(values), columns_(columns) {}

  /// Looks at the row in [begin, end), which is sorted now or with others later.
  void add(int64_t begin, int64_t end) {
    bool ascends = true;
    for (int64_t e = begin + 1; e < end; ++e)
      ascends &= indices_[e - 1] < indices_[e];
    if (ascends)
      return;
    if (end - begin <= kFewEntries || columns_ > kMostEntries)
      return sortOne(begin, end);
    if (static_cast<size_t>(end - begin) + waiting_ > static_cast<size_t>(kMostEntries))
      finish();
    rows_.push_back({begin, end});
    waiting_ += static_cast<size_t>(end - begin);
  }

  /// Sorts what waits. Entries of one column have stayed in order; says whether there are such in any row.
  bool finish() {
    if (static_cast<int64_t>(waiting_) * kFewEntries < columns_)
      for (const Row &row : rows_)
        sortOne(row.begin, row.end);
    else if (waiting_ > 0)
      sortByColumns();
    rows_.clear();
    waiting_ = 0;
    return repeats_;
  }

private:
  using Entry = SortedEntries::Entry;
  struct Row {
    int64_t begin, end;
  };

  static constexpr int64_t kFewEntries = 16;                ///< are sorted faster on their own
  static constexpr int64_t kMostEntries = int64_t{1} << 17; ///< and columns, which the caches hold

  void sortOne(int64_t begin, int64_t end) {
    room_.clear();
    for (int64_t e = begin; e < end; ++e)
      room_.push_back({static_cast<uint64_t>(indices_[e]), static_cast<double>(values_[e])});
    sortStably(room_, std::numeric_limits<Index>::digits);
    for (size_t e = 0; e < room_.size(); ++e) {
      repeats_ |= e > 0 && room_[e].key == room_[e - 1].key;
      put(begin + static_cast<int64_t>(e), room_[e]);
    }
  }

  /// Lists the entries of all rows by column, and gives each row its own, which are by column then.
  void sortByColumns() {
    next_.assign(static_cast<size_t>(columns_) + 1, 0);
    for (const Row &row : rows_)
      for (int64_t e = row.begin; e < row.end; ++e)
        ++next_[static_cast<size_t>(indices_[e]) + 1];
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    if (room_.size() < waiting_)
      room_.resize(waiting_);
    for (size_t r = 0; r < rows_.size(); ++r)
      for (int64_t e = rows_[r].begin; e < rows_[r].end; ++e)
        room_[next_[static_cast<size_t>(indices_[e])]++] = {
            uint64_t{r} << kColumnBits | static_cast<uint64_t>(indices_[e]), static_cast<double>(values_[e])};
    last_.assign(rows_.size(), -1);
    for (size_t e = 0; e < waiting_; ++e) {
      const size_t r = room_[e].key >> kColumnBits;
      const auto column = static_cast<int64_t>(room_[e].key & kColumnMask);
      repeats_ |= last_[r] == column;
      last_[r] = column;
      put(rows_[r].begin++, {static_cast<uint64_t>(column), room_[e].value});
    }
  }

  void put(int64_t at, const Entry &entry) {
    indices_[at] = static_cast<Index>(entry.key);
    values_[at] = static_cast<Value>(entry.value);
  }

  static constexpr int kColumnBits = 32;
  static constexpr uint64_t kColumnMask = (uint64_t{1} << kColumnBits) - 1;

  Index *indices_;
  Value *values_;
  int64_t columns_;
  bool repeats_ = false;
  size_t waiting_ = 0; ///< entries of `rows_`
  std::vector<Row> rows_;
  std::vector<Entry> room_;
  std::vector<uint32_t> next_; ///< by column: where its next entry is put
  std::vector<int64_t> last_;  ///< by row: the last column that it got
};

} // namespace spc::tensor
