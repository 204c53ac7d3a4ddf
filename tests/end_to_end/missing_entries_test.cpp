// What docs/language.md says of missing entries, zeros and nothing, sentence by sentence, on numbers worked out by
// hand.
#include "end_to_end/expressions.h"
#include "end_to_end/hand_made_call.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace spc::testing;
using spc::sema::ValueType;

namespace {

/// A kernel that writes y, its data, and what y holds then.
struct Sentence {
  std::string text;
  std::map<std::string, GivenTensor> given;
  std::vector<double> wanted;
  std::map<std::string, ValueType> types = {};
  std::map<std::string, std::string> fills = {};
};

void checkSentence(const Sentence &sentence, const std::vector<std::string> &formats = {"csr", "csc", "dcsr", "coo"}) {
  for (const std::string &format : formats)
    for (const bool isStrict : {false, true}) {
      KernelSpec spec;
      spec.statements = sentence.text;
      spec.types = sentence.types;
      spec.fills = sentence.fills;
      spec.strictFp = isStrict;
      std::map<std::string, GivenTensor> given = sentence.given;
      std::erase_if(given, [&](const auto &each) { return sentence.text.find(each.first + "(") == std::string::npos; });
      given["y"] = givenVector(std::vector<double>(sentence.wanted.size(), 0));
      for (auto &[name, tensor] : given) {
        if (tensor.isSparse)
          spec.formats[name] = tensor.shape.size() == 1 ? "sv" : format;
        if (tensor.isSparse && format == "csc") // stored by columns
          std::sort(tensor.entries.begin(), tensor.entries.end(), [](const StoredEntry &a, const StoredEntry &b) {
            return std::vector(a.at.rbegin(), a.at.rend()) < std::vector(b.at.rbegin(), b.at.rend());
          });
      }
      const std::vector<double> result = resultOf(spec, given);
      INFO(describe(spec) << "\nresult: " << Catch::Detail::stringify(result));
      for (size_t n = 0; n < result.size(); ++n)
        CHECK((std::isnan(sentence.wanted[n]) ? std::isnan(result[n]) : result[n] == sentence.wanted[n]));
    }
}

/// Of 2 by 2: the first row holds 2 and a 0 that is stored, the second row holds nothing.
const GivenTensor kMatrix22 = givenEntries({2, 2}, {{{0, 0}, 2}, {{0, 1}, 0}});
/// Of 2 by 2: 3 at the end of the first row.
const GivenTensor kOther22 = givenEntries({2, 2}, {{{0, 1}, 3}});
const GivenTensor kInfinities = givenVector({kInf, kInf}), kNaNs = givenVector({kNaN, kNaN});
const GivenTensor kOnes = givenVector({1, 1}), kZeros = givenVector({0, 0}), kNothing = givenVector({});

/// One expression of x, which holds these numbers.
void checkOf(const std::string &expression, std::vector<double> numbers, double wanted, ValueType type = ValueType::F64,
             ValueType result = ValueType::F64) {
  checkSentence({"y(k) = z(k) * " + expression,
                 {{"x", givenVector(std::move(numbers))}, {"z", givenVector({1})}},
                 {wanted},
                 {{"x", type}, {"z", result}, {"y", result}}},
                {"dense"});
}

} // namespace

TEST_CASE("a missing entry makes its product zero, whatever the other factors are", "[sentences]") {
  const GivenTensor row = givenEntries({2, 2}, {{{0, 0}, 2}});
  checkSentence({"y(i) = A(i,j) * x(j)", {{"A", row}, {"x", givenVector({1, kInf})}}, {2, 0}});
  checkSentence({"y(i) = A(i,j) * x(j)", {{"A", row}, {"x", givenVector({1, kNaN})}}, {2, 0}});
  checkSentence({"y(i) = x(j) * exp(x(j)) * A(i,j)", {{"A", kOther22}, {"x", givenVector({kNaN, 0})}}, {0, 0}});
  checkSentence({"y(i) = A(i,j) * B(i,j) * x(j)", {{"A", row}, {"B", kOther22}, {"x", kInfinities}}, {0, 0}});
}

