#include "ingress/same_sizes.h"

#include "ingress/sizes.h"

#include <algorithm>

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

language::ExtentSum SameSizes::settled(const language::ExtentSum &sum, Span where) const {
  language::ExtentSum all{{}, sum.constant};
  for (const language::ExtentSum::Product &product : sum.products) {
    language::ExtentSum value{{}, product.factor};
    for (const std::string &name : product.names) {
      const Size size = of(name);
      const auto *other = std::get_if<language::ExtentSum>(&size);
      multiply(value, {other ? Size(settled(*other, where)) : size, where});
    }
    addTo(all, value, 1);
  }
  return all;
}

void SameSizes::settle(language::ExtentDecl &extent) const {
  extent = extentFrom(settled(sizeSum(extent), extent.where), extent.where);
}

void SameSizes::settle(language::Index &index) const {
  for (auto *terms : {&index.terms, &index.offsets}) {
    std::vector<language::IndexTerm> settledTerms;
    for (const language::IndexTerm &term : *terms) {
      language::ExtentSum::Product all{term.scale, {}};
      for (const language::Name &number : term.numbers)
        all.names.push_back(number.text);
      const language::ExtentSum value = settled({{all}, 0}, index.where);
      for (const language::ExtentSum::Product &product : value.products) {
        language::IndexTerm &part = settledTerms.emplace_back(language::IndexTerm{term.variable, product.factor, {}});
        for (const std::string &name : product.names)
          part.numbers.push_back({name, index.where});
      }
      if (value.constant != 0 && terms == &index.terms)
        settledTerms.push_back({term.variable, value.constant, {}});
      else if (terms == &index.offsets)
        index.constant += value.constant;
    }
    *terms = std::move(settledTerms);
  }
  const Span where = index.where;
  index = ingress::settled(std::move(index), where);
}

void SameSizes::settle(syntax::Expr &expr) const {
  if (auto *access = std::get_if<syntax::Access>(&expr.node)) {
    for (language::Index &index : access->indices)
      settle(index);
    const Size size = access->indices.empty() ? of(access->tensor.text) : Size(int64_t(0));
    if (const auto *name = std::get_if<std::string>(&size))
      access->tensor.text = *name;
    else if (access->indices.empty())
      expr.node = std::move(sizeExpr(Maker(expr.where), settled(sizeSum({size, expr.where}), expr.where))->node);
    return;
  }
  for (syntax::Expr *child : syntax::children(expr))
    settle(*child);
}

void SameSizes::divide(const language::ExtentDecl &whole, const language::ExtentSum &parts) {
  const Size size = of(whole.value);
  const auto *name = std::get_if<std::string>(&size);
  const language::ExtentSum product = settled(parts, whole.where);
  const auto names = [&](const language::ExtentSum::Product &one) {
    return std::find(one.names.begin(), one.names.end(), *name) != one.names.end();
  };
  if (name && std::none_of(product.products.begin(), product.products.end(), names))
    same_[*name] = product;
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
