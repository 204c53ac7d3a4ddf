#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/index_marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::transforms {

#define GEN_PASS_DEF_MARKINDICES
#include "transforms/Passes.h.inc"

namespace {

class MarkIndices : public impl::MarkIndicesBase<MarkIndices> {
public:
  void runOnOperation() override;
};

/// What a load of a coordinate comes to be as an index: the conversions that follow it, itself first; empty where
/// nothing asks for the index.
llvm::SmallVector<mlir::Operation *> conversionsOf(mlir::memref::LoadOp load) {
  llvm::SmallVector<mlir::Operation *> chain{load};
  while (!chain.back()->getResult(0).getType().isIndex()) {
    const auto users = chain.back()->getResult(0).getUsers();
    const auto next = llvm::find_if(users, [](mlir::Operation *user) {
      return mlir::isa<mlir::arith::ExtUIOp, mlir::arith::ExtSIOp, mlir::arith::IndexCastOp,
                       mlir::arith::IndexCastUIOp>(user);
    });
    if (next == users.end())
      return {};
    chain.push_back(*next);
  }
  return chain;
}

/// The coordinates that a loop's block loads at its own positions, with their conversions.
llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> loadedCoordinates(mlir::Block &body) {
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> loaded;
  for (auto load : body.getOps<mlir::memref::LoadOp>()) {
    mlir::Operation *list = load.getMemRef().getDefiningOp();
    const bool isListed =
        mlir::isa_and_present<mlir::sparse_tensor::ToCoordinatesOp, mlir::sparse_tensor::ToCoordinatesBufferOp>(list);
    const auto position = isListed ? mlir::dyn_cast<mlir::BlockArgument>(load.getIndices().back()) : nullptr;
    if (position && position.getOwner() == &body)
      if (llvm::SmallVector<mlir::Operation *> chain = conversionsOf(load); !chain.empty())
        loaded.push_back(std::move(chain));
  }
  return loaded;
}

/// The operations that compute the least of the coordinates loaded in a loop over several operands: the last choice of
/// the smaller one. None where the loop counts as well, and no list says the coordinate alone.
llvm::SmallVector<mlir::Operation *> leastCoordinate(mlir::Block &body) {
  mlir::Operation *least = nullptr;
  for (auto choice : body.getOps<mlir::arith::SelectOp>()) {
    auto smaller = choice.getCondition().getDefiningOp<mlir::arith::CmpIOp>();
    if (smaller && smaller.getPredicate() == mlir::arith::CmpIPredicate::ult &&
        smaller.getLhs() == choice.getTrueValue() && smaller.getRhs() == choice.getFalseValue())
      least = choice;
  }
  return least ? llvm::SmallVector<mlir::Operation *>{least} : llvm::SmallVector<mlir::Operation *>();
}

/// Whether a loop that follows lists also counts through all coordinates: it compares those of lists to its count.
bool countsToo(mlir::Block &body) {
  return llvm::any_of(body.getOps<mlir::arith::CmpIOp>(), [&](mlir::arith::CmpIOp compare) {
    const auto isOwn = [&](mlir::Value value) {
      auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
      return argument && argument.getOwner() == &body;
    };
    return compare.getPredicate() == mlir::arith::CmpIPredicate::eq &&
           (isOwn(compare.getLhs()) || isOwn(compare.getRhs()));
  });
}

/// The operations that compute the coordinate of a loop that follows lists; none where that is not clear.
llvm::SmallVector<mlir::Operation *> coordinateOf(mlir::Block &body) {
  if (countsToo(body))
    return {};
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> loaded = loadedCoordinates(body);
  if (loaded.size() < 2 || mlir::isa<mlir::scf::ForOp>(body.getParentOp()))
    return loaded.empty() ? llvm::SmallVector<mlir::Operation *>() : loaded.front();
  return leastCoordinate(body);
}

void mark(mlir::Operation *loop, mlir::ArrayAttr variables) {
  auto counted = mlir::dyn_cast<mlir::scf::ForOp>(loop);
  if (counted && mlir::isConstantIntValue(counted.getLowerBound(), 0)) {
    loop->setAttr(dialect::kIndices, variables);
    return;
  }
  mlir::Block &body = counted ? *counted.getBody() : *mlir::cast<mlir::scf::WhileOp>(loop).getAfterBody();
  const llvm::SmallVector<mlir::Operation *> computing = coordinateOf(body);
  for (mlir::Operation *op : computing)
    op->setLoc(mlir::FusedLoc::get(op->getContext(), {plain(op->getLoc())}, variables));
  if (!computing.empty())
    loop->setAttr(dialect::kListedIndices, variables);
}

void MarkIndices::runOnOperation() {
  getOperation().walk([](mlir::Operation *op) {
    if (const dialect::LoopAttr loop = dialect::plannedLoopOf(op))
      mark(op, loop.getVariables());
  });
}

} // namespace
} // namespace spc::transforms
