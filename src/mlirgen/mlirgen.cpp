#include "mlirgen/mlirgen.h"

#include "format/levels.h"
#include "mlirgen/arithmetic.h"
#include "mlirgen/functions.h"
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

/// Builds the body of one step. Written tensors are SSA values that each statement replaces; they stay the same
/// buffers throughout, since every operation updates its `outs` operand.
class BodyBuilder {
public:
  BodyBuilder(const sema::Kernel &kernel, const sema::Step &step, mlir::ModuleOp module)
      : kernel_(kernel), step_(step), module_(module), context_(*module.getContext()), builder_(&context_),
        read_(kernel.tensors.size()), followers_(kernel.tensors.size()), written_(kernel.tensors.size()) {}

  /// Gives the body, named `name`.
  mlir::func::FuncOp build(const std::string &name);

private:
  struct Argument {
    sema::TensorId tensor;
    mlir::Type type;
    bool isOutputProxy;      ///< the dense view through which a sparse output is written
    int run = -1;            ///< of an assembled output's dense proxy: the term that it is for
    bool isFollower = false; ///< a dense view of an operand that is read at another one's positions
  };

  std::vector<Argument> arguments() const;
  std::vector<Argument> argumentsOf(sema::TensorId id, bool isOperand, bool isTarget) const;
  bool isScalarOperand(const sema::Tensor &tensor) const;
  bool isWritten(const Argument &argument) const;
  void createFunction(const std::string &name);
  dialect::TensorAttr describe(const Argument &argument);
  void emit(const sema::Statement &statement);
  mlir::Value emit(const sema::Statement &statement, const sema::Term &term, mlir::Value target);
  void emit(const sema::Copy &copy);
  void emit(const sema::Conversion &) {}  // the runtime's work
  void emit(const sema::RefreshCopy &) {} // the same
  mlir::Value operandValue(sema::TensorId tensor);
  mlir::Value extentValue(sema::ExtentId extent);
  mlir::Value repeatsOf(const sema::Term &term, llvm::ArrayRef<int> places);
  mlir::Value zeroFor(const sema::Statement &statement, const sema::Term &term);
  mlir::Location locationOf(Span where);

  void emitAssembly(const sema::Statement &statement);

  const sema::Kernel &kernel_;
  const sema::Step &step_;
  mlir::ModuleOp module_;
  mlir::MLIRContext &context_;
  mlir::OpBuilder builder_;
  mlir::func::FuncOp function_;
  std::vector<Argument> arguments_;
  IdVector<sema::TensorId, mlir::Value> read_;      ///< operands: dense value, sparse view or scalar
  IdVector<sema::TensorId, mlir::Value> followers_; ///< dense views of operands that follow others
  IdVector<sema::TensorId, mlir::Value> written_;   ///< current value of each written tensor, always dense
  llvm::SmallVector<mlir::Value> runs_; ///< by term of an assembling statement: the value of its dense proxy
};

bool BodyBuilder::isScalarOperand(const sema::Tensor &tensor) const {
  return tensor.order() == 0 && !tensor.isWritten && tensor.is<sema::Parameter>();
}

std::vector<BodyBuilder::Argument> BodyBuilder::arguments() const {
  const size_t count = kernel_.tensors.size();
  IdVector<sema::TensorId, bool> isOperand(count), isTarget(count), isFollower(count);
  if (const auto *copy = std::get_if<sema::Copy>(&step_)) {
    isOperand[copy->from] = true;
    isTarget[copy->to] = true;
  }
  if (const auto *statement = std::get_if<sema::Statement>(&step_)) {
    isTarget[statement->target] = true;
    for (const sema::Term &term : statement->terms)
      for (const sema::Operand &operand : term.operands)
        (operand.follows ? isFollower : isOperand)[operand.tensor] = true;
  }
  std::vector<Argument> result;
  for (sema::TensorId id : kernel_.tensors.ids()) {
    for (Argument &argument : argumentsOf(id, isOperand[id], isTarget[id]))
      result.push_back(argument);
    if (isFollower[id])
      result.push_back({id, proxyType(kernel_.tensors[id], context_), false, -1, true});
  }
  return result;
}

