// One run of an assembled output: the loops that one of its terms, or all of them, became. Private to this folder.
#pragma once

#include "dialect/dialect.h"
#include "transforms/assembly/appending_loops.h"
#include "transforms/assembly/row_fusion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

/// Turns the accesses of one dense proxy into the collecting of entries. To be used in the order of the functions
/// below.
class CollectedRun {
public:
  /// `proxy` is an argument whose spc.tensor has a run.
  CollectedRun(mlir::func::FuncOp body, unsigned proxy);

  /// Finds the loops. Failure, with an error reported, where they do not visit rows as the run says.
  mlir::LogicalResult analyze();

  /// The loop over all of the first collected dimension that the run is; null where it is another one.
  mlir::scf::ForOp rowLoop();

  /// That dimension's extent.
  dialect::ExtentAttr rowExtent() const;

  /// Rewrites the loops; the dense proxy is unused afterwards. `assembly` is a pointer, `chunk` an index value.
  mlir::LogicalResult rewrite(mlir::Value assembly, mlir::Value chunk);

private:
  using Loops = llvm::SmallVector<mlir::Operation *>;

  mlir::LogicalResult findRange();
  mlir::LogicalResult checkRows();
  void hoistInvariants();
  /// The loops of the nest around `op`, outermost first.
  Loops loopsAround(mlir::Operation *op);
  bool isAppended(mlir::memref::StoreOp store);
  bool appendsSums();
  void keepShortLoops();
  llvm::SmallVector<mlir::Value> collected(mlir::ValueRange indices) const;
  mlir::Value keyOf(mlir::ImplicitLocOpBuilder &ops, mlir::ValueRange indices);
  /// The value of an element that the row does not have; see identityConstant.
  mlir::Value identity(mlir::ImplicitLocOpBuilder &ops);
  bool isPlanned() const;
  dialect::RunType type();
  /// `what`, or null where only the pattern counts.
  template <typename T> T stored(T what) const { return patternOnly_ ? T() : what; }
  mlir::LogicalResult collect();
  void joinNests();
  void endRows(llvm::ArrayRef<mlir::memref::StoreOp> stores);
  void beginRow(mlir::Location location, mlir::Block *place, llvm::ArrayRef<mlir::Value> row);
  void reserve(const AppendingLoops &loops);
  /// The load of an element of the output that gives `value`, or null.
  mlir::memref::LoadOp elementLoad(mlir::Value value);
  mlir::memref::LoadOp startOf(mlir::memref::StoreOp store);
  mlir::memref::LoadOp updatedLoad(mlir::memref::StoreOp store);
  void rewriteStore(mlir::memref::LoadOp load, mlir::memref::StoreOp store);
  void append(mlir::memref::LoadOp load, mlir::memref::StoreOp store);
  void accumulate(mlir::memref::LoadOp load, mlir::memref::StoreOp store);
  void rewriteReduction(mlir::memref::LoadOp load, mlir::memref::StoreOp store);

  mlir::func::FuncOp body_;
  unsigned proxy_;
  mlir::BlockArgument buffer_;
  dialect::TensorAttr tensor_;
  llvm::SmallVector<int64_t> dims_; ///< in collecting order
  int64_t rows_;
  mlir::Type element_;
  bool patternOnly_;
  mlir::Value run_;
  mlir::Operation *first_ = nullptr, *last_ = nullptr; ///< of the top-level operations that are the run
  bool appends_ = true;
  bool sorts_ = false;                    ///< what is appended comes in any order
  llvm::SmallVector<RowNest> laterNests_; ///< of the terms after the first one, in the loop over the rows of all
  llvm::SmallPtrSet<mlir::Operation *, 4> reserved_; ///< stores for which there is room
};

} // namespace spc::transforms
