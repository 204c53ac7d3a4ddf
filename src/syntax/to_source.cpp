#include "language/precedence.h"
#include "syntax/parser.h"

#include <algorithm>

namespace spc::syntax {
namespace {

using namespace language::precedence;

class SourceWriter {
public:
  void write(const Expr &expr, int least) {
    bool parentheses = precedence(expr) < least;
    if (parentheses)
      out_ += '(';
    std::visit([this](const auto &node) { write(node); }, expr.node);
    if (parentheses)
      out_ += ')';
  }

  void write(const Access &access) {
    out_ += access.isPadded ? "padded(" : "";
    out_ += access.tensor.text;
    if (!access.indices.empty()) {
      out_ += '(';
      names(access.indices, ",");
      out_ += ')';
    }
    out_ += access.isPadded ? ")" : "";
  }

  void append(std::string_view text) { out_ += text; }
  std::string take() { return std::move(out_); }

private:
  static int precedence(const Expr &expr) {
    if (auto *call = std::get_if<Call>(&expr.node))
      return precedenceOf(call->function);
    if (auto *binary = std::get_if<Binary>(&expr.node))
      return precedence(binary->op);
    return kUnary;
  }

  static int precedence(BinaryOp op) { return op == BinaryOp::Add || op == BinaryOp::Sub ? kSum : kProduct; }

  void write(const Literal &literal) { out_ += literal.spelling; }

  void write(const Negate &negate) {
    out_ += '-';
    write(*negate.operand, kUnary);
  }

  void write(const Binary &binary) {
    int own = precedence(binary.op);
    write(*binary.left, own);
    switch (binary.op) {
    case BinaryOp::Add:
      out_ += " + ";
      break;
    case BinaryOp::Sub:
      out_ += " - ";
      break;
    case BinaryOp::Mul:
      out_ += '*';
      break;
    case BinaryOp::Div:
      out_ += '/';
      break;
    }
    write(*binary.right, own + 1);
  }

  void write(const Call &call) {
    const language::FunctionSpelling &spelling = spellingOf(call.function);
    if (!spelling.isOperator()) {
      out_ += call.name.text + '(';
      const size_t begin = out_.size();
      for (const ExprPtr &argument : call.arguments) {
        out_ += &argument == &call.arguments.front() ? "" : ", ";
        write(*argument, kOr);
      }
      if (language::mayReadAsTensor(call.name.text, std::string_view(out_).substr(begin)))
        out_ = out_.substr(0, begin) + '(' + out_.substr(begin, out_.find(',', begin) - begin) + ')' +
               out_.substr(std::min(out_.find(',', begin), out_.size()));
      out_ += ')';
      return;
    }
    const int own = precedenceOf(call.function);
    if (call.arguments.size() > 1)
      write(*call.arguments.front(), own == kComparison ? kSum : own);
    out_ += call.arguments.size() > 1 ? " " : "";
    out_ += spelling.text;
    out_ += ' ';
    write(*call.arguments.back(), own == kNot ? kNot : own + 1);
  }

  void write(const Reduce &sum) {
    out_ += spellingOf(sum.reduction);
    out_ += '(';
    names(sum.variables, ", ");
    out_ += ", ";
    write(*sum.body, kOr);
    out_ += ')';
  }

  void write(const Paren &paren) {
    out_ += '(';
    write(*paren.inner, kOr);
    out_ += ')';
  }

  template <typename Names> void names(const Names &names, std::string_view separator) {
    for (const Name &name : names) {
      if (&name != &names.front())
        out_ += separator;
      out_ += name.text;
    }
  }

  std::string out_;
};

} // namespace

std::string toSource(const Expr &expr) {
  SourceWriter writer;
  writer.write(expr, kOr);
  return writer.take();
}

std::string toSource(const Statement &statement) {
  SourceWriter writer;
  if (statement.isTemporary)
    writer.append("let ");
  writer.write(statement.target);
  writer.append(' ' + std::string(spellingOf(statement.op)) + ' ');
  writer.write(*statement.value, kOr);
  return writer.take();
}

} // namespace spc::syntax
