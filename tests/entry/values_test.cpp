// Scalars and values of every type, structures that tensors share, and rows in chunks.
#include "../../include/spc/spc.h"
#include "harness/probe.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <cstring>

namespace spc::entry::test {
namespace {

using abi::FieldRole;
using sema::ValueType;

} // namespace

TEST_CASE("scalars of every type reach the body") {
  for (const ValueType type : sema::kValueTypes) {
    INFO(sema::spelling(type));
    Probe probe;
    const auto m = probe.extent("m");
    probe.operand("x", formatOf("d"), {m});
    probe.operand("alpha", formatOf(""), {}, type);
    const size_t alpha = probe.ask(R"(scalar, "alpha")");
    probe.ask(R"(size, "m")"); // keeps the place behind a scalar of 16 bytes
    Running run(probe);
    double element = 0;
    run["x"].at(FieldRole::Size) = run["x"].at(FieldRole::Stride) = 1;
    run["x"].point(FieldRole::Values, 0, &element);
    std::array<unsigned char, 16> passed{};
    for (size_t b = 0; b < passed.size(); ++b)
      passed[b] = static_cast<unsigned char>(0x31 + b);
    if (type == ValueType::Bool)
      passed[0] = 1;
    run.pass("alpha", passed.data());
    REQUIRE(run.call() == SPC_OK);
    const auto seen = static_cast<size_t>(type == ValueType::CF64 ? 8 : sema::bytesOf(type));
    CHECK(std::memcmp(&run.out[alpha], passed.data(), seen) == 0);
    if (sema::isComplex(type)) {
      run.pass("alpha", nullptr);
      CHECK(run.call() == SPC_ERROR_NULL);
    }
  }
}

TEST_CASE("of a bool argument one bit counts") {
  Probe probe;
  probe.operand("flag", formatOf(""), {}, ValueType::Bool);
  const size_t flag = probe.ask(R"(scalar, "flag")");
  Running run(probe);
  for (const unsigned char passed : {0, 1, 0xfe, 0xff}) {
    unsigned char byte = passed;
    run.pass("flag", &byte);
    REQUIRE(run.call() == SPC_OK);
    CHECK((run.got(flag) & 0xff) == (passed & 1));
  }
}

TEST_CASE("temporaries have room for elements of their type") {
  for (const ValueType type : sema::kValueTypes) {
    INFO(sema::spelling(type));
    Probe probe;
    const auto m = probe.extent("m");
    probe.operand("x", formatOf("d"), {m});
    probe.kernel.tensors[probe.temporary("t", formatOf("d"), {m})].type = type;
    Running run(probe);
    double element = 0;
    run["x"].at(FieldRole::Size) = 5;
    run["x"].at(FieldRole::Stride) = 1;
    run["x"].point(FieldRole::Values, 0, &element);
    static int64_t asked;
    spc_context context{sizeof(spc_context), nullptr,
                        [](void *, int64_t bytes, int64_t) noexcept -> void * {
                          asked = bytes;
                          return std::malloc(static_cast<size_t>(bytes));
                        },
                        [](void *, void *memory) noexcept { std::free(memory); }, nullptr};
    REQUIRE(run.call(&context) == SPC_OK);
    CHECK(asked == 5 * sema::bytesOf(type));
  }
}

TEST_CASE("a tensor with another one's structure is its values") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  const auto s = probe.operand("S", formatOf("dl"), {m, n});
  probe.valuesOnly("V", s);
  const std::vector<std::pair<std::string, std::string>> same{{R"(stored, "S")", R"(stored, "V")"},
                                                              {R"(pointers, "S", 1)", R"(pointers, "V", 1)"},
                                                              {R"(indices, "S", 1)", R"(indices, "V", 1)"}};
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const auto &[own, shared] : same) {
    const size_t first = probe.ask(own);
    pairs.emplace_back(first, probe.ask(shared));
  }
  const size_t values = probe.ask(R"(values, "V")");
  Running run(probe);
  const std::vector<int32_t> lengths{1, 1}, indices{0, 2};
  std::vector<double> first(2), second(2);
  Object &object = run["S"];
  object.at(FieldRole::Size, 0) = 2;
  object.at(FieldRole::Size, 1) = 3;
  object.at(FieldRole::Stored) = 2;
  object.point(FieldRole::Lengths, 1, lengths.data());
  object.point(FieldRole::Indices, 1, indices.data());
  object.point(FieldRole::Values, 0, first.data());
  run.pass("V", second.data());
  REQUIRE(run.call() == SPC_OK);
  for (const auto &[own, borrowed] : pairs)
    CHECK(run.got(own) == run.got(borrowed));
  CHECK(run.got(values) == word(second.data()));
  run.pass("V", nullptr);
  CHECK(run.call() == SPC_ERROR_NULL);
  const std::vector<int32_t> none(2);
  object.at(FieldRole::Stored) = 0;
  object.point(FieldRole::Lengths, 1, none.data());
  CHECK(run.call() == SPC_OK);
}

