// Syntax trees to programs.
#include "sema/program_builder.h"
#include "syntax/ast.h"

#include <cmath>
#include <set>

namespace spc::sema {
namespace {

/// Walks a statement's right side.
class Reader {
public:
  Reader(const ProgramBuilder &program, StatementBuilder &build, const syntax::Statement &source)
      : program_(program), build_(build), source_(source) {
    collectIndexNames(source.target);
    collectIndexNames(*source.value);
  }

  void run() { build_.finish(read(*source_.value)); }

private:
  void collectIndexNames(const syntax::Access &access) {
    for (const language::Index &index : access.indices)
      forEachVariable(index, [&](const language::Name &name) { indexNames_.insert(name.text); });
  }

  void collectIndexNames(const syntax::Expr &expr) {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node))
      collectIndexNames(*access);
    for (const syntax::Expr *child : syntax::children(expr))
      collectIndexNames(*child);
  }

  /// A name without indices that indexes something in the statement stands for the index's value.
  bool isIndexValue(const syntax::Access &access) const {
    const std::string &name = access.tensor.text;
    return access.indices.empty() && indexNames_.contains(name) && !program_.declares(name);
  }

  NodePtr read(const syntax::Expr &expr) {
    if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
      return read(*paren->inner);
    if (const auto *literal = std::get_if<syntax::Literal>(&expr.node))
      return build_.number(literal->value, literal->spelling, expr.where);
    if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
      return readNegation(*negate, expr.where);
    if (const auto *reduction = std::get_if<syntax::Reduce>(&expr.node))
      return build_.reduce(
          reduction->reduction, reduction->variables, [&] { return read(*reduction->body); }, expr.where);
    if (const auto *binary = std::get_if<syntax::Binary>(&expr.node)) {
      NodePtr left = read(*binary->left);
      NodePtr right = read(*binary->right);
      return build_.binary(binary->op, std::move(left), std::move(right), expr.where);
    }
    if (const auto *call = std::get_if<syntax::Call>(&expr.node)) {
      std::vector<NodePtr> arguments;
      for (const syntax::ExprPtr &argument : call->arguments)
        arguments.push_back(read(*argument));
      return build_.call(call->function, call->name.text, std::move(arguments), expr.where);
    }
    const auto &access = std::get<syntax::Access>(expr.node);
    return isIndexValue(access) ? build_.indexValue({access.tensor.text, expr.where})
           : access.isPadded    ? build_.padded(access.tensor, access.indices, expr.where)
                                : build_.access(access.tensor, access.indices, expr.where);
  }

  NodePtr readNegation(const syntax::Negate &negate, Span where) {
    // Of integers -inf is the least number, not the negative of the greatest.
    const auto *literal = std::get_if<syntax::Literal>(&negate.operand->node);
    if (literal && std::isinf(literal->value))
      return build_.number(-literal->value, "-" + literal->spelling, where);
    return build_.negate(read(*negate.operand), where);
  }

  const ProgramBuilder &program_;
  StatementBuilder &build_;
  const syntax::Statement &source_;
  std::set<std::string> indexNames_; ///< what indexes something in the statement
};

} // namespace

std::optional<Program> check(const syntax::Kernel &kernel, const std::vector<format::Binding> &bindings,
                             const Options &options, Diagnostics &diagnostics) {
  ProgramBuilder program(bindings, options, diagnostics);
  for (const language::TypeDecl &type : kernel.types)
    program.declare(type);
  for (const language::TensorDecl &tensor : kernel.declarations)
    program.declare(tensor);
  if (kernel.signature)
    program.declare(*kernel.signature);
  for (const syntax::Statement &statement : kernel.statements) {
    StatementBuilder build = program.statement(
        {statement.target.tensor, statement.target.indices, statement.targetWhere, statement.op, statement.isTemporary},
        statement.where);
    Reader(program, build, statement).run();
  }
  return program.finish();
}

} // namespace spc::sema