TEST_CASE("zeros that a format stores are entries as any other", "[sentences]") {
  checkSentence({"y(i) = A(i,j) * x(j)", {{"A", kMatrix22}, {"x", kInfinities}}, {kNaN, 0}});
  checkSentence({"y(i) = 1.0 * count(j, A(i,j))", {{"A", kMatrix22}}, {2, 0}});
  checkSentence({"y(i) = min(j, select(pattern(A(i,j)), A(i,j), 7))", {{"A", kMatrix22}}, {0, 7}});
}

TEST_CASE("entries at constant and repeated indices are missing as any other", "[sentences]") {
  const GivenTensor corner = givenEntries({2, 2}, {{{0, 0}, 2}});
  checkSentence({"y(i) = A(i,i) * x(i)", {{"A", corner}, {"x", kInfinities}}, {kInf, 0}});
  checkSentence({"y(j) = A(0,j) * x(j)", {{"A", corner}, {"x", kInfinities}}, {kInf, 0}});
  checkSentence({"y(i) = A(1,1) * x(i)", {{"A", corner}, {"x", kInfinities}}, {0, 0}});
  // Those of a temporary that has all rows for each entry of a vector.
  const std::map<std::string, GivenTensor> given = {
      {"a", givenEntries({2}, {{{0}, 2}})}, {"b", givenVector({1, 1})}, {"x", kInfinities}};
  const std::string rows = "let R(j,i) = a(i) * b(j)\n";
  checkSentence({rows + "y(i) = R(i,i) * x(i) + R(i,i)", given, {kInf, 0}});
  checkSentence({rows + "y(i) = R(1,i) * x(i) + R(1,i)", given, {kInf, 0}});
}

TEST_CASE("a minimum of unsigned numbers is missing where one of them is", "[sentences]") {
  const GivenTensor corner = givenEntries({2, 2}, {{{0, 0}, 2}});
  for (const char *text : {"y(i) = sum(j, f64(min(A(i,j), u(j))) * x(j))", "y(i) = f64(fmin(u(j), A(i,j))) * x(j)"})
    checkSentence({text,
                   {{"A", corner}, {"u", givenVector({3, 1})}, {"x", kInfinities}},
                   {kInf, 0},
                   {{"A", ValueType::U8}, {"u", ValueType::U8}, {"x", ValueType::F64}, {"y", ValueType::F64}}});
}

TEST_CASE("a function of conditional entries is missing where they are, unless it is none of 0", "[sentences]") {
  const GivenTensor row = givenEntries({2, 2}, {{{0, 0}, 2}, {{0, 1}, 0.5}}),
                    other = givenEntries({2, 2}, {{{0, 1}, 3}});
  const GivenTensor first = givenVector({1, 0});
  const std::map<std::string, GivenTensor> given = {
      {"A", row}, {"B", other}, {"x", kInfinities}, {"z", first}, {"v", givenVector({0.5, kInf})}};
  checkSentence({"y(i) = sum(j, relu(where(A(i,j) > 1, A(i,j))) * x(j))", given, {kInf, 0}});
  checkSentence({"y(i) = sum(j, abs(where(A(i,j) > 1, A(i,j)) * z(i)) * v(j))", given, {1, 0}});
  checkSentence({"y(i) = sum(j, (z(i) and where(A(i,j) > 1, A(i,j))) * v(j))", given, {0.5, 0}});
  checkSentence({"y(i) = sum(j, f32(where(A(i,j) > 1, A(i,j))) * v(j))", given, {1, 0}});
  checkSentence({"y(i) = sum(j, select(z(i) > 0, where(A(i,j) > 1, A(i,j)), 0) * v(j))", given, {1, 0}});
  checkSentence({"y(i) = sum(j, abs(where(A(i,j) > 1, A(i,j)) - B(i,j)) * x(j))", given, {kInf, 0}});
  checkSentence({"y(i) = sum(j, abs(where(A(i,j) > 2, A(i,j)) - B(i,j)) * v(j))", given, {kInf, 0}});
  checkSentence({"y(i) = sum(j, abs(where(A(i,j) > 1, A(i,j)) - where(B(i,j) > 5, B(i,j))) * v(j))", given, {1, 0}});
  checkSentence({"y(i) = sum(j, cos(where(A(i,j) > 1, A(i,j) - 2)) * v(j))", given, {kInf, kInf}});
  checkSentence({"y(i) = sum(j, relu(where(x(j) < z(i), x(j))) * x(j))", given, {0, 0}}, {"dense"});
  checkSentence({"y(i) = sum(j, relu(where(v(j) < z(i), v(j))) * v(j))", given, {0.25, 0}}, {"dense"});
}

