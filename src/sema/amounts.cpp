#include "sema/amounts.h"

#include "language/declarations.h"

#include <algorithm>
#include <cstdlib>

namespace spc::sema {
namespace {

bool isSmall(int64_t number) {
  return std::abs(number) <= kMaxAmount;
}

/// False where a number becomes too large.
bool add(Amount &sum, const Amount::Product &product) {
  const auto same = std::find_if(sum.products.begin(), sum.products.end(),
                                 [&](const Amount::Product &other) { return other.scalars == product.scalars; });
  if (!isSmall(product.factor))
    return false;
  if (same == sum.products.end()) {
    sum.products.push_back(product);
    return true;
  }
  same->factor += product.factor;
  const bool fits = isSmall(same->factor);
  std::erase_if(sum.products, [](const Amount::Product &other) { return other.factor == 0; });
  return fits;
}

/// An amount as products alone, of which a number has no scalars.
std::vector<Amount::Product> partsOf(const Amount &amount) {
  std::vector<Amount::Product> parts = amount.products;
  if (amount.number != 0)
    parts.push_back({amount.number, {}});
  return parts;
}

} // namespace

Amount amountOf(TensorId scalar) {
  return {.products = {{1, {scalar}}}};
}

std::optional<Amount> sumOf(const Amount &one, const Amount &other) {
  Amount sum = one;
  sum.number += other.number;
  bool fits = isSmall(sum.number);
  for (const Amount::Product &product : other.products)
    fits = add(sum, product) && fits;
  return fits ? std::optional(sum) : std::nullopt;
}

std::optional<Amount> productOf(const Amount &one, const Amount &other) {
  Amount result;
  bool fits = true;
  for (const Amount::Product &left : partsOf(one))
    for (const Amount::Product &right : partsOf(other)) {
      if (!isSmall(left.factor) || !isSmall(right.factor))
        return std::nullopt;
      Amount::Product product{left.factor * right.factor, left.scalars};
      product.scalars.insert(product.scalars.end(), right.scalars.begin(), right.scalars.end());
      std::sort(product.scalars.begin(), product.scalars.end());
      if (product.scalars.empty())
        result.number += product.factor;
      else
        fits = add(result, product) && fits;
    }
  return fits && isSmall(result.number) ? std::optional(result) : std::nullopt;
}

Amount negative(Amount amount) {
  amount.number = -amount.number;
  for (Amount::Product &product : amount.products)
    product.factor = -product.factor;
  return amount;
}

int64_t valueOf(const Amount &amount, const std::function<int64_t(TensorId)> &valueOfScalar) {
  int64_t value = amount.number;
  for (const Amount::Product &product : amount.products) {
    int64_t factor = product.factor;
    for (TensorId scalar : product.scalars)
      factor *= valueOfScalar(scalar);
    value += factor;
  }
  return value;
}

std::string textOf(const Amount &amount, const KernelHead &kernel) {
  std::string text;
  const auto append = [&](int64_t factor, const std::string &names) {
    const int64_t size = std::abs(factor);
    text += text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    text += names.empty() ? std::to_string(size) : (size == 1 ? "" : std::to_string(size) + "*") + names;
  };
  for (const Amount::Product &product : amount.products) {
    std::string names;
    for (TensorId scalar : product.scalars)
      names += (names.empty() ? "" : "*") + kernel.tensors[scalar].name;
    append(product.factor, names);
  }
  if (amount.number != 0 || text.empty())
    append(amount.number, "");
  return text;
}

std::string textOf(const ExtentSum &sum, const KernelHead &kernel) {
  language::ExtentSum named{{}, sum.constant};
  for (const ExtentSum::Product &product : sum.products) {
    std::vector<std::string> names;
    for (ExtentId extent : product.extents)
      names.push_back(kernel.extents[extent].name);
    named.products.push_back({product.factor, std::move(names)});
  }
  return language::spellingOf(named);
}

std::vector<TensorId> readBy(const Tie &tie) {
  std::vector<TensorId> read;
  if (tie.source)
    read.push_back(*tie.source);
  std::vector<const Amount *> amounts{&tie.constant};
  for (const Amount &scale : tie.rowScales)
    amounts.push_back(&scale);
  for (const Amount *amount : amounts)
    for (const Amount::Product &product : amount->products)
      read.insert(read.end(), product.scalars.begin(), product.scalars.end());
  return read;
}

} // namespace spc::sema
