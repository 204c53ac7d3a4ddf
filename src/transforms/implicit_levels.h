// Levels whose positions or coordinates are computed in place of loaded (docs/architecture.md, "Implicit levels").
#pragma once

#include "transforms/body_arguments.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <functional>

namespace spc::transforms {

/// One level of a sparse argument, by its keys in spc.levels.
class ImplicitLevel {
public:
  ImplicitLevel(mlir::func::FuncOp body, mlir::DictionaryAttr keys, unsigned level)
      : body_(body), keys_(keys), level_(level) {}

  bool computesPositions() const { return has("fixed") || has("closed"); }
  bool computesCoordinates() const { return has("implicit"); }
  bool isSigned() const { return has("signed"); }
  bool isInterleaved() const { return has("interleaved"); }

  /// Replaces every position loaded from `positions` by its value.
  mlir::LogicalResult lowerPositions(mlir::Value positions);

  /// Replaces every coordinate loaded from `coordinates` by where the entry stands in its segment. Must come before the
  /// positions are lowered: the segment's parent is found at the load of its first position.
  mlir::LogicalResult lowerCoordinates(mlir::Value coordinates);

  /// Redirects coordinate loads to the array of structs `entries`.
  mlir::LogicalResult interleave(mlir::Value coordinates, mlir::Value entries);

private:
  bool has(llvm::StringRef key) const { return keys_ && keys_.contains(key); }
  mlir::Value closedSum(mlir::OpBuilder &builder, mlir::Location location, mlir::Value count);
  mlir::Value position(mlir::OpBuilder &builder, mlir::Location location, mlir::Value parent);
  mlir::Value start(mlir::OpBuilder &builder, mlir::Location location, mlir::Value parent);
  mlir::Value extent(llvm::StringRef key);
  mlir::Value form(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef key, mlir::Value at);

  mlir::func::FuncOp body_;
  mlir::DictionaryAttr keys_;
  unsigned level_;
};

/// Replaces load → extui → index_cast by an index, the whole chain: a leftover round trip through a narrow type would
/// truncate. Fails, with a diagnostic, where the loaded number is used otherwise.
mlir::LogicalResult replaceIndexChain(mlir::memref::LoadOp load, mlir::Value index);

/// Makes the loads of an array of indices extend their sign.
void signExtend(mlir::Value array);

} // namespace spc::transforms
