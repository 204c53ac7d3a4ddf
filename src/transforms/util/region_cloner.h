// Cloning operations together with the loops and branches around them, which then carry more values than before.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace spc::transforms {

/// Clones operations at the builder's place. A subclass says what becomes of each operation; loops and branches are
/// cloned here, and hand on two kinds of values in addition:
/// - a *state*, such as sums in registers, which the subclass's operations read and replace;
/// - where the subclass makes several *copies* of operations side by side, each copy's own values.
class RegionCloner {
public:
  virtual ~RegionCloner() = default;

protected:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Whether a loop or branch hands on the original's values once, or once for each copy.
  enum class Carries { Once, PerCopy };

  explicit RegionCloner(mlir::OpBuilder &builder, size_t copies = 1) : builder_(builder), copies_(copies) {}

  /// Writes what becomes of `op`.
  virtual void writeOperation(mlir::Operation &op) = 0;

  mlir::scf::ForOp cloneFor(mlir::scf::ForOp loop, Carries carries = Carries::Once);
  mlir::scf::WhileOp cloneWhile(mlir::scf::WhileOp loop);
  mlir::scf::IfOp cloneIf(mlir::scf::IfOp choice, Carries carries = Carries::Once);

  /// The first copy's value for `value`.
  mlir::Value lookup(mlir::Value value) const { return copies_.front().lookupOrDefault(value); }

  mlir::OpBuilder &builder_;
  llvm::SmallVector<mlir::IRMapping> copies_; ///< the original's values in each copy
  Values state_;                              ///< null where there is no value to hand on yet

private:
  Values handedOn(mlir::ValueRange values, Carries carries) const;
  void receive(mlir::ValueRange originals, mlir::ValueRange values, Carries carries);
  void fillBlock(mlir::Block &from, mlir::Block &to, Carries carries);
};

} // namespace spc::transforms
