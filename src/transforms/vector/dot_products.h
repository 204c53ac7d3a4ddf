// Loops over entries of which each has a dot product of dense rows: SDDMM's.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <vector>

namespace spc::transforms {

/// A loop over entries whose body has one dense dot product.
struct DotProducts {
  mlir::scf::ForOp outer, dense;
  unsigned elementBytes = 0; ///< of the widest type that the dot product computes with
};

/// The dot products of an outer loop whose iterations may be mixed; nullopt for any other loop.
std::optional<DotProducts> matchDotProducts(mlir::scf::ForOp outer);

/// The operations that follow from the dot products of an outer loop, with what they need beside them, in order, where
/// neighbouring entries can do them as one vector: only elements at the entry's own position are read and written.
/// Empty where the loop carries anything, or they need more.
std::vector<mlir::Operation *> separableTail(const DotProducts &nest);

/// Gives empty sums a loop of their own where the entries' sums are tested for being empty, so that the other one
/// computes without selects: vectors that are loaded for one under a mask take far longer than others on some
/// processors.
void splitEmptySums(const DotProducts &nest);

} // namespace spc::transforms
