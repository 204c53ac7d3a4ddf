// The language's functions, comparisons and logic as operations on single elements.
#pragma once

#include "sema/kernel.h"

#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// A value and the type of the language that it has.
struct TypedValue {
  mlir::Value value;
  sema::ValueType type;
};

/// Emits the call at the builder's place, where no sparsifier looks at it: outside of a sparse term, or in a region of
/// one of its sparse_tensor operations. `type` is the call's. Arguments have the types that sema::Call promises, which
/// are such that sema lets the function take.
///
/// The minimum or maximum with a NaN is NaN, and that of numbers the other argument. The modulus of integers has the
/// sign of the dividend, and is 0 for a divisor 0, as the quotient is, which is rounded towards 0. A cast of a float to
/// an integer cuts off its fraction; a value that does not fit becomes the nearest integer that does, and NaN becomes
/// 0.
mlir::Value emitCall(mlir::OpBuilder &builder, mlir::Location location, sema::Function function, sema::ValueType type,
                     llvm::ArrayRef<TypedValue> arguments);

/// A reduction of two values of a type; bools for `any` and `all`.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, sema::Reduction reduction, sema::ValueType type,
                    mlir::Value a, mlir::Value b);

/// The identity of a reduction, as the attribute of a constant; for complex types an array of two.
mlir::Attribute identityAttribute(mlir::MLIRContext &context, sema::Reduction reduction, sema::ValueType type);

/// The identity of a reduction: for `min` and `max` the infinities, or the limits of an integer type.
mlir::Value identityOf(mlir::OpBuilder &builder, mlir::Location location, sema::Reduction reduction,
                       sema::ValueType type);

/// An i1: whether a number is not 0.
mlir::Value isTrue(mlir::OpBuilder &builder, mlir::Location location, TypedValue value);

} // namespace spc::mlirgen
