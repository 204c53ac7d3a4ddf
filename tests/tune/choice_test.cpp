#include "tune/choice.h"

#include <catch2/catch.hpp>

using namespace spc::tune;

TEST_CASE("the default stays unless a candidate is faster beyond noise") {
  const std::vector<double> fallback(8, 1.0);
  const Rounds same{fallback, fallback}, slower{fallback, std::vector<double>(8, 1.2)};
  const Rounds within{fallback, std::vector<double>(8, 0.98)};
  CHECK(!choose({}));
  CHECK(!choose({same, slower, within}));
  const Rounds faster{fallback, std::vector<double>(8, 0.9)}, fastest{fallback, std::vector<double>(8, 0.5)};
  CHECK(choose({slower, faster, fastest, within}) == 2);
}

TEST_CASE("a median that a few fast rounds make is no proof") {
  // Faster in five rounds of eight: it was the machine.
  const Rounds lucky{std::vector<double>(8, 1.0), {0.5, 0.5, 0.5, 0.5, 0.5, 1.3, 1.3, 1.3}};
  CHECK(ratioOf(lucky) == 0.5);
  CHECK(!isFaster(lucky));
  // What slows both down at once takes nothing from either.
  const Rounds loaded{{1, 1, 4, 4, 1, 1}, {0.8, 0.8, 3.2, 3.2, 0.8, 0.8}};
  CHECK(isFaster(loaded));
}

TEST_CASE("short calls have to gain more") {
  CHECK(clearlyFaster(1e-7) == Approx(0.9));
  CHECK(clearlyFaster(1e-5) == Approx(0.935));
  CHECK(clearlyFaster(1) == Approx(0.97));
  for (const double seconds : {1e-7, 1e-3}) {
    const Rounds eightPercent{std::vector<double>(8, seconds), std::vector<double>(8, 0.92 * seconds)};
    CHECK(isFaster(eightPercent) == (seconds > 1e-6));
  }
}

TEST_CASE("formats are tried each in its own best order, the most promising first") {
  // Format 1 likes order 0, whatever the others gain in order 1.
  const std::vector<Guess> tried =
      eachInItsBestOrder({{0, 0, 1.0}, {1, 0, 0.7}, {2, 0, 3.0}, {0, 1, 0.9}, {1, 1, 2.0}, {2, 1, 2.7}, {0, 2, 0.95}});
  REQUIRE(tried.size() == 3);
  CHECK((tried[0].format == 1 && tried[0].order == 0));
  CHECK((tried[1].format == 0 && tried[1].order == 1));
  CHECK((tried[2].format == 2 && tried[2].order == 1));
  CHECK(eachInItsBestOrder({}).empty());
}

TEST_CASE("rounds that a candidate wins are counted") {
  CHECK(wins({{1, 1, 1}, {0.5, 1, 1.5}}) == 1);
  CHECK(wins({}) == 0);
}

TEST_CASE("what is done once pays after so many calls") {
  CHECK(callsUntilItPays(1.0, 0.5, 0.25) == 4);
  CHECK(callsUntilItPays(0.9, 0.5, 0.25) == 4);
  CHECK(callsUntilItPays(0, 0.5, 0.25) == 0);
  CHECK(!callsUntilItPays(1.0, 0.5, 0.5));
  CHECK(!callsUntilItPays(1.0, 0.5, 0.6));
}

TEST_CASE("medians") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(median({}) == 0);
}

TEST_CASE("results agree but for rounding") {
  constexpr double kEpsilon = 0x1p-52;
  const ResultSums sums{1.5, 1000};
  CHECK(sums.agree(sums, kEpsilon));
  CHECK(sums.agree({1.5 + 1e-11, 1000}, kEpsilon));
  CHECK(!sums.agree({1.5 + 1e-6, 1000}, kEpsilon));
  CHECK(sums.agree({1.5 + 1e-6, 1000}, 0x1p-23));
  CHECK(!sums.agree({1.5, 1001}, 0x1p-23)); // an entry with the wrong sign and another for it
  CHECK(!sums.agree({-1.5, 900}, 1));       // however coarse numbers are
  ResultSums here, there, again;
  for (ResultSums *one : {&here, &again}) {
    one->add(3, 10);
    one->add(-4, 11);
  }
  there.add(3, 11);
  there.add(-4, 10);
  CHECK(here.agree(again, kEpsilon));
  CHECK(!here.agree(there, kEpsilon)); // the same numbers elsewhere
}
