#include "reference.h"

#include "harness.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <type_traits>
#include <utility>

namespace assembly {
namespace {

/// The terms of a result, by row: a column and a value each.
using Terms = std::vector<std::vector<std::pair<int32_t, double>>>;

template <class T> Terms entriesByRow(const Csr<T> &a) {
  Terms rows(a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
      rows[i].emplace_back(a.indices[p], a.values[p]);
  return rows;
}

template <class T> Terms entriesByColumn(const Csr<T> &a) {
  Terms columns(a.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
      columns[a.indices[p]].emplace_back(int32_t(i), a.values[p]);
  return columns;
}

template <class T> Terms entriesByRow(const Coo<T> &a) {
  Terms rows(a.rows);
  for (size_t e = 0; e < a.values.size(); ++e)
    rows[a.row[e]].emplace_back(a.column[e], a.values[e]);
  return rows;
}

/// Appends a row to `result`: its terms sorted, those of one column summed.
void appendRow(Csr<double> &result, std::vector<std::pair<int32_t, double>> terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  const size_t begin = result.indices.size();
  for (const auto &[column, value] : terms) {
    if (result.indices.size() > begin && result.indices.back() == column) {
      result.values.back() += value;
      continue;
    }
    result.indices.push_back(column);
    result.values.push_back(value);
  }
  result.pointers.push_back(int32_t(result.indices.size()));
}

Csr<double> sumOf(int64_t columns, const Terms &rows) {
  Csr<double> result{int64_t(rows.size()), columns, {0}, {}, {}};
  for (const auto &row : rows)
    appendRow(result, row);
  return result;
}

Csr<double> productOf(const Terms &left, const Terms &right, int64_t columns) {
  Csr<double> result{int64_t(left.size()), columns, {0}, {}, {}};
  for (const auto &row : left) {
    std::vector<std::pair<int32_t, double>> terms;
    for (const auto &[k, a] : row)
      for (const auto &[j, b] : right[k])
        terms.emplace_back(j, a * b);
    appendRow(result, std::move(terms));
  }
  return result;
}

/// The entries in an order drawn at random, every fourth one twice.
template <class T> Coo<T> shuffledWithRepeats(const Coo<T> &sorted) {
  std::vector<size_t> order(sorted.values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t e = 0; e < sorted.values.size(); e += 4)
    order.push_back(e);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(6));
  const std::vector<double> values = randomValues(order.size(), 7);
  Coo<T> shuffled{sorted.rows, sorted.columns, {}, {}, {values.begin(), values.end()}};
  for (size_t e : order) {
    shuffled.row.push_back(sorted.row[e]);
    shuffled.column.push_back(sorted.column[e]);
  }
  return shuffled;
}

} // namespace

const char *spelling(Operation operation) {
  switch (operation) {
  case Operation::Square:
    return "A*A";
  case Operation::TimesTranspose:
    return "A*A'";
  case Operation::Plus:
    return "A+B";
  case Operation::PlusTranspose:
    return "A+A'";
  case Operation::ToColumns:
    return "csr>csc";
  case Operation::FromSorted:
    return "coo>csr";
  case Operation::FromShuffled:
    return "coo-dup>csr";
  }
  return "";
}

const char *kernelOf(Operation operation) {
  switch (operation) {
  case Operation::Square:
  case Operation::TimesTranspose:
    return "spgemm";
  case Operation::Plus:
  case Operation::PlusTranspose:
    return "spadd";
  default:
    return "convert";
  }
}

bool isDefined(Operation operation, int64_t rows, int64_t columns) {
  return rows == columns ||
         (operation != Operation::Square && operation != Operation::Plus && operation != Operation::PlusTranspose);
}

template <class T> Input<T> makeInput(Operation operation, const spc::tensor::Coordinates &entries) {
  Coo<T> coo{entries.shape[0], entries.shape[1], {}, {}, {entries.values.begin(), entries.values.end()}};
  for (size_t e = 0; e < entries.size(); ++e) {
    coo.row.push_back(int32_t(entries.coordinates[2 * e]));
    coo.column.push_back(int32_t(entries.coordinates[2 * e + 1]));
  }
  if (operation == Operation::FromSorted)
    return {{}, {}, std::move(coo)};
  if (operation == Operation::FromShuffled)
    return {{}, {}, shuffledWithRepeats(coo)};
  Csr<T> csr = csrOf<T>(entries);
  if (operation != Operation::Plus)
    return {std::move(csr), {}, {}};
  const Csr<double> transpose = sumOf(csr.rows, entriesByColumn(csr));
  Csr<T> other{transpose.rows,
               transpose.columns,
               transpose.pointers,
               transpose.indices,
               {transpose.values.begin(), transpose.values.end()}};
  return {std::move(csr), std::move(other), {}};
}

template <class T> Csr<double> expectedResult(Operation operation, const Input<T> &input) {
  const Csr<T> &a = input.csr;
  switch (operation) {
  case Operation::Square:
    return productOf(entriesByRow(a), entriesByRow(a), a.columns);
  case Operation::TimesTranspose:
    return productOf(entriesByRow(a), entriesByColumn(a), a.rows);
  case Operation::Plus:
  case Operation::PlusTranspose: {
    Terms rows = entriesByRow(a), columns = entriesByColumn(a);
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i].insert(rows[i].end(), columns[i].begin(), columns[i].end());
    return sumOf(a.columns, rows);
  }
  case Operation::ToColumns:
    return sumOf(a.rows, entriesByColumn(a));
  case Operation::FromSorted:
  case Operation::FromShuffled:
    return sumOf(input.coo.columns, entriesByRow(input.coo));
  }
  return {};
}

template <class T> Cost costOf(Operation operation, const Input<T> &input, const Csr<double> &result) {
  const Csr<T> &a = input.csr;
  const double entry = sizeof(int32_t) + sizeof(T);
  const double operand = double(a.pointers.size() + input.other.pointers.size()) * sizeof(int32_t) +
                         double(a.entries() + input.other.entries()) * entry +
                         double(input.coo.values.size()) * (sizeof(int32_t) + entry);
  double flops = 0;
  if (operation == Operation::Plus || operation == Operation::PlusTranspose) {
    flops = 2 * double(a.entries()) - double(result.entries()); // additions: of two entries to one
  } else if (operation == Operation::Square || operation == Operation::TimesTranspose) {
    const bool transposed = operation == Operation::TimesTranspose;
    std::vector<int64_t> lengths(transposed ? a.columns : a.rows);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
        ++lengths[transposed ? a.indices[p] : i];
    for (int32_t column : a.indices)
      flops += 2 * double(lengths[column]);
  }
  return {flops, operand + double(result.pointers.size()) * sizeof(int32_t) + double(result.entries()) * entry};
}

template <class T> bool agrees(const Csr<T> &result, const Csr<double> &expected) {
  constexpr double tolerance = std::is_same_v<T, double> ? 1e-12 : 1e-4;
  return result.rows == expected.rows && result.columns == expected.columns && result.pointers == expected.pointers &&
         result.indices == expected.indices && result.values.size() == expected.values.size() &&
         largestDifference(result.values, expected.values) < tolerance;
}

template Input<double> makeInput(Operation, const spc::tensor::Coordinates &);
template Input<float> makeInput(Operation, const spc::tensor::Coordinates &);
template Csr<double> expectedResult(Operation, const Input<double> &);
template Csr<double> expectedResult(Operation, const Input<float> &);
template Cost costOf(Operation, const Input<double> &, const Csr<double> &);
template Cost costOf(Operation, const Input<float> &, const Csr<double> &);
template bool agrees(const Csr<double> &, const Csr<double> &);
template bool agrees(const Csr<float> &, const Csr<double> &);

} // namespace assembly
