// One format file's JSON: a format, a reference to one, or bindings of tensors by name.
#pragma once

#include "format/json_text.h"
#include "format/rule.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::format {

/// Finds the formats that a file refers to.
class FormatResolver {
public:
  virtual ~FormatResolver() = default;
  /// The format that `text` names (a name or a path, with `:modes` where wanted). `where`: the place of `text` itself.
  /// nullopt after reporting why.
  virtual std::optional<FormatRule> resolve(const std::string &text, Span where) = 0;
};

struct TensorRule {
  std::string tensor;
  FormatRule rule;
  Span where;                             ///< the tensor's name in the file
  std::optional<std::string> structureOf; ///< has the structure of this tensor; then there is no rule
  bool keepsStructure = false;            ///< an output whose entries stay where they are
};

/// Either a format, or the bindings of a "tensors" object.
struct FormatFile {
  std::optional<FormatRule> format;
  std::vector<TensorRule> tensors;
  Schedule schedule;            ///< beside "tensors"; that of a format is its rule's
  std::vector<GivenType> types; ///< beside "tensors"
};

/// Reads a file's tree. `name` is what a format without a "name" is called. Reports all that is wrong and gives nullopt
/// then.
std::optional<FormatFile> readFormatFile(const JsonNode &root, const std::string &name, FormatResolver &resolver,
                                         Diagnostics &diagnostics);

} // namespace spc::format
