#include "mlirgen/mlirgen.h"

#include "mlirgen/arithmetic.h"
#include "mlirgen/padding.h"
#include "mlirgen/term_body.h"
#include "mlirgen/types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace spc::mlirgen {
namespace {

constexpr llvm::StringLiteral kBind = "spc.bind";

/// Builds the body of one kernel. Written tensors are SSA values that each statement replaces; they stay the same
/// buffers throughout, since every operation updates its `outs` operand.
class BodyBuilder {
public:
  BodyBuilder(const sema::Kernel &kernel, mlir::MLIRContext &context)
      : kernel_(kernel), context_(context), builder_(&context) {}

  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  struct Argument {
    sema::TensorId tensor;
    mlir::Type type;
    bool isStandIn; ///< the dense view through which a pattern-sharing output is written
  };

  std::vector<Argument> arguments() const;
  bool isScalarOperand(const sema::Tensor &tensor) const;
  void createFunction();
  mlir::DictionaryAttr attributesOf(const Argument &argument);
  void emit(const sema::Statement &statement);
  void emit(const sema::Statement &statement, const sema::Term &term);
  void emit(const sema::Copy &copy);
  mlir::Value operandValue(sema::TensorId tensor);
  mlir::Value extentValue(sema::ExtentId extent);
  mlir::Value repeatsOf(const sema::Term &term, llvm::ArrayRef<int> places);
  mlir::Location locationOf(Span where);

