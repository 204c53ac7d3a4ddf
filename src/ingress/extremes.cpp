// Where the least or the greatest element stands: a result beside that element, which a body keeps by the same
// comparison.
#include "ingress/extremes.h"
#include "ingress/body.h"
#include "ingress/encodings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

namespace spc::ingress {

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
using language::Function;
using syntax::ExprPtr;
using How = language::Reduction;

namespace {

/// The loop whose value a value is, in any type of integers. Of one that a result lacks, and that runs once, it is a 0.
std::optional<unsigned> loopOf(linalg::GenericOp generic, mlir::AffineMap map, mlir::Value value) {
  while (mlir::Operation *operation = value.getDefiningOp()) {
    if (auto index = mlir::dyn_cast<linalg::IndexOp>(operation))
      return index.getDim();
    if (!mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(operation))
      break;
    value = operation->getOperand(0);
  }
  if (mlir::getConstantIntValue(value) == 0)
    for (const auto &[loop, range] : llvm::enumerate(generic.getStaticLoopRanges()))
      if (range == 1 && !map.isFunctionOfDim(loop))
        return loop;
  return std::nullopt;
}

/// What a comparison asks of an element beside the extreme.
struct Test {
  How how;
  bool isLast = false;
  bool isUnsigned = false;
};

/// The test that `operation` makes, whose operands are turned where the extreme comes first.
std::optional<Test> testOf(mlir::Operation *operation, bool isTurned) {
  if (auto floats = mlir::dyn_cast<arith::CmpFOp>(operation)) {
    using P = arith::CmpFPredicate;
    const P predicate = floats.getPredicate();
    const bool isLess = predicate == P::OLT || predicate == P::OLE;
    if (!isLess && predicate != P::OGT && predicate != P::OGE)
      return std::nullopt;
    return Test{isLess == isTurned ? How::Max : How::Min, predicate == P::OLE || predicate == P::OGE};
  }
  using P = arith::CmpIPredicate;
  const P predicate = mlir::cast<arith::CmpIOp>(operation).getPredicate();
  if (predicate == P::eq || predicate == P::ne)
    return std::nullopt;
  const bool isLess = predicate == P::slt || predicate == P::sle || predicate == P::ult || predicate == P::ule;
  const bool isLast = predicate == P::sle || predicate == P::ule || predicate == P::sge || predicate == P::uge;
  return Test{isLess == isTurned ? How::Max : How::Min, isLast,
              predicate >= P::ult && !operation->getOperand(0).getType().isIndex()};
}

} // namespace

std::optional<Raiser::Placement> Raiser::placementOf(linalg::GenericOp generic, unsigned result) const {
  mlir::Operation *yield = generic.getBody()->getTerminator();
  const mlir::BlockArgument place = generic.getMatchingBlockArgument(generic.getDpsInitOperand(result));
  auto select = yield->getOperand(result).getDefiningOp<arith::SelectOp>();
  mlir::Operation *compared = select ? select.getCondition().getDefiningOp() : nullptr;
  if (!compared || !mlir::isa<arith::CmpFOp, arith::CmpIOp>(compared) || select.getFalseValue() != place)
    return std::nullopt;
  const std::optional<unsigned> loop =
      loopOf(generic, generic.getMatchingIndexingMap(generic.getDpsInitOperand(result)), select.getTrueValue());
  if (!loop)
    return std::nullopt;
  for (unsigned other = 0; other < generic.getNumResults(); ++other) {
    const mlir::BlockArgument extreme = generic.getMatchingBlockArgument(generic.getDpsInitOperand(other));
    const bool isTurned = compared->getOperand(0) == extreme;
    if (other == result || (!isTurned && compared->getOperand(1) != extreme))
      continue;
    Placement found;
    found.element = compared->getOperand(isTurned ? 1 : 0);
    found.beside = other;
    found.loop = *loop;
    const std::optional<Test> test = testOf(compared, isTurned);
    std::optional<Reduction> kept = reductionOf(yield->getOperand(other), extreme);
    const bool isSame = test && kept && !kept->identity && kept->how == test->how &&
                        kept->isUnsigned == test->isUnsigned && kept->parts.size() == 1 &&
                        kept->parts.front().value == found.element &&
                        generic.getMatchingIndexingMap(generic.getDpsInitOperand(other)) ==
                            generic.getMatchingIndexingMap(generic.getDpsInitOperand(result));
    if (!isSame)
      return std::nullopt;
    found.extreme = std::move(*kept);
    found.isLast = test->isLast;
    found.isFloat = mlir::isa<arith::CmpFOp>(compared);
    found.hasNaN = found.isFloat && !arith::bitEnumContainsAll(mlir::cast<arith::CmpFOp>(compared).getFastmath(),
                                                               arith::FastMathFlags::nnan);
    return found;
  }
  return std::nullopt;
}

/// Adds temporaries over the loops that a result has.
class Raiser::Kept {
public:
  Kept(Raiser &raiser, linalg::GenericOp generic, mlir::OpOperand *init, const Held &held,
       const std::vector<std::string> &loops)
      : raiser_(raiser), make_(raiser.maker(generic)) {
    for (const auto &[dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(init).getResults()))
      if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) {
        indices_.push_back(make_.index(loops[loop.getPosition()]));
        extents_.push_back(held.extents[dim]);
      }
  }

  /// What stands for `value`, a number of a type, from here on.
  ExprPtr keep(const std::string &type, ExprPtr value) {
    const std::string name = raiser_.keep(type, indices_, extents_, std::move(value), make_.where());
    return make_.access(name, indices_);
  }

