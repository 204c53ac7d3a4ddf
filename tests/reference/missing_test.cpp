// What missing entries make of the expressions that they stand in, and how far variables run.
#include "reference/evaluated.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace spc;
using namespace spc::testing;
using sema::ValueType;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

const Given kEntry{{2}, {0}, {2}, true}; // the second entry is missing
const Given kInfinite{{2}, {0, 1}, {kInf, kInf}};
const Given kResult{{2}, {}, {}};

/// The second element of `y(i) = EXPRESSION`, where S misses its entry and x is infinite.
double missingOf(const std::string &expression) {
  const std::map<std::string, Given> given = {
      {"S", kEntry}, {"x", kInfinite}, {"E", {{2, 2}, {0, 0}, {3}, true}}, {"y", kResult}};
  return evaluated("y(i) = " + expression + "\n", given).at("y").at(1).number.real();
}

} // namespace

TEST_CASE("A missing entry makes its product zero, also by way of what is zero for zeros") {
  for (const char *expression :
       {"S(i) * x(i)", "x(i) * S(i)", "S(i) / 2 * x(i)", "relu(S(i)) * x(i)", "(exp(S(i)) - 1 + 1) * S(i) * x(i)",
        "sin(S(i) * 2) * x(i)", "(S(i) and x(i)) * x(i)", "(S(i) < S(i)) * x(i)", "select(S(i), x(i), 0) * x(i)",
        "pattern(S(i)) * x(i)", "x(i) * sum(j, E(i, j))", "x(i) * mean(j, E(i, j))", "x(i) * count(j, E(i, j))",
        "log(abs(S(i)) + 1) * x(i)", "max(S(i), 0) * x(i)", "S(i) * exp(x(i))"})
    CHECK(missingOf(expression) == 0);
  for (const char *expression : {"exp(S(i)) * x(i)", "x(i) / S(i)", "(not pattern(S(i))) * x(i)", "x(i) * (S(i) == 0)"})
    CHECK(missingOf(expression) == kInf);
  for (const char *expression : {"x(i) * sqrt(sum(j, E(i, j)))", "x(i) * max(j, E(i, j))", "x(i) * (exp(S(i)) - 1)"})
    CHECK(std::isnan(missingOf(expression)));
}

TEST_CASE("Minima and maxima take missing entries in as zeros") {
  const Given A{{3}, {0, 1}, {5, 7}, true};
  CHECK(evaluated("s min= A(i)\n", {{"A", A}, {"s", {{}, {}, {100}}}}).at("s").at(0).number == 0.0);
  CHECK(evaluated("s max= -A(i) * 2\n", {{"A", A}, {"s", {{}, {}, {-100}}}}).at("s").at(0).number == 0.0);
  const Given b{{}, {}, {0}, false, ValueType::Bool};
  CHECK(evaluated("s or= A(i) > 6\n", {{"A", A}, {"s", b}}).at("s").at(0).integer == 1);
}

TEST_CASE("An infinite fill settles what is added to it") {
  const Given x{{2}, {0, 1}, {-kInf, -kInf}}, S{{2}, {0}, {1}, true, ValueType::F64, kInf};
  const std::string text = "y = max(i, S(i) + x(i))\n";
  CHECK(evaluated(text, {{"S", S}, {"x", x}, {"y", {{}, {}, {}}}}).at("y").at(0).number == kInf);
}

TEST_CASE("A variable runs as far as the statement says, whichever addend it stands in") {
  const Given x{{5}, {0, 1, 2, 3, 4}, {1, 4, 9, 16, 25}}, y{{3}, {}, {}};
  const std::vector<double> twos = {2, 2, 2};
  CHECK(valuesOf(evaluated("y(i) = x(i) - 2 * x(i + 1) + x(i + 2)\n", {{"x", x}, {"y", y}}).at("y"), 3) == twos);
  CHECK(valuesOf(evaluated("y(i) = x(i + 2) - 2 * x(i + 1) + x(i)\n", {{"x", x}, {"y", y}}).at("y"), 3) == twos);
  CHECK(valuesOf(
            evaluated("y(i) += abs(x(i)) * K(p) + 0 * x(i + p)\n", {{"x", x}, {"y", y}, {"K", {{2}, {0, 1}, {1, 1}}}})
                .at("y"),
            3) == std::vector<double>{2, 8, 18});
  CHECK_THROWS_AS(evaluated("y(i) = x(i) + x(i + 3)\n", {{"x", x}, {"y", y}}), reference::Unsupported);
}

TEST_CASE("Temporaries have the entries that their storage has") {
  const reference::Storages storages = {{"T", {true, 0, "S", {0}}}};
  const std::map<std::string, Given> given = {{"S", {{3}, {0, 1}, {2, 2}, true}},
                                              {"B", {{3}, {0}, {1}, true}},
                                              {"x", {{3}, {0, 1, 2}, {kInf, kInf, kInf}}},
                                              {"y", {{3}, {}, {}}}};
  const std::vector<double> y =
      valuesOf(evaluated("let T(i) = S(i) * B(i)\ny(i) = T(i) * x(i)\n", given, storages).at("y"), 3);
  CHECK(y[0] == kInf);
  CHECK(std::isnan(y[1])); // a 0 that S's structure has a place for
  CHECK(y[2] == 0);
}

TEST_CASE("The mean of nothing is 0") {
  const Given A{{2, 0}, {}, {}};
  for (const char *expression : {"exp(mean(j, A(i, j)))", "max(mean(j, A(i, j)), 1)", "mean(j, A(i, j)) + 1"})
    CHECK(evaluated("y(i) = " + std::string(expression) + "\n", {{"A", A}, {"y", kResult}}).at("y").at(0).number ==
          1.0);
}

TEST_CASE("What takes too long is said before anything is evaluated") {
  std::vector<int64_t> all;
  for (int64_t k = 0; k < 20000; ++k)
    all.push_back(k);
  const Given x{{20000}, all, std::vector<double>(20000, 1)}, s{{}, {}, {}};
  // The first statement alone would visit 4 * 10^7 points.
  CHECK_THROWS_AS(evaluated("s = x(i) * max(j, x(j) - x(i))\ns = x(i) * x(j)\n", {{"x", x}, {"s", s}}),
                  reference::Unsupported);
}
