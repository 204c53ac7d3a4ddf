#include "../../include/spc/spc.h"
#include "harness/probe.h"
#include "runtime/status.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace spc::entry::test {
namespace {

using abi::FieldRole;

/// A(m, n) with one entry, in row 1.
CsrArrays oneEntry() {
  return {{0, 0, 1}, {2}, {7.0}};
}

void fillDense(Object &object, const std::vector<int64_t> &shape, const void *values) {
  int64_t stride = 1;
  for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
    object.at(FieldRole::Size, d) = shape[d];
    object.at(FieldRole::Stride, d) = stride;
    stride *= shape[d];
  }
  object.point(FieldRole::Values, 0, values);
}

} // namespace

TEST_CASE("generated statuses are those of the C header") {
  using runtime::Status;
  const std::vector<std::pair<Status, int>> pairs{
      {Status::Ok, SPC_OK},
      {Status::Null, SPC_ERROR_NULL},
      {Status::Shape, SPC_ERROR_SHAPE},
      {Status::Stride, SPC_ERROR_STRIDE},
      {Status::Pattern, SPC_ERROR_PATTERN},
      {Status::Count, SPC_ERROR_COUNT},
      {Status::Memory, SPC_ERROR_MEMORY},
      {Status::Context, SPC_ERROR_CONTEXT},
      {Status::Pointers, SPC_ERROR_POINTERS},
      {Status::IndexRange, SPC_ERROR_INDEX_RANGE},
      {Status::IndexType, SPC_ERROR_INDEX_TYPE},
  };
  for (const auto &[ours, theirs] : pairs)
    CHECK(static_cast<int>(ours) == theirs);
}

TEST_CASE("the body gets what its binds name") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  const auto four = probe.extent("four", 4);
  probe.operand("A", formatOf("dc"), {m, n});
  probe.operand("B", formatOf("dd"), {n, four});
  probe.operand("alpha", formatOf(""), {});
  probe.operand("beta", formatOf(""), {}, sema::ValueType::F32);
  probe.scalarOutput("total");
  const size_t sizeM = probe.ask(R"(size, "m")");
  const size_t sizeN = probe.ask(R"(size, "n")");
  const size_t sizeFour = probe.ask(R"(size, "four")");
  const size_t stored = probe.ask(R"(stored, "A")");
  const size_t pointers = probe.ask(R"(pointers, "A", 1)");
  const size_t indices = probe.ask(R"(indices, "A", 1)");
  const size_t values = probe.ask(R"(values, "A")");
  const size_t stride = probe.ask(R"(stride, "B", 0)");
  const size_t dense = probe.ask(R"(values, "B")");
  const size_t alpha = probe.ask(R"(scalar, "alpha")");
  const size_t beta = probe.ask(R"(scalar, "beta")");
  const size_t total = probe.ask(R"(values, "total")");

  Running run(probe);
  CsrArrays csr = oneEntry();
  csr.fill(run["A"]);
  std::vector<double> b(3 * 6);
  fillDense(run["B"], {3, 4}, b.data());
  run["B"].at(FieldRole::Stride, 0) = 6;
  REQUIRE(run.call() == SPC_OK);
  CHECK(run.got(sizeM) == 2);
  CHECK(run.got(sizeN) == 3);
  CHECK(run.got(sizeFour) == 4);
  CHECK(run.got(stored) == 1);
  CHECK(run.got(pointers) == word(csr.pointers.data()));
  CHECK(run.got(indices) == word(csr.indices.data()));
  CHECK(run.got(values) == word(csr.values.data()));
  CHECK(run.got(stride) == 6);
  CHECK(run.got(dense) == word(b.data()));
  double seen = 0;
  std::memcpy(&seen, &run.out[alpha], sizeof seen);
  CHECK(seen == 2.5);
  float single = 0;
  std::memcpy(&single, &run.out[beta], sizeof single);
  CHECK(single == 1.5F);
  CHECK(run.got(total) == word(&run.scalar));
}

