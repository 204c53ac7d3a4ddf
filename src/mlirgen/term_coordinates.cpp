#include "mlirgen/term_coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::mlirgen {

namespace arith = mlir::arith;
using mlir::Value;

TermCoordinates::Coordinate TermCoordinates::of(const sema::Index &index) {
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(&block_);
  Coordinate coordinate{{}, index.constant};
  for (const sema::IndexTerm &part : index.terms)
    coordinate.loops.emplace_back(variableOf(part.loop), part.scale);
  return coordinate;
}

Value TermCoordinates::variableOf(sema::LoopId loop) {
  if (!body_.coordinates.empty())
    return body_.coordinates[loop.index()];
  return mlir::linalg::IndexOp::create(builder_, location_, body_.places[loop.index()]);
}

Value TermCoordinates::sum(const Coordinate &coordinate) {
  Value sum;
  for (auto [loop, factor] : coordinate.loops) {
    const Value scale = arith::ConstantIndexOp::create(builder_, location_, factor);
    const Value scaled = arith::MulIOp::create(builder_, location_, loop, scale);
    sum = sum ? arith::AddIOp::create(builder_, location_, sum, scaled).getResult() : scaled;
  }
  if (coordinate.constant == 0)
    return sum;
  const Value constant = arith::ConstantIndexOp::create(builder_, location_, coordinate.constant);
  return arith::AddIOp::create(builder_, location_, sum, constant);
}

} // namespace spc::mlirgen
