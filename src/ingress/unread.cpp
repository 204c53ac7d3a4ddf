// What no statement reads.
#include "ingress/raiser.h"

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
  std::set<std::string> used;
  for (const syntax::Statement &statement : kernel_.tree.statements) {
    used.insert(statement.target.tensor.text);
    collectNames(*statement.value, used);
  }
  for (const language::TensorDecl &declaration : kernel_.tree.declarations)
    for (const language::ExtentDecl &extent : declaration.extents)
      if (const auto *name = std::get_if<std::string>(&extent.value))
        used.insert(*name);
  std::vector<language::Name> &operands = kernel_.tree.signature->operands;
  for (const language::Name &operand : operands)
    if (!used.count(operand.text) && !failed_)
      diagnostics_.report(kUnreadArgument, operand.where,
                          "the kernel does not take '" + operand.text + "', as nothing reads it" +
                              ownSizes(operand.text));
  std::erase_if(operands, [&](const language::Name &operand) { return !used.count(operand.text); });
  std::erase_if(kernel_.tree.declarations,
                [&](const language::TensorDecl &declaration) { return !used.count(declaration.name.text); });
  std::erase_if(kernel_.bindings, [&](const format::Binding &binding) { return !used.count(*binding.tensor); });
}

} // namespace spc::ingress
