// What no statement reads.
#include "ingress/raiser.h"
#include "ingress/sizes.h"

#include <set>

namespace spc::ingress {

namespace {

/// All names of tensors and scalars that an expression reads.
void collectNames(const syntax::Expr &expr, std::set<std::string> &names) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    names.insert(access->tensor.text);
    for (const language::Index &index : access->indices) {
      if (index.isHeld())
        names.insert(index.holder.text);
      for (const auto *terms : {&index.terms, &index.offsets})
        for (const language::IndexTerm &term : *terms)
          for (const language::Name &number : term.numbers)
            names.insert(number.text);
    }
  }
  for (const syntax::Expr *child : syntax::children(expr))
    collectNames(*child, names);
}

/// All names that an extent has.
void collectNames(const language::ExtentDecl &extent, std::set<std::string> &names) {
  for (const language::ExtentSum::Product &product : sizeSum(extent).products)
    names.insert(product.names.begin(), product.names.end());
}

} // namespace

/// That sizes of an argument are asked for by themselves; empty where none are.
std::string Raiser::ownSizes(const std::string &operand) const {
  std::set<std::string> given, wanted;
  for (const language::TensorDecl &declaration : kernel_.tree.declarations)
    for (const language::ExtentDecl &extent : declaration.extents)
      if (const auto *name = std::get_if<std::string>(&extent.value))
        (declaration.name.text == operand ? wanted : given).insert(*name);
  std::string names;
  for (const std::string &name : wanted)
    if (given.count(name))
      names += (names.empty() ? "" : " and ") + name;
  return names.empty() ? "" : "; " + names + ", which it says, is passed as a size where no other argument has it";
}

void Raiser::dropUnread() {
  std::set<std::string> read, sizes;
  for (const syntax::Statement &statement : kernel_.tree.statements) {
    read.insert(statement.target.tensor.text);
    collectNames(*statement.value, read);
  }
  for (const language::TensorDecl &declaration : kernel_.tree.declarations)
    for (const language::ExtentDecl &extent : declaration.extents)
      collectNames(extent, sizes);
  std::vector<language::Name> &operands = kernel_.tree.signature->operands;
  for (const language::Name &operand : operands)
    if (!read.count(operand.text) && !sizes.count(operand.text) && !failed_)
      diagnostics_.report(kUnreadArgument, operand.where,
                          "the kernel does not take '" + operand.text + "', as nothing reads it" +
                              ownSizes(operand.text));
  std::vector<language::TensorDecl> &declarations = kernel_.tree.declarations;
  // A size is no operand: tensors say it, or it is passed among the sizes.
  std::erase_if(operands, [&](const language::Name &operand) { return !read.count(operand.text); });
  std::erase_if(declarations,
                [&](const language::TensorDecl &declaration) { return !read.count(declaration.name.text); });
  std::erase_if(kernel_.bindings, [&](const format::Binding &binding) { return !read.count(*binding.tensor); });
  std::erase_if(sizes, [&](const std::string &size) { return !read.count(size); });
  passLost(sizes);
}

/// A size that is computed with, and that no tensor has any more, is an operand.
void Raiser::passLost(const std::set<std::string> &sizes) {
  std::set<std::string> known;
  for (const language::TensorDecl &declaration : kernel_.tree.declarations) {
    known.insert(declaration.name.text);
    for (const language::ExtentDecl &extent : declaration.extents)
      collectNames(extent, known);
  }
  const language::Name &function = kernel_.tree.signature->name;
  for (const std::string &name : sizes)
    if (!known.count(name)) {
      language::TensorDecl size;
      size.name = {name, function.where};
      size.type = language::Name{"i64", function.where};
      size.where = function.where;
      kernel_.tree.declarations.push_back(std::move(size));
      kernel_.tree.signature->operands.push_back({name, function.where});
    }
}

} // namespace spc::ingress
