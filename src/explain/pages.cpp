#include "explain/pages.h"

#include "explain/embedded_pages.h"

namespace spc::explain {
namespace {

constexpr std::string_view kHeading = "\n### ";

/// Calls `visit` with each id and the text below its heading, until that gives true.
template <typename Visit> void visitPages(const Visit &visit) {
  for (std::string_view page : embeddedPages())
    for (size_t at = page.find(kHeading); at != std::string_view::npos;) {
      const size_t name = at + kHeading.size();
      const size_t line = page.find('\n', name);
      const size_t next = page.find("\n#", line);
      at = page.find(kHeading, line);
      if (visit(page.substr(name, line - name), page.substr(line, next - line)))
        return;
    }
}

/// Text as a terminal shows it: code without backquotes.
std::string plain(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c != '`')
      result += c;
  while (result.starts_with('\n'))
    result.erase(0, 1);
  while (result.ends_with('\n'))
    result.pop_back();
  return result + "\n";
}

} // namespace

std::optional<std::string> pageOf(std::string_view id) {
  std::optional<std::string> found;
  visitPages([&](std::string_view name, std::string_view text) {
    if (name != id)
      return false;
    found = std::string(name) + "\n\n" + plain(text);
    return true;
  });
  return found;
}

std::vector<std::string> pageIds() {
  std::vector<std::string> ids;
  visitPages([&](std::string_view name, std::string_view) {
    ids.emplace_back(name);
    return false;
  });
  return ids;
}

} // namespace spc::explain
