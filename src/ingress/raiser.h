// Raises one function of a module: its operations, from first to last, become the statements of a kernel.
//
// A tensor is an argument, what a statement has computed, one number everywhere, or nothing yet; a scalar is a tree. An
// operation that the language has no words for is refused by name, once, and the rest is read on for its sake.
#pragma once

#include "ingress/expressions.h"
#include "ingress/module.h"
#include "ingress/places.h"
#include "ingress/refusals.h"
#include "ingress/same_sizes.h"
#include "ingress/sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace spc::ingress {

/// A tensor of a function's body.
struct Held {
  enum class Kind {
    Stored, ///< under a name
    Same,   ///< one number everywhere
    Empty,  ///< holds nothing yet; where it is sparse, no entries
  };
  Kind kind = Kind::Empty;
  std::string name;
  syntax::ExprPtr number; ///< of Same
  std::vector<language::ExtentDecl> extents;
  bool listsEntries = false;
  bool hasFill = false; ///< what is missing is no 0, though readers take it for one

  Held copy() const { return {kind, name, clone(number), extents, listsEntries, hasFill}; }
};

class BodyReader;
struct Reduction;

/// Where an element stands, in the loops of a statement.
using Indices = std::vector<language::Index>;

class Raiser {
public:
  Raiser(mlir::func::FuncOp function, const Places &places, Diagnostics &diagnostics);

  /// nullopt with what is wrong reported.
  std::optional<ModuleKernel> run();

  /// The name that a function has, or is given.
  static std::string nameOf(mlir::func::FuncOp function);

private:
  friend class BodyReader;

  // function.cpp: arguments, results, and which operation is read by what
  /// Gives its name; empty of the arrays of a tensor that another argument stands for.
  std::string declareArgument(mlir::BlockArgument argument);
  void declareOperand(mlir::Value operand, const std::string &name);
  void read(mlir::Operation *operation);
  bool readShape(mlir::Operation *operation);
  void finish(mlir::func::ReturnOp results);
  /// Leaves out arguments and constants that no statement reads; of arguments that is said.
  void dropUnread();
  void passLost(const std::set<std::string> &sizes);
  std::string ownSizes(const std::string &operand) const;
  bool isStrict();

