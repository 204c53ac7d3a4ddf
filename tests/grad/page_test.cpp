// Sentences of docs/grad.md that say more than that finite differences agree: which of two equal values counts, what is
// 0, what is not computed with, which entries there are. What is written for each rule is in rules/, names and files
// are in tests/cli/grad_test.py, and what is refused is in tests/diagnostics.
#include "grad/gradient_check.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace spc;
using namespace spc::testing;

namespace {

using Values = std::vector<double>;

DenseTensor tensorOf(const Values &values, std::vector<int64_t> shape) {
  DenseTensor tensor;
  tensor.shape = std::move(shape);
  tensor.values.assign(values.begin(), values.end());
  tensor.stored.assign(values.size(), 1);
  return tensor;
}

/// A vector, or a number.
DenseTensor vectorOf(const Values &values) {
  return tensorOf(values, {static_cast<int64_t>(values.size())});
}

/// A vector without those entries that are NaN.
DenseTensor sparseOf(const Values &values) {
  DenseTensor tensor = vectorOf(values);
  for (size_t at = 0; at < values.size(); ++at)
    if (std::isnan(values[at])) {
      tensor.stored[at] = 0;
      tensor.values[at] = 0;
    }
  return tensor;
}

Values valuesOf(const DenseTensor &tensor) {
  Values values;
  for (size_t at = 0; at < tensor.values.size(); ++at)
    values.push_back(tensor.sparse && !tensor.stored[at] ? tensor.fill : tensor.values[at].real());
  return values;
}

/// The gradient of the sum over y by one operand.
Values gradientBy(const std::string &operand, const GradientCase &given, const TensorMap &operands) {
  const GradientUnderTest kernel(given);
  INFO(given.text << kernel.diagnostics() << kernel.refusal().problem);
  REQUIRE(kernel.isWritten());
  const TensorMap all = kernel.gradientsAt(operands);
  const auto renamed = all.find("d_" + operand + "_in");
  return valuesOf(renamed == all.end() ? all.at("d_" + operand) : renamed->second);
}

/// That of a kernel of dense vectors of floats.
Values gradientOf(const std::string &statements, const std::string &operand, const TensorMap &operands) {
  std::string text;
  for (const auto &[name, tensor] : operands)
    text += "tensor " + name + (tensor.shape.size() == 2 ? "(m, n)" : "(n)") + ": f64\n";
  return gradientBy(operand, {text + statements + "\n", {}, {"y"}, {operand}}, operands);
}

const double kMissing = std::nan("");

} // namespace

TEST_CASE("of several, the first that is least or greatest gets the derivative") {
  const TensorMap at = {{"x", vectorOf({1, 2, 3})}, {"z", vectorOf({1, 3, 2})}};
  CHECK(gradientOf("y(i) = min(x(i), z(i))", "x", at) == Values{1, 1, 0});
  CHECK(gradientOf("y(i) = min(x(i), z(i))", "z", at) == Values{0, 0, 1});
  CHECK(gradientOf("y(i) = max(z(i), 3, x(i))", "x", at) == Values{0, 0, 0});
  CHECK(gradientOf("y(i) = max(z(i), 3, x(i))", "z", at) == Values{0, 1, 0});
}

TEST_CASE("of a minimum or maximum over variables, the first place in their order does") {
  const TensorMap at = {{"A", tensorOf({1, 5, 2, 5, 5, 0}, {2, 3})}};
  CHECK(gradientOf("y = max(i, j, A(i,j))", "A", at) == Values{0, 1, 0, 0, 0, 0});
  CHECK(gradientOf("y = max(j, i, A(i,j))", "A", at) == Values{0, 0, 0, 1, 0, 0});
  CHECK(gradientOf("y(i) = min(j, -A(i,j))", "A", at) == Values{0, -1, 0, -1, 0, 0});
}

TEST_CASE("what the target held before gets it, if that is no worse") {
  const GradientCase given{"tensor x(m, n): f64\ntensor y(m): f64\ny(i) min= x(i,j)\n", {}, {"y"}, {"x", "y"}};
  const TensorMap at = {{"x", tensorOf({1, 2, 3, 3}, {2, 2})}, {"y", vectorOf({1, 4})}};
  CHECK(gradientBy("x", given, at) == Values{0, 0, 1, 0});
  CHECK(gradientBy("y", given, at) == Values{1, 0});
}

