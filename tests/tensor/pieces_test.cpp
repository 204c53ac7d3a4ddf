// Work that is divided among threads gives what one thread gives.
#include "tensor/pack/pieces.h"

#include "tensor/pack/block_packer.h"
#include "tensor/pack/packed_arrays.h"
#include "tensor/pack/row_packer.h"
#include "tensor/pack/row_sorter.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace spc::tensor {

using abi::FieldRole;
using sema::ValueType;

namespace {

enum class Sequence { Rows, Columns, Shuffled, Repeated };

enum class Mirror { None, Beside, Behind };

/// A matrix whose entries come in a given sequence; mirror images beside each entry or behind all of them.
Coordinates sequence(Sequence sequence, int64_t rows, int64_t columns, Mirror mirrors, std::mt19937 &random) {
  const bool isSymmetric = mirrors != Mirror::None;
  std::vector<std::pair<int64_t, int64_t>> places;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < (isSymmetric ? row + 1 : columns); ++column)
      for (size_t times = random() % 4 == 0; times > 0; --times)
        places.insert(places.end(), sequence == Sequence::Repeated ? 2 : 1, {row, column});
  if (sequence == Sequence::Columns)
    std::stable_sort(places.begin(), places.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
  else if (sequence != Sequence::Rows)
    std::shuffle(places.begin(), places.end(), random);
  Coordinates entries{{rows, columns}, {}, {}};
  for (const auto &[row, column] : places) {
    const int64_t at[] = {row, column}, mirror[] = {column, row};
    const Number value{0.1 * static_cast<double>(random() % 99)};
    entries.append(at, value);
    if (mirrors == Mirror::Beside && row != column)
      entries.append(mirror, value);
  }
  for (size_t e = 0, listed = entries.size(); mirrors == Mirror::Behind && e < listed; ++e) {
    const int64_t mirror[] = {entries.coordinates[2 * e + 1], entries.coordinates[2 * e]};
    if (mirror[0] != mirror[1])
      entries.append(mirror, entries.value(e));
  }
  return entries;
}

format::Format listed(std::vector<int> dims, bool isWidth, format::Symmetry symmetry) {
  format::Format format;
  format.levels = {{.dim = dims[0]}, {.dim = dims[1], .storage = format::Storage::Compressed}};
  format.symmetry = symmetry;
  if (isWidth) {
    format.levels[1].unique = false;
    format.levels[1].width = std::nullopt;
  } else {
    format.levels[1].extent = format::Extent::Ragged;
  }
  return format;
}

} // namespace

TEST_CASE("pieces cover a range, each once") {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{5}, size_t{1000}, std::numeric_limits<size_t>::max()})
    for (const int pieces : {1, 2, 3, 8}) {
      CHECK(pieceBegin(size, 0, pieces) == 0);
      CHECK(pieceBegin(size, pieces, pieces) == size);
      for (int piece = 0; piece < pieces; ++piece)
        CHECK(pieceBegin(size, piece, pieces) <= pieceBegin(size, piece + 1, pieces));
    }
  std::vector<std::atomic<int>> seen(100);
  inPieces(seen.size(), 3, [&](int, size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at)
      ++seen[at];
  });
  for (const std::atomic<int> &times : seen)
    CHECK(times == 1);
  CHECK(piecesOf(0) == 1);
  CHECK(piecesOf(1000) == 1);
}

TEST_CASE("what goes wrong in a piece is thrown on") {
  for (int bad = 0; bad < 3; ++bad)
    CHECK_THROWS_AS(inPieces(3, 3,
                             [&](int piece, size_t, size_t) {
                               if (piece == bad)
                                 throw std::length_error("too long");
                             }),
                    std::length_error);
}

