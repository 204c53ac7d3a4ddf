// Products of matrices whose rows have columns that follow one another, several of which are accumulated at once.
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace spc::testing {
namespace {

using EntryList = std::vector<StoredEntry>;

constexpr int64_t kBlockRows = 8, kInner = 12, kBlockColumns = 140;

/// Where the runs of each row begin, and how many columns each has: blocks, runs across the words of the bitmap of
/// columns, runs of odd lengths, rows that are sparse between runs, whole rows and shorter ones than four.
const std::vector<std::vector<std::pair<int64_t, int64_t>>> kRuns = {
    {{0, 4}, {40, 4}, {136, 4}},
    {{56, 8}, {64, 8}},
    {{58, 9}, {70, 9}, {120, 9}},
    {{0, kBlockColumns}},
    {{0, 4}, {9, 1}, {30, 2}, {61, 5}, {90, 1}, {99, 1}},
    {{61, 7}},
    {{3, 3}},
    {{0, 4}, {5, 1}, {7, 1}, {10, 1}, {20, 1}, {30, 4}},
    {},
    {{127, 2}},
    {{1, 4}, {6, 4}, {11, 4}, {62, 4}, {67, 4}, {125, 4}},
    {{63, 5}, {127, 5}},
};

/// The second factor. Unless `ascend`, the columns of each second run descend.
EntryList runs(bool ascend) {
  EntryList entries;
  for (int64_t row = 0; row < kInner; ++row)
    for (size_t n = 0; n < kRuns[row].size(); ++n) {
      const auto [first, length] = kRuns[row][n];
      for (int64_t k = 0; k < length; ++k) {
        const int64_t column = first + (ascend || n % 2 == 0 ? k : length - 1 - k);
        entries.push_back({{row, column}, static_cast<double>(1 + (row + column) % 7)});
      }
    }
  return entries;
}

/// The first factor: all rows of the second one, and some of them.
EntryList choices() {
  EntryList entries;
  for (int64_t row = 0; row < kBlockRows; ++row)
    for (int64_t inner = 0; inner < kInner; ++inner)
      if (row == 0 || (row * 5 + inner * 3) % (row + 1) == 0)
        entries.push_back({{row, inner}, static_cast<double>(2 + (row * inner) % 5)});
  return entries;
}

void checkProduct(const std::string &statement, const std::string &second, format::IndexType index, int optLevel) {
  KernelSpec spec;
  spec.statements = statement;
  spec.formats = {{"A", "csr"}, {"B", "csr"}, {"C", second}};
  spec.index = {format::IndexType::I32, index};
  spec.optLevel = optLevel;
  INFO(describe(spec));
  HandMadeCall call(spec);
  call.passEntries("B", {kBlockRows, kInner}, choices());
  call.passEntries("C", {kInner, kBlockColumns}, runs(second == "csr"));
  call.passAssembled("A", {kBlockRows, kBlockColumns});
  CHECK(call.check() == "");
}

} // namespace

TEST_CASE("columns that follow one another are accumulated at once", "[assembly-neighbours]") {
  for (const std::string second : {"csr", "csr-unsorted"})
    checkProduct("A(i,j) = B(i,k)*C(k,j)", second, format::IndexType::I32, 3);
  for (const format::IndexType index : {format::IndexType::U8, format::IndexType::U16, format::IndexType::I64})
    checkProduct("A(i,j) = B(i,k)*C(k,j)", "csr", index, 2);
  checkProduct("A(i,j) = 3*B(i,k)*C(k,j)", "csr", format::IndexType::I32, 2);
}

} // namespace spc::testing
