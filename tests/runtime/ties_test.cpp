// The entries of ties: what is asked for is there, and nothing else is.
#include "format_model.h"

namespace spc::runtime::test {
namespace {

TEST_CASE("ties have the arrays that are read") {
  const std::vector<int64_t> held{3, 0, 2, 3};
  const bool hasPointers = GENERATE(false, true), hasValues = GENERATE(false, true);
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
  CHECK(std::vector<int64_t>(static_cast<int64_t *>(levels[1].indices),
                             static_cast<int64_t *>(levels[1].indices) + 4) == held);
  REQUIRE((levels[1].pointers != nullptr) == hasPointers);
  REQUIRE((target.values != nullptr) == hasValues);
  for (int64_t row = 0; row <= 4 && hasPointers; ++row)
    CHECK(static_cast<int64_t *>(levels[1].pointers)[row] == row);
  for (int64_t entry = 0; entry < 4 && hasValues; ++entry)
    CHECK(static_cast<char *>(target.values)[entry] == 1);
  for (void *array : {levels[1].pointers, levels[1].indices, target.values})
    if (array)
      hooks.release(hooks.user, array);
}

} // namespace
} // namespace spc::runtime::test
