// Functions of a sparse operand's entries that several products share, or that loops over further variables repeat.
#include "end_to_end/expressions.h"

#include <catch2/catch.hpp>

namespace spc::testing {
namespace {

const std::vector<Formats> kStorages = {
    {{"S", "csr"}}, {{"S", "csc"}}, {{"S", "coo"}}, {{"S", "dcsr"}}, {{"S", "dense"}}};

/// What random programs of this kind are made of. Each is drawn.
const std::vector<std::string> kEntries = {"S(i,j)", "pattern(S(i,j))", "S(j,i)", "(S(i,j) + 1)"};
const std::vector<std::string> kFunctions = {"exp(E(i,j))", "tanh(sum(k, Q(i,k)*K(j,k)))", "exp(L(i,j) - u(i))",
                                             "sin(S(i,j))", "pow(E(i,j), 2)*exp(E(i,j))",  "cos(u(i) + v(j))",
                                             "exp(E(j,i))", "max(exp(-E(i,j)), 0.5)",      "log1p(abs(T(i,j)))"};
const std::vector<std::string> kFurther = {"V(j,f)", "x(j)",         "V(j,f)*W(i,f)",      "w(i)",     "R(j,f)",
                                           "2",      "tanh(V(j,f))", "exp(x(j) - V(j,f))", "sin(x(j))"};
const std::vector<std::string> kBehind = {
    "", " / d(i)", " / sum(j, PRODUCT)", " - PRODUCT", " + sum(j, PRODUCT*y(j))", " * max(sum(j, PRODUCT), 1)"};

class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  std::string text() {
    std::vector<std::string> factors = {oneOf(kEntries), oneOf(kFunctions)};
    std::string product = inAnyOrder(factors);
    factors.push_back(oneOf(kFurther));
    const bool isWide = factors.back().find('f') != std::string::npos;
    std::string value = inAnyOrder(factors), behind = oneOf(kBehind);
    const bool hasProduct = behind.find("PRODUCT") != std::string::npos,
               hasSum = behind.find("sum") != std::string::npos;
    if (random_.below(2) == 0 || (hasProduct && !hasSum))
      value = "sum(j, " + value + ")";
    for (size_t at = behind.find("PRODUCT"); at != std::string::npos; at = behind.find("PRODUCT"))
      behind.replace(at, 7, product);
    const std::string let = "let L(i,j) = pattern(S(i,j))*E(i,j)\n";
    const std::string target = isWide ? "O(i,f)" : "O(i)";
    return ((value + behind).find("L(") == std::string::npos ? "" : let) + target + oneOf({" = ", " += "}) + value +
           behind;
  }

  Formats formats() {
    const std::vector<std::string> storages = {"csr", "csc", "coo", "dcsr", "ell", "dense", "dia", "ell1+coo"};
    return {{"S", oneOf(storages)}, {"T", oneOf({"csr", "dense"})}, {"R", oneOf({"csr", "dense"})}};
  }

private:
  std::string oneOf(const std::vector<std::string> &choices) {
    return choices[static_cast<size_t>(random_.below(static_cast<int64_t>(choices.size())))];
  }

  std::string inAnyOrder(std::vector<std::string> factors) {
    for (size_t k = factors.size(); k-- > 1;)
      std::swap(factors[k], factors[static_cast<size_t>(random_.below(static_cast<int64_t>(k + 1)))]);
    std::string text;
    for (const std::string &factor : factors)
      text += (text.empty() ? "" : " * ") + factor;
    return text;
  }

  Random random_;
};

} // namespace

