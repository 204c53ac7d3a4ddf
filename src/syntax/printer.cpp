#include "syntax/parser.h"

namespace spc::syntax {
namespace {

std::string place(LineColumn at) {
  return std::to_string(at.line) + ':' + std::to_string(at.column);
}

// One line a node, indented under its parent, each with the place it came from.
class OutlineWriter {
public:
  std::string write(const Kernel &kernel) {
    if (kernel.signature)
      write(*kernel.signature);
    for (const TypeDecl &decl : kernel.types)
      write(decl);
    for (const TensorDecl &decl : kernel.declarations)
      write(decl);
    for (const Statement &statement : kernel.statements)
      write(statement);
    return std::move(out_);
  }

private:
  void line(int depth, std::string_view text, Span where) {
    out_.append(static_cast<size_t>(depth) * 2, ' ');
    out_ += text;
    if (where)
      out_ += " <" + place(where.file->lineColumn(where.begin)) + '-' + place(where.file->lineColumn(where.end)) + '>';
    out_ += '\n';
  }

  void write(const TypeDecl &decl) {
    line(0, "type " + decl.name.text, decl.where);
    line(1, "type " + decl.type.text, decl.type.where);
  }

  void write(const SignatureDecl &signature) {
    line(0, "kernel " + signature.name.text, signature.where);
    for (const Name &operand : signature.operands)
      line(1, "operand " + operand.text, operand.where);
    for (const Name &output : signature.outputs)
      line(1, "output " + output.text, output.where);
  }

  void write(const TensorDecl &decl) {
    line(0, (decl.constant ? "const " : "tensor ") + decl.name.text, decl.where);
    for (const ExtentDecl &extent : decl.extents)
      line(1, "extent " + spellingOf(extent), extent.where);
    if (decl.type)
      line(1, "type " + decl.type->text, decl.type->where);
    if (decl.sparse)
      line(1, "sparse", {});
    if (decl.fill)
      line(1, "fill", decl.fill->where);
    if (decl.constant)
      line(1,
           decl.constant->file.empty() ? "numbers " + std::to_string(decl.constant->numbers.size())
                                       : "file " + decl.constant->file,
           decl.constant->where);
  }

  void write(const Statement &statement) {
    line(0, std::string(statement.isTemporary ? "let " : "") + nameOf(statement.op), statement.where);
    line(1, "target " + access(statement.target), statement.targetWhere);
    write(*statement.value, 1);
  }

  void write(const Expr &expr, int depth) {
    if (auto *literal = std::get_if<Literal>(&expr.node)) {
      line(depth, "number " + literal->spelling, expr.where);
    } else if (auto *read = std::get_if<Access>(&expr.node)) {
      line(depth, "access " + access(*read), expr.where);
    } else if (auto *negate = std::get_if<Negate>(&expr.node)) {
      line(depth, "negate", expr.where);
      write(*negate->operand, depth + 1);
    } else if (auto *binary = std::get_if<Binary>(&expr.node)) {
      line(depth, operation(binary->op), expr.where);
      write(*binary->left, depth + 1);
      write(*binary->right, depth + 1);
    } else if (auto *call = std::get_if<Call>(&expr.node)) {
      line(depth, "call " + (call->name.text.empty() ? std::string(spellingOf(call->function).text) : call->name.text),
           expr.where);
      for (const ExprPtr &argument : call->arguments)
        write(*argument, depth + 1);
    } else if (auto *sum = std::get_if<Reduce>(&expr.node)) {
      line(depth, std::string(spellingOf(sum->reduction)) + " " + names(sum->variables), expr.where);
      write(*sum->body, depth + 1);
    } else if (auto *paren = std::get_if<Paren>(&expr.node)) {
      line(depth, "parentheses", expr.where);
      write(*paren->inner, depth + 1);
    }
  }

  static std::string_view operation(BinaryOp op) {
    switch (op) {
    case BinaryOp::Add:
      return "add";
    case BinaryOp::Sub:
      return "subtract";
    case BinaryOp::Mul:
      return "multiply";
    case BinaryOp::Div:
      return "divide";
    }
    return {};
  }

  static std::string nameOf(AssignOp op) {
    return op == AssignOp::Assign ? "assign" : op == AssignOp::Add ? "accumulate" : std::string(spellingOf(op));
  }

  template <typename Names> static std::string names(const Names &names) {
    std::string text;
    for (const Name &name : names)
      text += (text.empty() ? "" : ", ") + name.text;
    return text;
  }

  static std::string access(const Access &access) {
    return access.tensor.text + (access.indices.empty() ? "" : '(' + names(access.indices) + ')');
  }

  std::string out_;
};

} // namespace

std::string print(const Kernel &kernel) {
  return OutlineWriter().write(kernel);
}

} // namespace spc::syntax
