// Vectorising the body of a dense loop: several iterations at once.
#pragma once

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <functional>
#include <optional>

namespace spc::transforms {

/// Whether `op` computes elements one by one, without memory, and can be done on vectors.
bool isElementwise(mlir::Operation *op);

/// Whether vectors can have elements of this type, half floats as what is converted from and to f32: no complex
/// numbers.
bool isVectorElement(mlir::Type type);

/// Bytes of an element that vectors are made of; 0 of any other type.
unsigned vectorElementBytes(mlir::Type type);

/// The dimension of unit stride of a buffer's type; nullopt where there is none.
std::optional<unsigned> unitDimension(mlir::Value buffer);

/// Whether `index` is computed in the loop from the loop's variable.
bool variesIn(mlir::Value index, mlir::scf::ForOp loop);

/// Writes a dense loop's body for `lanes` neighbouring iterations, at the builder's place: values that vary become
/// vectors (scalars where there is one lane), others are cloned. Requires of the body: its loads and stores have unit
/// stride in the loop's variable or do not use it, its other operations are elementwise, and index arithmetic serves
/// these accesses alone.
class VectorBody {
public:
  /// What to do in place of a load or a store of the loop's elements. A load for which Load gives null is written.
  using Load = std::function<mlir::Value(mlir::memref::LoadOp)>;
  using Store = std::function<void(mlir::memref::StoreOp, mlir::Value)>;

  VectorBody(mlir::OpBuilder &builder, mlir::scf::ForOp loop, int64_t lanes)
      : builder_(builder), location_(loop.getLoc()), loop_(loop), lanes_(lanes) {}

  /// Writes the iterations from `place` on. `scalars` maps values from outside that the body uses; `carried` are the
  /// loop's carried values, as vectors. Returns what the body yields.
  llvm::SmallVector<mlir::Value> write(const mlir::IRMapping &scalars, mlir::Value place, mlir::ValueRange carried,
                                       const Load &load = {}, const Store &store = {});
  /// Writes only `operations`, in the body's order. `known` maps results of others to vectors.
  void writeSome(llvm::ArrayRef<mlir::Operation *> operations, const mlir::IRMapping &known, mlir::Value place);

  mlir::Type vectorOf(mlir::Type element) const;
  mlir::Value broadcast(mlir::Value value);
  /// Loads, or stores, the elements from `indices` on, along dimension `unit`.
  mlir::Value load(mlir::Value buffer, llvm::ArrayRef<mlir::Value> indices, unsigned unit);
  void store(mlir::Value value, mlir::Value buffer, llvm::ArrayRef<mlir::Value> indices, unsigned unit);

private:
  void writeOperation(mlir::Operation &op, const Load &load, const Store &store);
  mlir::Value elementLoad(mlir::memref::LoadOp op);
  void elementStore(mlir::memref::StoreOp op, mlir::Value value);
  mlir::Value indexOf(mlir::Value index);

  mlir::OpBuilder &builder_;
  mlir::Location location_;
  mlir::scf::ForOp loop_;
  int64_t lanes_;
  mlir::IRMapping scalars_;  ///< also indices at the first lane
  mlir::IRMapping elements_; ///< vectors
};

} // namespace spc::transforms
