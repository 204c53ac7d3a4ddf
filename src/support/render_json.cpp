#include "support/render.h"

#include <nlohmann/json.hpp>

namespace spc {
namespace {

using Json = nlohmann::ordered_json;

std::string_view severityName(Severity severity) {
  switch (severity) {
  case Severity::Note:
    return "note";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  case Severity::Internal:
    return "internal";
  }
  return "internal";
}

void addPlace(Json &object, Span where, const std::string &path) {
  object["file"] = nullptr;
  for (const char *key : {"line", "column", "endLine", "endColumn"})
    object[key] = nullptr;
  if (!where) {
    if (!path.empty())
      object["file"] = path;
    return;
  }
  LineColumn begin = where.file->lineColumn(where.begin);
  LineColumn end = where.file->lineColumn(where.end);
  object["file"] = where.file->name();
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["endLine"] = end.line;
  object["endColumn"] = end.column;
}

} // namespace

std::string renderJson(const Diagnostic &diagnostic) {
  Json object;
  object["id"] = diagnostic.kind.id;
  object["severity"] = severityName(diagnostic.severity);
  object["message"] = diagnostic.message;
  addPlace(object, diagnostic.where, diagnostic.path);
  object["notes"] = Json::array();
  for (const AttachedNote &note : diagnostic.notes) {
    Json entry;
    entry["message"] = note.message;
    addPlace(entry, note.where, {});
    object["notes"].push_back(std::move(entry));
  }
  object["fixes"] = Json::array();
  for (const FixIt &fix : diagnostic.fixes) {
    Json entry;
    addPlace(entry, fix.where, {});
    entry["text"] = fix.text;
    object["fixes"].push_back(std::move(entry));
  }
  object["help"] = diagnostic.help;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace spc
