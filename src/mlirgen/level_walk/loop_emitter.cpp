#include "mlirgen/level_walk/loop_emitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::mlirgen {

LoopEmitter::Values LoopEmitter::choose(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> yes,
                                        llvm::function_ref<Values()> no) {
  auto branch = mlir::scf::IfOp::create(builder_, location_, types, condition, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  for (auto [block, values] : {std::pair(branch.thenBlock(), yes), std::pair(branch.elseBlock(), no)}) {
    builder_.setInsertionPointToEnd(block);
    mlir::scf::YieldOp::create(builder_, location_, values());
  }
  return branch.getResults();
}

LoopEmitter::Value LoopEmitter::loadIndex(Value array, Value at) {
  Value loaded = mlir::memref::LoadOp::create(builder_, location_, array, at);
  if (loaded.getType().isIndex())
    return loaded;
  if (loaded.getType().getIntOrFloatBitWidth() < 64)
    loaded = mlir::arith::ExtUIOp::create(builder_, location_, builder_.getI64Type(), loaded);
  return mlir::arith::IndexCastOp::create(builder_, location_, builder_.getIndexType(), loaded);
}

LoopEmitter::Value LoopEmitter::sumOf(const sema::Index &sum, llvm::function_ref<Value(sema::LoopId)> coordinate) {
  Value result;
  for (const sema::IndexTerm &part : sum.terms) {
    Value scaled = coordinate(part.loop);
    if (part.scale != 1)
      scaled = multiply(scaled, number(part.scale));
    result = result ? add(result, scaled) : scaled;
  }
  return sum.constant == 0 ? result : add(result, number(sum.constant));
}

} // namespace spc::mlirgen
