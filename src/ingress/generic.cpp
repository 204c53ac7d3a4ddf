// Structured operations: a statement a result.
#include "ingress/body.h"
#include "ingress/encodings.h"
#include "ingress/extremes.h"

#include <set>

namespace spc::ingress {

namespace linalg = mlir::linalg;
using language::BinaryOp;
using language::Function;
using syntax::ExprPtr;
using How = language::Reduction;
using Fixed = std::map<std::string, int64_t>;

namespace {

/// As many elements of a window are written out.
constexpr int64_t kMostFixed = 256;

/// `multiple` times the loops and the numbers of an affine expression; false of one that divides.
bool addTerms(language::Index &index, mlir::AffineExpr expr, int64_t multiple, const std::vector<std::string> &loops,
              const Fixed &fixed, Span where) {
  if (auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expr)) {
    index.constant += multiple * constant.getValue();
    return true;
  }
  if (auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) {
    addLoop(index, loops[dim.getPosition()], multiple, fixed, where);
    return true;
  }
  auto binary = mlir::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == mlir::AffineExprKind::Add)
    return addTerms(index, binary.getLHS(), multiple, loops, fixed, where) &&
           addTerms(index, binary.getRHS(), multiple, loops, fixed, where);
  auto factor = mlir::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == mlir::AffineExprKind::Mul && factor &&
         addTerms(index, binary.getLHS(), multiple * factor.getValue(), loops, fixed, where);
}

/// The function of two numbers that a reduction repeats.
ExprPtr combine(const Maker &make, const Reduction &reduction, ExprPtr left, ExprPtr right) {
  if (reduction.skipsNaN)
    return make.call(reduction.how == How::Min ? Function::MinNumber : Function::MaxNumber, std::move(left),
                     std::move(right));
  switch (reduction.how) {
  case How::Sum:
    return make.binary(BinaryOp::Add, std::move(left), std::move(right));
  case How::Product:
    return make.binary(BinaryOp::Mul, std::move(left), std::move(right));
  case How::Min:
    return make.call(Function::Min, std::move(left), std::move(right));
  case How::Max:
    return make.call(Function::Max, std::move(left), std::move(right));
  case How::Any:
    return make.call(Function::Or, std::move(left), std::move(right));
  default:
    return make.call(Function::And, std::move(left), std::move(right));
  }
}

/// Whether a condition holds somewhere in loops; what does not depend on them is left outside.
ExprPtr anyOver(const Maker &make, const std::vector<std::string> &loops, ExprPtr condition) {
  if (!condition || !mentions(*condition, loops))
    return condition;
  auto *both = std::get_if<syntax::Call>(&condition->node);
  if (both && both->function == Function::And)
    for (const int own : {0, 1})
      if (!mentions(*both->arguments[own], loops))
        return make.call(Function::And, std::move(both->arguments[own]),
                         anyOver(make, loops, std::move(both->arguments[1 - own])));
  return make.reduce(How::Any, loops, std::move(condition));
}

/// Adds the loops that run over a whole dimension of a tensor that a body takes elements out of.
void addExtracted(linalg::GenericOp generic, llvm::ArrayRef<int64_t> ranges, const std::vector<std::string> &loops,
                  std::set<std::string> &known) {
  generic.getBody()->walk([&](mlir::tensor::ExtractOp extract) {
    for (const auto &[dim, place] : llvm::enumerate(extract.getIndices())) {
      auto index = place.getDefiningOp<linalg::IndexOp>();
      const int64_t size = mlir::cast<mlir::RankedTensorType>(extract.getTensor().getType()).getDimSize(dim);
      if (index && !mlir::ShapedType::isDynamic(size) && size == ranges[index.getDim()])
        known.insert(loops[index.getDim()]);
    }
  });
}

/// Whether a tree is a number, the same for all elements.
bool isOneNumber(const syntax::Expr &expr) {
  const auto *negate = std::get_if<syntax::Negate>(&expr.node);
  return std::holds_alternative<syntax::Literal>(negate ? negate->operand->node : expr.node);
}

/// Which loops a result does not have.
std::vector<std::string> reductionLoops(linalg::GenericOp generic, unsigned result,
                                        const std::vector<std::string> &loops) {
  const mlir::AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInitOperand(result));
  std::vector<std::string> found;
  for (unsigned k = 0; k < loops.size(); ++k)
    if (!map.isFunctionOfDim(k))
      found.push_back(loops[k]);
  return found;
}

/// The loops that a result has, by dimension; of one whose only index is 0, a loop behind the others. nullopt of other
/// indices.
std::optional<std::vector<std::string>> ownLoops(mlir::AffineMap map, mlir::RankedTensorType type,
                                                 const std::vector<std::string> &loops) {
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  std::vector<std::string> own;
  for (const auto &[dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expr))
      own.push_back(loops[loop.getPosition()]);
    else if (type.getDimSize(dim) == 1)
      own.push_back(loops[map.getNumDims() + dim]);
    else
      return std::nullopt;
  }
  return own;
}

} // namespace

