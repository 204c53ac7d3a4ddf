// Places of a pattern, and values for it.
#include "assembly_player.h"
#include "format_model.h"

#include <algorithm>

namespace spc::runtime::test {
namespace {

double valueAt(const Tensor &tensor, int64_t position) {
  return static_cast<const double *>(tensor.values)[position];
}

void forEachPlace(const std::vector<int64_t> &shape, const std::function<void(const Coordinate &)> &look) {
  Coordinate at(shape.size());
  const std::function<void(size_t)> visit = [&](size_t d) {
    if (d == shape.size())
      return look(at);
    for (at[d] = 0; at[d] < shape[d]; ++at[d])
      visit(d + 1);
  };
  visit(0);
}

void checkPlaces(const std::vector<FormatModel> &formats, const std::vector<int64_t> &shape, unsigned seed) {
  const Entries entries = randomEntries(shape, 14, seed);
  const UnsortedList list(entries, shape, {}, seed);
  for (const FormatModel &format : formats) {
    INFO(format.name);
    Made made(format, shape, {});
    REQUIRE(made.convert(list.made.tensor) == Status::Ok);
    forEachPlace(shape, [&](const Coordinate &at) {
      const int64_t position = positionOf(made.tensor, at.data());
      const auto entry = entries.find(at);
      CHECK(position < made.tensor.stored);
      CHECK((position < 0 ? 0 : valueAt(made.tensor, position)) == (entry == entries.end() ? 0 : entry->second));
      if (entry != entries.end())
        CHECK(position >= 0);
    });
  }
}

const Workers noWorkers = {};

/// A conversion in two phases with a plan, whose entries come out as `expected`; and plans of other structures.
void checkPlan(Made &source, const Entries &expected, const FormatModel &to, const std::vector<int64_t> &shape) {
  Made target(to, shape, {});
  const Allocator hooks = target.memory.hooks();
  runtime::Plan plan = {};
  Planning planning = {&plan, 7, 1};
  REQUIRE(static_cast<Status>(spc_rt_plan_conversion(&hooks, &noWorkers, &source.tensor, &target.tensor,
                                                     spc_rt_convert_sorted, &planning)) == Status::Ok);
  target.owns = true;
  CHECK(target.tensor.values == nullptr);
  std::vector<double> values(static_cast<size_t>(target.tensor.stored), -1);
  target.tensor.values = values.data();
  const auto convert = [&] {
    return static_cast<Status>(spc_rt_convert_values(&hooks, &noWorkers, &source.tensor, &target.tensor, 0, &planning));
  };
  CHECK(convert() == Status::Ok);
  CHECK(ModelReader(target.tensor, shape.size()).read() == expected);
  planning.check = 8;
  values.assign(values.size(), -1);
  CHECK(convert() == Status::Pattern);
  CHECK(std::count(values.begin(), values.end(), -1) == target.tensor.stored);
  planning.check = 7;
  if (void *indices = target.tensor.levels[target.tensor.order - 1].indices; indices && target.tensor.stored > 0) {
    static_cast<char *>(indices)[0] ^= 1;
    CHECK(convert() == Status::Pattern);
    static_cast<char *>(indices)[0] ^= 1;
  }
  target.tensor.values = nullptr;
  hooks.release(hooks.user, plan.memory);
}

void checkValues(const std::vector<FormatModel> &formats, const std::vector<int64_t> &shape, unsigned seed) {
  const UnsortedList list(randomEntries(shape, 14, seed), shape, {}, seed);
  Entries others = randomEntries(shape, 14, seed);
  for (auto &entry : others)
    entry.second *= 3;
  const UnsortedList otherList(others, shape, {}, seed + 1);
  for (const FormatModel &from : formats)
    for (const FormatModel &to : formats) {
      INFO(from.name << " to " << to.name);
      Made source(from, shape, {}), target(to, shape, {});
      REQUIRE(source.convert(otherList.made.tensor) == Status::Ok);
      REQUIRE(target.convert(list.made.tensor) == Status::Ok);
      const Allocator hooks = target.memory.hooks();
      const Entries expected = ModelReader(source.tensor, shape.size()).read();
      REQUIRE(static_cast<Status>(
                  spc_rt_convert_values(&hooks, &noWorkers, &source.tensor, &target.tensor, 0, nullptr)) == Status::Ok);
      CHECK(ModelReader(target.tensor, shape.size()).read() == expected);
      checkPlan(source, expected, to, shape);
    }
}

} // namespace

TEST_CASE("places of every format are found") {
  checkPlaces(matrixFormats(), {7, 5}, 1);
  checkPlaces(matrixFormats(), {1, 9}, 2);
  checkPlaces(cubeFormats(), {3, 4, 5}, 3);
  checkPlaces({wholes("c", {0}), wholes("d", {0})}, {20}, 4);
}

TEST_CASE("places of lists that are not sorted are found") {
  const std::vector<int64_t> shape{7, 5};
  const Entries entries = randomEntries(shape, 14, 5);
  const UnsortedList list(entries, shape, {}, 5, false);
  forEachPlace(shape, [&](const Coordinate &at) {
    const int64_t position = positionOf(list.made.tensor, at.data());
    const auto entry = entries.find(at);
    CHECK((position >= 0) == (entry != entries.end()));
    if (position >= 0)
      CHECK(valueAt(list.made.tensor, position) == entry->second);
  });
}

TEST_CASE("values are set in a pattern that is there") {
  // Formats that store zeros or padding have places that other patterns lack.
  checkValues({wholes("dc", {0, 1}), wholes("dc", {1, 0}), wholes("cc", {1, 0}), wholes("cs", {0, 1}),
               wholes("cs", {1, 0}, true)},
              {7, 5}, 1);
  checkValues({wholes("ccc", {0, 1, 2}), wholes("ccc", {2, 0, 1}), wholes("css", {1, 0, 2}), wholes("ddc", {0, 2, 1})},
              {3, 4, 5}, 2);
}

TEST_CASE("an entry without a place is told") {
  const std::vector<int64_t> shape{4, 3};
  const UnsortedList pattern({{{0, 1}, 1}, {{2, 0}, 2}}, shape, {}, 1);
  const UnsortedList fewer({{{2, 0}, 5}}, shape, {}, 1), more({{{0, 1}, 1}, {{3, 2}, 5}}, shape, {}, 1);
  for (const FormatModel &format :
       {wholes("dc", {0, 1}), wholes("dc", {1, 0}), wholes("cs", {0, 1}), wholes("cc", {1, 0})}) {
    Made target(format, shape, {});
    REQUIRE(target.convert(pattern.made.tensor) == Status::Ok);
    const Allocator hooks = target.memory.hooks();
    const auto convert = [&](const UnsortedList &list) {
      return static_cast<Status>(
          spc_rt_convert_values(&hooks, &noWorkers, &list.made.tensor, &target.tensor, 0, nullptr));
    };
    CHECK(convert(fewer) == Status::Ok);
    CHECK(ModelReader(target.tensor, 2).read() == Entries{{{2, 0}, 5}});
    CHECK(convert(more) == Status::Pattern);
  }
}

TEMPLATE_TEST_CASE("entries are added to a matrix by rows", "", (std::pair<int32_t, double>),
                   (std::pair<int32_t, float>), (std::pair<int64_t, double>), (std::pair<int64_t, float>),
                   (std::pair<uint16_t, double>)) {
  using I = typename TestType::first_type;
  using T = typename TestType::second_type;
  // Rows {0, 2, 5, 6, 7, 8, 9}, {} and {4, 1}, the last one in no order.
  std::vector<I> starts{0, 7, 7, 9}, columns{0, 2, 5, 6, 7, 8, 9, 4, 1};
  std::vector<T> values(9, 1);
  const auto levelsOf = [](int64_t dimension, std::vector<I> &starts, std::vector<I> &columns, int64_t rows,
                           int64_t width) {
    return std::vector<Level>{{LevelKind::Dense, dimension, rows, nullptr, nullptr},
                              {LevelKind::Compressed, 1 - dimension, width, starts.data(), columns.data(),
                               static_cast<int64_t>(columns.size())}};
  };
  const auto tensorOf = [](std::vector<Level> &levels, std::vector<T> &numbers) {
    return Tensor{
        2, static_cast<int64_t>(numbers.size()), sizeof(I), sizeof(I), sizeof(T), levels.data(), numbers.data()};
  };
  std::vector<Level> levels = levelsOf(0, starts, columns, 3, 10);
  Tensor target = tensorOf(levels, values);
  ThreadedMemory memory;
  const Allocator hooks = memory.hooks();
  const auto add = [&](const Tensor &source, bool sets) {
    return static_cast<Status>(spc_rt_add_values(&hooks, &source, &target, 0, sets));
  };

  std::vector<I> rows{2, 0, 2, 0, 0, 2}, listed{1, 9, 4, 0, 9, 1};
  std::vector<T> numbers{1, 2, 3, 4, 5, 6};
  std::vector<Level> listLevels{{LevelKind::Compressed, 0, 3, nullptr, rows.data(), 6},
                                {LevelKind::Singleton, 1, 10, starts.data(), listed.data(), 6}};
  const Tensor list = tensorOf(listLevels, numbers);
  CHECK(add(list, false) == Status::Ok);
  CHECK(values == std::vector<T>{5, 1, 1, 1, 1, 1, 8, 4, 8});
  CHECK(add(list, true) == Status::Ok);
  CHECK(values == std::vector<T>{4, 0, 0, 0, 0, 0, 7, 3, 7});

  std::vector<I> rowStarts{0, 2, 2, 3}, rowColumns{2, 9, 1}, columnStarts{0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3},
      columnRows{0, 2, 0};
  std::vector<T> three{10, 20, 30};
  std::vector<Level> byRows = levelsOf(0, rowStarts, rowColumns, 3, 10);
  CHECK(add(tensorOf(byRows, three), false) == Status::Ok);
  CHECK(values == std::vector<T>{4, 10, 0, 0, 0, 0, 27, 3, 37});
  std::vector<Level> byColumns = levelsOf(1, columnStarts, columnRows, 10, 3);
  CHECK(add(tensorOf(byColumns, three), false) == Status::Ok);
  CHECK(values == std::vector<T>{14, 10, 0, 0, 0, 30, 27, 23, 37});

  listed[3] = 1;
  CHECK(add(list, false) == Status::Pattern);
  rows[3] = 1;
  CHECK(add(list, false) == Status::Pattern);
  rows[3] = 3;
  CHECK(add(list, false) == Status::IndexRange);
  rows[3] = 0, listed[3] = 10;
  CHECK(add(list, false) == Status::IndexRange);
  CHECK(memory.isClean());
}

} // namespace spc::runtime::test
