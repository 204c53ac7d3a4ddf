// Counts of inner levels, which say how long arrays are.
#include "../../include/spc/spc.h"
#include "harness/probe.h"

#include <catch2/catch.hpp>

namespace spc::entry::test {

using abi::FieldRole;

TEST_CASE("pointers below a middle level are needed only where it has entries") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  const auto o = probe.extent("o");
  probe.operand("T", formatOf("dcc"), {m, n, o});
  Running run(probe);
  std::vector<int32_t> upper{0, 0, 0};
  Object &t = run["T"];
  for (int d = 0; d < 3; ++d)
    t.at(FieldRole::Size, d) = 2;
  CHECK(run.call() == SPC_ERROR_NULL);
  t.point(FieldRole::Pointers, 1, upper.data());
  CHECK(run.call() == SPC_OK);
  t.at(FieldRole::Count, 1) = 1;
  CHECK(run.call() == SPC_ERROR_NULL);
  t.at(FieldRole::Count, 1) = 0;
  t.at(FieldRole::Size, 0) = 0;
  t.point(FieldRole::Pointers, 1, nullptr);
  CHECK(run.call() == SPC_OK);
}

TEST_CASE("counts of inner levels are those that their pointers end at") {
  Probe probe;
  probe.operand("T", formatOf("dcc"), {probe.extent("m"), probe.extent("n"), probe.extent("o")});
  Running run(probe);
  std::vector<int32_t> upper{0, 1, 3}, lower{0, 1, 2, 4}, fibers{0, 0, 1}, entries{0, 1, 0, 1};
  std::vector<double> values(4);
  Object &t = run["T"];
  for (int d = 0; d < 3; ++d)
    t.at(FieldRole::Size, d) = 2;
  t.at(FieldRole::Stored) = 4;
  t.point(FieldRole::Pointers, 1, upper.data());
  t.point(FieldRole::Indices, 1, fibers.data());
  t.point(FieldRole::Pointers, 2, lower.data());
  t.point(FieldRole::Indices, 2, entries.data());
  t.point(FieldRole::Values, 0, values.data());
  for (const int64_t count : {int64_t{-1}, int64_t{0}, int64_t{2}, int64_t{4}, INT64_MAX}) {
    t.at(FieldRole::Count, 1) = count;
    CHECK(run.call() == SPC_ERROR_COUNT);
  }
  t.at(FieldRole::Count, 1) = int64_t{1} << 31;
  CHECK(run.call() == SPC_ERROR_INDEX_TYPE);
  t.at(FieldRole::Count, 1) = 3;
  CHECK(run.call() == SPC_OK);
  lower[3] = 3;
  CHECK(run.call() == SPC_ERROR_COUNT);
}

} // namespace spc::entry::test