TEST_CASE("threads change nothing in what is packed") {
  std::mt19937 random(5);
  for (const Sequence order : {Sequence::Rows, Sequence::Columns, Sequence::Shuffled, Sequence::Repeated})
    for (const auto &[rows, columns] : {std::pair<int64_t, int64_t>(30, 30), {1, 200}, {200, 1}, {7, 50}})
      for (const format::Symmetry symmetry : {format::Symmetry::None, format::Symmetry::Lower, format::Symmetry::Upper})
        for (const bool isWidth : {false, true}) {
          const bool isSymmetric = symmetry != format::Symmetry::None;
          if (isSymmetric && (rows != columns || isWidth))
            continue;
          const Mirror mirrors = !isSymmetric ? Mirror::None : random() % 2 ? Mirror::Beside : Mirror::Behind;
          const Coordinates entries = sequence(order, rows, columns, mirrors, random);
          for (const std::vector<int> &dims : {std::vector<int>{0, 1}, std::vector<int>{1, 0}}) {
            const format::Format format = listed(dims, isWidth, symmetry);
            PackedArrays one(format, ValueType::F64, entries.shape);
            Coordinates used = entries;
            const bool isPacked = packByRows(one, used, 1);
            CHECK((isPacked || used.coordinates == entries.coordinates));
            CHECK(isPacked == !(isWidth && order == Sequence::Repeated && entries.size() > 0));
            for (const int pieces : {2, 3}) {
              PackedArrays several(format, ValueType::F64, entries.shape);
              used = entries;
              REQUIRE(packByRows(several, used, pieces) == isPacked);
              for (const FieldRole role : {FieldRole::Pointers, FieldRole::Indices, FieldRole::Values})
                CHECK((!isPacked || one.elements(role, role == FieldRole::Values ? 0 : 1) ==
                                        several.elements(role, role == FieldRole::Values ? 0 : 1)));
            }
          }
        }
}

TEST_CASE("coordinates outside of the shape are left as they are, and named") {
  std::mt19937 random(9);
  for (const format::Symmetry symmetry : {format::Symmetry::None, format::Symmetry::Lower})
    for (const bool isWidth : {false, true})
      for (const std::vector<int> &dims : {std::vector<int>{0, 1}, std::vector<int>{1, 0}})
        for (const std::array<int64_t, 2> &at : {std::array<int64_t, 2>{20, 3}, {3, 20}, {-1, 4}, {4, -1}})
          for (const int pieces : {1, 2, 3}) {
            const format::Format format = listed(dims, isWidth, symmetry);
            Coordinates entries = sequence(Sequence::Shuffled, 20, 20, Mirror::Beside, random);
            const std::array<int64_t, 2> mirror = {at[1], at[0]};
            entries.append(at.data(), {1});
            entries.append(mirror.data(), {1});
            const Coordinates given = entries;
            PackedArrays arrays(format, ValueType::F64, entries.shape);
            CHECK_FALSE(packByRows(arrays, entries, pieces));
            CHECK(entries.coordinates == given.coordinates);
            CHECK(entries.values == given.values);
            std::string error;
            CHECK_FALSE(PackedTensor::pack(given, format, ValueType::F64, error));
            CHECK(error == "coordinate " + std::to_string(at[0] < 0 || at[0] >= 20 ? at[0] : at[1]) +
                               " lies outside the extent 20");
          }
}

TEST_CASE("rows are sorted together as they are one by one") {
  std::mt19937 random(10);
  for (const int64_t columns : {int64_t{10}, int64_t{3000}, int64_t{1} << 20})
    for (const int64_t length : {10, 40, 900}) {
      std::vector<int32_t> indices;
      std::vector<double> values;
      for (int64_t e = 0; e < 300 * length; ++e) {
        indices.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(columns)));
        values.push_back(static_cast<double>(e));
      }
      std::vector<std::pair<int32_t, double>> expected;
      bool repeats = false;
      RowSorter<int32_t, double> sorter(indices.data(), values.data(), columns);
      for (int64_t begin = 0; begin < 300 * length; begin += length) {
        for (int64_t e = begin; e < begin + length; ++e)
          expected.emplace_back(indices[static_cast<size_t>(e)], static_cast<double>(e));
        std::sort(expected.end() - length, expected.end()); // by the value where columns are the same
        for (int64_t e = begin + 1; e < begin + length; ++e)
          repeats |= expected[static_cast<size_t>(e)].first == expected[static_cast<size_t>(e) - 1].first;
      }
      for (int64_t begin = 0; begin < 300 * length; begin += length)
        sorter.add(begin, begin + length);
      CHECK(sorter.finish() == repeats);
      bool isEqual = true;
      for (size_t e = 0; e < expected.size(); ++e)
        isEqual &= expected[e] == std::pair(indices[e], values[e]);
      CHECK(isEqual);
    }
}