TEST_CASE("roots without a pointers array give their count") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  probe.operand("D", formatOf("cc"), {m, n});
  probe.operand("C", formatOf("cs"), {m, n});
  const size_t rows = probe.ask(R"(count, "D", 0)");
  const size_t entries = probe.ask(R"(count, "C", 0)");
  const size_t inner = probe.ask(R"(indices, "C", 1)");
  Running run(probe);
  const std::vector<int32_t> zeros(8), pointers{0, 1, 3};
  const std::vector<double> values(8);
  Object &d = run["D"];
  d.at(FieldRole::Size, 0) = d.at(FieldRole::Size, 1) = 5;
  d.at(FieldRole::Count) = 2;
  d.at(FieldRole::Stored) = 3;
  d.point(FieldRole::Indices, 0, zeros.data());
  d.point(FieldRole::Pointers, 1, pointers.data());
  d.point(FieldRole::Indices, 1, zeros.data());
  d.point(FieldRole::Values, 0, values.data());
  Object &c = run["C"];
  c.at(FieldRole::Size, 0) = c.at(FieldRole::Size, 1) = 5;
  c.at(FieldRole::Stored) = 4;
  c.point(FieldRole::Indices, 0, zeros.data());
  c.point(FieldRole::Indices, 1, zeros.data() + 4);
  c.point(FieldRole::Values, 0, values.data());
  REQUIRE(run.call() == SPC_OK);
  CHECK(run.got(rows) == 2);
  CHECK(run.got(entries) == 4);
  CHECK(run.got(inner) == word(zeros.data() + 4));

  SECTION("each array must be there") {
    for (int level : {0, 1}) {
      c.point(FieldRole::Indices, level, nullptr);
      CHECK(run.call() == SPC_ERROR_NULL);
      c.point(FieldRole::Indices, level, zeros.data());
    }
    d.point(FieldRole::Indices, 0, nullptr);
    CHECK(run.call() == SPC_ERROR_NULL);
  }
  SECTION("a negative root count") {
    d.at(FieldRole::Count) = -1;
    CHECK(run.call() == SPC_ERROR_COUNT);
  }
  SECTION("nothing stored needs no arrays") {
    for (const std::string name : {"C", "D"}) {
      std::fill(run[name].words.begin(), run[name].words.end(), 0);
      run[name].at(FieldRole::Size, 0) = run[name].at(FieldRole::Size, 1) = 5;
    }
    CHECK(run.call() == SPC_OK);
    CHECK(run.got(rows) == 0);
  }
}

namespace {

/// A(m, n) in CSR, B(n, 4) dense and a scalar output, all of which fit.
struct FittingProbe {
  FittingProbe() {
    const auto n = probe.extent("n");
    probe.operand("A", formatOf("dc"), {probe.extent("m"), n});
    probe.operand("B", formatOf("dd"), {n, probe.extent("four", 4)});
    probe.scalarOutput("total");
    probe.ask(R"(values, "A")");
  }
  void fill(Running &run) {
    csr.fill(run["A"]);
    fillDense(run["B"], {3, 4}, b.data());
  }

  Probe probe;
  CsrArrays csr = oneEntry();
  std::vector<double> b = std::vector<double>(12);
};

} // namespace

TEST_CASE("NULL structs give a status and never reach the body") {
  FittingProbe test;
  for (const char *name : {"A", "B", "total"}) {
    Running run(test.probe);
    test.fill(run);
    run.pass(name, nullptr);
    CHECK(run.call() == SPC_ERROR_NULL);
    CHECK_FALSE(run.bodyRan());
  }
}

