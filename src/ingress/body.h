// Reads what the operations of a body compute, for one element, as a tree.
#pragma once

#include "ingress/raiser.h"
#include "ingress/reduction.h"

#include "llvm/ADT/DenseMap.h"

namespace spc::ingress {

/// Whether an operation computes a number of numbers, as those of arith, math and complex do.
bool isComputed(mlir::Operation *operation);

class BodyReader {
public:
  /// `statement` is the operation that the body belongs to, or one scalar operation. Values of arguments, index
  /// variables among them, are given by give().
  BodyReader(Raiser &raiser, mlir::Operation *statement) : raiser_(raiser), statement_(statement) {}

  void give(mlir::Value value, Element element) { known_[value] = std::move(element); }
  /// The names of loops, and the places of those that are written out.
  void setLoops(std::vector<std::string> loops, std::map<std::string, int64_t> fixed) {
    loops_ = std::move(loops);
    fixed_ = std::move(fixed);
  }

  /// What a value is. It is a 0 where something was refused.
  Element read(mlir::Value value);

  syntax::ExprPtr literal(mlir::Attribute value, mlir::Type type);

  /// What a reduction to a type takes in. Of one that skips elements they are what it begins with, and `counts` is
  /// whether one is taken in; null of others.
  Element part(const Reduction &reduction, const Reduction::Part &part, const std::string &type,
               syntax::ExprPtr &counts);

  /// Where one of two is; null where that is everywhere.
  syntax::ExprPtr either(syntax::ExprPtr left, syntax::ExprPtr right);

private:
  Element readOperation(mlir::Operation *operation, mlir::Value value);
  Element readConversion(mlir::Operation *operation);
  Element readCast(mlir::Operation *operation);
  Element readFunction(mlir::Operation *operation);
  /// An operation of the complex dialect that is no function of the language: what its parts are; nullopt of another
  /// one.
  std::optional<Element> readComplex(mlir::Operation *operation);
  Element readComparison(mlir::Operation *operation);
  Element readSelection(mlir::Operation *operation);
  /// An element at computed places: loops, what tensors of integers hold, scalars and numbers, and sums of these.
  Element readExtract(mlir::tensor::ExtractOp extract);
  /// Adds `multiple` times a value to an index; false of one that no index is.
  bool addTo(language::Index &index, mlir::Value value, int64_t multiple);
  /// Makes a statement of a place that no index is; false of one without loops, or of loops whose sizes nothing says.
  bool keepPlace(language::Index &index, mlir::Value place);
  Element readUnary(mlir::sparse_tensor::UnaryOp unary);
  Element readBinary(mlir::sparse_tensor::BinaryOp binary);
  /// What a union of two operands is, by parts; null where there is none. Of domains null is everywhere, and none of
  /// the parts is one in which such an operand is missing.
  Element joined(syntax::ExprPtr left, syntax::ExprPtr right, syntax::ExprPtr overlap, syntax::ExprPtr onlyLeft,
                 syntax::ExprPtr onlyRight);
  Element readSelect(mlir::sparse_tensor::SelectOp select);
  /// What a region yields of arguments.
  Element readRegion(mlir::Region &region, std::vector<Element> arguments);
  /// `a < b` in a type without a sign, where `isUnsigned`.
  syntax::ExprPtr operand(mlir::Operation *operation, unsigned k, bool isUnsigned);
  syntax::ExprPtr both(syntax::ExprPtr left, syntax::ExprPtr right);
  Element where(syntax::ExprPtr condition, syntax::ExprPtr value);
  Element tooLarge();
  Element nothing() { return {maker().number(0), nullptr}; }
  Maker maker() const { return raiser_.maker(at_ ? at_ : statement_); }

  Raiser &raiser_;
  mlir::Operation *statement_;
  mlir::Operation *at_ = nullptr; ///< that is being read
  std::vector<std::string> loops_;
  std::map<std::string, int64_t> fixed_;
  llvm::DenseMap<mlir::Value, Element> known_;
  llvm::DenseMap<mlir::Value, language::Index> places_; ///< that tensors hold
  size_t size_ = 0;                                     ///< of all trees that were made
};

} // namespace spc::ingress
