#include "harness/constant_tensors.h"

#include "format/levels.h"
#include "harness/number_types.h"

#include <set>
#include <vector>

namespace spc::testing {
namespace {

/// The dimensions that say in which run an element of a format is: those down to the innermost list.
std::vector<int> dimensionsOfRuns(const format::Format &format) {
  std::vector<int> all, listed;
  for (int k = 0; k < format.levelCount(); ++k) {
    all.push_back(format.levels[static_cast<size_t>(k)].dim);
    if (format::kindOf(format, k) != format::LevelKind::Dense)
      listed = all;
  }
  return listed;
}

/// Makes all elements of a run entries where one of them is, as a format with a dense level below a list does.
void storeRuns(const format::Format &format, DenseTensor &dense) {
  const std::vector<int> dims = dimensionsOfRuns(format);
  const auto runOf = [&](size_t element) {
    std::vector<int64_t> at(dense.shape.size());
    for (size_t dim = at.size(), rest = element; dim-- > 0; rest /= static_cast<size_t>(dense.shape[dim]))
      at[dim] = static_cast<int64_t>(rest) % dense.shape[dim];
    std::vector<int64_t> run;
    for (const int dim : dims)
      run.push_back(at[static_cast<size_t>(dim)]);
    return run;
  };
  std::set<std::vector<int64_t>> runs;
  for (size_t element = 0; element < dense.stored.size(); ++element)
    if (dense.stored[element])
      runs.insert(runOf(element));
  for (size_t element = 0; element < dense.stored.size(); ++element)
    dense.stored[element] = runs.contains(runOf(element)) ? 1 : 0;
}

} // namespace

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
    if (!format::hasPadding(tensor.format) && format::listsRuns(tensor.format))
      storeRuns(tensor.format, dense);
  }
  return tensors;
}

} // namespace spc::testing
