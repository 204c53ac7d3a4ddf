#include "transforms/util/skipped_nests.h"

namespace spc::transforms {

/// Whether all loops in an operation, itself among them, are of one nest.
static bool isAlone(mlir::Operation *op, int64_t nest) {
  return !op->walk([&](mlir::Operation *inner) {
              const dialect::PlaceAttr place = dialect::placeOf(inner);
              return place && place.getNest() != nest ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
            }).wasInterrupted();
}

dialect::NestAttr skippedNest(mlir::func::FuncOp body, mlir::Operation *op) {
  const dialect::PlaceAttr place = dialect::placeOf(op);
  const dialect::NestAttr nest = place ? dialect::nestOf(body, place.getNest()) : dialect::NestAttr();
  return nest && !nest.getEmptyWith().empty() && isAlone(op, place.getNest()) ? nest : dialect::NestAttr();
}

} // namespace spc::transforms
