// What missing entries are: declared, or what the first statement that writes a tensor gives them.
#include "sema/analysis.h"
#include "sema/fold.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kBadFill{"bad-fill", Severity::Error};
constexpr DiagnosticKind kFillFormat{"fill-format", Severity::Error};

bool holds(ValueType type, double fill) {
  if (isComplex(type))
    return std::isfinite(fill);
  return isFloat(type) || rounded(type, fill) == fill;
}

void declareFill(Analysis &analysis, Tensor &tensor, const syntax::FillDecl &fill) {
  tensor.fill = fill.value;
  if (tensor.order() == 0)
    analysis.diagnostics.report(kBadFill, fill.where,
                                "scalar " + inQuotes(tensor.name) +
                                    " has no missing entries that a fill could stand for");
  else if (!holds(tensor.type, fill.value))
    analysis.diagnostics
        .report(kBadFill, fill.where,
                "this fill is no " + std::string(spelling(tensor.type)) + ", which " + inQuotes(tensor.name) + " holds")
        .advise(std::isinf(fill.value) ? "only floats have infinities" : "declare it as a type that holds it");
}

} // namespace

void reportFillFormat(const Tensor &tensor, Span where, Diagnostics &diagnostics) {
  diagnostics
      .report(kFillFormat, where,
              inQuotes(tensor.name) + " is stored in a format that pads with zeros, and its missing entries are not 0")
      .advise("store it without blocks and fixed widths, for instance --format " + tensor.name + "=csr");
}

void declareFills(Analysis &analysis) {
  for (TensorId id : analysis.symbols.ids()) {
    const syntax::TensorDecl *declaration = analysis.symbols[id].declaration;
    if (!declaration || !declaration->fill)
      continue;
    Tensor &tensor = analysis.kernel.tensors[id];
    declareFill(analysis, tensor, *declaration->fill);
    if (tensor.fill != 0 && !tensor.format.isDense() && hasPadding(tensor.format))
      reportFillFormat(tensor, declaration->fill->where, analysis.diagnostics);
  }
}

} // namespace spc::sema
