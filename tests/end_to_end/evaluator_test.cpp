// The evaluator against results worked out by hand: everything else here trusts it.
#include "harness/dense_evaluator.h"
#include "harness/number_types.h"
#include "support/diagnostic.h"
#include "syntax/parser.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using spc::testing::DenseTensor;
using spc::testing::evaluate;
using spc::testing::kInf;
using spc::testing::TensorMap;

namespace {

using Values = std::vector<std::complex<double>>;

DenseTensor dense(std::vector<int64_t> shape, Values values) {
  return {std::move(shape), std::move(values), false, {}, {}};
}

/// Zeros are missing entries.
DenseTensor sparse(std::vector<int64_t> shape, Values values) {
  DenseTensor tensor = dense(std::move(shape), std::move(values));
  tensor.sparse = true;
  for (const std::complex<double> &value : tensor.values)
    tensor.stored.push_back(value != 0.0);
  return tensor;
}

Values run(const std::string &text, TensorMap tensors, const std::string &output) {
  spc::Diagnostics diagnostics;
  const spc::SourceFile file("kernel.tex", text);
  const spc::syntax::Kernel kernel = spc::syntax::parse(file, diagnostics);
  REQUIRE_FALSE(diagnostics.hasErrors());
  REQUIRE(evaluate(kernel, tensors) == "");
  return tensors.at(output).values;
}

} // namespace

TEST_CASE("a term is summed over its own variables", "[evaluator]") {
  const TensorMap tensors = {{"A", dense({2, 3}, {1, 2, 3, 4, 5, 6})},
                             {"x", dense({3}, {1, 10, 100})},
                             {"z", dense({2}, {7, 8})},
                             {"y", dense({2}, {-1, -1})}};
  CHECK(run("y(i) = A(i,j) * x(j)", tensors, "y") == Values{321, 654});
  CHECK(run("y(i) = A(i,j) * x(j) + z(i)", tensors, "y") == Values{328, 662});
  CHECK(run("y(i) = z(i) - (A(i,j) * x(j) - 1)", tensors, "y") == Values{-313, -645});
  CHECK(run("y(i) += -(A(i,j) * x(j))", tensors, "y") == Values{-322, -655});
  CHECK(run("y(i) = (A(i,j) + z(i)) * x(j)", tensors, "y") == Values{321 + 777, 654 + 888});
  CHECK(run("y(i) = sum(j, A(i,j) + z(i))", tensors, "y") == Values{6 + 21, 15 + 24});
  CHECK(run("y(i) = z(i) / sum(j, A(i,j))", tensors, "y") == Values{7.0 / 6, 8.0 / 15});
  CHECK(run("y(i) = sum(j, A(i,j)) * x(j)", tensors, "y") == Values{6 * 111, 15 * 111});
}

TEST_CASE("a sum over nothing is a number where what is around it is not multiplied with its terms", "[evaluator]") {
  const TensorMap tensors = {
      {"A", sparse({2, 1}, {4, 0})}, {"b", dense({2}, {kInf, kInf})}, {"y", dense({2}, {1, 1})}, {"s", dense({}, {1})}};
  CHECK(run("y(i) = b(i) * sum(j, A(i,j))", tensors, "y") == Values{kInf, 0});
  CHECK(run("y(i) = b(i) * mean(j, A(i,j))", tensors, "y") == Values{kInf, 0});
  CHECK(run("y(i) = sum(k, b(i) * sum(j, A(i,j) * A(k,j)))", tensors, "y") == Values{kInf, 0});
  CHECK(std::isnan(run("y(i) = b(i) * sqrt(sum(j, A(i,j)))", tensors, "y")[1].real()));
  CHECK(std::isnan(run("y(i) min= b(i) * sum(j, A(i,j))", tensors, "y")[1].real()));
  CHECK(std::isnan(run("s = max(i, b(i) * sum(j, A(i,j)))", tensors, "s")[0].real()));
}

TEST_CASE("what missing entries make 0 is missing, whatever it is multiplied with", "[evaluator]") {
  TensorMap tensors = {{"a", sparse({2}, {5, 0})},
                       {"b", sparse({2}, {0, 0})},
                       {"x", dense({2}, {kInf, kInf})},
                       {"y", sparse({2}, {0, 0})}};
  tensors.at("a").fill = tensors.at("b").fill = 2;
  tensors.at("y").assembled = true;
  CHECK(run("y(i) = (a(i) - 2) * x(i)", tensors, "y") == Values{kInf, 0});
  CHECK(run("y(i) = cos((a(i) - b(i)) * x(i))", tensors, "y")[1] == 1.0);
  TensorMap stored = tensors;
  spc::Diagnostics none;
  const spc::SourceFile file("kernel.tex", "y(i) = a(i) - b(i)");
  REQUIRE(evaluate(spc::syntax::parse(file, none), stored) == "");
  CHECK(stored.at("y").stored == std::vector<uint8_t>{1, 0});
}

