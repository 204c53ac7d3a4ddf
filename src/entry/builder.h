// A builder for the entry function: one chain of blocks in which each check either goes on or leaves with a status.
#pragma once

#include "dialect/runtime_types.h"
#include "runtime/status.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace spc::entry {

using runtime::Status;

/// The layout of a C struct of 8-byte integers and pointers, for whatever target the module has.
using Struct = mlir::LLVM::LLVMStructType;

/// The subject of a failure, for the caller. Values that are known are numbers of 64 bits.
struct Place {
  std::string name{}; ///< of an argument, or of a tensor within the kernel; empty: nothing is known
  int32_t argument = -1;
  std::string field{};
  int32_t dimension = -1;
  std::string other{}, otherField{}; ///< the argument that says `wanted`, and where
  mlir::Value found{}, wanted{};
  mlir::Value foundAt{}; ///< where `found` is once it has failed; instead of that
};

class Problems;

/// Values, struct fields and checks in the LLVM dialect.
///
/// Leaving: a failed check branches to the innermost *exit* block with its status. The outermost exit returns it; each
/// atExit() adds one that undoes something and then branches to the exit before it. Success leaves by the same way.
///
/// Telling the caller what a failure is about costs calls that go well nothing: the checks at entry only leave, upon
/// which the outermost exit calls a function of the same checks, which tells (an explainer). Failures that come later
/// are told where they happen.
class EntryBuilder {
public:
  /// Adds the first block to `function`, which is empty and returns an i32, or nothing where it cannot fail.
  EntryBuilder(mlir::LLVM::LLVMFuncOp function, mlir::Location location);

  /// Makes the outermost exit call `explainer` with the arguments and the status. To be called before any check.
  void explainBy(mlir::LLVM::LLVMFuncOp explainer);
  /// From now on failures are told where they happen.
  void tellBy(Problems &problems) { problems_ = &problems; }
  /// Before any check, in an explainer: checks tell, and do nothing else.
  void explain(Problems &problems);

  mlir::ImplicitLocOpBuilder &ops() { return ops_; }
  mlir::ModuleOp module() { return function_->getParentOfType<mlir::ModuleOp>(); }
  mlir::Value argument(unsigned index) { return function_.getArgument(index); }

  mlir::Type pointerType() const { return pointer_; }
  mlir::Type int64Type() const { return int64_; }
  mlir::Type int32Type() const { return int32_; }
  Struct structOf(mlir::ArrayRef<mlir::Type> fields);
  /// One of the runtime's structs.
  template <typename T> Struct structOf() { return dialect::structType<T>(ops_.getContext()); }

  mlir::Value constant(int64_t value);
  mlir::Value int32Constant(int32_t value);
  mlir::Value truth(bool value);
  mlir::Value null();
  mlir::Value isNull(mlir::Value pointer);
  mlir::Value isZero(mlir::Value number);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value left, mlir::Value right);
  mlir::Value equal(mlir::Value left, mlir::Value right);
  mlir::Value differ(mlir::Value left, mlir::Value right);
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value either(mlir::Value left, mlir::Value right);
  mlir::Value negate(mlir::Value truth);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value subtract(mlir::Value left, mlir::Value right);
  mlir::Value multiply(mlir::Value left, mlir::Value right);
  /// The lesser and the greater of two signed numbers.
  mlir::Value least(mlir::Value left, mlir::Value right);
  mlir::Value greatest(mlir::Value left, mlir::Value right);
  /// One of two values, both of which are computed: there is no branch.
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  /// `compute()` where `condition` holds, else `otherwise`; branches.
  mlir::Value computeIf(mlir::Value condition, const std::function<mlir::Value()> &compute, mlir::Value otherwise);
  /// Builds both sides; only one of them runs.
  void branch(mlir::Value condition, const std::function<void()> &yes, const std::function<void()> &no);

  /// Builds `step(index)`, which runs for each index from `begin` up to, but not including, `end`.
  void forEach(mlir::Value begin, mlir::Value end, const std::function<void(mlir::Value)> &step);
  /// The first index below `count` where `holds(index)`, which then holds for all that follow; else `count`.
  mlir::Value firstWhere(mlir::Value count, const std::function<mlir::Value(mlir::Value)> &holds);
  /// The first index, from 0, for which `holds(index)`, in one block. There has to be one.
  mlir::Value firstThat(const std::function<mlir::Value(mlir::Value)> &holds);

  mlir::Value element(mlir::Type type, mlir::Value array, int64_t index);
  mlir::Value element(mlir::Type type, mlir::Value array, mlir::Value index);
  mlir::Value fieldAddress(Struct type, mlir::Value object, unsigned field);
  mlir::Value load(mlir::Type type, mlir::Value address);
  void store(mlir::Value value, mlir::Value address);
  mlir::Value loadField(Struct type, mlir::Value object, unsigned field);
  void storeField(Struct type, mlir::Value object, unsigned field, mlir::Value value);
  /// sizeof as C has it on the target.
  mlir::Value sizeOf(mlir::Type type);
  /// Room for `count` elements in the function's frame.
  mlir::Value stack(mlir::Type type, int64_t count);

  /// Calls a function of the runtime; null where it has no result.
  mlir::Value call(const runtime::Function &function, mlir::ValueRange arguments);
  /// The address of a function of the runtime, or NULL for null.
  mlir::Value addressOf(const runtime::Function *function);

  void failIf(mlir::Value condition, Status status, const Place &place = {});
  /// Leaves with the i32 `status` unless it is Ok.
  void failUnlessOk(mlir::Value status, const Place &place = {});
  /// Makes every way out from here on run `undo` first.
  void atExit(const std::function<void()> &undo);
  /// Leaves with Ok. Nothing can be built after it.
  void succeed();

private:
  /// A new block of the function that is being built; of the entry before its exits.
  mlir::Block *newBlock();
  void leaveIf(mlir::Value condition, mlir::Value status, const Place &place);
  void tell(mlir::Value status, const Place &place);

  mlir::LLVM::LLVMFuncOp function_;
  mlir::ImplicitLocOpBuilder ops_;
  mlir::Type pointer_;
  mlir::Type int64_;
  mlir::Type int32_;
  mlir::Block *exit_;
  Problems *problems_ = nullptr; ///< null: failures are not told here
  bool explains_ = false;
};

} // namespace spc::entry
