#include "harness/constant_tensors.h"

#include "harness/number_types.h"

namespace spc::testing {

TensorMap constantTensors(const sema::Kernel &kernel, const ExtentClasses &classes) {
  TensorMap tensors;
  for (const sema::Tensor &tensor : kernel.tensors) {
    if (!tensor.is<sema::Constant>() || tensor.part > 0)
      continue;
    const std::string &name = tensor.partOf.empty() ? tensor.name : tensor.partOf;
    DenseTensor &dense = tensors[name];
    for (const int number : classes.ofTensor.at(name))
      dense.shape.push_back(classes.sizes.at(number));
    dense.sparse = !tensor.format.isDense() || !tensor.partOf.empty();
    dense.type = tensor.type;
    dense.fill = sema::isInteger(tensor.type) ? converted(tensor.fill, tensor.type).real() : tensor.fill;
    for (const language::ConstantNumber &number : classes.constants.at(name)->numbers) {
      dense.values.push_back(converted({number.real + number.rest, number.imaginary}, tensor.type));
      dense.stored.push_back(dense.values.back() != dense.fill);
    }
  }
  return tensors;
}

} // namespace spc::testing