std::vector<BodyBuilder::Argument> BodyBuilder::argumentsOf(sema::TensorId id, bool isOperand, bool isTarget) const {
  const sema::Tensor &tensor = kernel_.tensors[id];
  if (!isOperand && !isTarget)
    return {};
  if (isScalarOperand(tensor))
    return {{id, elementType(tensor.type, context_), false}};
  if (tensor.format.isDense())
    return {{id, denseType(tensor, context_), false}};
  std::vector<Argument> result;
  if (isOperand)
    result.push_back({id, sparseType(tensor, context_), false});
  if (isTarget && !tensor.isAssembled())
    result.push_back({id, proxyType(tensor, context_), true});
  if (const sema::Statement *assembly = sema::assemblingStatement(step_); isTarget && assembly)
    for (int run = 0; run < static_cast<int>(assembly->terms.size()); ++run)
      result.push_back({id, denseType(tensor, context_), true, run});
  return result;
}

dialect::TensorAttr BodyBuilder::describe(const Argument &argument) {
  const sema::Tensor &tensor = kernel_.tensors[argument.tensor];
  const bool isProxy = argument.isOutputProxy || argument.isFollower;
  llvm::SmallVector<dialect::LevelAttr> levels;
  llvm::SmallVector<int64_t> modes;
  bool isStrided = false;
  if (!tensor.format.isDense() && !isProxy)
    levels = levelAttributes(tensor, kernel_, context_);
  else if (const auto *view = tensor.as<sema::View>(); !isProxy && view && !view->hasUnitStride)
    isStrided = true;
  else if (!isProxy && tensor.order() > 1)
    for (const format::Level &level : tensor.format.levels)
      modes.push_back(level.dim);
  // Of an operand that shares a pattern, too: the owner may not be among the arguments of a later step.
  const sema::TensorId owner = sema::structureOwner(kernel_, argument.tensor);
  const std::string ownerName = kernel_.tensors[owner].name;
  const bool borrows = owner != argument.tensor && !isProxy, sharesPattern = isProxy && argument.run < 0;
  dialect::RunAttr run;
  if (argument.run >= 0) {
    const sema::Collecting &collecting = *sema::assemblingStatement(step_)->collecting;
    const llvm::SmallVector<int64_t> dims(collecting.dims.begin(), collecting.dims.end());
    run = dialect::RunAttr::get(&context_, argument.run, dims, collecting.rowOrder, sema::keyBits(tensor, collecting));
  }
  const auto *statement = std::get_if<sema::Statement>(&step_);
  mlir::Attribute identity;
  if (statement && statement->reduction != sema::Reduction::Sum && isWritten(argument) &&
      statement->target == argument.tensor)
    identity = identityAttribute(context_, statement->reduction, tensor.type);
  return dialect::TensorAttr::get(
      &context_, tensor.name,
      argument.run >= 0 ? dimensionAttributes(tensor, kernel_, context_) : extentAttributes(tensor, kernel_, context_),
      levels, modes, isStrided, borrows ? ownerName : "", sharesPattern ? ownerName : "",
      sharesPattern && argument.isOutputProxy && hasSlotsOutside(tensor.format), run, identity);
}

bool BodyBuilder::isWritten(const Argument &argument) const {
  const sema::Tensor &tensor = kernel_.tensors[argument.tensor];
  return argument.isOutputProxy || (tensor.isWritten && tensor.format.isDense() && !argument.isFollower);
}

void BodyBuilder::createFunction(const std::string &name) {
  arguments_ = arguments();
  llvm::SmallVector<mlir::Type> inputs, results;
  for (const Argument &argument : arguments_) {
    inputs.push_back(argument.type);
    if (isWritten(argument))
      results.push_back(argument.type);
  }
  const auto *first = std::get_if<sema::Statement>(&step_);
  mlir::Location location = locationOf(first ? first->where : Span());
  function_ = mlir::func::FuncOp::create(builder_, location, name, builder_.getFunctionType(inputs, results));
  for (auto [index, argument] : llvm::enumerate(arguments_))
    dialect::setTensor(function_, static_cast<unsigned>(index), describe(argument));
  if (const dialect::ScheduleAttr schedule = scheduleAttribute(kernel_.schedule, step_, context_))
    dialect::setSchedule(function_, schedule);
  mlir::Block *entry = function_.addEntryBlock();
  for (auto [argument, value] : llvm::zip(arguments_, entry->getArguments())) {
    if (argument.run >= 0)
      runs_.push_back(value);
    else if (isWritten(argument))
      written_[argument.tensor] = value;
    if (argument.isFollower)
      followers_[argument.tensor] = value;
    else if (!argument.isOutputProxy)
      read_[argument.tensor] = value;
  }
}

