#include "fuzz/generator.h"

#include "fuzz/kernel_words.h"
#include "harness/level_lists.h"

#include <algorithm>
#include <array>

namespace spc::testing {
namespace {

const std::vector<std::string> kVariables = {"i", "j", "k", "l"};

std::vector<std::string> joined(std::vector<std::string> formats, const std::vector<std::string> &more) {
  formats.insert(formats.end(), more.begin(), more.end());
  return formats;
}

const std::vector<std::string> &allFormats(int64_t order) {
  static const std::vector<std::vector<std::string>> formats = {
      {},
      kVectorFormats,
      joined(joined(kMatrixFormats, kLooseMatrixFormats), {"ell4+coo", "ell1+csr", "nm24+csc"}),
      kThirdOrderFormats,
      kFourthOrderFormats,
  };
  return formats[static_cast<size_t>(order)];
}

enum class Kind { Bool, Integer, Float, Complex };

const std::vector<sema::ValueType> &typesOf(Kind kind) {
  using sema::ValueType;
  static const std::vector<sema::ValueType> types[] = {
      {ValueType::Bool},
      // The evaluator's doubles do not hold what wraps around in u64.
      {ValueType::I8, ValueType::I16, ValueType::I32, ValueType::I64, ValueType::U8, ValueType::U16, ValueType::U32},
      {ValueType::F64, ValueType::F64, ValueType::F64, ValueType::F32, ValueType::F32, ValueType::F16, ValueType::BF16},
      {ValueType::CF32, ValueType::CF64}};
  return types[static_cast<size_t>(kind)];
}

class Generator {
  bool chance(int64_t percent) { return random_.below(100) < percent; }

  template <typename Range> const auto &pick(const Range &range) {
    return range[static_cast<size_t>(random_.below(static_cast<int64_t>(range.size())))];
  }

public:
  explicit Generator(Random random) : random_(std::move(random)) {}

  KernelSpec generate() {
    kind_ = chance(76) ? Kind::Float : chance(60) ? Kind::Integer : chance(70) ? Kind::Complex : Kind::Bool;
    const int64_t statements = chance(25) ? 2 : chance(5) ? 3 : 1;
    for (int64_t k = 0; k < statements; ++k) {
      const bool isAgain = k > 0 && chance(20);
      spec_.statements +=
          (k ? "\n" : "") + (isAgain ? again() : statement("R" + std::to_string(k), k + 1 < statements && chance(40)));
    }
    spec_.type = pick(typesOf(kind_));
    spec_.index.pointers = indexType();
    spec_.index.indices = indexType();
    for (const Operand &operand : operands_)
      if (chance(10))
        spec_.types[operand.name] = pick(typesOf(kind_));
    for (const Operand &operand : operands_)
      if (operand.isSparse && (kind_ == Kind::Float || kind_ == Kind::Integer) && chance(6))
        spec_.fills[operand.name] = pick(std::array<const char *, 4>{"inf", "-inf", "1", "2"});
    for (const auto &[tensor, spelling] : spec_.formats)
      shareStructure(tensor, spelling);
    spec_.optLevel = chance(15) ? 3 : static_cast<int>(random_.below(2));
    return spec_;
  }

private:
  struct Operand {
    std::string name;
    int64_t order;
    bool isSparse;
  };

  format::IndexType indexType() {
    if (chance(70))
      return format::IndexType::I32;
    return chance(60) ? format::IndexType::I64 : chance(50) ? format::IndexType::U16 : format::IndexType::U8;
  }

  /// Now and then gives an operand the structure of another one, in place of a format of its own.
  void shareStructure(const std::string &tensor, const std::string &format) {
    const auto isOperand = [](const std::string &name) { return name.front() == 'A'; };
    for (const auto &[owner, spelling] : spec_.formats)
      if (owner < tensor && isOperand(owner) && isOperand(tensor) && spelling == format && chance(30)) {
        spec_.formats[tensor] = "structure of " + owner;
        return;
      }
  }

  /// Division and fractions are for floats and complex numbers, differences for all but bools.
  bool hasFractions() const { return kind_ == Kind::Float || kind_ == Kind::Complex; }
  bool hasDifferences() const { return kind_ != Kind::Bool; }

