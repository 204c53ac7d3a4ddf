#include "format/json_object.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace spc::format {

namespace {

constexpr DiagnosticKind kFormatKey{"format-key", Severity::Error};
constexpr DiagnosticKind kFormatValue{"format-value", Severity::Error};

/// A key of other libraries' descriptions, and what says that here.
struct ForeignKey {
  std::string_view what; ///< the object that it stands in
  std::string_view key;
  std::string_view help;
};

constexpr std::string_view kBase = "leave it out: pointers and indices count from 0";
constexpr std::string_view kType = "a value type is the kernel's: 'tensor A(m, n): f32', or --type A=f32";
constexpr std::string_view kFill = "a fill is the kernel's: 'tensor A(m, n): f64, sparse, fill inf'";
constexpr std::string_view kShape = "sizes are those of a call: a format has none";
constexpr std::string_view kStorage = "write \"storage\": \"dense\" or \"compressed\"";

constexpr std::array<ForeignKey, 17> kForeignKeys{{{"a format", "index_base", kBase},
                                                   {"a format", "base", kBase},
                                                   {"a format", "one_based", kBase},
                                                   {"a format", "zero_based", kBase},
                                                   {"a format", "type", kType},
                                                   {"a format", "types", kType},
                                                   {"a format", "dtype", kType},
                                                   {"a format", "data_type", kType},
                                                   {"a format", "value_type", kType},
                                                   {"a format", "fill", kFill},
                                                   {"a format", "fill_value", kFill},
                                                   {"a format", "shape", kShape},
                                                   {"a format", "sizes", kShape},
                                                   {"a level", "type", kStorage},
                                                   {"a level", "kind", kStorage},
                                                   {"a level", "format", kStorage},
                                                   {"a level", "level", kStorage}}};

const ForeignKey *foreignKey(std::string_view what, std::string_view key) {
  const auto *found = std::find_if(kForeignKeys.begin(), kForeignKeys.end(),
                                   [&](const ForeignKey &one) { return one.what == what && one.key == key; });
  return found == kForeignKeys.end() ? nullptr : found;
}

std::string listOf(const std::vector<std::string> &known) {
  std::string list;
  for (const std::string &name : known)
    list += (list.empty() ? "'" : ", '") + name + "'";
  return "known here: " + list;
}

void suggest(Diagnostic &diagnostic, Span where, const std::string &word, const std::vector<std::string> &known) {
  if (std::optional<std::string> guess = didYouMean(word, known)) {
    diagnostic.message += " (did you mean '" + *guess + "'?)";
    diagnostic.fix(where, *guess);
    return;
  }
  diagnostic.advise(listOf(known));
}

} // namespace

Diagnostic &reportValue(Diagnostics &diagnostics, Span where, std::string message) {
  return diagnostics.report(kFormatValue, where, std::move(message));
}

void reportUnknownWord(Diagnostics &diagnostics, Span where, std::string_view what, const std::string &word,
                       const std::vector<std::string> &known) {
  Diagnostic &diagnostic = reportValue(diagnostics, where, "unknown " + std::string(what) + " '" + word + "'");
  constexpr size_t kShortList = 6;
  suggest(diagnostic, insideQuotes(where), word, known);
  if (known.size() <= kShortList)
    diagnostic.advise(listOf(known));
}

Span insideQuotes(Span where) {
  if (where.end - where.begin < 2)
    return where;
  return {where.file, where.begin + 1, where.end - 1};
}

bool isIdentifier(std::string_view text) {
  auto isWord = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), isWord);
}

ObjectReader::ObjectReader(const JsonNode &node, std::string_view what, const std::vector<std::string> &known,
                           Diagnostics &diagnostics)
    : node_(node), what_(what), diagnostics_(diagnostics) {
  if (node.kind != JsonKind::Object) {
    reportValue(diagnostics, node.where, std::string(what) + " must be an object, not " + inWords(node.kind));
    ok_ = false;
    return;
  }
  for (const JsonMember &member : node.members) {
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      Diagnostic &diagnostic =
          diagnostics.report(kFormatKey, member.keyWhere, "unknown key '" + member.key + "' in " + std::string(what));
      if (const ForeignKey *foreign = foreignKey(what, member.key))
        diagnostic.advise(std::string(foreign->help));
      else
        suggest(diagnostic, insideQuotes(member.keyWhere), member.key, known);
      ok_ = false;
    } else if (find(member.key) != &member.value) {
      diagnostics.report(kFormatKey, member.keyWhere, "key '" + member.key + "' is given twice");
      ok_ = false;
    }
  }
}

const JsonNode *ObjectReader::find(std::string_view key) const {
  for (const JsonMember &member : node_.members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

const JsonNode *ObjectReader::require(std::string_view key) {
  const JsonNode *value = find(key);
  if (!value && node_.kind == JsonKind::Object) {
    diagnostics_.report(kFormatKey, node_.where, std::string(what_) + " lacks the key '" + std::string(key) + "'");
    ok_ = false;
  }
  return value;
}

const JsonNode *ObjectReader::find(std::string_view key, JsonKind kind) {
  return checkKind(key, find(key), kind);
}

const JsonNode *ObjectReader::require(std::string_view key, JsonKind kind) {
  return checkKind(key, require(key), kind);
}

const JsonNode *ObjectReader::checkKind(std::string_view key, const JsonNode *value, JsonKind kind) {
  if (!value || value->kind == kind)
    return value;
  std::string message = "'";
  message.append(key).append("' must be ").append(inWords(kind)).append(", not ").append(inWords(value->kind));
  reportValue(diagnostics_, value->where, std::move(message));
  ok_ = false;
  return nullptr;
}

} // namespace spc::format
