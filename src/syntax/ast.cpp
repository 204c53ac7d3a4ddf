#include "syntax/ast.h"

#include <utility>

namespace spc::syntax {

std::vector<const Expr *> children(const Expr &expr) {
  if (const auto *negate = std::get_if<Negate>(&expr.node))
    return {negate->operand.get()};
  if (const auto *binary = std::get_if<Binary>(&expr.node))
    return {binary->left.get(), binary->right.get()};
  if (const auto *sum = std::get_if<Reduce>(&expr.node))
    return {sum->body.get()};
  if (const auto *paren = std::get_if<Paren>(&expr.node))
    return {paren->inner.get()};
  std::vector<const Expr *> result;
  if (const auto *call = std::get_if<Call>(&expr.node))
    for (const ExprPtr &argument : call->arguments)
      result.push_back(argument.get());
  return result;
}

std::vector<Expr *> children(Expr &expr) {
  std::vector<Expr *> result;
  for (const Expr *child : children(std::as_const(expr)))
    result.push_back(const_cast<Expr *>(child));
  return result;
}

} // namespace spc::syntax
