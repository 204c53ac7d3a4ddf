// Writes one register tile of a region: its dense loops on vectors, the slots in registers.
#pragma once

#include "transforms/util/region_cloner.h"
#include "transforms/util/vector_body.h"
#include "transforms/vector/register_tiles.h"

namespace spc::transforms {

/// `count` vectors of `lanes` elements each, side by side from `base` on. The last `clamped` of them may reach beyond
/// the size: they are moved together so that they end there, and then overlap the vectors before them. Requires: the
/// elements from `base` up to the size are at least `clamped` vectors, and at least `count - clamped`.
struct Tile {
  int64_t lanes = 1, count = 1, clamped = 0;
  mlir::Value base;
};

/// Clones a region for one tile, at the builder's place. The cloner's state is the vectors of the slots: for each slot
/// as many as the tile has.
class TileWriter : RegionCloner {
public:
  /// `known` says what values from outside of the region are in the clone.
  TileWriter(mlir::OpBuilder &builder, const TiledRegion &region, const Tile &tile, const mlir::IRMapping &known = {})
      : RegionCloner(builder), location_(region.operations.front()->getLoc()), region_(region), tile_(tile) {
    copies_.front() = known;
  }

  /// Requires: values of the block that the region's operations use are defined before the builder's place.
  void write();

private:
  void findPlaces();
  void loadSlot(const Slot &slot, VectorBody &elements);
  void storeSlot(const Slot &slot, VectorBody &elements);
  llvm::SmallVector<const Slot *> localSlotsOf(mlir::scf::ForOp loop) const;
  llvm::SmallVector<mlir::Value> indicesAt(const Slot &slot, mlir::Value index);
  llvm::MutableArrayRef<mlir::Value> vectorsOf(const Slot &slot) {
    return llvm::MutableArrayRef(state_).slice((&slot - region_.slots.data()) * tile_.count, tile_.count);
  }
  void writeOperation(mlir::Operation &op) override;
  void writeDense(mlir::scf::ForOp loop);

  mlir::Location location_;
  const TiledRegion &region_;
  Tile tile_;
  llvm::SmallVector<mlir::Value> places_; ///< each vector's index of its first element
};

} // namespace spc::transforms
