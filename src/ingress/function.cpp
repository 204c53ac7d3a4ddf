// Arguments, results and the order of operations.
#include "ingress/encodings.h"
#include "ingress/raiser.h"

#include "language/function.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::ingress {

namespace sparse = mlir::sparse_tensor;

namespace {

/// Whether there is something only where one tensor has an entry at the very element.
bool keepsPattern(const syntax::Expr *domain, const Indices &target) {
  const auto *call = domain ? std::get_if<syntax::Call>(&domain->node) : nullptr;
  if (call && call->function == language::Function::And)
    return keepsPattern(call->arguments[0].get(), target) || keepsPattern(call->arguments[1].get(), target);
  if (!call || call->function != language::Function::Pattern)
    return false;
  const auto &access = std::get<syntax::Access>(call->arguments.front()->node);
  return std::equal(access.indices.begin(), access.indices.end(), target.begin(), target.end(),
                    [](const language::Index &one, const language::Index &two) { return one.text == two.text; });
}

llvm::SmallVector<mlir::OpFoldResult> mixedSizesOf(mlir::bufferization::AllocTensorOp allocation) {
  return mlir::getMixedValues(allocation.getType().getShape(), allocation.getDynamicSizes(), allocation.getContext());
}

} // namespace

Raiser::Raiser(mlir::func::FuncOp function, const Places &places, Diagnostics &diagnostics)
    : function_(function), places_(places), diagnostics_(diagnostics) {}

std::optional<ModuleKernel> Raiser::run() {
  language::SignatureDecl signature;
  signature.where = places_.of(function_);
  signature.name = {nameOf(function_), signature.where};
  for (mlir::BlockArgument argument : function_.getArguments())
    if (const std::string own = declareArgument(argument); !own.empty())
      signature.operands.push_back({own, signature.where});
  auto results = mlir::cast<mlir::func::ReturnOp>(function_.getBody().front().getTerminator());
  for (mlir::OpOperand &result : results->getOpOperands())
    returned_.try_emplace(result.get(), result.getOperandNumber());
  for (unsigned k = 0; k < results.getNumOperands(); ++k) {
    auto given = function_.getResultAttrOfType<mlir::StringAttr>(k, "spc.name");
    const std::string numbered = results.getNumOperands() == 1 ? "out" : "out" + std::to_string(k);
    outputs_[k] = freshName(given ? given.str() : numbered);
    signature.outputs.push_back({outputs_[k], signature.where});
  }
  for (mlir::Operation &operation : function_.getBody().front().without_terminator())
    read(&operation);
  finish(results);
  same_.settle(kernel_.tree);
  kernel_.tree.signature = std::move(signature);
  dropUnread();
  kernel_.isStrict = isStrict();
  return failed_ ? std::nullopt : std::optional(std::move(kernel_));
}

std::string Raiser::nameOf(mlir::func::FuncOp function) {
  auto given = function->getAttrOfType<mlir::StringAttr>("spc.name");
  return given ? given.str() : function.getName().str();
}

namespace {

/// The operation that makes one tensor of a function's arguments, this one among them, which nothing else reads.
sparse::AssembleOp assemblyOf(mlir::BlockArgument argument) {
  if (!argument.hasOneUse())
    return {};
  auto assembly = mlir::dyn_cast<sparse::AssembleOp>(*argument.user_begin());
  const bool takesArguments = assembly && llvm::all_of(assembly->getOperands(), [](mlir::Value operand) {
                                return mlir::isa<mlir::BlockArgument>(operand) && operand.hasOneUse();
                              });
  return takesArguments ? assembly : sparse::AssembleOp();
}

std::string nameOr(mlir::StringAttr given, const std::string &other) {
  return given ? given.str() : other;
}

} // namespace

std::string Raiser::declareArgument(mlir::BlockArgument argument) {
  const unsigned number = argument.getArgNumber();
  if (sparse::AssembleOp assembly = assemblyOf(argument)) {
    // The arrays are those of one argument, which stands where the first of them does.
    if (held_.contains(assembly.getResult()))
      return "";
    const std::string name = freshName(nameOr(assembly->getAttrOfType<mlir::StringAttr>("spc.name"), "S"));
    declareOperand(assembly.getResult(), name);
    return name;
  }
  const std::string name = freshName(
      nameOr(function_.getArgAttrOfType<mlir::StringAttr>(number, "spc.name"), "arg" + std::to_string(number)));
  declareOperand(argument, name);
  return name;
}

