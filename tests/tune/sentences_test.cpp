#include "tune/sentences.h"

#include <catch2/catch.hpp>

using namespace spc::tune;

TEST_CASE("what the budget left out is named") {
  CHECK(leftOutLine({}).empty());
  CHECK(leftOutLine({{"A ell"}, {}, 0, 0}) ==
        "left out for want of time, a longer --budget has it: the format A ell\n");
  CHECK(leftOutLine({{"A bsr 2x2", "A coo"}, {"rcm", "metis"}, 1, 12}) ==
        "left out for want of time, a longer --budget has it: the formats A bsr 2x2, A coo; the orders rcm, metis; "
        "1 format in other orders; 12 schedules\n");
}

TEST_CASE("a default that is kept has the ratio of what came closest") {
  CHECK(keptDefaultLine("", {}) == "kept: the default; nothing else is faster beyond noise\n");
  CHECK(keptDefaultLine("A bsr 3x3, order rcm", {{1, 1, 1, 1}, {0.97, 1.25, 0.99, 0.99}}) ==
        "kept: the default; nothing else is faster beyond noise: A bsr 3x3, order rcm took 0.99 of its time in turns "
        "with it, and less in 3 rounds of 4\n");
}