TEST_CASE("arguments that do not fit give a status and never reach the body") {
  FittingProbe test;
  Running run(test.probe);
  test.fill(run);
  REQUIRE(run.call() == SPC_OK);
  REQUIRE(run.bodyRan());
  int32_t status = SPC_OK;

  SECTION("a negative size") {
    run["A"].at(FieldRole::Size, 0) = -1;
    status = SPC_ERROR_SHAPE;
  }
  SECTION("sizes that differ") {
    run["B"].at(FieldRole::Size, 0) = 4;
    status = SPC_ERROR_SHAPE;
  }
  SECTION("a size that is not the declared number") {
    run["B"].at(FieldRole::Size, 1) = 5;
    status = SPC_ERROR_SHAPE;
  }
  SECTION("an innermost stride") {
    run["B"].at(FieldRole::Stride, 1) = 2;
    status = SPC_ERROR_STRIDE;
  }
  SECTION("NULL arrays") {
    const auto field = GENERATE(FieldRole::Pointers, FieldRole::Indices, FieldRole::Values);
    run["A"].point(field, field == FieldRole::Values ? 0 : 1, nullptr);
    status = SPC_ERROR_NULL;
  }
  SECTION("NULL dense values") {
    run["B"].point(FieldRole::Values, 0, nullptr);
    status = SPC_ERROR_NULL;
  }
  SECTION("a negative number of entries") {
    run["A"].at(FieldRole::Stored) = -1;
    status = SPC_ERROR_COUNT;
  }
  SECTION("more entries than the pointers' type holds") {
    run["A"].at(FieldRole::Stored) = int64_t{1} << 31;
    status = SPC_ERROR_INDEX_TYPE;
  }
  CHECK(run.call() == status);
  CHECK_FALSE(run.bodyRan());
}

TEST_CASE("NULL arrays are fine where nothing is stored") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  probe.operand("A", formatOf("dc"), {m, n});
  probe.operand("B", formatOf("dd"), {n, m});
  Running run(probe);
  run["B"].at(FieldRole::Stride, 1) = 9;
  CHECK(run.call() == SPC_OK);
  run["A"].at(FieldRole::Size, 1) = run["B"].at(FieldRole::Size, 0) = 3;
  CHECK(run.call() == SPC_OK);
  std::vector<int32_t> pointers{0, 0};
  double value = 0;
  run["A"].at(FieldRole::Size, 0) = run["B"].at(FieldRole::Size, 1) = 1;
  run["A"].point(FieldRole::Pointers, 1, pointers.data());
  CHECK(run.call() == SPC_ERROR_NULL);
  run["B"].point(FieldRole::Values, 0, &value);
  CHECK(run.call() == SPC_OK);
  run["A"].point(FieldRole::Pointers, 1, nullptr);
  CHECK(run.call() == SPC_ERROR_NULL);
}

TEST_CASE("column-major operands have their first dimension contiguous") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  probe.operand("B", formatOf("dd", {1, 0}), {m, n});
  const size_t stride = probe.ask(R"(stride, "B", 1)");
  Running run(probe);
  double value = 0;
  Object &b = run["B"];
  fillDense(b, {3, 4}, &value);
  CHECK(run.call() == SPC_ERROR_STRIDE);
  b.at(FieldRole::Stride, 0) = 1;
  b.at(FieldRole::Stride, 1) = 3;
  CHECK(run.call() == SPC_OK);
  CHECK(run.got(stride) == 3);
}

namespace {

/// D(m, n), which shares the pattern of S; of D's struct only the values are set.
struct SharingProbe {
  SharingProbe() {
    probe.shares("D", probe.operand("S", formatOf("dc"), {probe.extent("m"), probe.extent("n")}));
    for (const char *field : {R"(pointers, "D", 1)", R"(indices, "D", 1)", R"(stored, "D")", R"(values, "D")"})
      asked.push_back(probe.ask(field));
    run.emplace(probe);
    csr.fill((*run)["S"]);
    d().point(FieldRole::Values, 0, result.data());
  }
  Object &s() { return (*run)["S"]; }
  Object &d() { return (*run)["D"]; }

