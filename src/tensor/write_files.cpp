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

void appendValue(std::string &text, Number value, bool isComplex) {
  append(text, value.real, isComplex ? ' ' : '\n');
  if (isComplex)
    append(text, value.imaginary, '\n');
}

std::string commentLine(const char *sign, const std::string &comment) {
  return comment.empty() ? "" : sign + (" " + comment) + "\n";
}

std::string banner(const char *format, const Coordinates &entries, const std::string &comment) {
  return std::string("%%MatrixMarket matrix ") + format + (entries.imaginary.empty() ? " real" : " complex") +
         " general\n" + commentLine("%", comment);
}

std::string writeArray(const Coordinates &entries, int64_t rows, int64_t columns, const std::string &comment) {
  const size_t order = entries.shape.size();
  std::string text = banner("array", entries, comment);
  append(text, rows, ' ');
  append(text, columns, '\n');
  std::vector<Number> byColumn(elementCount(entries.shape).value_or(0));
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order;
    byColumn[order == 1 ? at[0] : at[1] * rows + at[0]] = entries.value(e);
  }
  for (const Number &value : byColumn)
    appendValue(text, value, !entries.imaginary.empty());
  return text;
}

} // namespace

std::string writeMatrixMarket(const Coordinates &entries, bool dense, const std::string &comment) {
  const size_t order = entries.shape.size();
  const int64_t rows = entries.shape[0];
  const int64_t columns = order == 1 ? 1 : entries.shape[1];
  if (dense)
    return writeArray(entries, rows, columns, comment);
  std::string text = banner("coordinate", entries, comment);
  append(text, rows, ' ');
  append(text, columns, ' ');
  append(text, entries.size(), '\n');
  for (size_t e = 0; e < entries.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order;
    append(text, at[0] + 1, ' ');
    append(text, order == 1 ? 1 : at[1] + 1, ' ');
    appendValue(text, entries.value(e), !entries.imaginary.empty());
  }
  return text;
}

std::string writeTns(const Coordinates &entries, const std::string &comment) {
  const size_t order = entries.shape.size();
  std::string text = commentLine("#", comment);
  for (size_t e = 0; e < entries.size(); ++e) {
    for (size_t d = 0; d < order; ++d)
      append(text, entries.coordinates[e * order + d] + 1, ' ');
    append(text, entries.values[e], '\n');
  }
  return text;
}

} // namespace spc::tensor
