#include "dialect/attributes.h"

#include "dialect/dialect.h"
#include "dialect/names.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialect/SpcEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/SpcAttributes.cpp.inc"

namespace spc::dialect {

std::optional<int64_t> ExtentAttr::blockOf(ExtentAttr counted) const {
  if (counted == *this)
    return 1;
  return getBlock() == 1 && counted.getSymbol() == getSymbol() ? std::optional(counted.getBlock()) : std::nullopt;
}

LevelAttr TensorAttr::getLevel(unsigned level) const {
  return level < getLevels().size() ? getLevels()[level] : LevelAttr::get(getContext());
}

llvm::StringRef TensorAttr::getOwner() const {
  return getStructureOf().empty() ? getSymbol() : getStructureOf();
}

ExtentAttr BindAttr::getExtent() const {
  const bool isOfExtent = getKind() == BindKind::Size || getKind() == BindKind::Begin || getKind() == BindKind::End;
  return isOfExtent && getIndex() < 0 ? ExtentAttr::get(getContext(), getSymbol(), getBlock()) : ExtentAttr();
}

BindAttr bindOf(mlir::FunctionOpInterface body, unsigned index) {
  return body.getArgAttrOfType<BindAttr>(index, kBind);
}

BindAttr bindOf(mlir::FunctionOpInterface body, mlir::Value value) {
  const auto argument = mlir::dyn_cast_or_null<mlir::BlockArgument>(value);
  return argument && argument.getOwner()->getParentOp() == body ? bindOf(body, argument.getArgNumber()) : BindAttr();
}

mlir::BlockArgument argumentWith(mlir::FunctionOpInterface body, BindAttr bind) {
  for (mlir::BlockArgument argument : body.getArguments())
    if (bindOf(body, argument.getArgNumber()) == bind)
      return argument;
  return {};
}

void setBind(mlir::FunctionOpInterface body, unsigned index, BindAttr bind) {
  body.setArgAttr(index, kBind, bind);
}

mlir::BlockArgument addArgument(mlir::FunctionOpInterface body, BindAttr bind, mlir::Type type) {
  mlir::Builder builder(body.getContext());
  const unsigned last = body.getNumArguments();
  (void)body.insertArgument(last, type, builder.getDictionaryAttr(builder.getNamedAttr(kBind, bind)), body.getLoc());
  return body.getArgument(last);
}

RowLoopAttr rowLoopOf(mlir::Operation *loop) {
  return loop->getAttrOfType<RowLoopAttr>(kRowLoop);
}

void setRowLoop(mlir::Operation *loop, RowLoopAttr rows) {
  loop->setAttr(kRowLoop, rows);
}

void removeRowLoop(mlir::Operation *loop) {
  loop->removeAttr(kRowLoop);
}

bool isSegment(mlir::Operation *loop) {
  return loop->hasAttr(kSegment);
}

void markSegment(mlir::Operation *loop) {
  loop->setAttr(kSegment, mlir::UnitAttr::get(loop->getContext()));
}

bool leavesRest(mlir::Operation *loop) {
  return loop->hasAttr(kLeavesRest);
}

void markLeavesRest(mlir::Operation *loop) {
  loop->setAttr(kLeavesRest, mlir::UnitAttr::get(loop->getContext()));
}

bool isPartial(mlir::Operation *nest) {
  return nest->hasAttr(kPartial);
}

void markPartial(mlir::Operation *nest) {
  nest->setAttr(kPartial, mlir::UnitAttr::get(nest->getContext()));
}

void removePartial(mlir::Operation *nest) {
  nest->removeAttr(kPartial);
}

llvm::ArrayRef<int64_t> clippedDimsOf(mlir::Operation *access) {
  const auto dims = access->getAttrOfType<mlir::DenseI64ArrayAttr>(kClipped);
  return dims ? dims.asArrayRef() : llvm::ArrayRef<int64_t>();
}

void addClippedDim(mlir::Operation *access, int64_t dim) {
  llvm::SmallVector<int64_t> dims{dim};
  llvm::append_range(dims, clippedDimsOf(access));
  access->setAttr(kClipped, mlir::DenseI64ArrayAttr::get(access->getContext(), dims));
}

void markMask(mlir::Operation *conversion) {
  conversion->setAttr(kMask, mlir::UnitAttr::get(conversion->getContext()));
}

void unmarkMask(mlir::Operation *conversion) {
  conversion->removeAttr(kMask);
}

bool isMask(mlir::Operation *conversion) {
  return conversion->hasAttr(kMask);
}

void removeClippedDims(mlir::Operation *access) {
  access->removeAttr(kClipped);
}

TensorAttr tensorOf(mlir::FunctionOpInterface body, unsigned index) {
  return body.getArgAttrOfType<TensorAttr>(index, kTensor);
}

void setTensor(mlir::FunctionOpInterface body, unsigned index, TensorAttr tensor) {
  body.setArgAttr(index, kTensor, tensor);
}

ExtentAttr ascendingExtentOf(mlir::FunctionOpInterface body, unsigned index) {
  return body.getArgAttrOfType<ExtentAttr>(index, kAscends);
}

void setAscendingExtent(mlir::FunctionOpInterface body, unsigned index, ExtentAttr extent) {
  body.setArgAttr(index, kAscends, extent);
}

ChunksAttr chunksOf(mlir::FunctionOpInterface body) {
  return body->getAttrOfType<ChunksAttr>(kChunks);
}

void setChunks(mlir::FunctionOpInterface body, ChunksAttr chunks) {
  body->setAttr(kChunks, chunks);
}

DivisionAttr divisionOf(mlir::FunctionOpInterface body) {
  return body->getAttrOfType<DivisionAttr>(kDivision);
}

void setDivision(mlir::FunctionOpInterface body, DivisionAttr division) {
  body->setAttr(kDivision, division);
}

void removeDivision(mlir::FunctionOpInterface body) {
  body->removeAttr(kDivision);
}

NestAttr nestOf(mlir::FunctionOpInterface body, int64_t number) {
  const auto nests = body->getAttrOfType<mlir::ArrayAttr>(kNests);
  return nests && number < static_cast<int64_t>(nests.size()) ? mlir::dyn_cast<NestAttr>(nests[number]) : NestAttr();
}

void setNests(mlir::FunctionOpInterface body, llvm::ArrayRef<NestAttr> nests) {
  body->setAttr(kNests, mlir::Builder(body.getContext()).getArrayAttr(llvm::to_vector_of<mlir::Attribute>(nests)));
}

PlaceAttr placeOf(mlir::Operation *loop) {
  return loop->getAttrOfType<PlaceAttr>(kPlace);
}

void setPlace(mlir::Operation *loop, PlaceAttr place) {
  loop->setAttr(kPlace, place);
}

LoopAttr plannedLoopOf(mlir::Operation *loop) {
  const PlaceAttr place = placeOf(loop);
  const auto body = loop->getParentOfType<mlir::FunctionOpInterface>();
  const NestAttr nest = place && body ? nestOf(body, place.getNest()) : NestAttr();
  return nest && place.getLoop() < static_cast<int64_t>(nest.getLoops().size()) ? nest.getLoops()[place.getLoop()]
                                                                                : LoopAttr();
}

ScheduleAttr scheduleOf(mlir::FunctionOpInterface body) {
  const auto schedule = body->getAttrOfType<ScheduleAttr>(kSchedule);
  return schedule ? schedule : ScheduleAttr::get(body.getContext(), {}, {}, {}, {}, {});
}

void setSchedule(mlir::FunctionOpInterface body, ScheduleAttr schedule) {
  body->setAttr(kSchedule, schedule);
}

bool isPatternOnly(mlir::FunctionOpInterface body) {
  return body->hasAttr(kPatternOnly);
}

void setPatternOnly(mlir::FunctionOpInterface body) {
  body->setAttr(kPatternOnly, mlir::UnitAttr::get(body.getContext()));
}

bool isAsWritten(mlir::FunctionOpInterface body) {
  return body->hasAttr(kAsWritten);
}

void setAsWritten(mlir::FunctionOpInterface body) {
  body->setAttr(kAsWritten, mlir::UnitAttr::get(body.getContext()));
}

void SpcDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/SpcAttributes.cpp.inc"
      >();
}

void dropAttributes(mlir::FunctionOpInterface body) {
  const auto isOurs = [](mlir::NamedAttribute attribute) {
    return mlir::isa_and_nonnull<SpcDialect>(attribute.getNameDialect());
  };
  for (unsigned index = 0; index < body.getNumArguments(); ++index) {
    llvm::SmallVector<mlir::NamedAttribute> kept(body.getArgAttrs(index));
    llvm::erase_if(kept, isOurs);
    body.setArgAttrs(index, kept);
  }
  for (mlir::NamedAttribute attribute : llvm::to_vector(body->getDiscardableAttrs()))
    if (isOurs(attribute))
      body->removeDiscardableAttr(attribute.getName());
}

} // namespace spc::dialect
