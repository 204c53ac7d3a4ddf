// What MLIR 22's sparsifier compiles to wrong code without a word, from our notes on it: that spc never lets it
// through.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"
#include "end_to_end/stage_texts.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <sys/mman.h>
#include <thread>

namespace spc::testing {
namespace {

using format::IndexType;
using pipeline::Stage;

constexpr int64_t kPitfallRows = 12, kPitfallColumns = 7;

KernelSpec miscompileSpecOf(const std::string &statements, const Formats &formats, bool strictFp = false,
                            std::optional<int> optLevel = {}) {
  KernelSpec spec;
  spec.statements = statements;
  spec.formats = formats;
  spec.strictFp = strictFp;
  spec.optLevel = optLevel;
  return spec;
}

/// Rows in order, of which every third is empty; in a row columns in any order, many of them several times.
std::vector<StoredEntry> unsortedRows(uint64_t seed) {
  Random random(seed);
  std::vector<StoredEntry> entries;
  for (int64_t row = 0; row < kPitfallRows; ++row)
    for (int64_t n = row % 3 == 1 ? 0 : 2 + random.below(6); n > 0; --n)
      entries.push_back({{row, random.below(kPitfallColumns)}, static_cast<double>(1 + random.below(9))});
  return entries;
}

/// Entries of unsortedRows as a format wants them: sorted, in any order, or by row alone.
std::vector<StoredEntry> entriesFor(const std::string &format, uint64_t seed) {
  std::vector<StoredEntry> entries = unsortedRows(seed);
  if (format.ends_with("-dup"))
    std::stable_sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.at < b.at; });
  Random random(seed + 1);
  for (size_t n = entries.size(); format == "coo-unsorted" && n > 1; --n)
    std::swap(entries[n - 1], entries[static_cast<size_t>(random.below(static_cast<int64_t>(n)))]);
  if (format == "csr")
    for (size_t n = 0; n < entries.size(); ++n)
      entries[n].at[1] = n > 0 && entries[n - 1].at[0] == entries[n].at[0] ? entries[n - 1].at[1] + 1 : 0;
  return entries;
}

std::vector<double> ramp(size_t count) {
  std::vector<double> values(count);
  for (size_t n = 0; n < count; ++n)
    values[n] = static_cast<double>(n % 11) - 5;
  return values;
}

/// `statements` with sparse A, and B where it has one, to the dense D of kPitfallRows x kPitfallColumns.
void checkMerge(const std::string &statements, const std::string &a, const std::string &b) {
  Formats formats = {{"A", a}, {"D", "dense"}};
  const bool usesB = statements.find('B') != std::string::npos;
  if (usesB)
    formats["B"] = b;
  for (const bool strictFp : {false, true}) {
    HandMadeCall kernel(miscompileSpecOf(statements, formats, strictFp, strictFp || b == "csr" ? 0 : 1));
    for (const uint64_t seed : {1, 2, 3}) {
      INFO(statements << " A=" << a << " B=" << b << " strict " << strictFp << " seed " << seed);
      kernel.passEntries("A", {kPitfallRows, kPitfallColumns}, entriesFor(a, seed));
      if (usesB)
        kernel.passEntries("B", {kPitfallRows, kPitfallColumns}, entriesFor(b, seed + 100));
      kernel.passDense("D", {kPitfallRows, kPitfallColumns}, ramp(kPitfallRows * kPitfallColumns));
      CHECK(kernel.check() == "");
    }
  }
}

/// All pairs in the merges that MLIR gets wrong, and in one that takes each apart by linearity.
void checkMerges(const std::vector<std::string> &formats) {
  for (const std::string &a : formats) {
    for (const std::string &b : {a, std::string("csr")}) {
      checkMerge("D(i,j) = A(i,j) * B(i,j)", a, b);
      checkMerge("D(i,j) = B(i,j) * A(i,j)", a, b);
      checkMerge("D(i,j) = A(i,j) + B(i,j)", a, b);
      checkMerge("D(i,j) += B(i,j) - A(i,j)", a, b);
    }
    checkMerge("D(i,j) = A(i,j) * A(i,j)", a, a);
  }
}

