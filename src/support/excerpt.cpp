#include "support/excerpt.h"

#include "support/utf8.h"

#include <algorithm>
#include <vector>

namespace spc {
namespace {

constexpr unsigned kLeftContext = 40;
constexpr size_t kBytesBefore = 4 * kLeftContext; // UTF-8 has at most four bytes a character
constexpr size_t kBytesAfter = 4 * kExcerptColumns;
constexpr std::string_view kCut = "...";

struct Cell {
  Glyph glyph;
  bool marked;
};

// The characters around [begin, end) of the line, all of which could be shown, and whether text was left off.
struct Window {
  std::vector<Cell> cells;
  size_t caret = 0; ///< the first cell at or after `begin`; may be one past the last
  bool cutLeft = false;
  bool cutRight = false;
};

size_t characterStart(std::string_view line, size_t at) {
  for (int steps = 0; steps < 3 && at > 0 && at < line.size() && isUtf8Continuation(line[at]); ++steps)
    --at;
  return at;
}

Window windowAround(std::string_view line, size_t begin, size_t end) {
  begin = characterStart(line, begin);
  size_t first = begin > kBytesBefore ? characterStart(line, begin - kBytesBefore) : 0;
  size_t last = std::min(line.size(), begin + kBytesAfter);
  Window window;
  window.cutLeft = first > 0;
  window.cutRight = last < line.size();
  for (size_t at = first; at < last;) {
    CodePoint character = decodeUtf8(line, at);
    if (at < begin)
      window.caret = window.cells.size() + 1;
    window.cells.push_back({printable(line, at, character), at >= begin && at < end});
    at += character.length;
  }
  return window;
}

unsigned columnsOf(const std::vector<Cell> &cells, size_t from, size_t to) {
  unsigned columns = 0;
  for (size_t i = from; i < to; ++i)
    columns += cells[i].glyph.columns;
  return columns;
}

// Drops cells on the left until the caret stands near enough, then on the right until the rest fits.
void trim(Window &window) {
  auto &cells = window.cells;
  unsigned total = columnsOf(cells, 0, cells.size());
  if (!window.cutLeft && !window.cutRight && total <= kExcerptColumns)
    return;
  unsigned before = columnsOf(cells, 0, window.caret);
  size_t first = 0;
  while (first < window.caret && before > kLeftContext && (total > kExcerptColumns || window.cutLeft)) {
    before -= cells[first].glyph.columns;
    total -= cells[first].glyph.columns;
    ++first;
  }
  size_t last = cells.size();
  while (last > window.caret + 1 && total > kExcerptColumns)
    total -= cells[--last].glyph.columns;
  window.cutLeft |= first > 0;
  window.cutRight |= last < cells.size();
  cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(last), cells.end());
  cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(first));
  window.caret -= first;
}

} // namespace

Excerpt excerptOf(Span where) {
  const SourceFile &file = *where.file;
  auto size = static_cast<uint32_t>(file.text().size());
  uint32_t begin = std::min(where.begin, size);
  uint32_t end = std::clamp(where.end, begin, size);
  Excerpt excerpt;
  excerpt.line = file.lineColumn(begin).line;
  std::string_view line = file.lineText(excerpt.line);
  size_t lineStart = file.lineStart(excerpt.line);
  size_t from = std::min<size_t>(begin - lineStart, line.size());
  Window window = windowAround(line, from, std::min<size_t>(end - lineStart, line.size()));
  trim(window);

  if (window.cutLeft)
    excerpt.text = kCut;
  unsigned before = columnsOf(window.cells, 0, window.caret);
  excerpt.marks = std::string(excerpt.text.size() + before, ' ') + '^';
  unsigned marked = 0;
  for (const Cell &cell : window.cells) {
    excerpt.text += cell.glyph.text;
    marked += cell.marked ? cell.glyph.columns : 0;
  }
  if (marked > 1)
    excerpt.marks += std::string(marked - 1, '~');
  if (window.cutRight)
    excerpt.text += kCut;
  return excerpt;
}

} // namespace spc