  std::string anyFormat(int64_t order) {
    if (chance(25))
      return "@" + randomLevels(static_cast<int>(order), random_);
    return pick(chance(60) ? kCommon[static_cast<size_t>(order)] : allFormats(order));
  }

  /// Writes the last statement's target once more.
  std::string again() { return statement(std::string(operands_.back().name), operands_.back().order); }

  std::string statement(const std::string &target, bool isTemporary) {
    const auto order = static_cast<int64_t>(chance(10) ? 3 : random_.below(3));
    bindOutput(target, order);
    if (order == 2 && chance(5))
      return symmetricStatement(target);
    return (isTemporary ? "let " : "") + statement(target, order, isTemporary);
  }

  /// A result of which one triangle is stored, or that is stored in parts.
  std::string symmetricStatement(const std::string &target) {
    const Operand operand{"A" + std::to_string(operands_.size()), 2, true};
    spec_.formats[operand.name] = anyFormat(2);
    spec_.formats[target] = pick(kPartialFormats);
    operands_.insert(operands_.end(), {operand, {target, 2, false}});
    const std::string text = access(target, {"i", "j"}) + (chance(25) ? " += " : " = ");
    const std::string own = operand.name + "(i,j)", mirrored = operand.name + "(j,i)";
    if (chance(30))
      return text + access(operand.name, {"i", "k"}) + " * " + access(operand.name, {"j", "k"});
    const bool hasOrder = kind_ == Kind::Float || kind_ == Kind::Integer;
    return text + (hasOrder && chance(50) ? "max(" + mirrored + ", " + own + ")" : own + " + " + mirrored);
  }

  std::string statement(const std::string &target, int64_t order, bool isTemporary = false) {
    std::vector<std::string> free = kVariables;
    std::vector<std::string> indices;
    for (int64_t dim = 0; dim < order; ++dim) {
      indices.push_back(pick(free));
      free.erase(std::find(free.begin(), free.end(), indices.back()));
    }
    targets_ = indices;
    reductions_.assign(free.begin(),
                       free.begin() + std::min<int64_t>(static_cast<int64_t>(free.size()), random_.below(3)));
    std::string text = access(target, indices) + (isTemporary ? " = " : assignment()) + term();
    for (int64_t more = chance(40) ? 1 + random_.below(2) : 0; more > 0; --more)
      text += (chance(60) || !hasDifferences() ? " + " : " - ") + term();
    if (chance(6))
      text += " + " + access(target, indices);
    operands_.push_back({target, order, false});
    return text;
  }

  std::string assignment() {
    if (kind_ != Kind::Complex && kind_ != Kind::Bool && chance(4))
      return chance(50) ? " min= " : " max= ";
    return chance(25) ? " += " : " = ";
  }

  void bindOutput(const std::string &target, int64_t order) {
    if (order > 0 && chance(45))
      spec_.formats[target] = "dense";
    else if (order > 0 && chance(40))
      spec_.formats[target] = anyFormat(order);
  }

  std::string term() {
    std::string text = chance(8) && hasDifferences() ? "-" : "";
    text += factor();
    for (int64_t more = random_.below(3); more > 0; --more)
      text += " * " + factor();
    if (chance(12) && hasFractions())
      text += " / " + divisor();
    return text;
  }

  std::string factor() {
    if (kind_ != Kind::Complex && chance(14))
      return call();
    if (kind_ == Kind::Complex && chance(4))
      return "complex(real(" + operandAccess(false) + "), " + (chance(50) ? "imag(" : "abs(") + operandAccess(false) +
             "))";
    if (kind_ == Kind::Complex && chance(16))
      return pick(kFunctionsOfComplex) + operandAccess(false) + (chance(30) ? " + " + operandAccess(false) : "") + ")";
    if ((kind_ == Kind::Float || kind_ == Kind::Integer) && chance(5))
      return chance(50) ? numericCall() : chance(50) && !targets_.empty() ? "(" + pick(targets_) + " + 1)" : count();
    if (kind_ != Kind::Complex && chance(6))
      return mask();
    const int64_t kind = random_.below(100);
    if (kind < 76)
      return operandAccess(/*mustBeDense=*/false);
    if (kind < 83)
      return literal();
    if (kind < 88)
      return chance(50) || !hasDifferences() ? "alpha" : "-beta";
    if (kind < 95)
      return "(" + operandAccess(false) + (chance(50) || !hasDifferences() ? " + " : " - ") +
             (chance(30) ? literal() : operandAccess(false)) + ")";
    if ((kind_ == Kind::Float || kind_ == Kind::Integer) && chance(20))
      return explicitSum(absorbingSum(operandAccess(false)));
    return explicitSum(operandAccess(false) + " * " + operandAccess(false));
  }

