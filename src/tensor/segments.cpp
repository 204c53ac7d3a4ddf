#include "tensor/segments.h"

namespace spc::tensor {

namespace {

/// Whether entries ascend by (major, minor) coordinates, each place once.
bool ascends(const std::vector<int64_t> &major, const std::vector<int64_t> &minor) {
  for (size_t e = 1; e < major.size(); ++e)
    if (major[e] < major[e - 1] || (major[e] == major[e - 1] && minor[e] <= minor[e - 1]))
      return false;
  return true;
}

} // namespace

MatrixLists matrixLists(const Coordinates &entries) {
  const size_t order = entries.shape.size();
  MatrixLists lists;
  lists.rowCount = entries.shape[0];
  lists.columnCount = order == 2 ? entries.shape[1] : 1;
  for (size_t e = 0; e < entries.size(); ++e) {
    lists.rows.push_back(entries.coordinates[e * order]);
    lists.columns.push_back(order == 2 ? entries.coordinates[e * order + 1] : 0);
  }
  const int64_t mostPointers = 4 * static_cast<int64_t>(entries.size()) + INT16_MAX;
  lists.byRow = lists.rowCount <= mostPointers && ascends(lists.rows, lists.columns);
  lists.byColumn = !lists.byRow && lists.columnCount <= mostPointers && ascends(lists.columns, lists.rows);
  return lists;
}

std::vector<int64_t> pointersOf(const std::vector<int64_t> &major, int64_t extent) {
  std::vector<int64_t> pointers(static_cast<size_t>(extent) + 1);
  for (const int64_t at : major)
    ++pointers[static_cast<size_t>(at) + 1];
  for (size_t k = 1; k < pointers.size(); ++k)
    pointers[k] += pointers[k - 1];
  return pointers;
}

} // namespace spc::tensor
