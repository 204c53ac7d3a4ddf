// Arrays of NumPy and SciPy, packed as they are read and written as they are packed, beside lists of their entries.
#include "tensor/files/files.h"
#include "tensor/files/numpy_array.h"
#include "tensor/pack/packed_arrays.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

namespace spc::tensor {

namespace {

using sema::ValueType;

class TemporaryFile {
public:
  TemporaryFile(const std::string &ending, const std::string &bytes)
      : path((std::filesystem::temp_directory_path() / ("spc-numpy-" + std::to_string(::getpid()) + ending)).string()) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  const std::string path;
};

std::string npyOf(const std::string &type, bool isFortran, const std::vector<int64_t> &shape, std::string elements) {
  std::string file = numpyHeader(type, shape);
  if (isFortran)
    file.replace(file.find("False"), 5, "True ");
  return file + elements;
}

/// Elements of NumPy's types: small whole numbers, which all types hold, or one that few do.
std::string elementsOf(char kind, size_t bytes, bool isBigEndian, int64_t count, bool hasLarge) {
  static const std::map<std::pair<char, size_t>, ValueType> kTypes = {
      {{'f', 2}, ValueType::F16},  {{'f', 4}, ValueType::F32},  {{'f', 8}, ValueType::F64},  {{'i', 1}, ValueType::I8},
      {{'i', 2}, ValueType::I16},  {{'i', 8}, ValueType::I64},  {{'u', 4}, ValueType::U32},  {{'u', 8}, ValueType::U64},
      {{'b', 1}, ValueType::Bool}, {{'c', 8}, ValueType::CF32}, {{'c', 16}, ValueType::CF64}};
  std::string elements(static_cast<size_t>(count) * bytes, '\0');
  for (int64_t e = 0; e < count; ++e) {
    const double value = hasLarge && e == count / 2 && kind != 'b' ? 100 : static_cast<double>(e % 3 == 0);
    storeNumber(elements.data(), kTypes.at({kind, bytes}), e, {value});
  }
  const size_t part = kind == 'c' ? bytes / 2 : bytes;
  for (size_t at = 0; isBigEndian && at < elements.size(); at += part)
    std::reverse(elements.begin() + static_cast<ptrdiff_t>(at), elements.begin() + static_cast<ptrdiff_t>(at + part));
  return elements;
}

/// "dense" and "csr" by rows, "dense-cols" and "csc" by columns.
format::Format named(const std::string &name) {
  using format::Extent, format::Level, format::Storage;
  const bool isDense = name.starts_with("dense");
  format::Format format{name,
                        {Level{.storage = Storage::Dense, .extent = Extent::Fixed},
                         isDense ? Level{.storage = Storage::Dense, .extent = Extent::Fixed}
                                 : Level{.storage = Storage::Compressed, .extent = Extent::Ragged}}};
  format.levels[0].dim = name == "dense-cols" || name == "csc" ? 1 : 0;
  format.levels[1].dim = 1 - format.levels[0].dim;
  return format;
}

/// What a file holds for a target, by a list of its entries and without one.
void checkReading(const std::string &path, const PackTarget &target) {
  Diagnostics diagnostics;
  const std::optional<Coordinates> entries = readTensor(path, std::nullopt, diagnostics);
  std::optional<FileTensor> read = readTensorFor(target, path, std::nullopt, diagnostics);
  REQUIRE(diagnostics.all().empty());
  REQUIRE(entries);
  REQUIRE(read);
  std::string error;
  const std::optional<PackedTensor> packed = PackedTensor::pack(*entries, target.format, target.type, error);
  CHECK(read->unstorable == error);
  REQUIRE(packed.has_value() == read->packed.has_value());
  if (!packed)
    return;
  const Coordinates expected = packed->unpack(), found = read->packed->unpack();
  CHECK(found.shape == expected.shape);
  CHECK(found.coordinates == expected.coordinates);
  CHECK(found.values == expected.values);
  CHECK(found.imaginary == expected.imaginary);
}

std::string collected(const CountedSource &source, WorkCount *count = nullptr) {
  std::string all;
  source([&](std::string_view piece) { all += piece; }, count);
  return all;
}

} // namespace

TEST_CASE("arrays are packed as their lists of entries are") {
  const auto [kind, bytes] = GENERATE(table<char, size_t>(
      {{'f', 2}, {'f', 4}, {'f', 8}, {'i', 1}, {'i', 2}, {'i', 8}, {'u', 4}, {'u', 8}, {'b', 1}, {'c', 8}, {'c', 16}}));
  const bool isBigEndian = GENERATE(false, true), isFortran = GENERATE(false, true), hasLarge = GENERATE(false, true);
  const std::vector<int64_t> shape = GENERATE(std::vector<int64_t>{5, 7}, std::vector<int64_t>{300, 200},
                                              std::vector<int64_t>{0, 3}, std::vector<int64_t>{1, 4});
  int64_t count = shape[0] * shape[1];
  const std::string type = (isBigEndian ? ">" : "<") + (kind + std::to_string(bytes));
  INFO(type << " " << isFortran << " " << shape[0] << " x " << shape[1]);
  const TemporaryFile file(".npy",
                           npyOf(type, isFortran, shape, elementsOf(kind, bytes, isBigEndian, count, hasLarge)));
  for (const ValueType target : {ValueType::F64, ValueType::F32, ValueType::BF16, ValueType::I8, ValueType::U64,
                                 ValueType::Bool, ValueType::CF64}) {
    INFO(sema::spelling(target));
    for (const char *name : {"dense", "dense-cols"})
      checkReading(file.path, {named(name), target});
  }
}

TEST_CASE("dense tensors are written from their elements as from their lists") {
  const ValueType type = GENERATE(ValueType::F64, ValueType::F32, ValueType::F16, ValueType::BF16, ValueType::I64,
                                  ValueType::Bool, ValueType::CF32);
  const format::Format format = named(GENERATE("dense", "dense-cols"));
  Coordinates entries;
  entries.shape = {300, 200};
  for (int64_t row = 0; row < 300; ++row)
    for (int64_t at[2] = {row, row % 3}; at[1] < 200; at[1] += 7)
      entries.append(at, {1});
  std::string error;
  const std::optional<PackedTensor> tensor = PackedTensor::pack(entries, format, type, error);
  REQUIRE(tensor);
  for (const FileKind kind : {FileKind::Npy, FileKind::Npz}) {
    std::string expected;
    REQUIRE(writeTensor(kind, tensor->unpack(), {.type = type, .isDense = true},
                        [&](std::string_view piece) { expected += piece; }));
    const std::optional<ArraysFile> file = fileOfArrays(kind, *tensor);
    REQUIRE(file);
    WorkCount count;
    CHECK(collected(file->bytes, &count) == expected);
    CHECK(count.total() == 300 * 200);
    CHECK(count.done() == 300 * 200);
  }
}

TEST_CASE("CSR and CSC are written and read as SciPy has them") {
  const std::string name = GENERATE("csr", "csc");
  const ValueType type = GENERATE(ValueType::F64, ValueType::F32, ValueType::I8, ValueType::BF16);
  format::Format format = named(name);
  format.indices = format.pointers = GENERATE(format::IndexType::I32, format::IndexType::I64);
  Coordinates entries;
  entries.shape = {40, 60};
  for (int64_t row = 0; row < 40; row += 2)
    for (int64_t at[2] = {row, row % 5}; at[1] < 60; at[1] += 11)
      entries.append(at, {static_cast<double>(at[1] % 4)});
  std::string error;
  const std::optional<PackedTensor> tensor = PackedTensor::pack(entries, format, type, error);
  REQUIRE(tensor);
  std::string expected;
  REQUIRE(
      writeTensor(FileKind::Npz, tensor->unpack(), {.type = type}, [&](std::string_view piece) { expected += piece; }));
  const std::optional<ArraysFile> file = fileOfArrays(FileKind::Npz, *tensor);
  REQUIRE(file);
  const std::string written = collected(file->bytes);
  CHECK(written == expected);
  const TemporaryFile archive(".npz", written);
  checkReading(archive.path, {format, type});
}

TEST_CASE("archives of matrices that CSR cannot hold as they are are read by their entries") {
  Coordinates entries;
  entries.shape = {3, 3};
  for (const auto &at : {std::array<int64_t, 2>{0, 2}, {0, 1}, {2, 2}})
    entries.append(at.data(), {1.5});
  std::string archive;
  REQUIRE(writeTensor(FileKind::Npz, entries, {}, [&](std::string_view piece) { archive += piece; }));
  const TemporaryFile file(".npz", archive); // coo
  const format::Format csr = named("csr");
  Diagnostics diagnostics;
  const std::optional<FileTensor> read = readTensorFor({csr, ValueType::F64}, file.path, std::nullopt, diagnostics);
  REQUIRE(read);
  CHECK_FALSE(read->packed);
  CHECK(read->entries.coordinates == entries.coordinates);
  CHECK(read->entries.values == entries.values);
}

} // namespace spc::tensor
