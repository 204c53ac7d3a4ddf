#include "language/declarations.h"

#include <cstdlib>

namespace spc::language {

std::string spellingOf(const ExtentSum &sum) {
  std::string text;
  const auto append = [&](bool isNegative, const std::string &size) {
    text += text.empty() ? (isNegative ? "-" : "") : isNegative ? " - " : " + ";
    text += size;
  };
  for (const ExtentSum::Product &product : sum.products) {
    std::string size = std::abs(product.factor) == 1 ? "" : std::to_string(std::abs(product.factor));
    for (const std::string &name : product.names)
      size += (size.empty() ? "" : "*") + name;
    append(product.factor < 0, size);
  }
  if (sum.constant != 0 || text.empty())
    append(sum.constant < 0, std::to_string(std::abs(sum.constant)));
  return text;
}

std::string spellingOf(const ExtentDecl &extent) {
  if (const auto *sum = std::get_if<ExtentSum>(&extent.value))
    return spellingOf(*sum);
  const auto *name = std::get_if<std::string>(&extent.value);
  return name ? *name : std::to_string(std::get<int64_t>(extent.value));
}

} // namespace spc::language
