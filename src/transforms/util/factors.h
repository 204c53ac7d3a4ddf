// Products that loops add up, taken apart by what a loop changes.
#pragma once

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace spc::transforms {

/// The factors of a product of floats: those that a loop changes, those that it does not, and what the product is
/// divided by that it does not change; and whether the product is negated.
struct Factors {
  llvm::SmallVector<mlir::Value> inner, outer, divisors;
  bool isNegative = false;

  /// Whether there is something to add up in the loop, and something to apply behind it.
  bool mayPart() const { return !inner.empty() && (!outer.empty() || !divisors.empty()); }
};

/// Takes a product apart, looking into multiplications, divisions and negations that serve nothing else and for which
/// `isWithin` holds: they stand where the loop runs.
Factors factorsOf(mlir::Value product, llvm::function_ref<bool(mlir::Operation *)> isWithin,
                  llvm::function_ref<bool(mlir::Value)> isUnchanged);

/// The product. Requires: a factor.
mlir::Value multiply(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<mlir::Value> factors);

/// `sum` times the factors, by the divisors, each applied once.
mlir::Value scaled(mlir::OpBuilder &builder, mlir::Location location, mlir::Value sum,
                   llvm::ArrayRef<mlir::Value> factors, llvm::ArrayRef<mlir::Value> divisors);

} // namespace spc::transforms
