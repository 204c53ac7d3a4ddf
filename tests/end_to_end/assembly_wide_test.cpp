// Extents that no workspace with a place for each coordinate fits, and
// coordinates at the ends of their types.
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace spc::testing {
namespace {

using Place = std::vector<int64_t>;
using EntryMap = std::map<Place, double>;

/// EntryMap with small whole numbers, many of them in the corners.
EntryMap entriesOf(const std::vector<int64_t> &shape, size_t count, uint64_t seed) {
  Random random(seed);
  EntryMap entries;
  while (entries.size() < count) {
    Place at;
    for (int64_t extent : shape) {
      const int64_t near = random.below(std::min<int64_t>(extent, 40));
      const int64_t kind = random.below(3);
      at.push_back(kind == 0 ? near : kind == 1 ? extent - 1 - near : random.below(extent));
    }
    entries[at] = static_cast<double>(1 + random.below(9));
  }
  return entries;
}

/// Sorted by the dimensions in the order of the format's levels.
std::vector<StoredEntry> listed(const EntryMap &entries, const std::string &format) {
  std::vector<StoredEntry> result;
  for (const auto &[at, value] : entries)
    result.push_back({at, value});
  if (format == "csc" || format == "dcsc" || format == "coo:1,0")
    std::sort(result.begin(), result.end(),
              [](const auto &a, const auto &b) { return std::pair(a.at[1], a.at[0]) < std::pair(b.at[1], b.at[0]); });
  return result;
}

EntryMap multiplied(const EntryMap &b, const EntryMap &c) {
  EntryMap product;
  for (const auto &[left, x] : b)
    for (const auto &[right, y] : c)
      if (left[1] == right[0])
        product[{left[0], right[1]}] += x * y;
  return product;
}

EntryMap added(const EntryMap &b, const EntryMap &c) {
  EntryMap sum = b;
  for (const auto &[at, value] : c)
    sum[at] += value;
  return sum;
}

struct Call {
  std::string statements;
  std::map<std::string, std::string> formats;
  std::vector<int64_t> shapeOfB, shapeOfC, shapeOfA;
  std::vector<format::IndexType> indices = {format::IndexType::I32, format::IndexType::I64};
};

void checkCall(const Call &wanted, EntryMap (*expected)(const EntryMap &, const EntryMap &)) {
  for (const format::IndexType indices : wanted.indices) {
    KernelSpec spec;
    spec.statements = wanted.statements;
    spec.formats = wanted.formats;
    spec.index = {format::IndexType::I32, indices};
    spec.optLevel = 0;
    INFO(describe(spec));
    HandMadeCall call(spec);
    const EntryMap b = entriesOf(wanted.shapeOfB, 300, 1), c = entriesOf(wanted.shapeOfC, 300, 2);
    call.passEntries("B", wanted.shapeOfB, listed(b, wanted.formats.at("B")));
    call.passEntries("C", wanted.shapeOfC, listed(c, wanted.formats.at("C")));
    call.passAssembled("A", wanted.shapeOfA);
    REQUIRE(call.call(call.context()) == SPC_OK);
    const tensor::Coordinates result = call.assembled("A");
    EntryMap got;
    for (size_t e = 0; e < result.size(); ++e)
      got[{result.coordinates[2 * e], result.coordinates[2 * e + 1]}] += result.values[e];
    CHECK(got.size() == result.size());
    CHECK(got == expected(b, c));
  }
}

constexpr int64_t kWide = (int64_t{1} << 31) - 1;

} // namespace

TEST_CASE("products with more columns than memory", "[assembly-wide]") {
  for (const std::string output : {"csr", "dcsr", "coo"})
    for (const std::string right : {"csr", "dcsr"})
      checkCall(
          {"A(i,j) = B(i,k)*C(k,j)", {{"A", output}, {"B", "csr"}, {"C", right}}, {50, 60}, {60, kWide}, {50, kWide}},
          multiplied);
  for (const std::string output : {"csc", "dcsc"})
    checkCall(
        {"A(i,j) = B(i,k)*C(k,j)", {{"A", output}, {"B", "dcsc"}, {"C", "csc"}}, {kWide, 60}, {60, 50}, {kWide, 50}},
        multiplied);
  for (const auto &[type, extent] :
       {std::pair(format::IndexType::I32, kWide), std::pair(format::IndexType::I64, int64_t{1} << 40)})
    checkCall({"A(i,j) = B(i,k)*C(k,j)",
               {{"A", "dcsr"}, {"B", "dcsr"}, {"C", "dcsr"}},
               {kWide, extent},
               {extent, kWide},
               {kWide, kWide},
               {type}},
              multiplied);
}

TEST_CASE("sums of matrices without room for their rows", "[assembly-wide]") {
  for (const std::string output : {"dcsr", "coo"})
    checkCall({"A(i,j) = B(i,j) + C(i,j)",
               {{"A", output}, {"B", "dcsr"}, {"C", "coo"}},
               {kWide, kWide},
               {kWide, kWide},
               {kWide, kWide}},
              added);
  for (const std::string other : {"dcsr", "dcsc", "coo", "coo:1,0"})
    checkCall({"A(i,j) = B(i,j) + C(i,j)",
               {{"A", "dcsc"}, {"B", "dcsr"}, {"C", other}},
               {kWide, kWide},
               {kWide, kWide},
               {kWide, kWide}},
              added);
}

} // namespace spc::testing
