// The first elements of rows, beside sorting all of them.
#include "format_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spc::runtime::test {
namespace {

using RankTask = void (*)(void *closure, int64_t index);

void rankBackwards(void *, int64_t tasks, RankTask task, void *closure) {
  for (int64_t index = tasks; index-- > 0;)
    task(closure, index);
}

/// Values of all elements in a row, row-major.
using Row = std::vector<double>;

std::vector<Row> rowsOf(const Entries &entries, const std::vector<int64_t> &shape, double missing) {
  std::vector<Row> rows(static_cast<size_t>(shape[0]), Row(static_cast<size_t>(shape[1]), missing));
  for (const auto &[at, value] : entries)
    rows[static_cast<size_t>(at[0])][static_cast<size_t>(at[1])] = value;
  return rows;
}

std::vector<size_t> placesInOrder(const Row &row, bool isLeast) {
  std::vector<size_t> places(row.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t one, size_t other) { return isLeast ? row[one] < row[other] : row[one] > row[other]; });
  return places;
}

int64_t bitsOf(double value) {
  int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Ranks the rows of a matrix, and compares values and places with those of sorted rows.
void checkRanks(const Ranking &given, const std::vector<Row> &rows, const Workers &workers) {
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  for (const bool isLeast : {false, true})
    for (const bool givesPlace : {false, true}) {
      Ranking ranking = given;
      std::vector<int64_t> target(rows.size() * static_cast<size_t>(ranking.wanted), -1);
      ranking.target = target.data();
      ranking.isLeast = isLeast;
      ranking.givesPlace = givesPlace;
      ranking.none = bitsOf(isLeast ? HUGE_VAL : -HUGE_VAL);
      REQUIRE(static_cast<Status>(spc_rt_rank(&hooks, &workers, &ranking)) == Status::Ok);
      std::vector<int64_t> expected;
      for (const Row &row : rows) {
        const std::vector<size_t> places = placesInOrder(row, isLeast);
        for (size_t rank = 0; rank < static_cast<size_t>(ranking.wanted); ++rank)
          expected.push_back(rank >= row.size() ? (givesPlace ? INT64_MAX : ranking.none)
                             : givesPlace       ? static_cast<int64_t>(places[rank])
                                                : bitsOf(row[places[rank]]));
      }
      CHECK(target == expected);
    }
}

Ranking rankingOf(const std::vector<int64_t> &shape, int64_t wanted, double missing) {
  Ranking ranking{};
  ranking.order = 2;
  ranking.rows = 1;
  ranking.extents[0] = shape[0];
  ranking.extents[1] = shape[1];
  ranking.targetStrides[0] = wanted;
  ranking.step = 1;
  ranking.wanted = wanted;
  ranking.valueBytes = 8;
  ranking.infinity = bitsOf(HUGE_VAL);
  ranking.missing = bitsOf(missing);
  return ranking;
}

void checkAll(const std::vector<int64_t> &shape, int64_t count, int64_t wanted, const Workers &workers) {
  const Entries entries = randomEntries(shape, static_cast<int>(count), 7);
  for (const double missing : {0.0, 1e9, -1e9})
    for (const char *kinds : {"dc", "cc"}) {
      INFO(kinds << " " << missing);
      const UnsortedList list(entries, shape, {}, 3);
      Made made(wholes(kinds, {0, 1}), shape, {});
      REQUIRE(made.convert(list.made.tensor) == Status::Ok);
      Ranking ranking = rankingOf(shape, wanted, missing);
      ranking.sparse = &made.tensor;
      ranking.source = made.tensor.values;
      checkRanks(ranking, rowsOf(entries, shape, missing), workers);
    }
  const std::vector<Row> rows = rowsOf(entries, shape, 0);
  std::vector<double> dense;
  for (const Row &row : rows)
    dense.insert(dense.end(), row.begin(), row.end());
  Ranking ranking = rankingOf(shape, wanted, 0);
  ranking.source = dense.data();
  ranking.sourceStrides[0] = shape[1];
  ranking.sourceStrides[1] = 1;
  checkRanks(ranking, rows, workers);
}

} // namespace

TEST_CASE("Ranks are those of sorted rows, whoever computes them") {
  for (const auto parallelFor : {decltype(Workers{}.parallelFor){}, decltype(Workers{}.parallelFor){rankBackwards}}) {
    int32_t cost = 0;
    const Workers workers = {nullptr, parallelFor, &cost};
    checkAll({4000, 9}, 9000, 4, workers);
    checkAll({4000, 9}, 90, 12, workers);
    checkAll({3, 4000}, 9000, 40, workers);
    checkAll({1, 1}, 0, 1, workers);
    checkAll({5, 0}, 0, 2, workers);
    checkAll({0, 5}, 0, 2, workers);
    checkAll({5, 5}, 12, 0, workers);
  }
}

TEST_CASE("Ranks need memory, and say when there is none") {
  const std::vector<int64_t> shape = {50, 40};
  std::vector<double> dense(2000, 1), target(50 * 3);
  Ranking ranking = rankingOf(shape, 3, 0);
  ranking.source = dense.data();
  ranking.sourceStrides[0] = 40;
  ranking.sourceStrides[1] = 1;
  ranking.target = target.data();
  CountingMemory memory;
  memory.failAt = 0;
  const Allocator hooks = memory.hooks();
  const Workers none = {};
  CHECK(static_cast<Status>(spc_rt_rank(&hooks, &none, &ranking)) == Status::Memory);
}

} // namespace spc::runtime::test