void Raiser::declareOperand(mlir::Value operand, const std::string &name) {
  const mlir::Type type = operand.getType();
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  const Span where = places_.of(function_);
  std::vector<language::ExtentDecl> extents;
  for (int64_t k = 0; tensor && k < tensor.getRank(); ++k)
    if (tensor.isDynamicDim(k))
      extents.push_back({freshName(name + "_" + std::to_string(k)), where});
    else
      extents.push_back({tensor.getDimSize(k), where});
  if (!tensor && !type.isIntOrIndexOrFloat() && !mlir::isa<mlir::ComplexType>(type))
    if (Diagnostic *wrong = refuse(kModuleType, function_, "argument '" + name + "' is no ranked tensor and no number"))
      wrong->advise("kernels take tensors and scalars by value");
  const auto encoding = sparse::getSparseTensorEncoding(type);
  if (encoding && encoding.isSlice())
    refuse(kModuleEncoding, function_, "argument '" + name + "' is a slice of a tensor that is not passed");
  declare(name, type, extents, where, listsEntries(type));
  bind(name, type, function_);
  if (tensor)
    held_[operand] = {Held::Kind::Stored, name, nullptr, extents, listsEntries(type)};
  else
    scalars_[operand] = {Maker(where).name(name), nullptr};
  if (type.isIndex())
    sizes_[operand] = {{{1, {name}}}, 0};
}

void Raiser::read(mlir::Operation *operation) {
  if (mlir::isa_and_nonnull<mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect>(operation->getDialect()) &&
      !mlir::isa<mlir::cf::AssertOp>(operation)) {
    if (Diagnostic *wrong = refuse(kModuleOperation, operation,
                                   "'" + operation->getName().getStringRef().str() +
                                       "' has no counterpart: kernels have no loops or branches around statements"))
      wrong->advise("make a kernel of what the loop repeats, and loop over its calls");
    return;
  }
  // Sizes are checked at each call, and memory is the call's. What arguments are assembled to is an argument.
  if (mlir::isa<mlir::cf::AssertOp, mlir::bufferization::DeallocTensorOp>(operation) ||
      (mlir::isa<sparse::AssembleOp>(operation) && held_.contains(operation->getResult(0))))
    return;
  if (auto generic = mlir::dyn_cast<mlir::linalg::GenericOp>(operation))
    return readGeneric(generic);
  if (readShape(operation) || readValue(operation) || readMove(operation))
    return;
  const std::string name = operation->getName().getStringRef().str();
  Diagnostic *wrong = refuse(kModuleOperation, operation, "'" + name + "' has no counterpart in the kernel language");
  if (wrong && mlir::isa_and_nonnull<sparse::SparseTensorDialect>(operation->getDialect()))
    wrong->advise("write what it does as linalg.generic on tensors with encodings, and pass and return these");
}

bool Raiser::readShape(mlir::Operation *operation) {
  if (auto cast = mlir::dyn_cast<mlir::tensor::CastOp>(operation)) {
    if (const Held *source = find(operation, cast.getSource()))
      held_[cast.getResult()] = source->copy();
    return true;
  }
  if (auto allocation = mlir::dyn_cast<mlir::bufferization::AllocTensorOp>(operation)) {
    if (allocation.getCopy()) {
      readConvert(operation, allocation.getCopy(), allocation.getResult());
      return true;
    }
    held_[allocation.getResult()] = {Held::Kind::Empty, "", nullptr,
                                     extentsOf(allocation.getType(), mixedSizesOf(allocation)),
                                     listsEntries(allocation.getType())};
    return true;
  }
  auto empty = mlir::dyn_cast<mlir::tensor::EmptyOp>(operation);
  if (empty)
    held_[empty.getResult()] = {Held::Kind::Empty, "", nullptr, extentsOf(empty.getType(), empty.getMixedSizes()),
                                listsEntries(empty.getType())};
  return static_cast<bool>(empty);
}

