// What missing entries are: declared, or what the first statement that writes a tensor gives them.
#include "format/levels.h"
#include "sema/check/checking.h"
#include "sema/fold.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kBadFill{"bad-fill", Severity::Error};

/// The number of a type that a fill says, nullopt where there is none; an infinity of integers is their greatest or
/// their least number. After a semiring, bools and complex numbers, which it does not compute with, have the fill 0.
std::optional<double> fillIn(ValueType type, const language::FillDecl &fill) {
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

void declareFill(Checking &checking, Tensor &tensor, const language::FillDecl &fill) {
  if (tensor.order() == 0) {
    checking.diagnostics.report(kBadFill, fill.where,
                                "scalar " + inQuotes(tensor.name) +
                                    " has no missing entries that a fill could stand for");
  } else if (const std::optional<double> value = fillIn(tensor.type, fill)) {
    tensor.fill = *value;
  } else {
    checking.diagnostics
        .report(kBadFill, fill.where,
                "this fill is no " + std::string(spelling(tensor.type)) + ", which " + inQuotes(tensor.name) + " holds")
        .advise(std::isinf(fill.value) ? "only floats and integers have infinities"
                                       : "declare it as a type that holds it");
  }
}

} // namespace

/// Whether statements read a tensor from a canonical copy, in which zeros that pad it are left out.
static bool isReadFromCopy(const Tensor &tensor, const Symbol &symbol) {
  const auto isDense = [](const format::Format &part) { return part.isDense(); };
  const std::vector<format::Format> &parts = tensor.format.parts;
  return symbol.firstWrite < 0 && (format::hasPadding(tensor.format) || tensor.format.isSum()) &&
         std::none_of(parts.begin(), parts.end(), isDense);
}

void declareFills(Checking &checking) {
  for (TensorId id : checking.program.symbols.ids()) {
    const std::optional<language::TensorDecl> &declaration = checking.program.symbols[id].declaration;
    if (!declaration || !declaration->fill)
      continue;
    Tensor &tensor = checking.program.tensors[id];
    declareFill(checking, tensor, *declaration->fill);
    if (tensor.fill != 0 && !tensor.format.isDense() && takesZeroFill(tensor.format) &&
        !isReadFromCopy(tensor, checking.program.symbols[id]))
      reportFillFormat(tensor, declaration->fill->where, checking.diagnostics);
  }
}

} // namespace spc::sema
