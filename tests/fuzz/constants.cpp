// Operands of random kernels as constants, with random numbers in the text.
#include "fuzz/generator.h"

#include "harness/kernel_text.h"
#include "syntax/parser.h"

#include <algorithm>
#include <set>

namespace spc::testing {
namespace {

constexpr std::string_view kStructureOf = "structure of ";

class ConstantMaker {
public:
  ConstantMaker(KernelSpec &spec, Random &random) : spec_(spec), random_(random) {
    Diagnostics ignored;
    tree_ = syntax::parse(sources_.add("statements", literalStatements(spec)), ignored);
    for (const auto &[tensor, spelling] : spec.formats)
      if (spelling.starts_with(kStructureOf))
        owners_[tensor] = spelling.substr(kStructureOf.size());
    classes_ = findExtentClasses(tree_, owners_);
    for (int k = 0; k < classes_.count; ++k)
      extents_.push_back(random_.below(8) == 0 ? 0 : 1 + random_.below(4));
  }

  void run() {
    std::vector<std::string> names;
    for (const std::string &tensor : classes_.tensors)
      if (mayBeConstant(tensor))
        names.push_back(tensor);
    if (names.empty())
      return;
    const std::string name = names[static_cast<size_t>(random_.below(static_cast<int64_t>(names.size())))];
    spec_.statements = declarationOf(name) + "\n" + spec_.statements;
  }

private:
  bool mayBeConstant(const std::string &tensor) const {
    const auto isTarget = [&](const syntax::Statement &statement) { return statement.target.tensor.text == tensor; };
    const auto isShared = [&](const auto &pair) { return pair.first == tensor || pair.second == tensor; };
    return std::none_of(tree_.statements.begin(), tree_.statements.end(), isTarget) &&
           std::none_of(owners_.begin(), owners_.end(), isShared) && !isInWindows(tensor);
  }

  /// Whether sizes depend on others'.
  bool isInWindows(const std::string &tensor) const {
    std::set<int> sizes;
    for (const ExtentClasses::Window &window : classes_.windows) {
      sizes.insert(window.dimension);
      for (const auto &[variable, scale] : window.terms)
        sizes.insert(variable);
    }
    const std::vector<int> &own = classes_.ofTensor.at(tensor);
    return std::any_of(own.begin(), own.end(), [&](int number) { return sizes.contains(number); });
  }

  std::string declarationOf(const std::string &tensor) {
    const auto fill = spec_.fills.find(tensor);
    missing_ = fill == spec_.fills.end() ? "0" : fill->second;
    type_ = typeOf(spec_, tensor);
    std::string text = "const " + tensor;
    for (const int number : classes_.ofTensor.at(tensor)) {
      shape_.push_back(extents_[static_cast<size_t>(number)]);
      text += (shape_.size() == 1 ? "(" : ", ") + std::to_string(shape_.back());
    }
    return text + (shape_.empty() ? ": " : "): ") + sema::spelling(type_) +
           (fill == spec_.fills.end() ? "" : ", fill " + missing_) + " = " + list(0);
  }

  std::string list(size_t dim) {
    if (dim == shape_.size())
      return random_.below(5) < 2 ? missing_ : number();
    std::string text;
    for (int64_t k = 0; k < shape_[dim]; ++k)
      text += (k > 0 ? ", " : "") + list(dim + 1);
    return "[" + text + "]";
  }

  std::string number() {
    const tensor::Number value = random_.value(type_);
    return language::textOf({value.real, value.imaginary, value.rest});
  }

  KernelSpec &spec_;
  Random &random_;
  SourceManager sources_;
  syntax::Kernel tree_;
  std::map<std::string, std::string> owners_;
  ExtentClasses classes_;
  std::vector<int64_t> extents_, shape_;
  std::string missing_;
  sema::ValueType type_ = sema::ValueType::F64;
};

} // namespace

void takeConstant(KernelSpec &spec, uint64_t seed) {
  Random random(seed);
  if (!spec.typesAreGiven)
    ConstantMaker(spec, random).run();
}

} // namespace spc::testing
