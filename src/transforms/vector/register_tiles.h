// Register tiling: which dense loops can be cut into tiles and moved outside of the reductions around them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <vector>

namespace spc::transforms {

/// The elements of one buffer that a tile updates: `buffer[indices]` with the tile's own index in dimension `along`,
/// which has unit stride; `indices` holds null there.
struct Slot {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> indices;
  unsigned along = 0;
  bool isFresh = false; ///< set before it is read: what the memory held does not matter
  bool isLocal = false; ///< an index varies in the region: each dense loop loads the elements, and stores them

  bool operator==(const Slot &other) const {
    return buffer == other.buffer && indices == other.indices && along == other.along;
  }
};

/// A part of a block whose dense loops all run over the same elements 0 … size - 1 of the slots, and are *separable*:
/// no element of one iteration is read in another. They may then be run tile by tile, each tile through the whole
/// region, in any order; loops around them inside of the region are reductions into the slots, or scatter to local
/// ones.
struct TiledRegion {
  mlir::Block *block = nullptr;
  llvm::SmallVector<mlir::Operation *> operations; ///< of the block, in order, that hold the dense loops
  llvm::SmallPtrSet<mlir::Operation *, 8> dense;   ///< the dense loops
  mlir::Value size;
  std::vector<Slot> slots;
  unsigned elementBytes = 0; ///< of the widest type that the dense loops compute with

  /// The greatest number of slots that are rows of one buffer.
  unsigned rows() const;
  /// The loop over rows whose whole body the region is, with what it computes and loads itself: any tile of one row may
  /// then run before any other tile of another one. Null where there is none.
  mlir::scf::ForOp rowLoop() const;
  /// The slot that `op` loads or stores in a dense loop; null where it is no such access.
  const Slot *slotOf(mlir::Operation *op) const;
};

/// The regions of `body` in which tiling pays: at least one dense loop is inside of a reduction, or adds to other
/// elements in each iteration of a loop around it.
std::vector<TiledRegion> findTiledRegions(mlir::func::FuncOp body);

} // namespace spc::transforms
