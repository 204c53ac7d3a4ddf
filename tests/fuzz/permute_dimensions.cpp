#include "fuzz/rewriting.h"

#include <algorithm>
#include <numeric>
#include <regex>
#include <set>

namespace spc::testing {
namespace {

/// A tensor's name where it is accessed with indices.
std::regex accessOf(const std::string &tensor) {
  return std::regex("\\b" + tensor + "\\(([^()]*)\\)");
}

/// Dimension d, named as dims[d], in a list of levels: `0=d,1/2=c,1-0=d,1%2=d`.
std::string renumberedLevels(const std::string &levels, const std::vector<int> &dims) {
  std::vector<std::string> items = split(levels, ',');
  const auto renumber = [&](char &dim) { dim = static_cast<char>('0' + dims[static_cast<size_t>(dim - '0')]); };
  for (std::string &item : items) {
    renumber(item[0]);
    if (item[1] == '-')
      renumber(item[2]);
  }
  return joined(items, ',');
}

/// The format with dimension d stored as dimension dims[d] was.
std::string permutedFormat(const std::string &format, const std::vector<int> &dims) {
  if (format.starts_with('@'))
    return "@" + renumberedLevels(format.substr(1), dims);
  if (const size_t plus = format.find('+'); plus != std::string::npos)
    return permutedFormat(format.substr(0, plus), dims) + "+" + permutedFormat(format.substr(plus + 1), dims);
  const size_t colon = format.find(':');
  std::vector<std::string> modes;
  if (colon == std::string::npos)
    for (int dim : dims)
      modes.push_back(std::to_string(dim));
  else
    for (const std::string &mode : split(format.substr(colon + 1), ','))
      modes.push_back(std::to_string(dims[static_cast<size_t>(mode[0] - '0')]));
  return format.substr(0, colon) + ":" + joined(modes, ',');
}

/// Tensors of two dimensions or more whose structure is their own, with their number of dimensions.
std::map<std::string, size_t> candidates(const KernelSpec &spec) {
  std::map<std::string, size_t> orders;
  static const std::regex access("\\b([AdR][0-9]+)\\(([^()]*,[^()]*)\\)");
  for (std::sregex_iterator match(spec.statements.begin(), spec.statements.end(), access), end; match != end; ++match)
    orders[(*match)[1]] = split((*match)[2], ',').size();
  for (const auto &[tensor, format] : spec.formats) {
    if (format.starts_with("sym-"))
      orders.erase(tensor);
    if (format.starts_with("structure of ")) {
      orders.erase(tensor);
      orders.erase(format.substr(13));
    }
  }
  return orders;
}

} // namespace

std::map<std::string, std::vector<int>> permuteDimensions(KernelSpec &spec, Random &random) {
  const std::map<std::string, size_t> orders = candidates(spec);
  if (orders.empty())
    return {};
  auto chosen = orders.begin();
  std::advance(chosen, random.below(static_cast<int64_t>(orders.size())));
  const auto &[tensor, order] = *chosen;
  std::vector<int> dims(order);
  std::iota(dims.begin(), dims.end(), 0);
  do {
    for (size_t d = order; d-- > 1;)
      std::swap(dims[d], dims[static_cast<size_t>(random.below(static_cast<int64_t>(d) + 1))]);
  } while (std::is_sorted(dims.begin(), dims.end()));
  std::string text, rest = spec.statements;
  for (std::smatch match; std::regex_search(rest, match, accessOf(tensor)); rest = match.suffix()) {
    const std::vector<std::string> indices = split(match[1], ',');
    std::vector<std::string> moved(order);
    for (size_t d = 0; d < order; ++d)
      moved[static_cast<size_t>(dims[d])] = indices[d];
    text += match.prefix().str() + tensor + "(" + joined(moved, ',') + ")";
  }
  spec.statements = text + rest;
  const auto format = spec.formats.find(tensor);
  if (format != spec.formats.end() && format->second != "dense" && random.below(3) > 0)
    format->second = permutedFormat(format->second, dims);
  return {{tensor, dims}};
}

} // namespace spc::testing
