#include "sema/terms/logical_plan.h"

namespace spc::sema {

LogicalTerm copyOf(const LogicalTerm &term) {
  LogicalTerm copy{clone(*term.expr), term.reductions, term.overwrites, term.where, term.multipliedOut};
  copy.partSums = term.partSums;
  copy.isScaledSum = term.isScaledSum;
  return copy;
}

} // namespace spc::sema
