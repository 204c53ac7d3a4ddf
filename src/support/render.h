// Diagnostics as text with a caret, or as JSON lines.
#pragma once

#include "support/diagnostic.h"

#include <string>

namespace spc {

/// `file:line:column: error: message [id]`, the source line, a caret under the span, attached notes, fixes and help.
/// Long lines are cut around the span, control bytes are shown escaped. `color` adds ANSI escapes. A diagnostic without
/// a place starts with its path, else with `spc`; a warning or a note ends with the option that governs it,
/// `[-Wreorder]`. Fixes are not listed where the message or the help already asks "did you mean".
std::string renderText(const Diagnostic &diagnostic, bool color);

/// One JSON object on one line: id, severity, message, file, line, column, endLine, endColumn, notes, fixes, help.
/// `line`, `column`, `endLine`, `endColumn` are null where there is no place, and `file` where there is no path either.
/// Bytes that are not UTF-8 become U+FFFD.
std::string renderJson(const Diagnostic &diagnostic);

} // namespace spc