TEST_CASE("the derivative of a product is that of the others, zeros among them") {
  CHECK(gradientOf("y = prod(i, x(i))", "x", {{"x", vectorOf({2, 3, 4})}}) == Values{12, 8, 6});
  CHECK(gradientOf("y = prod(i, x(i))", "x", {{"x", vectorOf({2, 0, 4})}}) == Values{0, 8, 0});
  CHECK(gradientOf("y = prod(i, x(i))", "x", {{"x", vectorOf({0, 0, 4})}}) == Values{0, 0, 0});
  const GradientCase sparse{"tensor S(n): f64, sparse\ny = prod(i, S(i))\n", {{"S", "sv"}}, {"y"}, {"S"}};
  CHECK(gradientBy("S", sparse, {{"S", sparseOf({2, kMissing, 4})}}) == Values{0, 0, 0});
  CHECK(gradientBy("S", sparse, {{"S", sparseOf({2, 0, 4})}}) == Values{0, 8, 0});
}

TEST_CASE("functions with a bend have the derivative that the page says there") {
  const TensorMap at = {{"x", vectorOf({0, 2, -3})}};
  CHECK(gradientOf("y(i) = abs(x(i))", "x", at) == Values{0, 1, -1});
  CHECK(gradientOf("y(i) = relu(x(i))", "x", at) == Values{0, 1, 0});
  CHECK(gradientOf("let s(i) = 2 * x(i)\ny(i) = relu(s(i))", "x", at) == Values{0, 2, 0});
}

TEST_CASE("powers of 0 and of what is not positive") {
  const TensorMap at = {{"x", vectorOf({0, 2, -3, 0})}, {"p", vectorOf({2, 2, 2, 0})}};
  CHECK(gradientOf("y(i) = pow(x(i), p(i))", "x", at) == Values{0, 4, -6, 0});
  CHECK(gradientOf("y(i) = pow(x(i), p(i))", "p", at) == Values{0, 4 * std::log(2), 0, 0});
  CHECK(gradientOf("y(i) = pow(x(i), 0)", "x", {{"x", vectorOf({0, 2})}}) == Values{0, 0});
  CHECK(gradientOf("y(i) = pow(x(i), 1)", "x", {{"x", vectorOf({0, 2})}}) == Values{1, 1});
}

TEST_CASE("a remainder changes by the divisor as the quotient without its fraction says") {
  const TensorMap at = {{"x", vectorOf({7, -7, 7, 1})}, {"z", vectorOf({3, 3, -3, 5})}};
  CHECK(gradientOf("y(i) = x(i) % z(i)", "x", at) == Values{1, 1, 1, 1});
  CHECK(gradientOf("y(i) = x(i) % z(i)", "z", at) == Values{-2, 2, 2, 0});
}

TEST_CASE("a choice gives to what is chosen, whatever kind of condition it has") {
  const TensorMap at = {{"b", vectorOf({5, 0, -2})}, {"x", vectorOf({1, 2, 3})}};
  const auto by = [&](const std::string &condition) {
    return gradientOf("y(i) = select(" + condition + ", x(i) * x(i), b(i))", "x", at);
  };
  CHECK(by("b(i)") == Values{2, 0, 6});
  CHECK(by("not b(i)") == Values{0, 4, 0});
  CHECK(by("bool(b(i))") == Values{2, 0, 6});
  CHECK(by("b(i) and b(i) > 0") == Values{2, 0, 0});
  CHECK(by("b(i) or x(i) > 1") == Values{2, 4, 6});
  CHECK(by("b(i) xor x(i) > 1") == Values{2, 4, 0});
  CHECK(by("b(i) + 2") == Values{2, 4, 0});
  CHECK(by("i") == Values{0, 4, 6});
  CHECK(by("true") == Values{2, 4, 6});
  CHECK(by("not true") == Values{0, 0, 0});
  const Values none = gradientOf("y(i) = select(x(i) > 1, b(i), 3)", "x", at); // the condition counts as constant
  CHECK(none == Values{0, 0, 0});
}

