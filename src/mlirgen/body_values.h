// The values of a step's tensors in its body: its arguments at first, then what statements make of them.
#pragma once

#include "mlirgen/body_arguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// Written tensors are SSA values that each statement replaces; they stay the same buffers throughout, since every
/// operation updates its `outs` operand.
class BodyValues {
public:
  /// `function` has `arguments`; `builder` is where operations are to be made.
  BodyValues(const sema::Kernel &kernel, mlir::func::FuncOp function, const std::vector<BodyArgument> &arguments,
             mlir::OpBuilder &builder);

  /// Dense tensors are read at their current value; sparse ones through their argument, whose values array is updated
  /// in place; scalars are extracted, since MLIR's sparsifier crashes on order-0 tensors in sums.
  mlir::Value read(sema::TensorId tensor);
  /// The same of a term's operand, which may follow another one.
  mlir::Value read(const sema::Operand &operand);

  /// The current value of a written tensor, always dense.
  mlir::Value &written(sema::TensorId tensor) { return written_[tensor]; }
  /// The current value of the proxy of each run of an assembling statement.
  llvm::MutableArrayRef<mlir::Value> runs() { return runs_; }

  /// An extent as a value of type index: from any argument that has it, else an argument of its own.
  mlir::Value extent(sema::ExtentId extent);

  /// The results of the function.
  llvm::SmallVector<mlir::Value> results(const std::vector<BodyArgument> &arguments) const;

private:
  const sema::Kernel &kernel_;
  mlir::func::FuncOp function_;
  mlir::OpBuilder &builder_;
  IdVector<sema::TensorId, mlir::Value> read_;      ///< operands: dense value, sparse view or scalar
  IdVector<sema::TensorId, mlir::Value> followers_; ///< proxies of operands that follow others
  IdVector<sema::TensorId, mlir::Value> written_;
  llvm::SmallVector<mlir::Value> runs_;
};

} // namespace spc::mlirgen
