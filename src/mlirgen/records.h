// What a term with a domain reads at one point of its iteration space, as one value.
//
// MLIR's sparsifier follows sparse_tensor.unary and .binary, whose regions say what is computed where one or both of
// two values are present. With records (LLVM structs) for values, a tree of them spans any domain, carries all that is
// read there, and ends in one region that may compute anything. The records vanish as soon as the regions are inlined.
#pragma once

#include "mlirgen/term_body.h"

namespace spc::mlirgen {

class RecordBuilder {
public:
  /// `uses`: the elements and scalars by operand number. Emits at the builder's place.
  RecordBuilder(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                llvm::ArrayRef<mlir::Value> uses);

  /// What is known of an operand at a point.
  struct Element {
    mlir::Value value;    ///< null where not known
    mlir::Value isStored; ///< an i1, of operands whose absence decides something; else null
  };

  /// What `body` emits of the elements, by operand number, for each point of the term's domain; sparse operands that
  /// are missing there have their fill.
  mlir::Value compute(mlir::Type type, llvm::function_ref<mlir::Value(llvm::ArrayRef<Element>)> body);

private:
  /// A value that is present in a part of the iteration space, and the operands whose elements it holds.
  struct Record {
    mlir::Value value;
    llvm::SmallVector<int> operands;
    llvm::SmallVector<int> loops; ///< over which its places lie: a loop that no present value has cannot be emitted
    bool isUnion = false;         ///< present where any of its operands is, and nowhere else
  };
  using Elements = llvm::SmallVector<Element>; ///< by operand number

  Record gather();
  Record joined(llvm::ArrayRef<Record> records, bool isIntersection);
  Record gatherFrom(const sema::Domain &domain);
  Record stored(int operand);
  Record everywhere(int operand);
  Record both(const Record &left, const Record &right);
  Record either(Record left, Record right);
  Record withLookup(const Record &record, int operand);
  Record without(const Record &record, int operand);
  Record missing(int operand);
  void yieldAbsent(llvm::ArrayRef<int> operands);
  Record withAllOf(Record record, llvm::ArrayRef<int> operands);
  Record withMissing(Record record, llvm::ArrayRef<int> operands);

  mlir::Type typeOf(llvm::ArrayRef<int> operands);
  void unpack(mlir::Value record, llvm::ArrayRef<int> operands, Elements &elements);
  mlir::Value pack(llvm::ArrayRef<int> operands, const Elements &elements);
  mlir::Value flag(bool isStored);
  Element present(int operand, mlir::Value value);
  mlir::Value trueOf(mlir::Value element);
  /// Yields the record of some operands from a region; fills stand for those that are not known.
  void yield(llvm::ArrayRef<int> operands, const Elements &elements);
  bool isSparse(int operand) const;
  llvm::SmallVector<int> loopsOf(int operand) const;
  Elements nothing() const { return Elements(uses_.size()); }

  const TermBody &body_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  llvm::ArrayRef<mlir::Value> uses_;
  llvm::SmallVector<bool> isFlagged_; ///< by operand: records say whether it is stored
  llvm::SmallVector<bool> keepsLoad_; ///< by operand: its element is not read, but where it is matters
};

} // namespace spc::mlirgen