TEST_CASE("where a condition does not hold, what depends on it is not computed with") {
  const TensorMap at = {{"x", vectorOf({0, 1, 4})}, {"z", vectorOf({1, 1, 1})}};
  const auto by = [&](const std::string &value) {
    return gradientOf("y(i) = select(x(i) > 0, " + value + ", 0)", "x", at);
  };
  CHECK(by("sqrt(x(i))") == Values{0, 0.5, 0.25});
  CHECK(by("log(x(i))") == Values{0, 1, 0.25});
  CHECK(by("z(i) / x(i)") == Values{0, -1, -1. / 16});
  CHECK(by("pow(x(i), 0.5)") == Values{0, 0.5, 0.25});
  CHECK(gradientOf("y(i) = max(sqrt(x(i)), 1.5)", "x", at) == Values{0, 0, 0.25});
  const GradientCase pattern{"tensor E(n): f64, sparse\ntensor x(n): f64\n"
                             "y(i) = select(pattern(E(i)), log(x(i)), 0) + select(pattern(E(i)), 0, 1 / x(i))\n",
                             {{"E", "sv"}},
                             {"y"},
                             {"x"}};
  const Values slopes = gradientBy("x", pattern, {{"E", sparseOf({kMissing, 0, 3})}, {"x", vectorOf({2, 1, 4})}});
  CHECK(slopes == Values{-0.25, 1, 0.25});
  const Values poles = gradientBy("x",
                                  {"tensor E(n): f64, sparse\ntensor x(n): f64\n"
                                   "y(i) = select(pattern(E(i)), log(x(i)), 0)\n",
                                   {{"E", "sv"}},
                                   {"y"},
                                   {"x"}},
                                  {{"E", sparseOf({kMissing, 0, 3})}, {"x", vectorOf({0, 1, 4})}});
  CHECK(poles == Values{0, 1, 0.25});
}

TEST_CASE("what is behind a condition in another statement, or infinite, is multiplied by 0") {
  const TensorMap at = {{"x", vectorOf({0, 4})}, {"z", vectorOf({std::numeric_limits<double>::infinity(), 3})}};
  const Values apart = gradientOf("let s(i) = sqrt(x(i))\ny(i) = select(x(i) > 0, s(i), 0)", "x", at);
  CHECK((std::isnan(apart[0]) && apart[1] == 0.25));
  const Values infinite = gradientOf("y(i) = select(x(i) > 0, x(i) * z(i), 0)", "x", at);
  CHECK((std::isnan(infinite[0]) && infinite[1] == 3));
}

TEST_CASE("the derivative of steps is 0") {
  const TensorMap at = {{"x", vectorOf({0, 1.25, -2})}, {"z", vectorOf({1, 2, 3})}};
  for (const char *step :
       {"sign(x(i))", "floor(x(i))", "ceil(x(i))", "round(x(i))", "(x(i) == 0)", "(x(i) != 0)", "(x(i) < 1)",
        "(x(i) <= 1)", "(x(i) > 1)", "(x(i) >= 1)", "(x(i) and z(i))", "(x(i) or z(i))", "(x(i) xor z(i))",
        "(not x(i))", "any(j, x(j) > z(i))", "all(j, x(j) < z(i))", "bool(x(i))", "(argmax(j, x(j)) == i)"}) {
    INFO(step);
    CHECK(gradientOf("y(i) = " + std::string(step) + " * z(i)", "x", at) == Values{0, 0, 0});
  }
  const GradientCase entries{
      "tensor S(n): f64, sparse\ntensor z(n): f64\ny(i) = (pattern(S(i)) + count(j, S(j))) * z(i)\n",
      {{"S", "sv"}},
      {"y"},
      {"S"}};
  CHECK(gradientBy("S", entries, {{"S", sparseOf({1, kMissing})}, {"z", vectorOf({1, 2})}}) == Values{0, 0});
}

TEST_CASE("the derivative of a conversion between floats is 1") {
  for (const char *type : {"f16", "bf16", "f32", "f64"})
    CHECK(gradientOf("y(i) = 3 * " + std::string(type) + "(x(i))", "x", {{"x", vectorOf({0.5, 2})}}) == Values{3, 3});
}

TEST_CASE("means and sums of what lacks their variable count it") {
  const TensorMap at = {{"x", vectorOf({1, 2, 3})}, {"A", tensorOf(Values(6, 1), {2, 3})}};
  const std::string declared = "tensor x(n): f64\ntensor A(m, n): f64\n";
  const auto by = [&](const std::string &value) {
    return gradientBy("x", {declared + "y(j) = " + value + "\n", {}, {"y"}, {"x"}}, at);
  };
  CHECK(by("sum(i, x(j) + A(i,j))") == Values{2, 2, 2});
  CHECK(by("mean(i, x(j) + A(i,j))") == Values{1, 1, 1});
  CHECK(by("sum(i, mean(k, x(j) + A(i,k)))") == Values{2, 2, 2});
  CHECK(by("mean(i, sum(k, x(j) + A(i,k)))") == Values{3, 3, 3});
  CHECK(by("mean(i, mean(k, x(j) * x(j) + A(i,k)))") == Values{2, 4, 6});
}