  // values.cpp: constants, sizes and scalars
  bool readValue(mlir::Operation *operation);
  void readConstant(mlir::Operation *operation, mlir::Value result, mlir::Attribute value);
  bool isNaN(const syntax::Expr &number) const;
  /// A number that no literal is, as a constant.
  syntax::ExprPtr constant(mlir::Operation *user, language::ConstantNumber number, mlir::Type type);
  void declareConstant(mlir::Operation *operation, mlir::Value result, mlir::ElementsAttr elements);
  void readScalar(mlir::Operation *operation);
  std::vector<language::ExtentDecl> extentsOf(mlir::RankedTensorType type, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  language::ExtentDecl extentOf(mlir::OpFoldResult size, mlir::Operation *user);
  std::optional<language::ExtentSum> sizeOf(mlir::Value value);
  bool readSize(mlir::Operation *operation);
  void readLevelSize(mlir::sparse_tensor::LvlOp level);
  std::optional<language::ExtentSum> sumOf(mlir::OpFoldResult size);
  syntax::ExprPtr scalar(mlir::Operation *user, mlir::Value value);

  // generic.cpp: structured operations
  void readGeneric(mlir::linalg::GenericOp generic);
  /// Notes the sizes of loops, too.
  void uniteSizes(mlir::linalg::GenericOp generic);
  void readResult(mlir::linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops);
  Element reduced(mlir::linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops,
                  std::optional<double> &fill);
  /// What a reduction makes of all elements and of what its result held before.
  Element withInit(mlir::linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops,
                   const Reduction &found, Element all, std::optional<double> &fill);
  /// Gives a body its arguments. `fixed`: loops that are written out, and where they are.
  void giveArguments(BodyReader &body, mlir::linalg::GenericOp generic, const std::vector<std::string> &loops,
                     const std::map<std::string, int64_t> &fixed);
  /// The loops of a reduction that nothing runs over, with their extents; false where one is not known.
  bool findFixed(mlir::linalg::GenericOp generic, const std::vector<std::string> &loops,
                 std::map<std::string, int64_t> &extents);
  std::optional<language::Index> indexOf(mlir::AffineExpr expr, const std::vector<std::string> &loops,
                                         const std::map<std::string, int64_t> &fixed, Span where);

  // extremes.cpp: places of the least and the greatest elements
  struct Placement;
  class Kept;
  /// What a result keeps beside an extreme; nullopt where it is no place of that.
  std::optional<Placement> placementOf(mlir::linalg::GenericOp generic, unsigned result) const;
  syntax::ExprPtr placed(mlir::linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops,
                         const Placement &found);
  syntax::ExprPtr plainPlace(mlir::linalg::GenericOp generic, Kept &kept, syntax::ExprPtr element,
                             const std::string &loop, const Placement &found);
  syntax::ExprPtr exactPlace(mlir::linalg::GenericOp generic, Kept &kept, syntax::ExprPtr element,
                             const std::string &loop, syntax::ExprPtr first, syntax::ExprPtr old,
                             const Placement &found);

  // moves.cpp: what moves elements
  bool readMove(mlir::Operation *operation);
  void readConvert(mlir::Operation *operation, mlir::Value from, mlir::Value to);
  void readConcatenation(mlir::Operation *operation, mlir::ValueRange parts, int64_t dimension, mlir::Value to);
  void readExtractSlice(mlir::tensor::ExtractSliceOp slice);
  void readInsertSlice(mlir::tensor::InsertSliceOp slice);
  void readPad(mlir::tensor::PadOp pad);
  void readElements(mlir::tensor::FromElementsOp elements);
  /// The sizes of what a tensor with others becomes.
  std::vector<language::ExtentDecl> expandedSizes(mlir::tensor::ExpandShapeOp expand,
                                                  const std::vector<language::ExtentDecl> &from);
  void readReshape(mlir::Operation *operation, mlir::Value from, mlir::Value to,
                   llvm::ArrayRef<mlir::ReassociationIndices> groups, bool collapses);
  /// The loops as indices.
  Indices plain(mlir::Operation *operation, const std::vector<std::string> &loops) const;

  // statements
  /// A new tensor for a value: an output where the function returns it, else a temporary.
  void addStatement(mlir::Operation *operation, mlir::Value result, std::vector<language::ExtentDecl> extents,
                    Indices target, Element value, std::optional<double> fill = std::nullopt);
  void assign(const std::string &name, Indices target, syntax::ExprPtr value, bool isTemporary, Span where);
  void declare(const std::string &name, mlir::Type type, const std::vector<language::ExtentDecl> &extents, Span where,
               bool isSparse);
  void bind(const std::string &name, mlir::Type type, mlir::Operation *operation, bool isOutput = false);
  /// A temporary that no operation's result is; its name.
  std::string keep(const std::string &type, const Indices &target, std::vector<language::ExtentDecl> extents,
                   syntax::ExprPtr value, Span where);
  const Held *find(mlir::Operation *user, mlir::Value value);
  /// A tensor's element; of what holds nothing yet that is a missing entry.
  Element element(mlir::Operation *user, const Held &held, Indices indices);
  std::vector<std::string> loopNames(size_t count);
  std::string freshName(std::string base);
  std::string typeOf(mlir::Operation *operation, mlir::Type type);
  Maker maker(mlir::Operation *operation) const { return Maker(places_.of(operation)); }

  /// Reports that the language has no words for something; further reports on one operation are left out.
  Diagnostic *refuse(const DiagnosticKind &kind, mlir::Operation *operation, const std::string &message);

  mlir::func::FuncOp function_;
  const Places &places_;
  Diagnostics &diagnostics_;
  ModuleKernel kernel_;
  llvm::DenseMap<mlir::Value, Held> held_;
  llvm::DenseMap<mlir::Value, Element> scalars_;
  llvm::DenseMap<mlir::Value, language::ExtentSum> sizes_;
  llvm::DenseMap<mlir::Value, unsigned> returned_;     ///< the result that a value becomes
  std::map<unsigned, std::string> outputs_;            ///< by result
  std::map<unsigned, language::ExtentDecl> loopSizes_; ///< of the loops of a structured operation
  std::map<std::string, std::shared_ptr<const language::ConstantDecl>> constants_;
  SameSizes same_;
  std::set<std::string> names_;
  llvm::DenseSet<mlir::Operation *> refused_;
  bool failed_ = false;
};

} // namespace spc::ingress
