// Conversions and transpositions: every ordered pair of formats, and sources
// that no output can have.
#include "end_to_end/assembly.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

/// Formats of matrices that a result can have. (Fixed widths of a format's own
/// come below: not all data fits.)
const std::vector<std::string> kTargets = {"csr",     "csc",    "dcsr",   "dcsc",      "coo",       "coo:1,0",
                                           "coo-aos", "bsr2x3", "bsr-cm", "dbsr",      "ell",       "ellq",
                                           "ellc",    "cd",     "dense",  "dense:1,0", "row-blocks"};

/// Formats that are only read.
const std::vector<std::string> kSources = {
    "csr-len", "ragged", "lower", "upper",        "dia",        "dia-cols",   "nm24",       "sym-csr", "sym-coo",
    "tiled",   "ell4",   "ell1",  "row-relative", "coo-blocks", "sym-packed", "ragged-len", "ell1+csr"};

const std::vector<std::string> kTensorFormats = {"csf",      "csf:2,0,1", "csf:1,2,0", "coo", "coo:2,1,0",
                                                 "coo3-aos", "ddc",       "dcc",       "ccd", "dense"};

std::vector<Formats> pairs(const std::vector<std::string> &targets, const std::vector<std::string> &sources) {
  return product({{"A", targets}, {"B", sources}});
}

/// About `count` entries, every third of which is there once more, or twice, in
/// any sequence; those of one parent of a listed level together.
std::vector<StoredEntry> repeatedEntries(const std::vector<int64_t> &shape, size_t count, const std::string &format,
                                         uint64_t seed) {
  Random random(seed);
  std::vector<StoredEntry> entries;
  while (entries.size() < count) {
    StoredEntry entry;
    for (int64_t extent : shape)
      entry.at.push_back(random.below(extent));
    for (int64_t times = random.below(3) == 0 ? 2 + random.below(2) : 1; times > 0; --times) {
      entry.value = static_cast<double>(random.below(9) - 4);
      entries.push_back(entry);
    }
  }
  for (size_t n = entries.size(); n > 1; --n)
    std::swap(entries[n - 1], entries[static_cast<size_t>(random.below(static_cast<int64_t>(n)))]);
  const bool isSorted = format.ends_with("dup");
  if (isSorted || format.starts_with("csr"))
    std::stable_sort(entries.begin(), entries.end(), [&](const auto &a, const auto &b) {
      return isSorted ? a.at < b.at : a.at.front() < b.at.front();
    });
  return entries;
}

void checkRepeats(const std::string &statements, const std::string &source, const std::string &target,
                  const std::vector<int64_t> &shape, const std::vector<int64_t> &targetShape) {
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = {{"A", target}, {"B", source}};
  spec.optLevel = target == "csr" ? 3 : 0;
  INFO(describe(spec));
  HandMadeCall call(spec);
  for (size_t count : {0, 1, 2, 40, 1000}) {
    INFO(count << " entries");
    call.passEntries("B", shape, repeatedEntries(shape, count, source, count + 1));
    if (makeFormat(target, static_cast<int>(targetShape.size()), {}).isDense()) {
      int64_t elements = 1;
      for (int64_t extent : targetShape)
        elements *= extent;
      call.passDense("A", targetShape, std::vector<double>(static_cast<size_t>(elements), 111));
    } else {
      call.passAssembled("A", targetShape);
    }
    CHECK(call.check() == "");
  }
}

} // namespace

TEST_CASE("every format of a result into every other one", "[conversion]") {
  const Tally tally = checkAssembly("A(i,j) = B(i,j)", pairs(kTargets, kTargets), 5);
  WARN(tally.kernels << " conversions right on " << tally.dataSets << " data sets");
}

TEST_CASE("transposition from every format into every other one", "[conversion-transposed]") {
  checkAssembly("A(i,j) = B(j,i)", pairs(kTargets, kTargets), 9, 4);
}

TEST_CASE("formats that are only read into those of a result", "[conversion-sources]") {
  checkAssembly("A(i,j) = B(i,j)", pairs(kTargets, kSources), 13);
  checkAssembly("A(i,j) = B(j,i)", pairs(kTargets, kSources), 13, 7);
}

TEST_CASE("fixed widths take what fits", "[conversion-sources]") {
  checkAssembly("A(i,j) = B(i,j)", pairs({"ell4", "ell4q", "ell1"}, {"csr", "csc", "coo", "dense"}));
}

TEST_CASE("diagonals that have places though the matrix has none", "[conversion-sources]") {
  KernelSpec spec;
  spec.statements = "y(i) = A(j,i) * B(k,j)";
  spec.formats = {{"A", "@1-0=f3,0=r"}, {"B", "dcsr"}};
  CHECK(check(spec, {{.extents = {4, 0, 6}}, {.extents = {9, 0, 0}}, {.extents = {5, 0, 2}}}) > 0);
}

TEST_CASE("tensors of order 3 into every format and order of modes", "[conversion-tensors]") {
  checkAssembly("A(i,j,k) = B(i,j,k)", pairs(kTensorFormats, kTensorFormats), 7);
  checkAssembly("A(k,i,j) = B(i,j,k)", pairs(kTensorFormats, kTensorFormats), 7, 3);
  checkAssembly("A(i,j,k) = B(i,j,k)", pairs(kTensorFormats, {"batched-ell", "blocked3", "batched-bsr", "cdc"}), 7, 1);
}

TEST_CASE("vectors into every format", "[conversion-tensors]") {
  checkAssembly("y(i) = x(i)",
                product({{"y", {"sv", "dense", "blocked-vector"}}, {"x", {"sv", "dense", "blocked-vector"}}}));
}

TEST_CASE("entries that repeat add up where they are converted", "[conversion-repeats]") {
  for (const std::string source : {"coo-unsorted", "coo-dup", "csr-unsorted", "csr-dup"}) {
    for (const std::string target : {"csr", "csc", "coo", "dcsr", "bsr2x3", "ell", "dense"})
      checkRepeats("A(i,j) = B(i,j)", source, target, {9, 7}, {9, 7});
    for (const std::string target : {"csr", "csc"})
      checkRepeats("A(i,j) = B(j,i)", source, target, {9, 7}, {7, 9});
  }
  for (const std::string source : {"coo-unsorted", "coo-dup"})
    for (const std::string target : {"csf", "coo:2,1,0", "ddc"})
      checkRepeats("A(i,j,k) = B(i,j,k)", source, target, {5, 4, 6}, {5, 4, 6});
}

} // namespace spc::testing
