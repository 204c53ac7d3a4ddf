#include "tensor/files/segments.h"

namespace spc::tensor {

namespace {

/// A coordinate of an entry of a matrix, or of a vector, which is one column.
int64_t coordinateOf(const Coordinates &entries, size_t entry, size_t dim) {
  const size_t order = entries.shape.size();
  return dim < order ? entries.coordinates[entry * order + dim] : 0;
}

/// Whether entries ascend by (major, minor) coordinates, each place once.
bool ascends(const Coordinates &entries, size_t major) {
  int64_t row = -1, column = -1;
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t nextRow = coordinateOf(entries, e, major), nextColumn = coordinateOf(entries, e, 1 - major);
    if (nextRow < row || (nextRow == row && nextColumn <= column))
      return false;
    row = nextRow;
    column = nextColumn;
  }
  return true;
}

} // namespace

int64_t mostPointers(int64_t entries) {
  return 4 * entries + INT16_MAX;
}

MatrixLists matrixLists(const Coordinates &entries) {
  MatrixLists lists;
  lists.rowCount = entries.shape[0];
  lists.columnCount = entries.shape.size() == 2 ? entries.shape[1] : 1;
  const int64_t most = mostPointers(static_cast<int64_t>(entries.size()));
  lists.byRow = lists.rowCount <= most && ascends(entries, 0);
  lists.byColumn = !lists.byRow && lists.columnCount <= most && ascends(entries, 1);
  return lists;
}

std::vector<int64_t> pointersOf(const Coordinates &entries, const MatrixLists &lists) {
  const size_t major = lists.byRow ? 0 : 1;
  std::vector<int64_t> pointers(static_cast<size_t>(lists.byRow ? lists.rowCount : lists.columnCount) + 1);
  for (size_t e = 0; e < entries.size(); ++e)
    ++pointers[static_cast<size_t>(coordinateOf(entries, e, major)) + 1];
  for (size_t k = 1; k < pointers.size(); ++k)
    pointers[k] += pointers[k - 1];
  return pointers;
}

} // namespace spc::tensor