TEST_CASE("between dense tensors the rules are IEEE's", "[sentences]") {
  checkSentence({"y(i) = z(i) * x(i)", {{"z", kZeros}, {"x", kInfinities}}, {kNaN, kNaN}}, {"dense"});
  checkSentence({"y(i) = x(i) - x(i)", {{"x", kInfinities}}, {kNaN, kNaN}}, {"dense"});
  checkSentence({"y(i) = x(i) / z(i)", {{"z", kZeros}, {"x", givenVector({-1, 0})}}, {-kInf, kNaN}}, {"dense"});
  for (const char *text : {"y(i) = 0 * x(i) + x(i)", "y(i) = 2 * x(i) - x(i)", "y(i) = 2 * x(i) + 0 * x(i)"})
    checkSentence({text, {{"x", kInfinities}}, {kNaN, kNaN}}, {"dense"});
}

TEST_CASE("what a sum is multiplied with is multiplied with its terms", "[sentences]") {
  checkSentence({"y(i) = b(i) * sum(j, A(i,j))", {{"A", kOther22}, {"b", kInfinities}}, {kInf, 0}});
  checkSentence({"y(i) = sum(j, A(i,j)) * b(i) * sum(k, A(i,k))", {{"A", kOther22}, {"b", kNaNs}}, {kNaN, 0}});
}

TEST_CASE("missing entries stay missing in whichever order sums are taken", "[sentences]") {
  // A: an infinity at the second column; B: nothing in the second row.
  const GivenTensor infinite = givenEntries({2, 2}, {{{0, 0}, 2}, {{0, 1}, kInf}, {{1, 1}, kNaN}});
  const GivenTensor first = givenEntries({2, 2}, {{{0, 1}, 3}});
  const std::map<std::string, GivenTensor> given = {
      {"A", infinite}, {"B", first}, {"x", givenVector({5, 7})}, {"z", givenVector({1, 1})}};
  checkSentence({"y(i) = A(i,j) * B(j,k) * x(k)", given, {42, 0}});
  checkSentence({"y(i) = A(i,j) * B(j,k) * B(l,m) * x(k) * z(l) * x(m)", given, {42 * 21, 0}});
  checkSentence({"y(i) = A(i,j) * sum(k, B(j,k) * x(k)) * z(i)", given, {42, 0}});
  // Through two parts: B's entry is in a column at which nothing is stored in its own rows.
  checkSentence({"y(i) = A(i,j) * B(j,k) * B(k,l) * x(l)", given, {0, 0}});
  checkSentence({"y(i) = z(i) * A(i,j) * x(k) * B(k,l)",
                 {{"A", kMatrix22}, {"B", givenEntries({2, 2}, {})}, {"x", kInfinities}, {"z", kInfinities}},
                 {0, 0}});
  // Beside parts that are infinite, or NaN.
  checkSentence({"y(j) = A(i,j) * x(k) * z(i) * B(i,l)",
                 {{"A", kMatrix22}, {"B", first}, {"x", kInfinities}, {"z", kZeros}},
                 {kNaN, kNaN}});
  checkSentence(
      {"y(i) = C(i,j) * B(j,k) * x(k) * w(l)",
       {{"C", givenEntries({2, 2}, {{{0, 1}, 2}})}, {"B", first}, {"x", givenVector({5, 7})}, {"w", kInfinities}},
       {0, 0}});
  // A zero that is stored is an entry.
  checkSentence({"y(i) = A(i,j) * B(j,k) * x(k)",
                 {{"A", infinite}, {"B", givenEntries({2, 2}, {{{0, 0}, 0}, {{1, 0}, 0}})}, {"x", givenVector({5, 7})}},
                 {kNaN, kNaN}});
}

