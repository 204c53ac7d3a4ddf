// Products of sums that are computed as they are written, though multiplied out they would take an order of steps less.
#include "sema/terms/logical_plan.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kAsymptotic{"asymptotic", Severity::Warning};

void warn(Planning &planning, const LogicalStatement &logical, const LogicalTerm &term) {
  const Scope &scope = planning.statements[logical.statement].scope;
  std::vector<VariableId> own;
  const std::vector<VariableId> free = freeVariables(*term.expr, scope);
  for (VariableId variable : logical.targetVariables)
    if (has(free, variable))
      own.push_back(variable);
  std::string indices;
  for (const std::string &name : namesOf(own, scope))
    indices += (indices.empty() ? "" : ",") + name;
  const std::string temporary = indices.empty() ? "T" : "T(" + indices + ")";
  const std::string addends = term.multipliedOut->empty() ? "..., an addend a product" : *term.multipliedOut;
  const std::string allowed = planning.options.strictFp ? "" : "--fp=distribute allows that; ";
  planning.diagnostics
      .report(kAsymptotic, term.where,
              "these sums are multiplied as they are written, with loops over more than what is stored: multiplied out "
              "they would need an order of steps less, and might cancel")
      .advise(allowed + "where nothing cancels, write 'let " + temporary + " = " + addends + "', and " + temporary +
              " in its place");
}

} // namespace

void warnOfWholeSums(Planning &planning, const Expansion &expansion) {
  const auto warnIn = [&](const LogicalStatement &logical) {
    for (const LogicalTerm &term : logical.terms)
      if (term.multipliedOut)
        warn(planning, logical, term);
  };
  std::for_each(expansion.temporaries.begin(), expansion.temporaries.end(), warnIn);
  warnIn(expansion.main);
}

} // namespace spc::sema
