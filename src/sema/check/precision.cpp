// Where values lose digits, or wrap around, without the text saying so.
#include "sema/check/checking.h"
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

/// Whether values of one type may not be values of another one of its kind or of a later kind.
bool losesDigits(ValueType from, ValueType to) {
  return digitsOf(from) > digitsOf(to) || (from == ValueType::F16 && to == ValueType::BF16) ||
         (from == ValueType::BF16 && to == ValueType::F16) || (isInteger(from) && isUnsigned(to) && !isUnsigned(from));
}

class PrecisionChecker {
public:
  /// `said` holds what was said of earlier statements, and is added to.
  PrecisionChecker(const Checking &checking, const ResolvedStatement &statement, std::set<std::string> &said)
      : checking_(checking), statement_(statement), target_(checking.program.tensors[statement.target.tensor]),
        said_(said) {}

  void run() {
    checkTarget();
    visit(*statement_.value, computeTypeOf(checking_.program, statement_));
  }

private:
  void checkTarget() {
    const std::optional<ValueType> value = typeOf(*statement_.value, statement_.scope, checking_.program);
    if (!value || target_.type == ValueType::Bool)
      return;
    const std::string held = inQuotes(target_.name) + " holds " + spelling(target_.type);
    const Span where = statement_.targetWhere;
    if (losesDigits(*value, target_.type))
      warn(where,
           held + ", and values of " + spelling(*value) +
               (isInteger(target_.type) ? " wrap around in it" : " are rounded to it"),
           "declare it as " + std::string(spelling(*value)) + ", or convert the right side: " + spelling(target_.type) +
               "(...)");
    else if (isNarrow(target_.type) && !statedType(checking_, statement_.target.tensor))
      warnOfNarrowSum(where);
  }

  /// A type in which sums of a few hundred elements wrap around.
  static bool isNarrow(ValueType type) { return isInteger(type) && bytesOf(type) <= 2; }

  /// Of a sum into a target that nobody has given a type of few bits: it follows from the operands'.
  void warnOfNarrowSum(Span where) {
    const std::vector<VariableId> summed = summedOver();
    if (summed.empty())
      return;
    std::string variables;
    for (const std::string &name : namesOf(summed, statement_.scope))
      variables += name + ", ";
    const std::string type = spelling(target_.type);
    warn(where, inQuotes(target_.name) + " holds " + type + ", as its operands do, and sums wrap around in it",
         "add up in a wider type, sum(" + variables + "i64(...)), or declare it: tensor " + declaration() + ": " +
             type);
  }

  std::string declaration() const {
    std::string extents;
    for (ExtentId extent : target_.extents)
      extents += (extents.empty() ? "" : ", ") + checking_.program.extents[extent].name;
    return extents.empty() ? target_.name : target_.name + "(" + extents + ")";
  }

  /// Says each thing once, however many statements it is true of.
  void warn(Span where, const std::string &message, std::string advice) {
    if (said_.insert(message).second)
      checking_.diagnostics.report(kPrecision, where, message).advise(std::move(advice));
  }

  /// The variables that the value, or a part of it, is summed over.
  std::vector<VariableId> summedOver() const {
    std::vector<VariableId> summed = freeVariables(*statement_.value, statement_.scope);
    std::erase_if(summed, [&](VariableId variable) {
      return statement_.scope.variables[variable].kind != Variable::Kind::Implicit;
    });
    collectSums(*statement_.value, summed);
    return summed;
  }

  /// Those of sum(...), but for arguments of functions: conversions say that their types are meant.
  static void collectSums(const Node &node, std::vector<VariableId> &summed) {
    if (std::holds_alternative<CallNode>(node.kind))
      return;
    if (const auto *reduction = std::get_if<ReduceNode>(&node.kind);
        reduction && reduction->reduction == Reduction::Sum)
      summed.insert(summed.end(), reduction->variables.begin(), reduction->variables.end());
    for (const Node *child : children(node))
      collectSums(*child, summed);
  }

  /// Integers that floats do not hold, and unsigned ones that the widest signed type does not.
  void visit(const Node &node, ValueType type) {
    if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
      const Tensor &operand = checking_.program.tensors[statement_.scope.accesses[use->access].tensor];
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
            call ? argumentType(*call, k, type, statement_.scope, checking_.program) : typeInside(node, type));
  }

  /// The truth of a value is taken in whatever type that has.
  ValueType typeInside(const Node &node, ValueType type) const {
    const auto *reduction = std::get_if<ReduceNode>(&node.kind);
    return reduction ? bodyType(*reduction, type, statement_.scope, checking_.program) : type;
  }

  const Checking &checking_;
  const ResolvedStatement &statement_;
  const Tensor &target_;
  std::set<std::string> &said_;
};

} // namespace

void warnOfPrecision(const Checking &checking) {
  std::set<std::string> said;
  for (const ResolvedStatement &statement : checking.program.statements)
    PrecisionChecker(checking, statement, said).run();
}

} // namespace spc::sema
