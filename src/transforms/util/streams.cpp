#include "transforms/util/streams.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/index_chains.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace spc::transforms {

namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;

bool isStream(memref::LoadOp load, scf::ForOp loop) {
  return mlir::isa<mlir::BlockArgument>(load.getMemRef()) && load.getMemRefType().getRank() == 1 &&
         load.getIndices().front() == loop.getInductionVar();
}

llvm::SmallVector<Value> streamsOf(scf::ForOp loop) {
  llvm::SmallVector<Value> streams;
  bool gathers = false;
  if (!mlir::isConstantIntValue(loop.getStep(), 1) || mlir::isConstantIntValue(loop.getLowerBound(), 0))
    return {};
  for (mlir::Operation &op : loop.getBody()->without_terminator()) {
    auto load = mlir::dyn_cast<memref::LoadOp>(op);
    if (op.getNumRegions() > 0 || (!load && !mlir::isa<memref::StoreOp>(op) && !mlir::isPure(&op)))
      return {};
    if (!load)
      continue;
    gathers = gathers || llvm::any_of(load.getIndices(), [&](Value index) {
                const AffineSum sum = affineSum(index);
                return llvm::any_of(sum.terms, [&](auto term) {
                  memref::LoadOp source = loadedIndex(term.first);
                  return source && loop->isAncestor(source);
                });
              });
    if (isStream(load, loop) && !llvm::is_contained(streams, load.getMemRef()))
      streams.push_back(load.getMemRef());
  }
  return gathers ? streams : llvm::SmallVector<Value>();
}

} // namespace spc::transforms
