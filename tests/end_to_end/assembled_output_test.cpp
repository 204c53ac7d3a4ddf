// The checks of assembled outputs on arrays made by hand, right ones and spoilt ones: the tests of assembly trust them.
#include "harness/assembled_output.h"
#include "harness/data.h"
#include "harness/formats.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace spc::testing {
namespace {

using abi::FieldRole;

/// A 5 x 7 matrix with 12 entries or so in an output's memory, as a right kernel would leave it.
class Result {
public:
  explicit Result(const std::string &format, Fill fill = Fill::Random, IndexTypes types = {})
      : type_(abi::structFor(makeFormat(format, 2, types), sema::ValueType::F64)),
        output_(type_, kShape, context_, /*isSpoilt=*/false) {
    Random random(7);
    tensor::Coordinates entries = sparseEntries(kShape, fill, sema::ValueType::F64, random);
    const int64_t zeroAt[] = {4, 6};
    entries.append(zeroAt, {});
    REQUIRE(output_.fill(entries) == "");
    expected_.least = {kShape, Pattern::Kind::Assembled, std::vector<uint8_t>(35)};
    expected_.values.shape = kShape;
    expected_.values.values.resize(35);
    expected_.values.errors.resize(35);
    for (size_t e = 0; e < entries.size(); ++e) {
      const auto at = static_cast<size_t>(offsetOf(entries.coordinates.data() + 2 * e, kShape));
      expected_.least.stored[at] = 1;
      expected_.values.values[at] += entries.values[e];
    }
    expected_.most = expected_.least;
  }
  ~Result() { output_.release(); }

  std::string check() const { return output_.check(expected_); }
  ExpectedOutput &expected() { return expected_; }
  TestContext &context() { return context_; }

  uint64_t &field(FieldRole role, int index = 0) {
    const int slot = type_.find(role, index);
    REQUIRE(slot >= 0);
    return static_cast<uint64_t *>(output_.cStruct())[slot];
  }
  template <typename Element> Element *array(FieldRole role, int index = 0) {
    return reinterpret_cast<Element *>(static_cast<uintptr_t>(field(role, index)));
  }

private:
  const std::vector<int64_t> kShape = {5, 7};
  TestContext context_;
  abi::StructType type_;
  AssembledOutput output_;
  ExpectedOutput expected_;
};

/// What the check says once `spoil` has been at a right result.
template <typename Spoil> std::string spoilt(const std::string &format, Spoil spoil) {
  Result result(format);
  REQUIRE(result.check() == "");
  spoil(result);
  const std::string problem = result.check();
  INFO(format << ": " << problem);
  CHECK(problem != "");
  return problem;
}

const std::vector<std::string> kAssembled = {"csr",        "csc",       "dcsr",     "dcsc",        "coo",     "coo:1,0",
                                             "coo-aos",    "cd",        "bsr2x3",   "bsr-cm",      "dbsr",    "ell",
                                             "ellq",       "block-ell", "dbsr",     "row-blocks",  "csr-len", "ragged",
                                             "ragged-len", "dia",       "dia-cols", "row-relative"};

} // namespace

TEST_CASE("right results pass", "[assembled-output]") {
  for (const std::string &format : kAssembled)
    for (const IndexTypes types : {IndexTypes{}, {format::IndexType::I64, format::IndexType::U8}}) {
      INFO(format);
      Result result(format, Fill::Random, types);
      CHECK(result.check() == "");
    }
}

TEST_CASE("a result without an entry, or with one too many, does not pass", "[assembled-output]") {
  for (const std::string &format : kAssembled) {
    for (int64_t element = 0; element < 35; ++element) {
      const auto at = static_cast<size_t>(element);
      Result result(format);
      // The other way round: the arrays stay, what is expected of them changes.
      ExpectedOutput &expected = result.expected();
      const bool wasStored = expected.least.stored[at] != 0;
      expected.least.stored[at] ^= 1;
      expected.most = expected.least;
      if (wasStored)
        expected.values.values[at] = 0;
      const bool mayHide = format.find('b') != std::string::npos || format.starts_with("ell") || format == "cd" ||
                           format.starts_with("dia") || format.starts_with("ragged");
      INFO(format << " " << element);
      if (!mayHide)
        CHECK(result.check() != "");
      else if (wasStored && expected.values.values[at] != 0.0)
        CHECK(result.check() != "");
    }
  }
}

