#include "harness/meaning.h"

#include "harness/extent_classes.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace spc::testing {
namespace {

/// `inverse[dims[d]] == d`.
std::vector<int> inverted(const std::vector<int> &dims) {
  std::vector<int> inverse(dims.size());
  for (size_t d = 0; d < dims.size(); ++d)
    inverse[static_cast<size_t>(dims[d])] = static_cast<int>(d);
  return inverse;
}

std::vector<int64_t> permuted(const std::vector<int64_t> &shape, const std::vector<int> &dims) {
  std::vector<int64_t> result;
  for (int dim : dims)
    result.push_back(shape[static_cast<size_t>(dim)]);
  return result;
}

/// The row-major elements of a tensor whose dimension d is dimension dims[d] of that of `elements`; nothing of nothing.
template <typename Element>
std::vector<Element> permuted(const std::vector<Element> &elements, const std::vector<int64_t> &shape,
                              const std::vector<int> &dims) {
  std::vector<Element> result(elements.size());
  const std::vector<int64_t> newShape = permuted(shape, dims);
  for (size_t at = 0; at < elements.size(); ++at) {
    std::vector<int64_t> coordinates(shape.size());
    auto rest = static_cast<int64_t>(at);
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      coordinates[d] = rest % shape[d];
    int64_t to = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      to = to * newShape[d] + coordinates[static_cast<size_t>(dims[d])];
    result[static_cast<size_t>(to)] = elements[at];
  }
  return result;
}

void permute(DenseTensor &tensor, const std::vector<int> &dims) {
  tensor.values = permuted(tensor.values, tensor.shape, dims);
  tensor.stored = permuted(tensor.stored, tensor.shape, dims);
  tensor.errors = permuted(tensor.errors, tensor.shape, dims);
  tensor.shape = permuted(tensor.shape, dims);
}

void permute(Pattern &pattern, const std::vector<int> &dims) {
  pattern.stored = permuted(pattern.stored, pattern.shape, dims);
  pattern.entries = permuted(pattern.entries, pattern.shape, dims);
  for (std::vector<uint8_t> &mask : pattern.masks)
    mask = permuted(mask, pattern.shape, dims);
  pattern.shape = permuted(pattern.shape, dims);
  if (pattern.pad)
    pattern.pad = [pad = pattern.pad, dims, shape = pattern.shape](std::vector<uint8_t> &stored) {
      const std::vector<int> back = inverted(dims);
      std::vector<uint8_t> own = permuted(stored, shape, back);
      pad(own);
      stored = permuted(own, permuted(shape, back), dims);
    };
}

/// What evaluates `tensors` with the meaning's order of dimensions.
template <typename Map, typename Evaluate>
std::string evaluatePermuted(const Meaning &meaning, Map &tensors, const Evaluate &evaluateAll) {
  for (const auto &[name, dims] : meaning.dimensions)
    permute(tensors.at(name), dims);
  std::string problem = evaluateAll(meaning.tree, tensors);
  for (const auto &[name, dims] : meaning.dimensions)
    permute(tensors.at(name), inverted(dims));
  return problem;
}

/// The extents of a temporary's dimensions, as those tensors that share its variables have them.
std::optional<std::vector<int64_t>> shapeOfTemporary(const std::string &name, const ExtentClasses &classes,
                                                     const TensorMap &tensors) {
  std::vector<int64_t> shape;
  for (int dimension : classes.ofTensor.at(name)) {
    std::optional<int64_t> extent;
    for (const auto &[other, tensor] : tensors) {
      const auto dimensions = classes.ofTensor.find(other);
      for (size_t d = 0; dimensions != classes.ofTensor.end() && d < tensor.shape.size(); ++d)
        if (dimensions->second[d] == dimension)
          extent = tensor.shape[d];
    }
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

bool isTarget(const std::string &name, const syntax::Kernel &kernel) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(),
                     [&](const syntax::Statement &statement) { return statement.target.tensor.text == name; });
}

bool areNumbers(const DenseTensor &tensor) {
  for (const std::complex<double> &value : tensor.values)
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
      return false;
  return true;
}

} // namespace

std::string evaluate(const Meaning &meaning, TensorMap &tensors) {
  return evaluatePermuted(meaning, tensors, [](const auto &tree, TensorMap &all) { return evaluate(tree, all); });
}

std::string evaluatePatterns(const Meaning &meaning, PatternMap &patterns, bool isWide) {
  return evaluatePermuted(meaning, patterns,
                          [isWide](const auto &tree, PatternMap &all) { return evaluatePatterns(tree, all, isWide); });
}

std::string disagreement(const Meaning &meaning, TensorMap before, const TensorMap &after) {
  const ExtentClasses classes = findExtentClasses(meaning.tree);
  for (const syntax::Statement &statement : meaning.tree.statements) {
    const std::string &name = statement.target.tensor.text;
    if (before.contains(name))
      continue;
    const auto shape = shapeOfTemporary(name, classes, before);
    if (!shape)
      return {};
    DenseTensor &temporary = before[name];
    temporary.shape = *shape;
    temporary.type = after.at(meaning.tree.statements.back().target.tensor.text).type;
    temporary.values.resize(static_cast<size_t>(temporary.size()));
    temporary.stored.resize(temporary.values.size());
  }
  // What has a pattern of its own in one text may have another one's, or none, in the other.
  for (auto &[name, tensor] : before)
    if (after.contains(name) && after.at(name).sparse && isTarget(name, meaning.tree))
      tensor.sparse = tensor.assembled = false;
  // The original may want extents to be equal that are free here: it says nothing then.
  if (!evaluate(meaning.tree, before).empty())
    return {};
  for (const auto &[name, tensor] : after) {
    const DenseTensor &other = before.at(name);
    if (tensor.sparse || !areNumbers(tensor) || !areNumbers(other))
      continue;
    for (size_t at = 0; at < tensor.values.size(); ++at) {
      const double error =
          (tensor.errors.empty() ? 0 : tensor.errors[at]) + (other.errors.empty() ? 0 : other.errors[at]);
      if (!matches(tensor.values[at], other.values[at], error))
        return "the evaluator makes another " + name + "[" + std::to_string(at) + "] of the original";
    }
  }
  return {};
}

} // namespace spc::testing
