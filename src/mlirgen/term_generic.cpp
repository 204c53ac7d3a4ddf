#include "mlirgen/term_generic.h"

#include "mlirgen/arithmetic.h"
#include "mlirgen/functions.h"
#include "mlirgen/merged_nest.h"
#include "mlirgen/nest_attributes.h"
#include "mlirgen/padding.h"
#include "mlirgen/planned_merge.h"
#include "mlirgen/planned_sums.h"
#include "mlirgen/term_body.h"
#include "sema/nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace spc::mlirgen {
namespace {

/// By loop of a term its place in the iteration space of the generic, or -1. A reduction over a variable that the term
/// does not use, `sum(j, 1)`, is no loop but a multiplication.
llvm::SmallVector<int> placeLoops(const sema::Term &term) {
  llvm::SmallVector<int> places(term.loops.size(), -1);
  for (auto [place, loop] : llvm::enumerate(sema::usedLoops(term)))
    places[loop.index()] = static_cast<int>(place);
  return places;
}

class TermGeneric {
public:
  TermGeneric(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term, BodyValues &values,
              mlir::OpBuilder &builder, mlir::Location location)
      : kernel_(kernel), statement_(statement), term_(term), values_(values), builder_(builder), location_(location),
        places_(placeLoops(term)), scalars_(term.operands.size()), fills_(term.operands.size()) {}

  mlir::Value build(mlir::Value target);
  void build(const ByPlan &plan);

private:
  const sema::Tensor &targetTensor() const { return kernel_.tensors[statement_.target]; }
  mlir::AffineMap mapOf(const std::vector<sema::Index> &indices);
  mlir::Value zero();
  void addOperands(mlir::Value zero);
  llvm::SmallVector<mlir::utils::IteratorType> iterators() const;
  llvm::SmallVector<Bound> bounds();
  mlir::Value identity();
  mlir::Value repeats();
  llvm::SmallVector<mlir::Value> tensors();
  llvm::SmallVector<mlir::Value> extents();

  const sema::Kernel &kernel_;
  const sema::Statement &statement_;
  const sema::Term &term_;
  BodyValues &values_;
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  llvm::SmallVector<int> places_; ///< by loop: its place in the iteration space, or -1

