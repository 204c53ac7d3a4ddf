// Coordinate lists whose entries are gone through some at a time: runs of all lengths around that number, at all levels
// of optimisation, with each kind of sum.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

constexpr int64_t kSegmentRows = 60, kSegmentColumns = 40;

/// Runs of these lengths, each in the next row that is free, or in the only one.
std::vector<StoredEntry> runsOf(const std::vector<int64_t> &lengths, bool isOneRow = false) {
  std::vector<StoredEntry> entries;
  int64_t row = 0;
  for (int64_t length : lengths) {
    for (int64_t column = 0; column < length; ++column)
      entries.push_back({{row, isOneRow ? static_cast<int64_t>(entries.size()) : column},
                         static_cast<double>(1 + entries.size() % 5)});
    row += isOneRow ? 0 : 1 + length % 2;
  }
  return entries;
}

/// Every other entry in front, so that neighbours differ and rows come back.
std::vector<StoredEntry> mixed(const std::vector<StoredEntry> &entries) {
  std::vector<StoredEntry> result;
  for (size_t start : {size_t{0}, size_t{1}})
    for (size_t n = start; n < entries.size(); n += 2)
      result.push_back(entries[n]);
  return result;
}

std::vector<double> numbers(int64_t count) {
  std::vector<double> result;
  for (int64_t n = 0; n < count; ++n)
    result.push_back(static_cast<double>(n % 7 - 3));
  return result;
}

const std::vector<std::vector<StoredEntry>> kLists = {
    {},
    runsOf({1}),
    runsOf({3}),
    runsOf({4}),
    runsOf({1, 1, 1, 1, 1}),
    runsOf({4, 4, 8, 5, 1, 2, 3, 4, 12, 6, 9, 7, 1, 1, 1, 13}),
    runsOf({2, 3, 2, 3, 7, 1, 4, 16, 4, 1}),
    runsOf({kSegmentColumns}, true),
    runsOf({kSegmentColumns - 1}, true),
};

void checkLists(const std::string &statements, const std::string &format, bool isStrict = false) {
  for (int level : {0, 1, 2, 3}) {
    KernelSpec spec;
    spec.statements = statements;
    spec.formats = {{"A", format}};
    spec.strictFp = isStrict;
    spec.optLevel = level;
    INFO(describe(spec));
    HandMadeCall call(spec);
    for (const std::vector<StoredEntry> &list : kLists) {
      INFO(list.size() << " entries");
      call.passEntries("A", {kSegmentRows, kSegmentColumns}, format == "coo-unsorted" ? mixed(list) : list);
      call.passDense("x", {kSegmentColumns}, numbers(kSegmentColumns));
      call.passDense("b", {kSegmentRows}, numbers(kSegmentRows));
      call.passDense("y", {kSegmentRows}, numbers(kSegmentRows));
      CHECK(call.check() == "");
    }
  }
}

} // namespace

TEST_CASE("runs of any length are added up in coordinate lists", "[flattened-segments]") {
  for (const char *format : {"coo", "coo-dup", "coo-unsorted"})
    for (bool isStrict : {false, true})
      checkLists("y(i) = A(i,j)*x(j)*b(i)", format, isStrict);
  checkLists("y(i) += 2*b(i)*A(i,j)*x(j)", "coo");
  checkLists("y(i) += -(A(i,j)*x(j)*b(i))", "coo-unsorted");
}

TEST_CASE("long coordinate lists are gone through by what samples of them say", "[flattened-segments]") {
  // Entries that are three apart are never of one run, always, and in a quarter of the places.
  constexpr int64_t kManyRows = 70000;
  const std::vector<int64_t> twos(kManyRows, 2);
  const std::vector<int64_t> forties(4000, kSegmentColumns);
  std::vector<int64_t> both;
  for (int64_t run = 0; run < kManyRows / 2; ++run)
    both.push_back(run * 7919 % 1009 < 336 ? 6 : 3);
  for (const char *format : {"coo", "coo-unsorted"})
    for (const Chunks chunks : {Chunks::Serial, Chunks::Threads})
      for (const bool isStrict : {false, true}) {
        KernelSpec spec;
        spec.statements = "y(i) = A(i,j)*x(j)*b(i)";
        spec.formats = {{"A", format}};
        spec.strictFp = isStrict;
        spec.optLevel = 3;
        spec.chunk = 9000;
        INFO(describe(spec));
        HandMadeCall call(spec, chunks);
        for (const std::vector<int64_t> &lengths : {twos, forties, both}) {
          call.passEntries("A", {kManyRows, kSegmentColumns}, runsOf(lengths));
          call.passDense("x", {kSegmentColumns}, numbers(kSegmentColumns));
          call.passDense("b", {kManyRows}, numbers(kManyRows));
          call.passDense("y", {kManyRows}, numbers(kManyRows));
          CHECK(call.check() == "");
        }
      }
}

TEST_CASE("entries of coordinate lists add to where their columns say", "[flattened-segments]") {
  for (int level : {1, 3})
    for (const char *format : {"coo", "coo-unsorted"}) {
      KernelSpec spec;
      spec.statements = "z(j) = A(i,j)*b(i)";
      spec.formats = {{"A", format}};
      spec.optLevel = level;
      INFO(describe(spec));
      HandMadeCall call(spec);
      for (const std::vector<StoredEntry> &list : kLists) {
        INFO(list.size() << " entries");
        call.passEntries("A", {kSegmentRows, kSegmentColumns}, list);
        call.passDense("b", {kSegmentRows}, numbers(kSegmentRows));
        call.passDense("z", {kSegmentColumns}, numbers(kSegmentColumns));
        CHECK(call.check() == "");
      }
    }
}

TEST_CASE("coordinate lists give what strict kernels and all types give", "[flattened-segments]") {
  for (const char *format : {"coo", "coo-aos", "coo:1,0", "coo-unsorted"})
    for (ValueType type : {ValueType::F16, ValueType::F32, ValueType::F64, ValueType::I32, ValueType::CF32})
      for (bool isStrict : {false, true}) {
        KernelSpec spec;
        spec.statements = "y(i) = A(i,j)*x(j)";
        spec.formats = {{"A", format}};
        spec.type = type;
        spec.strictFp = isStrict;
        spec.optLevel = 3;
        spec.chunk = 3;
        INFO(describe(spec));
        const KernelUnderTest kernel(spec);
        REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
        for (Trial trial : trialsFor(kernel.extentClasses())) {
          trial.exact = isStrict && type == ValueType::F64;
          INFO(describe(trial));
          CHECK(kernel.check(trial) == "");
        }
      }
}

TEST_CASE("half floats of a run are rounded once", "[flattened-segments]") {
  // Next to 2048 numbers are 2 apart.
  std::vector<StoredEntry> row = {{{0, 0}, 2048}};
  for (int64_t column = 1; column < 9; ++column)
    row.push_back({{0, column}, 1});
  for (int level : {1, 3}) {
    KernelSpec spec;
    spec.statements = "y(i) = A(i,j)";
    spec.formats = {{"A", "coo"}};
    spec.type = ValueType::F16;
    spec.optLevel = level;
    const auto result = resultOf(spec, {{"A", givenEntries({1, 9}, row)}, {"y", givenVector({0})}});
    CHECK(result == std::vector<double>{2056});
  }
}
