// What formats store of tensors: said without packing, of packed tensors, and counted in their arrays.
#include "tensor/pack/footprint.h"

#include "abi/signature.h"
#include "format/format_file.h"

#include <catch2/catch.hpp>

#include <random>

using namespace spc;
using namespace spc::tensor;

namespace {

/// Entries in some order, some of them twice; the last rows are empty.
Coordinates someEntries(std::vector<int64_t> shape, int count, unsigned seed) {
  std::mt19937 random(seed);
  Coordinates entries{std::move(shape), {}, {}, {}, {}};
  for (int e = 0; e < count; ++e) {
    std::vector<int64_t> at;
    for (const int64_t extent : entries.shape)
      at.push_back(static_cast<int64_t>(random() % static_cast<unsigned>(at.empty() ? extent * 3 / 4 : extent)));
    entries.append(at.data(), {1, 0});
  }
  return entries;
}

/// A format by its name among those that come with spc.
format::Format formatNamed(const std::string &name, int order) {
  SourceManager sources;
  Diagnostics diagnostics;
  format::FormatLoader loader({}, sources, diagnostics);
  return *loader.load(name).front().family->instantiate(order);
}

double bytesOfArrays(const PackedTensor &packed, sema::ValueType type) {
  const format::Format &format = packed.format();
  double bytes = static_cast<double>(packed.valueCount()) * sema::bytesOf(type);
  for (const abi::Field &field : abi::structFor(format, type).fields)
    if (field.type == abi::FieldType::Pointers || field.type == abi::FieldType::Indices) {
      const auto index = field.type == abi::FieldType::Pointers ? format.pointers : format.indices;
      bytes += static_cast<double>(packed.elements(field.role, field.index).size()) * format::bits(index) / 8;
    }
  return bytes;
}

void check(const Coordinates &entries, const format::Format &format) {
  for (const sema::ValueType type : {sema::ValueType::F64, sema::ValueType::F16}) {
    std::string error;
    const std::optional<PackedTensor> packed = PackedTensor::pack(entries, format, type, error);
    INFO(error);
    REQUIRE(packed);
    const double bytes = bytesOfArrays(*packed, type);
    CHECK(packed->footprint().values == static_cast<double>(packed->valueCount()));
    CHECK(packed->footprint().bytes == bytes);
    const format::Footprint foretold =
        format::footprintOf(format, entries.shape, sema::bytesOf(type), levelCounts(entries, format));
    CHECK(foretold.values == static_cast<double>(packed->valueCount()));
    CHECK(foretold.bytes == bytes);
    CHECK(format::leastFootprint(format, entries.shape, sema::bytesOf(type), 0).bytes <= bytes);
  }
}

} // namespace

TEST_CASE("what a format stores is foretold, and told of packed tensors") {
  for (const char *name :
       {"block-ell", "bsc",      "bsr",         "bsr-cm", "bsr8",           "coo",    "coo-aos", "coo64",
        "csc",       "csr",      "csr-lengths", "csr64",  "dbsr",           "dcsc",   "dcsr",    "dense",
        "dia",       "dia-cols", "ell",         "ragged", "ragged-lengths", "csf:1,0"}) {
    INFO(name);
    const format::Format format = formatNamed(name, 2);
    for (const int count : {0, 1, 40, 400})
      check(someEntries({24, 16}, count, 7), format);
    check(someEntries({17, 31}, 50, 8), format);
    check({{0, 5}, {}, {}, {}, {}}, format);
  }
  for (const char *name : {"coo", "csf", "csf:2,0,1", "batched-coo", "batched-csr", "batched-ell", "dense"}) {
    INFO(name);
    check(someEntries({6, 5, 7}, 60, 9), formatNamed(name, 3));
  }
}

TEST_CASE("triangles store what closed forms say") {
  Coordinates lower{{9, 9}, {4, 1, 8, 8}, {1, 2}, {}, {}};
  check(lower, formatNamed("lower", 2));
  CHECK(format::footprintOf(formatNamed("lower", 2), {9, 9}, 8, {0, 0}).values == 45);
  CHECK(format::footprintOf(formatNamed("upper", 2), {9, 9}, 8, {0, 0}).bytes == 45 * 8);
}

TEST_CASE("the least that so many entries take") {
  const auto least = [](const char *name, double entries) {
    return format::leastFootprint(formatNamed(name, 2), {100, 60}, 8, entries).bytes;
  };
  CHECK(least("csr", 1000) == 1000 * (8 + 4) + 101 * 4);
  CHECK(least("coo", 1000) == 1000 * (8 + 4 + 4));
  CHECK(least("ell", 1000) == 1000 * (8 + 4));
  CHECK(least("bsr", 1600) == 1600 * 8 + 100 * 4 + 26 * 4);
  CHECK(least("dense", 1000) == 6000 * 8);
  CHECK(least("dcsr", 1000) == 1000 * (8 + 4) + 4 + 2 * 4);
}

TEST_CASE("what would fit no machine has a footprint") {
  const int64_t large = int64_t{1} << 62;
  CHECK(format::footprintOf(format::denseFormat(3), {large, large, large}, 8, {0, 0, 0}).bytes > 1e56);
}