TEST_CASE("random products with functions of entries", "[functions-apart]") {
  std::map<std::string, int> drawn;
  const int programs = takesAll() ? 2000 : 80;
  for (int number = 0; number < programs; ++number) {
    RandomProgram random(static_cast<uint64_t>(number));
    KernelSpec spec = specFor(random.text(), random.formats(), static_cast<size_t>(number));
    spec.optLevel = seldomOptimised(static_cast<size_t>(number));
    for (const auto *words : {&kEntries, &kFunctions, &kFurther})
      for (const std::string &word : *words)
        drawn[word] += spec.statements.find(word) != std::string::npos ? 1 : 0;
    std::erase_if(spec.formats,
                  [&](const auto &one) { return spec.statements.find(one.first + "(") == std::string::npos; });
    check(spec);
  }
  for (const auto &[word, count] : drawn) {
    INFO(word);
    CHECK(count > 0);
  }
}

TEST_CASE("products with functions of entries and a further dimension", "[functions-apart]") {
  for (const char *text : {"O(i,f) = S(i,j) * exp(E(i,j)) * V(j,f)", "O(i,f) = V(j,f) / z(i) * (S(i,j) * exp(E(i,j)))",
                           "O(i,f) += -(exp(E(i,j)) * V(j,f) * pattern(S(i,j)) * tanh(E(i,j)))",
                           "O(i,f) = S(i,j) * exp(S(i,j)) * V(j,f) - E(i,f)"})
    checkLowering(text, kStorages);
  checkLowering("O(i,f) = S(i,j) * exp(T(i,j)) * V(j,f)", {{{"S", "csr"}, {"T", "csr"}}, {{"S", "coo"}, {"T", "csc"}}});
}

TEST_CASE("functions of dense factors that a product comes to again and again", "[functions-apart]") {
  const std::vector<Formats> storages = {{{"A", "csr"}}, {{"A", "csc"}}, {{"A", "coo"}}, {{"A", "dense"}}};
  for (const char *text : {"Y(i,k) = A(i,j) * exp(X(j,k))", "Y(i,k) += 2 * tanh(X(j,k) + b(k)) * A(i,j) / d(i)",
                           "y(i) = A(i,j) * exp(u(j)) * log1p(abs(v(j)))", "s = A(i,j) * pow(X(j,k), 2) * B(k,l)",
                           "Y(i,k) = A(i,j) * tanh(sum(l, X(j,l) * W(l,k)))",
                           "Y(i,k) = A(i,j) * exp(X(j,k)) - A(j,i) * exp(X(j,k)) / sum(l, exp(X(j,l)))"})
    checkLowering(text, storages);
}

TEST_CASE("products that share functions of entries", "[functions-apart]") {
  const char *const scores = "sum(k, Q(i,k) * K(j,k))";
  const std::string weights = std::string("S(i,j) * exp(") + scores + ")";
  checkLowering("O(i,f) = sum(j, " + weights + " * V(j,f)) / sum(j, " + weights + ")", kStorages);
  checkLowering(std::string("let E(i,j) = pattern(S(i,j)) * ") + scores +
                    "\nO(i,f) = V(j,f) * exp(E(i,j)) * S(i,j) / sum(j, exp(E(i,j)) * S(i,j))",
                kStorages);
  checkLowering("s = S(i,j) * log(2 + abs(E(i,j))) * x(j) - sum(i, j, log(2 + abs(E(i,j))) * S(i,j) * y(i))",
                kStorages);
  // A copy of diagonals holds their padding, by which a divisor is chosen.
  checkLowering("O(i,f) = sum(j, S(i,j) * V(j,f) * T(i,j)) / d(i)", {{{"S", "dia"}}});
  checkLowering("y(i) = S(i,j) * exp(c(0,i,j)) * x(j)\nw(i) = S(i,j) * exp(c(1,i,j)) * x(j)", kStorages);
  // Sums that stand elsewhere, too, are shared with that, and what is written in between is read anew.
  checkLowering(std::string("s = ") + weights + " + " + weights + " * x(j) + pattern(S(i,j)) * " + scores, kStorages);
  checkLowering("let E(i,j) = D(i,j) * 2\ny(i) = S(i,j) * exp(E(i,j)) * x(j)\nE(i,j) = D(i,j)\n"
                "z(i) = S(i,j) * exp(E(i,j)) * x(j)",
                kStorages);
}

} // namespace spc::testing