void Raiser::finish(mlir::func::ReturnOp results) {
  for (mlir::OpOperand &result : results->getOpOperands()) {
    const std::string &name = outputs_[result.getOperandNumber()];
    const mlir::Type type = result.get().getType();
    if (auto held = held_.find(result.get()); held != held_.end() && held->second.name == name)
      continue;
    const Maker make = maker(results);
    if (auto scalar = scalars_.find(result.get()); scalar != scalars_.end()) {
      declare(name, type, {}, make.where(), false);
      assign(name, {}, clone(scalar->second.value), false, make.where());
      continue;
    }
    const Held *held = find(results, result.get());
    if (!held)
      continue;
    Indices indices = plain(results, loopNames(held->extents.size()));
    const std::vector<language::ExtentDecl> extents = held->extents;
    syntax::ExprPtr value = element(results, *held, indices).value;
    declare(name, type, extents, make.where(), listsEntries(type));
    if (listsEntries(type))
      kernel_.tree.declarations.back().fill = language::FillDecl{0, make.where()};
    bind(name, type, results, true);
    assign(name, std::move(indices), std::move(value), false, make.where());
  }
}

bool Raiser::isStrict() {
  bool adds = false, mayReorder = true;
  function_.walk([&](mlir::Operation *operation) {
    if (!mlir::isa<mlir::arith::AddFOp, mlir::arith::SubFOp, mlir::arith::MulFOp, mlir::math::FmaOp,
                   mlir::complex::AddOp, mlir::complex::SubOp, mlir::complex::MulOp>(operation) ||
        !operation->getParentOfType<mlir::linalg::GenericOp>())
      return;
    adds = true;
    const auto flags = mlir::cast<mlir::arith::ArithFastMathInterface>(operation).getFastMathFlagsAttr();
    mayReorder &= flags && mlir::arith::bitEnumContainsAll(flags.getValue(), mlir::arith::FastMathFlags::reassoc);
  });
  return adds && !mayReorder;
}

void Raiser::addStatement(mlir::Operation *operation, mlir::Value result, std::vector<language::ExtentDecl> extents,
                          Indices target, Element value, std::optional<double> fill) {
  const Maker make = maker(operation);
  const auto output = returned_.find(result);
  const bool isOutput = output != returned_.end();
  const std::string name = isOutput ? outputs_[output->second] : freshName("t");
  // A temporary that keeps the pattern of what it is made of shares it, and may be computed where it is read.
  const bool isBound = isOutput || !keepsPattern(value.domain.get(), target);
  const bool isSparse = listsEntries(result.getType());
  declare(name, result.getType(), extents, make.where(), isSparse && isBound);
  // What is missing of a result is a 0, whatever it is made of.
  if (isSparse && (fill || isOutput))
    kernel_.tree.declarations.back().fill = language::FillDecl{fill.value_or(0), make.where()};
  if (isBound)
    bind(name, result.getType(), operation, isOutput);
  assign(name, std::move(target), std::move(value.value), !isOutput, make.where());
  held_[result] = {Held::Kind::Stored, name, nullptr, std::move(extents), isSparse, fill.has_value()};
}

void Raiser::assign(const std::string &name, Indices target, syntax::ExprPtr value, bool isTemporary, Span where) {
  kernel_.tree.statements.push_back(
      {{{name, where}, std::move(target)}, where, language::AssignOp::Assign, std::move(value), isTemporary, where});
}

std::string Raiser::keep(const std::string &type, const Indices &target, std::vector<language::ExtentDecl> extents,
                         syntax::ExprPtr value, Span where) {
  const std::string name = freshName("t");
  language::TensorDecl declaration;
  declaration.name = {name, where};
  declaration.extents = std::move(extents);
  declaration.type = language::Name{type, where};
  declaration.where = where;
  kernel_.tree.declarations.push_back(std::move(declaration));
  assign(name, target, std::move(value), true, where);
  return name;
}

void Raiser::declare(const std::string &name, mlir::Type type, const std::vector<language::ExtentDecl> &extents,
                     Span where, bool isSparse) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  language::TensorDecl declaration;
  declaration.name = {name, where};
  declaration.extents = extents;
  declaration.type = language::Name{typeOf(function_, tensor ? tensor.getElementType() : type), where};
  declaration.sparse = isSparse;
  declaration.where = where;
  kernel_.tree.declarations.push_back(std::move(declaration));
}

