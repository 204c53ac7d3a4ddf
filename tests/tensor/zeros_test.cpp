// Which zeros are entries: of files, by the tensor that they are read for, and of tensors that files are made of.
#include "tensor/files/files.h"
#include "tensor/files/numpy_array.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace spc::tensor {

namespace {

using format::Extent;
using format::Format;
using format::Level;
using format::Part;
using format::Storage;
using sema::ValueType;

Format csr() {
  return {"csr", {Level{.dim = 0}, Level{.dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged}}};
}

/// The entries of a file with some bytes, listed for a format.
Coordinates listedFor(const Format &format, ValueType type, const std::string &ending, const std::string &bytes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("spc-zeros-" + std::to_string(::getpid()) + ending)).string();
  std::ofstream(path, std::ios::binary) << bytes;
  Diagnostics diagnostics;
  std::optional<FileTensor> read = readTensorFor({format, type, false}, path, std::nullopt, diagnostics);
  std::filesystem::remove(path);
  REQUIRE(read);
  CHECK_FALSE(read->packed);
  return std::move(read->entries);
}

std::string npyOf(const std::vector<double> &numbers, bool isComplex) {
  const auto elements = static_cast<int64_t>(numbers.size()) / (isComplex ? 2 : 1);
  return numpyHeader(isComplex ? "<c16" : "<f8", {1, elements}) +
         std::string(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(double));
}

/// The places of the entries in a matrix of one row.
std::vector<int64_t> columnsOf(const Coordinates &entries) {
  std::vector<int64_t> columns;
  for (size_t e = 0; e < entries.size(); ++e)
    columns.push_back(entries.coordinates[2 * e + 1]);
  return columns;
}

using Columns = std::vector<int64_t>;

} // namespace

TEST_CASE("zeros of dense files are listed for dense tensors alone, where they have a sign") {
  const Format dense{"dense", {Level{.dim = 0}, Level{.dim = 1}}};
  const std::string real = npyOf({0, -0.0, 3}, false), complex = npyOf({0, 0, -0.0, 0, 0, -0.0, 0, 2}, true);
  CHECK(columnsOf(listedFor(csr(), ValueType::F64, ".npy", real)) == Columns{2});
  CHECK(columnsOf(listedFor(csr(), ValueType::CF64, ".npy", complex)) == Columns{3});
  CHECK(columnsOf(listedFor(dense, ValueType::F64, ".npy", real)) == Columns{1, 2});
  CHECK(columnsOf(listedFor(dense, ValueType::CF64, ".npy", complex)) == Columns{1, 2, 3});
  const std::string array = "%%MatrixMarket matrix array complex general\n1 4\n0 0\n-0 0\n0 -0\n0 2\n";
  CHECK(columnsOf(listedFor(csr(), ValueType::CF64, ".mtx", array)) == Columns{3});
  const Coordinates signs = listedFor(dense, ValueType::CF64, ".mtx", array);
  CHECK(columnsOf(signs) == Columns{1, 2, 3});
  REQUIRE(signs.imaginary.size() == 3);
  CHECK(std::signbit(signs.values[0]));
  CHECK_FALSE(std::signbit(signs.imaginary[0]));
  CHECK(std::signbit(signs.imaginary[1]));
  std::string error;
  const std::optional<PackedTensor> packed = PackedTensor::pack(signs, dense, ValueType::CF64, error);
  REQUIRE(packed);
  CHECK(std::signbit(packed->unpack().imaginary[2]));
}

TEST_CASE("zeros of files that list entries are listed") {
  const std::string list = "%%MatrixMarket matrix coordinate real general\n1 3 2\n1 1 -0\n1 3 0\n";
  CHECK(columnsOf(listedFor(csr(), ValueType::F64, ".mtx", list)) == Columns{0, 2});
  CHECK(columnsOf(listedFor(csr(), ValueType::F64, ".tns", "1 1 0\n1 3 -0\n")) == Columns{0, 2});
}

TEST_CASE("padding is left out of a tensor's entries") {
  const Level whole{.dim = 0};
  Level fixed{.dim = 1, .storage = Storage::Compressed};
  fixed.width = 3;
  const auto blocks = [](int dim, Part part) { return Level{.dim = dim, .part = part, .block = 2}; };
  Level blockColumns = blocks(1, Part::Quotient);
  blockColumns.storage = Storage::Compressed;
  blockColumns.extent = Extent::Ragged;
  const Level diagonals{
      .dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged, .part = Part::Difference, .minus = 0};
  const Format padded[] = {
      {"ell3", {whole, fixed}},
      {"bsr", {blocks(0, Part::Quotient), blockColumns, blocks(0, Part::Remainder), blocks(1, Part::Remainder)}},
      {"dia", {diagonals, whole}},
      {"ragged", {whole, Level{.dim = 1, .extent = Extent::Ragged}}}};
  const Coordinates entries{{4, 4}, {0, 0, 1, 1, 3, 2, 3, 3}, {1, 0, -0.0, 3}};
  std::string error;
  for (const Format &format : padded) {
    INFO(format.name);
    const std::optional<PackedTensor> tensor = PackedTensor::pack(entries, format, ValueType::F64, error);
    REQUIRE(tensor);
    const Coordinates left = tensor->entries();
    CHECK(left.coordinates == std::vector<int64_t>{0, 0, 3, 3});
    CHECK(left.values == std::vector<double>{1, 3});
  }
  const std::optional<PackedTensor> rows = PackedTensor::pack(entries, csr(), ValueType::F64, error);
  REQUIRE(rows);
  CHECK(rows->entries().size() == 4);
}

TEST_CASE("padding is passed over, not walked through") {
  const Level whole{.dim = 0};
  Level wide{.dim = 1, .storage = Storage::Compressed};
  wide.width = 500;
  const auto blocks = [](int dim, Part part) { return Level{.dim = dim, .part = part, .block = 50}; };
  Level blockColumns = blocks(1, Part::Quotient);
  blockColumns.storage = Storage::Compressed;
  blockColumns.extent = Extent::Ragged;
  const Level diagonals{
      .dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged, .part = Part::Difference, .minus = 0};
  const Format padded[] = {
      {"wide", {whole, wide}},
      {"blocks", {blocks(0, Part::Quotient), blockColumns, blocks(0, Part::Remainder), blocks(1, Part::Remainder)}},
      {"dia", {diagonals, whole}}};
  Coordinates entries{{1000, 1000}, {}, {}};
  for (int64_t i = 0; i < 1000; i += 7) {
    const int64_t at[] = {i, i * 13 % 1000};
    entries.append(at, {1, 0, 0});
  }
  std::string error;
  for (const Format &format : padded)
    for (const ValueType type : sema::kValueTypes) {
      INFO(format.name << " of " << sema::spelling(type));
      const std::optional<PackedTensor> tensor = PackedTensor::pack(entries, format, type, error);
      REQUIRE(tensor);
      int64_t walked = 0;
      CHECK(tensor->entries(&walked).size() == entries.size());
      CHECK(walked == static_cast<int64_t>(entries.size()));
      CHECK(tensor->valueCount() > 100 * walked);
    }
}

} // namespace spc::tensor