mlir::func::FuncOp BodyBuilder::build(const std::string &name) {
  builder_.setInsertionPointToEnd(module_.getBody());
  createFunction(name);
  builder_.setInsertionPointToEnd(&function_.getBody().front());
  if (const sema::Statement *assembly = sema::assemblingStatement(step_))
    emitAssembly(*assembly);
  else
    std::visit([this](const auto &concrete) { emit(concrete); }, step_);
  llvm::SmallVector<mlir::Value> results;
  for (const Argument &argument : arguments_)
    if (argument.run >= 0)
      results.push_back(runs_[argument.run]);
    else if (isWritten(argument))
      results.push_back(written_[argument.tensor]);
  mlir::func::ReturnOp::create(builder_, function_.getLoc(), results);
  return function_;
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
    return read_[id];
  mlir::Value current = written_[id] ? written_[id] : read_[id];
  if (tensor.order() > 0 || isScalarOperand(tensor))
    return current;
  return mlir::tensor::ExtractOp::create(builder_, function_.getLoc(), current, mlir::ValueRange());
}

void BodyBuilder::emit(const sema::Statement &statement) {
  mlir::Location location = locationOf(statement.where);
  const sema::Tensor &target = kernel_.tensors[statement.target];
  if (statement.zeroFirst) {
    mlir::Value identity = identityOf(builder_, location, statement.reduction, target.type);
    auto fill = mlir::linalg::FillOp::create(builder_, location, identity, written_[statement.target]);
    written_[statement.target] = fill.getResult(0);
  }
  for (const sema::Term &term : statement.terms)
    written_[statement.target] = emit(statement, term, written_[statement.target]);
}

/// Each term adds to a dense proxy of its own, which holds nothing before.
void BodyBuilder::emitAssembly(const sema::Statement &statement) {
  for (auto [term, run] : llvm::zip(statement.terms, runs_))
    run = emit(statement, term, run);
}

