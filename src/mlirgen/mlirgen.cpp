#include "mlirgen/mlirgen.h"

#include "mlirgen/arithmetic.h"
#include "mlirgen/body_arguments.h"
#include "mlirgen/body_values.h"
#include "mlirgen/functions.h"
#include "mlirgen/nest_attributes.h"
#include "mlirgen/term_generic.h"
#include "mlirgen/types.h"
#include "sema/shared_bodies.h"
#include "sema/two_phases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace spc::mlirgen {
namespace {

/// Builds the body of one step.
class BodyBuilder {
public:
  BodyBuilder(const sema::Kernel &kernel, const sema::Step &step, TargetUse use, mlir::ModuleOp module)
      : kernel_(kernel), step_(step), module_(module), context_(*module.getContext()), builder_(&context_),
        arguments_(bodyArguments(kernel, step, use, context_)), use_(use) {}

  /// Gives the body, named `name`.
  mlir::func::FuncOp build(const std::string &name);

private:
  mlir::func::FuncOp createFunction(const std::string &name);
  void emit(const sema::Statement &statement, BodyValues &values);
  void emitAssembly(const sema::Statement &statement, BodyValues &values);
  void emitByPlan(const sema::Statement &statement, mlir::func::FuncOp function, BodyValues &values);
  void emit(const sema::Copy &copy, BodyValues &values);
  void emit(const sema::Conversion &, BodyValues &) {}  // the runtime's work
  void emit(const sema::RefreshCopy &, BodyValues &) {} // the same
  void emit(const sema::Distribution &, BodyValues &) {}
  void emit(const sema::Placement &, BodyValues &) {}
  void emit(const sema::Ranking &, BodyValues &) {}
  mlir::Value addTerm(const sema::Statement &statement, const sema::Term &term, mlir::Value target, BodyValues &values);
  mlir::Location locationOf(Span where);

