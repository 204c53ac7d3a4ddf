// Whether every statement can be computed in its type, and stored in its target's.
#include "sema/check/checking.h"
#include "sema/expression_types.h"

#include <cmath>
#include <limits>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kLiteralType{"literal-type", Severity::Error};
constexpr DiagnosticKind kTypeOperator{"type-operator", Severity::Error};
constexpr DiagnosticKind kNarrowing{"narrowing", Severity::Error};

/// bool, integers, floats, complex numbers: a value of one kind is exact, or rounded, in a later one.
int kindOf(ValueType type) {
  return type == ValueType::Bool ? 0 : isInteger(type) ? 1 : isFloat(type) ? 2 : 3;
}

double largestOf(ValueType integer) {
  const int bits = 8 * bytesOf(integer) - (isUnsigned(integer) ? 0 : 1);
  const double largest = bits >= 53 ? kMaxExactInteger : static_cast<double>((int64_t{1} << bits) - 1);
  return largest;
}

class TypeChecker {
public:
  TypeChecker(const Checking &checking, const ResolvedStatement &statement)
      : checking_(checking), statement_(statement), target_(checking.program.tensors[statement.target.tensor]),
        type_(computeTypeOf(checking.program, statement)) {}

  void run() {
    checkTarget();
    const bool isLogic = statement_.op == language::AssignOp::Or;
    check(*statement_.value, false,
          isLogic ? arithmeticType(typeOf(*statement_.value, statement_.scope, checking_.program).value_or(type_))
                  : type_);
  }

private:
  std::string typeName() const { return spelling(type_); }

  void checkTarget() {
    const language::AssignOp op = statement_.op;
    const bool isOrdered = op == language::AssignOp::Min || op == language::AssignOp::Max;
    if ((isOrdered && isComplex(type_)) || (op == language::AssignOp::Or && target_.type != ValueType::Bool))
      checking_.diagnostics.report(kTypeOperator, statement_.targetWhere,
                                   inQuotes(language::spellingOf(op)) + " is not defined on " + spelling(target_.type) +
                                       ", which " + inQuotes(target_.name) + " holds");
    if (kindOf(target_.type) >= kindOf(type_))
      return;
    Diagnostic &narrowing = checking_.diagnostics.report(kNarrowing, statement_.targetWhere,
                                                         inQuotes(target_.name) + " holds " + spelling(target_.type) +
                                                             ", but this is computed in " + typeName());
    for (const Access &access : statement_.scope.accesses) {
      const Tensor &operand = checking_.program.tensors[access.tensor];
      if (kindOf(operand.type) != kindOf(type_))
        continue;
      narrowing.note(access.where, inQuotes(operand.name) + " holds " + spelling(operand.type));
      break;
    }
    adviseType(narrowing, type_, "");
  }

  /// Says that the target should have another type, with a fix where its declaration names one.
  void adviseType(Diagnostic &diagnostic, ValueType type, const std::string &purpose) const {
    if (checking_.givenTypes.contains(target_.name)) {
      diagnostic.advise("give " + inQuotes(target_.name) + " the type " + spelling(type) + purpose);
      return;
    }
    diagnostic.advise("declare " + inQuotes(target_.name) + " as " + spelling(type) + purpose);
    const std::optional<language::TensorDecl> &declaration =
        checking_.program.symbols[statement_.target.tensor].declaration;
    if (declaration && declaration->type)
      diagnostic.fix(declaration->type->where, spelling(type));
  }

  void check(const Node &node, bool isNegated, ValueType type) {
    type_ = type;
    if (const auto *number = std::get_if<NumberNode>(&node.kind))
      checkLiteral(*number, node.where, isNegated);
    else if (std::holds_alternative<NegateNode>(node.kind))
      checkMinus(node);
    else if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
      checkOperator(*binary, node);
    else if (const auto *call = std::get_if<CallNode>(&node.kind))
      return checkCall(*call, node);
    for (const Node *child : children(node))
      check(*child, std::holds_alternative<NegateNode>(node.kind), typeInside(node, type));
  }

  /// The type in which what a reduction is taken of is computed; reports one that has no such reduction.
  ValueType typeInside(const Node &node, ValueType type) {
    const auto *reduction = std::get_if<ReduceNode>(&node.kind);
    if (!reduction || reduction->reduction == Reduction::Sum || reduction->reduction == Reduction::Product)
      return type;
    const ValueType own = bodyType(*reduction, type, statement_.scope, checking_.program);
    if (isComplex(own) && !isLogical(reduction->reduction))
      checking_.diagnostics.report(kTypeOperator, node.where,
                                   inQuotes(language::spellingOf(reduction->reduction)) + " is not defined on " +
                                       spelling(own) + ", in which this is computed");
    return own;
  }

  void checkCall(const CallNode &call, const Node &node) {
    const ValueType type = type_;
    bool isReported = false;
    for (size_t k = 0; k < call.arguments.size(); ++k) {
      const ValueType argument = argumentType(call, k, type, statement_.scope, checking_.program);
      if (!isReported && !mayCall(call, argument, k)) {
        reportCall(call, argument, node);
        isReported = true;
      }
      check(*call.arguments[k], false, argument);
    }
  }

