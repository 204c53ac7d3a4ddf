// Sums: values that loops carry, and elements of memory, that are only added to.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace spc::transforms {

/// `sum + addend`, or `sum - addend`.
struct Addition {
  mlir::Operation *op;
  mlir::Value addend;
  bool isSubtracted;
};

/// What `op` adds to `sum` or takes from it; nullopt where it does something else.
std::optional<Addition> matchAddition(mlir::Operation *op, mlir::Value sum);

/// The addition to carried value `number` of `loop`, where the loop does nothing else with that value and carries the
/// sum on; else nullopt.
std::optional<Addition> matchCarriedSum(mlir::scf::ForOp loop, unsigned number);

/// Whether the loop carries values, and each of them is such a sum.
bool carriesSums(mlir::scf::ForOp loop);

/// Adds up what several copies of `loop` have summed, chain by chain: all sums of the first copy, then those of the
/// next one. Their number is a power of two, and their additions are those that `loop` carries.
llvm::SmallVector<mlir::Value> addChains(mlir::OpBuilder &builder, mlir::scf::ForOp loop, mlir::ValueRange chains);

/// The operations that a sum passes on its way: additions, and the selects, branches and loops that hand it on. Nothing
/// else uses the sum, and no addend depends on it.
using SumSteps = llvm::SmallVector<mlir::Operation *>;

/// The steps of a sum in memory from `load` to `store`; nullopt where these access different elements, or `store`
/// writes anything else than the loaded value with something added.
std::optional<SumSteps> matchMemorySum(mlir::memref::LoadOp load, mlir::memref::StoreOp store);

/// Whether the one result of `loop` is a sum of its initial value and what the iterations add, and that sum may be
/// reassociated: by the flags of its additions, or because all sums may.
bool onlySums(mlir::scf::ForOp loop, bool allMayReassociate);

/// Whether `loop` does nothing to `buffer` but add to its elements, in sums that may be reassociated. `except`, an
/// operation inside, plays no part.
bool onlyAddsTo(mlir::Operation *loop, mlir::Value buffer, bool allMayReassociate, mlir::Operation *except = nullptr);

} // namespace spc::transforms