TEST_CASE("a sum of nothing is 0 whatever its terms would be multiplied by", "[sentences]") {
  const GivenTensor nothing = givenEntries({2, 0}, {}), infinite = givenEntries({2, 2}, {{{0, 0}, kInf}, {{1, 1}, 1}});
  GivenTensor rows = nothing;
  rows.isSparse = false;
  for (const GivenTensor &z : {kInfinities, kNaNs}) {
    const std::map<std::string, GivenTensor> given = {
        {"A", nothing}, {"B", infinite}, {"D", rows}, {"x", kNothing}, {"z", z}};
    checkSentence({"y(i) = (A(i,j) - x(j)) * z(i)", given, {0, 0}});
    checkSentence({"y(i) = z(i) * x(j)", given, {0, 0}});
    checkSentence({"y(i) = z(i) * sum(j, x(j))", given, {0, 0}});
    checkSentence({"y(i) = B(i,j) * D(j,k) * x(k)", given, {0, 0}});
    checkSentence({"y(i) = B(i,j) * D(j,k) * x(k) * z(i) + D(i,k) * x(k)", given, {0, 0}});
    checkSentence({"y(i) = z(i) * x(j) + w(i)", {{"x", kNothing}, {"z", kZeros}, {"w", givenVector({3, 4})}}, {3, 4}},
                  {"dense"});
    checkSentence({"y(i) += z(i) * D(i,k) * x(k) * B(i,j)", given, {0, 0}});
    checkSentence(
        {"y(i) = z(i) * x(k) + B(i,j) * w(j)", {{"B", kOther22}, {"x", kNothing}, {"z", z}, {"w", kOnes}}, {3, 0}});
    checkSentence({"y(i) = D(k,l) * x(l) * B(i,k) * z(i) + B(i,j) * w(j)",
                   {{"B", kOther22}, {"D", rows}, {"x", kNothing}, {"z", z}, {"w", kOnes}},
                   {3, 0}});
  }
}

TEST_CASE("within a function, a divisor, min=, max= and or= a sum is a number", "[sentences]") {
  const std::map<std::string, GivenTensor> given = {{"A", kOther22}, {"b", kInfinities}};
  checkSentence({"y(i) = b(i) * sqrt(3 * sum(j, A(i,j)))", given, {kInf, kNaN}});
  checkSentence({"let t(i) = sum(j, A(i,j))\ny(i) = b(i) * t(i)", given, {kInf, kNaN}});
  checkSentence({"y(i) = 1 / (b(i) * sum(j, A(i,j)))", given, {0, kNaN}});
  checkSentence({"y(i) = 1 / (b(i) * sum(j, A(i,j)) + 1)", given, {0, kNaN}});
  checkSentence({"y(i) = exp(-b(i) * sum(j, A(i,j)))", given, {0, kNaN}});
  checkSentence({"y(i) min= b(i) * sum(j, A(i,j))", given, {0, kNaN}});
  checkSentence({"y(i) max= b(i) * sum(j, A(i,j))", given, {kInf, kNaN}});
  checkSentence({"r(i) or= b(i) * sum(j, A(i,j)) > -1\ny(i) = f64(r(i))",
                 {{"A", kOther22}, {"b", kInfinities}, {"r", kZeros}},
                 {1, 0},
                 {{"r", ValueType::Bool}}});
}

