// One level's JSON description.
#pragma once

#include "format/json_text.h"
#include "format/rule.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::format {

/// Reads {"dim": "j", "storage": "compressed", "extent": "ragged", …}; what it defaults to is in docs of the format
/// algebra. `dims`: names of the dimensions that "dim" picks from; nullptr for formats of any order, whose levels name
/// none. `parent`: the level above, of whose coordinate a closed extent is a form; nullptr at the root. Reports and
/// gives nullopt for what is wrong.
std::optional<Level> readLevel(const JsonNode &node, const std::vector<std::string> *dims, const Level *parent,
                               Diagnostics &diagnostics);

/// Reports `problem` at `where`.
void reportLevels(const LevelProblem &problem, Span where, Diagnostics &diagnostics);

} // namespace spc::format
