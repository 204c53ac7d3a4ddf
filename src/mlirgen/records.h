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

  /// Emits, for each point of the term's domain, the value that `body` computes from the elements, by operand number.
  /// Sparse operands that are missing there have their fill.
  mlir::Value compute(mlir::Type type, llvm::function_ref<mlir::Value(llvm::ArrayRef<Element>)> body);

private:
  using Path = llvm::SmallVector<int64_t>;

  /// Where in a record an operand's own struct is, its element and perhaps whether that is stored.
  struct Leaf {
    sema::OperandId operand;
    Path path;
  };
  using Layout = llvm::SmallVector<Leaf>;

  /// A value that is present in a part of the iteration space, and the operands whose elements it holds.
  struct Record {
    mlir::Value value;
    Layout layout;
    llvm::SmallVector<int> loops; ///< over which its places lie: a loop that no present value has cannot be emitted
    bool isUnion = false;         ///< present where any of its operands is, and nowhere else
  };
  using Elements = llvm::SmallVector<Element>; ///< by operand number

  /// The record of two others. Records nest: MLIR follows each value that a region reads back through all regions
  /// before it, and what is handed on as a whole is followed once.
  struct Pair {
    mlir::Type type;
    Layout layout;
    bool isDisjoint; ///< no operand is in both
  };

  Record gather();
  Record joined(llvm::ArrayRef<Record> records, bool isIntersection);
  Record gatherFrom(const sema::Domain &domain);
  Record stored(sema::OperandId operand);
  Record everywhere(sema::OperandId operand);
  Record both(const Record &left, const Record &right);
  Record either(Record left, Record right);
  Record withLookup(const Record &record, sema::OperandId operand);
  Record without(const Record &record, sema::OperandId operand);
  Record missing(sema::OperandId operand);
  void yieldAbsent(mlir::Type type);
  Record withAllOf(Record record, const Record &other);
  Record withMissing(Record record, llvm::ArrayRef<sema::OperandId> operands);

  static bool holds(const Record &record, sema::OperandId operand) {
    return llvm::any_of(record.layout, [operand](const Leaf &leaf) { return leaf.operand == operand; });
  }
  Pair pairOf(const Record &left, const Record &right);
  Pair pairWith(const Record &record, sema::OperandId operand);
  mlir::Value joinedValue(const Pair &pair, const Record &left, mlir::Value leftValue, const Record &right,
                          mlir::Value rightValue);
  mlir::Type leafType(sema::OperandId operand);
  mlir::Type structOf(llvm::ArrayRef<mlir::Type> fields);
  mlir::Value leafOf(sema::OperandId operand, Element element);
  mlir::Value insert(mlir::Value record, mlir::Value part, llvm::ArrayRef<int64_t> place);
  mlir::Value pack(mlir::Type type, const Layout &layout, const Elements &elements);
  void unpack(mlir::Value value, const Layout &layout, Elements &elements);
  void yield(mlir::Value record);
  mlir::Value flag(bool isStored);
  Element present(sema::OperandId operand, mlir::Value value);
  mlir::Value trueOf(mlir::Value element);
  bool isSparse(sema::OperandId operand) const;
  llvm::SmallVector<int> loopsOf(sema::OperandId operand) const;
  Elements nothing() const { return Elements(uses_.size()); }

  const TermBody &body_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  llvm::ArrayRef<mlir::Value> uses_;
  llvm::SmallVector<bool> isFlagged_; ///< by operand: records say whether it is stored
  llvm::SmallVector<bool> keepsLoad_; ///< by operand: its element is not read, but where it is matters
};

} // namespace spc::mlirgen
