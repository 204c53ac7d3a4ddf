#include "ingress/sizes.h"

#include "llvm/ADT/STLExtras.h"

namespace spc::ingress {

using language::ExtentSum;

ExtentSum sizeSum(const language::ExtentDecl &extent) {
  if (const auto *name = std::get_if<std::string>(&extent.value))
    return {{{1, {*name}}}, 0};
  if (const auto *number = std::get_if<int64_t>(&extent.value))
    return {{}, *number};
  return std::get<ExtentSum>(extent.value);
}

language::ExtentDecl extentFrom(const ExtentSum &sum, Span where) {
  if (sum.products.empty())
    return {sum.constant, where};
  const ExtentSum::Product &only = sum.products.front();
  if (sum.products.size() == 1 && sum.constant == 0 && only.factor == 1 && only.names.size() == 1)
    return {only.names.front(), where};
  return {sum, where};
}

void addTo(ExtentSum &sum, const ExtentSum &other, int64_t sign) {
  for (ExtentSum::Product product : other.products) {
    product.factor *= sign;
    const auto same = llvm::find_if(sum.products, [&](const auto &mine) { return mine.names == product.names; });
    if (same == sum.products.end())
      sum.products.push_back(std::move(product));
    else
      same->factor += product.factor;
  }
  std::erase_if(sum.products, [](const auto &product) { return product.factor == 0; });
  sum.constant += sign * other.constant;
}

ExtentSum product(const ExtentSum &left, const ExtentSum &right) {
  ExtentSum sum;
  const auto terms = [](const ExtentSum &from) {
    std::vector<ExtentSum::Product> all = from.products;
    if (from.constant != 0 || all.empty())
      all.push_back({from.constant, {}});
    return all;
  };
  for (const auto &one : terms(left))
    for (const auto &two : terms(right)) {
      ExtentSum::Product both{one.factor * two.factor, one.names};
      both.names.insert(both.names.end(), two.names.begin(), two.names.end());
      llvm::sort(both.names);
      addTo(sum, both.names.empty() ? ExtentSum{{}, both.factor} : ExtentSum{{both}, 0}, 1);
    }
  return sum;
}

void addTo(ExtentSum &sum, const language::ExtentDecl &extent) {
  addTo(sum, sizeSum(extent), 1);
}

void multiply(ExtentSum &sum, const language::ExtentDecl &extent) {
  sum = product(sum, sizeSum(extent));
}

void addProduct(language::Index &index, const ExtentSum &size, const std::string &variable, Span where) {
  const auto add = [&](int64_t factor, const std::vector<std::string> &names) {
    language::IndexTerm term{{variable, where}, factor, {}};
    for (const std::string &name : names)
      term.numbers.push_back({name, where});
    index.terms.push_back(std::move(term));
  };
  for (const ExtentSum::Product &product : size.products)
    add(product.factor, product.names);
  if (size.constant != 0)
    add(size.constant, {});
}

void addSize(language::Index &index, const ExtentSum &size, int64_t multiple, Span where) {
  index.constant += multiple * size.constant;
  for (const ExtentSum::Product &product : size.products) {
    language::IndexTerm term{{"", where}, multiple * product.factor, {}};
    for (const std::string &name : product.names)
      term.numbers.push_back({name, where});
    index.offsets.push_back(std::move(term));
  }
}

syntax::ExprPtr sizeExpr(const Maker &make, const ExtentSum &size) {
  syntax::ExprPtr sum = size.products.empty() || size.constant != 0 ? make.integer(size.constant) : nullptr;
  for (const ExtentSum::Product &product : size.products) {
    syntax::ExprPtr value = product.factor == 1 && !product.names.empty() ? nullptr : make.integer(product.factor);
    for (const std::string &name : product.names)
      value = value ? make.binary(language::BinaryOp::Mul, std::move(value), make.name(name)) : make.name(name);
    sum = sum ? make.binary(language::BinaryOp::Add, std::move(sum), std::move(value)) : std::move(value);
  }
  return sum;
}

} // namespace spc::ingress
