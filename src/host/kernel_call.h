// One call of a compiled kernel on packed tensors.
#pragma once

#include "host/inputs.h"

#include "abi/signature.h"
#include "codegen/jit.h"
#include "tensor/numbers.h"

#include <memory>
#include <optional>
#include <vector>

namespace spc::host {

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
                                                       const abi::Signature &signature, Inputs &inputs);

/// The parts of a call.
struct KernelCall {
  const codegen::JitKernel &code;
  const sema::Kernel &kernel;
  const Inputs &inputs;
  const abi::Signature &signature;
  std::vector<CallArgument> &arguments; ///< by position in Kernel::parameters
  const void *context;                  ///< an spc_context; null: malloc, free and one thread
};

/// What the kernel's arguments point to, to be passed to its Invoke.
std::vector<void *> pointersOf(KernelCall &call);

/// After a call that returned `status`: takes over what it has allocated. False with an error that says the status in
/// words, and which arguments it is about.
bool finishCall(Session &session, KernelCall &call, int32_t status);

/// Runs the kernel; false as finishCall() is.
bool callKernel(Session &session, KernelCall &call);

/// The contents of an argument that a call loses, as it reads and overwrites them.
struct SavedArgument {
  std::vector<unsigned char> values;          ///< of a scalar, of a dense tensor, of one that shares a pattern
  std::optional<tensor::Coordinates> entries; ///< of one that the call assembles

  /// Copies what a call changes: the values of `packed`, or where that is null of `scalar`. Nothing of other arguments.
  static SavedArgument of(const sema::Tensor &tensor, const abi::Parameter &parameter, tensor::PackedTensor *packed,
                          void *scalar);

  /// Puts values back, where there are any.
  void restoreValues(tensor::PackedTensor *packed, void *scalar) const;
};

/// The same of all arguments of a call.
class SavedArguments {
public:
  /// Copies them before the first call.
  explicit SavedArguments(const KernelCall &call);

  /// Makes arguments that have been written what they were: outputs that calls allocate are empty, what is read has
  /// its values. False with an error reported where memory runs out.
  bool restore(Session &session, KernelCall &call) const;

private:
  std::vector<SavedArgument> saved_;
};

} // namespace spc::host
