#include "reference/evaluated.h"

#include "tensor/numbers.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace spc;
using namespace spc::testing;
using reference::Tensor;
using sema::ValueType;

namespace {

/// The integer that a kernel of one line, `s = EXPRESSION`, computes of scalars of a type.
int64_t integerOf(ValueType type, const std::string &expression, const std::map<std::string, double> &scalars) {
  std::map<std::string, Given> given = {{"s", {{}, {}, {}, false, type}}};
  for (const auto &[name, value] : scalars)
    given[name] = {{}, {}, {value}, false, type};
  const reference::Value value = evaluated("s = " + expression + "\n", given).at("s").at(0);
  CHECK(value.error == 0);
  return value.integer;
}

// [[1, 0, 2], [0, 3, 0]]
const Given kMatrix{{2, 3}, {0, 0, 0, 2, 1, 1}, {1, 2, 3}, true};

} // namespace

TEST_CASE("Products are joined over sparse factors, and what is free is summed addend by addend") {
  const Given x{{3}, {0, 1, 2}, {1, 10, 100}}, y{{2}, {0, 1}, {5, 6}};
  CHECK(valuesOf(evaluated("y(i) += 2 * A(i, j) * x(j)\n", {{"A", kMatrix}, {"x", x}, {"y", y}}).at("y"), 2) ==
        std::vector<double>{407, 66});
  CHECK(valuesOf(evaluated("y(i) = A(i, j) * x(j) - x(i + 1)\n", {{"A", kMatrix}, {"x", x}, {"y", y}}).at("y"), 2) ==
        std::vector<double>{191, -70});
  const Given square{{2, 2}, {}, {}, true};
  CHECK(valuesOf(evaluated("C(i, k) = A(i, j) * A(k, j)\n", {{"A", kMatrix}, {"C", square}}).at("C"), 4) ==
        std::vector<double>{5, 0, 0, 9});
}

TEST_CASE("Functions, reductions, masks and temporaries have their values") {
  const Given x{{3}, {0, 1, 2}, {1, -4, 9}}, y{{2}, {}, {}}, s{{}, {}, {}};
  CHECK(valuesOf(evaluated("let z(j) = abs(x(j))\ny(i) = max(j, A(i, j) * sqrt(z(j)))\n",
                           {{"A", kMatrix}, {"x", x}, {"y", y}})
                     .at("y"),
                 2) == std::vector<double>{6, 6});
  CHECK(evaluated("s = sum(i, j, pattern(A(i, j)) * x(j))\n", {{"A", kMatrix}, {"x", x}, {"s", s}})
            .at("s")
            .at(0)
            .number == 6.0);
  CHECK(evaluated("s = mean(j, x(j)) + min(j, x(j))\n", {{"x", x}, {"s", s}}).at("s").at(0).number == -2.0);
  CHECK(evaluated("s max= x(j)\n", {{"x", x}, {"s", s}}).at("s").at(0).number == 9.0);
}

TEST_CASE("Integers wrap around, and f32 is rounded") {
  const Given x{{2}, {0, 1}, {100, 100}, false, ValueType::I8}, s{{}, {}, {}, false, ValueType::I8};
  CHECK(evaluated("s = x(j)\n", {{"x", x}, {"s", s}}).at("s").at(0).number == -56.0);
  const Given third{{1}, {0}, {1.0 / 3}, false, ValueType::F32}, copy{{1}, {}, {}, false, ValueType::F32};
  CHECK(evaluated("y(j) = x(j)\n", {{"x", third}, {"y", copy}}).at("y").at(0).number == double(float(1.0 / 3)));
}

TEST_CASE("An injected error is found, and one of rounding is not") {
  const Given x{{3}, {0, 1, 2}, {0.1, 0.2, 0.3}}, y{{2}, {}, {}};
  const Tensor expected = evaluated("y(i) = A(i, j) * x(j)\n", {{"A", kMatrix}, {"x", x}, {"y", y}}).at("y");
  const tensor::Coordinates right{{2}, {0, 1}, {0.1 + 2 * 0.3, 3 * 0.2}, {}};
  tensor::Coordinates actual = right;
  CHECK(!reference::compare(expected, actual).firstWrong);
  actual.values[1] = std::nextafter(actual.values[1], 1);
  CHECK(!reference::compare(expected, actual).firstWrong);
  actual.values[1] *= 1 + 1e-13;
  CHECK(reference::compare(expected, actual).firstWrong == std::vector<int64_t>{1});
  actual = {{2}, {1}, {3 * 0.2}, {}}; // an element that is not written
  CHECK(reference::compare(expected, actual).firstWrong == std::vector<int64_t>{0});
  CHECK(reference::compare(expected, right).compared == 2);
  actual = right;
  actual.values[0] = std::nan("");
  CHECK(reference::compare(expected, actual).firstWrong == std::vector<int64_t>{0});
}

