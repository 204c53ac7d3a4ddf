// Values that loops and branches hand on.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace spc::transforms {

/// The operands that a loop or a branch makes one of its results of.
struct Origins {
  llvm::SmallVector<mlir::OpOperand *, 2> starts; ///< a loop's initial value, or what each block of a branch yields
  mlir::OpOperand *next = nullptr;                ///< what an iteration of a loop hands on to the next one
};

/// The origins of `value`; nullopt where it is no result of an `scf.for`, `scf.if` or `scf.while`, or a result that an
/// `scf.while` computes in its condition.
std::optional<Origins> originsOf(mlir::Value value);

} // namespace spc::transforms