std::optional<language::Index> Raiser::indexOf(mlir::AffineExpr expr, const std::vector<std::string> &loops,
                                               const Fixed &fixed, Span where) {
  language::Index index;
  if (!addTerms(index, expr, 1, loops, fixed, where))
    return std::nullopt;
  return settled(std::move(index), where);
}

void Raiser::giveArguments(BodyReader &body, linalg::GenericOp generic, const std::vector<std::string> &loops,
                           const Fixed &fixed) {
  body.setLoops(loops, fixed);
  for (mlir::OpOperand &operand : generic->getOpOperands()) {
    const mlir::BlockArgument argument = generic.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    if (!mlir::isa<mlir::RankedTensorType>(operand.get().getType())) {
      body.give(argument, body.read(operand.get()));
      continue;
    }
    // What a result holds on the way is no operand: a reduction says how it goes on.
    if (generic.isDpsInit(&operand) &&
        !reductionLoops(generic, operand.getOperandNumber() - generic.getNumDpsInputs(), loops).empty())
      continue;
    const Held *held = find(generic, operand.get());
    if (!held)
      continue;
    Indices indices;
    for (mlir::AffineExpr expr : generic.getMatchingIndexingMap(&operand).getResults())
      if (auto index = indexOf(expr, loops, fixed, places_.of(generic)))
        indices.push_back(std::move(*index));
      else
        refuse(kModuleOperation, generic, "an index that divides has no counterpart in the kernel language");
    body.give(argument, element(generic, *held, std::move(indices)));
  }
}

bool Raiser::findFixed(linalg::GenericOp generic, const std::vector<std::string> &loops, Fixed &extents) {
  std::set<std::string> known;
  for (mlir::OpOperand &operand : generic->getOpOperands()) {
    const auto held = held_.find(operand.get());
    const bool isRead = !generic.getMatchingBlockArgument(&operand).use_empty() && held != held_.end() &&
                        held->second.kind == Held::Kind::Stored;
    if (isRead || generic.isDpsInit(&operand))
      for (mlir::AffineExpr expr : generic.getMatchingIndexingMap(&operand).getResults())
        if (auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr))
          known.insert(loops[dim.getPosition()]);
  }
  const llvm::SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
  addExtracted(generic, ranges, loops, known);
  int64_t total = 1;
  for (unsigned k = 0; k < loops.size(); ++k) {
    if (known.count(loops[k]))
      continue;
    if (mlir::ShapedType::isDynamic(ranges[k]) || ranges[k] > kMostFixed ||
        (total *= std::max<int64_t>(ranges[k], 1)) > kMostFixed) {
      if (Diagnostic *wrong =
              refuse(kModuleSize, generic, "no tensor that is read has the size of loop " + std::to_string(k)))
        wrong->advise("at most 256 elements of windows whose size is known are written out");
      return false;
    }
    extents[loops[k]] = ranges[k];
  }
  return true;
}

void Raiser::readGeneric(linalg::GenericOp generic) {
  if (!generic.hasPureTensorSemantics()) {
    refuse(kModuleOperation, generic, "a structured operation on memory, not on tensors");
    return;
  }
  uniteSizes(generic);
  const std::vector<std::string> loops = loopNames(generic.getNumLoops());
  const bool isOne = generic.getNumResults() == 1;
  for (unsigned result = 0; result < generic.getNumResults(); ++result)
    if (isOne || !generic->getResult(result).use_empty()) // of the greatest and its place, one may be wanted
      readResult(generic, result, loops);
}

