// What docs/language.md says of rounding and accumulation, sentence by sentence, on numbers worked out by hand.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

constexpr double k2To53 = 0x1p53;

using TypesByName = std::map<std::string, ValueType>;

/// At all levels of optimisation; with --fp=strict alone where any order of additions would do.
void checkGiven(KernelSpec spec, std::map<std::string, GivenTensor> given, const std::vector<double> &wanted,
                bool onlyStrict = false) {
  given["y"] = givenVector(std::vector<double>(wanted.size(), 0));
  for (const int level : {0, 1, 3})
    for (const bool isStrict : {true, false}) {
      spec.optLevel = level;
      spec.strictFp = isStrict;
      if (onlyStrict && !isStrict)
        continue;
      const std::vector<double> result = resultOf(spec, given);
      INFO(describe(spec) << "\nresult: " << Catch::Detail::stringify(result));
      for (size_t n = 0; n < wanted.size(); ++n)
        CHECK((std::isnan(wanted[n]) ? std::isnan(result[n]) : result[n] == wanted[n]));
    }
}

KernelSpec roundedSpecOf(const std::string &text, const TypesByName &types = {}, const Formats &formats = {}) {
  KernelSpec spec;
  spec.statements = text;
  spec.types = types;
  spec.formats = formats;
  return spec;
}

/// y(i) = EXPRESSION of the numbers in x.
void checkEachNumber(const std::string &expression, const std::vector<double> &numbers,
                     const std::vector<double> &wanted) {
  checkGiven(roundedSpecOf("y(i) = " + expression), {{"x", givenVector(numbers)}}, wanted);
}

} // namespace

TEST_CASE("the result of each term is converted to the target's type", "[rounding]") {
  const TypesByName narrow = {{"y", ValueType::F32}};
  const std::map<std::string, GivenTensor> given = {{"a", givenVector({1 + 0x1p-24})}, {"b", givenVector({0x1p-24})}};
  checkGiven(roundedSpecOf("y(i) = a(i) + b(i)", narrow), given, {1});
  checkGiven(roundedSpecOf("y(i) = 1 * (a(i) + b(i))", narrow), given, {1 + 0x1p-23});
  const TypesByName bytes = {{"x", ValueType::I32}, {"y", ValueType::I8}};
  checkGiven(roundedSpecOf("y(k) = z(k) * x(i)", {{"x", ValueType::I32}, {"z", ValueType::I8}, {"y", ValueType::I8}}),
             {{"x", givenVector({100, 100, 100})}, {"z", givenVector({1})}}, {44});
  // Before min= and max= compare: 300 is 44.
  checkGiven(roundedSpecOf("y(i) max= 3 * x(i)", bytes), {{"x", givenVector({100, 20})}}, {44, 60});
}

TEST_CASE("sums are accumulated in the output's type", "[rounding]") {
  const std::vector<StoredEntry> row = {{{0, 0}, 0x1p24}, {{0, 1}, 1}, {{0, 2}, 1}};
  for (const char *format : {"csr", "csc", "coo", "dcsr"}) {
    checkGiven(roundedSpecOf("y(i) = A(i,j)", {{"y", ValueType::F32}}, {{"A", format}}),
               {{"A", givenEntries({1, 3}, row)}}, {0x1p24}, true);
    checkGiven(roundedSpecOf("y(i) = A(i,j)", {}, {{"A", format}}), {{"A", givenEntries({1, 3}, row)}}, {0x1p24 + 2});
    checkGiven(roundedSpecOf("y(i) = A(i,j)", {{"A", ValueType::F32}, {"y", ValueType::F64}}, {{"A", format}}),
               {{"A", givenEntries({1, 3}, row)}}, {0x1p24 + 2});
  }
  // What is computed by itself is so in the type of its statement.
  checkGiven(roundedSpecOf("y(k) = z(k) * (sum(i, x(i)) - 16777216)", {{"y", ValueType::F32}}),
             {{"x", givenVector({0x1p24, 1, 1})}, {"z", givenVector({1})}}, {2});
}

