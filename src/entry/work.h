// How much work a body's rows are, and where chunks of equal work begin.
#pragma once

#include "entry/leaves.h"

namespace spc::entry {

/// A body's work, by its attribute `spc.chunks` (docs/why.md, "Chunks"): an item (a row, or a position of a
/// compressed root) counts as one, and so does each value that operands store below it.
class Work {
public:
  /// Requires: `body` has the attribute. `binds` are all of the entry's. `listedOnly`: where a root lists the rows,
  /// others are no work.
  Work(Entry &entry, mlir::LLVM::LLVMFuncOp body, const Binds &binds, bool listedOnly);

  /// Whether rows differ in their work: by what operands store below them.
  bool hasOperands() const { return !operands_.empty(); }
  mlir::Value items() const { return items_; }
  /// How often the loop over items runs: the number of items, or of those that a root lists.
  mlir::Value positions() const { return rootCount_ ? rootCount_ : items_; }
  /// The work of all items.
  mlir::Value total() const { return total_; }
  /// A rough number of multiply-adds: the total, or what is stored if that is more, times the extents of the dense
  /// loops inside; at most 2^60.
  mlir::Value size() const { return size_; }
  /// How long one core takes for all items, roughly: within a factor of two or so where values are computed, or entries
  /// appended, in loops like those of SpMV and SpMM.
  mlir::Value nanoseconds() const;

  /// The arguments of border() besides the numbers of a chunk and of all chunks.
  const mlir::SmallVector<mlir::Value> &inputs() const { return inputs_; }
  /// `i64 border(i64 chunk, i64 chunks, inputs…)`: the item at which a chunk begins, and the one before it ends.
  mlir::LLVM::LLVMFuncOp border();

private:
  void addOperand(llvm::StringRef name);
  void addSize(dialect::ChunksAttr chunks, const Binds &binds);
  mlir::Value leavesBelow(const LevelSteps &steps, mlir::Value position);
  mlir::Value inside(mlir::Value value);
  mlir::Value rowAt(mlir::Value target);

  Entry &entry_;
  mlir::LLVM::LLVMFuncOp body_;
  mlir::Value items_, total_, size_;
  mlir::Value outer_;    ///< the size without the dense loops inside
  bool isDense_ = false; ///< there are such loops
  int64_t block_ = 1;    ///< values of a block, of the operand with the smallest ones
  std::vector<LevelSteps> operands_;
  bool listedOnly_;
  mlir::Value rootCount_; ///< of an operand at whose root the rows are found; null where there is none
  LevelStep root_;        ///< its coordinates
  mlir::SmallVector<mlir::Value> inputs_;
  mlir::LLVM::LLVMFuncOp border_; ///< the function that is being built, or is there
};

} // namespace spc::entry
