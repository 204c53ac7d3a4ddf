#include "harness/random_product.h"

#include <algorithm>

namespace spc::testing {
namespace {

size_t below(std::mt19937 &random, size_t limit) {
  return random() % limit;
}

std::string access(const std::string &name, const std::vector<char> &indices) {
  std::string text = name;
  for (size_t k = 0; k < indices.size(); ++k)
    text += std::string(k == 0 ? "(" : ",") + indices[k];
  return text + (indices.empty() ? "" : ")");
}

bool has(const std::vector<char> &list, char index) {
  return std::find(list.begin(), list.end(), index) != list.end();
}

std::vector<std::string> textsOf(const std::vector<RandomProduct::Factor> &factors) {
  std::vector<std::string> texts;
  for (const RandomProduct::Factor &factor : factors)
    texts.push_back(factor.text);
  return texts;
}

std::string joined(std::vector<std::string> texts, std::mt19937 &random) {
  for (size_t k = texts.size(); k > 1; --k)
    std::swap(texts[k - 1], texts[below(random, k)]);
  std::string product;
  for (const std::string &text : texts)
    product += (product.empty() ? "" : "*") + text;
  return product;
}

} // namespace

std::vector<char> RandomProduct::sums() const {
  std::vector<char> all;
  for (const Factor &factor : factors)
    for (char index : factor.indices)
      if (!has(targetIndices, index) && !has(all, index))
        all.push_back(index);
  return all;
}

RandomProduct randomProduct(std::mt19937 &random) {
  const std::vector<std::string> matrices = {"csr", "csc", "dcsr", "coo", "dense"};
  RandomProduct product;
  std::vector<char> used;
  const size_t count = 2 + below(random, 4);
  for (size_t k = 0; k < count; ++k) {
    std::vector<char> indices;
    if (!used.empty())
      indices.push_back(used[below(random, used.size())]);
    while (indices.empty() || (indices.size() < 2 && below(random, 4) != 0)) {
      const char next = static_cast<char>('i' + below(random, 4));
      if (!has(indices, next))
        indices.push_back(next);
    }
    if (below(random, 2) == 0)
      std::reverse(indices.begin(), indices.end());
    const std::string name(1, static_cast<char>('A' + k));
    product.factors.push_back({access(name, indices), indices});
    product.formats[name] = indices.size() == 2     ? matrices[below(random, matrices.size())]
                            : below(random, 4) == 0 ? "sv"
                                                    : "dense";
    for (char index : indices)
      if (!has(used, index))
        used.push_back(index);
  }
  for (size_t order = below(random, 3); product.targetIndices.size() < std::min(order, used.size());)
    if (const char index = used[below(random, used.size())]; !has(product.targetIndices, index))
      product.targetIndices.push_back(index);
  product.target = access("y", product.targetIndices);
  if (!product.targetIndices.empty())
    product.formats["y"] = product.targetIndices.size() == 2 && below(random, 3) == 0 ? "csr" : "dense";
  return product;
}

std::string spellingOf(const RandomProduct &product, std::mt19937 &random) {
  std::vector<RandomProduct::Factor> left = product.factors;
  for (char index : product.sums()) {
    const auto lacks = [&](const RandomProduct::Factor &factor) { return !has(factor.indices, index); };
    auto first = std::stable_partition(left.begin(), left.end(), lacks);
    const std::vector<RandomProduct::Factor> inside(first, left.end());
    // Left as it is, the sum spans the whole product. Of two sums one contains the other: others are numbers apart.
    const auto isSum = [](const RandomProduct::Factor &factor) { return factor.text.starts_with("sum("); };
    if (below(random, 3) != 0 || std::any_of(left.begin(), first, isSum))
      continue;
    left.erase(first, left.end());
    RandomProduct::Factor sum{"sum(" + std::string(1, index) + ", " + joined(textsOf(inside), random) + ")", {}};
    for (const RandomProduct::Factor &factor : inside)
      for (char other : factor.indices)
        if (other != index && !has(sum.indices, other))
          sum.indices.push_back(other);
    left.push_back(std::move(sum));
  }
  return product.target + " = " + joined(textsOf(left), random);
}

} // namespace spc::testing
