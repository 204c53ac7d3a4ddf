// Programs as source text.
#include "sema/program.h"

#include <cmath>

namespace spc::sema {
namespace {

std::string listOf(const std::vector<language::Name> &names) {
  std::string list;
  for (const language::Name &name : names)
    list += (list.empty() ? "" : ", ") + name.text;
  return list;
}

/// The lists of a dimension and those within, from the number `next` on.
std::string listOf(const language::ConstantDecl &constant, size_t dim, size_t &next) {
  if (dim == constant.shape.size())
    return next < constant.numbers.size() ? language::textOf(constant.numbers[next++]) : "";
  std::string list;
  for (int64_t k = 0; k < constant.shape[dim]; ++k)
    list += (k > 0 ? ", " : "") + listOf(constant, dim + 1, next);
  return "[" + list + "]";
}

/// The fill that a declaration says; a semiring's says nothing of types that it does not compute with.
std::optional<double> fillOf(const language::TensorDecl &declaration, const Program &program) {
  if (!declaration.fill || !declaration.fill->bySemiring)
    return declaration.fill ? std::optional(declaration.fill->value) : std::nullopt;
  for (const Tensor &tensor : program.tensors)
    if (tensor.name == declaration.name.text && tensor.fill == 0)
      return std::nullopt;
  return declaration.fill->value;
}

std::string textOf(const language::TensorDecl &declaration, const Program &program) {
  std::string text = (declaration.constant ? "const " : "tensor ") + declaration.name.text;
  for (const language::ExtentDecl &extent : declaration.extents)
    text += (&extent == &declaration.extents.front() ? "(" : ", ") + spellingOf(extent);
  text += declaration.extents.empty() ? "" : ")";
  if (declaration.type)
    text += ": " + declaration.type->text;
  if (declaration.sparse)
    text += ", sparse";
  if (const std::optional<double> fill = fillOf(declaration, program))
    text += ", fill " + sema::textOf(ValueType::F64, *fill);
  if (declaration.constant)
    text += " = " + toText(*declaration.constant);
  return text + "\n";
}

std::string textOf(const ResolvedStatement &statement, const Program &program) {
  std::string indices;
  for (VariableId variable : statement.target.variables)
    indices += (indices.empty() ? "(" : ",") + statement.scope.variables[variable].name;
  return (statement.isTemporary ? "let " : "") + program.tensors[statement.target.tensor].name + indices +
         (indices.empty() ? " " : ") ") + std::string(language::spellingOf(statement.op)) + " " +
         printAlone(*statement.value, statement.scope, program) + "\n";
}

} // namespace

std::string toText(const language::ConstantDecl &constant) {
  size_t next = 0;
  return constant.file.empty() ? listOf(constant, 0, next) : "\"" + constant.file + "\"";
}

std::string toText(const Program &program) {
  std::string text;
  for (const language::TypeDecl &type : program.types)
    text += "type " + type.name.text + " = " + spelling(program.typeParameters.at(type.name.text)) + "\n";
  if (const std::optional<language::SignatureDecl> &signature = program.signature)
    text += "kernel " + signature->name.text + "(" + listOf(signature->operands) + ") -> (" +
            listOf(signature->outputs) + ")\n";
  for (const language::TensorDecl &declaration : program.declarations)
    text += textOf(declaration, program);
  for (const ResolvedStatement &statement : program.statements)
    text += textOf(statement, program);
  return text;
}

} // namespace spc::sema
