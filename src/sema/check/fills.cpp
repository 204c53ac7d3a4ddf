// What missing entries are: declared, or what the first statement that writes a tensor gives them.
#include "format/levels.h"
#include "sema/analysis.h"
#include "sema/fold.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kBadFill{"bad-fill", Severity::Error};
constexpr DiagnosticKind kFillFormat{"fill-format", Severity::Error};

/// The number of a type that a fill says, nullopt where there is none; an infinity of integers is their greatest or
/// their least number. After a semiring, bools and complex numbers, which it does not compute with, have the fill 0.
std::optional<double> fillIn(ValueType type, const syntax::FillDecl &fill) {
  if (fill.bySemiring && (type == ValueType::Bool || isComplex(type)))
    return 0;
  if (isFloat(type) || (isComplex(type) && std::isfinite(fill.value)))
    return fill.value;
  if (isComplex(type) || (type == ValueType::Bool && std::isinf(fill.value)))
    return std::nullopt;
  const std::optional<double> held = foldCast(type, ValueType::F64, fill.value);
  const bool isSame = held == fill.value || (held && textOf(type, *held) == textOf(ValueType::F64, fill.value));
  return isSame || std::isinf(fill.value) ? held : std::nullopt;
}

void declareFill(Analysis &analysis, Tensor &tensor, const syntax::FillDecl &fill) {
  if (tensor.order() == 0) {
    analysis.diagnostics.report(kBadFill, fill.where,
                                "scalar " + inQuotes(tensor.name) +
                                    " has no missing entries that a fill could stand for");
  } else if (const std::optional<double> value = fillIn(tensor.type, fill)) {
    tensor.fill = *value;
  } else {
    analysis.diagnostics
        .report(kBadFill, fill.where,
                "this fill is no " + std::string(spelling(tensor.type)) + ", which " + inQuotes(tensor.name) + " holds")
        .advise(std::isinf(fill.value) ? "only floats and integers have infinities"
                                       : "declare it as a type that holds it");
  }
}

} // namespace

void reportFillFormat(const Tensor &tensor, Span where, Diagnostics &diagnostics) {
  const bool isPadded = format::hasPadding(tensor.format) || tensor.format.isSum();
  const std::string why = isPadded
                              ? "is stored in a format that pads with zeros, which nothing would tell from results "
                                "of 0, and its missing entries are not 0"
                              : "is stored in whole runs, in which nothing says what is missing, and its missing "
                                "entries are not 0";
  diagnostics.report(kFillFormat, where, inQuotes(tensor.name) + " " + why)
      .advise("store it without padding, for instance --format " + tensor.name + "=csr");
}

/// Whether statements read a tensor from a canonical copy, in which zeros that pad it are left out.
static bool isReadFromCopy(const Tensor &tensor, const Symbol &symbol) {
  const auto isDense = [](const format::Format &part) { return part.isDense(); };
  const std::vector<format::Format> &parts = tensor.format.parts;
  return symbol.firstWrite < 0 && (format::hasPadding(tensor.format) || tensor.format.isSum()) &&
         std::none_of(parts.begin(), parts.end(), isDense);
}

void declareFills(Analysis &analysis) {
  for (TensorId id : analysis.symbols.ids()) {
    const syntax::TensorDecl *declaration = analysis.symbols[id].declaration;
    if (!declaration || !declaration->fill)
      continue;
    Tensor &tensor = analysis.kernel.tensors[id];
    declareFill(analysis, tensor, *declaration->fill);
    if (tensor.fill != 0 && !tensor.format.isDense() && takesZeroFill(tensor.format) &&
        !isReadFromCopy(tensor, analysis.symbols[id]))
      reportFillFormat(tensor, declaration->fill->where, analysis.diagnostics);
  }
}

} // namespace spc::sema
