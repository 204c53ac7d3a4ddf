// Indices as sums: constant + coefficient * value + ..., over values that are not sums themselves.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <utility>

namespace spc::transforms {

/// One sum. Its terms are in the order in which they first occur, none with coefficient 0.
struct AffineSum {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;

  /// Whether it is one value as it stands, or a constant.
  bool isBare() const { return terms.empty() || (terms.size() == 1 && constant == 0 && terms.front().second == 1); }
  /// The coefficient of `value`, or 0.
  int64_t coefficient(mlir::Value value) const;
  /// The sum without its term in `value`.
  AffineSum without(mlir::Value value) const;

  bool operator==(const AffineSum &) const = default;
};

/// Opens additions, subtractions and multiplications by constants.
AffineSum affineSum(mlir::Value index);

/// Computes the sum at the builder's place, where its values must be defined.
mlir::Value emitSum(mlir::OpBuilder &builder, mlir::Location location, const AffineSum &sum);

/// The loop whose induction variable `value` is, or null.
mlir::scf::ForOp loopOf(mlir::Value value);

/// The largest value of a loop variable that starts at 0 or above, where that is bounded by a constant; else nullopt.
std::optional<int64_t> largestOf(mlir::Value value);

/// Whether the sum is at least 0 and below `limit`, by constant bounds of its loops.
bool isBelow(const AffineSum &sum, int64_t limit);

} // namespace spc::transforms
