// How many values are stored before a position of a tensor's outermost level.
#pragma once

#include "entry/tensors.h"

namespace spc::entry {

/// How positions of a level lead to those of the next one: through an array, or times a factor.
struct LevelStep {
  mlir::Value array;
  mlir::Type type; ///< of the array's elements
  mlir::Value factor;
};
using LevelSteps = std::vector<LevelStep>;

/// The steps from the outermost level to the values. Closed forms are left out.
LevelSteps stepsBelow(Entry &entry, const sema::Tensor &tensor, const TensorView &view);

/// How many values are stored before `position`. Arrays of levels without entries may be NULL.
mlir::Value leavesBelow(EntryBuilder &build, const LevelSteps &steps, mlir::Value position);

/// The integers of an index array, and one of them, extended.
mlir::Type indexType(EntryBuilder &build, format::IndexType type);
mlir::Value loadIndex(EntryBuilder &build, mlir::Type type, mlir::Value array, mlir::Value index);

} // namespace spc::entry
