#include "transforms/passes.h"
#include "transforms/util/index_marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

namespace spc::transforms {

#define GEN_PASS_DEF_STOREINDICES
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;

/// What a variable is the sum of: coordinates, and what each is multiplied by.
using Sum = llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2>;
/// Of the loops that are open, by name.
using Sums = llvm::MapVector<mlir::StringAttr, Sum>;

class StoreIndices : public impl::StoreIndicesBase<StoreIndices> {
public:
  void runOnOperation() override {
    slots_.clear();
    if (!getOperation().isExternal())
      for (mlir::Operation &op : llvm::make_early_inc_range(getOperation().getBody().front()))
        visit(&op, {});
  }

private:
  void visit(mlir::Operation *op, Sums sums);
  void open(mlir::Operation *loop, Sums &sums);
  void store(mlir::StringAttr name, const Sum &sum, mlir::OpBuilder &builder, mlir::Location location);
  mlir::Value slotOf(mlir::StringAttr name);

  llvm::DenseMap<mlir::StringAttr, mlir::Value> slots_; ///< by name
};

/// The last operation in a loop, though not in a loop inside, that computes its coordinate as it is marked.
mlir::Operation *computing(mlir::Operation *loop, mlir::ArrayAttr variables) {
  mlir::Operation *last = nullptr;
  for (mlir::Region &region : loop->getRegions())
    region.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(op))
        return mlir::WalkResult::skip();
      if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex() && metadataOf(op->getLoc()) == variables)
        last = op;
      return mlir::WalkResult::advance();
    });
  return last;
}

void StoreIndices::visit(mlir::Operation *op, Sums sums) {
  open(op, sums);
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      for (mlir::Operation &inner : llvm::make_early_inc_range(block))
        visit(&inner, sums);
}

/// Stores the variables that are known once the loop's coordinate is.
void StoreIndices::open(mlir::Operation *loop, Sums &sums) {
  auto variables = loop->getAttrOfType<mlir::ArrayAttr>(dialect::kIndices);
  auto counted = mlir::dyn_cast<mlir::scf::ForOp>(loop);
  mlir::OpBuilder builder(loop->getContext());
  mlir::Value coordinate;
  if (variables && counted) {
    coordinate = counted.getInductionVar();
    builder.setInsertionPointToStart(counted.getBody());
  } else if ((variables = loop->getAttrOfType<mlir::ArrayAttr>(dialect::kListedIndices))) {
    if (mlir::Operation *op = computing(loop, variables)) {
      coordinate = op->getResult(0);
      builder.setInsertionPointAfter(op);
    }
  }
  if (!coordinate)
    return;
  for (auto variable : variables.getAsRange<mlir::ArrayAttr>()) {
    const auto name = mlir::cast<mlir::StringAttr>(variable[0]);
    Sum &sum = sums[name];
    sum.emplace_back(coordinate, mlir::cast<mlir::IntegerAttr>(variable[1]).getInt());
    if (static_cast<int64_t>(sum.size()) == mlir::cast<mlir::IntegerAttr>(variable[2]).getInt())
      store(name, sum, builder, loop->getLoc());
  }
}

void StoreIndices::store(mlir::StringAttr name, const Sum &sum, mlir::OpBuilder &builder, mlir::Location location) {
  mlir::DominanceInfo dominance(getOperation());
  mlir::Block *block = builder.getInsertionBlock();
  const auto isKnown = [&](mlir::Value value) {
    return builder.getInsertionPoint() != block->end() && dominance.dominates(value, &*builder.getInsertionPoint());
  };
  if (!llvm::all_of(llvm::make_first_range(sum), isKnown))
    return;
  mlir::Value whole;
  for (auto [coordinate, scale] : sum) {
    mlir::Value part = coordinate;
    if (scale != 1)
      part = arith::MulIOp::create(builder, location, part,
                                   arith::ConstantIndexOp::create(builder, location, scale).getResult());
    whole = whole ? arith::AddIOp::create(builder, location, whole, part).getResult() : part;
  }
  const mlir::Value number = arith::IndexCastOp::create(builder, location, builder.getI64Type(), whole);
  mlir::LLVM::StoreOp::create(builder, location, number, slotOf(name))->setAttr(dialect::kIndex, name);
}

/// The variable's place on the stack.
mlir::Value StoreIndices::slotOf(mlir::StringAttr name) {
  mlir::Value &slot = slots_[name];
  if (slot)
    return slot;
  auto builder = mlir::OpBuilder::atBlockBegin(&getOperation().getBody().front());
  const mlir::Location location = getOperation().getLoc();
  const mlir::Type number = builder.getI64Type();
  const mlir::Value one = mlir::LLVM::ConstantOp::create(builder, location, number, builder.getI64IntegerAttr(1));
  auto made =
      mlir::LLVM::AllocaOp::create(builder, location, mlir::LLVM::LLVMPointerType::get(&getContext()), number, one);
  made->setAttr(dialect::kIndex, name);
  // Without a location: debuggers stop at a function behind what belongs to no line.
  const mlir::Location nowhere = builder.getUnknownLoc();
  const mlir::Value none = mlir::LLVM::ConstantOp::create(builder, nowhere, number, builder.getI64IntegerAttr(-1));
  mlir::LLVM::StoreOp::create(builder, nowhere, none, made);
  return slot = made;
}

} // namespace
} // namespace spc::transforms