TEST_CASE("blocks are packed alike from rows and level by level") {
  using format::Part;
  std::mt19937 random(8);
  for (const Sequence order : {Sequence::Rows, Sequence::Columns, Sequence::Shuffled, Sequence::Repeated})
    for (const auto &[rows, columns] : {std::pair<int64_t, int64_t>(24, 24), {1, 50}, {50, 1}, {13, 30}})
      for (const std::vector<int> &dims : {std::vector<int>{0, 1}, std::vector<int>{1, 0}})
        for (const auto &[width, isSwapped] : {std::pair(3, false), {3, true}, {1, false}, {8, false}, {8, true}}) {
          const Coordinates entries = sequence(order, rows, columns, Mirror::None, random);
          format::Format format = listed(dims, false, format::Symmetry::None);
          format.levels[0].part = format.levels[1].part = Part::Quotient;
          format.levels[0].block = 4;
          format.levels[1].block = width;
          for (const int at : {isSwapped ? 1 : 0, isSwapped ? 0 : 1})
            format.levels.push_back(
                {.dim = dims[static_cast<size_t>(at)], .part = Part::Remainder, .block = format.levels[at].block});
          format::Format narrow = format;
          narrow.pointers = narrow.indices = format::IndexType::U16;
          std::string error;
          const auto byLevel = PackedTensor::pack(entries, narrow, ValueType::F64, error);
          REQUIRE(byLevel);
          for (const int pieces : {1, 2, 3}) {
            PackedArrays blocks(format, ValueType::F64, entries.shape);
            Coordinates used = entries;
            REQUIRE(packByBlocks(blocks, used, pieces) == (entries.size() > 0));
            if (entries.size() == 0)
              continue;
            CHECK(blocks.valueCount == byLevel->valueCount());
            for (const FieldRole role : {FieldRole::Pointers, FieldRole::Indices})
              CHECK(blocks.elements(role, 1) == byLevel->elements(role, 1));
            CHECK(blocks.elements(FieldRole::Values, 0) == byLevel->elements(FieldRole::Values, 0));
          }
        }
}

TEST_CASE("threads find what is not symmetric") {
  std::mt19937 random(6);
  for (const format::Symmetry symmetry : {format::Symmetry::Lower, format::Symmetry::Upper})
    for (const int pieces : {1, 2}) {
      const format::Format format = listed({0, 1}, false, symmetry);
      const Coordinates right = sequence(Sequence::Columns, 20, 20, Mirror::Beside, random);
      const auto isPacked = [&](Coordinates entries) {
        PackedArrays arrays(format, ValueType::F64, entries.shape);
        return packByRows(arrays, entries, pieces);
      };
      CHECK(isPacked(right));
      const double largest = std::numeric_limits<double>::max(), infinity = std::numeric_limits<double>::infinity();
      for (const auto &[first, second] : {std::pair(largest, largest), {infinity, 1.0}, {infinity, -infinity}}) {
        Coordinates large = right;
        for (const double value : {first, second})
          for (const auto &at : {std::array<int64_t, 2>{5, 6}, {6, 5}})
            large.append(at.data(), {value});
        CHECK(isPacked(large) == !std::isnan(first + second));
      }
      for (const auto &[at, value] : {std::pair(std::array<int64_t, 2>{3, 17}, 0.5),
                                      {{17, 3}, 0.5},
                                      {{4, 4}, std::numeric_limits<double>::quiet_NaN()}}) {
        Coordinates wrong = right;
        wrong.append(at.data(), {value});
        CHECK_FALSE(isPacked(wrong));
      }
    }
}

} // namespace spc::tensor
