// Where values lose digits, or wrap around, without the text saying so.
#include "sema/analysis.h"
#include "sema/expression_types.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kPrecision{"precision", Severity::Warning};

/// The binary digits of whole numbers that a type holds exactly, a sign not counted.
int digitsOf(ValueType type) {
  switch (type) {
  case ValueType::BF16:
    return 8;
  case ValueType::F16:
    return 11;
  case ValueType::F32:
  case ValueType::CF32:
    return 24;
  case ValueType::F64:
  case ValueType::CF64:
    return 53;
  case ValueType::Bool:
    return 1;
  default:
    return 8 * bytesOf(type) - (isUnsigned(type) ? 0 : 1);
  }
}

bool isHalf(ValueType type) {
  return type == ValueType::F16 || type == ValueType::BF16;
}

/// Whether values of one type may not be values of another one of its kind or of a later kind.
bool losesDigits(ValueType from, ValueType to) {
  return digitsOf(from) > digitsOf(to) || (from == ValueType::F16 && to == ValueType::BF16) ||
         (from == ValueType::BF16 && to == ValueType::F16) || (isInteger(from) && isUnsigned(to) && !isUnsigned(from));
}

class PrecisionChecker {
public:
  /// `said` holds what was said of earlier statements, and is added to.
  PrecisionChecker(const Analysis &analysis, const ResolvedStatement &statement, std::set<std::string> &said)
      : analysis_(analysis), statement_(statement), target_(analysis.kernel.tensors[statement.target.tensor]),
        said_(said) {}

  void run() {
    checkTarget();
    visit(*statement_.value, computeTypeOf(analysis_, statement_));
  }

private:
  void checkTarget() {
    const std::optional<ValueType> value = typeOf(*statement_.value, statement_.scope, analysis_.kernel);
    if (!value || target_.type == ValueType::Bool)
      return;
    const std::string held = inQuotes(target_.name) + " holds " + spelling(target_.type);
    const Span where = statement_.source->targetWhere;
    if (losesDigits(*value, target_.type))
      warn(where,
           held + ", and values of " + spelling(*value) +
               (isInteger(target_.type) ? " wrap around in it" : " are rounded to it"),
           "declare it as " + std::string(spelling(*value)) + ", or convert the right side: " + spelling(target_.type) +
               "(...)");
    else if (isHalf(target_.type) && isSum())
      warn(where, held + ", and the sum may be rounded to that after each addition", "declare it as f32");
  }

  /// Says each thing once, however many statements it is true of.
  void warn(Span where, const std::string &message, std::string advice) {
    if (said_.insert(message).second)
      analysis_.diagnostics.report(kPrecision, where, message).advise(std::move(advice));
  }

  /// Whether the target takes up more than one value an element.
  bool isSum() const {
    const std::vector<VariableId> free = freeVariables(*statement_.value, statement_.scope);
    const auto *reduction = std::get_if<ReduceNode>(&statement_.value->kind);
    return (reduction && reduction->reduction == Reduction::Sum) ||
           std::any_of(free.begin(), free.end(), [&](VariableId variable) {
             return statement_.scope.variables[variable].kind == Variable::Kind::Implicit;
           });
  }

  /// Integers that floats do not hold, and unsigned ones that the widest signed type does not.
  void visit(const Node &node, ValueType type) {
    if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
      const Tensor &operand = analysis_.kernel.tensors[statement_.scope.accesses[use->access].tensor];
      if (isInteger(operand.type) && losesDigits(operand.type, type))
        warn(node.where,
             inQuotes(operand.name) + " holds " + spelling(operand.type) + ", and large values of it " +
                 (isInteger(type) ? "wrap around in " : "are rounded in ") + spelling(type) +
                 ", in which this is computed",
             "convert it where that is meant: " + std::string(spelling(type)) + "(...)");
      return;
    }
    const auto *call = std::get_if<CallNode>(&node.kind);
    const std::vector<const Node *> below = children(node);
    for (size_t k = 0; k < below.size(); ++k)
      visit(*below[k],
            call ? argumentType(*call, k, type, statement_.scope, analysis_.kernel) : typeInside(node, type));
  }

  /// The truth of a value is taken in whatever type that has.
  ValueType typeInside(const Node &node, ValueType type) const {
    const auto *reduction = std::get_if<ReduceNode>(&node.kind);
    if (!reduction || !isLogical(reduction->reduction))
      return type;
    return arithmeticType(typeOf(*reduction->body, statement_.scope, analysis_.kernel).value_or(ValueType::Bool));
  }

  const Analysis &analysis_;
  const ResolvedStatement &statement_;
  const Tensor &target_;
  std::set<std::string> &said_;
};

} // namespace

void warnOfPrecision(const Analysis &analysis) {
  std::set<std::string> said;
  for (const ResolvedStatement &statement : analysis.statements)
    PrecisionChecker(analysis, statement, said).run();
}

} // namespace spc::sema
