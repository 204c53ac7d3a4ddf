// What holds of runs and of the operations that collect their entries.
#include "dialect/dialect.h"

namespace spc::dialect {

using mlir::LogicalResult;
using mlir::Value;

RunType RunType::in(RunForm form) const {
  return get(getContext(), form, getRow(), getKey(), getValue());
}

LogicalResult RunType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError, RunForm, int64_t row,
                              mlir::Type key, mlir::Type value) {
  if (row < 0)
    return emitError() << "a row has no fewer than 0 coordinates";
  if (!key.isSignlessInteger() || key.getIntOrFloatBitWidth() > 64)
    return emitError() << "keys are integers of at most 64 bits";
  if (value && !mlir::isa<mlir::IntegerType, mlir::FloatType, mlir::ComplexType>(value))
    return emitError() << "values are numbers";
  return mlir::success();
}

void OpenRunOp::build(mlir::OpBuilder &, mlir::OperationState &state, Value assembly, Value chunk, int64_t number,
                      bool planned, llvm::ArrayRef<RunType> runs) {
  state.addOperands({assembly, chunk});
  if (planned)
    state.getOrAddProperties<Properties>().planned = mlir::UnitAttr::get(assembly.getContext());
  state.getOrAddProperties<Properties>().number =
      mlir::IntegerAttr::get(mlir::IntegerType::get(assembly.getContext(), 64), number);
  for (const RunType run : runs)
    state.addRegion()->emplaceBlock().addArgument(run, state.location);
}

LogicalResult OpenRunOp::verifyRegions() {
  llvm::SmallVector<RunForm> forms;
  for (mlir::Region &nest : getNests()) {
    auto run = nest.getNumArguments() == 1 ? mlir::dyn_cast<RunType>(nest.getArgument(0).getType()) : RunType();
    if (!run || !mlir::isa<CloseRunOp>(nest.front().getTerminator()))
      return emitOpError("hands each nest a run, which the nest closes");
    forms.push_back(run.getForm());
  }
  const llvm::ArrayRef<RunForm> found(forms);
  if (found != llvm::ArrayRef{RunForm::Append} && found != llvm::ArrayRef{RunForm::Workspace} &&
      found != llvm::ArrayRef{RunForm::Dense, RunForm::Hash} &&
      found != llvm::ArrayRef{RunForm::Dense, RunForm::Hash, RunForm::Record} &&
      found != llvm::ArrayRef{RunForm::Dense, RunForm::Hash, RunForm::Place})
    return emitOpError("has a nest that appends, one with any workspace, or one for each kind");
  return mlir::success();
}

/// `value` is there where entries have values, and has their type.
static LogicalResult checkValue(mlir::Operation *op, RunType run, Value value, bool isNeeded = true) {
  const mlir::Type type = isNeeded ? run.getValue() : mlir::Type();
  if ((value ? value.getType() : mlir::Type()) != type)
    return op->emitOpError("has another value than entries of the run have");
  return mlir::success();
}

/// The same of an element of the workspace; of a dense one it may be a vector.
static LogicalResult checkElement(mlir::Operation *op, RunType run, Value value) {
  const auto vector = value ? mlir::dyn_cast<mlir::VectorType>(value.getType()) : mlir::VectorType();
  if (vector && run.getForm() == RunForm::Dense && vector.getRank() == 1 && !vector.isScalable() &&
      vector.getElementType() == run.getValue())
    return mlir::success();
  return checkValue(op, run, value);
}

static LogicalResult checkAppends(mlir::Operation *op, RunType run, bool appends) {
  if (run.appends() != appends)
    return op->emitOpError(appends ? "is for runs that append" : "is for runs with a workspace");
  return mlir::success();
}

LogicalResult ReserveOp::verify() {
  return checkAppends(*this, getRun().getType(), true);
}

LogicalResult AppendOp::verify() {
  const RunType run = getRun().getType();
  return mlir::failed(checkAppends(*this, run, true)) ? mlir::failure() : checkValue(*this, run, getValue());
}

LogicalResult AppendIfOp::verify() {
  const RunType run = getRun().getType();
  return mlir::failed(checkAppends(*this, run, true)) ? mlir::failure() : checkValue(*this, run, getValue());
}

LogicalResult RowLengthOp::verify() {
  return checkAppends(*this, getRun().getType(), true);
}

LogicalResult JoinRowOp::verify() {
  return checkAppends(*this, getRun().getType(), true);
}

LogicalResult SortRowOp::verify() {
  return checkAppends(*this, getRun().getType(), true);
}

LogicalResult LocateOp::verify() {
  const RunType run = getRun().getType();
  return mlir::failed(checkAppends(*this, run, false)) ? mlir::failure() : checkElement(*this, run, getOld());
}

LogicalResult AccumulateOp::verify() {
  const RunType run = getRun().getType();
  return mlir::failed(checkAppends(*this, run, false)) ? mlir::failure() : checkElement(*this, run, getValue());
}

LogicalResult OpenSumOp::verify() {
  const RunType run = getRun().getType();
  return checkValue(*this, run, getStart(), !run.appends());
}

LogicalResult CloseSumOp::verify() {
  const RunType run = getRun().getType();
  if (getReserved() && !run.appends())
    return emitOpError("has nothing reserved in a workspace");
  return checkValue(*this, run, getValue());
}

/// A row has as many coordinates as rows of the run.
static LogicalResult checkRow(mlir::Operation *op, RunType run, mlir::ValueRange coordinates) {
  if (static_cast<int64_t>(coordinates.size()) != run.getRow())
    return op->emitOpError("has another number of coordinates than rows of the run have");
  return mlir::success();
}

LogicalResult BeginRowOp::verify() {
  const RunType run = getRun().getType();
  return mlir::failed(checkAppends(*this, run, false)) ? mlir::failure() : checkRow(*this, run, getCoordinates());
}

LogicalResult EndRowOp::verify() {
  return checkRow(*this, getRun().getType(), getCoordinates());
}

LogicalResult NotesRowsOp::verify() {
  return checkAppends(*this, getRun().getType(), true);
}

LogicalResult EndRowsOp::verify() {
  const RunType run = getRun().getType();
  return mlir::failed(checkAppends(*this, run, true)) ? mlir::failure() : checkRow(*this, run, getFirst());
}

} // namespace spc::dialect
