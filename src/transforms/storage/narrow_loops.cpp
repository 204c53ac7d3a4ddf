#include "transforms/passes.h"
#include "transforms/util/affine_sums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cstdlib>

namespace spc::transforms {

#define GEN_PASS_DEF_NARROWLOOPS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

bool isZero(Value value) {
  return mlir::matchPattern(value, mlir::m_AnyZeroFloat()) || mlir::matchPattern(value, mlir::m_Zero());
}

/// The choice between something and 0 that `sum` adds to what `isBefore` accepts; null where it is no such sum.
template <typename IsBefore> arith::SelectOp choiceAdded(Value sum, const IsBefore &isBefore) {
  mlir::Operation *op = sum.getDefiningOp();
  if (!mlir::isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op))
    return {};
  const bool isSum = mlir::isa<arith::AddFOp, arith::AddIOp>(op);
  for (const unsigned added : {1U, 0U}) {
    Value addend = op->getOperand(added);
    if (auto minus = addend.getDefiningOp<arith::NegFOp>())
      addend = minus.getOperand();
    auto choice = addend.getDefiningOp<arith::SelectOp>();
    if (choice && isZero(choice.getFalseValue()) && isBefore(op->getOperand(1 - added)) && (isSum || added == 1))
      return choice;
  }
  return {};
}

arith::SelectOp choiceStored(mlir::memref::StoreOp store) {
  return choiceAdded(store.getValue(), [&](Value before) {
    auto load = before.getDefiningOp<mlir::memref::LoadOp>();
    return load && load->getBlock() == store->getBlock() && load.getMemRef() == store.getMemRef() &&
           llvm::equal(load.getIndices(), store.getIndices());
  });
}

/// The choice that each innermost iteration adds to an element, or to the one value that the loops carry, where they do
/// nothing else; null where they do.
arith::SelectOp choiceAddedIn(scf::ForOp loop) {
  const bool carries = loop.getNumRegionIterArgs() > 0;
  if (loop.getNumRegionIterArgs() > 1)
    return {};
  const Value yielded = carries ? loop.getBody()->getTerminator()->getOperand(0) : Value();
  arith::SelectOp found;
  for (mlir::Operation &op : loop.getBody()->without_terminator()) {
    arith::SelectOp here;
    if (auto inner = mlir::dyn_cast<scf::ForOp>(op)) {
      const bool passesOn = carries && inner.getNumResults() == 1 &&
                            inner.getInitArgs().front() == loop.getRegionIterArg(0) && yielded == inner.getResult(0);
      if (passesOn || (!carries && inner.getNumResults() == 0))
        here = choiceAddedIn(inner);
    } else if (auto store = mlir::dyn_cast<mlir::memref::StoreOp>(op)) {
      here = carries ? arith::SelectOp() : choiceStored(store);
    } else if (mlir::isa<mlir::memref::LoadOp>(op) || mlir::isMemoryEffectFree(&op)) {
      continue;
    }
    if (!here || found)
      return {};
    found = here;
  }
  if (carries && !found)
    found = choiceAdded(yielded, [&](Value before) { return before == loop.getRegionIterArg(0); });
  return found;
}

/// Adds `factor` times a sum of numbers that indices were converted to.
void addIndices(AffineSum &total, const AffineSum &sum, int64_t factor) {
  total.constant += factor * sum.constant;
  for (auto [term, coefficient] : sum.terms) {
    mlir::Operation *op = term.getDefiningOp();
    const Value index = mlir::isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op) ? op->getOperand(0) : term;
    auto *known = llvm::find_if(total.terms, [&](const auto &other) { return other.first == index; });
    if (known == total.terms.end())
      total.terms.push_back({index, factor * coefficient});
    else
      known->second += factor * coefficient;
  }
}

