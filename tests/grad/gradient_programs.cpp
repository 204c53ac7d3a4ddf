#include "grad/gradient_programs.h"

#include <algorithm>
#include <utility>

namespace spc::testing {
namespace {

/// A tensor that statements may read, with an extent's letter for each dimension.
struct Readable {
  std::string name, dims;
  bool isSparse = false;
  bool isInteger = false;
};

class ProgramWriter {
public:
  explicit ProgramWriter(uint64_t seed) : random_(seed) {}

  GradientCase write() {
    chooseOperands();
    const int64_t statements = 1 + random_.below(4);
    for (int64_t k = 0; k < statements; ++k)
      addStatement(k + 1 == statements);
    chooseEnds();
    result_.text = declarations_ + body_;
    return std::move(result_);
  }

private:
  /// Index variables by extent: two each, so that one tensor may be read twice; others in each statement.
  std::string variablesOf(char extent) const { return letters_.at(extent); }

  void shuffleLetters() {
    std::string pool = "ijkuvw";
    for (size_t k = pool.size(); oneIn(2) && k > 1; --k)
      std::swap(pool[k - 1], pool[static_cast<size_t>(random_.below(static_cast<int64_t>(k)))]);
    letters_ = {{'m', {pool[0], pool[3]}}, {'n', {pool[1], pool[4]}}, {'p', {pool[2], pool[5]}}};
  }

  bool oneIn(int64_t n) { return random_.below(n) == 0; }
  template <typename List> const auto &pick(const List &list) {
    return list[static_cast<size_t>(random_.below(static_cast<int64_t>(list.size())))];
  }

  void chooseOperands() {
    static const std::vector<Readable> pool = {
        {"a", "m"},        {"b", "n"},         {"c", "p"},        {"alpha", ""},          {"A", "mn"},
        {"B", "np"},       {"C", "mp"},        {"Q", "mm"},       {"S", "mn", true},      {"R", "nn", true},
        {"T", "mn", true}, {"U", "mnp", true}, {"F", "mn", true}, {"h", "n", false, true}};
    for (const Readable &one : pool)
      if (random_.below(5) < 3)
        readable_.push_back(one);
    if (readable_.size() < 3)
      readable_ = {pool[0], pool[1], pool[4], pool[8]};
    for (const Readable &one : readable_) {
      declarations_ += "tensor " + one.name + extentsOf(one.dims) + (one.isInteger ? ": i32" : ": f64") +
                       (one.isSparse ? ", sparse" : "") + (one.name == "F" ? ", fill inf" : "") + "\n";
      if (one.isSparse)
        result_.formats[one.name] = one.dims.size() == 3 ? "csf" : one.name == "R" && oneIn(2) ? "csc" : "csr";
    }
  }

  static std::string extentsOf(const std::string &dims) {
    std::string text;
    for (const char dim : dims)
      text += (text.empty() ? "(" : ", ") + std::string(1, dim);
    return text.empty() ? "" : text + ")";
  }

  using Variables = std::vector<std::pair<std::string, char>>; ///< with their extents

  std::string accessTo(const Readable &tensor, const Variables &scope, bool mayAdd, Variables &added) {
    std::string text;
    for (const char dim : tensor.dims) {
      std::vector<std::string> fitting;
      for (const auto &[name, extent] : scope)
        if (extent == dim)
          fitting.push_back(name);
      for (const auto &[name, extent] : added)
        if (extent == dim)
          fitting.push_back(name);
      std::string variable;
      if (mayAdd && (fitting.empty() || oneIn(3)))
        variable = std::string(1, pick(variablesOf(dim)));
      else if (!fitting.empty())
        variable = pick(fitting);
      else
        return "";
      const auto isKnown = [&](const auto &one) { return one.first == variable; };
      if (std::none_of(scope.begin(), scope.end(), isKnown) && std::none_of(added.begin(), added.end(), isKnown))
        added.emplace_back(variable, dim);
      text += (text.empty() ? "(" : ",") + variable;
    }
    return tensor.name + (text.empty() ? "" : text + ")");
  }

