// Packing into C structs and reading them back.
#include "tensor/tensor.h"

#include "abi/signature.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

namespace spc::tensor {

using abi::FieldRole;
using format::Extent;
using format::Format;
using format::IndexType;
using format::Level;
using format::Storage;
using sema::ValueType;

namespace {

const Level kDense{.storage = Storage::Dense, .extent = Extent::Fixed};
const Level kCompressed{.storage = Storage::Compressed, .extent = Extent::Ragged};
const Level kRepeated{.storage = Storage::Compressed, .extent = Extent::Ragged, .unique = false};
const Level kEll{
    .storage = Storage::Compressed, .extent = Extent::Fixed, .unique = false, .ordered = false, .width = std::nullopt};
const Level kSingleton{.storage = Storage::Compressed, .extent = Extent::Fixed};

Format make(std::vector<Level> levels, std::vector<int> modes = {}) {
  for (size_t k = 0; k < levels.size(); ++k)
    levels[k].dim = static_cast<int>(k);
  Format format{"test", std::move(levels)};
  for (int k = 0; k < format.order(); ++k)
    format.levels[k].dim = modes.empty() ? k : modes[k];
  return format;
}

Format coo(int order, std::vector<int> modes = {}) {
  std::vector<Level> levels(order, kSingleton);
  for (int k = 0; k + 1 < order; ++k)
    levels[k].unique = false;
  levels.front() = order == 1 ? kCompressed : kRepeated;
  return make(levels, modes);
}

/// The 4 x 5 matrix whose entries are 10 * row + column, unsorted, one of them in two parts.
Coordinates matrix() {
  return {{4, 5}, {3, 4, 0, 1, 2, 0, 0, 4, 2, 0, 2, 3}, {34, 1, 15, 4, 5, 23}};
}

PackedTensor packed(const Coordinates &entries, const Format &format, ValueType value = ValueType::F64) {
  std::string error;
  std::optional<PackedTensor> tensor = PackedTensor::pack(entries, format, value, error);
  INFO(error);
  REQUIRE(tensor);
  return std::move(*tensor);
}

std::string packError(const Coordinates &entries, const Format &format) {
  std::string error;
  CHECK_FALSE(PackedTensor::pack(entries, format, ValueType::F64, error));
  return error;
}

/// The struct's field of a role, as an integer or a pointer.
template <typename T> T field(PackedTensor &tensor, FieldRole role, int index = 0, ValueType value = ValueType::F64) {
  int slot = abi::structFor(tensor.format(), value).find(role, index);
  REQUIRE(slot >= 0);
  T result;
  std::memcpy(&result, static_cast<char *>(tensor.cStruct()) + 8 * slot, 8);
  return result;
}

template <typename T>
std::vector<T> array(PackedTensor &tensor, FieldRole role, int index, size_t count, ValueType value = ValueType::F64) {
  T *data = field<T *>(tensor, role, index, value);
  REQUIRE(data);
  return std::vector<T>(data, data + count);
}

using SmallInts = std::vector<int32_t>;
using Doubles = std::vector<double>;
using Entries = std::map<std::vector<int64_t>, double>;

Entries asMap(const Coordinates &entries) {
  Entries map;
  const size_t order = entries.shape.size();
  for (size_t e = 0; e < entries.size(); ++e) {
    auto at = entries.coordinates.begin() + e * order;
    map[std::vector<int64_t>(at, at + order)] += entries.values[e];
  }
  return map;
}

} // namespace

TEST_CASE("CSR") {
  PackedTensor tensor = packed(matrix(), make({kDense, kCompressed}));
  CHECK(field<int64_t>(tensor, FieldRole::Size, 0) == 4);
  CHECK(field<int64_t>(tensor, FieldRole::Size, 1) == 5);
  CHECK(field<int64_t>(tensor, FieldRole::Stored) == 5);
  CHECK(array<int32_t>(tensor, FieldRole::Pointers, 1, 5) == SmallInts{0, 2, 2, 4, 5});
  CHECK(array<int32_t>(tensor, FieldRole::Indices, 1, 5) == SmallInts{1, 4, 0, 3, 4});
  CHECK(array<double>(tensor, FieldRole::Values, 0, 5) == Doubles{1, 4, 20, 23, 34});
  CHECK(tensor.valueCount() == 5);
}

TEST_CASE("CSC with i64 pointers and f32 values") {
  Format format = make({kDense, kCompressed}, {1, 0});
  format.pointers = IndexType::I64;
  PackedTensor tensor = packed(matrix(), format, ValueType::F32);
  CHECK(array<int64_t>(tensor, FieldRole::Pointers, 1, 6, ValueType::F32) == std::vector<int64_t>{0, 1, 2, 2, 3, 5});
  CHECK(array<int32_t>(tensor, FieldRole::Indices, 1, 5, ValueType::F32) == SmallInts{2, 0, 2, 0, 3});
  CHECK(array<float>(tensor, FieldRole::Values, 0, 5, ValueType::F32) == std::vector<float>{20, 1, 23, 4, 34});
}

TEST_CASE("DCSR stores only rows with entries") {
  PackedTensor tensor = packed(matrix(), make({kCompressed, kCompressed}));
  CHECK(field<int64_t>(tensor, FieldRole::Count) == 3);
  CHECK(array<int32_t>(tensor, FieldRole::Indices, 0, 3) == SmallInts{0, 2, 3});
  CHECK(array<int32_t>(tensor, FieldRole::Pointers, 1, 4) == SmallInts{0, 2, 4, 5});
  CHECK(array<int32_t>(tensor, FieldRole::Indices, 1, 5) == SmallInts{1, 4, 0, 3, 4});
}

TEST_CASE("COO has one index array for each dimension") {
  PackedTensor tensor = packed(matrix(), coo(2));
  CHECK(field<int64_t>(tensor, FieldRole::Count) == 5);
  CHECK(field<int64_t>(tensor, FieldRole::Stored) == 5);
  CHECK(array<int32_t>(tensor, FieldRole::Indices, 0, 5) == SmallInts{0, 0, 2, 2, 3});
  CHECK(array<int32_t>(tensor, FieldRole::Indices, 1, 5) == SmallInts{1, 4, 0, 3, 4});
}

TEST_CASE("a dense level below a compressed one is filled up with zeros") {
  PackedTensor tensor = packed(matrix(), make({kCompressed, kDense}));
  CHECK(field<int64_t>(tensor, FieldRole::Count) == 3);
  CHECK(field<int64_t>(tensor, FieldRole::Stored) == 15);
  CHECK(array<double>(tensor, FieldRole::Values, 0, 15) == Doubles{0, 1, 0, 0, 4, 20, 0, 0, 23, 0, 0, 0, 0, 0, 34});
}

TEST_CASE("dense tensors have strides by their mode order") {
  PackedTensor rows = packed(matrix(), make({kDense, kDense}));
  CHECK(field<int64_t>(rows, FieldRole::Stride, 0) == 5);
  CHECK(field<int64_t>(rows, FieldRole::Stride, 1) == 1);
  CHECK(array<double>(rows, FieldRole::Values, 0, 6) == Doubles{0, 1, 0, 0, 4, 0});
  PackedTensor columns = packed(matrix(), make({kDense, kDense}, {1, 0}));
  CHECK(field<int64_t>(columns, FieldRole::Stride, 0) == 1);
  CHECK(field<int64_t>(columns, FieldRole::Stride, 1) == 4);
  CHECK(array<double>(columns, FieldRole::Values, 0, 5) == Doubles{0, 0, 20, 0, 1});
  CHECK(columns.unpack().coordinates == rows.unpack().coordinates);
  CHECK(columns.unpack().values == rows.unpack().values);
}

TEST_CASE("arrays without elements are NULL, pointers always have one") {
  PackedTensor tensor = packed({{3, 4}, {}, {}}, make({kDense, kCompressed}));
  CHECK(array<int32_t>(tensor, FieldRole::Pointers, 1, 4) == SmallInts{0, 0, 0, 0});
  CHECK(field<void *>(tensor, FieldRole::Indices, 1) == nullptr);
  CHECK(field<void *>(tensor, FieldRole::Values) == nullptr);
  CHECK(tensor.unpack().size() == 0);
  PackedTensor flat = packed({{0, 4}, {}, {}}, make({kDense, kCompressed}));
  CHECK(array<int32_t>(flat, FieldRole::Pointers, 1, 1) == SmallInts{0});
  CHECK(flat.unpack().shape == std::vector<int64_t>{0, 4});
}

TEST_CASE("what does not fit is an error") {
  constexpr int64_t kBig = int64_t{1} << 40;
  Coordinates far{{2, kBig}, {1, kBig - 1}, {1}};
  CHECK(packError(far, make({kDense, kCompressed})) ==
        "coordinate 1099511627775 does not fit the format's i32 indices");
  Format wide = make({kDense, kCompressed});
  wide.indices = IndexType::I64;
  CHECK(asMap(packed(far, wide).unpack()) == asMap(far));
  CHECK(packError({{kBig, kBig}, {}, {}}, make({kDense, kDense})) == "it does not fit into memory");
  CHECK(packError({{kBig, 1 << 20}, {}, {}}, make({kDense, kDense})) == "it does not fit into memory");
  CHECK(packError({{INT64_MAX, 3}, {}, {}}, make({kDense, kCompressed})) == "it does not fit into memory");
  CHECK(packError({{2, 2}, {0, 2}, {1}}, coo(2)) == "coordinate 2 lies outside the extent 2");
  CHECK(packError({{2, 2}, {-1, 0}, {1}}, coo(2)) == "coordinate -1 lies outside the extent 2");
  CHECK(packError({{0, 2}, {0, 0}, {1}}, make({kDense, kCompressed})) == "coordinate 0 lies outside the extent 0");
  CHECK(packError({{2, 2}, {0}, {1}}, coo(2)) == "its entries lack coordinates");
  CHECK(packError({{2, -2}, {}, {}}, coo(2)) == "extent -2 is negative");
  CHECK(packError({{2, 2}, {}, {}}, coo(3)) == "it has order 2, its format has order 3");
}

TEST_CASE("coordinates beyond what one key can tell apart are sorted too") {
  constexpr int64_t kHuge = int64_t{1} << 62;
  Format format = coo(3, {2, 0, 1});
  format.indices = IndexType::I64;
  Coordinates entries{
      {kHuge, kHuge, kHuge}, {kHuge - 1, 0, 5, 3, kHuge - 1, 4, kHuge - 1, 0, 5, 1, 2, 5}, {1, 2, 3, 4}};
  Coordinates unpacked = packed(entries, format).unpack();
  CHECK(unpacked.coordinates == std::vector<int64_t>{3, kHuge - 1, 4, 1, 2, 5, kHuge - 1, 0, 5});
  CHECK(unpacked.values == Doubles{2, 4, 4});
}

TEST_CASE("outputs") {
  std::string error;
  std::optional<PackedTensor> dense = PackedTensor::output({2, 3}, make({kDense, kDense}), ValueType::F32, 0, error);
  REQUIRE(dense);
  CHECK(dense->valueCount() == 6);
  CHECK(dense->unpack().values == Doubles(6, 0.0));
  std::optional<PackedTensor> shared =
      PackedTensor::output({4, 5}, make({kDense, kCompressed}), ValueType::F64, 5, error);
  REQUIRE(shared);
  CHECK(shared->valueCount() == 5);
  CHECK(field<int64_t>(*shared, FieldRole::Size, 1) == 5);
  CHECK(field<int64_t>(*shared, FieldRole::Stored) == 0);
  CHECK(field<void *>(*shared, FieldRole::Pointers, 1) == nullptr);
  CHECK(field<void *>(*shared, FieldRole::Values) != nullptr);
  CHECK(shared->unpack().size() == 0);
  CHECK_FALSE(PackedTensor::output({INT64_MAX, 2}, make({kDense, kDense}), ValueType::F64, 0, error));
  CHECK(error == "it does not fit into memory");
}

TEST_CASE("unpacking sees the structure that a kernel sets") {
  PackedTensor operand = packed(matrix(), make({kDense, kCompressed}));
  std::string error;
  std::optional<PackedTensor> output = PackedTensor::output({4, 5}, operand.format(), ValueType::F64, 5, error);
  REQUIRE(output);
  abi::StructType type = abi::structFor(operand.format(), ValueType::F64);
  for (auto [role, index] : {std::pair(FieldRole::Pointers, 1), {FieldRole::Indices, 1}, {FieldRole::Stored, 0}}) {
    size_t offset = 8 * type.find(role, index);
    std::memcpy(static_cast<char *>(output->cStruct()) + offset, static_cast<char *>(operand.cStruct()) + offset, 8);
  }
  std::iota(field<double *>(*output, FieldRole::Values), field<double *>(*output, FieldRole::Values) + 5, 1.0);
  CHECK(output->unpack().coordinates == operand.unpack().coordinates);
  CHECK(output->unpack().values == Doubles{1, 2, 3, 4, 5});
}

TEST_CASE("what is packed into any format unpacks to the same tensor") {
  std::mt19937 random(11);
  const std::vector<int64_t> extents = {0, 1, 2, 3, 7, 20};
  for (int round = 0; round < 3000; ++round) {
    const int order = static_cast<int>(random() % 4 + 1);
    std::vector<int> modes(order);
    std::iota(modes.begin(), modes.end(), 0);
    std::shuffle(modes.begin(), modes.end(), random);
    Format format = coo(order, modes);
    if (random() % 4 != 0) {
      std::vector<Level> levels;
      for (int k = 0; k < order; ++k)
        levels.push_back(random() % 2 ? kDense : kCompressed);
      format = make(levels, modes);
    }
    format.pointers = random() % 2 ? IndexType::I32 : IndexType::I64;
    format.indices = random() % 2 ? IndexType::I32 : IndexType::I64;
    Coordinates entries;
    int64_t elements = 1;
    for (int d = 0; d < order; ++d) {
      entries.shape.push_back(extents[random() % extents.size()]);
      elements *= entries.shape.back();
    }
    for (size_t count = elements == 0 ? 0 : random() % 30; count > 0; --count) {
      for (int64_t extent : entries.shape)
        entries.coordinates.push_back(static_cast<int64_t>(random() % extent));
      entries.values.push_back(static_cast<double>(random() % 9 + 1));
    }
    INFO(format::describe(format));
    PackedTensor tensor = packed(entries, format, random() % 2 ? ValueType::F32 : ValueType::F64);
    Coordinates unpacked = tensor.unpack();
    CHECK(unpacked.shape == entries.shape);
    CHECK(static_cast<int64_t>(unpacked.size()) == tensor.valueCount());
    Entries stored = asMap(unpacked);
    CHECK(stored.size() == unpacked.size());
    std::erase_if(stored, [](const auto &entry) { return entry.second == 0; });
    CHECK(stored == asMap(entries));
    sortAndSum(entries);
    CHECK(asMap(entries) == stored);
    CHECK(entries.size() == stored.size());
  }
}

TEST_CASE("a matrix of one column, or of one row, is a vector") {
  Coordinates column{{3, 1}, {2, 0, 0, 0}, {5, 6}};
  REQUIRE(asVector(column));
  CHECK(column.shape == std::vector<int64_t>{3});
  CHECK(column.coordinates == std::vector<int64_t>{2, 0});
  Coordinates row{{1, 3}, {0, 2, 0, 0}, {5, 6}};
  REQUIRE(asVector(row));
  CHECK(row.shape == std::vector<int64_t>{3});
  CHECK(row.coordinates == std::vector<int64_t>{2, 0});
  CHECK_FALSE(asVector(column));
  Coordinates matrix{{2, 3}, {}, {}};
  CHECK_FALSE(asVector(matrix));
  CHECK(matrix.shape.size() == 2);
}

TEST_CASE("random matrices are packed alike by rows and level by level") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int64_t rows = 1 + random() % 40, columns = round % 3 == 0 ? rows : 1 + random() % 40;
    Coordinates entries{{rows, columns}, {}, {}};
    for (size_t count = random() % 300; count > 0; --count) {
      const int64_t at[] = {static_cast<int64_t>(random()) % rows, static_cast<int64_t>(random()) % columns};
      entries.append(at, {static_cast<double>(random() % 9) - 4.5});
    }
    // Bytes for coordinates are packed level by level, numbers of 32 bits by rows.
    for (const ValueType value : {ValueType::F64, ValueType::F32})
      for (const std::vector<int> &modes : {std::vector<int>{0, 1}, std::vector<int>{1, 0}})
        for (const Level &listed : {kCompressed, kEll}) {
          Format byRows = make({kDense, listed}, modes), byLevel = byRows;
          byLevel.pointers = byLevel.indices = IndexType::U16;
          const PackedTensor one = packed(entries, byRows, value), other = packed(entries, byLevel, value);
          INFO("round " << round);
          CHECK(one.valueCount() == other.valueCount());
          for (const FieldRole role : {FieldRole::Pointers, FieldRole::Indices})
            CHECK(one.elements(role, 1) == other.elements(role, 1));
          CHECK(one.elements(FieldRole::Values, 0) == other.elements(FieldRole::Values, 0));
        }
  }
}