TEST_CASE("outputs take every field of the structure they share") {
  for (const std::string letters : {"df", "dl", "css"}) {
    INFO(letters);
    Probe probe;
    format::Format format = formatOf(letters);
    format.interleaved = letters == "css";
    std::vector<sema::ExtentId> extents;
    for (int d = 0; d < format.order(); ++d)
      extents.push_back(probe.extent(std::string(1, static_cast<char>('m' + d))));
    probe.shares("D", probe.operand("S", format, extents));
    const size_t stored = probe.ask(R"(stored, "D")");
    Running run(probe);
    std::vector<int32_t> numbers(64, 2);
    std::vector<double> values(64), results(64);
    Object &s = run["S"], &d = run["D"];
    for (const abi::Field &field : s.type.fields) {
      int64_t &slot = s.at(field.role, field.index);
      switch (field.role) {
      case FieldRole::Size:
      case FieldRole::Stride:
        slot = 3;
        break;
      case FieldRole::Count:
      case FieldRole::Stored:
        slot = 6;
        break;
      case FieldRole::Width:
        slot = 2;
        break;
      default:
        slot = word(field.role == FieldRole::Values ? static_cast<const void *>(values.data()) : numbers.data());
      }
    }
    d.point(FieldRole::Values, 0, results.data());
    REQUIRE(run.call() == SPC_OK);
    std::vector<int64_t> expected = s.words;
    expected[static_cast<size_t>(d.type.find(FieldRole::Values))] = word(results.data());
    CHECK(d.words == expected);
    CHECK(run.got(stored) == 6);
    CHECK(run.call() == SPC_OK);
    const FieldRole array = letters == "df"   ? FieldRole::Indices
                            : letters == "dl" ? FieldRole::Lengths
                                              : FieldRole::Entries;
    d.point(array, letters == "css" ? 0 : 1, values.data());
    CHECK(run.call() == SPC_ERROR_PATTERN);
    if (letters == "df") {
      d.words = expected;
      d.at(FieldRole::Width, 1) = 3;
      CHECK(run.call() == SPC_ERROR_COUNT);
    }
  }
}

TEST_CASE("blocks of rows run in chunks") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  format::Format format = formatOf("dcdd", {0, 1, 0, 1});
  for (int k = 0; k < 4; ++k) {
    format.levels[k].part = k < 2 ? format::Part::Quotient : format::Part::Remainder;
    format.levels[k].block = 4;
  }
  probe.operand("A", format, {m, n});
  const size_t begin = probe.ask(R"(begin, "m" by 4)"), end = probe.ask(R"(end, "m" by 4)");
  probe.attributes = R"~(spc.chunks = #spc.chunks<items = <size, "m" by 4> tensors = ["A"] work = 16>)~";
  Running run(probe);
  std::vector<int32_t> pointers(2000);
  Object &a = run["A"];
  a.at(FieldRole::Size, 0) = 4 * 1000 - 3;
  a.at(FieldRole::Size, 1) = 5;
  a.point(FieldRole::Pointers, 1, pointers.data());
  struct Seen {
    Running &run;
    size_t begin, end;
    std::vector<std::pair<int64_t, int64_t>> chunks;
  } seen{run, begin, end, {}};
  spc_context context = {sizeof(spc_context), &seen, nullptr, nullptr,
                         [](void *user, int64_t tasks, void (*task)(void *, int64_t), void *closure) noexcept {
                           auto &all = *static_cast<Seen *>(user);
                           for (int64_t t = 0; t < tasks; ++t) {
                             task(closure, t);
                             all.chunks.emplace_back(all.run.got(all.begin), all.run.got(all.end));
                           }
                         }};
  REQUIRE(run.call(&context) == SPC_OK);
  REQUIRE(seen.chunks.size() > 1);
  int64_t next = 0;
  for (const auto &[from, to] : seen.chunks) {
    CHECK(from == next);
    CHECK(to > from);
    next = to;
  }
  CHECK(next == 1000);
  REQUIRE(run.call() == SPC_OK);
  CHECK(run.got(begin) == 0);
  CHECK(run.got(end) == 1000);
}

} // namespace spc::entry::test
