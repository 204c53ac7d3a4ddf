#include "evaluators/agreement.h"

#include "format/levels.h"
#include "harness/kernel_arguments.h"

#include <cmath>
#include <limits>
#include <set>

namespace spc::testing {
namespace {

const std::string &nameInText(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

tensor::Coordinates entriesOf(const DenseTensor &tensor) {
  tensor::Coordinates entries;
  entries.shape = tensor.shape;
  std::vector<int64_t> at(tensor.shape.size(), 0);
  for (size_t place = 0; place < tensor.values.size(); ++place) {
    auto rest = static_cast<int64_t>(place);
    for (size_t dim = at.size(); dim-- > 0; rest /= tensor.shape[dim])
      at[dim] = rest % tensor.shape[dim];
    if (!tensor.sparse || tensor.stored[place])
      entries.append(at.data(), {tensor.values[place].real(), tensor.values[place].imag()});
  }
  return entries;
}

/// One element of a result in both ways.
class Element {
public:
  Element(const DenseTensor &dense, const reference::Tensor &reference, size_t place)
      : type_(dense.type), value_(reference.at(static_cast<int64_t>(place))) {
    const bool isGone = dense.sparse && !dense.stored[place];
    number_ = isGone ? std::complex<double>(dense.fill) : dense.values[place];
    error_ = isGone || dense.errors.empty() ? 0 : dense.errors[place];
  }

  /// Whether either says one number, or that there is none.
  bool isCertain() const {
    return (std::isfinite(error_) || !isFinite()) && std::isfinite(value_.error) && !value_.alternatives;
  }
  bool isFinite() const { return std::isfinite(std::abs(number_)); }

  bool isSame() const {
    if (sema::isInteger(type_) || type_ == sema::ValueType::Bool) {
      // The ends of 64 bits are infinities there, and their neighbours rounded.
      return std::isinf(number_.real()) || std::abs(number_.real()) > 0x1p53 || number_.real() == value_.number.real();
    }
    const bool isNumber = std::isfinite(std::abs(value_.number));
    if (!isFinite() || !isNumber)
      return isFinite() == isNumber;
    return std::abs(number_ - value_.number) <= error_ + value_.error + std::numeric_limits<float>::min();
  }

  std::string text() const {
    const auto say = [](std::complex<double> number, double error) {
      return tensor::toText({number.real(), number.imag()}, 17) + " give or take " + tensor::toText({error}, 3);
    };
    return say(value_.number, value_.error) + " by --check, " + say(number_, error_) + " by the tests";
  }

private:
  sema::ValueType type_;
  reference::Value value_;
  std::complex<double> number_;
  double error_ = 0;
};

} // namespace

reference::Tensors referenceResults(const AnalyzedKernel &analyzed, const TensorMap &tensors) {
  reference::Tensors result;
  for (sema::TensorId id : analyzed.kernel->parameters) {
    const sema::Tensor &tensor = analyzed.kernel->tensors[id];
    const DenseTensor &dense = tensors.at(nameInText(tensor));
    const auto [entry, isNew] = result.try_emplace(nameInText(tensor), reference::emptyTensor(tensor, dense.shape));
    if (isNew && (tensor.isRead || !tensor.isWritten)) // others hold anything
      entry->second.fill(entriesOf(dense));
  }
  for (const sema::Tensor &tensor : analyzed.kernel->tensors) // the others hold what the text says
    if (tensor.is<sema::Constant>() && tensor.partOf.empty() && format::listsRuns(tensor.format)) {
      const DenseTensor &dense = tensors.at(tensor.name);
      result.emplace(tensor.name, reference::emptyTensor(tensor, dense.shape)).first->second.fill(entriesOf(dense));
    }
  reference::evaluate(*analyzed.program, result, reference::storagesOf(*analyzed.kernel));
  return result;
}

Agreement compareEvaluators(const AnalyzedKernel &analyzed, const Trial &given, const Place &place) {
  Agreement agreement;
  const Trial trial = withRoom(analyzed.classes, given);
  TestContext context(trial.chunks);
  KernelArguments arguments(*analyzed.kernel, analyzed.classes, trial, context);
  if (!arguments.pack().empty() || !windowsFit(analyzed.classes, trial.extents))
    return agreement;
  TensorMap tensors = arguments.denseTensors();
  if (place)
    place(tensors);
  reference::Tensors expected;
  try {
    expected = referenceResults(analyzed, tensors);
  } catch (const reference::Unsupported &reason) {
    agreement.notChecked = reason.what();
  }
  if (agreement.notChecked.empty())
    agreement.problem = evaluate(analyzed.tree, tensors);
  arguments.release();
  if (!agreement.problem.empty() || !agreement.notChecked.empty())
    return agreement;
  for (sema::TensorId id : analyzed.kernel->parameters) {
    const sema::Tensor &tensor = analyzed.kernel->tensors[id];
    const std::string &name = nameInText(tensor);
    if (!tensor.isWritten || tensor.part > 0)
      continue;
    for (size_t at = 0; at < tensors.at(name).values.size(); ++at) {
      const Element element(tensors.at(name), expected.at(name), at);
      if (!element.isCertain()) {
        ++agreement.uncertain;
        continue;
      }
      ++agreement.compared;
      agreement.nonFinite += element.isFinite() ? 0 : 1;
      if (agreement.problem.empty() && !element.isSame())
        agreement.problem = name + "[" + std::to_string(at) + "] is " + element.text();
    }
  }
  return agreement;
}

} // namespace spc::testing