  /// Whether a function takes an argument of a type.
  static bool mayCall(const CallNode &call, ValueType type, size_t argument) {
    switch (call.function) {
    case Function::Equal:
    case Function::At:
    case Function::Once:
    case Function::Within:
    case Function::NotEqual:
    case Function::Pattern:
      return true;
    case Function::MinPlus:
    case Function::MaxPlus:
      return true;
    case Function::Select:
    case Function::Where:
      return argument > 0 || !isComplex(type);
    case Function::Cast:
      return !isComplex(type) || isComplex(call.castTo);
    case Function::Min:
    case Function::Max:
    case Function::MinNumber:
    case Function::MaxNumber:
    case Function::Less:
    case Function::LessEqual:
    case Function::Greater:
    case Function::GreaterEqual:
    case Function::And:
    case Function::Or:
    case Function::Xor:
    case Function::Not:
      return !isComplex(type);
    case Function::Abs:
      return type != ValueType::Bool;
    case Function::Conj:
    case Function::Real:
    case Function::Imag:
    case Function::Arg:
      return isFloat(type) || isComplex(type);
    case Function::Sign:
    case Function::Relu:
    case Function::Modulo:
      return isInteger(type) || isFloat(type);
    default:
      return language::isIntegral(call.function) ? isInteger(type) : isFloat(type);
    }
  }

  void reportCall(const CallNode &call, ValueType type, const Node &node) {
    const bool isCast = call.function == Function::Cast;
    const std::string name = isCast ? spelling(call.castTo) : std::string(language::spellingOf(call.function).text);
    Diagnostic &refused = checking_.diagnostics.report(kTypeOperator, node.where,
                                                       inQuotes(name) + " is not defined on " + spelling(type) +
                                                           ", in which this is computed");
    const std::optional<ValueType> own = typeOf(node, statement_.scope, checking_.program);
    if (language::isIntegral(call.function) && own && isInteger(*own))
      refused.advise("convert what it gives, as its arguments hold " + std::string(spelling(*own)) + ": " +
                     spelling(type) + "(" + name + "(...))");
    else if (call.function == Function::Divide)
      refused.advise("floats are divided by '/', 'trunc(x / y)' is a whole number");
    else if (language::isIntegral(call.function))
      refused.advise("it is of integers: convert its arguments, i64(...)");
    else if (!isComplex(type))
      refused.advise("convert its argument: f64(...)");
  }

  void checkLiteral(const NumberNode &number, Span where, bool isNegated) {
    if (kindOf(type_) >= kindOf(ValueType::F64))
      return;
    if (std::isinf(number.value) && isInteger(type_)) // its greatest or its least number
      return;
    const bool isWhole =
        number.value <= kMaxExactInteger && number.value == static_cast<double>(static_cast<int64_t>(number.value));
    const bool isTruth = number.spelling == "true" || number.spelling == "false";
    if (!isTruth && number.spelling.find_first_not_of("0123456789") != std::string::npos) {
      Diagnostic &literal = checking_.diagnostics.report(
          kLiteralType, where, inQuotes(number.spelling) + " is no integer, but this is computed in " + typeName());
      if (isWhole) {
        literal.fix(where, std::to_string(static_cast<int64_t>(number.value)));
      } else {
        adviseType(literal, ValueType::F64, " to compute in floats");
      }
      return;
    }
    const bool isBool = type_ == ValueType::Bool;
    const double largest = isBool ? 1 : largestOf(type_) + (isNegated && !isUnsigned(type_) ? 1 : 0);
    if (isWhole && number.value <= largest)
      return;
    Diagnostic &literal = checking_.diagnostics.report(kLiteralType, where,
                                                       inQuotes(number.spelling) + " does not fit into " + typeName());
    if (isBool)
      literal.advise("a bool is 0 or 1");
    else if (largest >= kMaxExactInteger)
      literal.advise("integer literals go up to 9007199254740991; pass it as a scalar");
    else
      adviseType(literal, ValueType::I64, " to compute in 64 bits");
  }

  void checkMinus(const Node &node) {
    if (type_ == ValueType::Bool)
      reportBool(node.where, "'-'");
  }

  void checkOperator(const BinaryNode &binary, const Node &node) {
    if (type_ == ValueType::Bool && (binary.op == BinaryOp::Sub || binary.op == BinaryOp::Div)) {
      reportBool(node.where, binary.op == BinaryOp::Sub ? "'-'" : "'/'");
    } else if (binary.op == BinaryOp::Div && kindOf(type_) < kindOf(ValueType::F64)) {
      const Span sum = binary.left->where;
      const bool isMean = sum.begin == node.where.begin && sum.end == node.where.end;
      Diagnostic &division =
          checking_.diagnostics.report(kTypeOperator, node.where,
                                       std::string(isMean ? "'mean' divides, which" : "'/'") +
                                           " is not defined on integers, and this is computed in " + typeName());
      adviseType(division, ValueType::F64, " to compute in floats");
    }
  }

  void reportBool(Span where, const std::string &op) {
    Diagnostic &refused =
        checking_.diagnostics.report(kTypeOperator, where, op + " is not defined on bool, in which this is computed");
    adviseType(refused, ValueType::I64, " to compute in integers; on bool, + is or and * is and");
  }

  const Checking &checking_;
  const ResolvedStatement &statement_;
  const Tensor &target_;
  ValueType type_; ///< in which what is looked at is computed
};

} // namespace

void checkTypes(const Checking &checking) {
  // A type that was misspelt says nothing.
  if (checking.hasUnknownTypes)
    return;
  for (const ResolvedStatement &statement : checking.program.statements)
    if (statement.value)
      TypeChecker(checking, statement).run();
}

} // namespace spc::sema
