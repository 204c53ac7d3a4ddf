// The region of one term's linalg.generic.
#pragma once

#include "sema/kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace spc::mlirgen {

/// A coordinate that must lie in [0, extent) for an entry to count.
struct Bound {
  sema::Index index;
  mlir::Value extent;
};

/// The region of a term's generic, and the values that it is made of.
struct TermBody {
  const sema::Kernel &kernel;
  const sema::Statement &statement;
  const sema::Term &term;
  bool hasSparseOperand;
  llvm::ArrayRef<mlir::Value> scalars; ///< by operand number; null for operands that are block arguments
  llvm::ArrayRef<mlir::Value> fills;   ///< of a term with a domain, by operand number: what its missing entries hold;
                                       ///< null for dense operands
  mlir::Value zero;                    ///< what keeps integers from folding to 0, where they must not; see Arithmetic
  mlir::Value identity;                ///< of a reduction other than a sum, in the target's type
  llvm::ArrayRef<int> places;          ///< by loop: its place in the iteration space, or -1
  mlir::Value repeats; ///< index: the term counts this often, once for each point of the loops that no operand has;
                       ///< null: once
  llvm::ArrayRef<Bound> bounds;
  llvm::ArrayRef<mlir::Value> coordinates = {}; ///< by loop, where loops are there already; none in a generic
  mlir::Value unknownZero = {};                 ///< of loops without branches: see selectWithoutBranch()
};

/// Fills the region: `arguments` are the operands' elements in order (scalars left out), then the target's. Yields the
/// target's element plus the term, or the term alone where it overwrites.
///
/// A division in a term with a sparse operand is a sparse_tensor.binary with an overlap region, which iterates over the
/// numerator's entries; MLIR's sparsifier gives up on arith.divf unless the divisor is a constant.
void emitTermBody(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange arguments);

/// The term's value at one point of loops that are there already, in the target's type: `values` are the operands'
/// elements and the scalars, `stored` an i1 for each sparse operand, by operand number. Without a domain an addend
/// counts where all of its sparse factors are stored.
mlir::Value emitTermValue(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                          llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<mlir::Value> stored);

/// The value of a part of a term without a domain, which has one sparse operand, where this is stored, in the
/// statement's type: as emitTermValue(), `values` being there for what the part reads.
mlir::Value emitPart(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                     llvm::ArrayRef<mlir::Value> values, const sema::Expr &part);

/// Integer arithmetic may fold to 0, as in (x - x) * A, and the sparsifier then no longer sees what is iterated over.
/// Gives such a body its sparse operands back. Requires: a generic in a function, with a body from emitTermBody.
void keepSparseOperands(const TermBody &body, mlir::linalg::GenericOp generic);

} // namespace spc::mlirgen
