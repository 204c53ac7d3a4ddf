// What `spc run` feeds a kernel: tensors from files and generators, scalars, and the size of every extent.
#pragma once

#include "driver/run_options.h"
#include "sema/kernel.h"
#include "syntax/ast.h"
#include "tensor/numbers.h"
#include "tensor/tensor.h"

#include <optional>
#include <vector>

namespace spc::driver {

/// The input for one parameter of the kernel.
struct RunInput {
  std::optional<tensor::Coordinates> entries; ///< of an input of order 1 and up
  std::optional<tensor::PackedTensor> packed; ///< in their place, with RunCommandOptions::packsWhileReading
  tensor::Number scalar;                      ///< of an input of order 0
};

/// All that a call of the kernel is given.
struct RunInputs {
  std::vector<RunInput> parameters;
  IdVector<sema::ExtentId, int64_t> extents;

  std::vector<int64_t> shapeOf(const sema::Tensor &tensor) const;
};

/// Reads and makes every input, and settles the size of every extent: declared numbers, --size, --shape, the files'
/// shapes, the generators' shapes; a .tns file without --shape says only the least size that holds its entries.
/// nullopt with every error that was found reported. `tree` is the kernel's text, for messages.
std::optional<RunInputs> readInputs(Session &session, const sema::Kernel &kernel, const syntax::Kernel &tree,
                                    const RunCommandOptions &options);

} // namespace spc::driver