  std::string read(const Variables &scope, bool mayAdd, Variables &added) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Readable tensor = pick(readable_);
      if (tensor.isInteger && !oneIn(3))
        continue;
      if (tensor.name == "F" && !oneIn(4))
        continue;
      const Variables before = added;
      if (std::string text = accessTo(tensor, scope, mayAdd, added); !text.empty())
        return text;
      added = before;
    }
    return oneIn(2) ? "1.5" : "0.75";
  }

  /// An expression over the variables that are there.
  std::string inner(const Variables &scope, int depth) {
    Variables none;
    switch (depth <= 0 ? 0 : random_.below(16)) {
    case 0:
      if (oneIn(4))
        if (std::string text = special(scope); !text.empty())
          return text;
      [[fallthrough]];
    case 1:
      return read(scope, false, none);
    case 2:
      return "(" + inner(scope, depth - 1) + " + " + inner(scope, depth - 1) + ")";
    case 3:
      return "(" + inner(scope, depth - 1) + " - " + inner(scope, depth - 1) + ")";
    case 4:
    case 5:
      return inner(scope, depth - 1) + " * " + inner(scope, depth - 1);
    case 6:
      return "(" + inner(scope, depth - 1) + ") / (" + divisor(scope, depth - 1) + ")";
    case 7:
    case 8:
    case 9:
      return functionOf(scope, depth);
    case 10:
      return "select(" + condition(scope, depth - 1) + ", " + inner(scope, depth - 1) + ", " + inner(scope, depth - 1) +
             ")";
    case 11:
      return std::string(oneIn(2) ? "min" : "max") + "(" + inner(scope, depth - 1) + ", " + inner(scope, depth - 1) +
             (oneIn(3) ? ", " + inner(scope, depth - 1) : "") + ")";
    case 12:
      return "-" + ("(" + inner(scope, depth - 1) + ")");
    default:
      return reductionOf(scope, depth);
    }
  }

  std::string divisor(const Variables &scope, int depth) {
    const std::string value = inner(scope, depth);
    return oneIn(3) ? value : "1.25 + (" + value + ") * (" + value + ")";
  }

  std::string condition(const Variables &scope, int depth) {
    static const std::vector<std::string> operators = {" and ", " or ", " xor "};
    const std::string one = truth(scope, depth);
    return oneIn(4)   ? "not (" + one + ")"
           : oneIn(3) ? "(" + one + ")" + pick(operators) + "(" + truth(scope, depth - 1) + ")"
                      : one;
  }

  /// A comparison, a pattern, or a number, of which any but 0 is true.
  std::string truth(const Variables &scope, int depth) {
    static const std::vector<std::string> comparisons = {"<", "<=", ">", ">="};
    switch (random_.below(8)) {
    case 0:
      if (const std::string pattern = patternFactor(scope); !pattern.empty())
        return pattern;
      break;
    case 1:
      return inner(scope, depth - 1);
    case 2:
      for (const auto &[variable, extent] : scope)
        if (extent == 'n' && oneIn(2))
          return useOf(oneIn(2) ? "E" : "h") + "(" + variable + ")";
      break;
    case 3:
      if (!scope.empty())
        return pick(scope).first + (oneIn(2) ? " > 0" : " < " + pick(scope).first);
      break;
    default:
      break;
    }
    return inner(scope, depth - 1) + " " + pick(comparisons) + " " + inner(scope, depth - 1);
  }

  /// A tensor that is declared where it is used.
  std::string useOf(const std::string &name) {
    static const std::map<std::string, std::string> declarations = {
        {"E", "(n): bool"}, {"h", "(n): i32"}, {"W", "(12): f64"}, {"K", "(3, n): f64"}};
    const std::string line = "tensor " + name + declarations.at(name) + "\n";
    if (declarations_.find(line) == std::string::npos) {
      declarations_ += line;
      if (name == "W" || name == "K")
        special_.push_back({name, "*"});
    }
    return name;
  }

  /// A window, or a row of a matrix; empty where nothing fits.
  std::string special(const Variables &scope) {
    if (scope.empty())
      return "";
    const auto &[variable, extent] = pick(scope);
    if (extent == 'n' && oneIn(2))
      return useOf("K") + "(" + std::to_string(random_.below(3)) + "," + variable + ")";
    return useOf("W") + "(" + (oneIn(2) ? "2*" : "") + variable + " + " + std::to_string(1 + random_.below(3)) + ")";
  }

