// The attributes of the dialect `spc` (SpcAttributes.td), and where they stand: on functions that are bodies of a
// kernel, on their arguments and on their loops. They are verified there (verify.cpp).
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "dialect/SpcEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/SpcAttributes.h.inc"

namespace spc::dialect {

/// The bind of argument `index` of a body; null where nothing is said yet.
BindAttr bindOf(mlir::FunctionOpInterface body, unsigned index);
/// The same of a value; null where it is no argument of `body`.
BindAttr bindOf(mlir::FunctionOpInterface body, mlir::Value value);
/// The argument that holds `bind`, or null.
mlir::BlockArgument argumentWith(mlir::FunctionOpInterface body, BindAttr bind);
void setBind(mlir::FunctionOpInterface body, unsigned index, BindAttr bind);
/// Adds an argument that holds `bind` at the end.
mlir::BlockArgument addArgument(mlir::FunctionOpInterface body, BindAttr bind, mlir::Type type);

/// The tensor or scalar that argument `index` is; null of one that was added later.
TensorAttr tensorOf(mlir::FunctionOpInterface body, unsigned index);
void setTensor(mlir::FunctionOpInterface body, unsigned index, TensorAttr tensor);
/// The extent in which the coordinates of a compressed root ascend; null of any other argument.
ExtentAttr ascendingExtentOf(mlir::FunctionOpInterface body, unsigned index);
void setAscendingExtent(mlir::FunctionOpInterface body, unsigned index, ExtentAttr extent);

/// How the body may run in chunks; null where it may not.
ChunksAttr chunksOf(mlir::FunctionOpInterface body);
void setChunks(mlir::FunctionOpInterface body, ChunksAttr chunks);
/// How sema divides the body's work; null where one worker does it, and once that is carried out.
DivisionAttr divisionOf(mlir::FunctionOpInterface body);
void setDivision(mlir::FunctionOpInterface body, DivisionAttr division);
void removeDivision(mlir::FunctionOpInterface body);
/// What sema has planned of the loops of term `number` of the body; null where it says nothing of them.
NestAttr nestOf(mlir::FunctionOpInterface body, int64_t number);
void setNests(mlir::FunctionOpInterface body, llvm::ArrayRef<NestAttr> nests);
/// The user's schedule for the body, which may be empty.
ScheduleAttr scheduleOf(mlir::FunctionOpInterface body);
void setSchedule(mlir::FunctionOpInterface body, ScheduleAttr schedule);
/// Whether only the pattern of the body's assembled output counts.
bool isPatternOnly(mlir::FunctionOpInterface body);
void setPatternOnly(mlir::FunctionOpInterface body);
/// Whether each operation of the body is rounded by itself, whatever --fp allows.
bool isAsWritten(mlir::FunctionOpInterface body);
void setAsWritten(mlir::FunctionOpInterface body);

/// The place of `loop` in the nests of its body; null of a loop that is none of a term, and of any other operation.
PlaceAttr placeOf(mlir::Operation *loop);
void setPlace(mlir::Operation *loop, PlaceAttr place);
/// What sema has planned of the loop; null where it has no place.
LoopAttr plannedLoopOf(mlir::Operation *loop);

/// The record of `loop` as a loop over the rows of a body; null for any other operation.
RowLoopAttr rowLoopOf(mlir::Operation *loop);
void setRowLoop(mlir::Operation *loop, RowLoopAttr rows);
void removeRowLoop(mlir::Operation *loop);

/// Whether `loop` is recorded as one over the positions of a parent's segment, whose bounds are computed. Segments of
/// different parents have no position in common.
bool isSegment(mlir::Operation *loop);
void markSegment(mlir::Operation *loop);

/// Whether `loop` is recorded as doing several iterations of another one at once, which leaves a rest: that is done by
/// the loop that starts where this one ends.
bool leavesRest(mlir::Operation *loop);
void markLeavesRest(mlir::Operation *loop);

/// Whether a loop nest is recorded as the rare case beside its version for full blocks: splitting it further would be
/// wasted code.
bool isPartial(mlir::Operation *nest);
void markPartial(mlir::Operation *nest);
void removePartial(mlir::Operation *nest);

/// The dimensions of a `memref.load` or a `memref.store` whose indices are recorded as staying in their extents.
llvm::ArrayRef<int64_t> clippedDimsOf(mlir::Operation *access);
void addClippedDim(mlir::Operation *access, int64_t dim);
void removeClippedDims(mlir::Operation *access);

/// Marks a conversion of a truth to a number as a factor whose 0 makes its product 0, whatever else is multiplied.
void markMask(mlir::Operation *conversion);
bool isMask(mlir::Operation *conversion);
void unmarkMask(mlir::Operation *conversion);

/// Takes the dialect's attributes off a function that nobody will ask any more. MLIR's translation to LLVM IR prints
/// the function for each attribute of an argument that it does not know, which took a fifth of the time of a
/// compilation.
void dropAttributes(mlir::FunctionOpInterface body);

} // namespace spc::dialect
