#include "mlirgen/body_arguments.h"

#include "format/levels.h"
#include "mlirgen/arithmetic.h"
#include "mlirgen/functions.h"
#include "mlirgen/types.h"
#include "sema/met_once.h"
#include "sema/nest.h"
#include "sema/two_phases.h"

namespace spc::mlirgen {
namespace {

/// How a step uses each tensor of the kernel.
struct Uses {
  IdVector<sema::TensorId, bool> isOperand;  ///< read where it is stored
  IdVector<sema::TensorId, bool> isFollower; ///< read at another operand's positions
  IdVector<sema::TensorId, bool> isTarget;
};

Uses usesIn(const sema::Step &step, size_t tensors) {
  Uses uses{IdVector<sema::TensorId, bool>(tensors), IdVector<sema::TensorId, bool>(tensors),
            IdVector<sema::TensorId, bool>(tensors)};
  if (const auto *copy = std::get_if<sema::Copy>(&step)) {
    uses.isOperand[copy->from] = true;
    uses.isTarget[copy->to] = true;
  }
  if (const auto *statement = std::get_if<sema::Statement>(&step)) {
    uses.isTarget[statement->target] = true;
    for (const sema::Term &term : statement->terms)
      for (const sema::Operand &operand : term.operands)
        (operand.follows ? uses.isFollower : uses.isOperand)[operand.tensor] = true;
  }
  return uses;
}

/// The proxies of a sparse target: one for each term that assembles it, else one.
std::vector<BodyArgument> targetProxies(sema::TensorId id, const sema::Kernel &kernel, const sema::Step &step,
                                        mlir::MLIRContext &context) {
  const sema::Tensor &tensor = kernel.tensors[id];
  if (!tensor.isAssembled())
    return {{id, ArgumentRole::OutputProxy, proxyType(tensor, context)}};
  std::vector<BodyArgument> proxies;
  if (const sema::Statement *assembly = sema::assemblingStatement(step))
    for (int run = 0; run < sema::runCount(kernel, *assembly); ++run)
      proxies.push_back(
          {id, ArgumentRole::RunProxy, denseType(tensor, sema::sumType(kernel, *assembly), context), run});
  return proxies;
}

/// Of an assembled output's proxy: which run it is for, and in what order its terms visit their entries.
dialect::RunAttr runOf(const BodyArgument &argument, const sema::Kernel &kernel, const sema::Step &step,
                       mlir::MLIRContext &context) {
  if (argument.role != ArgumentRole::RunProxy)
    return {};
  const sema::Tensor &tensor = kernel.tensors[argument.tensor];
  const sema::Collecting &collecting = *sema::assemblingStatement(step)->collecting;
  const llvm::SmallVector<int64_t> dims(collecting.dims.begin(), collecting.dims.end());
  const format::Symmetry symmetry = tensor.format.symmetry;
  const llvm::StringRef triangle = symmetry == format::Symmetry::None ? ""
                                   : format::storesLower(symmetry)    ? "lower"
                                                                      : "upper";
  return dialect::RunAttr::get(&context, argument.run, dims, collecting.rowOrder, sema::keyBits(tensor, collecting),
                               triangle, sema::keepsPlaces(kernel, *sema::assemblingStatement(step)),
                               sema::meetsKeysOnce(kernel, *sema::assemblingStatement(step)));
}

/// The identity of the reduction that an argument is the target of; null of sums, and where it is no target.
mlir::Attribute identityFor(const BodyArgument &argument, const sema::Kernel &kernel, const sema::Step &step,
                            mlir::MLIRContext &context) {
  const auto *statement = std::get_if<sema::Statement>(&step);
  const bool isTarget = statement && statement->target == argument.tensor && isWritten(argument, kernel);
  if (!isTarget || statement->reduction == sema::Reduction::Sum)
    return {};
  return identityAttribute(context, statement->reduction, sema::sumType(kernel, *statement));
}

/// Whether each row of a tie has its own number as its column.
bool isIdentity(const sema::Tensor &tensor, const sema::Tie &tie) {
  return tensor.order() == 2 && !tie.source && tie.rowScales[0] == sema::Amount{1} && tie.columnScale == 1 &&
         tie.constant == sema::Amount{} && tensor.extents[0] == tensor.extents[1];
}

/// The columns of a tie, null where bodies are to read them from its lists. What they add up stays within 64 bits: rows
/// are fewer than 2^40, as there is an array of them, and a sum with one scalar that wraps around is negative.
dialect::TieAttr tieOf(const sema::Tensor &tensor, const sema::Kernel &kernel, mlir::MLIRContext &context) {
  constexpr int64_t kMostSlope = int64_t{1} << 20, kMostConstant = int64_t{1} << 40;
  const auto *tie = tensor.as<sema::Tie>();
  if (!tie)
    return {};
  if (tie->source)
    return tie->isChecked ? dialect::TieAttr::get(&context, 0, 0, {}, false, 1, /*isListed=*/true, /*isTotal=*/true)
                          : dialect::TieAttr();
  const int64_t slope = tensor.order() == 2 ? tie->rowScales[0].number : 0;
  if (tensor.order() > 2 || (tensor.order() == 2 && !tie->rowScales[0].isNumber()) || std::abs(slope) > kMostSlope ||
      std::abs(tie->constant.number) > kMostConstant || tie->constant.products.size() > 1)
    return {};
  bool isSubtracted = false;
  dialect::BindAttr scalar;
  for (const auto &[factor, scalars] : tie->constant.products) {
    const sema::Tensor &only = kernel.tensors[scalars.front()];
    const auto *size = only.as<sema::Size>();
    if (scalars.size() > 1 || std::abs(factor) != 1 || !size)
      return {};
    isSubtracted = factor < 0;
    scalar = dialect::BindAttr::get(&context, dialect::BindKind::Size, kernel.extents[size->extent].name, -1, 1);
  }
  return dialect::TieAttr::get(&context, tie->constant.number, slope, scalar, isSubtracted, tie->columnScale,
                               /*isListed=*/false, tie->isChecked || isIdentity(tensor, *tie));
}

} // namespace

bool isScalarOperand(const sema::Tensor &tensor) {
  const bool isGiven = tensor.is<sema::Parameter>() || tensor.is<sema::Constant>() || tensor.is<sema::Size>();
  return tensor.order() == 0 && !tensor.isWritten && isGiven;
}

std::vector<BodyArgument> bodyArguments(const sema::Kernel &kernel, const sema::Step &step, TargetUse use,
                                        mlir::MLIRContext &context) {
  const Uses uses = usesIn(step, kernel.tensors.size());
  std::vector<BodyArgument> arguments;
  for (sema::TensorId id : kernel.tensors.ids()) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const bool isDense = tensor.format.isDense();
    if (isDense && (uses.isOperand[id] || uses.isTarget[id]))
      arguments.push_back(
          {id, ArgumentRole::Stored,
           isScalarOperand(tensor) ? elementType(tensor.type, context) : mlir::Type(denseType(tensor, context))});
    const bool isFilled = uses.isTarget[id] && use == TargetUse::Filled;
    if (!isDense && (uses.isOperand[id] || isFilled))
      arguments.push_back({id, ArgumentRole::Stored, sparseType(tensor, context)});
    if (!isDense && uses.isTarget[id] && !isFilled)
      for (BodyArgument &proxy : targetProxies(id, kernel, step, context))
        arguments.push_back(proxy);
    if (uses.isFollower[id])
      arguments.push_back({id, ArgumentRole::Follower, proxyType(tensor, context)});
  }
  return arguments;
}