/// Sampled products and scaling: each stored entry keeps its own slot.
void checkSlots(const std::string &format) {
  HandMadeCall kernel(miscompileSpecOf("D(i,j) = S(i,j) * x(i) * y(j)", {{"S", format}}));
  const std::vector<StoredEntry> entries = entriesFor(format, 5);
  const std::vector<double> x = ramp(kPitfallRows), y = ramp(kPitfallColumns);
  kernel.passEntries("S", {kPitfallRows, kPitfallColumns}, entries);
  kernel.passDense("x", {kPitfallRows}, x);
  kernel.passDense("y", {kPitfallColumns}, y);
  kernel.passOutput("D", static_cast<int64_t>(entries.size()));
  INFO(format);
  REQUIRE(kernel.call() == SPC_OK);
  for (size_t n = 0; n < entries.size(); ++n)
    CHECK(kernel.values("D")[n] ==
          entries[n].value * x[static_cast<size_t>(entries[n].at[0])] * y[static_cast<size_t>(entries[n].at[1])]);
}

/// Zeros that take no memory until they are written to.
class Reserved {
public:
  explicit Reserved(size_t bytes)
      : bytes_(bytes),
        start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    REQUIRE(start_ != MAP_FAILED);
  }
  ~Reserved() { munmap(start_, bytes_); }
  Reserved(const Reserved &) = delete;
  Reserved &operator=(const Reserved &) = delete;
  uint8_t &operator[](int64_t at) { return static_cast<uint8_t *>(start_)[at]; }
  void *start() { return start_; }

private:
  size_t bytes_;
  void *start_;
};

void checkNarrow(const std::string &statements, const Formats &formats, IndexTypes types, const Trial &trial,
                 std::optional<int> optLevel = {}) {
  KernelSpec spec = miscompileSpecOf(statements, formats, false, optLevel);
  spec.index = types;
  INFO(describe(spec) << "\n" << describe(trial));
  const KernelUnderTest kernel(spec);
  INFO(kernel.diagnostics());
  REQUIRE(kernel.outcome() == KernelUnderTest::Outcome::Compiled);
  CHECK(kernel.check(trial) == "");
}

constexpr IndexTypes kBytes = {IndexType::U8, IndexType::U8}, kWords = {IndexType::U16, IndexType::U16};

/// A context that counts its tasks and runs them on threads, the last ones first.
struct ThreadedContext {
  std::atomic<int64_t> tasksRun{0};
  spc_context context{sizeof(spc_context), this, nullptr, nullptr, &run};

