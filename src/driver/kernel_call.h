// One call of a compiled kernel on packed tensors.
#pragma once

#include "driver/run_inputs.h"

#include "abi/signature.h"
#include "codegen/jit.h"

#include "tensor/numbers.h"
#include <memory>

#include <optional>
#include <vector>

namespace spc::driver {

/// An argument of the call: a packed tensor, or a scalar as the kernel takes it.
struct CallArgument {
  std::optional<tensor::PackedTensor> tensor;
  alignas(16) unsigned char scalar[16] = {};

  /// The address that the kernel takes.
  void *address(const abi::Parameter &parameter);
  tensor::Number number(const abi::Parameter &parameter) const;
};

/// Packs the inputs and lays out the outputs, by position in Kernel::parameters; empties `inputs` as it goes.
/// nullopt with errors reported: what does not fit the format's index types or the memory, or an output's given entry
/// outside of the pattern that it shares.
std::optional<std::vector<CallArgument>> packArguments(Session &session, const sema::Kernel &kernel,
                                                       const abi::Signature &signature, RunInputs &inputs);

/// Runs the kernel. False with an error that says its status in words, and which arguments it is about.
bool callKernel(Session &session, const codegen::JitKernel &code, const sema::Kernel &kernel, const RunInputs &inputs,
                const abi::Signature &signature, std::vector<CallArgument> &arguments);

} // namespace spc::driver
