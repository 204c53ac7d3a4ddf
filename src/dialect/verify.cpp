#include "dialect/dialect.h"
#include "dialect/index_marks.h"
#include "dialect/names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace spc::dialect {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
namespace {

/// Which of its parameters a bind has, by kind.
struct BindShape {
  bool symbol, index, block;
};

BindShape shapeOf(BindKind kind) {
  switch (kind) {
  case BindKind::Pointers:
  case BindKind::Indices:
  case BindKind::Count:
  case BindKind::Width:
  case BindKind::Stride:
    return {true, true, false};
  case BindKind::Entries:
  case BindKind::Values:
  case BindKind::Stored:
  case BindKind::Scalar:
  case BindKind::Rows:
    return {true, false, false};
  case BindKind::Size:
  case BindKind::Positions:
    return {true, false, true};
  case BindKind::Begin:
  case BindKind::End:
    return {true, true, true}; // of a count or of a size
  case BindKind::Assembly:
  case BindKind::Chunk:
  case BindKind::Trial:
  case BindKind::Merge:
    break;
  }
  return {false, false, false};
}

bool holds(BindKind kind, mlir::Type type) {
  const bool isPointer = mlir::isa<mlir::LLVM::LLVMPointerType>(type);
  switch (kind) {
  case BindKind::Pointers:
  case BindKind::Indices:
  case BindKind::Entries:
  case BindKind::Values:
  case BindKind::Merge:
    return isPointer || mlir::isa<mlir::MemRefType>(type);
  case BindKind::Assembly:
  case BindKind::Trial:
  case BindKind::Rows:
  case BindKind::Positions:
    return isPointer;
  case BindKind::Scalar:
    return mlir::isa<mlir::FloatType, mlir::IntegerType, mlir::ComplexType, mlir::LLVM::LLVMStructType>(type);
  case BindKind::Count:
  case BindKind::Stored:
  case BindKind::Width:
  case BindKind::Stride:
  case BindKind::Size:
  case BindKind::Begin:
  case BindKind::End:
  case BindKind::Chunk:
    break;
  }
  return type.isIndex() || type.isSignlessInteger(64);
}

mlir::LogicalResult verifyBind(mlir::FunctionOpInterface body, unsigned index, mlir::Attribute value) {
  const auto bind = mlir::dyn_cast<BindAttr>(value);
  if (!bind)
    return body.emitOpError() << "argument " << index << ": " << kBind << " is no #spc.bind";
  if (!holds(bind.getKind(), body.getArgumentTypes()[index]))
    return body.emitOpError() << "argument " << index << " of type " << body.getArgumentTypes()[index]
                              << " cannot hold " << bind;
  for (unsigned other = 0; other < index; ++other)
    if (body.getArgAttr(other, kBind) == value)
      return body.emitOpError() << "arguments " << other << " and " << index << " both hold " << bind;
  return mlir::success();
}

mlir::LogicalResult verifyTensor(mlir::FunctionOpInterface body, unsigned index, mlir::Attribute value) {
  const auto tensor = mlir::dyn_cast<TensorAttr>(value);
  if (!tensor)
    return body.emitOpError() << "argument " << index << ": " << kTensor << " is no #spc.tensor";
  const auto type = mlir::dyn_cast<mlir::ShapedType>(body.getArgumentTypes()[index]);
  const size_t extents = tensor.getExtents().size();
  if (const auto identity = mlir::dyn_cast_or_null<mlir::TypedAttr>(tensor.getIdentity());
      identity && type && identity.getType() != type.getElementType())
    return body.emitOpError() << "argument " << index << " with elements " << type.getElementType()
                              << " has the identity " << identity;
  if (type && extents > 0 && type.getRank() != static_cast<int64_t>(extents))
    return body.emitOpError() << "argument " << index << " of type " << type << " has " << extents << " extents";
  return mlir::success();
}

mlir::LogicalResult verifyAscending(mlir::FunctionOpInterface body, unsigned index, mlir::Attribute value) {
  const BindAttr bind = bindOf(body, index);
  if (!mlir::isa<ExtentAttr>(value) || !bind || bind.getKind() != BindKind::Indices || bind.getIndex() != 0)
    return body.emitOpError() << "argument " << index << ": " << kAscends << " is an extent of a root's coordinates";
  return mlir::success();
}

/// `scf.while` is not this dialect's to know: two operands, of which the second is what the search for the first
/// segment's end gives, and two values that are carried.
bool isSegmentLoop(mlir::Operation *op) {
  return op->getNumRegions() == 2 && op->getNumOperands() == 2 && !op->getRegion(1).empty() &&
         op->getRegion(1).getNumArguments() == 2;
}

mlir::LogicalResult verifyRowLoop(mlir::Operation *op, mlir::Attribute value) {
  const auto rows = mlir::dyn_cast<RowLoopAttr>(value);
  if (!rows)
    return op->emitOpError() << "'" << kRowLoop << "' is no #spc.row_loop";
  const bool isWhile = rows.getKind() == RowLoopKind::Segments;
  if (op->getName().getStringRef() != (isWhile ? "scf.while" : "scf.for") || (isWhile && !isSegmentLoop(op)))
    return op->emitOpError() << "is no loop over " << stringifyRowLoopKind(rows.getKind());
  return mlir::success();
}

bool isLoop(mlir::Operation *op) {
  const llvm::StringRef name = op->getName().getStringRef();
  return name == "scf.for" || name == "scf.while";
}

/// A place is one of the body's nests, whose loops stand inside of each other as they are planned.
mlir::LogicalResult verifyPlace(mlir::Operation *op, mlir::Attribute value) {
  const auto place = mlir::dyn_cast<PlaceAttr>(value);
  if (!place || (!isLoop(op) && op->getName().getStringRef() != "linalg.generic"))
    return op->emitOpError() << "'" << kPlace << "' is the #spc.place of a loop, or of loops to come";
  const auto body = op->getParentOfType<mlir::FunctionOpInterface>();
  const NestAttr nest = body && place.getNest() >= 0 ? nestOf(body, place.getNest()) : NestAttr();
  if (!nest || place.getLoop() < 0 || (isLoop(op) && !plannedLoopOf(op)))
    return op->emitOpError() << "has the place " << place << ", which none of the body's nests has";
  if (const auto space = op->getAttrOfType<mlir::ArrayAttr>("iterator_types");
      space && space.size() != nest.getLoops().size())
    return op->emitOpError() << "has " << space.size() << " loops, of which " << nest.getLoops().size()
                             << " are planned";
  for (mlir::Operation *around = op->getParentOp(); around; around = around->getParentOp())
    if (const PlaceAttr other = placeOf(around);
        other && other.getNest() == place.getNest() && other.getLoop() >= place.getLoop())
      return op->emitOpError() << "has the place " << place << " inside of " << other;
  return mlir::success();
}

mlir::LogicalResult verifyNests(mlir::FunctionOpInterface body, mlir::Attribute value) {
  const auto nests = mlir::dyn_cast<mlir::ArrayAttr>(value);
  if (!nests || !llvm::all_of(nests, [](mlir::Attribute nest) { return mlir::isa<NestAttr>(nest); }))
    return body.emitOpError() << kNests << " is no list of #spc.nest";
  return mlir::success();
}

/// An attribute that says something of an `scf.for` by being there.
mlir::LogicalResult verifyLoopMark(mlir::Operation *op, mlir::NamedAttribute mark) {
  if (op->getName().getStringRef() != "scf.for" || !mlir::isa<mlir::UnitAttr>(mark.getValue()))
    return op->emitOpError() << "'" << mark.getName().getValue() << "' is a unit attribute of loops alone";
  return mlir::success();
}

/// What the clipping of loops notes of a nest and of an access while it goes on.
mlir::LogicalResult verifyClippingMark(mlir::Operation *op, mlir::NamedAttribute mark) {
  const llvm::StringRef of = op->getName().getStringRef();
  if (mark.getName() == kPartial)
    return (of == "scf.for" || of == "scf.while") && mlir::isa<mlir::UnitAttr>(mark.getValue())
               ? mlir::success()
               : op->emitOpError() << "'" << kPartial << "' is a unit attribute of loops alone";
  return (of == "memref.load" || of == "memref.store") && mlir::isa<mlir::DenseI64ArrayAttr>(mark.getValue())
             ? mlir::success()
             : op->emitOpError() << "'" << kClipped << "' is a list of a load's or a store's dimensions";
}

/// What says where index variables are.
mlir::LogicalResult verifyIndexMark(mlir::Operation *op, mlir::NamedAttribute mark) {
  const llvm::StringRef of = op->getName().getStringRef(), name = mark.getName().getValue();
  if (name == kIndex)
    return mlir::isa<mlir::StringAttr>(mark.getValue()) && mlir::isa<mlir::LLVM::AllocaOp, mlir::LLVM::StoreOp>(op)
               ? mlir::success()
               : op->emitOpError() << "'" << name << "' is the name of a slot on the stack, or of what is stored there";
  if ((of != "scf.for" && (of != "scf.while" || name == kIndices)) || !isIndexList(mark.getValue()))
    return op->emitOpError() << "'" << name << "' is a list of a loop's index variables";
  return mlir::success();
}

/// The arguments that the entry passes to a chunk.
mlir::LogicalResult verifyChunks(mlir::FunctionOpInterface body, mlir::Attribute value) {
  const auto chunks = mlir::dyn_cast<ChunksAttr>(value);
  if (!chunks)
    return body.emitOpError() << kChunks << " is no #spc.chunks";
  // The function's own verifier, which comes later, reports these.
  const mlir::ArrayAttr ofArguments = body.getAllArgAttrs();
  if (body.isExternal() || body.front().getNumArguments() != body.getArgumentTypes().size() ||
      (ofArguments && ofArguments.size() != body.getArgumentTypes().size()))
    return mlir::success();
  for (BindKind kind : {BindKind::Begin, BindKind::End})
    if (!argumentWith(body, chunks.getItems().as(kind)))
      return body.emitOpError() << "may run in chunks, but has no argument that holds " << chunks.getItems().as(kind);
  if (!chunks.getCopies().empty())
    if (const auto copied = BindAttr::get(body.getContext(), BindKind::Values, chunks.getCopies());
        !argumentWith(body, copied))
      return body.emitOpError() << "adds to copies of an output, but has no argument that holds " << copied;
  return mlir::success();
}

} // namespace