/// The term's loops that index a tensor, in order: where each goes in the iteration space of the generic, or -1. A
/// reduction over a variable that the term does not use, `sum(j, 1)`, is no loop but a multiplication.
llvm::SmallVector<int> placeLoops(const sema::Term &term) {
  llvm::SmallVector<int> places(term.loops.size(), -1);
  const auto use = [&](const std::vector<sema::Index> &indices) {
    for (const sema::Index &index : indices)
      for (const sema::IndexTerm &part : index)
        places[part.loop.index()] = 0;
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
  for (sema::TensorId id : kernel_.tensors.ids()) {
    const sema::Tensor &tensor = kernel_.tensors[id];
    mlir::Value argument = read_[id] ? read_[id] : written_[id];
    const bool isDense = tensor.format.isDense();
    for (int k = 0; argument && k < (isDense ? tensor.order() : tensor.format.levelCount()); ++k)
      if (isDense ? tensor.extents[k] == extent
                  : tensor.format.levels[k].part == format::Part::Whole &&
                        tensor.extents[tensor.format.levels[k].dim] == extent)
        return mlir::tensor::DimOp::create(builder_, function_.getLoc(), argument, k);
  }
  const auto size = dialect::BindAttr::get(dialect::ExtentAttr::get(&context_, kernel_.extents[extent].name));
  const mlir::BlockArgument known = dialect::argumentWith(function_, size);
  return known ? known : dialect::addArgument(function_, size, builder_.getIndexType());
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

/// An assembled output has an entry where a sum got an addend: sums of integers known to be 0 must not fold away.
mlir::Value BodyBuilder::zeroFor(const sema::Statement &statement, const sema::Term &term) {
  if (!kernel_.tensors[statement.target].isAssembled() || !term.domain || term.loops.empty())
    return {};
  const mlir::Location location = locationOf(term.where);
  const mlir::Value extent = extentValue(term.loops.front().extent);
  return opaqueZero(builder_, location,
                    mlir::arith::IndexCastOp::create(builder_, location, builder_.getI64Type(), extent));
}

mlir::Value BodyBuilder::emit(const sema::Statement &statement, const sema::Term &term, mlir::Value target) {
  mlir::Location location = locationOf(term.where);
  llvm::SmallVector<int> places = placeLoops(term);
  unsigned loopCount = llvm::count_if(places, [](int place) { return place >= 0; });
  auto mapOf = [&](const std::vector<sema::Index> &indices) {
    llvm::SmallVector<mlir::AffineExpr> results;
    for (const sema::Index &index : indices) {
      mlir::AffineExpr sum = builder_.getAffineConstantExpr(0);
      for (const sema::IndexTerm &part : index)
        sum = sum + builder_.getAffineDimExpr(places[part.loop.index()]) * part.scale;
      results.push_back(sum);
    }
    return mlir::AffineMap::get(loopCount, 0, results, &context_);
  };
  llvm::SmallVector<mlir::Value> inputs, scalars(term.operands.size()), fills(term.operands.size());
  llvm::SmallVector<mlir::AffineMap> maps;
  bool hasSparseOperand = false;
  Arithmetic arithmetic(builder_, location, false);
  const mlir::Value zero = zeroFor(statement, term);
  for (auto [number, operand] : llvm::enumerate(term.operands)) {
    mlir::Value value = operand.follows ? followers_[operand.tensor] : operandValue(operand.tensor);
    if (operand.indices.empty()) {
      scalars[number] = value;
      continue;
    }
    inputs.push_back(value);
    maps.push_back(mapOf(operand.indices));
    const sema::Tensor &tensor = kernel_.tensors[operand.tensor];
    hasSparseOperand |= !tensor.format.isDense();
    if (term.domain && !tensor.format.isDense() && !operand.follows)
      fills[number] = arithmetic.hide(arithmetic.constant(tensor.type, tensor.fill), zero);
  }
  maps.push_back(mapOf(term.target));
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  for (auto [loop, place] : llvm::zip(term.loops, places))
    if (place >= 0)
      iterators.push_back(loop.isReduction ? mlir::utils::IteratorType::reduction
                                           : mlir::utils::IteratorType::parallel);

  llvm::SmallVector<Bound> bounds;
  for (const OpenCoordinate &open : openCoordinates(kernel_, statement, term))
    bounds.push_back({open.index, extentValue(open.extent)});
  mlir::Value identity;
  if (statement.reduction != sema::Reduction::Sum)
    identity = identityOf(builder_, location, statement.reduction, kernel_.tensors[statement.target].type);
  TermBody body{kernel_, statement, term,   hasSparseOperand,        scalars, fills,
                zero,    identity,  places, repeatsOf(term, places), bounds};
  auto generic =
      mlir::linalg::GenericOp::create(builder_, location, target.getType(), inputs, target, maps, iterators,
                                      [&](mlir::OpBuilder &builder, mlir::Location at, mlir::ValueRange arguments) {
                                        emitTermBody(body, builder, at, arguments);
                                      });
  keepSparseOperands(body, generic);
  // The loop order is ours: without this mark MLIR's scheduler would choose again.
  generic->setAttr("sorted", builder_.getBoolAttr(true));
  return generic.getResult(0);
}

void BodyBuilder::emit(const sema::Copy &copy) {
  mlir::Value from = operandValue(copy.from);
  if (kernel_.tensors[copy.from].order() == 0) {
    auto fill = mlir::linalg::FillOp::create(builder_, function_.getLoc(), from, written_[copy.to]);
    written_[copy.to] = fill.getResult(0);
    return;
  }
  auto copied = mlir::linalg::CopyOp::create(builder_, function_.getLoc(), from, written_[copy.to]);
  written_[copy.to] = copied.getResult(0);
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> generate(const sema::Kernel &kernel, mlir::MLIRContext &context) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  for (size_t k = 0; k < kernel.steps.size(); ++k) {
    const sema::Step &step = kernel.steps[k];
    if (std::holds_alternative<sema::Conversion>(step) || std::holds_alternative<sema::RefreshCopy>(step))
      continue;
    BodyBuilder(kernel, step, *module).build(sema::bodyName(kernel, k));
    if (sema::assemblingStatement(step) && sema::hasPhases(kernel))
      dialect::setPatternOnly(BodyBuilder(kernel, step, *module).build(sema::patternBodyName(kernel, k)));
  }
  return module;
}

} // namespace spc::mlirgen
