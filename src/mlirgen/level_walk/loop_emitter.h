// The operations that loops by hand are made of, at the place where a builder stands. Private to mlirgen.
#pragma once

#include "sema/kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// Emits single operations on indices, for classes that emit loops to derive from.
class LoopEmitter {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  LoopEmitter(mlir::OpBuilder &builder, mlir::Location location) : builder_(builder), location_(location) {}

protected:
  mlir::Type index() { return builder_.getIndexType(); }
  Value number(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder_, location_, value); }
  Value truth(bool value) { return mlir::arith::ConstantOp::create(builder_, location_, builder_.getBoolAttr(value)); }
  Value add(Value a, Value b) { return mlir::arith::AddIOp::create(builder_, location_, a, b); }
  Value subtract(Value a, Value b) { return mlir::arith::SubIOp::create(builder_, location_, a, b); }
  Value multiply(Value a, Value b) { return mlir::arith::MulIOp::create(builder_, location_, a, b); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpIOp::create(builder_, location_, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return mlir::arith::SelectOp::create(builder_, location_, condition, a, b);
  }

  /// A branch that gives the values of one side or the other; each is emitted in its block.
  Values choose(Value condition, mlir::TypeRange types, llvm::function_ref<Values()> yes,
                llvm::function_ref<Values()> no);

  /// An element of an array of positions or coordinates, as an index.
  Value loadIndex(Value array, Value at);

  /// An index sum, where its loops are at what `coordinate` says.
  Value sumOf(const sema::Index &sum, llvm::function_ref<Value(sema::LoopId)> coordinate);

  mlir::OpBuilder &builder_;
  mlir::Location location_;
};

} // namespace spc::mlirgen