  const sema::Kernel &kernel_;
  const sema::Step &step_;
  mlir::ModuleOp module_;
  mlir::MLIRContext &context_;
  mlir::OpBuilder builder_;
  const std::vector<BodyArgument> arguments_;
  const TargetUse use_;
};

mlir::func::FuncOp BodyBuilder::createFunction(const std::string &name) {
  llvm::SmallVector<mlir::Type> inputs, results;
  for (const BodyArgument &argument : arguments_) {
    inputs.push_back(argument.type);
    if (isWritten(argument, kernel_))
      results.push_back(argument.type);
  }
  const auto *statement = std::get_if<sema::Statement>(&step_);
  mlir::Location location = locationOf(statement ? statement->where : Span());
  auto function = mlir::func::FuncOp::create(builder_, location, name, builder_.getFunctionType(inputs, results));
  for (auto [index, argument] : llvm::enumerate(arguments_))
    dialect::setTensor(function, static_cast<unsigned>(index), describe(argument, kernel_, step_, context_));
  if (const auto division = statement ? divisionAttribute(kernel_, *statement, context_) : dialect::DivisionAttr())
    dialect::setDivision(function, division);
  if (statement && use_ != TargetUse::Filled) // where a plan says where entries are, loops are none of the terms'
    dialect::setNests(function, nestAttributes(kernel_, *statement, context_));
  if (const dialect::ScheduleAttr schedule = scheduleAttribute(kernel_.schedule, step_, context_))
    dialect::setSchedule(function, schedule);
  return function;
}

mlir::func::FuncOp BodyBuilder::build(const std::string &name) {
  builder_.setInsertionPointToEnd(module_.getBody());
  mlir::func::FuncOp function = createFunction(name);
  builder_.setInsertionPointToEnd(function.addEntryBlock());
  BodyValues values(kernel_, function, arguments_, builder_);
  if (const sema::Statement *assembly = sema::assemblingStatement(step_))
    use_ == TargetUse::Filled ? emitByPlan(*assembly, function, values) : emitAssembly(*assembly, values);
  else
    std::visit([&](const auto &concrete) { emit(concrete, values); }, step_);
  mlir::func::ReturnOp::create(builder_, function.getLoc(), values.results(arguments_));
  return function;
}

mlir::Location BodyBuilder::locationOf(Span where) {
  if (!where)
    return mlir::FileLineColLoc::get(&context_, kernel_.kernelFile, 1, 1);
  LineColumn place = where.file->lineColumn(where.begin);
  return mlir::FileLineColLoc::get(&context_, kernel_.kernelFile, place.line, place.column);
}

void BodyBuilder::emit(const sema::Statement &statement, BodyValues &values) {
  mlir::Location location = locationOf(statement.where);
  mlir::Value &target = values.written(statement.target);
  if (statement.zeroFirst) {
    const sema::ValueType type = sema::sumType(kernel_, statement);
    mlir::Value identity = identityOf(builder_, location, statement.reduction, type);
    target = mlir::linalg::FillOp::create(builder_, location, identity, target).getResult(0);
  }
  for (const sema::Term &term : statement.terms)
    target = addTerm(statement, term, target, values);
}

/// Terms add to the proxies of their runs, which hold nothing before.
void BodyBuilder::emitAssembly(const sema::Statement &statement, BodyValues &values) {
  const bool isOne = values.runs().size() == 1;
  for (auto [number, term] : llvm::enumerate(statement.terms)) {
    mlir::Value &run = values.runs()[isOne ? 0 : number];
    run = addTerm(statement, term, run, values);
  }
}

/// The target's structure and a plan are there.
void BodyBuilder::emitByPlan(const sema::Statement &statement, mlir::func::FuncOp function, BodyValues &values) {
  const sema::MergePlan kind = sema::mergePlan(kernel_, statement);
  const mlir::Type number = kind == sema::MergePlan::Masks ? builder_.getI8Type() : builder_.getI32Type();
  const auto buffer = mlir::MemRefType::get({mlir::ShapedType::kDynamic}, number);
  const auto bind = dialect::BindAttr::get(&context_, dialect::BindKind::Merge);
  const mlir::Value noted = dialect::addArgument(function, bind, buffer);
  const sema::Term &term = statement.terms.front();
  buildTermByPlan(kernel_, statement, term, {function, values.read(statement.target), noted, kind}, values, builder_,
                  locationOf(term.where));
}

mlir::Value BodyBuilder::addTerm(const sema::Statement &statement, const sema::Term &term, mlir::Value target,
                                 BodyValues &values) {
  return buildTermGeneric(kernel_, statement, term, target, values, builder_, locationOf(term.where));
}

void BodyBuilder::emit(const sema::Copy &copy, BodyValues &values) {
  mlir::Value from = values.read(copy.from);
  mlir::Value &to = values.written(copy.to);
  const mlir::Location location = locationOf(Span());
  if (kernel_.tensors[copy.from].order() == 0)
    to = mlir::linalg::FillOp::create(builder_, location, from, to).getResult(0);
  else
    to = mlir::linalg::CopyOp::create(builder_, location, from, to).getResult(0);
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> generate(const sema::Kernel &kernel, mlir::MLIRContext &context) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  for (size_t k = 0; k < kernel.steps.size(); ++k) {
    const sema::Step &step = kernel.steps[k];
    if (std::holds_alternative<sema::Conversion>(step) || std::holds_alternative<sema::RefreshCopy>(step) ||
        std::holds_alternative<sema::Distribution>(step) || std::holds_alternative<sema::Placement>(step) ||
        std::holds_alternative<sema::Ranking>(step) || sema::lentBody(kernel, k))
      continue;
    const auto build = [&](TargetUse use, const std::string &name) {
      return BodyBuilder(kernel, step, use, *module).build(name);
    };
    const mlir::func::FuncOp body = build(TargetUse::Collected, sema::bodyName(kernel, k));
    const sema::Statement *assembly = sema::assemblingStatement(step);
    if (!assembly || !sema::hasPhases(kernel))
      continue;
    dialect::setPatternOnly(build(TargetUse::Collected, sema::patternBodyName(kernel, k)));
    const bool merges = sema::mergePlan(kernel, *assembly) != sema::MergePlan::None;
    // Which operations LLVM fuses, and in which order it adds, depends on what is around them: loops that find places
    // and loops that are told them would round differently.
    if (merges || (sema::keepsPlaces(kernel, *assembly) && !sema::isProductOfTwo(assembly->terms.front())))
      dialect::setAsWritten(body);
    if (merges)
      dialect::setAsWritten(build(TargetUse::Filled, sema::plannedBodyName(kernel, k)));
  }
  return module;
}

} // namespace spc::mlirgen
