// Sorted lists are copied share by share and block by block; what is wrong with a list is found wherever it lies.
#include "runtime/pack/scatter.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

namespace spc::runtime {
namespace {

constexpr int64_t kSortedRows = 3000, kSortedColumns = 50;
constexpr int32_t kGuard = -7;

/// Coordinates of a list, and what has to be said of it.
struct List {
  std::vector<int64_t> rows, columns;
  bool isInRange = true, isSorted = true, hasRepeats = false;
};

/// Up to `longest` entries in each row but the skipped ones, with each `repeats`-th entry twice, or none.
List sortedList(int64_t longest, int64_t skipped, int64_t repeats, unsigned seed) {
  std::mt19937 random(seed);
  List list;
  for (int64_t row = 0; row < kSortedRows;
       row += 1 + static_cast<int64_t>(random() % static_cast<unsigned>(skipped + 1))) {
    const int64_t entries = 1 + static_cast<int64_t>(random() % static_cast<unsigned>(longest));
    for (int64_t e = 0; e < entries; ++e) {
      const bool isTwice = repeats > 0 && e % repeats == 1;
      list.rows.insert(list.rows.end(), isTwice ? 2 : 1, row);
      list.columns.insert(list.columns.end(), isTwice ? 2 : 1, e);
      list.hasRepeats |= isTwice;
    }
  }
  return list;
}

/// Copies in `shares` shares, and compares with what the list says.
template <typename I> void check(const List &list, int64_t stride, int64_t shares) {
  const auto count = static_cast<int64_t>(list.rows.size());
  std::vector<I> rows(static_cast<size_t>(count * stride), I{-1}), columns = rows;
  std::vector<uint64_t> values;
  for (int64_t e = 0; e < count; ++e) {
    rows[static_cast<size_t>(e * stride)] = static_cast<I>(list.rows[static_cast<size_t>(e)]);
    columns[static_cast<size_t>(e * stride)] = static_cast<I>(list.columns[static_cast<size_t>(e)]);
    values.push_back(static_cast<uint64_t>(e) + 1);
  }
  std::vector<I> starts(kSortedRows + 2, I{kGuard}), toColumns(static_cast<size_t>(count) + 1, I{kGuard});
  std::vector<uint64_t> toValues(static_cast<size_t>(count) + 1, 0);
  const Entries<I, uint64_t> entries{{rows.data(), stride},   values.data(), count, kSortedColumns, {},
                                     {columns.data(), stride}};
  ListOrder all;
  for (int64_t share = shares - 1; share >= 0; --share) {
    const ListOrder order = copySorted(entries, shareBegin(count, share, shares), shareBegin(count, share + 1, shares),
                                       kSortedRows, starts.data() + 1, toColumns.data(), toValues.data());
    all = {all.isInRange && order.isInRange, all.isSorted && order.isSorted, all.hasRepeats || order.hasRepeats};
  }
  CHECK(starts[0] == kGuard);
  CHECK(starts[kSortedRows + 1] == kGuard);
  CHECK(toColumns.back() == kGuard);
  CHECK((all.isInRange && all.isSorted) == (list.isInRange && list.isSorted));
  if (!list.isInRange || !list.isSorted)
    return;
  CHECK(all.hasRepeats == list.hasRepeats);
  for (int64_t e = 0; e < count; ++e) {
    const auto at = static_cast<size_t>(e);
    if (toColumns[at] != list.columns[at] || toValues[at] != at + 1)
      FAIL("entry " << e);
  }
  for (int64_t row = 0, e = 0; row <= list.rows.back(); ++row) {
    for (; list.rows[static_cast<size_t>(e)] < row; ++e) {
    }
    if (starts[static_cast<size_t>(row) + 1] != e)
      FAIL("row " << row << " starts at " << starts[static_cast<size_t>(row) + 1] << " instead of " << e);
  }
}

/// Whatever a list is like, a share sets the starts of its own rows alone.
template <typename I> void checkShares(const List &list, int64_t shares) {
  const auto count = static_cast<int64_t>(list.rows.size());
  const std::vector<I> rows(list.rows.begin(), list.rows.end()), columns(list.columns.begin(), list.columns.end());
  const Entries<I, uint64_t> entries{{rows.data(), 1}, nullptr, count, kSortedColumns, {}, {columns.data(), 1}};
  for (int64_t share = 0; share < shares; ++share) {
    const int64_t begin = shareBegin(count, share, shares), end = shareBegin(count, share + 1, shares);
    if (begin == end)
      continue;
    std::vector<I> starts(kSortedRows + 1, I{kGuard}), toColumns(static_cast<size_t>(count));
    copySorted<I, uint64_t>(entries, begin, end, kSortedRows, starts.data(), toColumns.data(), nullptr);
    const I above = begin > 0 ? rows[static_cast<size_t>(begin) - 1] : I{-1}, last = rows[static_cast<size_t>(end) - 1];
    for (int64_t row = 0; row <= kSortedRows; ++row)
      if (starts[static_cast<size_t>(row)] != kGuard && (row <= above || row > last))
        FAIL("share " << share << " of " << shares << " sets row " << row << ", outside of " << above << " to "
                      << last);
  }
}

void checkAll(const List &list) {
  for (const int64_t shares : {1, 2, 3}) {
    checkShares<int32_t>(list, shares);
    checkShares<int64_t>(list, shares);
    for (const int64_t stride : {1, 2}) {
      INFO(list.rows.size() << " entries in " << shares << " shares, stride " << stride);
      check<int32_t>(list, stride, shares);
      check<int64_t>(list, stride, shares);
    }
  }
}

} // namespace

TEST_CASE("sorted lists become rows") {
  for (const int64_t longest : {1, 4, 40})
    for (const int64_t skipped : {0, 1, 5, 500})
      for (const int64_t repeats : {0, 3})
        checkAll(sortedList(longest, skipped, repeats, static_cast<unsigned>(longest + skipped)));
  List oneRow;
  for (int64_t e = 0; e < 5000; ++e) {
    oneRow.rows.push_back(kSortedRows - 1);
    oneRow.columns.push_back(e / 100);
  }
  oneRow.hasRepeats = true;
  checkAll(oneRow);
  List twice = sortedList(4, 1, 0, 5); // sorted pieces one after the other
  const List again = twice;
  twice.rows.insert(twice.rows.end(), again.rows.begin(), again.rows.end());
  twice.columns.insert(twice.columns.end(), again.columns.begin(), again.columns.end());
  twice.isSorted = false;
  checkAll(twice);
  checkAll({{0}, {0}});
  checkAll({{kSortedRows - 1}, {kSortedColumns - 1}});
}

TEST_CASE("what is wrong with a list is found wherever it lies") {
  const List good = sortedList(4, 1, 0, 3);
  const size_t count = good.rows.size();
  REQUIRE(count > 3000);
  for (const size_t at : {size_t{0}, size_t{1}, count / 3 - 1, count / 3, count / 2 - 1, count / 2, size_t{2047},
                          size_t{2048}, size_t{2049}, count - 2, count - 1}) {
    INFO("at " << at << " of " << count);
    for (const int64_t wrong : {int64_t{-1}, kSortedColumns, int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
      List list = good;
      list.columns[at] = wrong;
      list.isInRange = false;
      checkAll(list);
    }
    for (const int64_t wrong : {int64_t{-1}, kSortedRows, int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
      List list = good;
      list.rows[at] = wrong;
      list.isInRange = false;
      checkAll(list);
    }
    if (at > 0) {
      List list = good;
      std::swap(list.rows[at], list.rows[at - 1]);
      std::swap(list.columns[at], list.columns[at - 1]);
      list.isSorted = false;
      checkAll(list);
    }
  }
}

} // namespace spc::runtime