bool isWritten(const BodyArgument &argument, const sema::Kernel &kernel) {
  const sema::Tensor &tensor = kernel.tensors[argument.tensor];
  switch (argument.role) {
  case ArgumentRole::Stored:
    return tensor.isWritten && tensor.format.isDense();
  case ArgumentRole::OutputProxy:
  case ArgumentRole::RunProxy:
    return true;
  case ArgumentRole::Follower:
    return false;
  }
  llvm_unreachable("every role is listed");
}

dialect::TensorAttr describe(const BodyArgument &argument, const sema::Kernel &kernel, const sema::Step &step,
                             mlir::MLIRContext &context) {
  const sema::Tensor &tensor = kernel.tensors[argument.tensor];
  llvm::SmallVector<dialect::LevelAttr> levels;
  llvm::SmallVector<int64_t> modes;
  const auto *view = tensor.as<sema::View>();
  const bool isStrided = !argument.isProxy() && view && !view->hasUnitStride;
  if (!argument.isProxy() && !tensor.format.isDense())
    levels = levelAttributes(tensor, kernel, context);
  else if (!argument.isProxy() && !isStrided && tensor.order() > 1)
    for (const format::Level &level : tensor.format.levels)
      modes.push_back(level.dim);
  const bool isRun = argument.role == ArgumentRole::RunProxy;
  // Of an operand that shares a structure, too: the owner may not be among the arguments of a later step.
  const sema::TensorId owner = sema::structureOwner(kernel, argument.tensor);
  const std::string ownerName = kernel.tensors[owner].name;
  const bool borrows = !argument.isProxy() && owner != argument.tensor;
  const bool isPadded = argument.role == ArgumentRole::OutputProxy && hasSlotsOutside(tensor.format);
  return dialect::TensorAttr::get(
      &context, tensor.name,
      isRun ? dimensionAttributes(tensor, kernel, context) : extentAttributes(tensor, kernel, context), levels, modes,
      isStrided, borrows ? ownerName : "", argument.isProxy() && !isRun ? ownerName : "", isPadded,
      runOf(argument, kernel, step, context), identityFor(argument, kernel, step, context),
      levels.empty() ? dialect::TieAttr() : tieOf(tensor, kernel, context));
}

} // namespace spc::mlirgen