  const sema::Kernel &kernel_;
  mlir::MLIRContext &context_;
  mlir::OpBuilder builder_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
  llvm::DenseMap<sema::TensorId, mlir::Value> read_;    ///< operands: dense value, sparse view or scalar
  llvm::DenseMap<sema::TensorId, mlir::Value> written_; ///< current value of each written tensor, always dense
};

bool BodyBuilder::isScalarOperand(const sema::Tensor &tensor) const {
  return tensor.order() == 0 && !tensor.isWritten && tensor.role == sema::TensorRole::Parameter;
}

std::vector<BodyBuilder::Argument> BodyBuilder::arguments() const {
  std::vector<bool> isOperand(kernel_.tensors.size());
  for (const sema::Step &step : kernel_.steps)
    if (const auto *statement = std::get_if<sema::Statement>(&step))
      for (const sema::Term &term : statement->terms)
        for (const sema::Operand &operand : term.operands)
          isOperand[operand.tensor] = true;

  std::vector<Argument> result;
  for (sema::TensorId id = 0; id < static_cast<int>(kernel_.tensors.size()); ++id) {
    const sema::Tensor &tensor = kernel_.tensors[id];
    if (isScalarOperand(tensor)) {
      result.push_back({id, elementType(tensor.type, context_), false});
      continue;
    }
    bool dense = tensor.format.isDense();
    if (dense)
      result.push_back({id, denseType(tensor, context_), false});
    if (!dense && isOperand[id])
      result.push_back({id, sparseType(tensor, context_), false});
    if (!dense && tensor.isWritten)
      result.push_back({id, standInType(tensor, context_), true});
  }
  return result;
}

mlir::DictionaryAttr BodyBuilder::attributesOf(const Argument &argument) {
  const sema::Tensor &tensor = kernel_.tensors[argument.tensor];
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  attributes.push_back(builder_.getNamedAttr("spc.name", builder_.getStringAttr(tensor.name)));
  if (tensor.order() > 0) {
    llvm::SmallVector<std::string> names = extentNames(tensor, kernel_);
    llvm::SmallVector<llvm::StringRef> extents(names.begin(), names.end());
    attributes.push_back(builder_.getNamedAttr("spc.extents", builder_.getStrArrayAttr(extents)));
  }
  if (tensor.structureOf)
    attributes.push_back(
        builder_.getNamedAttr("spc.structure_of", builder_.getStringAttr(kernel_.tensors[*tensor.structureOf].name)));
  if (argument.isStandIn) {
    const std::string &owner = kernel_.tensors[*tensor.patternOf].name;
    attributes.push_back(builder_.getNamedAttr("spc.pattern_of", builder_.getStringAttr(owner)));
    if (hasPadding(tensor.format))
      attributes.push_back(builder_.getNamedAttr("spc.padded", builder_.getUnitAttr()));
  } else if (!tensor.format.isDense()) {
    attributes.push_back(builder_.getNamedAttr("spc.levels", levelAttributes(tensor, kernel_, context_)));
  } else if (tensor.order() > 1) {
    llvm::SmallVector<int64_t> modes;
    for (const format::Level &level : tensor.format.levels)
      modes.push_back(level.dim);
    attributes.push_back(builder_.getNamedAttr("spc.modes", builder_.getDenseI64ArrayAttr(modes)));
  }
  return builder_.getDictionaryAttr(attributes);
}

void BodyBuilder::createFunction() {
  std::vector<Argument> arguments = this->arguments();
  llvm::SmallVector<mlir::Type> inputs, results;
  llvm::SmallVector<mlir::Attribute> attributes;
  for (const Argument &argument : arguments) {
    const sema::Tensor &tensor = kernel_.tensors[argument.tensor];
    inputs.push_back(argument.type);
    attributes.push_back(attributesOf(argument));
    if (tensor.isWritten && (argument.isStandIn || tensor.format.isDense()))
      results.push_back(argument.type);
  }
  const auto *first = std::get_if<sema::Statement>(&kernel_.steps.front());
  mlir::Location location = locationOf(first ? first->where : Span());
  function_ =
      mlir::func::FuncOp::create(builder_, location, kernel_.function, builder_.getFunctionType(inputs, results));
  function_.setArgAttrsAttr(builder_.getArrayAttr(attributes));
  mlir::Block *entry = function_.addEntryBlock();
  for (auto [argument, value] : llvm::zip(arguments, entry->getArguments())) {
    const sema::Tensor &tensor = kernel_.tensors[argument.tensor];
    if (!argument.isStandIn)
      read_[argument.tensor] = value;
    if (tensor.isWritten && (argument.isStandIn || tensor.format.isDense()))
      written_[argument.tensor] = value;
  }
}

mlir::OwningOpRef<mlir::ModuleOp> BodyBuilder::build() {
  module_ = mlir::ModuleOp::create(builder_.getUnknownLoc());
  builder_.setInsertionPointToEnd(module_->getBody());
  createFunction();
  builder_.setInsertionPointToEnd(&function_.getBody().front());
  for (const sema::Step &step : kernel_.steps)
    std::visit([this](const auto &concrete) { emit(concrete); }, step);
  llvm::SmallVector<mlir::Value> results;
  for (sema::TensorId id = 0; id < static_cast<int>(kernel_.tensors.size()); ++id)
    if (mlir::Value value = written_.lookup(id))
      results.push_back(value);
  mlir::func::ReturnOp::create(builder_, function_.getLoc(), results);
  return std::move(module_);
}

mlir::Location BodyBuilder::locationOf(Span where) {
  if (!where)
    return mlir::FileLineColLoc::get(&context_, kernel_.kernelFile, 1, 1);
  LineColumn place = where.file->lineColumn(where.begin);
  return mlir::FileLineColLoc::get(&context_, kernel_.kernelFile, place.line, place.column);
}

/// Dense tensors are read at their current value; sparse ones through their argument, whose values array is updated
/// in place; scalars are extracted, since MLIR's sparsifier crashes on order-0 tensors in sums.
mlir::Value BodyBuilder::operandValue(sema::TensorId id) {
  const sema::Tensor &tensor = kernel_.tensors[id];
  if (!tensor.format.isDense())
    return read_.lookup(id);
  mlir::Value current = written_.contains(id) ? written_.lookup(id) : read_.lookup(id);
  if (tensor.order() > 0 || isScalarOperand(tensor))
    return current;
  return mlir::tensor::ExtractOp::create(builder_, function_.getLoc(), current, mlir::ValueRange());
}

void BodyBuilder::emit(const sema::Statement &statement) {
  mlir::Location location = locationOf(statement.where);
  const sema::Tensor &target = kernel_.tensors[statement.target];
  if (statement.zeroFirst) {
    mlir::Value zero = Arithmetic(builder_, location, false).constant(target.type, 0);
    auto fill = mlir::linalg::FillOp::create(builder_, location, zero, written_.lookup(statement.target));
    written_[statement.target] = fill.getResult(0);
  }
  for (const sema::Term &term : statement.terms)
    emit(statement, term);
}

/// The term's loops that index a tensor, in order: where each goes in the iteration space of the generic, or -1. A
/// reduction over a variable that the term does not use, `sum(j, 1)`, is no loop but a multiplication.
llvm::SmallVector<int> placeLoops(const sema::Term &term) {
  llvm::SmallVector<int> places(term.loops.size(), -1);
  const auto use = [&](const std::vector<sema::Index> &indices) {
    for (const sema::Index &index : indices)
      for (const sema::IndexTerm &part : index)
        places[part.loop] = 0;
  };
  use(term.target);
  for (const sema::Operand &operand : term.operands)
    use(operand.indices);
  int next = 0;
  for (int &place : places)
    if (place == 0)
      place = next++;
  return places;
}

/// An extent as a value of type index: from any argument that has it, else an argument of its own.
mlir::Value BodyBuilder::extentValue(sema::ExtentId extent) {
  for (sema::TensorId id = 0; id < static_cast<int>(kernel_.tensors.size()); ++id) {
    const sema::Tensor &tensor = kernel_.tensors[id];
    mlir::Value argument = read_.contains(id) ? read_.lookup(id) : written_.lookup(id);
    const bool isDense = tensor.format.isDense();
    for (int k = 0; argument && k < (isDense ? tensor.order() : tensor.format.levelCount()); ++k)
      if (isDense ? tensor.extents[k] == extent
                  : tensor.format.levels[k].part == format::Part::Whole &&
                        tensor.extents[tensor.format.levels[k].dim] == extent)
        return mlir::tensor::DimOp::create(builder_, function_.getLoc(), argument, k);
  }
  const mlir::StringAttr name = builder_.getStringAttr("size(" + kernel_.extents[extent].name + ")");
  for (unsigned argument = 0; argument < function_.getNumArguments(); ++argument)
    if (function_.getArgAttr(argument, kBind) == name)
      return function_.getArgument(argument);
  const mlir::DictionaryAttr bind = builder_.getDictionaryAttr(builder_.getNamedAttr(kBind, name));
  const unsigned last = function_.getNumArguments();
  (void)function_.insertArgument(last, builder_.getIndexType(), bind, function_.getLoc());
  return function_.getArgument(last);
}

/// How often the term counts: the product of the extents of the loops that `places` leaves out; null for once.
mlir::Value BodyBuilder::repeatsOf(const sema::Term &term, llvm::ArrayRef<int> places) {
  mlir::Value repeats;
  for (auto [loop, place] : llvm::zip(term.loops, places)) {
    if (place >= 0)
      continue;
    mlir::Value extent = extentValue(loop.extent);
    repeats = repeats ? mlir::arith::MulIOp::create(builder_, function_.getLoc(), repeats, extent) : extent;
  }
  return repeats;
}

void BodyBuilder::emit(const sema::Statement &statement, const sema::Term &term) {
  mlir::Location location = locationOf(term.where);
  llvm::SmallVector<int> places = placeLoops(term);
  unsigned loopCount = llvm::count_if(places, [](int place) { return place >= 0; });
  auto mapOf = [&](const std::vector<sema::Index> &indices) {
    llvm::SmallVector<mlir::AffineExpr> results;
    for (const sema::Index &index : indices) {
      mlir::AffineExpr sum = builder_.getAffineConstantExpr(0);
      for (const sema::IndexTerm &part : index)
        sum = sum + builder_.getAffineDimExpr(places[part.loop]) * part.scale;
      results.push_back(sum);
    }
    return mlir::AffineMap::get(loopCount, 0, results, &context_);
  };
  llvm::SmallVector<mlir::Value> inputs, scalars(term.operands.size());
  llvm::SmallVector<mlir::AffineMap> maps;
  bool hasSparseOperand = false;
  for (auto [number, operand] : llvm::enumerate(term.operands)) {
    mlir::Value value = operandValue(operand.tensor);
    if (operand.indices.empty()) {
      const sema::ValueType type = kernel_.tensors[operand.tensor].type;
      scalars[number] = Arithmetic(builder_, location, false).convert(value, type, statement.computeType);
      continue;
    }
    inputs.push_back(value);
    maps.push_back(mapOf(operand.indices));
    hasSparseOperand |= !kernel_.tensors[operand.tensor].format.isDense();
  }
  maps.push_back(mapOf(term.target));
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  for (auto [loop, place] : llvm::zip(term.loops, places))
    if (place >= 0)
      iterators.push_back(loop.isReduction ? mlir::utils::IteratorType::reduction
                                           : mlir::utils::IteratorType::parallel);

  mlir::Value target = written_.lookup(statement.target);
  llvm::SmallVector<Bound> bounds;
  for (const OpenCoordinate &open : openCoordinates(kernel_, statement, term))
    bounds.push_back({open.index, extentValue(open.extent)});
  TermBody body{kernel_, statement, term, hasSparseOperand, scalars, places, repeatsOf(term, places), bounds};
  auto generic =
      mlir::linalg::GenericOp::create(builder_, location, target.getType(), inputs, target, maps, iterators,
                                      [&](mlir::OpBuilder &builder, mlir::Location at, mlir::ValueRange arguments) {
                                        emitTermBody(body, builder, at, arguments);
                                      });
  keepSparseOperands(body, generic);
  // The loop order is ours: without this mark MLIR's scheduler would choose again.
  generic->setAttr("sorted", builder_.getBoolAttr(true));
  written_[statement.target] = generic.getResult(0);
}

void BodyBuilder::emit(const sema::Copy &copy) {
  mlir::Value from = operandValue(copy.from);
  if (kernel_.tensors[copy.from].order() == 0) {
    auto fill = mlir::linalg::FillOp::create(builder_, function_.getLoc(), from, written_.lookup(copy.to));
    written_[copy.to] = fill.getResult(0);
    return;
  }
  auto copied = mlir::linalg::CopyOp::create(builder_, function_.getLoc(), from, written_.lookup(copy.to));
  written_[copy.to] = copied.getResult(0);
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> generate(const sema::Kernel &kernel, mlir::MLIRContext &context) {
  return BodyBuilder(kernel, context).build();
}

} // namespace spc::mlirgen