TEST_CASE("a wrong value does not pass", "[assembled-output]") {
  for (const std::string &format : kAssembled) {
    spoilt(format, [](Result &result) { result.expected().values.values[34] = 1e-9; });
    spoilt(format, [](Result &result) {
      for (std::complex<double> &value : result.expected().values.values)
        value = value == 0.0 ? 0.0 : value + 1e-9;
    });
  }
}

TEST_CASE("a block that is missing, and one that should not be there", "[assembled-output]") {
  for (const std::string format : {"bsr2x3", "dbsr", "bsr-cm"}) {
    INFO(format);
    Result result(format, Fill::Diagonal);
    CHECK(result.check() == "");
    const auto expect = [&](size_t element, bool isStored) {
      result.expected().least.stored[element] = isStored;
      result.expected().most = result.expected().least;
      return result.check();
    };
    CHECK(expect(7 + 0, true) == ""); // in the first block
    CHECK(expect(6, true) == "(0,6) is missing");
    CHECK(expect(6, false) == "");
    CHECK(expect(34, false) == "(4,6) is stored, though it should not be");
  }
}

TEST_CASE("padding of operands may be stored, or not", "[assembled-output]") {
  Result result("csr");
  ExpectedOutput &expected = result.expected();
  for (size_t at = 0; at < 35; ++at)
    if (!expected.least.stored[at]) {
      expected.most.stored[at] = 1;
      break;
    }
  CHECK(result.check() == "");
  expected.least.stored[34] = 0; // the stored zero
  CHECK(result.check() == "");
  expected.most.stored[34] = 0;
  CHECK(result.check() == "(4,6) is stored, though it should not be");
}

TEST_CASE("spoilt structures do not pass", "[assembled-output]") {
  for (const std::string format : {"csr", "csc"}) {
    CHECK(spoilt(format, [](Result &r) { r.array<int32_t>(FieldRole::Pointers, 1)[0] = 1; }).find("start at 0") !=
          std::string::npos);
    CHECK(spoilt(format, [](Result &r) { r.array<int32_t>(FieldRole::Pointers, 1)[2] = 100; }).find("descend") !=
          std::string::npos);
    spoilt(format, [](Result &r) { ++r.array<int32_t>(FieldRole::Pointers, 1)[2]; });
  }
  for (const std::string format : {"csr", "csc", "dcsr", "bsr2x3", "coo", "coo:1,0"}) {
    const FieldRole role = FieldRole::Indices;
    spoilt(format, [&](Result &r) { ++r.field(FieldRole::Stored); });
    spoilt(format, [&](Result &r) { ++r.field(FieldRole::Size, 1); });
    spoilt(format, [&](Result &r) { std::swap(r.field(FieldRole::Size, 0), r.field(FieldRole::Size, 1)); });
    CHECK(spoilt(format, [&](Result &r) { r.array<int32_t>(role, 1)[0] = -1; }).find("leave") != std::string::npos);
    CHECK(spoilt(format, [&](Result &r) { r.array<int32_t>(role, 1)[0] = 100; }).find("leave") != std::string::npos);
  }
  spoilt("dcsr", [](Result &r) { ++r.field(FieldRole::Count, 0); });
  spoilt("dcsr",
         [](Result &r) { r.array<int32_t>(FieldRole::Indices, 0)[1] = r.array<int32_t>(FieldRole::Indices, 0)[0]; });
  spoilt("coo-aos", [](Result &r) { r.array<int32_t>(FieldRole::Entries)[0] = 4; });
  spoilt("ell", [](Result &r) { --r.field(FieldRole::Width, 1); });
}

