#include "ingress/same_sizes.h"

#include "ingress/sizes.h"

namespace spc::ingress {

SameSizes::Size SameSizes::of(const Size &size) const {
  const auto *name = std::get_if<std::string>(&size);
  const auto known = name ? same_.find(*name) : same_.end();
  return known == same_.end() ? size : of(known->second);
}

void SameSizes::unite(const language::ExtentDecl &one, const language::ExtentDecl &other) {
  const Size first = of(one.value), second = of(other.value);
  const auto *firstName = std::get_if<std::string>(&first), *secondName = std::get_if<std::string>(&second);
  if (first.index() == second.index() && firstName && *firstName == *secondName)
    return;
  if (secondName && !std::holds_alternative<language::ExtentSum>(first))
    same_[*secondName] = first;
  else if (firstName && std::holds_alternative<int64_t>(second))
    same_[*firstName] = second;
}

void SameSizes::settle(language::ExtentDecl &extent) const {
  auto *sum = std::get_if<language::ExtentSum>(&extent.value);
  if (!sum) {
    extent.value = of(extent.value);
    return;
  }
  language::ExtentSum settled{{}, sum->constant};
  for (const language::ExtentSum::Product &product : sum->products) {
    language::ExtentSum value{{}, product.factor};
    for (const std::string &name : product.names)
      multiply(value, {of(name), extent.where});
    addTo(settled, value, 1);
  }
  extent = extentFrom(settled, extent.where);
}

void SameSizes::settle(language::Index &index) const {
  for (auto *terms : {&index.terms, &index.offsets})
    for (language::IndexTerm &term : *terms)
      for (auto number = term.numbers.begin(); number != term.numbers.end();) {
        const Size size = of(number->text);
        if (const auto *known = std::get_if<int64_t>(&size)) {
          term.scale *= *known;
          number = term.numbers.erase(number);
        } else {
          number->text = std::get<std::string>(size);
          ++number;
        }
      }
  for (auto term = index.offsets.begin(); term != index.offsets.end();)
    if (term->numbers.empty()) {
      index.constant += term->scale;
      term = index.offsets.erase(term);
    } else {
      ++term;
    }
  const Span where = index.where;
  index = settled(std::move(index), where);
}

void SameSizes::settle(syntax::Expr &expr) const {
  if (auto *access = std::get_if<syntax::Access>(&expr.node)) {
    for (language::Index &index : access->indices)
      settle(index);
    const Size size = access->indices.empty() ? of(access->tensor.text) : Size(int64_t(0));
    if (const auto *name = std::get_if<std::string>(&size))
      access->tensor.text = *name;
    else if (access->indices.empty())
      expr.node =
          syntax::Literal{static_cast<double>(std::get<int64_t>(size)), std::to_string(std::get<int64_t>(size))};
    return;
  }
  for (syntax::Expr *child : syntax::children(expr))
    settle(*child);
}

void SameSizes::settle(syntax::Kernel &kernel) const {
  for (language::TensorDecl &declaration : kernel.declarations)
    for (language::ExtentDecl &extent : declaration.extents)
      settle(extent);
  for (syntax::Statement &statement : kernel.statements) {
    for (language::Index &index : statement.target.indices)
      settle(index);
    settle(*statement.value);
  }
}

} // namespace spc::ingress
