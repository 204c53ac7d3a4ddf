// Coordinates in a term's region, as sums of the variables of its loops.
#pragma once

#include "mlirgen/term_body.h"

namespace spc::mlirgen {

class TermCoordinates {
public:
  /// A coordinate, where the variables of its loops are.
  struct Coordinate {
    llvm::SmallVector<std::pair<mlir::Value, int64_t>> loops; ///< each with its factor
    int64_t constant = 0;
  };

  /// `block` is the region's. The references must outlive this.
  TermCoordinates(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::Block &block)
      : body_(body), builder_(builder), location_(location), block_(block) {}

  /// The loop variables of a coordinate. They stand at the head of the term: no linalg.index is allowed in the region
  /// of a sparse_tensor operation.
  Coordinate of(const sema::Index &index);

  /// Its value, an index, at the builder's place.
  mlir::Value sum(const Coordinate &coordinate);

private:
  mlir::Value variableOf(sema::LoopId loop);

  const TermBody &body_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  mlir::Block &block_;
};

} // namespace spc::mlirgen