TEST_CASE("sums of half floats are accumulated in f32, whatever the order of loops, and rounded once", "[rounding]") {
  // The next number after `one` steps of 1 is 2 further on.
  for (const auto &[type, start] : {std::pair(ValueType::F16, 2048.), std::pair(ValueType::BF16, 256.)}) {
    const std::vector<StoredEntry> entries = {{{0, 0}, start}, {{0, 1}, 1}, {{0, 2}, 1}};
    const GivenTensor row = givenEntries({1, 3}, entries), one = givenVector({1});
    for (const char *format : {"csr", "csc", "coo", "dcsr"}) {
      const auto spec = [&, t = type](const char *text) {
        KernelSpec made = roundedSpecOf(text, {}, {{"A", format}});
        made.type = t;
        return made;
      };
      checkGiven(spec("y(i) = A(i,j)"), {{"A", row}}, {start + 2});
      checkGiven(spec("y(i) = A(i,j) * x(j)"), {{"A", row}, {"x", givenVector({1, 1, 1})}}, {start + 2});
      checkGiven(spec("y(i) += A(i,j)"), {{"A", row}}, {start + 2});
      checkGiven(spec("y(i) = z(i) + A(i,j) + z(i)"), {{"A", row}, {"z", one}}, {start + 4});
      checkGiven(spec("y(i) = sum(j, max(A(i,j), x(j)))"), {{"A", row}, {"x", givenVector({1, 1, 1})}}, {start + 2});
      checkGiven(spec("let C(i,k) = A(i,j) * B(j,k)\ny(i) = C(i,k)"), {{"A", row}, {"B", {{3, 1}, {}, {1, 1, 1}}}},
                 {start + 2});
      KernelSpec wide = spec("y(i) = A(i,j) * x(j)");
      wide.types["x"] = ValueType::F64;
      checkGiven(wide, {{"A", givenEntries({1, 2}, {{{0, 0}, 1}, {{0, 1}, -1}})}, {"x", givenVector({1 + 0x1p-12, 1})}},
                 {0x1p-12});
    }
  }
}

TEST_CASE("conversions round where they stand", "[rounding]") {
  const double x = 1 + 0x1p-30;
  checkEachNumber("x(i) - f32(x(i))", {x, 3}, {0x1p-30, 0});
  checkEachNumber("x(i) - f64(f16(x(i)))", {x, 1 + 0x1p-10}, {0x1p-30, 0});
  checkEachNumber("f64(i64(x(i) * 3)) - x(i) * 3", {x, 1.5}, {-3 * 0x1p-30, -0.5});
  checkGiven(roundedSpecOf("y(k) = z(k) * sum(i, x(i) - f32(x(i)))"),
             {{"x", givenVector({x, x})}, {"z", givenVector({1})}}, {0x1p-29});
}

TEST_CASE("nothing but sums, products and fused additions is relaxed", "[rounding]") {
  const double x = 1.1 + 0x1p-52;
  checkEachNumber("(x(i) - 1.1) * 0.1", {1.1, x}, {0, (x - 1.1) * 0.1});
  checkEachNumber("(1.1 - x(i)) * 3 * 0.1", {1.1, x}, {0, (1.1 - x) * 3 * 0.1});
  checkEachNumber("max(x(i) - 1.1, -2) * 0.1", {1.1, x}, {0, (x - 1.1) * 0.1});
  checkEachNumber("(x(i) + 1e16) - 1e16", {1, 3}, {0, 4});
  checkEachNumber("x(i) - x(i)", {kInf, kNaN}, {kNaN, kNaN});
  checkEachNumber("0 * x(i)", {kInf, kNaN}, {kNaN, kNaN});
  checkEachNumber("x(i) / 3 * 3", {5, 7}, {5. / 3 * 3, 7. / 3 * 3});
  checkEachNumber("x(i) / 10", {3, 7}, {0.3, 0.7}); // not 3 times the rounded tenth, 0.30000000000000004
  checkEachNumber("x(i) * x(i) / x(i)", {kInf, 1e200}, {kNaN, kInf});
  checkEachNumber("log(exp(x(i)))", {1000, 1e-20}, {kInf, 0});
  checkEachNumber("exp(log(x(i)))", {-5, 1}, {kNaN, 1});
  checkEachNumber("sqrt(x(i)) * sqrt(x(i))", {-5, 4}, {kNaN, 4});
  checkEachNumber("exp(x(i)) * exp(-x(i))", {1000, 0}, {kNaN, 1});
  checkGiven(roundedSpecOf("let t(i) = exp(x(i))\ny(i) = t(i) * exp(-x(i))"), {{"x", givenVector({1000, 0})}},
             {kNaN, 1});
}

TEST_CASE("differences of close numbers are computed as they are written", "[rounding]") {
  const double close = 1 + 0x1p-30;
  const GivenTensor first = givenEntries({1, 2}, {{{0, 0}, close}}), second = givenEntries({1, 2}, {{{0, 0}, 1}});
  for (const char *format : {"csr", "csc", "coo"}) {
    const Formats formats = {{"A", format}, {"B", "csr"}};
    const std::map<std::string, GivenTensor> given = {{"A", first}, {"B", second}};
    checkGiven(roundedSpecOf("y(i) = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))", {}, formats), given, {0x1p-60});
    checkGiven(roundedSpecOf("y(i) = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j)) / 4", {}, formats), given, {0x1p-62});
    checkGiven(roundedSpecOf("y(i) = pattern(A(i,j)) * (A(i,j) - m(i)) * (A(i,j) - m(i))", {}, {{"A", format}}),
               {{"A", first}, {"m", givenVector({1})}}, {0x1p-60});
    checkGiven(roundedSpecOf("y(i) = sum(j, A(i,j) - B(i,j)) * sum(k, A(i,k) - B(i,k))", {}, formats), given,
               {0x1p-60});
  }
}

