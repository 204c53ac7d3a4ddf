// Tensors made up by `spc run`.
#include "tensor/generate.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

namespace spc::tensor {

using Ints = std::vector<int64_t>;

namespace {

Generator generator(const std::string &text) {
  Diagnostics diagnostics;
  std::optional<Generator> read = readGenerator(text, {}, diagnostics);
  INFO(text);
  REQUIRE(read);
  return *read;
}

std::set<Ints> places(const Coordinates &entries) {
  std::set<Ints> set;
  const size_t order = entries.shape.size();
  for (size_t e = 0; e < entries.size(); ++e)
    set.insert(Ints(entries.coordinates.begin() + e * order, entries.coordinates.begin() + (e + 1) * order));
  return set;
}

} // namespace

TEST_CASE("generators are told from files") {
  for (const char *text : {"ones", "zeros", "random", "random:3x4", "ones:", "zeros:x"})
    CHECK(isGenerator(text));
  for (const char *text : {"", "one", "ones.mtx", "./ones", "randomly", "Ones", ":ones"})
    CHECK_FALSE(isGenerator(text));
}

TEST_CASE("generators are read in any order") {
  Generator all = generator("random:seed=7:1000x64:density=0.25");
  CHECK(all.kind == Generator::Kind::Random);
  CHECK(all.shape == Ints{1000, 64});
  CHECK(all.density == 0.25);
  CHECK(all.seed == 7);
  Generator plain = generator("ones");
  CHECK(plain.kind == Generator::Kind::Ones);
  CHECK_FALSE(plain.shape);
  CHECK_FALSE(plain.density);
  CHECK(generator("zeros:0").shape == Ints{0});
  CHECK(generator("random:seed=18446744073709551615").seed == UINT64_MAX);
}

TEST_CASE("what is no generator is refused") {
  for (const char *text : {"random:", "random::", "random:3x", "random:x3", "random:3x-4", "random:3 x 4",
                           "random:3x4:3x4", "random:density=0", "random:density=1.5", "random:density=nan",
                           "random:density=", "random:density=0.1:density=0.1", "random:seed=-1", "random:seed=",
                           "random:sed=1", "ones:seed=1", "zeros:density=0.5", "twos", "random:99999999999999999999"}) {
    Diagnostics diagnostics;
    INFO(text);
    CHECK_FALSE(readGenerator(text, {}, diagnostics));
    CHECK(diagnostics.all().size() == 1);
    CHECK(diagnostics.all().front().kind.id == "malformed-generator");
  }
}

TEST_CASE("ones and zeros") {
  Coordinates ones = generate(generator("ones"), {2, 2});
  CHECK(ones.coordinates == Ints{0, 0, 0, 1, 1, 0, 1, 1});
  CHECK(ones.values == std::vector<double>(4, 1.0));
  Coordinates zeros = generate(generator("zeros"), {2, 2});
  CHECK(zeros.size() == 0);
  CHECK(zeros.shape == Ints{2, 2});
  CHECK(generate(generator("ones"), {3, 0}).size() == 0);
  CHECK(entryCount(generator("ones"), {3, 4}) == 12);
  CHECK(entryCount(generator("zeros"), {3, 4}) == 0);
}

TEST_CASE("random values are uniform, and the same everywhere") {
  Coordinates entries = generate(generator("random:seed=1"), {100, 100});
  REQUIRE(entries.size() == 10000);
  double sum = 0;
  for (double value : entries.values) {
    CHECK((value >= -1 && value < 1));
    sum += value;
  }
  CHECK(std::abs(sum) < 300);
  // SplitMix64's first numbers for seed 1.
  CHECK(entries.values[0] == static_cast<double>(0x910a2dec89025cc1 >> 11) * 0x1p-52 - 1);
  CHECK(entries.values[1] == static_cast<double>(0xbeeb8da1658eec67 >> 11) * 0x1p-52 - 1);
  CHECK(generate(generator("random:seed=2"), {100, 100}).values != entries.values);
}

TEST_CASE("a density gives that many distinct places") {
  for (auto [text, count] : {std::pair("random:density=0.01", 100u),
                             {"random:density=0.5", 5000u},
                             {"random:density=1", 10000u},
                             {"random:density=0.00001", 0u},
                             {"random:density=0.06", 600u}}) {
    Coordinates entries = generate(generator(text), {50, 200});
    INFO(text);
    CHECK(entries.size() == count);
    CHECK(places(entries).size() == count);
    CHECK(generate(generator(text), {50, 200}).coordinates == entries.coordinates);
  }
  Coordinates huge = generate(generator("random:density=1e-12"), {10000000, 10000000});
  CHECK(huge.size() == 100);
  CHECK(generate(generator("random:density=0.5"), {0, 5}).size() == 0);
}

TEST_CASE("a tensor that no memory holds") {
  CHECK_THROWS_AS(generate(generator("ones"), {INT64_MAX, INT64_MAX}), std::bad_alloc);
  CHECK_THROWS_AS(generate(generator("random"), {int64_t{1} << 31, int64_t{1} << 31}), std::bad_alloc);
}

} // namespace spc::tensor