TEST_CASE("both triangles of symmetric matrices are packed alike by rows and level by level") {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const int64_t size = 1 + random() % 20;
    Coordinates entries{{size, size}, {}, {}};
    for (size_t count = random() % 100; count > 0; --count) {
      const int64_t row = static_cast<int64_t>(random()) % size, column = static_cast<int64_t>(random()) % size;
      const int64_t at[] = {row, column}, mirror[] = {column, row};
      const double value = static_cast<double>(random() % 9) - 4;
      entries.append(at, {value});
      if (row != column)
        entries.append(mirror, {value});
    }
    for (const format::Symmetry symmetry : {format::Symmetry::Lower, format::Symmetry::Upper})
      for (const std::vector<int> &modes : {std::vector<int>{0, 1}, std::vector<int>{1, 0}}) {
        Format byRows = make({kDense, kCompressed}, modes);
        byRows.symmetry = symmetry;
        Format byLevel = byRows;
        byLevel.pointers = byLevel.indices = IndexType::U16;
        const PackedTensor one = packed(entries, byRows), other = packed(entries, byLevel);
        for (const FieldRole role : {FieldRole::Pointers, FieldRole::Indices})
          CHECK(one.elements(role, 1) == other.elements(role, 1));
        CHECK(one.elements(FieldRole::Values, 0) == other.elements(FieldRole::Values, 0));
      }
    if (entries.size() > 0 && size > 1) {
      const int64_t at[] = {size - 1, 0};
      entries.append(at, {0.25});
      Format format = make({kDense, kCompressed});
      format.symmetry = format::Symmetry::Lower;
      std::string error;
      CHECK_FALSE(PackedTensor::pack(entries, format, ValueType::F64, error));
      const std::string last = std::to_string(size); // the first of the two that is stored is named
      CHECK((error.starts_with("it is not symmetric: the entries at (1, " + last + ")") ||
             error.starts_with("it is not symmetric: the entries at (" + last + ", 1)")));
    }
  }
}

