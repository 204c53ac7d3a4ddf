// The entries of ties: what is asked for is there, and nothing else is.
#include "format_model.h"

namespace spc::runtime::test {
namespace {

TEST_CASE("ties have the arrays that are read") {
  const std::vector<int64_t> held{3, 0, 2, 3};
  const bool hasPointers = GENERATE(false, true), hasValues = GENERATE(false, true), isLent = GENERATE(false, true);
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  Tie tie{};
  tie.rowScales[0] = 1;
  tie.columnScale = 1;
  tie.source = held.data();
  tie.sourceBytes = sizeof(int64_t);
  tie.sourceIsSigned = tie.isChecked = 1;
  tie.hasPointers = hasPointers;
  tie.hasValues = hasValues;
  tie.lendsIndices = isLent;
  Level levels[2] = {};
  levels[0].kind = LevelKind::Dense;
  levels[0].extent = levels[1].extent = 4;
  levels[1].kind = LevelKind::Compressed;
  Tensor target{};
  target.order = 2;
  target.levels = levels;
  target.pointerBytes = target.indexBytes = sizeof(int64_t);
  target.valueBytes = 1;
  REQUIRE(static_cast<Status>(spc_rt_make_tie(&hooks, &tie, &target)) == Status::Ok);
  CHECK(target.stored == 4);
  CHECK((levels[1].indices == held.data()) == isLent);
  CHECK(std::vector<int64_t>(static_cast<int64_t *>(levels[1].indices),
                             static_cast<int64_t *>(levels[1].indices) + 4) == held);
  REQUIRE((levels[1].pointers != nullptr) == hasPointers);
  REQUIRE((target.values != nullptr) == hasValues);
  for (int64_t row = 0; row <= 4 && hasPointers; ++row)
    CHECK(static_cast<int64_t *>(levels[1].pointers)[row] == row);
  for (int64_t entry = 0; entry < 4 && hasValues; ++entry)
    CHECK(static_cast<char *>(target.values)[entry] == 1);
  for (void *array : {levels[1].pointers, levels[1].indices, target.values})
    if (array && array != held.data())
      hooks.release(hooks.user, array);
}

template <typename Source, typename Index> Status statusOf(std::vector<Source> held, int64_t columns, bool isStrided) {
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  const auto rows = static_cast<int64_t>(held.size()) / (isStrided ? 2 : 1);
  Tie tie{};
  tie.rowScales[0] = isStrided ? 2 : 1;
  tie.columnScale = 1;
  tie.source = held.data();
  tie.sourceBytes = sizeof(Source);
  tie.sourceIsSigned = std::is_signed_v<Source>;
  tie.isChecked = 1;
  tie.lendsIndices = sizeof(Source) == sizeof(Index);
  Level levels[2] = {};
  levels[0].kind = LevelKind::Dense;
  levels[0].extent = rows;
  levels[1].kind = LevelKind::Compressed;
  levels[1].extent = columns;
  Tensor target{};
  target.order = 2;
  target.levels = levels;
  target.pointerBytes = target.indexBytes = sizeof(Index);
  target.valueBytes = 1;
  const auto status = static_cast<Status>(spc_rt_make_tie(&hooks, &tie, &target));
  for (int64_t row = 0; row < target.stored; ++row)
    CHECK(static_cast<Index *>(levels[1].indices)[row] == static_cast<Index>(held[(isStrided ? 2 : 1) * row]));
  CHECK((levels[1].indices == held.data()) == (status == Status::Ok && tie.lendsIndices != 0 && !isStrided));
  if (levels[1].indices && levels[1].indices != held.data())
    hooks.release(hooks.user, levels[1].indices);
  CHECK(memory.live.empty());
  return status;
}

TEMPLATE_TEST_CASE("each row of a checked tie has a column", "", int32_t, uint32_t, int64_t, uint64_t) {
  const bool isStrided = GENERATE(false, true);
  constexpr TestType kLast = std::numeric_limits<TestType>::max();
  for (int64_t place = 0; place < 8; place += 2)
    for (const auto &[column, columns, isInside] : {std::tuple<TestType, int64_t, bool>{4, 5, true},
                                                    {5, 5, false},
                                                    {static_cast<TestType>(-1), 5, false},
                                                    {0, 0, false},
                                                    {kLast, INT32_MAX, false},
                                                    {static_cast<TestType>(kLast / 2 + 1), 5, false},
                                                    {7, INT32_MAX, true}}) {
      std::vector<TestType> held(8, columns > 0 ? 1 : 0);
      held[static_cast<size_t>(place)] = column;
      const Status expected = isInside ? Status::Ok : Status::IndexRange;
      CHECK(statusOf<TestType, int32_t>(held, columns, isStrided) == expected);
      CHECK(statusOf<TestType, int64_t>(held, columns, isStrided) == expected);
    }
}

} // namespace
} // namespace spc::runtime::test