void Raiser::bind(const std::string &name, mlir::Type type, mlir::Operation *operation, bool isOutput) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  const auto encoding = sparse::getSparseTensorEncoding(type);
  if (!encoding) {
    if (isOutput && tensor && tensor.getRank() > 0)
      kernel_.bindings.push_back(format::bindingOf(name, format::denseFormat(static_cast<int>(tensor.getRank()))));
    return;
  }
  FormatOrReason found = formatOf(encoding);
  if (!found.format) {
    refuse(kModuleEncoding, operation, "the encoding of '" + name + "' is no format: " + found.reason);
    return;
  }
  const bool isPassed = isOutput || operation == function_;
  if (isPassed && !found.difference.empty())
    diagnostics_
        .report(kModuleArrays, places_.of(operation),
                "'" + name + "' is passed with other arrays than MLIR's: " + found.difference)
        .advise("fill, and read, the struct that the header declares");
  kernel_.bindings.push_back(format::bindingOf(name, std::move(*found.format)));
}

const Held *Raiser::find(mlir::Operation *user, mlir::Value value) {
  const auto held = held_.find(value);
  if (held != held_.end())
    return &held->second;
  // What comes of what is refused is not refused once more.
  if (refused_.contains(value.getDefiningOp())) {
    refused_.insert(user);
    return nullptr;
  }
  refuse(kModuleOperation, user, "an operand that is no tensor of the kernel language");
  return nullptr;
}

Element Raiser::element(mlir::Operation *user, const Held &held, Indices indices) {
  const Maker make = maker(user);
  switch (held.kind) {
  case Held::Kind::Same:
    return {clone(held.number), nullptr};
  case Held::Kind::Empty:
    if (!held.listsEntries)
      if (Diagnostic *wrong = refuse(kModuleUndefined, user, "this reads a tensor that nothing has been written to"))
        wrong->advise("fill it, with linalg.fill for instance");
    return {make.number(0), make.truth(false)};
  case Held::Kind::Stored:
    break;
  }
  Element found{make.access(held.name, indices), nullptr};
  if (held.listsEntries)
    found.domain = make.call(language::Function::Pattern, make.access(held.name, std::move(indices)));
  if (held.hasFill) // which where() would keep
    found.value = make.call(language::Function::Select, clone(found.domain), std::move(found.value), make.number(0));
  return found;
}

std::vector<std::string> Raiser::loopNames(size_t count) {
  std::vector<std::string> loops;
  static constexpr std::string_view kLetters = "ijklpqrsuvw";
  for (size_t k = 0; loops.size() < count; ++k) {
    std::string name(1, kLetters[k % kLetters.size()]);
    if (k >= kLetters.size())
      name += std::to_string(k / kLetters.size());
    if (!names_.count(name))
      loops.push_back(std::move(name));
  }
  return loops;
}

std::string Raiser::freshName(std::string base) {
  for (char &c : base)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      c = '_';
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base.front())))
    base = "t" + base;
  const bool isWord = language::functionNamed(base) || language::reductionNamed(base) || base == "tensor" ||
                      base == "let" || base == "type" || base == "kernel" || base == "const";
  std::string name = isWord ? base + "_" : base;
  for (int k = 1; !names_.insert(name).second; ++k)
    name = base + std::to_string(k);
  return name;
}

std::string Raiser::typeOf(mlir::Operation *operation, mlir::Type type) {
  std::string name = typeName(type);
  if (!name.empty())
    return name;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  refuse(kModuleType, operation, "no tensor and no number holds a value of type '" + text + "'");
  return "f64";
}

Diagnostic *Raiser::refuse(const DiagnosticKind &kind, mlir::Operation *operation, const std::string &message) {
  failed_ = true;
  if (!refused_.insert(operation).second)
    return nullptr;
  Diagnostic &wrong = diagnostics_.report(kind, places_.of(operation), message);
  if (const std::string origin = places_.origin(operation->getLoc()); !origin.empty())
    wrong.note({}, "the module says that this comes from " + origin);
  return &wrong;
}

} // namespace spc::ingress