  Probe probe;
  std::vector<size_t> asked; ///< what the body got of D: pointers, indices, stored, values
  std::optional<Running> run;
  CsrArrays csr = oneEntry();
  std::vector<double> result = std::vector<double>(1);
};

} // namespace

TEST_CASE("outputs that share a pattern are completed") {
  SharingProbe test;
  Running &run = *test.run;
  CsrArrays &csr = test.csr;
  Object &d = test.d();
  SECTION("a struct that is zero but for the values") {
    REQUIRE(run.call() == SPC_OK);
    CHECK(run.got(test.asked[0]) == word(csr.pointers.data()));
    CHECK(run.got(test.asked[1]) == word(csr.indices.data()));
    CHECK(run.got(test.asked[2]) == 1);
    CHECK(run.got(test.asked[3]) == word(test.result.data()));
    std::vector<int64_t> expected = test.s().words;
    expected[d.type.find(FieldRole::Values)] = word(test.result.data());
    CHECK(d.words == expected);
    CHECK(run.call() == SPC_OK);
    CHECK(d.words == expected);
  }
  SECTION("some of the operand's arrays") {
    d.words = test.s().words;
    d.point(FieldRole::Values, 0, test.result.data());
    d.point(FieldRole::Indices, 1, nullptr);
    REQUIRE(run.call() == SPC_OK);
    CHECK(d.at(FieldRole::Indices, 1) == word(csr.indices.data()));
  }
}

TEST_CASE("outputs whose structure is not the operand's are refused") {
  SharingProbe test;
  Running &run = *test.run;
  CsrArrays &csr = test.csr;
  Object &d = test.d();
  const std::vector<int64_t> asPassed = d.words;

  SECTION("other arrays") {
    d.words = test.s().words;
    d.point(FieldRole::Values, 0, test.result.data());
    d.point(FieldRole::Indices, 1, csr.pointers.data());
    CHECK(run.call() == SPC_ERROR_PATTERN);
  }
  SECTION("other sizes") {
    d.at(FieldRole::Size, 1) = 4;
    CHECK(run.call() == SPC_ERROR_SHAPE);
    CHECK(d.at(FieldRole::Pointers, 1) == 0);
  }
  SECTION("sizes of 0 beside given arrays") {
    d.point(FieldRole::Pointers, 1, csr.pointers.data());
    CHECK(run.call() == SPC_ERROR_SHAPE);
  }
  SECTION("another count") {
    d.at(FieldRole::Stored) = 2;
    CHECK(run.call() == SPC_ERROR_COUNT);
  }
  SECTION("no values") {
    d.point(FieldRole::Values, 0, nullptr);
    CHECK(run.call() == SPC_ERROR_NULL);
    test.s().at(FieldRole::Stored) = 0;
    csr.pointers = {0, 0, 0};
    CHECK(run.call() == SPC_OK);
  }
  SECTION("nothing is written where an operand is refused") {
    test.s().at(FieldRole::Stored) = -3;
    CHECK(run.call() == SPC_ERROR_COUNT);
    CHECK(d.words == asPassed);
  }
}

TEST_CASE("a pattern borrowed twice is the first owner's") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  const auto s = probe.operand("S", formatOf("dc"), {m, n});
  const auto d = probe.shares("D", s);
  probe.shares("E", d);
  Running run(probe);
  CsrArrays csr = oneEntry();
  csr.fill(run["S"]);
  double values[2];
  run["D"].point(FieldRole::Values, 0, &values[0]);
  run["E"].point(FieldRole::Values, 0, &values[1]);
  REQUIRE(run.call() == SPC_OK);
  CHECK(run["E"].at(FieldRole::Pointers, 1) == word(csr.pointers.data()));
  CHECK(run["E"].at(FieldRole::Stored) == 1);
}

} // namespace spc::entry::test
