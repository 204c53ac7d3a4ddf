#include "reference/reference.h"

#include "syntax/parser.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spc;
using reference::Tensor;
using sema::ValueType;

namespace {

struct Given {
  std::vector<int64_t> shape;
  std::vector<int64_t> coordinates;
  std::vector<double> values;
  bool isSparse = false;
  ValueType type = ValueType::F64;
};

/// The tensors of a kernel after it has run.
reference::Tensors evaluated(const std::string &text, const std::map<std::string, Given> &given) {
  SourceManager sources;
  Diagnostics diagnostics;
  const syntax::Kernel kernel = syntax::parse(sources.add("k.tex", text), diagnostics);
  REQUIRE(!diagnostics.hasErrors());
  reference::Tensors tensors;
  double epsilon = 0;
  for (const auto &[name, one] : given) {
    Tensor &tensor = tensors.try_emplace(name, one.shape, one.type, one.isSparse, 0).first->second;
    tensor.fill({one.shape, one.coordinates, one.values, {}});
    epsilon = std::max(epsilon, reference::epsilonOf(one.type));
  }
  reference::evaluate(kernel, tensors, epsilon);
  return tensors;
}

std::vector<double> valuesOf(const Tensor &tensor, int64_t count) {
  std::vector<double> values;
  for (int64_t place = 0; place < count; ++place)
    values.push_back(tensor.at(place).number.real());
  return values;
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
  CHECK(evaluated("s = pattern(A(i, j)) * x(j)\n", {{"A", kMatrix}, {"x", x}, {"s", s}}).at("s").at(0).number == 6.0);
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

TEST_CASE("What is not evaluated is said") {
  const Given x{{2}, {}, {}, false, ValueType::I32}, s{{}, {}, {}, false, ValueType::I32};
  CHECK_THROWS_AS(evaluated("s = max(j, x(j))\n", {{"x", x}, {"s", s}}), reference::Unsupported);
  CHECK_THROWS_AS(evaluated("s = x(j) / 2\n", {{"x", x}, {"s", s}}), reference::Unsupported);
  const Given large{{1'000'000}, {}, {}}, one{{}, {}, {}};
  CHECK_THROWS_AS(evaluated("s = x(i) * x(j)\n", {{"x", large}, {"s", one}}), reference::Unsupported);
}
