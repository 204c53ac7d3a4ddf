#include "support/excerpt.h"
#include "support/render.h"
#include "support/utf8.h"

#include <algorithm>

namespace spc {
namespace {

constexpr size_t kLongestQuote = 60;

struct Style {
  std::string_view code;
};
constexpr Style kBold{"\x1b[1m"}, kRed{"\x1b[1;31m"}, kMagenta{"\x1b[1;35m"}, kCyan{"\x1b[1;36m"}, kGreen{"\x1b[1;32m"};

class TextRenderer {
public:
  explicit TextRenderer(bool color) : color_(color) {}

  std::string render(const Diagnostic &diagnostic) {
    header(diagnostic);
    excerpt(diagnostic.where);
    for (const AttachedNote &note : diagnostic.notes) {
      place(note.where, {});
      styled(kCyan, "note: ");
      out_ += printable(note.message, true) + '\n';
      excerpt(note.where);
    }
    auto asks = [](const std::string &text) { return text.find("did you mean") != std::string::npos; };
    bool spelledOut = asks(diagnostic.message) || asks(diagnostic.help);
    for (const FixIt &fix : diagnostic.fixes)
      if (!spelledOut)
        help(describe(fix, diagnostic.where));
    if (!diagnostic.help.empty())
      help(printable(diagnostic.help, true));
    return std::move(out_);
  }

private:
  void styled(Style style, std::string_view text) {
    if (color_)
      out_ += style.code;
    out_ += text;
    if (color_)
      out_ += "\x1b[0m";
  }

  void place(Span where, const std::string &path) {
    if (where) {
      LineColumn at = where.file->lineColumn(where.begin);
      styled(kBold,
             printable(where.file->name()) + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": ");
    } else if (!path.empty()) {
      styled(kBold, printable(path) + ": ");
    }
  }

  void header(const Diagnostic &diagnostic) {
    place(diagnostic.where, diagnostic.path.empty() ? "spc" : diagnostic.path);
    switch (diagnostic.severity) {
    case Severity::Note:
      styled(kCyan, "note: ");
      break;
    case Severity::Warning:
      styled(kMagenta, "warning: ");
      break;
    case Severity::Error:
      styled(kRed, "error: ");
      break;
    case Severity::Internal:
      styled(kRed, "internal error: ");
      break;
    }
    styled(kBold, printable(diagnostic.message, true));
    std::string_view option;
    if (diagnostic.kind.severity <= Severity::Warning)
      option = diagnostic.severity == Severity::Error ? "-Werror=" : "-W";
    out_ += " [" + std::string(option) + std::string(diagnostic.kind.id) + "]\n";
  }

  void excerpt(Span where) {
    if (!where)
      return;
    Excerpt excerpt = excerptOf(where);
    std::string number = std::to_string(excerpt.line);
    number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
    out_ += number + " | " + excerpt.text + '\n' + std::string(number.size(), ' ') + " | ";
    styled(kGreen, excerpt.marks);
    out_ += '\n';
  }

  void help(const std::string &text) {
    styled(kCyan, "help: ");
    out_ += text + '\n';
  }

  static std::string quoted(std::string_view text) {
    bool cut = text.size() > kLongestQuote;
    return '\'' + printable(text.substr(0, kLongestQuote)) + (cut ? "...'" : "'");
  }

  static std::string describe(const FixIt &fix, Span diagnosed) {
    std::string_view text;
    std::string where;
    if (fix.where) {
      auto size = static_cast<uint32_t>(fix.where.file->text().size());
      uint32_t begin = std::min(fix.where.begin, size);
      text = fix.where.file->text().substr(begin, std::clamp(fix.where.end, begin, size) - begin);
      uint32_t line = fix.where.file->lineColumn(begin).line;
      if (!diagnosed || diagnosed.file != fix.where.file || diagnosed.file->lineColumn(diagnosed.begin).line != line)
        where = " in line " + std::to_string(line);
    }
    if (fix.text.empty())
      return "remove " + quoted(text) + where;
    if (text.empty() && fix.where)
      return "insert " + quoted(fix.text) + where;
    return "did you mean '" + printable(fix.text, true) + "'" + where + "?";
  }

  bool color_;
  std::string out_;
};

} // namespace

std::string renderText(const Diagnostic &diagnostic, bool color) {
  return TextRenderer(color).render(diagnostic);
}

} // namespace spc
