// The arguments of a step's body: which there are, and what the dialect says of each.
#pragma once

#include "dialect/attributes.h"
#include "sema/kernel.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"

#include <vector>

namespace spc::mlirgen {

/// The role in which an argument stands for its tensor. Proxies are dense: MLIR's sparsifier reads or writes them by
/// coordinates, and a pass of ours puts entries in their place.
enum class ArgumentRole {
  Stored,      ///< as it is stored, or a scalar by value
  OutputProxy, ///< a sparse output that has another tensor's structure, or its own from before
  RunProxy,    ///< what one term of an assembling statement adds to its output
  Follower,    ///< an operand that is read at another one's positions
};

struct BodyArgument {
  sema::TensorId tensor;
  ArgumentRole role = ArgumentRole::Stored;
  mlir::Type type;
  int run = -1; ///< of a RunProxy: the number of its term

  bool isProxy() const { return role != ArgumentRole::Stored; }
};

/// A scalar that kernels take by value.
bool isScalarOperand(const sema::Tensor &tensor);

/// The use of an assembling statement's target in a body, which collects its entries, or sets the values of those that
/// there are.
enum class TargetUse { Collected, Filled };

/// The arguments in the order of kernel.tensors. A tensor that is read and written may have several.
std::vector<BodyArgument> bodyArguments(const sema::Kernel &kernel, const sema::Step &step, TargetUse use,
                                        mlir::MLIRContext &context);

/// Whether the body returns what becomes of the argument.
bool isWritten(const BodyArgument &argument, const sema::Kernel &kernel);

/// The attribute spc.tensor of the argument, for passes and the entry.
dialect::TensorAttr describe(const BodyArgument &argument, const sema::Kernel &kernel, const sema::Step &step,
                             mlir::MLIRContext &context);

} // namespace spc::mlirgen
