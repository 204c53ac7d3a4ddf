#include "support/quantities.h"

#include <catch2/catch.hpp>

using namespace spc;

TEST_CASE("numbers have separators, bytes and times units") {
  CHECK(numberText(0) == "0");
  CHECK(numberText(999) == "999");
  CHECK(numberText(1000) == "1,000");
  CHECK(numberText(30350848) == "30,350,848");
  CHECK(numberText(-123456) == "-123,456");
  CHECK(numberText(1.5) == "1.5");
  CHECK(numberText(2e16) == "2e+16");
  CHECK(roughText(203456789) == "2e+08");
  CHECK(byteText(53780260) == "53.8 MB");
  CHECK(timeText(0.0123) == "12.3 ms");
}