void Raiser::uniteSizes(linalg::GenericOp generic) {
  std::map<unsigned, language::ExtentDecl> &sizes = loopSizes_;
  sizes.clear();
  for (mlir::OpOperand &operand : generic->getOpOperands()) {
    const auto held = held_.find(operand.get());
    if (held == held_.end())
      continue;
    for (const auto &[dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) {
        const auto [known, isNew] = sizes.try_emplace(loop.getPosition(), held->second.extents[dim]);
        if (!isNew)
          same_.unite(known->second, held->second.extents[dim]);
      }
  }
}

void Raiser::readResult(linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops) {
  mlir::OpOperand *init = generic.getDpsInitOperand(result);
  const mlir::AffineMap map = generic.getMatchingIndexingMap(init);
  const Held *target = find(generic, init->get());
  if (!target)
    return;
  auto type = mlir::cast<mlir::RankedTensorType>(generic->getResult(result).getType());
  const std::optional<std::vector<std::string>> own =
      ownLoops(map, type, loopNames(loops.size() + map.getNumResults()));
  if (!own) {
    refuse(kModuleOperation, generic, "a result whose indices are no distinct loops");
    return;
  }
  std::vector<language::ExtentDecl> extents = target->extents;
  for (int64_t k = 0; k < type.getRank(); ++k)
    if (!type.isDynamicDim(k))
      extents[k] = {type.getDimSize(k), places_.of(generic)};
  std::optional<double> fill;
  Element value;
  if (reductionLoops(generic, result, loops).empty()) {
    BodyReader body(*this, generic);
    giveArguments(body, generic, loops, {});
    value = body.read(generic.getBody()->getTerminator()->getOperand(result));
  } else if (const std::optional<Placement> place = placementOf(generic, result)) {
    value = {placed(generic, result, loops, *place), nullptr};
  } else {
    value = reduced(generic, result, loops, fill);
  }
  const mlir::Value tensor = generic->getResult(result);
  if (!listsEntries(type) && isOneNumber(*value.value))
    held_[tensor] = {Held::Kind::Same, "", std::move(value.value), std::move(extents), false};
  else
    addStatement(generic, tensor, std::move(extents), plain(generic, *own), std::move(value), fill);
}

Element Raiser::reduced(linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops,
                        std::optional<double> &fill) {
  const Maker make = maker(generic);
  const mlir::Value yielded = generic.getBody()->getTerminator()->getOperand(result);
  mlir::OpOperand *init = generic.getDpsInitOperand(result);
  const mlir::BlockArgument argument = generic.getMatchingBlockArgument(init);
  const std::optional<Reduction> found = reductionOf(yielded, argument);
  if (!found) {
    if (Diagnostic *wrong = refuse(kModuleReduction, generic,
                                   "no reduction of the kernel language takes elements in as this body does"))
      wrong->advise(
          "sums, products, least and greatest elements, 'or' and 'and' are; each takes in one element of its result");
    return {make.number(0), nullptr};
  }
  Fixed extents;
  if (!findFixed(generic, loops, extents))
    return {make.number(0), nullptr};
  std::vector<std::string> over = reductionLoops(generic, result, loops);
  std::erase_if(over, [&](const std::string &loop) { return extents.count(loop); });
  Element all{nullptr, nullptr};
  ExprPtr some; // whether there is a number among NaNs
  const std::string type = typeName(argument.getType());
  // A window's elements, one after the other; a reduction without such loops has one.
  Fixed at;
  for (const auto &[loop, extent] : extents)
    at[loop] = 0;
  for (bool more = llvm::none_of(extents, [](const auto &entry) { return entry.second == 0; }); more;) {
    BodyReader body(*this, generic);
    giveArguments(body, generic, loops, at);
    for (const Reduction::Part &part : found->parts) {
      ExprPtr counts;
      Element one = body.part(*found, part, type, counts);
      if (found->skipsNaN)
        some = body.either(some ? std::move(some) : make.truth(false), anyOver(make, over, std::move(counts)));
      one.domain = anyOver(make, over, std::move(one.domain));
      one.value = make.reduce(found->how, over, std::move(one.value));
      all = !all.value ? std::move(one)
                       : Element{combine(make, *found, std::move(all.value), std::move(one.value)),
                                 body.either(std::move(all.domain), std::move(one.domain))};
    }
    more = false;
    for (auto &[loop, place] : at) {
      more = ++place < extents[loop];
      if (more)
        break;
      place = 0;
    }
  }
  if (!all.value)
    all = {make.number(neutralOf(found->how)), nullptr};
  const auto target = held_.find(init->get());
  if (some && target != held_.end() && target->second.kind == Held::Kind::Same && isNaN(*target->second.number))
    return {make.call(Function::Select, std::move(some), std::move(all.value), clone(target->second.number)), nullptr};
  return withInit(generic, result, loops, *found, std::move(all), fill);
}

Element Raiser::withInit(linalg::GenericOp generic, unsigned result, const std::vector<std::string> &loops,
                         const Reduction &found, Element all, std::optional<double> &fill) {
  const Maker make = maker(generic);
  mlir::OpOperand *init = generic.getDpsInitOperand(result);
  const Held *target = find(generic, init->get());
  const double neutral = neutralOf(found.how);
  const mlir::Type type = generic.getMatchingBlockArgument(init).getType();
  const auto signedAgain = [&](ExprPtr value) {
    return found.isUnsigned ? make.cast(typeName(type), std::move(value)) : std::move(value);
  };
  if (target->kind == Held::Kind::Same && isNeutral(*target->number, found.how, found.isUnsigned, type))
    return {signedAgain(std::move(all.value)), std::move(all.domain)};
  if (target->kind == Held::Kind::Empty && target->listsEntries && (found.identity || neutral == 0)) {
    if (neutral != 0)
      fill = neutral;
    return {signedAgain(std::move(all.value)), std::move(all.domain)};
  }
  Indices indices;
  for (mlir::AffineExpr expr : generic.getMatchingIndexingMap(init).getResults())
    if (auto index = indexOf(expr, loops, {}, make.where()))
      indices.push_back(std::move(*index));
  Element first = element(generic, *target, std::move(indices));
  ExprPtr domain =
      first.domain && all.domain ? make.call(Function::Or, std::move(first.domain), std::move(all.domain)) : nullptr;
  if (found.isUnsigned) // the number with the sign is the one that the module has, whatever stands for it
    first.value = make.cast(withoutSign(type), make.cast(typeName(type), std::move(first.value)));
  return {signedAgain(combine(make, found, std::move(first.value), std::move(all.value))), std::move(domain)};
}

} // namespace spc::ingress
