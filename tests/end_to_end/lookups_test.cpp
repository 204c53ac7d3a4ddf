// Rows that are merged with many others, whose entries are looked up by their coordinates.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>

namespace spc::testing {
namespace {

constexpr int64_t kListed = 60; ///< coordinates that have entries

/// The entries of a square matrix of 1s, 12 for each of some coordinates of the extent, in order.
std::vector<StoredEntry> entriesAmong(int64_t extent, unsigned seed) {
  std::mt19937 random(seed);
  std::set<std::vector<int64_t>> places;
  const auto any = [&] { return static_cast<int64_t>(random() % kListed) * (extent / kListed); };
  while (places.size() < static_cast<size_t>(12 * kListed))
    places.insert({any(), any()});
  std::vector<StoredEntry> entries;
  for (const std::vector<int64_t> &place : places)
    entries.push_back({place, 1});
  return entries;
}

/// How many triples have entries in all three, by comparing all.
double trianglesOf(const std::vector<StoredEntry> &a, const std::vector<StoredEntry> &b,
                   const std::vector<StoredEntry> &c) {
  std::set<std::vector<int64_t>> last;
  for (const StoredEntry &entry : c)
    last.insert(entry.at);
  double count = 0;
  for (const StoredEntry &one : a)
    for (const StoredEntry &other : b)
      count += one.at[1] == other.at[0] && last.contains({one.at[0], other.at[1]}) ? 1 : 0;
  return count;
}

struct Counted {
  double triangles, expected;
  int64_t peak; ///< bytes that the call has at a time
};

/// Counts triangles in a call. `mostAtOnce`: bytes of an array, at most, that there is memory for.
Counted count(const std::string &storage, int64_t extent, Chunks chunks = Chunks::Serial,
              std::optional<int64_t> mostAtOnce = std::nullopt) {
  KernelSpec spec;
  spec.statements = "c = A(i,j)*B(j,k)*C(i,k)";
  spec.formats = {{"A", storage}, {"B", storage}, {"C", storage}};
  spec.index = {format::IndexType::I64, format::IndexType::I64};
  spec.chunk = chunks == Chunks::Serial ? std::nullopt : std::optional<int64_t>(5);
  HandMadeCall call(spec, chunks);
  std::vector<std::vector<StoredEntry>> entries;
  for (const char *name : {"A", "B", "C"}) {
    entries.push_back(entriesAmong(extent, static_cast<unsigned>(*name)));
    call.passEntries(name, {extent, extent}, entries.back());
  }
  call.passDense("c", {}, {7});
  if (mostAtOnce)
    call.memory().failBeyond(*mostAtOnce);
  call.memory().takePeak();
  CHECK(call.call(call.context()) == 0);
  CHECK(call.memory().problem() == "");
  CHECK(call.memory().live() == 0);
  return {call.values("c").front(), trianglesOf(entries[0], entries[1], entries[2]), call.memory().takePeak()};
}

} // namespace

TEST_CASE("rows that stay while others are merged with them", "[lookups]") {
  for (const char *statement : {"c = A(i,j)*B(j,k)*C(i,k)", "y(i) = A(i,j)*B(j,k)*C(i,k)",
                                "y(k) = A(i,j)*B(i,k)*C(j,k)", "y(i) max= A(i,j)*B(j,k)*C(i,k)",
                                "y(i) += -(A(i,j)*B(j,k)*C(i,k)*x(k))", "y(i,l) = A(i,j)*B(j,k)*C(i,k)*X(k,l)"})
    checkLowering(statement, product({{"A", {"csr", "dcsr"}}, {"B", {"csr", "csc"}}, {"C", {"csr", "dcsr"}}}));
  for (const char *statement : {"D(i,j) = A(i,j)*B(i,k)*C(j,k)", "D(i,j) = A(i,j)*B(i,k)*C(k,j)",
                                "D(i,j) = pattern(A(i,j))*sum(k, min(B(i,k), C(j,k))*B(i,k)*C(j,k))"})
    checkLowering(statement,
                  product({{"A", {"csr", "dcsr"}}, {"B", {"csr"}}, {"C", {"csr"}}, {"D", {"csr", "dcsr", "coo"}}}));
}

TEST_CASE("rows of a matrix that are merged with others of its own", "[lookups]") {
  for (const char *storage : {"csr", "dcsr", "csc"}) {
    checkLowering("c = A(i,j)*A(j,k)*A(i,k)", {{{"A", storage}}});
    checkLowering("D(i,j) = A(i,j)*A(i,k)*A(j,k)", {{{"A", storage}, {"D", "csr"}}});
  }
}

TEST_CASE("fibers that stay while rows are merged with them", "[lookups]") {
  const Choices matrices = {{"B", {"csr"}}, {"C", {"csr"}}};
  Choices tensor = matrices, five = matrices;
  tensor.push_back({"T", {"csf", "coo"}});
  for (const char *name : {"A", "D", "E"})
    five.push_back({name, {"csr"}});
  checkLowering("c = T(i,j,k)*B(j,l)*C(k,l)", product(tensor));
  checkLowering("M(i,r) = T(i,j,k)*B(j,r)*C(k,r)", product(tensor));
  checkLowering("c = T(i,j,k)*U(i,l,k)*A(j,l)", product({{"T", {"csf", "coo"}}, {"U", {"csf"}}, {"A", {"csr"}}}));
  checkLowering("c = A(i,j)*B(j,k)*C(i,k)*D(j,l)*E(i,l)", product(five));
}

TEST_CASE("entries are looked up where that takes little memory for them", "[lookups]") {
  const auto bytesFor = [](int64_t extent) { return extent * static_cast<int64_t>(sizeof(int32_t)); };
  const int64_t few = 600, many = 6000, vast = int64_t{60} << 50; // for 720 entries of an operand
  for (const char *storage : {"csr", "dcsr"}) {
    INFO(storage);
    const Counted lookedUp = count(storage, few), merged = count(storage, many);
    CHECK(lookedUp.triangles == lookedUp.expected);
    CHECK(lookedUp.expected > 100);
    CHECK(lookedUp.peak >= bytesFor(few));
    CHECK(merged.triangles == merged.expected);
  }
  CHECK(count("csr", few).peak == bytesFor(few));
  CHECK(count("csr", many).peak == 0);
  const Counted merged = count("dcsr", vast);
  CHECK(merged.triangles == merged.expected);
  CHECK(merged.peak < 10'000); // where the rows of B are
}

TEST_CASE("each thread that looks entries up has an array of its own", "[lookups]") {
  const Counted divided = count("csr", 600, Chunks::Threads);
  CHECK(divided.triangles == divided.expected);
  const Counted backwards = count("csr", 600, Chunks::Backwards);
  CHECK(backwards.triangles == backwards.expected);
}

TEST_CASE("rows are merged where there is no memory to look them up", "[lookups]") {
  const Counted refused = count("csr", 600, Chunks::Serial, 1000);
  CHECK(refused.triangles == refused.expected);
  CHECK(refused.peak == 0);
}

} // namespace spc::testing
