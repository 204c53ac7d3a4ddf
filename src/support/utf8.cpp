#include "support/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace spc {
namespace {

struct Range {
  uint32_t first, last;
};

bool contains(const auto &ranges, uint32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return r.first <= value && value <= r.last; });
}

// C1 controls, soft hyphen, zero-width and direction marks, line and paragraph separators, the byte order mark.
constexpr std::array<Range, 7> kSteering{{{0x80, 0x9F},
                                          {0xAD, 0xAD},
                                          {0x61C, 0x61C},
                                          {0x200B, 0x200F},
                                          {0x2028, 0x202E},
                                          {0x2060, 0x206F},
                                          {0xFEFF, 0xFEFF}}};
constexpr std::array<Range, 4> kCombining{{{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F},
                                      {0x2E80, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0xFFE0, 0xFFE6},
                                      {0x1F300, 0x1FAFF},
                                      {0x20000, 0x3FFFD}}};

constexpr unsigned kTabColumns = 4;

Glyph spelledOut(const char *format, uint32_t value) {
  std::array<char, 16> buffer{};
  int length = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<unsigned>(length)};
}

} // namespace

CodePoint decodeUtf8(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  uint32_t lead = byte(at);
  if (lead < 0x80)
    return {lead, 1, true};
  uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  CodePoint illFormed{lead, 1, false};
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size())
    return illFormed;
  uint32_t value = lead & (0x7Fu >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if (!isUtf8Continuation(text[at + i]))
      return illFormed;
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  constexpr std::array<uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
    return illFormed;
  return {value, length, true};
}

Glyph printable(std::string_view text, size_t at, const CodePoint &character) {
  if (!character.valid || (character.value < 0x20 && character.value != '\t') || character.value == 0x7F)
    return spelledOut("\\x%02x", character.value);
  if (character.value == '\t')
    return {std::string(kTabColumns, ' '), kTabColumns};
  if (contains(kSteering, character.value))
    return spelledOut("<U+%04X>", character.value);
  unsigned columns = contains(kCombining, character.value) ? 0 : contains(kWide, character.value) ? 2 : 1;
  return {std::string(text.substr(at, character.length)), columns};
}

std::string printable(std::string_view text, bool keepBreaks) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    CodePoint character = decodeUtf8(text, at);
    if (keepBreaks && text[at] == '\n')
      shown += '\n';
    else
      shown += printable(text, at, character).text;
    at += character.length;
  }
  return shown;
}

} // namespace spc