TEST_CASE("Arithmetic of integers is exact in the type, and wraps around") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kGreatest = std::numeric_limits<int64_t>::max();
  CHECK(integerOf(ValueType::I64, "x * x + 1", {{"x", 0x1p32 + 1}}) == (int64_t{1} << 33) + 2);
  CHECK(integerOf(ValueType::I64, "x - 1", {{"x", -kInfinity}}) == kGreatest);
  CHECK(integerOf(ValueType::I8, "-x * 2", {{"x", 100}}) == 56);
  CHECK(integerOf(ValueType::I8, "abs(x)", {{"x", -128}}) == -128);
  CHECK(integerOf(ValueType::I32, "x % y", {{"x", -7}, {"y", 3}}) == -1);
  CHECK(integerOf(ValueType::I32, "x % y", {{"x", -7}, {"y", 0}}) == 0);
  CHECK(integerOf(ValueType::I64, "x % y", {{"x", -kInfinity}, {"y", -1}}) == 0);
  CHECK(integerOf(ValueType::U64, "max(x, 1)", {{"x", kInfinity}}) == -1); // all bits of 2^64 - 1
  CHECK(integerOf(ValueType::I64, "min(x, -inf)", {{"x", 1}}) == kLeast);
  CHECK(integerOf(ValueType::I64, "x + -inf", {{"x", 0}}) == kLeast);
  CHECK(integerOf(ValueType::U8, "minplus(x, y)", {{"x", 200}, {"y", 100}}) == 254);
  CHECK(integerOf(ValueType::U8, "minplus(x, y)", {{"x", 255}, {"y", 1}}) == 255);
  CHECK(integerOf(ValueType::U8, "maxplus(x, y)", {{"x", 0}, {"y", 7}}) == 0);
  CHECK(integerOf(ValueType::I8, "i8(i16(x) * 300)", {{"x", 3}}) == -124);
  CHECK(integerOf(ValueType::I16, "i8(f64(x) * 99.5)", {{"x", 2}}) == 127); // the nearest that there is
  CHECK(integerOf(ValueType::I16, "u8(f64(x) * 0.5)", {{"x", 3}}) == 1);
  CHECK(integerOf(ValueType::I32, "select(x < 3 and y != 2, x, -x)", {{"x", 2}, {"y", 2}}) == -2);
}

TEST_CASE("Temporaries and statements have the types that the language gives them") {
  const Given x{{1}, {0}, {100}, false, ValueType::I8}, y{{1}, {}, {}, false, ValueType::I32};
  const std::map<std::string, Given> given = {{"x", x}, {"y", y}};
  CHECK(evaluated("let t(i) = x(i) + x(i)\ny(i) = t(i)\n", given).at("y").at(0).integer == -56);
  CHECK(evaluated("y(i) = x(i) + x(i)\n", given).at("y").at(0).integer == 200);
  CHECK(evaluated("y(i) = x(i) + x(i) > 0\n", given).at("y").at(0).integer == 0);
  CHECK(evaluated("y(i) = argmax(j, x(j))\n", given).at("y").at(0).integer == 0);
}

TEST_CASE("An integer that is off by one is found, however large") {
  const Given x{{}, {}, {0x1p62}, false, ValueType::I64}, s{{}, {}, {}, false, ValueType::I64};
  const Tensor expected = evaluated("s = x + 3\n", {{"x", x}, {"s", s}}).at("s");
  tensor::Coordinates actual{{}, {}, {}, {}, {}};
  actual.append(nullptr, tensor::fromInteger((int64_t{1} << 62) + 3));
  CHECK(!reference::compare(expected, actual).firstWrong);
  actual = {};
  actual.append(nullptr, tensor::fromInteger((int64_t{1} << 62) + 4));
  const reference::Comparison wrong = reference::compare(expected, actual);
  REQUIRE(wrong.firstWrong);
  CHECK(tensor::toText(wrong.wanted) == "4611686018427387907");
}

namespace {

/// Whether `place` is right for the first row of what a kernel makes of a vector.
bool isRight(const std::string &expression, const std::vector<double> &values, double place) {
  std::vector<int64_t> coordinates;
  for (size_t k = 0; k < values.size(); ++k)
    coordinates.push_back(static_cast<int64_t>(k));
  const Given x{{static_cast<int64_t>(values.size())}, coordinates, values};
  const Given s{{1}, {}, {}, false, ValueType::I64};
  const Tensor expected = evaluated("s(i) = " + expression + "\n", {{"x", x}, {"s", s}}).at("s");
  const reference::Comparison result = reference::compare(expected, {{1}, {0}, {place}, {}});
  CHECK(result.compared == 1);
  return !result.firstWrong;
}

} // namespace

