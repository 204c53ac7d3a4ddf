#include "evaluators/cancelling.h"

#include <array>

namespace spc::testing {
namespace {

using sema::ValueType;

class CancellingGenerator {
public:
  explicit CancellingGenerator(uint64_t seed) : random_(seed) {}

  CancellingKernel generate() {
    static constexpr std::array types = {ValueType::F16, ValueType::BF16, ValueType::F32,
                                         ValueType::F32, ValueType::F64,  ValueType::F64};
    using Make = void (CancellingGenerator::*)();
    static constexpr std::array<std::pair<const char *, Make>, 9> kinds = {{
        {"squares", &CancellingGenerator::squares},
        {"sums of differences", &CancellingGenerator::sumsOfDifferences},
        {"one sum", &CancellingGenerator::oneSum},
        {"products of sums", &CancellingGenerator::productsOfSums},
        {"variance", &CancellingGenerator::variance},
        {"products of sum()", &CancellingGenerator::productsOfReductions},
        {"distances", &CancellingGenerator::distances},
        {"factorisation", &CancellingGenerator::factorisation},
        {"quotients", &CancellingGenerator::quotients},
    }};
    const auto &[name, make] = kinds[static_cast<size_t>(random_.below(kinds.size()))];
    spec_.type = types[static_cast<size_t>(random_.below(types.size()))];
    if (random_.below(4) == 0)
      types_.push_back(ValueType::F64);
    (this->*make)();
    for (const char *tensor : {"A", "B", "C", "D"})
      if (spec_.statements.find(std::string(tensor) + "(") != std::string::npos)
        bindMatrix(tensor);
    if (spec_.statements.find("Y(i,j) =") != std::string::npos && random_.below(3) == 0)
      spec_.formats["Y"] = oneOf({"csr", "csc", "coo"});
    if (!types_.empty() && spec_.formats.contains("B"))
      spec_.types["B"] = types_.front();
    spec_.optLevel = static_cast<int>(random_.below(4));
    spec_.strictFp = random_.below(6) == 0;
    if (random_.below(3) == 0)
      spec_.chunk = 1 + random_.below(4);
    return {name, std::move(spec_)};
  }

private:
  std::string oneOf(std::initializer_list<const char *> texts) {
    return *(texts.begin() + random_.below(static_cast<int64_t>(texts.size())));
  }

  void bindMatrix(const std::string &tensor) {
    const std::string format = oneOf({"csr", "csr", "csr", "dcsr", "csc", "coo", "bsr2x3", "ell4+coo", "dia", "dense"});
    if (format != "dense")
      spec_.formats[tensor] = format;
  }

  /// The target of a value over i and j, with the variables that it has.
  std::string target() { return oneOf({"l", "y(i)", "w(j)", "Y(i,j)"}); }

  std::string matrix() { return oneOf({"A(i,j)", "B(i,j)", "C(i,j)", "D(i,j)"}); }

  std::string addend() {
    switch (random_.below(8)) {
    case 0:
      return "x(j)";
    case 1:
      return "b(i)";
    case 2:
      return matrix() + "*s";
    case 3:
      return matrix() + "*x(j)";
    case 4:
      return "b(i)*z(j)";
    default:
      return matrix();
    }
  }

  /// A sum whose addends nearly cancel, mostly.
  std::string sum() {
    std::string text = "(" + matrix() + oneOf({" - ", " - ", " - ", " + "}) + addend();
    if (random_.below(4) == 0)
      text += oneOf({" - ", " + "}) + addend();
    return text + ")";
  }

  std::string plain() { return oneOf({"x(j)", "z(j)", "b(i)", "s", "A(i,j)", "(x(j) - z(j))", "(b(i) - c(i))", "2"}); }

  void state(const std::string &text) { spec_.statements += (spec_.statements.empty() ? "" : "\n") + text; }

  void squares() {
    const std::string difference = sum();
    state(target() + " = " + difference + "*" + difference + (random_.below(3) == 0 ? "*" + plain() : ""));
  }

  void sumsOfDifferences() {
    state(oneOf({"l = sum(i,j, ", "l = s*sum(i,j, "}) + sum() + oneOf({")", "*x(j))", "/b(i))"}));
  }

  void oneSum() { state(target() + " = " + sum() + "*" + plain() + (random_.below(2) == 0 ? "*" + plain() : "")); }