  std::string mask() {
    const std::string access = operandAccess(/*mustBeDense=*/false);
    if (access.find('(') == std::string::npos)
      return access;
    const std::string condition = comparison(access, literal());
    return chance(30)   ? "where(" + condition + ", " + access + ")"
           : chance(50) ? "pattern(" + access + ")"
                        : "(not pattern(" + access + "))";
  }

  std::string places() { return targets_[0] + (chance(80) ? " == " : " != ") + targets_[1] + (chance(20) ? "+1" : ""); }
  std::string call() {
    const auto given = [&] { return operandAccess(/*mustBeDense=*/false) + (chance(15) ? " * " + mask() : ""); };
    const auto operand = [&] { return chance(20) ? literal() : given(); };
    const std::string first = operandAccess(false), second = operand(), function = functionOfOne();
    switch (kind_ == Kind::Bool ? 4 + random_.below(2) : random_.below(7)) {
    case 0:
    case 1:
      return function + (function == "sqrt" || function == "log1p" ? "(abs(" : "((") +
             (hasFractions() && chance(30) ? first + " - " + second : first) + "))";
    case 2:
      return std::string(chance(20) ? "f" : "") + (chance(50) ? "min(" : "max(") + first + ", " + second +
             (chance(20) ? ", " + call() : "") + ")";
    case 3:
      return "(" + comparison(first, second) + ")";
    case 4:
      return "(" + first +
             (chance(50)   ? " and "
              : chance(60) ? " or "
                           : " xor ") +
             (chance(20) ? "not " : "") + second + ")";
    case 5:
      return "(not " + first + ")";
    default:
      return "select(" + (targets_.size() > 1 && chance(25) ? places() : comparison(first, second)) + ", " + operand() +
             ", " + operand() + ")";
    }
  }

  /// Functions of two numbers, and conversions.
  std::string numericCall() {
    const std::string first = operandAccess(/*mustBeDense=*/false);
    const bool isFloat = kind_ == Kind::Float;
    if (!isFloat && chance(50))
      return pick(kFunctionsOfIntegers) + first + ", " + (chance(30) ? literal() : operandAccess(false)) + ")";
    switch (random_.below(isFloat ? 8 : 4)) {
    case 0:
      return "(" + first + " % " + (isFloat ? "1.25" : "3") + ")";
    case 1:
    case 2:
      return absorbingSum(first);
    case 3:
      return (isFloat ? chance(50) ? "f32(" : "i32(" : "i32(") + first + ")";
    case 4:
      return "atan2(" + first + ", " + operandAccess(false) + ")";
    case 5:
      return "copysign(" + first + ", " + operandAccess(false) + ")";
    case 6:
      return "pow(abs(" + first + "), " + (chance(50) ? "2" : "1.5") + ")";
    default:
      return "log(abs(" + first + ") + 1)";
    }
  }

  std::string absorbingSum(const std::string &first) {
    return (chance(50) ? "minplus(" : "maxplus(") + first + ", " + operandAccess(false) + ")";
  }

  std::string count() {
    const std::string access = operandAccess(/*mustBeDense=*/false);
    const std::string &variable = pick(kVariables);
    const bool isTarget = std::find(targets_.begin(), targets_.end(), variable) != targets_.end();
    const bool isPlain = access.find('(') != std::string::npos && access.find_first_of("+*") == std::string::npos;
    return isPlain && !isTarget && access.find(variable) != std::string::npos
               ? "count(" + variable + ", " + access + ")"
               : access;
  }

  std::string comparison(const std::string &left, const std::string &right) {
    return left + pick(kComparisons) + right;
  }

  std::string functionOfOne() {
    return hasFractions() && chance(75) ? pick(kFunctionsOfFloats) : pick(kFunctionsOfAll);
  }

