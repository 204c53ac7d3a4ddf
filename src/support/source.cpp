#include "support/source.h"

#include "support/utf8.h"

#include <algorithm>

namespace spc {

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF"; // which editors count as no column
  if (text_.starts_with(kByteOrderMark))
    text_.erase(0, kByteOrderMark.size());
  lineStarts_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
    lineStarts_.push_back(static_cast<uint32_t>(at + 1));
  ascii_ = std::all_of(text_.begin(), text_.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  uint32_t start = *(next - 1);
  uint32_t characters = offset - start;
  if (!ascii_) {
    auto begin = text_.begin() + start;
    characters = static_cast<uint32_t>(
        std::count_if(begin, text_.begin() + offset, [](char c) { return !isUtf8Continuation(c); }));
  }
  return {static_cast<uint32_t>(next - lineStarts_.begin()), characters + 1};
}

std::string_view SourceFile::lineText(uint32_t line) const {
  if (line == 0 || line > lineStarts_.size())
    return {};
  uint32_t begin = lineStarts_[line - 1];
  size_t end = line < lineStarts_.size() ? lineStarts_[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r')
    --end;
  return std::string_view(text_).substr(begin, end - begin);
}

uint32_t SourceFile::lineStart(uint32_t line) const {
  if (line == 0)
    return 0;
  return line <= lineStarts_.size() ? lineStarts_[line - 1] : static_cast<uint32_t>(text_.size());
}

Span join(Span first, Span second) {
  if (!first)
    return second;
  if (!second)
    return first;
  return {first.file, std::min(first.begin, second.begin), std::max(first.end, second.end)};
}

Span partOf(Span whole, size_t offset, size_t length) {
  const auto begin = static_cast<uint32_t>(whole.begin + offset);
  return whole ? Span{whole.file, begin, static_cast<uint32_t>(begin + length)} : Span();
}

const SourceFile &SourceManager::add(std::string name, std::string text) {
  return files_.emplace_back(std::move(name), std::move(text));
}

} // namespace spc