TEST_CASE("the derivative by a sparse operand has its entries, zeros among them") {
  const std::string declared = "tensor S(n): f64, sparse\ntensor T(n): f64, sparse\ntensor x(n): f64\n";
  for (const char *value :
       {"S(i) * x(i)", "S(i) + x(i) + T(i)", "S(i) * T(i)", "exp(S(i)) * T(i)", "sum(j, S(i) * T(j))",
        "max(S(i), T(i))", "select(pattern(T(i)), S(i), x(i))", "max(j, S(j)) * x(i) + T(i)",
        "(not pattern(T(i))) * S(i) * x(i)", "x(i) + floor(S(i)) + T(i)"}) {
    INFO(value);
    const GradientUnderTest kernel({declared + "y(i) = " + value + " + 0 * T(i) * x(i)\n",
                                    {{"S", "sv"}, {"T", "sv"}, {"y", "dense"}},
                                    {"y"},
                                    {"S"}});
    INFO(kernel.diagnostics() << kernel.refusal().problem << kernel.reverse().text);
    REQUIRE(kernel.isWritten());
    const DenseTensor operand = sparseOf({1, 0, kMissing, 2, kMissing});
    const TensorMap all = kernel.gradientsAt(
        {{"S", operand}, {"T", sparseOf({kMissing, 1, 3, 0, kMissing})}, {"x", vectorOf({1, 2, 3, 4, 5})}});
    CHECK(all.at("d_S").sparse);
    CHECK(all.at("d_S").stored == operand.stored);
  }
}

TEST_CASE("what is computed again has the type in which the kernel computes it") {
  const GradientUnderTest kernel(
      {"tensor G(m, n): f32\ntensor H(m, n): f16\ntensor u(m): f16\ntensor v(m): f64\n"
       "u(i) = min(j, H(i,j) * H(i,j))\nv(i) = exp(sum(j, G(i,j)) + max(j, G(i,j) * G(i,j))) * G(i,0)\n",
       {},
       {"u", "v"},
       {"G", "H"}});
  REQUIRE(kernel.isWritten());
  for (const char *declaration : {"tensor u_min(m): f32\n", "tensor v_sum(m): f64\n", "tensor v_max(m): f64\n"})
    CHECK(kernel.reverse().text.find(declaration) != std::string::npos);
}

TEST_CASE("names that the kernel has get a number, and what nothing depends on is no argument") {
  const GradientUnderTest clash({"y(i) = x(i) * d_y(i) * d_x(i)\n", {}, {"y"}, {"x"}});
  REQUIRE(clash.isWritten());
  CHECK(clash.reverse().text.find("kernel derivative(d_y, d_x, d_y_2) -> (d_x_2)") != std::string::npos);
  const GradientUnderTest linear({"y(i) = 2 * x(i) + z(i) * z(i)\n", {}, {"y"}, {"x"}});
  REQUIRE(linear.isWritten());
  CHECK(linear.reverse().text.find("kernel derivative(d_y) -> (d_x)") != std::string::npos);
  CHECK(linear.forwardMode().text.find("kernel derivative(t_x) -> (t_y)") != std::string::npos);
  const GradientUnderTest both({"tensor y(n): f64\ntensor x(n): f64\ny(i) += x(i) * y(i)\n", {}, {"y"}, {"x", "y"}});
  REQUIRE(both.isWritten());
  CHECK(both.reverse().text.find("-> (d_x, d_y_in)") != std::string::npos);
  CHECK(both.forwardMode().text.find("-> (t_y_out)") != std::string::npos);
}

TEST_CASE("places and zeros of reductions take the passes that the page says") {
  const auto statementsOf = [](const std::string &text) {
    const GradientUnderTest kernel({text + "\n", {}, {"y"}, {"x"}});
    REQUIRE(kernel.isWritten());
    return kernel.reverse().tree.statements.size();
  };
  CHECK(statementsOf("y = sum(i, x(i))") == 1);
  CHECK(statementsOf("y = max(i, x(i))") == 2);          // its place
  CHECK(statementsOf("y = exp(max(i, x(i)))") == 1 + 3); // the maximum, its place and its derivative
  CHECK(statementsOf("y = prod(i, x(i))") == 3);         // its zeros, and the rest
  CHECK(statementsOf("y(i) = x(i) * x(i) * x(i)") == 1); // three places, one sum
}
