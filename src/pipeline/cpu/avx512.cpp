#include "pipeline/cpu/avx512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::pipeline {
namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

/// Whether a body has vectors that fill a register.
bool fillsRegisters(mlir::func::FuncOp body, int64_t registerBytes) {
  const auto fills = [&](mlir::Type type) {
    const auto vector = mlir::dyn_cast<mlir::VectorType>(type);
    return vector && vector.getElementType().isIntOrFloat() &&
           vector.getNumElements() * vector.getElementTypeBitWidth() >= 8 * registerBytes;
  };
  const auto look = [&](mlir::Operation *op) {
    return llvm::any_of(op->getResultTypes(), fills) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return body.walk(look).wasInterrupted();
}

/// Whether LLVM may vectorise a loop: it has none inside, and only computes, loads and stores.
bool isPlain(scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->without_terminator(), [](mlir::Operation &op) {
    return mlir::isa<mlir::memref::LoadOp, mlir::memref::StoreOp>(op) ||
           (op.getNumRegions() == 0 && mlir::isMemoryEffectFree(&op));
  });
}

/// Whether `index` is the loop's variable, and something that it does not change.
bool followsVariable(Value index, scf::ForOp loop) {
  if (index == loop.getInductionVar())
    return true;
  mlir::Operation *op = index.getDefiningOp();
  if (!mlir::isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) || loop.isDefinedOutsideOfLoop(index))
    return false;
  const Value left = op->getOperand(0), right = op->getOperand(1);
  return (followsVariable(left, loop) && loop.isDefinedOutsideOfLoop(right)) ||
         (mlir::isa<arith::AddIOp>(op) && loop.isDefinedOutsideOfLoop(left) && followsVariable(right, loop));
}

enum class Pattern { Fixed, Contiguous, Scattered };

/// Where a load reads in neighbouring iterations of the loop around it.
Pattern patternOf(mlir::memref::LoadOp load, scf::ForOp loop) {
  if (load.getIndices().empty())
    return Pattern::Fixed;
  const auto isFixed = [&](Value index) { return loop.isDefinedOutsideOfLoop(index); };
  if (!llvm::all_of(load.getIndices().drop_back(), isFixed))
    return Pattern::Scattered;
  const Value last = load.getIndices().back();
  if (isFixed(last))
    return Pattern::Fixed;
  return followsVariable(last, loop) ? Pattern::Contiguous : Pattern::Scattered;
}

/// Whether plain loops read floats side by side, and nothing anywhere else.
bool readsContiguously(mlir::func::FuncOp body) {
  bool readsFloats = false;
  const auto look = [&](scf::ForOp loop) {
    if (!isPlain(loop))
      return mlir::WalkResult::advance();
    for (auto load : loop.getBody()->getOps<mlir::memref::LoadOp>()) {
      const Pattern pattern = patternOf(load, loop);
      if (pattern == Pattern::Scattered)
        return mlir::WalkResult::interrupt();
      readsFloats = readsFloats || (pattern == Pattern::Contiguous && load.getType().isFloat());
    }
    return mlir::WalkResult::advance();
  };
  return !body.walk(look).wasInterrupted() && readsFloats;
}

} // namespace

bool gainsFromAvx512(mlir::func::FuncOp body, int64_t registerBytes) {
  return fillsRegisters(body, registerBytes) || readsContiguously(body);
}

bool gathersUnderMasks(mlir::func::FuncOp body) {
  return body.walk([](mlir::vector::GatherOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace spc::pipeline
