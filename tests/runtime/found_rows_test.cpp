// Copies whose rows are looked up, of many rows and of few.
#include "copy_request.h"
#include "runtime/levels/walk.h"

namespace spc::runtime::test {
namespace {

const std::vector<ModelLevel> kList = {{LevelKind::Compressed, 0}, {LevelKind::Compressed, 1}};
const std::vector<ModelLevel> kPairs = {{LevelKind::Compressed, 0}, {LevelKind::Singleton, 1}};
const std::vector<int64_t> kAsked = {0, 1, 60, 4096, 5000, int64_t{1} << 40, (int64_t{1} << 60) + 1};

/// A target whose root is looked up.
struct FoundRequest : Request {
  FoundRequest(const std::vector<int64_t> &shape, const std::vector<int64_t> &dimensions, Widths widths)
      : Request(shape, dimensions, widths) {
    table.convert = spc_rt_convert;
    levels[0].table = &table;
  }
  FoundRequest(const FoundRequest &) = delete;

  /// Frees what a call has made; what it shares is not its own.
  void release(CountingMemory &memory, bool isShared) {
    const Allocator hooks = memory.hooks();
    for (Level &level : levels) {
      if (level.pointers)
        hooks.release(hooks.user, level.pointers);
      if (level.indices && !isShared)
        hooks.release(hooks.user, level.indices);
    }
    if (tensor.values && !isShared)
      hooks.release(hooks.user, tensor.values);
    if (table.slots)
      hooks.release(hooks.user, table.slots);
  }

  /// The entries of a row of the target.
  std::map<int64_t, double> row(int64_t coordinate) const {
    const int64_t at = spc_rt_find_row(table.slots ? &table : nullptr, coordinate);
    std::map<int64_t, double> entries;
    const void *pointers = levels[1].pointers;
    for (int64_t p = load(pointers, tensor.pointerBytes, at); p < load(pointers, tensor.pointerBytes, at + 1); ++p)
      entries[load(levels[1].indices, tensor.indexBytes, p)] = static_cast<const double *>(tensor.values)[p];
    return entries;
  }

  RowTable table{};
};

Entries entriesOf(int64_t rows, int count) {
  Entries entries = randomEntries({rows, 9}, rows > 0 ? count : 0, 7);
  if (rows > 1)
    entries[{rows - 1, 3}] = 5;
  return entries;
}

void checkRows(const FoundRequest &target, const Entries &entries, int dimension) {
  CHECK(target.levels[0].kind == LevelKind::Dense);
  CHECK(target.levels[0].indices == nullptr);
  CHECK(target.tensor.stored == static_cast<int64_t>(entries.size()));
  const int64_t rows = target.levels[0].extent;
  CHECK((target.table.slots != nullptr) == listsFoundRows(rows, static_cast<int64_t>(entries.size())));
  std::map<int64_t, std::map<int64_t, double>> expected;
  for (int64_t row = 0; row < rows && row < 20; ++row)
    expected[row] = {};
  for (const auto &[at, value] : entries) {
    expected[at[static_cast<size_t>(dimension)]][at[static_cast<size_t>(1 - dimension)]] = value;
    if (at[static_cast<size_t>(dimension)] > 0)
      expected[at[static_cast<size_t>(dimension)] - 1];
  }
  for (const auto &[row, content] : expected)
    CHECK(target.row(row) == content);
}

int64_t bytesOf(const CountingMemory &memory) {
  int64_t sum = 0;
  for (const auto &[block, bytes] : memory.live)
    sum += bytes;
  return sum;
}

} // namespace

TEST_CASE("rows are found in copies of matrices of any size") {
  for (const std::vector<ModelLevel> &levels : {kList, kPairs})
    for (const int64_t rows : kAsked)
      for (const int dimension : {0, 1}) {
        INFO(rows << " rows, stored by dimension " << dimension);
        const Entries entries = entriesOf(rows, 40);
        const Packed source = pack(entries, {rows, 9}, levels, {8, 8, 8});
        CountingMemory memory;
        FoundRequest target({rows, 9}, {dimension, 1 - dimension}, {8, 8, 8});
        const Allocator hooks = memory.hooks();
        const Workers none{};
        REQUIRE(spc_rt_convert_found(&hooks, &none, &source.tensor, &target.tensor, 1) == 0);
        checkRows(target, entries, dimension);
        CHECK(bytesOf(memory) < 100000);
        target.release(memory, false);
        CHECK(memory.live.empty());
      }
}

TEST_CASE("rows are found in the arrays of what lists them") {
  for (const Widths widths : {Widths{8, 8, 8}, Widths{4, 8, 8}})
    for (const int64_t rows : kAsked) {
      INFO(rows << " rows");
      const Entries entries = entriesOf(rows, 40);
      const Packed source = pack(entries, {rows, 9}, kList, widths);
      CountingMemory memory;
      FoundRequest target({rows, 9}, {0, 1}, widths);
      const Allocator hooks = memory.hooks();
      REQUIRE(spc_rt_find_rows(&hooks, &source.tensor, &target.tensor) == 0);
      checkRows(target, entries, 0);
      CHECK(target.levels[1].indices == source.tensor.levels[1].indices);
      CHECK(target.tensor.values == source.tensor.values);
      target.release(memory, true);
      CHECK(memory.live.empty());
    }
}

TEST_CASE("what looks rows up survives the end of memory") {
  const int64_t rows = int64_t{1} << 40;
  const Packed source = pack(entriesOf(rows, 40), {rows, 9}, kList, {8, 8, 8});
  for (const bool shares : {false, true})
    for (int request = 0;; ++request) {
      CountingMemory memory;
      memory.failAt = request;
      const Allocator hooks = memory.hooks();
      const Workers none{};
      FoundRequest target({rows, 9}, {0, 1}, {8, 8, 8});
      const int32_t status = shares ? spc_rt_find_rows(&hooks, &source.tensor, &target.tensor)
                                    : spc_rt_convert_found(&hooks, &none, &source.tensor, &target.tensor, 1);
      if (status == 0) {
        CHECK(memory.requests <= request);
        target.release(memory, shares);
        break;
      }
      CHECK(static_cast<Status>(status) == Status::Memory);
      CHECK(target.table.slots == nullptr);
      CHECK(memory.live.empty());
    }
}

TEST_CASE("a list of rows that is out of order or too long is refused") {
  for (const std::vector<int64_t> &listed : {std::vector<int64_t>{3, 2}, {1, 60}}) {
    Packed source = pack({{{1, 1}, 1.0}, {{2, 4}, 2.0}}, {60, 9}, kList, {8, 8, 8});
    source.indices[0] = narrowed(listed, 8);
    source.levels[0].indices = source.indices[0].data();
    CountingMemory memory;
    FoundRequest target({60, 9}, {0, 1}, {8, 8, 8});
    const Allocator hooks = memory.hooks();
    CHECK(static_cast<Status>(spc_rt_find_rows(&hooks, &source.tensor, &target.tensor)) == Status::IndexRange);
    CHECK(memory.live.empty());
  }
}

} // namespace spc::runtime::test