  std::string functionOf(const Variables &scope, int depth) {
    static const std::vector<std::string> ofOne = {
        "abs",  "relu", "sqrt", "cbrt",    "exp",  "expm1", "log",   "log1p", "sin",      "cos",  "tan",
        "tanh", "erf",  "gelu", "sigmoid", "f64",  "floor", "ceil",  "round", "trunc",    "exp2", "log2",
        "sinh", "cosh", "asin", "acos",    "atan", "asinh", "acosh", "atanh", "roundeven"};
    const std::string argument = inner(scope, depth - 1);
    if (oneIn(5)) {
      static const std::vector<std::string> powers = {"2", "3", "0.5", "-1", "1", "0", "-1.5"};
      if (oneIn(3))
        return "pow(abs(" + argument + ") + 0.25, " + inner(scope, depth - 1) + ")";
      return oneIn(2) ? "pow(" + argument + ", " + pick(powers) + ")"
                      : "atan2(" + argument + ", " + inner(scope, depth - 1) + ")";
    }
    if (oneIn(12))
      return "(" + argument + ") % (" + inner(scope, depth - 1) + ")";
    if (oneIn(12))
      return (oneIn(2) ? "minplus(" : "maxplus(") + argument + ", " + inner(scope, depth - 1) + ")";
    if (oneIn(12))
      return (oneIn(2) ? "copysign(" : oneIn(2) ? "fmin(" : "fmax(") + argument + ", " + inner(scope, depth - 1) + ")";
    const std::string &name = pick(ofOne);
    const bool wantsPositive = name == "sqrt" || name == "log" || name == "log1p" || name == "log2";
    return name + "(" + (wantsPositive && !oneIn(4) ? "abs(" + argument + ") + 0.5" : argument) + ")";
  }

  /// A reduction over a variable that is new here.
  std::string reductionOf(const Variables &scope, int depth) {
    static const std::vector<std::string> kinds = {"sum", "sum", "min", "max", "mean", "prod", "max"};
    const char extent = pick(std::string("mnp"));
    std::string variable;
    for (const char one : variablesOf(extent))
      if (std::none_of(scope.begin(), scope.end(), [&](const auto &known) { return known.first[0] == one; }))
        variable = std::string(1, one);
    if (variable.empty())
      return inner(scope, depth - 1);
    Variables within = scope;
    within.emplace_back(variable, extent);
    std::string indexed;
    for (int attempt = 0; attempt < 6 && indexed.empty(); ++attempt) {
      Variables none;
      const Readable tensor = pick(readable_);
      const std::string text = tensor.isInteger || tensor.name == "F" ? "" : accessTo(tensor, within, false, none);
      if (text.find("(" + variable) != std::string::npos || text.find("," + variable) != std::string::npos)
        indexed = text;
    }
    if (indexed.empty())
      return inner(scope, depth - 1);
    std::string body = oneIn(3)   ? indexed
                       : oneIn(2) ? indexed + " * " + inner(within, depth - 1)
                       : oneIn(2) ? indexed + " + " + inner(within, depth - 1)
                                  : inner(scope, depth - 1) + (oneIn(2) ? " + " : " - ") + indexed;
    return pick(kinds) + "(" + variable + ", " + body + ")";
  }

  /// A product whose new variables are summed over.
  std::string product(const Variables &target) {
    Variables added;
    std::string text = read(target, true, added);
    for (int64_t more = random_.below(3); more > 0; --more)
      text += " * " + read(target, true, added);
    Variables scope = target;
    scope.insert(scope.end(), added.begin(), added.end());
    if (oneIn(2))
      text += " * " + (oneIn(3) ? "(" + inner(scope, 1) + " + " + plainFactor(scope) + ")" : inner(scope, 2));
    if (oneIn(6))
      text += " / (" + divisor(scope, 1) + ")";
    if (oneIn(6))
      if (const std::string mask = patternFactor(scope); !mask.empty())
        text = mask + " * " + text;
    if (oneIn(8) && !scope.empty())
      text += " * (" + pick(scope).first + " + 1)";
    return text;
  }

  std::string plainFactor(const Variables &scope) {
    Variables none;
    return read(scope, false, none);
  }

