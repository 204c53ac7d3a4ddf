#include "sema/program_builder.h"

#include "sema/check/checking.h"

namespace spc::sema {

constexpr DiagnosticKind kNoStatement{"no-statement", Severity::Error};

ProgramBuilder::ProgramBuilder(const std::vector<format::Binding> &bindings, const Options &options,
                               Diagnostics &diagnostics)
    : checking_(new Checking{bindings, options, diagnostics, {}, {}, {}, {}}) {
  Program &program = checking_->program;
  program.function = options.function;
  program.strictFp = options.strictFp;
  program.dropZeros = options.dropZeros;
  program.checked = options.checked;
}

ProgramBuilder::~ProgramBuilder() = default;

void ProgramBuilder::declare(language::TypeDecl type) {
  checking_->program.types.push_back(std::move(type));
}

void ProgramBuilder::declare(language::TensorDecl tensor) {
  checking_->program.declarations.push_back(std::move(tensor));
}

void ProgramBuilder::declare(language::SignatureDecl signature) {
  checking_->program.signature = std::move(signature);
}

void ProgramBuilder::readDeclarations() {
  if (hasRead_)
    return;
  hasRead_ = true;
  declareTypes(*checking_);
  declareTensors(*checking_);
}

StatementBuilder ProgramBuilder::statement(StatementTarget target, Span where) {
  readDeclarations();
  if (checking_->program.kernelFile.empty() && where)
    checking_->program.kernelFile = where.file->name();
  return {*checking_, std::move(target), where};
}

bool ProgramBuilder::declares(const std::string &tensor) const {
  return checking_->declarationOf(tensor) != nullptr;
}

static void checkAnyStatement(const Checking &checking) {
  const std::vector<language::TensorDecl> &declarations = checking.program.declarations;
  // With other errors reported, the statements may just not have been readable.
  if (!checking.program.statements.empty() || checking.diagnostics.hasErrors())
    return;
  checking.diagnostics
      .report(kNoStatement, declarations.empty() ? Span{} : declarations.back().where, "the kernel computes nothing")
      .advise("add a statement, for instance y(i) = A(i,j) * x(j)");
}

std::optional<Program> ProgramBuilder::finish() {
  Checking &checking = *checking_;
  // Each of these steps copes with what the ones before it reported, so that all errors are found at once.
  readDeclarations();
  nameTiedVariables(checking.program);
  checkAnyStatement(checking);
  checkNames(checking);
  checkGivenTypes(checking);
  bindFormats(checking);
  applyIndexTypes(checking);
  readSchedules(checking);
  readConstants(checking);
  inferExtents(checking);
  inferTypes(checking);
  checkDuplicates(checking);
  declareFills(checking);
  checkConstants(checking);
  checkTypes(checking);
  checkIndexHolders(checking);
  checkAmbiguity(checking);
  if (checking.diagnostics.hasErrors())
    return std::nullopt;

  warnOfUnused(checking);
  warnOfUnusedTypes(checking);
  warnOfSlips(checking);
  warnOfPrecision(checking);
  lowerInfinities(checking);
  orderParameters(checking);
  if (checking.diagnostics.hasErrors())
    return std::nullopt;
  return std::move(checking.program);
}

} // namespace spc::sema
