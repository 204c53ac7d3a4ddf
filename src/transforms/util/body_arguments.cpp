#include "transforms/util/body_arguments.h"

#include "mlir/IR/Builders.h"

namespace spc::transforms {

llvm::StringRef argumentString(mlir::func::FuncOp body, unsigned index, llvm::StringRef attribute) {
  auto value = body.getArgAttrOfType<mlir::StringAttr>(index, attribute);
  return value ? value.getValue() : llvm::StringRef();
}

llvm::StringRef extentName(mlir::func::FuncOp body, unsigned index, unsigned dim) {
  auto extents = body.getArgAttrOfType<mlir::ArrayAttr>(index, kExtents);
  if (!extents || dim >= extents.size())
    return {};
  auto name = mlir::dyn_cast<mlir::StringAttr>(extents[dim]);
  return name ? name.getValue() : llvm::StringRef();
}

mlir::DictionaryAttr levelKeys(mlir::func::FuncOp body, unsigned index, unsigned level) {
  auto levels = body.getArgAttrOfType<mlir::ArrayAttr>(index, kLevels);
  auto keys = levels && level < levels.size() ? mlir::dyn_cast<mlir::DictionaryAttr>(levels[level]) : nullptr;
  return keys ? keys : mlir::DictionaryAttr::get(body.getContext());
}

mlir::BlockArgument boundArgument(mlir::func::FuncOp body, llvm::StringRef bind, mlir::Type type) {
  for (unsigned index = 0; index < body.getNumArguments(); ++index)
    if (argumentString(body, index, kBind) == bind)
      return body.getArgument(index);
  mlir::Builder builder(body.getContext());
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(kBind, builder.getStringAttr(bind)));
  unsigned index = body.getNumArguments();
  (void)body.insertArgument(index, type, attributes, body.getLoc());
  return body.getArgument(index);
}

mlir::BlockArgument sizeArgument(mlir::func::FuncOp body, unsigned index, unsigned dim) {
  std::string bind = "size(" + extentName(body, index, dim).str() + ")";
  return boundArgument(body, bind, mlir::IndexType::get(body.getContext()));
}

std::optional<int64_t> blocksOf(mlir::func::FuncOp body, mlir::Value bound, unsigned index, unsigned dim) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(bound);
  if (!argument || argument.getOwner() != &body.getBody().front())
    return std::nullopt;
  llvm::StringRef bind = argumentString(body, argument.getArgNumber(), kBind);
  if (!bind.consume_front("size(") || !bind.consume_front(extentName(body, index, dim)) || !bind.consume_back(")"))
    return std::nullopt;
  int64_t block = 1;
  if (bind.empty() || (bind.consume_front(" / ") && !bind.getAsInteger(10, block)))
    return block;
  return std::nullopt;
}

namespace {

template <typename Value> Value scheduledValue(mlir::func::FuncOp body, llvm::StringRef key) {
  auto schedule = body->getAttrOfType<mlir::DictionaryAttr>(kSchedule);
  return schedule ? schedule.getAs<Value>(key) : Value();
}

} // namespace

std::optional<int64_t> scheduled(mlir::func::FuncOp body, llvm::StringRef key) {
  auto value = scheduledValue<mlir::IntegerAttr>(body, key);
  return value ? std::optional(value.getInt()) : std::nullopt;
}

llvm::StringRef scheduledParallel(mlir::func::FuncOp body) {
  auto value = scheduledValue<mlir::StringAttr>(body, "parallel");
  return value ? value.getValue() : llvm::StringRef();
}

void eraseArgument(mlir::func::FuncOp body, unsigned index) {
  (void)body.eraseArgument(index);
}

} // namespace spc::transforms
