// Expressions as the language writes them.
#include "grad/expressions.h"

#include "language/precedence.h"

namespace spc::grad {
namespace {

using namespace language::precedence;

class Writer {
public:
  /// The text, in parentheses where it binds less than `least`.
  static std::string textOf(const Expr &expr, int least) {
    std::string text = std::visit([](const auto &node) { return textOf(node); }, expr.node);
    return precedence(expr) < least ? "(" + text + ")" : text;
  }

private:
  static int precedence(BinaryOp op) { return op == BinaryOp::Add || op == BinaryOp::Sub ? kSum : kProduct; }

  static int precedence(const Expr &expr) {
    if (const auto *call = std::get_if<Call>(&expr.node))
      return language::precedenceOf(call->function);
    if (const auto *node = std::get_if<Binary>(&expr.node))
      return precedence(node->op);
    return kUnary;
  }

  template <typename Parts, typename TextOf>
  static std::string listOf(const Parts &parts, std::string_view separator, const TextOf &textOf) {
    std::string list;
    for (const auto &part : parts)
      list.append(&part == &parts.front() ? "" : separator).append(textOf(part));
    return list;
  }

  static std::string textOf(const Literal &literal) { return literal.spelling; }

  static std::string textOf(const Access &read) {
    const auto spelled = [](const Index &index) { return index.text; };
    return read.tensor + (read.indices.empty() ? "" : "(" + listOf(read.indices, ",", spelled) + ")");
  }

  static std::string textOf(const IndexValue &value) { return value.variable; }

  static std::string textOf(const Negate &minus) { return "-" + textOf(*minus.operand, kUnary); }

  static std::string textOf(const Binary &node) {
    const int own = precedence(node.op);
    return textOf(*node.left, own).append(language::spellingOf(node.op)) + textOf(*node.right, own + 1);
  }

  static std::string textOf(const Call &call) {
    const language::FunctionSpelling &spelling = language::spellingOf(call.function);
    const std::string name = call.function != Function::Cast ? std::string(spelling.text)
                             : call.typeParameter.empty()    ? sema::spelling(call.castTo)
                                                             : call.typeParameter;
    if (!spelling.isOperator)
      return name + "(" + listOf(call.arguments, ", ", [](const ExprPtr &argument) { return textOf(*argument, kOr); }) +
             ")";
    const int own = language::precedenceOf(call.function);
    if (call.arguments.size() == 1)
      return name + " " + textOf(*call.arguments.front(), own);
    return textOf(*call.arguments.front(), own == kComparison ? kSum : own) + " " + name + " " +
           textOf(*call.arguments.back(), own + 1);
  }

  static std::string textOf(const Reduce &reduction) {
    const auto named = [](const std::string &variable) { return variable; };
    return std::string(language::spellingOf(reduction.reduction)) + "(" + listOf(reduction.variables, ", ", named) +
           ", " + textOf(*reduction.body, kOr) + ")";
  }
};

} // namespace

std::string textOf(const Expr &expr) {
  return Writer::textOf(expr, kOr);
}

} // namespace spc::grad