  llvm::SmallVector<mlir::Value> inputs_;
  llvm::SmallVector<mlir::AffineMap> maps_; ///< of the inputs
  llvm::SmallVector<mlir::Value> scalars_;  ///< as in TermBody
  llvm::SmallVector<mlir::Value> fills_;    ///< as in TermBody
  bool hasSparseOperand_ = false;
};

mlir::AffineMap TermGeneric::mapOf(const std::vector<sema::Index> &indices) {
  llvm::SmallVector<mlir::AffineExpr> results;
  for (const sema::Index &index : indices) {
    mlir::AffineExpr sum = builder_.getAffineConstantExpr(index.constant);
    for (const sema::IndexTerm &part : index.terms)
      sum = sum + builder_.getAffineDimExpr(places_[part.loop.index()]) * part.scale;
    results.push_back(sum);
  }
  const unsigned loops = llvm::count_if(places_, [](int place) { return place >= 0; });
  return mlir::AffineMap::get(loops, 0, results, builder_.getContext());
}

/// A sparse output has an entry where a sum got an addend: sums of integers known to be 0 must not fold away.
mlir::Value TermGeneric::zero() {
  if (targetTensor().format.isDense() || !term_.domain || term_.loops.empty())
    return {};
  const mlir::Value extent = values_.extent(term_.loops.front().extent);
  return opaqueZero(builder_, location_,
                    mlir::arith::IndexCastOp::create(builder_, location_, builder_.getI64Type(), extent));
}

/// Tensors become inputs with a map each, scalars stay outside. Of a term with a domain, sparse operands have fills.
void TermGeneric::addOperands(mlir::Value zero) {
  Arithmetic arithmetic(builder_, location_, false);
  for (auto [number, operand] : llvm::enumerate(term_.operands)) {
    mlir::Value value = values_.read(operand);
    if (operand.indices.empty()) {
      scalars_[number] = value;
      continue;
    }
    inputs_.push_back(value);
    maps_.push_back(mapOf(operand.indices));
    const sema::Tensor &tensor = kernel_.tensors[operand.tensor];
    hasSparseOperand_ |= !tensor.format.isDense();
    if (term_.domain && !tensor.format.isDense() && !operand.follows)
      fills_[number] = arithmetic.hide(arithmetic.constant(tensor.type, tensor.fill), zero);
  }
}

llvm::SmallVector<mlir::utils::IteratorType> TermGeneric::iterators() const {
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  for (auto [loop, place] : llvm::zip(term_.loops, places_))
    if (place >= 0)
      iterators.push_back(loop.isReduction ? mlir::utils::IteratorType::reduction
                                           : mlir::utils::IteratorType::parallel);
  return iterators;
}

llvm::SmallVector<Bound> TermGeneric::bounds() {
  llvm::SmallVector<Bound> bounds;
  for (const OpenCoordinate &open : openCoordinates(kernel_, statement_, term_))
    bounds.push_back({open.index, values_.extent(open.extent)});
  return bounds;
}

/// Of a reduction other than a sum, in the target's type; else null.
mlir::Value TermGeneric::identity() {
  if (statement_.reduction == sema::Reduction::Sum)
    return {};
  return identityOf(builder_, location_, statement_.reduction, targetTensor().type);
}

/// How often the term counts: the product of the extents of the loops that have no place; null for once.
mlir::Value TermGeneric::repeats() {
  mlir::Value repeats;
  for (auto [loop, place] : llvm::zip(term_.loops, places_)) {
    if (place >= 0)
      continue;
    mlir::Value extent = values_.extent(loop.extent);
    repeats = repeats ? mlir::arith::MulIOp::create(builder_, location_, repeats, extent) : extent;
  }
  return repeats;
}

/// The operands that are no scalars, by operand number.
llvm::SmallVector<mlir::Value> TermGeneric::tensors() {
  llvm::SmallVector<mlir::Value> tensors;
  for (auto [number, operand] : llvm::enumerate(term_.operands))
    tensors.push_back(scalars_[number] ? mlir::Value() : values_.read(operand));
  return tensors;
}

/// Of the loops that have a place, by loop.
llvm::SmallVector<mlir::Value> TermGeneric::extents() {
  llvm::SmallVector<mlir::Value> extents;
  for (auto [loop, place] : llvm::zip(term_.loops, places_))
    extents.push_back(place >= 0 ? values_.extent(loop.extent) : mlir::Value());
  return extents;
}

void TermGeneric::build(const ByPlan &plan) {
  const mlir::Value hiddenZero = zero();
  addOperands(hiddenZero);
  const TermBody body{kernel_, statement_, term_, hasSparseOperand_, scalars_, fills_, hiddenZero, {}, places_, {}, {}};
  const llvm::SmallVector<mlir::Value> byOperand = tensors(), byLoop = extents();
  const MergedTerm merged{body, byOperand, byLoop};
  if (plan.kind == sema::MergePlan::Places)
    buildPlannedSums(merged, plan.function, plan.target, plan.noted, builder_, location_);
  else
    buildPlannedMerge(merged, plan.target, plan.noted, builder_, location_);
}

mlir::Value TermGeneric::build(mlir::Value target) {
  const mlir::Value hiddenZero = zero();
  addOperands(hiddenZero);
  llvm::SmallVector<mlir::AffineMap> maps = maps_;
  maps.push_back(mapOf(term_.target));
  const llvm::SmallVector<Bound> allBounds = bounds();
  const mlir::Value ofReduction = identity();
  const TermBody body{kernel_,    statement_,  term_,   hasSparseOperand_, scalars_, fills_,
                      hiddenZero, ofReduction, places_, repeats(),         allBounds};
  if (term_.isMerged)
    return buildMergedNest({body, tensors(), extents()}, target, builder_, location_);
  auto generic =
      mlir::linalg::GenericOp::create(builder_, location_, target.getType(), inputs_, target, maps, iterators(),
                                      [&](mlir::OpBuilder &builder, mlir::Location at, mlir::ValueRange arguments) {
                                        emitTermBody(body, builder, at, arguments);
                                      });
  keepSparseOperands(body, generic);
  // The loop order is ours: without this mark MLIR's scheduler would choose again.
  generic->setAttr("sorted", builder_.getBoolAttr(true));
  dialect::setPlace(generic, placeAttribute(statement_, term_, 0, builder_.getContext()));
  return generic.getResult(0);
}

} // namespace

void buildTermByPlan(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term,
                     const ByPlan &plan, BodyValues &values, mlir::OpBuilder &builder, mlir::Location location) {
  TermGeneric(kernel, statement, term, values, builder, location).build(plan);
}

mlir::Value buildTermGeneric(const sema::Kernel &kernel, const sema::Statement &statement, const sema::Term &term,
                             mlir::Value target, BodyValues &values, mlir::OpBuilder &builder,
                             mlir::Location location) {
  return TermGeneric(kernel, statement, term, values, builder, location).build(target);
}

} // namespace spc::mlirgen