TEST_CASE("to anything but a product a missing entry is a 0", "[sentences]") {
  const std::map<std::string, GivenTensor> given = {{"A", kMatrix22}, {"B", kOther22}, {"w", givenVector({4, 5})}};
  checkSentence({"y(i) = sum(j, max(A(i,j), B(i,j)))", given, {5, 0}});
  checkSentence({"y(i) = sum(j, (A(i,j) != B(i,j)) * w(j))", given, {9, 0}});
  checkSentence({"y(i) = sum(j, (A(i,j) == B(i,j)) * w(j))", given, {0, 9}});
  checkSentence({"y(i) = sum(j, A(i,j) / B(i,j))", given, {kInf, 0}}); // and 0 / 3
  checkSentence({"y(i) = sum(j, w(j) / B(i,j))", given, {kInf, kInf}});
  checkSentence({"y(i) = sum(j, B(i,j) * cos(A(i,j) * w(j)))", given, {3, 0}});
  checkSentence({"y(i) = sum(j, select(A(i,j) < B(i,j), w(j), 0))", given, {5, 0}});
  checkSentence({"y(i) = sum(j, exp(B(i,j) * 0))", given, {2, 2}});
}

TEST_CASE("what settles a result does so whatever the other operands are", "[sentences]") {
  const std::map<std::string, GivenTensor> given = {{"A", givenEntries({2, 2}, {{{0, 0}, 2}})}, {"x", kZeros}};
  checkSentence({"y(i) = sum(j, A(i,j) / x(j))", given, {kInf, 0}}); // a numerator 0
  checkSentence({"y(i) = sum(j, f64(A(i,j) and log(x(j) - 1) > 0))", given, {0, 0}});
  std::map<std::string, GivenTensor> infinite = {{"A", givenEntries({2, 2}, {{{0, 0}, 2}})},
                                                 {"x", givenVector({-kInf, -kInf})}};
  // An infinite addend.
  checkSentence({"y(i) = min(j, A(i,j) + x(j))", infinite, {-kInf, kInf}, {}, {{"A", "inf"}}});
  checkSentence({"y(i) = max(j, A(i,j) + x(j))", infinite, {kInf, kInf}, {}, {{"A", "inf"}}});
  checkSentence({"y(i) = sum(j, f64(A(i,j) or x(j) > 0))", infinite, {2, 2}, {}, {{"A", "1"}}});
}

TEST_CASE("a minimum over infinite missing entries takes in the entries alone", "[sentences]") {
  checkSentence({"y(i) = min(k, A(i,k) + x(k))",
                 {{"A", kOther22}, {"x", givenVector({-kInf, 1})}},
                 {4, kInf},
                 {},
                 {{"A", "inf"}}});
}

TEST_CASE("patterns and their complements are 0 whatever the other factors are", "[sentences]") {
  const std::map<std::string, GivenTensor> given = {{"A", kOther22}, {"x", givenVector({kNaN, 5})}};
  checkSentence({"y(i) = pattern(A(i,j)) * x(j)", given, {5, 0}});
  checkSentence({"y(i) = (not pattern(A(i,j))) * x(j)", {{"A", kOther22}, {"x", givenVector({5, kInf})}}, {5, kInf}});
  checkSentence(
      {"y(i) = (not pattern(A(i,j))) * x(j)", {{"A", givenEntries({1, 2}, {{{0, 0}, 9}})}, {"x", given.at("x")}}, {5}});
  checkSentence({"y(i) = max(j, select(pattern(A(i,j)), A(i,j), -inf))",
                 {{"A", givenEntries({2, 2}, {{{0, 1}, -3}})}},
                 {-3, -kInf}});
}

