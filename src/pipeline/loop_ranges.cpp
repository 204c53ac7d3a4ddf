#include "pipeline/loop_ranges.h"

#include "dialect/attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <set>

namespace spc::pipeline {
namespace {

using mlir::Operation;
using mlir::Value;

/// Finds what the bounds of loops are computed from.
class BoundTracer {
public:
  explicit BoundTracer(mlir::func::FuncOp body) : body_(body) {}

  /// Levels where there are any, else extents, among what the values come from.
  std::vector<LoopRange> rangesOf(mlir::ValueRange values) {
    visited_.clear();
    levels_.clear();
    extents_.clear();
    for (Value value : values)
      trace(value);
    const std::set<LoopRange> &found = levels_.empty() ? extents_ : levels_;
    return {found.begin(), found.end()};
  }

private:
  void take(dialect::BindAttr bind) {
    using Kind = dialect::BindKind;
    const std::string name = bind.getSymbol().str();
    const auto index = static_cast<int>(bind.getIndex());
    switch (bind.getKind()) {
    case Kind::Pointers:
    case Kind::Width:
    case Kind::Count:
      levels_.insert({LoopRange::Kind::Level, name, index});
      break;
    case Kind::Begin:
    case Kind::End:
      if (index >= 0)
        levels_.insert({LoopRange::Kind::Level, name, index});
      else
        extents_.insert({LoopRange::Kind::Extent, name});
      break;
    case Kind::Size:
      extents_.insert({LoopRange::Kind::Extent, name});
      break;
    case Kind::Stored:
      levels_.insert({LoopRange::Kind::Level, name, 0});
      break;
    default:
      break;
    }
  }

  void trace(Value value) {
    if (!visited_.insert(value.getAsOpaquePointer()).second)
      return;
    if (const dialect::BindAttr bind = dialect::bindOf(body_, value))
      return take(bind);
    Operation *definition = value.getDefiningOp();
    if (!definition)
      return traceArgument(mlir::cast<mlir::BlockArgument>(value));
    if (auto load = mlir::dyn_cast<mlir::memref::LoadOp>(definition)) {
      if (const dialect::BindAttr bind = dialect::bindOf(body_, load.getMemRef()))
        take(bind);
      return;
    }
    const unsigned number = mlir::cast<mlir::OpResult>(value).getResultNumber();
    if (auto choice = mlir::dyn_cast<mlir::RegionBranchOpInterface>(definition);
        choice && !mlir::isa<mlir::LoopLikeOpInterface>(definition)) {
      for (mlir::Region &region : definition->getRegions())
        if (!region.empty() && region.front().getTerminator()->getNumOperands() > number)
          trace(region.front().getTerminator()->getOperand(number));
    } else if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(definition)) {
      trace(loop.getInitArgs()[number]);
      trace(loop.getUpperBound());
    } else if (auto merge = mlir::dyn_cast<mlir::scf::WhileOp>(definition)) {
      if (number < merge.getInits().size())
        trace(merge.getInits()[number]);
    } else if (mlir::isa<mlir::arith::ArithDialect>(definition->getDialect())) {
      for (Value operand : definition->getOperands())
        trace(operand);
    }
  }

  void traceArgument(mlir::BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(parent)) {
      if (argument.getArgNumber() == 0) {
        trace(loop.getLowerBound());
        trace(loop.getUpperBound());
      } else {
        trace(loop.getInitArgs()[argument.getArgNumber() - 1]);
      }
    } else if (auto merge = mlir::dyn_cast<mlir::scf::WhileOp>(parent)) {
      if (argument.getArgNumber() < merge.getInits().size())
        trace(merge.getInits()[argument.getArgNumber()]);
    }
  }

  mlir::func::FuncOp body_;
  std::set<const void *> visited_;
  std::set<LoopRange> levels_, extents_;
};

std::string nameOf(mlir::Type element) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  element.print(stream);
  return text;
}

/// What is computed directly in a loop, not in loops inside of it.
void addOperations(Operation *loop, LoopFacts &facts) {
  loop->walk<mlir::WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner != loop && mlir::isa<mlir::LoopLikeOpInterface>(inner))
      return mlir::WalkResult::skip();
    facts.prefetches |= mlir::isa<mlir::memref::PrefetchOp>(inner);
    if (inner == loop || mlir::isa<mlir::vector::LoadOp>(inner))
      return mlir::WalkResult::advance();
    for (mlir::Type type : inner->getResultTypes())
      if (auto vector = mlir::dyn_cast<mlir::VectorType>(type); vector && vector.getRank() == 1)
        if (vector.getElementType().isFloat() || mlir::isa<mlir::vector::FMAOp>(inner))
          if (vector.getDimSize(0) > facts.lanes) {
            facts.lanes = static_cast<int>(vector.getDimSize(0));
            facts.element = nameOf(vector.getElementType());
          }
    return mlir::WalkResult::advance();
  });
}

LoopFacts factsOf(Operation *loop, BoundTracer &tracer) {
  LoopFacts facts;
  facts.copies = 1;
  mlir::ValueRange carried;
  if (auto counted = mlir::dyn_cast<mlir::scf::ForOp>(loop)) {
    facts.ranges = tracer.rangesOf({counted.getLowerBound(), counted.getUpperBound()});
    carried = counted.getInitArgs();
    const auto step = mlir::getConstantIntValue(counted.getStep());
    facts.isTile = step != 1;
  } else if (auto merge = mlir::dyn_cast<mlir::scf::WhileOp>(loop)) {
    facts.ranges = tracer.rangesOf(merge.getInits());
    carried = merge.getInits();
  }
  for (Value value : carried)
    facts.accumulators += mlir::isa<mlir::VectorType>(value.getType()) ? 1 : 0;
  addOperations(loop, facts);
  return facts;
}

} // namespace

std::vector<LoopFacts> loopsOf(mlir::func::FuncOp body) {
  std::vector<LoopFacts> loops;
  BoundTracer tracer(body);
  body.walk<mlir::WalkOrder::PreOrder>([&](Operation *operation) {
    if (!mlir::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(operation))
      return;
    LoopFacts one = factsOf(operation, tracer);
    if (one.ranges.empty())
      return;
    const auto known =
        std::find_if(loops.begin(), loops.end(), [&](const LoopFacts &other) { return other.ranges == one.ranges; });
    if (known == loops.end()) {
      loops.push_back(std::move(one));
      return;
    }
    ++known->copies;
    if (one.lanes > known->lanes) {
      known->lanes = one.lanes;
      known->element = one.element;
    }
    known->accumulators = std::max(known->accumulators, one.accumulators);
    known->prefetches |= one.prefetches;
    known->isTile |= one.isTile;
  });
  return loops;
}

} // namespace spc::pipeline