  std::string patternFactor(const Variables &scope) {
    for (const Readable &tensor : readable_) {
      Variables none;
      if (!tensor.isSparse || !oneIn(2))
        continue;
      const std::string text = accessTo(tensor, scope, false, none);
      const bool isDiagonal = tensor.dims == "nn" && text[2] == text[4];
      if (!text.empty() && !isDiagonal)
        return oneIn(6) ? "(not pattern(" + text + "))" : "pattern(" + text + ")";
    }
    return "";
  }

  Variables targetOf(std::string &dims) {
    static const std::vector<std::string> shapes = {"", "m", "n", "mn", "mn", "mp", "p", "nm"};
    dims = pick(shapes);
    Variables variables;
    for (const char dim : dims)
      variables.emplace_back(std::string(1, variablesOf(dim)[0]), dim);
    return variables;
  }

  void addStatement(bool isLast) {
    shuffleLetters();
    std::string dims;
    Variables target = targetOf(dims);
    const bool rewrites = !written_.empty() && oneIn(4) && (!isLast || !outputs_.empty());
    const Readable old = rewrites ? pick(written_) : Readable{};
    if (rewrites) {
      dims = old.dims;
      target.clear();
      for (const char dim : dims)
        target.emplace_back(std::string(1, variablesOf(dim)[0]), dim);
    }
    const std::string name = rewrites ? old.name : "y" + std::to_string(written_.size());
    const bool isTemporary = !rewrites && !isLast && oneIn(2);
    std::string indices;
    for (const auto &[variable, extent] : target)
      indices += (indices.empty() ? "(" : ",") + variable;
    const std::string left = name + (indices.empty() ? "" : indices + ")");
    static const std::vector<std::string> assignments = {" = ", " += ", " += ", " min= ", " max= "};
    const std::string &assignment = rewrites ? pick(assignments) : assignments.front();
    std::string right;
    if (assignment == " min= " || assignment == " max= ") {
      Variables added;
      right = read(target, true, added);
      target.insert(target.end(), added.begin(), added.end());
      right += oneIn(2) ? " * " + inner(target, 1) : "";
    } else {
      right = oneIn(5) && !target.empty() ? inner(target, 3) : product(target);
      if (oneIn(3))
        right += (oneIn(2) ? " + " : " - ") + product(target);
    }
    body_ += (isTemporary ? "let " : "") + left + assignment + right + "\n";
    if (!rewrites) {
      written_.push_back({name, dims});
      readable_.push_back({name, dims});
      if (!isTemporary) {
        declarations_ += "tensor " + name + extentsOf(dims) + ": f64\n";
        outputs_.push_back(name);
      } else if (!dims.empty()) {
        declarations_ += "tensor " + name + extentsOf(dims) + ": f64\n";
      }
    }
  }

  void chooseEnds() {
    if (outputs_.empty())
      return;
    result_.of = {outputs_.back()};
    if (outputs_.size() > 1 && oneIn(4))
      result_.of.push_back(outputs_.front());
    std::vector<Readable> all = readable_;
    all.insert(all.end(), special_.begin(), special_.end());
    for (const Readable &one : all) {
      const bool isRead = body_.find(one.name + "(") != std::string::npos ||
                          (one.dims.empty() && body_.find(one.name) != std::string::npos);
      const bool isOperand = one.name[0] != 'y';
      if (isOperand && isRead && (!one.isInteger) && (result_.wrt.empty() || oneIn(2)))
        result_.wrt.push_back(one.name);
    }
    if (result_.wrt.empty())
      result_.wrt.push_back(readable_.front().name);
    for (const Readable &one : readable_) // formats of operands that nothing reads are an error
      if (one.isSparse && body_.find(one.name + "(") == std::string::npos)
        result_.formats.erase(one.name);
  }

  Random random_;
  GradientCase result_;
  std::map<char, std::string> letters_;
  std::vector<Readable> readable_, written_;
  std::vector<Readable> special_; ///< what is read in windows and at constants
  std::vector<std::string> outputs_;
  std::string declarations_, body_;
};

} // namespace

GradientCase randomGradientCase(uint64_t seed) {
  return ProgramWriter(seed).write();
}

} // namespace spc::testing
