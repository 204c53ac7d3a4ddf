// Writes one strip of a region: its dense loops on vectors, the slots in registers.
#pragma once

#include "transforms/util/region_cloner.h"
#include "transforms/vector/strips.h"

namespace spc::transforms {

/// `count` vectors of `lanes` elements each, one after the other from `base` on. The last `clamped` of them may reach
/// beyond the size: they are moved together to end there, and overlap what is before them. The rest of the size from
/// `base` on holds that many vectors, and all the others, in full.
struct Strip {
  int64_t lanes = 1, count = 1, clamped = 0;
  mlir::Value base;
};

/// Clones a region for one strip, at the builder's place. Its state is the vectors of the slots: of each slot, one for
/// each vector of the strip.
class StripWriter : RegionCloner {
public:
  StripWriter(mlir::OpBuilder &builder, const StripRegion &region, const Strip &strip)
      : RegionCloner(builder), location_(region.operations.front()->getLoc()), region_(region), strip_(strip) {}

  /// Requires: what the region's operations use of the block is defined before the builder's place.
  void write();

private:
  void findPlaces();
  llvm::SmallVector<mlir::Value> indicesAt(const Slot &slot, mlir::Value index);
  llvm::MutableArrayRef<mlir::Value> vectorsOf(const Slot &slot) {
    return llvm::MutableArrayRef(state_).slice((&slot - region_.slots.data()) * strip_.count, strip_.count);
  }
  void writeOperation(mlir::Operation &op) override;
  void writeDense(mlir::scf::ForOp loop);

  mlir::Location location_;
  const StripRegion &region_;
  Strip strip_;
  llvm::SmallVector<mlir::Value> places_; ///< each vector's index of its first element
};

} // namespace spc::transforms
