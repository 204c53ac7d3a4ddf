// Elements at computed places.
#include "ingress/body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::ingress {

namespace arith = mlir::arith;

Element BodyReader::readExtract(mlir::tensor::ExtractOp extract) {
  const Held *held = raiser_.find(extract, extract.getTensor());
  if (!held)
    return nothing();
  Indices indices;
  for (mlir::Value place : extract.getIndices()) {
    language::Index index;
    if (!addTo(index, place, 1) && !keepPlace(index, place)) {
      if (Diagnostic *wrong = raiser_.refuse(kModuleOperation, extract, "an element at a place that is no index"))
        wrong->advise("an index is a sum of loops, scalars and numbers, or what a tensor of integers holds at loops");
      return nothing();
    }
    indices.push_back(index.isHeld() ? std::move(index) : settled(std::move(index), maker().where()));
  }
  Element found = raiser_.element(extract, *held, std::move(indices));
  if (!extract.getIndices().empty())
    found.domain = nullptr;
  return found;
}

/// A place that is computed of loops is kept in a tensor over these, which holds the index then.
bool BodyReader::keepPlace(language::Index &index, mlir::Value place) {
  if (const auto known = places_.find(place); known != places_.end()) {
    index = known->second;
    return true;
  }
  const Maker make = maker();
  index = {};
  Element element = read(place);
  std::vector<language::ExtentDecl> extents;
  for (unsigned k = 0; k < loops_.size(); ++k)
    if (mentions(*element.value, {loops_[k]})) {
      const auto size = raiser_.loopSizes_.find(k);
      if (size == raiser_.loopSizes_.end())
        return false;
      extents.push_back(size->second);
      index.within.push_back(make.index(loops_[k]));
    }
  if (extents.empty())
    return false;
  index.holder =
      make.named(raiser_.keep("i64", index.within, std::move(extents), std::move(element.value), make.where()));
  index.where = make.where();
  index.text = language::spellingOf(index);
  places_[place] = index;
  return true;
}

bool BodyReader::addTo(language::Index &index, mlir::Value value, int64_t multiple) {
  if (index.isHeld())
    return false;
  if (const std::optional<int64_t> known = mlir::getConstantIntValue(value)) {
    index.constant += multiple * *known;
    return true;
  }
  const Span where = maker().where();
  if (const auto size = raiser_.sizes_.find(value); size != raiser_.sizes_.end()) {
    addSize(index, size->second, multiple, where);
    return true;
  }
  mlir::Operation *operation = value.getDefiningOp();
  if (auto loop = mlir::dyn_cast_or_null<mlir::linalg::IndexOp>(operation)) {
    addLoop(index, loops_[loop.getDim()], multiple, fixed_, where);
    return true;
  }
  if (mlir::isa_and_nonnull<arith::AddIOp, arith::SubIOp>(operation))
    return addTo(index, operation->getOperand(0), multiple) &&
           addTo(index, operation->getOperand(1), mlir::isa<arith::AddIOp>(operation) ? multiple : -multiple);
  if (mlir::isa_and_nonnull<arith::MulIOp>(operation))
    for (const unsigned k : {0u, 1u})
      if (const std::optional<int64_t> factor = mlir::getConstantIntValue(operation->getOperand(k)))
        return addTo(index, operation->getOperand(1 - k), multiple * *factor);
  if (!mlir::isa_and_nonnull<arith::IndexCastOp>(operation))
    return false;
  const Element element = read(operation->getOperand(0));
  const auto *access = std::get_if<syntax::Access>(&element.value->node);
  if (!access || access->isPadded)
    return false;
  if (access->indices.empty()) {
    index.offsets.push_back({{"", where}, multiple, {access->tensor}});
    return true;
  }
  const bool isPlain = llvm::all_of(access->indices, [](const language::Index &one) { return one.isPlain(); });
  if (!isPlain || multiple != 1 || !index.terms.empty() || !index.offsets.empty() || index.constant != 0)
    return false;
  index.holder = access->tensor;
  index.within = access->indices;
  index.where = where;
  index.text = language::spellingOf(index);
  return true;
}

} // namespace spc::ingress
