#include "sema/program.h"

#include "format/levels.h"
#include "sema/expression_types.h"

namespace spc::sema {

constexpr DiagnosticKind kFillFormat{"fill-format", Severity::Error};

ResolvedStatement::ResolvedStatement(const ResolvedStatement &other)
    : op(other.op), isTemporary(other.isTemporary), where(other.where), targetWhere(other.targetWhere),
      scope(other.scope), target(other.target), value(other.value ? clone(*other.value) : nullptr),
      isFused(other.isFused), takesIn(other.takesIn) {}

ValueType computeTypeOf(const KernelHead &kernel, const ResolvedStatement &statement) {
  if (statement.op == AssignOp::Or)
    return ValueType::Bool;
  const ValueType target = kernel.tensors[statement.target.tensor].type;
  const std::optional<ValueType> value = typeOf(*statement.value, statement.scope, kernel);
  return arithmeticType(value ? widest(target, *value) : target);
}

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

bool hasPlaces(const format::Format &format) {
  return format.levels.front().isDense() || format.levels.front().ordered;
}

} // namespace spc::sema
