// One loop over the rows of an assembled output for all of its terms.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// What one term does for a row: operations of one block.
struct RowNest {
  mlir::Operation *first, *last;
};

/// The loop that `op` is over all rows of an assembled output; null where it is another operation.
mlir::scf::ForOp asRowLoop(mlir::Operation *op);

/// Makes one loop of several over all rows, where nothing else among the operations from `first` to `last` uses
/// `buffer`, and adds what the later ones did to `laterNests`. Failure, with an error reported, where one of several
/// terms has another loop, or something stands between them that has to stay there.
mlir::LogicalResult fuseRowLoops(mlir::Value buffer, mlir::Operation *&first, mlir::Operation *&last,
                                 llvm::SmallVectorImpl<RowNest> &laterNests);

} // namespace spc::transforms
