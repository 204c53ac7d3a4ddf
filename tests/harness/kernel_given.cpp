// What a kernel's arguments hold: random data, or what is given.
#include "harness/kernel_argument.h"
#include "harness/number_types.h"

namespace spc::testing {

/// All that a tensor of the text holds; of a sparse one its entries.
tensor::Coordinates KernelArguments::drawn(const Argument &argument) {
  if (!given_)
    return argument.isSparse() ? sparseEntries(argument.shape, fillFor(argument), argument.tensor->type, random_)
                               : denseEntries(argument.shape, trial_.nonFinite, argument.tensor->type, random_);
  const DenseTensor &all = given_->at(argument.sourceName());
  tensor::Coordinates entries;
  entries.shape = argument.shape;
  std::vector<int64_t> at(argument.shape.size(), 0);
  if (hasElements(argument.shape))
    do
      if (!argument.isSparse() || all.stored[static_cast<size_t>(offsetOf(at.data(), argument.shape))])
        entries.append(at.data(), drawnAt(argument, at.data()));
    while (advance(at, argument.shape));
  return entries;
}

tensor::Number KernelArguments::drawnAt(const Argument &argument, const int64_t *coordinates) {
  if (!given_)
    return random_.value(argument.tensor->type);
  const std::complex<double> value =
      given_->at(argument.sourceName()).values[static_cast<size_t>(offsetOf(coordinates, argument.shape))];
  return {value.real(), value.imag()};
}

TensorMap KernelArguments::results() const {
  TensorMap results;
  for (const auto &argument : arguments_) {
    if (!argument->tensor->isWritten)
      continue;
    DenseTensor &dense = results[argument->sourceName()];
    dense.shape = argument->shape;
    dense.sparse = argument->isSparse();
    dense.type = argument->tensor->type;
    dense.fill = converted(argument->tensor->fill, dense.type).real();
    dense.values.resize(static_cast<size_t>(dense.size()), dense.sparse ? dense.fill : 0);
    dense.stored.resize(dense.values.size());
    const tensor::Coordinates entries = argument->content();
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      const auto at =
          static_cast<size_t>(offsetOf(entries.coordinates.data() + entry * dense.shape.size(), dense.shape));
      const std::complex<double> value(entries.value(entry).real, entries.value(entry).imaginary);
      dense.values[at] = dense.stored[at] ? dense.values[at] + value : value;
      dense.stored[at] = 1;
    }
  }
  return results;
}

} // namespace spc::testing
