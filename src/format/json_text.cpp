#include "format/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace spc::format {

namespace {

constexpr DiagnosticKind kFormatSyntax{"format-syntax", Severity::Error};

constexpr int kMaxDepth = 32;

/// Accepts any JSON and keeps nothing but the first syntax error.
class SyntaxCheck : public nlohmann::json_sax<nlohmann::json> {
public:
  size_t errorPosition = 0; ///< bytes read when the error was seen, so one past the offending byte
  std::string errorMessage;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }

  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &error) override {
    errorPosition = position;
    errorMessage = error.what();
    return false;
  }
};

/// The part of nlohmann's message that says what is wrong, without its prefix, places and echo of the text.
std::string essence(std::string message) {
  if (size_t prefix = message.find("] "); prefix != std::string::npos)
    message.erase(0, prefix + 2);
  if (size_t dash = message.find(" - "); dash != std::string::npos)
    message.erase(0, dash + 3);
  size_t echo = message.find("; last read: ");
  if (echo != std::string::npos) {
    size_t expected = message.find("; expected ", echo);
    message.erase(echo, expected == std::string::npos ? std::string::npos : expected - echo);
  }
  return message;
}

/// Builds the tree. The text is known to be valid JSON, so that only depth can go wrong.
class TreeBuilder {
public:
  TreeBuilder(const SourceFile &source, Diagnostics &diagnostics)
      : source_(source), text_(source.text()), diagnostics_(diagnostics) {}

  std::optional<JsonNode> build() {
    JsonNode root;
    if (!value(root, 0))
      return std::nullopt;
    return root;
  }

private:
  const SourceFile &source_;
  std::string_view text_;
  Diagnostics &diagnostics_;
  size_t at_ = 0;

  Span span(size_t begin, size_t end) const {
    return {&source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  void skipSpace() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool skip(char expected) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != expected)
      return false;
    ++at_;
    return true;
  }

  bool value(JsonNode &node, int depth) {
    skipSpace();
    size_t begin = at_;
    char first = at_ < text_.size() ? text_[at_] : '\0';
    if (first == '{' || first == '[') {
      node.where = span(begin, begin + 1);
      if (depth == kMaxDepth) {
        diagnostics_.report(kFormatSyntax, node.where,
                            "JSON nested deeper than " + std::to_string(kMaxDepth) + " levels");
        return false;
      }
      ++at_;
      return first == '{' ? object(node, depth) : array(node, depth);
    }
    if (first == '"') {
      node.kind = JsonKind::String;
      node.string = string();
    } else {
      scalar(node);
    }
    node.where = span(begin, at_);
    return true;
  }

  bool object(JsonNode &node, int depth) {
    node.kind = JsonKind::Object;
    while (!skip('}')) {
      skip(',');
      skipSpace();
      JsonMember member;
      size_t begin = at_;
      member.key = string();
      member.keyWhere = span(begin, at_);
      skip(':');
      if (!value(member.value, depth + 1))
        return false;
      node.members.push_back(std::move(member));
    }
    return true;
  }

  bool array(JsonNode &node, int depth) {
    node.kind = JsonKind::Array;
    while (!skip(']')) {
      skip(',');
      JsonNode element;
      if (!value(element, depth + 1))
        return false;
      node.elements.push_back(std::move(element));
    }
    return true;
  }

  std::string string() {
    size_t begin = at_;
    for (++at_; text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\')
        ++at_;
    ++at_;
    std::string_view token = text_.substr(begin, at_ - begin);
    if (token.find('\\') == std::string_view::npos)
      return std::string(token.substr(1, token.size() - 2));
    return nlohmann::json::parse(token, nullptr, false).get<std::string>();
  }

  void scalar(JsonNode &node) {
    size_t begin = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n,]}").find(text_[at_]) == std::string_view::npos)
      ++at_;
    std::string_view token = text_.substr(begin, at_ - begin);
    if (token == "null")
      return;
    if (token == "true" || token == "false") {
      node.kind = JsonKind::Boolean;
      node.boolean = token == "true";
      return;
    }
    auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), node.integer);
    bool isInteger = error == std::errc() && end == token.data() + token.size();
    node.kind = isInteger ? JsonKind::Integer : JsonKind::Real;
  }
};

/// What of other notations than JSON an error at `at` is, and what to write; `at` moves to where that begins.
struct Slip {
  std::string message;
  std::string help;
};

std::optional<Slip> slipAt(std::string_view text, uint32_t &at) {
  const std::string_view rest = text.substr(std::min<size_t>(at, text.size()));
  if (rest.starts_with("#") || rest.starts_with("//") || rest.starts_with("/*"))
    return Slip{"JSON has no comments", "leave it out, or write a text: \"description\": \"...\""};
  if (rest.starts_with("'"))
    return Slip{"texts stand in double quotes", "write \"...\""};
  if (!rest.starts_with("]") && !rest.starts_with("}"))
    return std::nullopt;
  const size_t before = text.substr(0, at).find_last_not_of(" \t\r\n");
  if (before == std::string_view::npos || text[before] != ',')
    return std::nullopt;
  at = static_cast<uint32_t>(before);
  return Slip{"nothing follows this ','", "leave it out before a '" + std::string(rest.substr(0, 1)) + "'"};
}

} // namespace

const char *inWords(JsonKind kind) {
  switch (kind) {
  case JsonKind::Null:
    return "null";
  case JsonKind::Boolean:
    return "a boolean";
  case JsonKind::Integer:
    return "an integer";
  case JsonKind::Real:
    return "a number";
  case JsonKind::String:
    return "a string";
  case JsonKind::Array:
    return "an array";
  case JsonKind::Object:
    return "an object";
  }
  return "a value";
}

std::optional<JsonNode> parseJson(const SourceFile &source, Diagnostics &diagnostics) {
  std::string_view text = source.text();
  // nlohmann takes a NUL byte for the end of its input.
  if (size_t nul = text.find('\0'); nul != std::string_view::npos) {
    auto at = static_cast<uint32_t>(nul);
    diagnostics.report(kFormatSyntax, {&source, at, at + 1}, "malformed JSON: a NUL byte");
    return std::nullopt;
  }
  SyntaxCheck check;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &check)) {
    auto end = static_cast<uint32_t>(std::min(check.errorPosition, text.size()));
    uint32_t begin = check.errorPosition > text.size() || end == 0 ? end : end - 1;
    if (const std::optional<Slip> slip = slipAt(text, begin))
      diagnostics.report(kFormatSyntax, {&source, begin, begin + 1}, "malformed JSON: " + slip->message)
          .advise(slip->help);
    else
      diagnostics.report(kFormatSyntax, {&source, begin, end}, "malformed JSON: " + essence(check.errorMessage));
    return std::nullopt;
  }
  return TreeBuilder(source, diagnostics).build();
}

} // namespace spc::format
