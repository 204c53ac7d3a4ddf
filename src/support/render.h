// Diagnostics as text with a caret, or as JSON lines.
#pragma once

#include "support/diagnostic.h"

#include <string>

namespace spc {

/// `file:line:column: error: message [id]`, the source line, a caret under the span, attached notes, fixes and help.
/// Long lines are cut around the span, control bytes are shown escaped. `color` adds ANSI escapes.
std::string renderText(const Diagnostic &diagnostic, bool color);

/// One JSON object on one line: id, severity, message, file, line, column, endLine, endColumn, notes, fixes, help.
std::string renderJson(const Diagnostic &diagnostic);

} // namespace spc
