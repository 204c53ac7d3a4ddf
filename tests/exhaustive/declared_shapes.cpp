#include "exhaustive/declared_shapes.h"

#include "language/declarations.h"

#include <variant>

namespace spc::testing {

DeclaredShapes::DeclaredShapes(const syntax::Kernel &kernel) : declarations_(kernel.declarations) {
  if (!areThere())
    return;
  for (const syntax::TensorDecl &declaration : declarations_) {
    classes_.tensors.push_back(declaration.name.text);
    std::vector<int> &dimensions = classes_.ofTensor[declaration.name.text];
    for (const language::ExtentDecl &extent : declaration.extents)
      dimensions.push_back(classOf_.emplace(spellingOf(extent), static_cast<int>(classOf_.size())).first->second);
  }
  classes_.count = static_cast<int>(classOf_.size());
  for (const syntax::Statement &statement : kernel.statements) {
    noteHolders(statement.target);
    noteHolders(*statement.value);
  }
}

void DeclaredShapes::settle(std::vector<int64_t> &extents) const {
  const auto extentOf = [&](const std::string &name) { return extents[static_cast<size_t>(classOf_.at(name))]; };
  for (const syntax::TensorDecl &declaration : declarations_)
    for (const language::ExtentDecl &extent : declaration.extents) {
      int64_t &settled = extents[static_cast<size_t>(classOf_.at(spellingOf(extent)))];
      if (const auto *number = std::get_if<int64_t>(&extent.value))
        settled = *number;
      const auto *sum = std::get_if<language::ExtentSum>(&extent.value);
      if (!sum)
        continue;
      settled = sum->constant;
      for (const language::ExtentSum::Product &product : sum->products) {
        int64_t value = product.factor;
        for (const std::string &name : product.names)
          value *= extentOf(name);
        settled += value;
      }
    }
}

std::string DeclaredShapes::headOf(const syntax::TensorDecl &declaration) const {
  std::string text = declaration.name.text;
  for (size_t dim = 0; dim < declaration.extents.size(); ++dim)
    text += (dim == 0 ? "(" : ", ") + spellingOf(declaration.extents[dim]);
  return declaration.extents.empty() ? text : text + ")";
}

void DeclaredShapes::noteHolders(const syntax::Access &access) {
  for (size_t dim = 0; dim < access.indices.size(); ++dim)
    if (access.indices[dim].isHeld())
      indexed_.emplace(access.indices[dim].holder.text, std::pair(access.tensor.text, dim));
}

void DeclaredShapes::noteHolders(const syntax::Expr &expr) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    noteHolders(*access);
  for (const syntax::Expr *child : syntax::children(expr))
    noteHolders(*child);
}

} // namespace spc::testing
