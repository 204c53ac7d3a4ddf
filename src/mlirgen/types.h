// Tensor types of the kernel's arguments: storage formats as sparse_tensor encodings, and what these cannot say.
#pragma once

#include "dialect/attributes.h"
#include "sema/kernel.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

namespace spc::mlirgen {

/// tensor<?x?xT> by dimension, without an encoding.
mlir::RankedTensorType denseType(const sema::Tensor &tensor, mlir::MLIRContext &context);
mlir::RankedTensorType denseType(const sema::Tensor &tensor, sema::ValueType type, mlir::MLIRContext &context);

/// tensor<?x?xT, #sparse_tensor.encoding<...>> for the tensor's format, one dimension a level: MLIR sees the levels as
/// the tensor's dimensions, so that blocks and diagonals need no map that it would have to invert. COO becomes
/// compressed(nonunique), then singletons, each with an array of its own (soa). Whatever else lists its coordinates or
/// has differently many of them is compressed; levelAttributes says what is missing.
mlir::RankedTensorType sparseType(const sema::Tensor &tensor, mlir::MLIRContext &context);

/// The dense view, by level, through which an output that shares a pattern is written.
mlir::RankedTensorType proxyType(const sema::Tensor &tensor, mlir::MLIRContext &context);

/// The extents of a dense tensor's dimensions, or of a sparse tensor's levels.
llvm::SmallVector<dialect::ExtentAttr> extentAttributes(const sema::Tensor &tensor, const sema::Kernel &kernel,
                                                        mlir::MLIRContext &context);

/// The extents by dimension, whatever the format.
llvm::SmallVector<dialect::ExtentAttr> dimensionAttributes(const sema::Tensor &tensor, const sema::Kernel &kernel,
                                                           mlir::MLIRContext &context);

/// The attributes for what MLIR's level types do not say of a sparse tensor's levels (docs/why.md, "Implicit levels").
llvm::SmallVector<dialect::LevelAttr> levelAttributes(const sema::Tensor &tensor, const sema::Kernel &kernel,
                                                      mlir::MLIRContext &context);

/// The attribute spc.division of a statement's body; null where one worker does it.
dialect::DivisionAttr divisionAttribute(const sema::Kernel &kernel, const sema::Statement &statement,
                                        mlir::MLIRContext &context);

/// The attribute spc.schedule of a step's body: what passes and the entry read of the schedule; null where it says
/// nothing. A body without a loop over the variable that shall be parallel has "none" there.
dialect::ScheduleAttr scheduleAttribute(const sema::Schedule &schedule, const sema::Step &step,
                                        mlir::MLIRContext &context);

} // namespace spc::mlirgen
