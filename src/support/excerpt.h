// A source line with a marked span, cut to what fits a terminal.
#pragma once

#include "support/source.h"

#include <string>

namespace spc {

/// The columns that an excerpt's text takes at most.
constexpr unsigned kExcerptColumns = 110;

/// `text`: the line, printable, with `...` where it is cut. `marks`: as many spaces as come before the span, a caret
/// and tildes under it. A span over several lines is marked to the end of its first.
struct Excerpt {
  uint32_t line = 1;
  std::string text;
  std::string marks;
};

/// The excerpt for a span that has a file. Takes time in the length of what is shown, not of the line.
Excerpt excerptOf(Span where);

} // namespace spc