bool isIndexList(mlir::Attribute attribute) {
  const auto isVariable = [](mlir::Attribute one) {
    auto parts = mlir::dyn_cast<mlir::ArrayAttr>(one);
    return parts && parts.size() == 3 && mlir::isa<mlir::StringAttr>(parts[0]) &&
           mlir::isa<mlir::IntegerAttr>(parts[1]) && mlir::isa<mlir::IntegerAttr>(parts[2]);
  };
  auto list = mlir::dyn_cast_or_null<mlir::ArrayAttr>(attribute);
  return list && llvm::all_of(list, isVariable);
}

mlir::LogicalResult ExtentAttr::verify(EmitError emitError, llvm::StringRef symbol, int64_t block) {
  if (block < 1 || (symbol.empty() && block > 1))
    return emitError() << "blocks of " << block << " of the extent '" << symbol << "'";
  return mlir::success();
}

mlir::LogicalResult BindAttr::verify(EmitError emitError, BindKind kind, llvm::StringRef symbol, int64_t index,
                                     int64_t block) {
  const BindShape shape = shapeOf(kind);
  const llvm::StringRef word = stringifyBindKind(kind);
  if (symbol.empty() == shape.symbol)
    return emitError() << "'" << word << (shape.symbol ? "' needs a name" : "' has no name");
  if ((index != -1 && !shape.index) || (index < 0 && shape.index && !shape.block))
    return emitError() << "'" << word << (shape.index ? "' needs an index" : "' has no index");
  if (block < 1 || (block > 1 && (!shape.block || index != -1)))
    return emitError() << "'" << word << "' has no blocks of " << block;
  return mlir::success();
}

