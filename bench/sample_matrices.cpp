#include "sample_matrices.h"

#include "harness.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

using spc::tensor::Coordinates;

namespace {

/// Gives every entry its value.
Coordinates withValues(Coordinates matrix) {
  matrix.values = randomValues(matrix.coordinates.size() / 2, 5);
  return matrix;
}

void add(Coordinates &matrix, int64_t row, int64_t column) {
  matrix.coordinates.push_back(row);
  matrix.coordinates.push_back(column);
}

int64_t randomBelow(std::mt19937_64 &random, int64_t bound) {
  return int64_t(random() % uint64_t(bound));
}

/// Distinct numbers below `bound`, ascending.
std::set<int64_t> choose(std::mt19937_64 &random, size_t count, int64_t bound) {
  std::set<int64_t> chosen;
  while (chosen.size() < count)
    chosen.insert(randomBelow(random, bound));
  return chosen;
}

/// 16 entries in every row, within a window of `window` columns around the diagonal or of all of them.
Coordinates uniformRows(int64_t entries, int64_t window) {
  constexpr int64_t width = 16;
  const int64_t size = std::max(entries / width, width);
  window = std::min(window, size);
  std::mt19937_64 random(1);
  Coordinates matrix{{size, size}};
  for (int64_t row = 0; row < size; ++row) {
    const int64_t first = std::clamp(row - window / 2, int64_t(0), size - window);
    for (int64_t column : choose(random, width, window))
      add(matrix, row, first + column);
  }
  return withValues(std::move(matrix));
}

} // namespace

Coordinates nearbyColumns(int64_t entries) {
  return uniformRows(entries, 1024);
}

Coordinates anyColumns(int64_t entries) {
  return uniformRows(entries, entries);
}

Coordinates denseBlocks(int64_t entries) {
  constexpr int64_t side = 8, width = 4;
  const int64_t blockRows = std::max(entries / (side * side * width), width);
  std::mt19937_64 random(2);
  Coordinates matrix{{blockRows * side, blockRows * side}};
  for (int64_t blockRow = 0; blockRow < blockRows; ++blockRow)
    for (int64_t blockColumn : choose(random, width, blockRows))
      for (int64_t row = 0; row < side; ++row)
        for (int64_t column = 0; column < side; ++column)
          add(matrix, blockRow * side + row, blockColumn * side + column);
  return withValues(std::move(matrix));
}

Coordinates raggedRows(int64_t entries) {
  constexpr int64_t least = 8, most = 256;
  std::mt19937_64 random(3);
  Coordinates matrix{{0, most}};
  for (int64_t &row = matrix.shape[0]; int64_t(matrix.coordinates.size()) < 2 * entries; ++row) {
    const int64_t length = least + randomBelow(random, most - least + 1);
    for (int64_t column = 0; column < length; ++column)
      add(matrix, row, column);
  }
  return withValues(std::move(matrix));
}

Coordinates lowerTriangle(int64_t entries) {
  const auto size = int64_t(std::sqrt(2.0 * double(entries)));
  Coordinates matrix{{size, size}};
  for (int64_t row = 0; row < size; ++row)
    for (int64_t column = 0; column <= row; ++column)
      add(matrix, row, column);
  return withValues(std::move(matrix));
}

Coordinates stencil(int64_t entries) {
  const auto grid = std::max(int64_t(std::sqrt(double(entries) / 9)), int64_t(3));
  const int64_t size = grid * grid;
  Coordinates matrix{{size, size}};
  for (int64_t row = 0; row < size; ++row)
    for (int64_t up = -1; up <= 1; ++up)
      for (int64_t right = -1; right <= 1; ++right)
        if (int64_t column = row + up * grid + right; column >= 0 && column < size)
          add(matrix, row, column);
  return withValues(std::move(matrix));
}

Coordinates fivePointStencil(int64_t entries) {
  const auto grid = std::max(int64_t(std::sqrt(double(entries) / 5)), int64_t(3));
  Coordinates matrix{{grid * grid, grid * grid}};
  for (int64_t y = 0; y < grid; ++y)
    for (int64_t x = 0; x < grid; ++x)
      for (auto [up, right] : {std::pair(-1, 0), {0, -1}, {0, 0}, {0, 1}, {1, 0}})
        if (y + up >= 0 && y + up < grid && x + right >= 0 && x + right < grid)
          add(matrix, y * grid + x, (y + up) * grid + x + right);
  return withValues(std::move(matrix));
}

Coordinates stencil27(int64_t entries) {
  const auto grid = std::max(int64_t(std::cbrt(double(entries) / 27)), int64_t(3));
  auto inside = [&](int64_t at) { return at >= 0 && at < grid; };
  Coordinates matrix{{grid * grid * grid, grid * grid * grid}};
  for (int64_t row = 0; row < matrix.shape[0]; ++row)
    for (int64_t neighbour = 0; neighbour < 27; ++neighbour) {
      const int64_t z = row / (grid * grid) + neighbour / 9 - 1, y = row / grid % grid + neighbour / 3 % 3 - 1;
      const int64_t x = row % grid + neighbour % 3 - 1;
      if (inside(x) && inside(y) && inside(z))
        add(matrix, row, (z * grid + y) * grid + x);
    }
  return withValues(std::move(matrix));
}

Coordinates powerLaw(int64_t entries) {
  const int64_t size = std::max(entries / 8, int64_t(8));
  std::mt19937_64 random(4);
  std::vector<int64_t> rows(size), columns(size);
  for (std::vector<int64_t> *places : {&rows, &columns}) {
    std::iota(places->begin(), places->end(), int64_t(0));
    std::shuffle(places->begin(), places->end(), random);
  }
  auto rank = [&] { // the square of a uniform number has a density that falls with the square root
    const double uniform = double(random() >> 11) / double(int64_t(1) << 53);
    return int64_t(uniform * uniform * double(size));
  };
  std::set<std::pair<int64_t, int64_t>> places;
  while (int64_t(places.size()) < entries) {
    const int64_t row = rows[rank()];
    places.emplace(row, columns[rank()]);
  }
  Coordinates matrix{{size, size}};
  for (auto [row, column] : places)
    add(matrix, row, column);
  return withValues(std::move(matrix));
}
