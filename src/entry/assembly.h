// Outputs that a kernel assembles: the entry's calls of the runtime around the bodies that collect, and what becomes of
// the arrays.
#pragma once

#include "entry/call.h"
#include "entry/descriptors.h"

#include "mlir/Support/LogicalResult.h"

namespace spc::entry {

/// The assembled outputs of one entry.
class AssembledOutputs {
public:
  AssembledOutputs(Entry &entry, Memory &memory) : entry_(entry), memory_(memory) {}

  /// Makes every way out but success release what has been assembled. To be called before the first step.
  void prepare();

  /// Runs the step that assembles `statement` by calling `body`; leaves with what the runtime reports. Afterwards the
  /// target's view has the new arrays. Fails, for a bug of ours, where the body cannot be called.
  mlir::LogicalResult assemble(const sema::Statement &statement, mlir::LLVM::LLVMFuncOp body);

  /// Runs a conversion; leaves with what the runtime reports.
  void convert(const sema::Conversion &conversion);

  /// The same as assemble() of a statement that merges by plan, whose body for that is `planned`: in the symbolic phase
  /// makes a plan where the caller wants one, in the numeric one goes by it where the caller has one.
  mlir::LogicalResult assembleByPlan(const sema::Statement &statement, mlir::LLVM::LLVMFuncOp body,
                                     mlir::LLVM::LLVMFuncOp planned);

  /// Makes the runtime pack the parts of a tensor from the entries of all of them.
  void distribute(const sema::Distribution &distribution);

  /// Makes the runtime put the entries of a tensor at their places in another one; leaves with what it reports.
  void place(const sema::Placement &placement);

  /// Makes what alternatives have assembled, whichever of them ran, known to the steps behind them.
  void rejoin(const std::vector<sema::Alternative> &alternatives);

  /// Hands the arrays to the callers' structs, and releases those that they had as operands. To be called after the
  /// last step, when nothing can fail any more.
  void hand();

private:
  struct Output {
    sema::TensorId tensor;
    const TensorArgument *argument; ///< null: a temporary
    std::vector<abi::Field> fields;
    std::vector<mlir::Value>
        owned;          ///< by field of the struct, of pointers: the frame's variable for an array to release
    mlir::Value packed; ///< the frame's variable for what the runtime packed last, where there are alternatives
  };

  void add(sema::TensorId tensor, const TensorArgument *argument, const abi::StructType &type);

  mlir::Value describeTarget(Descriptors &descriptors, sema::TensorId tensor);
  void take(Descriptors &descriptors, sema::TensorId tensor, mlir::Value descriptor);
  void allocateValues(sema::TensorId tensor);
  mlir::LogicalResult assemble(const sema::Statement &statement, mlir::LLVM::LLVMFuncOp body, bool plans);
  void planMerge(const sema::Statement &statement);
  mlir::Value openMerge(const sema::Statement &statement);
  mlir::LogicalResult fillByPlan(const sema::Statement &statement, mlir::Value noted, mlir::LLVM::LLVMFuncOp planned);
  void makeLengths(const sema::Tensor &tensor, TensorView &view);
  mlir::Value describeAssembly(const sema::Statement &statement, mlir::Value allocator, mlir::Value target,
                               mlir::Value planning, const Chunks &chunks, mlir::Value mostProducts);
  mlir::Value expectedEntries(const sema::Statement &statement);
  llvm::SmallVector<std::pair<mlir::Value, int>> findShares(const sema::Statement &statement);

  Entry &entry_;
  Memory &memory_;
  std::vector<Output> outputs_;
};

/// Releases the arrays of a struct that assembling has filled, and sets them to NULL and its counts to 0. `object` may
/// be NULL.
void releaseOutput(Entry &entry, Memory &memory, const abi::StructType &type, mlir::Value object);

} // namespace spc::entry
