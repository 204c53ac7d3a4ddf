#include "sema/terms/target_fill.h"

#include "sema/fold.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kRefusedFill{"assembled-output", Severity::Error};
constexpr DiagnosticKind kFillOfOutput{"output-format", Severity::Note};

/// One value for each element, that of its one term.
bool isPlain(const LogicalStatement &logical) {
  return logical.reduction == Reduction::Sum && logical.terms.size() == 1 && !logical.accumulates &&
         logical.terms.front().reductions.empty();
}

bool isFirstWrite(const Planning &planning, const LogicalStatement &logical) {
  return planning.symbols[logical.target].firstWrite == static_cast<int>(logical.statement);
}

bool isDeclared(const Symbol &symbol) {
  return symbol.declaration && symbol.declaration->fill;
}

/// Whether the statement makes its target's fill of missing entries.
bool keepsFill(const Planning &planning, const LogicalStatement &logical) {
  const Scope &scope = planning.statements[logical.statement].scope;
  return !logical.accumulates && logical.targetDefault == planning.kernel.tensors[logical.target].fill &&
         hasDomain(*logical.terms.front().expr, logical.reduction, scope, planning.kernel);
}

/// Whether the statement's operands say which elements it comes to.
bool hasTies(const Planning &planning, const LogicalStatement &logical) {
  const IdVector<AccessId, Access> &accesses = planning.statements[logical.statement].scope.accesses;
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const Access &access) { return planning.kernel.tensors[access.tensor].is<Tie>(); });
}

} // namespace

void inferFill(Planning &planning, LogicalStatement &logical) {
  const Kernel &kernel = planning.kernel;
  const Scope &scope = planning.statements[logical.statement].scope;
  const Symbol &symbol = planning.symbols[logical.target];
  Tensor &target = planning.kernel.tensors[logical.target];
  const Node &value = *logical.terms.front().expr;
  const bool isTemporary = target.is<Temporary>() && !planning.sumOutputs.contains(logical.target) &&
                           !planning.standIns.contains(logical.target);
  const bool mayInfer = isTemporary || hasFill(value, scope, kernel);
  if (isFirstWrite(planning, logical) && !isDeclared(symbol) && !symbol.isOperand && !logical.accumulates && mayInfer) {
    const std::optional<double> fill =
        isPlain(logical) ? sparsityOf(value, logical.computeType, scope, kernel).fill : logical.targetDefault;
    const bool isKnown = fill && hasDomain(value, logical.reduction, scope, kernel);
    target.fill = isKnown ? foldCast(target.type, logical.computeType, *fill).value_or(0) : 0;
  }
  if (isPlain(logical) && target.fill != 0)
    logical.targetDefault = target.fill;
}

void checkFill(Planning &planning, LogicalStatement &logical) {
  Tensor &target = planning.kernel.tensors[logical.target];
  const Symbol &symbol = planning.symbols[logical.target];
  const Span where = planning.statements[logical.statement].targetWhere;
  if (target.format.isDense()) {
    target.fill = 0;
    logical.targetDefault = isPlain(logical) ? 0 : logical.targetDefault;
  }
  const auto sum = planning.sumOutputs.find(logical.target);
  const Tensor &stored = sum == planning.sumOutputs.end() ? target : planning.kernel.tensors[sum->second];
  // What shares an operand's structure has that one's entries, and no other places.
  const bool sharesPlaces = !target.isAssembled() && !hasPadding(stored.format) && !stored.format.isSum();
  if (takesZeroFill(stored.format) && !sharesPlaces && target.fill != 0)
    return reportFillFormat(target, where, planning.diagnostics);
  const std::string fill = textOf(target.type, target.fill);
  if (target.fill != 0 && !keepsFill(planning, logical))
    planning.diagnostics
        .report(kRefusedFill, where,
                "missing entries of " + quotedName(planning.kernel, logical.target) + " are " + fill +
                    ", but this statement makes something else of them")
        .advise(hasTies(planning, logical) && std::isinf(target.fill)
                    ? inQuotes(target.fill > 0 ? "min=" : "max=") + " keeps what no index of the left side reaches"
                    : "declare it with another fill, or store it densely: --format " + target.name + "=dense");
  else if (target.fill != 0 && target.is<Parameter>() && symbol.boundBy && !isDeclared(symbol) &&
           isFirstWrite(planning, logical))
    planning.diagnostics.report(kFillOfOutput, logical.where,
                                "missing entries of output " + inQuotes(target.name) + " are " + fill);
}

} // namespace spc::sema