  size_t order() const { return indices_.size(); }

private:
  Raiser &raiser_;
  Maker make_;
  Indices indices_;
  std::vector<language::ExtentDecl> extents_;
};

ExprPtr Raiser::placed(linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops,
                       const Placement &found) {
  const Maker make = maker(generic);
  mlir::OpOperand *init = generic.getDpsInitOperand(result), *extreme = generic.getDpsInitOperand(found.beside);
  const Held *before = find(generic, init->get()), *first = find(generic, extreme->get());
  std::map<std::string, int64_t> fixed;
  if (!before || !first || !findFixed(generic, loops, fixed))
    return make.number(0);
  const bool isNumberFirst = first->kind == Held::Kind::Same && !isNaN(*first->number);
  const mlir::Type type = found.element.getType();
  const bool isFromLeast =
      isNumberFirst && isNeutral(*first->number, found.extreme.how, found.extreme.isUnsigned, type);
  const mlir::AffineMap map = generic.getMatchingIndexingMap(init);
  Kept kept(*this, generic, init, *before, loops);
  const bool isOverOne = !map.isFunctionOfDim(found.loop) && map.getNumDims() - kept.order() == 1;
  if (!isOverOne || !isNumberFirst || (found.extreme.isUnsigned && !isFromLeast)) {
    if (Diagnostic *wrong = refuse(kModuleReduction, generic,
                                   "the place of an extreme over several loops, or of one "
                                   "that begins with more than a number"))
      wrong->advise("one loop runs over elements of a tensor, and the extreme begins with a number, as -inf");
    return make.number(0);
  }
  if (!fixed.empty()) {
    refuse(kModuleSize, generic, "no tensor that is read has the size of loop " + std::to_string(found.loop));
    return make.number(0);
  }
  BodyReader body(*this, generic);
  giveArguments(body, generic, loops, {});
  ExprPtr element = body.read(found.element).value;
  if (found.extreme.isUnsigned)
    element = make.cast(withoutSign(type), std::move(element));
  Indices indices;
  for (mlir::AffineExpr expr : map.getResults())
    if (auto index = indexOf(expr, loops, {}, make.where()))
      indices.push_back(std::move(*index));
  ExprPtr old = this->element(generic, *before, std::move(indices)).value;
  const bool isPlain = isFromLeast && !found.hasNaN && !found.isLast && isNumber(*old, 0);
  ExprPtr place = isPlain ? plainPlace(generic, kept, std::move(element), loops[found.loop], found)
                          : exactPlace(generic, kept, std::move(element), loops[found.loop], clone(first->number),
                                       std::move(old), found);
  const std::string name = typeName(generic.getMatchingBlockArgument(init).getType());
  return name == "i64" ? std::move(place) : make.cast(name, std::move(place));
}

/// The first place, and 0 where there are no elements.
ExprPtr Raiser::plainPlace(linalg::GenericOp generic, Kept &kept, ExprPtr element, const std::string &loop,
                           const Placement &found) {
  const Maker make = maker(generic);
  ExprPtr place = make.reduce(found.extreme.how == How::Max ? How::ArgMax : How::ArgMin, {loop}, std::move(element));
  const int64_t range = generic.getStaticLoopRanges()[found.loop];
  if (!mlir::ShapedType::isDynamic(range) && range > 0)
    return place;
  place = kept.keep("i64", std::move(place));
  ExprPtr isNone = make.call(Function::Equal, clone(place), make.number(INFINITY));
  return make.call(Function::Select, std::move(isNone), make.number(0), std::move(place));
}

/// The place as the body keeps it: of elements up to the first NaN where that stays, of all others where it is passed
/// over, and what the place was before where no element is taken in.
ExprPtr Raiser::exactPlace(linalg::GenericOp generic, Kept &kept, ExprPtr element, const std::string &loop,
                           ExprPtr first, ExprPtr old, const Placement &found) {
  const Maker make = maker(generic);
  const How how = found.extreme.how;
  ExprPtr counts = found.hasNaN ? make.call(Function::Equal, clone(element), clone(element)) : nullptr;
  if (found.hasNaN && !found.extreme.skipsNaN) {
    ExprPtr broken = make.call(Function::Select, std::move(counts), make.number(INFINITY), make.name(loop));
    counts =
        make.call(Function::Less, make.name(loop), kept.keep("i64", make.reduce(How::Min, {loop}, std::move(broken))));
  }
  ExprPtr taken = clone(element);
  if (counts)
    taken = make.call(Function::Select, clone(counts), std::move(taken), make.number(neutralOf(how)));
  ExprPtr extreme = kept.keep(typeName(found.element.getType()), make.reduce(how, {loop}, std::move(taken)));
  ExprPtr isHere = make.call(Function::Equal, std::move(element), clone(extreme));
  if (counts && found.isLast)
    isHere = make.call(Function::And, std::move(counts), std::move(isHere));
  ExprPtr choice =
      make.call(Function::Select, std::move(isHere), make.name(loop), make.number(found.isLast ? -INFINITY : INFINITY));
  ExprPtr place = kept.keep("i64", make.reduce(found.isLast ? How::Max : How::Min, {loop}, std::move(choice)));
  const Function beyond = found.isLast ? (how == How::Max ? Function::GreaterEqual : Function::LessEqual)
                                       : (how == How::Max ? Function::Greater : Function::Less);
  ExprPtr isTaken = make.call(beyond, std::move(extreme), std::move(first));
  if (found.isLast)
    isTaken =
        make.call(Function::And, std::move(isTaken), make.call(Function::GreaterEqual, clone(place), make.number(0)));
  return make.call(Function::Select, std::move(isTaken), std::move(place), std::move(old));
}

} // namespace spc::ingress