TEST_CASE("strict sums keep the order of the source", "[rounding]") {
  const GivenTensor x = givenVector({k2To53, 1, -k2To53});
  const GivenTensor ones = givenEntries({1, 3}, {{{0, 0}, 1}, {{0, 1}, 1}, {{0, 2}, 1}});
  for (const char *format : {"csr", "csc", "coo", "dcsr"})
    checkGiven(roundedSpecOf("y(i) = A(i,j) * x(j)", {}, {{"A", format}}), {{"A", ones}, {"x", x}}, {0}, true);
  checkGiven(roundedSpecOf("y(i) = a(i) + b(i) + c(i)"),
             {{"a", givenVector({k2To53})}, {"b", givenVector({1})}, {"c", givenVector({-k2To53})}}, {0}, true);
  checkGiven(roundedSpecOf("y(i) = a(i) + c(i) + b(i)"),
             {{"a", givenVector({k2To53})}, {"b", givenVector({1})}, {"c", givenVector({-k2To53})}}, {1}, true);
}

TEST_CASE("strict sums add stored entries before their mirror images", "[rounding]") {
  const GivenTensor x = givenVector({k2To53, -k2To53, 1});
  // The last row has 1 for each column, of which its own triangle holds one or all.
  const GivenTensor upper = givenEntries({3, 3}, {{{0, 2}, 1}, {{1, 2}, 1}, {{2, 2}, 1}});
  const GivenTensor lower = givenEntries({3, 3}, {{{2, 0}, 1}, {{2, 1}, 1}, {{2, 2}, 1}});
  checkGiven(roundedSpecOf("y(i) = A(i,j) * x(j)", {}, {{"A", "sym-upper"}}), {{"A", upper}, {"x", x}}, {1, 1, 0},
             true);
  checkGiven(roundedSpecOf("y(i) = A(i,j) * x(j)", {}, {{"A", "sym-csr"}}), {{"A", lower}, {"x", x}}, {1, 1, 1}, true);
}

TEST_CASE("integers round nothing", "[rounding]") {
  const TypesByName types = {
      {"A", ValueType::I64}, {"B", ValueType::I64}, {"m", ValueType::I64}, {"y", ValueType::I64}};
  checkGiven(roundedSpecOf("y(i) = (A(i,j) - m(j)) * (B(i,j) - m(j))", types, {{"A", "csr"}, {"B", "csr"}}),
             {{"A", givenEntries({1, 1}, {{{0, 0}, 0x1p40 + 3}})},
              {"B", givenEntries({1, 1}, {{{0, 0}, 0x1p40 + 5}})},
              {"m", givenVector({0x1p40})}},
             {15});
}

TEST_CASE("conversions, rounding and remainders of numbers", "[rounding]") {
  checkEachNumber("round(x(i))", {2.5, -2.5, 0.5, 0.49999999999999994}, {3, -3, 1, 0});
  checkEachNumber("x(i) % 2", {2.5, -2.5, -4}, {0.5, -0.5, -0.0});
  checkEachNumber("min(x(i), 1) + max(x(i), 1)", {kNaN, 3}, {kNaN, 4});
  checkEachNumber("f64(not x(i)) + f64(x(i) and 1)", {kNaN, 0}, {1, 1});
  const auto converted = [](ValueType type, const std::vector<double> &wanted) {
    checkGiven(roundedSpecOf("y(i) = " + std::string(spc::sema::spelling(type)) + "(x(i))", {{"y", type}}),
               {{"x", givenVector({-2.6, 300, kNaN, 2.9, -kInf})}}, wanted);
  };
  converted(ValueType::I8, {-2, 127, 0, 2, -128});
  converted(ValueType::U8, {0, 255, 0, 2, 0});
  const TypesByName types = {{"x", ValueType::I32}, {"z", ValueType::I32}, {"y", ValueType::I32}};
  checkGiven(roundedSpecOf("y(i) = x(i) % z(i)", types), {{"x", givenVector({-7, 7})}, {"z", givenVector({3, 0})}},
             {-1, 0});
}

TEST_CASE("integers wrap around in sums, infinities among them", "[rounding]") {
  TypesByName bytes = {{"x", ValueType::I8}, {"y", ValueType::I8}};
  checkGiven(roundedSpecOf("y(i) = x(i) + inf", bytes), {{"x", givenVector({1, -1})}}, {-128, 126});
  checkGiven(roundedSpecOf("y(i) = minplus(x(i), inf)", bytes), {{"x", givenVector({1, -1})}}, {127, 127});
  bytes["z"] = ValueType::I8;
  const std::map<std::string, GivenTensor> given = {{"x", givenVector({100, 100, 100})}, {"z", givenVector({1})}};
  checkGiven(roundedSpecOf("y(k) = z(k) * sum(i, x(i))", bytes), given, {44});
  bytes["y"] = ValueType::I64;
  checkGiven(roundedSpecOf("y(k) = i64(z(k)) * sum(i, i64(x(i)))", bytes), given, {300});
}