mlir::LogicalResult RowLoopAttr::verify(EmitError emitError, RowLoopKind kind, BindAttr items, ExtentAttr rows) {
  const bool isRows = kind == RowLoopKind::Rows;
  if (items.getKind() != (isRows ? BindKind::Size : BindKind::Count) || (isRows && items.getExtent() != rows))
    return emitError() << "a loop over " << stringifyRowLoopKind(kind) << " cannot have items " << items;
  return mlir::success();
}

mlir::LogicalResult LoopAttr::verify(EmitError emitError, mlir::ArrayAttr variables, ExtentAttr,
                                     llvm::ArrayRef<mlir::StringAttr> lists, bool isBeyond, bool, bool, bool) {
  if (!isIndexList(variables))
    return emitError() << "a loop over the variables " << variables;
  if (isBeyond && lists.empty())
    return emitError() << "a loop beyond what is listed, over nothing that is";
  return mlir::success();
}

mlir::LogicalResult NestAttr::verify(EmitError emitError, llvm::ArrayRef<LoopAttr> loops, bool isScaled,
                                     llvm::ArrayRef<ExtentAttr>, bool) {
  const auto isNoRow = [](LoopAttr loop) { return !loop.getIsRow(); };
  if (llvm::any_of(llvm::make_range(llvm::find_if(loops, isNoRow), loops.end()),
                   [](LoopAttr loop) { return loop.getIsRow(); }))
    return emitError() << "a row inside of a loop that is none";
  if (isScaled && llvm::count_if(loops, [](LoopAttr loop) { return loop.getIsReduction(); }) != 1)
    return emitError() << "a sum that is scaled behind its loop, which is not one";
  return mlir::success();
}

