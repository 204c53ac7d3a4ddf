#include "sema/terms/logical_plan.h"

#include <algorithm>

namespace spc::sema {

LogicalTerm copyOf(const LogicalTerm &term) {
  LogicalTerm copy{clone(*term.expr), term.reductions, term.overwrites, term.where, term.multipliedOut};
  copy.partSums = term.partSums;
  copy.isScaledSum = term.isScaledSum;
  return copy;
}

void addTo(LogicalTerm &sum, LogicalTerm term, const Scope &scope) {
  std::erase_if(sum.partSums, [&](VariableId variable) {
    return std::none_of(term.partSums.begin(), term.partSums.end(), [&](VariableId other) {
      return scope.variables[other].extent == scope.variables[variable].extent;
    });
  });
  auto *negated = std::get_if<NegateNode>(&term.expr->kind);
  sum.expr = makeBinary(negated ? BinaryOp::Sub : BinaryOp::Add, std::move(sum.expr),
                        negated ? std::move(negated->operand) : std::move(term.expr));
}

} // namespace spc::sema