TEST_CASE("an oblong matrix is not symmetric") {
  Coordinates entries{{3, 100'000}, {}, {}};
  for (int64_t column = 0; column < 100'000; ++column) {
    const int64_t at[] = {column % 3, column};
    entries.append(at, {1});
  }
  Format format = make({kDense, kCompressed});
  format.symmetry = format::Symmetry::Lower;
  CHECK_THAT(packError(entries, format), Catch::Matchers::StartsWith("it is not symmetric"));
}

TEST_CASE("long rows, many repeats and extents beyond 64 bits together are sorted") {
  std::mt19937_64 random(3);
  Coordinates entries{{3, 100000}, {}, {}};
  Coordinates wide{{int64_t{1} << 40, int64_t{1} << 40}, {}, {}};
  std::map<std::vector<int64_t>, double> sums, wideSums;
  for (int e = 0; e < 20000; ++e) {
    const std::vector<int64_t> at = {static_cast<int64_t>(random() % 3), static_cast<int64_t>(random() % 9000 * 11)};
    const std::vector<int64_t> far = {static_cast<int64_t>(random() % 100) << 33, static_cast<int64_t>(random() % 50)};
    entries.append(at.data(), {1.0 * e});
    wide.append(far.data(), {1.0 * e});
    sums[at] += e;
    wideSums[far] += e;
  }
  for (auto &[given, expected] : {std::pair(&entries, &sums), std::pair(&wide, &wideSums)}) {
    sortAndSum(*given);
    REQUIRE(given->size() == expected->size());
    size_t e = 0;
    for (const auto &[at, sum] : *expected) {
      CHECK((given->coordinates[2 * e] == at[0] && given->coordinates[2 * e + 1] == at[1] && given->values[e] == sum));
      ++e;
    }
  }
}

} // namespace spc::tensor
