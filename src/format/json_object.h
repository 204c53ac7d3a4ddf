// Reads the members of one JSON object, and reports what does not belong.
#pragma once

#include "format/json_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace spc::format {

/// Reports a value that cannot stand at `where`.
Diagnostic &reportValue(Diagnostics &diagnostics, Span where, std::string message);

/// Reports `word` as unknown, with the nearest of `known` as a fix: "unknown storage 'compresed'".
void reportUnknownWord(Diagnostics &diagnostics, Span where, std::string_view what, const std::string &word,
                       const std::vector<std::string> &known);

/// `where`, a string token, without its quotes.
Span insideQuotes(Span where);

/// True for a letter or underscore followed by letters, digits and underscores.
bool isIdentifier(std::string_view text);

class ObjectReader {
public:
  /// Reports a `node` that is no object ("<what> must be an object"), repeated keys and keys not among `known`.
  /// Both arguments outlive this.
  ObjectReader(const JsonNode &node, std::string_view what, const std::vector<std::string> &known,
               Diagnostics &diagnostics);

  /// False once anything was reported here.
  bool ok() const { return ok_; }

  /// A member's value; nullptr where there is none.
  const JsonNode *find(std::string_view key) const;
  /// The same as find, but reports a missing key.
  const JsonNode *require(std::string_view key);
  /// The same as find, but reports a value of another kind and gives nullptr for it.
  const JsonNode *find(std::string_view key, JsonKind kind);
  const JsonNode *require(std::string_view key, JsonKind kind);

private:
  const JsonNode &node_;
  std::string_view what_;
  Diagnostics &diagnostics_;
  bool ok_ = true;

  const JsonNode *checkKind(std::string_view key, const JsonNode *value, JsonKind kind);
};

} // namespace spc::format