  static void run(void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
    std::atomic<int64_t> next{tasks};
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n)
      threads.emplace_back([&] {
        for (int64_t index; (index = --next) >= 0; ++static_cast<ThreadedContext *>(user)->tasksRun)
          task(closure, index);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
};

/// A matrix whose columns all have entries in the same few rows, so that unowned rows would be updated at once.
int64_t tasksOf(const std::string &statements, const std::string &format, bool strictFp) {
  constexpr int64_t kExtent = 2000;
  KernelSpec spec = miscompileSpecOf(statements, {{"A", format}}, strictFp);
  spec.chunk = 200;
  HandMadeCall kernel(spec);
  std::vector<StoredEntry> entries;
  for (int64_t outer = 0; outer < kExtent; ++outer)
    for (int64_t inner = 0; inner < 5; ++inner) {
      const int64_t other = inner == 4 ? kExtent - 1 : inner;
      entries.push_back({format == "csc" ? std::vector{other, outer} : std::vector{outer, other}, 1.0 + outer % 7});
    }
  kernel.passEntries("A", {kExtent, kExtent}, entries);
  kernel.passDense("x", {kExtent}, ramp(kExtent));
  kernel.passDense("y", {kExtent}, ramp(kExtent));
  REQUIRE(kernel.check() == "");
  const std::vector<double> serial = kernel.values("y");
  ThreadedContext threads;
  for (int repeat = 0; repeat < 20; ++repeat) {
    kernel.passDense("y", {kExtent}, ramp(kExtent));
    REQUIRE(kernel.call(&threads.context) == SPC_OK);
    REQUIRE(kernel.values("y") == serial);
  }
  return threads.tasksRun / 20;
}

} // namespace

TEST_CASE("unsorted coordinates are not merged as if they were sorted", "[pitfalls]") {
  checkMerges({"csr-unsorted", "coo-unsorted"});
  checkSlots("csr-unsorted");
  checkSlots("coo-unsorted");
}

TEST_CASE("repeated coordinates are not lost in sums and products", "[pitfalls]") {
  checkMerges({"csr-dup", "coo-dup"});
  checkSlots("csr-dup");
  checkSlots("coo-dup");
}

TEST_CASE("squares of entries that may repeat do not keep their pattern", "[pitfalls]") {
  // A square of a sum is no sum of squares: the result is assembled, without repeats.
  for (const std::string format : {"coo-dup", "coo-unsorted", "csr-dup", "csr-unsorted"}) {
    HandMadeCall kernel(miscompileSpecOf("D(i,j) = S(i,j) * S(i,j)", {{"S", format}, {"D", format}}));
    const std::vector<int64_t> shape = {5, 7};
    kernel.passEntries("S", shape, {{{0, 6}, 3}, {{0, 6}, -1}, {{2, 1}, 2}, {{2, 1}, 5}, {{4, 0}, 1}});
    kernel.passAssembled("D", shape);
    CHECK(kernel.check() == "");
  }
}

TEST_CASE("narrow indices are not sign-extended from half of their range on", "[pitfalls]") {
  const Trial bytes{{200, 250}, Fill::Diagonal}, words{{2, 65000}, Fill::Random};
  for (const auto &[types, trial] : {std::pair{kBytes, bytes}, std::pair{kWords, words}})
    for (const std::string format : {"csr", "coo", "dcsr", "csc", "coo-aos"}) {
      checkNarrow("y(i) = A(i,j)*x(j)", {{"A", format}}, types, trial);
      checkNarrow("D(i,j) = alpha*A(i,j)", {{"A", format}}, types, trial);
      checkNarrow("D(i,j) = A(i,j)*x(i)*y(j)", {{"A", format}}, types, trial);
      checkNarrow("D(i,j) = A(i,j)*B(i,j)", {{"A", format}, {"B", "csr"}, {"D", "dense"}}, types, trial);
    }
}

TEST_CASE("copies of narrow operands have room for what the operand's own arrays need not name", "[pitfalls]") {
  // Blocks and diagonals have few numbers in their arrays; their entries are many, and their columns large.
  for (const std::string format : {"bsr4x4", "bsr2x3", "ell", "ragged", "block-ell", "dbsr"}) {
    checkNarrow("D(i,j) = A(i,j)*B(i,j)", {{"A", format}, {"B", "csc"}, {"D", "dense"}},
                {IndexType::I32, IndexType::U8}, {{90, 240}, Fill::Random}, 0);
    checkNarrow("y(j) = A(i,j)*B(j,i)", {{"A", format}, {"B", "csr"}}, {IndexType::U16, IndexType::U8},
                {{70, 240}, Fill::Random}, 0);
  }
  for (const std::string format : {"bsr4x4", "bsr2x3", "dbsr", "block-ell"}) {
    checkNarrow("D(i,j) = A(i,j)*A(j,i)", {{"A", format}, {"D", "dense"}}, kBytes, {{330, 330}, Fill::Diagonal}, 0);
    checkNarrow("D(i,j) = A(i,j)*A(j,i)", {{"A", format}, {"D", "dense"}}, kBytes, {{25, 25}, Fill::Full}, 0);
  }
}

TEST_CASE("a count that narrow pointers cannot hold is a status and no result", "[pitfalls]") {
  KernelSpec spec = miscompileSpecOf("y(i) = A(i,j)*x(j)", {{"A", "csr"}});
  spec.index = kBytes;
  for (const int64_t stored : {255, 256}) {
    HandMadeCall kernel(spec);
    std::vector<StoredEntry> entries;
    for (int64_t n = 0; n < stored; ++n)
      entries.push_back({{n / 128, n % 128}, 1});
    kernel.passEntries("A", {3, 128}, entries);
    kernel.passDense("x", {128}, std::vector<double>(128, 1));
    kernel.passDense("y", {3}, {-1, -1, -1});
    const int32_t status = kernel.call();
    CHECK(status == (stored == 255 ? SPC_OK : SPC_ERROR_INDEX_TYPE));
    CHECK(kernel.values("y")[0] == (stored == 255 ? 128 : -1));
  }
}

TEST_CASE("sums into an output start at what it held, and empty rows keep that", "[pitfalls]") {
  for (const std::string statements : {"y(i) += A(i,j)*x(j)", "y(i) += A(i,j)", "y(i) = A(i,j)", "t += A(i,j)"})
    checkLowering(statements, product({{"A", {"csr", "csc", "coo", "dcsr", "ell", "bsr2x3", "dense"}}}));
  CHECK(textWith(Stage::Sparse, "sparse_tensor.reduce") == "");
}

TEST_CASE("columns that are scattered from do not add to one array at the same time", "[pitfalls]") {
  // Without a fill of y in front of the loop, only the check of who owns which rows stands in the way.
  for (const std::string assign : {" = ", " += "})
    for (const bool strictFp : {false, true}) {
      // Into copies, whose sum is rounded otherwise.
      CHECK((tasksOf("y(i)" + assign + "A(i,j)*x(j)", "csc", strictFp) > 1) == !strictFp);
      CHECK((tasksOf("y(j)" + assign + "A(i,j)*x(i)", "csr", strictFp) > 1) == !strictFp);
      CHECK((tasksOf("y(i)" + assign + "A(i,j)*x(j)", "coo-unsorted", strictFp) > 1) == !strictFp);
      CHECK(tasksOf("y(i)" + assign + "A(i,j)*x(j)", "coo", strictFp) > 1);
      CHECK(tasksOf("y(i)" + assign + "A(i,j)*x(j)", "csr", strictFp) > 1);
      CHECK(tasksOf("y(j)" + assign + "A(i,j)*x(i)", "csc", strictFp) > 1);
    }
  CHECK(textWith(Stage::Sparse, "scf.parallel") == "");
}

TEST_CASE("stored values are computed and not declared to be 1", "[pitfalls]") {
  checkSlots("csr");
  checkLowering("D(i,j) = alpha*A(i,j)", {{{"A", "csr"}}, {{"A", "coo"}}});
  for (const Stage stage : {Stage::Linalg, Stage::Sparse})
    for (const char *property : {"explicitVal", "implicitVal"})
      CHECK(textWith(stage, property) == "");
}

TEST_CASE("coordinates and offsets beyond 32 bits are not cut off", "[pitfalls]") {
  constexpr int64_t kHuge = (int64_t{1} << 32) + 1000;
  Reserved bytes(kHuge);
  bytes[7] = 99;
  bytes[kHuge - 3] = 5;
  for (const int optLevel : {1, 3}) {
    KernelSpec gather = miscompileSpecOf("t = a(i) * x(i)", {{"a", "sv"}}, false, optLevel);
    gather.types["x"] = sema::ValueType::U8;
    gather.index = {IndexType::I64, IndexType::I64};
    HandMadeCall kernel(gather);
    kernel.passEntries("a", {kHuge}, {{{7}, 1}, {{kHuge - 3}, 100}});
    kernel.passMemory("x", {kHuge}, bytes.start());
    kernel.passDense("t", {}, {-1});
    CHECK(kernel.call() == SPC_OK);
    CHECK(kernel.values("t")[0] == 599);

    KernelSpec merge = miscompileSpecOf("t = a(i) * b(i)", {{"a", "sv"}, {"b", "sv"}}, false, optLevel);
    merge.index = gather.index;
    HandMadeCall merged(merge);
    merged.passEntries("a", {kHuge}, {{{7}, 1}, {{kHuge - 3}, 100}});
    merged.passEntries("b", {kHuge}, {{{(int64_t{1} << 32) + 7}, 10}, {{kHuge - 3}, 2}});
    merged.passDense("t", {}, {-1});
    CHECK(merged.call() == SPC_OK);
    CHECK(merged.values("t")[0] == 200);
  }
}

TEST_CASE("rows of a dense operand beyond 32 bits are found", "[pitfalls]") {
  constexpr int64_t kWide = 4200, kTall = (int64_t{1} << 32) / kWide + 2;
  Reserved bytes(kWide * kTall);
  for (int64_t k = 0; k < kWide; ++k)
    bytes[(kTall - 1) * kWide + k] = static_cast<uint8_t>(k % 100);
  KernelSpec spec = miscompileSpecOf("y(k) = a(j) * X(j,k)", {{"a", "sv"}}, false, 3);
  spec.types["X"] = sema::ValueType::U8;
  HandMadeCall kernel(spec);
  kernel.passEntries("a", {kTall}, {{{1}, 1}, {{kTall - 1}, 3}});
  kernel.passMemory("X", {kTall, kWide}, bytes.start());
  kernel.passDense("y", {kWide}, ramp(kWide));
  REQUIRE(kernel.call() == SPC_OK);
  for (int64_t k = 0; k < kWide; ++k)
    REQUIRE(kernel.values("y")[static_cast<size_t>(k)] == static_cast<double>(3 * (k % 100)));
}

TEST_CASE("two of four neighbours work in sums, products and matrix products", "[pitfalls]") {
  checkLowering("D(i,j) = A(i,j) + B(i,j)",
                product({{"A", {"nm24"}}, {"B", {"nm24", "csr", "dense"}}, {"D", {"dense"}}}));
  checkLowering("D(i,j) = A(i,j) * B(i,j)",
                product({{"A", {"nm24"}}, {"B", {"nm24", "csr", "dense"}}, {"D", {"dense"}}}));
  checkLowering("D(i,j) = A(i,k) * B(k,j)", product({{"A", {"nm24", "csr"}}, {"B", {"nm24"}}, {"D", {"dense"}}}));
  for (const std::string statements : {"D(i,j) = A(i,j) * B(i,j)", "D(i,j) = A(i,k) * B(k,j)"}) {
    checkLowering(statements, {{{"A", "nm24"}, {"B", "nm24"}, {"D", "csr"}}});
    CHECK(KernelUnderTest(miscompileSpecOf(statements, {{"A", "nm24"}, {"B", "nm24"}, {"D", "nm24"}})).outcome() ==
          KernelUnderTest::Outcome::Compiled);
  }
  CHECK(textWith(Stage::Linalg, "structured[") == "");
}

TEST_CASE("folding does not lose what a matrix product has summed so far", "[pitfalls]") {
  for (const bool strictFp : {false, true})
    for (const std::string format : {"csr", "csc", "coo", "ell", "dense"})
      for (const std::string statements : {"C(i,j) = A(i,k)*B(k,j)", "C(i,j) += A(i,k)*B(k,j)"})
        check(miscompileSpecOf(statements, {{"A", format}, {"C", "dense"}}, strictFp, 3));
}

TEST_CASE("divisions that MLIR leaves unlowered are computed", "[pitfalls]") {
  const std::vector<std::string> formats = {"csr", "csc", "coo", "ell", "bsr2x3", "dia"};
  for (const std::string statements : {"D(i,j) = A(i,j) / x(i)", "D(i,j) = A(i,j) / alpha", "D(i,j) = A(i,j) / 2.0"})
    checkLowering(statements, product({{"A", formats}}));
  checkLowering("D(i,j) = A(i,j) / x(i)", product({{"A", formats}, {"D", {"dense"}}}));
  CHECK(lineWith(Stage::Sparse, "= linalg.generic", "#sparse") == "");
  CHECK(textWith(Stage::Loops, "= linalg.") == "");
  CHECK(lineWith(Stage::Linalg, "= linalg.generic", "#sparse") != "");
}

} // namespace spc::testing