mlir::LogicalResult LevelAttr::verify(EmitError emitError, std::optional<int64_t> fixed, BindAttr width,
                                      FormAttr closed, ExtentAttr extent, ExtentAttr, FormAttr start, bool isImplicit,
                                      int64_t field, int64_t fields, bool, bool, bool) {
  if (fixed.has_value() + (width != nullptr) + (closed != nullptr) > 1)
    return emitError() << "a level whose positions are computed in two ways";
  if (width && width.getKind() != BindKind::Width)
    return emitError() << "a level whose width is " << width;
  if ((closed != nullptr) != (extent != nullptr))
    return emitError() << "a level with a closed form and no extent, or the other way round";
  if (start && (!closed || !isImplicit))
    return emitError() << "a level whose coordinates have a start, but are not computed";
  if (field >= fields && field >= 0)
    return emitError() << "field " << field << " of " << fields;
  return mlir::success();
}

mlir::LogicalResult RunAttr::verify(EmitError emitError, int64_t number, llvm::ArrayRef<int64_t> dims, int64_t rowOrder,
                                    int64_t keyBits, llvm::StringRef triangle, bool planned, bool once) {
  llvm::SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  const auto places = llvm::seq<int64_t>(0, static_cast<int64_t>(dims.size()));
  if (number < 0 || dims.empty() || !llvm::equal(sorted, places))
    return emitError() << "run " << number << " does not collect each dimension once";
  if (rowOrder < 0 || rowOrder > static_cast<int64_t>(dims.size()))
    return emitError() << rowOrder << " of " << dims.size() << " dimensions are the row";
  if (keyBits != 8 && keyBits != 16 && keyBits != 32 && keyBits != 64)
    return emitError() << "keys of " << keyBits << " bits";
  if (!triangle.empty() && ((triangle != "lower" && triangle != "upper") || dims.size() != 2))
    return emitError() << "no triangle of a matrix: '" << triangle << "'";
  if (planned && rowOrder != 0 && rowOrder + 1 != static_cast<int64_t>(dims.size()))
    return emitError() << "keys of several dimensions have no planned places";
  return mlir::success();
}

mlir::LogicalResult TensorAttr::verify(EmitError emitError, llvm::StringRef symbol, llvm::ArrayRef<ExtentAttr> extents,
                                       llvm::ArrayRef<LevelAttr> levels, llvm::ArrayRef<int64_t> modes, bool isStrided,
                                       llvm::StringRef structureOf, llvm::StringRef patternOf, bool isPadded,
                                       RunAttr run, mlir::Attribute, TieAttr tie) {
  if (symbol.empty())
    return emitError() << "a tensor without a name";
  if (!levels.empty() + (isStrided || !modes.empty()) + !patternOf.empty() + (run != nullptr) > 1)
    return emitError() << "'" << symbol << "' is described in two ways";
  llvm::SmallVector<int64_t> sorted(modes);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, static_cast<int64_t>(modes.size()))))
    return emitError() << "'" << symbol << "' does not have each mode once";
  for (size_t count : {levels.size(), modes.size(), run ? run.getDims().size() : 0})
    if (count > 0 && count != extents.size())
      return emitError() << "'" << symbol << "' has " << extents.size() << " extents, and " << count
                         << " levels, modes or dimensions";
  if (isPadded && patternOf.empty())
    return emitError() << "'" << symbol << "' is padded, and shares no pattern";
  if (!structureOf.empty() && (!patternOf.empty() || run || structureOf == symbol))
    return emitError() << "'" << symbol << "' has the structure of '" << structureOf
                       << "', and is no operand that borrows it";
  if (tie && levels.empty())
    return emitError() << "'" << symbol << "' is a tie without levels";
  return mlir::success();
}