TEST_CASE("The first place is right, and others only where rounding cannot tell") {
  CHECK(isRight("argmin(j, x(j))", {3, 1, 1, 2}, 1));
  CHECK(!isRight("argmin(j, x(j))", {3, 1, 1, 2}, 2));
  CHECK(isRight("argmax(j, x(j))", {3, 1, 3, 2}, 0));
  CHECK(!isRight("argmax(j, x(j))", {3, 1, 3, 2}, 2));
  const double next = std::nextafter(0.7, 1);
  CHECK(isRight("argmax(j, exp(x(j)))", {0.1, 0.7, next, 0.6}, 1));
  CHECK(isRight("argmax(j, exp(x(j)))", {0.1, 0.7, next, 0.6}, 2));
  CHECK(!isRight("argmax(j, exp(x(j)))", {0.1, 0.7, next, 0.6}, 3));
  CHECK(!isRight("argmax(j, exp(x(j)))", {0.1, 0.7, next, 0.6}, 0));
  CHECK(isRight("argmax(k, j, x(k) * x(j))", {1, 2, 3, 3}, 10));
  CHECK(!isRight("argmax(k, j, x(k) * x(j))", {1, 2, 3, 3}, 6));
  CHECK(isRight("argmin(j, x(j))", {3, std::nan(""), 1, std::nan("")}, 1));
  CHECK(!isRight("argmin(j, x(j))", {3, std::nan(""), 1, std::nan("")}, 2));
}

TEST_CASE("Entries are counted, and steps are certain where rounding leaves them so") {
  const Given counts{{2}, {}, {}, false, ValueType::I64}, x{{2}, {0, 1}, {0.25, 0.3}};
  CHECK(valuesOf(evaluated("y(i) = count(j, A(i, j))\n", {{"A", kMatrix}, {"y", counts}}).at("y"), 2) ==
        std::vector<double>{2, 1});
  const Tensor steps =
      evaluated("y(i) = i64(10 * x(i)) + i64(x(i) * x(i) > 0.08)\n", {{"x", x}, {"y", counts}}).at("y");
  CHECK(steps.at(0).integer == 2);
  CHECK(steps.at(0).error == 0);
  CHECK(steps.at(1).error > 0); // 10 * 0.3 may be less than 3
}

TEST_CASE("What is not evaluated is said") {
  const Given x{{2}, {}, {}}, s{{}, {}, {}};
  CHECK_THROWS_AS(evaluated("let t(i) = 2 * x(i)\ns = count(i, t(i))\n", {{"x", x}, {"s", s}}), reference::Unsupported);
  Tensor padded({1}, ValueType::F64, true, 0), infinite({1}, ValueType::F64, false, 0);
  padded.setPadded();
  infinite.fill({{1}, {0}, {std::numeric_limits<double>::infinity()}, {}});
  reference::Tensors both = {{"A", padded}, {"x", infinite}};
  CHECK_THROWS_AS(reference::evaluate({}, both, {}), reference::Unsupported);
  const Given large{{1'000'000}, {}, {}}, one{{}, {}, {}};
  CHECK_THROWS_AS(evaluated("s = x(i) * x(j)\n", {{"x", large}, {"s", one}}), reference::Unsupported);
}

TEST_CASE("Padding is not told where a product with it is divided by 0") {
  const auto isTold = [](const std::string &value, double divisor, bool isPadded) {
    const Given matrix{{2, 2}, {0, 1}, {3}, true, ValueType::F64, 0, isPadded}, result{{2, 2}, {}, {}};
    const Given vector{{2}, {0, 1}, {2, 4}}, divisors{{2}, {0, 1}, {1, divisor}};
    try {
      evaluated("R(k,j) = " + value + "\n", {{"A", vector}, {"B", matrix}, {"x", divisors}, {"R", result}});
      return true;
    } catch (const reference::Unsupported &) {
      return false;
    }
  };
  for (const char *value :
       {"A(l)*B(k,j)/x(l)", "-(B(k,j)*A(l))/x(l)/2", "B(k,j)/x(l)*A(l)", "B(k,j)*(A(l)/x(l))", "B(l,k)*B(k,j)/x(l)"}) {
    INFO(value);
    CHECK(isTold(value, 5, true));
    CHECK(isTold(value, 0, false));
    CHECK_FALSE(isTold(value, 0, true));
    CHECK_FALSE(isTold(value, std::nan(""), true));
  }
  for (const char *value : {"B(k,j)/x(j)", "B(k,j)*A(l)/x(k)", "A(k)*(B(k,j)/x(k))", "A(j)*B(k,j)/(x(k)*x(j))"}) {
    INFO(value);
    CHECK(isTold(value, 0, true));
  }
}
