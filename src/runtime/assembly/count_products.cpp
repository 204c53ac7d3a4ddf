#include "runtime/assembly/count_products.h"

#include "runtime/hot.h"
#include "runtime/integers.h"
#include "runtime/levels/walk.h"
#include "runtime/pack/row_table.h"

namespace spc::runtime {
namespace {

template <typename P, typename I>
SPC_HOT int64_t count(const Factors &factors, int64_t begin, int64_t end, int64_t width, int64_t most) {
  const auto *first = static_cast<const P *>(factors.first.array);
  const auto *columns = static_cast<const I *>(factors.columns);
  const auto *second = static_cast<const P *>(factors.second.array);
  int64_t total = 0;
  for (int64_t i = begin; i < end && total <= most; ++i) {
    int64_t products = 0;
    for (int64_t p = first[i]; p < static_cast<int64_t>(first[i + 1]); ++p) {
      const int64_t row = rowAt(factors.rows, columns[p]);
      products += static_cast<int64_t>(second[row + 1]) - static_cast<int64_t>(second[row]);
    }
    total += products < width ? products : width;
  }
  return total;
}

/// The products of the entries [begin, count) whose B has its rows at their coordinates.
template <typename T> SPC_HOT int64_t countAll(const Factors &factors, int64_t begin, int64_t most) {
  const auto *columns = static_cast<const T *>(factors.columns);
  const auto *second = static_cast<const T *>(factors.second.array);
  int64_t total = 0;
  for (int64_t p = begin; p < factors.count && total <= most; ++p)
    total += static_cast<int64_t>(second[columns[p] + 1]) - static_cast<int64_t>(second[columns[p]]);
  return total;
}

} // namespace

int64_t countProducts(const Factors &factors, int64_t begin, int64_t end, int64_t width, int64_t most) {
  const int64_t bytes = factors.first.bytes;
  if (factors.second.bytes != bytes)
    return most + 1;
  if (bytes == 4 && factors.columnBytes == 4)
    return count<int32_t, int32_t>(factors, begin, end, width, most);
  if (bytes == 8 && factors.columnBytes == 8)
    return count<int64_t, int64_t>(factors, begin, end, width, most);
  return most + 1;
}

int64_t countAllProducts(const Factors &factors, int64_t most) {
  const auto &[second, bytes] = factors.second;
  // Nothing vouches for what lies ahead of a slice of rows.
  const int64_t begin = factors.first.array ? load(factors.first.array, factors.first.bytes, 0) : 0;
  if (factors.count == 0 || factors.count - begin > most)
    return most + 1;
  if (!factors.rows && bytes == factors.columnBytes && bytes >= 4)
    return bytes == 4 ? countAll<int32_t>(factors, begin, most) : countAll<int64_t>(factors, begin, most);
  int64_t total = 0;
  for (int64_t p = begin; p < factors.count && total <= most; ++p) {
    const int64_t row = rowAt(factors.rows, load(factors.columns, factors.columnBytes, p));
    total += load(second, bytes, row + 1) - load(second, bytes, row);
  }
  return total;
}

} // namespace spc::runtime