  void productsOfSums() {
    state(target() + oneOf({" = ", " = ", " += "}) + sum() + "*" + sum() + (random_.below(3) == 0 ? "*" + sum() : "") +
          (random_.below(3) == 0 ? " - " + sum() + "*" + plain() : ""));
  }

  void variance() {
    switch (random_.below(4)) {
    case 0:
      return state("w(j) = mean(i, A(i,j)*A(i,j)) - mean(i, A(i,j))*mean(i, A(i,j))");
    case 1:
      return state("let m(i) = mean(j, A(i,j))\ny(i) = mean(j, (A(i,j) - m(i))*(A(i,j) - m(i)))");
    case 2:
      return state("let m(i) = mean(j, A(i,j))\nlet n(i) = mean(j, B(i,j))\n"
                   "y(i) = mean(j, (A(i,j) - m(i))*(B(i,j) - n(i)))");
    default:
      return state("let m(j) = mean(i, A(i,j))\nY(i,k) = (A(i,j) - m(j))*U(j,k)");
    }
  }

  std::string reduction() {
    return oneOf({"sum(j, A(i,j) - B(i,j))", "sum(j, A(i,j)*x(j))", "sum(j, (A(i,j) - C(i,j))*x(j))",
                  "sum(j, x(j) - z(j))", "mean(j, B(i,j))"});
  }

  void productsOfReductions() {
    state(oneOf({"y(i) = ", "l = "}) + reduction() + "*" + reduction() +
          (random_.below(3) == 0 ? "*" + reduction() : "") + (random_.below(3) == 0 ? "*b(i)" : ""));
  }

  void distances() {
    state(oneOf({"Y(i,j) = A(i,j)*(U(i,k) - V(j,k))*(U(i,k) - V(j,k))", "Y(i,j) = (U(i,k) - V(j,k))*(U(i,k) - V(j,k))",
                 "l = A(i,j)*(U(i,k) - V(j,k))*(U(i,k) - V(j,k))"}));
  }

  void factorisation() {
    state(oneOf({"let P(i,j) = pattern(A(i,j))*U(i,k)*V(j,k)\n", "let P(i,j) = U(i,k)*V(j,k)\n"}) +
          oneOf({"l = ", "y(i) = "}) +
          oneOf({"(A(i,j) - P(i,j)/3)*(A(i,j) - P(i,j)/3)", "(A(i,j) - P(i,j)/3)*x(j)", "(A(i,j) - P(i,j)/3)*A(i,j)"}));
  }

  void quotients() {
    state(target() + " = " + sum() + oneOf({"*", "/"}) + "(s + 3)/" + oneOf({"b(i)", "x(j)", "(x(j) + z(j))"}));
  }

  Random random_;
  KernelSpec spec_;
  std::vector<ValueType> types_;
};

} // namespace

CancellingKernel generateCancelling(uint64_t seed) {
  return CancellingGenerator(seed).generate();
}

Trial cancellingTrial(const CancellingKernel &kernel, int extentClasses, uint64_t seed) {
  static constexpr std::array<int64_t, 6> extents = {1, 2, 3, 5, 9, 17};
  static constexpr std::array fills = {Fill::Random, Fill::Random,    Fill::Full,
                                       Fill::Full,   Fill::EmptyRows, Fill::OneRow};
  Random random(seed);
  Trial trial;
  for (int k = 0; k < extentClasses; ++k)
    trial.extents.push_back(extents[static_cast<size_t>(random.below(extents.size()))]);
  trial.fill = fills[static_cast<size_t>(random.below(fills.size()))];
  if (random.below(3) == 0)
    trial.otherFill = Fill::Full;
  trial.seed = seed;
  const bool isWide = random.below(3) == 0; // 1000 ± 1
  const auto spread = [&]() -> double {
    switch (kernel.spec.type) {
    case sema::ValueType::F16:
      return 0x1p-7;
    case sema::ValueType::BF16:
      return 0x1p-4;
    case sema::ValueType::F32:
      return random.below(2) ? 1e-4 : 1e-6;
    default:
      return random.below(2) ? 1e-4 : 1e-8;
    }
  };
  trial.near = isWide && sema::bytesOf(kernel.spec.type) > 2 ? Near{1000, 1e-3} : Near{1.5, spread()};
  return trial;
}

} // namespace spc::testing
