// What a term with a domain reads at one point of its iteration space, as one value.
//
// MLIR's sparsifier follows sparse_tensor.unary and .binary, whose regions say what is computed where one or both of
// two values are present. A tree of them whose values are element tuples (LLVM structs) spans any domain, carries all
// that is read there, and ends in one region that may compute anything. The element tuples vanish as soon as the
// regions are inlined.
#pragma once

#include "mlirgen/term_body.h"

namespace spc::mlirgen {

class ElementTupleBuilder {
public:
  /// `uses`: the elements and scalars by operand number. Emits at the builder's place.
  ElementTupleBuilder(const TermBody &body, mlir::OpBuilder &builder, mlir::Location location,
                      llvm::ArrayRef<mlir::Value> uses);

  /// An operand as it is known at a point.
  struct Element {
    mlir::Value value;    ///< null where not known
    mlir::Value isStored; ///< an i1, of operands whose absence decides something; else null
  };

  /// Emits, for each point of the term's domain, the value that `body` computes from the elements, by operand number.
  /// Sparse operands that are missing there have their fill.
  mlir::Value compute(mlir::Type type, llvm::function_ref<mlir::Value(llvm::ArrayRef<Element>)> body);

private:
  using Path = llvm::SmallVector<int64_t>;

  /// The place of an operand's own struct in an element tuple, with its element and perhaps whether that is stored.
  struct Leaf {
    sema::OperandId operand;
    Path path;
  };
  using Layout = llvm::SmallVector<Leaf>;

  /// A value that is present in a part of the iteration space, and the operands whose elements it holds.
  struct ElementTuple {
    mlir::Value value;
    Layout layout;
    llvm::SmallVector<int> loops; ///< over which its places lie: a loop that no present value has cannot be emitted
    bool isUnion = false;         ///< present where any of its operands is, and nowhere else
  };
  using Elements = llvm::SmallVector<Element>; ///< by operand number

  /// The tuple of two others. Element tuples nest: MLIR follows each value that a region reads back through all regions
  /// before it, and what is handed on as a whole is followed once.
  struct Pair {
    mlir::Type type;
    Layout layout;
    bool isDisjoint; ///< no operand is in both
  };

  ElementTuple gather();
  ElementTuple joined(llvm::ArrayRef<ElementTuple> tuples, bool isIntersection);
  ElementTuple gatherFrom(const sema::Domain &domain);
  ElementTuple stored(sema::OperandId operand);
  ElementTuple everywhere(sema::OperandId operand);
  ElementTuple both(const ElementTuple &left, const ElementTuple &right);
  ElementTuple either(ElementTuple left, ElementTuple right);
  ElementTuple withLookup(const ElementTuple &tuple, sema::OperandId operand);
  ElementTuple without(const ElementTuple &tuple, sema::OperandId operand);
  ElementTuple missing(sema::OperandId operand);
  void yieldAbsent(mlir::Type type);
  ElementTuple withAllOf(ElementTuple tuple, const ElementTuple &other);
  ElementTuple withMissing(ElementTuple tuple, llvm::ArrayRef<sema::OperandId> operands);

  static bool holds(const ElementTuple &tuple, sema::OperandId operand) {
    return llvm::any_of(tuple.layout, [operand](const Leaf &leaf) { return leaf.operand == operand; });
  }
  Pair pairOf(const ElementTuple &left, const ElementTuple &right);
  Pair pairWith(const ElementTuple &tuple, sema::OperandId operand);
  mlir::Value joinedValue(const Pair &pair, const ElementTuple &left, mlir::Value leftValue, const ElementTuple &right,
                          mlir::Value rightValue);
  mlir::Type leafType(sema::OperandId operand);
  mlir::Type structOf(llvm::ArrayRef<mlir::Type> fields);
  mlir::Value leafOf(sema::OperandId operand, Element element);
  mlir::Value insert(mlir::Value tuple, mlir::Value part, llvm::ArrayRef<int64_t> place);
  mlir::Value pack(mlir::Type type, const Layout &layout, const Elements &elements);
  void unpack(mlir::Value value, const Layout &layout, Elements &elements);
  void yield(mlir::Value tuple);
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
  llvm::SmallVector<bool> isFlagged_; ///< by operand: element tuples say whether it is stored
  llvm::SmallVector<bool> keepsLoad_; ///< by operand: its element is not read, but where it is matters
};

} // namespace spc::mlirgen
