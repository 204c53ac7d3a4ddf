// Arithmetic on the value types, as operations that MLIR's sparsifier takes apart.
#pragma once

#include "sema/value_type.h"

#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// The element type in MLIR: floats as they are, signless integers, i8 for bool, complex<f32> and complex<f64>.
mlir::Type elementType(sema::ValueType type, mlir::MLIRContext &context);

/// The greatest or the least number of an integer type; of bools 1 and 0.
llvm::APInt endOf(sema::ValueType type, bool isLeast);

/// 0 of an integer's type, computed from it in a way that MLIR does not fold (LLVM does): the lowest bit of an even
/// number.
mlir::Value opaqueZero(mlir::OpBuilder &builder, mlir::Location location, mlir::Value integer);

/// `yes` or `no`, in f32 and f64 without a branch: LLVM makes one of a choice of floats, and seldom predicts it where
/// choices follow no pattern. `zero` is an i64 that LLVM does not know to be 0, so that it sees integers.
mlir::Value selectWithoutBranch(mlir::OpBuilder &builder, mlir::Location location, mlir::Value condition,
                                mlir::Value yes, mlir::Value no, mlir::Value zero);

/// Builds operations at the builder's place. Integers wrap; bool adds by or and multiplies by and.
class Arithmetic {
public:
  /// `inSparseTerm`: the operations stand in the region of a generic with a sparse operand. Operations that the
  /// sparsifier does not know are then wrapped in sparse_tensor.unary or .binary, and run for stored entries only.
  Arithmetic(mlir::OpBuilder &builder, mlir::Location location, bool inSparseTerm)
      : builder_(builder), location_(location), inSparseTerm_(inSparseTerm) {}

  /// An infinity of an integer type is its greatest or its least number.
  mlir::Value constant(sema::ValueType type, double value);
  /// `value`, an integer or a bool, as something that MLIR does not know, by way of an i64 opaqueZero(); other types
  /// and where `zero` is null: as it is.
  mlir::Value hide(mlir::Value value, mlir::Value zero);
  /// Requires: `to` can hold the kind of number that `from` is (sema checks that).
  mlir::Value convert(mlir::Value value, sema::ValueType from, sema::ValueType to);
  mlir::Value add(sema::ValueType type, mlir::Value left, mlir::Value right);
  mlir::Value subtract(sema::ValueType type, mlir::Value left, mlir::Value right);
  mlir::Value multiply(sema::ValueType type, mlir::Value left, mlir::Value right);
  /// Requires: floats or complex numbers.
  mlir::Value divide(sema::ValueType type, mlir::Value numerator, mlir::Value divisor);
  /// A complex number each part of which is multiplied by a float of their type.
  mlir::Value scale(mlir::Value number, mlir::Value factor);
  /// A complex number each part of which is divided by a float of their type.
  mlir::Value divideParts(mlir::Value number, mlir::Value divisor);
  /// `divisor`, or 1 where `entry`, an operand's element, is 0.
  mlir::Value oneAtZeros(sema::ValueType type, mlir::Value divisor, sema::ValueType entryType, mlir::Value entry);
  /// Requires: no bool.
  mlir::Value negate(sema::ValueType type, mlir::Value value);

  /// Says of a truth as a number that it decides its product.
  static void markFactor(mlir::Value factor);
  /// The conjugate of a complex number.
  mlir::Value conjugate(mlir::Value value);
  /// `value` added up `count` (an index) times; zero times is 0, whatever the value.
  mlir::Value repeat(sema::ValueType type, mlir::Value value, mlir::Value count);
  /// `value` where `condition()` holds, else 0. The condition is built where it is used, from loop indices and
  /// constants alone: of all that the region of a sparse_tensor.unary may refer to outside, the sparsifier follows only
  /// these.
  mlir::Value keepIf(sema::ValueType type, llvm::function_ref<mlir::Value()> condition, mlir::Value value);

  /// opaqueZero() of every stored entry of an integer or bool operand. Requires: in a sparse term.
  mlir::Value zeroPerEntry(mlir::Value entry, sema::ValueType from, sema::ValueType to);

private:
  using Rewrite = llvm::function_ref<mlir::Value(mlir::Value)>;
  using Combination = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
  /// An i1.
  mlir::Value isZero(sema::ValueType type, mlir::Value value);
  mlir::Value perEntry(mlir::Value value, mlir::Type result, Rewrite rewrite);
  /// What is made of both, where in a sparse term both are present.
  mlir::Value wherePresent(mlir::Value left, mlir::Value right, mlir::Type result, Combination combination);
  mlir::Value complexFrom(mlir::Value real, mlir::Type type);
  mlir::Value convertComplex(mlir::Value value, mlir::Type type);
  mlir::Value convertInteger(mlir::Value value, sema::ValueType from, mlir::Type type);
  mlir::Value convertFloat(mlir::Value value, mlir::Type type);
  mlir::Value multiplyByCount(sema::ValueType type, mlir::Value value, mlir::Value count);

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  bool inSparseTerm_;
};

} // namespace spc::mlirgen