  std::string divisor() {
    switch (random_.below(5)) {
    case 0:
      return literal();
    case 1:
      return "alpha";
    case 2:
      return operandAccess(/*mustBeDense=*/true);
    case 3:
      return "(" + operandAccess(true) + " * " + operandAccess(true) + " + 9)";
    default: {
      const std::string squared = operandAccess(true);
      return explicitSum("(" + squared + " * " + squared + " + 1)", /*isDivisor=*/true);
    }
    }
  }

  /// A divisor is no place, which may be 0.
  std::string explicitSum(const std::string &body, bool isDivisor = false) {
    const std::string &variable = reductions_.empty() || chance(30) ? pick(kVariables) : pick(reductions_);
    if (body.find(variable) == std::string::npos)
      return "(" + body + ")";
    if (hasFractions() && chance(8))
      return "mean(" + variable + ", " + body + ")";
    const bool isSum = kind_ == Kind::Complex || kind_ == Kind::Bool || chance(70);
    const char *reduction = isSum ? "sum" : kReductions[static_cast<size_t>(random_.below(isDivisor ? 5 : 7))];
    std::string over = variable;
    for (const std::string &one : reductions_)
      over += reduction[0] == 'a' && one != variable && body.find(one) < body.size() && chance(50) ? ", " + one : "";
    return std::string(reduction) + "(" + over + ", " + body + ")";
  }

  std::string literal() { return hasFractions() ? pick(kLiterals) : hasDifferences() ? "2" : "1"; }

  std::string operandAccess(bool mustBeDense) {
    const Operand operand = chooseOperand(mustBeDense);
    std::vector<std::string> free = targets_;
    free.insert(free.end(), reductions_.begin(), reductions_.end());
    std::vector<std::string> indices;
    for (int64_t dim = 0; dim < operand.order; ++dim) {
      if (free.empty() || chance(3))
        free = kVariables;
      indices.push_back(pick(free));
      free.erase(std::find(free.begin(), free.end(), indices.back()));
      if (chance(4))
        indices.back() = derivedFrom(indices, operand.isSparse);
    }
    return access(operand.name, indices);
  }

  /// In place of the last index: a constant, another index once more, or, of a dense tensor, a window.
  std::string derivedFrom(const std::vector<std::string> &indices, bool isSparse) {
    const std::string &own = indices.back();
    switch (random_.below(isSparse ? 2 : 5)) {
    case 0:
      return std::to_string(random_.below(3));
    case 1:
      return indices.front();
    case 2:
      return own + "+1";
    case 3:
      return "2*" + own;
    default:
      return own + "+" + pick(kVariables);
    }
  }

  Operand chooseOperand(bool mustBeDense) {
    std::vector<Operand> known;
    for (const Operand &operand : operands_)
      // An earlier result may be 0, and padding divided by 0 is no number where a missing entry is none.
      if (!mustBeDense || (!operand.isSparse && operand.name.front() != 'R'))
        known.push_back(operand);
    if (!known.empty() && (operands_.size() > 6 || chance(20)))
      return pick(known);
    const size_t most = targets_.size() + reductions_.size();
    int64_t order = most == 0 ? 0 : 1 + random_.below(static_cast<int64_t>(std::min<size_t>(most, chance(15) ? 4 : 2)));
    Operand operand{(mustBeDense ? "d" : "A") + std::to_string(operands_.size()), order, false};
    operand.isSparse = !mustBeDense && order > 0 && chance(60);
    if (operand.isSparse)
      spec_.formats[operand.name] = anyFormat(order);
    operands_.push_back(operand);
    return operand;
  }

  static std::string access(const std::string &tensor, const std::vector<std::string> &indices) {
    std::string text = tensor;
    for (size_t dim = 0; dim < indices.size(); ++dim)
      text += (dim == 0 ? "(" : ",") + indices[dim];
    return indices.empty() ? text : text + ")";
  }

  Random random_;
  Kind kind_ = Kind::Float;
  KernelSpec spec_;
  std::vector<Operand> operands_;
  std::vector<std::string> targets_;
  std::vector<std::string> reductions_;
};

} // namespace

KernelSpec generateKernel(uint64_t seed) {
  return generateKernel(Random(seed));
}

KernelSpec generateKernel(Random random) {
  return Generator(std::move(random)).generate();
}

} // namespace spc::testing