mlir::LogicalResult ChunksAttr::verify(EmitError emitError, BindAttr items, llvm::StringRef root,
                                       llvm::ArrayRef<mlir::StringAttr>, llvm::ArrayRef<ExtentAttr>,
                                       llvm::StringRef copies, bool zeroed, std::optional<int64_t> work) {
  if (items.getKind() != BindKind::Size && items.getKind() != BindKind::Count)
    return emitError() << items << " is no number of items";
  if (!root.empty() && items.getKind() != BindKind::Size)
    return emitError() << "rows that '" << root << "' lists, counted as " << items;
  if (zeroed && copies.empty())
    return emitError() << "copies that are set to zero, of no output";
  if (work && *work < 0)
    return emitError() << "chunks of " << *work;
  return mlir::success();
}

mlir::LogicalResult ScheduleAttr::verify(EmitError emitError, std::optional<int64_t> tile,
                                         std::optional<int64_t> unroll, std::optional<int64_t> prefetch,
                                         std::optional<int64_t> chunk, llvm::StringRef) {
  for (const std::optional<int64_t> &number : {tile, unroll, prefetch, chunk})
    if (number.value_or(0) < 0)
      return emitError() << "a schedule with " << *number;
  return mlir::success();
}

mlir::LogicalResult SpcDialect::verifyOperationAttribute(mlir::Operation *op, mlir::NamedAttribute attribute) {
  const mlir::StringAttr name = attribute.getName();
  const auto body = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
  const bool isMark = name == kPatternOnly || name == kAsWritten;
  const bool isOfBody = name == kNests || name == kChunks || name == kDivision || name == kSchedule || isMark;
  if (isOfBody && !body)
    return op->emitOpError() << "has " << name.getValue() << ", which belongs to a function";
  if (name == kDivision && !mlir::isa<DivisionAttr>(attribute.getValue()))
    return op->emitOpError() << name.getValue() << " is no #spc.division";
  if (name == kSchedule && !mlir::isa<ScheduleAttr>(attribute.getValue()))
    return op->emitOpError() << name.getValue() << " is no #spc.schedule";
  if (name == kRowLoop)
    return verifyRowLoop(op, attribute.getValue());
  if (name == kPlace)
    return verifyPlace(op, attribute.getValue());
  if (name == kSegment || name == kLeavesRest)
    return verifyLoopMark(op, attribute);
  if (name == kPartial || name == kClipped)
    return verifyClippingMark(op, attribute);
  if (name == kIndices || name == kListedIndices || name == kIndex)
    return verifyIndexMark(op, attribute);
  if (name == kMask)
    return mlir::isa<mlir::arith::UIToFPOp>(op) ? mlir::success()
                                                : op->emitOpError() << "'" << kMask << "' is a conversion of a truth's";
  if (!isOfBody)
    return op->emitOpError() << "has an unknown attribute " << name.getValue();
  if (isMark && !mlir::isa<mlir::UnitAttr>(attribute.getValue()))
    return op->emitOpError() << name.getValue() << " has a value";
  if (name == kNests)
    return verifyNests(body, attribute.getValue());
  return name == kChunks ? verifyChunks(body, attribute.getValue()) : mlir::success();
}

mlir::LogicalResult SpcDialect::verifyRegionArgAttribute(mlir::Operation *op, unsigned, unsigned index,
                                                         mlir::NamedAttribute attribute) {
  auto body = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!body)
    return mlir::success();
  if (attribute.getName() == kBind)
    return verifyBind(body, index, attribute.getValue());
  if (attribute.getName() == kTensor)
    return verifyTensor(body, index, attribute.getValue());
  if (attribute.getName() == kAscends)
    return verifyAscending(body, index, attribute.getValue());
  return body.emitOpError() << "argument " << index << " has an unknown attribute " << attribute.getName().getValue();
}

} // namespace spc::dialect
