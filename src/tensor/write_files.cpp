#include "tensor/files.h"

#include "tensor/packed_arrays.h"

#include <charconv>

namespace spc::tensor {

namespace {

/// Appends numbers in the fewest characters that read back as the same number.
template <typename Number> void append(std::string &text, Number number, char end) {
  char buffer[40];
  auto [stop, error] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  text.append(buffer, stop);
  text += end;
}

std::string writeArray(const Coordinates &entries, int64_t rows, int64_t columns) {
  const size_t order = entries.shape.size();
  std::string text = "%%MatrixMarket matrix array real general\n";
  append(text, rows, ' ');
  append(text, columns, '\n');
  std::vector<double> byColumn(elementCount(entries.shape).value_or(0));
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order;
    byColumn[order == 1 ? at[0] : at[1] * rows + at[0]] = entries.values[e];
  }
  for (double value : byColumn)
    append(text, value, '\n');
  return text;
}

} // namespace

std::string writeMatrixMarket(const Coordinates &entries, bool dense) {
  const size_t order = entries.shape.size();
  const int64_t rows = entries.shape[0];
  const int64_t columns = order == 1 ? 1 : entries.shape[1];
  if (dense)
    return writeArray(entries, rows, columns);
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  append(text, rows, ' ');
  append(text, columns, ' ');
  append(text, entries.size(), '\n');
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order;
    append(text, at[0] + 1, ' ');
    append(text, order == 1 ? 1 : at[1] + 1, ' ');
    append(text, entries.values[e], '\n');
  }
  return text;
}

std::string writeTns(const Coordinates &entries) {
  const size_t order = entries.shape.size();
  std::string text;
  for (size_t e = 0; e < entries.size(); ++e) {
    for (size_t d = 0; d < order; ++d)
      append(text, entries.coordinates[e * order + d] + 1, ' ');
    append(text, entries.values[e], '\n');
  }
  return text;
}

} // namespace spc::tensor
