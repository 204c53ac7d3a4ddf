// What a call of a kernel left behind, against what the evaluators say.
#include "format/levels.h"
#include "harness/comparison.h"
#include "harness/kernel_argument.h"

#include <algorithm>

namespace spc::testing {

namespace {

bool isRead(const sema::Kernel &kernel, sema::TensorId id) {
  const auto reads = [&](const sema::Step &step) {
    const auto *conversion = std::get_if<sema::Conversion>(&step);
    if (conversion && conversion->from == id)
      return true;
    const auto *statement = std::get_if<sema::Statement>(&step);
    return statement && std::any_of(statement->terms.begin(), statement->terms.end(), [&](const sema::Term &term) {
             return std::any_of(term.operands.begin(), term.operands.end(),
                                [&](const sema::Operand &operand) { return operand.tensor == id; });
           });
  };
  return std::any_of(kernel.steps.begin(), kernel.steps.end(), reads) ||
         std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                     [&](const sema::Tensor &tensor) { return sema::sourceOf(tensor) == id; });
}

/// Whether statements read what others have written in a format with padding.
bool readsPadded(const sema::Kernel &kernel) {
  for (sema::TensorId id : kernel.tensors.ids())
    if (const sema::Tensor &tensor = kernel.tensors[id];
        tensor.isWritten && format::hasPadding(tensor.format) && isRead(kernel, id))
      return true;
  return false;
}

} // namespace

bool KernelArguments::canStore(const PatternMap &patterns) const {
  const auto canStoreAll = [&](const sema::Tensor &tensor) {
    const auto &masks = patterns.at(tensor.name).masks;
    return !hasWidthOfNothing(tensor.format, shapeOf(tensor.name)) &&
           std::all_of(masks.begin(), masks.end(), [&](const std::vector<uint8_t> &mask) {
             return packMask(mask, shapeOf(tensor.name), tensor.format, tensor.type).has_value();
           });
  };
  for (const sema::Tensor &tensor : kernel_.tensors)
    if (isNamedTemporary(tensor) && tensor.isAssembled() && !canStoreAll(tensor))
      return false;
  return std::all_of(arguments_.begin(), arguments_.end(), [&](const auto &argument) {
    return !argument->assembled || !argument->tensor->partOf.empty() || canStoreAll(*argument->tensor);
  });
}

/// The parts of a result that is their sum: each is well formed, no place is in two of them, and together they hold
/// what is expected.
std::string KernelArguments::compareSum(const std::string &name, const DenseTensor &expected, const Pattern &least,
                                        const Pattern &most) const {
  std::vector<int> stored(expected.values.size());
  tensor::Coordinates entries;
  entries.shape = expected.shape;
  for (const auto &argument : arguments_) {
    if (argument->tensor->partOf != name)
      continue;
    if (std::string problem = argument->assembled->checkStructure(); !problem.empty())
      return argument->tensor->name + ": " + problem;
    const tensor::Coordinates part = argument->content();
    for (size_t entry = 0; entry < part.size(); ++entry) {
      const int64_t *at = part.coordinates.data() + entry * expected.shape.size();
      if (const tensor::Number value = part.value(entry);
          format::hasPadding(argument->tensor->format) && value.real == 0 && value.imaginary == 0)
        continue;
      entries.append(at, part.value(entry));
      ++stored[static_cast<size_t>(offsetOf(at, expected.shape))];
    }
  }
  for (int64_t element = 0; element < static_cast<int64_t>(stored.size()); ++element) {
    const auto at = static_cast<size_t>(element);
    if (stored[at] > 1 || (stored[at] == 1 && !most.isStored(element)))
      return name + " stores an element twice, or one that should not be";
    if (stored[at] == 0 && least.isStored(element) && expected.values[at] != 0.0)
      return name + " lacks an element";
  }
  return compareValues(name, entries, expected);
}

std::string KernelArguments::compare(const TensorMap &expected, const PatternMap &least, const PatternMap &most) {
  const bool mayLackZeros = readsPadded(kernel_);
  for (const auto &argument : arguments_) {
    const std::string &name = argument->assembled ? argument->sourceName() : argument->tensor->name;
    if (argument->padded && !argument->padded->copyBack())
      return "the kernel wrote between the elements of " + name;
    DenseTensor result = argument->tensor->isWritten ? expected.at(name) : DenseTensor();
    if (trial_.exact)
      result.errors.assign(result.errors.size(), 0);
    if (argument->assembled && !argument->tensor->partOf.empty()) {
      if (std::string problem = compareSum(name, result, least.at(name), most.at(name)); !problem.empty())
        return problem;
      continue;
    }
    if (argument->assembled) {
      if (std::string problem = argument->assembled->check({result, least.at(name), most.at(name), mayLackZeros});
          !problem.empty())
        return name + ": " + problem;
      continue;
    }
    const tensor::Coordinates after = argument->content();
    if (!argument->tensor->isWritten) {
      if (!isSame(after, argument->before))
        return "the kernel changed its operand " + name;
      continue;
    }
    if (!hasSlots(argument->tensor->format) && after.coordinates != argument->before.coordinates)
      return "the stored positions of " + name + " are not its operand's";
    if (std::string problem = compareValues(name, after, result); !problem.empty())
      return problem;
  }
  return {};
}

std::string KernelArguments::compareFailed() const {
  for (const auto &argument : arguments_) {
    const std::string &name = argument->tensor->name;
    if (argument->assembled && (!argument->assembled->isUnchanged() ||
                                (argument->tensor->isRead && !isSame(argument->content(), argument->before))))
      return "the kernel failed, but changed " + name;
    if (!argument->tensor->isWritten && !isSame(argument->content(), argument->before))
      return "the kernel changed its operand " + name;
  }
  return {};
}

std::string KernelArguments::release() {
  int64_t arrays = 0;
  for (const auto &argument : arguments_)
    arrays += argument->assembled ? argument->assembled->arrays() : 0;
  if (context_.live() != arrays)
    return std::to_string(context_.live()) + " arrays are allocated, the outputs have " + std::to_string(arrays);
  for (const auto &argument : arguments_)
    if (argument->assembled)
      argument->assembled->release();
  if (context_.live() != 0)
    return "two fields of an output point to one array";
  return context_.problem();
}

} // namespace spc::testing
