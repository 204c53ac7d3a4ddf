// Writes one strip of a region: its dense loops on vectors, the slots in registers.
#pragma once

#include "transforms/vector/strips.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace spc::transforms {

/// `count` vectors of `lanes` elements each, one after the other from `base` on. The last `clamped` of them may reach
/// beyond the size: they are moved together to end there, and overlap what is before them. The rest of the size from
/// `base` on holds that many vectors, and all the others, in full.
struct Strip {
  int64_t lanes = 1, count = 1, clamped = 0;
  mlir::Value base;
};

/// Clones a region for one strip, at the builder's place.
class StripWriter {
public:
  StripWriter(mlir::OpBuilder &builder, const StripRegion &region, const Strip &strip)
      : builder_(builder), location_(region.operations.front()->getLoc()), region_(region), strip_(strip) {}

  /// Requires: what the region's operations use of the block is defined before the builder's place.
  void write();

private:
  using Vectors = llvm::SmallVector<mlir::Value>; ///< one for each vector of the strip

  void findPlaces();
  llvm::SmallVector<mlir::Value> indicesAt(const Slot &slot, mlir::Value index);

  void writeDense(mlir::scf::ForOp loop);
  void writeOperation(mlir::Operation &op);
  void writeBlock(mlir::Block &from, mlir::Block &to);
  void writeFor(mlir::scf::ForOp loop);
  void writeWhile(mlir::scf::WhileOp loop);
  void writeIf(mlir::scf::IfOp choice);

  llvm::SmallVector<mlir::Value> withSlots(mlir::ValueRange values);
  void takeSlots(mlir::ValueRange values);
  Vectors &accumulators(const Slot &slot) { return slots_[&slot - region_.slots.data()]; }

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  const StripRegion &region_;
  Strip strip_;
  llvm::SmallVector<mlir::Value> places_; ///< each vector's index of its first element
  llvm::SmallVector<Vectors> slots_;
  mlir::IRMapping scalars_;
};

} // namespace spc::transforms