TEST_CASE("nothing is known of sums of the least 64-bit integer", "[evaluator]") {
  using spc::sema::ValueType;
  TensorMap tensors = {{"A", sparse({1, 2}, {0, 0})}, {"y", dense({1}, {0})}};
  tensors.at("A").fill = -kInf;
  tensors.at("A").type = tensors.at("y").type = ValueType::I64;
  spc::Diagnostics none;
  const spc::SourceFile file("kernel.tex", "y(i) = A(i,j)");
  REQUIRE(evaluate(spc::syntax::parse(file, none), tensors) == "");
  CHECK(spc::testing::matches(0, tensors.at("y").values[0], tensors.at("y").errors[0]));
}

TEST_CASE("complex numbers are added and multiplied as such", "[evaluator]") {
  const TensorMap tensors = {
      {"A", dense({1, 2}, {{1, 2}, {0, -1}})}, {"x", dense({2}, {{3, -1}, 2})}, {"y", dense({1}, {7})}};
  CHECK(run("y(i) = A(i,j) * x(j)", tensors, "y") == Values{{5, 3}});
  CHECK(run("y(i) = A(i,j) * x(j) / 2", tensors, "y") == Values{{2.5, 1.5}});
}

TEST_CASE("products of integers wrap around exactly", "[evaluator]") {
  const auto product = [](spc::sema::ValueType type, double a, double b) {
    TensorMap tensors = {{"a", dense({1}, {a})}, {"b", dense({1}, {b})}, {"y", dense({1}, {0})}};
    for (auto &[name, tensor] : tensors)
      tensor.type = type;
    return run("y(i) = a(i) * b(i)", tensors, "y");
  };
  CHECK(product(spc::sema::ValueType::U32, 4294967293, 4294967291) == Values{15});
  CHECK(product(spc::sema::ValueType::I32, -2147483647, 2147483645) == Values{-3});
  CHECK(product(spc::sema::ValueType::I8, -100, 100) == Values{-16});
}

TEST_CASE("missing entries are not computed with", "[evaluator]") {
  const TensorMap tensors = {{"A", sparse({2, 2}, {2, 0, 0, 0})},
                             {"x", dense({2}, {3, kInf})},
                             {"b", sparse({2}, {0, 5})},
                             {"y", dense({2}, {-1, -1})}};
  CHECK(run("y(i) = A(i,j) * x(j)", tensors, "y") == Values{6, 0});
  CHECK(run("y(i) = A(i,i) / x(i) + b(i)", tensors, "y") == Values{2.0 / 3, 5});
  CHECK(run("y(i) = (A(i,j) + b(i)) * x(j)", tensors, "y") == Values{6, kInf});
}

TEST_CASE("statements run in order and read old values", "[evaluator]") {
  const TensorMap tensors = {{"A", dense({2, 2}, {0, 1, 1, 0})}, {"x", dense({2}, {3, 4})}, {"t", dense({}, {0})}};
  CHECK(run("x(i) = A(i,j) * x(j) + x(i)", tensors, "x") == Values{7, 7});
  CHECK(run("t = x(i) * x(i)\nx(i) = x(i) / t", tensors, "x") == Values{3.0 / 25, 4.0 / 25});
}

TEST_CASE("a sparse target loses nothing", "[evaluator]") {
  TensorMap tensors = {
      {"S", sparse({2, 2}, {2, 0, 0, 3})}, {"D", sparse({2, 2}, {1, 0, 0, 1})}, {"B", dense({2, 2}, {1, 2, 3, 4})}};
  CHECK(run("D(i,j) = S(i,j) * B(j,i)", tensors, "D") == Values{2, 0, 0, 12});
  spc::Diagnostics diagnostics;
  const spc::SourceFile file("kernel.tex", "D(i,j) = S(i,j) + B(i,j)");
  CHECK(evaluate(spc::syntax::parse(file, diagnostics), tensors) == "a value falls outside the pattern of a target");
}

TEST_CASE("the error bound is that of the arithmetic", "[evaluator]") {
  TensorMap tensors = {{"x", dense({4}, {1e8, 1, -1e8, 1})}, {"t", dense({}, {0})}};
  spc::Diagnostics diagnostics;
  const spc::SourceFile file("kernel.tex", "t = x(i)");
  REQUIRE(evaluate(spc::syntax::parse(file, diagnostics), tensors) == "");
  const DenseTensor &t = tensors.at("t");
  CHECK(t.values[0] == 2.0);
  CHECK(t.errors[0] > 2e8 * 0x1p-53);
  CHECK(t.errors[0] < 1e-6);
  CHECK(spc::testing::matches(2 + t.errors[0] / 2, 2, t.errors[0]));
  CHECK_FALSE(spc::testing::matches(2 + 1e-5, 2, t.errors[0]));
  CHECK_FALSE(spc::testing::matches(std::numeric_limits<double>::quiet_NaN(), 2, t.errors[0]));
  CHECK(spc::testing::matches(kInf, kInf, 0));
}
