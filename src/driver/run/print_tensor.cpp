#include "driver/run/print_tensor.h"

#include "driver/run/options.h"
#include "host/arguments.h"

#include <algorithm>
#include <cmath>

namespace spc::driver {

namespace {

constexpr int64_t kMaxRows = 20;
constexpr int64_t kMaxColumns = 12;
constexpr size_t kMaxEntries = 60;

/// The entries of a tensor and how they are printed.
struct Printed {
  const tensor::Coordinates &entries;
  sema::ValueType type;
  int digits;

  std::string number(double value) const { return tensor::toText({value}, digits); }

  /// Entry k; integers in full, a complex one with its imaginary part.
  std::string operator[](size_t k) const {
    if (sema::isInteger(type) && std::isinf(entries.values[k]))
      return sema::textOf(type, entries.values[k]);
    if (sema::isInteger(type))
      return tensor::toDigits(*tensor::toInteger(entries.value(k)));
    if (entries.imaginary.empty())
      return number(entries.values[k]);
    const std::string imaginary = number(entries.imaginary[k]);
    return number(entries.values[k]) + (imaginary[0] == '-' ? "" : "+") + imaginary + "i";
  }
};

std::string padded(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// One line a row, columns aligned on the right.
std::string printRows(const Printed &printed, int64_t rows, int64_t columns) {
  std::vector<std::string> texts;
  std::vector<size_t> widths(static_cast<size_t>(columns));
  for (size_t k = 0; k < printed.entries.size(); ++k) {
    texts.push_back(printed[k]);
    size_t &width = widths[k % widths.size()];
    width = std::max(width, texts.back().size());
  }
  std::string result;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column)
      result += "  " + padded(texts[static_cast<size_t>(row * columns + column)], widths[static_cast<size_t>(column)]);
    result += '\n';
  }
  return result;
}

std::string printEntries(const Printed &printed) {
  const tensor::Coordinates &entries = printed.entries;
  std::vector<std::string> places;
  size_t width = 0;
  size_t order = entries.shape.size();
  for (size_t k = 0; k < entries.size(); ++k) {
    std::string place;
    for (size_t dim = 0; dim < order; ++dim)
      place += (dim ? ", " : "(") + std::to_string(entries.coordinates[k * order + dim] + 1);
    places.push_back(place + ")");
    width = std::max(width, places.back().size());
  }
  std::string result;
  for (size_t k = 0; k < entries.size(); ++k)
    result += "  " + padded(places[k], width) + "  " + printed[k] + "\n";
  return result;
}

std::string summary(const Printed &printed) {
  const tensor::Coordinates &entries = printed.entries;
  double sum = 0;
  for (double value : entries.values)
    sum += value;
  auto [least, greatest] = std::minmax_element(entries.values.begin(), entries.values.end());
  return ", sum " + printed.number(sum) + ", min " + printed.number(*least) + ", max " + printed.number(*greatest) +
         "\n";
}

} // namespace

std::string printTensor(const sema::Tensor &tensor, const tensor::Coordinates &entries, int digits) {
  constexpr int kUsualDigits = 6;
  const Printed printed{entries, tensor.type, digits == 0 ? kUsualDigits : digits};
  const bool dense = tensor.format.isDense();
  if (entries.shape.empty())
    return tensor.name + " = " + printed[0] + "\n";
  std::string head = tensor.name + ": " + host::describeShape(entries.shape);
  if (dense && entries.order() <= 2) {
    // A vector is printed as one row when it is short, else as a column.
    bool vector = entries.order() == 1;
    int64_t rows = vector ? (entries.shape[0] <= kMaxColumns ? 1 : entries.shape[0]) : entries.shape[0];
    int64_t columns = vector ? (rows == 1 ? entries.shape[0] : 1) : entries.shape[1];
    if (rows <= (vector ? static_cast<int64_t>(kMaxEntries) : kMaxRows) && columns <= kMaxColumns)
      return head + "\n" + printRows(printed, rows, columns);
  }
  head += ", " + std::to_string(entries.size()) + (dense ? " elements" : " stored entries");
  if (tensor.hasFill())
    head += ", missing ones are " + sema::textOf(tensor.type, tensor.fill);
  if (entries.values.empty())
    return head + "\n";
  if (entries.size() <= kMaxEntries)
    return head + " (coordinates from 1)\n" + printEntries(printed);
  return head + summary(printed);
}

} // namespace spc::driver
