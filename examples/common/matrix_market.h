// A small reader of Matrix Market coordinate files into CSR arrays; C++17, nothing but the standard library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace matrix_market {

/// A sparse matrix by rows: row i holds the entries row_ptr[i] … row_ptr[i + 1] - 1, columns ascending.
struct Csr {
  std::int64_t nrows = 0;
  std::int64_t ncols = 0;
  std::vector<std::int32_t> row_ptr;
  std::vector<std::int32_t> col_ind;
  std::vector<double> values;

  std::int64_t nnz() const { return static_cast<std::int64_t>(values.size()); }
};

struct Entry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

/// Sorts the entries by row and column; entries at one place are summed.
inline Csr to_csr(std::int64_t nrows, std::int64_t ncols, std::vector<Entry> entries) {
  auto before = [](const Entry &a, const Entry &b) { return a.row != b.row ? a.row < b.row : a.column < b.column; };
  std::sort(entries.begin(), entries.end(), before);
  Csr csr;
  csr.nrows = nrows;
  csr.ncols = ncols;
  csr.row_ptr.assign(static_cast<std::size_t>(nrows) + 1, 0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k > 0 && entries[k - 1].row == entries[k].row && entries[k - 1].column == entries[k].column) {
      csr.values.back() += entries[k].value;
      continue;
    }
    ++csr.row_ptr[static_cast<std::size_t>(entries[k].row) + 1];
    csr.col_ind.push_back(entries[k].column);
    csr.values.push_back(entries[k].value);
  }
  for (std::size_t row = 0; row < static_cast<std::size_t>(nrows); ++row)
    csr.row_ptr[row + 1] += csr.row_ptr[row];
  return csr;
}

/// Reads `%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric`; a pattern's values are 1.
/// Throws std::runtime_error with the path when the file is something else.
inline Csr read(const std::string &path) {
  std::ifstream file(path);
  std::string line, banner, object, layout, field, symmetry;
  if (!std::getline(file, line))
    throw std::runtime_error(path + ": cannot be read");
  std::istringstream(line) >> banner >> object >> layout >> field >> symmetry;
  bool symmetric = symmetry == "symmetric";
  if (banner != "%%MatrixMarket" || object != "matrix" || layout != "coordinate" || field == "complex" ||
      !(symmetric || symmetry == "general"))
    throw std::runtime_error(path + ": not a real coordinate file, general or symmetric");
  while (std::getline(file, line) && (line.empty() || line[0] == '%'))
    ;
  std::int64_t nrows = 0, ncols = 0, count = 0;
  if (!(std::istringstream(line) >> nrows >> ncols >> count) || nrows < 0 || ncols < 0 || nrows > INT32_MAX ||
      ncols > INT32_MAX)
    throw std::runtime_error(path + ": the sizes are malformed");
  std::vector<Entry> entries;
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t row = 0, column = 0;
    double value = 1;
    if (!(file >> row >> column) || (field != "pattern" && !(file >> value)) || row < 1 || row > nrows || column < 1 ||
        column > ncols)
      throw std::runtime_error(path + ": entry " + std::to_string(k + 1) + " is malformed");
    Entry entry{static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1), value};
    entries.push_back(entry);
    if (symmetric && row != column)
      entries.push_back({entry.column, entry.row, value});
  }
  return to_csr(nrows, ncols, std::move(entries));
}

} // namespace matrix_market
