// The code by which a loop nest collects the entries of an assembled output: calls of the runtime
// (runtime/contract.def) around inline stores. Private to this folder.
#pragma once

#include "dialect/runtime_types.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

/// Where a nest collects a row's entries: of runtime::Form, None is Append, and the others are Workspace.
enum class Workspace { None, Dense, Hash };

/// What is known of a run before its code is built.
struct RunShape {
  mlir::Type element;       ///< of the output
  unsigned keyBits = 64;    ///< of Run::keys
  int64_t rowOrder = 0;     ///< coordinates of a row
  bool patternOnly = false; ///< no values
  mlir::Attribute neutral;  ///< of a reduction other than a sum: what an element is before it gets a value
};

/// The variables of one run, promoted to registers by LLVM, and the operations on them. Each operation is built where
/// the builder stands. Keys are i64, coordinates index values.
class Collector {
public:
  /// Allocates the variables at the start of `body`.
  Collector(mlir::FunctionOpInterface body, const RunShape &shape);

  /// Opens run number `run` of a chunk (an index value); the result is NULL where memory ran out.
  mlir::Value begin(mlir::ImplicitLocOpBuilder &ops, mlir::Value assembly, mlir::Value chunk, int64_t run,
                    bool hasWorkspace);
  /// Takes over a run that is not NULL, whose code below uses `workspace`. To be called once for each clone of the
  /// nest.
  void open(mlir::ImplicitLocOpBuilder &ops, mlir::Value run, Workspace workspace);
  /// i1: whether the run's workspace is dense.
  mlir::Value isDense(mlir::ImplicitLocOpBuilder &ops, mlir::Value run);

  /// Without a workspace: makes room for `most` (i64) entries. i1: whether there is; there is not where memory ran out.
  mlir::Value reserve(mlir::ImplicitLocOpBuilder &ops, mlir::Value most);
  /// Without a workspace: the next entry, for which there `isReserved` room or it is made; `value` is null where only
  /// the pattern counts.
  void append(mlir::ImplicitLocOpBuilder &ops, mlir::Value key, mlir::Value value, bool isReserved);
  /// The slot of a key; of a hash table it is made, with value 0.
  mlir::Value locate(mlir::ImplicitLocOpBuilder &ops, mlir::Value key);
  /// The value at a key, or 0; makes no entry.
  mlir::Value peek(mlir::ImplicitLocOpBuilder &ops, mlir::Value key);
  /// Notes that a dense workspace has an entry at `key`.
  void touch(mlir::ImplicitLocOpBuilder &ops, mlir::Value key);
  mlir::Value loadSlot(mlir::ImplicitLocOpBuilder &ops, mlir::Value slot);
  void storeSlot(mlir::ImplicitLocOpBuilder &ops, mlir::Value slot, mlir::Value value);

  void endRow(mlir::ImplicitLocOpBuilder &ops, mlir::ValueRange coordinates);
  void end(mlir::ImplicitLocOpBuilder &ops);

  /// A variable of type i1 for the function, false at the builder's place.
  mlir::Value makeFlag(mlir::ImplicitLocOpBuilder &ops);
  void raise(mlir::ImplicitLocOpBuilder &ops, mlir::Value flag);
  mlir::Value isRaised(mlir::ImplicitLocOpBuilder &ops, mlir::Value flag);

  /// 0 of the output's type.
  /// What an element is before it gets a value.
  mlir::Value zero(mlir::ImplicitLocOpBuilder &ops);
  /// Whether that is what a workspace's untouched slots hold.
  bool startsFromZero() const { return !shape_.neutral; }
  /// An index value as i64.
  static mlir::Value toInt(mlir::ImplicitLocOpBuilder &ops, mlir::Value index);

private:
  mlir::Value variable(mlir::Type type, int64_t count = 1);
  /// A field of the run: one of runtime::RunSlot.
  mlir::Value field(mlir::ImplicitLocOpBuilder &ops, unsigned slot);
  void reload(mlir::ImplicitLocOpBuilder &ops);
  void makeRoom(mlir::ImplicitLocOpBuilder &ops, mlir::Value isNeeded, mlir::Value more);
  mlir::Value isTight(mlir::ImplicitLocOpBuilder &ops, mlir::Value more);
  mlir::LLVM::CallOp call(mlir::ImplicitLocOpBuilder &ops, const runtime::Function &function,
                          mlir::ValueRange arguments);
  mlir::Value load(mlir::ImplicitLocOpBuilder &ops, mlir::Value variable, mlir::Type type);
  mlir::Value isTouched(mlir::ImplicitLocOpBuilder &ops, mlir::Value key);
  mlir::Value bitOf(mlir::ImplicitLocOpBuilder &ops, mlir::Value bit);
  void setBits(mlir::ImplicitLocOpBuilder &ops, mlir::Value words, mlir::Value number, mlir::Value bits);
  void storeWord(mlir::ImplicitLocOpBuilder &ops);
  void clearTouched(mlir::ImplicitLocOpBuilder &ops);
  mlir::Value elementAddress(mlir::ImplicitLocOpBuilder &ops, mlir::Value array, mlir::Value position);
  mlir::Value loadElement(mlir::ImplicitLocOpBuilder &ops, mlir::Value address);
  void storeElement(mlir::ImplicitLocOpBuilder &ops, mlir::Value address, mlir::Value value);

  mlir::FunctionOpInterface body_;
  RunShape shape_;
  mlir::Type pointer_, int64_;
  const runtime::Function *rowFlush_ = &runtime::functions::row_flush;
  const runtime::Function *hashFlush_ = &runtime::functions::hash_flush;
  Workspace workspace_ = Workspace::None;
  mlir::Value run_;
  mlir::Value bits_, summary_; ///< of a dense workspace
  // Addresses of variables. Of a dense workspace the least and the last touched word, and the one whose bits are not
  // stored yet, with these bits.
  mlir::Value count_, keys_, values_, capacity_, slots_, coordinates_;
  mlir::Value first_, last_, word_, wordBits_;
};

} // namespace spc::transforms
