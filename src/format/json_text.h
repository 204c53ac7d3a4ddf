// JSON read into a tree whose every key and value knows its place in the text, for diagnostics that point at it.
#pragma once

#include "support/diagnostic.h"
#include "support/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spc::format {

enum class JsonKind { Null, Boolean, Integer, Real, String, Array, Object };

/// "a string", "an object" …
const char *inWords(JsonKind kind);

struct JsonMember;

struct JsonNode {
  JsonKind kind = JsonKind::Null;
  Span where; ///< the value's text; of an array or object its opening bracket
  bool boolean = false;
  int64_t integer = 0; ///< of kind Integer; a number that int64_t cannot hold is of kind Real
  std::string string;
  std::vector<JsonNode> elements;
  std::vector<JsonMember> members; ///< as written, repeated keys included
};

struct JsonMember {
  std::string key;
  Span keyWhere;
  JsonNode value;
};

/// Parses the whole text of `source`. Malformed text, a NUL byte and nesting deeper than 32 are reported and give
/// nullopt.
std::optional<JsonNode> parseJson(const SourceFile &source, Diagnostics &diagnostics);

} // namespace spc::format