TEST_CASE("missing entries take part in all reductions", "[sentences]") {
  const std::map<std::string, GivenTensor> given = {
      {"A", givenEntries({2, 2}, {{{0, 0}, -2}, {{1, 0}, -3}, {{1, 1}, -1}})}};
  checkSentence({"y(i) = max(j, A(i,j))", given, {0, -1}});
  checkSentence({"y(i) = min(j, -A(i,j))", given, {0, 1}});
  checkSentence({"y(i) = prod(j, A(i,j))", given, {0, 3}});
  checkSentence({"y(i) = f64(all(j, A(i,j)))", given, {0, 1}});
  checkSentence({"y(i) = f64(any(j, A(i,j) < -2))", given, {0, 1}});
  checkSentence({"y(i) = 1.0 * argmax(j, A(i,j))", given, {1, 1}});
  checkSentence({"y(i) = mean(j, A(i,j))", given, {-1, -2}});
}

TEST_CASE("entries that are stored several times add up, in squares too", "[sentences]") {
  const GivenTensor repeated = givenEntries({1, 2}, {{{0, 1}, 2}, {{0, 1}, 3}});
  checkSentence({"y(i) = A(i,j) * A(i,j)", {{"A", repeated}}, {25}}, {"coo-dup"});
  checkSentence({"y(i) = sum(j, max(A(i,j), 1))", {{"A", repeated}}, {6}}, {"coo-dup"});
}

TEST_CASE("reductions of nothing", "[sentences]") {
  checkOf("prod(i, x(i))", {}, 1);
  checkOf("any(i, x(i))", {}, 0);
  checkOf("all(i, x(i))", {}, 1);
  checkOf("min(i, x(i))", {}, kInf);
  checkOf("max(i, x(i))", {}, -kInf);
  checkOf("mean(i, x(i))", {}, 0);
  checkOf("min(i, x(i))", {}, 127, ValueType::I8, ValueType::I8);
  checkOf("max(i, x(i))", {}, 0, ValueType::U8, ValueType::U8);
  checkOf("f64(argmin(i, x(i)))", {}, 0x1p63);
  checkOf("argmax(i, x(i))", {}, kInf);
}

TEST_CASE("places of extremes are the first, or that of a NaN", "[sentences]") {
  checkOf("argmin(i, x(i))", {5, 1, 1}, 1);
  checkOf("argmax(i, x(i))", {5, 1, 5}, 0);
  checkOf("argmax(i, x(i))", {5, kNaN, 7, kNaN}, 1);
  checkOf("argmin(i, x(i))", {5, kNaN, -7}, 1);
}

TEST_CASE("places of extremes over several variables are linear", "[sentences]") {
  const std::map<std::string, GivenTensor> given = {
      {"A", givenEntries({2, 3}, {{{0, 0}, 2}, {{0, 2}, -3}, {{1, 0}, 4}, {{1, 1}, -3}})},
      {"x", givenEntries({1}, {{{0}, 1}})}};
  checkSentence({"y(k) = x(k) * argmin(i, j, A(i,j))", given, {2}});
  checkSentence({"y(k) = x(k) * argmin(j, i, A(i,j))", given, {3}});
  checkSentence({"y(k) = x(k) * argmax(i, j, A(i,j))", given, {3}});
  checkSentence({"y(k) = x(k) * argmax(i, j, -abs(A(i,j)))", given, {1}}); // the first that is missing
  checkSentence({"y(k) = x(k) * argmax(i, j, A(i,j))",
                 {{"A", givenEntries({3, 0}, {})}, {"x", givenEntries({1}, {{{0}, 1}})}},
                 {kInf}});
}

TEST_CASE("a sum of bools is whether any is true", "[sentences]") {
  checkOf("f64(sum(i, x(i) > 0))", {1, 1, 1}, 1);
  checkOf("sum(i, i64(x(i) > 0))", {1, 1, 1}, 3);
}