TEST_CASE("unsorted and repeated coordinates do not pass", "[assembled-output]") {
  for (const std::string format : {"csr", "csc", "bsr2x3", "coo"}) {
    Result probe(format);
    const auto *indices = probe.array<int32_t>(FieldRole::Indices, 1);
    // Two neighbours of one parent.
    int at = 1;
    while (indices[at] <= indices[at - 1])
      ++at;
    CHECK(spoilt(format, [&](Result &r) {
            std::swap(r.array<int32_t>(FieldRole::Indices, 1)[at - 1], r.array<int32_t>(FieldRole::Indices, 1)[at]);
          }).find("not sorted") != std::string::npos);
    CHECK(spoilt(format, [&](Result &r) {
            r.array<int32_t>(FieldRole::Indices, 1)[at] = r.array<int32_t>(FieldRole::Indices, 1)[at - 1];
          }).find("repeat") != std::string::npos);
  }
}

TEST_CASE("arrays that are no memory of the context do not pass", "[assembled-output]") {
  int32_t elsewhere[64] = {};
  for (const std::string format : {"csr", "coo"}) {
    Result result(format);
    uint64_t &field = result.field(FieldRole::Indices, 1);
    const uint64_t own = field;
    field = reinterpret_cast<uintptr_t>(elsewhere);
    CHECK(result.check().find("no memory of the context") != std::string::npos);
    field = 0;
    CHECK(result.check().find("are NULL") != std::string::npos);
    void *shorter = result.context().allocate(8);
    field = reinterpret_cast<uintptr_t>(shorter);
    CHECK(result.check().find("too short") != std::string::npos);
    result.context().release(shorter);
    field = own;
    CHECK(result.check() == "");
  }
}

TEST_CASE("the context sees what is done to memory", "[assembled-output]") {
  TestContext context;
  spc_context *hooks = context.get();
  auto *memory = static_cast<char *>(hooks->allocate(hooks->user, 24, 64));
  REQUIRE(memory != nullptr);
  CHECK(context.live() == 1);
  CHECK(context.bytesOf(memory) == 24);
  CHECK(context.problem() == "");
  SECTION("freed") {
    hooks->deallocate(hooks->user, memory);
    CHECK(context.live() == 0);
    CHECK(context.problem() == "");
  }
  SECTION("freed twice") {
    hooks->deallocate(hooks->user, memory);
    hooks->deallocate(hooks->user, memory);
    CHECK(context.problem() != "");
  }
  SECTION("freed from the middle") {
    hooks->deallocate(hooks->user, memory + 8);
    CHECK(context.problem() != "");
    CHECK(context.live() == 1);
  }
  SECTION("written past the end") {
    memory[24] = 0;
    CHECK(context.problem() != "");
    hooks->deallocate(hooks->user, memory);
    CHECK(context.problem() != "");
  }
  SECTION("asked for nothing") {
    CHECK(hooks->allocate(hooks->user, 0, 64) == nullptr);
    CHECK(context.problem() != "");
  }
  SECTION("ended") {
    context.failFrom(1);
    void *last = hooks->allocate(hooks->user, 8, 64);
    CHECK(last != nullptr);
    CHECK(hooks->allocate(hooks->user, 8, 64) == nullptr);
    CHECK(hooks->allocate(hooks->user, 8, 64) == nullptr);
    CHECK(context.requests() == 3);
  }
}

TEST_CASE("chunks run once each", "[assembled-output]") {
  for (const Chunks chunks : {Chunks::Backwards, Chunks::Threads}) {
    TestContext context(chunks);
    std::vector<int> runs(1000);
    const auto task = [](void *closure, int64_t index) {
      ++(*static_cast<std::vector<int> *>(closure))[static_cast<size_t>(index)];
    };
    context.get()->parallel_for(context.get()->user, 1000, task, &runs);
    CHECK(runs == std::vector<int>(1000, 1));
  }
}

} // namespace spc::testing
