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

/// The addition that is all that `loop` does with its carried value `number`, and whose result it carries on; nullopt
/// where the loop uses that value in another way.
std::optional<Addition> matchCarriedSum(mlir::scf::ForOp loop, unsigned number);

/// Whether the loop carries values, each of them such a sum.
bool carriesSums(mlir::scf::ForOp loop);

/// What a sum passes on its way: additions, and the selects, branches and loops that hand it on. Nothing else uses it,
/// no addend depends on it.
using SumSteps = llvm::SmallVector<mlir::Operation *>;

/// The steps of a sum in memory from `load` to `store`; nullopt where these access different elements, or what is
/// stored is not what was loaded with something added.
std::optional<SumSteps> matchMemorySum(mlir::memref::LoadOp load, mlir::memref::StoreOp store);

/// Whether the one result of `loop` is the value that it starts with and what is added to it, and the sum may be
/// reassociated: by the flags of its additions, or because all may.
bool onlySums(mlir::scf::ForOp loop, bool allMayReassociate);

/// Whether all that `loop` does to `buffer` is to add to its elements, in sums that may be reassociated.
bool onlyAddsTo(mlir::Operation *loop, mlir::Value buffer, bool allMayReassociate);

} // namespace spc::transforms