/// The sums of indices that are 0 wherever the condition holds.
void collectZeros(Value condition, llvm::SmallVector<AffineSum> &zeros) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    collectZeros(both.getLhs(), zeros);
    return collectZeros(both.getRhs(), zeros);
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return;
  AffineSum difference;
  addIndices(difference, affineSum(compare.getLhs()), 1);
  addIndices(difference, affineSum(compare.getRhs()), -1);
  if (llvm::all_of(difference.terms, [](const auto &term) { return term.first.getType().isIndex(); }))
    zeros.push_back(std::move(difference));
}

bool isOutside(Value value, mlir::Operation *op) {
  return !op->isAncestor(value.getParentBlock()->getParentOp());
}

/// The least and the greatest value of a sum, by sums of what is known before a loop.
struct Range {
  AffineSum least, greatest;
};

/// What a sum comes to in a loop: exactly, but for the variables of loops inside. nullopt where these are unknown.
std::optional<Range> rangeOf(const AffineSum &sum, scf::ForOp loop) {
  Range range;
  range.least.constant = range.greatest.constant = sum.constant;
  for (auto [term, coefficient] : sum.terms) {
    if (isOutside(term, loop)) {
      range.least.terms.push_back({term, coefficient});
      range.greatest.terms.push_back({term, coefficient});
      continue;
    }
    scf::ForOp inner = loopOf(term);
    if (!inner || !isOutside(inner.getLowerBound(), loop) || !isOutside(inner.getUpperBound(), loop))
      return std::nullopt;
    AffineSum &first = coefficient > 0 ? range.least : range.greatest;
    AffineSum &last = coefficient > 0 ? range.greatest : range.least;
    first.terms.push_back({inner.getLowerBound(), coefficient});
    last.terms.push_back({inner.getUpperBound(), coefficient});
    last.constant -= coefficient;
  }
  return range;
}

AffineSum negated(AffineSum sum) {
  sum.constant = -sum.constant;
  for (auto &[term, coefficient] : sum.terms)
    coefficient = -coefficient;
  return sum;
}

/// Makes the loop run over those values of its variable alone for which the sum may be 0.
void narrow(scf::ForOp loop, const AffineSum &zero) {
  const Value variable = loop.getInductionVar();
  const int64_t coefficient = zero.coefficient(variable);
  const std::optional<Range> rest = coefficient == 0 ? std::nullopt : rangeOf(zero.without(variable), loop);
  if (!rest)
    return;
  mlir::Location location = loop.getLoc();
  mlir::OpBuilder builder(loop);
  const auto constant = [&](int64_t number) { return arith::ConstantIndexOp::create(builder, location, number); };
  // A quotient without its fraction is at most one off, on the side that takes in more.
  const auto bound = [&](const AffineSum &sum) -> Value {
    Value multiple = emitSum(builder, location, sum);
    const int64_t divisor = std::abs(coefficient);
    return divisor == 1 ? multiple : arith::DivSIOp::create(builder, location, multiple, constant(divisor)).getResult();
  };
  Value first = bound(coefficient > 0 ? negated(rest->greatest) : rest->least);
  Value last = bound(coefficient > 0 ? negated(rest->least) : rest->greatest);
  Value end = arith::AddIOp::create(builder, location, last, constant(1));
  loop.setLowerBound(arith::MaxSIOp::create(builder, location, loop.getLowerBound(), first));
  loop.setUpperBound(arith::MinSIOp::create(builder, location, loop.getUpperBound(), end));
}

/// From the outside in: of loops inside, the bounds must not have been narrowed.
class NarrowLoops : public impl::NarrowLoopsBase<NarrowLoops> {
public:
  void runOnOperation() override {
    getOperation().walk<mlir::WalkOrder::PreOrder>([](scf::ForOp loop) {
      if (!loop->getParentOfType<scf::ForOp>() || !mlir::isConstantIntValue(loop.getStep(), 1))
        return;
      arith::SelectOp choice = choiceAddedIn(loop);
      llvm::SmallVector<AffineSum> zeros;
      if (choice)
        collectZeros(choice.getCondition(), zeros);
      for (const AffineSum &zero : zeros)
        narrow(loop, zero);
    });
  }
};

} // namespace
} // namespace spc::transforms
