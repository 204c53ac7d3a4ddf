#include "transforms/assembly/collected_run.h"
#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace spc::transforms {

#define GEN_PASS_DEF_ASSEMBLE
#include "transforms/Passes.h.inc"

namespace {

class Assemble : public impl::AssembleBase<Assemble> {
public:
  void runOnOperation() override {
    for (auto body : llvm::make_early_inc_range(getOperation().getOps<mlir::func::FuncOp>()))
      if (mlir::failed(assembleIn(body)))
        return signalPassFailure();
  }

private:
  mlir::LogicalResult assembleIn(mlir::func::FuncOp body);
  void chunk(mlir::func::FuncOp body, llvm::MutableArrayRef<CollectedRun> runs);
};

mlir::LogicalResult Assemble::assembleIn(mlir::func::FuncOp body) {
  if (body.isExternal())
    return mlir::success();
  llvm::SmallVector<unsigned> proxies;
  for (unsigned index = 0; index < body.getNumArguments(); ++index)
    if (const TensorAttr tensor = dialect::tensorOf(body, index); tensor && tensor.getRun())
      proxies.push_back(index);
  if (proxies.empty())
    return mlir::success();
  if (!body.getBody().hasOneBlock())
    return body.emitOpError("has several blocks, and is no body of a kernel");
  for (unsigned proxy : proxies) {
    const auto buffer = mlir::dyn_cast<mlir::MemRefType>(body.getArgument(proxy).getType());
    const size_t dims = dialect::tensorOf(body, proxy).getRun().getDims().size();
    if (!buffer || static_cast<size_t>(buffer.getRank()) != dims)
      return body.emitOpError() << "argument " << proxy << " of type " << body.getArgument(proxy).getType()
                                << " is no buffer that a run collects from";
  }
  llvm::SmallVector<CollectedRun, 0> runs;
  for (unsigned proxy : proxies) {
    runs.emplace_back(body, proxy);
    if (mlir::failed(runs.back().analyze()))
      return mlir::failure();
  }
  chunk(body, runs);
  const mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&getContext());
  const mlir::Value assembly = boundArgument(body, BindAttr::get(&getContext(), BindKind::Assembly), pointer);
  const mlir::Value number = boundNumber(body, BindAttr::get(&getContext(), BindKind::Chunk));
  for (CollectedRun &run : runs)
    if (mlir::failed(run.rewrite(assembly, number)))
      return mlir::failure();
  for (unsigned proxy : llvm::reverse(proxies))
    if (mlir::failed(eraseArgument(body, proxy)))
      return mlir::failure();
  // A pattern needs no values: callers of the symbolic phase may have none to load.
  if (dialect::isPatternOnly(body))
    eraseUnused(body);
  return mlir::success();
}

/// Rows may be collected in chunks where every run is one loop over all of them.
void Assemble::chunk(mlir::func::FuncOp body, llvm::MutableArrayRef<CollectedRun> runs) {
  llvm::SmallVector<mlir::scf::ForOp> loops;
  for (CollectedRun &run : runs)
    if (mlir::scf::ForOp loop = run.rowLoop())
      loops.push_back(loop);
  if (loops.size() < runs.size())
    return;
  const ExtentAttr extent = runs.front().rowExtent();
  const auto rows = BindAttr::get(extent);
  const auto isRowLoop = dialect::RowLoopAttr::get(&getContext(), dialect::RowLoopKind::Rows, rows, extent);
  for (mlir::scf::ForOp loop : loops) {
    loop.setLowerBound(boundNumber(body, rows.as(BindKind::Begin)));
    loop.setUpperBound(boundNumber(body, rows.as(BindKind::End)));
    dialect::setRowLoop(loop, isRowLoop);
  }
}

} // namespace
} // namespace spc::transforms
