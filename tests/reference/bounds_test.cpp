// How far from the text's numbers a result may be: what cancels in the text has no more room than it has left.
#include "reference/evaluated.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spc;
using namespace spc::testing;
using sema::ValueType;

namespace {

const Given kNumber{{}, {}, {}, false, ValueType::F32};

Given scalar(double value, ValueType type = ValueType::F32) {
  return {{}, {}, {value}, false, type};
}

/// The bound of `s = EXPRESSION` of f32 scalars a, b, c and d, in terms of the unit roundoff of f32.
double boundOf(const std::string &expression) {
  const std::map<std::string, Given> given = {
      {"a", scalar(1000)}, {"b", scalar(999)}, {"c", scalar(500)}, {"d", scalar(499)}, {"s", kNumber}};
  return evaluated("s = " + expression + "\n", given).at("s").at(0).error / 0x1p-24;
}

} // namespace

TEST_CASE("Differences are as exact as what is left of them") {
  CHECK(boundOf("a - b") < 10);
  CHECK(boundOf("(a - b) * (c - d)") < 20);
  CHECK(boundOf("(a - b) * (a - b) * (c - d)") < 40);
  CHECK(boundOf("(a - b) / c * (c - d)") < 20. / 500);
  CHECK(boundOf("pow(a - b, 2)") < 40);
  CHECK(boundOf("(a - b + 0) * (c - d)") < 20); // adding a 0 rounds nothing
  CHECK(boundOf("a - b + c") > 1000);           // in any order
  CHECK(boundOf("(a - b) * c") < 10 * 500);
  CHECK(boundOf("(a - b) / c") < 10. / 500);
}

TEST_CASE("One sum with a sparse operand may be that of its addends, multiplied out") {
  const auto boundOfSum = [](const std::string &expression) {
    const std::map<std::string, Given> given = {{"A", {{1}, {0}, {1000}, true, ValueType::F32}},
                                                {"b", {{1}, {0}, {999}, false, ValueType::F32}},
                                                {"c", scalar(500)},
                                                {"d", scalar(499)},
                                                {"s", kNumber}};
    return evaluated("s = " + expression + "\n", given).at("s").at(0).error / 0x1p-24;
  };
  CHECK(boundOfSum("(A(i) - b(i)) * c") > 1000 * 500);
  CHECK(boundOfSum("(A(i) - b(i)) * (c - d)") > 1000);
  CHECK(boundOfSum("(A(i) - b(i)) / c") > 1);
  CHECK(boundOfSum("(A(i) - b(i)) * (A(i) - b(i))") < 40);
}

TEST_CASE("A sum of squares of differences is not that of its products") {
  const std::vector<int64_t> all = {0, 1, 2, 3};
  const std::vector<double> values = {5, 1.5, 3.25, 4.125};
  const Given R{{4}, all, values, true, ValueType::F32};
  Given P = R;
  for (double &value : P.values)
    value = static_cast<float>(value + 4e-3);
  const reference::Tensor l =
      evaluated("l = (R(i) - P(i)) * (R(i) - P(i))\n", {{"R", R}, {"P", P}, {"l", kNumber}}).at("l");
  CHECK(l.at(0).number.real() == Approx(4 * 16e-6).epsilon(1e-3));
  CHECK(l.at(0).error < 1e-10);
  CHECK(reference::compare(l, {{}, {}, {-0.0038}, {}}).firstWrong);
}

TEST_CASE("Conversions that are written round, and their errors are known") {
  const double x = 1 / 3.;
  const std::map<std::string, Given> given = {{"x", scalar(x, ValueType::F64)}, {"s", scalar(0, ValueType::F64)}};
  const auto sOf = [&](const std::string &value) { return evaluated("s = " + value + "\n", given).at("s").at(0); };
  CHECK(sOf("x - f32(x)").number.real() == x - static_cast<double>(static_cast<float>(x)));
  CHECK(sOf("x - f32(x)").error < 1e-22);
  CHECK(sOf("x - bf16(x)").number.real() == x - 0.333984375);
  CHECK(sOf("f32(exp(x))").error < 1e-15); // the one float that all of these numbers round to
  CHECK(sOf("f32(x * 3)").number == 1.0);  // and one of two, where the number lies between
  CHECK(sOf("i64(1e6 * x)").number == 333333.0);
}

TEST_CASE("Sums of half floats are held in floats") {
  std::vector<int64_t> all;
  for (int64_t k = 0; k < 5000; ++k)
    all.push_back(k);
  const Given x{{5000}, all, std::vector<double>(5000, 1), false, ValueType::BF16},
      s{{}, {}, {}, false, ValueType::BF16};
  const reference::Tensor sum = evaluated("s = x(i)\n", {{"x", x}, {"s", s}}).at("s");
  CHECK(reference::compare(sum, {{}, {}, {256}, {}}).firstWrong);
  CHECK(!reference::compare(sum, {{}, {}, {4992}, {}}).firstWrong);
}

TEST_CASE("Other orders of factors may overflow or underflow where that of the text does not") {
  const std::map<std::string, Given> given = {{"small", scalar(1e-30)},
                                              {"large", scalar(1e30)},
                                              {"x", {{2}, {0, 1}, {1e-30, 1e-30}, false, ValueType::F32}},
                                              {"s", kNumber}};
  const auto errorOf = [&](const std::string &value) {
    return evaluated("s = " + value + "\n", given).at("s").at(0).error;
  };
  CHECK(errorOf("small * large") < 1e-6);
  for (const char *lost : {"small * large * small", "small * large / large", "sum(i, x(i) * large) * small",
                           "sum(i, x(i) * large) / large"}) {
    CAPTURE(lost);
    CHECK(errorOf(lost) > 1e-30);
    CHECK(errorOf(lost) < 1e-6);
  }
  for (const char *infinite : {"large * small * large", "large * small / small", "sum(i, x(i) * large) / small"})
    CHECK(std::isinf(errorOf(infinite)));
}
