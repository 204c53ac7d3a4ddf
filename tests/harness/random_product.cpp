#include "harness/random_product.h"

#include <algorithm>
#include <cstdlib>

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

std::string randomFormat(size_t order, std::mt19937 &random) {
  static const char *const matrices[] = {"csr", "csc", "dcsr", "coo", "dense"};
  return order == 2 ? matrices[below(random, 5)] : below(random, 4) == 0 ? "sv" : "dense";
}

std::string joined(std::vector<RandomProduct::Factor> factors, std::mt19937 &random) {
  for (size_t k = factors.size(); k > 1; --k)
    std::swap(factors[k - 1], factors[below(random, k)]);
  std::iter_swap(factors.begin(), std::find_if(factors.begin(), factors.end(),
                                               [](const RandomProduct::Factor &factor) { return !factor.divides; }));
  std::string product;
  for (const RandomProduct::Factor &factor : factors)
    product += (product.empty() ? "" : factor.divides ? "/" : "*") + factor.text;
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

namespace {

std::vector<char> randomIndices(const std::vector<char> &used, std::mt19937 &random) {
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
  return indices;
}

/// The tensor of a factor, "A" of "abs(A(i,j))".
std::string nameOf(const RandomProduct::Factor &factor) {
  return std::string(1, factor.text[factor.text.find_first_of("ABCDEF")]);
}

/// Of some factors each becomes a sum of two.
void addAddends(RandomProduct &product, std::mt19937 &random) {
  size_t sums = 0;
  for (RandomProduct::Factor &factor : product.factors)
    if (below(random, 6) == 0) {
      const std::string name = factor.text.substr(0, 1) + "2";
      factor.addend = access(name, factor.indices);
      product.formats[name] = randomFormat(factor.indices.size(), random);
      ++sums;
    }
  for (RandomProduct::Factor &factor : product.factors)
    if (sums > 1 && !factor.addend.empty()) {
      factor.text = "abs(" + factor.text + ")";
      factor.addend = "abs(" + factor.addend + ")";
    }
}

/// The product is divided by a dense tensor's elements, each of them 1 or more.
void addDivisor(RandomProduct &product, const std::vector<char> &used, std::mt19937 &random) {
  std::vector<char> indices = {used[below(random, used.size())]};
  if (const char other = used[below(random, used.size())]; !has(indices, other))
    indices.push_back(other);
  const std::string name = access("F", indices);
  product.factors.push_back({"(1 + " + name + "*" + name + ")", indices, "", /*divides=*/true});
  product.formats["F"] = "dense";
}

/// One spelling, of which kind: statements before the last one, and the names they take.
struct Spelling {
  Spellings kind;
  std::string temporaries = {};
  size_t names = 0;
};

/// The sum over `index` of the factors that have it, as a factor.
RandomProduct::Factor summed(char index, const std::vector<RandomProduct::Factor> &inside, Spelling &spelling,
                             std::mt19937 &random) {
  RandomProduct::Factor sum;
  for (const RandomProduct::Factor &factor : inside)
    for (char other : factor.indices)
      if (other != index && !has(sum.indices, other))
        sum.indices.push_back(other);
  const std::string product = joined(inside, random);
  sum.text = "sum(" + std::string(1, index) + ", " + product + ")";
  if (spelling.kind == Spellings::All && below(random, 2) == 0) {
    const std::string name = access("T" + std::to_string(spelling.names++), sum.indices);
    spelling.temporaries += "let " + name + " = " + sum.text + "\n";
    sum.text = name;
  }
  return sum;
}

/// An index within one magnitude alone would be ambiguous: sums that are left are written around those.
std::string term(const RandomProduct &product, std::vector<RandomProduct::Factor> left, Spelling &spelling,
                 std::mt19937 &random) {
  const bool hasMagnitudes = std::any_of(left.begin(), left.end(), [](const RandomProduct::Factor &factor) {
    return factor.text.find("abs") != std::string::npos;
  });
  std::string around, behind;
  for (char index : product.sums()) {
    const auto lacks = [&](const RandomProduct::Factor &factor) { return !has(factor.indices, index); };
    auto first = std::stable_partition(left.begin(), left.end(), lacks);
    const std::vector<RandomProduct::Factor> inside(first, left.end());
    // Left as it is, the sum spans the whole product. Of two sums one contains the other: others are numbers apart.
    const auto isSum = [](const RandomProduct::Factor &factor) {
      return factor.text.starts_with("sum(") || factor.text.starts_with("T");
    };
    if (below(random, 3) != 0 || std::any_of(left.begin(), first, isSum)) {
      around += hasMagnitudes ? "sum(" + std::string(1, index) + ", " : "";
      behind += hasMagnitudes ? ")" : "";
      continue;
    }
    left.erase(first, left.end());
    left.push_back(summed(index, inside, spelling, random));
  }
  return around + joined(left, random) + behind;
}

} // namespace

unsigned productSeed() {
  const char *seed = std::getenv("SPC_TEST_SEED");
  return seed ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 41;
}

RandomProduct randomProduct(std::mt19937 &random, Spellings spellings, bool hasDivisor) {
  RandomProduct product;
  product.spellings = spellings;
  std::vector<char> used;
  const size_t count = 2 + below(random, 4);
  for (size_t k = 0; k < count; ++k) {
    const std::vector<char> indices = randomIndices(used, random);
    const std::string name(1, static_cast<char>('A' + k));
    product.factors.push_back({access(name, indices), indices, ""});
    product.formats[name] = randomFormat(indices.size(), random);
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
  if (spellings == Spellings::All)
    addAddends(product, random);
  if (hasDivisor)
    addDivisor(product, used, random);
  if (spellings == Spellings::Orders)
    return product;
  // A target that lists its entries has parts of two or more indices alone, and of sparse factors.
  if (const auto target = product.formats.find("y"); target != product.formats.end() && target->second == "csr")
    for (const RandomProduct::Factor &factor : product.factors)
      for (const std::string &name : {nameOf(factor), nameOf(factor) + "2"})
        if (const auto format = product.formats.find(name); !factor.divides && format != product.formats.end())
          format->second = factor.indices.size() == 1 ? "dense" : format->second == "dense" ? "csr" : format->second;
  return product;
}

std::string declarationsOf(const RandomProduct &product) {
  std::string text;
  for (const RandomProduct::Factor &factor : product.factors) {
    std::string extents;
    for (char index : factor.indices)
      extents += std::string(extents.empty() ? "(" : ", ") + "n" + index;
    for (const std::string &name : {nameOf(factor), nameOf(factor) + "2"})
      if (product.formats.contains(name) && !extents.empty())
        text += "tensor " + name + extents + ")\n";
  }
  return text;
}

std::string spellingOf(const RandomProduct &product, std::mt19937 &random) {
  std::vector<std::vector<RandomProduct::Factor>> terms = {{}};
  for (const RandomProduct::Factor &factor : product.factors) {
    const size_t before = terms.size();
    const bool isApart = !factor.addend.empty() && below(random, 2) == 0;
    for (size_t k = 0; k < before; ++k) {
      if (isApart) {
        terms.push_back(terms[k]);
        terms.back().push_back({factor.addend, factor.indices, ""});
      }
      const bool isSum = !isApart && !factor.addend.empty();
      terms[k].push_back(
          {isSum ? "(" + factor.text + " + " + factor.addend + ")" : factor.text, factor.indices, "", factor.divides});
    }
  }
  Spelling spelling{product.spellings};
  std::string whole;
  for (const std::vector<RandomProduct::Factor> &factors : terms)
    whole += (whole.empty() ? "" : " + ") + term(product, factors, spelling, random);
  return spelling.temporaries + product.target + " = " + whole;
}

} // namespace spc::testing
