#include "sema/terms/products.h"

namespace spc::sema {

namespace {

constexpr DiagnosticKind kStrictDistribution{"strict-distribution", Severity::Error};

} // namespace

void refuseDistribution(const Node &node, const Products &products, const std::vector<VariableId> &reductions,
                        const Scope &scope, const Kernel &kernel, Diagnostics &diagnostics) {
  Diagnostic &refused = diagnostics.report(kStrictDistribution, node.where,
                                           "this would have to be multiplied out, which --fp=strict rules out");
  std::string text;
  for (const Product &product : products) {
    bool sumsAll = product.bound.empty();
    for (VariableId variable : reductions)
      sumsAll &= occurs(variable, *product.expr, scope);
    bool hasTemporary = false;
    forEachAccess(*product.expr, true, [&](const AccessNode &use, Span) {
      hasTemporary |= kernel.tensors[scope.accesses[use.access].tensor].is<Temporary>();
    });
    if (!sumsAll || hasTemporary)
      return; // its terms have no simple notation
    text += text.empty() ? (product.negative ? "-" : "") : (product.negative ? " - " : " + ");
    text += print(*product.expr, scope, kernel);
  }
  refused.advise(products.size() > 1 ? "write it out: " + text : "open the parentheses");
}

} // namespace spc::sema
