#include "format/foreign_formats.h"

#include "format/json_object.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

namespace spc::format {

namespace {

constexpr DiagnosticKind kForeignFormatKey{"format-key", Severity::Error};

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kShipped{
    {{"dense, compressed", "csr"},
     {"compressed, compressed", "dcsr"},
     {"compressed, singleton", "coo"},
     {"compressed, compressed, compressed", "csf"},
     {"dense, dense", "dense"},
     {"compressed", "sparse-vector"}}};

/// `dense`, `compressed` or `singleton` for what others call it; empty for any other word.
std::string storageOf(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (word == "dense" || word == "d")
    return "dense";
  if (word == "singleton" || word == "q")
    return "singleton";
  return word == "compressed" || word == "sparse" || word == "s" || word == "c" ? "compressed" : "";
}

/// The storages that a list of names, or a text of names with commas, has; empty where it is none.
std::vector<std::string> levelNames(const JsonNode &node) {
  std::vector<std::string> words;
  if (node.kind == JsonKind::String && node.string.find(',') != std::string::npos) {
    std::string word;
    for (const char c : node.string + ",") {
      if (c != ',' && c != ' ')
        word += c;
      if (c == ',')
        words.push_back(std::exchange(word, ""));
    }
  }
  for (const JsonNode &element : node.elements)
    words.push_back(element.string);
  for (std::string &word : words)
    if ((word = storageOf(word)).empty())
      return {};
  return words;
}

std::string asLevels(const std::vector<std::string> &storages) {
  std::string dims, levels, names;
  for (size_t k = 0; k < storages.size(); ++k) {
    const std::string comma = k == 0 ? "" : ", ", dim = std::string("\"") + static_cast<char>('i' + k % 16) + "\"";
    const bool isSingleton = storages[k] == "singleton";
    dims += comma + dim;
    levels += comma + "{ \"dim\": " + dim + ", \"storage\": \"" + (isSingleton ? "compressed" : storages[k]) + "\"" +
              (isSingleton ? ", \"extent\": \"fixed\", \"width\": 1 }" : " }");
    names += comma + storages[k];
  }
  const auto *shipped =
      std::find_if(kShipped.begin(), kShipped.end(), [&](const auto &one) { return one.first == names; });
  const std::string short_ =
      shipped == kShipped.end() ? "" : "this is the format '" + std::string(shipped->second) + "'; as a file ";
  return short_ + "write \"dims\": [" + dims + "], \"levels\": [" + levels + "]";
}

bool reportLevelList(const JsonNode &node, Diagnostics &diagnostics) {
  const std::vector<std::string> storages = levelNames(node);
  if (storages.empty())
    return false;
  reportValue(diagnostics, node.where, "a level is an object, not a name alone").advise(asLevels(storages));
  return true;
}

} // namespace

bool reportForeignFormat(const JsonNode &node, Diagnostics &diagnostics) {
  static const std::set<std::string_view> kKeys = {"name",   "description", "dims",     "levels",     "index",
                                                   "layout", "symmetric",   "symmetry", "duplicates", "schedule",
                                                   "format", "binsparse",   "sum",      "order",      "tensors"};
  if (node.kind == JsonKind::Array && reportLevelList(node, diagnostics))
    return true;
  bool hasKey = node.members.empty();
  for (const JsonMember &member : node.members) {
    if ((member.key == "levels" || member.key == "format") && reportLevelList(member.value, diagnostics))
      return true;
    const bool isValue = member.value.kind != JsonKind::String && member.value.kind != JsonKind::Object;
    hasKey = hasKey || isValue || kKeys.contains(member.key);
  }
  if (hasKey)
    return false;
  const JsonMember &first = node.members.front();
  diagnostics.report(kForeignFormatKey, first.keyWhere, "a format has no key '" + first.key + "'")
      .advise("a file that binds tensors has them in an object of their own: { \"tensors\": { \"" + first.key +
              "\": ... } }, and is given as --format FILE.json");
  return true;
}

} // namespace spc::format
