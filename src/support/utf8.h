// Just enough UTF-8 to show source text: decoding one character and telling where characters start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spc {

/// One decoded character. An ill-formed sequence yields its first byte: `valid` false, `length` 1.
struct CodePoint {
  uint32_t value = 0;
  uint32_t length = 1;
  bool valid = false;
};

/// Decodes the character at byte `at`, which lies inside `text`. Overlong forms and surrogates are ill-formed.
CodePoint decodeUtf8(std::string_view text, size_t at);

inline bool isUtf8Continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// A character as it may be shown, and the terminal columns it takes.
struct Glyph {
  std::string text;
  unsigned columns = 1;
};

/// The character at byte `at` made safe to print: control and ill-formed bytes as `\x00`, characters that steer a
/// terminal or its text direction as `<U+202E>`, a tab as spaces.
Glyph printable(std::string_view text, size_t at, const CodePoint &character);

/// A whole text made safe to print; line breaks stay where `keepBreaks` says so.
std::string printable(std::string_view text, bool keepBreaks = false);

} // namespace spc
